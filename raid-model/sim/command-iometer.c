/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim iometer: an IOMeter pattern on a unit of equal drives.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "raid-model/sim/command.h"
#include "raid-model/sim/iometer-run.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/control/json.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"

typedef struct Words {
    char *board, *drive, *level, *pattern, *stripe, *runtime, *turn, *queue;
    char **icf;
    gint members, depth, commands;
    gint64 requests, seed;
    gboolean json;
} Words;

static const char more[] =
    "Patterns (a percentage of writes or a size may follow, after a colon)\n"
    "  file_server, web_server     Intel's mixes of 512 bytes to 64k or 512k\n"
    "  workstation                 8k, 80 % reads, 80 % random\n"
    "  xbit_workstation            512 bytes to 64k, 60 % reads, 80 % random\n"
    "  database                    8k, 67 % reads, all random\n"
    "  random_read, random_write, sequential_read, sequential_write\n"
    "  workstation_100pct_read, database_8k, default\n"
    "as in workstation:30 (30 % writes), sequential_write:32k. Or give lines\n"
    "of your own: --icf size,%size,%read,%random,delay,burst,align,reply\n"
    "\n"
    "The load is closed: --depth requests are always outstanding. What the\n"
    "computer does is Windows 2000's: a queue sorted by address above a\n"
    "driver that keeps as many commands on the card as the board's does. The\n"
    "first requests, until caches are full, are not measured. MB/s are 2^20\n"
    "bytes a second.\n"
    "\n"
    "Examples\n"
    "  raidsim iometer --level raid0 --members 2 --depth 16\n"
    "  raidsim iometer --drive wd360gd --pattern database_8k:40 --depth 256\n"
    "  raidsim iometer --icf 4096,70,100,100,0,1,0,0 \\\n"
    "                  --icf 65536,30,0,0,0,1,0,0\n"
    "\n"
    "Exit status: 0 done, 1 the unit answered an error, 2 wrong usage.\n";

static bool read_words(Words *words, int *argc, char ***argv)
{
    const GOptionEntry entries[] = {
        { "board", 0, 0, G_OPTION_ARG_STRING, &words->board,
          "Controller; default 3ware-7410 (see raidsim boards)", "NAME" },
        { "drive", 0, 0, G_OPTION_ARG_STRING, &words->drive,
          "Model of every drive; default sr5400", "MODEL" },
        { "level", 0, 0, G_OPTION_ARG_STRING, &words->level,
          "single, raid0, raid1, raid5 or raid10; default single", "LEVEL" },
        { "members", 0, 0, G_OPTION_ARG_INT, &words->members,
          "Drives in the unit; default the fewest", "N" },
        { "stripe", 0, 0, G_OPTION_ARG_STRING, &words->stripe,
          "Stripe unit; default 64k", "SIZE" },
        { "pattern", 0, 0, G_OPTION_ARG_STRING, &words->pattern,
          "Which requests; default file_server", "NAME[:NUMBER]" },
        { "icf", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->icf,
          "A line of an access specification; may be given again", "LINE" },
        { "depth", 0, 0, G_OPTION_ARG_INT, &words->depth,
          "Requests outstanding; default 1", "N" },
        { "requests", 0, 0, G_OPTION_ARG_INT64, &words->requests,
          "Measure so many", "N" },
        { "runtime", 0, 0, G_OPTION_ARG_STRING, &words->runtime,
          "Measure so much model time", "TIME" },
        { "turn-around", 0, 0, G_OPTION_ARG_STRING, &words->turn,
          "From a request done to the next one issued; default 50us",
          "TIME" },
        { "queue", 0, 0, G_OPTION_ARG_STRING, &words->queue,
          "Order of the computer's queue; default sorted", "sorted|fifo" },
        { "commands", 0, 0, G_OPTION_ARG_INT, &words->commands,
          "Commands on the card at once, 0 without limit; default the "
          "board's", "N" },
        { "seed", 0, 0, G_OPTION_ARG_INT64, &words->seed,
          "Of all chance: addresses and spindles; default 1", "N" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &words->json,
          "Print JSON", NULL },
        { 0 }
    };

    return command_options("iometer", argc, argv, entries, NULL, 0, more);
}

static const char *or_else(const char *word, const char *fallback)
{
    return word ? word : fallback;
}

static bool plan_spec(const Words *words, IometerSpec *spec, GError **error)
{
    if (!words->icf) {
        return iometer_spec_named(spec, or_else(words->pattern, "file_server"),
                                  error);
    }
    if (words->pattern) {
        return number_error(error, "--pattern and --icf: one of the two would "
                            "be right");
    }
    for (char **line = words->icf; *line; line++) {
        if (!iometer_spec_add(spec, *line, error)) {
            return false;
        }
    }
    return iometer_spec_check(spec, error);
}

static bool plan_unit(const Words *words, IometerAsk *ask, GError **error)
{
    ask->board = or_else(words->board, "3ware-7410");
    ask->drive = or_else(words->drive, "sr5400");
    ask->level = or_else(words->level, "single");
    return rig_unit_words(ask->level, words->members, words->stripe,
                          &ask->members, &ask->stripe_bytes, error);
}

