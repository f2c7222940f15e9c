/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement - what a review says of its figures, in a form that can be
 * judged by running both sides.
 *
 * A row's columns give the points at which it is meant: controllers, cache
 * modes, arrays, patterns, depths, and for sweeps shares of writes or sizes.
 * Its form is a sentence of clauses, joined by "; ", "and" and commas.  A
 * clause compares two expressions (> < >= <= = != >> << "= about"
 * "<= about" "slightly above" "slightly below" "->") or is one of a few
 * phrases; see statement-phrase.c.  It may end with what narrows its
 * points: "at 100% writes", "for writes < 50%", "at QD16", "for QD > 1",
 * "at 64 KiB".  An expression may use numbers (26% is 0.26), + - * /, and
 *
 *   iops(X) mbs(X) str(X) str_begin(X) str_end(X) access(X) rating(X)
 *   max(X) min(X)      over depths, sizes and shares of writes
 *   max E, min E, argmax over write share of E     over all points
 *   drop(10->20)       share lost between two shares of writes
 *   ratio              the first controller's figure over the second's
 *   WB/WT              writing back over writing through
 *   E[write service X] what a write adds to a mixture's time, ms
 *
 * where X is an array (single, raid0x2, raid5 ...), a controller (7410), a
 * mode (wb), a share of writes (70%w), several with commas, or nothing.
 *
 * How a comparison over several points is judged: see statement-judge.c.
 */
#ifndef RAID_SIM_STATEMENT_H
#define RAID_SIM_STATEMENT_H

#include "raid-model/sim/published.h"

typedef struct StatementArray {
    const char *level;
    unsigned members;
} StatementArray;

#define STATEMENT_AS_PATTERN (-1)

typedef struct StatementPoint {
    const PublishedName *controller;
    const char *cache;          /* "wt", "wb", or "" */
    StatementArray array;
    const char *pattern;
    unsigned depth;
    int writes;                 /* percent, or STATEMENT_AS_PATTERN */
    uint32_t kib2;              /* size in half KiB; 0: the pattern's own */
} StatementPoint;

typedef struct Statement {
    Cells *cells;
    const char *unit, *unit_of_value;
    double value;               /* the column; NAN: empty */
    GPtrArray *controllers;     /* const PublishedName * */
    GPtrArray *caches, *patterns;       /* const char *, interned */
    GArray *arrays;             /* StatementArray */
    GArray *depths;             /* unsigned */
    GArray *writes;             /* int */
    GArray *sizes;              /* uint32_t, half KiB */
    bool missing;               /* some figure was not run yet */
    char *failed;               /* some figure cannot be had: why */
} Statement;

/* --- statement-context.c: columns to points ------------------------------ */

/* False: the row's columns are not understood (statement->failed). */
bool statement_init(Statement *statement, const Csv *csv, const CsvRow *row,
                    Cells *cells);
void statement_clear(Statement *statement);

/* "raid0x3", "raid1": false for other words. */
bool statement_array(const char *word, StatementArray *array);
bool statement_is_sequential(const char *pattern);

/* Calls `each` at every point. */
void statement_each(Statement *statement,
                    void (*each)(void *opaque, const StatementPoint *point),
                    void *opaque);

/* --- statement-expr.c: expressions to figures ---------------------------- */

typedef struct Expr Expr;

/* NULL: not an expression.  *end is behind it. */
Expr *expr_parse(const char *text, const char **end);
void expr_free(Expr *expr);
/* NAN when a figure is missing or cannot be had; the statement says which. */
double expr_at(Statement *statement, const Expr *expr,
               const StatementPoint *point);

/* The pattern's own figure: IO/s, or MiB/s if it is sequential. */
double statement_figure(Statement *statement, const StatementPoint *point);

/* --- statement-judge.c, statement-phrase.c: clauses to verdicts ---------- */

/* `seen` gets the figures. */
Verdict statement_judge(Statement *statement, const char *form,
                        GString *seen);
Verdict statement_phrase(Statement *statement, const char *clause,
                         GString *seen);

/* --- statement-fact.c ---------------------------------------------------- */

Verdict statement_fact(const Csv *csv, const CsvRow *row, GString *seen);

#endif
