/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit, its inside - for the rooms that make up a unit: unit.c (ops and the
 * rows they are cut into), member.c (who takes part, beginnings and ends)
 * and task.c (rows that nobody asked for).
 */
#ifndef RAID_ARRAY_UNIT_PRIVATE_H
#define RAID_ARRAY_UNIT_PRIVATE_H

#include "raid-model/array/gather.h"

#define UNIT_BUCKETS 256u

struct RaidUnit {
    RaidRows rows;              /* first: rows are handed back by it */
    Sim *sim;
    unsigned number;
    UnitState state;
    const RaidUnitListener *listener;
    void *opaque;
    GQueue ops;                 /* UnitOps lent to us */
    GQueue all;                 /* RowOps not yet retired */
    GQueue bucket[UNIT_BUCKETS];        /* the same but flushes, by row */
    GQueue runnable, over;
    GQueue for_memory;          /* row writes, by age */
    unsigned row_writes;        /* in the card's memory */
    RaidRun run;
    SimEvent run_over;          /* what was held back for its row may go */
    bool in_turns, in_submit;
    bool held;                  /* see raid_unit_hold() */
};

/* unit.c's: a row stands in line, whatever may go goes. */
void unit_enter_row(RaidUnit *unit, RowOp *row);
void unit_take_turns(RaidUnit *unit);
/* It is over: it lets go of its lock and is given back. */
void unit_retire_row(RaidUnit *unit, RowOp *row);
/* For RaidRows. */
void unit_row_sent(RowOp *row);
void unit_row_ended(RowOp *row);
/* run_over fires. */
void unit_run_over(SimEvent *ev);
/* All rows and ops end now; see raid_unit_reset(). */
void unit_end_all(RaidUnit *unit, bool carry_through);

/* member.c's: its state, of all that are present and not stale. */
void unit_note_state(RaidUnit *unit);

/* task.c's: a row of it is over; all its rows were ended by a reset; a
 * member was lost. */
void unit_task_row_over(RaidUnit *unit, RowOp *row);
void unit_task_was_reset(RaidUnit *unit);
void unit_task_lost_member(RaidUnit *unit, unsigned member);
void unit_task_overwrote(RaidUnit *unit, unsigned member);
void unit_task_init(RaidUnit *unit);

#endif
