/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux - a computer of 2005 with one unit: page cache and request queue of
 * Linux 2.6 above a 3ware driver, on a unit of equal drives.
 *
 *   linux_call -> LinuxCache -> LinuxQueue -> Host -> the board
 *
 * Files lie one after the other from `first_sector` on, without holes but
 * for their map blocks.
 */
#ifndef RAID_SIM_LINUX_H
#define RAID_SIM_LINUX_H

#include "raid-model/sim/linux-cache.h"
#include "raid-model/sim/rig.h"

typedef struct LinuxAsk {
    const char *board, *drive, *level;  /* "3ware-7410", "sr5400", "raid5" */
    unsigned members;
    uint32_t stripe_bytes;      /* 0: 64 KiB; not for single and raid1 */
    uint64_t seed;              /* spindles, and what the load draws */
    uint64_t memory_bytes;
    uint32_t read_ahead_sectors;        /* as for blockdev --setra */
    uint64_t first_sector;
    SimTime page_ns;            /* processor time for a page of a call */
    const char *progress;       /* "raidsim bonnie"; NULL: show no line */
} LinuxAsk;

/* first_sector 63: assumed, fdisk began the first partition there. */
#define LINUX_DEFAULTS                                                  \
    .board = "3ware-7410", .drive = "wd1200jb", .level = "raid5",       \
    .members = 4, .seed = 1, .first_sector = 63

#define LINUX_MEMORY_MIN (UINT64_C(64) << 20)

typedef struct Linux {
    const LinuxAsk *ask;        /* borrowed, as long as it lives */
    Rig *rig;
    Host *host;
    LinuxCache *cache;
    uint32_t block_bytes;
    uint64_t steps;
    bool interrupted;
} Linux;

/* How large a call's blocks can be: a power of two, at most 64 KiB. */
uint32_t linux_block_bytes(const LinuxAsk *ask, uint64_t call_bytes);

/*
 * For `bytes` of files, in calls of `call_bytes`, a multiple of 4096.  False
 * and one line in `error` when it cannot be.
 */
bool linux_open(Linux *box, const LinuxAsk *ask, uint64_t bytes,
                uint64_t call_bytes, GError **error);
/* No call may be under way. */
void linux_close(Linux *box);

/*
 * The next event; `share_done` of the work is for the person who waits.
 * Sets `interrupted` after Ctrl-C, between progress_begin() and _end().
 */
void linux_step(Linux *box, double share_done);
SimTime linux_now(const Linux *box);

#endif
