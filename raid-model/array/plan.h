/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stripe plan - which members one row must read, compute and write.
 *
 * Pure arithmetic on slot masks: no I/O, no clock, no state.  stripe.c
 * carries a plan out; nobody else decides what a degraded row needs.
 *
 * Slots 0..data-1 hold data, the next `redundant` slots hold what can be
 * computed from them.  The caller has cut the request so that, within the
 * band of the row, each data slot is either rewritten whole or left alone.
 * A missing slot takes neither reads nor writes; an unreadable one takes
 * writes, which heal it.
 */
#ifndef RAID_ARRAY_PLAN_H
#define RAID_ARRAY_PLAN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct RaidRow {
    uint8_t data_slots;
    uint8_t redundant_slots;    /* also: how many slots may be missing */
    uint32_t missing;           /* mask of slots that cannot be used */
    uint32_t unreadable;        /* mask: a bad sector, but can be written */
    bool whole_chunks;          /* what is touched of a slot is all of it */
} RaidRow;

typedef struct RaidPlan {
    uint32_t read;              /* fetch these first */
    uint32_t compute;           /* then derive these */
    uint32_t write;             /* then store these */
    bool by_delta;              /* parity from old data, not from the row */
} RaidPlan;

/*
 * Both return false, and touch no plan, when too many slots are missing or
 * unreadable.  What had to be derived because it was unreadable is in
 * plan->write too, also of a read: writing it repairs the sector.
 */
bool raid_plan_read(const RaidRow *row, uint32_t wanted, RaidPlan *plan);
bool raid_plan_write(const RaidRow *row, uint32_t dirty, RaidPlan *plan);

/*
 * What tasks do with a row.  Both read data slots that are unreadable from
 * the redundancy, as raid_plan_read() does.  Verify: read all, to compare
 * when nothing had to be computed.  Init: redundancy from the data.
 */
bool raid_plan_verify(const RaidRow *row, RaidPlan *plan);
bool raid_plan_init(const RaidRow *row, RaidPlan *plan);
/*
 * For a row that cannot be read: the data that cannot be read is given up
 * (the caller makes it what it likes) and the row made whole around it.
 */
void raid_plan_force(const RaidRow *row, RaidPlan *plan);

#endif
