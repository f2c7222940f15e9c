/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a sector that was moved to the spares costs the way there and back,
 * one that is hard to read its turns, and neither changes what is read.
 *
 * Method: a drive and its twin without flaws, op by op; the way there and
 * back is put together from walks of its own.
 */
#include "tests/unit/cached-drive.h"

#define FLAW 410                /* in the first zone, not at a track's end */
#define SPARE (8 * 160 - 1)     /* the last sector of that zone */

static void set_up_plain(void)
{
    set_up();
    disk_free(disk);
    preset->buffer.there = false;
    open_drive();
}

/* As the drive would do it: on from where it is, or with a seek. */
static void go(MechWalk *walk, uint64_t sector, uint32_t count, bool going)
{
    walk->left = (DiskSpan) { sector, count };
    walk->going = going;
    mech_walk(preset, walk);
}

static MechWalk at_rest(SimTime start, bool write)
{
    return (MechWalk) {
        .now = start, .write = write, .stop = SIM_NEVER,
        .arm = { .phase_ns = (UINT64_C(0x12345678) *
                              (uint64_t)preset->turn_ns) >> 32 },
    };
}

START_TEST(a_moved_sector_costs_the_way_there_and_back)
{
    bool write = _i;
    MechWalk walk = at_rest(preset->overhead_ns, write);

    ck_assert(disk_add_defect(disk, FLAW));
    go(&walk, FLAW - 3, 3, false);
    go(&walk, SPARE, 1, false);
    go(&walk, FLAW + 1, 4, false);
    ck_assert_int_eq(do_op(write ? DISK_WRITE : DISK_READ, FLAW - 3, 8, 7),
                     walk.now);
    if (write) {
        ck_assert_uint_eq(on_media(FLAW), 7);
    }
}
END_TEST

START_TEST(each_retry_costs_a_turn_of_a_read)
{
    MechWalk walk = at_rest(preset->overhead_ns, false);
    SimTime late;

    go(&walk, FLAW - 3, 8, false);
    ck_assert(disk_set_retries(disk, FLAW, _i));
    late = do_op(DISK_READ, FLAW - 3, 8, 0) - walk.now -
           _i * preset->turn_ns;
    ck_assert_int_le(ABS(late), 1);     /* angles are rounded */
}
END_TEST

START_TEST(a_write_needs_no_retries)
{
    MechWalk walk = at_rest(preset->overhead_ns, true);

    go(&walk, FLAW, 2, false);
    ck_assert(disk_set_retries(disk, FLAW, 5));
    ck_assert_int_eq(do_op(DISK_WRITE, FLAW, 2, 1), walk.now);
}
END_TEST

START_TEST(what_does_not_touch_a_flaw_costs_nothing_more)
{
    MechWalk walk = at_rest(preset->overhead_ns, false);

    disk_add_defect(disk, FLAW + 4);
    disk_set_retries(disk, FLAW - 1, 9);
    go(&walk, FLAW, 4, false);
    ck_assert_int_eq(do_op(DISK_READ, FLAW, 4, 0), walk.now);
}
END_TEST

START_TEST(there_is_room_for_so_many_and_no_more)
{
    for (unsigned i = 0; i < DISK_FLAWS_MAX; i++) {
        ck_assert(disk_add_defect(disk, 900 - 7 * i));
    }
    ck_assert(!disk_add_defect(disk, 1));
    ck_assert(disk_set_retries(disk, 900, 2));
}
END_TEST

/* --- with a buffer -------------------------------------------------------- */

START_TEST(reading_ahead_ends_before_a_flaw)
{
    ck_assert(_i ? disk_set_retries(disk, FLAW, 2)
                 : disk_add_defect(disk, FLAW));
    do_op(DISK_READ, FLAW - 8, 4, 0);
    sim_run_until(sim, SIM_MS(100));
    ck_assert_int_eq(do_op(DISK_READ, FLAW - 4, 4, 0),
                     SIM_US(100) + 4 * SECTOR_NS);
    ck_assert_int_gt(do_op(DISK_READ, FLAW, 1, 0), SIM_US(300) +
                     (_i ? 2 * preset->turn_ns : 0));
    ck_assert_int_eq(do_op(DISK_READ, FLAW, 1, 0),
                     SIM_US(100) + SECTOR_NS);
}
END_TEST

START_TEST(held_writes_reach_moved_sectors)
{
    disk_add_defect(disk, FLAW);
    disk_add_defect(disk, FLAW + 1);
    for (unsigned i = 0; i < 3; i++) {
        do_op(DISK_WRITE, FLAW - 4 + 2 * i, 2, 1 + i);
    }
    settle();
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_uint_eq(on_media(FLAW - 4 + i), 1 + i / 2);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("flaw");
    TCase *plain = tcase_create("plain"), *tc = tcase_create("buffer");

    tcase_add_checked_fixture(plain, set_up_plain, tear_down);
    tcase_add_loop_test(plain, a_moved_sector_costs_the_way_there_and_back,
                        0, 2);
    tcase_add_loop_test(plain, each_retry_costs_a_turn_of_a_read, 0, 4);
    tcase_add_test(plain, a_write_needs_no_retries);
    tcase_add_test(plain, what_does_not_touch_a_flaw_costs_nothing_more);
    tcase_add_test(plain, there_is_room_for_so_many_and_no_more);
    suite_add_tcase(suite, plain);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, reading_ahead_ends_before_a_flaw, 0, 2);
    tcase_add_test(tc, held_writes_reach_moved_sectors);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
