/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim drives: what a preset gives and what its model does, side by side;
 * with --keys, each line of a preset and where it comes from; with --check,
 * whether random reads take the time that the sum of a
 * data sheet's figures promises.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "disk-model/media/media.h"
#include "raid-model/sim/command.h"
#include "raid-model/sim/drive-keys.h"
#include "raid-model/sim/expect.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/control/json.h"
#include "raid-model/sim/measure.h"
#include "raid-model/sim/watch.h"

#define CHECK_REQUESTS 20000
#define CHECK_SECTORS 16
#define CHECK_BOARD "3ware-8506-4"      /* the fastest link */
#define CHECK_LINK (board_model_find(CHECK_BOARD)->link_bytes_per_s)
#define CHECK_PERCENT 2.0

typedef struct Line {
    Measure given, run;
    Expect expect;
    double access_ms;           /* --check */
    bool checked;
} Line;

/* Not for a drive that has a bus of its own, as the traced ones have, or
 * reads on before it turns to the next command. */
static bool sum_holds(const DiskPreset *preset)
{
    return !preset->buffer.bus_read_ns && !preset->buffer.ahead_least;
}

/* The mean time of a random 8 KiB read at the drive, depth 1. */
static bool check(const char *name, guint64 seed, double *ms, GError **error)
{
    RigAsk ask = { CHECK_BOARD, name, "", seed, false };
    Rig *rig = rig_new(&ask, error);
    JobPlan plan = { .depth = 1, .requests_max = CHECK_REQUESTS,
                     .seed = seed, .clones = 1 };
    Watch *watch;
    JobRun *job;

    if (!rig) {
        return false;
    }
    plan.draw = draw_plain(100, true, CHECK_SECTORS, raid_capacity(
        raid_unit_shape(raid_controller_unit(rig->ctl, 0))));
    watch = watch_new(rig, NULL, NULL);
    job = job_run_new(rig, 0, &plan, 1, false);
    job_run_all(job, "raidsim drives");
    job_run_free(job);
    *ms = watch->all.total.mean / 1e6;
    watch_free(watch);
    rig_free(rig);
    return true;
}

static double difference(const Line *line)
{
    return (line->access_ms / line->expect.total_ms - 1) * 100;
}

static void print_text(const DiskPreset *preset, const Line *line)
{
    const Measure *given = &line->given, *run = &line->run;

    printf("%-11s %7.1f %5.0f  preset %6.2f %7.2f %6.2f %7.1f %6.1f %7.2f\n",
           preset->id, preset->geometry.lbas * 512 / 1e9, preset->rpm,
           given->track_ms, given->average_ms, given->full_ms,
           given->outer_rate / 1e6, given->inner_rate / 1e6,
           line->expect.total_ms);
    printf("%-25.25s  model  %6.2f %7.2f %6.2f %7.1f %6.1f", preset->label,
           run->track_ms, run->average_ms, run->full_ms,
           run->outer_rate / 1e6, run->inner_rate / 1e6);
    if (line->checked) {
        printf(" %7.2f %+.1f%%", line->access_ms, difference(line));
    }
    printf("\n");
}

static void json_measure(Json *json, const char *key, const Measure *measure)
{
    json_object(json, key);
    json_number(json, "seek_track_to_track_ms", measure->track_ms);
    json_number(json, "seek_average_ms", measure->average_ms);
    json_number(json, "seek_full_stroke_ms", measure->full_ms);
    json_number(json, "outer_bytes_per_s", measure->outer_rate);
    json_number(json, "inner_bytes_per_s", measure->inner_rate);
    json_close_object(json);
}

static void put_json(Json *json, const DiskPreset *preset, const Line *line)
{
    json_object(json, NULL);
    json_string(json, "id", preset->id);
    json_string(json, "label", preset->label);
    json_integer(json, "sectors", preset->geometry.lbas);
    json_integer(json, "cylinders", preset->geometry.cylinders);
    json_integer(json, "heads", preset->geometry.heads);
    json_number(json, "rpm", preset->rpm);
    json_measure(json, "preset", &line->given);
    json_measure(json, "model", &line->run);
    json_number(json, "random_read_8k_expected_ms", line->expect.total_ms);
    if (line->checked) {
        json_number(json, "random_read_8k_measured_ms", line->access_ms);
        json_number(json, "difference_percent", difference(line));
    }
    json_close_object(json);
}

/* --- keys ----------------------------------------------------------------- */

static void print_keys(const char *id, const GArray *keys)
{
    const char *comment = "";

    printf("%s\n", id);
    for (guint i = 0; i < keys->len; i++) {
        const DriveKey *key = &g_array_index(keys, DriveKey, i);

        if (strcmp(key->comment, comment)) {
            comment = key->comment;
            printf("  %s\n", comment);
        }
        printf("    [%s] %s=%s\n", key->group, key->key, key->value);
    }
}

