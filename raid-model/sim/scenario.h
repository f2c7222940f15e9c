/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenario - what happens to a card, line by line:
 *
 *   controller 3ware-7410 seed 42
 *   drives 4 wd1200jb
 *   at 0    create raid5 ports 0-3 stripe 64k
 *   at 1s   work file-server depth 16 for 60s
 *   at 5s   work fio rw=randread bs=8k iodepth=4 for 500 requests
 *   at 20s  pull port 2
 *   at 30s  fault port 1 bad at 5000-5007
 *   at 35s  plug port 2
 *   at 36s  order u0 start rebuild disk=2
 *   at 40s  report
 *   at 70s  power cut
 *
 * A work pattern is one of IOMeter's (iometer.h), on all of a unit, or fio's
 * words (job.h).  "on unit N" names the unit; else it is the first.  Units
 * are made before power-on, so create stands at 0.  Lines of one time happen
 * in their order.  What lies behind # is a comment.
 *
 * What lies behind "fault" is a line of fault.h, behind "order" one of
 * raid-model/control/manage.h; an order that is refused is told, and the
 * story goes on.  Pulling a drive loses the unit a member; a drive that is
 * plugged again joins no unit without an order.  When the power
 * is cut all work ends, drives lose what they held in their RAM and had told
 * to be written; requests that were under way still end (no sector is torn).
 * The power is back at once.
 *
 * Wrong words end the reading: FILE:LINE: what is wrong; what would be right.
 */
#ifndef RAID_SIM_SCENARIO_H
#define RAID_SIM_SCENARIO_H

#include "raid-model/sim/job-run.h"

typedef enum ScenarioVerb {
    SCENARIO_WORK, SCENARIO_PULL, SCENARIO_PLUG, SCENARIO_FAULT,
    SCENARIO_ORDER, SCENARIO_POWER_CUT, SCENARIO_REPORT
} ScenarioVerb;

typedef struct ScenarioEntry {
    ScenarioVerb verb;
    unsigned line;
    SimTime at;
    unsigned port;              /* pull, plug */
    const char *fault;          /* fault: a line for fault_order() */
    const char *order;          /* order: one for manage_order() */
    /* work: */
    int unit;                   /* -1: the first */
    Job job;                    /* its name: the pattern, or fio's name= */
    IometerSpec *spec;          /* NULL: fio's words */
    unsigned depth;
    SimTime time;               /* for so long, or 0: */
    uint64_t requests;          /* for so many */
} ScenarioEntry;

typedef struct Scenario {
    const char *path;
    const char *board;
    GString *drives, *units;    /* as a Rig wants them */
    uint64_t seed;
    GArray *entries;            /* of ScenarioEntry, by time */
    GPtrArray *ignored;         /* fio's keys without a meaning here */
    GStringChunk *text;         /* what the rest points into */
} Scenario;

/* NULL and an error. */
Scenario *scenario_read(const char *path, GError **error);
void scenario_free(Scenario *story);          /* NULL is fine */

typedef struct ScenarioEvent {
    SimTime at;
    char *what;                 /* "pull port 2: unit 0 is degraded" */
} ScenarioEvent;

typedef struct ScenarioPhase {     /* of work */
    const ScenarioEntry *entry;
    unsigned unit;
    JobPlan plan;
    JobRun *run;                /* one result */
    bool begun;
} ScenarioPhase;

typedef struct ScenarioRun ScenarioRun;

/* Called at each report line, at its time, and the story is still going. */
typedef void ScenarioReport(void *opaque, const ScenarioRun *run);

/* The rig stands and all work is planned, or NULL and an error. */
ScenarioRun *scenario_run_new(const Scenario *story, GError **error);
void scenario_run_free(ScenarioRun *run);
/* To the end, or to Ctrl-C.  False if work met an error. */
bool scenario_run_all(ScenarioRun *run, ScenarioReport *report, void *opaque);

SimTime scenario_run_now(const ScenarioRun *run);
const Rig *scenario_run_rig(const ScenarioRun *run);
bool scenario_run_interrupted(const ScenarioRun *run);
/* Of ScenarioEvent, of ScenarioPhase. */
const GArray *scenario_run_events(const ScenarioRun *run);
const GArray *scenario_run_phases(const ScenarioRun *run);

/* "OK", "degraded", "inoperable". */
const char *scenario_state_name(UnitState state);

#endif
