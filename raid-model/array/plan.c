/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stripe plan - which members one row must read, compute and write.
 *
 * Any `data_slots` slots of a row determine the rest; all else here is
 * choosing which of them cost least.
 */
#include "raid-model/array/plan.h"

static unsigned count(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static uint32_t data_mask(const RaidRow *row)
{
    return (1u << row->data_slots) - 1;
}

static uint32_t redundant_mask(const RaidRow *row)
{
    return ((1u << row->redundant_slots) - 1) << row->data_slots;
}

/* Slots that cannot be read, for whatever reason. */
static uint32_t dark_mask(const RaidRow *row)
{
    return row->missing | row->unreadable;
}

static bool row_is_usable(const RaidRow *row)
{
    return !row->missing || count(row->missing) <= row->redundant_slots;
}

static bool row_is_recoverable(const RaidRow *row)
{
    return count(dark_mask(row)) <= row->redundant_slots;
}

/* The first readable slots, data before redundancy, that tell the rest. */
static uint32_t quorum(const RaidRow *row)
{
    uint32_t light = (data_mask(row) | redundant_mask(row)) &
                     ~dark_mask(row);
    uint32_t chosen = 0;

    while (light && count(chosen) < row->data_slots) {
        chosen |= light & -light;
        light &= light - 1;
    }
    return chosen;
}

/*
 * With the whole row's data in hand, redundant slots that could not be read
 * are made again on the way.
 */
bool raid_plan_read(const RaidRow *row, uint32_t wanted, RaidPlan *plan)
{
    uint32_t lost = wanted & dark_mask(row);
    uint32_t stale = wanted == data_mask(row) ? redundant_mask(row) : 0;

    if (!dark_mask(row)) {      /* as nearly always */
        *plan = (RaidPlan) { .read = wanted };
        return true;
    }
    if (!row_is_usable(row) || (lost && !row_is_recoverable(row))) {
        return false;
    }
    stale &= row->unreadable;
    *plan = (RaidPlan) {
        .read = lost ? quorum(row) | (wanted & ~lost) : wanted,
        .compute = lost | stale,
        .write = (lost | stale) & ~row->missing,
    };
    return true;
}

/*
 * A row has two honest ways to new parity: from the whole row, or from what
 * changed.  Take the one that reads less.  Of two alike the second, which
 * leaves the other drives alone and the arms where they will write; but the
 * first for whole chunks, where a drive that has just read would wait a turn
 * to write (guess; StorageReview 2001 has rows of two and of three chunks
 * written alike).  A dirty slot that cannot be read has no old contents to
 * subtract, so it leaves only the first.
 */
bool raid_plan_write(const RaidRow *row, uint32_t dirty, RaidPlan *plan)
{
    uint32_t parity = redundant_mask(row) & ~row->missing;
    uint32_t clean = data_mask(row) & ~dirty;
    uint32_t lost = clean & dark_mask(row);
    uint32_t whole = lost ? quorum(row) : clean;
    uint32_t delta = dirty | parity;
    bool whole_works = !lost || row_is_recoverable(row);
    bool delta_works = !(delta & dark_mask(row));

    if (!row_is_usable(row) || (parity && !whole_works && !delta_works)) {
        return false;
    }
    *plan = (RaidPlan) { .write = (dirty & ~row->missing) | parity };

    if (!parity) {
        return true;
    }
    plan->by_delta = delta_works &&
                     (!whole_works || count(delta) + row->whole_chunks <=
                                        count(whole));
    if (plan->by_delta) {
        plan->read = delta;
        plan->compute = parity;
    } else {
        plan->read = whole;
        plan->compute = parity | lost;
        plan->write |= lost & ~row->missing;
    }
    return true;
}

bool raid_plan_verify(const RaidRow *row, RaidPlan *plan)
{
    if (dark_mask(row)) {
        return raid_plan_read(row, data_mask(row), plan);
    }
    *plan = (RaidPlan) { .read = data_mask(row) | redundant_mask(row) };
    return true;
}

bool raid_plan_init(const RaidRow *row, RaidPlan *plan)
{
    uint32_t redundant = redundant_mask(row) & ~row->missing;

    if (data_mask(row) & dark_mask(row)) {
        return raid_plan_read(row, data_mask(row), plan);
    }
    *plan = (RaidPlan) {
        .read = data_mask(row), .compute = redundant, .write = redundant,
    };
    return true;
}

void raid_plan_force(const RaidRow *row, RaidPlan *plan)
{
    uint32_t redundant = redundant_mask(row) & ~row->missing;
    uint32_t dark = dark_mask(row) & ~row->missing;

    *plan = (RaidPlan) {
        .read = data_mask(row) & ~dark_mask(row),
        .compute = redundant,
        .write = redundant | dark,
    };
}