static bool plan_host(const Words *words, IometerAsk *ask, GError **error)
{
    const char *queue = or_else(words->queue, "sorted");
    const BoardModel *board = board_model_find(ask->board);

    if (board) {                /* if not, rig_new() says so */
        ask->host = iometer_windows(board);
    }
    ask->turn_ns = IOMETER_TURN_NS;
    if (words->turn &&
        !number_time("--turn-around", words->turn, &ask->turn_ns, error)) {
        return false;
    }
    if (words->commands < -1) {
        return number_error(error, "--commands %d: 0 or more would be right",
                            words->commands);
    }
    if (words->commands >= 0) {
        ask->host.commands_max = words->commands;
    }
    ask->host.order = !strcmp(queue, "fifo") ? HOST_FIFO : HOST_SORTED;
    return !strcmp(queue, "fifo") || !strcmp(queue, "sorted") ||
           number_error(error, "--queue %s: sorted or fifo would be right",
                        queue);
}

static bool plan_load(const Words *words, IometerAsk *ask, GError **error)
{
    if (words->depth < 1 || words->depth > IOMETER_DEPTH_MAX) {
        return number_error(error, "--depth %d: 1 to %d would be right",
                            words->depth, IOMETER_DEPTH_MAX);
    }
    ask->depth = words->depth;
    if (words->seed < 0) {
        return number_error(error, "--seed %" G_GINT64_FORMAT ": 0 or more "
                            "would be right", words->seed);
    }
    ask->seed = words->seed;
    if (words->requests < 0) {
        return number_error(error, "--requests %" G_GINT64_FORMAT
                            ": 1 or more would be right", words->requests);
    }
    ask->requests = words->requests;
    return !words->runtime ||
           (number_time("--runtime", words->runtime, &ask->runtime, error) &&
            (ask->runtime > 0 ||
             number_error(error, "--runtime is 0: more would be right")));
}

static void print_text(const Words *words, const IometerAsk *ask,
                       const IometerResult *result)
{
    const IometerSide *side[] = { &result->read, &result->write };

    printf("%s, %u x %s, %s, %s, depth %u%s\n", ask->board, ask->members,
           ask->drive, ask->level,
           words->icf ? "lines of your own"
                      : or_else(words->pattern, "file_server"),
           ask->depth, result->interrupted ? " (interrupted)" : "");
    printf("  %10.2f IO/s  %8.3f MB/s  in %.3f s of model time\n",
           iometer_iops(result), iometer_mib_per_s(result),
           result->took / 1e9);
    for (unsigned i = 0; i < G_N_ELEMENTS(side); i++) {
        if (side[i]->requests) {
            printf("  %-6s %9" PRIu64 " requests  mean %.3f ms  longest "
                   "%.3f ms\n", i ? "write" : "read", side[i]->requests,
                   side[i]->wait_ns / side[i]->requests / 1e6,
                   side[i]->wait_max / 1e6);
        }
    }
}

static void put_side(Json *json, const char *key, const IometerSide *side)
{
    json_object(json, key);
    json_integer(json, "requests", side->requests);
    json_integer(json, "bytes", side->bytes);
    json_number(json, "mean_ms", side->requests
                ? side->wait_ns / side->requests / 1e6 : 0);
    json_number(json, "max_ms", side->wait_max / 1e6);
    json_close_object(json);
}

static void print_json(const Words *words, const IometerAsk *ask,
                       const IometerResult *result)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_string(&json, "board", ask->board);
    json_string(&json, "drive", ask->drive);
    json_string(&json, "level", ask->level);
    json_integer(&json, "members", ask->members);
    json_string(&json, "pattern", words->icf ? "icf" :
                or_else(words->pattern, "file_server"));
    json_integer(&json, "depth", ask->depth);
    json_integer(&json, "seed", ask->seed);
    json_number(&json, "iops", iometer_iops(result));
    json_number(&json, "mb_per_s", iometer_mib_per_s(result));
    json_number(&json, "seconds", result->took / 1e9);
    put_side(&json, "read", &result->read);
    put_side(&json, "write", &result->write);
    json_integer(&json, "interrupted", result->interrupted);
    text = json_end(&json);
    fputs(text, stdout);
}

int command_iometer(int argc, char **argv)
{
    Words words = { .members = RIG_NOT_GIVEN, .depth = 1, .seed = 1,
                    .commands = -1 };
    g_autofree IometerSpec *spec = g_new0(IometerSpec, 1);
    g_autoptr(GError) error = NULL;
    IometerAsk ask = { .spec = spec, .progress = true };
    IometerResult result;
    bool done;

    if (!read_words(&words, &argc, &argv)) {
        return COMMAND_USAGE;
    }
    progress_begin();
    done = plan_unit(&words, &ask, &error) &&
           plan_spec(&words, spec, &error) &&
           plan_host(&words, &ask, &error) &&
           plan_load(&words, &ask, &error) &&
           iometer_run(&ask, &result, &error);
    progress_end();
    if (!done) {
        return command_refuse("iometer", error->message);
    }
    (words.json ? print_json : print_text)(&words, &ask, &result);
    if (result.error != UNIT_OK) {
        fprintf(stderr, "raidsim iometer: stopped: %s\n",
                job_status_name(result.error));
        return 1;
    }
    return 0;
}
