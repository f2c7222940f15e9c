/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement: clauses that are phrases, not comparisons.
 *
 * Most of them speak of a curve: figures along one axis (share of writes,
 * depth, size) with the rest held.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "raid-model/sim/statement.h"

#define CURVE_MAX 64

typedef enum Axis {
    AXIS_WRITES, AXIS_DEPTHS, AXIS_SIZES, AXIS_ARRAYS, AXIS_CACHES
} Axis;

typedef struct Curve {
    double x[CURVE_MAX], y[CURVE_MAX];
    unsigned count;
    double least, most, mean;
} Curve;

typedef struct Phrase Phrase;

/* What a phrase says of one curve; `word`: what its regex caught. */
typedef bool CurveTest(Statement *statement, const StatementPoint *base,
                       const Curve *curve, char **word);

struct Phrase {
    const char *regex;
    Axis axis;
    CurveTest *test;
    bool whole;                 /* every point of the curve must be there */
};

static Verdict verdict(bool holds)
{
    return holds ? VERDICT_TRUE : VERDICT_FALSE;
}

static unsigned axis_length(const Statement *statement, Axis axis)
{
    switch (axis) {
    case AXIS_WRITES:
        return statement->writes->len;
    case AXIS_DEPTHS:
        return statement->depths->len;
    case AXIS_SIZES:
        return statement->sizes->len;
    case AXIS_ARRAYS:
        return statement->arrays->len;
    default:
        return statement->caches->len;
    }
}

/* Moves the point to the i-th place of an axis; returns its coordinate. */
static double axis_set(const Statement *statement, Axis axis, unsigned i,
                       StatementPoint *point)
{
    switch (axis) {
    case AXIS_WRITES:
        return point->writes = g_array_index(statement->writes, int, i);
    case AXIS_DEPTHS:
        return point->depth = g_array_index(statement->depths, unsigned, i);
    case AXIS_SIZES:
        return point->kib2 = g_array_index(statement->sizes, uint32_t, i);
    case AXIS_ARRAYS:
        point->array = g_array_index(statement->arrays, StatementArray, i);
        return i;
    default:
        point->cache = statement->caches->pdata[i];
        return i;
    }
}

static bool at_start(const Statement *statement, Axis axis,
                     const StatementPoint *point)
{
    StatementPoint first = *point;

    axis_set(statement, axis, 0, &first);
    return first.writes == point->writes && first.depth == point->depth &&
           first.kib2 == point->kib2 && first.cache == point->cache &&
           first.array.level == point->array.level &&
           first.array.members == point->array.members;
}

static Curve curve_at(Statement *statement, Axis axis,
                      const StatementPoint *base, const Expr *expr)
{
    unsigned length = MIN(axis_length(statement, axis), CURVE_MAX);
    Curve curve = { .least = INFINITY };

    for (unsigned i = 0; i < length; i++) {
        StatementPoint point = *base;
        double x = axis_set(statement, axis, i, &point);
        double y = expr ? expr_at(statement, expr, &point)
                        : statement_figure(statement, &point);

        if (isfinite(y)) {
            curve.x[curve.count] = x;
            curve.y[curve.count++] = y;
            curve.least = MIN(curve.least, y);
            curve.most = MAX(curve.most, y);
            curve.mean += y;
        }
    }
    curve.mean /= MAX(curve.count, 1);
    return curve;
}

/* --- what is said of one curve ------------------------------------------- */

/* The sign of the straight line through it. */
static bool slopes(Statement *statement, const StatementPoint *base,
                   const Curve *curve, char **word)
{
    double middle = 0, slope = 0;

    (void)statement;
    (void)base;
    for (unsigned i = 0; i < curve->count; i++) {
        middle += curve->x[i] / curve->count;
    }
    for (unsigned i = 0; i < curve->count; i++) {
        slope += (curve->x[i] - middle) * (curve->y[i] - curve->mean);
    }
    return *word[2] == '>' ? slope > 0 : slope < 0;
}

