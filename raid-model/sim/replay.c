/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: one drive or unit, one host that asks.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "disk-model/drive/disk.h"
#include "raid-model/sim/forget.h"
#include "raid-model/sim/host.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/replay.h"

#define SHOW_EVERY 4096

typedef struct Replay Replay;

typedef struct ReplayOp {
    DiskOp disk;                /* on a drive alone */
    HostOp host;                /* on a unit */
    Replay *run;
    uint64_t index;
    SimTime asked;
    struct ReplayOp *next;      /* idle */
} ReplayOp;

struct Replay {
    const ReplayPlan *plan;
    const TraceFile *trace;
    Sim *sim;
    Disk *disk;                 /* or NULL: */
    Host *host;
    void *buf;
    SimTime *response;
    SimTime start, last;
    double scale;
    uint64_t asked, done, errors;
    bool stop;
    ReplayOp *idle;
    SimEvent ask;
};

static const TraceRequest *request(const Replay *run, uint64_t index)
{
    return &g_array_index(run->trace->requests, TraceRequest, index);
}

static bool has_more(const Replay *run)
{
    return !run->stop && run->asked < run->trace->requests->len;
}

static SimTime scaled(const Replay *run, uint64_t index)
{
    return (SimTime)(request(run, index)->when * run->scale + 0.5);
}

/* Those that are all asked for at once, or follow an end. */
static bool is_closed(const Replay *run)
{
    return run->plan->closed || run->trace->closed;
}

static void end(ReplayOp *mine, bool good)
{
    Replay *run = mine->run;

    mine->next = run->idle;
    run->idle = mine;
    run->last = sim_now(run->sim);
    run->response[mine->index] = run->last - mine->asked;
    run->done++;
    run->errors += !good;
    if (is_closed(run) && has_more(run)) {
        sim_after(run->sim, &run->ask,
                  run->plan->closed ? 0 : scaled(run, mine->index));
    }
}

static void disk_done(DiskOp *op)
{
    end(op->opaque, op->status == DISK_OK);
}

static void host_done(HostOp *op)
{
    end(op->opaque, op->op.status == UNIT_OK);
}

static ReplayOp *take_op(Replay *run)
{
    ReplayOp *mine = run->idle;

    if (mine) {
        run->idle = mine->next;
    } else {
        mine = g_new0(ReplayOp, 1);
        mine->run = run;
        mine->disk.done = disk_done;
        mine->disk.opaque = mine->host.opaque = mine;
        mine->disk.buf = mine->host.op.buf = run->buf;
        mine->host.done = host_done;
    }
    return mine;
}

static void ask(Replay *run)
{
    ReplayOp *mine = take_op(run);
    const TraceRequest *what = request(run, run->asked);

    mine->index = run->asked++;
    mine->asked = sim_now(run->sim);
    if (run->disk) {
        mine->disk.verb = what->write ? DISK_WRITE : DISK_READ;
        mine->disk.span = (DiskSpan) { what->sector, what->count };
        disk_submit(run->disk, &mine->disk);
    } else {
        mine->host.op.verb = what->write ? UNIT_WRITE : UNIT_READ;
        mine->host.op.lba = what->sector;
        mine->host.op.count = what->count;
        host_submit(run->host, &mine->host);
    }
}

