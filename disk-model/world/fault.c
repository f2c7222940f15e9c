/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fault: rules in the order they were given; every one that fits an op
 * strikes.
 */
#include <string.h>

#include "disk-model/world/fault.h"
#include "disk-model/world/sim-private.h"

typedef enum FaultWhat {
    FAULT_BAD, FAULT_SLOW, FAULT_DEAD, FAULT_STALE, FAULT_FLIP,
} FaultWhat;

static const char *const what_words[] = {
    [FAULT_BAD] = "bad", [FAULT_SLOW] = "slow", [FAULT_DEAD] = "dead",
    [FAULT_STALE] = "stale", [FAULT_FLIP] = "flip",
};

/* What can show it; and the only thing, where there is one. */
static const unsigned what_on[] = {
    [FAULT_BAD] = FAULT_ON_READ, [FAULT_STALE] = FAULT_ON_WRITE,
    [FAULT_FLIP] = FAULT_ON_READ,
    [FAULT_SLOW] = FAULT_ON_READ | FAULT_ON_WRITE | FAULT_ON_OTHER,
    [FAULT_DEAD] = FAULT_ON_READ | FAULT_ON_WRITE | FAULT_ON_OTHER,
};

typedef struct FaultRule {
    FaultWhat what;
    unsigned port, on;
    uint64_t first, last;
    bool always;                /* bad: writing does not mend it */
    SimTime more_ns;            /* slow */
    uint64_t after, times;      /* times: 0 without end */
    SimTime from, until;
    double chance;
} FaultRule;

struct SimFaults {
    FaultRule rule[FAULT_RULES_MAX];
    unsigned rules;
    uint64_t chance;
};

GQuark fault_error_quark(void)
{
    return g_quark_from_static_string("fault-error");
}

static bool G_GNUC_PRINTF(2, 3) wrong(GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (error) {
        *error = g_error_new_valist(FAULT_ERROR, 0, format, args);
    }
    va_end(args);
    return false;
}

/* --- words ---------------------------------------------------------------- */

typedef struct Words {
    char **next;
    GError **error;
} Words;

static bool is_next(Words *in, const char *word)
{
    if (!*in->next || strcmp(*in->next, word)) {
        return false;
    }
    in->next++;
    return true;
}

static const char *take(Words *in)
{
    return *in->next ? *in->next++ : "";
}

static bool take_number(Words *in, const char *of, uint64_t least,
                        uint64_t *value)
{
    const char *word = take(in);

    if (g_ascii_string_to_unsigned(word, 10, least, INT64_MAX, value, NULL)) {
        return true;
    }
    return wrong(in->error, "fault: %s \"%s\": a whole number from %"
                 G_GUINT64_FORMAT " would be right", of, word, least);
}

