/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: four kinds of trace are read as their makers wrote them, and a wrong
 * line is told by number and reason.
 *
 * Method: lines as the tools print them against what they say; files with
 * one thing wrong; files of random words and bytes.
 */
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "raid-model/sim/trace-file.h"
#include "tests/lib/unit.h"

static char *path;

static void set_up(void)
{
    path = g_strdup_printf("%s/trace-XXXXXX", g_get_tmp_dir());
    g_close(g_mkstemp(path), NULL);
}

static void tear_down(void)
{
    remove(path);
    g_free(path);
}

static TraceFile *read_ask(const char *text, TraceAsk ask, GError **error)
{
    ask.path = path;
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    return trace_file_read(&ask, error);
}

static TraceFile *read_text(const char *text, uint64_t sectors,
                            GError **error)
{
    return read_ask(text, (TraceAsk) { .format = TRACE_AUTO,
                                       .sectors = sectors }, error);
}

static TraceFile *must_read(const char *text, uint64_t sectors)
{
    GError *error = NULL;
    TraceFile *trace = read_text(text, sectors, &error);

    ck_assert_msg(trace != NULL, "%s", error ? error->message : "");
    return trace;
}

static void is(const TraceFile *trace, unsigned index, SimTime when,
               bool write, uint64_t sector, uint32_t count, SimTime measured)
{
    const TraceRequest *request;

    ck_assert_uint_lt(index, trace->requests->len);
    request = &g_array_index(trace->requests, TraceRequest, index);
    ck_assert_int_eq(request->when, when);
    ck_assert_int_eq(request->write, write);
    ck_assert_uint_eq(request->sector, sector);
    ck_assert_uint_eq(request->count, count);
    ck_assert_int_eq(request->measured, measured);
}

START_TEST(validate_is_read)
{
    TraceFile *trace = must_read("# made up\nR Hit 100 4 5000 100.5\n\n"
                                 "W\tMiss 996 4 7000 1\n", 1000);

    ck_assert_int_eq(trace->format, TRACE_VALIDATE);
    ck_assert(trace->closed && trace->measured);
    ck_assert_uint_eq(trace->requests->len, 2);
    is(trace, 0, 100500, false, 100, 4, SIM_MS(5));
    is(trace, 1, 1000, true, 996, 4, SIM_MS(7));
    trace_file_free(trace);
}
END_TEST

START_TEST(ascii_is_read)
{
    TraceFile *trace = must_read("0.5 3 100 4 1\n2.25 3 200 8 0\n"
                                 "2.25 3 0 1 21\n", 1000);

    ck_assert_int_eq(trace->format, TRACE_ASCII);
    ck_assert(!trace->closed && !trace->measured);
    is(trace, 0, SIM_US(500), false, 100, 4, 0);
    is(trace, 1, SIM_US(2250), true, 200, 8, 0);
    is(trace, 2, SIM_US(2250), false, 0, 1, 0);
    ck_assert_uint_eq(trace->count_max, 8);
    trace_file_free(trace);
}
END_TEST

/* As blkparse prints it, with what it prints behind. */
static const char blkparse[] =
    "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n"
    "  8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n"
    "  8,0    3        3     0.000002197   697  P   N [kjournald]\n"
    "  8,0    3        4     0.000010000   697  D   W 223490 + 8 [kjournald]\n"
    "  8,0    1        5     0.000020000     0  D  RA 1000 + 256 [a b/0:1H]\n"
    "  8,0    1        6     0.000030000     0  D  FN [kworker/1:1H]\n"
    "  8,0    1        7     0.000031000     0  D   D 4096 + 64 [fstrim]\n"
    "  8,0    1        8     0.000032000     0  D   R 36 (12 00 00 00 24 00) "
    "[hald-probe]\n"
    "  8,0    0        9     0.005010000     0  C   W 223490 + 8 [0]\n"
    "  8,0    0       10     0.009020000     0  C  RA 1000 + 256 [0]\n"
    "  8,0    1       11     0.010000000     0  D WFSM 8 + 8 [jbd2]\n"
    "  8,0    1       12     0.010500000     0  C WFSM 8 + 8 [0]\n"
    "  8,0    3       13     0.020000000   697 UT   N [kjournald] 1\n"
    "CPU0 (8,0):\n"
    " Reads Queued:           0,        0KiB\t Writes Queued:  1\n"
    "\n"
    "Total (8,0):\n"
    "Throughput (R/W): 0KiB/s / 0KiB/s\n"
    "Events (8,0): 10 entries\n"
    "Skips: 0 forward (0 -   0.0%)\n";

START_TEST(blkparse_gives_what_went_to_the_driver)
{
    TraceFile *trace = must_read(blkparse, 300000);

    ck_assert_int_eq(trace->format, TRACE_BLKPARSE);
    ck_assert(!trace->closed && trace->measured);
    ck_assert_uint_eq(trace->requests->len, 3);
    is(trace, 0, SIM_US(10), true, 223490, 8, SIM_MS(5));
    is(trace, 1, SIM_US(20), false, 1000, 256, SIM_MS(9));
    is(trace, 2, SIM_MS(10), true, 8, 8, SIM_US(500));
    ck_assert_uint_eq(trace->left_out, 3);
    trace_file_free(trace);
}
END_TEST

