/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stripe - carries out one host op's share of one row, or a task's row:
 * gather, compute, scatter.
 *
 * The drive ops of a slot's neighbouring stretches are joined where sectors
 * and memory both continue, so a drive sees one op per chunk and not three.
 */
#include <stddef.h>

#include "raid-model/array/row.h"

struct RowIo {
    RaidLaneOp lent;
    RowOp *row;
    uint8_t slot, member;
    bool busy;
};

static void row_turn(RowOp *row);

/* --- drive ops ---------------------------------------------------------- */

static void note_bad_sector(RowOp *row, const RowIo *io)
{
    const RaidShape *shape = &row->rows->shape;
    uint64_t start = raid_row_sector(shape, row->row);
    const DiskOp *op = &io->lent.op;
    uint64_t bad = CLAMP(op->bad_sector, op->span.sector,
                         op->span.sector + op->span.count - 1);
    uint32_t offset = bad - start;

    if (io->slot < raid_row_data(shape)) {
        row->bad_found = MIN(row->bad_found,
                             row_lba(row, io->slot, offset));
    }
    if (offset < row->bad_offset) {
        row->bad_offset = offset;
        row->bad_slots = 0;
    }
    if (offset == row->bad_offset) {
        row->bad_slots |= row_slot_bit(io->slot);
    }
    row->unreadable |= row_slot_bit(io->slot);
}

/*
 * A drive that cannot write a sector has no spares left: a unit that can do
 * without it does, one that cannot reports the sector.
 */
static void io_done(RaidLaneOp *lent)
{
    RowIo *io = (RowIo *)((char *)lent - offsetof(RowIo, lent));
    const DiskOp *op = &lent->op;
    RowOp *row = io->row;
    RaidRows *rows = row->rows;
    bool redundant = rows->shape.level->row_redundant;

    io->busy = false;
    row->pending--;
    rows->waiting[io->member]--;
    if (row->sum_left && op->status == DISK_OK) {
        row_sum_add(row, op->span.count);
    }

    if (op->status == DISK_BAD_SECTOR &&
        (op->verb == DISK_READ || (op->verb == DISK_WRITE && !redundant))) {
        note_bad_sector(row, io);
    } else if (op->status != DISK_OK &&
               !(op->status == DISK_ABORTED && rows->resetting)) {
        rows->lost(rows, io->member);
    }
    if (!row->pending) {
        row_turn(row);
    }
}

static void send_io(RowOp *row, DiskVerb verb, unsigned slot, unsigned member,
                    DiskSpan span, void *buf)
{
    RowIo *io = &row->io[row->ios++];

    io->lent.op.verb = verb;
    io->lent.op.span = span;
    io->lent.op.buf = buf;
    io->lent.op.flags = verb == DISK_WRITE && (row->flags & UNIT_FUA)
                            ? DISK_OP_FUA : 0;
    io->lent.done = io_done;
    io->row = row;
    io->slot = slot;
    io->member = member;
    io->busy = true;
    row->pending++;
    row->rows->waiting[member]++;
    raid_lane_submit(&row->rows->lane[member], &io->lent);
}

static bool cut_touches(const RowCut *cut, DiskVerb verb, unsigned slot)
{
    return (verb == DISK_READ ? cut->plan.read : cut->plan.write) >> slot & 1;
}

static void *cut_memory(const RowOp *row, const RowCut *cut, DiskVerb verb,
                        unsigned slot)
{
    return verb == DISK_READ ? row_old_at(row, slot, cut->offset)
                             : row_new_at(row, cut, slot, cut->offset);
}

/* Whether the stretch after `cut` goes on where it ends, memory too. */
static bool cut_goes_on(const RowOp *row, const RowCut *cut, DiskVerb verb,
                        unsigned slot)
{
    const RowCut *next = cut + 1;

    return next < row->cut + row->cuts && cut_touches(next, verb, slot) &&
           next->offset == cut->offset + cut->count &&
           (uint8_t *)cut_memory(row, next, verb, slot) ==
               (uint8_t *)cut_memory(row, cut, verb, slot) +
               (size_t)cut->count * DISK_SECTOR_BYTES;
}

