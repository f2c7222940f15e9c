/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks - a unit's rebuild or verify beside a host that keeps asking: how
 * long the task takes, and how long the host's requests wait.
 *
 * The host's load is closed and random: `depth` requests of 4 KiB, 70 % of
 * them reads, each replaced when it is done.
 */
#ifndef RAID_SIM_TASKS_H
#define RAID_SIM_TASKS_H

#include "raid-model/sim/latency.h"
#include "raid-model/sim/rig.h"

#define TASKS_BLOCK_SECTORS 8u
#define TASKS_READ_PERCENT 70u

typedef struct TasksAsk {
    const char *board, *drive, *level;
    unsigned members;
    uint32_t stripe_bytes;      /* 0: 64 KiB, if the level has one */
    RaidTaskKind kind;          /* NONE: the host alone */
    unsigned rate;              /* 1 to 5 */
    unsigned depth;             /* 0: the task alone */
    SimTime runtime;            /* it ends then, or with the task; 0: so */
    uint64_t seed;              /* of addresses and spindles */
} TasksAsk;

typedef struct TasksResult {
    Latency host;               /* reads and writes together */
    SimTime took;               /* from the task's start to the end */
    double share;               /* of the task; 1: it ended */
    bool interrupted;
    UnitStatus error;           /* UNIT_OK, or the host's first */
} TasksResult;

/* Whether the level has what the task needs. */
bool tasks_fit(const RaidLevel *level, RaidTaskKind kind);

/*
 * The level must have what the task needs, and depth or the task be there.
 * False and one line in `error` when there can be no such unit.
 */
bool tasks_run(const TasksAsk *ask, TasksResult *result, GError **error);

/* Nanoseconds from the task's start to its end, at the pace it had. */
double tasks_whole_ns(const TasksResult *result);

#endif
