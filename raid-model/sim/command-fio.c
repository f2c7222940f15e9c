/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim fio: a load, in fio's words, on a unit.
 *
 * All options are checked, and the whole rig stands, before the first file
 * is opened for writing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "raid-model/sim/command.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/out-file.h"
#include "raid-model/sim/report.h"

#define REQUESTS_DEFAULT 10000
#define NOT_GIVEN G_MININT              /* of a number nobody would type */

/* What was typed, before it means anything. */
typedef struct Words {
    char *board, *drives, *unit, *name;
    char *rw, *bs, *size, *offset, *io_size, *runtime;
    char *data, *arms, *trace;
    gint64 number_ios, seed;            /* or NOT_GIVEN, as the next */
    gint depth, mix, target;
    gboolean json;
} Words;

static const char more[] =
    "Sizes take k, m, g, t (powers of 1024); times take ms, s, m, h and are\n"
    "model time. A run ends at the first limit it meets: --number_ios,\n"
    "--runtime, or --io_size bytes (by default --size, as in fio). When none\n"
    "of the four is given it ends after 10000 requests.\n"
    "\n"
    "Examples\n"
    "  raidsim fio --rw=randread --bs=8k\n"
    "      one WD1200JB as a single unit; compares with the data sheet\n"
    "  raidsim fio --drives 4xwd1200jb --unit raid5:0-3:64k --rw randwrite\n"
    "      what a small write costs on a RAID 5\n"
    "  raidsim fio --drives 4xwd1200jb --unit raid5:0-3:64k --rw randrw \\\n"
    "      --runtime 2s --iodepth 4 --arms arms.csv\n"
    "  scripts/plot-arms arms.csv arms.svg\n"
    "      where every arm was, as a picture\n"
    "\n"
    "Exit status: 0 done, 1 the unit answered an error, 2 wrong usage.\n";

static bool read_words(Words *words, int *argc, char ***argv)
{
    const GOptionEntry entries[] = {
        { "board", 0, 0, G_OPTION_ARG_STRING, &words->board,
          "Controller; default 3ware-7410 (see raidsim boards)", "NAME" },
        { "drives", 0, 0, G_OPTION_ARG_STRING, &words->drives,
          "Drives from port 0 on, as 4xwd1200jb or sr5400,none,wd360gd; "
          "default wd1200jb", "LIST" },
        { "unit", 0, 0, G_OPTION_ARG_STRING, &words->unit,
          "Units, as raid5:0-3:64k or raid1:0-1/single:2; default single:0, "
          "or with --drives a JBOD of each",
          "SPEC" },
        { "target", 0, 0, G_OPTION_ARG_INT, &words->target,
          "Unit number to load; default the first", "N" },
        { "name", 0, 0, G_OPTION_ARG_STRING, &words->name,
          "Name of the job in the report", "NAME" },
        { "rw", 0, 0, G_OPTION_ARG_STRING, &words->rw,
          WORKLOAD_PATTERNS "; default randread", "KIND" },
        { "rwmixread", 0, 0, G_OPTION_ARG_INT, &words->mix,
          "Percent of reads in rw and randrw; default 50", "N" },
        { "bs", 0, 0, G_OPTION_ARG_STRING, &words->bs,
          "Bytes of a request; default 8k", "SIZE" },
        { "iodepth", 0, 0, G_OPTION_ARG_INT, &words->depth,
          "Requests in flight; default 1", "N" },
        { "offset", 0, 0, G_OPTION_ARG_STRING, &words->offset,
          "Where the region starts; default 0", "SIZE" },
        { "size", 0, 0, G_OPTION_ARG_STRING, &words->size,
          "Bytes of the region; default all there is", "SIZE" },
        { "number_ios", 0, 0, G_OPTION_ARG_INT64, &words->number_ios,
          "Stop after so many requests", "N" },
        { "io_size", 0, 0, G_OPTION_ARG_STRING, &words->io_size,
          "Stop after so many bytes", "SIZE" },
        { "runtime", 0, 0, G_OPTION_ARG_STRING, &words->runtime,
          "Stop after so much model time", "TIME" },
        { "seed", 0, 0, G_OPTION_ARG_INT64, &words->seed,
          "Of all chance: addresses and spindles; default 1", "N" },
        { "randseed", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT64,
          &words->seed, NULL, NULL },
        { "data", 0, 0, G_OPTION_ARG_STRING, &words->data,
          "on keeps what is written, in memory; default off", "on|off" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &words->json,
          "Print JSON, with fio's names", NULL },
        { "arms", 0, 0, G_OPTION_ARG_FILENAME, &words->arms,
          "Write where each arm was, as CSV", "FILE" },
        { "trace", 0, 0, G_OPTION_ARG_FILENAME, &words->trace,
          "Write every record of the models, a line each", "FILE" },
        { 0 }
    };

    return command_options("fio", argc, argv, entries, NULL, 0, more);
}

