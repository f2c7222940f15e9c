/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim bonnie: bonnie++ 1.03 in fast mode, on a unit of equal drives.
 */
#include <inttypes.h>
#include <stdio.h>

#include "raid-model/sim/bonnie.h"
#include "raid-model/sim/command.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/sim/linux-words.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"

static const char more[] =
    "The computer has Linux 2.6's page cache, read-ahead and anticipatory\n"
    "elevator above a 3ware driver, and as much of ext3 as costs time: map\n"
    "blocks, a commit every 5 s. Figures are bonnie++'s: K is 1024 bytes;\n"
    "a phase's clock stops when its last call returns, so what is still\n"
    "dirty then is the next phase's burden. Columns of processor use stay\n"
    "empty.\n"
    "\n"
    "Examples\n"
    "  raidsim bonnie\n"
    "      four WD1200JB as a RAID 5 on a 7410, 3 GiB in chunks of 64k\n"
    "  raidsim bonnie --board 3ware-7500-4 --read-ahead 256 --memory 1g\n"
    "\n"
    "Exit status: 0 done, 1 the unit answered an error, 2 wrong usage.\n";

static void print_text(const BonnieAsk *ask, const BonnieResult *result)
{
    g_autofree char *size = number_print_bytes(ask->size_bytes);
    g_autofree char *chunk = number_print_bytes(ask->chunk_bytes);
    g_autofree char *what = g_strdup_printf("%s:%s", size, chunk);
    char shown[BONNIE_PHASES][12] = { "", "", "", "" };

    for (unsigned i = 0; i < result->phases; i++) {
        g_snprintf(shown[i], sizeof(shown[i]), "%.*f", i == BONNIE_SEEKS,
                   result->value[i]);
    }
    printf("%s, %u x %s, %s%s\n", ask->computer.board, ask->computer.members,
           ask->computer.drive, ask->computer.level,
           result->interrupted ? " (interrupted)" : "");
    printf("               -----Sequential Output---- Sequential Input "
           "--Random--\n"
           "               --Block--- --Rewrite-- ---- --Block---  "
           "--Seeks---\n"
           "     Size:chnk  K/sec %%CP  K/sec %%CP       K/sec %%CP   "
           "/sec %%CP\n"
           "%14s %6s     %6s          %6s     %6s\n", what,
           shown[0], shown[1], shown[2], shown[3]);
}

static void print_json(const BonnieAsk *ask, const BonnieResult *result)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    linux_words_json(&json, &ask->computer);
    json_integer(&json, "size_bytes", ask->size_bytes);
    json_integer(&json, "chunk_bytes", ask->chunk_bytes);
    json_integer(&json, "runs", ask->runs);
    for (unsigned i = 0; i < result->phases; i++) {
        json_number(&json, bonnie_phase_name[i], result->value[i]);
    }
    json_object(&json, "seconds");
    for (unsigned i = 0; i < result->phases; i++) {
        json_number(&json, bonnie_phase_name[i], result->took_s[i]);
    }
    json_close_object(&json);
    json_integer(&json, "interrupted", result->interrupted);
    text = json_end(&json);
    fputs(text, stdout);
}

static bool plan(const LinuxWords *words, const char *size, const char *chunk,
                 BonnieAsk *ask, GError **error)
{
    uint64_t bytes = ask->chunk_bytes;

    if (!linux_words_apply(words, &ask->computer, error) ||
        (size && !number_bytes("--size", size, &ask->size_bytes, error)) ||
        (chunk && !number_bytes("--chunk", chunk, &bytes, error))) {
        return false;
    }
    ask->chunk_bytes = MIN(bytes, UINT32_MAX);
    return true;
}

static int run(const LinuxWords *words, const BonnieAsk *ask, GError **error)
{
    BonnieResult result;
    bool done;

    progress_begin();
    done = bonnie_run(ask, &result, error);
    progress_end();
    if (!done) {
        return COMMAND_USAGE;
    }
    (words->json ? print_json : print_text)(ask, &result);
    if (result.error != UNIT_OK) {
        fprintf(stderr, "raidsim bonnie: stopped at sector %" PRIu64 ": %s\n",
                result.error_lba, job_status_name(result.error));
        return 1;
    }
    return 0;
}

int command_bonnie(int argc, char **argv)
{
    LinuxWords words = LINUX_WORDS_NONE;
    BonnieAsk ask = { BONNIE_DEFAULTS };
    g_autofree char *size = NULL, *chunk = NULL;
    g_autoptr(GError) error = NULL;
    gint runs = ask.runs;
    int status = COMMAND_USAGE;
    const GOptionEntry entries[] = {
        LINUX_WORDS_OPTIONS(&words),
        { "size", 0, 0, G_OPTION_ARG_STRING, &size,
          "Of all files together; default 3g", "SIZE" },
        { "chunk", 0, 0, G_OPTION_ARG_STRING, &chunk,
          "Of one call; default 64k", "SIZE" },
        { "runs", 0, 0, G_OPTION_ARG_INT, &runs,
          "Figures are the mean of so many; default 5", "N" },
        { 0 }
    };

    ask.computer.progress = "raidsim bonnie";
    if (command_options("bonnie", &argc, &argv, entries, NULL, 0, more)) {
        ask.runs = MAX(runs, 0);
        if (plan(&words, size, chunk, &ask, &error)) {
            status = run(&words, &ask, &error);
        }
        if (error) {
            status = command_refuse("bonnie", error->message);
        }
    }
    linux_words_clear(&words);
    return status;
}
