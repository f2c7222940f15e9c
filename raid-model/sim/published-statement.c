/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published: one statement of a review.  What nobody could test is sorted
 * out first, then facts, then what runs decide.
 */
#include <string.h>

#include "raid-model/sim/statement.h"

static const struct {
    const char *column, *words, *why;
} hopeless[] = {
    { "pattern", "_cpu", "a computer's own load is not modelled" },
    { "pattern", "winbench_diskmark",
      "replays applications through a file system: not modelled" },
    { "testable_form", "exclude", "the source asks not to weigh it" },
    { "kind", "caveat", "a remark, not a figure" },
    { "testable_form", "rating = ", "a definition" },
    { "statement", "file system", "no file system is modelled" },
};

/*
 * "exclude A-vs-B comparisons in MODE": what a caveat row asks.  Rows that
 * compare the two in that mode get no weight.
 */
static bool excluded(const Csv *csv, const CsvRow *row)
{
    const char *form = csv_word(csv, row, "testable_form");
    g_autoptr(GRegex) caveat =
        g_regex_new("^exclude (\\w+)-vs-(\\w+) comparisons in (\\w+)$", 0, 0,
                    NULL);

    for (unsigned i = 0; i < csv->rows; i++) {
        g_autoptr(GMatchInfo) match = NULL;
        g_auto(GStrv) word = NULL;

        if (g_regex_match(caveat, csv_word(csv, &csv->row[i],
                                           "testable_form"), 0, &match)) {
            word = g_match_info_fetch_all(match);
            if (strstr(form, word[1]) && strstr(form, word[2]) &&
                strstr(csv_word(csv, row, "mode"), word[3])) {
                return true;
            }
        }
    }
    return false;
}

static const char *why_hopeless(const Csv *csv, const CsvRow *row)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(hopeless); i++) {
        if (strstr(csv_word(csv, row, hopeless[i].column),
                   hopeless[i].words)) {
            return hopeless[i].why;
        }
    }
    return excluded(csv, row)
        ? "the source allows that one array was tested twice" : NULL;
}

static Verdict judge(const Csv *csv, const CsvRow *row, Cells *cells,
                     const char *form, GString *seen)
{
    Statement statement;
    Verdict verdict = VERDICT_NOT_TESTABLE;

    if (statement_init(&statement, csv, row, cells)) {
        verdict = statement_judge(&statement, form, seen);
    }
    if (statement.missing) {
        verdict = VERDICT_MISSING;
        g_string_assign(seen, "not run");
    } else if (statement.failed) {
        verdict = VERDICT_NOT_TESTABLE;
        g_string_assign(seen, statement.failed);
    } else if (verdict == VERDICT_UNKNOWN_FORM) {
        g_string_assign(seen, "not understood");
    } else if (verdict == VERDICT_MISSING) {
        verdict = VERDICT_NOT_TESTABLE;
        g_string_assign(seen, "no figure to judge by");
    }
    statement_clear(&statement);
    return verdict;
}

void published_statement(const Csv *csv, const CsvRow *from, Cells *cells,
                         PublishedStatement *statement)
{
    const char *form = csv_word(csv, from, "testable_form");
    const char *why = why_hopeless(csv, from);
    GString *seen = g_string_new(why);

    statement->id = csv_word(csv, from, "id");
    statement->controller = csv_word(csv, from, "controller");
    statement->form = *form ? form : csv_word(csv, from, "statement");
    if (why) {
        statement->verdict = VERDICT_NOT_TESTABLE;
    } else if (!strcmp(csv_word(csv, from, "kind"), "config")) {
        statement->verdict = statement_fact(csv, from, seen);
    } else if (!*form) {
        statement->verdict = VERDICT_NOT_TESTABLE;
        g_string_assign(seen, "an opinion: no form that can be tested");
    } else {
        statement->verdict = judge(csv, from, cells, form, seen);
    }
    g_free(statement->why);
    statement->why = g_string_free(seen, FALSE);
}
