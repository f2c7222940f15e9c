/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify finds what does not agree, an initialisation keeps the data, both
 * leave hosts their time; what is held is not told, and a power cut leaves
 * what it finds.  Method as in test-task.c.
 */
#include "tests/unit/task-bench.h"

/* --- verify, initialise -------------------------------------------------- */

static void flip(RaidBench *bench, unsigned member, uint64_t sector)
{
    uint8_t buf[DISK_SECTOR_BYTES];
    DiskMedia *media = bench->media[member];

    media->ops->read(media, sector, 1, buf);
    buf[raid_bench_random(bench, sizeof(buf))] ^=
        (uint8_t)(1u << raid_bench_random(bench, 8));
    media->ops->write(media, sector, 1, buf);
}

START_TEST(verify_finds_each_flipped_bit_and_nothing_else)
{
    const Shape *shape = &shapes[_i];

    for (unsigned n = 0; n <= 12; n++) {
        Story *story = begin(shape, 31 + n);
        RaidBench *bench = story->bench;

        if (n) {
            flip(bench, n % shape->members, RAID_DATA_OFFSET_SECTORS +
                 raid_bench_random(bench, ROWS * 128));
        }
        ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_VERIFY, 0, 0));
        story_drain(story);
        ck_assert_uint_eq(heard[RAID_TASK_DONE], 1);
        ck_assert_uint_eq(heard[RAID_TASK_MISMATCH], n > 0);
        ck_assert_int_eq(raid_unit_state(bench->unit), RAID_UNIT_OK);
        story_free(story);
    }
}
END_TEST

static void read_over(UnitOp *op)
{
    *(unsigned *)op->opaque += op->status == UNIT_OK;
}

/*
 * A drive acknowledges 64 KiB that it has not written: no read fails for it,
 * what is wrong lies on that drive, verify tells.
 */
START_TEST(C16_a_stale_block_is_found_by_verify_and_by_no_read)
{
    static const unsigned stale = 1;
    const Shape *shape = &shapes[_i];
    Story *story = begin(shape, 61);
    RaidBench *bench = story->bench;
    uint32_t sectors = (uint32_t)bench->capacity;
    g_autofree uint8_t *found = g_malloc(sectors * DISK_SECTOR_BYTES);
    unsigned well = 0;
    UnitOp read = { .verb = UNIT_READ, .count = sectors, .buf = found,
                    .done = read_over, .opaque = &well };

    ck_assert(fault_order(bench->sim, "port 1 stale at 1280-1407", NULL));
    story_ask(story, &story->asked[0], UNIT_WRITE, 0, sectors);
    memcpy(bench->flat, story->asked[0].data, sectors * DISK_SECTOR_BYTES);
    story_drain(story);
    ck_assert_uint_eq(story->bad, 0);
    raid_unit_submit(bench->unit, &read);
    story_drain(story);
    ck_assert_uint_eq(well, 1);
    for (uint32_t lba = 0; lba < sectors; lba++) {
        size_t at = (size_t)lba * DISK_SECTOR_BYTES;

        if (memcmp(found + at, bench->flat + at, DISK_SECTOR_BYTES)) {
            MdPlace place = md_place(&bench->md, lba);

            ck_assert(place.device == stale ||
                      (shape->code != RAID_5 && place.twin == stale));
        }
    }
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_VERIFY, 0, 0));
    story_drain(story);
    ck_assert_uint_ge(heard[RAID_TASK_MISMATCH], 1);
    ck_assert_uint_eq(heard[RAID_TASK_DONE], 1);
    story_free(story);
}
END_TEST

START_TEST(verify_mends_bad_sectors_and_under_load_finds_no_mismatch)
{
    const Shape *shape = &shapes[_i];
    Story *story = begin(shape, 37);
    RaidBench *bench = story->bench;

    ck_assert(fault_order(bench->sim, "port 1 bad at 1900-1903", NULL));
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_VERIFY, 0, 0));
    story_drain(story);
    ck_assert_uint_gt(repairs, 0);
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_VERIFY, 0, 0));
    story_tell(story, 150, -1);
    ck_assert_uint_eq(heard[RAID_TASK_DONE], 2);
    ck_assert_uint_eq(heard[RAID_TASK_MISMATCH], 0);
    ck_assert_uint_eq(beyond, 0);
    raid_bench_check(bench);
    story_free(story);
}
END_TEST

