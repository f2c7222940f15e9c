/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim tasks: rebuild and verify at every rate, as a table.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "raid-model/array/task.h"
#include "raid-model/control/json.h"
#include "raid-model/sim/command.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/tasks.h"

#define DEPTH_MAX 1024
#define LEVEL_MEMBERS 4u        /* if the level takes them */
#define TRIES (1 + 2 * (1 + RAID_TASK_RATES))

typedef struct Words {
    char *board, *drive, *level, *stripe, *runtime;
    gint members, depth;
    gint64 seed;
    gboolean json;
} Words;

typedef struct Try {
    TasksAsk ask;
    TasksResult result;
    bool done;
} Try;

static const char more[] =
    "Each line is a run of its own: the host alone, then rebuild and verify,\n"
    "each without a host and with one at rates 1 (task first) to 5 (host\n"
    "first). The host keeps --depth random requests of 4 KiB outstanding,\n"
    "70 % of them reads. A run ends with its task or after --runtime; then\n"
    "'~' marks what the whole task would take at the pace it had so far (the\n"
    "outer zones' pace: drives are slower further in). --runtime 0 runs to\n"
    "the end, which takes minutes for each line of a large drive.\n"
    "\n"
    "Examples\n"
    "  raidsim tasks\n"
    "  raidsim tasks --level raid10 --drive wd360gd --depth 32\n"
    "\n"
    "Exit status: 0 done, 1 the unit answered an error, 2 wrong usage.\n";

static bool read_words(Words *words, int *argc, char ***argv)
{
    const GOptionEntry entries[] = {
        { "board", 0, 0, G_OPTION_ARG_STRING, &words->board,
          "Controller; default 3ware-7810 (see raidsim boards)", "NAME" },
        { "drive", 0, 0, G_OPTION_ARG_STRING, &words->drive,
          "Model of every drive; default wd1200jb", "MODEL" },
        { "level", 0, 0, G_OPTION_ARG_STRING, &words->level,
          "single, raid0, raid1, raid5 or raid10; default raid5", "LEVEL" },
        { "members", 0, 0, G_OPTION_ARG_INT, &words->members,
          "Drives in the unit; default 4, if the level takes them", "N" },
        { "stripe", 0, 0, G_OPTION_ARG_STRING, &words->stripe,
          "Stripe unit; default 64k", "SIZE" },
        { "depth", 0, 0, G_OPTION_ARG_INT, &words->depth,
          "Requests outstanding; default 16", "N" },
        { "runtime", 0, 0, G_OPTION_ARG_STRING, &words->runtime,
          "Model time of a run at most; default 600s", "TIME" },
        { "seed", 0, 0, G_OPTION_ARG_INT64, &words->seed,
          "Of all chance: addresses and spindles; default 1", "N" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &words->json,
          "Print JSON", NULL },
        { 0 }
    };

    return command_options("tasks", argc, argv, entries, NULL, 0, more);
}

static bool plan(const Words *words, TasksAsk *ask, GError **error)
{
    *ask = (TasksAsk) {
        .board = words->board ? words->board : "3ware-7810",
        .drive = words->drive ? words->drive : "wd1200jb",
        .level = words->level ? words->level : "raid5",
        .members = LEVEL_MEMBERS,
        .depth = words->depth,
        .seed = words->seed,
        .runtime = SIM_S(600),
        .rate = 1,
    };
    if (words->depth < 1 || words->depth > DEPTH_MAX) {
        return number_error(error, "--depth %d: 1 to %d would be right",
                            words->depth, DEPTH_MAX);
    }
    if (words->seed < 0) {
        return number_error(error, "--seed %" G_GINT64_FORMAT ": 0 or more "
                            "would be right", words->seed);
    }
    return rig_unit_words(ask->level, words->members, words->stripe,
                          &ask->members, &ask->stripe_bytes, error) &&
           (!words->runtime ||
            number_time("--runtime", words->runtime, &ask->runtime, error));
}

/* The runs of the table; how many there are. */
static unsigned plan_tries(const TasksAsk *ask, Try *tries)
{
    static const RaidTaskKind kind[] = { RAID_TASK_REBUILD,
                                         RAID_TASK_VERIFY };
    const RaidLevel *level = raid_level_find(ask->level);
    unsigned count = 0;

    tries[count++].ask = *ask;
    if (!ask->runtime) {        /* a host alone has no end */
        tries[0].ask.runtime = SIM_S(600);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(kind); i++) {
        for (unsigned rate = 0;
             rate <= RAID_TASK_RATES && tasks_fit(level, kind[i]); rate++) {
            TasksAsk *one = &tries[count++].ask;

            *one = *ask;
            one->kind = kind[i];
            one->rate = MAX(rate, 1);
            one->depth = rate ? ask->depth : 0;
        }
    }
    return count;
}

/* --- telling -------------------------------------------------------------- */

