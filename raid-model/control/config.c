/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Config - the blocks of a running card.
 *
 * One CtlBlock a port walks its copies from drive op to drive op; a unit's
 * round is over when all of its members' are.
 *
 *   IDLE --> COPY 0 --> COPY 1 --> IDLE          a unit's round, a spare
 *   IDLE --> MARK --> MARKED --> WIPE 1 --> WIPE 0 --> IDLE         forget
 *                       \__ until nobody of the unit is in MARK
 */
#include <stddef.h>
#include <string.h>

#include "raid-model/control/controller-private.h"

/* --- what is written ----------------------------------------------------- */

static void new_id(RaidController *ctl, Dcb *dcb)
{
    for (unsigned i = 0; i < DCB_ID_BYTES; i++) {
        dcb->id[i] = (uint8_t)sim_random(ctl->sim, 256);
    }
}

static void take_serial(char *to, const Disk *disk)
{
    g_strlcpy(to, disk_serial(disk), DCB_SERIAL_MAX + 1);
    for (; *to; to++) {
        *to = g_ascii_isprint(*to) ? *to : '?';
    }
}

static Disk *member_disk(const CtlUnit *own, unsigned member)
{
    return raid_unit_member_present(own->unit, member)
        ? disk_port_disk(raid_unit_port(own->unit, member)) : NULL;
}

static bool is_operable(const CtlUnit *own)
{
    return raid_unit_state(own->unit) != RAID_UNIT_INOPERABLE;
}

/*
 * A unit that can go on does without whoever is not there.  One that cannot
 * gives up only those it has gone on without before.
 */
static void take_members(CtlUnit *own)
{
    Dcb *dcb = &own->dcb;

    for (unsigned m = 0; m < dcb->members; m++) {
        Disk *disk = member_disk(own, m);
        DcbMember *at = &dcb->at[m];

        at->since = MAX(at->since, 1);
        if (!disk) {
            at->state = is_operable(own) || own->record.lost >> m & 1
                ? DCB_MISSING : at->state;
            continue;
        }
        if (at->state == DCB_MISSING) {
            at->since = dcb->sequence;
        }
        at->state = raid_unit_member_stale(own->unit, m) ? DCB_REBUILDING
                                                         : DCB_PRESENT;
        take_serial(at->serial, disk);
    }
}

static void take_task(CtlUnit *own)
{
    static const DcbTask task[] = {
        [RAID_TASK_REBUILD] = DCB_TASK_REBUILD,
        [RAID_TASK_VERIFY] = DCB_TASK_VERIFY,
        [RAID_TASK_INIT] = DCB_TASK_INIT,
    };
    const RaidTaskState *now = raid_unit_task(own->unit);
    Dcb *dcb = &own->dcb;

    dcb->task = task[now->kind];
    dcb->task_member = now->kind == RAID_TASK_REBUILD ? now->member : 0;
    dcb->task_row = now->kind ? own->checkpoint : 0;
    dcb->flags &= ~DCB_PAUSED;
    dcb->flags |= now->kind && now->paused ? DCB_PAUSED : 0;
}

/* The unit as it is now, one sequence on. */
static void compose(RaidController *ctl, CtlUnit *own)
{
    Dcb *dcb = &own->dcb;

    dcb->sequence++;
    take_members(own);
    take_task(own);
    dcb->flags &= ~DCB_CACHE;
    dcb->flags |= raid_controller_write_cache(ctl, own->number) ? DCB_CACHE
                                                                : 0;
    dcb->rebuild_rate = ctl->rebuild_rate;
    dcb->verify_rate = ctl->verify_rate;
}

static void block_of(const CtlUnit *own, unsigned member, uint8_t *bytes)
{
    Dcb dcb = own->dcb;

    dcb.member = member;
    dcb.drive_sectors = disk_sectors(member_disk(own, member));
    dcb_write(&dcb, bytes);
}

/* --- one block ----------------------------------------------------------- */

static void block_over(RaidController *ctl, CtlBlock *block);
static void send_copy(RaidController *ctl, CtlBlock *block);

static CtlBlock *port_block(RaidController *ctl, unsigned port)
{
    CtlBlock *block = &ctl->block[port];

    block->op.opaque = ctl;
    return block;
}

static DiskPort *block_port(RaidController *ctl, const CtlBlock *block)
{
    return ctl->port[block - ctl->block];
}

static bool same_unit(const CtlBlock *a, const CtlBlock *b)
{
    return !memcmp(a->dcb.id, b->dcb.id, DCB_ID_BYTES);
}

