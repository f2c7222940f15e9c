/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DD - dd between a file on a unit and nothing: buffered calls of one size,
 * front to back.  A write's clock stops at close, with what is still dirty
 * not paid for.
 */
#ifndef RAID_SIM_DD_H
#define RAID_SIM_DD_H

#include "raid-model/sim/linux.h"

typedef struct DdAsk {
    LinuxAsk computer;
    UnitVerb verb;
    uint64_t bs_bytes, count;   /* bs: a multiple of 4096 */
} DdAsk;

/*
 * 5.7 us a page: measured, 3322.83 s of system time for a write of 2288603
 * records of 1 MiB with a 3ware 9650SE (published log, 2008).  65536
 * sectors of read-ahead: that author's.  1 GiB: assumed.
 */
#define DD_DEFAULTS                                                     \
    .computer = { LINUX_DEFAULTS, .memory_bytes = 1 << 30,              \
                  .read_ahead_sectors = 65536,                          \
                  .page_ns = 5700 },                                    \
    .bs_bytes = 1 << 20

typedef struct DdResult {
    uint64_t records, bytes;
    SimTime took;
    UnitStatus error;           /* UNIT_OK, or why it stopped */
    uint64_t error_lba;
    bool interrupted;
} DdResult;

double dd_bytes_per_s(const DdResult *result);

/* False and one line in `error` when it cannot be. */
bool dd_run(const DdAsk *ask, DdResult *result, GError **error);

#endif
