/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runner - keeps a number of requests in flight on one unit until enough
 * are done, then says how it went.
 */
#ifndef RAID_SIM_RUNNER_H
#define RAID_SIM_RUNNER_H

#include "raid-model/sim/host.h"
#include "raid-model/sim/latency.h"
#include "raid-model/sim/rig.h"
#include "raid-model/sim/workload.h"

#define RUNNER_DEPTH_MAX 1024

typedef struct RunPlan {
    WorkloadPlan work;
    HostPlan host;              /* zeroed: every request goes to the card */
    unsigned unit;
    unsigned depth;
    uint64_t requests_max;      /* 0: no limit */
    uint64_t bytes_max;         /* 0: no limit */
    SimTime time_max;           /* 0: no limit; model time */
    uint64_t seed;              /* the workload's */
    bool data;                  /* give each request memory of its own */
} RunPlan;

typedef struct RunSide {        /* one direction */
    uint64_t requests, bytes, errors;
    Latency latency;
} RunSide;

typedef struct RunResult {
    RunSide read, write;
    SimTime took;               /* first request asked to last one done */
    HostSums sums;
    UnitStatus first_error;     /* UNIT_OK: none */
    uint64_t first_error_lba;
    bool interrupted;
} RunResult;

/* Steps the rig's Sim until the last request is done. */
void runner_run(Rig *rig, const RunPlan *plan, RunResult *result);

const char *runner_status_name(UnitStatus status);

#endif
