/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: IOMeter's requests are drawn as its definition says.
 * Method: many draws, counted here and held against the definition's shares;
 * every address checked against where it may lie.
 */
#include <math.h>

#include "raid-model/sim/iometer-run.h"
#include "tests/lib/unit.h"

#define DRAWS 400000

static IometerSpec named(const char *words)
{
    IometerSpec spec = { 0 };
    g_autoptr(GError) error = NULL;

    if (!iometer_spec_named(&spec, words, &error)) {
        ck_abort_msg("%s", error->message);
    }
    ck_assert(iometer_spec_check(&spec, NULL));
    return spec;
}

/* Four standard deviations of a share of so many draws. */
static void is_share(unsigned count, unsigned of, double percent)
{
    double p = percent / 100;

    if (fabs(count - of * p) > 4 * sqrt(of * p * (1 - p)) + 1e-9) {
        ck_abort_msg("%u of %u; %g %% is right", count, of, percent);
    }
}

/* As published; written here a second time on purpose. */
START_TEST(sizes_come_in_the_published_shares_each_with_its_reads)
{
    static const struct {
        const char *pattern;
        double reads;
        struct {
            unsigned bytes;
            double share;
        } size[11];
    } mix[] = {
        { "file_server", 80, { { 512, 10 }, { 1024, 5 }, { 2048, 5 },
                               { 4096, 60 }, { 8192, 2 }, { 16384, 4 },
                               { 32768, 4 }, { 65536, 10 } } },
        { "web_server", 100, { { 512, 22 }, { 1024, 15 }, { 2048, 8 },
                               { 4096, 23 }, { 8192, 15 }, { 16384, 2 },
                               { 32768, 6 }, { 65536, 7 }, { 131072, 1 },
                               { 524288, 1 } } },
        { "workstation", 80, { { 8192, 100 } } },
        { "database", 67, { { 8192, 100 } } },
        { "database_8k:30", 70, { { 8192, 100 } } },
        { "workstation:90", 10, { { 8192, 100 } } },
        { "random_write", 0, { { 8192, 100 } } },
        { "sequential_write:32k", 0, { { 32768, 100 } } },
    };
    IometerSpec spec = named(mix[_i].pattern);
    unsigned seen[11] = { 0 }, reads[11] = { 0 };
    Iometer gen;

    iometer_init(&gen, &spec, UINT64_C(30) << 30, 7);
    for (unsigned i = 0; i < DRAWS; i++) {
        UnitOp op = { 0 };
        unsigned s = 0;

        iometer_next(&gen, &op);
        while (s < 10 && mix[_i].size[s].bytes != op.count * 512) {
            s++;
        }
        unit_holds(mix[_i].size[s].bytes == op.count * 512);
        seen[s]++;
        reads[s] += op.verb == UNIT_READ;
    }
    for (unsigned s = 0; mix[_i].size[s].bytes; s++) {
        is_share(seen[s], DRAWS, mix[_i].size[s].share);
        is_share(reads[s], seen[s], mix[_i].reads);
    }
    iometer_clear(&gen);
}
END_TEST

/* 20 % go on where the one before ended, read or write. */
START_TEST(a_fifth_of_workstation_follows_the_request_issued_before)
{
    IometerSpec spec = named("workstation");
    uint64_t unit = UINT64_C(30) << 30, end = 0;
    unsigned follows = 0, after_write = 0, writes = 0;
    bool wrote = false;
    Iometer gen;

    iometer_init(&gen, &spec, unit, 3);
    for (unsigned i = 0; i < DRAWS; i++) {
        UnitOp op = { 0 };

        iometer_next(&gen, &op);
        follows += op.lba * 512 == end;
        writes += wrote;
        after_write += wrote && op.lba * 512 == end;
        wrote = op.verb == UNIT_WRITE;
        end = (op.lba + op.count) * 512;
    }
    is_share(follows, DRAWS, 20);
    is_share(after_write, writes, 20);
    iometer_clear(&gen);
}
END_TEST

