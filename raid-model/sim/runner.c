/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runner: a slot for each request in flight; the host does the rest.
 */
#include "raid-model/sim/progress.h"
#include "raid-model/sim/runner.h"

typedef struct Runner Runner;

typedef struct Slot {
    HostOp host;
    Runner *run;
    void *buf;
} Slot;

struct Runner {
    Rig *rig;
    const RunPlan *plan;
    RunResult *result;
    Host *host;
    Workload work;
    SimTime start;
    uint64_t asked, asked_bytes;
    unsigned in_flight;
    bool stop;
};

static bool wants_more(const Runner *run)
{
    const RunPlan *plan = run->plan;

    return !run->stop &&
           (!plan->requests_max || run->asked < plan->requests_max) &&
           (!plan->bytes_max || run->asked_bytes < plan->bytes_max) &&
           (!plan->time_max ||
            sim_now(run->rig->sim) - run->start < plan->time_max);
}

static void ask(Slot *slot)
{
    Runner *run = slot->run;
    UnitOp *op = &slot->host.op;

    workload_next(&run->work, op);
    op->buf = slot->buf;
    run->asked++;
    run->asked_bytes += (uint64_t)op->count * DISK_SECTOR_BYTES;
    run->in_flight++;
    host_submit(run->host, &slot->host);
}

static void finish(HostOp *host)
{
    Slot *slot = host->opaque;
    Runner *run = slot->run;
    RunResult *result = run->result;
    UnitOp *op = &host->op;
    SimTime now = sim_now(run->rig->sim);
    RunSide *side = op->verb == UNIT_READ ? &result->read : &result->write;

    if (op->status != UNIT_OK) {
        side->errors++;
        if (result->first_error == UNIT_OK) {
            result->first_error = op->status;
            result->first_error_lba = op->lba;
        }
        run->stop = true;
    } else {
        side->requests++;
        side->bytes += (uint64_t)op->count * DISK_SECTOR_BYTES;
        latency_add(&side->latency, now - host->asked);
    }
    result->took = now - run->start;
    run->in_flight--;
    if (wants_more(run)) {
        ask(slot);
    }
}

static double share_done(const Runner *run)
{
    const RunPlan *plan = run->plan;
    double share = 0;

    if (plan->requests_max) {
        share = MAX(share, (double)run->asked / plan->requests_max);
    }
    if (plan->bytes_max) {
        share = MAX(share, (double)run->asked_bytes / plan->bytes_max);
    }
    if (plan->time_max) {
        share = MAX(share, (double)(sim_now(run->rig->sim) - run->start) /
                           plan->time_max);
    }
    return MIN(share, 1);
}

static void fill(void *buf, size_t bytes, Sim *chance)
{
    uint64_t *word = buf;

    for (size_t i = 0; i < bytes / sizeof(*word); i++) {
        word[i] = sim_random(chance, UINT64_MAX);
    }
}

void runner_run(Rig *rig, const RunPlan *plan, RunResult *result)
{
    size_t bytes = (size_t)plan->work.block_sectors * DISK_SECTOR_BYTES;
    Slot *slots = g_new0(Slot, plan->depth);
    unsigned bufs = plan->data ? plan->depth : 1;
    char *memory = rig_memory(bufs * bytes);
    Runner run = {
        .rig = rig, .plan = plan, .result = result,
        .start = sim_now(rig->sim),
    };

    *result = (RunResult) { .first_error = UNIT_OK };
    workload_init(&run.work, &plan->work, plan->seed);
    fill(memory, bufs * bytes, run.work.chance);
    run.host = host_new(rig->ctl, plan->unit, &plan->host);

    progress_begin();
    for (unsigned i = 0; i < plan->depth && wants_more(&run); i++) {
        slots[i] = (Slot) {
            .host = { .done = finish, .opaque = &slots[i] },
            .run = &run, .buf = memory + (i % bufs) * bytes,
        };
        ask(&slots[i]);
    }
    for (uint64_t i = 1; run.in_flight && sim_step(rig->sim); i++) {
        if (i % 4096 == 0) {
            progress_show("raidsim fio", share_done(&run));
            if (progress_interrupted()) {
                result->interrupted = run.stop = true;
            }
        }
    }
    progress_end();
    g_assert(!run.in_flight);
    result->sums = *host_sums(run.host);
    host_free(run.host);
    workload_clear(&run.work);
    g_free(memory);
    g_free(slots);
}

const char *runner_status_name(UnitStatus status)
{
    static const char *const name[] = {
        [UNIT_OK] = "no error",
        [UNIT_MEDIUM_ERROR] = "a sector cannot be read",
        [UNIT_OFFLINE] = "the unit is not there: too many drives missing",
        [UNIT_OUT_OF_RANGE] = "beyond the end of the unit",
        [UNIT_ABORTED] = "aborted",
    };

    return name[status];
}
