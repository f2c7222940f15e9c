/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cached: how a drive with a buffer spends its time.
 *
 *   take_up --> begin --+-- in the buffer --------------------> end
 *                 ^     +-- arm free -- walk over the media --> end
 *                 |     +-- else wait: need ARM, ROOM or EMPTY
 *                 +---------- a held write has left ---+
 *
 * Commands cost what the preset says, by what came before; sectors cross
 * the bus while others still pass under the head.  Between commands the arm
 * brings held writes to the medium, each with an event at its end, or reads
 * ahead, without any.
 */
#include <stddef.h>

#include "disk-model/drive/disk-private.h"

static const DiskBufferPlan *plan_of(const Disk *disk)
{
    return &disk->preset->buffer;
}

static uint64_t end_of(DiskSpan span)
{
    return span.sector + span.count;
}

/* On the host's bus: as the preset says, or as fast as both ends can. */
static SimTime sector_ns(const Disk *disk, const DiskOp *op)
{
    const DiskBufferPlan *plan = plan_of(disk);
    SimTime bus = op->verb == DISK_WRITE ? plan->bus_write_ns
                                         : plan->bus_read_ns;
    uint64_t link = op->link_bytes_per_s ? op->link_bytes_per_s
                                         : disk->preset->link_bytes_per_s;

    if (bus && !op->link_slowed) {
        return bus;
    }
    return MAX(bus, (SimTime)(DISK_SECTOR_BYTES * SIM_S(1) / link));
}

static SimTime cost(const Disk *disk, const DiskCost *of)
{
    return of->after_ns[disk->cached.last_was_write];
}

/* --- the front of the queue --------------------------------------------- */

static void ends_at(Disk *disk, DiskOp *op, SimTime when)
{
    SimTime known = op->time.overhead_ns + op->time.seek_ns +
                    op->time.rotate_ns;

    disk->cached.need = NEED_NOTHING;
    op->time.transfer_ns = when - disk->cached.taken_up - known;
    op->to_cylinder = disk->arm.cylinder;
    sim_at(disk->sim, &disk->end, when);
}

/* Sectors cross the bus as they come, in order, none before `start`. */
typedef struct Crossing {
    MechWalk walk;
    uint32_t count, seen, watermark;
    SimTime each, reconnect, start, done;
} Crossing;

static void came_past(MechWalk *walk, SimTime first, SimTime last,
                      uint32_t count)
{
    Crossing *bus = (Crossing *)((char *)walk - offsetof(Crossing, walk));
    SimTime passing = (last - first) / count;
    uint32_t rest = bus->count - bus->seen;
    SimTime by_first = first + passing + rest * bus->each;
    SimTime by_last = last + (rest - count + 1) * bus->each;

    if (bus->seen < bus->watermark && bus->watermark <= bus->seen + count) {
        bus->start = first + (bus->watermark - bus->seen) * passing +
                     bus->reconnect;
    }
    bus->seen += count;
    bus->done = MAX(bus->done, MAX(by_first, by_last));
}

static void keep_reading(Disk *disk, BufferSegment *segment, DiskSpan span,
                         const MechWalk *walk)
{
    CachedStream *stream = &disk->cached.stream;
    uint64_t limit = ahead_limit(disk, span, segment->start);

    ahead_start(disk, segment, walk->rest, limit);
    disk->cached.arm_free = ahead_least(disk, walk->rest, span, limit);
    if (plan_of(disk)->ahead == DISK_AHEAD_WHOLE_TRACK &&
        ata_look_ahead(disk->ata)) {
        DiskSpan track = ahead_track(disk, end_of(span) - 1);

        stream->segment = segment;
        stream->back = track.sector;
        stream->round = walk->now + disk->preset->turn_ns;
    }
}

/* The command is understood `after` it came, and the arm may go. */
static SimTime arm_sets_out(const Disk *disk, SimTime after)
{
    const Cached *cached = &disk->cached;

    return MAX(MAX(sim_now(disk->sim), cached->taken_up + after),
               cached->arm_free);
}