/* Half 4 KiB; two fifths writes; the shortest are writes alone. */
START_TEST(lines_of_a_mix_may_read_and_seek_each_in_its_own_way)
{
    IometerSpec spec = named("xbit_workstation");
    IometerSpec all = named("xbit_workstation:100");
    unsigned random = 0;

    ck_assert(iometer_spec_check(&spec, NULL));
    ck_assert(fabs(iometer_spec_write_share(&spec) - 0.402) < 0.0005);
    ck_assert_int_eq((int)(100 * iometer_spec_write_share(&all)), 100);
    ck_assert_uint_eq(iometer_spec_bytes_max(&spec), 66048);
    for (unsigned i = 0; i < spec.lines; i++) {
        const IometerLine *line = &spec.line[i];

        random += line->share * line->random;
        ck_assert(line->bytes != 4096 || line->share == 50);
        ck_assert(line->bytes > 2048 || line->reads == 0);
    }
    ck_assert_uint_eq(random, 8050);
}
END_TEST

START_TEST(sequential_goes_on_and_begins_again_at_the_end)
{
    IometerSpec spec = named("sequential_read:64k");
    Iometer gen;

    iometer_init(&gen, &spec, 5 * 65536 + 512, 1);
    for (unsigned i = 0; i < 23; i++) {
        UnitOp op = { 0 };

        iometer_next(&gen, &op);
        ck_assert_uint_eq(op.lba, i % 5 * 128);
        ck_assert_uint_eq(op.count, 128);
    }
    iometer_clear(&gen);
}
END_TEST

/*
 * A byte in (n-1, n] sectors gives sector n; what would pass the end, the
 * end's own last bytes among them, gives sector 0.
 */
START_TEST(a_random_byte_moves_up_to_a_sector_or_to_the_start)
{
    IometerSpec spec = named("random_read:4k");
    unsigned seen[20] = { 0 };
    Iometer gen;

    iometer_init(&gen, &spec, 20 * 512, 5);
    for (unsigned i = 0; i < DRAWS; i++) {
        UnitOp op = { 0 };

        iometer_next(&gen, &op);
        unit_holds(op.lba + 8 <= 20);
        seen[op.lba]++;
    }
    for (unsigned lba = 1; lba <= 12; lba++) {
        is_share(seen[lba], DRAWS, 5);
    }
    /* One byte is sector 0 itself; beyond sector 12 are 8 less one byte. */
    is_share(seen[0], DRAWS, 100.0 * (1 + 8 * 512 - 1) / (20 * 512));
    iometer_clear(&gen);
}
END_TEST

/*
 * Of ten sectors those at multiples of eight are 0 and 8: bytes 1 to 4096
 * of 5120 move up to the latter.
 */
START_TEST(a_random_byte_moves_up_and_not_down)
{
    IometerSpec spec = { 0 };
    unsigned ends = 0;
    Iometer gen;

    ck_assert(iometer_spec_add(&spec, "512,100,100,100,0,1,4096,0", NULL));
    iometer_init(&gen, &spec, 10 * 512, 1);
    for (unsigned i = 0; i < DRAWS; i++) {
        UnitOp op = { 0 };

        iometer_next(&gen, &op);
        unit_holds(op.lba == 0 || op.lba == 8);
        ends += op.lba == 8;
    }
    is_share(ends, DRAWS, 80);
    iometer_clear(&gen);
}
END_TEST

START_TEST(an_alignment_of_ones_own_holds)
{
    IometerSpec spec = { 0 };
    Iometer gen;

    ck_assert(iometer_spec_add(&spec, "4096,50,100,100,0,1,4096,0", NULL));
    ck_assert(!iometer_spec_check(&spec, NULL));
    ck_assert(iometer_spec_add(&spec, "8192,50,0,100,0,1,0,0", NULL));
    ck_assert(iometer_spec_check(&spec, NULL));
    iometer_init(&gen, &spec, 1 << 30, 1);
    for (unsigned i = 0; i < 10000; i++) {
        UnitOp op = { 0 };

        iometer_next(&gen, &op);
        unit_holds(op.count == 16 || op.lba % 8 == 0);
        unit_holds((op.count == 8) == (op.verb == UNIT_READ));
    }
    iometer_clear(&gen);
}
END_TEST

