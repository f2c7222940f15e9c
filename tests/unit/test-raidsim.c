/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: raidsim's figures are right: percentiles, loads, limits, sums.
 * Method: percentiles against a sorted list, loads against what fio's words
 * promise, small runs on small rigs whose answer can be counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "raid-model/sim/expect.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/control/json.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/watch.h"
#include "tests/lib/unit.h"

static int by_size(const void *left, const void *right)
{
    const SimTime *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* Every magnitude from nanoseconds to hours. */
START_TEST(percentiles_are_within_a_bin_of_the_sorted_list)
{
    static SimTime all[20000];
    Latency *latency = g_new0(Latency, 1);
    Sim *chance = sim_new(7);

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
        all[i] = sim_random(chance, UINT64_C(1) << (1 + sim_random(chance,
                                                                   43)));
        latency_add(latency, all[i]);
    }
    qsort(all, G_N_ELEMENTS(all), sizeof(all[0]), by_size);
    for (unsigned i = 0; latency_percentiles[i]; i++) {
        size_t place = ceil(G_N_ELEMENTS(all) * latency_percentiles[i] / 100);
        double exact = all[place - 1];
        double got = latency_percentile(latency, latency_percentiles[i]);

        ck_assert_double_le(fabs(got - exact), exact / 64 + 1);
    }
    ck_assert_int_eq(latency->min, all[0]);
    ck_assert_int_eq(latency->max, all[G_N_ELEMENTS(all) - 1]);
    sim_free(chance);
    g_free(latency);
}
END_TEST

START_TEST(mean_and_deviation_are_those_of_the_textbook)
{
    Latency *latency = g_new0(Latency, 1);

    for (unsigned i = 0; i < 4; i++) {
        static const SimTime value[] = { 2, 4, 4, 10 };

        latency_add(latency, value[i]);
    }
    ck_assert_double_eq_tol(latency->mean, 5, 1e-12);
    ck_assert_double_eq_tol(latency_deviation(latency), sqrt(12), 1e-12);
    ck_assert_int_eq(latency_percentile(latency, 50), 4);
    g_free(latency);
}
END_TEST