static const char *kind_name(RaidTaskKind kind)
{
    return kind == RAID_TASK_REBUILD ? "rebuild"
         : kind == RAID_TASK_VERIFY ? "verify" : "none";
}

static double iops(const Try *one)
{
    return one->result.host.count * 1e9 / one->result.took;
}

static void print_host(const Try *one)
{
    const Latency *host = &one->result.host;

    if (!one->ask.depth) {
        printf("         -         -         -         -");
        return;
    }
    printf(" %9.1f %9.1f %9.1f %9.1f", iops(one), host->mean / 1e6,
           latency_percentile(host, 99.9) / 1e6, host->max / 1e6);
}

static void print_whole(const TasksResult *result)
{
    char text[32];
    double minutes;

    if (result->share == 0) {
        printf("            -\n");
        return;
    }
    minutes = ceil(tasks_whole_ns(result) / 60e9);
    g_snprintf(text, sizeof(text), "%s%.0f:%02.0f",
               result->share < 1 ? "~" : "", floor(minutes / 60),
               fmod(minutes, 60));
    printf(" %12s\n", text);
}

static void print_text(const TasksAsk *ask, const Try *tries, unsigned count)
{
    SimTime longest = 0;

    printf("%s of %u %s on %s; host: random 4 KiB, %u %% reads, depth %u\n\n"
           "                      host, ms from asked to answered\n"
           "task     rate      IO/s      mean    99.9 %%   longest"
           "   task, h:mm\n", raid_level_find(ask->level)->title,
           ask->members, ask->drive, ask->board, TASKS_READ_PERCENT,
           ask->depth);
    for (unsigned i = 0; i < count && tries[i].done; i++) {
        const TasksAsk *one = &tries[i].ask;

        printf("%-8s ", kind_name(one->kind));
        if (one->depth && one->kind != RAID_TASK_NONE) {
            printf("%4u", one->rate);
        } else {
            printf("   -");
        }
        print_host(&tries[i]);
        print_whole(&tries[i].result);
        longest = MAX(longest, tries[i].result.host.max);
    }
    printf("\nlongest of all: %.3f s; Linux gives a command on these cards "
           "60 s\n", longest / 1e9);
}

static void print_json(const TasksAsk *ask, const Try *tries, unsigned count)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_string(&json, "board", ask->board);
    json_string(&json, "drive", ask->drive);
    json_string(&json, "level", ask->level);
    json_integer(&json, "members", ask->members);
    json_integer(&json, "seed", ask->seed);
    json_list(&json, "runs");
    for (unsigned i = 0; i < count && tries[i].done; i++) {
        const TasksAsk *one = &tries[i].ask;
        const TasksResult *result = &tries[i].result;

        json_object(&json, NULL);
        json_string(&json, "task", kind_name(one->kind));
        json_integer(&json, "rate", one->rate);
        json_integer(&json, "depth", one->depth);
        json_number(&json, "iops", iops(&tries[i]));
        json_number(&json, "mean_ms", result->host.mean / 1e6);
        json_number(&json, "p99_9_ms",
                    latency_percentile(&result->host, 99.9) / 1e6);
        json_number(&json, "max_ms", result->host.max / 1e6);
        json_number(&json, "seconds", result->took / 1e9);
        json_number(&json, "share_done", result->share);
        json_close_object(&json);
    }
    json_close_list(&json);
    json_integer(&json, "interrupted", progress_interrupted());
    text = json_end(&json);
    fputs(text, stdout);
}

static bool run_all(Try *tries, unsigned count, GError **error)
{
    for (unsigned i = 0; i < count && !progress_interrupted(); i++) {
        progress_part("raidsim tasks", (double)i / count,
                      (i + 1.0) / count);
        if (!tasks_run(&tries[i].ask, &tries[i].result, error)) {
            return false;
        }
        tries[i].done = !tries[i].result.interrupted;
    }
    return true;
}

int command_tasks(int argc, char **argv)
{
    Words words = { .members = RIG_NOT_GIVEN, .depth = 16, .seed = 1 };
    g_autofree Try *tries = g_new0(Try, TRIES);
    g_autoptr(GError) error = NULL;
    unsigned count = 0;
    TasksAsk ask;
    bool done;

    if (!read_words(&words, &argc, &argv)) {
        return COMMAND_USAGE;
    }
    progress_begin();
    done = plan(&words, &ask, &error);
    if (done) {
        count = plan_tries(&ask, tries);
        done = run_all(tries, count, &error);
    }
    progress_part(NULL, 0, 0);
    progress_end();
    if (!done) {
        return command_refuse("tasks", error->message);
    }
    if (words.json) {
        print_json(&ask, tries, count);
    } else {
        print_text(&ask, tries, count);
    }
    for (unsigned i = 0; i < count; i++) {
        if (tries[i].result.error != UNIT_OK) {
            fprintf(stderr, "raidsim tasks: %s\n",
                    job_status_name(tries[i].result.error));
            return 1;
        }
    }
    return 0;
}
