/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: tables are read, compared and summed rightly, and statements are
 * judged by what they say.
 * Method: no run at all.  Every cell is given a value of a made-up world
 * whose truths are known; rows and statements are written here with the
 * answers that a reader would give.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "raid-model/sim/published.h"
#include "tests/lib/unit.h"

static const struct {
    const char *level;
    unsigned members;
    double reads, writes;       /* IO/s with no writes and with all */
} world[] = {
    { "single", 1, 100, 120 }, { "raid0", 2, 150, 190 },
    { "raid0", 3, 190, 250 }, { "raid0", 4, 220, 300 },
    { "raid1", 2, 115, 120 }, { "raid10", 4, 170, 190 },
    { "raid5", 3, 150, 45 }, { "raid5", 4, 165, 50 },
};

/* Depth adds the same to all; writing back up to 30 %, with the writes. */
static double figure(unsigned array, unsigned depth, int writes, bool back)
{
    double share = writes / 100.0;
    double rate = world[array].reads * (1 - share) +
                  world[array].writes * share;

    return rate * (1 + log2(depth) / 10) * (1 + (back ? 0.3 * share : 0));
}

static void put(Cells *cells, const char *board, unsigned array,
                const char *pattern, unsigned depth, double iops)
{
    CellAsk ask = { .board = board, .level = world[array].level,
                    .members = world[array].members, .pattern = pattern,
                    .depth = depth,
                    .drive = strstr(board, "3ware") ? "sr5400" : "wd360gd" };
    CellValue value = { .state = CELL_DONE, .iops = iops,
                        .mib_per_s = iops / 10 };

    cells_put(cells, &ask, &value);
}

static Cells *made_up(void)
{
    static const unsigned depth[] = { 1, 16, 256 };
    static const CellsPlan plan = { .sequential_bytes = "64k" };
    Cells *cells = cells_new(&plan);

    for (unsigned a = 0; a < G_N_ELEMENTS(world); a++) {
        for (unsigned d = 0; d < G_N_ELEMENTS(depth); d++) {
            for (int w = 0; w <= 100; w += 10) {
                g_autofree char *sweep = g_strdup_printf("database_8k:%d", w);

                put(cells, "fasttrak-s150-sx4", a, sweep, depth[d],
                    figure(a, depth[d], w, true));
                put(cells, "fasttrak-s150-sx4-wt", a, sweep, depth[d],
                    figure(a, depth[d], w, false));
            }
        }
        for (int w = 0; w <= 100; w += 10) {
            g_autofree char *sweep = g_strdup_printf("database_8k:%d", w);
            double time = 1 / world[a].reads + 0.03 * w / 100;

            /* A mixture of two costs, and one that breaks down. */
            put(cells, "fasttrak-s150-sx4-wt", a, sweep, 2, 1 / time);
            put(cells, "fasttrak-s150-sx4-wt", a, sweep, 8,
                w < 80 ? 100 : 50);
        }
        for (unsigned d = 1; d <= 256; d *= 4) {
            put(cells, "3ware-7410", a, "random_write", d, 110 + a);
            put(cells, "3ware-6400", a, "random_write", d, 100 + a);
            put(cells, "3ware-7410", a, "sequential_write", d, 275);
        }
    }
    return cells;
}

static Published *run(Cells *cells, const char *text, GError **error)
{
    g_autofree char *path = NULL;
    int file = g_file_open_tmp("published-XXXXXX.csv", &path, NULL);
    Published *published = NULL;
    Csv *csv;

    ck_assert_int_ge(file, 0);
    g_close(file, NULL);
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    csv = csv_read(path, error);
    if (csv) {
        published = published_run(csv, cells, NULL, error);
    }
    g_unlink(path);
    return published;
}

#define SX4 "Promise FastTRAK S150 SX4"