/* One slot's share, stretches joined where sectors and memory continue. */
static void send_slot(RowOp *row, DiskVerb verb, unsigned slot)
{
    const RaidShape *shape = &row->rows->shape;
    unsigned member = raid_member(shape, row->row, slot);
    const RowCut *end = row->cut + row->cuts;

    for (const RowCut *cut = row->cut; cut < end; cut++) {
        const RowCut *first = cut;
        DiskSpan span = {
            raid_row_sector(shape, row->row) + cut->offset, cut->count,
        };

        if (!cut_touches(cut, verb, slot)) {
            continue;
        }
        while (cut_goes_on(row, cut, verb, slot)) {
            cut++;
            span.count += cut->count;
        }
        send_io(row, verb, slot, member, span,
                cut_memory(row, first, verb, slot));
    }
}

/*
 * A member lost since the plan was made is passed over: its port may hold a
 * drive that is not ours by now.
 */
static void send_all(RowOp *row, DiskVerb verb)
{
    uint32_t touched = 0;

    for (unsigned i = 0; i < row->cuts; i++) {
        const RaidPlan *plan = &row->cut[i].plan;

        touched |= verb == DISK_READ ? plan->read : plan->write;
    }
    row->ios = 0;
    if (!touched) {
        return;
    }
    FOR_EACH_SLOT(slot, touched & ~row_missing(row)) {
        send_slot(row, verb, slot);
    }
}

/* --- the walk ------------------------------------------------------------ */

static void end_row(RowOp *row, UnitStatus status)
{
    row_give_buffers(row);
    row->sum_left = 0;
    row->status = status;
    row->phase = ROW_ENDED;
    row->rows->ended(row);
}

static unsigned first_bad_member(const RowOp *row)
{
    return raid_member(&row->rows->shape, row->row,
                       (unsigned)__builtin_ctz(row->unreadable));
}

static void tell_bad_members(RowOp *row)
{
    RaidRows *rows = row->rows;

    FOR_EACH_SLOT(slot, row->unreadable & ~row_missing(row)) {
        rows->medium_error(rows, raid_member(&rows->shape, row->row, slot));
    }
}

static void fail_medium(RowOp *row, uint64_t lba)
{
    tell_bad_members(row);
    row->bad_lba = lba;
    end_row(row, UNIT_MEDIUM_ERROR);
}

static void set_step(RowOp *row, uint32_t at, uint32_t count)
{
    row->at = at;
    row->count = count;
    row->unreadable = 0;
    row->force = false;
    row->bad_offset = UINT32_MAX;
    row->bad_found = UINT64_MAX;
}

/*
 * Slots of this step are bad in more places than redundancy can mend
 * at once.  Go up to the first bad sector, then take that one alone.
 */
static void narrow_step(RowOp *row)
{
    uint32_t good = row->bad_offset - row->at;

    g_assert(row->count > 1 && good < row->count);
    set_step(row, row->at, good ? good : 1);
}

/*
 * What is beside a bad sector can be read, and is: where redundancy does not
 * agree, after a power cut, it would come out of it wrong and be written so.
 * The step goes up to the bad sector, then that one alone.
 */
static void spare_the_neighbours(RowOp *row)
{
    uint32_t good = row->bad_offset - row->at, slots = row->bad_slots;

    if (!row->unreadable || row->count == 1 || row_is_mirror(row) ||
        !row->rows->shape.level->row_redundant) {
        return;
    }
    row->next_bad = row->bad_offset;
    set_step(row, row->at, good ? good : 1);
    row->bad_slots = slots;
    row->unreadable = good ? 0 : slots;
}

static uint64_t unknowable_lba(const RowOp *row)
{
    uint32_t wanted = row->cut[0].wanted;
    uint32_t dark = wanted & (row_missing(row) | row->unreadable);

    return row_lba(row, (unsigned)__builtin_ctz(dark ? dark : wanted),
                  row->at);
}

/*
 * The step is one sector, or of a row without redundancy, and cannot be
 * read.  True when there is something else to do for this row.
 */
