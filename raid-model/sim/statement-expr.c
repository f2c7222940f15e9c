/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement: expressions, parsed to a tree and computed at a point.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "raid-model/control/controller.h"
#include "raid-model/sim/iometer.h"
#include "raid-model/sim/statement.h"

typedef enum ExprKind {
    EXPR_NUMBER, EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV,
    EXPR_CALL,                  /* word(args) */
    EXPR_WRITE_TIME,            /* E[write service array] */
    EXPR_RATIO, EXPR_WB_WT,
    EXPR_MAX, EXPR_MIN, EXPR_ARGMAX,    /* of left, over all points */
    EXPR_AT_DEPTH,              /* left, at depth `number` */
} ExprKind;

struct Expr {
    ExprKind kind;
    double number;
    char *word;
    char **args;
    Expr *left, *right;
};

void expr_free(Expr *expr)
{
    if (expr) {
        expr_free(expr->left);
        expr_free(expr->right);
        g_strfreev(expr->args);
        g_free(expr->word);
        g_free(expr);
    }
}

/* --- parsing ------------------------------------------------------------- */

static Expr *expr_new(ExprKind kind, Expr *left, Expr *right)
{
    Expr *expr = g_new0(Expr, 1);

    expr->kind = kind;
    expr->left = left;
    expr->right = right;
    return expr;
}

static const char *blank(const char *text)
{
    while (*text == ' ') {
        text++;
    }
    return text;
}

static bool word_is(const char **text, const char *word)
{
    const char *start = blank(*text);
    size_t len = strlen(word);

    if (strncmp(start, word, len) || g_ascii_isalnum(start[len])) {
        return false;
    }
    *text = start + len;
    return true;
}

static Expr *parse_primary(const char **text);

/* "max over cells of E", "min E": what is between is for people. */
static Expr *parse_extreme(const char **text, ExprKind kind)
{
    static const char *const filler[] = {
        "over", "cells", "write", "share", "of", "all",
    };
    Expr *of;

    for (unsigned i = 0; i < G_N_ELEMENTS(filler); i++) {
        if (word_is(text, filler[i])) {
            i = -1;
        }
    }
    of = parse_primary(text);
    return of ? expr_new(kind, of, NULL) : NULL;
}

/* "word(" is behind us up to the bracket. */
static Expr *parse_call(const char **text, char *word)
{
    const char *end = strchr(*text, ')');
    Expr *expr;

    if (!end) {
        g_free(word);
        return NULL;
    }
    expr = expr_new(EXPR_CALL, NULL, NULL);
    expr->word = word;
    if (end > *text) {
        g_autofree char *inside = g_strndup(*text, end - *text);

        expr->args = g_strsplit(inside, ",", -1);
        for (char **arg = expr->args; *arg; arg++) {
            g_strstrip(*arg);
        }
    }
    *text = end + 1;
    return expr;
}

static Expr *parse_write_time(const char **text)
{
    const char *end = strchr(*text, ']');
    const char *array = end ? g_strrstr_len(*text, end - *text, " ") : NULL;
    Expr *expr;

    if (!array) {
        return NULL;
    }
    expr = expr_new(EXPR_WRITE_TIME, NULL, NULL);
    expr->args = g_new0(char *, 2);
    expr->args[0] = g_strndup(array + 1, end - array - 1);
    *text = end + 1;
    return expr;
}

static Expr *parse_number(const char **text)
{
    char *end;
    double number = g_ascii_strtod(*text, &end);
    Expr *expr;

    if (end == *text || !isfinite(number)) {
        return NULL;
    }
    expr = expr_new(EXPR_NUMBER, NULL, NULL);
    expr->number = number;
    if (*end == '%') {
        expr->number /= 100;
        end++;
    }
    *text = end;
    return expr;
}

