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

uint32_t row_missing(const RowOp *row)
{
    const RaidRows *rows = row->rows;
    uint32_t missing = 0;
    unsigned slots;

    if (rows->present == row_slot_bit(rows->shape.members) - 1) {
        return 0;               /* as nearly always */
    }
    slots = raid_row_slots(&rows->shape);
    for (unsigned slot = 0; slot < slots; slot++) {
        unsigned member = raid_member(&rows->shape, row->row, slot);

        if (!(rows->present >> member & 1)) {
            missing |= row_slot_bit(slot);
        }
    }
    return missing;
}

bool row_is_usable(const RowOp *row)
{
    uint32_t missing = row_missing(row);

    return !missing || __builtin_popcount(missing) <=
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

bool row_plan(RowOp *row)
{
    const RaidShape *shape = &row->rows->shape;
    RaidRow state = {
        .data_slots = raid_row_data(shape),
        .redundant_slots = shape->level->row_redundant,
        .missing = row_missing(row),
    };

    state.unreadable = row->unreadable & ~state.missing;
    if (row->verb == UNIT_READ && row_is_mirror(row)) {
        state.missing |= copies_left_out(row, state.missing);
    } else if (row_is_mirror(row)) {
        raid_mirror_wrote(mirror_set(row),
                          raid_row_sector(shape, row->row) + row->high);
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        RowCut *cut = &row->cut[i];
        bool planned;

        state.whole_chunks = cut->count == raid_chunk_sectors(shape);
        planned = row->verb == UNIT_READ
                      ? raid_plan_read(&state, cut->wanted, &cut->plan)
                      : raid_plan_write(&state, cut->wanted, &cut->plan);
        if (!planned) {
            return false;
        }
    }
    return true;
}