START_TEST(blkparse_without_the_driver_gives_what_was_queued)
{
    TraceFile *trace = must_read(
        "8,16 0 1 0.2 1 Q R 100 + 8 [dd]\n8,16 0 2 0.1 1 Q W 200 + 8 [dd]\n"
        "8,16 0 2 0.3 1 C R 100 + 8 [0]\n", 1000);

    ck_assert_uint_eq(trace->requests->len, 2);
    is(trace, 0, SIM_MS(100), true, 200, 8, -1);
    is(trace, 1, SIM_MS(200), false, 100, 8, SIM_MS(100));
    ck_assert(!trace->measured);        /* one never ended */
    trace_file_free(trace);
}
END_TEST

START_TEST(msr_is_read)
{
    TraceFile *trace = must_read(
        "128166372003061629,src1,0,Read,7014609920,24576,41286\n"
        "128166372013061629,src1,0,Write,512,4096,1500\n", 20000000);

    ck_assert_int_eq(trace->format, TRACE_MSR);
    ck_assert(!trace->closed && trace->measured);
    is(trace, 0, 0, false, 13700410, 48, 4128600);
    is(trace, 1, SIM_S(1), true, 1, 8, 150000);
    trace_file_free(trace);
}
END_TEST

START_TEST(one_device_of_several_can_be_taken)
{
    static const char *const text[] = {
        "0.5 3 100 4 1\n0.6 4 200 8 0\n",
        "8,0 0 1 0.2 1 D R 100 + 8 [d]\n8,1 0 1 0.3 1 D W 200 + 8 [d]\n",
        "100,a,0,Read,0,512,1\n200,a,1,Write,102400,4096,9\n",
    };
    static const char *const device[] = { "4", "8,1", "1" };
    GError *error = NULL;
    TraceFile *trace;

    ck_assert_ptr_null(read_text(text[_i], 1000, &error));
    ck_assert(strstr(error->message, "--device"));
    g_error_free(error);
    trace = read_ask(text[_i], (TraceAsk) { .format = TRACE_AUTO,
        .device = device[_i], .sectors = 1000 }, NULL);
    ck_assert_uint_eq(trace->requests->len, 1);
    ck_assert(g_array_index(trace->requests, TraceRequest, 0).write);
    ck_assert_uint_eq(g_array_index(trace->requests, TraceRequest, 0).sector,
                      200);
    trace_file_free(trace);
}
END_TEST

START_TEST(what_lies_beyond_the_end_wraps_if_asked)
{
    TraceFile *trace = read_ask("0 0 2500 8 1\n0 0 1998 8 1\n0 0 992 8 0\n",
        (TraceAsk) { .format = TRACE_AUTO, .sectors = 1000, .wrap = true },
        NULL);

    is(trace, 0, 0, false, 500, 8, 0);
    is(trace, 1, 0, false, 992, 8, 0);
    is(trace, 2, 0, true, 992, 8, 0);
    trace_file_free(trace);
}
END_TEST

START_TEST(formats_have_names)
{
    TraceFormat found;

    for (unsigned i = 0; i < TRACE_FORMATS; i++) {
        ck_assert(trace_format_find(trace_format_name(i), &found));
        ck_assert_uint_eq(found, i);
    }
    ck_assert(trace_format_find("auto", &found));
    ck_assert_int_eq(found, TRACE_AUTO);
    ck_assert(!trace_format_find("spc", &found));
}
END_TEST

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
    { "0.5 disk0 10 4 1\n", ":1: ", "no device number: 'disk0'" },
    { "8,0 1 1 0.1 1 D R 10 + 8 [x]\nsda 1 1 0.1 1 D R 1 + 8 [x]\n", ":2: ",
      "no device, as 8,0: 'sda'" },
    { "8,0 1 1 then 1 D R 10 + 8 [x]\n", ":1: ", "no time: 'then'" },
    { "8,0 1 1 0.1 1\n", ":1: ", "the line ends behind '1'" },
    { "8,0 1 1 0.1 1 D\n", ":1: ", "the line ends behind 'D'" },
    { "8,0 1 1 0.1 1 D R ten + 8 [x]\n", ":1: ", "no LBA: 'ten'" },
    { "8,0 1 1 0.1 1 D R 10 - 8 [x]\n", ":1: ", "no + between" },
    { "8,0 1 1 0.1 1 D R 10 + x [x]\n", ":1: ", "no number of sectors" },
    { "8,0 1 1 0.1 1 D R 999 + 8 [x]\n", ":1: ", "are beyond" },
    { "8,0 1 1 0.1 1 P N [x]\n", ":", "has no requests" },
    { "1,src1,0,Read,0,512\n", ":1: ", "6 fields, not 7" },
    { "x,src1,0,Read,0,512,1\n", ":1: ", "no time: 'x'" },
    { "1,src1,zero,Read,0,512,1\n", ":1: ", "no disk number" },
    { "1,src1,0,Trim,0,512,1\n", ":1: ", "neither Read nor Write: 'Trim'" },
    { "1,src1,0,Read,100,512,1\n", ":1: ", "no offset in whole sectors" },
    { "1,src1,0,Read,0,100,1\n", ":1: ", "no size in whole sectors" },
    { "1,src1,0,Read,0,0,1\n", ":1: ", "no size in whole sectors" },
    { "1,src1,0,Read,0,512,soon\n", ":1: ", "no response time: 'soon'" },
    { "1,src1,0,Read,5120000,512,1\n", ":1: ", "are beyond" },
    { "1,src1,0,Read,0,512,1\n1,src1,1,Read,0,512,1\n", ":2: ",
      "this is another" },
};

