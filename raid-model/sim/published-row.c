/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published: one row of a table of figures.
 */
#include <math.h>
#include <string.h>

#include "raid-model/sim/number.h"
#include "raid-model/sim/published.h"

/* StorageReview's drive has no name on it; see its preset. */
static const PublishedName name[] = {
    { "3ware Escalade 6400", "6400", "3ware-6400", "sr5400" },
    { "3ware Escalade 7410", "7410", "3ware-7410", "sr5400" },
    { "3ware Escalade 7500-4LP", "7500-4LP", "3ware-7500-4", "wd1200jb" },
    { "3ware Escalade 7500-4", "7500-4", "3ware-7500-4", "wd1200jb" },
    { "3ware Escalade 7810", "7810", "3ware-7810", "sr5400" },
    { "3ware Escalade 8506-8", "8506-8", "3ware-8506-8", "wd360gd" },
    { "3ware 8506-8", "8506", "3ware-8506-8", "wd360gd" },
    { "Abit SL6", "SL6", "ata-onboard", "sr5400" },
    { "Promise Ultra 66", "Ultra66", "promise-ultra66", "sr5400" },
    { "Adaptec ATA RAID 2400A", "2400A", "adaptec-2400a", "sr5400" },
    { "Promise FastTRAK S150 SX4", "SX4", "fasttrak-s150-sx4", "wd360gd" },
    { "Promise FastTRAK S150 TX4", "TX4", "fasttrak-s150-tx4", "wd360gd" },
};

/* Cells that the sources themselves, or what is physically there, refute. */
static const struct {
    const char *controller, *level;     /* NULL: any */
    const char *pattern;
    unsigned members_min, members_max, depth_min, depth_max;
    const char *why;
} faulty[] = {
    { "Promise Ultra 66", NULL, "database", 1, 1, 0, UINT_MAX,
      "the source repeats its workstation figures" },
    { "3ware Escalade 7410", "raid0", "sequential_write", 2, 2, 256, 256,
      "one drive's rate at this one depth: taken for a slip" },
    { "3ware Escalade 7410", "raid1", "sequential_write", 2, 2, 1, 1,
      "odd at the source" },
    { "3ware Escalade 7410", "raid1", "sequential_write", 2, 2, 64, UINT_MAX,
      "odd at the source: the driver fault its reviewer describes" },
    { "Adaptec ATA RAID 2400A", "raid0", "sequential_write", 3, UINT_MAX, 0,
      UINT_MAX, "odd at the source" },
};

const PublishedName *published_name(const char *words)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(name); i++) {
        if (!g_ascii_strcasecmp(words, name[i].name) ||
            !g_ascii_strcasecmp(words, name[i].alias)) {
            return &name[i];
        }
    }
    return NULL;
}

static const char *fault_of(const char *controller, const CellAsk *ask)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(faulty); i++) {
        if (!strcmp(faulty[i].controller, controller) &&
            (!faulty[i].level || !strcmp(faulty[i].level, ask->level)) &&
            !strcmp(faulty[i].pattern, ask->pattern) &&
            ask->members >= faulty[i].members_min &&
            ask->members <= faulty[i].members_max &&
            ask->depth >= faulty[i].depth_min &&
            ask->depth <= faulty[i].depth_max) {
            return faulty[i].why;
        }
    }
    return NULL;
}

static bool set(PublishedRow *row, RowState state, const char *why)
{
    row->state = state;
    g_free(row->why);
    row->why = g_strdup(why);
    return true;
}

static bool number(const Csv *csv, const CsvRow *from, const char *column,
                   double *value, GError **error)
{
    const char *text = csv_word(csv, from, column);
    char *end;

    *value = g_ascii_strtod(text, &end);
    return (end != text && !*end && isfinite(*value)) ||
           number_error(error, "%s:%u: %s is '%s'; a number would be right",
                        csv->path, from->line, column, text);
}

/* A cell's figure in the row's unit; what is not there yet is noted. */
static bool take(PublishedRow *row, const CellValue *value)
{
    switch (value->state) {
    case CELL_MISSING:
        return set(row, ROW_MISSING, "not run");
    case CELL_FAILED:
        return set(row, ROW_NOT_MODELLED, value->why);
    default:
        break;
    }
    row->model = !strcmp(row->unit, "IO/s") ? value->iops : value->mib_per_s;
    return true;
}

static bool iometer_row(const Csv *csv, const CsvRow *from, Cells *cells,
                        PublishedRow *row, GError **error)
{
    const PublishedName *board = published_name(row->controller);
    const char *level = csv_word(csv, from, "level"), *why;
    double drives, depth;
    CellAsk ask;

    if (!number(csv, from, "drives", &drives, error) ||
        !number(csv, from, "queue_depth", &depth, error) ||
        !number(csv, from, "value", &row->measured, error)) {
        return false;
    }
    ask = (CellAsk) {
        .level = !strcmp(level, "raid01") ? "raid10" : level,
        .members = CLAMP(drives, 1, 64), .depth = CLAMP(depth, 1, 1024),
        .pattern = csv_word(csv, from, "pattern"),
    };
    g_free(row->what);
    row->what = g_strdup_printf("%s x%u %s %u", level, ask.members,
                                ask.pattern, ask.depth);
    if (strcmp(row->unit, "IO/s") && strcmp(row->unit, "MB/s")) {
        return set(row, ROW_LEFT_OUT, "a computer's own load is not modelled");
    }
    if (!board) {
        return set(row, ROW_NOT_MODELLED, "there is no such board");
    }
    ask.board = board->board;
    ask.drive = board->drive;
    why = fault_of(row->controller, &ask);
    set(row, why ? ROW_LEFT_OUT : ROW_COUNTED, why);
    return take(row, cells_get(cells, &ask));
}