static bool bends(double before, double here, double after, double mean)
{
    return fabs(after - 2 * here + before) > mean / 10;
}

/*
 * Nowhere do two steps differ by a tenth of the mean, both in the rate and
 * in the time of one request.  A mixture of two costs bends in the rate
 * alone: its time is a straight line.
 */
static bool no_knee(Statement *statement, const StatementPoint *base,
                    const Curve *curve, char **word)
{
    double time = 0;

    (void)statement;
    (void)base;
    (void)word;
    for (unsigned i = 0; i < curve->count; i++) {
        time += 1 / curve->y[i] / curve->count;
    }
    for (unsigned i = 2; i < curve->count; i++) {
        const double *y = &curve->y[i];

        if (bends(y[-2], y[-1], y[0], curve->mean) &&
            bends(1 / y[-2], 1 / y[-1], 1 / y[0], time)) {
            return false;
        }
    }
    return true;
}

/* Nowhere down by more than 2 %, and up on the whole. */
static bool increases(Statement *statement, const StatementPoint *base,
                      const Curve *curve, char **word)
{
    (void)statement;
    (void)base;
    (void)word;
    for (unsigned i = 1; i < curve->count; i++) {
        if (curve->y[i] < curve->y[i - 1] * 0.98) {
            return false;
        }
    }
    return curve->count > 1 && curve->y[curve->count - 1] > curve->y[0];
}

static bool nearly_flat(Statement *statement, const StatementPoint *base,
                        const Curve *curve, char **word)
{
    double least = INFINITY, most = 0;

    (void)statement;
    (void)base;
    (void)word;
    for (unsigned i = 0; i < curve->count; i++) {
        if (curve->x[i] >= 4) {
            least = MIN(least, curve->y[i]);
            most = MAX(most, curve->y[i]);
        }
    }
    return most <= least * 1.15;
}

/* One drive's times their number is not reached. */
static bool below_linear(Statement *statement, const StatementPoint *base,
                         const Curve *curve, char **word)
{
    StatementPoint one = *base;
    Curve single;

    (void)word;
    one.array = (StatementArray) { "single", 1 };
    single = curve_at(statement, AXIS_DEPTHS, &one, NULL);
    return curve->mean < single.mean * base->array.members;
}

/* Scales to 80 % of the ideal with all writes, below 60 % without. */
static bool scales_with_writes(Statement *statement,
                               const StatementPoint *base,
                               const Curve *curve, char **word)
{
    StatementPoint one = *base;
    double ideal = base->array.members;
    unsigned last = curve->count - 1;
    Curve single;

    (void)word;
    one.array = (StatementArray) { "single", 1 };
    single = curve_at(statement, AXIS_WRITES, &one, NULL);
    return single.count == curve->count &&
           curve->y[last] >= 0.8 * ideal * single.y[last] &&
           curve->y[0] < 0.6 * ideal * single.y[0];
}

static bool spread_small(Statement *statement, const StatementPoint *base,
                         const Curve *curve, char **word)
{
    (void)statement;
    (void)base;
    return curve->most / curve->least <= g_ascii_strtod(word[1], NULL) * 1.05;
}

/* Places in the order of figures, ties of 3 % standing together. */
static bool same_order(Statement *statement, const StatementPoint *base,
                       const Curve *curve, char **word)
{
    StatementPoint point = *base;
    Curve other;

    point.depth = CLAMP(atoi(word[1]), 1, 1024);
    other = curve_at(statement, AXIS_ARRAYS, &point, NULL);
    for (unsigned i = 0; i < curve->count; i++) {
        for (unsigned j = 0; j < i && other.count == curve->count; j++) {
            double here = curve->y[i] / curve->y[j] - 1;
            double there = other.y[i] / other.y[j] - 1;

            if (here * there < 0 && fabs(here) > 0.03 && fabs(there) > 0.03) {
                return false;
            }
        }
    }
    return true;
}

static bool declines(Statement *statement, const StatementPoint *base,
                     const Curve *curve, char **word)
{
    char *less[] = { word[0], word[1], (char *)"<", NULL };

    return slopes(statement, base, curve, less);
}

