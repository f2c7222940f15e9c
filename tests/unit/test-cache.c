/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A controller's cache: what was written is what is read, wherever it is by
 * then; it reaches the drives whole and upwards, and when a flush ends all
 * of it has.
 *
 * Stories on a bench of small drives; the oracle is the bench's flat array,
 * media are read behind everybody's back.  The page map is compared with an
 * array of bools.
 */
#include <string.h>

#include "disk-model/world/trace.h"
#include "raid-model/control/cache.h"
#include "raid-model/control/page-map.h"
#include "tests/lib/raid-story.h"
#include "tests/lib/unit.h"

static const Shape shapes[] = {
    { RAID_SINGLE, 1, 0 }, { RAID_0, 3, 128 }, { RAID_1, 2, 0 },
    { RAID_5, 3, 128 }, { RAID_5, 5, 128 },
};

#define SHAPES (int)G_N_ELEMENTS(shapes)

/* One page, hardly any, some, more than there is to write. */
static const RaidCachePlan plans[] = {
    { .bytes = 4096, .destage_max = 1 },
    { .bytes = 20 * 4096, .destage_max = 2, .urgent_percent = 50 },
    { .bytes = 300 * 4096, .destage_max = 4, .urgent_percent = 90 },
    { .bytes = 64 << 20, .destage_max = 8, .urgent_percent = 10 },
};

#define PLANS (int)G_N_ELEMENTS(plans)

static RaidCache *cache;

static void to_cache(void *opaque, UnitOp *op)
{
    raid_cache_submit(opaque, op);
}

static Story *begin(int i, uint32_t seed)
{
    Story *story = story_new(&shapes[i % SHAPES], 0, seed);

    cache = raid_cache_new(story->bench->sim, &plans[i / SHAPES % PLANS],
                           story->bench->unit);
    story->submit = to_cache;
    story->submit_opaque = cache;
    return story;
}

static void end(Story *story)
{
    raid_cache_free(cache);
    story_free(story);
}

START_TEST(what_is_written_is_read_and_reaches_the_drives)
{
    Story *story = begin(_i, 100 + (uint32_t)_i);

    story_tell(story, 150, -1);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(story->bench);
    end(story);
}
END_TEST

/* The same few sectors again and again, while they are on their way. */
START_TEST(what_is_written_again_leaves_rows_whole)
{
    Story *story = begin(_i, 200 + (uint32_t)_i);
    RaidBench *bench = story->bench;

    for (unsigned n = 0; n < 300; n++) {
        Asked *asked = &story->asked[0];
        uint32_t count = 1 + raid_bench_random(bench, 60);
        uint64_t lba = raid_bench_random(bench, 200);
        bool write = raid_bench_random(bench, 3);

        story_ask(story, asked, write ? UNIT_WRITE : UNIT_READ, lba, count);
        if (write) {
            memcpy(bench->flat + lba * DISK_SECTOR_BYTES, asked->data,
                   (size_t)count * DISK_SECTOR_BYTES);
        }
        while (asked->busy) {
            sim_step(bench->sim);
        }
    }
    story_drain(story);
    ck_assert_uint_eq(story->bad, 0);
    raid_bench_check(bench);
    end(story);
}
END_TEST

static void write_some(Story *story, unsigned from, unsigned to)
{
    RaidBench *bench = story->bench;

    for (unsigned i = from; i < to; i++) {
        uint64_t lba = 37 + 100 * i;

        story_ask(story, &story->asked[i], UNIT_WRITE, lba, 20);
        memcpy(bench->flat + lba * DISK_SECTOR_BYTES, story->asked[i].data,
               20 * DISK_SECTOR_BYTES);
    }
}

static void wait_for(Story *story, const Asked *asked)
{
    while (asked->busy) {
        ck_assert(sim_step(story->bench->sim));
    }
}

START_TEST(a_write_with_room_takes_no_time_and_is_read_at_once)
{
    Story *story = begin(_i + 3 * SHAPES, 300);

    write_some(story, 0, 4);
    wait_for(story, &story->asked[3]);
    ck_assert_int_eq(sim_now(story->bench->sim), 0);
    story_ask(story, &story->asked[5], UNIT_READ, 237, 20);
    wait_for(story, &story->asked[5]);
    ck_assert_int_eq(sim_now(story->bench->sim), 0);
    story_drain(story);
    ck_assert_uint_eq(story->bad, 0);
    end(story);
}
END_TEST

START_TEST(when_a_flush_ends_all_is_on_the_drives)
{
    Story *story = begin(_i, 400);

    write_some(story, 0, 6);
    story_ask(story, &story->asked[7], UNIT_FLUSH, 0, 0);
    wait_for(story, &story->asked[7]);
    raid_bench_check(story->bench);
    story_drain(story);
    end(story);
}
END_TEST

START_TEST(a_forced_write_is_on_the_drives_when_it_ends)
{
    Story *story = begin(_i, 500);
    RaidBench *bench = story->bench;
    Asked *asked = &story->asked[7];
    uint8_t *contents;

    write_some(story, 0, 2);
    story_ask(story, &story->asked[6], UNIT_WRITE, 30, 60);
    memcpy(bench->flat + 30 * DISK_SECTOR_BYTES, story->asked[6].data,
           60 * DISK_SECTOR_BYTES);
    wait_for(story, &story->asked[6]);
    story_ask(story, asked, UNIT_READ, 50, 8);
    wait_for(story, asked);
    raid_bench_fill(bench, asked->data, 8 * DISK_SECTOR_BYTES);
    memcpy(bench->flat + 50 * DISK_SECTOR_BYTES, asked->data,
           8 * DISK_SECTOR_BYTES);
    asked->op.verb = UNIT_WRITE;
    asked->op.flags = UNIT_FUA;
    asked->busy = true;
    story_submit(story, asked);
    wait_for(story, asked);
    contents = raid_bench_contents(bench);
    ck_assert_mem_eq(contents + 50 * DISK_SECTOR_BYTES, asked->data,
                     8 * DISK_SECTOR_BYTES);
    g_free(contents);
    story_drain(story);
    raid_bench_check(bench);
    end(story);
}
END_TEST

