/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stripe - carries out one host op's share of one row: gather, compute,
 * scatter.
 *
 * A RowOp touches slots `first`..`last`: the first from `from`, the last up
 * to `to`, those between whole.  The cuts at `from` and `to` make at most
 * three stretches with a plan each; the drive ops of neighbouring stretches
 * are joined again where sectors and memory both continue, so a drive sees
 * one op per chunk and not three.
 */
#include "raid-model/array/stripe.h"

#include <stddef.h>
#include <string.h>

#include "raid-model/array/mirror.h"
#include "raid-model/array/parity.h"

struct RowIo {
    DiskOp op;
    RowOp *row;
    uint8_t slot, member;
    bool busy;
};

#define FOR_EACH_SLOT(slot, mask)                                       \
    for (uint32_t left_ = (mask), slot;                                 \
         left_ && (slot = (uint32_t)__builtin_ctz(left_), true);        \
         left_ &= left_ - 1)

static void row_turn(RowOp *row);

/* --- what a row is made of --------------------------------------------- */

static uint32_t slot_bit(unsigned slot)
{
    return 1u << slot;
}

static uint32_t missing_slots(const RowOp *row)
{
    const RaidRows *rows = row->rows;
    unsigned slots = raid_row_slots(&rows->shape);
    uint32_t missing = 0;

    for (unsigned slot = 0; slot < slots; slot++) {
        unsigned member = raid_member(&rows->shape, row->row, slot);

        if (!(rows->present >> member & 1)) {
            missing |= slot_bit(slot);
        }
    }
    return missing;
}

static bool row_is_usable(const RowOp *row)
{
    return __builtin_popcount(missing_slots(row)) <=
           row->rows->shape.level->row_redundant;
}

static bool row_is_mirror(const RowOp *row)
{
    return raid_row_data(&row->rows->shape) == 1;
}

static uint64_t lba_at(const RowOp *row, unsigned slot, uint32_t offset)
{
    return raid_lba(&row->rows->shape, &(RaidPlace) {
        .row = row->row, .slot = slot, .offset = offset });
}

static uint32_t slot_from(const RowOp *row, unsigned slot)
{
    return slot == row->first ? row->from : 0;
}

static uint32_t slot_to(const RowOp *row, unsigned slot)
{
    return slot == row->last ? row->to
                             : raid_chunk_sectors(&row->rows->shape);
}

/* --- cutting and planning ---------------------------------------------- */

static uint32_t wanted_between(const RowOp *row, uint32_t low, uint32_t high)
{
    uint32_t wanted = 0;

    for (unsigned slot = row->first; slot <= row->last; slot++) {
        if (slot_from(row, slot) <= low && high <= slot_to(row, slot)) {
            wanted |= slot_bit(slot);
        }
    }
    return wanted;
}

/* Cut the step [at, at + count) at the op's two edges. */
static void cut_row(RowOp *row)
{
    uint32_t edge[ROW_CUTS_MAX + 1] = {
        row->at, MIN(row->from, row->to), MAX(row->from, row->to),
        row->at + row->count,
    };

    row->cuts = 0;
    for (unsigned i = 0; i < ROW_CUTS_MAX; i++) {
        uint32_t low = CLAMP(edge[i], edge[0], edge[3]);
        uint32_t high = CLAMP(edge[i + 1], edge[0], edge[3]);
        uint32_t wanted = low < high ? wanted_between(row, low, high) : 0;

        if (wanted) {
            row->cut[row->cuts++] = (RowCut) {
                .offset = low, .count = high - low, .wanted = wanted,
            };
        }
    }
}

/*
 * A read of a mirror needs one copy: all but the chosen one count as
 * missing.  The choice falls among those that can be read.
 */
static uint32_t copies_left_out(const RowOp *row, uint32_t missing)
{
    RaidRows *rows = row->rows;
    unsigned copies = raid_row_slots(&rows->shape);
    uint32_t usable = (slot_bit(copies) - 1) & ~(missing | row->unreadable);
    unsigned waiting[RAID_MEMBERS_MAX];
    unsigned set = raid_member(&rows->shape, row->row, 0) / copies;

    if (__builtin_popcount(usable) < 2) {
        return 0;
    }
    for (unsigned copy = 0; copy < copies; copy++) {
        waiting[copy] = rows->waiting[raid_member(&rows->shape, row->row,
                                                  copy)];
    }
    return usable & ~slot_bit(raid_mirror_pick(&rows->turn[set], waiting,
                                               copies, usable));
}