static Expr *parse_word(const char **text)
{
    size_t len = 0;
    char *word;

    if (word_is(text, "WB/WT")) {
        return expr_new(EXPR_WB_WT, NULL, NULL);
    }
    if (word_is(text, "ratio")) {
        return expr_new(EXPR_RATIO, NULL, NULL);
    }
    if (word_is(text, "argmax")) {
        return parse_extreme(text, EXPR_ARGMAX);
    }
    while (g_ascii_isalnum((*text)[len]) || (*text)[len] == '_') {
        len++;
    }
    if (len && (*text)[len] == '(') {
        word = g_strndup(*text, len);
        *text += len + 1;
        return parse_call(text, word);
    }
    if (word_is(text, "max")) {
        return parse_extreme(text, EXPR_MAX);
    }
    if (word_is(text, "min")) {
        return parse_extreme(text, EXPR_MIN);
    }
    return NULL;
}

static Expr *parse_sum(const char **text);

static Expr *parse_primary(const char **text)
{
    const char *start = *text = blank(*text);
    Expr *expr;

    if (*start == '(') {
        *text = start + 1;
        expr = parse_sum(text);
        *text = blank(*text);
        if (expr && **text == ')') {
            (*text)++;
        } else {
            expr_free(expr);
            expr = NULL;
        }
    } else if (g_str_has_prefix(start, "E[")) {
        *text = start + 2;
        expr = parse_write_time(text);
    } else if (g_ascii_isdigit(*start) || *start == '-') {
        expr = parse_number(text);
    } else {
        expr = parse_word(text);
    }
    start = blank(*text);
    if (expr && g_str_has_prefix(start, "at QD") &&
        g_ascii_isdigit(start[5])) {
        expr = expr_new(EXPR_AT_DEPTH, expr, NULL);
        expr->number = strtoul(start + 5, (char **)text, 10);
    }
    return expr;
}

static Expr *parse_product(const char **text)
{
    Expr *expr = parse_primary(text);

    while (expr) {
        const char *start = blank(*text);
        ExprKind kind = *start == '*' ? EXPR_MUL : EXPR_DIV;
        Expr *right;

        if (*start != '*' && *start != '/') {
            break;
        }
        *text = start + 1;
        right = parse_primary(text);
        if (!right) {
            expr_free(expr);
            return NULL;
        }
        expr = expr_new(kind, expr, right);
    }
    return expr;
}

static Expr *parse_sum(const char **text)
{
    Expr *expr = parse_product(text);

    while (expr) {
        const char *start = blank(*text);
        ExprKind kind = *start == '+' ? EXPR_ADD : EXPR_SUB;
        Expr *right;

        if ((*start != '+' && *start != '-') || start[1] == '>') {
            break;
        }
        *text = start + 1;
        right = parse_product(text);
        if (!right) {
            expr_free(expr);
            return NULL;
        }
        expr = expr_new(kind, expr, right);
    }
    return expr;
}

Expr *expr_parse(const char *text, const char **end)
{
    Expr *expr = parse_sum(&text);

    *end = text;
    return expr;
}

/* --- figures ------------------------------------------------------------- */

static const CellValue *cell_at(Statement *statement,
                                const StatementPoint *point,
                                const char *pattern, bool inner)
{
    g_autofree char *wt = g_strconcat(point->controller->board, "-wt", NULL);
    CellAsk ask = {
        .board = !strcmp(point->cache, "wt") && board_model_find(wt)
            ? wt : point->controller->board,
        .drive = point->controller->drive, .level = point->array.level,
        .members = point->array.members, .pattern = pattern,
        .depth = point->depth, .inner = inner,
    };
    const CellValue *value = cells_get(statement->cells, &ask);

    if (value->state == CELL_MISSING) {
        statement->missing = true;
    } else if (value->state == CELL_FAILED && !statement->failed) {
        statement->failed = g_strdup_printf("%s: %s", ask.board, value->why);
    }
    return value->state == CELL_DONE ? value : NULL;
}

