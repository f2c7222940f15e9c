/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV: a line to words, a file to rows.
 */
#include <string.h>

#include "raid-model/sim/csv.h"
#include "raid-model/sim/number.h"

/* NULL when a quote is left open. */
static char **split(const char *line, unsigned *count)
{
    GPtrArray *words = g_ptr_array_new();
    GString *word = g_string_new(NULL);
    bool quoted = false;

    for (const char *c = line; *c; c++) {
        if (*c == '"' && quoted && c[1] == '"') {
            g_string_append_c(word, '"');
            c++;
        } else if (*c == '"') {
            quoted = !quoted;
        } else if (*c == ',' && !quoted) {
            g_ptr_array_add(words, g_string_free(word, FALSE));
            word = g_string_new(NULL);
        } else {
            g_string_append_c(word, *c);
        }
    }
    g_ptr_array_add(words, g_string_free(word, FALSE));
    *count = words->len;
    g_ptr_array_add(words, NULL);
    if (quoted) {
        g_strfreev((char **)g_ptr_array_free(words, FALSE));
        return NULL;
    }
    return (char **)g_ptr_array_free(words, FALSE);
}

static bool add_line(Csv *csv, GArray *rows, unsigned line, const char *text,
                     GError **error)
{
    CsvRow row = { .line = line };
    unsigned count;

    row.word = split(text, &count);
    if (!row.word) {
        return number_error(error, "%s:%u: a quote is left open; a row is a "
                            "line", csv->path, line);
    }
    if (!csv->column) {
        csv->column = row.word;
        csv->columns = count;
        return true;
    }
    g_array_append_val(rows, row);
    return count == csv->columns ||
           number_error(error, "%s:%u: %u fields; %u would be right, as in "
                        "the first line", csv->path, line, count,
                        csv->columns);
}

Csv *csv_read(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(CsvRow));
    Csv *csv;
    gsize len;
    bool good = true;

    if (!g_file_get_contents(path, &text, &len, error)) {
        g_array_unref(rows);
        return NULL;
    }
    csv = g_new0(Csv, 1);
    csv->path = g_strdup(path);
    if (memchr(text, '\0', len)) {
        good = number_error(error, "%s: not a text file", path);
    }
    lines = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; good && lines[i]; i++) {
        g_strchomp(lines[i]);
        if (*lines[i]) {
            good = add_line(csv, rows, i + 1, lines[i], error);
        }
    }
    if (good && !csv->column) {
        good = number_error(error, "%s: empty; a first line with the columns' "
                            "names would be right", path);
    }
    csv->rows = rows->len;
    csv->row = (CsvRow *)g_array_free(rows, FALSE);
    if (!good) {
        csv_free(csv);
        return NULL;
    }
    return csv;
}

void csv_free(Csv *csv)
{
    if (!csv) {
        return;
    }
    for (unsigned i = 0; i < csv->rows; i++) {
        g_strfreev(csv->row[i].word);
    }
    g_strfreev(csv->column);
    g_free(csv->row);
    g_free(csv->path);
    g_free(csv);
}

static int find(const Csv *csv, const char *column)
{
    for (unsigned i = 0; i < csv->columns; i++) {
        if (!strcmp(csv->column[i], column)) {
            return i;
        }
    }
    return -1;
}

bool csv_has(const Csv *csv, const char *column)
{
    return find(csv, column) >= 0;
}

const char *csv_word(const Csv *csv, const CsvRow *row, const char *column)
{
    int i = find(csv, column);

    return i < 0 ? "" : row->word[i];
}
