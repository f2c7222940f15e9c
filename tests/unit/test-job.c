/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a job asks for what fio's words promise, and as long.
 *
 * Method: draws against plain counts and the distributions' own formulas;
 * small runs whose answer can be counted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "raid-model/sim/job-file.h"
#include "raid-model/sim/job-run.h"
#include "tests/lib/unit.h"

#define GIB (UINT64_C(1) << 30)

static char *path;

static void set_up(void)
{
    g_setenv("PLATTER_PRESETS", "disk-model/presets", FALSE);
    path = g_strdup_printf("%s/job-XXXXXX", g_get_tmp_dir());
    g_close(g_mkstemp(path), NULL);
}

static void tear_down(void)
{
    remove(path);
    g_free(path);
}

static JobFile *read_text(const char *text, GError **error)
{
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    return job_file_read(path, error);
}

/* --- each once ------------------------------------------------------------ */

START_TEST(a_permutation_visits_everything_once)
{
    static const uint64_t count[] = { 1, 2, 3, 4, 5, 17, 64, 1000, 65537 };
    unsigned char seen[65537];

    for (unsigned i = 0; i < G_N_ELEMENTS(count); i++) {
        for (unsigned key = 0; key < 3; key++) {
            Permutation order;

            memset(seen, 0, sizeof(seen));
            permutation_init(&order, count[i], key);
            for (uint64_t j = 0; j < count[i]; j++) {
                uint64_t at = permutation_at(&order, j);

                unit_holds(at < count[i] && !seen[at]);
                seen[at] = 1;
            }
        }
    }
}
END_TEST

/* The mean distance of two random points on a line is a third of it. */
START_TEST(neighbours_in_a_permutation_are_strangers)
{
    uint64_t count = 1000003, last = 0;
    double sum = 0;
    Permutation order;

    permutation_init(&order, count, 7);
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t at = permutation_at(&order, i);

        sum += fabs((double)at - (double)last);
        last = at;
    }
    ck_assert_double_eq_tol(sum / 100000 / count, 1 / 3.0, 0.005);
}
END_TEST

START_TEST(a_map_agrees_with_a_flat_array)
{
    static const uint64_t count[] = { 1, 63, 64, 65, 4096, 4097, 300000 };
    Sim *chance = sim_new(_i);

    for (unsigned i = 0; i < G_N_ELEMENTS(count); i++) {
        uint64_t n = count[i], left = n;
        JobMap *map = job_map_new(n);
        unsigned char *used = g_malloc0(n);

        for (unsigned pass = 0; pass < 2; pass++) {
            while (left) {
                uint64_t from = sim_random(chance, n), at = from, taken = 0;
                uint64_t most = 1 + sim_random(chance, 1 + n / 50);

                while (used[at]) {
                    at = (at + 1) % n;
                }
                unit_holds(job_map_find(map, from) == at);
                for (; taken < most && at + taken < n && !used[at + taken];
                     taken++) {
                    used[at + taken] = 1;
                }
                unit_holds(job_map_take(map, at, most) == taken);
                left -= taken;
                unit_holds(job_map_free_blocks(map) == left);
            }
            job_map_clear(map);
            memset(used, 0, n);
            left = n;
        }
        g_free(used);
        job_map_free(map);
    }
    sim_free(chance);
}
END_TEST

/* --- draws ---------------------------------------------------------------- */

/* The plan of one job's lines on a unit of so many bytes; the job's words
 * live as long as the file. */
static JobFile *plan_of(const char *lines, uint64_t bytes, JobPlan *plan)
{
    JobDefaults defaults = { "read", "4k", 1 };
    char *text = g_strdup_printf("[job]\n%s", lines);
    GError *error = NULL;
    GString *notes = g_string_new(NULL);
    JobFile *file = read_text(text, &error);
    bool ok = file && job_plan(&g_array_index(file->jobs, Job, 0), &defaults,
                               bytes, plan, notes, &error);

    ck_assert_msg(ok, "%s", error ? error->message : "");
    g_string_free(notes, TRUE);
    g_free(text);
    return file;
}

