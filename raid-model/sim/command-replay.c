/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim replay: a recorded trace on a drive model or on a unit, compared
 * with what was measured, if the trace says so.
 */
#include <inttypes.h>
#include <stdio.h>

#include "disk-model/drive/key-source.h"
#include "raid-model/sim/command.h"
#include "raid-model/control/json.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/replay.h"

#define CLOSED_MAX 65536
#define NOT_GIVEN G_MININT              /* of a number nobody would type */

typedef struct Words {
    char *drive, *board, *drives, *unit, *format, *device, *scale;
    gint64 seed;
    gint target, closed;
    gboolean json, wrap;
} Words;

static const char more[] =
    "FILE is one of\n"
    "  disksim-validate  R|W TAG LBA SECTORS MEASURED-US THINK-US\n"
    "  disksim-ascii     TIME-MS DEVICE LBA SECTORS FLAGS\n"
    "  blkparse          its default lines; D counts, or Q if there is no D\n"
    "  msr               TICKS,HOST,DISK,Read|Write,OFFSET,BYTES,TICKS-TAKEN\n"
    "                    (Microsoft Research Cambridge, ticks of 100 ns)\n"
    "and its first line says which; --format is for when it does not.\n"
    "\n"
    "The first is replayed closed: the next request is asked for when this\n"
    "one has ended in the model and the think time is over. The others are\n"
    "asked for when their line says, whatever has ended. --closed N instead\n"
    "keeps N requests going.\n"
    "\n"
    "rms_ms is the distance between the two distributions of response times,\n"
    "rank by rank; the second comes from the trace: validate and msr have\n"
    "it, blkparse when each request was completed (C).\n"
    "\n"
    "Examples\n"
    "  raidsim replay --drive ibm18es "
    "tests/published/disksim/ibm18es.trace\n"
    "  blkparse -i sda | raidsim replay --drive wd1200jb /dev/stdin --json\n"
    "  raidsim replay --board 3ware-7810 --drives 8xwd1200jb \\\n"
    "      --unit raid5:0-7:64k --wrap --scale 0.5 src1_0.csv\n"
    "      twice as fast as it was recorded\n";

static void print_json(const ReplayResult *result, const Words *words,
                       const TraceFile *trace, const char *file)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    if (words->drive) {
        json_string(&json, "drive", words->drive);
    } else {
        json_string(&json, "board", words->board);
        json_string(&json, "drives", words->drives);
        json_string(&json, "units", words->unit);
        json_integer(&json, "unit", words->target);
    }
    json_string(&json, "trace", file);
    json_string(&json, "format", trace_format_name(trace->format));
    json_integer(&json, "requests", result->requests);
    json_number(&json, "mean_ms", result->mean_ms);
    if (result->measured) {
        json_number(&json, "measured_mean_ms", result->measured_mean_ms);
        json_number(&json, "rms_ms", result->rms_ms);
        json_number(&json, "rms_pct", result->rms_pct);
    }
    json_number(&json, "p50_ms", result->p50_ms);
    json_number(&json, "p90_ms", result->p90_ms);
    json_number(&json, "p95_ms", result->p95_ms);
    json_number(&json, "p99_ms", result->p99_ms);
    json_number(&json, "p99.9_ms", result->p999_ms);
    json_number(&json, "max_ms", result->max_ms);
    json_number(&json, "read_mean_ms", result->read_mean_ms);
    json_number(&json, "write_mean_ms", result->write_mean_ms);
    if (result->measured) {
        json_number(&json, "read_measured_mean_ms",
                    result->read_measured_ms);
        json_number(&json, "write_measured_mean_ms",
                    result->write_measured_ms);
        json_number(&json, "read_rms_ms", result->read_rms_ms);
        json_number(&json, "write_rms_ms", result->write_rms_ms);
    }
    json_number(&json, "model_time_s", result->took / 1e9);
    json_integer(&json, "left_out", trace->left_out);
    json_integer(&json, "errors", result->errors);
    json_integer(&json, "interrupted", result->interrupted);
    text = json_end(&json);
    fputs(text, stdout);
}