/* The arm goes for what is missing of a read; `have` are in `segment`. */
static void read_media(Disk *disk, DiskOp *op, BufferSegment *segment,
                       uint32_t have, bool join)
{
    const DiskBufferPlan *plan = plan_of(disk);
    Cached *cached = &disk->cached;
    SimTime start = arm_sets_out(disk, op->time.overhead_ns) +
                    ata_wake(disk->ata);
    MechRest from = { disk->arm, start, false };
    Crossing bus;               /* filled by hand: clearing it is dear */

    if (join) {
        from = cached->stream.rest;
    }
    bus.walk.arm = from.arm;
    bus.walk.now = from.now;
    bus.walk.going = from.going;
    bus.walk.left.sector = op->span.sector + have;
    bus.walk.left.count = op->span.count - have;
    bus.walk.write = bus.walk.once = false;
    bus.walk.stop = SIM_NEVER;
    bus.walk.passed = came_past;
    bus.count = op->span.count;
    bus.seen = have;
    bus.each = sector_ns(disk, op);
    bus.reconnect = plan->reconnect_ns;
    bus.start = have ? cached->taken_up + cost(disk, &plan->read_hit) : 0;
    bus.done = 0;
    bus.watermark = have ? 0 : MAX(1, (uint32_t)(op->span.count *
                                                 plan->read_watermark));
    disk_walk(disk, &bus.walk);
    disk->arm = bus.walk.arm;
    cached->arm_in_use = true;
    op->time.seek_ns = bus.walk.seek_ns;
    op->time.rotate_ns = bus.walk.rotate_ns;
    if (!segment) {
        segment = disk_buffer_take(&cached->buffer, op->span.sector, false);
    }
    disk_buffer_use(&cached->buffer, segment);
    disk_buffer_grow(&cached->buffer, segment, end_of(op->span));
    disk_buffer_read_out(&cached->buffer, segment, op->span);
    keep_reading(disk, segment, op->span, &bus.walk);
    ends_at(disk, op, MAX(bus.done, bus.start + op->span.count * bus.each) +
                      plan->read_end_ns);
}

static void ends_as_hit(Disk *disk, DiskOp *op)
{
    op->time.overhead_ns = cost(disk, &plan_of(disk)->read_hit);
    ends_at(disk, op, disk->cached.taken_up + op->time.overhead_ns +
                      op->span.count * sector_ns(disk, op) +
                      plan_of(disk)->read_end_ns);
}

static void read_hit(Disk *disk, DiskOp *op, BufferSegment *segment)
{
    const DiskBufferPlan *plan = plan_of(disk);
    Cached *cached = &disk->cached;
    CachedStream *stream = &cached->stream;
    uint64_t limit = ahead_limit(disk, op->span, segment->start);
    SimTime miss = cost(disk, &plan->read_miss);

    disk_buffer_use(&cached->buffer, segment);
    disk_buffer_read_out(&cached->buffer, segment, op->span);
    if (stream->segment == segment) {
        stream->limit = MAX(stream->limit, limit);
        stream->seen = 0;
    } else if (plan->ahead_on_hit && !segment->written &&
               !cached->held.leaving) {
        MechRest from = { .now = arm_sets_out(disk, miss) };

        ahead_stop(disk, from.now);
        from.arm = disk->arm;
        ahead_start(disk, segment, from, limit);
    }
    ends_as_hit(disk, op);
}

/* Whether the stream, as far as it has got, is what this read goes on. */
static bool joins(const Disk *disk, DiskSpan span)
{
    const CachedStream *stream = &disk->cached.stream;

    return stream->segment && span.sector >= stream->segment->start &&
           span.sector <= stream->next && end_of(span) > stream->next;
}

static void begin_read(Disk *disk, DiskOp *op)
{
    Cached *cached = &disk->cached;
    SimTime miss = cost(disk, &plan_of(disk)->read_miss);
    BufferSegment *segment;
    uint32_t have;
    bool join;

    ahead_catch_up(disk, cached->taken_up + miss);
    segment = disk_buffer_find(&cached->buffer, op->span, &have);
    if (have == op->span.count) {
        read_hit(disk, op, segment);
        return;
    }
    if (plan_of(disk)->reads_written &&
        held_covers(&cached->held, op->span)) {
        ends_as_hit(disk, op);
        return;
    }
    if (cached->held.leaving) {
        cached->need = NEED_ARM;
        return;
    }
    cached->in_run = false;
    op->time.overhead_ns = miss;
    join = joins(disk, op->span);
    if (join) {
        segment = cached->stream.segment;
        have = cached->stream.next - op->span.sector;
    } else {
        ahead_stop(disk, arm_sets_out(disk, miss));
        if (segment && segment->written) {
            segment = NULL;
            have = 0;
        }
    }
    read_media(disk, op, segment, have, join);
}

static bool goes_to_cache(const Disk *disk, const DiskOp *op)
{
    return ata_write_cache(disk->ata) &&
           !(op->flags & DISK_OP_FUA) &&
           held_could(&disk->cached.held, op->span);
}

static void note_written(Disk *disk, DiskSpan span)
{
    DiskBuffer *buffer = &disk->cached.buffer;

    disk_buffer_drop(buffer, span);
    ahead_check(disk);
    disk_buffer_grow(buffer, disk_buffer_take(buffer, span.sector, true),
                     end_of(span));
    if (disk->cached.stream.segment &&
        disk->cached.stream.segment->written) {
        disk->cached.stream.segment = NULL;
    }
}

