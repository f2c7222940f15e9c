/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published: the table and its sums, for people and for programs.
 */
#include <math.h>

#include "raid-model/control/json.h"
#include "raid-model/sim/published.h"

static const char *const row_state[] = {
    [ROW_COUNTED] = "counted", [ROW_LEFT_OUT] = "left out",
    [ROW_NOT_MODELLED] = "not modelled", [ROW_MISSING] = "not run",
};

static const char *const verdict[] = {
    [VERDICT_TRUE] = "true", [VERDICT_FALSE] = "false",
    [VERDICT_NOT_TESTABLE] = "not testable",
    [VERDICT_UNKNOWN_FORM] = "unknown form", [VERDICT_MISSING] = "not run",
};

static double error_pct(const PublishedRow *row)
{
    return (row->model / row->measured - 1) * 100;
}

/* --- text ---------------------------------------------------------------- */

static void print_row(const PublishedRow *row, FILE *out)
{
    fprintf(out, "  %-36s", row->what);
    if (isfinite(row->model)) {
        fprintf(out, " %10.2f %10.2f %-5s %+7.1f %%", row->model,
                row->measured, row->unit, error_pct(row));
    } else {
        fprintf(out, " %10s %10.2f %-5s %9s", "-", row->measured, row->unit,
                "");
    }
    if (row->why) {
        fprintf(out, "  %s: %s", row_state[row->state], row->why);
    }
    putc('\n', out);
}

static void print_sum(const PublishedSum *sum, FILE *out)
{
    fprintf(out, "%s:\n", sum->controller ? sum->controller : "All");
    if (sum->cells) {
        fprintf(out, "  %u cells: mean absolute error %.2f %%, worst %+.1f %%,"
                " %u within 5 %%\n", sum->cells, sum->abs_pct / sum->cells,
                sum->worst_pct, sum->within_5);
    }
    if (sum->left_out || sum->not_modelled) {
        fprintf(out, "  %u left out, %u not modelled\n", sum->left_out,
                sum->not_modelled);
    }
    if (sum->statements || sum->not_testable || sum->unknown_form) {
        fprintf(out, "  %u of %u statements true; %u not testable, %u of "
                "unknown form\n", sum->statements_true, sum->statements,
                sum->not_testable, sum->unknown_form);
    }
}

void published_text(const Published *published, FILE *out)
{
    const char *controller = NULL;

    for (guint i = 0; i < published->rows->len; i++) {
        const PublishedRow *row =
            &g_array_index(published->rows, PublishedRow, i);

        if (g_strcmp0(controller, row->controller)) {
            controller = row->controller;
            fprintf(out, "%-38s %10s %10s %15s\n", controller, "model",
                    "measured", "error");
        }
        print_row(row, out);
    }
    for (guint i = 0; i < published->statements->len; i++) {
        const PublishedStatement *statement =
            &g_array_index(published->statements, PublishedStatement, i);

        fprintf(out, "%-6s %-12s %s\n       %s\n", statement->id,
                verdict[statement->verdict], statement->form,
                statement->why ? statement->why : "");
    }
    putc('\n', out);
    for (guint i = 0; i < published->sums->len; i++) {
        print_sum(&g_array_index(published->sums, PublishedSum, i), out);
    }
}

/* --- JSON ---------------------------------------------------------------- */

static void put_row(Json *json, const PublishedRow *row)
{
    json_object(json, NULL);
    json_string(json, "controller", row->controller);
    json_string(json, "what", row->what);
    json_number(json, "measured", row->measured);
    if (isfinite(row->model)) {
        json_number(json, "model", row->model);
        json_number(json, "error_pct", error_pct(row));
    }
    json_string(json, "unit", row->unit);
    json_string(json, "state", row_state[row->state]);
    if (row->why) {
        json_string(json, "why", row->why);
    }
    json_close_object(json);
}

static void put_statement(Json *json, const PublishedStatement *statement)
{
    json_object(json, NULL);
    json_string(json, "id", statement->id);
    json_string(json, "controller", statement->controller);
    json_string(json, "form", statement->form);
    json_string(json, "verdict", verdict[statement->verdict]);
    json_string(json, "why", statement->why ? statement->why : "");
    json_close_object(json);
}

static void put_sum(Json *json, const char *key, const PublishedSum *sum)
{
    json_object(json, key);
    json_integer(json, "left_out", sum->left_out);
    json_integer(json, "not_modelled", sum->not_modelled);
    json_integer(json, "not_testable", sum->not_testable);
    json_integer(json, "unknown_form", sum->unknown_form);
    json_integer(json, "cells", sum->cells);
    json_number(json, "mean_abs_pct",
                sum->cells ? sum->abs_pct / sum->cells : 0);
    json_number(json, "worst_pct", fabs(sum->worst_pct));
    json_integer(json, "within_5_pct", sum->within_5);
    json_integer(json, "statements_true", sum->statements_true);
    json_integer(json, "statements", sum->statements);
    json_close_object(json);
}

void published_json(const Published *published, FILE *out)
{
    const PublishedSum *sum = (PublishedSum *)(void *)published->sums->data;
    guint last = published->sums->len - 1;
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_list(&json, "rows");
    for (guint i = 0; i < published->rows->len; i++) {
        put_row(&json, &g_array_index(published->rows, PublishedRow, i));
    }
    json_close_list(&json);
    json_list(&json, "statements");
    for (guint i = 0; i < published->statements->len; i++) {
        put_statement(&json, &g_array_index(published->statements,
                                            PublishedStatement, i));
    }
    json_close_list(&json);
    json_object(&json, "boards");
    for (guint i = 0; i < last; i++) {
        put_sum(&json, sum[i].controller, &sum[i]);
    }
    json_close_object(&json);
    put_sum(&json, "summary", &sum[last]);
    text = json_end(&json);
    fputs(text, out);
}