static const CellValue *load_at(Statement *statement,
                                const StatementPoint *point)
{
    g_autofree char *pattern = NULL;

    if (statement_is_sequential(point->pattern) && point->kib2) {
        pattern = g_strdup_printf("%s:%u", point->pattern,
                                  point->kib2 * DISK_SECTOR_BYTES);
    } else if (point->writes >= 0) {
        pattern = g_strdup_printf("%s:%d", point->pattern, point->writes);
    } else {
        pattern = g_strdup(point->pattern);
    }
    return cell_at(statement, point, pattern, false);
}

double statement_figure(Statement *statement, const StatementPoint *point)
{
    const CellValue *value = load_at(statement, point);

    if (!value) {
        return NAN;
    }
    return statement_is_sequential(point->pattern) ? value->mib_per_s
                                                   : value->iops;
}

/* WinBench: 64 KiB read on and on, or 512 bytes anywhere, one at a time. */
static double winbench(Statement *statement, StatementPoint point,
                       const char *word)
{
    bool access = !strcmp(word, "access");
    const CellValue *value;

    point.depth = 1;
    value = cell_at(statement, &point, access ? "random_read:512"
                                              : "sequential_read:64k",
                    !strcmp(word, "str_end"));
    if (!value) {
        return NAN;
    }
    return access ? value->mean_ms : value->mib_per_s * 1.048576;
}

/* X-bit labs' ratings. */
static double rating(Statement *statement, StatementPoint point)
{
    bool weighted = g_str_has_suffix(point.pattern, "workstation");
    unsigned last = weighted ? 32 : 256, count = 0;
    double sum = 0;

    for (point.depth = 1; point.depth <= last; point.depth *= 2) {
        sum += statement_figure(statement, &point) /
               (weighted ? point.depth : 1);
        count++;
    }
    return weighted ? sum : sum / count;
}

/* Over depths, shares of writes and sizes. */
static double extreme(Statement *statement, StatementPoint point, bool least)
{
    double best = NAN;

    for (guint d = 0; d < statement->depths->len; d++) {
        for (guint w = 0; w < statement->writes->len; w++) {
            for (guint s = 0; s < statement->sizes->len; s++) {
                double figure;

                point.depth = g_array_index(statement->depths, unsigned, d);
                point.writes = g_array_index(statement->writes, int, w);
                point.kib2 = g_array_index(statement->sizes, uint32_t, s);
                figure = statement_figure(statement, &point);
                if (isnan(best) || (least ? figure < best : figure > best)) {
                    best = figure;
                }
            }
        }
    }
    return best;
}

/* What is in the brackets moves the point; false: not meant here. */
static bool move_point(StatementPoint *point, char **args, bool *known)
{
    for (char **arg = args; arg && *arg; arg++) {
        const PublishedName *name = published_name(*arg);
        StatementArray array;

        if (name) {
            point->controller = name;
        } else if (statement_array(*arg, &array)) {
            if (strcmp(*arg, point->array.level)) {
                point->array = array;
            }
        } else if (g_str_has_suffix(*arg, "xn")) {
            if (strncmp(*arg, point->array.level, strlen(*arg) - 2)) {
                return false;
            }
        } else if (!strcmp(*arg, "wb") || !strcmp(*arg, "wt")) {
            point->cache = g_intern_string(*arg);
        } else if (g_ascii_isdigit(**arg) && strchr(*arg, '%')) {
            point->writes = CLAMP(atoi(*arg), 0, 100);
        } else {
            *known = false;
            return false;
        }
    }
    return true;
}

static double drop(Statement *statement, StatementPoint point, char **args)
{
    const char *arrow = args && *args ? strstr(*args, "->") : NULL;
    double before;

    if (!arrow) {
        return NAN;
    }
    point.writes = CLAMP(atoi(*args), 0, 100);
    before = statement_figure(statement, &point);
    point.writes = CLAMP(atoi(arrow + 2), 0, 100);
    return 1 - statement_figure(statement, &point) / before;
}

