/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenario run: one event walks down the lines; the rest is the rig's.
 */
#include <inttypes.h>

#include "disk-model/world/fault.h"
#include "raid-model/control/manage.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/scenario.h"

#define LOOK_EVERY 4096

struct ScenarioRun {
    const Scenario *story;
    Rig *rig;
    GArray *phases;             /* of ScenarioPhase; runs point into it */
    GArray *events;             /* of ScenarioEvent */
    guint next, next_phase;     /* of the entries, of the phases */
    SimEvent ev;
    SimTime end;                /* as far as it can be told */
    bool interrupted;
    ScenarioReport *report;
    void *opaque;
};

static const ScenarioEntry *entry_at(const ScenarioRun *run, guint index)
{
    return &g_array_index(run->story->entries, ScenarioEntry, index);
}

static ScenarioPhase *phase_at(const ScenarioRun *run, guint index)
{
    return &g_array_index(run->phases, ScenarioPhase, index);
}

SimTime scenario_run_now(const ScenarioRun *run)
{
    return sim_now(run->rig->sim);
}

const char *scenario_state_name(UnitState state)
{
    static const char *const name[] = {
        [RAID_UNIT_OK] = "OK", [RAID_UNIT_DEGRADED] = "degraded",
        [RAID_UNIT_INOPERABLE] = "inoperable",
    };

    return name[state];
}

static void tell(ScenarioRun *run, char *what)
{
    ScenarioEvent event = { scenario_run_now(run), what };

    g_array_append_val(run->events, event);
}

/* --- what happens --------------------------------------------------------- */

static void pull(ScenarioRun *run, unsigned port)
{
    int number = raid_controller_port_unit(run->rig->ctl, port);
    RaidUnit *unit = number < 0 ? NULL
        : raid_controller_unit(run->rig->ctl, number);

    if (!raid_controller_pull(run->rig->ctl, port)) {
        tell(run, g_strdup_printf("pull port %u: no drive is there", port));
    } else if (unit) {
        tell(run, g_strdup_printf("pull port %u: unit %d is %s", port, number,
                                  scenario_state_name(raid_unit_state(unit))));
    } else {
        tell(run, g_strdup_printf("pull port %u", port));
    }
}

static void plug(ScenarioRun *run, unsigned port)
{
    Disk *disk = run->rig->drive[port].disk;

    if (!disk || disk_port_disk(raid_controller_port(run->rig->ctl, port))) {
        tell(run, g_strdup_printf("plug port %u: %s", port, disk
                                  ? "there is a drive already"
                                  : "no drive was pulled there"));
        return;
    }
    raid_controller_plug(run->rig->ctl, port, disk);
    tell(run, g_strdup_printf("plug port %u: the drive is there and in no "
                              "unit", port));
}

static void stop_work(ScenarioRun *run)
{
    for (guint i = 0; i < run->next_phase; i++) {
        if (job_run_going(phase_at(run, i)->run)) {
            job_run_stop(phase_at(run, i)->run);
        }
    }
}

static void cut_power(ScenarioRun *run)
{
    uint64_t lost = 0;

    stop_work(run);
    for (unsigned i = 0; i < run->rig->ports; i++) {
        Disk *disk = disk_port_disk(raid_controller_port(run->rig->ctl, i));

        lost += disk ? disk_power_cut(disk) : 0;
    }
    tell(run, g_strdup_printf("power cut: %" PRIu64 " sectors that drives "
                              "had taken are lost", lost));
}

static void power_fault(void *opaque, const FaultAct *act G_GNUC_UNUSED)
{
    cut_power(opaque);
}

static void order_fault(ScenarioRun *run, const char *rule)
{
    g_autoptr(GError) error = NULL;

    if (fault_order(run->rig->sim, rule, &error)) {
        tell(run, g_strdup_printf("fault %s", rule));
    } else {
        tell(run, g_strdup(error->message));
    }
}

