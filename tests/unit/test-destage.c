/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: the arm of a drive with a buffer goes where its preset says, when it
 * says so: the least of reading ahead, which held write is next, how many
 * are held among reads, and after how much quiet they leave.
 *
 * Method: op by op on a small drive.  What reached the medium is seen by
 * looking at it after every event; times come from one walk over the media
 * where the drive makes several.
 */
#include "tests/unit/cached-drive.h"

#define CYLINDER 160            /* sectors of one in the first zone */
#define FAR 1700

/* --- the least of reading ahead ------------------------------------------ */

static MechWalk walk_from(MechArm arm, SimTime start, uint64_t sector,
                          uint32_t count)
{
    MechWalk walk = { .arm = arm, .now = start, .left = { sector, count },
                      .stop = SIM_NEVER };

    mech_walk(preset, &walk);
    return walk;
}

static MechArm arm_at_rest(void)
{
    return (MechArm) { .phase_ns = (UINT64_C(0x12345678) *
                                    (uint64_t)preset->turn_ns) >> 32 };
}

START_TEST(a_seek_waits_for_the_least_of_reading_ahead)
{
    MechWalk first, far;

    preset->buffer.ahead_least = 1 + _i;
    do_op(DISK_READ, 400, 4, 0);
    first = walk_from(arm_at_rest(), SIM_US(300), 400, 4 + 1 + _i);
    do_op(DISK_READ, FAR, 1, 0);
    far = walk_from(first.arm, MAX(first.now, job[0].op.asked + SIM_US(300)),
                    FAR, 1);
    ck_assert_int_eq(job[0].done_at, far.now + SECTOR_NS);
}
END_TEST

START_TEST(hits_and_held_writes_do_not_wait_for_it)
{
    preset->buffer.ahead_least = 30;
    do_op(DISK_READ, 400, 4, 0);
    ck_assert_int_eq(do_op(DISK_READ, 402, 1, 0), SIM_US(110));
    ck_assert_int_eq(do_op(DISK_WRITE, FAR, 1, 1), SIM_US(160));
}
END_TEST

START_TEST(a_held_write_leaves_when_the_least_is_read)
{
    MechWalk first, write;

    preset->buffer.ahead_least = 30;
    do_op(DISK_READ, 400, 4, 0);
    first = walk_from(arm_at_rest(), SIM_US(300), 400, 34);
    do_op(DISK_WRITE, FAR, 1, 1);
    write = (MechWalk) { .arm = first.arm, .now = first.now, .write = true,
                         .left = { FAR, 1 }, .stop = SIM_NEVER };
    mech_walk(preset, &write);
    sim_run_until(sim, write.now - 1);
    ck_assert_uint_eq(on_media(FAR), 0);
    sim_run_until(sim, write.now);
    ck_assert_uint_eq(on_media(FAR), 1);
}
END_TEST

START_TEST(nothing_is_read_ahead_at_the_end_of_the_disk)
{
    uint64_t last = preset->geometry.lbas - 1;
    MechWalk first, far;

    preset->buffer.ahead_least = 30;
    do_op(DISK_READ, last, 1, 0);
    first = walk_from(arm_at_rest(), SIM_US(300), last, 1);
    do_op(DISK_READ, 0, 1, 0);
    far = walk_from(first.arm, job[0].op.asked + SIM_US(300), 0, 1);
    ck_assert_int_eq(job[0].done_at, far.now + SECTOR_NS);
}
END_TEST

/* --- which one leaves ---------------------------------------------------- */

#define HELD 4

/*
 * Writes one that keeps the arm busy until it stands on cylinder 4, and then
 * these, in this order; the order in which they leave.
 */
static void leave(DiskOrder order, const unsigned cylinder[HELD],
                  unsigned left[HELD])
{
    unsigned gone = 0;
    bool seen[HELD] = { false };

    preset->buffer.destage = order;
    preset->buffer.write_depth = HELD + 1;
    disk_free(disk);
    open_drive();
    do_op(DISK_WRITE, 4 * CYLINDER, 1, 1);
    for (unsigned i = 0; i < HELD; i++) {
        do_op(DISK_WRITE, cylinder[i] * CYLINDER + 20, 1, 1);
    }
    ck_assert_uint_eq(on_media(4 * CYLINDER), 0);
    while (gone < HELD) {
        ck_assert(sim_step(sim));
        for (unsigned i = 0; i < HELD; i++) {
            if (!seen[i] && on_media(cylinder[i] * CYLINDER + 20)) {
                seen[i] = true;
                left[gone++] = cylinder[i];
            }
        }
    }
}

START_TEST(held_writes_leave_in_the_order_of_the_preset)
{
    static const unsigned come[HELD] = { 1, 6, 3, 7 };
    static const struct {
        DiskOrder order;
        unsigned left[HELD];
    } cases[] = {
        { DISK_ORDER_FIFO, { 1, 6, 3, 7 } },
        { DISK_ORDER_CLOOK, { 6, 7, 1, 3 } },
        { DISK_ORDER_CYLINDER, { 3, 1, 6, 7 } },
    };
    unsigned left[HELD];

    leave(cases[_i].order, come, left);
    for (unsigned i = 0; i < HELD; i++) {
        ck_assert_uint_eq(left[i], cases[_i].left[i]);
    }
}
END_TEST

/* --- when they leave ----------------------------------------------------- */

START_TEST(held_writes_wait_for_a_quiet_while)
{
    preset->buffer.destage_idle_ns = SIM_MS(2);
    do_op(DISK_WRITE, 900, 1, 1);
    sim_run_until(sim, sim_now(sim) + SIM_MS(2) - 1);
    do_op(DISK_READ, 904, 1, 0);
    ck_assert_uint_eq(on_media(900), 0);
    sim_run_until(sim, sim_now(sim) + SIM_MS(2));
    ck_assert_uint_eq(on_media(900), 0);
    settle();
    ck_assert_uint_eq(on_media(900), 1);
}
END_TEST

START_TEST(a_full_cache_does_not_wait_for_quiet)
{
    preset->buffer.destage_idle_ns = SIM_S(1);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_lt(do_op(DISK_WRITE, 500 * i, 1, 1), SIM_US(300));
    }
    ck_assert_int_lt(do_op(DISK_WRITE, 1700, 1, 1), SIM_MS(20));
}
END_TEST

START_TEST(a_read_waits_for_one_write_under_way_and_no_more)
{
    Job *j;

    for (unsigned i = 0; i < 3; i++) {
        do_op(DISK_WRITE, 500 * i, 1, 1 + i);
    }
    j = submit(0, DISK_READ, 2600, 1, 0);
    end_of(j);
    ck_assert_uint_eq(!on_media(0) + !on_media(500) + !on_media(1000), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("destage");
    TCase *tc = tcase_create("arm");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, a_seek_waits_for_the_least_of_reading_ahead, 0,
                        28);
    tcase_add_test(tc, hits_and_held_writes_do_not_wait_for_it);
    tcase_add_test(tc, a_held_write_leaves_when_the_least_is_read);
    tcase_add_test(tc, nothing_is_read_ahead_at_the_end_of_the_disk);
    tcase_add_loop_test(tc, held_writes_leave_in_the_order_of_the_preset, 0,
                        3);
    tcase_add_test(tc, held_writes_wait_for_a_quiet_while);
    tcase_add_test(tc, a_full_cache_does_not_wait_for_quiet);
    tcase_add_test(tc, a_read_waits_for_one_write_under_way_and_no_more);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
