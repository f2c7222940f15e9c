/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task bench - stories on units small enough to be rebuilt often, and what
 * their listeners heard.  For test-task.c and test-verify.c, not in
 * tests/lib, as it is all state of one story at a time.
 */
#ifndef TESTS_UNIT_TASK_BENCH_H
#define TESTS_UNIT_TASK_BENCH_H

#include <string.h>

#include "disk-model/world/fault.h"
#include "raid-model/array/task.h"
#include "tests/lib/raid-story.h"
#include "tests/lib/unit.h"

static const Shape shapes[] = {
    { RAID_1, 2, 0 }, { RAID_5, 3, 128 }, { RAID_5, 5, 128 },
    { RAID_10, 4, 128 }, { RAID_10, 6, 128 },
};

#define SHAPES (int)G_N_ELEMENTS(shapes)
#define ROWS 8

static unsigned heard[RAID_TASK_MISMATCH + 1], lost, repairs, beyond;
static unsigned last_member;
static uint64_t checkpoint;

static void note_task(void *opaque, RaidUnit *unit, RaidTaskNews news,
                      unsigned member)
{
    (void)opaque;
    heard[news]++;
    checkpoint = news == RAID_TASK_CHECKPOINT ? raid_unit_task(unit)->row
                                              : checkpoint;
    last_member = news == RAID_TASK_SOURCE_BAD ||
                  news == RAID_TASK_OVERWROTE ? member : last_member;
}

static void note_lost(void *opaque, RaidUnit *unit, unsigned member,
                      UnitState state)
{
    (void)opaque;
    (void)member;
    ck_assert_int_eq(state, raid_unit_state(unit));
    lost++;
}

static void note_repair(void *opaque G_GNUC_UNUSED,
                        RaidUnit *unit G_GNUC_UNUSED,
                        unsigned member G_GNUC_UNUSED)
{
    repairs++;
}

static void note_beyond(void *opaque G_GNUC_UNUSED,
                        RaidUnit *unit G_GNUC_UNUSED,
                        unsigned member G_GNUC_UNUSED)
{
    beyond++;
}

static inline Story *begin(const Shape *shape, uint32_t seed)
{
    uint64_t sectors = RAID_RESERVED_SECTORS + ROWS * 128 + 77;
    Story *story = story_on(raid_bench_new_sized(
        shape->code, shape->members, shape->stripe, sectors, 0, seed));

    memset(heard, 0, sizeof(heard));
    lost = repairs = beyond = 0;
    checkpoint = 0;
    story->bench->listener = (RaidUnitListener) {
        .member_lost = note_lost, .sector_repaired = note_repair,
        .medium_error = note_beyond, .task = note_task,
    };
    return story;
}

/* A blank drive in a member's place, and the rebuild begins. */
static inline void begin_rebuild(RaidBench *bench, unsigned member)
{
    raid_bench_swap(bench, member);
    ck_assert(raid_unit_join_member(bench->unit, member,
                                    bench->port[member]));
    ck_assert(raid_unit_member_stale(bench->unit, member));
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, member,
                                   0));
}

static inline void check_rebuilt(Story *story, unsigned member)
{
    RaidBench *bench = story->bench;

    ck_assert_uint_eq(heard[RAID_TASK_DONE], 1);
    ck_assert_uint_eq(heard[RAID_TASK_FAILED], 0);
    ck_assert_int_eq(raid_unit_task(bench->unit)->kind, RAID_TASK_NONE);
    ck_assert(!raid_unit_member_stale(bench->unit, member));
    bench->lost &= ~(1u << member);
    ck_assert_int_eq(raid_unit_state(bench->unit), bench->lost
                     ? RAID_UNIT_DEGRADED : RAID_UNIT_OK);
    raid_bench_check(bench);
    ck_assert_uint_eq(story->bad, 0);
}

static inline void for_some_events(Story *story, unsigned events)
{
    while (events-- && sim_step(story->bench->sim)) {
    }
}

#endif
