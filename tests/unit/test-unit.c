/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit: what is written is what is read, whatever is missing, pulled or in
 * flight at the same time; redundancy agrees with data after every story;
 * after a reset nothing old is written.
 *
 * Seeded stories on real drives with memory media.  The oracle is a flat
 * array, and md's rules for which device holds what; media are read behind
 * the unit's back.  Buffers are misaligned on purpose.
 */
#include <string.h>

#include "tests/lib/raid-bench.h"
#include "tests/lib/unit.h"

#define SLOTS 8                 /* ops in flight */
#define OP_SECTORS_MAX 3000

typedef struct Shape {
    RaidCode code;
    unsigned members;
    uint32_t stripe;
} Shape;

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

typedef struct Asked {
    UnitOp op;
    struct Story *story;
    uint8_t *memory, *data;     /* data: somewhere in memory */
    bool busy;
} Asked;

typedef struct Story {
    RaidBench *bench;
    Asked asked[SLOTS];
    bool in_submit;
    unsigned ended, bad;        /* bad: not UNIT_OK */
    UnitStatus status;          /* of the last that was not */
} Story;

static bool overlap(const UnitOp *op, uint64_t lba, uint32_t count)
{
    return op->lba < lba + count && lba < op->lba + op->count;
}

static void op_done(UnitOp *op)
{
    Asked *asked = op->opaque;
    Story *story = asked->story;

    unit_holds(!story->in_submit && asked->busy);
    asked->busy = false;
    story->ended++;
    if (op->status != UNIT_OK) {
        story->bad++;
        story->status = op->status;
    } else if (op->verb == UNIT_READ) {
        unit_holds(memcmp(asked->data,
                          story->bench->flat + op->lba * DISK_SECTOR_BYTES,
                          op->count * DISK_SECTOR_BYTES) == 0);
    }
}

static void submit(Story *story, Asked *asked)
{
    story->in_submit = true;
    raid_unit_submit(story->bench->unit, &asked->op);
    story->in_submit = false;
}

static void ask(Story *story, Asked *asked, UnitVerb verb, uint64_t lba,
                uint32_t count)
{
    RaidBench *bench = story->bench;

    g_free(asked->memory);
    asked->memory = g_malloc((size_t)count * DISK_SECTOR_BYTES + 64);
    asked->data = asked->memory + (raid_bench_random(bench, 2)
                                   ? raid_bench_random(bench, 64) : 0);
    asked->story = story;
    asked->busy = true;
    asked->op = (UnitOp) {
        .verb = verb, .lba = lba, .count = count, .buf = asked->data,
        .done = op_done, .opaque = asked,
    };
    if (verb == UNIT_WRITE) {
        raid_bench_fill(bench, asked->data,
                        (size_t)count * DISK_SECTOR_BYTES);
    }
    submit(story, asked);
}

/* Mostly small, some over several rows; often near the one before. */
static void choose_span(RaidBench *bench, uint64_t *lba, uint32_t *count)
{
    uint32_t most = raid_bench_random(bench, 4)
        ? 40 : MIN(OP_SECTORS_MAX, (uint32_t)bench->capacity / 3);

    *count = 1 + raid_bench_random(bench, most);
    *lba = raid_bench_random(bench, 3)
        ? raid_bench_random(bench, (uint32_t)(bench->capacity - *count + 1))
        : raid_bench_random(bench, 600);
    if (raid_bench_random(bench, 40) == 0) {
        *lba = bench->capacity - *count;
    }
}

static bool clashes(const Story *story, UnitVerb verb, uint64_t lba,
                    uint32_t count)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        const Asked *other = &story->asked[i];

        if (other->busy && other->op.verb != UNIT_FLUSH &&
            (verb == UNIT_WRITE || other->op.verb == UNIT_WRITE) &&
            overlap(&other->op, lba, count)) {
            return true;
        }
    }
    return false;
}

/* An op on sectors nobody else has in hand; flat changes with it. */
static void ask_something(Story *story, Asked *asked)
{
    RaidBench *bench = story->bench;
    UnitVerb verb = raid_bench_random(bench, 5) < 3 ? UNIT_WRITE : UNIT_READ;
    uint64_t lba;
    uint32_t count;

    if (raid_bench_random(bench, 30) == 0) {
        ask(story, asked, UNIT_FLUSH, 0, 0);
        return;
    }
    do {
        choose_span(bench, &lba, &count);
    } while (clashes(story, verb, lba, count));
    ask(story, asked, verb, lba, count);
    if (verb == UNIT_WRITE) {
        memcpy(bench->flat + lba * DISK_SECTOR_BYTES, asked->data,
               (size_t)count * DISK_SECTOR_BYTES);
    }
}