/* Within a quarter between its extremes. */
static bool constant(Statement *statement, const StatementPoint *base,
                     const Curve *curve, char **word)
{
    (void)statement;
    (void)base;
    (void)word;
    return curve->most <= curve->least * 1.25;
}

static bool differ_at(Statement *statement, const StatementPoint *base,
                      const Curve *curve, char **word)
{
    double wanted = g_ascii_strtod(word[1], NULL);
    unsigned differ = 0;
    Curve other;
    StatementPoint point = *base;

    if (statement->arrays->len < 2) {
        return false;
    }
    axis_set(statement, AXIS_ARRAYS, 1, &point);
    other = curve_at(statement, AXIS_WRITES, &point, NULL);
    for (unsigned i = 0; i < MIN(curve->count, other.count); i++) {
        differ += fabs(curve->y[i] / other.y[i] - 1) > 0.03;
    }
    return fabs(differ - wanted) <= 1;
}

/* Signs up to a depth are of one kind, beyond it of the other. */
static bool sign_changes(Statement *statement, const StatementPoint *base,
                         const Curve *curve, char **word)
{
    double last = g_ascii_strtod(word[2], NULL), low = 0, high = 0;

    (void)statement;
    (void)base;
    for (unsigned i = 0; i < curve->count; i++) {
        *(curve->x[i] <= last ? &low : &high) += curve->y[i];
    }
    return low * high < 0;
}

/* Where an array first reaches 95 % of its most. */
static double saturates(const Curve *curve)
{
    for (unsigned i = 0; i < curve->count; i++) {
        if (curve->y[i] >= curve->most * 0.95) {
            return curve->x[i];
        }
    }
    return 0;
}

static bool saturates_later(Statement *statement, const StatementPoint *base,
                            const Curve *curve, char **word)
{
    static const StatementArray more[] = {
        { "raid0", 2 }, { "raid0", 3 }, { "raid0", 4 },
    };
    StatementPoint point = *base;
    double before, first;
    Curve own;

    (void)word;
    (void)curve;
    point.array = (StatementArray) { "single", 1 };
    own = curve_at(statement, AXIS_SIZES, &point, NULL);
    first = before = saturates(&own);
    for (unsigned i = 0; i < G_N_ELEMENTS(more); i++) {
        double size;

        point.array = more[i];
        own = curve_at(statement, AXIS_SIZES, &point, NULL);
        size = saturates(&own);
        if (size < before) {
            return false;
        }
        before = size;
    }
    return before > first;
}

static const Phrase phrase[] = {
    { "^d (iops|mbs)/d writes ([<>]) 0$", AXIS_WRITES, slopes, false },
    { "^d (iops|mbs)/d (?:QD|depth) ([<>]) 0$", AXIS_DEPTHS, slopes, false },
    { "^d (iops|mbs)/d (?:block )?size ([<>]) 0$", AXIS_SIZES, slopes, false },
    { "^no knee$", AXIS_WRITES, no_knee, false },
    { "^(?:iops|mbs) increasing in block size$", AXIS_SIZES, increases,
      false },
    { "^(?:iops|mbs) increasing in (?:queue depth|depth|QD)$", AXIS_DEPTHS,
      increases, false },
    { "^(?:iops|mbs) increasing in (?:write share|writes)$", AXIS_WRITES,
      increases, false },
    { "^(?:iops|mbs) nearly flat beyond small QD$", AXIS_DEPTHS, nearly_flat,
      false },
    { "^below linear scaling$", AXIS_DEPTHS, below_linear, false },
    { "^iops\\(raid0xn\\) proportional to n at high write share only$",
      AXIS_WRITES, scales_with_writes, false },
    { "^spread of random-read iops over arrays small \\(max/min about "
      "([0-9.]+)\\)$", AXIS_ARRAYS, spread_small, false },
    { "^rank order unchanged from QD([0-9]+)$", AXIS_ARRAYS, same_order,
      false },
    { "^(.*) declines with write share$", AXIS_WRITES, declines, true },
    { "^(.*) constant over write share$", AXIS_WRITES, constant, true },
    { "^number of write shares where they differ = ([0-9]+)$", AXIS_WRITES,
      differ_at, false },
    { "^sign\\((.*)\\) changes after QD([0-9]+)$", AXIS_DEPTHS, sign_changes,
      true },
    { "^saturating size grows with drive count$", AXIS_SIZES, saturates_later,
      false },
};