static const char *or_else(const char *word, const char *fallback)
{
    return word ? word : fallback;
}

static bool plan_ask(const Words *words, RigAsk *ask, GError **error)
{
    const char *data = or_else(words->data, "off");

    *ask = (RigAsk) {
        .board = or_else(words->board, "3ware-7410"),
        .drives = or_else(words->drives, "wd1200jb"),
        .units = or_else(words->unit, words->drives ? "" : "single:0"),
        .seed = words->seed,
        .data = !strcmp(data, "on"),
    };
    if (!ask->data && strcmp(data, "off")) {
        return number_error(error, "--data=%s: on or off would be right",
                            data);
    }
    if (words->unit && !*words->unit) {
        return number_error(error, "--unit=: empty; LEVEL:PORTS[:STRIPE], or "
                            "no --unit at all would be right");
    }
    if (words->seed < 0) {
        return number_error(error, "--seed=%" G_GINT64_FORMAT ": 0 or more "
                            "would be right", words->seed);
    }
    return true;
}

static bool plan_load(const Words *words, RunPlan *plan, GError **error)
{
    const char *rw = or_else(words->rw, "randread");
    const char *bs = or_else(words->bs, "8k");
    uint64_t block;

    if (!workload_pattern(&plan->work, rw)) {
        return number_error(error, "--rw=%s: no such load; right would be "
                            WORKLOAD_PATTERNS, rw);
    }
    if (words->mix != NOT_GIVEN && (words->mix < 0 || words->mix > 100)) {
        return number_error(error, "--rwmixread=%d: 0 to 100 would be right",
                            words->mix);
    }
    if (words->mix >= 0 && plan->work.read_percent == 50) {
        plan->work.read_percent = words->mix;
    } else if (words->mix >= 0) {
        return number_error(error, "--rwmixread: needs --rw=rw or randrw, "
                            "not %s", rw);
    }
    if (!number_bytes("--bs", bs, &block, error)) {
        return false;
    }
    if (!block || block % DISK_SECTOR_BYTES ||
        block > WORKLOAD_BLOCK_BYTES_MAX) {
        return number_error(error, "--bs=%s: a multiple of 512 from 512 to "
                            "%u would be right", bs,
                            WORKLOAD_BLOCK_BYTES_MAX);
    }
    plan->work.block_sectors = block / DISK_SECTOR_BYTES;
    if (words->depth < 1 || words->depth > RUNNER_DEPTH_MAX) {
        return number_error(error, "--iodepth=%d: 1 to %d would be right",
                            words->depth, RUNNER_DEPTH_MAX);
    }
    plan->depth = words->depth;
    plan->seed = words->seed ^ 0x776f726b;      /* not the spindles' numbers */
    return true;
}

static bool plan_limits(const Words *words, RunPlan *plan, GError **error)
{
    const char *io_size = or_else(words->io_size, words->size);
    const char *option = words->io_size ? "--io_size" : "--size";

    if (words->number_ios != NOT_GIVEN && words->number_ios < 1) {
        return number_error(error, "--number_ios=%" G_GINT64_FORMAT
                            ": 1 or more would be right", words->number_ios);
    }
    plan->requests_max = MAX(words->number_ios, 0);
    if (io_size && !number_bytes(option, io_size, &plan->bytes_max, error)) {
        return false;
    }
    if (words->runtime &&
        !number_time("--runtime", words->runtime, &plan->time_max, error)) {
        return false;
    }
    if ((io_size && !plan->bytes_max) ||
        (words->runtime && plan->time_max < 1)) {
        return number_error(error, "%s is 0: more would be right",
                            words->runtime && plan->time_max < 1
                            ? "--runtime" : option);
    }
    if (!plan->requests_max && !plan->bytes_max && !plan->time_max) {
        plan->requests_max = REQUESTS_DEFAULT;
    }
    return true;
}