static bool plan_row(RowOp *row)
{
    const RaidShape *shape = &row->rows->shape;
    RaidRow state = {
        .data_slots = raid_row_data(shape),
        .redundant_slots = shape->level->row_redundant,
        .missing = missing_slots(row),
    };

    state.unreadable = row->unreadable & ~state.missing;
    if (row->verb == UNIT_READ && row_is_mirror(row)) {
        state.missing |= copies_left_out(row, state.missing);
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        RowCut *cut = &row->cut[i];
        bool planned = row->verb == UNIT_READ
                           ? raid_plan_read(&state, cut->wanted, &cut->plan)
                           : raid_plan_write(&state, cut->wanted, &cut->plan);

        if (!planned) {
            return false;
        }
    }
    return true;
}

/* --- where the bytes are ----------------------------------------------- */

static void *op_at(const RowOp *row, unsigned slot, uint32_t offset)
{
    uint64_t lba = lba_at(row, row_is_mirror(row) ? 0 : slot, offset);

    return (uint8_t *)row->op->buf +
           (lba - row->op->lba) * DISK_SECTOR_BYTES;
}

static void *pool_at(const RowOp *row, void *buf, uint32_t offset)
{
    return (uint8_t *)buf + (size_t)(offset - row->at) * DISK_SECTOR_BYTES;
}

static void *old_at(const RowOp *row, unsigned slot, uint32_t offset)
{
    return row->old[slot] ? pool_at(row, row->old[slot], offset)
                          : op_at(row, slot, offset);
}

/* What the slot holds when the op is over. */
static void *new_at(const RowOp *row, const RowCut *cut, unsigned slot,
                    uint32_t offset)
{
    if ((cut->wanted & slot_bit(slot)) || row_is_mirror(row)) {
        return op_at(row, slot, offset);
    }
    if (cut->plan.compute & slot_bit(slot)) {
        return pool_at(row, row->fresh[slot], offset);
    }
    return old_at(row, slot, offset);
}

/*
 * Whether every sector read from the slot belongs in the host's buffer.  A
 * write never reads into it: it holds the new data.
 */
static bool reads_in_place(const RowOp *row, unsigned slot)
{
    if (row_is_mirror(row)) {
        return true;
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        const RowCut *cut = &row->cut[i];

        if ((cut->plan.read & ~cut->wanted) & slot_bit(slot)) {
            return false;
        }
    }
    return row->verb == UNIT_READ;
}

static void take_buffers(RowOp *row)
{
    RaidPool *pool = &row->rows->pool;
    uint32_t read = 0, computed = 0;

    for (unsigned i = 0; i < row->cuts; i++) {
        read |= row->cut[i].plan.read;
        computed |= row->cut[i].plan.compute & ~row->cut[i].wanted;
    }
    row->buffer_bytes = (size_t)row->count * DISK_SECTOR_BYTES;
    FOR_EACH_SLOT(slot, read) {
        if (!reads_in_place(row, slot)) {
            row->old[slot] = raid_pool_take(pool, row->buffer_bytes);
        }
    }
    FOR_EACH_SLOT(slot, row_is_mirror(row) ? 0 : computed) {
        row->fresh[slot] = raid_pool_take(pool, row->buffer_bytes);
    }
}

static void give_buffers(RowOp *row)
{
    RaidPool *pool = &row->rows->pool;

    for (unsigned slot = 0; slot < RAID_MEMBERS_MAX; slot++) {
        if (row->old[slot]) {
            raid_pool_give(pool, row->old[slot], row->buffer_bytes);
            row->old[slot] = NULL;
        }
        if (row->fresh[slot]) {
            raid_pool_give(pool, row->fresh[slot], row->buffer_bytes);
            row->fresh[slot] = NULL;
        }
    }
}

/* --- drive ops ---------------------------------------------------------- */

static void note_bad_sector(RowOp *row, const RowIo *io)
{
    const RaidShape *shape = &row->rows->shape;
    uint64_t start = raid_row_sector(shape, row->row);
    uint64_t bad = CLAMP(io->op.bad_sector, io->op.span.sector,
                         io->op.span.sector + io->op.span.count - 1);
    uint32_t offset = bad - start;

    if (io->slot < raid_row_data(shape)) {
        row->bad_found = MIN(row->bad_found,
                             lba_at(row, io->slot, offset));
    }
    row->bad_offset = MIN(row->bad_offset, offset);
    row->unreadable |= slot_bit(io->slot);
}

/*
 * A drive that cannot write a sector has no spares left: a unit that can do
 * without it does, one that cannot reports the sector.
 */
