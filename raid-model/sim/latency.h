/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency - many times, boiled down: count, mean, deviation, extremes and
 * percentiles.
 *
 * Percentiles come from bins that grow with the value, 64 to an octave, so
 * they are right within 1.6 %, as fio's are; the rest is exact.
 */
#ifndef RAID_SIM_LATENCY_H
#define RAID_SIM_LATENCY_H

#include "disk-model/world/sim.h"

#define LATENCY_BINS_PER_OCTAVE 64
#define LATENCY_OCTAVES 58
#define LATENCY_BINS (LATENCY_BINS_PER_OCTAVE * LATENCY_OCTAVES)

typedef struct Latency {
    uint64_t count;
    SimTime min, max;
    double mean, squares;       /* Welford's running sums */
    uint64_t bin[LATENCY_BINS];
} Latency;

/* A zeroed Latency is an empty one. */
void latency_add(Latency *latency, SimTime ns);
double latency_deviation(const Latency *latency);
/* The time that `percent` of all stayed at or below; 0 when empty. */
SimTime latency_percentile(const Latency *latency, double percent);

/* fio's list, ended by a zero. */
extern const double latency_percentiles[];

#endif
