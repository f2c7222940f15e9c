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

#define WORDS_MAX 12
#define SHOWN_MAX 40            /* characters of a wrong line */
#define COUNT_MAX 131072        /* sectors of a request: 64 MiB */
#define SECTOR_BYTES 512
#define MS_MAX 1e9
#define US_MAX 1e12
#define S_MAX 1e8
#define TICK_NS 100

typedef struct Reading Reading;

typedef struct Format {
    const char *name, *right, *blanks;
    unsigned words;             /* 0: it varies */
    bool closed;
    bool (*take)(Reading *in, char **word, unsigned words);
} Format;

/* One kind of line of blkparse's: given to the driver, or queued. */
typedef struct Action {
    GArray *requests;           /* of TraceRequest */
    GHashTable *open;           /* sector to index + 1: not completed yet */
} Action;

struct Reading {
    const TraceAsk *ask;
    unsigned line;
    TraceFile *trace;
    const Format *format;       /* NULL until it is known */
    char *device;               /* of the first line */
    uint64_t start;             /* msr: ticks of the first line */
    bool started, over;         /* over: a summary follows */
    SimTime last;
    Action driver, queue;       /* blkparse */
    GError **error;
};

/* "FILE:LINE: WHAT 'WORD'; right would be: ...".  Always false. */
static bool wrong(Reading *in, const char *what, const char *word)
{
    g_autofree char *clipped = g_strndup(word, SHOWN_MAX);
    g_autofree char *text = key_word_quoted(clipped);

    return number_error(in->error, "%s:%u: %s %s; right would be: %s",
                        in->ask->path, in->line, what, text,
                        in->format->right);
}

