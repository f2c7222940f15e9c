/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: the job files people have are taken, and a wrong one is told by
 * line and reason.
 *
 * Method: jobs of the kind fio's documentation shows; files with one thing
 * wrong; files of random words and bytes.
 */
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "raid-model/sim/job-file.h"
#include "tests/lib/unit.h"

#define GIB (UINT64_C(1) << 30)

static char *path;

static void set_up(void)
{
    path = g_strdup_printf("%s/job-file-XXXXXX", g_get_tmp_dir());
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

/* Of the kind that fio's documentation and its examples show. */
static const char *const known[] = {
    "; -- start job file --\n[global]\nrw=randread\nsize=128m\n\n"
    "[job1]\n\n[job2]\n; -- end job file --\n",
    "[random-writers]\nioengine=libaio\niodepth=4\nrw=randwrite\nbs=32k\n"
    "direct=0\nsize=64m\nnumjobs=4\n",
    "[global]\ndescription=Emulation of Intel IOmeter File Server Access "
    "Pattern\n[iometer]\n"
    "bssplit=512/10:1k/5:2k/5:4k/60:8k/2:16k/4:32k/4:64k/10\nrw=randrw\n"
    "rwmixread=80\ndirect=1\nsize=4g\nioengine=libaio\niodepth=64\n",
    "[global]\nbs=4k\nioengine=libaio\niodepth=4\nsize=10g\ndirect=1\n"
    "runtime=60\ndirectory=/mount-point-of-ssd\nfilename=ssd.test.file\n\n"
    "[seq-read]\nrw=read\nstonewall\n\n[rand-read]\nrw=randread\nstonewall\n"
    "\n[seq-write]\nrw=write\nstonewall\n\n[rand-write]\nrw=randwrite\n"
    "stonewall\n",
    "[global]\ngroup_reporting=1\nthread\ntime_based=1\nrandrepeat=0\n"
    "runtime=1m\nrandom_distribution=pareto:0.2\nexitall\ninvalidate=1\n"
    "[oltp data]\nreadwrite=randrw\nrwmixwrite=33\nblocksize=8k\n"
    "size=50%\nlog_avg_msec=500\ncpus_allowed=0-3\n"
    "[redo] # the log\nrw=write\nbs=512\n",
};

START_TEST(jobs_that_people_have_are_taken)
{
    JobDefaults defaults = { "read", "4k", 1 };
    GString *notes = g_string_new(NULL);
    GError *error = NULL;
    JobPlan plan;
    JobFile *file;

    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        file = read_text(known[i], &error);
        ck_assert_msg(file != NULL, "%s", error ? error->message : "");
        for (guint j = 0; j < file->jobs->len; j++) {
            ck_assert_msg(job_plan(&g_array_index(file->jobs, Job, j),
                                   &defaults, 100 * GIB, &plan, notes,
                                   &error),
                          "%s", error ? error->message : "");
        }
        job_file_free(file);
    }
    g_string_free(notes, TRUE);
}
END_TEST

START_TEST(global_reaches_the_jobs_below_it)
{
    JobDefaults defaults = { "read", "4k", 1 };
    JobFile *file = read_text("[a]\n[global]\nbs=8k\niodepth=2\n[b]\n"
                              "iodepth=3\n[c]\n", NULL);
    static const unsigned sectors[] = { 8, 16, 16 }, depth[] = { 1, 3, 2 };
    GString *notes = g_string_new(NULL);
    JobPlan plan;

    ck_assert_uint_eq(file->jobs->len, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert(job_plan(&g_array_index(file->jobs, Job, i), &defaults,
                           GIB, &plan, notes, NULL));
        ck_assert_uint_eq(draw_most(&plan.draw), sectors[i]);
        ck_assert_uint_eq(plan.depth, depth[i]);
        ck_assert_uint_eq(plan.draw.read_percent, 100);
    }
    job_file_free(file);
    g_string_free(notes, TRUE);
}
END_TEST


