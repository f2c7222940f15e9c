/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task - how far a unit's task has come, and how fast it may go.
 *
 * A task is a window that moves over the rows of a unit:
 *
 *   0 ............ row ........ next ................ rows
 *      all done    |  at most   |     nothing done
 *                  |  WINDOW    |
 *                  some done, some in hand
 *
 * Each row in hand is a RowOp that holds the lock on its row, so a host's op
 * finds a row either done or not touched.  Before a checkpoint is told the
 * rows in hand end and the drives are flushed: what is told is on the media.
 */
#ifndef RAID_ARRAY_TASK_H
#define RAID_ARRAY_TASK_H

#include "raid-model/array/unit.h"

#define RAID_TASK_WINDOW 64
#define RAID_TASK_RATES 5

/* What of a stretch of a unit a task has done. */
typedef enum RaidTaskCover {
    RAID_TASK_COVERS_NONE, RAID_TASK_COVERS_SOME, RAID_TASK_COVERS_ALL
} RaidTaskCover;

typedef struct RaidTask {
    RaidTaskState state;
    unsigned number;            /* of the task; rows in hand know theirs */
    uint64_t next;              /* row not yet in hand */
    uint64_t done;              /* bit i: row state.row + i */
    uint64_t told;              /* the last checkpoint */
    unsigned in_hand;
    unsigned rate;
    SimEvent turn;
} RaidTask;

uint64_t raid_task_rows(const RaidShape *shape);
/* Sectors of the unit in a row of a task. */
uint64_t raid_task_row_sectors(const RaidShape *shape);

/* Of the unit's [lba, end), in rows where the task's member is. */
RaidTaskCover raid_task_covers(const RaidTask *task, const RaidShape *shape,
                               uint64_t lba, uint64_t end);

/*
 * How long the task rests after a row that took `took`, with host ops there:
 * so that it has its share of the time, but never longer than 2 s (guess).
 * Shares are guesses: 80, 60, 40, 20 and 10 %.
 */
SimTime raid_task_rest_ns(unsigned rate, SimTime took);

#endif