START_TEST(each_block_comes_once_a_pass)
{
    static const char *const lines[] = {
        "rw=randread\nbs=4k\nsize=1m\noffset=64k\n",
        "rw=randrw\nrwmixread=30\nbs=4k\nsize=1m\noffset=64k\n",
        "rw=randwrite\nbssplit=4k/70:16k/30\nsize=1m\noffset=64k\n",
        "rw=randread\nbsrange=4k-64k\nsize=1m\noffset=64k\n",
        "rw=randread\nbs=4k\npercentage_random=50\nsize=1m\noffset=64k\n",
    };
    JobPlan plan;
    JobFile *file = plan_of(lines[_i], GIB, &plan);
    unsigned seen[256] = { 0 };
    Draw draw;

    draw_init(&draw, &plan.draw, plan.seed);
    for (unsigned pass = 1; pass < 4; pass++) {
        for (uint64_t sum = 0; sum < 2048;) {
            UnitOp op = { 0 };

            draw_next(&draw, &op);
            unit_holds(op.lba >= 128 && op.lba % 8 == 0 && op.count >= 8);
            for (uint32_t i = 0; i < op.count; i += 8) {
                unsigned block = (op.lba - 128 + i) / 8;

                unit_holds(block < 256 && seen[block] == pass - 1);
                seen[block]++;
            }
            sum += op.count;
        }
    }
    draw_clear(&draw);
    job_file_free(file);
}
END_TEST

START_TEST(shares_of_sizes_and_reads_are_those_asked_for)
{
    JobPlan plan;
    JobFile *file = plan_of("rw=randrw\nrwmixread=80\nnorandommap\n"
        "bssplit=512/10:1k/5:2k/5:4k/60:8k/2:16k/4:32k/4:64k/10,4k/50:8k/\n",
        4 * GIB, &plan);
    unsigned reads = 0, of_512 = 0, of_4k = 0, of_64k = 0, of_8k = 0;
    unsigned n = 200000, writes;
    Draw draw;

    draw_init(&draw, &plan.draw, plan.seed);
    for (unsigned i = 0; i < n; i++) {
        UnitOp op = { 0 };

        draw_next(&draw, &op);
        if (op.verb == UNIT_READ) {
            reads++;
            of_512 += op.count == 1;
            of_4k += op.count == 8;
            of_64k += op.count == 128;
        } else {
            unit_holds(op.count == 8 || op.count == 16);
            of_8k += op.count == 16;
        }
        unit_holds(op.lba + op.count <= 8 * GIB / 1024);
    }
    writes = n - reads;
    ck_assert_double_eq_tol((double)reads / n, 0.8, 0.005);
    ck_assert_double_eq_tol((double)of_512 / reads, 0.10, 0.005);
    ck_assert_double_eq_tol((double)of_4k / reads, 0.60, 0.005);
    ck_assert_double_eq_tol((double)of_64k / reads, 0.10, 0.005);
    ck_assert_double_eq_tol((double)of_8k / writes, 0.50, 0.01);
    draw_clear(&draw);
    job_file_free(file);
}
END_TEST

static int descending(const void *a, const void *b)
{
    const unsigned *left = a, *right = b;

    return (*left < *right) - (*left > *right);
}

/* How often each of 1000 blocks came, the most frequent first. */
static void count_blocks(const char *spread, unsigned requests,
                         unsigned *count)
{
    char *lines = g_strdup_printf("rw=randread\nbs=4k\nsize=4000k\n"
                                  "random_distribution=%s\n", spread);
    JobPlan plan;
    JobFile *file = plan_of(lines, GIB, &plan);
    Draw draw;

    memset(count, 0, 1000 * sizeof(*count));
    draw_init(&draw, &plan.draw, plan.seed);
    for (unsigned i = 0; i < requests; i++) {
        UnitOp op = { 0 };

        draw_next(&draw, &op);
        unit_holds(op.lba / 8 < 1000);
        count[op.lba / 8]++;
    }
    draw_clear(&draw);
    job_file_free(file);
    g_free(lines);
    qsort(count, 1000, sizeof(*count), descending);
}

