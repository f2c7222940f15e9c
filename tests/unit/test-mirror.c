/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirrors: the copy that the plan says answers, never one that cannot, and
 * arms are remembered as reads and writes leave them.
 */
#include <math.h>
#include <stdlib.h>

#include "raid-model/array/mirror.h"
#include "tests/lib/unit.h"

#define BOTH 3u

static uint32_t noise = 1;

static uint32_t chance(uint32_t bound)
{
    noise ^= noise << 13;
    noise ^= noise >> 17;
    noise ^= noise << 5;
    return noise % bound;
}

START_TEST(by_turns_the_one_with_fewer_waiting_answers)
{
    const RaidMirrorPlan plan = { .reads = RAID_MIRROR_BY_TURNS };
    RaidMirrorSet set = { 0 };
    unsigned last = 1;

    for (unsigned i = 0; i < 1000; i++) {
        unsigned waiting[] = { chance(3), chance(3) };
        unsigned due = waiting[0] == waiting[1] ? !last
                                                : waiting[1] < waiting[0];

        last = raid_mirror_pick(&set, &plan, waiting, 2, BOTH, chance(9), 9);
        ck_assert_uint_eq(last, due);
    }
}
END_TEST

START_TEST(what_cannot_be_read_is_not_chosen)
{
    for (int reads = RAID_MIRROR_BY_TURNS; reads <= RAID_MIRROR_SECTIONS;
         reads++) {
        const RaidMirrorPlan plan = {
            .reads = reads, .outweighs = 1, .section_sectors = 8,
        };
        RaidMirrorSet set = { 0 };

        for (unsigned i = 0; i < 300; i++) {
            unsigned waiting[] = { chance(3), chance(3) };
            unsigned only = chance(2);

            /* Half of them are a stream. */
            ck_assert_uint_eq(raid_mirror_pick(&set, &plan, waiting, 2,
                                               1u << only, i * 8, i * 8 + 8 +
                                               (i / 50 & 1)), only);
        }
    }
}
END_TEST

/* The oracle keeps its own account of where the arms are. */
START_TEST(the_nearer_arm_answers_unless_more_waits_for_it)
{
    const RaidMirrorPlan plan = {
        .reads = RAID_MIRROR_NEAREST, .outweighs = 3,
    };
    RaidMirrorSet set = { 0 };
    int64_t arm[2] = { 0, 0 };

    for (unsigned i = 0; i < 10000; i++) {
        int64_t sector = chance(1000000);
        unsigned waiting[] = { chance(6), chance(6) };
        int64_t way[] = { llabs(arm[0] - sector), llabs(arm[1] - sector) };
        int more = (int)waiting[0] - (int)waiting[1];
        unsigned pick;

        if (chance(4) == 0) {
            raid_mirror_wrote(&set, (uint64_t)sector);
            arm[0] = arm[1] = sector;
            continue;
        }
        pick = raid_mirror_pick(&set, &plan, waiting, 2, BOTH,
                                (uint64_t)sector, (uint64_t)sector + 16);
        if (more >= 3 || more <= -3) {
            ck_assert_uint_eq(pick, more > 0);
        } else if (way[0] != way[1]) {
            ck_assert_uint_eq(pick, way[1] < way[0]);
        }
        arm[pick] = sector + 16;
    }
}
END_TEST

/* Read-only, random: the nearer of two arms goes 5/24 of the way there is
 * on average (Bitton & Gray 1988); one arm would go a third. */
START_TEST(two_arms_go_less_far_than_one)
{
    const RaidMirrorPlan plan = { .reads = RAID_MIRROR_NEAREST };
    const unsigned waiting[2] = { 0, 0 };
    RaidMirrorSet set = { 0 };
    double sum = 0;

    for (unsigned i = 0; i < 20000; i++) {
        uint64_t sector = chance(1000000), arm[2] = { set.arm[0], set.arm[1] };
        unsigned pick = raid_mirror_pick(&set, &plan, waiting, 2, BOTH, sector,
                                         sector + 1);

        sum += fabs((double)arm[pick] - (double)sector);
    }
    ck_assert_double_lt(sum / 20000 / 1000000, 0.22);
    ck_assert_double_gt(sum / 20000 / 1000000, 0.15);
}
END_TEST

START_TEST(a_stream_is_read_in_sections_from_both)
{
    const RaidMirrorPlan plan = {
        .reads = RAID_MIRROR_NEAREST, .outweighs = 2, .section_sectors = 256,
        .stream_waiting = 2,
    };
    RaidMirrorSet set = { 0 };
    unsigned busy[] = { 2, 2 }, idle[] = { 0, 1 }, read[2] = { 0, 0 };

    for (uint64_t sector = 0; sector < 64 * 256; sector += 64) {
        unsigned pick = raid_mirror_pick(&set, &plan, busy, 2, BOTH, sector,
                                         sector + 64);

        if (sector >= 256) {
            ck_assert_uint_eq(pick, sector / 256 % 2);
        }
        read[pick]++;
    }
    ck_assert_uint_ge(MIN(read[0], read[1]), 120);

    /* With little outstanding one arm goes on where it is. */
    for (uint64_t sector = 64 * 256; sector < 80 * 256; sector += 64) {
        ck_assert_uint_eq(raid_mirror_pick(&set, &plan, idle, 2, BOTH, sector,
                                           sector + 64), 1);
    }
}
END_TEST

START_TEST(without_balancing_the_first_that_can_answers)
{
    const RaidMirrorPlan plan = { .reads = RAID_MIRROR_FIRST };
    const unsigned waiting[] = { 9, 0 };
    RaidMirrorSet set = { 0 };

    for (unsigned i = 0; i < 20; i++) {
        ck_assert_uint_eq(raid_mirror_pick(&set, &plan, waiting, 2, BOTH,
                                           chance(100), 100), 0);
    }
}
END_TEST

/* What waits and where arms are counts for nothing. */
START_TEST(by_sections_the_address_alone_says_which_answers)
{
    const RaidMirrorPlan plan = {
        .reads = RAID_MIRROR_SECTIONS, .section_sectors = 640,
    };
    RaidMirrorSet set = { 0 };

    for (unsigned i = 0; i < 1000; i++) {
        unsigned waiting[] = { chance(9), chance(9) };
        uint64_t sector = chance(1000000);

        ck_assert_uint_eq(raid_mirror_pick(&set, &plan, waiting, 2, BOTH,
                                           sector, sector + 16),
                          sector % 1280 >= 640);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mirror");
    TCase *tc = tcase_create("mirror");

    tcase_add_test(tc, by_turns_the_one_with_fewer_waiting_answers);
    tcase_add_test(tc, what_cannot_be_read_is_not_chosen);
    tcase_add_test(tc, the_nearer_arm_answers_unless_more_waits_for_it);
    tcase_add_test(tc, two_arms_go_less_far_than_one);
    tcase_add_test(tc, a_stream_is_read_in_sections_from_both);
    tcase_add_test(tc, by_sections_the_address_alone_says_which_answers);
    tcase_add_test(tc, without_balancing_the_first_that_can_answers);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
