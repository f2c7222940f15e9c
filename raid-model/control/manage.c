/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manage: the report, written from top to bottom.
 */
#include "raid-model/control/manage.h"

#include <string.h>

#include "raid-model/control/json.h"
#include "raid-model/control/life.h"

#define MEMORY_MB 2             /* measured: a 7000's, in a public tw-cli log;
                                 * a guess for the other series */

static const char *const type_words[RAID_CODES] = {
    [RAID_JBOD] = "JBOD", [RAID_SINGLE] = "SINGLE", [RAID_0] = "RAID-0",
    [RAID_1] = "RAID-1", [RAID_5] = "RAID-5", [RAID_10] = "RAID-10",
};

static const char *const state_words[] = {
    [RAID_UNIT_OK] = "OK", [RAID_UNIT_DEGRADED] = "DEGRADED",
    [RAID_UNIT_INOPERABLE] = "INOPERABLE",
};

/* Boards of other makers have no versions. */
static void put_version(Json *json, const char *key, const char *version)
{
    json_string(json, key, version ? version : "");
}

/* A negative one is none. */
static void put_index(Json *json, const char *key, int index)
{
    if (index < 0) {
        json_null(json, key);
    } else {
        json_integer(json, key, index);
    }
}

static void put_controller(const RaidController *ctl, Json *json)
{
    const BoardModel *board = ctl->board;
    bool is_3ware = g_str_has_prefix(board->name, "3ware-");

    json_object(json, "controller");
    json_string(json, "model",
                board->name + (is_3ware ? strlen("3ware-") : 0));
    json_string(json, "device", board->name);
    json_string(json, "serial", "");
    put_version(json, "firmware", board->firmware);
    put_version(json, "bios", board->bios);
    put_version(json, "monitor", board->monitor);
    put_version(json, "pcb", board->pcb);
    put_version(json, "achip", board->achip);
    put_version(json, "pchip", board->pchip);
    json_integer(json, "memory_mb", MEMORY_MB);
    json_integer(json, "ports", board->ports);
    json_integer(json, "rebuild_rate", ctl->rebuild_rate);
    json_integer(json, "verify_rate", ctl->verify_rate);
    json_integer(json, "time_ns", sim_now(ctl->sim));
    json_close_object(json);
}

/* --- units ---------------------------------------------------------------- */

static bool is_good(const CtlUnit *own, unsigned member)
{
    return life_good_members(own) >> member & 1;
}

/* Of a unit, or of one mirror whose state that is; `task` is of all of it. */
static const char *status_word(UnitState state, const RaidTaskState *task)
{
    static const char *const busy[][2] = {
        [RAID_TASK_REBUILD] = { "REBUILDING", "REBUILD-PAUSED" },
        [RAID_TASK_VERIFY] = { "VERIFYING", "VERIFY-PAUSED" },
        [RAID_TASK_INIT] = { "INITIALIZING", "INIT-PAUSED" },
    };

    return state == RAID_UNIT_INOPERABLE || task->kind == RAID_TASK_NONE
        ? state_words[state] : busy[task->kind][task->paused];
}

static void put_percent(const RaidTaskState *task, Json *json)
{
    put_index(json, "percent", task->kind == RAID_TASK_NONE ? -1
              : (int)(task->row * 100 / MAX(task->rows, 1)));
}

static void put_drive(const char *status, int port, uint64_t sectors,
                      Json *json)
{
    json_object(json, NULL);
    json_string(json, "type", "DISK");
    json_string(json, "status", status);
    put_index(json, "port", port);
    json_null(json, "percent");
    json_integer(json, "sectors", (int64_t)sectors);
    json_close_object(json);
}

static void put_members(const CtlUnit *own, unsigned first, unsigned count,
                        Json *json)
{
    json_list(json, "subunits");
    for (unsigned i = first; i < first + count; i++) {
        put_drive(is_good(own, i) ? "OK" : "DEGRADED", own->port[i],
                  raid_unit_shape(own->unit)->member_sectors, json);
    }
    json_close_list(json);
}

/* Two neighbours are a mirror. */
static void put_mirror(const CtlUnit *own, unsigned first, Json *json)
{
    static const RaidTaskState none;
    const RaidTaskState *task = raid_unit_task(own->unit);
    unsigned there = is_good(own, first) + is_good(own, first + 1);
    UnitState state = there == 2 ? RAID_UNIT_OK
        : there ? RAID_UNIT_DEGRADED : RAID_UNIT_INOPERABLE;

    if (task->kind == RAID_TASK_REBUILD && task->member / 2 != first / 2) {
        task = &none;
    }
    json_object(json, NULL);
    json_string(json, "type", type_words[RAID_1]);
    json_string(json, "status", status_word(state, task));
    json_null(json, "port");
    put_percent(task, json);
    json_integer(json, "sectors",
                 (int64_t)raid_unit_shape(own->unit)->member_sectors);
    put_members(own, first, 2, json);
    json_close_object(json);
}

static void put_subunits(const CtlUnit *own, Json *json)
{
    const RaidShape *shape = raid_unit_shape(own->unit);

    if (shape->level->code != RAID_10) {
        put_members(own, 0, shape->members, json);
        return;
    }
    json_list(json, "subunits");
    for (unsigned first = 0; first < shape->members; first += 2) {
        put_mirror(own, first, json);
    }
    json_close_list(json);
}

