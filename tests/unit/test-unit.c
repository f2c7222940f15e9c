/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit: what is written is what is read, whatever is missing, pulled or in
 * flight at the same time; redundancy agrees with data after every story.
 * (Resets: test-unit-reset.c.)
 *
 * Seeded stories on real drives with memory media.  The oracle is a flat
 * array, and md's rules for which device holds what; media are read behind
 * the unit's back.  Buffers are misaligned on purpose.
 */
#include <string.h>

#include "disk-model/world/trace.h"
#include "tests/lib/raid-story.h"
#include "tests/lib/unit.h"

static const Shape shapes[] = {
    { RAID_JBOD, 1, 0 }, { RAID_SINGLE, 1, 0 }, { RAID_1, 2, 0 },
    { RAID_0, 2, 128 }, { RAID_0, 3, 512 },
    { RAID_5, 3, 128 }, { RAID_5, 4, 128 }, { RAID_5, 4, 512 },
    { RAID_5, 5, 256 }, { RAID_5, 6, 128 },
    { RAID_10, 4, 128 }, { RAID_10, 6, 256 },
    /* Large ones, where time is of no matter: */
    { RAID_0, 4, 2048 }, { RAID_5, 3, 2048 }, { RAID_10, 4, 2048 },
};

#define SHAPES (int)G_N_ELEMENTS(shapes)
#define SMALL_SHAPES (SHAPES - 3)

/* Loops go over all shapes on card 0, then over the small ones on others. */
#define STORIES (SHAPES + SMALL_SHAPES * (STORY_CARDS - 1))

static const Shape *shape_of(int i)
{
    return &shapes[i < SHAPES ? i : (i - SHAPES) % SMALL_SHAPES];
}

static Story *new_story(int i, uint32_t missing, uint32_t seed)
{
    unsigned card = i < SHAPES ? 0 : 1 + (i - SHAPES) / SMALL_SHAPES;

    return story_on_card(story_new(shape_of(i), missing, seed), card);
}

START_TEST(a_whole_unit_keeps_what_is_written)
{
    Story *story = new_story(_i, 0, 100 + (uint32_t)_i);

    story_tell(story, 150, -1);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(story->bench);
    story_read_all_back(story);
    ck_assert_uint_eq(story->bad, 0);
    ck_assert_int_eq(raid_unit_state(story->bench->unit), RAID_UNIT_OK);
    story_free(story);
}
END_TEST

START_TEST(a_unit_born_without_a_member_keeps_what_is_written)
{
    const Shape *shape = shape_of(_i);

    for (unsigned m = 0; shape_can_lose(shape) && m < shape->members; m++) {
        Story *story = new_story(_i, 1u << m, 200 + m);

        ck_assert_int_eq(raid_unit_state(story->bench->unit),
                         RAID_UNIT_DEGRADED);
        story_tell(story, 80, -1);
        ck_assert_uint_eq(story->bad, 0);
        raid_bench_check(story->bench);
        story_read_all_back(story);
        ck_assert_uint_eq(story->bad, 0);
        story_free(story);
    }
}
END_TEST

START_TEST(a_drive_pulled_in_mid_flight_costs_no_data)
{
    const Shape *shape = shape_of(_i);

    for (unsigned m = 0; shape_can_lose(shape) && m < shape->members; m++) {
        Story *story = new_story(_i, 0, 300 + m);

        story_tell(story, 80, (int)m);
        ck_assert_uint_eq(story->bad, 0);
        ck_assert_int_eq(raid_unit_state(story->bench->unit),
                         RAID_UNIT_DEGRADED);
        raid_bench_check(story->bench);
        story_read_all_back(story);
        ck_assert_uint_eq(story->bad, 0);
        story_free(story);
    }
}
END_TEST

static void check_blank(const RaidBench *bench, unsigned member)
{
    uint8_t *image = raid_bench_member(bench, member);

    for (size_t i = 0; i < bench->shape.member_sectors * 512; i++) {
        unit_holds(image[i] == 0);
    }
    g_free(image);
}

START_TEST(a_drive_put_in_anothers_place_is_left_alone)
{
    static const Shape swapped[] = {
        { RAID_1, 2, 0 }, { RAID_5, 3, 128 }, { RAID_10, 4, 128 },
    };
    const Shape *shape = &swapped[_i % 3];

    for (unsigned steps = 0; steps < 20; steps++) {
        unsigned m = steps % shape->members;
        Story *story = story_on_card(story_new(shape, 0, 350 + steps),
                                     (unsigned)_i / 3);

        story_tell(story, 12, -1);
        for (unsigned i = 0; i < SLOTS; i++) {
            story_ask_something(story, &story->asked[i]);
        }
        for (unsigned n = 0; n < steps; n++) {
            sim_step(story->bench->sim);
        }
        raid_bench_swap(story->bench, m);
        story_tell(story, 12, -1);
        ck_assert_uint_eq(story->bad, 0);
        raid_bench_check(story->bench);
        check_blank(story->bench, m);
        story_free(story);
    }
}
END_TEST