static void io_done(DiskOp *op)
{
    RowIo *io = (RowIo *)((char *)op - offsetof(RowIo, op));
    RowOp *row = io->row;
    RaidRows *rows = row->rows;
    bool redundant = rows->shape.level->row_redundant;

    io->busy = false;
    row->pending--;
    rows->waiting[io->member]--;

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

    io->op.verb = verb;
    io->op.span = span;
    io->op.buf = buf;
    io->op.done = io_done;
    io->op.status = DISK_OK;
    io->row = row;
    io->slot = slot;
    io->member = member;
    io->busy = true;
    row->pending++;
    row->rows->waiting[member]++;
    disk_port_submit(row->rows->port[member], &io->op);
}

static bool cut_touches(const RowCut *cut, DiskVerb verb, unsigned slot)
{
    return (verb == DISK_READ ? cut->plan.read : cut->plan.write) >> slot & 1;
}

static void *cut_memory(const RowOp *row, const RowCut *cut, DiskVerb verb,
                        unsigned slot)
{
    return verb == DISK_READ ? old_at(row, slot, cut->offset)
                             : new_at(row, cut, slot, cut->offset);
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
    unsigned slots = raid_row_slots(&row->rows->shape);
    uint32_t there = ~missing_slots(row);

    row->ios = 0;
    for (unsigned slot = 0; slot < slots; slot++) {
        if (there & slot_bit(slot)) {
            send_slot(row, verb, slot);
        }
    }
}

/* --- computing ----------------------------------------------------------- */

/* A slot from the `others` as read. */
static void recover_slot(const RowOp *row, const RowCut *cut, unsigned slot,
                         uint32_t others)
{
    void *source[RAID_MEMBERS_MAX];
    unsigned sources = 0;

    FOR_EACH_SLOT(other, others) {
        source[sources++] = old_at(row, other, cut->offset);
    }
    raid_parity_make(new_at(row, cut, slot, cut->offset), source, sources,
                     (size_t)cut->count * DISK_SECTOR_BYTES);
}

static void make_parity(const RowOp *row, const RowCut *cut, unsigned slot)
{
    void *source[RAID_PARITY_SOURCES_MAX];
    unsigned data = raid_row_data(&row->rows->shape);
    unsigned sources = 0;

    if (cut->plan.by_delta) {
        FOR_EACH_SLOT(other, cut->plan.read) {
            source[sources++] = old_at(row, other, cut->offset);
        }
    }
    FOR_EACH_SLOT(other, cut->plan.by_delta ? cut->wanted
                                            : slot_bit(data) - 1) {
        source[sources++] = new_at(row, cut, other, cut->offset);
    }
    raid_parity_make(new_at(row, cut, slot, cut->offset), source, sources,
                     (size_t)cut->count * DISK_SECTOR_BYTES);
}

/* Sectors that had to be read beside the host's buffer, into it. */
static void deliver(const RowOp *row, const RowCut *cut)
{
    FOR_EACH_SLOT(slot, cut->wanted & cut->plan.read) {
        if (row->old[slot]) {
            memcpy(op_at(row, slot, cut->offset),
                   old_at(row, slot, cut->offset),
                   (size_t)cut->count * DISK_SECTOR_BYTES);
        }
    }
}

static void compute_row(RowOp *row)
{
    unsigned data = raid_row_data(&row->rows->shape);
    uint32_t data_mask = slot_bit(data) - 1;

    if (row_is_mirror(row)) {
        return;                 /* all slots are the host's buffer */
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        const RowCut *cut = &row->cut[i];

        FOR_EACH_SLOT(slot, cut->plan.compute & data_mask) {
            recover_slot(row, cut, slot, cut->plan.read);
        }
        FOR_EACH_SLOT(slot, cut->plan.compute & ~data_mask) {
            make_parity(row, cut, slot);
        }
        if (row->verb == UNIT_READ) {
            deliver(row, cut);
        }
    }
}

/* --- the walk ------------------------------------------------------------ */

static void end_row(RowOp *row, UnitStatus status)
{
    give_buffers(row);
    row->status = status;
    row->phase = ROW_ENDED;
    row->rows->ended(row);
}

static void fail_medium(RowOp *row, uint64_t lba)
{
    row->bad_lba = lba;
    end_row(row, UNIT_MEDIUM_ERROR);
}