static double call(Statement *statement, const Expr *expr,
                   StatementPoint point)
{
    const char *word = expr->word;
    bool known = true;

    if (!strcmp(word, "drop")) {
        return drop(statement, point, expr->args);
    }
    if (move_point(&point, expr->args, &known)) {
        if (!strcmp(word, "iops") || !strcmp(word, "mbs")) {
            return statement_figure(statement, &point);
        }
        if (!strcmp(word, "rating")) {
            return rating(statement, point);
        }
        if (!strcmp(word, "max") || !strcmp(word, "min")) {
            return extreme(statement, point, !strcmp(word, "min"));
        }
        if (!strcmp(word, "access") || g_str_has_prefix(word, "str")) {
            return winbench(statement, point, word);
        }
        known = false;
    }
    if (!known && !statement->failed) {
        statement->failed = g_strdup_printf("%s(): not known here", word);
    }
    return NAN;
}

/*
 * What each write adds to the time of a mixture, its reads taking what they
 * take alone: a cached write is quick, and paid for by the requests behind.
 */
static double write_time(Statement *statement, const Expr *expr,
                         StatementPoint point)
{
    g_autofree IometerSpec *spec = g_new0(IometerSpec, 1);
    bool known = true;
    double share, mixed;

    if (!iometer_spec_named(spec, point.pattern, NULL) ||
        !move_point(&point, expr->args, &known)) {
        return NAN;
    }
    share = iometer_spec_write_share(spec);
    mixed = 1000 / statement_figure(statement, &point);
    point.writes = 0;
    return (mixed - (1 - share) * 1000 /
            statement_figure(statement, &point)) / share;
}

static double quotient(Statement *statement, StatementPoint over,
                       StatementPoint under)
{
    return statement_figure(statement, &over) /
           statement_figure(statement, &under);
}

/* --- computing ----------------------------------------------------------- */

typedef struct Extreme {
    Statement *statement;
    const Expr *of;
    bool least;
    double best, sum[101];      /* sum: by share of writes */
} Extreme;

static void add_point(void *opaque, const StatementPoint *point)
{
    Extreme *all = opaque;
    double figure = expr_at(all->statement, all->of, point);

    if (isnan(all->best) ||
        (all->least ? figure < all->best : figure > all->best)) {
        all->best = figure;
    }
    if (point->writes >= 0 && isfinite(figure)) {
        all->sum[point->writes] += figure;
    }
}

static double over_all(Statement *statement, const Expr *expr)
{
    Extreme all = { .statement = statement, .of = expr->left, .best = NAN,
                    .least = expr->kind == EXPR_MIN };
    unsigned best = 0;

    statement_each(statement, add_point, &all);
    if (expr->kind != EXPR_ARGMAX) {
        return all.best;
    }
    for (unsigned i = 0; i <= 100; i++) {
        best = all.sum[i] > all.sum[best] ? i : best;
    }
    return best / 100.0;
}

double expr_at(Statement *statement, const Expr *expr,
               const StatementPoint *at)
{
    StatementPoint point = *at, other = *at;
    double left, right;

    switch (expr->kind) {
    case EXPR_NUMBER:
        return expr->number;
    case EXPR_CALL:
        return call(statement, expr, point);
    case EXPR_WRITE_TIME:
        return write_time(statement, expr, point);
    case EXPR_RATIO:
        point.controller = statement->controllers->pdata[0];
        other.controller =
            statement->controllers->pdata[statement->controllers->len - 1];
        return quotient(statement, point, other);
    case EXPR_WB_WT:
        point.cache = "wb";
        other.cache = "wt";
        return quotient(statement, point, other);
    case EXPR_MAX:
    case EXPR_MIN:
    case EXPR_ARGMAX:
        return over_all(statement, expr);
    case EXPR_AT_DEPTH:
        point.depth = CLAMP(expr->number, 1, 1024);
        return expr_at(statement, expr->left, &point);
    default:
        break;
    }
    left = expr_at(statement, expr->left, at);
    right = expr_at(statement, expr->right, at);
    switch (expr->kind) {
    case EXPR_ADD:
        return left + right;
    case EXPR_SUB:
        return left - right;
    case EXPR_MUL:
        return left * right;
    default:
        return left / right;
    }
}