/* When the last of a unit is marked, all of them are wiped. */
static void wipe_the_marked(RaidController *ctl, const CtlBlock *like)
{
    for (unsigned port = 0; port < RAID_PORTS_MAX; port++) {
        if (ctl->block[port].step == CTL_BLOCK_MARK &&
            same_unit(&ctl->block[port], like)) {
            return;
        }
    }
    for (unsigned port = 0; port < RAID_PORTS_MAX; port++) {
        CtlBlock *block = port_block(ctl, port);

        if (block->step == CTL_BLOCK_MARKED && same_unit(block, like)) {
            block->step = CTL_BLOCK_WIPE;
            block->copy = 1;
            memset(block->bytes, 0, DCB_BYTES);
            send_copy(ctl, block);
        }
    }
}

static void block_done(DiskOp *op)
{
    CtlBlock *block = (CtlBlock *)((char *)op - offsetof(CtlBlock, op));
    RaidController *ctl = op->opaque;
    bool gone = op->status == DISK_GONE || op->status == DISK_FAILED;

    if (config_block_again(ctl, block)) {
        return;
    }
    if (ctl->closing) {
        block->step = CTL_BLOCK_IDLE;
    } else if (block->step == CTL_BLOCK_MARK) {
        block->step = CTL_BLOCK_MARKED;
        wipe_the_marked(ctl, block);
    } else if (!gone && block->step == CTL_BLOCK_COPY && block->copy == 0) {
        block->copy = 1;
        send_copy(ctl, block);
    } else if (!gone && block->step == CTL_BLOCK_WIPE && block->copy == 1) {
        block->copy = 0;
        send_copy(ctl, block);
    } else {
        block_over(ctl, block);
    }
}

/* Of one that goes, the last sector is enough: it is what makes a block. */
static void send_copy(RaidController *ctl, CtlBlock *block)
{
    Disk *disk = disk_port_disk(block_port(ctl, block));
    uint64_t at = disk ? dcb_sector(block->copy, disk_sectors(disk)) : 0;

    block->op.verb = DISK_WRITE;
    block->op.span = block->step == CTL_BLOCK_WIPE
        ? (DiskSpan) { at + DCB_SECTORS - 1, 1 }
        : (DiskSpan) { at, DCB_SECTORS };
    block->op.buf = block->bytes;
    block->op.flags = DISK_OP_FUA;
    block->op.done = block_done;
    block->op.late = config_block_late;
    disk_port_submit(block_port(ctl, block), &block->op);
}

/* --- a unit's round ------------------------------------------------------ */

static bool has_anybody(const CtlUnit *own)
{
    for (unsigned m = 0; m < own->dcb.members; m++) {
        if (member_disk(own, m)) {
            return true;
        }
    }
    return false;
}

static bool takes_part(const CtlUnit *own)
{
    return own->unit && own->record.kept &&
           (is_operable(own) || (own->record.must && has_anybody(own)));
}

static bool members_are_idle(const RaidController *ctl, const CtlUnit *own)
{
    for (unsigned m = 0; m < own->dcb.members; m++) {
        if (member_disk(own, m) &&
            ctl->block[own->port[m]].step != CTL_BLOCK_IDLE) {
            return false;
        }
    }
    return true;
}

static void record(RaidController *ctl, CtlUnit *own)
{
    own->record.again = !members_are_idle(ctl, own);
    if (own->record.again) {
        return;
    }
    compose(ctl, own);
    for (unsigned m = 0; m < own->dcb.members; m++) {
        CtlBlock *block;

        if (!member_disk(own, m)) {
            continue;
        }
        block = port_block(ctl, own->port[m]);
        block->step = CTL_BLOCK_COPY;
        block->copy = 0;
        block->unit = own->number;
        block->member = m;
        block_of(own, m, block->bytes);
        own->record.out++;
        send_copy(ctl, block);
    }
}

static void let_writes_go(RaidController *ctl, CtlUnit *own)
{
    unsigned waiting = g_queue_get_length(&own->record.waiting);

    own->record.shut = false;
    while (waiting-- && own->record.waiting.head) {
        UnitOp *op = g_queue_pop_head_link(&own->record.waiting)->data;

        raid_controller_submit(ctl, own->number, op);
    }
}

/* All that had to be recorded is, or never can be. */
static void recorded(RaidController *ctl, CtlUnit *own)
{
    own->record.must = own->record.again = false;
    raid_unit_hold(own->unit, false);
    if (own->dcb.flags & DCB_UNCLEAN || !is_operable(own)) {
        let_writes_go(ctl, own);
    }
    leave_check(ctl);
}