static const struct {
    /* controller,mode,pattern,queue_depth,arrays,,form,value,unit */
    const char *row;
    Verdict verdict;
} statement[] = {
    { SX4 ",wt,database_8k,1 16 256,raid1x2,,"
      "iops(raid1x2) > iops(single) for writes < 100%,,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,raid1x2,,"
      "iops(raid1x2) > iops(single) at 100% writes,,", VERDICT_FALSE },
    { SX4 ",wt,database_8k,16,raid1x2 raid10x4,,\"iops(raid1x2) -> "
      "iops(single), iops(raid10x4) -> iops(raid0x2)\",,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,16,raid1x2,,iops(raid5x3) -> iops(single),,",
      VERDICT_FALSE },
    { SX4 ",wt,database_8k,1,raid5x3 raid5x4,,d iops/d writes < 0,,",
      VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,single raid5x4,,d iops/d writes < 0,,",
      VERDICT_FALSE },
    { SX4 ",wt,database_8k,256,raid5,,\"d iops/d writes < 0, no knee\",,",
      VERDICT_TRUE },
    { SX4 ",wt,database_8k,2,raid0 raid5,,no knee,,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,8,raid5,,no knee,,", VERDICT_FALSE },
    { SX4 ",WB/WT ratio,database_8k,1 16 256,single,,"
      "max over cells of WB/WT - 1,30,percent", VERDICT_TRUE },
    { SX4 ",WB/WT ratio,database_8k,1 16 256,single,,"
      "max over cells of WB/WT - 1,60,percent", VERDICT_FALSE },
    { SX4 ",WB/WT ratio,database_8k,all,all,,"
      "argmax over write share of WB/WT = 100%,,", VERDICT_TRUE },
    { SX4 ",WB/WT ratio,database_8k,all,all,,"
      "argmax over write share of WB/WT = 50%,,", VERDICT_FALSE },
    { SX4 ",WB/WT ratio,database_8k,all,all but raid5x3,,"
      "WB/WT = 1.0 at 0% writes,,", VERDICT_TRUE },
    { SX4 ",WB/WT ratio,database_8k,all,raid0x3,,"
      "WB/WT declines with write share; 1.0 at 0% writes,,",
      VERDICT_FALSE },
    { SX4 ",WB/WT ratio,database_8k,1,raid10x4,,"
      "WB/WT > 1.15 at this write share,60,percent writes", VERDICT_TRUE },
    { SX4 ",WB/WT ratio,database_8k,all,all,,"
      "WB/WT at QD1 >= WB/WT at QD256,,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,raid0x4,,iops(raid0x4) is the largest,,",
      VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,raid0x4,,iops(raid0x3) is the maximum,,",
      VERDICT_FALSE },
    { SX4 ",wt,database_8k,1,raid5,,"
      "iops(raid1x2)/iops(single) = 1.15 at 0% writes,,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,raid5,,"
      "iops(raid1x2)/iops(single) = 2 at 0% writes,,", VERDICT_FALSE },
    { SX4 ",wt,database_8k,1,raid5x4,,iops(70%w) < iops(60%w),,",
      VERDICT_TRUE },
    { SX4 ",wb,database_8k,1,raid5x4,,iops(raid5x4) > iops(raid5x3) at "
      "0% writes; equal at 70%,,", VERDICT_FALSE },
    { SX4 ",wt,database_8k,1,raid5x4,,"
      "drop(0->10) < drop(10->20),,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,raid5x4,,"
      "drop(0->10) > drop(10->20) > drop(20->30) ...,,", VERDICT_FALSE },
    { SX4 ",wt,database_8k,,raid5x4,,drop(0->10) at QD256 > at QD1,,",
      VERDICT_FALSE },
    { SX4 ",wt,database_8k,256,all,,rank order unchanged from QD16,,",
      VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,raid0x4,,"
      "iops(raid0xn)/iops(single) constant over write share,,",
      VERDICT_TRUE },
    { SX4 ",wb vs wt,database_8k,1,raid5,,iops(wb) > iops(wt),,",
      VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,all,,"
      "spread of random-read iops over arrays small (max/min about 1.15)"
      ",,", VERDICT_FALSE },
    { "7410 vs 6400,,random_write,all,raid0 single,,"
      "ratio = about 1.1,,", VERDICT_TRUE },
    { "7410 vs 6400,,random_write,all,raid0 single,,ratio = about 1,,",
      VERDICT_FALSE },
    { "7410 vs 6400,,random_write,all,raid0,,"
      "iops(6400) > iops(7410),,", VERDICT_FALSE },
    { SX4 ",wt,database_8k,1 16 256,raid5x4,,"
      "iops(raid5x4) < iops(single) for writes >= 60%,,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,1 16 256,raid5x4,,"
      "iops(raid5x4) < iops(single) for writes < 60%,,", VERDICT_FALSE },
    { SX4 ",wt,database_8k,1 16 256,single,,d iops/d QD > 0,,",
      VERDICT_TRUE },
    { SX4 ",wt,database_8k,1 16 256,single,,"
      "iops(10%w) > 138 for QD > 1,,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,1 16 256,single,,iops(10%w) > 138,,",
      VERDICT_FALSE },
    { SX4 ",wt,database_8k,1,raid5x4,,drop(0->10) = 7%,,", VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,raid5x4,,drop(0->10),7,percent", VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,raid5x4,,drop(0->10),26,percent",
      VERDICT_FALSE },
    { SX4 ",wt,database_8k,1,raid5x4,,"
      "iops(raid5x4) far below iops(raid0x4) at 100% writes,,",
      VERDICT_TRUE },
    { SX4 ",wt,database_8k,1,single,,it is rather good,,",
      VERDICT_UNKNOWN_FORM },
    { SX4 ",wt,database_8k,1,single,,iops(single) >,,",
      VERDICT_UNKNOWN_FORM },
    { "Acme 9000,wt,database_8k,1,single,,iops(single) > 1,,",
      VERDICT_NOT_TESTABLE },
    { SX4 ",wt,sequential_write_cpu,1,single,,cpu(raid1) > 1,,",
      VERDICT_NOT_TESTABLE },
};

