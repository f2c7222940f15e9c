/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirror - which copy answers a read, and what is remembered for the next.
 */
#include "raid-model/array/mirror.h"

#include <glib.h>

#define STREAM_READS 4          /* guess: in a row, before it is a stream */

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static bool is_better(const RaidMirrorSet *set, const RaidMirrorPlan *plan,
                      const unsigned *waiting, uint64_t sector, unsigned copy,
                      unsigned than)
{
    uint64_t way = distance(set->arm[copy], sector);
    uint64_t other = distance(set->arm[than], sector);

    if (plan->reads == RAID_MIRROR_BY_TURNS) {
        return waiting[copy] < waiting[than];
    }
    if (plan->outweighs && waiting[copy] + plan->outweighs <= waiting[than]) {
        return true;
    }
    if (plan->outweighs && waiting[than] + plan->outweighs <= waiting[copy]) {
        return false;
    }
    return way < other;
}

static bool by_sections(const RaidMirrorSet *set, const RaidMirrorPlan *plan,
                      const unsigned *waiting, unsigned copies)
{
    unsigned all = 0;

    for (unsigned copy = 0; copy < copies; copy++) {
        all += waiting[copy];
    }
    return plan->section_sectors &&
           (plan->reads == RAID_MIRROR_SECTIONS ||
            (plan->reads == RAID_MIRROR_NEAREST &&
             set->stream_reads >= STREAM_READS &&
             all >= plan->stream_waiting));
}

static unsigned best_of(const RaidMirrorSet *set, const RaidMirrorPlan *plan,
                        const unsigned *waiting, unsigned copies,
                        uint32_t usable, uint64_t sector)
{
    unsigned best = copies;

    for (unsigned step = 0; step < copies; step++) {
        unsigned copy = plan->reads == RAID_MIRROR_FIRST
                            ? step : (set->next + step) % copies;

        if (!(usable >> copy & 1)) {
            continue;
        }
        if (best == copies ||
            (plan->reads != RAID_MIRROR_FIRST &&
             is_better(set, plan, waiting, sector, copy, best))) {
            best = copy;
        }
    }
    g_assert(best < copies);
    return best;
}

unsigned raid_mirror_pick(RaidMirrorSet *set, const RaidMirrorPlan *plan,
                          const unsigned *waiting, unsigned copies,
                          uint32_t usable, uint64_t sector, uint64_t end)
{
    uint32_t section;
    unsigned best;

    g_assert(copies <= RAID_COPIES_MAX);
    set->stream_reads = sector == set->stream_end ? set->stream_reads + 1 : 0;
    set->stream_end = end;
    if (by_sections(set, plan, waiting, copies)) {
        section = 1u << sector / plan->section_sectors % copies;
        usable = usable & section ? section : usable;
    }
    best = best_of(set, plan, waiting, copies, usable, sector);
    set->next = (best + 1) % copies;
    set->arm[best] = end;
    return best;
}

void raid_mirror_wrote(RaidMirrorSet *set, uint64_t end)
{
    for (unsigned copy = 0; copy < RAID_COPIES_MAX; copy++) {
        set->arm[copy] = end;
    }
}
