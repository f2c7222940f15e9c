/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bench: runs, timed from outside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "raid-model/sim/bench.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/sim/progress.h"

#define PORTION 50000u          /* requests between two looks at the clock */
#define PARTS 20u               /* of a run that is watched as it grows */
#define FILL_SECTORS 128u
#define REGION_SECTORS (BENCH_DATA_MIB * UINT64_C(2048))

static double seconds(void)
{
    return g_get_monotonic_time() / 1e6;
}

/* A rig with its load, and where the results go. */
typedef struct Bench {
    Rig *rig;
    unsigned unit;
    bool data;
    JobPlan plan;
} Bench;

static void run(Bench *bench, uint64_t requests)
{
    JobRun *job;

    bench->plan.requests_max = requests;
    bench->plan.seed++;
    job = job_run_new(bench->rig, bench->unit, &bench->plan, 1, bench->data);
    job_run_all(job, "raidsim bench");
    g_assert(job_run_result(job, 0)->first_error == UNIT_OK);
    job_run_free(job);
}

/* So that reads find something: the region is written once, in order. */
static void fill(Bench *bench)
{
    DrawPlan draw = bench->plan.draw;

    bench->plan.draw = draw_plain(0, false, FILL_SECTORS, draw.sectors);
    run(bench, draw.sectors / FILL_SECTORS);
    bench->plan.draw = draw;
}

static Rig *rig_of(const BenchLoad *load, bool data, GError **error)
{
    const RigAsk ask = {
        .board = load->board, .drives = load->drives, .units = load->unit,
        .seed = 1, .data = data,
    };

    return rig_new(&ask, error);
}

bool bench_can(const BenchLoad *load, GError **error)
{
    Rig *rig = rig_of(load, false, error);

    if (rig) {
        rig_free(rig);
    }
    return rig;
}

static void begin(Bench *bench, const BenchLoad *load, bool data)
{
    RaidUnit *unit;

    *bench = (Bench) {
        .rig = rig_of(load, data, NULL), .data = data,
        .plan = { .depth = load->depth, .clones = 1 },
    };
    g_assert(bench->rig);
    bench->unit = rig_first_unit(bench->rig);
    unit = raid_controller_unit(bench->rig->ctl, bench->unit);
    bench->plan.draw = draw_plain(load->read_percent, true,
                                  BENCH_BLOCK_SECTORS,
                                  data ? REGION_SECTORS
                                  : raid_capacity(raid_unit_shape(unit)));
    if (data) {
        fill(bench);
    }
}

double bench_rate(const BenchLoad *load, bool data)
{
    double best = 0;
    Bench bench;

    begin(&bench, load, data);
    for (unsigned i = 0; i < BENCH_TRIES; i++) {
        double start = seconds(), took;
        uint64_t requests = 0;

        do {
            run(&bench, PORTION);
            requests += PORTION;
            took = seconds() - start;
        } while (took < BENCH_SECONDS && !progress_interrupted());
        if (!progress_interrupted()) {
            best = MAX(best, requests / took);
        }
    }
    rig_free(bench.rig);
    return best;
}

static int by_size(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

static double median(double *value, unsigned count)
{
    qsort(value, count, sizeof(*value), by_size);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

BenchGrowth bench_growth(const BenchLoad *load, uint64_t requests)
{
    double took[PARTS], all = 0;
    Bench bench;

    begin(&bench, load, false);
    for (unsigned i = 0; i < PARTS && !progress_interrupted(); i++) {
        double start = seconds();

        run(&bench, requests / PARTS);
        took[i] = seconds() - start;
        all += took[i];
    }
    rig_free(bench.rig);
    if (progress_interrupted()) {
        return (BenchGrowth) { 0 };
    }
    return (BenchGrowth) {
        .per_s = requests / all,
        .second_half = median(took + PARTS / 2, PARTS / 2) /
                       median(took, PARTS / 2),
    };
}

/* --- the yardstick ------------------------------------------------------ */

typedef struct Pending {
    uint64_t due;
} Pending;

static int by_due(const void *left, const void *right,
                  void *opaque G_GNUC_UNUSED)
{
    const Pending *a = left, *b = right;

    return a->due < b->due ? -1 : a->due > b->due;
}

static void fire_first(GSequence *loop, Sim *chance)
{
    GSequenceIter *first = g_sequence_get_begin_iter(loop);
    Pending *event = g_sequence_get(first);

    g_sequence_remove(first);
    event->due += 1 + sim_random(chance, 1000000);
    g_sequence_insert_sorted(loop, event, by_due, NULL);
}

double bench_yardstick(void)
{
    Pending event[BENCH_YARDSTICK_EVENTS] = { 0 };
    GSequence *loop = g_sequence_new(NULL);
    Sim *chance = sim_new(1);
    double best = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(event); i++) {
        g_sequence_insert_sorted(loop, &event[i], by_due, NULL);
    }
    for (unsigned i = 0; i < BENCH_TRIES; i++) {
        double start = seconds(), took;
        uint64_t fired = 0;

        do {
            for (unsigned j = 0; j < PORTION; j++) {
                fire_first(loop, chance);
            }
            fired += PORTION;
            took = seconds() - start;
        } while (took < BENCH_SECONDS && !progress_interrupted());
        if (!progress_interrupted()) {
            best = MAX(best, fired / took);
        }
    }
    sim_free(chance);
    g_sequence_free(loop);
    return best;
}

void bench_clocks(double *wall, double *processor)
{
    *wall = seconds();
    *processor = clock() / (double)CLOCKS_PER_SEC;
}

/* --- memory ------------------------------------------------------------- */

uint64_t bench_peak_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    unsigned long long kib = 0;
    char line[256];

    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "VmHWM: %llu kB", &kib) == 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return kib;
}
