/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Destage: which op or held write is next, how held writes reach the medium,
 * and what reads and writes do to data in a drive with a buffer.
 */
#include <stddef.h>

#include "disk-model/drive/disk-private.h"
#include "disk-model/drive/queue.h"

#define CHOICES_MAX 256

static const DiskBufferPlan *plan_of(const Disk *disk)
{
    return &disk->preset->buffer;
}

static uint64_t end_of(DiskSpan span)
{
    return span.sector + span.count;
}

/* --- which one ---------------------------------------------------------- */

/* What it would take to get there, the command understood after `lead`: time
 * for the nearest, cylinders for the nearest cylinder. */
static SimTime reach(const Disk *disk, DiskOrder order, DiskSpan span,
                     bool write, SimTime lead)
{
    MechWalk walk = {
        .arm = disk->arm, .now = sim_now(disk->sim) + lead, .stop = SIM_NEVER,
        .left = { span.sector, 1 }, .write = write,
    };

    if (order == DISK_ORDER_CYLINDER) {
        SimTime to = disk_geometry_place(&disk->preset->geometry,
                                         span.sector).cylinder;

        return ABS(to - (SimTime)disk->arm.cylinder);
    }
    if (order != DISK_ORDER_NEAREST) {
        return 0;
    }
    mech_walk(disk->preset, &walk);
    return walk.seek_ns + walk.rotate_ns;
}

/* The first sector of the cylinder the arm is on, or 0. */
static uint64_t arm_sector(const Disk *disk)
{
    const DiskGeometry *geometry = &disk->preset->geometry;

    for (unsigned i = 0; i < geometry->zones; i++) {
        const DiskZone *zone = &geometry->zone[i];

        if (disk->arm.cylinder <= zone->last_cylinder) {
            uint64_t in = MAX(disk->arm.cylinder, zone->first_cylinder) -
                          zone->first_cylinder;

            return zone->first_lba + in * geometry->heads *
                                     zone->sectors_per_track;
        }
    }
    return 0;
}

static SimTime lead_of(const Disk *disk, const DiskOp *op)
{
    const DiskCost *cost = op->verb == DISK_WRITE
        ? &plan_of(disk)->write_miss : &plan_of(disk)->read_miss;

    return cost->after_ns[disk->cached.last_was_write];
}

static bool op_overlaps_older(const DiskOp *op, GList *oldest)
{
    for (GList *l = oldest; l && l->data != op; l = l->next) {
        const DiskOp *older = l->data;

        if (older->span.sector < end_of(op->span) &&
            op->span.sector < end_of(older->span)) {
            return true;
        }
    }
    return false;
}

DiskOp *cached_choose(Disk *disk)
{
    const DiskBufferPlan *plan = plan_of(disk);
    QueueItem item[CHOICES_MAX];
    DiskOp *choice[CHOICES_MAX];
    unsigned count = 0, looked = 0;
    GList *head = disk->queue.head;

    if (!head || plan->order == DISK_ORDER_FIFO) {
        return head ? head->data : NULL;
    }
    ahead_catch_up(disk, sim_now(disk->sim));
    for (GList *l = head; l && looked < plan->depth; l = l->next, looked++) {
        DiskOp *op = l->data;

        if (!disk_moves_sectors(op) || !disk_span_is_on(disk, op->span)) {
            break;
        }
        if (op_overlaps_older(op, head)) {
            continue;
        }
        if (!cached_needs_seek(disk, op)) {
            return op;
        }
        choice[count] = op;
        item[count++] = (QueueItem) { op->span.sector,
            reach(disk, plan->order, op->span, op->verb == DISK_WRITE,
                  lead_of(disk, op)) };
    }
    return count ? choice[disk_queue_pick(plan->order, item, count,
                                          arm_sector(disk))] : head->data;
}

/* --- held writes leave -------------------------------------------------- */

static unsigned choose_leaver(const Disk *disk)
{
    const HeldList *held = &disk->cached.held;
    DiskOrder order = cached_is_mixed(&disk->cached, plan_of(disk))
        ? plan_of(disk)->destage_mixed : plan_of(disk)->destage;
    QueueItem item[CHOICES_MAX];
    unsigned index[CHOICES_MAX], count = 0;

    if (order == DISK_ORDER_FIFO) {
        return 0;
    }
    for (unsigned i = 0; i < held->count; i++) {
        if (!held_waits(held, i)) {
            index[count] = i;
            item[count++] = (QueueItem) { held->write[i]->span.sector,
                reach(disk, order, held->write[i]->span, true, 0) };
        }
    }
    return index[disk_queue_pick(order, item, count, arm_sector(disk))];
}

/* A full cache, with the write that is just coming, need not wait. */
static bool is_full(const Disk *disk)
{
    const DiskBufferPlan *plan = plan_of(disk);
    const HeldList *held = &disk->cached.held;
    unsigned most = cached_is_mixed(&disk->cached, plan) ? plan->mixed_depth
                                                         : plan->write_depth;

    return held->count + disk->busy >= most ||
           2 * held->sectors >= held->sectors_most;
}

/* A command that may need the arm waits behind the one in front. */
static bool read_waits(const Disk *disk)
{
    unsigned seen = 1;

    for (GList *l = disk->queue.head; l && seen <= plan_of(disk)->depth;
         l = l->next, seen++) {
        if (seen > 1 && ((DiskOp *)l->data)->verb == DISK_READ) {
            return true;
        }
    }
    return false;
}

