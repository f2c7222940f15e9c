/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: read-ahead fetches what a sequential reader will read, in time and
 * once, and for one that jumps nothing more.
 * Method: every maximum, call length and file end of a range.
 */
#include "disk-model/world/sim.h"
#include "raid-model/sim/linux-ahead.h"
#include "tests/lib/unit.h"

START_TEST(windows_grow_to_the_maximum_and_one_is_ahead)
{
    static const uint64_t fetched[] = { 3 + 6, 12, 12, 12 };
    static const uint64_t entered[] = { 0, 3, 9, 21 };
    LinuxAhead ahead = { 0 };
    unsigned window = 0;

    for (uint64_t at = 0; at < 33; at++) {
        LinuxFetch more = linux_ahead(&ahead, at, at + 1, 0, 10000, 12);

        if (window < G_N_ELEMENTS(entered) && at == entered[window]) {
            ck_assert_uint_eq(more.blocks, fetched[window]);
            window++;
        } else {
            ck_assert_uint_eq(more.blocks, 0);
        }
    }
    ck_assert_uint_eq(window, G_N_ELEMENTS(entered));
}
END_TEST

/* From `start` to the file's end: in order, once, never late. */
static void read_through(uint64_t start, uint64_t file, uint64_t end,
                         uint64_t call, uint64_t max)
{
    LinuxAhead ahead = { 0 };
    uint64_t fetched = start;

    for (uint64_t at = start; at < end; at++) {
        uint64_t begun = at - (at - start) % call;
        LinuxFetch more = linux_ahead(&ahead, at, MIN(begun + call, end),
                                      file, end, max);

        unit_holds(!more.blocks || more.first == fetched);
        fetched += more.blocks;
        unit_holds(fetched > at && fetched <= end);
        unit_holds(fetched - at <= 2 * MAX(max, call));
        /* A window is ahead, once the reader has gone on. */
        unit_holds(!max || at < start + call || fetched > at + 1 ||
                   fetched == end);
    }
    unit_holds(fetched == end);
}

START_TEST(a_sequential_reader_has_each_block_fetched_once_in_time)
{
    for (uint64_t max = 0; max <= 20; max++) {
        for (uint64_t call = 1; call <= 5; call++) {
            for (uint64_t size = 1; size < 100; size += 7) {
                read_through(50, 50, 50 + size, call, max);
                read_through(50, 20, 50 + size, call, max);
            }
        }
    }
}
END_TEST

START_TEST(a_reader_that_jumps_gets_no_more_than_it_asked_for)
{
    Sim *chance = sim_new(3);
    LinuxAhead ahead = { 0 };
    uint64_t last = 0;

    for (unsigned i = 0; i < 1000; i++) {
        uint64_t at = 1 + sim_random(chance, 5000);
        LinuxFetch more;

        if (at == last + 1) {
            continue;
        }
        last = at;
        more = linux_ahead(&ahead, at, at + 1, 0, 10000, 12);
        unit_holds(more.first == at && more.blocks == 1);
    }
    sim_free(chance);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("linux-ahead");
    TCase *tcase = tcase_create("linux-ahead");

    tcase_add_test(tcase, windows_grow_to_the_maximum_and_one_is_ahead);
    tcase_add_test(tcase,
                   a_sequential_reader_has_each_block_fetched_once_in_time);
    tcase_add_test(tcase, a_reader_that_jumps_gets_no_more_than_it_asked_for);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
