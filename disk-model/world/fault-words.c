/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fault, its words: a rule from a line, and back.
 */
#include <string.h>

#include "disk-model/world/fault-private.h"

#define ALWAYS_ASKED (FAULT_AFTER | FAULT_TIMES | FAULT_FROM | FAULT_FOR | \
                      FAULT_CHANCE)
#define AN_ACT (FAULT_AFTER | FAULT_FROM)
#define STATUS_ERROR(word) {                                            \
        .name = word, .place = FAULT_HOST, .actor = FAULT_ACTOR_HOST,   \
        .on = FAULT_ON_WRITE, .options = AN_ACT,                        \
    }
#define OF_SECTORS (ALWAYS_ASKED | FAULT_AT | FAULT_ON)

const FaultWord fault_word[FAULT_WHATS] = {
    [FAULT_BAD] = {
        .name = "bad", .on = FAULT_ON_READ,
        .options = OF_SECTORS | FAULT_ALWAYS | FAULT_AT_MUST,
    },
    [FAULT_SLOW] = {
        .name = "slow", .takes = FAULT_TAKES_TIME, .on = FAULT_ON_ANY,
        .options = OF_SECTORS,
    },
    [FAULT_HANG] = {
        .name = "hang", .on = FAULT_ON_ANY, .options = OF_SECTORS,
    },
    [FAULT_DEAD] = {
        .name = "dead", .on = FAULT_ON_ANY, .options = OF_SECTORS,
    },
    [FAULT_STALE] = {
        .name = "stale", .on = FAULT_ON_WRITE, .options = OF_SECTORS,
    },
    [FAULT_FLIP] = {            /* it stays on the medium: once is enough */
        .name = "flip", .on = FAULT_ON_READ, .times = 1,
        .options = OF_SECTORS | FAULT_AT_MUST,
    },
    [FAULT_CRC] = {
        .name = "crc", .on = FAULT_ON_READ | FAULT_ON_WRITE,
        .options = OF_SECTORS | FAULT_OVER,
    },
    [FAULT_RETRIES] = {
        .name = "retries", .takes = FAULT_TAKES_NUMBER, .on = FAULT_ON_READ,
        .options = OF_SECTORS | FAULT_AT_MUST,
    },
    [FAULT_GROWS] = {
        .name = "grows", .takes = FAULT_TAKES_NUMBER, .on = FAULT_ON_ANY,
        .options = FAULT_AT | FAULT_AFTER | FAULT_FROM,
    },
    [FAULT_GONE] = {
        .name = "gone", .actor = FAULT_ACTOR_CARD, .on = FAULT_ON_WRITE,
        .options = AN_ACT | FAULT_FOR,
    },
    [FAULT_CARD_STALL] = {
        .name = "stall", .place = FAULT_CARD, .actor = FAULT_ACTOR_CARD,
        .takes = FAULT_TAKES_TIME, .on = FAULT_ON_WRITE, .options = AN_ACT,
    },
    [FAULT_CARD_HANG] = {       /* a host's reset is what ends it */
        .name = "hang", .place = FAULT_CARD, .actor = FAULT_ACTOR_HOST,
        .on = FAULT_ON_WRITE, .options = AN_ACT,
    },
    [FAULT_CARD_AEN] = {
        .name = "aen", .place = FAULT_CARD, .actor = FAULT_ACTOR_CARD,
        .takes = FAULT_TAKES_CODE, .on = FAULT_ON_WRITE,
        .options = AN_ACT | FAULT_SOURCE,
    },
    [FAULT_LOST_INTERRUPT] = {
        .name = "lost-interrupt", .place = FAULT_HOST, .on = FAULT_ON_ANY,
        .options = ALWAYS_ASKED,
    },
    [FAULT_QUEUE_FULL] = {
        .name = "queue-full", .place = FAULT_HOST, .actor = FAULT_ACTOR_HOST,
        .on = FAULT_ON_WRITE, .options = AN_ACT | FAULT_FOR | FAULT_FOR_MUST,
    },
    [FAULT_PARITY] = STATUS_ERROR("parity"),
    [FAULT_PCI_ABORT] = STATUS_ERROR("pci-abort"),
    [FAULT_QUEUE_ERROR] = STATUS_ERROR("queue-error"),
    [FAULT_SBUF] = STATUS_ERROR("sbuf"),
    [FAULT_MICROCONTROLLER] = STATUS_ERROR("microcontroller"),
    [FAULT_POWER_CUT] = {
        .name = "power-cut", .place = FAULT_CARD, .actor = FAULT_ACTOR_POWER,
        .on = FAULT_ON_WRITE, .options = AN_ACT,
    },
};

static const char *const place_words[] = {
    [FAULT_PORT] = "port", [FAULT_CARD] = "card", [FAULT_HOST] = "host",
};

GQuark fault_error_quark(void)
{
    return g_quark_from_static_string("fault-error");
}