/* Needs the rig: which unit, and how large it is. */
static bool plan_region(const Words *words, const Rig *rig, RunPlan *plan,
                        GError **error)
{
    bool given = words->target != NOT_GIVEN;
    int number = given ? words->target : rig_first_unit(rig);
    RaidUnit *unit = number >= 0 && number < RAID_UNITS_MAX
        ? raid_controller_unit(rig->ctl, number) : NULL;
    uint64_t offset = 0, size, bytes;

    if (!unit) {
        return given
            ? number_error(error, "--target=%d: no such unit; a unit's "
                           "number is its lowest port", number)
            : number_error(error, "there is no drive, so there is no unit");
    }
    plan->unit = number;
    bytes = raid_capacity(raid_unit_shape(unit)) * DISK_SECTOR_BYTES;
    if (words->offset &&
        !number_bytes("--offset", words->offset, &offset, error)) {
        return false;
    }
    if (offset >= bytes || offset % DISK_SECTOR_BYTES) {
        return number_error(error, "--offset=%s: a multiple of 512 within "
                            "the unit's %" PRIu64 " bytes would be right",
                            words->offset, bytes);
    }
    size = bytes - offset;
    if (words->size && !number_bytes("--size", words->size, &size, error)) {
        return false;
    }
    if (size > bytes - offset ||
        size / DISK_SECTOR_BYTES < plan->work.block_sectors) {
        return number_error(error, "--size=%s: from one --bs to the unit's "
                            "%" PRIu64 " bytes would be right",
                            or_else(words->size, "(rest of the unit)"),
                            bytes - offset);
    }
    plan->work.first_sector = offset / DISK_SECTOR_BYTES;
    plan->work.sectors = size / DISK_SECTOR_BYTES;
    return true;
}

static int run(const Words *words, const RigAsk *ask, Rig *rig,
               const RunPlan *plan, GError **error)
{
    g_autofree RunResult *result = g_new0(RunResult, 1);
    OutFile file[2] = {
        { .option = "--arms", .path = words->arms },
        { .option = "--trace", .path = words->trace },
    };
    FILE *arms, *trace;
    Watch *watch;
    Report report;
    bool written;

    if (!out_files_open(file, G_N_ELEMENTS(file), error)) {
        return COMMAND_USAGE;
    }
    arms = file[0].stream;
    trace = file[1].stream;
    watch = watch_new(rig, arms, trace);
    if (arms) {
        fprintf(arms, "# %s, %s, depth %u\n", plan->work.rw,
                or_else(words->unit, "single:0"), plan->depth);
    }
    runner_run(rig, plan, result);
    report = (Report) {
        .name = or_else(words->name, "raidsim"), .ask = ask, .rig = rig,
        .plan = plan, .result = result, .watch = watch,
    };
    (words->json ? report_json : report_text)(&report, stdout);
    watch_free(watch);
    written = out_files_close(file, G_N_ELEMENTS(file), "fio");
    if (result->first_error != UNIT_OK) {
        fprintf(stderr, "raidsim fio: stopped at the request for sector "
                "%" PRIu64 ": %s\n", result->first_error_lba,
                runner_status_name(result->first_error));
        return 1;
    }
    return written ? 0 : 1;
}

int command_fio(int argc, char **argv)
{
    Words words = {
        .number_ios = NOT_GIVEN, .seed = 1, .depth = 1, .mix = NOT_GIVEN,
        .target = NOT_GIVEN,
    };
    g_autoptr(GError) error = NULL;
    RigAsk ask;
    RunPlan plan = { 0 };
    Rig *rig = NULL;
    int status = COMMAND_USAGE;

    if (!read_words(&words, &argc, &argv)) {
        return COMMAND_USAGE;
    }
    if (plan_ask(&words, &ask, &error) && plan_load(&words, &plan, &error) &&
        plan_limits(&words, &plan, &error)) {
        rig = rig_new(&ask, &error);
    }
    plan.data = ask.data;
    if (rig && plan_region(&words, rig, &plan, &error)) {
        status = run(&words, &ask, rig, &plan, &error);
    }
    if (rig) {
        rig_free(rig);
    }
    if (error) {
        command_refuse("fio", error->message);
    }
    return status;
}