static bool give_up_step(RowOp *row)
{
    RaidRows *rows = row->rows;

    switch (row->verb) {
    case ROW_REBUILD:
        row->force = rows->ignore_ecc;
        if (!row->force) {
            row->bad_member = first_bad_member(row);
            end_row(row, UNIT_MEDIUM_ERROR);
        }
        return row->force;
    case ROW_VERIFY:
    case ROW_INIT:
        tell_bad_members(row);
        set_step(row, row->at + 1, row->high - row->at - 1);
        if (!row->count) {
            end_row(row, UNIT_OK);
        }
        return row->count;
    default:
        fail_medium(row, rows->shape.level->row_redundant
                             ? unknowable_lba(row) : row->bad_found);
        return false;
    }
}

static bool may_narrow(const RowOp *row)
{
    return row->count > 1 && (row->rows->shape.level->row_redundant ||
                              row->verb == ROW_VERIFY);
}

static inline bool has_parity(const RowOp *row)
{
    return row->rows->shape.level->row_redundant && !row_is_mirror(row);
}

static void begin_step(RowOp *row)
{
    for (;;) {
        row_cut(row);
        if (row->cuts == 0 || row_plan(row)) {
            break;
        }
        if (!row_is_usable(row)) {
            end_row(row, UNIT_OFFLINE);
            return;
        }
        if (may_narrow(row)) {
            narrow_step(row);
        } else if (!give_up_step(row)) {
            return;
        }
    }
    row_take_buffers(row);
    if (row->verb != ROW_READ && has_parity(row)) {
        row_sum_begin(row);
    }
    row->phase = ROW_GATHER;
    send_all(row, DISK_READ);
    if (!row->pending) {
        row_turn(row);
    }
}

static void end_step(RowOp *row)
{
    uint32_t next = row->at + row->count;

    row_give_buffers(row);
    if (next == row->high) {
        end_row(row, UNIT_OK);
        return;
    }
    set_step(row, next, row->high - next);
    if (next == row->next_bad) {
        row->count = 1;
        row->unreadable = row->bad_slots;
    }
    begin_step(row);
}

static bool gather_went_well(const RowOp *row)
{
    uint32_t dark = row_missing(row) | row->unreadable;

    if (!dark) {
        return true;
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        if (row->cut[i].plan.read & dark) {
            return false;
        }
    }
    return true;
}

static void tell_repairs(RowOp *row)
{
    RaidRows *rows = row->rows;
    uint32_t written = 0;

    if (!row->unreadable) {
        return;
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        written |= row->cut[i].plan.write;
    }
    FOR_EACH_SLOT(slot, written & row->unreadable & ~row_missing(row)) {
        unsigned member = raid_member(&rows->shape, row->row, slot);

        if (row->force) {
            rows->overwrote(rows, member);
        } else {
            rows->repaired(rows, member);
        }
    }
}

static void scatter_ended(RowOp *row)
{
    bool redundant = row->rows->shape.level->row_redundant;

    if (row->verb == ROW_WRITE && !row_is_usable(row)) {
        end_row(row, UNIT_OFFLINE);
    } else if (row->unreadable && !redundant) {
        fail_medium(row, row->bad_found);
    } else {
        tell_repairs(row);
        end_step(row);
    }
}

static void scatter(RowOp *row)
{
    row->phase = ROW_SCATTER;
    send_all(row, DISK_WRITE);
    if (!row->pending) {
        scatter_ended(row);
    } else if (row->has_memory) {
        row->rows->sent(row);
    }
}

static void compute_ended(SimEvent *ev)
{
    scatter((RowOp *)((char *)ev - offsetof(RowOp, computed)));
}

static void gather_ended(RowOp *row)
{
    Sim *sim = row->rows->sim;
    SimTime end;

    if (!gather_went_well(row)) {
        row_give_buffers(row);
        spare_the_neighbours(row);
        begin_step(row);
        return;
    }
    row_compute(row);
    end = has_parity(row) ? row_sum_end(row) : 0;
    if (end <= sim_now(sim)) {
        scatter(row);
        return;
    }
    row->phase = ROW_COMPUTE;
    sim_at(sim, &row->computed, end);
}

static void flush_ended(RowOp *row)
{
    end_row(row, raid_rows_operable(row->rows) ? UNIT_OK : UNIT_OFFLINE);
}

