/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenario: a line, its words, what is to happen.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "disk-model/drive/key-source.h"
#include "disk-model/world/fault.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/scenario.h"

#define LINE_BYTES 1024
#define ENTRIES_MAX 1000

typedef struct Reading {
    Scenario *story;
    unsigned line;
    char **word;                /* what is left of the line; NULL ends it */
    GError **error;
} Reading;

#define VERBS "create, work, pull, plug, fault, order, power cut or report"

/* "FILE:LINE: 'WORD' WHAT"; at the line's end without a word. */
static bool wrong(const Reading *in, const char *what)
{
    g_autofree char *quoted = *in->word ? key_word_quoted(*in->word)
                                        : g_strdup("the line's end");

    return number_error(in->error, "%s:%u: %s %s", in->story->path, in->line,
                        quoted, what);
}

static bool is_word(Reading *in, const char *word)
{
    if (*in->word && !strcmp(*in->word, word)) {
        in->word++;
        return true;
    }
    return false;
}

static bool need(Reading *in, const char *word)
{
    g_autofree char *what = NULL;

    if (is_word(in, word)) {
        return true;
    }
    what = g_strdup_printf("stands where '%s' would be right", word);
    return wrong(in, what);
}

static bool take_whole(Reading *in, uint64_t least, uint64_t most,
                       const char *right, uint64_t *value)
{
    if (!*in->word || !key_word_to_whole(*in->word, value) ||
        *value < least || *value > most) {
        return wrong(in, right);
    }
    in->word++;
    return true;
}

static bool take_time(Reading *in, const char *of, SimTime *time)
{
    g_autofree char *where = g_strdup_printf("%s:%u: %s", in->story->path,
                                             in->line, of);

    if (!*in->word) {
        return wrong(in, "stands where a time, as 20s, would be right");
    }
    return number_time(where, *in->word++, time, in->error);
}

static char *kept(Reading *in, const char *text)
{
    return g_string_chunk_insert(in->story->text, text);
}

/* --- what there is -------------------------------------------------------- */

static bool take_controller(Reading *in)
{
    if (!*in->word || !board_model_find(*in->word)) {
        return wrong(in, "is no board; raidsim boards lists them");
    }
    in->story->board = kept(in, *in->word++);
    return !is_word(in, "seed") ||
           take_whole(in, 0, G_MAXINT64, "is no seed; a whole number would "
                      "be right", &in->story->seed);
}

/* "drives 4 wd1200jb", and again for the ports behind. */
static bool take_drives(Reading *in)
{
    GString *drives = in->story->drives;
    uint64_t count = 1;

    if (*in->word && g_ascii_isdigit(**in->word) && in->word[1] &&
        !take_whole(in, 1, 64, "is no number of drives; 1 to 64 would be "
                    "right", &count)) {
        return false;
    }
    if (!*in->word) {
        return wrong(in, "stands where a drive, as in 'drives 4 wd1200jb', "
                     "would be right");
    }
    if (drives->len) {
        g_string_append_c(drives, ',');
    }
    if (count > 1) {
        g_string_append_printf(drives, "%" PRIu64 "x", count);
    }
    g_string_append(drives, *in->word++);
    return true;
}

static bool take_create(Reading *in, SimTime at)
{
    g_autoptr(GString) spec = g_string_new(NULL);
    g_autoptr(GError) why = NULL;
    GArray *specs;

    if (at) {
        return wrong(in, "comes too late; units are made before power-on, "
                     "right would be 'at 0 create ...'");
    }
    if (!*in->word) {
        return wrong(in, "stands where a level, as raid5, would be right");
    }
    g_string_append(spec, *in->word++);
    if (!is_word(in, "port") && !need(in, "ports")) {
        return false;
    }
    if (!*in->word) {
        return wrong(in, "stands where ports, as 0-3, would be right");
    }
    g_string_append_printf(spec, ":%s", *in->word++);
    if (is_word(in, "stripe")) {
        g_string_append_printf(spec, ":%s", *in->word ? *in->word++ : "");
    }
    specs = raid_spec_parse(spec->str, &why);
    if (!specs) {
        return number_error(in->error, "%s:%u: %s", in->story->path,
                            in->line, why->message);
    }
    g_array_unref(specs);
    g_string_append_printf(in->story->units, "%s%s",
                           in->story->units->len ? "/" : "", spec->str);
    return true;
}

/* --- work ----------------------------------------------------------------- */