static void drain(Story *story)
{
    while (sim_step(story->bench->sim)) {
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        unit_holds(!story->asked[i].busy);
    }
}

static Story *story_on(RaidBench *bench)
{
    Story *story = g_new0(Story, 1);

    story->bench = bench;
    raid_bench_format(bench);
    return story;
}

static Story *story_new(const Shape *shape, uint32_t missing, uint32_t seed)
{
    return story_on(raid_bench_new(shape->code, shape->members,
                                   shape->stripe, missing, seed));
}

static void story_free(Story *story)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        g_free(story->asked[i].memory);
    }
    raid_bench_free(story->bench);
    g_free(story);
}

/* `pull`: a member that goes half way, or -1. */
static void tell(Story *story, unsigned ops, int pull)
{
    RaidBench *bench = story->bench;

    for (unsigned n = 0; n < ops; n++) {
        Asked *asked = &story->asked[raid_bench_random(bench, SLOTS)];

        while (asked->busy) {
            unit_holds(sim_step(bench->sim));
        }
        ask_something(story, asked);
        if (pull >= 0 && n == ops / 2) {
            raid_bench_pull(bench, (unsigned)pull);
        }
    }
    drain(story);
}

/* All of it through the unit, as a host would. */
static void read_all_back(Story *story)
{
    RaidBench *bench = story->bench;
    uint32_t step = 16384;

    for (uint64_t lba = 0; lba < bench->capacity; lba += step) {
        ask(story, &story->asked[0], UNIT_READ, lba,
            (uint32_t)MIN(step, bench->capacity - lba));
        drain(story);
    }
}

static bool can_lose(const Shape *shape)
{
    return raid_level[shape->code].row_redundant;
}

START_TEST(a_whole_unit_keeps_what_is_written)
{
    Story *story = story_new(&shapes[_i], 0, 100 + (uint32_t)_i);

    tell(story, 150, -1);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(story->bench);
    read_all_back(story);
    ck_assert_uint_eq(story->bad, 0);
    ck_assert_int_eq(raid_unit_state(story->bench->unit), RAID_UNIT_OK);
    story_free(story);
}
END_TEST

START_TEST(a_unit_born_without_a_member_keeps_what_is_written)
{
    const Shape *shape = &shapes[_i];

    for (unsigned m = 0; can_lose(shape) && m < shape->members; m++) {
        Story *story = story_new(shape, 1u << m, 200 + m);

        ck_assert_int_eq(raid_unit_state(story->bench->unit),
                         RAID_UNIT_DEGRADED);
        tell(story, 80, -1);
        ck_assert_uint_eq(story->bad, 0);
        raid_bench_check(story->bench);
        read_all_back(story);
        ck_assert_uint_eq(story->bad, 0);
        story_free(story);
    }
}
END_TEST

START_TEST(a_drive_pulled_in_mid_flight_costs_no_data)
{
    const Shape *shape = &shapes[_i];

    for (unsigned m = 0; can_lose(shape) && m < shape->members; m++) {
        Story *story = story_new(shape, 0, 300 + m);

        tell(story, 80, (int)m);
        ck_assert_uint_eq(story->bad, 0);
        ck_assert_int_eq(raid_unit_state(story->bench->unit),
                         RAID_UNIT_DEGRADED);
        raid_bench_check(story->bench);
        read_all_back(story);
        ck_assert_uint_eq(story->bad, 0);
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
        ask_something(story, &story->asked[i]);
    }
    raid_bench_pull(bench, 0);
    if (can_lose(shape)) {
        ck_assert_int_eq(raid_unit_state(bench->unit), RAID_UNIT_DEGRADED);
        sim_step(bench->sim);
        raid_bench_pull(bench, 1);
    }
    ck_assert_int_eq(raid_unit_state(bench->unit), RAID_UNIT_INOPERABLE);
    drain(story);
    ck_assert_uint_eq(story->ended, SLOTS - 1);
    for (UnitVerb verb = UNIT_READ; verb <= UNIT_FLUSH; verb++) {
        ask(story, &story->asked[0], verb, 0, verb == UNIT_FLUSH ? 0 : 8);
        drain(story);
        ck_assert_int_eq(story->asked[0].op.status, UNIT_OFFLINE);
    }
    story_free(story);
}
END_TEST