/* --- bonnie++ ------------------------------------------------------------ */

static bool same_load(const Csv *csv, const CsvRow *a, const CsvRow *b)
{
    static const char *const column[] = {
        "controller", "level", "drives", "drive_model", "kernel", "phase",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(column); i++) {
        if (strcmp(csv_word(csv, a, column[i]), csv_word(csv, b, column[i]))) {
            return false;
        }
    }
    return true;
}

static bool is_mean(const Csv *csv, const CsvRow *row)
{
    return !strcmp(csv_word(csv, row, "run"), "mean");
}

/* Runs of one load are one figure, their mean; it stands at the first. */
static bool mean_of_runs(const Csv *csv, const CsvRow *from, double *mean,
                         unsigned *runs, GError **error)
{
    double value;

    *mean = *runs = 0;
    for (unsigned i = 0; i < csv->rows; i++) {
        const CsvRow *row = &csv->row[i];

        if (!same_load(csv, row, from) || is_mean(csv, row)) {
            continue;
        }
        if (row < from) {
            *runs = 0;
            return true;
        }
        if (!number(csv, row, "value", &value, error)) {
            return false;
        }
        *mean += (value - *mean) / ++*runs;
    }
    return true;
}

static bool bonnie_take(const Csv *csv, const CsvRow *from, Cells *cells,
                        PublishedRow *row, const CellAsk *ask)
{
    const char *phase = csv_word(csv, from, "phase");
    const CellValue *value = cells_get(cells, ask);

    if (value->state == CELL_DONE) {
        for (unsigned i = 0; i < BONNIE_PHASES; i++) {
            if (!strcmp(phase, bonnie_phase_name[i])) {
                row->model = value->bonnie[i];
                return true;
            }
        }
        return set(row, ROW_NOT_MODELLED, "no such phase");
    }
    return take(row, value);
}

static bool bonnie_row(const Csv *csv, const CsvRow *from, Cells *cells,
                       PublishedRow *row, GError **error)
{
    const PublishedName *board = published_name(row->controller);
    g_autofree char *drive =
        g_ascii_strdown(csv_word(csv, from, "drive_model"), -1);
    const char *kernel = csv_word(csv, from, "kernel");
    CellAsk ask = { .drive = drive, .level = csv_word(csv, from, "level"),
                    .pattern = "bonnie" };
    double drives;
    unsigned runs = 0;

    if (!number(csv, from, "drives", &drives, error) ||
        !number(csv, from, "value", &row->measured, error)) {
        return false;
    }
    ask.members = CLAMP(drives, 1, 64);
    g_free(row->what);
    row->what = g_strdup_printf("%s x%u %s %s %s", ask.level, ask.members,
                                kernel, csv_word(csv, from, "phase"),
                                csv_word(csv, from, "run"));
    if (strchr(row->unit, '%')) {
        return set(row, ROW_LEFT_OUT, "a computer's own load is not modelled");
    }
    if (!board) {
        return set(row, ROW_NOT_MODELLED, "there is no such board");
    }
    if (is_mean(csv, from)) {
        return set(row, ROW_LEFT_OUT, "the mean of rows above");
    }
    if (strstr(kernel, "-ck")) {
        return set(row, ROW_LEFT_OUT, "its author does not trust this kernel");
    }
    if (!mean_of_runs(csv, from, &row->measured, &runs, error)) {
        return false;
    }
    if (!runs) {
        number(csv, from, "value", &row->measured, NULL);
        return set(row, ROW_LEFT_OUT, "in the mean of the runs above");
    }
    g_free(row->what);
    row->what = g_strdup_printf("%s x%u %s %s, mean of %u", ask.level,
                                ask.members, kernel,
                                csv_word(csv, from, "phase"), runs);
    ask.board = board->board;
    set(row, ROW_COUNTED, NULL);
    return bonnie_take(csv, from, cells, row, &ask);
}

/* --- any row ------------------------------------------------------------- */

bool published_row(const Csv *csv, const CsvRow *from, Cells *cells,
                   PublishedRow *row, GError **error)
{
    row->controller = csv_word(csv, from, "controller");
    row->unit = csv_word(csv, from, "unit");
    row->model = NAN;
    if (csv_has(csv, "pattern")) {
        return iometer_row(csv, from, cells, row, error);
    }
    if (csv_has(csv, "phase")) {
        return bonnie_row(csv, from, cells, row, error);
    }
    g_free(row->what);
    row->what = g_strdup_printf("%s x%s %s %s", csv_word(csv, from, "level"),
                                csv_word(csv, from, "drives"),
                                csv_word(csv, from, "workload"),
                                csv_word(csv, from, "metric"));
    return set(row, ROW_NOT_MODELLED, published_name(row->controller)
               ? "not modelled yet" : "there is no such board") &&
           number(csv, from, "value", &row->measured, error);
}