static bool take_pattern(Reading *in, ScenarioEntry *entry)
{
    g_autofree char *name = NULL;
    g_autoptr(GError) why = NULL;

    if (!*in->word) {
        return wrong(in, "stands where a pattern, as file-server, or fio "
                     "would be right");
    }
    entry->job.name = kept(in, *in->word);
    if (is_word(in, "fio")) {
        return true;
    }
    name = g_strdelimit(g_strdup(*in->word), "-", '_');
    entry->spec = g_new0(IometerSpec, 1);
    if (!iometer_spec_named(entry->spec, name, &why)) {
        return number_error(in->error, "%s:%u: %s; or fio and its words",
                            in->story->path, in->line, why->message);
    }
    in->word++;
    return true;
}

static bool take_fio_word(Reading *in, ScenarioEntry *entry)
{
    JobPlace place = { in->story->path, in->line, in->story->text };
    g_auto(GStrv) pair = g_strsplit(*in->word, "=", 2);
    bool ignored;

    if (!job_take(&entry->job, &place, pair[0], pair[1], &ignored,
                  in->error)) {
        return false;
    }
    if (ignored) {
        g_ptr_array_add(in->story->ignored, kept(in, pair[0]));
    }
    in->word++;
    return true;
}

/* "for 60s" or "for 1000 requests". */
static bool take_length(Reading *in, ScenarioEntry *entry)
{
    if (*in->word && in->word[1] && !strcmp(in->word[1], "requests")) {
        bool ok = take_whole(in, 1, UINT64_C(1) << 53, "is no number of "
                             "requests", &entry->requests);

        in->word += ok;
        return ok;
    }
    if (!take_time(in, "for", &entry->time)) {
        return false;
    }
    if (!entry->time) {
        in->word--;
        return wrong(in, "is no time to work; more than 0 would be right");
    }
    return true;
}

static bool take_work(Reading *in, ScenarioEntry *entry)
{
    uint64_t number = 1;

    entry->unit = -1;
    if (!take_pattern(in, entry)) {
        return false;
    }
    while (*in->word && strcmp(*in->word, "for")) {
        if (is_word(in, "depth")) {
            if (!take_whole(in, 1, JOB_DEPTH_MAX, "is no depth; 1 to 1024 "
                            "would be right", &number)) {
                return false;
            }
            entry->depth = number;
        } else if (is_word(in, "on")) {
            if (!need(in, "unit") ||
                !take_whole(in, 0, RAID_UNITS_MAX - 1, "is no unit; 0 to 15 "
                            "would be right", &number)) {
                return false;
            }
            entry->unit = number;
        } else if (entry->spec) {
            return wrong(in, "stands where depth N, on unit N or for TIME "
                         "would be right");
        } else if (!take_fio_word(in, entry)) {
            return false;
        }
    }
    if (!need(in, "for") || !take_length(in, entry)) {
        return false;
    }
    return true;
}

/* --- what happens --------------------------------------------------------- */

static bool take_port(Reading *in, ScenarioEntry *entry)
{
    uint64_t port = 0;
    bool ok = need(in, "port") &&
              take_whole(in, 0, 63, "is no port; a number from 0 on would "
                         "be right", &port);

    entry->port = port;
    return ok;
}

/* The rest of the line; judged now, by a world of its own. */
static bool take_fault(Reading *in, ScenarioEntry *entry)
{
    g_autofree char *rule = g_strjoinv(" ", in->word);
    g_autoptr(GError) error = NULL;
    bool ok = fault_is_right(rule, &error);

    entry->fault = g_string_chunk_insert(in->story->text, rule);
    while (ok && *in->word) {
        in->word++;
    }
    return ok || number_error(in->error, "%s:%u: %s", in->story->path,
                              in->line, error->message);
}

/* The rest of the line, which the card judges when it gets it. */
static bool take_order(Reading *in, ScenarioEntry *entry)
{
    g_autofree char *line = g_strjoinv(" ", in->word);

    if (!*in->word) {
        return wrong(in, "stands where an order, as u0 start verify, would be "
                     "right");
    }
    entry->order = kept(in, line);
    while (*in->word) {
        in->word++;
    }
    return true;
}