typedef struct Run {
    Statement *statement;
    const Phrase *phrase;
    char **word;
    Expr *expr;
    GString *seen;
    unsigned curves, held;
} Run;

static void add_curve(void *opaque, const StatementPoint *point)
{
    Run *run = opaque;
    Curve curve;
    bool holds;

    if (!at_start(run->statement, run->phrase->axis, point)) {
        return;
    }
    curve = curve_at(run->statement, run->phrase->axis, point, run->expr);
    if (!curve.count) {
        return;
    }
    holds = run->phrase->test(run->statement, point, &curve, run->word);
    run->curves++;
    run->held += holds;
    g_string_append_printf(run->seen, "%s%sx%u depth %u: %.4g to %.4g%s",
                           run->seen->len ? "; " : "", point->array.level,
                           point->array.members, point->depth, curve.y[0],
                           curve.y[curve.count - 1], holds ? "" : " (no)");
}

static Verdict test_curves(Statement *statement, const Phrase *which,
                           char **word, GString *seen)
{
    Run run = { .statement = statement, .phrase = which, .word = word,
                .seen = seen };
    const char *end;

    if (which->whole) {
        run.expr = expr_parse(word[1], &end);
        if (!run.expr || *end) {
            expr_free(run.expr);
            return VERDICT_UNKNOWN_FORM;
        }
    }
    /* Random reads: the arrays' spread is meant at no writes. */
    if (which->test == spread_small) {
        g_array_set_size(statement->writes, 1);
    }
    statement_each(statement, add_curve, &run);
    expr_free(run.expr);
    return run.curves ? verdict(run.held == run.curves) : VERDICT_MISSING;
}

/* --- phrases that compare arrays or modes -------------------------------- */

static char **match(const char *regex_text, const char *clause)
{
    g_autoptr(GRegex) regex = g_regex_new(regex_text, 0, 0, NULL);
    g_autoptr(GMatchInfo) info = NULL;

    return g_regex_match(regex, clause, 0, &info) ? g_match_info_fetch_all(info)
                                                  : NULL;
}

/* "mbs(raid0x4) is the largest": of the same figure for every array. */
static Verdict is_extreme(Statement *statement, char **word, GString *seen)
{
    static const char *const every[] = {
        "single", "raid0x2", "raid0x3", "raid0x4", "raid1x2", "raid10x4",
        "raid5x3", "raid5x4",
    };
    bool least = !strcmp(word[3], "minimum") || !strcmp(word[3], "smallest");
    g_autofree char *relation = g_strdup(least ? "<" : ">");
    Verdict all = VERDICT_TRUE;

    for (unsigned i = 0; i < G_N_ELEMENTS(every); i++) {
        g_autofree char *pair =
            g_strdup_printf("%s(%s) %s %s(%s)", word[1], word[2], relation,
                            word[1], every[i]);
        Verdict one;

        if (strcmp(every[i], word[2])) {
            one = statement_judge(statement, pair, seen);
            all = one == VERDICT_TRUE ? all : one;
        }
    }
    return all;
}

