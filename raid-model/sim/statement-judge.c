/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement: a form's clauses, judged.
 *
 * a and b are computed at every point the row means; q is a/b.
 *
 *   a > b            q above 1.002 in the geometric mean (what chance alone
 *                    leaves between two equal sides), nowhere below 0.98
 *   a >= b           0.98 and 0.95
 *   a = b            mean q within 5 % of 1, each within 10 %; where b is a
 *                    figure other than 1, within 15 % (of a figure under
 *                    0.1: within 0.05)
 *   a = about b      mean q within 15 %; `ratio` within 5 %, a difference
 *                    within a quarter
 *   a <= about b     nowhere above 1.1 b
 *   a up to about b  the largest a within 25 % of b
 *   a >> b           mean q above 2; <<: below a half
 *   a != b           they differ by more than 2 % at half of the points
 *   a slightly above b      mean q from 1 to 1.15; below: from 0.87 to 1
 *   a -> b           with all writes q is within 10 % of 1, and not farther
 *                    from it than without writes
 *   a (nothing)      the row's own value, in percent if its unit says so:
 *                    within 5 points or a quarter
 *
 * One cell in twenty may be against > and >= (a review speaks of curves).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "raid-model/sim/statement.h"

typedef enum Relation {
    REL_NONE, REL_GREATER, REL_LESS, REL_AT_LEAST, REL_AT_MOST, REL_EQUAL,
    REL_ABOUT, REL_AT_MOST_ABOUT, REL_UP_TO, REL_MUCH_GREATER, REL_DIFFERS,
    REL_MUCH_LESS, REL_SLIGHTLY_ABOVE, REL_SLIGHTLY_BELOW, REL_TENDS,
} Relation;

/* Longer words first. */
static const struct {
    const char *word;
    Relation relation;
} relation_word[] = {
    { ">= about", REL_AT_LEAST }, { "<= about", REL_AT_MOST_ABOUT },
    { "= about", REL_ABOUT }, { "about equal to", REL_ABOUT },
    { "up to about", REL_UP_TO }, { "up to", REL_UP_TO },
    { "slightly above", REL_SLIGHTLY_ABOVE },
    { "slightly below", REL_SLIGHTLY_BELOW },
    { "slightly >", REL_SLIGHTLY_ABOVE }, { "slightly <", REL_SLIGHTLY_BELOW },
    { "far above", REL_MUCH_GREATER }, { "far below", REL_MUCH_LESS },
    { "close to", REL_ABOUT }, { "near", REL_ABOUT }, { "above", REL_GREATER },
    { "below", REL_LESS }, { "<<", REL_MUCH_LESS },
    { "->", REL_TENDS }, { ">>", REL_MUCH_GREATER }, { ">=", REL_AT_LEAST },
    { "<=", REL_AT_MOST }, { "!=", REL_DIFFERS }, { "==", REL_EQUAL },
    { ">", REL_GREATER }, { "<", REL_LESS }, { "=", REL_EQUAL },
    { "about", REL_ABOUT },
};

typedef struct Tally {
    Statement *statement;
    const Expr *a, *b;          /* b NULL: `number` */
    double number;
    unsigned count, against, far_against, unequal, lasts;
    double logs, a_sum, b_sum, a_max, q_min, q_max;
    double first, last;         /* q with fewest and most writes: sums of
                                 * distances from 1 */
    int writes_first, writes_last;
    bool turned;                /* count b > a instead */
} Tally;