START_TEST(sizes_and_times_are_read_as_fio_reads_them)
{
    static const struct {
        const char *text;
        uint64_t bytes;         /* 0: not a size */
    } size[] = {
        { "512", 512 }, { "8k", 8192 }, { "8K", 8192 }, { "64KiB", 65536 },
        { "1.5m", 1572864 }, { "2g", UINT64_C(2) << 30 },
        { "1t", UINT64_C(1) << 40 },
        { "k", 0 }, { "-1", 0 }, { "8q", 0 }, { "", 0 }, { "8 k", 0 },
        { "1e30", 0 }, { "nan", 0 }, { "0x10", 0 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(size); i++) {
        GError *error = NULL;
        uint64_t bytes = 0;
        bool good = number_bytes("--bs", size[i].text, &bytes, &error);

        ck_assert_msg(good == (size[i].bytes > 0), "%s", size[i].text);
        ck_assert_uint_eq(good ? bytes : 0, size[i].bytes);
        ck_assert(good == !error);
        g_clear_error(&error);
    }

    SimTime time;

    ck_assert(number_time("--runtime", "250ms", &time, NULL));
    ck_assert_int_eq(time, SIM_MS(250));
    ck_assert(number_time("--runtime", "2", &time, NULL));
    ck_assert_int_eq(time, SIM_S(2));
    ck_assert(!number_time("--runtime", "2 days", &time, NULL));
}
END_TEST

START_TEST(random_requests_cover_the_region_and_stay_in_it)
{
    DrawPlan plan = draw_plain(30, true, 16, 16 * 50 + 15);
    unsigned seen[50] = { 0 }, reads = 0;
    Draw draw;

    plan.first = 1000;
    draw_init(&draw, &plan, 1);
    for (unsigned i = 0; i < 10000; i++) {
        UnitOp op = { 0 };

        draw_next(&draw, &op);
        unit_holds(op.count == 16 && op.lba >= 1000);
        unit_holds((op.lba - 1000) % 16 == 0 && (op.lba - 1000) / 16 < 50);
        seen[(op.lba - 1000) / 16]++;
        reads += op.verb == UNIT_READ;
    }
    for (unsigned i = 0; i < 50; i++) {
        unit_holds(seen[i] > 120 && seen[i] < 290);
    }
    ck_assert_uint_gt(reads, 2800);
    ck_assert_uint_lt(reads, 3200);
    draw_clear(&draw);
}
END_TEST

/* One run of random requests on a rig of its own; plan is forgotten. */
static JobResult run(const char *drives, const char *units,
                     unsigned read_percent, unsigned depth,
                     uint64_t requests, bool data, uint64_t *drive_ops)
{
    RigAsk ask = { "3ware-7410", drives, units, 3, data };
    JobPlan plan = { .depth = depth, .requests_max = requests, .seed = 5,
                     .clones = 1 };
    Rig *rig = rig_new(&ask, NULL);
    JobResult result;
    Watch *watch;
    JobRun *job;

    ck_assert(rig);
    plan.draw = draw_plain(read_percent, true, 16, raid_capacity(
        raid_unit_shape(raid_controller_unit(rig->ctl, 0))));
    watch = watch_new(rig, NULL, NULL);
    job = job_run_new(rig, 0, &plan, 1, data);
    job_run_all(job, "test");
    result = *job_run_result(job, 0);
    result.plan = NULL;
    job_run_free(job);
    *drive_ops = watch->all.ops;
    watch_free(watch);
    rig_free(rig);
    return result;
}

START_TEST(every_request_is_answered_once)
{
    static const struct {
        const char *drives, *units;
        unsigned read_percent;
        unsigned ops_each;      /* of drives, healthy */
    } story[] = {
        { "wd1200jb", "", 100, 1 },
        { "wd1200jb", "single:0", 0, 1 },
        { "2xwd360gd", "raid1:0-1", 0, 2 },
        { "2xwd360gd", "raid1:0-1", 100, 1 },
        { "4xsr5400", "raid10:0-3:64k", 0, 2 },
        { "4xsr5400", "raid0:0-3:256k", 50, 1 },
        { "4xwd1200jb", "raid5:0-3:64k", 0, 4 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(story); i++) {
        for (unsigned depth = 1; depth <= 64; depth *= 8) {
            uint64_t ops;
            JobResult result = run(story[i].drives, story[i].units,
                                   story[i].read_percent, depth, 300,
                                   depth == 8, &ops);

            ck_assert_int_eq(result.first_error, UNIT_OK);
            ck_assert_uint_eq(result.side[UNIT_READ].requests +
                              result.side[UNIT_WRITE].requests, 300);
            ck_assert_uint_eq(ops, 300 * story[i].ops_each);
            ck_assert_int_gt(result.took, 0);
        }
    }
}
END_TEST

START_TEST(a_command_is_the_sum_of_its_parts)
{
    uint64_t ops;
    JobResult result = run("4xwd1200jb", "raid5:0-3:64k", 50, 8, 500, false,
                           &ops);
    double parts = result.sums.firmware_ns + result.sums.bus_ns +
                   result.sums.unit_ns;
    double whole = 0;

    for (unsigned i = 0; i < DRAW_SIDES; i++) {
        whole += result.side[i].latency.mean * result.side[i].requests;
    }

    ck_assert_double_eq_tol(parts / whole, 1, 1e-9);
}
END_TEST

START_TEST(a_rig_is_whole_or_not_there)
{
    static const RigAsk bad[] = {
        { "3ware-9999", "wd1200jb", "", 1, false },
        { "3ware-7410", "nothing", "", 1, false },
        { "3ware-7410", "5xwd1200jb", "", 1, false },
        { "3ware-7410", "wd1200jb,", "", 1, false },
        { "3ware-7410", "3xwd1200jb,sr5400", "raid5:0-3", 1, true },
        { "3ware-7410", "2xwd1200jb", "raid5:0-1", 1, false },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        GError *error = NULL;

        ck_assert(!rig_new(&bad[i], &error));
        ck_assert(error && !strchr(error->message, '\n'));
        g_error_free(error);
    }
}
END_TEST

START_TEST(json_escapes_what_must_be)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_string(&json, "a\"b", "c\\d\n");
    json_list(&json, "list");
    json_integer(&json, NULL, -5);
    json_number(&json, NULL, 0.5);
    json_object(&json, NULL);
    json_close_object(&json);
    json_close_list(&json);
    text = json_end(&json);
    ck_assert_str_eq(text, "{\n"
                     "  \"a\\\"b\" : \"c\\\\d\\u000a\",\n"
                     "  \"list\" : [\n"
                     "    -5,\n"
                     "    0.500000,\n"
                     "    {}\n"
                     "  ]\n"
                     "}\n");
}
END_TEST

/* Half a turn, overhead and seek as printed; transfer between two bounds. */
START_TEST(expectation_is_the_sum_of_the_sheet)
{
    DiskPreset *preset = unit_preset("wd1200jb");
    Expect expect = expect_random_read(preset, 16, 0);

    ck_assert_double_eq_tol(expect.seek_ms, 8.9, 1e-9);
    ck_assert_double_eq_tol(expect.turn_ms, 60e3 / 7200 / 2, 1e-4);
    ck_assert_double_eq_tol(expect.overhead_ms, 0.3, 1e-9);
    /* Between 16 sectors at the rim and at the hub, and the cable. */
    ck_assert_double_gt(expect.transfer_ms, 16 * 8.333 / 968 + 0.0819);
    ck_assert_double_lt(expect.transfer_ms, 16 * 8.334 / 562 + 0.0820);
    ck_assert_double_gt(expect_random_read(preset, 16, 50000000).total_ms,
                        expect.total_ms);
    disk_preset_free(preset);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("raidsim");
    TCase *figures = tcase_create("figures");

    tcase_set_timeout(figures, 60);
    tcase_add_test(figures,
                   percentiles_are_within_a_bin_of_the_sorted_list);
    tcase_add_test(figures, mean_and_deviation_are_those_of_the_textbook);
    tcase_add_test(figures, sizes_and_times_are_read_as_fio_reads_them);
    tcase_add_test(figures, random_requests_cover_the_region_and_stay_in_it);
    tcase_add_test(figures, every_request_is_answered_once);
    tcase_add_test(figures, a_command_is_the_sum_of_its_parts);
    tcase_add_test(figures, a_rig_is_whole_or_not_there);
    tcase_add_test(figures, json_escapes_what_must_be);
    tcase_add_test(figures, expectation_is_the_sum_of_the_sheet);
    suite_add_tcase(suite, figures);
    return suite;
}

int main(void)
{
    return unit_run(suite());
}
