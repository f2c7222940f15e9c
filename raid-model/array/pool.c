/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pool - sector buffers that are used again.  Idle buffers of a class form
 * a list through their own first bytes.
 */
#include "raid-model/array/pool.h"

#include <glib.h>
#include <stdlib.h>

#define SMALLEST_BYTES ((size_t)4096)

static unsigned class_of(size_t bytes)
{
    unsigned class = 0;

    while (SMALLEST_BYTES << class < bytes) {
        class++;
    }
    g_assert(class < RAID_POOL_CLASSES);
    return class;
}

void *raid_pool_take(RaidPool *pool, size_t bytes)
{
    unsigned class = class_of(bytes);
    void *buf = pool->idle[class];

    pool->lent++;
    if (buf) {
        pool->idle[class] = *(void **)buf;
        return buf;
    }
    buf = aligned_alloc(SMALLEST_BYTES, SMALLEST_BYTES << class);
    if (!buf) {
        g_error("out of memory: %zu bytes", SMALLEST_BYTES << class);
    }
    return buf;
}

void raid_pool_give(RaidPool *pool, void *buf, size_t bytes)
{
    unsigned class = class_of(bytes);

    g_assert(pool->lent);
    pool->lent--;
    *(void **)buf = pool->idle[class];
    pool->idle[class] = buf;
}

void raid_pool_clear(RaidPool *pool)
{
    g_assert(!pool->lent);
    for (unsigned class = 0; class < RAID_POOL_CLASSES; class++) {
        while (pool->idle[class]) {
            void *buf = pool->idle[class];

            pool->idle[class] = *(void **)buf;
            free(buf);
        }
    }
}