START_TEST(one_drive_too_many_ends_every_op_offline)
{
    const Shape *shape = &shapes[_i];
    Story *story = story_new(shape, 0, 400);
    RaidBench *bench = story->bench;

    for (unsigned i = 1; i < SLOTS; i++) {
        story_ask_something(story, &story->asked[i]);
    }
    raid_bench_pull(bench, 0);
    if (shape_can_lose(shape)) {
        ck_assert_int_eq(raid_unit_state(bench->unit), RAID_UNIT_DEGRADED);
        sim_step(bench->sim);
        raid_bench_pull(bench, 1);
    }
    ck_assert_int_eq(raid_unit_state(bench->unit), RAID_UNIT_INOPERABLE);
    story_drain(story);
    ck_assert_uint_eq(story->ended, SLOTS - 1);
    for (UnitVerb verb = UNIT_READ; verb <= UNIT_FLUSH; verb++) {
        story_ask(story, &story->asked[0], verb, 0, verb == UNIT_FLUSH ? 0 : 8);
        story_drain(story);
        ck_assert_int_eq(story->asked[0].op.status, UNIT_OFFLINE);
    }
    story_free(story);
}
END_TEST

START_TEST(pairs_of_a_raid10_can_each_lose_one)
{
    static const Shape shape = { RAID_10, 6, 128 };
    Story *story = story_new(&shape, 1u << 0 | 1u << 3, 500);

    story_tell(story, 100, 4);
    ck_assert_uint_eq(story->bad, 0);
    ck_assert_int_eq(raid_unit_state(story->bench->unit),
                     RAID_UNIT_DEGRADED);
    raid_bench_check(story->bench);
    story_read_all_back(story);
    raid_bench_pull(story->bench, 5);
    ck_assert_int_eq(raid_unit_state(story->bench->unit),
                     RAID_UNIT_INOPERABLE);
    story_free(story);
}
END_TEST

START_TEST(ops_past_the_end_are_refused_and_touch_nothing)
{
    Story *story = story_new(&shapes[_i], 0, 600);
    uint64_t end = story->bench->capacity;
    const struct {
        uint64_t lba;
        uint32_t count;
        UnitStatus status;
    } spans[] = {
        { end - 1, 1, UNIT_OK }, { end - 1, 2, UNIT_OUT_OF_RANGE },
        { end, 1, UNIT_OUT_OF_RANGE }, { end + 1, 1, UNIT_OUT_OF_RANGE },
        { UINT64_MAX, 1, UNIT_OUT_OF_RANGE },
        { UINT64_MAX, 65535, UNIT_OUT_OF_RANGE },
        { 0, 0, UNIT_OK },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(spans); i++) {
        Asked *asked = &story->asked[i];

        story_ask(story, asked, UNIT_WRITE, spans[i].lba, spans[i].count);
        story_drain(story);
        ck_assert_int_eq(asked->op.status, spans[i].status);
    }
    memcpy(story->bench->flat + (end - 1) * DISK_SECTOR_BYTES,
           story->asked[0].data, DISK_SECTOR_BYTES);
    raid_bench_check(story->bench);
    story_free(story);
}
END_TEST

START_TEST(the_longest_op_passes_through_its_window)
{
    static const Shape long_shapes[] = {
        { RAID_1, 2, 0 }, { RAID_0, 3, 128 }, { RAID_5, 4, 128 },
    };
    const Shape *shape = &long_shapes[_i];
    Story *story = story_on(raid_bench_new_sized(
        shape->code, shape->members, shape->stripe,
        shape->stripe ? 37000 : 70000, 0, 700));
    RaidBench *bench = story->bench;

    ck_assert_uint_ge(bench->capacity, 65535 + 100);
    story_ask(story, &story->asked[0], UNIT_WRITE, 77, 65535);
    memcpy(bench->flat + 77 * DISK_SECTOR_BYTES, story->asked[0].data,
           65535 * DISK_SECTOR_BYTES);
    story_drain(story);
    story_ask(story, &story->asked[1], UNIT_READ, 5, 65535);
    story_drain(story);
    ck_assert_uint_eq(story->ended, 2);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(bench);
    story_free(story);
}
END_TEST

