/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a story happens as it is written, and wrong words are told by line
 * and reason.
 *
 * Method: short stories whose end can be told; lines with one thing wrong;
 * stories of random words.
 */
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "raid-model/sim/scenario.h"
#include "tests/lib/unit.h"

#define RAID5 "drives 4 wd1200jb\nat 0 create raid5 ports 0-3 stripe 64k\n"

static char *path;

static void set_up(void)
{
    g_setenv("PLATTER_PRESETS", "disk-model/presets", FALSE);
    path = g_strdup_printf("%s/story-XXXXXX", g_get_tmp_dir());
    g_close(g_mkstemp(path), NULL);
}

static void tear_down(void)
{
    remove(path);
    g_free(path);
}

static void ignore_report(void *opaque, const ScenarioRun *run)
{
    SimTime *at = opaque;

    *at = scenario_run_now(run);
}

typedef struct Told {
    Scenario *story;
    ScenarioRun *run;
    SimTime reported;
    bool well;
} Told;

static void tell(const char *text, Told *told)
{
    GError *error = NULL;

    ck_assert(g_file_set_contents(path, text, -1, NULL));
    told->story = scenario_read(path, &error);
    ck_assert_msg(told->story != NULL, "%s", error ? error->message : "");
    told->run = scenario_run_new(told->story, &error);
    ck_assert_msg(told->run != NULL, "%s", error ? error->message : "");
    told->well = scenario_run_all(told->run, ignore_report, &told->reported);
}

static void forget(Told *told)
{
    scenario_run_free(told->run);
    scenario_free(told->story);
}

static const JobResult *phase(const Told *told, unsigned index)
{
    return job_run_result(g_array_index(scenario_run_phases(told->run),
                                        ScenarioPhase, index).run, 0);
}

static const char *event(const Told *told, unsigned index)
{
    const GArray *events = scenario_run_events(told->run);

    ck_assert_uint_lt(index, events->len);
    return g_array_index(events, ScenarioEvent, index).what;
}

static UnitState state(const Told *told, unsigned unit)
{
    return raid_unit_state(raid_controller_unit(
        scenario_run_rig(told->run)->ctl, unit));
}

START_TEST(work_goes_on_for_its_time_or_its_requests)
{
    Told told = { 0 };

    tell("controller 3ware-7810 seed 7   # a comment\n" RAID5 "\n"
         "drives 2 wd1200jb\nat 0 create raid1 ports 4-5\n"
         "at 3s report\n"
         "at 1s work file-server depth 4 for 2s\n"
         "at 1s work fio rw=randread bs=8k on unit 4 for 50 requests\n"
         "at 2s work fio name=scan rw=read bs=64k depth 2 for 500ms\n", &told);
    ck_assert(told.well);
    ck_assert_int_eq(told.reported, SIM_S(3));
    ck_assert_str_eq(told.story->units->str, "raid5:0-3:64k/raid1:4-5");
    ck_assert_int_eq(phase(&told, 0)->began, SIM_S(1));
    ck_assert_int_ge(phase(&told, 0)->took, SIM_S(2));
    ck_assert_int_lt(phase(&told, 0)->took, SIM_MS(2500));
    ck_assert_uint_gt(phase(&told, 0)->side[UNIT_READ].requests, 100);
    ck_assert_uint_gt(phase(&told, 0)->side[UNIT_WRITE].requests, 20);
    ck_assert_uint_eq(phase(&told, 1)->side[UNIT_READ].bytes, 50 * 8192);
    ck_assert_int_eq(phase(&told, 2)->began, SIM_S(2));
    ck_assert_int_lt(phase(&told, 2)->took, SIM_MS(700));
    ck_assert_uint_eq(phase(&told, 2)->plan->depth, 2);
    ck_assert_str_eq(phase(&told, 2)->plan->job->name, "scan");
    forget(&told);
}
END_TEST