static void round_over(RaidController *ctl, CtlUnit *own)
{
    if (!takes_part(own)) {
        recorded(ctl, own);
    } else if (own->dcb.flags & DCB_FORMING) {
        own->dcb.flags &= ~DCB_FORMING;
        record(ctl, own);
    } else if (own->record.again) {
        record(ctl, own);
    } else {
        recorded(ctl, own);
    }
}

static void begin_forget(RaidController *ctl, CtlBlock *block);

/* A port is free for whoever waited for it. */
static void try_again(RaidController *ctl)
{
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        CtlUnit *own = &ctl->unit[i];

        if (takes_part(own) && own->record.again && !own->record.out) {
            record(ctl, own);
        }
    }
}

static void block_over(RaidController *ctl, CtlBlock *block)
{
    CtlUnit *own = block->unit == RAID_NO_UNIT ? NULL
                                               : &ctl->unit[block->unit];

    block->step = CTL_BLOCK_IDLE;
    block->unit = RAID_NO_UNIT;
    if (own && (block->op.status == DISK_GONE ||
                block->op.status == DISK_FAILED)) {
        raid_unit_lose_member(own->unit, block->member);
    }
    if (own && --own->record.out == 0) {
        round_over(ctl, own);
    }
    if (block->forget && block->step == CTL_BLOCK_IDLE) {
        begin_forget(ctl, block);
    }
    try_again(ctl);
}

void raid_config_changed(RaidController *ctl, unsigned unit)
{
    CtlUnit *own = &ctl->unit[unit];

    g_assert(unit < RAID_UNITS_MAX);
    if (!ctl->powered || ctl->closing) {
        return;
    }
    if (own->record.out) {
        own->record.again = true;
    } else if (takes_part(own)) {
        record(ctl, own);
    } else if (own->unit) {
        round_over(ctl, own);
    }
}

bool config_is_forgotten(const RaidController *ctl, unsigned port)
{
    return ctl->block[port].forget || ctl->block[port].step >= CTL_BLOCK_MARK;
}

bool config_is_recorded(const CtlUnit *own)
{
    return !own->record.out && !own->record.again;
}

/* --- what units go through ----------------------------------------------- */

static bool can_keep(const RaidController *ctl, const CtlUnit *own)
{
    for (unsigned m = 0; m < own->dcb.members; m++) {
        if (member_disk(own, m) && !config_keeps(ctl, own->port[m])) {
            return false;
        }
    }
    return own->dcb.level->reserves && !ctl->blockless;
}

static void first_dcb(RaidController *ctl, CtlUnit *own)
{
    const RaidShape *shape = raid_unit_shape(own->unit);

    own->dcb = (Dcb) {
        .level = shape->level, .members = shape->members,
        .stripe_sectors = shape->stripe_sectors,
        .member_sectors = shape->member_sectors,
    };
    own->record.kept = can_keep(ctl, own);
    if (own->record.kept) {
        new_id(ctl, &own->dcb);
    }
}

void config_formed(RaidController *ctl, CtlUnit *own, const Dcb *from)
{
    own->record = (CtlRecord) { 0 };
    if (from) {
        own->dcb = *from;
        own->record.kept = true;
    } else {
        first_dcb(ctl, own);
    }
    own->record.shut = own->record.kept && ctl_is_redundant(own);
    own->attend = own->record.shut;
    if (!from && own->record.kept && ctl->powered) {
        own->dcb.flags |= DCB_FORMING;
        raid_config_changed(ctl, own->number);
    }
}

void config_write_now(RaidController *ctl, CtlUnit *own)
{
    uint8_t bytes[DCB_BYTES];

    compose(ctl, own);
    for (unsigned m = 0; m < own->dcb.members; m++) {
        Disk *disk = member_disk(own, m);

        for (unsigned copy = 0; disk && copy < DCB_COPIES; copy++) {
            block_of(own, m, bytes);
            disk_poke(disk, (DiskSpan) { dcb_sector(copy, disk_sectors(disk)),
                                         DCB_SECTORS }, bytes);
        }
    }
}

bool config_takes(RaidController *ctl, CtlUnit *own, UnitOp *op)
{
    own->leaving = false;
    own->attend = own->record.shut;
    if (!own->record.shut) {
        return false;
    }
    op->link = (GList) { .data = op };
    g_queue_push_tail_link(&own->record.waiting, &op->link);
    if (!(own->dcb.flags & DCB_UNCLEAN) || config_is_recorded(own)) {
        own->dcb.flags |= DCB_UNCLEAN;
        raid_config_changed(ctl, own->number);
    }
    return true;
}

void config_pulled(RaidController *ctl, unsigned port)
{
    CtlBlock *block = &ctl->block[port];

    block->forget = false;
    if (block->step == CTL_BLOCK_MARKED) {
        block->step = CTL_BLOCK_IDLE;
    }
}