static void print_text(const ReplayResult *result, const char *label,
                       const TraceFile *trace)
{
    printf("%s: %" PRIu64 " requests in %.3f s of model time%s\n", label,
           result->requests, result->took / 1e9,
           result->interrupted ? ", then interrupted" : "");
    if (trace->left_out) {
        printf("left out: %" PRIu64 " discards, flushes and commands without "
               "data\n", trace->left_out);
    }
    if (!result->measured) {
        printf("\nmean %.3f ms, reads %.3f, writes %.3f\n", result->mean_ms,
               result->read_mean_ms, result->write_mean_ms);
    } else {
        printf("\n         model ms measured ms   rms ms\n");
        printf("all      %8.3f %11.3f %8.3f  %.1f %% of the mean\n",
               result->mean_ms, result->measured_mean_ms, result->rms_ms,
               result->rms_pct);
        printf("reads    %8.3f %11.3f %8.3f\n", result->read_mean_ms,
               result->read_measured_ms, result->read_rms_ms);
        printf("writes   %8.3f %11.3f %8.3f\n", result->write_mean_ms,
               result->write_measured_ms, result->write_rms_ms);
    }
    printf("ms: 50 %% %.3f  90 %% %.3f  99 %% %.3f  99.9 %% %.3f  "
           "max %.3f\n", result->p50_ms, result->p90_ms, result->p99_ms,
           result->p999_ms, result->max_ms);
}

/* The trace on what stands ready. */
static int run(const Words *words, const char *file, ReplayPlan *plan,
               uint64_t sectors, const char *label, GError **error)
{
    g_autofree SimTime *response = NULL;
    TraceAsk ask = {
        .path = file, .device = words->device, .sectors = sectors,
        .wrap = words->wrap,
    };
    TraceFile *trace;
    ReplayResult result;

    if (words->format && !trace_format_find(words->format, &ask.format)) {
        number_error(error, "--format=%s: disksim-validate, disksim-ascii, "
                     "blkparse, msr or auto would be right", words->format);
        return COMMAND_USAGE;
    }
    ask.format = words->format ? ask.format : TRACE_AUTO;
    trace = trace_file_read(&ask, error);
    if (!trace) {
        return COMMAND_USAGE;
    }
    response = g_new(SimTime, trace->requests->len);
    replay_run(plan, trace, response, &result);
    if (words->json) {
        print_json(&result, words, trace, file);
    } else {
        print_text(&result, label, trace);
    }
    trace_file_free(trace);
    if (result.errors) {
        fprintf(stderr, "raidsim replay: %" PRIu64 " requests were answered "
                "with an error\n", result.errors);
    }
    return result.errors ? 1 : 0;
}

static int run_drive(Words *words, const char *file, ReplayPlan *plan,
                     GError **error)
{
    DiskPreset *preset = disk_preset_load(words->drive, error);
    int status = COMMAND_USAGE;

    if (preset) {
        plan->preset = preset;
        plan->seed = words->seed;
        words->drive = preset->id;
        status = run(words, file, plan, preset->geometry.lbas,
                     preset->label, error);
    }
    disk_preset_free(preset);
    return status;
}

static int run_unit(Words *words, const char *file, ReplayPlan *plan,
                    GError **error)
{
    char board[] = "3ware-7410", none[] = "";
    g_autofree char *label = NULL;
    RaidUnit *unit = NULL;
    int status = COMMAND_USAGE;
    RigAsk ask;

    words->board = words->board ? words->board : board;
    words->unit = words->unit ? words->unit : none;
    ask = (RigAsk) {
        words->board, words->drives, words->unit, words->seed, false
    };
    plan->rig = rig_new(&ask, error);
    if (!plan->rig) {
        return COMMAND_USAGE;
    }
    if (words->target == NOT_GIVEN) {
        words->target = rig_first_unit(plan->rig);
    }
    if (words->target >= 0) {
        unit = raid_controller_unit(plan->rig->ctl, words->target);
    }
    if (!unit) {
        number_error(error, "there is no such unit; right would be --target "
                     "with the lowest port of one");
    } else {
        plan->unit = words->target;
        label = g_strdup_printf("%s, drives %s, unit %d", words->board,
                                words->drives, words->target);
        status = run(words, file, plan, raid_capacity(raid_unit_shape(unit)),
                     label, error);
    }
    rig_free(plan->rig);
    return status;
}