static void put_keys(Json *json, const char *id, const GArray *keys)
{
    json_object(json, NULL);
    json_string(json, "id", id);
    json_list(json, "keys");
    for (guint i = 0; i < keys->len; i++) {
        const DriveKey *key = &g_array_index(keys, DriveKey, i);

        json_object(json, NULL);
        json_string(json, "group", key->group);
        json_string(json, "key", key->key);
        json_string(json, "value", key->value);
        json_string(json, "kind", key->kind);
        json_string(json, "comment", key->comment);
        json_close_object(json);
    }
    json_close_list(json);
    json_close_object(json);
}

static int list_keys(char **names, bool as_json)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_list(&json, "drives");
    for (; *names; names++) {
        DiskPreset *preset = disk_preset_load(*names, &error);
        g_autofree char *path =
            preset ? disk_preset_path(*names, &error) : NULL;
        GArray *keys = path ? drive_keys_read(path, &error) : NULL;

        if (!keys) {
            disk_preset_free(preset);
            return command_refuse("drives", error->message);
        }
        if (as_json) {
            put_keys(&json, preset->id, keys);
        } else {
            print_keys(preset->id, keys);
        }
        drive_keys_free(keys);
        disk_preset_free(preset);
    }
    json_close_list(&json);
    text = json_end(&json);
    if (as_json) {
        fputs(text, stdout);
    }
    return 0;
}

/* ------------------------------------------------------------------------- */

static const char more[] =
    "Each drive has two lines: what its preset file says, and what comes out\n"
    "when the model runs. 'read 8k' is a random read of 8 KiB over the whole\n"
    "drive: seek average + half a turn + overhead + transfer.\n"
    "\n"
    "NAME is a preset's name or a file of your own, as in ./my.drive.\n"
    "\n"
    "  raidsim drives --check wd1200jb   also run 20000 reads; exit status 1\n"
    "                                    when the two differ by over 2 %\n"
    "\n"
    "  raidsim drives --keys sr5400      each line of a preset, and the\n"
    "                                    comment that says where its number\n"
    "                                    comes from; kinds of numbers as in\n"
    "                                    the README of the presets\n"
    "\n"
    "Not checked so: drives with a bus-read-ms, which have traces instead\n"
    "(see raidsim replay), and those with a read-ahead-least-sectors.\n";

int command_drives(int argc, char **argv)
{
    gboolean as_json = FALSE, run_check = FALSE, run_keys = FALSE;
    gint64 seed = 1;
    const GOptionEntry entries[] = {
        { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
        { "check", 0, 0, G_OPTION_ARG_NONE, &run_check,
          "Run random reads and compare", NULL },
        { "keys", 0, 0, G_OPTION_ARG_NONE, &run_keys,
          "List the lines of presets and where they come from", NULL },
        { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Of chance; default 1",
          "N" },
        { 0 }
    };
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) names = NULL;
    g_autofree char *text = NULL;
    int status = 0;
    Json json;

    if (!command_options("drives", &argc, &argv, entries, "[NAME...]", 1000,
                         more)) {
        return COMMAND_USAGE;
    }
    if (seed < 0) {
        return command_refuse("drives", "--seed: 0 or more would be right");
    }
    names = argc > 1 ? g_strdupv(argv + 1) : disk_preset_list();
    if (run_keys) {
        return list_keys(names, as_json);
    }
    json_begin(&json);
    json_list(&json, "drives");
    for (char **name = names; name && *name; name++) {
        DiskPreset *preset = disk_preset_load(*name, &error);
        Line line = { 0 };

        line.checked = run_check && preset && sum_holds(preset);
        if (!preset || (line.checked && !check(*name, seed, &line.access_ms,
                                               &error))) {
            return command_refuse("drives", error->message);
        }
        line.given = measure_given(preset);
        line.run = measure_run(preset, seed);
        line.expect = expect_random_read(preset, CHECK_SECTORS,
                                         CHECK_LINK);
        if (line.checked && fabs(difference(&line)) > CHECK_PERCENT) {
            status = 1;
        }
        if (as_json) {
            put_json(&json, preset, &line);
        } else {
            if (name == names) {
                printf("                                -- seek, ms --------"
                       "  -- MB/s -----  8k read\n"
                       "drive            GB   rpm           next average   "
                       "full   outer  inner      ms\n");
            }
            print_text(preset, &line);
        }
        disk_preset_free(preset);
    }
    json_close_list(&json);
    text = json_end(&json);
    if (as_json) {
        fputs(text, stdout);
    }
    return status;
}
