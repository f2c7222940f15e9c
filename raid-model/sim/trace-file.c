/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace file: a line, its words, a request.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "disk-model/drive/key-source.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/trace-file.h"

#define WORDS_MAX 8
#define SHOWN_MAX 40            /* characters of a wrong line */
#define COUNT_MAX 131072        /* sectors of a request: 64 MiB */
#define MS_MAX 1e9
#define US_MAX 1e12

static const char validate_right[] =
    "R or W, a tag, LBA, sectors, measured and think time in us";
static const char ascii_right[] =
    "time in ms, device, LBA, sectors, flags in hexadecimal";

typedef struct Reading {
    const char *path;
    unsigned line;
    uint64_t sectors;
    TraceFile *trace;
    bool known;                 /* which format it is */
    uint64_t device;            /* ascii: of the first line */
    SimTime last;
    GError **error;
} Reading;

static bool wrong(Reading *in, const char *what, const char *word)
{
    g_autofree char *clipped = g_strndup(word, SHOWN_MAX);
    g_autofree char *text = key_word_quoted(clipped);

    return number_error(in->error, "%s:%u: %s %s; right would be: %s",
                        in->path, in->line, what, text,
                        in->trace->measured ? validate_right : ascii_right);
}

static unsigned cut(char *line, char **word)
{
    unsigned words = 0;
    char *next = line;

    for (;;) {
        next += strspn(next, " \t\r\n");
        if (!*next || words == WORDS_MAX) {
            return words + (*next != 0);
        }
        word[words++] = next;
        next += strcspn(next, " \t\r\n");
        if (*next) {
            *next++ = 0;
        }
    }
}

static bool is_time(const char *word, double most, double scale,
                    SimTime *time)
{
    double value;

    if (!key_word_to_real(word, &value) || value < 0 || value > most) {
        return false;
    }
    *time = (SimTime)(value * scale + 0.5);
    return true;
}

/* LBA and sectors, on the drive. */
static bool take_span(Reading *in, char **word, TraceRequest *request)
{
    uint64_t count;

    if (!key_word_to_whole(word[0], &request->sector)) {
        return wrong(in, "this is no LBA:", word[0]);
    }
    if (!key_word_to_whole(word[1], &count) || !count || count > COUNT_MAX) {
        return wrong(in, "this is no number of sectors from 1 to 131072:",
                     word[1]);
    }
    if (count > in->sectors || request->sector > in->sectors - count) {
        return number_error(in->error, "%s:%u: sectors %" PRIu64 " to %"
                            PRIu64 " are beyond the drive's last, %" PRIu64
                            "; right would be a larger drive, or this "
                            "trace's own", in->path, in->line,
                            request->sector, request->sector + count - 1,
                            in->sectors - 1);
    }
    request->count = count;
    return true;
}

static bool take_validate(Reading *in, char **word, TraceRequest *request)
{
    if (strcmp(word[0], "R") && strcmp(word[0], "W")) {
        return wrong(in, "this is neither R nor W:", word[0]);
    }
    request->write = word[0][0] == 'W';
    if (!take_span(in, word + 2, request)) {
        return false;
    }
    if (!is_time(word[4], US_MAX, 1e3, &request->measured)) {
        return wrong(in, "this is no measured time:", word[4]);
    }
    if (!is_time(word[5], US_MAX, 1e3, &request->when)) {
        return wrong(in, "this is no think time:", word[5]);
    }
    return true;
}

static bool take_ascii(Reading *in, char **word, TraceRequest *request)
{
    uint64_t device;
    guint64 flags;

    if (!is_time(word[0], MS_MAX, 1e6, &request->when)) {
        return wrong(in, "this is no time:", word[0]);
    }
    if (request->when < in->last) {
        return wrong(in, "this time is before the line before's:", word[0]);
    }
    in->last = request->when;
    if (!key_word_to_whole(word[1], &device)) {
        return wrong(in, "this is no device number:", word[1]);
    }
    if (!in->trace->requests->len) {
        in->device = device;
    }
    if (device != in->device) {
        return wrong(in, "one drive is replayed, and this is another:",
                     word[1]);
    }
    if (!g_ascii_string_to_unsigned(word[4], 16, 0, G_MAXUINT32, &flags,
                                    NULL)) {
        return wrong(in, "these are no flags:", word[4]);
    }
    request->write = !(flags & 1);
    return take_span(in, word + 2, request);
}

static bool take_line(Reading *in, char *line)
{
    TraceRequest request = { 0 };
    char *word[WORDS_MAX];
    g_autofree char *whole = g_strdup(line);
    unsigned words = cut(line, word);

    if (!words || word[0][0] == '#') {
        return true;
    }
    if (!in->known) {
        in->trace->measured = g_ascii_isalpha(word[0][0]);
        in->known = true;
    }
    if (words != (in->trace->measured ? 6 : 5)) {
        g_autofree char *what = g_strdup_printf("%u field%s, not %u, in",
            words, words == 1 ? "" : "s", in->trace->measured ? 6 : 5);

        return wrong(in, what, g_strstrip(whole));
    }
    if (!(in->trace->measured ? take_validate(in, word, &request)
                              : take_ascii(in, word, &request))) {
        return false;
    }
    g_array_append_val(in->trace->requests, request);
    in->trace->count_max = MAX(in->trace->count_max, request.count);
    return true;
}

static bool take_lines(Reading *in, FILE *file)
{
    char line[512];
    bool ok = true;

    while (ok && fgets(line, sizeof(line), file)) {
        in->line++;
        if (!strchr(line, '\n') && !feof(file)) {
            return wrong(in, "a line of more than 510 characters:", line);
        }
        ok = take_line(in, line);
    }
    if (ok && ferror(file)) {
        return number_error(in->error, "%s: cannot be read: %s", in->path,
                            g_strerror(errno));
    }
    if (ok && !in->trace->requests->len) {
        return number_error(in->error, "%s: has no requests; right would be "
                            "lines of %s, or of %s", in->path,
                            validate_right, ascii_right);
    }
    return ok;
}

TraceFile *trace_file_read(const char *path, uint64_t sectors,
                           GError **error)
{
    TraceFile *trace;
    Reading in = { .path = path, .sectors = sectors, .error = error };
    FILE *file = fopen(path, "r");
    bool ok;

    if (!file) {
        number_error(error, "%s: cannot be read: %s", path,
                     g_strerror(errno));
        return NULL;
    }
    trace = g_new0(TraceFile, 1);
    trace->requests = g_array_new(FALSE, FALSE, sizeof(TraceRequest));
    in.trace = trace;
    ok = take_lines(&in, file);
    fclose(file);
    if (!ok) {
        trace_file_free(trace);
        return NULL;
    }
    return trace;
}

void trace_file_free(TraceFile *trace)
{
    if (trace) {
        g_array_free(trace->requests, TRUE);
        g_free(trace);
    }
}