static const struct {
    const char *text, *where, *what;
} wrong[] = {
    { "", ":", "has no job" },
    { "[global]\nrw=read\n", ":", "has no job" },
    { "rw=read\n[a]\n", ":1: ", "before the first section" },
    { "[a\n", ":1: ", "is no section" },
    { "[]\n", ":1: ", "is no section" },
    { "[a] rw=read\n", ":1: ", "is no section" },
    { "[a]\nrw\n", ":2: ", "lacks a value" },
    { "[a]\niodpeth=4\n", ":2: ", "did you mean iodepth?" },
    { "[a]\nrwmixraed=4\n", ":2: ", "did you mean rwmixread?" },
    { "[a]\nioengin=x\n", ":2: ", "did you mean ioengine?" },
    { "[a]\nfrobnicate=x\n", ":2: ", "is no key of a job; right would be" },
    { "[a]\nrate_iops=100\n", ":2: ", "is not modelled" },
    { "[a]\nverify=crc32c\n", ":2: ", "is not modelled" },
    { "[a]\n\nsize=${NO_SUCH_NAME}\n", ":3: ", "not in the environment" },
    { "[a]\nsize=${NO\n", ":2: ", "not in the environment" },
    { "[a]\nrw=randomread\n", ":2: rw=randomread: ", "no such load" },
    { "[a]\nrw=randtrim\n", ":2: ", "trim is not modelled" },
    { "[a]\nrw=randread:8\n", ":2: ", "no number behind" },
    { "[a]\nbs=\n", ":2: bs=", "READS,WRITES" },
    { "[a]\nbs=4q\n", ":2: bs=4q: ", "not a size" },
    { "[a]\nbs=1000\n", ":2: bs=1000: ", "multiple of 512" },
    { "[a]\nbs=4k,4k,4k,4k\n", ":2: ", "READS,WRITES" },
    { "[a]\nbsrange=4k\n", ":2: ", "two sizes" },
    { "[a]\nbsrange=8k-4k\n", ":2: ", "smaller size first" },
    { "[a]\nbssplit=4k/60:8k/50\n", ":2: ", "more than 100" },
    { "[a]\nbssplit=4k/x\n", ":2: ", "SIZE/PERCENT" },
    { "[a]\nbssplit=4k/50:\n", ":2: ", "not a size" },
    { "[a]\nba=3\n", ":2: ba=3: ", "multiple of 512" },
    { "[a]\niodepth=0\n", ":2: iodepth=0: ", "1 to 1024" },
    { "[a]\nnumjobs=1000\n", ":2: ", "1 to 256" },
    { "[a]\nrw=rw\nrwmixread=101\n", ":3: ", "0 to 100" },
    { "[a]\nsize=4t\n", ":2: size=4t: ", "to the unit's" },
    { "[a]\nsize=101%\n", ":2: ", "0% to 100%" },
    { "[a]\nsize=1k\nbs=4k\n", ":2: ", "to the unit's" },
    { "[a]\noffset=1t\n", ":2: ", "within the unit" },
    { "[a]\nnumjobs=9\noffset_increment=50%\n", ":3: ", "the last job" },
    { "[a]\nruntime=soon\n", ":2: runtime=soon: ", "not a time" },
    { "[a]\nruntime=0\n", ":2: ", "is 0" },
    { "[a]\ntime_based\n", ":2: ", "needs a runtime" },
    { "[a]\nstonewall=maybe\n", ":2: ", "0 to 1" },
    { "[a]\nrandom_distribution=zipf\n", ":2: ", "not modelled" },
    { "[a]\nrandom_distribution=zipf:0\n", ":2: ", "more than 0" },
    { "[a]\nrandom_distribution=pareto:1\n", ":2: ", "less than 1" },
    { "[a]\nrandom_distribution=normal:5\n", ":2: ", "not modelled" },
    { "[a]\nrandom_distribution=zoned:60/10:50/90\n", ":2: ",
      "more than there is" },
    { "[a]\nrandom_distribution=zoned:60\n", ":2: ", "REQUESTS%/REGION%" },
    { "[a]\nrandom_distribution=zoned:60/0:40/\n", ":2: ", "is empty" },
    { "[a]\nrandom_distribution=zoned:9/9,9/9\n", ":2: ", "alike" },
    { "[a]\nrandom_distribution=zoned_abs:60/4q\n", ":2: ", "not a size" },
    { "[a]\nverify_pattern=0xff\n", ":2: ", "is not modelled" },
};

