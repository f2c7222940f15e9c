/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuild: a rebuilt member holds what the others say, whatever hosts write
 * meanwhile and whatever is reset, pulled or cut.
 *
 * Stories on a bench as in test-unit.c; the oracle is its flat array, and
 * the media are read behind the unit's back.
 */
#include "tests/unit/task-bench.h"

START_TEST(a_rebuild_under_load_makes_the_member_whole)
{
    const Shape *shape = &shapes[_i % SHAPES];

    for (unsigned m = 0; m < shape->members; m++) {
        for (unsigned rate = 1; rate <= RAID_TASK_RATES; rate += 2) {
            Story *story = story_on_card(begin(shape, 10 * m + rate),
                                         (unsigned)_i / SHAPES);

            raid_unit_set_task_rate(story->bench->unit, rate);
            begin_rebuild(story->bench, m);
            story_tell(story, 250, -1);
            check_rebuilt(story, m);
            story_read_all_back(story);
            ck_assert_uint_eq(story->bad, 0);
            /* It carries weight: the unit can do without another. */
            raid_bench_pull(story->bench, shape->code == RAID_5
                            ? (m + 1) % shape->members : m ^ 1);
            story_tell(story, 30, -1);
            ck_assert_uint_eq(story->bad, 0);
            raid_bench_check(story->bench);
            story_free(story);
        }
    }
}
END_TEST

START_TEST(reads_and_writes_around_the_window_see_one_truth)
{
    const Shape *shape = &shapes[_i];
    Story *story = begin(shape, 7);
    RaidBench *bench = story->bench;
    const RaidTaskState *task = raid_unit_task(bench->unit);
    uint64_t sectors = raid_task_row_sectors(&bench->shape);
    unsigned writes = 0;

    begin_rebuild(bench, 1);
    while (task->kind != RAID_TASK_NONE && sim_step(bench->sim)) {
        for (int way = -2; way <= 2; way++) {
            Asked *asked = &story->asked[2 + way];
            uint64_t row = task->row + (uint64_t)way;
            uint64_t lba = row * sectors +
                           raid_bench_random(bench, (uint32_t)sectors);
            uint32_t count = 1 + raid_bench_random(bench, 300);

            if (asked->busy || row >= task->rows ||
                lba + count > bench->capacity ||
                raid_bench_random(bench, 3)) {
                continue;
            }
            for (unsigned i = 0; i < SLOTS; i++) {
                const Asked *other = &story->asked[i];

                if (other->busy && story_overlap(&other->op, lba, count)) {
                    count = 0;
                    break;
                }
            }
            if (count) {
                story_ask(story, asked, UNIT_WRITE, lba, count);
                memcpy(bench->flat + lba * DISK_SECTOR_BYTES, asked->data,
                       (size_t)count * DISK_SECTOR_BYTES);
                writes++;
            }
        }
    }
    story_drain(story);
    ck_assert_uint_gt(writes, 12);
    check_rebuilt(story, 1);
    story_free(story);
}
END_TEST

START_TEST(two_pairs_are_rebuilt_one_after_the_other)
{
    Story *story = begin(&shapes[4], 3);
    RaidBench *bench = story->bench;

    raid_bench_swap(bench, 0);
    raid_bench_swap(bench, 3);
    ck_assert(raid_unit_join_member(bench->unit, 0, bench->port[0]));
    ck_assert(raid_unit_join_member(bench->unit, 3, bench->port[3]));
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, 3, 0));
    ck_assert(!raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, 0, 0));
    story_tell(story, 120, -1);
    check_rebuilt(story, 3);
    ck_assert(raid_unit_member_stale(bench->unit, 0));
    heard[RAID_TASK_DONE] = 0;
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, 0, 0));
    story_tell(story, 120, -1);
    check_rebuilt(story, 0);
    story_free(story);
}
END_TEST

