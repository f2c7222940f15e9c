/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux ahead - the read-ahead of an open file in Linux 2.6.10: which blocks
 * to fetch when a block is read.  Pure; knows neither pages nor time.
 *
 * A sequential reader has two windows, the one it is in and the one ahead.
 * When it enters the one ahead, the next is asked for; each is twice as long
 * as the one before, up to the maximum.  A reader that jumps gets what it
 * asked for, and no window ahead.
 *
 * Source: behaviour of Linux 2.6.10 (mm/readahead.c); the length of the
 * first window, a quarter of the maximum, as in 2.6.11.
 */
#ifndef RAID_SIM_LINUX_AHEAD_H
#define RAID_SIM_LINUX_AHEAD_H

#include <stdint.h>

typedef struct LinuxAhead {     /* zeroed: a file just opened */
    uint64_t next;              /* a sequential reader's next block */
    uint64_t entered;           /* when it gets here, fetch another window */
    uint64_t end;               /* fetched up to here */
    uint64_t window;            /* length of the last one; 0: none */
} LinuxAhead;

typedef struct LinuxFetch {
    uint64_t first, blocks;     /* 0 blocks: nothing new */
} LinuxFetch;

/*
 * Block `at` is about to be read, as part of a call that goes on to `call_end`;
 * the file is [file, file_end).  `blocks_max` is the longest window, 0: no
 * read-ahead.
 */
LinuxFetch linux_ahead(LinuxAhead *ahead, uint64_t at, uint64_t call_end,
                       uint64_t file, uint64_t file_end,
                       uint64_t blocks_max);

#endif
