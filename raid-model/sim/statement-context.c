/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement: a row's columns become lists, and lists become points.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "raid-model/sim/statement.h"

static const StatementArray every_array[] = {
    { "single", 1 }, { "raid0", 2 }, { "raid0", 3 }, { "raid0", 4 },
    { "raid1", 2 }, { "raid10", 4 }, { "raid5", 3 }, { "raid5", 4 },
};

/* Its time is a service time: nothing else may be outstanding. */
#define WRITE_AFTER_READ "any write after reads"
#define MIXED_PATTERNS 3

/* StorageReview's five, the mixed ones first; others name theirs. */
static const char *const every_pattern[] = {
    "file_server", "workstation", "database", "random_write",
    "sequential_write",
};

bool statement_array(const char *word, StatementArray *array)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(every_array); i++) {
        g_autofree char *name = g_strdup_printf("%sx%u", every_array[i].level,
                                                every_array[i].members);

        if (!strcmp(word, name) || !strcmp(word, every_array[i].level)) {
            *array = every_array[i];
            if (!strcmp(word, name)) {
                return true;
            }
            /* A family: its largest, found later in the list. */
            for (unsigned j = i; j < G_N_ELEMENTS(every_array); j++) {
                if (!strcmp(every_array[j].level, word)) {
                    *array = every_array[j];
                }
            }
            return true;
        }
    }
    return false;
}

bool statement_is_sequential(const char *pattern)
{
    return g_str_has_prefix(pattern, "sequential");
}

/* --- lists --------------------------------------------------------------- */

static void add_family(Statement *statement, const char *word, bool but)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(every_array); i++) {
        g_autofree char *name = g_strdup_printf("%sx%u", every_array[i].level,
                                                every_array[i].members);
        bool same = !strcmp(word, name) ||
                    !strcmp(word, every_array[i].level) ||
                    !strcmp(word, "all");

        if (same != but) {
            g_array_append_val(statement->arrays, every_array[i]);
        }
    }
}

/* "raid0", "all but raid5x3", "raid1x2 vs single; raid10x4 vs raid0x2". */
static void read_arrays(Statement *statement, const char *text)
{
    g_auto(GStrv) words = g_strsplit_set(text, " ;,>", -1);

    if (g_str_has_prefix(text, "all but ")) {
        add_family(statement, text + strlen("all but "), true);
        return;
    }
    for (char **word = words; *word; word++) {
        if (**word && strcmp(*word, "vs")) {
            add_family(statement, *word, false);
        }
    }
    if (!statement->arrays->len) {
        add_family(statement, "single", false);
    }
}

static void read_controllers(Statement *statement, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " vs ", -1);

    for (char **word = words; *word; word++) {
        const PublishedName *name = published_name(*word);

        if (name) {
            g_ptr_array_add(statement->controllers, (gpointer)name);
        } else if (**word) {
            statement->failed = g_strdup_printf("there is no board for '%s'",
                                                *word);
        }
    }
    if (!statement->controllers->len) {
        g_ptr_array_add(statement->controllers,
                        (gpointer)published_name("7410"));
    }
}

static void add_word(GPtrArray *list, const char *word)
{
    g_ptr_array_add(list, (gpointer)g_intern_string(word));
}

static void read_caches(Statement *statement, const char *mode)
{
    bool wt = strstr(mode, "wt") || !strcmp(mode, "both");
    bool wb = strstr(mode, "wb") || !strcmp(mode, "both");

    /* A quotient of the two is one figure. */
    if (wb && !strstr(mode, "vs")) {
        add_word(statement->caches, "wb");
    }
    if (wt) {
        add_word(statement->caches, "wt");
    }
    if (!statement->caches->len) {
        add_word(statement->caches, strstr(mode, "WB/WT") ? "wb" : "");
    }
}

static void add_writes(Statement *statement, int from, int to)
{
    for (int writes = from; writes <= to; writes += 10) {
        g_array_append_val(statement->writes, writes);
    }
}

static void read_patterns(Statement *statement, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    bool xbit = !strcmp(((const PublishedName *)
                         statement->controllers->pdata[0])->alias, "SX4");

    for (char **word = words; *word; word++) {
        const char *name = *word;

        if (!strcmp(name, "workstation_write_sweep") ||
            !strcmp(name, "database_8k")) {
            name = !strcmp(name, "database_8k") ? name : "workstation";
            add_writes(statement, 0, 100);
        }
        if (xbit && !strcmp(name, "workstation")) {
            name = "xbit_workstation";
        }
        if (g_str_has_prefix(name, "sequential") && xbit) {
            for (uint32_t kib2 = 1; kib2 <= 2048; kib2 *= 2) {
                g_array_append_val(statement->sizes, kib2);
            }
        }
        if (!strcmp(text, "all") || !strcmp(text, WRITE_AFTER_READ)) {
            break;
        }
        add_word(statement->patterns, name);
    }
    if (!statement->patterns->len) {
        unsigned count = !strcmp(text, WRITE_AFTER_READ)
            ? MIXED_PATTERNS : G_N_ELEMENTS(every_pattern);

        for (unsigned i = 0; i < count; i++) {
            add_word(statement->patterns, every_pattern[i]);
        }
    }
    if (!statement->writes->len) {
        add_writes(statement, STATEMENT_AS_PATTERN, STATEMENT_AS_PATTERN);
    }
    if (!statement->sizes->len) {
        uint32_t own = 0;

        g_array_append_val(statement->sizes, own);
    }
}