static void give_order(ScenarioRun *run, const char *line)
{
    g_autoptr(GString) answer = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (manage_order(run->rig->ctl, line, answer, &error)) {
        tell(run, g_strdup_printf("order %s%s%s", line,
                                  answer->len ? ": " : "", answer->str));
    } else {
        tell(run, g_strdup_printf("order %s: refused, %s", line,
                                  error->message));
    }
}

static void begin_work(ScenarioRun *run)
{
    ScenarioPhase *phase = phase_at(run, run->next_phase++);

    phase->begun = true;
    job_run_begin(phase->run);
}

static void happen(ScenarioRun *run, const ScenarioEntry *entry)
{
    switch (entry->verb) {
    case SCENARIO_WORK:
        begin_work(run);
        break;
    case SCENARIO_PULL:
        pull(run, entry->port);
        break;
    case SCENARIO_PLUG:
        plug(run, entry->port);
        break;
    case SCENARIO_FAULT:
        order_fault(run, entry->fault);
        break;
    case SCENARIO_ORDER:
        give_order(run, entry->order);
        break;
    case SCENARIO_POWER_CUT:
        cut_power(run);
        break;
    case SCENARIO_REPORT:
        run->report(run->opaque, run);
        break;
    }
}

static void next_line(SimEvent *ev)
{
    ScenarioRun *run = (ScenarioRun *)((char *)ev - offsetof(ScenarioRun, ev));

    while (run->next < run->story->entries->len) {
        const ScenarioEntry *entry = entry_at(run, run->next);

        if (entry->at > scenario_run_now(run)) {
            sim_at(run->rig->sim, &run->ev, entry->at);
            return;
        }
        run->next++;
        happen(run, entry);
    }
}

static bool is_going(const ScenarioRun *run)
{
    if (run->next < run->story->entries->len) {
        return true;
    }
    for (guint i = 0; i < run->next_phase; i++) {
        if (job_run_going(phase_at(run, i)->run)) {
            return true;
        }
    }
    return false;
}

static bool all_is_well(const ScenarioRun *run)
{
    for (guint i = 0; i < run->phases->len; i++) {
        if (job_run_result(phase_at(run, i)->run, 0)->first_error !=
            UNIT_OK) {
            return false;
        }
    }
    return true;
}

bool scenario_run_all(ScenarioRun *run, ScenarioReport *report, void *opaque)
{
    run->report = report;
    run->opaque = opaque;
    run->ev.fire = next_line;
    sim_at(run->rig->sim, &run->ev, entry_at(run, 0)->at);
    progress_begin();
    for (uint64_t i = 1; is_going(run) && sim_step(run->rig->sim); i++) {
        if (i % LOOK_EVERY) {
            continue;
        }
        progress_show("raidsim run", (double)scenario_run_now(run) /
                                     MAX(run->end, 1));
        if (progress_interrupted() && !run->interrupted) {
            run->interrupted = true;
            run->next = run->story->entries->len;
            sim_cancel(run->rig->sim, &run->ev);
            stop_work(run);
        }
    }
    progress_end();
    return all_is_well(run);
}

/* --- life ----------------------------------------------------------------- */

static bool wrong_entry(const ScenarioRun *run, const ScenarioEntry *entry,
                        GError **error, const char *what)
{
    return number_error(error, "%s:%u: %s", run->story->path, entry->line,
                        what);
}

