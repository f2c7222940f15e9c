/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay - a trace on one drive or on a unit behind a board, and how far its
 * times are from those that were measured.
 *
 * A closed trace is replayed so: each request is asked for when the one
 * before has ended, here, and the host has thought.  Others are asked for
 * when their line says.  Or, if one asks for it, either keeps a number of
 * requests going and its times do not count.
 *
 * The figure of merit is Ruemmler & Wilkes' (1994): the root mean square of
 * the horizontal distance between the two distributions of response times.
 * Both lists are sorted and compared rank by rank.
 */
#ifndef RAID_SIM_REPLAY_H
#define RAID_SIM_REPLAY_H

#include "disk-model/drive/preset.h"
#include "raid-model/sim/rig.h"
#include "raid-model/sim/trace-file.h"

typedef struct ReplayPlan {
    const DiskPreset *preset;   /* of the drive alone, or NULL: */
    Rig *rig;
    unsigned unit;
    uint64_t seed;              /* of the drive alone */
    unsigned closed;            /* requests kept going; 0: the trace's way */
    double scale;               /* of the trace's times; 0: 1 */
} ReplayPlan;

typedef struct ReplayResult {
    uint64_t requests;          /* done; fewer when interrupted */
    uint64_t errors;            /* of those, answered with one */
    bool measured;
    bool interrupted;
    SimTime took;               /* from the start to the last one's end */
    double mean_ms;
    double measured_mean_ms, rms_ms, rms_pct;   /* of the measured mean */
    double read_mean_ms, write_mean_ms;
    double read_measured_ms, write_measured_ms; /* 0 without one */
    double read_rms_ms, write_rms_ms;
    double p50_ms, p90_ms, p95_ms, p99_ms, p999_ms, max_ms;
} ReplayResult;

/* `response` has a place for each request of the trace, in its order. */
void replay_run(const ReplayPlan *plan, const TraceFile *trace,
                SimTime *response, ReplayResult *result);

#endif
