/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a recorded trace comes back from the drive model as the real drive
 * answered it, and requests come when they should.
 *
 * Method: the traces of tests/published/disksim against the figures that
 * DiskSim 4.0 reaches on them (its valid/runvalid); small traces.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "raid-model/sim/replay.h"
#include "tests/lib/unit.h"

static const struct {
    const char *drive;
    unsigned requests;
    double mean_ms;             /* measured */
    double rms_ms;              /* DiskSim's */
} traced[] = {
    { "atlas10k", 10000, 3.8931, 0.268 },
    { "barracuda", 10000, 6.6274, 0.349 },
    { "cheetah4LP", 10000, 5.3277, 0.318 },
    { "hp_c2247a", 9999, 15.2982, 0.090 },
    { "hp_c3323a", 9074, 15.7649, 0.306 },
    { "ibm18es", 10000, 5.2605, 0.135 },
};

static void replay(const DiskPreset *preset, const TraceFile *trace,
                   uint64_t seed, ReplayResult *result)
{
    SimTime *response = g_new(SimTime, trace->requests->len);
    ReplayPlan plan = { .preset = preset, .seed = seed };

    replay_run(&plan, trace, response, result);
    g_free(response);
}

START_TEST(a_traced_drive_is_nearer_than_disksim_and_its_mean_within_1_pct)
{
    DiskPreset *preset = unit_preset(traced[_i].drive);
    char *path = g_strdup_printf("tests/published/disksim/%s.trace",
                                 traced[_i].drive);
    GError *error = NULL;
    TraceAsk ask = { .path = path, .format = TRACE_AUTO,
                     .sectors = preset->geometry.lbas };
    TraceFile *trace = trace_file_read(&ask, &error);

    ck_assert_msg(trace != NULL, "%s", error ? error->message : "");
    for (unsigned seed = 1; seed < 4; seed++) {
        ReplayResult result;

        replay(preset, trace, seed, &result);
        ck_assert_uint_eq(result.requests, traced[_i].requests);
        ck_assert_double_eq_tol(result.measured_mean_ms, traced[_i].mean_ms,
                                0.0001);
        ck_assert_double_le(result.rms_ms, traced[_i].rms_ms);
        ck_assert_double_le(fabs(result.mean_ms / result.measured_mean_ms -
                                 1), 0.01);
    }
    trace_file_free(trace);
    g_free(path);
    disk_preset_free(preset);
}
END_TEST

/* --- files -------------------------------------------------------------- */

static char *path;

static void set_up(void)
{
    g_setenv("PLATTER_PRESETS", "disk-model/presets", FALSE);
    path = g_strdup_printf("%s/replay-XXXXXX", g_get_tmp_dir());
    g_close(g_mkstemp(path), NULL);
}

static void tear_down(void)
{
    remove(path);
    g_free(path);
}

static TraceFile *read_text(const char *text)
{
    TraceAsk ask = { .path = path, .format = TRACE_AUTO, .sectors = 1000 };

    ck_assert(g_file_set_contents(path, text, -1, NULL));
    return trace_file_read(&ask, NULL);
}

/* The second request comes a think time after the first has ended. */
START_TEST(a_measured_trace_is_replayed_closed)
{
    DiskPreset *preset = unit_small_drive(DISK_MAP_CYLINDER);
    TraceFile *trace = read_text("R Hit 0 4 5000 100\n"
                                 "W Hit 400 4 7000 1\n");
    ReplayPlan plan = { .preset = preset, .seed = 1 };
    ReplayResult result;
    SimTime response[2];

    ck_assert(trace->measured && trace->closed);
    replay_run(&plan, trace, response, &result);
    ck_assert_uint_eq(result.requests, 2);
    ck_assert_double_eq_tol(result.measured_mean_ms, 6, 1e-9);
    ck_assert_double_eq_tol(result.mean_ms,
                            (response[0] + response[1]) / 2e6, 1e-9);
    ck_assert_double_eq_tol(result.read_mean_ms, response[0] / 1e6, 1e-9);
    trace_file_free(trace);
    disk_preset_free(preset);
}
END_TEST