static bool take_time(Words *in, const char *of, SimTime *value)
{
    static const struct { const char *name; double ns; } unit[] = {
        { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
    };
    const char *word = take(in);
    char *end;
    double number = g_ascii_strtod(word, &end);

    for (unsigned i = 0; i < G_N_ELEMENTS(unit); i++) {
        double ns = number * unit[i].ns;

        if (end != word && !strcmp(end, unit[i].name) && ns >= 0 &&
            ns <= 1e17) {
            *value = (SimTime)ns;
            return true;
        }
    }
    return wrong(in->error, "fault: %s \"%s\": a time such as 30ms or 90s "
                 "would be right", of, word);
}

static bool take_range(Words *in, FaultRule *rule)
{
    const char *word = take(in);
    g_auto(GStrv) part = g_strsplit(word, "-", 2);
    bool good = part[0] && g_ascii_string_to_unsigned(
        part[0], 10, 0, INT64_MAX, &rule->first, NULL);

    rule->last = rule->first;
    if (good && part[1]) {
        good = g_ascii_string_to_unsigned(part[1], 10, rule->first,
                                          INT64_MAX, &rule->last, NULL);
    }
    return good || wrong(in->error, "fault: at \"%s\": a sector or a range "
                         "such as 5000-5007 would be right", word);
}

static bool take_on(Words *in, FaultRule *rule)
{
    const char *word = take(in);

    if (!strcmp(word, "read")) {
        rule->on = FAULT_ON_READ;
    } else if (!strcmp(word, "write")) {
        rule->on = FAULT_ON_WRITE;
    } else if (!strcmp(word, "any")) {
        rule->on = FAULT_ON_READ | FAULT_ON_WRITE | FAULT_ON_OTHER;
    } else {
        return wrong(in->error, "fault: on \"%s\": read, write or any would "
                     "be right", word);
    }
    return !(rule->on & ~what_on[rule->what]) ||
           wrong(in->error, "fault: %s shows on %s only",
                 what_words[rule->what],
                 rule->what == FAULT_STALE ? "write" : "read");
}

static bool take_chance(Words *in, FaultRule *rule)
{
    const char *word = take(in);
    char *end;

    rule->chance = g_ascii_strtod(word, &end);
    return (end != word && !*end && rule->chance > 0 && rule->chance <= 1) ||
           wrong(in->error, "fault: chance \"%s\": a number above 0, up to "
                 "1, would be right", word);
}

static bool take_option(Words *in, FaultRule *rule)
{
    if (is_next(in, "at")) {
        return take_range(in, rule);
    }
    if (is_next(in, "on")) {
        return take_on(in, rule);
    }
    if (is_next(in, "after")) {
        return take_number(in, "after", 0, &rule->after);
    }
    if (is_next(in, "times")) {
        return take_number(in, "times", 1, &rule->times);
    }
    if (is_next(in, "from")) {
        return take_time(in, "from", &rule->from);
    }
    if (is_next(in, "for")) {
        return take_time(in, "for", &rule->until);
    }
    if (is_next(in, "chance")) {
        return take_chance(in, rule);
    }
    if (rule->what == FAULT_BAD && is_next(in, "always")) {
        rule->always = true;
        return true;
    }
    return wrong(in->error, "fault: \"%s\": at, on, after, times, from, for, "
                 "chance or, of a bad sector, always would be right",
                 *in->next);
}

static bool take_what(Words *in, FaultRule *rule)
{
    const char *word = take(in);

    for (unsigned i = 0; i < G_N_ELEMENTS(what_words); i++) {
        if (!strcmp(word, what_words[i])) {
            rule->what = i;
            rule->on = what_on[i];
            rule->times = i == FAULT_FLIP;      /* it stays on the medium */
            return i != FAULT_SLOW || take_time(in, "slow", &rule->more_ns);
        }
    }
    return wrong(in->error, "fault: \"%s\": stale, flip, bad, slow TIME or "
                 "dead would be right", word);
}

static bool read_rule(Words *in, SimTime now, FaultRule *rule)
{
    uint64_t port;

    *rule = (FaultRule) { .last = UINT64_MAX, .chance = 1, .from = now,
                          .until = SIM_NEVER };
    if (!is_next(in, "port")) {
        return wrong(in->error, "fault: \"%s\": \"port N\" would be right",
                     take(in));
    }
    if (!take_number(in, "port", 0, &port) || !take_what(in, rule)) {
        return false;
    }
    rule->port = (unsigned)MIN(port, UINT32_MAX);
    while (*in->next) {
        if (!take_option(in, rule)) {
            return false;
        }
    }
    if ((rule->what == FAULT_BAD || rule->what == FAULT_FLIP) &&
        rule->last == UINT64_MAX) {
        return wrong(in->error, "fault: %s: \"at FIRST-LAST\" is missing",
                     what_words[rule->what]);
    }
    if (rule->until != SIM_NEVER) {
        rule->until += rule->from;
    }
    return true;
}

static char **split_words(const char *line)
{
    GPtrArray *words = g_ptr_array_new();
    g_auto(GStrv) all = g_strsplit_set(line, " \t\r\n", -1);

    for (char **word = all; *word; word++) {
        if (**word) {
            g_ptr_array_add(words, g_strdup(*word));
        }
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

bool fault_order(Sim *sim, const char *line, GError **error)
{
    g_auto(GStrv) words = split_words(line);
    Words in = { words, error };
    FaultRule rule;

    if (!read_rule(&in, sim->now, &rule)) {
        return false;
    }
    if (!sim->faults) {
        sim->faults = g_new0(SimFaults, 1);
        sim->faults->chance = sim->chance[0] | 1;
    }
    if (sim->faults->rules == FAULT_RULES_MAX) {
        return wrong(error, "fault: there are %d rules already; clear some",
                     FAULT_RULES_MAX);
    }
    sim->faults->rule[sim->faults->rules++] = rule;
    return true;
}

/* --- the question --------------------------------------------------------- */

bool fault_any(const Sim *sim)
{
    return sim->faults;
}

static void drop_rule(SimFaults *faults, unsigned index)
{
    faults->rules--;
    memmove(&faults->rule[index], &faults->rule[index + 1],
            (faults->rules - index) * sizeof(FaultRule));
}

/* xorshift64*, as published by Vigna (2016); of rules alone. */
static bool chance_strikes(SimFaults *faults, double chance)
{
    uint64_t x = faults->chance;

    if (chance >= 1) {
        return true;
    }
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    faults->chance = x;
    return (double)((x * 0x2545f4914f6cdd1dull) >> 11) * 0x1p-53 < chance;
}

static bool fits(const FaultRule *rule, const FaultAsk *ask, SimTime now)
{
    bool whole = rule->first == 0 && rule->last == UINT64_MAX;
    bool meets = ask->count && ask->first <= rule->last &&
                 rule->first - MIN(ask->first, rule->first) < ask->count;

    return rule->port == ask->port && (rule->on & ask->on) &&
           now >= rule->from && now < rule->until && (whole || meets);
}

static void strike(const FaultRule *rule, const FaultAsk *ask,
                   FaultAnswer *answer)
{
    uint64_t at = MAX(ask->first, rule->first);

    switch (rule->what) {
    case FAULT_BAD:
        answer->at = answer->bad ? MIN(answer->at, at) : at;
        answer->bad = true;
        break;
    case FAULT_SLOW:
        answer->more_ns += rule->more_ns;
        break;
    case FAULT_DEAD:
        answer->dead = true;
        break;
    case FAULT_STALE:
        answer->stale = true;
        break;
    case FAULT_FLIP:
        answer->flip = true;
        answer->flip_at = at;
        break;
    }
}

FaultAnswer fault_ask(Sim *sim, const FaultAsk *ask)
{
    SimFaults *faults = sim->faults;
    FaultAnswer answer = { 0 };

    for (unsigned i = 0; faults && i < faults->rules;) {
        FaultRule *rule = &faults->rule[i];

        if (!fits(rule, ask, sim->now) ||
            (rule->what == FAULT_FLIP && answer.flip)) {
            i++;                /* one bit an op; the next is not lost */
        } else if (rule->after) {
            rule->after--;
            i++;
        } else if (!chance_strikes(faults, rule->chance)) {
            i++;
        } else {
            strike(rule, ask, &answer);
            if (rule->times && !--rule->times) {
                drop_rule(faults, i);
            } else {
                i++;
            }
        }
    }
    return answer;
}

/* What is left of the rule on both sides of what was written. */
void fault_written(Sim *sim, unsigned port, uint64_t first, uint64_t count)
{
    SimFaults *faults = sim->faults;
    FaultAsk written = { port, FAULT_ON_READ, first, count };

    for (unsigned i = 0; faults && i < faults->rules;) {
        FaultRule *rule = &faults->rule[i];
        FaultRule above = *rule;

        if (rule->what != FAULT_BAD || rule->always ||
            !fits(rule, &written, sim->now)) {
            i++;
            continue;
        }
        above.first = first + count;
        if (rule->first < first) {
            rule->last = first - 1;
            i++;
        } else {
            drop_rule(faults, i);
        }
        if (above.first <= above.last && faults->rules < FAULT_RULES_MAX) {
            memmove(&faults->rule[i + 1], &faults->rule[i],
                    (faults->rules - i) * sizeof(FaultRule));
            faults->rule[i++] = above;
            faults->rules++;
        }
    }
}

/* --- what there is -------------------------------------------------------- */

static void list_rule(const FaultRule *rule, GString *out)
{
    g_string_append_printf(out, "port %u %s", rule->port,
                           what_words[rule->what]);
    if (rule->what == FAULT_SLOW) {
        g_string_append_printf(out, " %" G_GINT64_FORMAT "ns", rule->more_ns);
    }
    if (rule->last != UINT64_MAX) {
        g_string_append_printf(out, " at %" G_GUINT64_FORMAT "-%"
                               G_GUINT64_FORMAT, rule->first, rule->last);
    }
    if (rule->on != what_on[rule->what]) {
        g_string_append(out, rule->on == FAULT_ON_READ ? " on read"
                                                       : " on write");
    }
    if (rule->always) {
        g_string_append(out, " always");
    }
    if (rule->after) {
        g_string_append_printf(out, " after %" G_GUINT64_FORMAT, rule->after);
    }
    if (rule->times) {
        g_string_append_printf(out, " times %" G_GUINT64_FORMAT, rule->times);
    }
    if (rule->from) {
        g_string_append_printf(out, " from %" G_GINT64_FORMAT "ns",
                               rule->from);
    }
    if (rule->until != SIM_NEVER) {
        g_string_append_printf(out, " for %" G_GINT64_FORMAT "ns",
                               rule->until - rule->from);
    }
    if (rule->chance < 1) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];

        g_string_append_printf(out, " chance %s",
                               g_ascii_dtostr(number, sizeof(number),
                                              rule->chance));
    }
    g_string_append_c(out, '\n');
}

void fault_list(const Sim *sim, GString *out)
{
    for (unsigned i = 0; sim->faults && i < sim->faults->rules; i++) {
        list_rule(&sim->faults->rule[i], out);
    }
}

void fault_clear(Sim *sim)
{
    g_clear_pointer(&sim->faults, g_free);
}
