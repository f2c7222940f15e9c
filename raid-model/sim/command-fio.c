/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim fio: a load, in fio's words, on a unit.
 *
 * The words come from a job file, from options, or both: then an option
 * stands for that key in every job.  All of them are checked, and the whole
 * rig stands, before the first file is opened for writing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "raid-model/sim/command.h"
#include "raid-model/sim/job-file.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/out-file.h"
#include "raid-model/sim/report.h"

#define NOT_GIVEN G_MININT              /* of a number nobody would type */

/* What was typed, before it means anything. */
typedef struct Words {
    char *board, *drives, *unit, *data, *arms, *trace;
    gint64 seed;
    gint target;
    gboolean json;
    char *key[JOB_KEYS];        /* of a job */
    gboolean flag[JOB_KEYS];
} Words;

static const char more[] =
    "Sizes take k, m, g, t (powers of 1024); times take ms, s, m, h and are\n"
    "model time. A job ends at the first limit it meets: number_ios, runtime,\n"
    "or io_size bytes (by default size, as in fio). When none of the four is\n"
    "given it ends after 10000 requests.\n"
    "\n"
    "FILE is a job file of fio's; options given beside it stand for all of\n"
    "its jobs. Keys that cannot mean anything here (ioengine=, filename= ...)\n"
    "are ignored and named; keys that are not modelled are refused.\n"
    "\n"
    "    [global]\n"
    "    rw=randrw\n"
    "    size=4g\n"
    "    runtime=60\n"
    "    [files]\n"
    "    bssplit=512/10:1k/5:2k/5:4k/60:8k/2:16k/4:32k/4:64k/10\n"
    "    rwmixread=80\n"
    "    iodepth=16\n"
    "    [log]\n"
    "    rw=write\n"
    "    bs=4k\n"
    "    offset=4g\n"
    "\n"
    "Examples\n"
    "  raidsim fio --rw=randread --bs=8k\n"
    "      one WD1200JB as a single unit; compares with the data sheet\n"
    "  raidsim fio --drives 4xwd1200jb --unit raid5:0-3:64k --rw randwrite\n"
    "      what a small write costs on a RAID 5\n"
    "  raidsim fio job.fio --board 3ware-7810 --drives 8xwd1200jb \\\n"
    "      --unit raid5:0-7:64k --json\n"
    "  raidsim fio --drives 4xwd1200jb --unit raid5:0-3:64k --rw randrw \\\n"
    "      --runtime 2s --iodepth 4 --arms arms.csv\n"
    "  scripts/plot-arms arms.csv arms.svg\n"
    "      where every arm was, as a picture\n"
    "\n"
    "Exit status: 0 done, 1 the unit answered an error, 2 wrong usage.\n";