static void add_point(void *opaque, const StatementPoint *point)
{
    Tally *tally = opaque;
    double a = expr_at(tally->statement, tally->a, point);
    double b = tally->b ? expr_at(tally->statement, tally->b, point)
                        : tally->number;
    double q = a / b;

    if (!isfinite(a) || !isfinite(b)) {
        return;
    }
    tally->a_max = tally->count ? MAX(tally->a_max, a) : a;
    tally->q_min = tally->count ? MIN(tally->q_min, q) : q;
    tally->q_max = tally->count ? MAX(tally->q_max, q) : q;
    tally->count++;
    tally->a_sum += a;
    tally->b_sum += b;
    if (tally->turned) {
        double swap = a;

        a = b;
        b = swap;
    }
    tally->against += a < b * 0.98;
    tally->far_against += a < b * 0.9;
    tally->unequal += fabs(q - 1) > 0.02;
    tally->logs += q > 0 ? log(q) : 0;
    if (point->writes == tally->writes_first) {
        tally->first += fabs(q - 1);
    }
    if (point->writes == tally->writes_last) {
        tally->last += fabs(q - 1);
        tally->lasts++;
    }
}

static Verdict verdict(bool holds)
{
    return holds ? VERDICT_TRUE : VERDICT_FALSE;
}

static Verdict judge_value(const Tally *tally, double value, bool percent)
{
    double a = tally->a_sum / tally->count * (percent ? 100 : 1);

    return verdict(fabs(a - value) <= MAX(percent ? 5 : 0, value / 4));
}

/* Of a figure that is given as a number, by what stands on its left. */
static double tolerance_of(const char *clause)
{
    return g_str_has_prefix(clause, "ratio") ? 0.05
        : strstr(clause, " - ") ? 0.25 : 0.15;
}

static Verdict judge_tally(const Tally *tally, Relation relation,
                           bool number, double tolerance)
{
    double mean = exp(tally->logs / tally->count);
    double a = tally->a_sum / tally->count, b = tally->b_sum / tally->count;
    unsigned few = tally->count / 20;

    switch (relation) {
    case REL_GREATER:
        return verdict(mean > 1.002 && tally->against <= few);
    case REL_LESS:
        return verdict(mean < 0.998 && tally->against <= few);
    case REL_AT_LEAST:
        return verdict(mean >= 0.98 && tally->far_against <= few);
    case REL_AT_MOST:
        return verdict(mean <= 1.02 && tally->far_against <= few);
    case REL_EQUAL:
        if (number && b < 0.1) {
            return verdict(fabs(a - b) <= 0.05);
        }
        if (number && b != 1) {
            return verdict(fabs(a / b - 1) <= tolerance);
        }
        return verdict(fabs(mean - 1) <= 0.05 && tally->q_min >= 0.9 &&
                       tally->q_max <= 1.1);
    case REL_ABOUT:
        return verdict(fabs(mean - 1) <= tolerance);
    case REL_AT_MOST_ABOUT:
        return verdict(tally->q_max <= 1.1);
    case REL_UP_TO:
        return verdict(fabs(tally->a_max / b - 1) <= 0.25);
    case REL_MUCH_GREATER:
        return verdict(mean > 2);
    case REL_MUCH_LESS:
        return verdict(mean < 0.5);
    case REL_DIFFERS:
        return verdict(tally->unequal * 2 >= tally->count);
    case REL_SLIGHTLY_ABOVE:
        return verdict(mean > 1 && mean <= 1.15);
    case REL_SLIGHTLY_BELOW:
        return verdict(mean < 1 && mean >= 0.87);
    case REL_TENDS:
        return verdict(tally->last <= tally->first + 0.02 * tally->lasts &&
                       tally->last <= 0.1 * tally->lasts);
    default:
        return VERDICT_UNKNOWN_FORM;
    }
}

static int edge(const Statement *statement, bool last)
{
    const GArray *writes = statement->writes;

    return g_array_index(writes, int, last ? writes->len - 1 : 0);
}

static Tally tally_of(Statement *statement, const Expr *a, const Expr *b,
                      double number, Relation relation)
{
    Tally tally = {
        .statement = statement, .a = a, .b = b, .number = number,
        .writes_first = edge(statement, false),
        .writes_last = edge(statement, true),
        .turned = relation == REL_LESS || relation == REL_AT_MOST,
    };

    statement_each(statement, add_point, &tally);
    return tally;
}