/*
 * The arm sets out when the command is understood, or later: so late that
 * the sectors the drive wants before it writes are here when it arrives.
 */
static void write_media(Disk *disk, DiskOp *op)
{
    const DiskBufferPlan *plan = plan_of(disk);
    Cached *cached = &disk->cached;
    SimTime each = sector_ns(disk, op), seek;
    SimTime command = cost(disk, &plan->write_miss);
    SimTime data = cached->taken_up + (plan->write_data_ns
                                       ? plan->write_data_ns : command);
    SimTime filled = data + CLAMP(plan->write_fill, 1, op->span.count) * each;
    MechWalk walk = {
        .now = arm_sets_out(disk, command),
        .left = op->span, .write = true, .stop = SIM_NEVER,
    };

    ahead_stop(disk, walk.now);
    walk.now += ata_wake(disk->ata);
    walk.arm = disk->arm;
    seek = mech_reach(disk->preset, &walk.arm, op->span.sector, true);
    walk.now += MAX(plan->seek_delay_ns - seek, 0);
    walk.now = MAX(walk.now, filled - seek);
    op->time.overhead_ns = command;
    disk_walk(disk, &walk);
    disk->arm = walk.arm;
    cached->arm_in_use = true;
    op->time.seek_ns = walk.seek_ns;
    op->time.rotate_ns = walk.rotate_ns;
    note_written(disk, op->span);
    ends_at(disk, op, MAX(walk.now, data + op->span.count * each) +
                      plan->write_end_ns);
}

static void begin_write(Disk *disk, DiskOp *op)
{
    const DiskBufferPlan *plan = plan_of(disk);
    Cached *cached = &disk->cached;
    SimTime now = sim_now(disk->sim);

    if (!goes_to_cache(disk, op)) {
        if (held_find(&cached->held, op->span) >= 0) {
            cached->need = NEED_EMPTY;
        } else if (cached->held.leaving) {
            cached->need = NEED_ARM;
        } else {
            write_media(disk, op);
        }
        return;
    }
    if (!held_room(&cached->held, op->span)) {
        cached->need = NEED_ROOM;
        return;
    }
    op->time.overhead_ns = MAX(cost(disk, &plan->write_hit),
                               now - cached->taken_up);
    ahead_catch_up(disk, now);
    note_written(disk, op->span);
    ends_at(disk, op, cached->taken_up + op->time.overhead_ns +
                      op->span.count * sector_ns(disk, op) +
                      plan->write_end_ns);
}

/* A flush, and whatever else must not overtake what is held. */
static void begin_other(Disk *disk, DiskOp *op)
{
    bool empties = op->verb == DISK_FLUSH ||
                   (op->verb == DISK_ATA && ata_empties_cache(op->ata));

    if (empties && disk->cached.held.count) {
        disk->cached.need = NEED_EMPTY;
        return;
    }
    op->time.overhead_ns = disk_answer_ns(disk, op);
    ends_at(disk, op, MAX(sim_now(disk->sim), disk->cached.taken_up) +
                      op->time.overhead_ns);
}

bool cached_needs_seek(Disk *disk, const DiskOp *op)
{
    uint32_t have;

    if (op->verb == DISK_WRITE) {
        return !goes_to_cache(disk, op) ||
               !held_room(&disk->cached.held, op->span);
    }
    disk_buffer_find(&disk->cached.buffer, op->span, &have);
    return have < op->span.count && !joins(disk, op->span) &&
           !(plan_of(disk)->reads_written &&
             held_covers(&disk->cached.held, op->span));
}

void cached_begin(Disk *disk, DiskOp *op)
{
    bool on = disk_moves_sectors(op) && disk_span_is_on(disk, op->span);

    if (on && op->verb == DISK_READ) {
        begin_read(disk, op);
    } else if (on) {
        begin_write(disk, op);
    } else {
        begin_other(disk, op);
    }
    if (on && disk->cached.need == NEED_NOTHING) {
        disk->cached.last_was_write = op->verb == DISK_WRITE;
    }
    cached_idle(disk);
}

void cached_take_up(Disk *disk, DiskOp *op)
{
    disk->cached.taken_up = sim_now(disk->sim);
    cached_begin(disk, op);
}

void cached_let_go(Disk *disk, bool early)
{
    if (early) {
        disk->cached.arm_free = 0;
    }
    disk->cached.arm_in_use = false;
    disk->cached.need = NEED_NOTHING;
    disk->cached.idle_since = sim_now(disk->sim);
}