static int check_and_run(Words *words, const char *file, GError **error)
{
    ReplayPlan plan = { .scale = 1 };

    if (words->drive && (words->board || words->drives || words->unit)) {
        number_error(error, "--drive is a drive alone; right would be that, "
                     "or --board, --drives and --unit");
    } else if (!words->drive && !words->drives) {
        number_error(error, "--drive NAME is missing (raidsim drives lists "
                     "the names); or --drives and --unit, behind a board");
    } else if (!file) {
        number_error(error, "which FILE? (raidsim replay --help)");
    } else if (words->seed < 0) {
        number_error(error, "--seed=%" G_GINT64_FORMAT ": 0 or more would "
                     "be right", words->seed);
    } else if (words->closed != NOT_GIVEN &&
               (words->closed < 1 || words->closed > CLOSED_MAX)) {
        number_error(error, "--closed=%d: 1 to %d would be right",
                     words->closed, CLOSED_MAX);
    } else if (words->scale &&
               (!key_word_to_real(words->scale, &plan.scale) ||
                plan.scale < 1e-6 || plan.scale > 1e6)) {
        number_error(error, "--scale=%s: a number above 0 would be right, as "
                     "0.5 for twice as fast", words->scale);
    } else {
        plan.closed = MAX(words->closed, 0);
        return words->drive ? run_drive(words, file, &plan, error)
                            : run_unit(words, file, &plan, error);
    }
    return COMMAND_USAGE;
}

int command_replay(int argc, char **argv)
{
    Words words = { .seed = 1, .target = NOT_GIVEN, .closed = NOT_GIVEN };
    g_autoptr(GError) error = NULL;
    int status;
    const GOptionEntry entries[] = {
        { "drive", 0, 0, G_OPTION_ARG_STRING, &words.drive,
          "Drive model, or a .drive file (see raidsim drives)", "NAME" },
        { "board", 0, 0, G_OPTION_ARG_STRING, &words.board,
          "Controller; default 3ware-7410 (see raidsim boards)", "NAME" },
        { "drives", 0, 0, G_OPTION_ARG_STRING, &words.drives,
          "Drives on its ports, as 4xwd1200jb", "LIST" },
        { "unit", 0, 0, G_OPTION_ARG_STRING, &words.unit,
          "Units, as raid5:0-3:64k; default a JBOD of each drive", "SPEC" },
        { "target", 0, 0, G_OPTION_ARG_INT, &words.target,
          "Unit number; default the first", "N" },
        { "format", 0, 0, G_OPTION_ARG_STRING, &words.format,
          "disksim-validate, disksim-ascii, blkparse, msr; default auto",
          "NAME" },
        { "device", 0, 0, G_OPTION_ARG_STRING, &words.device,
          "Take only its lines: a device or disk number, or 8,0", "N" },
        { "wrap", 0, 0, G_OPTION_ARG_NONE, &words.wrap,
          "Addresses beyond the end begin again at the start", NULL },
        { "scale", 0, 0, G_OPTION_ARG_STRING, &words.scale,
          "Of the trace's times; 0.5 is twice as fast", "X" },
        { "closed", 0, 0, G_OPTION_ARG_INT, &words.closed,
          "Keep N requests going, whatever the times", "N" },
        { "seed", 0, 0, G_OPTION_ARG_INT64, &words.seed,
          "Where the spindles are at the start; default 1", "N" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &words.json, "Print JSON", NULL },
        { 0 }
    };

    if (!command_options("replay", &argc, &argv, entries, "FILE", 1, more)) {
        return COMMAND_USAGE;
    }
    status = check_and_run(&words, argc > 1 ? argv[1] : NULL, &error);
    return error ? command_refuse("replay", error->message) : status;
}