/* Needs the rig: which unit, and how large it is. */
static bool plan_phase(ScenarioRun *run, const ScenarioEntry *entry,
                       guint index, GError **error)
{
    ScenarioPhase *phase = phase_at(run, index);
    JobDefaults defaults = {
        "read", "4k", run->story->seed + index * UINT64_C(0x9e3779b9)
    };
    int number = entry->unit < 0 ? rig_first_unit(run->rig) : entry->unit;
    RaidUnit *unit = number < 0 ? NULL
        : raid_controller_unit(run->rig->ctl, number);
    g_autoptr(GString) notes = g_string_new(NULL);
    uint64_t sectors;

    if (!unit) {
        return wrong_entry(run, entry, error, "there is no such unit; right "
                           "would be the lowest port of one");
    }
    sectors = raid_capacity(raid_unit_shape(unit));
    phase->entry = entry;
    phase->unit = number;
    if (entry->spec) {
        phase->plan = (JobPlan) {
            .rw = "iometer", .depth = 1, .seed = defaults.seed, .clones = 1,
            .draw.sectors = sectors,
        };
    } else if (!job_plan(&entry->job, &defaults, sectors * DISK_SECTOR_BYTES,
                         &phase->plan, notes, error)) {
        return false;
    }
    phase->plan.job = &entry->job;
    phase->plan.grouped = true;         /* one result */
    phase->plan.depth = entry->depth ? entry->depth : phase->plan.depth;
    phase->plan.time_max = entry->time;
    phase->plan.requests_max = entry->requests;
    phase->plan.bytes_max = 0;
    phase->run = entry->spec
        ? job_run_new_iometer(run->rig, number, &phase->plan, entry->spec)
        : job_run_new(run->rig, number, &phase->plan, 1, false);
    return true;
}

/* Everything that can be wrong is found before anything happens. */
static bool plan_all(ScenarioRun *run, GError **error)
{
    guint phases = 0;

    for (guint i = 0; i < run->story->entries->len; i++) {
        phases += entry_at(run, i)->verb == SCENARIO_WORK;
    }
    g_array_set_size(run->phases, phases);      /* and stays where it is */
    phases = 0;
    for (guint i = 0; i < run->story->entries->len; i++) {
        const ScenarioEntry *entry = entry_at(run, i);

        run->end = MAX(run->end, entry->at + entry->time);
        if ((entry->verb == SCENARIO_PULL || entry->verb == SCENARIO_PLUG) &&
            entry->port >= run->rig->ports) {
            return wrong_entry(run, entry, error, "the board has no such "
                               "port; raidsim boards says how many");
        }
        if (entry->verb == SCENARIO_WORK &&
            !plan_phase(run, entry, phases++, error)) {
            return false;
        }
    }
    return true;
}

static void clear_event(void *event)
{
    g_free(((ScenarioEvent *)event)->what);
}

ScenarioRun *scenario_run_new(const Scenario *story, GError **error)
{
    RigAsk ask = {
        story->board, story->drives->str, story->units->str, story->seed,
        false
    };
    g_autoptr(GError) why = NULL;
    Rig *rig = rig_new(&ask, &why);
    ScenarioRun *run;

    if (!rig) {
        number_error(error, "%s: %s", story->path, why->message);
        return NULL;
    }
    run = g_new0(ScenarioRun, 1);
    run->story = story;
    run->rig = rig;
    fault_on_act(rig->sim, FAULT_ACTOR_POWER, power_fault, run);
    run->phases = g_array_new(FALSE, TRUE, sizeof(ScenarioPhase));
    run->events = g_array_new(FALSE, FALSE, sizeof(ScenarioEvent));
    g_array_set_clear_func(run->events, clear_event);
    if (!plan_all(run, error)) {
        scenario_run_free(run);
        return NULL;
    }
    return run;
}

void scenario_run_free(ScenarioRun *run)
{
    for (guint i = 0; i < run->phases->len; i++) {
        if (phase_at(run, i)->run) {
            job_run_free(phase_at(run, i)->run);
        }
    }
    g_array_unref(run->phases);
    g_array_unref(run->events);
    rig_free(run->rig);
    g_free(run);
}

const Rig *scenario_run_rig(const ScenarioRun *run)
{
    return run->rig;
}

bool scenario_run_interrupted(const ScenarioRun *run)
{
    return run->interrupted;
}

const GArray *scenario_run_events(const ScenarioRun *run)
{
    return run->events;
}

const GArray *scenario_run_phases(const ScenarioRun *run)
{
    return run->phases;
}
