/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published: a whole table, and its sums.
 */
#include <math.h>
#include <string.h>

#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/published.h"

#define ROW(published, i) (&g_array_index((published)->rows, PublishedRow, i))
#define STATEMENT(published, i) \
    (&g_array_index((published)->statements, PublishedStatement, i))

static bool is_statements(const Csv *csv)
{
    return csv_has(csv, "testable_form");
}

static bool known_kind(const Csv *csv, GError **error)
{
    static const char *const figures[][3] = {
        { "pattern", "queue_depth", "drives" },
        { "phase", "kernel", "drives" },
        { "workload", "metric", "drives" },
    };

    if (is_statements(csv) && csv_has(csv, "id") && csv_has(csv, "kind") &&
        csv_has(csv, "arrays")) {
        return true;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(figures); i++) {
        if (csv_has(csv, "controller") && csv_has(csv, "level") &&
            csv_has(csv, "value") && csv_has(csv, "unit") &&
            csv_has(csv, figures[i][0]) && csv_has(csv, figures[i][1]) &&
            csv_has(csv, figures[i][2])) {
            return true;
        }
    }
    return number_error(error, "%s:1: not the columns of a table of "
                        "measurements; right would be controller,level,"
                        "drives,pattern,load,queue_depth,value,unit or the "
                        "others of tests/published", csv->path);
}

static bool holds(const CsvRow *row, const char *only)
{
    g_autofree char *all = NULL;

    if (!only) {
        return true;
    }
    all = g_strjoinv(" ", row->word);
    return strstr(all, only) != NULL;
}

/* Fills every row from what has run; the rest is noted in `cells`. */
static bool fill(Published *published, Cells *cells, const char *only,
                 GError **error)
{
    const Csv *csv = published->csv;
    unsigned kept = 0;

    for (unsigned i = 0; i < csv->rows; i++) {
        const CsvRow *from = &csv->row[i];

        if (!holds(from, only)) {
            continue;
        }
        if (is_statements(csv)) {
            g_array_set_size(published->statements,
                             MAX(published->statements->len, kept + 1));
            published_statement(csv, from, cells,
                                STATEMENT(published, kept++));
        } else {
            g_array_set_size(published->rows,
                             MAX(published->rows->len, kept + 1));
            if (!published_row(csv, from, cells, ROW(published, kept++),
                               error)) {
                return false;
            }
        }
    }
    return true;
}

/* --- sums ---------------------------------------------------------------- */

static void add_row(PublishedSum *sum, const PublishedRow *row)
{
    double pct = (row->model / row->measured - 1) * 100;

    sum->left_out += row->state == ROW_LEFT_OUT;
    sum->not_modelled += row->state == ROW_NOT_MODELLED;
    if (row->state != ROW_COUNTED) {
        return;
    }
    sum->cells++;
    sum->abs_pct += fabs(pct);
    sum->within_5 += fabs(pct) <= 5;
    if (fabs(pct) > fabs(sum->worst_pct)) {
        sum->worst_pct = pct;
    }
}

static void add_statement(PublishedSum *sum,
                          const PublishedStatement *statement)
{
    sum->statements_true += statement->verdict == VERDICT_TRUE;
    sum->statements += statement->verdict == VERDICT_TRUE ||
                       statement->verdict == VERDICT_FALSE;
    sum->not_testable += statement->verdict == VERDICT_NOT_TESTABLE;
    sum->unknown_form += statement->verdict == VERDICT_UNKNOWN_FORM;
}

static PublishedSum *sum_of(Published *published, const char *controller)
{
    PublishedSum sum = { .controller = controller };

    for (guint i = 0; i < published->sums->len; i++) {
        PublishedSum *old = &g_array_index(published->sums, PublishedSum, i);

        if (!g_strcmp0(old->controller, controller)) {
            return old;
        }
    }
    g_array_append_val(published->sums, sum);
    return &g_array_index(published->sums, PublishedSum,
                          published->sums->len - 1);
}

static void add_up(Published *published)
{
    for (guint i = 0; i < published->rows->len; i++) {
        const PublishedRow *row = ROW(published, i);

        add_row(sum_of(published, row->controller), row);
    }
    for (guint i = 0; i < published->statements->len; i++) {
        const PublishedStatement *statement = STATEMENT(published, i);

        add_statement(sum_of(published, statement->controller), statement);
    }
    for (guint i = 0; i < published->rows->len; i++) {
        add_row(sum_of(published, NULL), ROW(published, i));
    }
    for (guint i = 0; i < published->statements->len; i++) {
        add_statement(sum_of(published, NULL), STATEMENT(published, i));
    }
    sum_of(published, NULL);
}

/* --- life ---------------------------------------------------------------- */

static void clear_row(void *data)
{
    PublishedRow *row = data;

    g_free(row->what);
    g_free(row->why);
}

static void clear_statement(void *data)
{
    g_free(((PublishedStatement *)data)->why);
}

Published *published_run(Csv *csv, Cells *cells, const char *only,
                         GError **error)
{
    Published *published = g_new0(Published, 1);
    bool good;

    published->csv = csv;
    published->rows = g_array_new(FALSE, TRUE, sizeof(PublishedRow));
    published->statements =
        g_array_new(FALSE, TRUE, sizeof(PublishedStatement));
    published->sums = g_array_new(FALSE, TRUE, sizeof(PublishedSum));
    g_array_set_clear_func(published->rows, clear_row);
    g_array_set_clear_func(published->statements, clear_statement);

    good = known_kind(csv, error) && fill(published, cells, only, error);
    while (good && cells_missing(cells)) {
        unsigned missing = cells_missing(cells);

        cells_run(cells);
        good = fill(published, cells, only, error);
        if (progress_interrupted() || cells_missing(cells) == missing) {
            break;
        }
    }
    if (!good) {
        published_free(published);
        return NULL;
    }
    add_up(published);
    return published;
}

void published_free(Published *published)
{
    csv_free(published->csv);
    g_array_unref(published->rows);
    g_array_unref(published->statements);
    g_array_unref(published->sums);
    g_free(published);
}