bool fault_wrong(GError **error, const char *format, ...)
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
    return fault_wrong(in->error, "fault: %s \"%s\": a whole number from %"
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
    return fault_wrong(in->error, "fault: %s \"%s\": a time such as 30ms or "
                       "90s would be right", of, word);
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
    return good || fault_wrong(in->error, "fault: at \"%s\": a sector or a "
                               "range such as 5000-5007 would be right", word);
}

static bool take_on(Words *in, FaultRule *rule)
{
    const FaultWord *of = &fault_word[rule->what];
    const char *word = take(in);

    if (!strcmp(word, "read")) {
        rule->on = FAULT_ON_READ;
    } else if (!strcmp(word, "write")) {
        rule->on = FAULT_ON_WRITE;
    } else if (!strcmp(word, "any")) {
        rule->on = FAULT_ON_ANY;
    } else {
        return fault_wrong(in->error, "fault: on \"%s\": read, write or any "
                           "would be right", word);
    }
    return !(rule->on & ~of->on) ||
           fault_wrong(in->error, "fault: %s shows on %s only", of->name,
                       of->on == FAULT_ON_WRITE ? "write" : "read");
}

static bool take_chance(Words *in, FaultRule *rule)
{
    const char *word = take(in);
    char *end;

    rule->chance = g_ascii_strtod(word, &end);
    return (end != word && !*end && rule->chance > 0 && rule->chance <= 1) ||
           fault_wrong(in->error, "fault: chance \"%s\": a number above 0, "
                       "up to 1, would be right", word);
}

static bool take_always(Words *in G_GNUC_UNUSED, FaultRule *rule)
{
    rule->always = true;
    return true;
}

static bool take_after(Words *in, FaultRule *rule)
{
    return take_number(in, "after", 0, &rule->after);
}

static bool take_times(Words *in, FaultRule *rule)
{
    return take_number(in, "times", 1, &rule->times);
}

static bool take_from(Words *in, FaultRule *rule)
{
    return take_time(in, "from", &rule->from);
}

static bool take_for(Words *in, FaultRule *rule)
{
    return take_time(in, "for", &rule->until);
}

/* What an event is about, unit or port: one number. */
static bool take_source(Words *in, FaultRule *rule)
{
    uint64_t number;

    if (!take_number(in, "source", 0, &number)) {
        return false;
    }
    rule->port = (unsigned)number;
    return number <= UINT8_MAX ||
           fault_wrong(in->error, "fault: source: a number up to 255 would "
                       "be right");
}

static bool take_code(Words *in, FaultRule *rule)
{
    const char *word = take(in);
    char *end;

    rule->number = g_ascii_strtoull(word, &end, 0);
    return (end != word && !*end && rule->number && rule->number <= 0xff) ||
           fault_wrong(in->error, "fault: aen \"%s\": a code such as 0x21, "
                       "from 1 to 0xff, would be right", word);
}

static bool take_over(Words *in, FaultRule *rule)
{
    return take_number(in, "over UDMA mode", 0, &rule->over);
}

static const struct {
    const char *name;
    FaultOption option;
    bool (*take)(Words *in, FaultRule *rule);
} option_words[] = {
    { "at", FAULT_AT, take_range }, { "on", FAULT_ON, take_on },
    { "after", FAULT_AFTER, take_after }, { "times", FAULT_TIMES, take_times },
    { "from", FAULT_FROM, take_from }, { "for", FAULT_FOR, take_for },
    { "chance", FAULT_CHANCE, take_chance },
    { "always", FAULT_ALWAYS, take_always },
    { "over", FAULT_OVER, take_over }, { "port", FAULT_SOURCE, take_source },
    { "unit", FAULT_SOURCE, take_source },
};

static bool take_option(Words *in, FaultRule *rule)
{
    const FaultWord *of = &fault_word[rule->what];
    g_autoptr(GString) right = g_string_new(NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(option_words); i++) {
        if (!(of->options & option_words[i].option)) {
            continue;
        }
        if (is_next(in, option_words[i].name)) {
            return option_words[i].take(in, rule);
        }
        g_string_append_printf(right, "%s%s", right->len ? ", " : "",
                               option_words[i].name);
    }
    return fault_wrong(in->error, "fault: \"%s\": of %s, one of %s would be "
                       "right", *in->next, of->name, right->str);
}

static const char *const argument_words[] = {
    [FAULT_TAKES_NOTHING] = "", [FAULT_TAKES_TIME] = " TIME",
    [FAULT_TAKES_NUMBER] = " N", [FAULT_TAKES_CODE] = " CODE",
};

static bool take_argument(Words *in, FaultRule *rule)
{
    const FaultWord *of = &fault_word[rule->what];

    switch (of->takes) {
    case FAULT_TAKES_TIME:
        return take_time(in, of->name, &rule->ns);
    case FAULT_TAKES_NUMBER:
        return take_number(in, of->name, 1, &rule->number);
    case FAULT_TAKES_CODE:
        return take_code(in, rule);
    case FAULT_TAKES_NOTHING:
        break;
    }
    return true;
}