START_TEST(a_reset_at_any_event_does_not_end_a_rebuild)
{
    const Shape *shape = &shapes[_i];

    for (unsigned events = 1; events < 240; events += 11) {
        Story *story = begin(shape, 11);
        RaidBench *bench = story->bench;
        uint8_t *now;

        begin_rebuild(bench, 0);
        for (unsigned i = 0; i < 4; i++) {
            story_ask_something(story, &story->asked[i]);
        }
        for_some_events(story, events);
        raid_unit_reset(bench->unit);
        story->bad = 0;
        now = raid_bench_contents(bench);       /* old or new, each */
        memcpy(bench->flat, now, bench->capacity * DISK_SECTOR_BYTES);
        g_free(now);
        story_tell(story, 20, -1);
        check_rebuilt(story, 0);
        story_free(story);
    }
}
END_TEST

/* Which of them is pulled: the one rebuilt, or one it is rebuilt from. */
static void pull_in_rebuild(const Shape *shape, unsigned pulled,
                            unsigned events)
{
    Story *story = begin(shape, 13);
    RaidBench *bench = story->bench;
    bool vital = pulled == 1 || (shape->code == RAID_5 && pulled != 0);

    begin_rebuild(bench, 0);
    for (unsigned i = 0; i < 4; i++) {
        story_ask_something(story, &story->asked[i]);
    }
    for_some_events(story, events);
    if (heard[RAID_TASK_DONE]) {
        story_drain(story);
        story_free(story);
        return;
    }
    raid_bench_pull(bench, pulled);
    story_drain(story);
    ck_assert_uint_eq(lost, 2);
    ck_assert_uint_eq(heard[RAID_TASK_FAILED], vital || pulled == 0);
    ck_assert_int_eq(raid_unit_state(bench->unit),
                     vital ? RAID_UNIT_INOPERABLE : RAID_UNIT_DEGRADED);
    if (!vital) {
        ck_assert_uint_eq(story->bad, 0);
        if (pulled != 0) {
            bench->lost &= ~1u;         /* another pair's: it went on */
            ck_assert_uint_eq(heard[RAID_TASK_DONE], 1);
        }
        raid_bench_check(bench);
    }
    story_free(story);
}

START_TEST(a_member_pulled_at_any_event_of_a_rebuild_costs_what_it_must)
{
    const Shape *shape = &shapes[_i];

    for (unsigned m = 0; m < shape->members; m++) {
        for (unsigned events = 1; events < 200; events += 13) {
            pull_in_rebuild(shape, m, events);
        }
    }
}
END_TEST

START_TEST(a_stopped_rebuild_leaves_the_member_stale_and_a_paused_one_waits)
{
    Story *story = begin(&shapes[_i], 17);
    RaidBench *bench = story->bench;
    uint64_t row;

    begin_rebuild(bench, 1);
    for_some_events(story, 12);
    raid_unit_task_pause(bench->unit, true);
    story_tell(story, 40, -1);
    row = raid_unit_task(bench->unit)->row;
    ck_assert_uint_lt(row, raid_unit_task(bench->unit)->rows);
    story_tell(story, 40, -1);
    ck_assert_uint_eq(row, raid_unit_task(bench->unit)->row);
    raid_bench_check(bench);
    raid_unit_task_pause(bench->unit, false);
    for_some_events(story, 4);
    ck_assert_int_eq(raid_unit_task(bench->unit)->kind, RAID_TASK_REBUILD);
    raid_unit_task_stop(bench->unit);
    story_tell(story, 40, -1);
    raid_bench_check(bench);
    ck_assert(raid_unit_member_stale(bench->unit, 1));
    ck_assert_int_eq(raid_unit_state(bench->unit), RAID_UNIT_DEGRADED);
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, 1, 0));
    story_drain(story);
    check_rebuilt(story, 1);
    story_free(story);
}
END_TEST

/* The unit as a card would make it again: the stale member not yet there. */
static void start_again(RaidBench *bench, unsigned stale)
{
    DiskPort *port = bench->port[stale];

    raid_unit_free(bench->unit);
    bench->port[stale] = NULL;
    bench->unit = raid_unit_new(bench->sim, 0, &bench->shape, &bench->card,
                                bench->port, &bench->listener, bench);
    bench->port[stale] = port;
    ck_assert(raid_unit_join_member(bench->unit, stale, port));
}