/* All drive ops sent have come back. */
static void row_turn(RowOp *row)
{
    if (row->rows->resetting) {
        end_row(row, UNIT_ABORTED);
    } else if (row->verb == ROW_FLUSH) {
        flush_ended(row);
    } else if (row->phase == ROW_GATHER) {
        gather_ended(row);
    } else {
        scatter_ended(row);
    }
}

static void start_flush(RowOp *row)
{
    RaidRows *rows = row->rows;

    row->phase = ROW_GATHER;
    row->ios = 0;
    FOR_EACH_SLOT(member, rows->present) {
        send_io(row, DISK_FLUSH, 0, member, (DiskSpan) { 0 }, NULL);
    }
    if (!row->pending) {
        row_turn(row);
    }
}

void raid_row_start(RowOp *row)
{
    if (row->verb == ROW_FLUSH) {
        start_flush(row);
        return;
    }
    row->agrees = true;
    row->next_bad = UINT32_MAX;
    set_step(row, row->low, row->high - row->low);
    begin_step(row);
}

void raid_row_reset(RowOp *row, bool carry_through)
{
    unsigned ios = row->ios;
    bool finish = carry_through && row->phase == ROW_SCATTER;

    g_assert(row->rows->resetting);
    for (unsigned i = 0; i < ios && row->pending; i++) {
        RowIo *io = &row->io[i];

        if (!io->busy) {
            continue;
        }
        if (finish) {
            raid_lane_finish_now(&io->lent);
        } else {
            raid_lane_cancel(&io->lent, DISK_ABORTED);
        }
    }
    if (row->phase == ROW_COMPUTE) {
        sim_cancel(row->rows->sim, &row->computed);
        row_turn(row);
    }
    g_assert(!row->pending);
}

/* --- what rows share ----------------------------------------------------- */

void raid_rows_init(RaidRows *rows, Sim *sim, const RaidShape *shape,
                    RaidCard *card, DiskPort *const *ports)
{
    rows->shape = *shape;
    rows->sim = sim;
    rows->card = card;
    g_queue_init(&rows->idle);
    for (unsigned member = 0; member < shape->members; member++) {
        rows->port[member] = ports[member];
        raid_lane_init(&rows->lane[member], sim, card, ports[member]);
        if (ports[member]) {
            rows->present |= 1u << member;
        }
    }
    rows->good = rows->present;
}

bool raid_rows_operable(const RaidRows *rows)
{
    unsigned slots = raid_row_slots(&rows->shape);

    for (unsigned first = 0; first < rows->shape.members; first += slots) {
        uint32_t set = (row_slot_bit(slots) - 1) << first;

        if (__builtin_popcount(set & ~rows->good) >
            rows->shape.level->row_redundant) {
            return false;
        }
    }
    return true;
}

/* A slot needs up to a drive op per stretch; a flush one per member. */
static unsigned ios_max(const RaidShape *shape)
{
    return MAX(ROW_CUTS_MAX * raid_row_slots(shape), shape->members);
}

RowOp *raid_row_take(RaidRows *rows)
{
    GList *link = sim_queue_pop_head(&rows->idle);
    RowOp *row;

    if (link) {
        row = link->data;
        row->op = NULL;
        row->task = 0;
        row->flags = 0;
        row->alone = false;
        row->phase = ROW_WAITING;
        return row;
    }
    row = g_new0(RowOp, 1);
    row->rows = rows;
    row->io = g_new0(RowIo, ios_max(&rows->shape));
    row->computed.fire = compute_ended;
    row->bucket_link.data = row;
    row->all_link.data = row;
    row->turn_link.data = row;
    return row;
}

void raid_row_give(RowOp *row)
{
    g_assert(!row->pending && !row->line && !row->carried.head);
    if (row->own_bytes) {
        raid_pool_give(&row->rows->pool, row->buf, row->own_bytes);
        row->own_bytes = 0;
    }
    sim_queue_push_head(&row->rows->idle, &row->all_link);
}

void raid_rows_clear(RaidRows *rows)
{
    GList *link;

    while ((link = sim_queue_pop_head(&rows->idle))) {
        RowOp *row = link->data;

        g_free(row->io);
        g_free(row);
    }
    for (unsigned member = 0; member < rows->shape.members; member++) {
        raid_lane_clear(&rows->lane[member]);
    }
    raid_pool_clear(&rows->pool);
}