static bool take_what(Words *in, FaultPlace place, FaultRule *rule)
{
    const char *word = take(in);
    g_autoptr(GString) right = g_string_new(NULL);

    for (unsigned i = 0; i < FAULT_WHATS; i++) {
        const FaultWord *of = &fault_word[i];

        if (of->place != place) {
            continue;
        }
        if (!strcmp(word, of->name)) {
            rule->what = i;
            rule->on = of->on;
            rule->times = of->times;
            return take_argument(in, rule);
        }
        g_string_append_printf(right, "%s%s%s", right->len ? ", " : "",
                               of->name, argument_words[of->takes]);
    }
    return fault_wrong(in->error, "fault: \"%s\": one of %s would be right",
                       word, right->str);
}

static bool take_place(Words *in, FaultPlace *place, FaultRule *rule)
{
    uint64_t port;

    for (*place = FAULT_PORT; !is_next(in, place_words[*place]); ++*place) {
        if (*place + 1 == G_N_ELEMENTS(place_words)) {
            return fault_wrong(in->error, "fault: \"%s\": \"port N\", "
                               "\"card\" or \"host\" would be right", take(in));
        }
    }
    if (*place != FAULT_PORT) {
        return true;
    }
    if (!take_number(in, "port", 0, &port)) {
        return false;
    }
    rule->port = (unsigned)MIN(port, UINT32_MAX);
    return true;
}

static bool read_rule(Words *in, SimTime now, FaultRule *rule)
{
    FaultPlace place;

    *rule = (FaultRule) { .last = UINT64_MAX, .chance = 1, .from = now,
                          .until = SIM_NEVER, .over = FAULT_OVER_NONE };
    if (!take_place(in, &place, rule) || !take_what(in, place, rule)) {
        return false;
    }
    while (*in->next) {
        if (!take_option(in, rule)) {
            return false;
        }
    }
    if ((fault_word[rule->what].options & FAULT_AT_MUST) &&
        rule->last == UINT64_MAX) {
        return fault_wrong(in->error, "fault: %s: \"at FIRST-LAST\" is "
                           "missing", fault_word[rule->what].name);
    }
    if ((fault_word[rule->what].options & FAULT_FOR_MUST) &&
        rule->until == SIM_NEVER) {
        return fault_wrong(in->error, "fault: %s: \"for TIME\" is missing",
                           fault_word[rule->what].name);
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

bool fault_read(const char *line, SimTime now, FaultRule *rule,
                GError **error)
{
    g_auto(GStrv) words = split_words(line);

    return read_rule(&(Words) { words, error }, now, rule);
}

bool fault_is_right(const char *line, GError **error)
{
    FaultRule rule;

    return fault_read(line, 0, &rule, error);
}

/* --- what is left of one ------------------------------------------------- */

static void write_time(GString *out, const char *of, SimTime ns)
{
    g_string_append_printf(out, " %s%" G_GINT64_FORMAT "ns", of, ns);
}

static void write_number(GString *out, const char *of, uint64_t number)
{
    g_string_append_printf(out, " %s%s%" G_GUINT64_FORMAT, of,
                           *of ? " " : "", number);
}

static void write_options(const FaultRule *rule, GString *out)
{
    const FaultWord *of = &fault_word[rule->what];

    if (rule->last != UINT64_MAX) {
        g_string_append_printf(out, " at %" G_GUINT64_FORMAT "-%"
                               G_GUINT64_FORMAT, rule->first, rule->last);
    }
    if (rule->on != of->on) {
        g_string_append(out, rule->on == FAULT_ON_READ ? " on read" :
                             rule->on == FAULT_ON_WRITE ? " on write"
                                                        : " on any");
    }
    if (rule->always) {
        g_string_append(out, " always");
    }
    if (rule->over != FAULT_OVER_NONE) {
        write_number(out, "over", rule->over);
    }
    if (rule->after) {
        write_number(out, "after", rule->after);
    }
    if (rule->times) {
        write_number(out, "times", rule->times);
    }
    if (rule->from) {
        write_time(out, "from ", rule->from);
    }
    if (rule->until != SIM_NEVER) {
        write_time(out, "for ", rule->until - rule->from);
    }
    if (rule->chance < 1) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];

        g_string_append_printf(out, " chance %s",
                               g_ascii_dtostr(number, sizeof(number),
                                              rule->chance));
    }
}

void fault_write(const FaultRule *rule, GString *out)
{
    const FaultWord *of = &fault_word[rule->what];

    g_string_append(out, place_words[of->place]);
    if (of->place == FAULT_PORT) {
        g_string_append_printf(out, " %u", rule->port);
    }
    g_string_append_printf(out, " %s", of->name);
    if (of->takes == FAULT_TAKES_TIME) {
        write_time(out, "", rule->ns);
    } else if (of->takes != FAULT_TAKES_NOTHING) {
        write_number(out, "", rule->number);
    }
    if (of->options & FAULT_SOURCE) {
        write_number(out, "port", rule->port);
    }
    write_options(rule, out);
    g_string_append_c(out, '\n');
}
