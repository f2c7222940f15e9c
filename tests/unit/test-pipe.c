/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a pipe serves in order, loses no time and gives none away.
 *
 * Method: small examples whose sums can be done by hand.
 */
#include "disk-model/world/pipe.h"
#include "tests/lib/unit.h"

START_TEST(an_idle_pipe_starts_at_once)
{
    SimPipe pipe = { .bytes_per_s = 1000000 };

    ck_assert_int_eq(sim_pipe_pass(&pipe, 500, 1000), 500 + SIM_MS(1));
    ck_assert_int_eq(pipe.free_at, 500 + SIM_MS(1));
}
END_TEST

START_TEST(work_waits_for_work_offered_before)
{
    SimPipe pipe = { .bytes_per_s = 1000000 };

    sim_pipe_pass(&pipe, 0, 1000);
    ck_assert_int_eq(sim_pipe_pass(&pipe, 10, 2000), SIM_MS(3));
    ck_assert_int_eq(sim_pipe_busy(&pipe, 20, 5), SIM_MS(3) + 5);
    ck_assert_int_eq(sim_pipe_pass(&pipe, SIM_MS(9), 1000), SIM_MS(10));
}
END_TEST

START_TEST(no_speed_means_no_time)
{
    SimPipe pipe = { 0 };

    ck_assert_int_eq(sim_pipe_pass(&pipe, 7, UINT64_MAX), 7);
    ck_assert_int_eq(sim_pipe_busy(&pipe, 7, 3), 10);
    ck_assert_int_eq(sim_pipe_pass(&pipe, 7, 1), 10);   /* still in order */
}
END_TEST

START_TEST(a_part_of_a_nanosecond_counts_as_one)
{
    SimPipe pipe = { .bytes_per_s = 3000000000u };

    ck_assert_int_eq(sim_pipe_pass(&pipe, 0, 1), 1);
    ck_assert_int_eq(sim_pipe_pass(&pipe, 1, 3), 2);
}
END_TEST

START_TEST(large_amounts_do_not_overflow)
{
    SimPipe pipe = { .bytes_per_s = 100000000 };
    uint64_t bytes = UINT64_C(1) << 40;

    ck_assert_int_eq(sim_pipe_pass(&pipe, 0, bytes), (SimTime)(bytes * 10));
}
END_TEST

/* The arithmetic changes at 2^32 bytes; what it says must not. */
START_TEST(small_and_large_amounts_follow_the_same_rule)
{
    static const uint64_t rate[] = { 1, 3, 999999937, 107000000, 6000000000 };

    for (unsigned i = 0; i < G_N_ELEMENTS(rate); i++) {
        for (uint64_t bytes = UINT32_MAX - 2u; bytes < UINT32_MAX + 3ull;
             bytes++) {
            SimPipe pipe = { .bytes_per_s = rate[i] };
            double exact = (double)bytes / rate[i] * 1e9;

            ck_assert_double_eq_tol(sim_pipe_pass(&pipe, 0, bytes), exact,
                                    1 + exact * 1e-15);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pipe");
    TCase *tc = tcase_create("pipe");

    tcase_add_test(tc, an_idle_pipe_starts_at_once);
    tcase_add_test(tc, work_waits_for_work_offered_before);
    tcase_add_test(tc, no_speed_means_no_time);
    tcase_add_test(tc, a_part_of_a_nanosecond_counts_as_one);
    tcase_add_test(tc, large_amounts_do_not_overflow);
    tcase_add_test(tc, small_and_large_amounts_follow_the_same_rule);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
