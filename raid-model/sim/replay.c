/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: one drive, one host that asks.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "disk-model/drive/disk.h"
#include "raid-model/sim/forget.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/replay.h"

#define SHOW_EVERY 4096

typedef struct Replay Replay;

typedef struct ReplayOp {
    DiskOp op;
    Replay *run;
    uint64_t index;
    SimTime asked;
    struct ReplayOp *next;      /* idle */
} ReplayOp;

struct Replay {
    Sim *sim;
    Disk *disk;
    const TraceFile *trace;
    void *buf;
    SimTime *response;
    uint64_t asked, done;
    ReplayOp *idle;
    SimEvent ask;
};

static const TraceRequest *request(const Replay *run, uint64_t index)
{
    return &g_array_index(run->trace->requests, TraceRequest, index);
}

static void op_done(DiskOp *op)
{
    ReplayOp *mine = (ReplayOp *)((char *)op - offsetof(ReplayOp, op));
    Replay *run = mine->run;
    SimTime now = sim_now(run->sim);

    mine->next = run->idle;
    run->idle = mine;
    if (op->status != DISK_OK) {
        return;                 /* taken back after Ctrl-C */
    }
    run->response[mine->index] = now - mine->asked;
    run->done++;
    if (run->trace->measured && run->asked < run->trace->requests->len) {
        sim_at(run->sim, &run->ask, now + request(run, mine->index)->when);
    }
}

static void ask_next(SimEvent *ev)
{
    Replay *run = (Replay *)((char *)ev - offsetof(Replay, ask));
    uint64_t index = run->asked++;
    const TraceRequest *what = request(run, index);
    ReplayOp *mine = run->idle;

    if (mine) {
        run->idle = mine->next;
    } else {
        mine = g_new0(ReplayOp, 1);
        mine->run = run;
        mine->op.done = op_done;
        mine->op.buf = run->buf;
    }
    mine->index = index;
    mine->asked = sim_now(run->sim);
    mine->op.verb = what->write ? DISK_WRITE : DISK_READ;
    mine->op.span = (DiskSpan) { what->sector, what->count };
    disk_submit(run->disk, &mine->op);
    if (!run->trace->measured && run->asked < run->trace->requests->len) {
        sim_at(run->sim, &run->ask, request(run, run->asked)->when);
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
        .requests = run->done, .measured = run->trace->measured,
        .interrupted = run->done < run->trace->requests->len,
        .mean_ms = all.mean, .measured_mean_ms = all.measured_mean,
        .rms_ms = all.rms,
        .rms_pct = all.measured_mean > 0
            ? 100 * all.rms / all.measured_mean : 0,
        .read_mean_ms = read.mean, .write_mean_ms = write.mean,
        .read_measured_ms = read.measured_mean,
        .write_measured_ms = write.measured_mean,
        .read_rms_ms = read.rms, .write_rms_ms = write.rms,
        .p50_ms = share(model, run->done, 50),
        .p95_ms = share(model, run->done, 95),
        .p99_ms = share(model, run->done, 99),
    };
}

/* After Ctrl-C what is done counts, as far as it is the trace's beginning. */
static void finish(Replay *run)
{
    sim_cancel(run->sim, &run->ask);
    if (run->done < run->asked) {
        for (uint64_t i = 0; i < run->trace->requests->len; i++) {
            if (run->response[i] < 0) {
                run->done = i;
                break;
            }
        }
        disk_cancel_all(run->disk, DISK_ABORTED);
    }
}

void replay_run(const DiskPreset *preset, const TraceFile *trace,
                uint64_t seed, SimTime *response, ReplayResult *result)
{
    Replay run = { .trace = trace, .response = response };
    DiskMedia *media = forget_media_new(preset->geometry.lbas);
    const GArray *all = trace->requests;

    for (guint i = 0; i < all->len; i++) {
        response[i] = -1;
    }
    run.sim = sim_new(seed);
    run.disk = disk_new(run.sim, preset, media, "REPLAY",
                        sim_random(run.sim, UINT64_C(1) << 32));
    run.buf = g_malloc0((size_t)trace->count_max * DISK_SECTOR_BYTES);
    run.ask.fire = ask_next;
    sim_at(run.sim, &run.ask, trace->measured ? 0 : request(&run, 0)->when);
    progress_begin();
    while (run.done < all->len && !progress_interrupted() &&
           sim_step(run.sim)) {
        if (run.done % SHOW_EVERY == 0) {
            progress_show("replay", (double)run.done / all->len);
        }
    }
    progress_end();
    finish(&run);
    sum_up(&run, result);
    while (run.idle) {
        ReplayOp *next = run.idle->next;

        g_free(run.idle);
        run.idle = next;
    }
    disk_free(run.disk);
    disk_media_close(media);
    sim_free(run.sim);
    g_free(run.buf);
}
