/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Destage: which op or held write is next, how held writes reach the medium,
 * and what reads and writes do to data in a drive with a buffer.
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

/* --- which one ---------------------------------------------------------- */

/* The first sector of the cylinder the arm is on, or before it. */
static uint64_t arm_sector(const Disk *disk)
{
    const DiskGeometry *geometry = &disk->preset->geometry;
    unsigned low = 0, high = geometry->zones - 1;
    const DiskZone *zone;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (disk->arm.cylinder <= geometry->zone[middle].last_cylinder) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    zone = &geometry->zone[low];
    return zone->first_lba +
           (uint64_t)(MAX(disk->arm.cylinder, zone->first_cylinder) -
                      zone->first_cylinder) *
           geometry->heads * zone->sectors_per_track;
}

/* A choice to be made. */
typedef struct Contest {
    DiskOrder order;
    uint64_t from;              /* C-LOOK: where the arm is */
    bool any;
    uint64_t least;             /* so far */
} Contest;

static Contest contest(const Disk *disk, DiskOrder order)
{
    return (Contest) {
        .order = order,
        .from = order == DISK_ORDER_CLOOK ? arm_sector(disk) : 0,
    };
}

static uint64_t time_to(const Disk *disk, DiskSpan span, bool write,
                        SimTime lead)
{
    MechWalk walk = {
        .arm = disk->arm, .now = sim_now(disk->sim) + lead, .stop = SIM_NEVER,
        .left = { span.sector, 1 }, .write = write,
    };

    mech_walk(disk->preset, &walk);
    return walk.seek_ns + walk.rotate_ns;
}

/* How far off it is; a command is understood after `lead`. */
static inline uint64_t far(const Disk *disk, const Contest *contest,
                           DiskSpan span, uint32_t cylinder, bool write,
                           SimTime lead)
{
    switch (contest->order) {
    case DISK_ORDER_CLOOK:      /* below the arm it wraps round: furthest */
        return span.sector - contest->from;
    case DISK_ORDER_CYLINDER:
        return ABS((int64_t)cylinder - (int64_t)disk->arm.cylinder);
    case DISK_ORDER_NEAREST:
        return time_to(disk, span, write, lead);
    case DISK_ORDER_FIFO:
        break;
    }
    return 0;
}

/* Of equals the first, which is the oldest. */
static bool wins(Contest *contest, uint64_t far)
{
    bool better = !contest->any || far < contest->least;

    if (better) {
        contest->any = true;
        contest->least = far;
    }
    return better;
}

static uint32_t cylinder_of(const Disk *disk, DiskSpan span, DiskOrder order)
{
    return order != DISK_ORDER_CYLINDER ? 0
        : disk_geometry_place(&disk->preset->geometry, span.sector).cylinder;
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
    GList *head = disk->queue.head;
    DiskOp *next = head ? head->data : NULL;
    unsigned looked = 0;
    Contest race;

    if (!next || !next->link.next || plan->order == DISK_ORDER_FIFO) {
        return next;
    }
    race = contest(disk, plan->order);
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
        if (wins(&race, far(disk, &race, op->span,
                            cylinder_of(disk, op->span, plan->order),
                            op->verb == DISK_WRITE, lead_of(disk, op)))) {
            next = op;
        }
    }
    return next;
}

/* --- held writes leave -------------------------------------------------- */

/* Whether it goes on where the arm has just stopped writing. */
static bool goes_on(const Disk *disk, const HeldWrite *write)
{
    return write->span.sector == disk->cached.left_end &&
           disk->cached.left_at == sim_now(disk->sim);
}

/* With `order` known to the compiler the loop is a few instructions long. */
static inline unsigned choose_by(const Disk *disk, DiskOrder order)
{
    const HeldList *held = &disk->cached.held;
    bool just_stopped = disk->cached.left_at == sim_now(disk->sim);
    Contest race = contest(disk, order);
    unsigned next = 0;

    for (unsigned i = 0; i < held->count; i++) {
        const HeldWrite *write = &held->write[i];

        if (write->younger && held_waits(held, i)) {
            continue;
        }
        if (just_stopped && goes_on(disk, write)) {
            return i;
        }
        if (wins(&race, far(disk, &race, write->span, write->cylinder, true,
                            0))) {
            next = i;
        }
    }
    return next;
}

static unsigned choose_leaver(const Disk *disk)
{
    DiskOrder order = plan_of(disk)->destage;

    switch (order) {
    case DISK_ORDER_CLOOK:
        return choose_by(disk, DISK_ORDER_CLOOK);
    case DISK_ORDER_CYLINDER:
        return choose_by(disk, DISK_ORDER_CYLINDER);
    default:
        return choose_by(disk, order);
    }
}