START_TEST(a_statement_is_true_when_the_figures_say_so)
{
    GString *text = g_string_new("id,kind,controller,mode,pattern,queue_depth,"
                                 "arrays,statement,testable_form,value,unit\n");
    Cells *cells = made_up();
    Published *published;

    for (unsigned i = 0; i < G_N_ELEMENTS(statement); i++) {
        g_string_append_printf(text, "x%u,ordering,%s\n", i,
                               statement[i].row);
    }
    published = run(cells, text->str, NULL);
    ck_assert(published);
    ck_assert_uint_eq(cells_missing(cells), 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(statement); i++) {
        const PublishedStatement *judged =
            &g_array_index(published->statements, PublishedStatement, i);

        ck_assert_msg(judged->verdict == statement[i].verdict,
                      "%s: verdict %d (%s)", statement[i].row,
                      judged->verdict, judged->why);
    }
    published_free(published);
    cells_free(cells);
    g_string_free(text, TRUE);
}
END_TEST

#define FIGURES "controller,level,drives,pattern,load,queue_depth,value,unit\n"

START_TEST(sums_are_of_the_rows_that_count)
{
    Cells *cells = made_up();
    Published *published = run(cells, FIGURES
        "3ware Escalade 7410,single,1,random_write,linear,1,100,IO/s\n"
        "3ware Escalade 7410,raid0,2,random_write,light,16,111,IO/s\n"
        "3ware Escalade 7410,raid0,2,sequential_write,linear,1,25,MB/s\n"
        /* faulty at the source: */
        "3ware Escalade 7410,raid0,2,sequential_write,heavy,256,99,MB/s\n"
        "3ware Escalade 7410,raid1,2,sequential_write,linear,1,99,MB/s\n"
        "3ware Escalade 6400,single,1,sequential_write_cpu,linear,1,9,%CPU\n"
        "Acme 9000,single,1,random_write,linear,1,9,IO/s\n", NULL);
    const PublishedSum *all;

    ck_assert(published);
    ck_assert_uint_eq(cells_missing(cells), 0);
    all = &g_array_index(published->sums, PublishedSum,
                         published->sums->len - 1);
    ck_assert_ptr_null(all->controller);
    ck_assert_uint_eq(all->cells, 3);
    ck_assert_double_eq_tol(all->abs_pct, 10 + 0 + 10, 1e-9);
    ck_assert_double_eq_tol(fabs(all->worst_pct), 10, 1e-9);
    ck_assert_uint_eq(all->within_5, 1);
    ck_assert_uint_eq(all->left_out, 3);
    ck_assert_uint_eq(all->not_modelled, 1);
    published_free(published);
    cells_free(cells);
}
END_TEST

START_TEST(a_wrong_table_is_refused_with_its_line)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        { "", "empty" },
        { "a,b,c\n1,2,3\n", "not the columns" },
        { FIGURES "3ware Escalade 7410,single,1,random_write,x,1,100\n",
          ":2: 7 fields" },
        { FIGURES "\n3ware Escalade 7410,single,one,random_write,x,1,1,IO/s\n",
          ":3: drives is 'one'" },
        { FIGURES "3ware Escalade 7410,single,1,random_write,x,1,,IO/s\n",
          ":2: value is ''" },
        { FIGURES "\"3ware,single,1,random_write,x,1,1,IO/s\n", ":2: a quote" },
    };
    Cells *cells = made_up();

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;

        ck_assert(!run(cells, wrong[i].text, &error));
        ck_assert_msg(error && strstr(error->message, wrong[i].words), "%s",
                      error ? error->message : wrong[i].words);
    }
    cells_free(cells);
}
END_TEST

START_TEST(quoted_fields_keep_commas_and_quotes)
{
    Cells *cells = made_up();
    Published *published = run(cells, FIGURES
        "\"Acme, \"\"the\"\" one\",single,1,random_write,x,1,1,IO/s\r\n",
        NULL);

    ck_assert(published);
    ck_assert_str_eq(published->csv->row[0].word[0], "Acme, \"the\" one");
    ck_assert_str_eq(published->csv->row[0].word[7], "IO/s");
    published_free(published);
    cells_free(cells);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("published");
    TCase *tcase = tcase_create("tables");

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_statement_is_true_when_the_figures_say_so);
    tcase_add_test(tcase, sums_are_of_the_rows_that_count);
    tcase_add_test(tcase, a_wrong_table_is_refused_with_its_line);
    tcase_add_test(tcase, quoted_fields_keep_commas_and_quotes);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