START_TEST(a_rebuild_goes_on_from_its_checkpoint_after_a_power_cut)
{
    const Shape *shape = &shapes[_i];

    for (unsigned events = 1; events < 100; events += 5) {
        Story *story = begin(shape, 19);
        RaidBench *bench = story->bench;

        begin_rebuild(bench, 0);
        for_some_events(story, events);
        if (heard[RAID_TASK_DONE]) {
            story_free(story);
            break;
        }
        raid_unit_power_cut(bench->unit);
        ck_assert(!sim_step(bench->sim));
        start_again(bench, 0);
        ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, 0,
                                       checkpoint));
        story_tell(story, 20, -1);
        check_rebuilt(story, 0);
        story_free(story);
    }
}
END_TEST

/* The drive that is rebuilt has a write cache, which a cut empties. */
START_TEST(a_checkpoint_is_not_in_a_drives_ram)
{
    Story *story = begin(&shapes[_i], 21);
    RaidBench *bench = story->bench;
    DiskPreset cached = *bench->preset;
    DiskPort *port = bench->port[0];
    uint64_t told = 0;
    uint8_t *before = raid_bench_member(bench, 0), *after;
    size_t chunk = 128 * DISK_SECTOR_BYTES;
    unsigned sets = raid_row_sets(&bench->shape), checked = 0;
    Disk *disk;

    cached.buffer = (DiskBufferPlan) {
        .there = true, .segments = 4, .segment_sectors = 256,
        .write_cache = true, .write_depth = 64,
        .destage_idle_ns = SIM_S(1), .depth = 1,
    };
    raid_bench_swap(bench, 0);
    disk_port_pull(port);
    disk = disk_new(bench->sim, &cached, bench->media[0], "CACHED", 0);
    disk_port_plug(port, disk);
    ck_assert(raid_unit_join_member(bench->unit, 0, port));
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, 0, 0));
    while (!heard[RAID_TASK_DONE] && sim_step(bench->sim)) {
        if (checkpoint == told) {
            continue;
        }
        told = checkpoint;
        after = raid_bench_member(bench, 0);    /* past the drive's RAM */
        ck_assert(memcmp(before, after, told / sets * chunk) == 0);
        checked++;
        g_free(after);
    }
    after = raid_bench_member(bench, 0);
    ck_assert(memcmp(before, after, ROWS * chunk) == 0);
    ck_assert_uint_ge(checked, 3);
    ck_assert_uint_eq(disk_power_cut(disk), 0);
    g_free(after);
    g_free(before);
    raid_unit_free(bench->unit);
    bench->unit = NULL;
    disk_port_pull(port);
    disk_free(disk);
    disk_port_plug(port, bench->disk[0]);
    story_free(story);
}
END_TEST

/* All windows of a few rows, all stretches: against one row at a time. */
START_TEST(what_is_covered_is_what_is_done)
{
    RaidShape shape = {
        .level = &raid_level[RAID_1], .members = 2, .member_sectors = 8192,
    };

    for (unsigned bits = 0; bits < 64; bits += 2) {
        RaidTask task = { .state.row = 3, .done = bits };
        uint32_t done = 7 | bits << 3;

        for (unsigned first = 0; first < 10; first++) {
            for (unsigned last = first; last < 10; last++) {
                uint32_t all = ((2u << last) - 1) & ~((1u << first) - 1);
                RaidTaskCover cover = raid_task_covers(&task, &shape,
                    first * 128 + 5, last * 128 + 6);

                ck_assert_int_eq(cover, (done & all) == all
                    ? RAID_TASK_COVERS_ALL : done & all
                    ? RAID_TASK_COVERS_SOME : RAID_TASK_COVERS_NONE);
            }
        }
        ck_assert_int_eq(raid_task_covers(&task, &shape, 0, 8192),
                         RAID_TASK_COVERS_SOME);
        ck_assert_int_eq(raid_task_covers(&task, &shape, 8000, 8192),
                         RAID_TASK_COVERS_NONE);
    }
}
END_TEST