START_TEST(a_wrong_line_is_told_by_number_and_reason)
{
    GError *error = NULL;

    ck_assert_ptr_null(read_text(wrong[_i].text, 1000, &error));
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(strstr(error->message, path) == error->message &&
                  strstr(error->message, wrong[_i].where) &&
                  strstr(error->message, wrong[_i].what) &&
                  strstr(error->message, "right would be") &&
                  !strchr(error->message, '\n'), "%s", error->message);
    g_error_free(error);
}
END_TEST

START_TEST(a_format_that_was_named_is_kept_to)
{
    GError *error = NULL;

    ck_assert_ptr_null(read_ask("0.5 0 10 4 1\n",
        (TraceAsk) { .format = TRACE_MSR, .sectors = 1000 }, &error));
    ck_assert(strstr(error->message, ":1: 1 field, not 7"));
    g_error_free(error);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_told)
{
    TraceAsk ask = { "/nonexistent", TRACE_AUTO, NULL, 1000, false };
    GError *error = NULL;

    ck_assert_ptr_null(trace_file_read(&ask, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "/nonexistent"));
    g_error_free(error);
}
END_TEST

/* Whatever is in a file: it is taken, or refused in one line. */
START_TEST(random_words_and_bytes_do_no_harm)
{
    static const char *const word[] = {
        "R", "W", "Hit", "0", "4", "100", "1.5", " ", " ", " ", ",", ",",
        "\n", "\n", "8,0", "D", "Q", "C", "+", "[x]", "Read", "Write", "-1",
        "99999999999999999999", "1e308", "nan", "CPU0", "Total", "#", "\xff",
        "8,0 1 1 0.5 1 D R 10 + 8 [x]\n", "5,a,0,Read,0,512,1\n",
        "R Hit 0 4 100 100\n", "0.5 0 10 4 1\n", "8,0 1 1 0.1 1 D W 1 + ",
    };
    Sim *chance = sim_new(_i);

    for (unsigned i = 0; i < 400; i++) {
        GString *text = g_string_new(word[30 + sim_random(chance, 4)]);
        GError *error = NULL;
        TraceFile *trace;

        for (unsigned j = sim_random(chance, 40); j; j--) {
            g_string_append(text, word[sim_random(chance,
                                                  G_N_ELEMENTS(word))]);
        }
        if (sim_random(chance, 4) == 0) {
            text->str[sim_random(chance, text->len)] =
                1 + sim_random(chance, 255);
        }
        trace = read_text(text->str, 1000, &error);
        ck_assert(!trace == !!error);
        ck_assert(!error || !strchr(error->message, '\n'));
        for (guint j = 0; trace && j < trace->requests->len; j++) {
            const TraceRequest *request =
                &g_array_index(trace->requests, TraceRequest, j);

            unit_holds(request->count &&
                       request->sector + request->count <= 1000 &&
                       request->when >= 0);
        }
        trace_file_free(trace);
        g_clear_error(&error);
        g_string_free(text, TRUE);
    }
    sim_free(chance);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace-file");
    TCase *tc = tcase_create("trace-file");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, validate_is_read);
    tcase_add_test(tc, ascii_is_read);
    tcase_add_test(tc, blkparse_gives_what_went_to_the_driver);
    tcase_add_test(tc, blkparse_without_the_driver_gives_what_was_queued);
    tcase_add_test(tc, msr_is_read);
    tcase_add_loop_test(tc, one_device_of_several_can_be_taken, 0, 3);
    tcase_add_test(tc, what_lies_beyond_the_end_wraps_if_asked);
    tcase_add_test(tc, formats_have_names);
    tcase_add_loop_test(tc, a_wrong_line_is_told_by_number_and_reason, 0,
                        G_N_ELEMENTS(wrong));
    tcase_add_test(tc, a_format_that_was_named_is_kept_to);
    tcase_add_test(tc, a_file_that_is_not_there_is_told);
    tcase_add_loop_test(tc, random_words_and_bytes_do_no_harm, 1, 11);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
