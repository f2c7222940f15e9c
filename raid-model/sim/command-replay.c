/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim replay: a recorded trace on a drive model, compared with what the
 * real drive took.
 */
#include <inttypes.h>
#include <stdio.h>

#include "raid-model/sim/command.h"
#include "raid-model/sim/json.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/replay.h"

static const char more[] =
    "FILE is a trace in one of DiskSim's formats, fields parted by blanks:\n"
    "  R|W TAG LBA SECTORS MEASURED-US THINK-US   (validate)\n"
    "  TIME-MS DEVICE LBA SECTORS FLAGS           (ascii)\n"
    "The first is replayed closed: the next request is asked for when this\n"
    "one has ended in the model and the think time is over. rms_ms is the\n"
    "distance between the two distributions of response times, rank by "
    "rank.\n"
    "\n"
    "Examples\n"
    "  raidsim replay --drive ibm18es "
    "tests/published/disksim/ibm18es.trace\n"
    "  raidsim replay --drive wd1200jb mine.trace --json\n";

static void print_json(const ReplayResult *result, const char *drive,
                       const char *file)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_string(&json, "drive", drive);
    json_string(&json, "trace", file);
    json_integer(&json, "requests", result->requests);
    json_number(&json, "mean_ms", result->mean_ms);
    if (result->measured) {
        json_number(&json, "measured_mean_ms", result->measured_mean_ms);
        json_number(&json, "rms_ms", result->rms_ms);
        json_number(&json, "rms_pct", result->rms_pct);
    }
    json_number(&json, "p50_ms", result->p50_ms);
    json_number(&json, "p95_ms", result->p95_ms);
    json_number(&json, "p99_ms", result->p99_ms);
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
    json_integer(&json, "interrupted", result->interrupted);
    text = json_end(&json);
    fputs(text, stdout);
}

static void print_text(const ReplayResult *result, const char *drive)
{
    printf("%s: %" PRIu64 " requests%s\n\n", drive, result->requests,
           result->interrupted ? ", then interrupted" : "");
    if (!result->measured) {
        printf("mean %.3f ms, reads %.3f, writes %.3f\n", result->mean_ms,
               result->read_mean_ms, result->write_mean_ms);
        printf("half within %.3f ms, 95 %% %.3f, 99 %% %.3f\n",
               result->p50_ms, result->p95_ms, result->p99_ms);
        return;
    }
    printf("         model ms measured ms   rms ms\n");
    printf("all      %8.3f %11.3f %8.3f  %.1f %% of the mean\n",
           result->mean_ms, result->measured_mean_ms, result->rms_ms,
           result->rms_pct);
    printf("reads    %8.3f %11.3f %8.3f\n", result->read_mean_ms,
           result->read_measured_ms, result->read_rms_ms);
    printf("writes   %8.3f %11.3f %8.3f\n", result->write_mean_ms,
           result->write_measured_ms, result->write_rms_ms);
}

static int run(const char *drive, const char *file, gint64 seed, bool as_json,
               GError **error)
{
    g_autofree SimTime *response = NULL;
    DiskPreset *preset = disk_preset_load(drive, error);
    TraceFile *trace = preset
        ? trace_file_read(file, preset->geometry.lbas, error) : NULL;
    ReplayResult result;

    if (trace) {
        response = g_new(SimTime, trace->requests->len);
        replay_run(preset, trace, seed, response, &result);
        if (as_json) {
            print_json(&result, preset->id, file);
        } else {
            print_text(&result, preset->label);
        }
        trace_file_free(trace);
    }
    disk_preset_free(preset);
    return trace ? 0 : COMMAND_USAGE;
}

int command_replay(int argc, char **argv)
{
    g_autofree char *drive = NULL;
    g_autoptr(GError) error = NULL;
    gboolean as_json = FALSE;
    gint64 seed = 1;
    int status = COMMAND_USAGE;
    const GOptionEntry entries[] = {
        { "drive", 0, 0, G_OPTION_ARG_STRING, &drive,
          "Drive model, or a .drive file (see raidsim drives)", "NAME" },
        { "seed", 0, 0, G_OPTION_ARG_INT64, &seed,
          "Where the spindle is at the start; default 1", "N" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
        { 0 }
    };

    if (!command_options("replay", &argc, &argv, entries, "FILE", 1, more)) {
        return COMMAND_USAGE;
    }
    if (!drive) {
        number_error(&error, "--drive NAME is missing; raidsim drives lists "
                     "the names");
    } else if (argc < 2) {
        number_error(&error, "which FILE? (raidsim replay --help)");
    } else if (seed < 0) {
        number_error(&error, "--seed=%" G_GINT64_FORMAT ": 0 or more would "
                     "be right", seed);
    } else {
        status = run(drive, argv[1], seed, as_json, &error);
    }
    return error ? command_refuse("replay", error->message) : status;
}