static void set_step(RowOp *row, uint32_t at, uint32_t count)
{
    row->at = at;
    row->count = count;
    row->unreadable = 0;
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

static uint64_t unknowable_lba(const RowOp *row)
{
    uint32_t wanted = row->cut[0].wanted;
    uint32_t dark = wanted & (missing_slots(row) | row->unreadable);

    return lba_at(row, (unsigned)__builtin_ctz(dark ? dark : wanted),
                  row->at);
}

static void begin_step(RowOp *row)
{
    for (;;) {
        cut_row(row);
        if (row->cuts == 0 || plan_row(row)) {
            break;
        }
        if (!row_is_usable(row)) {
            end_row(row, UNIT_OFFLINE);
            return;
        }
        if (!row->rows->shape.level->row_redundant) {
            fail_medium(row, row->bad_found);
            return;
        }
        if (row->count == 1) {
            fail_medium(row, unknowable_lba(row));
            return;
        }
        narrow_step(row);
    }
    take_buffers(row);
    row->phase = ROW_GATHER;
    send_all(row, DISK_READ);
    if (!row->pending) {
        row_turn(row);
    }
}

static void end_step(RowOp *row)
{
    uint32_t next = row->at + row->count;

    give_buffers(row);
    if (next == row->high) {
        end_row(row, UNIT_OK);
        return;
    }
    set_step(row, next, row->high - next);
    begin_step(row);
}

static bool gather_went_well(const RowOp *row)
{
    uint32_t dark = missing_slots(row) | row->unreadable;

    for (unsigned i = 0; i < row->cuts; i++) {
        if (row->cut[i].plan.read & dark) {
            return false;
        }
    }
    return true;
}

static void gather_ended(RowOp *row)
{
    if (!gather_went_well(row)) {
        give_buffers(row);
        begin_step(row);
        return;
    }
    compute_row(row);
    row->phase = ROW_SCATTER;
    send_all(row, DISK_WRITE);
    if (!row->pending) {
        row_turn(row);
    }
}

static void tell_repairs(RowOp *row)
{
    RaidRows *rows = row->rows;
    uint32_t written = 0;

    for (unsigned i = 0; i < row->cuts; i++) {
        written |= row->cut[i].plan.write;
    }
    FOR_EACH_SLOT(slot, written & row->unreadable & ~missing_slots(row)) {
        rows->repaired(rows, raid_member(&rows->shape, row->row, slot));
    }
}

static void scatter_ended(RowOp *row)
{
    bool redundant = row->rows->shape.level->row_redundant;

    if (row->verb == UNIT_WRITE && !row_is_usable(row)) {
        end_row(row, UNIT_OFFLINE);
    } else if (row->unreadable && !redundant) {
        fail_medium(row, row->bad_found);
    } else {
        tell_repairs(row);
        end_step(row);
    }
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
    } else if (row->verb == UNIT_FLUSH) {
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
    if (row->verb == UNIT_FLUSH) {
        start_flush(row);
        return;
    }
    set_step(row, row->low, row->high - row->low);
    begin_step(row);
}

void raid_row_reset(RowOp *row)
{
    unsigned ios = row->ios;
    bool finish = row->phase == ROW_SCATTER;

    g_assert(row->rows->resetting);
    for (unsigned i = 0; i < ios && row->pending; i++) {
        RowIo *io = &row->io[i];

        if (!io->busy) {
            continue;
        }
        if (finish) {
            disk_port_finish_now(&io->op);
        } else {
            disk_port_cancel(&io->op, DISK_ABORTED);
        }
    }
    g_assert(!row->pending);
}

/* --- what rows share ----------------------------------------------------- */

void raid_rows_init(RaidRows *rows, const RaidShape *shape,
                    DiskPort *const *ports)
{
    rows->shape = *shape;
    g_queue_init(&rows->idle);
    for (unsigned member = 0; member < shape->members; member++) {
        rows->port[member] = ports[member];
        if (ports[member]) {
            rows->present |= 1u << member;
        }
    }
}

bool raid_rows_operable(const RaidRows *rows)
{
    unsigned slots = raid_row_slots(&rows->shape);

    for (unsigned first = 0; first < rows->shape.members; first += slots) {
        uint32_t set = (slot_bit(slots) - 1) << first;

        if (__builtin_popcount(set & ~rows->present) >
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
    GList *link = g_queue_pop_head_link(&rows->idle);
    RowOp *row;
    RowIo *io;

    if (link) {
        row = link->data;
        io = row->io;
    } else {
        row = g_new(RowOp, 1);
        io = g_new0(RowIo, ios_max(&rows->shape));
    }
    *row = (RowOp) {
        .rows = rows, .io = io,
        .bucket_link.data = row, .all_link.data = row, .turn_link.data = row,
    };
    return row;
}

void raid_row_give(RowOp *row)
{
    g_assert(!row->pending);
    row->all_link = (GList) { .data = row };
    g_queue_push_head_link(&row->rows->idle, &row->all_link);
}

void raid_rows_clear(RaidRows *rows)
{
    GList *link;

    while ((link = g_queue_pop_head_link(&rows->idle))) {
        RowOp *row = link->data;

        g_free(row->io);
        g_free(row);
    }
    raid_pool_clear(&rows->pool);
}