START_TEST(verify_without_redundancy_tells_each_bad_sector)
{
    static const Shape plain[] = { { RAID_SINGLE, 1, 0 }, { RAID_0, 2, 128 } };
    Story *story = begin(&plain[_i], 41);

    ck_assert(fault_order(story->bench->sim, "port 0 bad at 1100-1101", NULL));
    ck_assert(fault_order(story->bench->sim, "port 0 bad at 1500", NULL));
    ck_assert(raid_unit_task_start(story->bench->unit, RAID_TASK_VERIFY, 0,
                                   0));
    story_drain(story);
    ck_assert_uint_eq(beyond, 3);
    ck_assert_uint_eq(heard[RAID_TASK_DONE], 1);
    ck_assert(!raid_unit_task_start(story->bench->unit, RAID_TASK_INIT, 0,
                                    0));
    story_free(story);
}
END_TEST

START_TEST(C05_an_initialisation_keeps_the_data)
{
    const Shape *shape = &shapes[_i];
    Story *story = begin(shape, 43);
    RaidBench *bench = story->bench;
    uint64_t row = 0;

    /* Redundancy that was never made. */
    for (uint64_t s = 0; s < ROWS * 128; s++) {
        uint64_t sector = RAID_DATA_OFFSET_SECTORS + s;

        row = s / 128;
        if (shape->code == RAID_5) {
            flip(bench, (unsigned)(row % shape->members), sector);
        } else {
            for (unsigned m = 1; m < shape->members; m += 2) {
                flip(bench, m, sector);
            }
        }
    }
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_INIT, 0, 0));
    story_drain(story);
    ck_assert_uint_eq(heard[RAID_TASK_DONE], 1);
    raid_bench_check(bench);
    heard[RAID_TASK_DONE] = 0;
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_INIT, 0, 0));
    story_tell(story, 150, -1);
    ck_assert_uint_eq(heard[RAID_TASK_DONE], 1);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(bench);
    story_free(story);
}
END_TEST

/* --- pace, hold ---------------------------------------------------------- */

START_TEST(a_rate_is_a_share_of_the_time_and_no_rest_is_endless)
{
    SimTime before = -1;

    for (unsigned rate = 1; rate <= RAID_TASK_RATES; rate++) {
        SimTime rest = raid_task_rest_ns(rate, SIM_MS(10));

        ck_assert_int_gt(rest, before);
        ck_assert_int_le(raid_task_rest_ns(rate, SIM_S(100)), SIM_S(2));
        before = rest;
    }
    ck_assert_int_eq(raid_task_rest_ns(3, SIM_MS(10)), SIM_MS(15));
}
END_TEST

/* A host that always has an op there, until the rebuild is done. */
static SimTime rebuild_ns(unsigned rate, SimTime *worst)
{
    Story *story = begin(&shapes[1], 47);
    RaidBench *bench = story->bench;
    SimTime done;

    *worst = 0;
    raid_unit_set_task_rate(bench->unit, rate);
    begin_rebuild(bench, 0);
    while (!heard[RAID_TASK_DONE]) {
        SimTime asked = sim_now(bench->sim);
        Asked *asking = &story->asked[0];

        story_ask(story, asking, UNIT_READ,
                  raid_bench_random(bench, (uint32_t)bench->capacity - 8), 8);
        while (asking->busy && sim_step(bench->sim)) {
        }
        *worst = MAX(*worst, sim_now(bench->sim) - asked);
    }
    done = sim_now(bench->sim);
    story_drain(story);
    story_free(story);
    return done;
}

