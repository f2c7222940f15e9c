/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stripe plan: whatever is missing or unreadable, what a plan reads is
 * enough, and after what it writes every row can be recovered.
 *
 * Every row of up to eight slots, every set of missing and of unreadable
 * slots, every request.  The oracle knows one fact of coding theory: any
 * `data_slots` slots determine the rest.
 */
#include "raid-model/array/plan.h"
#include "tests/lib/unit.h"

static unsigned popcount(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static bool is_within(uint32_t part, uint32_t whole)
{
    return (part & ~whole) == 0;
}

/* Do the contents of `read` determine those of `wanted`? */
static bool knows(const RaidRow *row, uint32_t read, uint32_t wanted)
{
    return is_within(wanted, read) || popcount(read) >= row->data_slots;
}

static RaidRow row_of(int i)
{
    return (RaidRow) { .data_slots = 1 + i / 3, .redundant_slots = i % 3 };
}

static uint32_t data_of(const RaidRow *row)
{
    return (1u << row->data_slots) - 1;
}

static uint32_t all_of(const RaidRow *row)
{
    return (1u << (row->data_slots + row->redundant_slots)) - 1;
}

START_TEST(read_plans_know_what_they_deliver)
{
    RaidRow row = row_of(_i);
    uint32_t all = all_of(&row);
    RaidPlan plan;

    for (row.missing = 0; row.missing <= all; row.missing++) {
        for (uint32_t wanted = 1; wanted <= data_of(&row); wanted++) {
            bool ok = raid_plan_read(&row, wanted, &plan);

            unit_holds(ok == (popcount(row.missing) <= row.redundant_slots));
            if (!ok) {
                continue;
            }
            unit_holds((plan.read & row.missing) == 0);
            unit_holds(plan.write == 0);
            unit_holds(plan.compute == (wanted & row.missing));
            unit_holds(knows(&row, plan.read, wanted));
            unit_holds(is_within(wanted & ~row.missing, plan.read));
            if (!(wanted & row.missing)) {
                unit_holds(plan.read == wanted);
            }
        }
    }
}
END_TEST

START_TEST(write_keeps_every_row_recoverable)
{
    RaidRow row = row_of(_i);
    uint32_t data = data_of(&row);
    uint32_t all = all_of(&row);
    RaidPlan plan;

    for (row.missing = 0; row.missing <= all; row.missing++) {
        for (uint32_t dirty = 1; dirty <= data; dirty++) {
            bool ok = raid_plan_write(&row, dirty, &plan);
            uint32_t parity = all & ~data & ~row.missing;

            unit_holds(ok == (popcount(row.missing) <= row.redundant_slots));
            if (!ok) {
                continue;
            }
            unit_holds(((plan.read | plan.write) & row.missing) == 0);
            unit_holds(plan.write == ((dirty & ~row.missing) | parity));
            if (parity && plan.by_delta) {
                unit_holds(knows(&row, plan.read, dirty | parity));
                unit_holds(plan.compute == parity);
            } else if (parity) {
                unit_holds(knows(&row, plan.read, data & ~dirty));
                unit_holds(plan.compute ==
                           (parity | (data & ~dirty & row.missing)));
            } else {
                unit_holds((plan.read | plan.compute) == 0);
            }
        }
    }
}
END_TEST

/* No way to new parity that reads fewer slots was open. */
START_TEST(write_takes_the_cheaper_way)
{
    RaidRow row = row_of(_i);
    uint32_t data = data_of(&row);
    uint32_t all = all_of(&row);
    RaidPlan plan;

    for (row.missing = 0; row.missing <= all; row.missing++) {
        for (uint32_t dirty = 1; dirty <= data; dirty++) {
            uint32_t parity = all & ~data & ~row.missing;
            uint32_t lost = data & ~dirty & row.missing;
            unsigned whole = lost ? row.data_slots : popcount(data & ~dirty);
            unsigned delta = dirty & row.missing ? 99
                                                 : popcount(dirty | parity);

            if (raid_plan_write(&row, dirty, &plan) && parity) {
                unit_holds(popcount(plan.read) ==
                           (whole < delta ? whole : delta));
            }
        }
    }
}
END_TEST

/* Two reads either way: better two drives than four. */
START_TEST(of_two_ways_alike_the_one_that_moves_fewer_arms)
{
    RaidRow row = { .data_slots = 3, .redundant_slots = 1 };
    RaidPlan plan;

    ck_assert(raid_plan_write(&row, 1, &plan));
    ck_assert(plan.by_delta);
    ck_assert_uint_eq(plan.read, 9);
    ck_assert_uint_eq(plan.write, 9);
}
END_TEST

/* A drive that has just read would wait a turn to write: take the others. */
START_TEST(of_two_ways_alike_whole_chunks_are_made_from_the_row)
{
    RaidRow row = {
        .data_slots = 3, .redundant_slots = 1, .whole_chunks = true,
    };
    RaidPlan plan;

    ck_assert(raid_plan_write(&row, 1, &plan));
    ck_assert(!plan.by_delta);
    ck_assert_uint_eq(plan.read, 6);
    ck_assert_uint_eq(plan.write, 9);
    row.data_slots = 4;         /* three reads against two */
    ck_assert(raid_plan_write(&row, 1, &plan));
    ck_assert(plan.by_delta);
}
END_TEST

START_TEST(reads_go_round_bad_sectors_and_heal_them)
{
    RaidRow row = row_of(_i);
    uint32_t all = all_of(&row);
    RaidPlan plan;

    for (row.missing = 0; row.missing <= all; row.missing++) {
        for (row.unreadable = 1; row.unreadable <= all; row.unreadable++) {
            uint32_t dark = row.missing | row.unreadable;

            for (uint32_t wanted = 1; wanted <= data_of(&row); wanted++) {
                bool known = !(wanted & dark) ||
                             popcount(all & ~dark) >= row.data_slots;
                bool ok = raid_plan_read(&row, wanted, &plan);

                unit_holds(ok == (known && popcount(row.missing) <=
                                          row.redundant_slots));
                if (!ok) {
                    continue;
                }
                unit_holds((plan.read & dark) == 0);
                unit_holds(knows(&row, plan.read, wanted));
                unit_holds(is_within(wanted & dark, plan.compute));
                unit_holds(knows(&row, plan.read, plan.compute));
                unit_holds(plan.write == (plan.compute & ~row.missing));
                unit_holds(is_within(plan.write, row.unreadable));
            }
        }
    }
}
END_TEST

START_TEST(writes_go_round_bad_sectors_and_heal_them)
{
    RaidRow row = row_of(_i);
    uint32_t data = data_of(&row);
    uint32_t all = all_of(&row);
    RaidPlan plan;

    for (row.missing = 0; row.missing <= all; row.missing++) {
        for (row.unreadable = 1; row.unreadable <= all; row.unreadable++) {
            uint32_t dark = row.missing | row.unreadable;
            uint32_t parity = all & ~data & ~row.missing;

            for (uint32_t dirty = 1; dirty <= data; dirty++) {
                uint32_t must = (dirty & ~row.missing) | parity;
                bool whole = is_within(data & ~dirty, all & ~dark) ||
                             popcount(all & ~dark) >= row.data_slots;
                bool delta = !((dirty | parity) & dark);
                bool ok = raid_plan_write(&row, dirty, &plan);

                unit_holds(ok == (popcount(row.missing) <=
                                 row.redundant_slots &&
                                 (!parity || whole || delta)));
                if (!ok) {
                    continue;
                }
                unit_holds((plan.read & dark) == 0);
                unit_holds((plan.write & row.missing) == 0);
                unit_holds(is_within(must, plan.write));
                /* Anything else written is healed, and was computed. */
                unit_holds(is_within(plan.write & ~must,
                                    row.unreadable & plan.compute));
                unit_holds(is_within(plan.compute & row.unreadable &
                                     ~row.missing,
                                     plan.write));
                if (parity) {
                    unit_holds(knows(&row, plan.read, plan.by_delta
                                    ? dirty | parity : data & ~dirty));
                }
            }
        }
    }
}
END_TEST

START_TEST(a_refused_plan_is_not_touched)
{
    RaidRow row = { .data_slots = 3, .redundant_slots = 1, .missing = 3 };
    RaidPlan plan = { .read = 77, .compute = 78, .write = 79 };

    unit_holds(!raid_plan_read(&row, 1, &plan));
    unit_holds(!raid_plan_write(&row, 1, &plan));
    unit_holds(plan.read == 77);
    unit_holds(plan.compute == 78);
    unit_holds(plan.write == 79);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan");
    TCase *tc = tcase_create("plan");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, read_plans_know_what_they_deliver, 0, 3 * 6);
    tcase_add_loop_test(tc, write_keeps_every_row_recoverable, 0, 3 * 6);
    tcase_add_loop_test(tc, write_takes_the_cheaper_way, 0, 3 * 6);
    tcase_add_test(tc, of_two_ways_alike_the_one_that_moves_fewer_arms);
    tcase_add_test(tc,
                   of_two_ways_alike_whole_chunks_are_made_from_the_row);
    tcase_add_loop_test(tc, reads_go_round_bad_sectors_and_heal_them, 0,
                        3 * 4);
    tcase_add_loop_test(tc, writes_go_round_bad_sectors_and_heal_them, 0,
                        3 * 4);
    tcase_add_test(tc, a_refused_plan_is_not_touched);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