void config_member_lost(RaidController *ctl, CtlUnit *own, unsigned member)
{
    if (own->record.kept && is_operable(own) && ctl->powered &&
        !ctl->closing) {
        own->record.lost |= 1u << member;
        own->record.must = own->record.shut = own->attend = true;
        raid_unit_hold(own->unit, true);
    }
    raid_config_changed(ctl, own->number);
}

void config_reset_begin(CtlUnit *own)
{
    GQueue *waiting = &own->record.waiting;

    while (waiting->head) {
        UnitOp *op = g_queue_pop_head_link(waiting)->data;

        op->status = UNIT_ABORTED;
        op->done(op);
    }
}

/* One that is at its drive, or NULL. */
static CtlBlock *under_way(RaidController *ctl)
{
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        CtlBlock *block = &ctl->block[port];

        if (block->step != CTL_BLOCK_IDLE && block->step != CTL_BLOCK_MARKED) {
            return block;
        }
    }
    return NULL;
}

void config_reset_end(RaidController *ctl)
{
    CtlBlock *block;

    while ((block = under_way(ctl))) {
        disk_port_finish_now(&block->op);
    }
}

void config_stop(RaidController *ctl)
{
    CtlBlock *block;

    ctl->closing = true;
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        g_assert(!ctl->unit[i].record.waiting.head);
    }
    while ((block = under_way(ctl))) {
        disk_port_cancel(&block->op, DISK_ABORTED);
    }
}

/* --- drives of their own ------------------------------------------------- */

static void begin_forget(RaidController *ctl, CtlBlock *block)
{
    Disk *disk = disk_port_disk(block_port(ctl, block));

    block->forget = false;
    if (!disk || !config_keeps(ctl, (unsigned)(block - ctl->block))) {
        return;
    }
    block->copy = 0;
    block->step = block->dcb.sequence ? CTL_BLOCK_MARK : CTL_BLOCK_WIPE;
    if (block->step == CTL_BLOCK_MARK) {
        block->dcb.flags |= DCB_DELETED;
        block->dcb.sequence++;
        block->dcb.drive_sectors = disk_sectors(disk);
        dcb_write(&block->dcb, block->bytes);
    } else {
        block->copy = 1;
        memset(block->bytes, 0, DCB_BYTES);
    }
    send_copy(ctl, block);
}

/* Its unit's record does without it from here on. */
static void leave_round(RaidController *ctl, CtlBlock *block)
{
    CtlUnit *own = &ctl->unit[block->unit];

    block->unit = RAID_NO_UNIT;
    own->record.again = false;
    own->record.out--;
}

void raid_config_forget(RaidController *ctl, unsigned port)
{
    CtlBlock *block = port_block(ctl, port);
    int number = ctl->port_unit[port];

    ctl->spare[port] = false;
    block->dcb = (Dcb) { 0 };
    if (number != RAID_NO_UNIT && ctl->unit[number].record.kept) {
        CtlUnit *own = &ctl->unit[number];

        block->dcb = own->dcb;
        block->dcb.task = DCB_TASK_NONE;
        block->dcb.task_row = block->dcb.task_member = 0;
        block->dcb.flags = 0;
        for (unsigned m = 0; m < own->dcb.members; m++) {
            block->dcb.member = own->port[m] == (int)port
                ? m : block->dcb.member;
        }
    }
    if (block->unit != RAID_NO_UNIT) {
        leave_round(ctl, block);
    }
    block->forget = true;
    if (block->step == CTL_BLOCK_IDLE) {
        begin_forget(ctl, block);
    }
}

void raid_config_make_spare(RaidController *ctl, unsigned port)
{
    CtlBlock *block = port_block(ctl, port);
    Disk *disk = disk_port_disk(ctl->port[port]);

    g_assert(disk && ctl->port_unit[port] == RAID_NO_UNIT);
    ctl->spare[port] = true;
    if (!config_keeps(ctl, port) || block->step != CTL_BLOCK_IDLE ||
        !dcb_drive_fits(0, disk_sectors(disk))) {
        return;
    }
    block->dcb = (Dcb) {
        .sequence = 1, .members = 1, .drive_sectors = disk_sectors(disk),
        .rebuild_rate = ctl->rebuild_rate, .verify_rate = ctl->verify_rate,
        .at[0] = { .state = DCB_PRESENT, .since = 1 },
    };
    new_id(ctl, &block->dcb);
    take_serial(block->dcb.at[0].serial, disk);
    dcb_write(&block->dcb, block->bytes);
    block->step = CTL_BLOCK_COPY;
    block->copy = 0;
    send_copy(ctl, block);
}
