/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOMeter run - a closed load by an access specification on one unit of
 * equal drives: so many requests outstanding, each replaced when it is
 * done, until the figures are steady; then measured.
 */
#ifndef RAID_SIM_IOMETER_RUN_H
#define RAID_SIM_IOMETER_RUN_H

#include "raid-model/sim/host.h"
#include "raid-model/sim/iometer.h"

#define IOMETER_DEPTH_MAX 1024
#define IOMETER_TURN_NS SIM_US(50)      /* assumed */

typedef struct IometerAsk {
    const char *board, *drive, *level;  /* "3ware-7410", "sr5400", "raid0" */
    unsigned members;
    uint32_t stripe_bytes;      /* 0: 64 KiB; not for single and raid1 */
    const IometerSpec *spec;
    unsigned depth;
    uint64_t seed;              /* of addresses and spindles */
    /*
     * Measured is the end that comes first.  Both 0: several runs, each
     * from the start with other addresses and spindles: four of 15,000
     * requests, or, if all is sequential, twenty of a second (so that it
     * stays in the outer zone).  Several, because spindles keep their
     * angles to each other for a whole run, and what drives hold changes
     * slowly.  Two, where a controller's large cache has to fill first.
     */
    uint64_t requests;
    SimTime runtime;
    double start_share;         /* of the unit: where sequential begins */
    SimTime turn_ns;            /* a request done to the next one issued */
    HostPlan host;
    bool progress;              /* show a line, as "raidsim iometer" */
} IometerAsk;

typedef struct IometerSide {
    uint64_t requests, bytes;
    double wait_ns;             /* sum; issued to done */
    SimTime wait_max;
} IometerSide;

typedef struct IometerResult {
    IometerSide read, write;
    SimTime took;               /* of what was measured */
    UnitStatus error;           /* UNIT_OK, or why it stopped */
    bool interrupted;
} IometerResult;

/* False and one line in `error` when there can be no such unit. */
bool iometer_run(const IometerAsk *ask, IometerResult *result,
                 GError **error);

/* Requests and 2^20 bytes a second, reads and writes together. */
double iometer_iops(const IometerResult *result);
double iometer_mib_per_s(const IometerResult *result);

/* How Windows 2000 and this board's driver go about it. */
HostPlan iometer_windows(const BoardModel *board);

#endif