START_TEST(a_lower_rate_takes_longer_and_starves_nobody)
{
    SimTime before = 0, worst;

    for (unsigned rate = 1; rate <= RAID_TASK_RATES; rate++) {
        SimTime took = rebuild_ns(rate, &worst);

        ck_assert_int_gt(took, before);
        ck_assert_int_lt(worst, SIM_S(1));
        before = took;
    }
}
END_TEST

START_TEST(while_held_writes_are_not_told_and_reads_are)
{
    Story *story = begin(&shapes[_i], 53);
    RaidBench *bench = story->bench;

    raid_unit_hold(bench->unit, true);
    story_ask(story, &story->asked[0], UNIT_WRITE, 0, 50);
    memcpy(bench->flat, story->asked[0].data, 50 * DISK_SECTOR_BYTES);
    story_ask(story, &story->asked[1], UNIT_FLUSH, 0, 0);
    story_ask(story, &story->asked[2], UNIT_READ, 900, 50);
    while (sim_step(bench->sim)) {
    }
    ck_assert(story->asked[0].busy && story->asked[1].busy);
    ck_assert(!story->asked[2].busy);
    raid_bench_check(bench);
    raid_unit_hold(bench->unit, false);
    ck_assert(story->asked[0].busy);
    story_drain(story);
    ck_assert_uint_eq(story->bad, 0);

    raid_unit_hold(bench->unit, true);
    story_ask(story, &story->asked[0], UNIT_WRITE, 0, 50);
    while (sim_step(bench->sim)) {
    }
    raid_unit_reset(bench->unit);
    ck_assert(!story->asked[0].busy);
    ck_assert_int_eq(story->status, UNIT_ABORTED);
    story_free(story);
}
END_TEST

/* The same op cut at each event: reset carries it through, a cut does not. */
static bool is_torn(const Shape *shape, unsigned events, bool cut)
{
    Story *story = begin(shape, 59);
    RaidBench *bench = story->bench;
    uint8_t *now, *later;
    bool torn;

    story_ask(story, &story->asked[0], UNIT_WRITE, 10, 20);
    for_some_events(story, events);
    if (cut) {
        raid_unit_power_cut(bench->unit);
    } else {
        raid_unit_reset(bench->unit);
    }
    ck_assert(!story->asked[0].busy);
    now = raid_bench_contents(bench);
    story_check_from_somebody(story, now, true);
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_VERIFY, 0, 0));
    story_drain(story);
    torn = heard[RAID_TASK_MISMATCH];
    later = raid_bench_contents(bench);
    ck_assert(memcmp(now, later, bench->capacity * DISK_SECTOR_BYTES) == 0);
    g_free(now);
    g_free(later);
    story_free(story);
    return torn;
}

START_TEST(C02_a_power_cut_leaves_a_row_torn_and_a_reset_does_not)
{
    unsigned torn = 0;

    for (unsigned events = 0; events < 12; events++) {
        ck_assert(!is_torn(&shapes[_i], events, false));
        torn += is_torn(&shapes[_i], events, true);
    }
    ck_assert_uint_gt(torn, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify");
    TCase *tc = tcase_create("verify");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, verify_finds_each_flipped_bit_and_nothing_else, 0,
                        SHAPES);
    tcase_add_loop_test(tc,
        C16_a_stale_block_is_found_by_verify_and_by_no_read, 0, SHAPES);
    tcase_add_loop_test(tc,
        verify_mends_bad_sectors_and_under_load_finds_no_mismatch, 0, SHAPES);
    tcase_add_loop_test(tc, verify_without_redundancy_tells_each_bad_sector,
                        0, 2);
    tcase_add_loop_test(tc, C05_an_initialisation_keeps_the_data, 0, SHAPES);
    tcase_add_test(tc, a_rate_is_a_share_of_the_time_and_no_rest_is_endless);
    tcase_add_test(tc, a_lower_rate_takes_longer_and_starves_nobody);
    tcase_add_loop_test(tc, while_held_writes_are_not_told_and_reads_are, 0,
                        SHAPES);
    tcase_add_loop_test(tc,
        C02_a_power_cut_leaves_a_row_torn_and_a_reset_does_not, 0, SHAPES);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
