/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Row sum - how long the card's parity engine is at work for a row, and
 * when it is done.  All units share the engine; what passes its memory for a
 * write is added up vector by vector, as the host's data and the drives' are
 * there.
 */
#include "raid-model/array/row.h"

#define PASSES_TO_ADD 3

static unsigned count(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

/*
 * What passes the memory for a stretch's parity: the first vector as the
 * card does it, each further one in three ways (it, and the sum read and
 * written).
 */
static uint64_t passes(const RaidCard *card, uint32_t sectors,
                       unsigned vectors)
{
    return (uint64_t)MAX(sectors, card->xor_piece_sectors) *
           (PASSES_TO_ADD * (vectors - 1) + card->xor_first);
}

/*
 * What is read from a row with parity passes the memory too, once: a guess
 * that has bonnie++ read from a 7410 as published (2005), at the rate of its
 * writes.
 */
static SimTime all_ns(const RowOp *row)
{
    const RaidCard *card = row->rows->card;
    unsigned data = raid_row_data(&row->rows->shape);
    bool summed = false;
    uint64_t sectors = 0;

    for (unsigned i = 0; i < row->cuts; i++) {
        const RowCut *cut = &row->cut[i];

        if (row->verb == ROW_READ) {
            sectors += (uint64_t)cut->count * count(cut->wanted);
        }
        summed |= cut->plan.compute || row->verb == ROW_VERIFY;
        if (row->verb == ROW_VERIFY) {
            sectors += passes(card, cut->count, count(cut->plan.read));
        } else if (cut->plan.compute) {
            sectors += passes(card, cut->count, cut->plan.by_delta
                                  ? count(cut->plan.read) +
                                    count(cut->wanted) : data);
        }
    }
    return (summed ? card->xor_row_ns : 0) +
           sim_pipe_time(&card->xor, sectors * DISK_SECTOR_BYTES);
}

/* Of that: what the host brings. */
static SimTime brought_ns(const RowOp *row)
{
    const RaidCard *card = row->rows->card;
    uint64_t sectors = 0;

    for (unsigned i = 0; i < row->cuts; i++) {
        const RowCut *cut = &row->cut[i];

        sectors += cut->plan.compute ? passes(card, cut->count,
                                              count(cut->wanted)) : 0;
    }
    return sim_pipe_time(&card->xor, sectors * DISK_SECTOR_BYTES);
}

/* And a vector that is read. */
static SimTime added_ns(const RowOp *row, uint32_t sectors)
{
    const RaidCard *card = row->rows->card;

    return sim_pipe_time(&card->xor, PASSES_TO_ADD * DISK_SECTOR_BYTES *
                         (uint64_t)MAX(sectors, card->xor_piece_sectors));
}

/* --- when it does so ------------------------------------------------------ */

static void add_up(RowOp *row, SimTime ns)
{
    RaidRows *rows = row->rows;

    ns = MIN(ns, row->sum_left);
    row->sum_left -= ns;
    row->summed = sim_pipe_busy(&rows->card->xor, sim_now(rows->sim), ns);
}

void row_sum_begin(RowOp *row)
{
    row->summed = 0;
    row->sum_left = all_ns(row);
    if (row->sum_left && row->verb == ROW_WRITE) {
        add_up(row, brought_ns(row));
    }
}

void row_sum_add(RowOp *row, uint32_t sectors)
{
    add_up(row, added_ns(row, sectors));
}

SimTime row_sum_end(RowOp *row)
{
    RaidRows *rows = row->rows;
    SimTime busy;

    if (row->verb == ROW_READ) {
        busy = all_ns(row);
        /* What is only read goes through while the drives still read it. */
        return busy ? sim_pipe_busy(&rows->card->xor,
                                    sim_now(rows->sim) - busy, busy) : 0;
    }
    if (row->sum_left) {
        add_up(row, row->sum_left);
    }
    return row->summed;
}
