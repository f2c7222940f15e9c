/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job run - several jobs on one unit: each keeps its depth of requests in
 * flight until it has had enough.
 *
 * A job and each of its clones (numjobs) has a host of its own, with no
 * limit above the card: fio's requests meet the driver at once.  Jobs begin
 * together, up to a stonewall; those behind it when all before have ended.
 * What ends before a job's ramp is over does not count.
 *
 * The caller steps the rig's Sim, so other things may happen meanwhile.
 */
#ifndef RAID_SIM_JOB_RUN_H
#define RAID_SIM_JOB_RUN_H

#include "raid-model/sim/host.h"
#include "raid-model/sim/iometer.h"
#include "raid-model/sim/job.h"
#include "raid-model/sim/latency.h"
#include "raid-model/sim/rig.h"

typedef struct JobSide {        /* one direction */
    uint64_t requests, bytes, errors;
    Latency latency;
} JobSide;

/* Of a job, a clone or, with group_reporting, of all in a group. */
typedef struct JobResult {
    const JobPlan *plan;        /* of the first one */
    unsigned jobs, group;
    JobSide side[DRAW_SIDES];   /* by UNIT_READ, UNIT_WRITE */
    SimTime began, took;        /* end of the ramp; to the last one done */
    HostSums sums;
    UnitStatus first_error;     /* UNIT_OK: none */
    uint64_t first_error_lba;
    bool interrupted;
} JobResult;

typedef struct JobRun JobRun;

/* Borrows the plans; `data` gives each request memory of its own. */
JobRun *job_run_new(Rig *rig, unsigned unit, const JobPlan *plans,
                    unsigned count, bool data);
/* One job that asks as IOMeter does; of the plan's draw only the region's
 * size is taken. */
JobRun *job_run_new_iometer(Rig *rig, unsigned unit, const JobPlan *plan,
                            const IometerSpec *spec);
void job_run_free(JobRun *run);         /* nothing may be going */

void job_run_begin(JobRun *run);
bool job_run_going(const JobRun *run);
void job_run_stop(JobRun *run);         /* no more is asked */
double job_run_share(const JobRun *run);        /* of all there is to do */

/* In order; fixed when the run is made. */
const JobResult *job_run_result(const JobRun *run, unsigned index);
unsigned job_run_results(const JobRun *run);

/* Begins, steps the Sim to the end, shows progress; Ctrl-C stops it. */
void job_run_all(JobRun *run, const char *what);

const char *job_status_name(UnitStatus status);

#endif