static bool take_verb(Reading *in, ScenarioEntry *entry)
{
    if (is_word(in, "work")) {
        entry->verb = SCENARIO_WORK;
        return take_work(in, entry);
    }
    if (is_word(in, "pull")) {
        entry->verb = SCENARIO_PULL;
        return take_port(in, entry);
    }
    if (is_word(in, "plug")) {
        entry->verb = SCENARIO_PLUG;
        return take_port(in, entry);
    }
    if (is_word(in, "fault")) {
        entry->verb = SCENARIO_FAULT;
        return take_fault(in, entry);
    }
    if (is_word(in, "order")) {
        entry->verb = SCENARIO_ORDER;
        return take_order(in, entry);
    }
    if (is_word(in, "power")) {
        entry->verb = SCENARIO_POWER_CUT;
        return need(in, "cut");
    }
    if (is_word(in, "report")) {
        entry->verb = SCENARIO_REPORT;
        return true;
    }
    return wrong(in, "is nothing that can happen; right would be " VERBS);
}

static bool take_at(Reading *in)
{
    ScenarioEntry entry = { .line = in->line };
    bool ok;

    if (!take_time(in, "at", &entry.at)) {
        return false;
    }
    if (is_word(in, "create")) {
        return take_create(in, entry.at);
    }
    if (in->story->entries->len == ENTRIES_MAX) {
        return wrong(in, "is one line too many; 1000 would be right");
    }
    ok = take_verb(in, &entry);
    g_array_append_val(in->story->entries, entry);      /* owns the spec */
    return ok;
}

static bool take_line(Reading *in, char *line)
{
    g_auto(GStrv) words = NULL;
    unsigned count = 0;
    bool ok;

    line[strcspn(line, "#\r\n")] = 0;
    words = g_strsplit_set(line, " \t", -1);
    for (char **from = words; *from; from++) {
        char *word = *from;

        *from = NULL;
        if (*word) {
            words[count++] = word;
        } else {
            g_free(word);
        }
    }
    in->word = words;
    if (!count) {
        return true;
    }
    if (is_word(in, "controller")) {
        ok = take_controller(in);
    } else if (is_word(in, "drives")) {
        ok = take_drives(in);
    } else if (is_word(in, "at")) {
        ok = take_at(in);
    } else {
        ok = wrong(in, "begins no line of a story; right would be "
                   "controller, drives or at TIME");
    }
    return ok && (!*in->word || wrong(in, "is one word too many"));
}

static gint by_time(gconstpointer a, gconstpointer b)
{
    const ScenarioEntry *left = a, *right = b;

    return (left->at > right->at) - (left->at < right->at);
}

static bool take_lines(Reading *in, FILE *file)
{
    Scenario *story = in->story;
    char line[LINE_BYTES];

    while (fgets(line, sizeof(line), file)) {
        in->line++;
        if ((!strchr(line, '\n') && !feof(file)) ||
            !g_utf8_validate(line, -1, NULL)) {
            return number_error(in->error, "%s:%u: a line of more than 1022 "
                                "characters, or no text", story->path,
                                in->line);
        }
        if (!take_line(in, line)) {
            return false;
        }
    }
    if (ferror(file)) {
        return number_error(in->error, "%s: cannot be read: %s", story->path,
                            g_strerror(errno));
    }
    if (!story->drives->len || !story->entries->len) {
        return number_error(in->error, "%s: %s", story->path,
                            story->drives->len
                            ? "nothing happens; right would be a line as "
                              "'at 1s work file-server depth 4 for 10s'"
                            : "has no drives; right would be a line as "
                              "'drives 4 wd1200jb'");
    }
    g_array_sort(story->entries, by_time);
    return true;
}

Scenario *scenario_read(const char *path, GError **error)
{
    FILE *file = fopen(path, "r");
    Reading in = { .error = error };
    Scenario *story;
    bool ok;

    if (!file) {
        number_error(error, "%s: cannot be read: %s", path,
                     g_strerror(errno));
        return NULL;
    }
    in.story = story = g_new0(Scenario, 1);
    story->text = g_string_chunk_new(1024);
    story->path = kept(&in, path);
    story->board = "3ware-7410";
    story->seed = 1;
    story->drives = g_string_new(NULL);
    story->units = g_string_new(NULL);
    story->entries = g_array_new(FALSE, FALSE, sizeof(ScenarioEntry));
    story->ignored = g_ptr_array_new();
    ok = take_lines(&in, file);
    fclose(file);
    if (!ok) {
        scenario_free(story);
        return NULL;
    }
    return story;
}

void scenario_free(Scenario *story)
{
    if (!story) {
        return;
    }
    for (guint i = 0; i < story->entries->len; i++) {
        g_free(g_array_index(story->entries, ScenarioEntry, i).spec);
    }
    g_array_unref(story->entries);
    g_ptr_array_unref(story->ignored);
    g_string_free(story->drives, TRUE);
    g_string_free(story->units, TRUE);
    g_string_chunk_free(story->text);
    g_free(story);
}