START_TEST(pairs_of_a_raid10_can_each_lose_one)
{
    static const Shape shape = { RAID_10, 6, 128 };
    Story *story = story_new(&shape, 1u << 0 | 1u << 3, 500);

    tell(story, 100, 4);
    ck_assert_uint_eq(story->bad, 0);
    ck_assert_int_eq(raid_unit_state(story->bench->unit),
                     RAID_UNIT_DEGRADED);
    raid_bench_check(story->bench);
    read_all_back(story);
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

        ask(story, asked, UNIT_WRITE, spans[i].lba, spans[i].count);
        drain(story);
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
    ask(story, &story->asked[0], UNIT_WRITE, 77, 65535);
    memcpy(bench->flat + 77 * DISK_SECTOR_BYTES, story->asked[0].data,
           65535 * DISK_SECTOR_BYTES);
    drain(story);
    ask(story, &story->asked[1], UNIT_READ, 5, 65535);
    drain(story);
    ck_assert_uint_eq(story->ended, 2);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(bench);
    story_free(story);
}
END_TEST

/* --- overlap ------------------------------------------------------------- */

static bool sector_is_from(const UnitOp *op, uint64_t lba,
                           const uint8_t *sector)
{
    return op->lba <= lba && lba < op->lba + op->count &&
           memcmp(sector, (uint8_t *)op->buf +
                  (lba - op->lba) * DISK_SECTOR_BYTES,
                  DISK_SECTOR_BYTES) == 0;
}

/* Each sector is as before or as one of the writes of it had it. */
static void check_from_somebody(const Story *story, const uint8_t *contents,
                                bool old_is_fine)
{
    for (uint64_t lba = 0; lba < story->bench->capacity; lba++) {
        const uint8_t *sector = contents + lba * DISK_SECTOR_BYTES;
        bool covered = false, found = false;

        for (unsigned i = 0; i < SLOTS; i++) {
            const UnitOp *op = &story->asked[i].op;

            if (op->verb == UNIT_WRITE && op->count) {
                covered |= overlap(op, lba, 1);
                found |= sector_is_from(op, lba, sector);
            }
        }
        if (!covered || (!found && old_is_fine)) {
            found = memcmp(sector, story->bench->flat +
                           lba * DISK_SECTOR_BYTES, DISK_SECTOR_BYTES) == 0;
        }
        unit_holds(found);
    }
}

START_TEST(overlapping_writes_leave_every_row_whole)
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        Story *story = story_new(&shapes[_i], 0, seed);
        RaidBench *bench = story->bench;
        uint8_t *contents;

        for (unsigned i = 0; i < SLOTS; i++) {
            uint64_t lba = raid_bench_random(bench, 500);
            uint32_t count = 1 + raid_bench_random(bench, 700);

            ask(story, &story->asked[i], UNIT_WRITE, lba, count);
        }
        drain(story);
        ck_assert_uint_eq(story->bad, 0);
        contents = raid_bench_contents(bench);
        check_from_somebody(story, contents, false);
        raid_bench_check_rows(bench);
        g_free(contents);
        story_free(story);
    }
}
END_TEST

/* The last writer in a row's line wins it, so one row ends as the last. */
START_TEST(ops_on_the_same_sectors_are_served_in_order)
{
    Story *story = story_new(&shapes[_i], 0, 800);
    RaidBench *bench = story->bench;
    Asked *last = &story->asked[SLOTS - 1];

    for (unsigned i = 0; i < SLOTS - 1; i++) {
        ask(story, &story->asked[i], UNIT_WRITE, 10, 50);
    }
    memcpy(bench->flat + 10 * DISK_SECTOR_BYTES,
           story->asked[SLOTS - 2].data, 50 * DISK_SECTOR_BYTES);
    ask(story, last, UNIT_READ, 20, 20);        /* compared when done */
    drain(story);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(bench);
    story_free(story);
}
END_TEST

/* --- reset --------------------------------------------------------------- */

#define RESET_OPS 6

