/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pool - sector buffers that are used again.
 *
 * Sizes go by powers of two; what is given back is kept until the pool is
 * cleared, so a unit that has warmed up allocates nothing.  Buffers are
 * page aligned, which suits ISA-L and host I/O.
 */
#ifndef RAID_ARRAY_POOL_H
#define RAID_ARRAY_POOL_H

#include <stddef.h>

#define RAID_POOL_CLASSES 16    /* 4 KiB << 0 .. 4 KiB << 15 */

/* A zeroed pool is empty and ready. */
typedef struct RaidPool {
    void *idle[RAID_POOL_CLASSES];      /* each begins with the next one */
    unsigned lent;
} RaidPool;

void *raid_pool_take(RaidPool *pool, size_t bytes);
void raid_pool_give(RaidPool *pool, void *buf, size_t bytes);   /* as taken */
void raid_pool_clear(RaidPool *pool);           /* nothing may be lent */

#endif