static void show(const Tally *tally, const char *clause, GString *seen)
{
    if (seen->len) {
        g_string_append(seen, "; ");
    }
    g_string_append_printf(seen, "%s: %.4g against %.4g", clause,
                           tally->a_sum / tally->count,
                           tally->b_sum / tally->count);
    if (tally->count > 1) {
        g_string_append_printf(seen, ", quotient %.3f to %.3f at %u points",
                               tally->q_min, tally->q_max, tally->count);
    }
}

/* --- clauses ------------------------------------------------------------- */

static Relation take_relation(const char **text)
{
    while (**text == ' ') {
        (*text)++;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(relation_word); i++) {
        if (g_str_has_prefix(*text, relation_word[i].word)) {
            *text += strlen(relation_word[i].word);
            return relation_word[i].relation;
        }
    }
    return REL_NONE;
}

typedef struct Clause {
    char *subject;              /* the last left side, for "equal", "1.0" */
    char *other;
} Clause;

static Verdict judge_pair(Statement *statement, const Expr *a, const Expr *b,
                          Relation relation, const char *right,
                          const char *clause, GString *seen)
{
    Tally tally = tally_of(statement, a, b, 0, relation);
    Verdict result;

    while (*right == ' ') {
        right++;
    }
    if (!tally.count) {
        return VERDICT_MISSING;
    }
    result = judge_tally(&tally, relation, g_ascii_isdigit(*right),
                         tolerance_of(clause));
    show(&tally, clause, seen);
    return result;
}

/* "drop(0->10) > drop(10->20) ...": the dots go on to the end. */
static char *spell_out(const char *clause)
{
    GString *whole = g_string_new(clause);
    char *dots = strstr(whole->str, "...");
    char *last = dots ? g_strrstr(whole->str, "drop(") : NULL;
    unsigned from, to;

    if (last && sscanf(last, "drop(%u->%u)", &from, &to) == 2 && to > from &&
        to <= 100) {
        g_string_truncate(whole, dots - whole->str);
        g_strchomp(whole->str);
        whole->len = strlen(whole->str);
        for (unsigned step = to - from; to + step <= 100; to += step) {
            g_string_append_printf(whole, " > drop(%u->%u)", to, to + step);
        }
    }
    return g_string_free(whole, FALSE);
}

static Verdict judge_alone(Statement *statement, const Expr *a,
                           const char *clause, GString *seen)
{
    bool percent = g_str_has_prefix(statement->unit, "percent");
    Tally tally = tally_of(statement, a, NULL, statement->value / 100,
                           REL_NONE);
    Verdict result;

    if (isnan(statement->value)) {
        return VERDICT_UNKNOWN_FORM;
    }
    if (!tally.count) {
        return VERDICT_MISSING;
    }
    result = judge_value(&tally, statement->value, percent);
    show(&tally, clause, seen);
    return result;
}

static Verdict judge_chain(Statement *statement, const char *clause,
                           GString *seen)
{
    const char *at;
    Expr *a = expr_parse(clause, &at);
    Verdict all = VERDICT_TRUE;
    unsigned pairs = 0;

    while (a && all != VERDICT_UNKNOWN_FORM) {
        Relation relation = take_relation(&at);
        const char *right = at;
        Expr *b = relation ? expr_parse(at, &at) : NULL;
        Verdict one;

        if (!b) {
            if (relation || *at) {
                all = VERDICT_UNKNOWN_FORM;
            } else if (!pairs) {
                all = judge_alone(statement, a, clause, seen);
            }
            break;
        }
        one = judge_pair(statement, a, b, relation, right,
                         pairs++ ? "then" : clause, seen);
        all = one == VERDICT_TRUE ? all : one;
        expr_free(a);
        a = b;
    }
    if (!a) {
        all = VERDICT_UNKNOWN_FORM;
    }
    expr_free(a);
    return all;
}

/* "X at QD256 > at QD1": the same X. */
static char *repeat_subject(const char *clause)
{
    g_autoptr(GRegex) regex =
        g_regex_new("^(.*?) (at QD[0-9]+ [<>=]+) (at QD[0-9]+)$", 0, 0, NULL);

    return g_regex_replace(regex, clause, -1, 0, "\\1 \\2 \\1 \\3", 0, NULL);
}

