/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue: the next one, four ways.
 */
#include "disk-model/drive/queue.h"

/* How far on, going up and beginning again at 0. */
static uint64_t way_up(uint64_t from, uint64_t to)
{
    return to - from;           /* below `from` it wraps round: furthest */
}

unsigned disk_queue_pick(DiskOrder order, const QueueItem *item,
                         unsigned items, uint64_t from)
{
    unsigned best = 0;

    for (unsigned i = 1; i < items && order != DISK_ORDER_FIFO; i++) {
        bool better = order != DISK_ORDER_CLOOK
            ? item[i].cost < item[best].cost
            : way_up(from, item[i].sector) < way_up(from, item[best].sector);

        if (better) {
            best = i;
        }
    }
    return best;
}