/* Reads and plans; false and an error of one line. */
static bool all_is_well(const char *text, GError **error)
{
    JobDefaults defaults = { "read", "4k", 1 };
    JobFile *file = read_text(text, error);
    GString *notes = g_string_new(NULL);
    bool ok = file != NULL;
    JobPlan plan;

    for (guint i = 0; ok && i < file->jobs->len; i++) {
        ok = job_plan(&g_array_index(file->jobs, Job, i), &defaults, GIB,
                      &plan, notes, error);
    }
    g_string_free(notes, TRUE);
    job_file_free(file);
    return ok;
}

START_TEST(a_wrong_line_is_told_by_number_and_reason)
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

START_TEST(a_synchronous_engine_keeps_one_request_going)
{
    JobDefaults defaults = { "read", "4k", 1 };
    JobFile *file = read_text("[a]\nioengine=psync\niodepth=8\n", NULL);
    GString *notes = g_string_new(NULL);
    JobPlan plan;

    ck_assert(job_plan(&g_array_index(file->jobs, Job, 0), &defaults, GIB,
                       &plan, notes, NULL));
    ck_assert_uint_eq(plan.depth, 1);
    ck_assert(strstr(notes->str, "psync"));
    ck_assert_str_eq(file->ignored->pdata[0], "ioengine");
    g_string_free(notes, TRUE);
    job_file_free(file);
}
END_TEST

/* Whatever is in a file: it is taken, or refused in one line. */
START_TEST(random_words_and_bytes_do_no_harm)
{
    static const char *const word[] = {
        "[global]\n", "[a]\n", "[", "]", "rw=", "randrw", "bs=", "bssplit=",
        "4k", "/", ":", ",", "-", "50", "size=", "%", "=", "\n", "\n", "\n",
        "zipf:", "random_distribution=", "zoned:",
        "zoned_abs:", "1.5", "numjobs=", "9999999999999",
        "${", "}", "HOME", ";", "#", " ", "stonewall", "iodepth", "ba=",
        "bsrange=", "runtime=", "\xff", "\x01", "\t", "loops=", "offset=",
        "offset_increment=", "io_size=", "0", "ioengine=sync\n", "nonsense",
    };
    Sim *chance = sim_new(_i);

    for (unsigned i = 0; i < 400; i++) {
        GString *text = g_string_new("[a]\n");
        GError *error = NULL;

        for (unsigned j = sim_random(chance, 30); j; j--) {
            g_string_append(text, word[sim_random(chance,
                                                  G_N_ELEMENTS(word))]);
        }
        if (sim_random(chance, 4) == 0) {
            text->str[sim_random(chance, text->len)] =
                1 + sim_random(chance, 255);
        }
        if (!all_is_well(text->str, &error)) {
            ck_assert(error && g_utf8_validate(error->message, -1, NULL));
            g_error_free(error);
        }
        g_string_free(text, TRUE);
    }
    sim_free(chance);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("job-file");
    TCase *tc = tcase_create("job-file");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, jobs_that_people_have_are_taken);
    tcase_add_test(tc, global_reaches_the_jobs_below_it);
    tcase_add_loop_test(tc, a_wrong_line_is_told_by_number_and_reason, 0,
                        G_N_ELEMENTS(wrong));
    tcase_add_test(tc, a_synchronous_engine_keeps_one_request_going);
    tcase_add_loop_test(tc, random_words_and_bytes_do_no_harm, 1, 11);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