static void add_depths(Statement *statement, unsigned from, unsigned to,
                       unsigned factor)
{
    for (unsigned depth = from; depth <= to; depth *= factor) {
        g_array_append_val(statement->depths, depth);
    }
}

/* Whose depths: those of the row's first pattern. */
static void all_depths(Statement *statement, unsigned from)
{
    const char *pattern = statement->patterns->pdata[0];
    bool xbit = !strcmp(((const PublishedName *)
                         statement->controllers->pdata[0])->alias, "SX4");

    if (!xbit) {
        add_depths(statement, MAX(from, 1), 256, 4);
    } else if (statement_is_sequential(pattern)) {
        add_depths(statement, 4, 4, 2);
    } else if (!strcmp(pattern, "database_8k")) {
        add_depths(statement, 1, 256, 16);
    } else {
        add_depths(statement, 1,
                   g_str_has_suffix(pattern, "workstation") ? 32 : 256, 2);
    }
}

static void read_depths(Statement *statement, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    unsigned low = 0, high = 0;
    char *dots = strstr(text, "..");

    if (dots) {
        low = atoi(text);
        high = atoi(dots + 2);
        add_depths(statement, MAX(low, 1), MIN(high, 1024), 2);
    } else if (*text == '>') {
        all_depths(statement, 4);
    } else if (!strcmp(text, "small and average")) {
        add_depths(statement, 1, 16, 16);
    } else if (!strcmp(text, "high")) {
        add_depths(statement, 256, 256, 2);
    } else if (g_ascii_isdigit(*text)) {
        for (char **word = words; *word; word++) {
            unsigned depth = CLAMP(atoi(*word), 1, 1024);

            g_array_append_val(statement->depths, depth);
        }
    } else {
        all_depths(statement, 1);
    }
}

bool statement_init(Statement *statement, const Csv *csv, const CsvRow *row,
                    Cells *cells)
{
    const char *value = csv_word(csv, row, "value");

    *statement = (Statement) {
        .cells = cells,
        .unit = csv_word(csv, row, "unit"),
        .value = *value ? g_ascii_strtod(value, NULL) : NAN,
        .controllers = g_ptr_array_new(), .caches = g_ptr_array_new(),
        .patterns = g_ptr_array_new(),
        .arrays = g_array_new(FALSE, FALSE, sizeof(StatementArray)),
        .depths = g_array_new(FALSE, FALSE, sizeof(unsigned)),
        .writes = g_array_new(FALSE, FALSE, sizeof(int)),
        .sizes = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
    read_controllers(statement, csv_word(csv, row, "controller"));
    read_caches(statement, csv_word(csv, row, "mode"));
    read_arrays(statement, csv_word(csv, row, "arrays"));
    read_patterns(statement, csv_word(csv, row, "pattern"));
    read_depths(statement, strcmp(csv_word(csv, row, "pattern"),
                                  WRITE_AFTER_READ)
                ? csv_word(csv, row, "queue_depth") : "1");
    return !statement->failed;
}

void statement_clear(Statement *statement)
{
    g_ptr_array_unref(statement->controllers);
    g_ptr_array_unref(statement->caches);
    g_ptr_array_unref(statement->patterns);
    g_array_unref(statement->arrays);
    g_array_unref(statement->depths);
    g_array_unref(statement->writes);
    g_array_unref(statement->sizes);
    g_free(statement->failed);
}

/* --- points -------------------------------------------------------------- */

typedef struct Walk {
    Statement *statement;
    void (*each)(void *opaque, const StatementPoint *point);
    void *opaque;
} Walk;

static void walk_loads(const Walk *walk, StatementPoint *point)
{
    Statement *statement = walk->statement;

    for (guint p = 0; p < statement->patterns->len; p++) {
        for (guint d = 0; d < statement->depths->len; d++) {
            for (guint w = 0; w < statement->writes->len; w++) {
                for (guint s = 0; s < statement->sizes->len; s++) {
                    point->pattern = statement->patterns->pdata[p];
                    point->depth = g_array_index(statement->depths, unsigned,
                                                 d);
                    point->writes = g_array_index(statement->writes, int, w);
                    point->kib2 = g_array_index(statement->sizes, uint32_t,
                                                s);
                    walk->each(walk->opaque, point);
                }
            }
        }
    }
}

void statement_each(Statement *statement,
                    void (*each)(void *opaque, const StatementPoint *point),
                    void *opaque)
{
    Walk walk = { statement, each, opaque };

    /* Only `ratio` needs the second controller; it takes it by itself. */
    for (guint m = 0; m < statement->caches->len; m++) {
        for (guint a = 0; a < statement->arrays->len; a++) {
            StatementPoint point = {
                .controller = statement->controllers->pdata[0],
                .cache = statement->caches->pdata[m],
                .array = g_array_index(statement->arrays, StatementArray, a),
            };

            walk_loads(&walk, &point);
        }
    }
}
