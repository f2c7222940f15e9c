/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report - the result of a run, for people and for programs.
 *
 * The JSON carries fio's names wherever fio has one (jobs[], read, write,
 * iops, bw_bytes, clat_ns, percentile ...); what fio cannot know stands
 * under "platter": of the job in its own, of the drives in that of a single
 * job or else beside the list.
 */
#ifndef RAID_SIM_REPORT_H
#define RAID_SIM_REPORT_H

#include "raid-model/sim/expect.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/control/json.h"
#include "raid-model/sim/watch.h"

typedef struct Report {
    const RigAsk *ask;
    const Rig *rig;
    unsigned unit;
    const JobRun *run;
    const Watch *watch;
} Report;

void report_text(const Report *report, FILE *out);
void report_json(const Report *report, FILE *out);

/*
 * The JSON of one result, inside an object that is open: jobname, read,
 * write ...
 */
void report_put_job(Json *json, const JobResult *result);
/* What of it goes into an open "platter". */
void report_put_command(Json *json, const JobResult *result);
/* The lines of one result. */
void report_print_job(const JobResult *result, FILE *out);

/*
 * True when a data sheet has an answer for this very run: one job, random
 * reads at depth 1 over the whole of a unit that is one drive.
 */
bool report_expects(const Report *report, Expect *expect);

#endif
