/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim run: a story of a card, and what became of it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "raid-model/sim/command.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/report.h"
#include "raid-model/sim/scenario.h"

static const char more[] =
    "FILE tells what there is and what happens when, a line each:\n"
    "\n"
    "    controller 3ware-7410 seed 42\n"
    "    drives 4 wd1200jb\n"
    "    at 0    create raid5 ports 0-3 stripe 64k\n"
    "    at 1s   work file-server depth 16 for 60s\n"
    "    at 20s  pull port 2\n"
    "    at 40s  report\n"
    "\n"
    "Lines that can follow 'at TIME'\n"
    "  create LEVEL ports A-B [stripe SIZE]        a unit; at 0\n"
    "  work PATTERN [depth N] [on unit N] for TIME|N requests\n"
    "      PATTERN is one of IOMeter's: file-server, workstation, database,\n"
    "      random-write, sequential-write ... (raidsim iometer --help)\n"
    "  work fio KEY=VALUE ... for TIME|N requests\n"
    "      fio's words: work fio rw=randrw bs=8k iodepth=4 for 10s\n"
    "  pull port N, plug port N      a drive; back again, in no unit\n"
    "  power cut                     what drives only held in RAM is lost\n"
    "  report                        how far everything is\n"
    "Times take ms, s, m, h and are model time. # begins a comment.\n"
    "\n"
    "Example\n"
    "  raidsim run docs/pulled-drive.scenario\n"
    "\n"
    "Exit status: 0 done, 1 work met an error, 2 wrong words, nothing was "
    "run.\n";

/* --- for people ----------------------------------------------------------- */

static void print_units(const ScenarioRun *run)
{
    const Rig *rig = scenario_run_rig(run);

    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        RaidUnit *unit = raid_controller_unit(rig->ctl, i);
        const RaidShape *shape = unit ? raid_unit_shape(unit) : NULL;

        if (unit) {
            printf("  unit %u: %s of %u drive%s, %.2f GB, %s\n", i,
                   shape->level->title, shape->members,
                   shape->members == 1 ? "" : "s",
                   raid_capacity(shape) * 512 / 1e9,
                   scenario_state_name(raid_unit_state(unit)));
        }
    }
}

static void report_now(void *opaque G_GNUC_UNUSED, const ScenarioRun *run)
{
    const GArray *phases = scenario_run_phases(run);

    printf("at %.3f s\n", scenario_run_now(run) / 1e9);
    print_units(run);
    for (guint i = 0; i < phases->len; i++) {
        const ScenarioPhase *phase = &g_array_index(phases, ScenarioPhase, i);
        const JobResult *result = job_run_result(phase->run, 0);
        const JobSide *read = &result->side[UNIT_READ];
        const JobSide *write = &result->side[UNIT_WRITE];

        if (phase->begun) {
            printf("  %s: %" PRIu64 " reads, mean %.3f ms, %" PRIu64
                   " writes, mean %.3f ms, %s\n", result->plan->job->name,
                   read->requests, read->latency.mean / 1e6,
                   write->requests, write->latency.mean / 1e6,
                   job_run_going(phase->run) ? "going on" : "ended");
        }
    }
    putchar('\n');
}

static void print_text(const Scenario *story, const ScenarioRun *run)
{
    const GArray *phases = scenario_run_phases(run);
    const GArray *events = scenario_run_events(run);

    printf("%s: %s, drives %s, seed %" PRIu64 ": %.3f s of model time%s\n",
           story->path, story->board, story->drives->str, story->seed,
           scenario_run_now(run) / 1e9,
           scenario_run_interrupted(run) ? " (interrupted)" : "");
    print_units(run);
    for (guint i = 0; i < events->len; i++) {
        const ScenarioEvent *event = &g_array_index(events, ScenarioEvent, i);

        printf("  at %.3f s %s\n", event->at / 1e9, event->what);
    }
    for (guint i = 0; i < phases->len; i++) {
        const ScenarioPhase *phase = &g_array_index(phases, ScenarioPhase, i);

        if (phase->begun) {
            printf("\nat %.3f s, on unit %u:", phase->entry->at / 1e9,
                   phase->unit);
            report_print_job(job_run_result(phase->run, 0), stdout);
        }
    }
}

/* --- for programs --------------------------------------------------------- */