START_TEST(wrong_words_are_refused)
{
    static const char *const pattern[] = {
        "", "file", "file_server:101", "random_read:0", "random_read:1000",
        "sequential_write:1g", "database:x", "file_server:",
    };
    static const char *const line[] = {
        "", "4096", "4096,100,100,100,0,1,0", "4096,100,100,100,0,1,0,0,0",
        "1000,100,100,100,0,1,0,0", "4096,101,100,100,0,1,0,0",
        "4096,100,-1,100,0,1,0,0", "4096,100,100,100,0,0,0,0",
        "4096,100,100,100,0,1,100,0", "4096,100,100,100,0,1,0,5",
        "0,100,100,100,0,1,0,0",
    };
    IometerSpec spec;

    for (unsigned i = 0; i < G_N_ELEMENTS(pattern); i++) {
        g_autoptr(GError) error = NULL;

        ck_assert_msg(!iometer_spec_named(&spec, pattern[i], &error) && error,
                      "%s", pattern[i]);
    }
    spec = (IometerSpec) { 0 };
    for (unsigned i = 0; i < G_N_ELEMENTS(line); i++) {
        g_autoptr(GError) error = NULL;

        ck_assert_msg(!iometer_spec_add(&spec, line[i], &error) && error,
                      "%s", line[i]);
    }
}
END_TEST

static IometerResult run(const IometerSpec *spec, unsigned depth,
                         SimTime turn_ns)
{
    IometerAsk ask = { .board = "3ware-7410", .drive = "sr5400",
                       .level = "single", .members = 1, .spec = spec,
                       .depth = depth, .seed = 1, .requests = 500,
                       .turn_ns = turn_ns };
    IometerResult result;

    ck_assert(iometer_run(&ask, &result, NULL));
    ck_assert_int_eq(result.error, UNIT_OK);
    return result;
}

/* Little's law, with the computer's own time: N = rate (wait + turn). */
START_TEST(so_many_requests_are_outstanding_all_the_time)
{
    static const unsigned depth[] = { 1, 4, 16 };
    IometerSpec spec = named("file_server");
    SimTime turn = SIM_MS(5);
    IometerResult result = run(&spec, depth[_i], turn);
    double n = result.read.requests + result.write.requests;
    double wait = (result.read.wait_ns + result.write.wait_ns) / n;

    ck_assert_double_eq(n, 500);
    ck_assert_double_eq_tol(iometer_iops(&result) / 1e9 * (wait + turn),
                            depth[_i], 0.05 * depth[_i]);
}
END_TEST

START_TEST(a_delay_comes_after_each_burst)
{
    IometerSpec spec = { 0 };
    IometerResult result;

    /* Ten at once, then a second of silence: ten a second and no more. */
    ck_assert(iometer_spec_add(&spec, "512,100,100,0,1000,10,0,0", NULL));
    result = run(&spec, 1, 0);
    ck_assert_double_le(iometer_iops(&result), 10.1);
    ck_assert_double_ge(iometer_iops(&result), 9.5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("iometer");
    TCase *draws = tcase_create("draws"), *runs = tcase_create("runs");

    tcase_set_timeout(draws, 60);
    tcase_set_timeout(runs, 60);
    tcase_add_test(
        draws, lines_of_a_mix_may_read_and_seek_each_in_its_own_way);
    tcase_add_loop_test(draws,
                        sizes_come_in_the_published_shares_each_with_its_reads,
                        0, 8);
    tcase_add_test(draws,
                   a_fifth_of_workstation_follows_the_request_issued_before);
    tcase_add_test(draws, sequential_goes_on_and_begins_again_at_the_end);
    tcase_add_test(draws, a_random_byte_moves_up_to_a_sector_or_to_the_start);
    tcase_add_test(draws, a_random_byte_moves_up_and_not_down);
    tcase_add_test(draws, an_alignment_of_ones_own_holds);
    tcase_add_test(draws, wrong_words_are_refused);
    tcase_add_loop_test(runs, so_many_requests_are_outstanding_all_the_time, 0,
                        3);
    tcase_add_test(runs, a_delay_comes_after_each_burst);
    suite_add_tcase(suite, draws);
    suite_add_tcase(suite, runs);
    return unit_run(suite);
}