/* "equal" and a bare number lean on the clause before. */
static char *lean(const Clause *before, const char *clause)
{
    char *end;

    g_ascii_strtod(clause, &end);
    if (!strcmp(clause, "equal") && before->other) {
        return g_strdup_printf("%s = %s", before->subject, before->other);
    }
    if (end != clause && !*end && before->subject) {
        return g_strdup_printf("%s = %s", before->subject, clause);
    }
    return strstr(clause, "...") ? spell_out(clause) : repeat_subject(clause);
}

static void remember(Clause *before, const char *clause)
{
    const char *at, *left;
    Expr *a = expr_parse(clause, &at), *b = NULL;

    if (!a && strstr(clause, "WB/WT")) {        /* in a phrase */
        g_free(before->subject);
        before->subject = g_strdup("WB/WT");
    }
    if (a) {
        left = at;
        g_free(before->subject);
        g_clear_pointer(&before->other, g_free);
        before->subject = g_strndup(clause, left - clause);
        if (take_relation(&at)) {
            left = at;
            b = expr_parse(at, &at);
            before->other = b ? g_strndup(left, at - left) : NULL;
        }
    }
    expr_free(a);
    expr_free(b);
}

/* --- the points a clause narrows down ------------------------------------ */

static const struct {
    const char *regex;          /* \1: a relation, or empty; \2: a number */
    enum {
        NARROW_WRITES, NARROW_NEAR, NARROW_VALUE, NARROW_SIZE, NARROW_DEPTHS,
        NARROW_NOTHING
    } what;
} narrowing[] = {
    { " at ()([0-9]+)%( writes)?$", NARROW_WRITES },
    { " (?:at|for) writes ?([<>]=?|=) ?([0-9]+)%$", NARROW_WRITES },
    { " near ()([0-9]+)% writes$", NARROW_NEAR },
    { " at this write share$", NARROW_VALUE },
    { " at ()([0-9]+) KiB$", NARROW_SIZE },
    { " (?:at|for) QD ?([<>]=?) ?([0-9]+)$", NARROW_DEPTHS },
    { "^(?!.* at QD.* at QD).* at QD()([0-9]+)$", NARROW_DEPTHS },
    { " at every (size|QD|depth|write share)$", NARROW_NOTHING },
};

static bool in_relation(double value, const char *relation, double number)
{
    bool equal = !*relation || strchr(relation, '=');

    return (equal && value == number) ||
           (*relation == '<' && value < number) ||
           (*relation == '>' && value > number);
}

/* Keeps what is in relation; what is not in the list may be asked for. */
static void narrow_depths(Statement *statement, const char *relation,
                          unsigned number)
{
    for (guint i = statement->depths->len; i > 0 && *relation; i--) {
        if (!in_relation(g_array_index(statement->depths, unsigned, i - 1),
                         relation, number)) {
            g_array_remove_index(statement->depths, i - 1);
        }
    }
    if (!*relation) {
        g_array_set_size(statement->depths, 0);
        g_array_append_val(statement->depths, number);
    }
}

static void narrow_writes(Statement *statement, const char *relation,
                          int number)
{
    g_array_set_size(statement->writes, 0);
    for (int writes = 0; writes <= 100; writes++) {
        if (in_relation(writes, relation, number) &&
            (writes % 10 == 0 || writes == number)) {
            g_array_append_val(statement->writes, writes);
        }
    }
}

static void narrow(Statement *statement, unsigned which, const char *relation,
                   unsigned number)
{
    uint32_t kib2 = number * 2;

    switch (narrowing[which].what) {
    case NARROW_VALUE:
        number = statement->value > 0 ? statement->value : 0;
        narrow_writes(statement, "", MIN(number, 100));
        break;
    case NARROW_WRITES:
        narrow_writes(statement, relation, MIN(number, 100));
        break;
    case NARROW_NEAR:
        narrow_writes(statement, ">=", (int)CLAMP(number, 20, 100) - 20);
        break;
    case NARROW_SIZE:
        g_array_set_size(statement->sizes, 0);
        g_array_append_val(statement->sizes, kib2);
        break;
    case NARROW_DEPTHS:
        narrow_depths(statement, relation, number);
        break;
    case NARROW_NOTHING:
        break;
    }
}