START_TEST(a_raid_5_outlives_one_pull_and_not_two)
{
    Told told = { 0 };

    tell(RAID5 "at 0 work fio rw=randrw depth 8 for 3s\n"
         "at 1s pull port 2\nat 2s plug port 2\nat 2s plug port 0\n", &told);
    ck_assert(told.well);
    ck_assert_int_eq(state(&told, 0), RAID_UNIT_DEGRADED);
    ck_assert_str_eq(event(&told, 0), "pull port 2: unit 0 is degraded");
    ck_assert(strstr(event(&told, 1), "in no unit"));
    ck_assert(strstr(event(&told, 2), "already"));
    forget(&told);

    tell(RAID5 "at 0 work fio rw=randrw depth 8 for 3s\n"
         "at 1s pull port 2\nat 2s pull port 3\nat 2s pull port 3\n", &told);
    ck_assert(!told.well);
    ck_assert_int_eq(state(&told, 0), RAID_UNIT_INOPERABLE);
    ck_assert_int_eq(phase(&told, 0)->first_error, UNIT_OFFLINE);
    ck_assert_int_lt(phase(&told, 0)->took, SIM_MS(2500));
    ck_assert(strstr(event(&told, 2), "no drive is there"));
    forget(&told);
}
END_TEST

START_TEST(a_unit_takes_orders_and_says_no)
{
    Told told = { 0 };

    tell(RAID5 "at 0 work fio rw=randrw depth 2 for 5s\n"
         "at 1s pull port 2\nat 2s plug port 2\n"
         "at 3s order u0 start rebuild disk=2\n"
         "at 4s order u0 start rebuild disk=3\n", &told);
    ck_assert(told.well);
    ck_assert_int_eq(state(&told, 0), RAID_UNIT_DEGRADED);
    ck_assert_str_eq(event(&told, 2), "order u0 start rebuild disk=2");
    ck_assert(strstr(event(&told, 3), "refused, u0 is rebuilding already"));
    forget(&told);
}
END_TEST

/* A drive's buffer loses what it held; later work goes on. */
START_TEST(a_power_cut_ends_all_work_before_it)
{
    Told told = { 0 };

    tell("drives wd1200jb\nat 0 create single ports 0\n"
         "at 0 work fio rw=randwrite bs=4k depth 4 for 10s\n"
         "at 1s power cut\nat 2s work fio rw=randread for 1s\n", &told);
    ck_assert(told.well);
    ck_assert(phase(&told, 0)->interrupted);
    ck_assert_int_lt(phase(&told, 0)->took, SIM_MS(1500));
    ck_assert(strstr(event(&told, 0), "power cut: "));
    ck_assert(!phase(&told, 1)->interrupted);
    ck_assert_int_ge(phase(&told, 1)->took, SIM_S(1));
    forget(&told);
}
END_TEST

static const struct {
    const char *text, *where, *what;
} wrong[] = {
    { "", ":", "has no drives" },
    { "drives wd1200jb\n", ":", "nothing happens" },
    { "at 0 report\n", ":", "has no drives" },
    { "controller 3ware-9999\n", ":1: '3ware-9999'", "is no board" },
    { "controller 3ware-7410 seed x\n", ":1: 'x'", "is no seed" },
    { "controller 3ware-7410 mood 3\n", ":1: 'mood'", "one word too many" },
    { "drives 4\n", ":", "nothing happens" },   /* a drive named 4 */
    { "drives\n", ":1: the line's end", "stands where a drive" },
    { "drives 0 wd1200jb\n", ":1: '0'", "no number of drives" },
    { "when 0 report\n", ":1: 'when'", "begins no line" },
    { RAID5 "at\n", ":3: the line's end", "a time" },
    { RAID5 "at soon report\n", ":3: ", "not a time" },
    { RAID5 "at 1s\n", ":3: the line's end", "nothing that can happen" },
    { RAID5 "at 1s dance\n", ":3: 'dance'", "create, work, pull" },
    { RAID5 "at 1s replace port 2\n", ":3: 'replace'", "can happen" },
    { RAID5 "at 1s fault port 2 sick\n", ":3: fault: \"sick\"",
      "bad, slow TIME" },
    { RAID5 "at 1s order\n", ":3: the line's end", "order" },
    { RAID5 "at 1s create single ports 4\n", ":3: ", "too late" },
    { "at 0 create\n", ":1: the line's end", "a level" },
    { "at 0 create raid5 0-3\n", ":1: '0-3'", "'ports' would be right" },
    { "at 0 create raid9 ports 0-3\n", ":1: ", "raid9" },
    { "at 0 create raid5 ports 0-3 stripe 3k\n", ":1: ", "stripe" },
    { RAID5 "at 1s pull 2\n", ":3: '2'", "'port' would be right" },
    { RAID5 "at 1s pull port two\n", ":3: 'two'", "is no port" },
    { RAID5 "at 1s pull port 9\n", ":3: ", "has no such port" },
    { RAID5 "at 1s power on\n", ":3: 'on'", "'cut' would be right" },
    { RAID5 "at 1s report now\n", ":3: 'now'", "one word too many" },
    { RAID5 "at 1s work\n", ":3: the line's end", "a pattern" },
    { RAID5 "at 1s work hard for 1s\n", ":3: ", "hard" },
    { RAID5 "at 1s work database\n", ":3: the line's end", "'for'" },
    { RAID5 "at 1s work database for 0\n", ":3: '0'", "no time to work" },
    { RAID5 "at 1s work database for ever\n", ":3: ", "not a time" },
    { RAID5 "at 1s work database for -3 requests\n", ":3: '-3'",
      "no number of requests" },
    { RAID5 "at 1s work database depth 0 for 1s\n", ":3: '0'", "no depth" },
    { RAID5 "at 1s work database bs=8k for 1s\n", ":3: 'bs=8k'",
      "depth N, on unit N or for TIME" },
    { RAID5 "at 1s work database on unit 16 for 1s\n", ":3: '16'",
      "is no unit" },
    { RAID5 "at 1s work database on unit 3 for 1s\n", ":3: ",
      "no such unit" },
    { RAID5 "at 1s work fio bz=8k for 1s\n", ":3: 'bz'", "is no key" },
    { RAID5 "at 1s work fio bs=8q for 1s\n", ":3: bs=8q", "not a size" },
    { RAID5 "at 1s work fio rate=1 for 1s\n", ":3: 'rate'",
      "not modelled" },
    { "drives 9 wd1200jb\nat 0 report\n", ":", "more drives than the 4" },
    { "drives hal\nat 0 report\n", ":", "hal" },
};

