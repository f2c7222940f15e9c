/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit, ended early: after a reset at any event of a story every op has
 * ended, every row is whole, each sector is old or new, and nothing is
 * written later; done() may do what it likes.
 */
#include <string.h>

#include "tests/lib/raid-story.h"
#include "tests/lib/unit.h"

static const Shape shapes[] = {
    { RAID_SINGLE, 1, 0 }, { RAID_0, 3, 128 }, { RAID_1, 2, 0 },
    { RAID_5, 3, 128 }, { RAID_5, 4, 128 }, { RAID_10, 4, 128 },
};

#define SHAPES (int)G_N_ELEMENTS(shapes)

#define RESET_OPS 6

static void begin_reset_story(Story *story)
{
    RaidBench *bench = story->bench;
    uint32_t chunk = bench->shape.stripe_sectors
        ? bench->shape.stripe_sectors : 128;

    story_ask(story, &story->asked[0], UNIT_WRITE, 3, 9);
    story_ask(story, &story->asked[1], UNIT_WRITE, chunk - 5, 20);
    story_ask(story, &story->asked[2], UNIT_WRITE, 0, chunk * 3 + 7);
    story_ask(story, &story->asked[3], UNIT_WRITE, chunk + 3, chunk);
    story_ask(story, &story->asked[4], UNIT_WRITE, chunk * 4 + 11, 40);
    story_ask(story, &story->asked[5], UNIT_FLUSH, 0, 0);
}

static void check_after_reset(Story *story, uint32_t missing)
{
    RaidBench *bench = story->bench;
    uint8_t *contents = raid_bench_contents(bench), *later;

    story_check_from_somebody(story, contents, true);
    raid_bench_check_rows(bench);
    ck_assert(!sim_step(bench->sim));
    later = raid_bench_contents(bench);
    ck_assert(memcmp(contents, later,
                     bench->capacity * DISK_SECTOR_BYTES) == 0);
    g_free(later);

    /* The unit goes on, with what there is now. */
    memcpy(bench->flat, contents, bench->capacity * DISK_SECTOR_BYTES);
    story_ask(story, &story->asked[0], UNIT_READ, 0,
        (uint32_t)MIN(bench->capacity, 2000));
    story_drain(story);
    ck_assert_int_eq(story->asked[0].op.status, UNIT_OK);
    ck_assert_int_eq(raid_unit_state(bench->unit),
                     missing ? RAID_UNIT_DEGRADED : RAID_UNIT_OK);
    g_free(contents);
}

/* Reset after `events` events; false when the story was over before. */
static bool reset_after(const Shape *shape, unsigned card, uint32_t missing,
                        unsigned events)
{
    uint64_t sectors = RAID_RESERVED_SECTORS + (shape->stripe ? 3 * 128 : 600);
    Story *story = story_on_card(story_on(raid_bench_new_sized(
        shape->code, shape->members, shape->stripe, sectors, missing, 900)),
        card);
    bool over = false;

    begin_reset_story(story);
    for (unsigned n = 0; n < events && !over; n++) {
        over = !sim_step(story->bench->sim);
    }
    over |= story->ended == RESET_OPS;
    raid_unit_reset(story->bench->unit);
    ck_assert_uint_eq(story->ended, RESET_OPS);
    ck_assert(!story->bad || story->status == UNIT_ABORTED);
    check_after_reset(story, missing);
    story_free(story);
    return !over;
}

START_TEST(a_reset_at_any_event_leaves_every_row_whole)
{
    const Shape *shape = &shapes[_i % SHAPES];
    unsigned card = (unsigned)(_i / SHAPES), events = 0;

    while (reset_after(shape, card, 0, events)) {
        events++;
    }
    ck_assert_uint_gt(events, 5);
    for (unsigned m = 0; shape_can_lose(shape) && m < shape->members; m++) {
        for (events = 0; reset_after(shape, card, 1u << m, events); events++) {
        }
    }
}
END_TEST

/* A done() may even reset the unit, or ask for more. */
static void reset_in_done(UnitOp *op)
{
    Asked *asked = op->opaque;

    asked->busy = false;
    asked->story->ended++;
    if (op->status == UNIT_OK) {
        raid_unit_reset(asked->story->bench->unit);
    }
}

START_TEST(a_reset_from_inside_done_ends_all_others)
{
    Story *story = story_on_card(story_new(&shapes[_i % SHAPES], 0, 1000),
                                 (unsigned)(_i / SHAPES));

    begin_reset_story(story);
    for (unsigned i = 0; i < RESET_OPS; i++) {
        story->asked[i].op.done = reset_in_done;
    }
    story_drain(story);
    ck_assert_uint_eq(story->ended, RESET_OPS);
    raid_bench_check_rows(story->bench);
    story_free(story);
}
END_TEST

static void ask_again(UnitOp *op)
{
    Asked *asked = op->opaque;

    asked->busy = false;
    ck_assert_int_eq(op->status, UNIT_OK);
    if (++asked->story->ended < 50) {
        asked->busy = true;
        story_submit(asked->story, asked);
    }
}

START_TEST(done_may_submit_the_same_op_again)
{
    Story *story = story_new(&shapes[_i], 0, 1100);

    story_ask(story, &story->asked[0], UNIT_WRITE, 5, 200);
    story->asked[0].op.done = ask_again;
    while (sim_step(story->bench->sim)) {
    }
    ck_assert_uint_eq(story->ended, 50);
    raid_bench_check_rows(story->bench);
    story_free(story);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unit-reset");
    TCase *tc = tcase_create("unit-reset");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_reset_at_any_event_leaves_every_row_whole, 0,
                        SHAPES * STORY_CARDS);
    tcase_add_loop_test(tc, a_reset_from_inside_done_ends_all_others, 0,
                        SHAPES * STORY_CARDS);
    tcase_add_loop_test(tc, done_may_submit_the_same_op_again, 0, SHAPES);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
