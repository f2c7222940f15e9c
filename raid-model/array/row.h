/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Row - the parts of a RowOp's arithmetic, for stripe.c alone: where it is
 * cut and planned (row-cut.c), where its bytes are and what is computed from
 * them (row-data.c), and how long that takes (row-sum.c).  Nothing here
 * sends a drive op.
 */
#ifndef RAID_ARRAY_ROW_H
#define RAID_ARRAY_ROW_H

#include "raid-model/array/stripe.h"

#define FOR_EACH_SLOT(slot, mask)                                       \
    for (uint32_t left_ = (mask), slot;                                 \
         left_ && (slot = (uint32_t)__builtin_ctz(left_), true);        \
         left_ &= left_ - 1)

static inline uint32_t row_slot_bit(unsigned slot)
{
    return 1u << slot;
}

/* Slots whose members are not there, or know nothing of this step yet. */
uint32_t row_missing(const RowOp *row);
/* Not more of them than the row can lose. */
bool row_is_usable(const RowOp *row);
/* One data slot, so that all slots hold the same. */
bool row_is_mirror(const RowOp *row);
/* `offset` into the chunk of a data slot. */
uint64_t row_lba(const RowOp *row, unsigned slot, uint32_t offset);

/* Fill row->cut for the step; none when nothing of the op is in it. */
void row_cut(RowOp *row);
/* Give each a plan; false when one has none, all plans are void then. */
bool row_plan(RowOp *row);

/* Buffers for a planned step. */
void row_take_buffers(RowOp *row);
void row_give_buffers(RowOp *row);
/* Where what is read from a slot goes, and where what it is to hold is. */
void *row_old_at(const RowOp *row, unsigned slot, uint32_t offset);
void *row_new_at(const RowOp *row, const RowCut *cut, unsigned slot,
                 uint32_t offset);
/* All reads are in: derive what the plans say, deliver what was asked. */
void row_compute(RowOp *row);
/*
 * The card's parity engine, for a row with parity: a write or task begins
 * with what the host brings, adds each vector that is read, and at the end,
 * when all is read, is told when the engine has done it; a read has the end
 * alone.
 */
void row_sum_begin(RowOp *row);
void row_sum_add(RowOp *row, uint32_t sectors);
SimTime row_sum_end(RowOp *row);

#endif
