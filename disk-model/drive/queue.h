/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue - which of several waiting things is next.  Pure: the caller says
 * what waits and, for the nearest and the nearest cylinder, what each would
 * cost; nothing moves.
 *
 * Orders as Worthington, Ganger & Patt 1994 name them: first come first
 * served, C-LOOK, shortest positioning time first, shortest seek time first.
 */
#ifndef DISK_DRIVE_QUEUE_H
#define DISK_DRIVE_QUEUE_H

#include "disk-model/drive/preset.h"

typedef struct QueueItem {
    uint64_t sector;
    SimTime cost;               /* ORDER_NEAREST, ORDER_CYLINDER */
} QueueItem;

/*
 * `item` is in order of age, `items` > 0; `from` is where the arm is, as a
 * sector.  Of equals the oldest.
 */
unsigned disk_queue_pick(DiskOrder order, const QueueItem *item,
                         unsigned items, uint64_t from);

#endif