static Verdict flips(Statement *statement, char **word, GString *seen)
{
    static const char *const cache[] = { "wt", "wb" };
    StatementPoint point = {
        .controller = statement->controllers->pdata[0],
        .array = g_array_index(statement->arrays, StatementArray, 0),
        .pattern = statement->patterns->pdata[0], .depth = 1,
        .writes = STATEMENT_AS_PATTERN,
    };
    const char *end;
    Expr *left = expr_parse(word[1], &end), *right = expr_parse(word[2], &end);
    double q[2] = { 0 };

    for (unsigned i = 0; left && right && i < 2; i++) {
        point.cache = cache[i];
        q[i] = expr_at(statement, left, &point) /
               expr_at(statement, right, &point) - 1;
        g_string_append_printf(seen, "%s: quotient %.3f; ", cache[i],
                               q[i] + 1);
    }
    expr_free(left);
    expr_free(right);
    return verdict(q[0] * q[1] < 0);
}

typedef struct Diagonal {
    Statement *statement;
    double sum[2];
    unsigned count[2];
} Diagonal;

/* Below the line from (no writes, first depth) to (all writes, last). */
static void add_side(void *opaque, const StatementPoint *point)
{
    Diagonal *diagonal = opaque;
    const GArray *depths = diagonal->statement->depths;
    double last = log(g_array_index(depths, unsigned, depths->len - 1));
    double height = last > 0 ? log(point->depth) / last : 0;
    double across = point->writes / 100.0;
    StatementPoint wb = *point, wt = *point;
    double q;
    bool above = height > across;

    wb.cache = "wb";
    wt.cache = "wt";
    q = statement_figure(diagonal->statement, &wb) /
        statement_figure(diagonal->statement, &wt);
    if (isfinite(q) && height != across) {
        diagonal->sum[above] += q;
        diagonal->count[above]++;
    }
}

static Verdict diagonal(Statement *statement, GString *seen)
{
    Diagonal sides = { .statement = statement };
    double below, above;

    statement_each(statement, add_side, &sides);
    if (!sides.count[0] || !sides.count[1]) {
        return VERDICT_MISSING;
    }
    below = sides.sum[0] / sides.count[0];
    above = sides.sum[1] / sides.count[1];
    g_string_append_printf(seen, "mean quotient %.3f below, %.3f above",
                           below, above);
    return verdict(below > 1 && below > above);
}

/* All arrays of the row within 5 %. */
static Verdict access_equal(Statement *statement, GString *seen)
{
    const char *end;
    Expr *access = expr_parse("access()", &end);
    StatementPoint point = {
        .controller = statement->controllers->pdata[0], .cache = "",
        .pattern = "", .depth = 1, .writes = STATEMENT_AS_PATTERN,
    };
    Curve curve = curve_at(statement, AXIS_ARRAYS, &point, access);

    expr_free(access);
    g_string_append_printf(seen, "; access %.2f to %.2f ms", curve.least,
                           curve.most);
    return curve.count ? verdict(curve.most <= curve.least * 1.05)
                       : VERDICT_MISSING;
}

static Verdict winbench_rate(Statement *statement, char **word, GString *seen)
{
    g_autofree char *form = g_strdup_printf("str(%s) %s", word[1], word[2]);

    return statement_judge(statement, form, seen);
}

Verdict statement_phrase(Statement *statement, const char *clause,
                         GString *seen)
{
    g_auto(GStrv) extreme =
        match("^(\\w+)\\(([^)]*)\\) is the (largest|maximum|minimum|smallest)"
              "$", clause);
    g_auto(GStrv) order =
        match("^order of ([^,]*), ([^,]*) flips$", clause);
    g_auto(GStrv) rate =
        match("^winbench (\\w+) sequential read (.*)$", clause);

    if (extreme) {
        return is_extreme(statement, extreme, seen);
    }
    if (order) {
        return flips(statement, order, seen);
    }
    if (rate) {
        return winbench_rate(statement, rate, seen);
    }
    if (!strcmp(clause, "sign of WB/WT - 1 splits along that diagonal")) {
        return diagonal(statement, seen);
    }
    if (!strcmp(clause, "access about equal")) {
        return access_equal(statement, seen);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(phrase); i++) {
        g_auto(GStrv) word = match(phrase[i].regex, clause);

        if (word) {
            return test_curves(statement, &phrase[i], word, seen);
        }
    }
    return VERDICT_UNKNOWN_FORM;
}