/* --- overlap ------------------------------------------------------------- */

START_TEST(overlapping_writes_leave_every_row_whole)
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        Story *story = new_story(_i, 0, seed);
        RaidBench *bench = story->bench;
        uint8_t *contents;

        for (unsigned i = 0; i < SLOTS; i++) {
            uint64_t lba = raid_bench_random(bench, 500);
            uint32_t count = 1 + raid_bench_random(bench, 700);

            story_ask(story, &story->asked[i], UNIT_WRITE, lba, count);
        }
        story_drain(story);
        ck_assert_uint_eq(story->bad, 0);
        contents = raid_bench_contents(bench);
        story_check_from_somebody(story, contents, false);
        raid_bench_check_rows(bench);
        g_free(contents);
        story_free(story);
    }
}
END_TEST

/* The last writer in a row's line wins it, so one row ends as the last. */
START_TEST(ops_on_the_same_sectors_are_served_in_order)
{
    Story *story = new_story(_i, 0, 800);
    RaidBench *bench = story->bench;
    Asked *last = &story->asked[SLOTS - 1];

    for (unsigned i = 0; i < SLOTS - 1; i++) {
        story_ask(story, &story->asked[i], UNIT_WRITE, 10, 50);
    }
    memcpy(bench->flat + 10 * DISK_SECTOR_BYTES,
           story->asked[SLOTS - 2].data, 50 * DISK_SECTOR_BYTES);
    story_ask(story, last, UNIT_READ, 20, 20);        /* compared when done */
    story_drain(story);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(bench);
    story_free(story);
}
END_TEST

#define PIECE 24u

static void note_length(void *opaque, const SimTraceRecord *record)
{
    unsigned *ops = opaque;

    /* port, verb, sector, count */
    if (record->kind == SIM_TRACE_DRIVE_OP) {
        ck_assert_int_le(record->value[3], PIECE);
        ops[record->value[1] == DISK_WRITE]++;
    }
}

START_TEST(no_drive_op_of_a_plain_unit_is_longer_than_the_card_makes)
{
    static const Shape plain[] = { { RAID_SINGLE, 1, 0 }, { RAID_1, 2, 0 } };
    Story *story = story_new(&plain[_i], 0, 900);
    RaidBench *bench = story->bench;
    unsigned ops[2] = { 0 };

    bench->card.drive_sectors_max = PIECE;
    sim_trace_to(bench->sim, note_length, ops);
    story_ask(story, &story->asked[0], UNIT_WRITE, 7, 100);
    memcpy(bench->flat + 7 * DISK_SECTOR_BYTES, story->asked[0].data,
           100 * DISK_SECTOR_BYTES);
    story_drain(story);
    story_ask(story, &story->asked[0], UNIT_READ, 7, 100);
    story_drain(story);
    ck_assert_uint_eq(story->bad, 0);
    ck_assert_uint_eq(ops[0], 5);
    ck_assert_uint_eq(ops[1], 5 * plain[_i].members);
    sim_trace_to(bench->sim, NULL, NULL);
    story_free(story);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unit");
    TCase *tc = tcase_create("unit");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_whole_unit_keeps_what_is_written, 0,
                        STORIES);
    tcase_add_loop_test(tc, a_unit_born_without_a_member_keeps_what_is_written,
                        0, STORIES);
    tcase_add_loop_test(tc, a_drive_pulled_in_mid_flight_costs_no_data, 0,
                        STORIES);
    tcase_add_loop_test(tc, a_drive_put_in_anothers_place_is_left_alone, 0,
                        3 * STORY_CARDS);
    tcase_add_loop_test(tc, one_drive_too_many_ends_every_op_offline, 0,
                        SMALL_SHAPES);
    tcase_add_test(tc, pairs_of_a_raid10_can_each_lose_one);
    tcase_add_loop_test(tc, ops_past_the_end_are_refused_and_touch_nothing, 0,
                        SMALL_SHAPES);
    tcase_add_loop_test(tc, the_longest_op_passes_through_its_window, 0, 3);
    tcase_add_loop_test(tc, overlapping_writes_leave_every_row_whole, 0,
                        STORIES);
    tcase_add_loop_test(tc, ops_on_the_same_sectors_are_served_in_order, 0,
                        STORIES);
    tcase_add_loop_test(
        tc, no_drive_op_of_a_plain_unit_is_longer_than_the_card_makes, 0, 2);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
