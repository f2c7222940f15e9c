/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gather - which writes that wait for a row of a RAID 5 become one.
 *
 * When a row write is taken up, those that happen to wait for the same row
 * are looked through.  Writes that together
 * cover the row need no reads, the parity comes from what they bring; that
 * cards do this on what is queued, having no cache, is inferred from how
 * their sequential writes depend on depth (StorageReview 2001).
 *
 * The one that is made carries out a copy of what the others bring, later
 * ones over earlier ones; they keep their places and locks until it ends.
 */
#ifndef RAID_ARRAY_GATHER_H
#define RAID_ARRAY_GATHER_H

#include "raid-model/array/stripe.h"

/*
 * `leader` may start; `bucket` has all row ops of its row, by age.  A new
 * RowOp with those it is carried out for in `carried`, ready to start; or
 * NULL when the leader goes alone.
 */
RowOp *raid_gather(RowOp *leader, const GQueue *bucket);

/*
 * Rows written whole one after the other.  A write that goes on from the
 * last is held back until its row can be whole too, but no longer than
 * card->row_wait_ns after the drives have that one, and not when writes for
 * other rows came since: then no more will.  That a card does so is inferred
 * from sequential writes that have only just more outstanding than a row
 * (StorageReview 2001).
 */
typedef struct RaidRun {
    bool whole;                 /* the last row write taken up was */
    uint64_t next;              /* unit LBA behind it */
    const RowOp *under_way;     /* or NULL: it ended at */
    SimTime ended;
} RaidRun;

void raid_run_take_up(RaidRun *run, const RowOp *row);
/* Of any row op; `row` is not looked into. */
void raid_run_end(RaidRun *run, const RowOp *row, SimTime now);
/*
 * When `leader`, which has a place in memory and is free to go, may start:
 * SIM_NEVER is when another row has ended or come.  `youngest` waits last.
 */
SimTime raid_run_lets_go(const RaidRun *run, const RowOp *leader,
                         const RowOp *youngest, const GQueue *bucket);

#endif