static void begin_reset_story(Story *story)
{
    RaidBench *bench = story->bench;
    uint32_t chunk = bench->shape.stripe_sectors
        ? bench->shape.stripe_sectors : 128;

    ask(story, &story->asked[0], UNIT_WRITE, 3, 9);
    ask(story, &story->asked[1], UNIT_WRITE, chunk - 5, 20);
    ask(story, &story->asked[2], UNIT_WRITE, 0, chunk * 3 + 7);
    ask(story, &story->asked[3], UNIT_WRITE, chunk + 3, chunk);
    ask(story, &story->asked[4], UNIT_WRITE, chunk * 4 + 11, 40);
    ask(story, &story->asked[5], UNIT_FLUSH, 0, 0);
}

static void check_after_reset(Story *story, uint32_t missing)
{
    RaidBench *bench = story->bench;
    uint8_t *contents = raid_bench_contents(bench), *later;

    check_from_somebody(story, contents, true);
    raid_bench_check_rows(bench);
    ck_assert(!sim_step(bench->sim));
    later = raid_bench_contents(bench);
    ck_assert(memcmp(contents, later,
                     bench->capacity * DISK_SECTOR_BYTES) == 0);
    g_free(later);

    /* The unit goes on, with what there is now. */
    memcpy(bench->flat, contents, bench->capacity * DISK_SECTOR_BYTES);
    ask(story, &story->asked[0], UNIT_READ, 0,
        (uint32_t)MIN(bench->capacity, 2000));
    drain(story);
    ck_assert_int_eq(story->asked[0].op.status, UNIT_OK);
    ck_assert_int_eq(raid_unit_state(bench->unit),
                     missing ? RAID_UNIT_DEGRADED : RAID_UNIT_OK);
    g_free(contents);
}

/* Reset after `events` events; false when the story was over before. */
static bool reset_after(const Shape *shape, uint32_t missing,
                        unsigned events)
{
    uint64_t sectors = RAID_RESERVED_SECTORS + (shape->stripe ? 3 * 128 : 600);
    Story *story = story_on(raid_bench_new_sized(
        shape->code, shape->members, shape->stripe, sectors, missing, 900));
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
    static const Shape small[] = {
        { RAID_SINGLE, 1, 0 }, { RAID_0, 3, 128 }, { RAID_1, 2, 0 },
        { RAID_5, 3, 128 }, { RAID_5, 4, 128 }, { RAID_10, 4, 128 },
    };
    const Shape *shape = &small[_i];
    unsigned events = 0;

    while (reset_after(shape, 0, events)) {
        events++;
    }
    ck_assert_uint_gt(events, 5);
    for (unsigned m = 0; can_lose(shape) && m < shape->members; m++) {
        for (events = 0; reset_after(shape, 1u << m, events); events++) {
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
    Story *story = story_new(&shapes[_i], 0, 1000);

    begin_reset_story(story);
    for (unsigned i = 0; i < RESET_OPS; i++) {
        story->asked[i].op.done = reset_in_done;
    }
    drain(story);
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
        submit(asked->story, asked);
    }
}

START_TEST(done_may_submit_the_same_op_again)
{
    Story *story = story_new(&shapes[_i], 0, 1100);

    ask(story, &story->asked[0], UNIT_WRITE, 5, 200);
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
    Suite *suite = suite_create("unit");
    TCase *tc = tcase_create("unit");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_whole_unit_keeps_what_is_written, 0, SHAPES);
    tcase_add_loop_test(tc, a_unit_born_without_a_member_keeps_what_is_written,
                        0, SHAPES);
    tcase_add_loop_test(tc, a_drive_pulled_in_mid_flight_costs_no_data, 0,
                        SHAPES);
    tcase_add_loop_test(tc, one_drive_too_many_ends_every_op_offline, 0,
                        SMALL_SHAPES);
    tcase_add_test(tc, pairs_of_a_raid10_can_each_lose_one);
    tcase_add_loop_test(tc, ops_past_the_end_are_refused_and_touch_nothing, 0,
                        SMALL_SHAPES);
    tcase_add_loop_test(tc, the_longest_op_passes_through_its_window, 0, 3);
    tcase_add_loop_test(tc, overlapping_writes_leave_every_row_whole, 0,
                        SMALL_SHAPES);
    tcase_add_loop_test(tc, ops_on_the_same_sectors_are_served_in_order, 0,
                        SMALL_SHAPES);
    tcase_add_loop_test(tc, a_reset_at_any_event_leaves_every_row_whole, 0,
                        6);
    tcase_add_loop_test(tc, a_reset_from_inside_done_ends_all_others, 0,
                        SMALL_SHAPES);
    tcase_add_loop_test(tc, done_may_submit_the_same_op_again, 0, SMALL_SHAPES);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
