/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cache - a controller's own memory in front of a unit, written back.
 *
 * Writes are taken and answered as long as there is room; what is dirty goes
 * to the unit sector by sector upwards and from below again (C-LOOK), runs
 * joined up to the end of a row.  A read sees what is dirty; one that is all
 * dirty needs no drive.  Nothing else is kept: clean data leaves at once.
 *
 *   write --> (waits for room) --> page dirty --> answered
 *                                   |  ^
 *                      destage begins  written again
 *                                   v  |
 *                                 leaving --> gone
 *
 * The boards with such a cache exist in raidsim only; 3ware's of this time
 * have none.  Each unit has all that its board lets be dirty (a
 * simplification, as they are measured one at a time).  Dirty data survives
 * a reset and is lost with the card.
 */
#ifndef RAID_CONTROL_CACHE_H
#define RAID_CONTROL_CACHE_H

#include "raid-model/array/unit.h"

typedef struct RaidCachePlan {
    uint64_t bytes;             /* of writes, in whole pages */
    unsigned destage_max;       /* ops at the unit at once */
    unsigned urgent_percent;    /* of it in use: from here on destaging no
                                 * longer waits until no read is under way */
} RaidCachePlan;

typedef struct RaidCache RaidCache;

RaidCache *raid_cache_new(Sim *sim, const RaidCachePlan *plan,
                          RaidUnit *unit);
/* What is dirty is lost; no host op may be lent to it. */
void raid_cache_free(RaidCache *cache);

/*
 * As raid_unit_submit().  A flush ends when nothing is dirty and the unit is
 * flushed, UNIT_FUA when the unit has the data; writes that come later wait
 * behind both.  What could not be destaged is told by the next flush.
 */
void raid_cache_submit(RaidCache *cache, UnitOp *op);

/* As raid_unit_reset(), the unit's included. */
void raid_cache_reset(RaidCache *cache);

#endif
