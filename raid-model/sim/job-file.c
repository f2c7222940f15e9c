/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job file: a line, its key and value, the job it belongs to.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "disk-model/drive/key-source.h"
#include "raid-model/sim/job-file.h"
#include "raid-model/sim/number.h"

#define LINE_MAX_BYTES 4096
#define JOBS_MAX 256

typedef struct Reading {
    JobFile *file;
    const char *path;
    unsigned line;
    Job global;
    bool in_job;                /* else in [global], or before any section */
    bool in_section;
    GError **error;
} Reading;

/* "FILE:LINE: 'WORD' WHAT".  Always false. */
static bool wrong(const Reading *in, const char *word, const char *what)
{
    g_autofree char *quoted = key_word_quoted(word);

    return number_error(in->error, "%s:%u: %s %s", in->path, in->line,
                        quoted, what);
}

static Job *current(Reading *in)
{
    return in->in_job ? &g_array_index(in->file->jobs, Job,
                                       in->file->jobs->len - 1)
                      : &in->global;
}

static bool begin_section(Reading *in, char *text)
{
    char *end = strchr(text, ']');
    Job job = in->global;

    if (!end || end[1] || end == text + 1) {
        return wrong(in, text, "is no section; right would be [global] or "
                     "[NAME]");
    }
    *end = 0;
    in->in_section = true;
    in->in_job = g_ascii_strcasecmp(text + 1, "global") != 0;
    if (!in->in_job) {
        return true;
    }
    if (in->file->jobs->len == JOBS_MAX) {
        return wrong(in, text + 1, "is one job too many; 256 would be right");
    }
    job.name = g_string_chunk_insert(in->file->text, text + 1);
    g_array_append_val(in->file->jobs, job);
    return true;
}

static void ignore(Reading *in, const char *key)
{
    GPtrArray *ignored = in->file->ignored;

    for (guint i = 0; i < ignored->len; i++) {
        if (!strcmp(ignored->pdata[i], key)) {
            return;
        }
    }
    g_ptr_array_add(ignored, g_string_chunk_insert_const(in->file->text,
                                                         key));
}

static bool take_pair(Reading *in, const char *key, const char *value)
{
    JobPlace place = { in->path, in->line, in->file->text };
    bool ignored;

    if (!job_take(current(in), &place, key, value, &ignored, in->error)) {
        return false;
    }
    if (ignored) {
        ignore(in, key);
    }
    return true;
}

/* Puts in what the environment has for ${NAME}. */
static bool expand(Reading *in, GString *text)
{
    for (char *dollar; (dollar = strstr(text->str, "${"));) {
        gsize at = dollar - text->str;
        char *end = strchr(dollar, '}');
        g_autofree char *name = end ? g_strndup(dollar + 2, end - dollar - 2)
                                    : NULL;
        const char *value = name ? g_getenv(name) : NULL;

        if (!value || strstr(value, "${")) {
            return wrong(in, dollar, "is not in the environment");
        }
        g_string_erase(text, at, end + 1 - dollar);
        g_string_insert(text, at, value);
        if (text->len > LINE_MAX_BYTES) {
            return wrong(in, name, "makes the line too long");
        }
    }
    return true;
}

static bool take_line(Reading *in, char *line)
{
    g_autoptr(GString) text = NULL;
    char *equals;

    line[strcspn(line, ";#\n")] = 0;
    text = g_string_new(g_strstrip(line));
    if (!g_utf8_validate(text->str, -1, NULL)) {
        return wrong(in, text->str, "is not text");
    }
    if (!expand(in, text) || !text->len) {
        return !text->len;
    }
    if (text->str[0] == '[') {
        return begin_section(in, text->str);
    }
    if (!in->in_section) {
        return wrong(in, text->str, "stands before the first section; right "
                     "would be [global] or [NAME] above it");
    }
    equals = strchr(text->str, '=');
    if (equals) {
        *equals++ = 0;
        equals = g_strstrip(equals);
    }
    return take_pair(in, g_strchomp(text->str), equals);
}

static bool take_lines(Reading *in, FILE *file)
{
    char line[LINE_MAX_BYTES];

    while (fgets(line, sizeof(line), file)) {
        in->line++;
        if (!strchr(line, '\n') && !feof(file)) {
            return wrong(in, line, "begins a line that is too long");
        }
        if (!take_line(in, line)) {
            return false;
        }
    }
    if (ferror(file)) {
        return number_error(in->error, "%s: cannot be read: %s", in->path,
                            g_strerror(errno));
    }
    if (!in->file->jobs->len) {
        return number_error(in->error, "%s: has no job; right would be a "
                            "section [NAME] besides [global]", in->path);
    }
    return true;
}

JobFile *job_file_read(const char *path, GError **error)
{
    FILE *stream = fopen(path, "r");
    JobFile *file;
    Reading in = { .path = path, .error = error };
    bool ok;

    if (!stream) {
        number_error(error, "%s: cannot be read: %s", path,
                     g_strerror(errno));
        return NULL;
    }
    file = g_new0(JobFile, 1);
    file->jobs = g_array_new(FALSE, FALSE, sizeof(Job));
    file->ignored = g_ptr_array_new();
    file->text = g_string_chunk_new(1024);
    in.file = file;
    in.path = g_string_chunk_insert(file->text, path);
    ok = take_lines(&in, stream);
    fclose(stream);
    if (!ok) {
        job_file_free(file);
        return NULL;
    }
    return file;
}

void job_file_free(JobFile *file)
{
    if (file) {
        g_array_unref(file->jobs);
        g_ptr_array_unref(file->ignored);
        g_string_chunk_free(file->text);
        g_free(file);
    }
}
