/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency: bins and running sums.
 */
#include <math.h>

#include "raid-model/sim/latency.h"

const double latency_percentiles[] = {
    1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95,
    99.99, 0
};

/* Values below one octave's worth of bins have a bin each. */
static unsigned bin_of(uint64_t ns)
{
    unsigned octave;

    if (ns < LATENCY_BINS_PER_OCTAVE) {
        return ns;
    }
    octave = 63 - __builtin_clzll(ns) - 6;
    return (octave + 1) * LATENCY_BINS_PER_OCTAVE +
           ((ns >> octave) - LATENCY_BINS_PER_OCTAVE);
}

/* The middle of a bin. */
static SimTime bin_value(unsigned bin)
{
    unsigned octave;

    if (bin < LATENCY_BINS_PER_OCTAVE) {
        return bin;
    }
    octave = bin / LATENCY_BINS_PER_OCTAVE - 1;
    return (((uint64_t)(bin % LATENCY_BINS_PER_OCTAVE) +
             LATENCY_BINS_PER_OCTAVE) << octave) +
           (((uint64_t)1 << octave) >> 1);
}

void latency_add(Latency *latency, SimTime ns)
{
    double delta = ns - latency->mean;

    if (!latency->count || ns < latency->min) {
        latency->min = ns;
    }
    if (!latency->count || ns > latency->max) {
        latency->max = ns;
    }
    latency->count++;
    latency->mean += delta / latency->count;
    latency->squares += delta * (ns - latency->mean);
    latency->bin[bin_of(ns)]++;
}

double latency_deviation(const Latency *latency)
{
    return latency->count > 1 ? sqrt(latency->squares / (latency->count - 1))
                              : 0;
}

SimTime latency_percentile(const Latency *latency, double percent)
{
    uint64_t wanted = ceil(latency->count * percent / 100);
    uint64_t seen = 0;

    for (unsigned i = 0; latency->count && i < LATENCY_BINS; i++) {
        seen += latency->bin[i];
        if (seen && seen >= wanted) {
            SimTime value = bin_value(i);

            return value < latency->min ? latency->min :
                   value > latency->max ? latency->max : value;
        }
    }
    return 0;
}
