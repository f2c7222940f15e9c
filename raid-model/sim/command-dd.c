/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim dd: dd to or from a unit, through Linux's page cache, in dd's own
 * words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "raid-model/sim/command.h"
#include "raid-model/sim/dd.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/sim/linux-words.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"

#define WORDS_MAX 4

static const char more[] =
    "if=unit reads and of=unit writes a file that lies from the unit's start\n"
    "on; the other side is /dev/null or /dev/zero and need not be said.\n"
    "bs=SIZE is 1M unless told, count=N is needed. The clock of a write stops\n"
    "when the last call returns: what is in the page cache then is not paid\n"
    "for. MB and GB are decimal, as dd prints them.\n"
    "\n"
    "Examples\n"
    "  raidsim dd of=unit bs=1M count=20480\n"
    "  raidsim dd --level raid0 --members 4 if=unit bs=1M count=20480\n"
    "\n"
    "Exit status: 0 done, 1 the unit answered an error, 2 wrong usage.\n";

static bool number_word(const char *word, uint64_t *number, GError **error)
{
    const char *value = strchr(word, '=') + 1;
    g_autofree char *name = g_strndup(word, value - word - 1);

    return number_bytes(name, value, number, error);
}

static bool is_nothing(const char *path)
{
    return !strcmp(path, "/dev/zero") || !strcmp(path, "/dev/null");
}

static bool one_word(const char *word, DdAsk *ask, bool *reads, bool *writes,
                     GError **error)
{
    if (g_str_has_prefix(word, "bs=")) {
        return number_word(word, &ask->bs_bytes, error);
    }
    if (g_str_has_prefix(word, "count=")) {
        return number_word(word, &ask->count, error);
    }
    if (!strcmp(word, "if=unit")) {
        *reads = true;
        return true;
    }
    if (!strcmp(word, "of=unit")) {
        *writes = true;
        return true;
    }
    if (g_str_has_prefix(word, "if=") || g_str_has_prefix(word, "of=")) {
        return is_nothing(word + 3) ||
               number_error(error, "%s: unit, /dev/zero or /dev/null would "
                            "be right", word);
    }
    return number_error(error, "'%s': if=unit, of=unit, bs=SIZE or count=N "
                        "would be right", word);
}

static bool plan(const LinuxWords *words, int argc, char **argv, DdAsk *ask,
                 GError **error)
{
    bool reads = false, writes = false;

    for (int i = 1; i < argc; i++) {
        if (!one_word(argv[i], ask, &reads, &writes, error)) {
            return false;
        }
    }
    if (reads == writes) {
        return number_error(error, "either if=unit or of=unit would be right "
                            "(raidsim dd --help)");
    }
    ask->verb = reads ? UNIT_READ : UNIT_WRITE;
    return linux_words_apply(words, &ask->computer, error);
}

static void print_text(const DdResult *result)
{
    double bytes = result->bytes;

    printf("%" PRIu64 "+0 records in\n%" PRIu64 "+0 records out\n",
           result->records, result->records);
    printf("%" PRIu64 " bytes (%.*f %s) copied, %g s, %.*f %s%s\n",
           result->bytes, bytes < 10e9 && bytes >= 1e9, bytes >= 1e9
           ? bytes / 1e9 : bytes / 1e6, bytes >= 1e9 ? "GB" : "MB",
           result->took / 1e9, dd_bytes_per_s(result) < 10e6,
           dd_bytes_per_s(result) / 1e6, "MB/s",
           result->interrupted ? " (interrupted)" : "");
}

static void print_json(const DdAsk *ask, const DdResult *result)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    linux_words_json(&json, &ask->computer);
    json_string(&json, "direction",
                ask->verb == UNIT_READ ? "read" : "write");
    json_integer(&json, "bs", ask->bs_bytes);
    json_integer(&json, "records", result->records);
    json_integer(&json, "bytes", result->bytes);
    json_number(&json, "seconds", result->took / 1e9);
    json_number(&json, "mb_per_s", dd_bytes_per_s(result) / 1e6);
    json_integer(&json, "interrupted", result->interrupted);
    text = json_end(&json);
    fputs(text, stdout);
}

static int run(const LinuxWords *words, const DdAsk *ask, GError **error)
{
    DdResult result;
    bool done;

    progress_begin();
    done = dd_run(ask, &result, error);
    progress_end();
    if (!done) {
        return COMMAND_USAGE;
    }
    if (words->json) {
        print_json(ask, &result);
    } else {
        print_text(&result);
    }
    if (result.error != UNIT_OK) {
        fprintf(stderr, "raidsim dd: stopped at sector %" PRIu64 ": %s\n",
                result.error_lba, job_status_name(result.error));
        return 1;
    }
    return 0;
}

int command_dd(int argc, char **argv)
{
    LinuxWords words = LINUX_WORDS_NONE;
    DdAsk ask = { DD_DEFAULTS };
    g_autoptr(GError) error = NULL;
    int status = COMMAND_USAGE;
    const GOptionEntry entries[] = { LINUX_WORDS_OPTIONS(&words), { 0 } };

    ask.computer.progress = "raidsim dd";
    if (command_options("dd", &argc, &argv, entries,
                        "if=unit|of=unit [bs=SIZE] count=N", WORDS_MAX,
                        more)) {
        if (plan(&words, argc, argv, &ask, &error)) {
            status = run(&words, &ask, &error);
        }
        if (error) {
            status = command_refuse("dd", error->message);
        }
    }
    linux_words_clear(&words);
    return status;
}