static unsigned cut(char *line, const char *blanks, char **word)
{
    unsigned words = 0;
    char *next = line;

    for (;;) {
        next += strspn(next, blanks);
        if (!*next || words == WORDS_MAX) {
            return words + (*next != 0);
        }
        word[words++] = next;
        next += strcspn(next, blanks);
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

/* Whether the line is of the device that is read; `ok` false: refused. */
static bool is_mine(Reading *in, const char *device, bool *ok)
{
    *ok = true;
    if (in->ask->device) {
        return !strcmp(device, in->ask->device);
    }
    if (!in->device) {
        in->device = g_strdup(device);
    }
    if (strcmp(device, in->device)) {
        *ok = wrong(in, "one drive is replayed, and this is another "
                    "(--device takes only the lines of one):", device);
        return false;
    }
    return true;
}

/* On the drive, or brought there. */
static bool take_span(Reading *in, uint64_t sector, uint64_t count,
                      TraceRequest *request)
{
    uint64_t sectors = in->ask->sectors;

    if (count > sectors || sector > sectors - count) {
        if (!in->ask->wrap || count > sectors) {
            return number_error(in->error, "%s:%u: sectors %" PRIu64
                                " to %" PRIu64 " are beyond the drive's "
                                "last, %" PRIu64 "; right would be a larger "
                                "drive, this trace's own, or --wrap",
                                in->ask->path, in->line, sector,
                                sector + count - 1, sectors - 1);
        }
        sector = MIN(sector % sectors, sectors - count);
    }
    request->sector = sector;
    request->count = count;
    in->trace->count_max = MAX(in->trace->count_max, request->count);
    return true;
}

static bool take_sectors(Reading *in, char *sector_word, char *count_word,
                         TraceRequest *request)
{
    uint64_t sector, count;

    if (!key_word_to_whole(sector_word, &sector)) {
        return wrong(in, "this is no LBA:", sector_word);
    }
    if (!key_word_to_whole(count_word, &count) || !count ||
        count > COUNT_MAX) {
        return wrong(in, "this is no number of sectors from 1 to 131072:",
                     count_word);
    }
    return take_span(in, sector, count, request);
}

static bool keep(Reading *in, const TraceRequest *request)
{
    g_array_append_vals(in->trace->requests, request, 1);
    return true;
}

/* --- DiskSim -------------------------------------------------------------- */

static bool take_validate(Reading *in, char **word,
                          unsigned words G_GNUC_UNUSED)
{
    TraceRequest request = { 0 };

    if (strcmp(word[0], "R") && strcmp(word[0], "W")) {
        return wrong(in, "this is neither R nor W:", word[0]);
    }
    request.write = word[0][0] == 'W';
    if (!take_sectors(in, word[2], word[3], &request)) {
        return false;
    }
    if (!is_time(word[4], US_MAX, 1e3, &request.measured)) {
        return wrong(in, "this is no measured time:", word[4]);
    }
    if (!is_time(word[5], US_MAX, 1e3, &request.when)) {
        return wrong(in, "this is no think time:", word[5]);
    }
    return keep(in, &request);
}

static bool take_ascii(Reading *in, char **word,
                       unsigned words G_GNUC_UNUSED)
{
    TraceRequest request = { 0 };
    uint64_t device;
    guint64 flags;
    bool ok;

    if (!is_time(word[0], MS_MAX, 1e6, &request.when)) {
        return wrong(in, "this is no time:", word[0]);
    }
    if (request.when < in->last) {
        return wrong(in, "this time is before the line before's:", word[0]);
    }
    in->last = request.when;
    if (!key_word_to_whole(word[1], &device)) {
        return wrong(in, "this is no device number:", word[1]);
    }
    if (!g_ascii_string_to_unsigned(word[4], 16, 0, G_MAXUINT32, &flags,
                                    NULL)) {
        return wrong(in, "these are no flags:", word[4]);
    }
    if (!is_mine(in, word[1], &ok)) {
        return ok;
    }
    request.write = !(flags & 1);
    return take_sectors(in, word[2], word[3], &request) &&
           keep(in, &request);
}

/* --- Microsoft Research Cambridge ----------------------------------------- */

static bool take_msr(Reading *in, char **word, unsigned words G_GNUC_UNUSED)
{
    TraceRequest request = { 0 };
    uint64_t at, disk, offset, bytes, taken;
    bool ok;

    if (!g_ascii_strcasecmp(word[0], "Timestamp") && !in->started) {
        return true;            /* names of the columns */
    }
    if (!key_word_to_whole(word[0], &at) || at > G_MAXINT64) {
        return wrong(in, "this is no time:", word[0]);
    }
    if (!key_word_to_whole(word[2], &disk)) {
        return wrong(in, "this is no disk number:", word[2]);
    }
    request.write = !g_ascii_strcasecmp(word[3], "Write");
    if (!request.write && g_ascii_strcasecmp(word[3], "Read")) {
        return wrong(in, "this is neither Read nor Write:", word[3]);
    }
    if (!key_word_to_whole(word[4], &offset) || offset % SECTOR_BYTES) {
        return wrong(in, "this is no offset in whole sectors of 512 bytes:",
                     word[4]);
    }
    if (!key_word_to_whole(word[5], &bytes) || !bytes ||
        bytes % SECTOR_BYTES || bytes / SECTOR_BYTES > COUNT_MAX) {
        return wrong(in, "this is no size in whole sectors, up to 64 MiB:",
                     word[5]);
    }
    if (!key_word_to_whole(word[6], &taken) ||
        taken > US_MAX * 1000 / TICK_NS) {
        return wrong(in, "this is no response time:", word[6]);
    }
    if (!is_mine(in, word[2], &ok)) {
        return ok;
    }
    in->start = in->started ? in->start : at;
    in->started = true;
    if (MAX(at, in->start) - MIN(at, in->start) > S_MAX * 1e9 / TICK_NS) {
        return wrong(in, "this is years from the first line's:", word[0]);
    }
    request.when = ((SimTime)at - (SimTime)in->start) * TICK_NS;
    request.measured = taken * TICK_NS;
    return take_span(in, offset / SECTOR_BYTES, bytes / SECTOR_BYTES,
                     &request) && keep(in, &request);
}

/* --- blkparse ------------------------------------------------------------- */

static void complete(Action *action, uint64_t sector, SimTime at)
{
    uint64_t key = sector;
    gpointer index = g_hash_table_lookup(action->open, &key);

    if (index) {
        TraceRequest *request = &g_array_index(action->requests, TraceRequest,
                                               GPOINTER_TO_SIZE(index) - 1);

        request->measured = MAX(at - request->when, 0);
        g_hash_table_remove(action->open, &key);
    }
}

static void ask_for(Action *action, uint64_t sector,
                    const TraceRequest *request)
{
    uint64_t *key = g_new(uint64_t, 1);

    g_array_append_vals(action->requests, request, 1);
    *key = sector;
    g_hash_table_replace(action->open, key,
                         GSIZE_TO_POINTER(action->requests->len));
}

/* "8,0": two numbers. */
static bool is_device(const char *word)
{
    size_t major = strspn(word, "0123456789");
    size_t minor = major && word[major] == ','
        ? strspn(word + major + 1, "0123456789") : 0;

    return minor && !word[major + 1 + minor];
}

static bool take_blkparse(Reading *in, char **word, unsigned words)
{
    TraceRequest request = { .measured = -1 };
    bool ok;
    uint64_t sector;

    if (g_str_has_prefix(word[0], "CPU") || !strcmp(word[0], "Total")) {
        in->over = true;        /* the summary at its end */
        return true;
    }
    if (!is_device(word[0])) {
        return wrong(in, "this is no device, as 8,0:", word[0]);
    }
    if (words < 6) {
        return wrong(in, "the line ends behind", word[words - 1]);
    }
    if (!is_time(word[3], S_MAX, 1e9, &request.when)) {
        return wrong(in, "this is no time:", word[3]);
    }
    if (!is_mine(in, word[0], &ok)) {
        return ok;
    }
    if (strcmp(word[5], "D") && strcmp(word[5], "Q") &&
        strcmp(word[5], "C")) {
        return true;
    }
    if (words < 7) {
        return wrong(in, "the line ends behind", word[words - 1]);
    }
    if (strchr(word[6], 'D') || !strpbrk(word[6], "RW") || words < 10 ||
        word[8][0] == '(') {
        in->trace->left_out += word[5][0] == 'D';
        return true;
    }
    if (strcmp(word[8], "+")) {
        return wrong(in, "there is no + between LBA and sectors, but",
                     word[8]);
    }
    request.write = strchr(word[6], 'W') != NULL;
    if (!strcmp(word[9], "0") || !key_word_to_whole(word[7], &sector)) {
        return !strcmp(word[9], "0") ||
               wrong(in, "this is no LBA:", word[7]);
    }
    if (word[5][0] == 'C') {
        complete(&in->driver, sector, request.when);
        complete(&in->queue, sector, request.when);
        return true;
    }
    if (!take_sectors(in, word[7], word[9], &request)) {
        return false;
    }
    ask_for(word[5][0] == 'D' ? &in->driver : &in->queue, sector, &request);
    return true;
}

static void action_init(Action *action)
{
    action->requests = g_array_new(FALSE, FALSE, sizeof(TraceRequest));
    action->open = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                         NULL);
}

static void action_clear(Action *action)
{
    g_array_unref(action->requests);
    g_hash_table_unref(action->open);
}

/* --- a file --------------------------------------------------------------- */

static const Format format[TRACE_FORMATS] = {
    [TRACE_VALIDATE] = { "disksim-validate",
        "R or W, a tag, LBA, sectors, measured and think time in us",
        " \t\r\n", 6, true, take_validate },
    [TRACE_ASCII] = { "disksim-ascii",
        "time in ms, device, LBA, sectors, flags in hexadecimal",
        " \t\r\n", 5, false, take_ascii },
    [TRACE_BLKPARSE] = { "blkparse",
        "MAJOR,MINOR CPU SEQUENCE SECONDS PID ACTION RWBS LBA + SECTORS",
        " \t\r\n", 0, false, take_blkparse },
    [TRACE_MSR] = { "msr",
        "ticks,host,disk,Read or Write,offset,bytes,ticks taken",
        ",\r\n", 7, false, take_msr },
};

static const Format *guess(const char *line)
{
    size_t first = strcspn(line, " \t\r\n");
    g_autofree char *word = g_strndup(line, first);

    if (is_device(word)) {
        return &format[TRACE_BLKPARSE];
    }
    if (strchr(word, ',')) {
        return &format[TRACE_MSR];
    }
    return &format[g_ascii_isalpha(word[0]) ? TRACE_VALIDATE : TRACE_ASCII];
}

static bool take_line(Reading *in, char *line)
{
    char *word[WORDS_MAX];
    g_autofree char *whole = NULL;
    unsigned words;

    g_strstrip(line);
    if (!*line || *line == '#' || in->over) {
        return true;
    }
    if (!in->format) {
        in->format = guess(line);
    }
    whole = g_strdup(line);
    words = cut(line, in->format->blanks, word);
    if (!words || (in->format->words && words != in->format->words)) {
        g_autofree char *what = g_strdup_printf("%u field%s, not %u, in",
            words, words == 1 ? "" : "s", in->format->words);

        return wrong(in, what, whole);
    }
    return in->format->take(in, word, MIN(words, WORDS_MAX));
}

static int by_time(gconstpointer a, gconstpointer b)
{
    const TraceRequest *left = a, *right = b;

    return (left->when > right->when) - (left->when < right->when);
}

/* What only shows when all lines are read. */
static bool finish(Reading *in)
{
    TraceFile *trace = in->trace;

    if (in->format == &format[TRACE_BLKPARSE]) {
        Action *action = in->driver.requests->len ? &in->driver : &in->queue;

        g_array_unref(trace->requests);
        trace->requests = g_array_ref(action->requests);
    }
    if (!trace->requests->len) {
        return number_error(in->error, "%s: has no requests; right would be "
                            "a trace as DiskSim, blkparse or MSR Cambridge "
                            "have it (raidsim replay --help)%s",
                            in->ask->path, in->ask->device
                            ? ", or another --device" : "");
    }
    trace->format = in->format - format;
    trace->closed = in->format->closed;
    trace->measured = trace->format != TRACE_ASCII;
    for (guint i = 0; i < trace->requests->len; i++) {
        trace->measured &= g_array_index(trace->requests, TraceRequest,
                                         i).measured >= 0;
    }
    if (!trace->closed) {
        SimTime first;

        g_array_sort(trace->requests, by_time);
        first = g_array_index(trace->requests, TraceRequest, 0).when;
        for (guint i = 0; first < 0 && i < trace->requests->len; i++) {
            g_array_index(trace->requests, TraceRequest, i).when -= first;
        }
    }
    return true;
}

static bool take_lines(Reading *in, FILE *file)
{
    char line[1024];

    while (fgets(line, sizeof(line), file)) {
        in->line++;
        if (!strchr(line, '\n') && !feof(file)) {
            return number_error(in->error, "%s:%u: a line of more than 1022 "
                                "characters; right would be a text file",
                                in->ask->path, in->line);
        }
        if (!take_line(in, line)) {
            return false;
        }
    }
    if (ferror(file)) {
        return number_error(in->error, "%s: cannot be read: %s",
                            in->ask->path, g_strerror(errno));
    }
    return finish(in);
}

TraceFile *trace_file_read(const TraceAsk *ask, GError **error)
{
    TraceFile *trace;
    Reading in = { .ask = ask, .error = error };
    FILE *file = fopen(ask->path, "r");
    bool ok;

    if (!file) {
        number_error(error, "%s: cannot be read: %s", ask->path,
                     g_strerror(errno));
        return NULL;
    }
    trace = g_new0(TraceFile, 1);
    trace->requests = g_array_new(FALSE, FALSE, sizeof(TraceRequest));
    in.trace = trace;
    in.format = ask->format == TRACE_AUTO ? NULL : &format[ask->format];
    action_init(&in.driver);
    action_init(&in.queue);
    ok = take_lines(&in, file);
    action_clear(&in.driver);
    action_clear(&in.queue);
    g_free(in.device);
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
        g_array_unref(trace->requests);
        g_free(trace);
    }
}

bool trace_format_find(const char *name, TraceFormat *found)
{
    for (*found = 0; *found < TRACE_FORMATS; (*found)++) {
        if (!strcmp(name, format[*found].name)) {
            return true;
        }
    }
    return !strcmp(name, "auto");
}

const char *trace_format_name(TraceFormat number)
{
    return format[number].name;
}
