/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: bonnie and dd are measured as the programs measure themselves.
 * Method: small sizes on real presets; times that can be computed by hand,
 * and results compared with each other.
 */
#include <string.h>

#include "raid-model/sim/bonnie.h"
#include "raid-model/sim/dd.h"
#include "tests/lib/unit.h"

#define MIB (UINT64_C(1) << 20)

static BonnieAsk small_bonnie(void)
{
    BonnieAsk ask = { BONNIE_DEFAULTS };

    ask.size_bytes = 192 * MIB;
    ask.runs = 1;
    ask.computer.memory_bytes = 64 * MIB;
    ask.computer.level = "single";
    ask.computer.members = 1;
    return ask;
}

static BonnieResult bonnie(const BonnieAsk *ask)
{
    BonnieResult result;

    ck_assert(bonnie_run(ask, &result, NULL));
    ck_assert_int_eq(result.error, UNIT_OK);
    ck_assert_uint_eq(result.phases, BONNIE_PHASES);
    return result;
}

START_TEST(figures_are_work_over_time)
{
    BonnieAsk ask = small_bonnie();
    BonnieResult result = bonnie(&ask);

    for (unsigned i = 0; i < BONNIE_PHASES; i++) {
        double work = i == BONNIE_SEEKS ? 8192 : 192 * 1024;

        ck_assert_double_eq_tol(result.value[i] * result.took_s[i], work,
                                work * 1e-9);
    }
    /* Both ways through the cable takes longer than one. */
    ck_assert_double_lt(result.value[BONNIE_REWRITE],
                        result.value[BONNIE_BLOCK_READ]);
    ck_assert_double_lt(result.value[BONNIE_REWRITE],
                        result.value[BONNIE_BLOCK_WRITE]);
}
END_TEST

START_TEST(one_seed_gives_the_same_run_again)
{
    BonnieAsk ask = small_bonnie();
    BonnieResult first = bonnie(&ask), second = bonnie(&ask), other;

    ck_assert_mem_eq(first.took_s, second.took_s, sizeof(first.took_s));
    ask.computer.seed = 2;
    other = bonnie(&ask);
    ck_assert_double_ne(first.took_s[BONNIE_SEEKS],
                        other.took_s[BONNIE_SEEKS]);
    for (unsigned i = 0; i < BONNIE_PHASES; i++) {
        ck_assert_double_eq_tol(other.value[i], first.value[i],
                                first.value[i] * 0.05);
    }
}
END_TEST

START_TEST(a_figure_is_the_mean_of_the_runs)
{
    BonnieAsk ask = small_bonnie();
    BonnieResult result;
    double sum = 0;

    for (unsigned i = 0; i < 3; i++) {
        ask.computer.seed = 7 + i * UINT64_C(0x9e3779b97f4a7c15);
        sum += bonnie(&ask).value[BONNIE_SEEKS];
    }
    ask.computer.seed = 7;
    ask.runs = 3;
    result = bonnie(&ask);
    ck_assert_double_eq_tol(result.value[BONNIE_SEEKS], sum / 3, 1e-6);
}
END_TEST

/* What cannot be dirty at the end has been written: 40 % of memory can. */
START_TEST(more_memory_takes_a_bigger_share_of_a_write)
{
    BonnieAsk ask = small_bonnie();
    double paid = 192 - 0.4 * 64, less, more;

    less = bonnie(&ask).took_s[BONNIE_BLOCK_WRITE];
    ask.computer.memory_bytes = 96 * MIB;
    more = bonnie(&ask).took_s[BONNIE_BLOCK_WRITE];
    ck_assert_double_eq_tol(more / less, (192 - 0.4 * 96) / paid, 0.02);
}
END_TEST

START_TEST(a_larger_window_reads_no_slower)
{
    BonnieAsk ask = small_bonnie();
    double last = 0;

    ask.computer.level = "raid0";
    ask.computer.members = 4;
    for (unsigned sectors = 128; sectors <= 2048; sectors *= 4) {
        double value;

        ask.computer.read_ahead_sectors = sectors;
        value = bonnie(&ask).value[BONNIE_BLOCK_READ];
        ck_assert_double_ge(value, last * 0.95);
        last = value;
    }
}
END_TEST

static DdResult dd(UnitVerb verb, uint64_t count, bool twice_as_dear)
{
    DdAsk ask = { DD_DEFAULTS };
    DdResult result;

    ask.verb = verb;
    ask.count = count;
    ask.computer.level = "single";
    ask.computer.members = 1;
    ask.computer.page_ns *= 1 + twice_as_dear;
    ck_assert(dd_run(&ask, &result, NULL));
    ck_assert_int_eq(result.error, UNIT_OK);
    ck_assert_uint_eq(result.records, count);
    ck_assert_uint_eq(result.bytes, count * MIB);
    return result;
}

/* 100 MiB are 25600 pages; less than 10 % of 1 GiB, so nothing is written. */
START_TEST(a_write_that_fits_in_memory_costs_processor_time_only)
{
    ck_assert_int_eq(dd(UNIT_WRITE, 100, false).took, 25600 * 5700);
    ck_assert_int_eq(dd(UNIT_WRITE, 100, true).took, 25600 * 11400);
}
END_TEST

/* The rim's rate is 50e6 bytes/s; the drive cannot do better. */
START_TEST(a_read_runs_at_no_more_than_the_drive_gives)
{
    double rate = dd_bytes_per_s(&(DdResult) { 0 });

    ck_assert_double_eq(rate, 0);
    for (uint64_t count = 64; count <= 1024; count *= 4) {
        DdResult result = dd(UNIT_READ, count, false);

        ck_assert_double_le(dd_bytes_per_s(&result), 60e6);
        ck_assert_double_ge(dd_bytes_per_s(&result), 5e6);
    }
}
END_TEST

START_TEST(what_cannot_be_is_refused_in_one_line)
{
    BonnieAsk ask = { BONNIE_DEFAULTS };
    BonnieResult result;
    g_autoptr(GError) error = NULL;

    ask.computer.level = "raid1";       /* four members */
    ck_assert(!bonnie_run(&ask, &result, &error));
    ck_assert_ptr_nonnull(error);
    ck_assert_ptr_null(strchr(error->message, '\n'));
    g_clear_error(&error);
    ask = (BonnieAsk) { BONNIE_DEFAULTS };
    ask.size_bytes = MIB << 20;         /* 1 TiB */
    ck_assert(!bonnie_run(&ask, &result, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "do not fit"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bonnie");
    TCase *tcase = tcase_create("bonnie");

    tcase_add_test(tcase, figures_are_work_over_time);
    tcase_add_test(tcase, one_seed_gives_the_same_run_again);
    tcase_add_test(tcase, a_figure_is_the_mean_of_the_runs);
    tcase_add_test(tcase, more_memory_takes_a_bigger_share_of_a_write);
    tcase_add_test(tcase, a_larger_window_reads_no_slower);
    tcase_add_test(tcase,
                   a_write_that_fits_in_memory_costs_processor_time_only);
    tcase_add_test(tcase, a_read_runs_at_no_more_than_the_drive_gives);
    tcase_add_test(tcase, what_cannot_be_is_refused_in_one_line);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