/* --- bad sectors in a rebuild -------------------------------------------- */

START_TEST(C06_a_bad_source_sector_ends_a_rebuild)
{
    Story *story = begin(&shapes[1], 23);
    RaidBench *bench = story->bench;

    raid_bench_swap(bench, 0);
    ck_assert(fault_order(bench->sim, "port 1 bad at 1900", NULL));
    ck_assert(raid_unit_join_member(bench->unit, 0, bench->port[0]));
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, 0, 0));
    story_drain(story);
    ck_assert_uint_eq(heard[RAID_TASK_SOURCE_BAD], 1);
    ck_assert_uint_eq(last_member, 1);
    ck_assert_uint_eq(heard[RAID_TASK_FAILED], 1);
    ck_assert_uint_eq(heard[RAID_TASK_DONE], 0);
    ck_assert_int_eq(raid_unit_state(bench->unit), RAID_UNIT_DEGRADED);
    ck_assert(raid_unit_member_stale(bench->unit, 0));
    story_free(story);
}
END_TEST

START_TEST(C07_a_forced_rebuild_goes_on_and_says_what_it_overwrote)
{
    const Shape *shape = &shapes[_i];
    Story *story = begin(shape, 29);
    RaidBench *bench = story->bench;
    uint8_t *contents;
    unsigned wrong = 0;

    raid_bench_swap(bench, 0);
    ck_assert(fault_order(bench->sim, "port 1 bad at 1900", NULL));
    raid_unit_set_policy(bench->unit, true);
    ck_assert(raid_unit_join_member(bench->unit, 0, bench->port[0]));
    ck_assert(raid_unit_task_start(bench->unit, RAID_TASK_REBUILD, 0, 0));
    story_drain(story);
    ck_assert_uint_eq(heard[RAID_TASK_OVERWROTE], 1);
    ck_assert_uint_eq(last_member, 1);
    ck_assert_uint_eq(heard[RAID_TASK_DONE], 1);
    bench->lost = 0;
    raid_bench_check_rows(bench);
    contents = raid_bench_contents(bench);
    for (uint64_t lba = 0; lba < bench->capacity; lba++) {
        const uint8_t *sector = contents + lba * DISK_SECTOR_BYTES;

        if (memcmp(sector, bench->flat + lba * DISK_SECTOR_BYTES,
                   DISK_SECTOR_BYTES)) {
            wrong++;
            for (unsigned i = 0; i < DISK_SECTOR_BYTES; i++) {
                unit_holds(sector[i] == 0);
            }
        }
    }
    ck_assert(wrong >= 1 && wrong <= 2);
    g_free(contents);
    story_free(story);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("task");
    TCase *tc = tcase_create("task");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_rebuild_under_load_makes_the_member_whole, 0,
                        SHAPES * STORY_CARDS);
    tcase_add_loop_test(tc, reads_and_writes_around_the_window_see_one_truth,
                        0, SHAPES);
    tcase_add_test(tc, two_pairs_are_rebuilt_one_after_the_other);
    tcase_add_loop_test(tc, a_reset_at_any_event_does_not_end_a_rebuild, 0,
                        SHAPES);
    tcase_add_loop_test(tc,
        a_member_pulled_at_any_event_of_a_rebuild_costs_what_it_must, 0,
        SHAPES);
    tcase_add_loop_test(tc,
        a_stopped_rebuild_leaves_the_member_stale_and_a_paused_one_waits, 0,
        SHAPES);
    tcase_add_loop_test(tc,
        a_rebuild_goes_on_from_its_checkpoint_after_a_power_cut, 0, SHAPES);
    tcase_add_test(tc, C06_a_bad_source_sector_ends_a_rebuild);
    tcase_add_loop_test(tc,
        C07_a_forced_rebuild_goes_on_and_says_what_it_overwrote, 0, SHAPES);
    tcase_add_loop_test(tc, a_checkpoint_is_not_in_a_drives_ram, 0, SHAPES);
    tcase_add_test(tc, what_is_covered_is_what_is_done);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
