/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report - the result of a run, for people and for programs.
 *
 * The JSON carries fio's names wherever fio has one (jobs[], read, write,
 * iops, bw_bytes, clat_ns, percentile ...); what fio cannot know stands
 * under "platter".
 */
#ifndef RAID_SIM_REPORT_H
#define RAID_SIM_REPORT_H

#include "raid-model/sim/expect.h"
#include "raid-model/sim/runner.h"
#include "raid-model/sim/watch.h"

typedef struct Report {
    const char *name;           /* of the job */
    const RigAsk *ask;
    const Rig *rig;
    const RunPlan *plan;
    const RunResult *result;
    const Watch *watch;
} Report;

void report_text(const Report *report, FILE *out);
void report_json(const Report *report, FILE *out);

/*
 * True when a data sheet has an answer for this very run: random reads at
 * depth 1 over the whole of a unit that is one drive.
 */
bool report_expects(const Report *report, Expect *expect);

#endif
