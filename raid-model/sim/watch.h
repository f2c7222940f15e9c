/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watch - what the models tell while a run goes on: sums per drive, and
 * two files for those who want every record.
 *
 *   arms   one CSV line per drive op: where its arm was when
 *   trace  every record as a line of text
 */
#ifndef RAID_SIM_WATCH_H
#define RAID_SIM_WATCH_H

#include <stdio.h>

#include "raid-model/sim/latency.h"
#include "raid-model/sim/rig.h"

typedef struct WatchSplit {
    uint64_t ops, sectors;
    double queue_ns, overhead_ns, seek_ns, rotate_ns, transfer_ns;  /* sums */
    Latency total;
} WatchSplit;

typedef struct Watch {
    const Rig *rig;
    WatchSplit *drive;          /* by port */
    WatchSplit all;
    FILE *arms, *trace;         /* borrowed; NULL: not wanted */
} Watch;

/* Listens to the rig's Sim from here on. */
Watch *watch_new(const Rig *rig, FILE *arms, FILE *trace);
void watch_free(Watch *watch);

#endif