static bool all_is_well(const char *text, GError **error)
{
    Scenario *story;
    ScenarioRun *run = NULL;

    ck_assert(g_file_set_contents(path, text, -1, NULL));
    story = scenario_read(path, error);
    if (story) {
        run = scenario_run_new(story, error);
    }
    if (run) {
        scenario_run_free(run);
    }
    scenario_free(story);
    return run != NULL;
}

START_TEST(wrong_words_are_told_by_line_and_reason)
{
    GError *error = NULL;

    ck_assert(!all_is_well(wrong[_i].text, &error));
    ck_assert_msg(strstr(error->message, path) == error->message &&
                  strstr(error->message, wrong[_i].where) &&
                  strstr(error->message, wrong[_i].what) &&
                  !strchr(error->message, '\n'), "%s", error->message);
    g_error_free(error);
}
END_TEST

START_TEST(random_words_do_no_harm)
{
    static const char *const word[] = {
        "at", "0", "1s", "work", "fio", "file-server", "depth", "4", "for",
        "on", "unit", "pull", "plug", "port", "power", "cut", "report",
        "create", "ports", "0-3", "raid5", "stripe", "64k", "drives",
        "wd1200jb", "\n", "\n", "\nat 1s work", "requests", "bs=8k", "=",
        "rw=randrw", "numjobs=3", "controller", "3ware-7410", "seed", "#",
        "\xff", "%s", "none",
        "order", "u0", "del", "start rebuild", "disk=2",
    };
    Sim *chance = sim_new(_i);

    for (unsigned i = 0; i < 200; i++) {
        GString *text = g_string_new(sim_random(chance, 2) ? RAID5 : "");
        GError *error = NULL;

        for (unsigned j = sim_random(chance, 30); j; j--) {
            g_string_append_printf(text, "%s ",
                word[sim_random(chance, G_N_ELEMENTS(word))]);
        }
        if (!all_is_well(text->str, &error)) {
            ck_assert(error && !strchr(error->message, '\n'));
            g_error_free(error);
        }
        g_string_free(text, TRUE);
    }
    sim_free(chance);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scenario");
    TCase *tc = tcase_create("scenario");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, work_goes_on_for_its_time_or_its_requests);
    tcase_add_test(tc, a_raid_5_outlives_one_pull_and_not_two);
    tcase_add_test(tc, a_unit_takes_orders_and_says_no);
    tcase_add_test(tc, a_power_cut_ends_all_work_before_it);
    tcase_add_loop_test(tc, wrong_words_are_told_by_line_and_reason, 0,
                        G_N_ELEMENTS(wrong));
    tcase_add_loop_test(tc, random_words_do_no_harm, 1, 6);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
