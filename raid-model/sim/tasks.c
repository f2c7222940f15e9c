/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks: a rig of its own for each run.
 */
#include "raid-model/sim/job-run.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/tasks.h"

#define REBUILT 0u              /* the member that was away */
#define LOOK_EVERY 4096         /* events between looks at the terminal */

typedef struct Run {
    const TasksAsk *ask;
    TasksResult *result;
    Rig *rig;
    RaidUnit *unit;
    JobRun *job;                /* NULL: no host */
} Run;

bool tasks_fit(const RaidLevel *level, RaidTaskKind kind)
{
    return kind != RAID_TASK_REBUILD || level->row_redundant;
}

static void begin_task(const Run *run)
{
    RaidUnit *unit = run->unit;
    RaidTaskKind kind = run->ask->kind;
    bool begun = true;

    if (kind == RAID_TASK_REBUILD) {
        raid_unit_lose_member(unit, REBUILT);
        begun = raid_unit_join_member(
            unit, REBUILT, raid_controller_port(run->rig->ctl, REBUILT));
    }
    if (kind != RAID_TASK_NONE) {
        begun = begun && raid_unit_task_start(unit, kind, REBUILT, 0);
        raid_unit_set_task_rate(unit, run->ask->rate);
    }
    g_assert(begun);
}

static bool is_over(const Run *run)
{
    const TasksAsk *ask = run->ask;

    return (ask->runtime && sim_now(run->rig->sim) >= ask->runtime) ||
           (ask->kind != RAID_TASK_NONE &&
            raid_unit_task(run->unit)->kind == RAID_TASK_NONE) ||
           progress_interrupted();
}

static double share_done(const Run *run)
{
    const RaidTaskState *task = raid_unit_task(run->unit);

    if (run->ask->kind == RAID_TASK_NONE) {
        return 0;
    }
    return task->kind == RAID_TASK_NONE ? 1
                                        : (double)task->row / task->rows;
}

static double share_shown(const Run *run)
{
    double time = run->ask->runtime ? (double)sim_now(run->rig->sim) /
                                      run->ask->runtime : 0;

    return MIN(MAX(time, share_done(run)), 1);
}

static void step_to_end(const Run *run)
{
    Sim *sim = run->rig->sim;

    for (uint64_t i = 1; !is_over(run) && sim_step(sim); i++) {
        if (i % LOOK_EVERY == 0) {
            progress_show("raidsim tasks", share_shown(run));
        }
    }
    run->result->took = sim_now(sim);
    run->result->share = share_done(run);
    run->result->interrupted = progress_interrupted();
    if (run->job) {
        job_run_stop(run->job);
    }
    while (run->job && job_run_going(run->job) && sim_step(sim)) {
        /* what was asked is answered */
    }
    raid_unit_task_stop(run->unit);
    while (sim_step(sim)) {
        /* rows in hand, drives that write what they hold */
    }
}

static void add_up(TasksResult *result, const JobResult *job)
{
    Latency *host = &result->host;

    result->error = job->first_error;
    for (unsigned i = 0; i < DRAW_SIDES; i++) {
        const Latency *side = &job->side[i].latency;
        uint64_t count = host->count + side->count;

        if (!side->count) {
            continue;
        }
        host->mean += (side->mean - host->mean) * side->count / count;
        host->max = MAX(host->max, side->max);
        host->min = host->count ? MIN(host->min, side->min) : side->min;
        host->count = count;
        for (unsigned bin = 0; bin < LATENCY_BINS; bin++) {
            host->bin[bin] += side->bin[bin];
        }
    }
}

bool tasks_run(const TasksAsk *ask, TasksResult *result, GError **error)
{
    JobPlan plan = { .depth = ask->depth, .clones = 1, .seed = ask->seed };
    Run run = { .ask = ask, .result = result };
    unsigned number;

    *result = (TasksResult) { .error = UNIT_OK };
    run.rig = rig_new_alike(ask->board, ask->drive, ask->level, ask->members,
                            ask->stripe_bytes, ask->seed, error);
    if (!run.rig) {
        return false;
    }
    number = rig_first_unit(run.rig);
    run.unit = raid_controller_unit(run.rig->ctl, number);
    if (ask->depth) {
        plan.draw = draw_plain(TASKS_READ_PERCENT, true, TASKS_BLOCK_SECTORS,
                               raid_capacity(raid_unit_shape(run.unit)));
        run.job = job_run_new(run.rig, number, &plan, 1, false);
        job_run_begin(run.job);
    }
    begin_task(&run);
    step_to_end(&run);
    if (run.job) {
        add_up(result, job_run_result(run.job, 0));
        job_run_free(run.job);
    }
    rig_free(run.rig);
    return true;
}

double tasks_whole_ns(const TasksResult *result)
{
    return result->took / result->share;
}