START_TEST(zipf_is_the_sum_of_its_formula)
{
    static const double theta[] = { 0.5, 0.99, 1, 1.2, 2.5 };
    unsigned count[1000], n = 400000;
    char *spread = g_strdup_printf("zipf:%g", theta[_i]);
    double all = 0, first = 0, got = 0;

    count_blocks(spread, n, count);
    for (unsigned i = 0; i < 1000; i++) {
        double weight = pow(i + 1, -theta[_i]);

        all += weight;
        first += i < 20 ? weight : 0;
        got += i < 20 ? count[i] : 0;
    }
    ck_assert_double_eq_tol(got / n, first / all, 0.005);
    ck_assert_double_eq_tol((double)count[0] / n, 1 / all, 0.005);
    g_free(spread);
}
END_TEST

START_TEST(pareto_gives_a_share_of_blocks_the_rest_of_requests)
{
    unsigned count[1000], n = 400000;
    double got = 0;

    count_blocks("pareto:0.2", n, count);
    for (unsigned i = 0; i < 200; i++) {
        got += count[i];
    }
    ck_assert_double_eq_tol(got / n, 0.8, 0.005);
}
END_TEST

/* Half in the first 5 %, three tenths in the next 15 %. */
START_TEST(zones_have_their_shares)
{
    static const char *const spread[] = {
        "zoned:50/5:30/15:20/", "zoned_abs:50/200k:30/600k:20/3200k",
    };
    char *lines = g_strdup_printf("rw=randwrite\nbs=4k\nsize=4000k\n"
                                  "random_distribution=%s\n", spread[_i]);
    JobPlan plan;
    JobFile *file = plan_of(lines, GIB, &plan);
    unsigned zone[3] = { 0 }, n = 200000;
    Draw draw;

    draw_init(&draw, &plan.draw, plan.seed);
    for (unsigned i = 0; i < n; i++) {
        UnitOp op = { 0 };
        unsigned block;

        draw_next(&draw, &op);
        block = op.lba / 8;
        unit_holds(block < 1000);
        zone[block < 50 ? 0 : block < 200 ? 1 : 2]++;
    }
    ck_assert_double_eq_tol((double)zone[0] / n, 0.5, 0.005);
    ck_assert_double_eq_tol((double)zone[1] / n, 0.3, 0.005);
    draw_clear(&draw);
    job_file_free(file);
    g_free(lines);
}
END_TEST

/* The five most used of 1000 blocks are not neighbours. */
START_TEST(what_is_used_often_lies_all_over)
{
    JobPlan plan;
    JobFile *file = plan_of("rw=randread\nbs=4k\nsize=4000k\n"
                            "random_distribution=zipf:2\n", GIB, &plan);
    unsigned count[10] = { 0 }, tenths = 0;
    Draw draw;

    draw_init(&draw, &plan.draw, plan.seed);
    for (unsigned i = 0; i < 10000; i++) {
        UnitOp op = { 0 };

        draw_next(&draw, &op);
        count[op.lba / 800]++;
    }
    for (unsigned i = 0; i < 10; i++) {
        tenths += count[i] > 50;
    }
    ck_assert_uint_ge(tenths, 5);
    draw_clear(&draw);
    job_file_free(file);
}
END_TEST

START_TEST(sequential_sides_have_a_position_each_and_begin_again)
{
    JobPlan plan;
    JobFile *file = plan_of("rw=rw\nbs=4k,8k\nsize=40k\noffset=8k\n", GIB,
                            &plan);
    uint64_t next[2] = { 16, 16 };
    Draw draw;

    draw_init(&draw, &plan.draw, plan.seed);
    for (unsigned i = 0; i < 100; i++) {
        UnitOp op = { 0 };

        draw_next(&draw, &op);
        ck_assert_uint_eq(op.count, op.verb == UNIT_READ ? 8 : 16);
        ck_assert_uint_eq(op.lba, next[op.verb]);
        next[op.verb] += op.count;
        if (next[op.verb] + op.count > 16 + 80) {
            next[op.verb] = 16;
        }
    }
    draw_clear(&draw);
    job_file_free(file);
}
END_TEST