/* A full cache, with the write that is just coming, need not wait. */
static bool is_full(const Disk *disk)
{
    const HeldList *held = &disk->cached.held;

    return held->count + disk->busy >= plan_of(disk)->write_depth ||
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

/* The arm sets out with one, as far as the track goes. */
static void set_out(Disk *disk)
{
    HeldList *held = &disk->cached.held;
    unsigned leaver = choose_leaver(disk);
    const HeldWrite *write = &held->write[leaver];
    MechWalk walk = {
        .arm = disk->arm, .now = sim_now(disk->sim), .left = write->span,
        .going = goes_on(disk, write), .write = true, .once = true,
        .stop = SIM_NEVER,
    };

    walk.now += ata_wake(disk->ata);
    disk_walk(disk, &walk);
    disk->arm = walk.arm;
    held->leaver = leaver;
    held->leaving = write->span.count - walk.left.count;
    disk->cached.left_at = walk.now;
    disk->cached.left_end = walk.rest.going ? walk.left.sector : UINT64_MAX;
    sim_at(disk->sim, &disk->cached.left, walk.now);
}

void cached_idle(Disk *disk)
{
    Cached *cached = &disk->cached;
    SimTime now = sim_now(disk->sim), when;

    if (cached->held.leaving || cached->arm_in_use || !cached->held.count) {
        return;
    }
    when = may_leave(disk);
    if (when > now) {
        sim_at(disk->sim, &cached->left, when);
        return;
    }
    ahead_stop(disk, now);
    cached->in_run = cached->need != NEED_ROOM || cached->in_run;
    set_out(disk);
}

static void note_cylinder(const Disk *disk, HeldWrite *write)
{
    if (plan_of(disk)->destage == DISK_ORDER_CYLINDER) {
        write->cylinder = cylinder_of(disk, write->span, DISK_ORDER_CYLINDER);
    }
}

/* So many sectors of its front are written. */
static int write_held(Disk *disk, unsigned index, uint32_t count)
{
    HeldList *held = &disk->cached.held;
    HeldWrite *write = &held->write[index];
    bool all = count == write->span.count;
    int failed = 0;

    while (count && !failed) {
        uint32_t run = count;
        const void *data = held_front(held, index, &run);

        failed = data ? disk_media_write(
            disk, (DiskSpan) { write->span.sector, run }, data) : 0;
        count -= run;
        held_drop(held, index, run);
    }
    if (count) {
        held_drop(held, index, count);
    }
    if (!all) {
        note_cylinder(disk, write);
    }
    return failed;
}

static void forget_leaver(Disk *disk)
{
    sim_cancel(disk->sim, &disk->cached.left);
    disk->cached.held.leaving = 0;
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
    uint32_t piece = cached->held.leaving;

    if (!piece) {
        cached_idle(disk);      /* now they may begin to leave */
        return;
    }
    forget_leaver(disk);
    if (write_held(disk, cached->held.leaver, piece)) {
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
        int this = write_held(disk, 0,
                              disk->cached.held.write[0].span.count);

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
        !sim_pending(&disk->end)) {
        note_cylinder(disk, held_add(&disk->cached.held, op->span, op->buf));
        return 0;
    }
    failed = cached_empty_span(disk, op->span);
    return failed ? failed : disk_media_write(disk, op->span, op->buf);
}

/* The head is over what is on its way. */
static void cut_leaver(Disk *disk)
{
    HeldList *held = &disk->cached.held;
    DiskSpan span = { held->write[held->leaver].span.sector, held->leaving };
    bool under;
    uint32_t passed = power_passed(disk, span, disk->cached.left_at, &under);
    const void *next;
    uint32_t one = 1;

    forget_leaver(disk);
    if (passed) {
        write_held(disk, held->leaver, passed);
    }
    if (under) {
        next = held_front(held, held->leaver, &one);
        power_half_write(disk, (DiskSpan) { span.sector + passed, 1 }, next,
                         0, true);
    }
}

uint64_t cached_power_cut(Disk *disk)
{
    HeldList *held = &disk->cached.held;
    uint64_t lost;

    if (held->leaving) {
        cut_leaver(disk);
    }
    forget_leaver(disk);
    lost = held->sectors;
    while (held->count) {
        if (disk->lost) {
            disk->lost(disk->lost_opaque, held->write[0].span);
        }
        held_drop(held, 0, held->write[0].span.count);
    }
    disk_buffer_forget(&disk->cached.buffer);
    disk->cached.stream.segment = NULL;
    retry_front(disk);
    return lost;
}

void cached_init(Disk *disk)
{
    const DiskBufferPlan *plan = plan_of(disk);
    uint64_t segments = plan->write_segment ? 1 : plan->segments;

    disk_buffer_init(&disk->cached.buffer, plan);
    held_init(&disk->cached.held, plan->write_depth,
              segments * plan->segment_sectors, !disk->media->ops->forgets);
    disk->cached.left.fire = has_left;
}

void cached_clear(Disk *disk)
{
    cached_empty(disk);
    held_clear(&disk->cached.held);
    disk_buffer_clear(&disk->cached.buffer);
}
