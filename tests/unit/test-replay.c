/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a recorded trace comes back from the drive model as the real drive
 * answered it; a wrong trace is told where and why.
 *
 * Method: the traces of tests/published/disksim against the figures that
 * DiskSim 4.0 reaches on them (its valid/runvalid); small files with one
 * thing wrong.
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

    replay_run(preset, trace, seed, response, result);
    g_free(response);
}

START_TEST(a_traced_drive_is_nearer_than_disksim_and_its_mean_within_1_pct)
{
    DiskPreset *preset = unit_preset(traced[_i].drive);
    char *path = g_strdup_printf("tests/published/disksim/%s.trace",
                                 traced[_i].drive);
    GError *error = NULL;
    TraceFile *trace = trace_file_read(path, preset->geometry.lbas, &error);

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
    path = g_strdup_printf("%s/replay-XXXXXX", g_get_tmp_dir());
    g_close(g_mkstemp(path), NULL);
}

static void tear_down(void)
{
    remove(path);
    g_free(path);
}

static TraceFile *read_text(const char *text, GError **error)
{
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    return trace_file_read(path, 1000, error);
}

static const struct {
    const char *text, *where, *what;
} wrong[] = {
    { "", ":", "has no requests" },
    { "# nothing\n\n", ":", "has no requests" },
    { "R Hit 0 4 100 100\nX Hit 0 4 100 100\n", ":2: ", "neither R nor W" },
    { "R Hit 0 4 100\n", ":1: ", "5 fields, not 6" },
    { "R Hit 0 4 100 100 7\n", ":1: ", "7 fields, not 6" },
    { "R Hit 1x 4 100 100\n", ":1: ", "no LBA: '1x'" },
    { "R Hit -1 4 100 100\n", ":1: ", "no LBA" },
    { "R Hit 0 0 100 100\n", ":1: ", "no number of sectors" },
    { "R Hit 997 4 100 100\n", ":1: ", "997 to 1000 are beyond" },
    { "R Hit 99999999999999999999 4 1 1\n", ":1: ", "no LBA" },
    { "R Hit 0 4 fast 100\n", ":1: ", "no measured time: 'fast'" },
    { "R Hit 0 4 100 -5\n", ":1: ", "no think time" },
    { "R Hit 0 4 nan 5\n", ":1: ", "no measured time" },
    { "0.5 0 10 4 1\n0.4 0 10 4 1\n", ":2: ", "before the line before" },
    { "0.5 0 10 4 1\n0.6 1 10 4 1\n", ":2: ", "this is another" },
    { "0.5 0 10 4 read\n", ":1: ", "no flags: 'read'" },
    { "0.5 0 10 4\n", ":1: ", "4 fields, not 5" },
};

START_TEST(a_wrong_line_is_told_by_number_and_reason)
{
    GError *error = NULL;

    ck_assert_ptr_null(read_text(wrong[_i].text, &error));
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(strstr(error->message, path) == error->message &&
                  strstr(error->message, wrong[_i].where) &&
                  strstr(error->message, wrong[_i].what) &&
                  strstr(error->message, "right would be") &&
                  !strchr(error->message, '\n'), "%s", error->message);
    g_error_free(error);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_told)
{
    GError *error = NULL;

    ck_assert_ptr_null(trace_file_read("/nonexistent", 1000, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "/nonexistent"));
    g_error_free(error);
}
END_TEST

/* The second request comes a think time after the first has ended. */
START_TEST(a_measured_trace_is_replayed_closed)
{
    DiskPreset *preset = unit_small_drive(DISK_MAP_CYLINDER);
    TraceFile *trace = read_text("R Hit 0 4 5000 100\n"
                                 "W Hit 400 4 7000 1\n", NULL);
    ReplayResult result;
    SimTime response[2];

    ck_assert(trace->measured);
    replay_run(preset, trace, 1, response, &result);
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
                                 "900.5 0 0 4 1\n", NULL);
    ReplayResult result;
    SimTime response[4];

    ck_assert(!trace->measured);
    replay_run(preset, trace, 1, response, &result);
    ck_assert_uint_eq(result.requests, 4);
    ck_assert_int_lt(response[0], response[1]);
    ck_assert_int_lt(response[1], response[2]);
    ck_assert_int_lt(response[3], SIM_MS(12));
    trace_file_free(trace);
    disk_preset_free(preset);
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
    tcase_add_loop_test(tc, a_wrong_line_is_told_by_number_and_reason, 0,
                        G_N_ELEMENTS(wrong));
    tcase_add_test(tc, a_file_that_is_not_there_is_told);
    tcase_add_test(tc, a_measured_trace_is_replayed_closed);
    tcase_add_test(tc, a_trace_with_times_is_replayed_open);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
