/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV - a table with named columns, as RFC 4180 writes it: commas, quotes
 * around what holds one, quotes in quotes doubled, a row a line.
 */
#ifndef RAID_SIM_CSV_H
#define RAID_SIM_CSV_H

#include <glib.h>
#include <stdbool.h>

typedef struct CsvRow {
    unsigned line;              /* in the file */
    char **word;                /* as many as there are columns */
} CsvRow;

typedef struct Csv {
    char *path;
    char **column;              /* the first line */
    unsigned columns;
    CsvRow *row;
    unsigned rows;
} Csv;

/* NULL and one line, "FILE:LINE: what; what would be right". */
Csv *csv_read(const char *path, GError **error);
void csv_free(Csv *csv);

bool csv_has(const Csv *csv, const char *column);
/* The word; "" where there is no such column. */
const char *csv_word(const Csv *csv, const CsvRow *row, const char *column);

#endif
