/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay - a trace on one drive, and how far the drive's times are from
 * those a real one took.
 *
 * A trace with measured times is replayed closed: each request is asked for
 * when the one before has ended, here, and the host has thought.  Others are
 * asked for when their line says.
 *
 * The figure of merit is Ruemmler & Wilkes' (1994): the root mean square of
 * the horizontal distance between the two distributions of response times.
 * Both lists are sorted and compared rank by rank.
 */
#ifndef RAID_SIM_REPLAY_H
#define RAID_SIM_REPLAY_H

#include "disk-model/drive/preset.h"
#include "raid-model/sim/trace-file.h"

typedef struct ReplayResult {
    uint64_t requests;          /* done; fewer when interrupted */
    bool measured;
    bool interrupted;
    double mean_ms;
    double measured_mean_ms, rms_ms, rms_pct;   /* of the measured mean */
    double read_mean_ms, write_mean_ms;
    double read_measured_ms, write_measured_ms; /* 0 without one */
    double read_rms_ms, write_rms_ms;
    double p50_ms, p95_ms, p99_ms;
} ReplayResult;

/* `response` has a place for each request of the trace, in its order. */
void replay_run(const DiskPreset *preset, const TraceFile *trace,
                uint64_t seed, SimTime *response, ReplayResult *result);

#endif