static void ask_next(SimEvent *ev)
{
    Replay *run = (Replay *)((char *)ev - offsetof(Replay, ask));

    if (run->plan->closed) {
        while (has_more(run) && run->asked - run->done < run->plan->closed) {
            ask(run);
        }
    } else if (has_more(run)) {
        ask(run);
        if (!is_closed(run) && has_more(run)) {
            sim_at(run->sim, &run->ask,
                   run->start + scaled(run, run->asked));
        }
    }
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

typedef struct Kind {
    uint64_t count;
    double mean, measured_mean, rms;
} Kind;

/* Compares reads, writes or (`which` -1) both; `model` ends up sorted. */
static Kind compare(const Replay *run, int which, double *model,
                    double *measured)
{
    Kind kind = { 0 };
    double square = 0;

    for (uint64_t i = 0; i < run->done; i++) {
        const TraceRequest *what = request(run, i);

        if (which >= 0 && which != (int)what->write) {
            continue;
        }
        model[kind.count] = run->response[i] / 1e6;
        measured[kind.count] = what->measured / 1e6;
        kind.mean += model[kind.count];
        kind.measured_mean += measured[kind.count];
        kind.count++;
    }
    if (!kind.count) {
        return kind;
    }
    qsort(model, kind.count, sizeof(double), by_size);
    qsort(measured, kind.count, sizeof(double), by_size);
    for (uint64_t i = 0; i < kind.count; i++) {
        double off = model[i] - measured[i];

        square += off * off;
    }
    kind.mean /= kind.count;
    kind.measured_mean /= kind.count;
    kind.rms = sqrt(square / kind.count);
    return kind;
}

static double share(const double *sorted, uint64_t count, double percent)
{
    uint64_t rank = (uint64_t)ceil(count * percent / 100);

    return count ? sorted[MAX(rank, 1) - 1] : 0;
}

static void sum_up(const Replay *run, ReplayResult *result)
{
    g_autofree double *model = g_new(double, run->done + 1);
    g_autofree double *measured = g_new(double, run->done + 1);
    Kind read = compare(run, 0, model, measured);
    Kind write = compare(run, 1, model, measured);
    Kind all = compare(run, -1, model, measured);

    *result = (ReplayResult) {
        .requests = run->done, .errors = run->errors,
        .measured = run->trace->measured, .interrupted = run->stop,
        .took = run->last - run->start,
        .mean_ms = all.mean, .measured_mean_ms = all.measured_mean,
        .rms_ms = all.rms,
        .rms_pct = all.measured_mean > 0
            ? 100 * all.rms / all.measured_mean : 0,
        .read_mean_ms = read.mean, .write_mean_ms = write.mean,
        .read_measured_ms = read.measured_mean,
        .write_measured_ms = write.measured_mean,
        .read_rms_ms = read.rms, .write_rms_ms = write.rms,
        .p50_ms = share(model, run->done, 50),
        .p90_ms = share(model, run->done, 90),
        .p95_ms = share(model, run->done, 95),
        .p99_ms = share(model, run->done, 99),
        .p999_ms = share(model, run->done, 99.9),
        .max_ms = share(model, run->done, 100),
    };
}

/* After Ctrl-C no more is asked; what is under way ends. */
static void run_all(Replay *run)
{
    uint64_t steps = 0;

    sim_at(run->sim, &run->ask, is_closed(run)
           ? run->start : run->start + scaled(run, 0));
    progress_begin();
    while ((has_more(run) || run->done < run->asked) && sim_step(run->sim)) {
        if (++steps % SHOW_EVERY == 0) {
            progress_show("replay", (double)run->done /
                                    run->trace->requests->len);
            run->stop |= progress_interrupted();
        }
    }
    progress_end();
    sim_cancel(run->sim, &run->ask);
}

void replay_run(const ReplayPlan *plan, const TraceFile *trace,
                SimTime *response, ReplayResult *result)
{
    Replay run = {
        .plan = plan, .trace = trace, .response = response,
        .scale = plan->scale > 0 ? plan->scale : 1,
        .buf = rig_memory((size_t)trace->count_max * DISK_SECTOR_BYTES),
        .ask.fire = ask_next,
    };
    DiskMedia *media = NULL;

    if (plan->preset) {
        media = forget_media_new(plan->preset->geometry.lbas);
        run.sim = sim_new(plan->seed);
        run.disk = disk_new(run.sim, plan->preset, media, "REPLAY",
                            sim_random(run.sim, UINT64_C(1) << 32));
    } else {
        run.sim = plan->rig->sim;
        run.host = host_new(plan->rig->ctl, plan->unit, &(HostPlan) { 0 });
    }
    run.start = run.last = sim_now(run.sim);
    run_all(&run);
    sum_up(&run, result);
    while (run.idle) {
        ReplayOp *next = run.idle->next;

        g_free(run.idle);
        run.idle = next;
    }
    if (plan->preset) {
        disk_free(run.disk);
        disk_media_close(media);
        sim_free(run.sim);
    } else {
        host_free(run.host);
    }
    g_free(run.buf);
}