static void put_units(Json *json, const ScenarioRun *run)
{
    const Rig *rig = scenario_run_rig(run);

    json_list(json, "units");
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        RaidUnit *unit = raid_controller_unit(rig->ctl, i);

        if (unit) {
            json_object(json, NULL);
            json_integer(json, "unit", i);
            json_string(json, "level", raid_unit_shape(unit)->level->name);
            json_string(json, "state",
                        scenario_state_name(raid_unit_state(unit)));
            json_close_object(json);
        }
    }
    json_close_list(json);
}

static void put_phases(Json *json, const ScenarioRun *run)
{
    const GArray *phases = scenario_run_phases(run);

    json_list(json, "jobs");
    for (guint i = 0; i < phases->len; i++) {
        const ScenarioPhase *phase = &g_array_index(phases, ScenarioPhase, i);
        const JobResult *result = job_run_result(phase->run, 0);

        if (!phase->begun) {
            continue;
        }
        json_object(json, NULL);
        report_put_job(json, result);
        json_object(json, "platter");
        json_integer(json, "at_ns", phase->entry->at);
        json_integer(json, "unit", phase->unit);
        json_integer(json, "going", job_run_going(phase->run));
        report_put_command(json, result);
        json_close_object(json);
        json_close_object(json);
    }
    json_close_list(json);
}

/* In the list of reports. */
static void put_report(void *opaque, const ScenarioRun *run)
{
    Json *json = opaque;

    json_object(json, NULL);
    json_integer(json, "at_ns", scenario_run_now(run));
    put_units(json, run);
    put_phases(json, run);
    json_close_object(json);
}

static void put_end(Json *json, const ScenarioRun *run)
{
    const GArray *events = scenario_run_events(run);

    json_integer(json, "model_time_ns", scenario_run_now(run));
    json_integer(json, "interrupted", scenario_run_interrupted(run));
    put_units(json, run);
    json_list(json, "events");
    for (guint i = 0; i < events->len; i++) {
        const ScenarioEvent *event = &g_array_index(events, ScenarioEvent, i);

        json_object(json, NULL);
        json_integer(json, "at_ns", event->at);
        json_string(json, "what", event->what);
        json_close_object(json);
    }
    json_close_list(json);
    put_phases(json, run);
}

/* --- the command ---------------------------------------------------------- */

static void say_errors(const Scenario *story, const ScenarioRun *run)
{
    const GArray *phases = scenario_run_phases(run);

    for (guint i = 0; i < phases->len; i++) {
        const ScenarioPhase *phase = &g_array_index(phases, ScenarioPhase, i);
        const JobResult *result = job_run_result(phase->run, 0);

        if (result->first_error != UNIT_OK) {
            fprintf(stderr, "raidsim run: %s:%u: stopped at the request for "
                    "sector %" PRIu64 ": %s\n", story->path,
                    phase->entry->line, result->first_error_lba,
                    job_status_name(result->first_error));
        }
    }
}

static bool run_json(const Scenario *story, ScenarioRun *run)
{
    g_autofree char *text = NULL;
    Json json;
    bool well;

    json_begin(&json);
    json_string(&json, "story", story->path);
    json_string(&json, "controller", story->board);
    json_string(&json, "drives", story->drives->str);
    json_integer(&json, "seed", story->seed);
    json_list(&json, "reports");
    well = scenario_run_all(run, put_report, &json);
    json_close_list(&json);
    put_end(&json, run);
    text = json_end(&json);
    fputs(text, stdout);
    return well;
}

int command_run(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    gboolean as_json = FALSE;
    Scenario *story = NULL;
    ScenarioRun *run = NULL;
    bool well = false;
    const GOptionEntry entries[] = {
        { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
        { 0 }
    };

    if (!command_options("run", &argc, &argv, entries, "FILE", 1, more)) {
        return COMMAND_USAGE;
    }
    if (argc < 2) {
        return command_refuse("run", "which FILE? (raidsim run --help)");
    }
    story = scenario_read(argv[1], &error);
    run = story ? scenario_run_new(story, &error) : NULL;
    if (run) {
        for (guint i = 0; i < story->ignored->len; i++) {
            fprintf(stderr, "raidsim run: ignored, without a meaning here: "
                    "%s\n", (char *)story->ignored->pdata[i]);
        }
        if (as_json) {
            well = run_json(story, run);
        } else {
            well = scenario_run_all(run, report_now, NULL);
            print_text(story, run);
        }
        say_errors(story, run);
        scenario_run_free(run);
    }
    scenario_free(story);
    if (error) {
        return command_refuse("run", error->message);
    }
    return well ? 0 : 1;
}