static void put_unit(RaidController *ctl, const CtlUnit *own, Json *json)
{
    static const char *const task_words[] = {
        [RAID_TASK_NONE] = NULL, [RAID_TASK_REBUILD] = "rebuild",
        [RAID_TASK_VERIFY] = "verify", [RAID_TASK_INIT] = "initialize",
    };
    const RaidShape *shape = raid_unit_shape(own->unit);
    const RaidTaskState *task = raid_unit_task(own->unit);
    const char *word = task_words[task->kind];

    json_object(json, NULL);
    json_integer(json, "unit", own->number);
    json_string(json, "type", type_words[shape->level->code]);
    json_string(json, "status", status_word(raid_unit_state(own->unit), task));
    put_percent(task, json);
    if (word) {
        json_string(json, "task", word);
    } else {
        json_null(json, "task");
    }
    json_truth(json, "paused", task->paused);
    put_index(json, "stripe_kb", shape->level->striped
                                     ? (int)shape->stripe_sectors / 2 : -1);
    json_integer(json, "sectors", (int64_t)raid_capacity(shape));
    json_truth(json, "cache", raid_controller_write_cache(ctl, own->number));
    json_truth(json, "autoverify", own->dcb.flags & DCB_AUTOVERIFY);
    json_truth(json, "ignore_ecc", own->dcb.flags & DCB_IGNORE_ECC);
    json_string(json, "name", own->dcb.name);
    json_string(json, "serial", "");
    put_subunits(own, json);
    json_close_object(json);
}

static void put_spare(const RaidController *ctl, unsigned port, Json *json)
{
    const Disk *disk = disk_port_disk(ctl->port[port]);

    json_object(json, NULL);
    json_integer(json, "unit", ctl->spare_number[port]);
    json_string(json, "type", "SPARE");
    json_string(json, "status", state_words[RAID_UNIT_OK]);
    json_null(json, "percent");
    json_null(json, "task");
    json_truth(json, "paused", false);
    json_null(json, "stripe_kb");
    json_integer(json, "sectors", (int64_t)disk_sectors(disk));
    json_truth(json, "cache", disk_write_cache(disk));
    json_truth(json, "autoverify", false);
    json_truth(json, "ignore_ecc", false);
    json_string(json, "name", "");
    json_string(json, "serial", "");
    json_list(json, "subunits");
    put_drive("OK", (int)port, disk_sectors(disk), json);
    json_close_list(json);
    json_close_object(json);
}

/* --- ports, events -------------------------------------------------------- */

/* A member that was lost, or is stale. */
static bool is_no_good(const RaidController *ctl, unsigned port)
{
    const CtlUnit *own;

    if (ctl->port_unit[port] == RAID_NO_UNIT) {
        return false;
    }
    own = &ctl->unit[ctl->port_unit[port]];
    for (unsigned i = 0; i < raid_unit_shape(own->unit)->members; i++) {
        if (own->port[i] == (int)port) {
            return !is_good(own, i);
        }
    }
    return false;
}

static const char *port_status(const RaidController *ctl, unsigned port)
{
    if (ctl->removed[port]) {
        return "DRIVE-REMOVED";
    }
    if (!disk_port_disk(ctl->port[port])) {
        return "NOT-PRESENT";
    }
    return is_no_good(ctl, port) ? "DEGRADED"
         : ctl->ecc_error[port] ? "ECC-ERROR" : "OK";
}

static void put_port(RaidController *ctl, unsigned port, Json *json)
{
    const Disk *disk = raid_controller_drive(ctl, port);
    const DiskPreset *preset = disk ? disk_preset(disk) : NULL;

    json_object(json, NULL);
    json_integer(json, "port", port);
    json_string(json, "status", port_status(ctl, port));
    put_index(json, "unit", ctl->spare[port] ? ctl->spare_number[port]
                                             : ctl->port_unit[port]);
    json_string(json, "model", disk ? preset->label : "");
    json_string(json, "serial", disk ? disk_serial(disk) : "");
    json_string(json, "firmware", disk ? preset->firmware : "");
    json_string(json, "link", disk ? preset->interface : "");
    json_integer(json, "sectors", disk ? (int64_t)disk_sectors(disk) : 0);
    json_close_object(json);
}

static void put_event(const RaidLogEntry *entry, Json *json)
{
    static const char *const of[] = {
        [RAID_OF_UNIT] = "unit", [RAID_OF_PORT] = "port",
    };
    const RaidEventWord word = raid_event_words(entry->event.code);
    g_autofree char *text = of[word.of]
        ? g_strdup_printf("%s: %s=%u", word.text, of[word.of],
                          entry->event.source)
        : g_strdup(word.text);

    json_object(json, NULL);
    json_integer(json, "at_ns", entry->at);
    json_integer(json, "code", word.number);
    json_string(json, "severity", word.severity);
    json_string(json, "text", text);
    json_close_object(json);
}

char *manage_report(RaidController *ctl)
{
    Json json;

    json_begin(&json);
    put_controller(ctl, &json);
    json_list(&json, "units");
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        int spare = life_spare_port(ctl, i);

        if (ctl->unit[i].unit) {
            put_unit(ctl, &ctl->unit[i], &json);
        } else if (spare != RAID_NO_PORT) {
            put_spare(ctl, (unsigned)spare, &json);
        }
    }
    json_close_list(&json);
    json_list(&json, "ports");
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        put_port(ctl, port, &json);
    }
    json_close_list(&json);
    json_list(&json, "events");
    for (unsigned i = 0; i < ctl->log.count; i++) {
        put_event(raid_log_at(&ctl->log, i), &json);
    }
    json_close_list(&json);
    return json_end(&json);
}
