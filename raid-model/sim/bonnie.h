/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bonnie - what bonnie++ 1.03 does with -f: writes a set of files, rewrites
 * them, reads them, then seeks at random; buffered, in one run.
 *
 *   block write   chunk after chunk; the clock stops at the last close, and
 *                 what is still dirty then is the next phase's burden
 *   rewrite       read a chunk, write it back, the next
 *   block read    chunk after chunk
 *   seeks         after 5 s three processes share 8192 tickets: each reads a
 *                 chunk anywhere; every tenth a process reads it also writes
 *
 * A figure is the mean of so many runs, as -x makes them, each with spindles
 * and addresses of its own.  Files are 1 GiB each, the last one what is left.
 * bonnie++'s K is 1024 bytes.  Its processor columns are not modelled.
 *
 * Source: bonnie++ 1.03's manual and published behaviour.
 */
#ifndef RAID_SIM_BONNIE_H
#define RAID_SIM_BONNIE_H

#include "raid-model/sim/linux.h"

typedef struct BonnieAsk {
    LinuxAsk computer;
    uint64_t size_bytes;        /* of all files; a multiple of the chunk */
    uint32_t chunk_bytes;       /* a power of two from 4 KiB to 1 MiB */
    unsigned runs;              /* 1 to BONNIE_RUNS_MAX */
} BonnieAsk;

#define BONNIE_RUNS_MAX 100

/*
 * 1536 sectors of read-ahead: the best of the published runs.  16 us: fitted
 * to the %CPU of their block reads (20.8 % at 51346 KiB/s, a board of the
 * Pentium III's time).  448 MiB: fitted to their seeks and writes, as what is
 * cached of the 3 GiB is not read; bonnie++ asks for at least twice the
 * memory.
 */
#define BONNIE_DEFAULTS                                                 \
    .computer = { LINUX_DEFAULTS, .memory_bytes = 448 << 20,            \
                  .read_ahead_sectors = 1536,                           \
                  .page_ns = SIM_US(16) },                              \
    .size_bytes = UINT64_C(3) << 30, .chunk_bytes = 65536, \
    .runs = 5

typedef enum BonniePhase {
    BONNIE_BLOCK_WRITE, BONNIE_REWRITE, BONNIE_BLOCK_READ, BONNIE_SEEKS,
    BONNIE_PHASES
} BonniePhase;

typedef struct BonnieResult {
    unsigned phases;            /* completed once at least: valid values */
    double value[BONNIE_PHASES];        /* KiB/s; of seeks, seeks/s */
    double took_s[BONNIE_PHASES];       /* mean, too */
    UnitStatus error;           /* UNIT_OK, or why it stopped */
    uint64_t error_lba;
    bool interrupted;
} BonnieResult;

/* Names as in the published table: "block_write", "random_seeks" ... */
extern const char *const bonnie_phase_name[BONNIE_PHASES];

/* False and one line in `error` when it cannot be. */
bool bonnie_run(const BonnieAsk *ask, BonnieResult *result, GError **error);

#endif