START_TEST(blockalign_is_where_random_requests_start)
{
    JobPlan plan;
    JobFile *file = plan_of("rw=randread\nbs=8k\nba=512\nsize=1m\n", GIB,
                            &plan);
    bool odd = false, last = false;
    Draw draw;

    draw_init(&draw, &plan.draw, plan.seed);
    for (unsigned i = 0; i < 20000; i++) {
        UnitOp op = { 0 };

        draw_next(&draw, &op);
        unit_holds(op.lba <= 2048 - 16);
        odd |= op.lba % 2;
        last |= op.lba == 2048 - 16;
    }
    ck_assert(odd && last);
    draw_clear(&draw);
    job_file_free(file);
}
END_TEST

/* --- runs ----------------------------------------------------------------- */

typedef struct Ran {
    Rig *rig;
    JobFile *file;
    JobPlan plan[8];
    JobRun *run;
} Ran;

static void run_text(const char *text, bool data, Ran *ran)
{
    JobDefaults defaults = { "read", "4k", 1 };
    RigAsk ask = { "3ware-7410", "4xwd1200jb", "raid5:0-3:64k", 3, data };
    GError *error = NULL;
    GString *notes = g_string_new(NULL);

    ran->rig = rig_new(&ask, NULL);
    ran->file = read_text(text, &error);
    ck_assert_msg(ran->file != NULL, "%s", error ? error->message : "");
    for (guint i = 0; i < ran->file->jobs->len; i++) {
        ck_assert_msg(job_plan(&g_array_index(ran->file->jobs, Job, i),
                               &defaults, 360 * GIB / 2, &ran->plan[i],
                               notes, &error),
                      "%s", error ? error->message : "");
    }
    ran->run = job_run_new(ran->rig, 0, ran->plan, ran->file->jobs->len,
                           data);
    job_run_all(ran->run, "test");
    g_string_free(notes, TRUE);
}

static void forget(Ran *ran)
{
    job_run_free(ran->run);
    job_file_free(ran->file);
    rig_free(ran->rig);
}

static uint64_t requests(const JobResult *result)
{
    return result->side[UNIT_READ].requests +
           result->side[UNIT_WRITE].requests;
}

START_TEST(jobs_begin_together_and_a_stonewall_waits)
{
    const JobResult *a, *b, *c;
    Ran ran;

    run_text("[global]\nrw=randread\n"
             "[a]\nnumber_ios=50\niodepth=4\n"
             "[b]\nrw=write\nnumber_ios=20\nbs=64k\n"
             "[c]\nstonewall\nnumber_ios=30\n", _i, &ran);
    ck_assert_uint_eq(job_run_results(ran.run), 3);
    a = job_run_result(ran.run, 0);
    b = job_run_result(ran.run, 1);
    c = job_run_result(ran.run, 2);
    ck_assert_uint_eq(requests(a), 50);
    ck_assert_uint_eq(b->side[UNIT_WRITE].bytes, 20 * 65536);
    ck_assert_uint_eq(requests(c), 30);
    ck_assert_int_eq(a->began, b->began);
    ck_assert_int_eq(c->began, MAX(a->began + a->took, b->began + b->took));
    ck_assert_uint_eq(c->group, a->group + 1);
    for (unsigned i = 0; i < 3; i++) {
        const JobResult *one = job_run_result(ran.run, i);
        double parts = one->sums.firmware_ns + one->sums.bus_ns +
                       one->sums.unit_ns, whole = 0;

        for (unsigned side = 0; side < 2; side++) {
            whole += one->side[side].latency.mean *
                     one->side[side].requests;
        }
        ck_assert_double_eq_tol(parts / whole, 1, 1e-9);
    }
    forget(&ran);
}
END_TEST

