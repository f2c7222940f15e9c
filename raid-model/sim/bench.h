/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bench - how many simulated requests this program gets through in a
 * second of wall clock.
 *
 * In: loads of 4 KiB random requests.  Out: requests per second, best of
 * BENCH_TRIES runs of at least BENCH_SECONDS each; on a machine that others
 * use too the best run is the least disturbed one.  The clock is read
 * around whole runs; no model sees it.  After Ctrl-C every figure not yet
 * measured is 0.
 */
#ifndef RAID_SIM_BENCH_H
#define RAID_SIM_BENCH_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_SECONDS 0.5
#define BENCH_TRIES 3
#define BENCH_BLOCK_SECTORS 8
#define BENCH_DATA_MIB 64       /* the region when sectors are kept */
#define BENCH_YARDSTICK_EVENTS 256

typedef struct BenchLoad {
    const char *key;
    const char *board, *drives, *unit;  /* as raid-model/sim/rig.h has them */
    unsigned read_percent;
    unsigned depth;
} BenchLoad;

/* False, and why in one line: its drives or units cannot be had. */
bool bench_can(const BenchLoad *load, GError **error);

/* Requests per second; with `data` what is written is kept in memory. */
double bench_rate(const BenchLoad *load, bool data);

typedef struct BenchGrowth {
    double per_s;               /* over all requests, on one rig */
    double second_half;         /* its time over the first half's */
} BenchGrowth;

/*
 * One run of so many requests (a multiple of 20).  The halves are compared
 * by the medians of ten parts each: a neighbour's burst is not growth.
 */
BenchGrowth bench_growth(const BenchLoad *load, uint64_t requests);

/*
 * A yardstick for the machine, so that figures of two machines compare: a
 * bare event loop on GLib's GSequence.  Takes the first of 256 pending
 * events and puts it back at a random later time; events per second.
 */
double bench_yardstick(void);

/*
 * Seconds of wall clock, and of them on a processor: where the second lags
 * behind, others had the machine and all figures are low by as much.
 */
void bench_clocks(double *wall, double *processor);

/* The most memory this process has had so far, in KiB; 0: unknown. */
uint64_t bench_peak_kib(void);

#endif