START_TEST(a_reset_loses_nothing_that_was_answered)
{
    for (unsigned steps = 0; steps < 25; steps++) {
        Story *story = begin(_i, 600 + steps);
        RaidBench *bench = story->bench;
        uint8_t *contents;

        for (unsigned i = 0; i < 6; i++) {
            story_ask(story, &story->asked[i], UNIT_WRITE, 37 + 100 * i, 20);
        }
        for (unsigned i = 0; i < steps; i++) {
            sim_step(bench->sim);
        }
        for (unsigned i = 0; i < 6; i++) {
            if (!story->asked[i].busy) {
                memcpy(bench->flat + (37 + 100 * i) * DISK_SECTOR_BYTES,
                       story->asked[i].data, 20 * DISK_SECTOR_BYTES);
            }
        }
        raid_cache_reset(cache);
        ck_assert_uint_eq(story->ended, 6);
        story_drain(story);
        contents = raid_bench_contents(bench);
        for (unsigned i = 0; i < 6; i++) {
            size_t at = (37 + 100 * i) * DISK_SECTOR_BYTES;

            ck_assert(story->asked[i].op.status != UNIT_OK ||
                      memcmp(contents + at, bench->flat + at,
                             20 * DISK_SECTOR_BYTES) == 0);
        }
        raid_bench_check_rows(bench);
        g_free(contents);
        end(story);
    }
}
END_TEST

typedef struct Sweep {
    int64_t last;
    unsigned writes, falls;
} Sweep;

static void note_drive_op(void *opaque, const SimTraceRecord *record)
{
    Sweep *sweep = opaque;

    /* port, verb, sector */
    if (record->kind == SIM_TRACE_DRIVE_OP && record->value[1] == DISK_WRITE) {
        sweep->writes++;
        sweep->falls += record->value[2] < sweep->last;
        sweep->last = record->value[2];
    }
}

START_TEST(dirty_sectors_leave_upwards)
{
    Sweep sweep = { 0 };
    Story *story = begin(3 * SHAPES, 700);
    RaidBench *bench = story->bench;

    sim_trace_to(bench->sim, note_drive_op, &sweep);
    for (unsigned n = 0; n < 200; n++) {
        Asked *asked = &story->asked[n % SLOTS];

        wait_for(story, asked);
        story_ask(story, asked, UNIT_WRITE,
                  raid_bench_random(bench, (uint32_t)bench->capacity), 1);
    }
    story_drain(story);
    ck_assert_uint_ge(sweep.writes, 100);
    /* The first eight go at once, as they come; then round once. */
    ck_assert_uint_le(sweep.falls, 8 + 1);
    sim_trace_to(bench->sim, NULL, NULL);
    end(story);
}
END_TEST

START_TEST(ops_past_the_end_are_refused)
{
    Story *story = begin(_i, 800);
    uint64_t past = story->bench->capacity;

    story_ask(story, &story->asked[0], UNIT_WRITE, past - 1, 2);
    story_ask(story, &story->asked[1], UNIT_READ, UINT64_MAX, 8);
    story_drain(story);
    ck_assert_uint_eq(story->bad, 2);
    ck_assert_int_eq(story->status, UNIT_OUT_OF_RANGE);
    end(story);
}
END_TEST

#define PAGES 9000              /* three levels, the last word not full */

START_TEST(the_next_page_that_is_ready_is_found)
{
    static bool ready[PAGES];
    uint32_t noise = 7;
    PageMap map;

    memset(ready, 0, sizeof(ready));
    page_map_init(&map, PAGES);
    for (unsigned n = 0; n < 20000; n++) {
        uint64_t at, due;

        noise = noise * 1664525 + 1013904223;
        at = (noise >> 8) % PAGES;
        /* Thinner and thinner, so that whole words are empty. */
        ready[at] = n < 3000 && noise & 1;
        page_map_set_ready(&map, at, ready[at]);
        noise = noise * 1664525 + 1013904223;
        at = due = (noise >> 8) % (PAGES + 1);
        while (due < PAGES && !ready[due]) {
            due++;
        }
        unit_holds(page_map_next_ready(&map, at) ==
                   (due < PAGES ? due : PAGE_NONE));
    }
    page_map_clear(&map);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cache");
    TCase *tc = tcase_create("cache");
    int all = SHAPES * PLANS;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, what_is_written_is_read_and_reaches_the_drives, 0,
                        all);
    tcase_add_loop_test(tc, what_is_written_again_leaves_rows_whole, 0, all);
    tcase_add_loop_test(
        tc, a_write_with_room_takes_no_time_and_is_read_at_once, 0, SHAPES);
    tcase_add_loop_test(tc, when_a_flush_ends_all_is_on_the_drives, 0, all);
    tcase_add_loop_test(tc, a_forced_write_is_on_the_drives_when_it_ends, 0,
                        all);
    tcase_add_loop_test(tc, a_reset_loses_nothing_that_was_answered, 0, all);
    tcase_add_test(tc, dirty_sectors_leave_upwards);
    tcase_add_loop_test(tc, ops_past_the_end_are_refused, 0, SHAPES);
    tcase_add_test(tc, the_next_page_that_is_ready_is_found);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
