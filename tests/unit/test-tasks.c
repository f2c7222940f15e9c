/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a task and a host share a unit so that neither starves.
 * Method: each level, task and rate beside a host that never rests; the
 * longest a request waited is held against what a driver waits, half of
 * 3w-xxxx's 60 s, and the task must have come forward meanwhile.
 */
#include "raid-model/sim/tasks.h"
#include "tests/lib/unit.h"

#define PATIENCE SIM_S(30)

static const struct {
    const char *level;
    unsigned members;
    bool rebuilds;
} row[] = {
    { "single", 1, false }, { "raid0", 4, false }, { "raid1", 2, true },
    { "raid5", 4, true }, { "raid10", 4, true },
};

static TasksAsk asked(int i, RaidTaskKind kind, unsigned rate)
{
    return (TasksAsk) {
        .board = "3ware-7810", .drive = "wd1200jb", .level = row[i].level,
        .members = row[i].members, .kind = kind, .rate = rate, .depth = 32,
        .runtime = SIM_S(40), .seed = 7,
    };
}

static void run(const TasksAsk *ask, TasksResult *result)
{
    g_autoptr(GError) error = NULL;

    if (!tasks_run(ask, result, &error)) {
        ck_abort_msg("%s", error->message);
    }
    ck_assert_int_eq(result->error, UNIT_OK);
}

START_TEST(A03_no_request_starves_at_any_rate)
{
    for (RaidTaskKind kind = RAID_TASK_REBUILD; kind <= RAID_TASK_VERIFY;
         kind++) {
        double first = 0, last = 1;

        for (unsigned rate = 1; rate <= 5; rate++) {
            TasksAsk ask = asked(_i, kind, rate);
            TasksResult result;

            if (kind == RAID_TASK_REBUILD && !row[_i].rebuilds) {
                continue;
            }
            run(&ask, &result);
            ck_assert_uint_gt(result.host.count, 1000);
            ck_assert_int_lt(result.host.max, PATIENCE);
            ck_assert_double_gt(result.share, 0);
            ck_assert_double_le(result.share, last);
            last = result.share;
            first = rate == 1 ? last : first;
        }
        ck_assert(!first || last < first / 2);
    }
}
END_TEST

START_TEST(a_task_that_ends_is_told_with_its_time)
{
    TasksAsk ask = asked(3, RAID_TASK_REBUILD, 1);
    TasksResult alone, shared;

    ask.drive = "tests/boot/small.drive";
    ask.runtime = 0;
    run(&ask, &shared);
    ask.depth = 0;
    run(&ask, &alone);
    ck_assert_double_eq(shared.share, 1);
    ck_assert_double_eq(alone.share, 1);
    ck_assert_double_eq(tasks_whole_ns(&alone), alone.took);
    ck_assert_uint_eq(alone.host.count, 0);
    ck_assert_int_gt(shared.took, alone.took);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tasks");
    TCase *tcase = tcase_create("beside a host");

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, A03_no_request_starves_at_any_rate, 0,
                        G_N_ELEMENTS(row));
    tcase_add_test(tcase, a_task_that_ends_is_told_with_its_time);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