START_TEST(clones_have_addresses_of_their_own_and_may_share_a_report)
{
    Ran ran;

    run_text("[a]\nrw=randread\nnumjobs=3\nnumber_ios=40\n"
             "[b]\nrw=randread\nnumjobs=3\nnumber_ios=40\ngroup_reporting\n"
             "stonewall\n", false, &ran);
    ck_assert_uint_eq(job_run_results(ran.run), 4);
    ck_assert_uint_eq(requests(job_run_result(ran.run, 0)), 40);
    ck_assert_uint_eq(requests(job_run_result(ran.run, 3)), 120);
    ck_assert_uint_eq(job_run_result(ran.run, 3)->jobs, 3);
    ck_assert_double_ne(
        job_run_result(ran.run, 0)->side[UNIT_READ].latency.mean,
        job_run_result(ran.run, 1)->side[UNIT_READ].latency.mean);
    forget(&ran);
}
END_TEST

START_TEST(limits_are_fios)
{
    const JobResult *result;
    Ran ran;

    run_text("[size]\nrw=read\nbs=64k\nsize=1m\n"
             "[loops]\nstonewall\nrw=read\nbs=64k\nsize=1m\nloops=3\n"
             "[io]\nstonewall\nrw=write\nbs=64k\nsize=1m\nio_size=512k\n"
             "[time]\nstonewall\nrw=read\nbs=64k\nsize=1m\ntime_based\n"
             "runtime=2\n"
             "[ramp]\nstonewall\nrw=randread\nruntime=2\nramp_time=1\n"
             "[late]\nstonewall\nrw=randread\nnumber_ios=5\nstartdelay=1\n",
             false, &ran);
    result = job_run_result(ran.run, 0);
    ck_assert_uint_eq(result->side[UNIT_READ].bytes, 1 << 20);
    result = job_run_result(ran.run, 1);
    ck_assert_uint_eq(result->side[UNIT_READ].bytes, 3 << 20);
    result = job_run_result(ran.run, 2);
    ck_assert_uint_eq(result->side[UNIT_WRITE].bytes, 1 << 19);
    result = job_run_result(ran.run, 3);
    ck_assert_int_ge(result->took, SIM_S(2));
    ck_assert_int_lt(result->took, SIM_MS(2100));
    ck_assert_uint_gt(result->side[UNIT_READ].bytes, 1 << 20);
    ck_assert_int_eq(job_run_result(ran.run, 4)->began,
                     result->began + result->took + SIM_S(1));
    result = job_run_result(ran.run, 4);
    ck_assert_int_ge(result->took, SIM_S(2));
    ck_assert_int_lt(result->took, SIM_MS(2100));
    /* At depth 1 the requests that count fill the time that counts. */
    ck_assert_double_eq_tol(result->side[UNIT_READ].latency.mean *
                            result->side[UNIT_READ].requests / 1e9,
                            result->took / 1e9, 0.05);
    ck_assert_int_eq(job_run_result(ran.run, 5)->began,
                     result->began + result->took + SIM_S(1));
    forget(&ran);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("job");
    TCase *tc = tcase_create("job");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, a_permutation_visits_everything_once);
    tcase_add_test(tc, neighbours_in_a_permutation_are_strangers);
    tcase_add_loop_test(tc, a_map_agrees_with_a_flat_array, 0, 3);
    tcase_add_loop_test(tc, each_block_comes_once_a_pass, 0, 5);
    tcase_add_test(tc, shares_of_sizes_and_reads_are_those_asked_for);
    tcase_add_loop_test(tc, zipf_is_the_sum_of_its_formula, 0, 5);
    tcase_add_test(tc, pareto_gives_a_share_of_blocks_the_rest_of_requests);
    tcase_add_loop_test(tc, zones_have_their_shares, 0, 2);
    tcase_add_test(tc, what_is_used_often_lies_all_over);
    tcase_add_test(tc,
                   sequential_sides_have_a_position_each_and_begin_again);
    tcase_add_test(tc, blockalign_is_where_random_requests_start);
    tcase_add_loop_test(tc, jobs_begin_together_and_a_stonewall_waits, 0, 2);
    tcase_add_test(tc,
        clones_have_addresses_of_their_own_and_may_share_a_report);
    tcase_add_test(tc, limits_are_fios);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