/* Three at once wait for each other; the fourth comes to a drive at rest. */
START_TEST(a_trace_with_times_is_replayed_open)
{
    DiskPreset *preset = unit_small_drive(DISK_MAP_CYLINDER);
    TraceFile *trace = read_text("0 0 0 4 1\n0 0 400 4 1\n0 0 800 4 0\n"
                                 "900.5 0 0 4 1\n");
    ReplayPlan plan = { .preset = preset, .seed = 1 };
    ReplayResult result;
    SimTime response[4];

    ck_assert(!trace->measured && !trace->closed);
    replay_run(&plan, trace, response, &result);
    ck_assert_uint_eq(result.requests, 4);
    ck_assert_int_lt(response[0], response[1]);
    ck_assert_int_lt(response[1], response[2]);
    ck_assert_int_lt(response[3], SIM_MS(12));
    trace_file_free(trace);
    disk_preset_free(preset);
}
END_TEST

/* What ends first is asked for first; twice as many take less time. */
START_TEST(a_closed_replay_keeps_so_many_going)
{
    DiskPreset *preset = unit_small_drive(DISK_MAP_CYLINDER);
    TraceFile *trace = read_text("0 0 0 4 1\n500 0 400 4 1\n900 0 800 4 0\n"
                                 "999 0 0 4 1\n");
    ReplayPlan plan = { .preset = preset, .seed = 1, .closed = 1 };
    ReplayResult result;
    SimTime response[4], sum = 0;

    replay_run(&plan, trace, response, &result);
    for (unsigned i = 0; i < 4; i++) {
        sum += response[i];
    }
    ck_assert_int_eq(result.took, sum);
    plan.closed = 4;
    replay_run(&plan, trace, response, &result);
    ck_assert_int_lt(result.took, SIM_MS(100));
    ck_assert_double_gt(result.max_ms, sum / 4 / 1e6);
    trace_file_free(trace);
    disk_preset_free(preset);
}
END_TEST

START_TEST(scale_stretches_the_times_of_arrival)
{
    DiskPreset *preset = unit_small_drive(DISK_MAP_CYLINDER);
    TraceFile *trace = read_text("0 0 0 4 1\n1000 0 400 4 1\n");
    ReplayPlan plan = { .preset = preset, .seed = 1, .scale = 2.5 };
    ReplayResult result;
    SimTime response[2];

    replay_run(&plan, trace, response, &result);
    ck_assert_int_eq(result.took, SIM_MS(2500) + response[1]);
    trace_file_free(trace);
    disk_preset_free(preset);
}
END_TEST

/* A mirror has two drives for two readers; alone they would wait. */
START_TEST(a_trace_runs_on_a_unit_behind_a_board)
{
    RigAsk ask = { "3ware-7410", "2xwd1200jb", "raid1:0-1", 1, false };
    Rig *rig = rig_new(&ask, NULL);
    TraceFile *trace = read_text("0 0 0 4 1\n0 0 900 4 1\n50 0 8 4 0\n");
    ReplayPlan plan = { .rig = rig, .unit = 0 };
    ReplayResult result;
    SimTime response[3];

    replay_run(&plan, trace, response, &result);
    ck_assert_uint_eq(result.requests, 3);
    ck_assert_uint_eq(result.errors, 0);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_gt(response[i], SIM_US(100));
        ck_assert_int_lt(response[i], SIM_MS(40));
    }
    trace_file_free(trace);
    rig_free(rig);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("replay");
    TCase *tc = tcase_create("replay");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc,
        a_traced_drive_is_nearer_than_disksim_and_its_mean_within_1_pct, 0,
        G_N_ELEMENTS(traced));
    tcase_add_test(tc, a_measured_trace_is_replayed_closed);
    tcase_add_test(tc, a_trace_with_times_is_replayed_open);
    tcase_add_test(tc, a_closed_replay_keeps_so_many_going);
    tcase_add_test(tc, scale_stretches_the_times_of_arrival);
    tcase_add_test(tc, a_trace_runs_on_a_unit_behind_a_board);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