/* When held writes may begin to leave: never before the arm may, and not
 * while a command comes or may come, unless one waits for room. */
static SimTime may_leave(const Disk *disk)
{
    const Cached *cached = &disk->cached;
    SimTime idle = plan_of(disk)->destage_idle_ns;

    if (cached->need != NEED_NOTHING) {
        return cached->arm_free;
    }
    if (read_waits(disk)) {
        return SIM_NEVER;
    }
    if (!idle || cached->in_run || is_full(disk)) {
        return cached->arm_free;
    }
    return disk->busy ? SIM_NEVER
                      : MAX(cached->arm_free, cached->idle_since + idle);
}

void cached_idle(Disk *disk)
{
    Cached *cached = &disk->cached;
    SimTime now = sim_now(disk->sim), when;
    MechWalk walk = { .now = now, .write = true, .stop = SIM_NEVER };

    if (cached->leaving || cached->arm_in_use || !cached->held.count) {
        return;
    }
    when = may_leave(disk);
    if (when > now) {
        sim_at(disk->sim, &cached->left, when);
        return;
    }
    ahead_stop(disk, now);
    cached->in_run = cached->need != NEED_ROOM || cached->in_run;
    cached->leaver = choose_leaver(disk);
    cached->leaving = true;
    cached->held.write[cached->leaver]->leaving = true;
    walk.arm = disk->arm;
    walk.left = cached->held.write[cached->leaver]->span;
    walk.now += ata_wake(disk->ata);
    mech_walk(disk->preset, &walk);
    disk->arm = walk.arm;
    sim_at(disk->sim, &cached->left, walk.now);
}

static int write_held(Disk *disk, unsigned index)
{
    HeldWrite *write = disk->cached.held.write[index];
    int failed = disk->media->ops->write(disk->media, write->span.sector,
                                         write->span.count, write->data);

    held_remove(&disk->cached.held, index);
    return failed;
}

static void forget_leaver(Disk *disk)
{
    sim_cancel(disk->sim, &disk->cached.left);
    disk->cached.leaving = false;
}

/* The op in front may have been waiting for just this. */
static bool retry_front(Disk *disk)
{
    if (!disk->busy || disk->cached.need == NEED_NOTHING) {
        return false;
    }
    disk->cached.need = NEED_NOTHING;
    cached_begin(disk, disk->queue.head->data);
    return true;
}

static void has_left(SimEvent *ev)
{
    Disk *disk = (Disk *)((char *)ev - offsetof(Disk, cached.left));
    Cached *cached = &disk->cached;

    if (!cached->leaving) {
        cached_idle(disk);      /* now they may begin to leave */
        return;
    }
    forget_leaver(disk);
    cached->made_way = true;
    if (write_held(disk, cached->leaver)) {
        cached->failed = true;
    }
    if (!retry_front(disk)) {
        cached_idle(disk);
    }
}

int cached_empty(Disk *disk)
{
    int failed = 0;

    forget_leaver(disk);
    while (disk->cached.held.count) {
        int this = write_held(disk, 0);

        failed = failed ? failed : this;
    }
    retry_front(disk);
    return failed;
}

/* With the oldest first, up to the last that overlaps. */
int cached_empty_span(Disk *disk, DiskSpan span)
{
    return held_find(&disk->cached.held, span) < 0 ? 0 : cached_empty(disk);
}

/* --- data --------------------------------------------------------------- */

int cached_read(Disk *disk, DiskOp *op)
{
    int failed = disk->media->ops->read(disk->media, op->span.sector,
                                        op->span.count, op->buf);

    if (!failed) {
        held_overlay(&disk->cached.held, op->span, op->buf);
    }
    return failed;
}

int cached_write(Disk *disk, DiskOp *op)
{
    int failed;

    /* Only an op that ends in its own time may stay in the buffer. */
    if (disk->busy && disk->queue.head == &op->link &&
        !disk->cached.arm_in_use && disk->cached.need == NEED_NOTHING &&
        !sim_pending(&disk->end) && held_room(&disk->cached.held, op->span)) {
        held_add(&disk->cached.held, op->span, op->buf);
        return 0;
    }
    failed = cached_empty_span(disk, op->span);
    return failed ? failed
                  : disk->media->ops->write(disk->media, op->span.sector,
                                            op->span.count, op->buf);
}

uint64_t disk_power_cut(Disk *disk)
{
    uint64_t lost = 0;

    if (disk->preset->buffer.there) {
        lost = disk->cached.held.sectors;
        forget_leaver(disk);
        while (disk->cached.held.count) {
            held_remove(&disk->cached.held, 0);
        }
        disk_buffer_forget(&disk->cached.buffer);
        disk->cached.stream.segment = NULL;
        retry_front(disk);
    }
    return lost;
}

void cached_init(Disk *disk)
{
    const DiskBufferPlan *plan = plan_of(disk);
    uint64_t segments = plan->write_segment ? 1 : plan->segments;

    disk_buffer_init(&disk->cached.buffer, plan);
    held_init(&disk->cached.held, plan->write_depth,
              segments * plan->segment_sectors);
    disk->cached.left.fire = has_left;
    disk->cached.writes_in_a_row = plan->write_depth;
}

void cached_clear(Disk *disk)
{
    cached_empty(disk);
    held_clear(&disk->cached.held);
    disk_buffer_clear(&disk->cached.buffer);
}