/* Takes the words off the clause's end; false: there are none. */
static bool narrow_by(Statement *statement, char *clause)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(narrowing); i++) {
        g_autoptr(GRegex) regex = g_regex_new(narrowing[i].regex, 0, 0, NULL);
        g_autoptr(GMatchInfo) match = NULL;
        g_autofree char *relation = NULL, *number = NULL;
        char *at;

        if (!g_regex_match(regex, clause, 0, &match)) {
            continue;
        }
        relation = g_match_info_fetch(match, 1);
        number = g_match_info_fetch(match, 2);
        narrow(statement, i, relation ? relation : "",
               number ? g_ascii_strtoull(number, NULL, 10) : 0);
        at = g_strrstr(clause, " for ");
        at = at ? at : g_strrstr(clause, " near ");
        at = at ? at : g_strrstr(clause, " at ");
        if (at) {
            *at = '\0';
        }
        return true;
    }
    return false;
}

/* --- the whole form ------------------------------------------------------ */

static Verdict both(Verdict all, Verdict one)
{
    if (all == VERDICT_UNKNOWN_FORM || one == VERDICT_UNKNOWN_FORM) {
        return VERDICT_UNKNOWN_FORM;
    }
    return all == VERDICT_TRUE ? one : all;
}

typedef struct Saved {
    GArray *writes, *depths, *sizes;
} Saved;

static void save(Statement *statement, Saved *saved)
{
    *saved = (Saved) { g_array_copy(statement->writes),
                       g_array_copy(statement->depths),
                       g_array_copy(statement->sizes) };
}

static void restore(Statement *statement, const Saved *saved)
{
    g_array_unref(statement->writes);
    g_array_unref(statement->depths);
    g_array_unref(statement->sizes);
    statement->writes = saved->writes;
    statement->depths = saved->depths;
    statement->sizes = saved->sizes;
}

static Verdict judge_clause(Statement *statement, Clause *before,
                            const char *text, GString *seen)
{
    g_autofree char *clause = lean(before, text);
    Verdict result = statement_phrase(statement, clause, seen);

    if (result == VERDICT_UNKNOWN_FORM) {
        result = judge_chain(statement, clause, seen);
    }
    remember(before, clause);
    return result;
}

/* What is between two semicolons; the last clause's narrowing is shared. */
static Verdict judge_group(Statement *statement, Clause *before,
                           char *group, GString *seen)
{
    g_autoptr(GRegex) joint =
        g_regex_new(" and (?!access)|, (?![^()]*\\))| and (?=access)", 0, 0,
                    NULL);
    g_auto(GStrv) clauses = NULL;
    Verdict all = VERDICT_TRUE;
    Saved saved;

    save(statement, &saved);
    narrow_by(statement, group);
    clauses = g_regex_split(joint, group, 0);
    for (char **clause = clauses; *clause; clause++) {
        g_strstrip(*clause);
        all = both(all, judge_clause(statement, before, *clause, seen));
    }
    restore(statement, &saved);
    return all;
}

Verdict statement_judge(Statement *statement, const char *form, GString *seen)
{
    Verdict all = statement_phrase(statement, form, seen);
    g_auto(GStrv) groups = NULL;
    Clause before = { 0 };

    if (all != VERDICT_UNKNOWN_FORM) {
        return all;
    }
    all = VERDICT_TRUE;
    groups = g_strsplit(form, ";", -1);
    for (char **group = groups; *group; group++) {
        g_strstrip(*group);
        if (strcmp(*group, "treat as suspect")) {
            all = both(all, judge_group(statement, &before, *group, seen));
        }
    }
    g_free(before.subject);
    g_free(before.other);
    return all;
}
