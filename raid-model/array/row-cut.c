/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Row cut - which slots of a row are there, where a step is cut, and which
 * plan each stretch gets.
 *
 * The op touches slots `first`..`last`: the first from `from`, the last up
 * to `to`, those between whole.  Cutting at `from` and `to` makes at most
 * three stretches in which each slot is touched whole or not at all.
 */
#include "raid-model/array/row.h"

#include "raid-model/array/mirror.h"

/* --- what a row is made of --------------------------------------------- */

/*
 * How much of the step a member that is not good knows.  A read takes part
 * of it for nothing; what a rebuild is about is to be written, not read.
 */
static RaidTaskCover step_known(const RowOp *row, unsigned member)
{
    const RaidRows *rows = row->rows;
    const RaidTask *task = &rows->task;
    uint64_t lba = row_lba(row, 0, row->at);
    RaidTaskCover known = RAID_TASK_COVERS_NONE;

    if (!(rows->present >> member & 1)) {
        return RAID_TASK_COVERS_NONE;
    }
    if (row->verb == ROW_REBUILD && row->target == member) {
        return RAID_TASK_COVERS_SOME;
    }
    if (task->state.kind == RAID_TASK_REBUILD &&
        task->state.member == member) {
        known = raid_task_covers(task, &rows->shape, lba, lba + row->count);
    }
    return row->verb != ROW_WRITE && known == RAID_TASK_COVERS_SOME
               ? RAID_TASK_COVERS_NONE : known;
}

/* Slots of members that are not good, by how much they know of the step. */
static uint32_t slots_that_know(const RowOp *row, RaidTaskCover cover)
{
    const RaidRows *rows = row->rows;
    unsigned slots = raid_row_slots(&rows->shape);
    uint32_t mask = 0;

    for (unsigned slot = 0; slot < slots; slot++) {
        unsigned member = raid_member(&rows->shape, row->row, slot);

        if (!(rows->good >> member & 1) && step_known(row, member) == cover) {
            mask |= row_slot_bit(slot);
        }
    }
    return mask;
}

static inline bool all_are_good(const RaidRows *rows)
{
    return rows->good == row_slot_bit(rows->shape.members) - 1;
}

uint32_t row_missing(const RowOp *row)
{
    return all_are_good(row->rows)      /* as nearly always */
        ? 0 : slots_that_know(row, RAID_TASK_COVERS_NONE);
}

/* Slots to be written and not to be read. */
static uint32_t row_half_known(const RowOp *row)
{
    return all_are_good(row->rows)
        ? 0 : slots_that_know(row, RAID_TASK_COVERS_SOME);
}

bool row_is_usable(const RowOp *row)
{
    uint32_t dark = row_missing(row) | row_half_known(row);

    return !dark || __builtin_popcount(dark) <=
                        row->rows->shape.level->row_redundant;
}

bool row_is_mirror(const RowOp *row)
{
    return raid_row_data(&row->rows->shape) == 1;
}

uint64_t row_lba(const RowOp *row, unsigned slot, uint32_t offset)
{
    return raid_lba(&row->rows->shape, &(RaidPlace) {
        .row = row->row, .slot = slot, .offset = offset });
}

void raid_row_set(RowOp *row, uint64_t lba, uint64_t end, void *buf)
{
    const RaidShape *shape = &row->rows->shape;
    RaidPlace start = raid_place(shape, lba);
    RaidPlace stop = start;

    stop.offset += end - 1 - lba;
    if (stop.offset >= raid_chunk_sectors(shape)) {
        stop = raid_place(shape, end - 1);
    }
    row->lba = lba;
    row->end = end;
    row->buf = buf;
    row->row = start.row;
    row->first = start.slot;
    row->last = stop.slot;
    row->from = start.offset;
    row->to = stop.offset + 1;
    row->low = row->first == row->last ? row->from : 0;
    row->high = row->first == row->last ? row->to : raid_chunk_sectors(shape);
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
            wanted |= row_slot_bit(slot);
        }
    }
    return wanted;
}

static void cut_at_edges(RowOp *row)
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

/* Cut the step [at, at + count) at the op's two edges.  One slot is locked
 * from edge to edge, so no step goes beyond them. */
void row_cut(RowOp *row)
{
    if (row->first == row->last) {
        row->cuts = 1;
        row->cut[0] = (RowCut) {
            .offset = row->at, .count = row->count,
            .wanted = row_slot_bit(row->first),
        };
    } else {
        cut_at_edges(row);
    }
}

static RaidMirrorSet *mirror_set(const RowOp *row)
{
    const RaidShape *shape = &row->rows->shape;

    return &row->rows->mirror[raid_member(shape, row->row, 0) /
                              raid_row_slots(shape)];
}

static const RaidMirrorPlan *mirror_plan(const RaidRows *rows)
{
    return rows->shape.level->striped ? &rows->card->mirror10
                                      : &rows->card->mirror;
}

/*
 * A read of a mirror needs one copy: all but the chosen one count as
 * missing.  The choice falls among those that can be read.
 */
static uint32_t copies_left_out(const RowOp *row, uint32_t missing)
{
    RaidRows *rows = row->rows;
    unsigned copies = raid_row_slots(&rows->shape);
    uint32_t usable = (row_slot_bit(copies) - 1) & ~(missing | row->unreadable);
    unsigned waiting[RAID_MEMBERS_MAX];
    uint64_t start = raid_row_sector(&rows->shape, row->row);

    if (!(usable & (usable - 1))) {     /* one at most */
        return 0;
    }
    for (unsigned copy = 0; copy < copies; copy++) {
        waiting[copy] = rows->waiting[raid_member(&rows->shape, row->row,
                                                  copy)];
    }
    return usable & ~row_slot_bit(raid_mirror_pick(
        mirror_set(row), mirror_plan(rows), waiting, copies, usable,
        start + row->low, start + row->high));
}

static bool plan_cut(const RowOp *row, const RaidRow *state, RowCut *cut)
{
    if (row->verb == ROW_READ) {        /* as nearly always */
        return raid_plan_read(state, cut->wanted, &cut->plan);
    }
    switch (row->verb) {
    case ROW_WRITE:
        return raid_plan_write(state, cut->wanted, &cut->plan);
    case ROW_REBUILD:
        if (row->force) {
            raid_plan_force(state, &cut->plan);
            return true;
        }
        return raid_plan_read(state, cut->wanted, &cut->plan);
    case ROW_VERIFY:
        return raid_plan_verify(state, &cut->plan);
    case ROW_INIT:
        return raid_plan_init(state, &cut->plan);
    case ROW_READ:
    case ROW_FLUSH:
        break;
    }
    g_assert_not_reached();
}

bool row_plan(RowOp *row)
{
    const RaidShape *shape = &row->rows->shape;
    RaidRow state = {
        .data_slots = raid_row_data(shape),
        .redundant_slots = shape->level->row_redundant,
        .missing = row_missing(row),
    };

    state.unreadable = row->unreadable & ~state.missing;
    if (!all_are_good(row->rows)) {
        state.unreadable |= slots_that_know(row, RAID_TASK_COVERS_SOME);
    }
    if (row->verb == ROW_READ && row_is_mirror(row)) {
        state.missing |= copies_left_out(row, state.missing);
    } else if (row_is_mirror(row)) {
        raid_mirror_wrote(mirror_set(row),
                          raid_row_sector(shape, row->row) + row->high);
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        RowCut *cut = &row->cut[i];

        state.whole_chunks = cut->count == raid_chunk_sectors(shape);
        if (!plan_cut(row, &state, cut)) {
            return false;
        }
    }
    return true;
}