static bool read_words(Words *words, int *argc, char ***argv)
{
    const GOptionEntry own[] = {
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
        { "seed", 0, 0, G_OPTION_ARG_INT64, &words->seed,
          "Of all chance: addresses and spindles; default 1", "N" },
        { "data", 0, 0, G_OPTION_ARG_STRING, &words->data,
          "on keeps what is written, in memory; default off", "on|off" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &words->json,
          "Print JSON, with fio's names", NULL },
        { "arms", 0, 0, G_OPTION_ARG_FILENAME, &words->arms,
          "Write where each arm was, as CSV", "FILE" },
        { "trace", 0, 0, G_OPTION_ARG_FILENAME, &words->trace,
          "Write every record of the models, a line each", "FILE" },
    };
    GOptionEntry entries[G_N_ELEMENTS(own) + JOB_KEYS + 1] = { 0 };

    memcpy(entries, own, sizeof(own));
    for (unsigned i = 0; i < JOB_KEYS; i++) {
        const JobKeyInfo *key = &job_key[i];

        entries[G_N_ELEMENTS(own) + i] = (GOptionEntry) {
            key->name, 0, 0,
            key->arg ? G_OPTION_ARG_STRING : G_OPTION_ARG_NONE,
            key->arg ? (void *)&words->key[i] : &words->flag[i],
            key->help, key->arg,
        };
    }
    return command_options("fio", argc, argv, entries, "[FILE]", 1, more);
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

/* Needs the rig: which unit, and how large it is; 0 and an error. */
static uint64_t find_unit(const Words *words, const Rig *rig, unsigned *unit,
                          GError **error)
{
    bool given = words->target != NOT_GIVEN;
    int number = given ? words->target : rig_first_unit(rig);
    RaidUnit *found = number >= 0 && number < RAID_UNITS_MAX
        ? raid_controller_unit(rig->ctl, number) : NULL;

    if (!found) {
        if (given) {
            number_error(error, "--target=%d: no such unit; a unit's number "
                         "is its lowest port", number);
        } else {
            number_error(error, "there is no drive, so there is no unit");
        }
        return 0;
    }
    *unit = number;
    return raid_capacity(raid_unit_shape(found)) * DISK_SECTOR_BYTES;
}

/* What the options say goes into every job; without a file they are one. */
static void add_options(const Words *words, GArray *jobs)
{
    for (guint i = 0; i < jobs->len; i++) {
        Job *job = &g_array_index(jobs, Job, i);

        for (unsigned key = 0; key < JOB_KEYS; key++) {
            if (words->key[key] || words->flag[key]) {
                job->word[key] = (JobWord) {
                    .text = or_else(words->key[key], "1"),
                    .key = job_key[key].name,
                };
            }
        }
        job->name = or_else(words->key[JOB_NAME], job->name);
    }
}

typedef struct Load {
    JobFile *file;              /* or NULL */
    GArray *jobs;               /* the file's, or the options' one */
    JobPlan *plans;
    GString *notes;             /* lines for the user */
} Load;

static bool plan_load(const Words *words, const char *path, uint64_t bytes,
                      Load *load, GError **error)
{
    static const Job typed = { .name = "raidsim" };
    JobDefaults defaults = {
        path ? "read" : "randread", path ? "4k" : "8k", words->seed
    };

    load->notes = g_string_new(NULL);
    load->file = path ? job_file_read(path, error) : NULL;
    if (path && !load->file) {
        return false;
    }
    load->jobs = path ? g_array_ref(load->file->jobs)
                      : g_array_new(FALSE, FALSE, sizeof(Job));
    if (!path) {
        g_array_append_val(load->jobs, typed);
    }
    add_options(words, load->jobs);
    load->plans = g_new0(JobPlan, load->jobs->len);
    for (guint i = 0; i < load->jobs->len; i++) {
        if (!job_plan(&g_array_index(load->jobs, Job, i), &defaults, bytes,
                      &load->plans[i], load->notes, error)) {
            return false;
        }
        defaults.seed += UINT64_C(0x9e3779b9);
    }
    return true;
}

static void free_load(Load *load)
{
    job_file_free(load->file);
    g_clear_pointer(&load->jobs, g_array_unref);
    g_free(load->plans);
    if (load->notes) {
        g_string_free(load->notes, TRUE);
    }
}

static void say_notes(const Load *load)
{
    g_auto(GStrv) note = g_strsplit(load->notes->str, "\n", -1);

    if (load->file && load->file->ignored->len) {
        g_ptr_array_add(load->file->ignored, NULL);
        g_autofree char *keys =
            g_strjoinv(", ", (char **)load->file->ignored->pdata);

        fprintf(stderr, "raidsim fio: ignored, without a meaning here: %s\n",
                keys);
    }
    for (char **line = note; *line && **line; line++) {
        fprintf(stderr, "raidsim fio: %s\n", *line);
    }
}

/* The first error of a job is said; how the command ends. */
static int say_errors(const JobRun *run)
{
    for (unsigned i = 0; i < job_run_results(run); i++) {
        const JobResult *result = job_run_result(run, i);

        if (result->first_error != UNIT_OK) {
            fprintf(stderr, "raidsim fio: %s stopped at the request for "
                    "sector %" PRIu64 ": %s\n", result->plan->job->name,
                    result->first_error_lba,
                    job_status_name(result->first_error));
            return 1;
        }
    }
    return 0;
}

static int run(const Words *words, const RigAsk *ask, Rig *rig,
               unsigned unit, const Load *load, GError **error)
{
    OutFile file[2] = {
        { .option = "--arms", .path = words->arms },
        { .option = "--trace", .path = words->trace },
    };
    Report report = { .ask = ask, .rig = rig, .unit = unit };
    FILE *arms, *trace;
    JobRun *jobs;
    Watch *watch;
    bool written;
    int status;

    if (!out_files_open(file, G_N_ELEMENTS(file), error)) {
        return COMMAND_USAGE;
    }
    say_notes(load);
    arms = file[0].stream;
    trace = file[1].stream;
    watch = watch_new(rig, arms, trace);
    if (arms) {
        fprintf(arms, "# %s, %s, depth %u\n", load->plans[0].rw,
                or_else(words->unit, "single:0"), load->plans[0].depth);
    }
    jobs = job_run_new(rig, unit, load->plans, load->jobs->len, ask->data);
    job_run_all(jobs, "raidsim fio");
    report.run = jobs;
    report.watch = watch;
    (words->json ? report_json : report_text)(&report, stdout);
    watch_free(watch);
    written = out_files_close(file, G_N_ELEMENTS(file), "fio");
    status = say_errors(jobs);
    job_run_free(jobs);
    return written ? status : 1;
}

int command_fio(int argc, char **argv)
{
    Words words = { .seed = 1, .target = NOT_GIVEN };
    g_autoptr(GError) error = NULL;
    RigAsk ask;
    Load load = { 0 };
    Rig *rig = NULL;
    uint64_t bytes = 0;
    unsigned unit = 0;
    int status = COMMAND_USAGE;

    if (!read_words(&words, &argc, &argv)) {
        return COMMAND_USAGE;
    }
    if (plan_ask(&words, &ask, &error)) {
        rig = rig_new(&ask, &error);
    }
    if (rig) {
        bytes = find_unit(&words, rig, &unit, &error);
    }
    if (bytes && plan_load(&words, argc > 1 ? argv[1] : NULL, bytes, &load,
                           &error)) {
        status = run(&words, &ask, rig, unit, &load, &error);
    }
    if (rig) {
        rig_free(rig);
    }
    free_load(&load);
    if (error) {
        command_refuse("fio", error->message);
    }
    return status;
}
