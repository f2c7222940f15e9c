/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement: rows that state a fact of board or test, held against what the
 * models have in its place.
 */
#include <math.h>
#include <string.h>

#include "raid-model/sim/iometer-run.h"
#include "raid-model/sim/statement.h"

typedef struct Fact {
    const char *words;          /* in the row's statement */
    const char *unit;           /* the row's */
    bool (*have)(const PublishedName *name, const char *pattern,
                 double *value);
} Fact;

static bool stripe(const PublishedName *name, const char *pattern,
                   double *value)
{
    (void)name;
    (void)pattern;
    *value = 64;                /* what iometer-run.c takes unless told */
    return true;
}

static bool stripe_min(const PublishedName *name, const char *pattern,
                       double *value)
{
    (void)name;
    (void)pattern;
    *value = RAID_STRIPE_SECTORS_MIN * DISK_SECTOR_BYTES / 1024.0;
    return true;
}

static bool stripe_max(const PublishedName *name, const char *pattern,
                       double *value)
{
    (void)name;
    (void)pattern;
    *value = RAID_STRIPE_SECTORS_MAX * DISK_SECTOR_BYTES / 1024.0;
    return true;
}

static bool ports(const PublishedName *name, const char *pattern,
                  double *value)
{
    const BoardModel *board = board_model_find(name->board);

    (void)pattern;
    if (board) {
        *value = board->ports;
    }
    return board != NULL;
}

static bool cache(const PublishedName *name, const char *pattern,
                  double *value)
{
    const BoardModel *board = board_model_find(name->board);

    (void)pattern;
    if (board) {
        *value = board->cache_bytes / 1048576.0;
    }
    return board != NULL;
}

/* A pattern's own share of writes, in percent. */
static bool writes(const PublishedName *name, const char *pattern,
                   double *value)
{
    g_auto(GStrv) words = g_strsplit(pattern, " ", -1);
    g_autofree IometerSpec *spec = g_new0(IometerSpec, 1);

    (void)name;
    if (!words[0] || !iometer_spec_named(spec, words[0], NULL)) {
        return false;
    }
    *value = round(iometer_spec_write_share(spec) * 100);
    return true;
}

static bool reads(const PublishedName *name, const char *pattern,
                  double *value)
{
    bool good = writes(name, pattern, value);

    *value = 100 - *value;
    return good;
}

static bool size(const PublishedName *name, const char *pattern,
                 double *value)
{
    g_autofree IometerSpec *spec = g_new0(IometerSpec, 1);

    (void)name;
    if (!iometer_spec_named(spec, pattern, NULL)) {
        return false;
    }
    *value = iometer_spec_bytes_max(spec) / 1024.0;
    return true;
}

static const Fact fact[] = {
    { "smallest selectable stripe", "KiB", stripe_min },
    { "largest selectable stripe", "KiB", stripe_max },
    { "stripe unit used", "KiB", stripe },
    { "channels", "channels", ports },
    { "ports", "ports", ports },
    { "cache fitted", "MB", cache },
    { "no write cache of its own", "", cache },
    { "read share", "percent", reads },
    { "write share", "percent", writes },
    { "fully random", "KiB", size },
};

/* Rows that name the drives of the test: "drives: WD360GD". */
static Verdict drives(const char *statement, const PublishedName *name,
                      GString *seen)
{
    const char *model = statement + strlen("drives: ");

    g_string_append_printf(seen, "the model's drives are %s", name->drive);
    return g_ascii_strcasecmp(model, name->drive) ? VERDICT_FALSE
                                                  : VERDICT_TRUE;
}

Verdict statement_fact(const Csv *csv, const CsvRow *row, GString *seen)
{
    const char *statement = csv_word(csv, row, "statement");
    const char *unit = csv_word(csv, row, "unit");
    const char *pattern = csv_word(csv, row, "pattern");
    const PublishedName *name =
        published_name(csv_word(csv, row, "controller"));
    double wanted = g_ascii_strtod(csv_word(csv, row, "value"), NULL), value;

    name = name ? name : published_name("7410");
    if (g_str_has_prefix(statement, "drives: ")) {
        return drives(statement, name, seen);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(fact); i++) {
        if (!strcmp(unit, fact[i].unit) && strstr(statement, fact[i].words) &&
            fact[i].have(name, pattern, &value)) {
            g_string_append_printf(seen, "the model has %g %s", value, unit);
            return value == wanted ? VERDICT_TRUE : VERDICT_FALSE;
        }
    }
    g_string_append(seen, "the models have nothing in its place");
    return VERDICT_NOT_TESTABLE;
}
