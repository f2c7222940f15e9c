/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manage: the report, written from top to bottom.
 */
#include <string.h>

#include "raid-model/control/controller-private.h"
#include "raid-model/control/manage.h"

#define RATE_GUESS 3            /* the middle of tw_cli's five */
#define MEMORY_MB_MEASURED 2    /* a 7000's, in a public tw-cli log */

static const char *const type_words[RAID_CODES] = {
    [RAID_JBOD] = "JBOD", [RAID_SINGLE] = "SINGLE", [RAID_0] = "RAID-0",
    [RAID_1] = "RAID-1", [RAID_5] = "RAID-5", [RAID_10] = "RAID-10",
};

static const char *const state_words[] = {
    [RAID_UNIT_OK] = "OK", [RAID_UNIT_DEGRADED] = "DEGRADED",
    [RAID_UNIT_INOPERABLE] = "INOPERABLE",
};

/* A string of JSON; drives call themselves what they like. */
static void put_text(GString *out, const char *name, const char *text)
{
    g_string_append_printf(out, "\"%s\": \"", name);
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == '"' || *c == '\\') {
            g_string_append_printf(out, "\\u%04x", *c);
        } else {
            g_string_append_c(out, *c);
        }
    }
    g_string_append(out, "\", ");
}

static void put_controller(RaidController *ctl, GString *out)
{
    const BoardModel *board = ctl->board;

    g_string_append(out, "{\"controller\": {");
    put_text(out, "model", g_str_has_prefix(board->name, "3ware-")
                               ? board->name + strlen("3ware-")
                               : board->name);
    put_text(out, "device", board->name);
    put_text(out, "serial", "");
    put_text(out, "firmware", board->firmware ? board->firmware : "");
    put_text(out, "bios", board->bios ? board->bios : "");
    put_text(out, "monitor", board->monitor ? board->monitor : "");
    put_text(out, "pcb", board->pcb ? board->pcb : "");
    put_text(out, "achip", board->achip ? board->achip : "");
    put_text(out, "pchip", board->pchip ? board->pchip : "");
    g_string_append_printf(out, "\"memory_mb\": %d, \"ports\": %d, "
                           "\"rebuild_rate\": %d, \"verify_rate\": %d, "
                           "\"time_ns\": %" G_GINT64_FORMAT "},\n \"units\": [",
                           MEMORY_MB_MEASURED, board->ports, RATE_GUESS,
                           RATE_GUESS, sim_now(ctl->sim));
}

static void put_member(const CtlUnit *own, unsigned member, GString *out)
{
    const RaidShape *shape = raid_unit_shape(own->unit);
    bool there = raid_unit_member_present(own->unit, member);

    g_string_append_printf(out, "%s{\"type\": \"DISK\", \"status\": \"%s\", "
                           "\"port\": ", member ? ", " : "",
                           there ? "OK" : "DEGRADED");
    if (own->port[member] == RAID_PORT_MISSING) {
        g_string_append(out, "null");
    } else {
        g_string_append_printf(out, "%d", own->port[member]);
    }
    g_string_append_printf(out, ", \"percent\": null, \"sectors\": %"
                           G_GUINT64_FORMAT "}", shape->member_sectors);
}

/* Two neighbours are a mirror. */
static void put_mirrors(const CtlUnit *own, GString *out)
{
    const RaidShape *shape = raid_unit_shape(own->unit);

    for (unsigned first = 0; first < shape->members; first += 2) {
        unsigned there = raid_unit_member_present(own->unit, first) +
                         raid_unit_member_present(own->unit, first + 1);
        g_autoptr(GString) members = g_string_new(NULL);

        put_member(own, first, members);
        if (first) {                    /* a list of its own */
            g_string_erase(members, 0, 2);
        }
        put_member(own, first + 1, members);
        g_string_append_printf(out, "%s{\"type\": \"RAID-1\", \"status\": "
                               "\"%s\", \"port\": null, \"percent\": null, "
                               "\"sectors\": %" G_GUINT64_FORMAT
                               ", \"subunits\": [%s]}", first ? ", " : "",
                               there == 2 ? "OK"
                                   : there ? "DEGRADED" : "INOPERABLE",
                               shape->member_sectors, members->str);
    }
}

static void put_unit(RaidController *ctl, const CtlUnit *own, GString *out)
{
    const RaidShape *shape = raid_unit_shape(own->unit);

    g_string_append_printf(out, "{\"unit\": %d, \"type\": \"%s\", \"status\": "
                           "\"%s\", \"percent\": null, \"task\": null, "
                           "\"paused\": false, ", own->number,
                           type_words[shape->level->code],
                           state_words[raid_unit_state(own->unit)]);
    if (shape->level->striped) {
        g_string_append_printf(out, "\"stripe_kb\": %u, ",
                               shape->stripe_sectors / 2);
    } else {
        g_string_append(out, "\"stripe_kb\": null, ");
    }
    g_string_append_printf(out, "\"sectors\": %" G_GUINT64_FORMAT
                           ", \"cache\": %s, \"autoverify\": false, "
                           "\"ignore_ecc\": false, \"name\": \"\", "
                           "\"serial\": \"\", \"subunits\": [",
                           raid_capacity(shape),
                           raid_controller_write_cache(ctl, own->number)
                               ? "true" : "false");
    if (shape->level->code == RAID_10) {
        put_mirrors(own, out);
    } else {
        for (unsigned i = 0; i < shape->members; i++) {
            put_member(own, i, out);
        }
    }
    g_string_append(out, "]}");
}

/* A member that was lost keeps its place; the drive itself may be back. */
static bool port_is_lost(const RaidController *ctl, unsigned port)
{
    const CtlUnit *own;

    if (ctl->port_unit[port] == RAID_NO_UNIT) {
        return false;
    }
    own = &ctl->unit[ctl->port_unit[port]];
    for (unsigned i = 0; i < raid_unit_shape(own->unit)->members; i++) {
        if (own->port[i] == (int)port) {
            return !raid_unit_member_present(own->unit, i);
        }
    }
    return false;
}

static void put_port(const RaidController *ctl, unsigned port, GString *out)
{
    const Disk *disk = disk_port_disk(ctl->port[port]);
    const DiskPreset *preset = disk ? disk_preset(disk) : NULL;

    g_string_append_printf(out, "%s\n  {\"port\": %u, \"status\": \"%s\", "
                           "\"unit\": ", port ? "," : "", port,
                           !disk ? "NOT-PRESENT"
                               : port_is_lost(ctl, port) ? "DEGRADED" : "OK");
    if (ctl->port_unit[port] == RAID_NO_UNIT) {
        g_string_append(out, "null, ");
    } else {
        g_string_append_printf(out, "%d, ", ctl->port_unit[port]);
    }
    put_text(out, "model", disk ? preset->label : "");
    put_text(out, "serial", disk ? disk_serial(disk) : "");
    put_text(out, "firmware", disk ? preset->firmware : "");
    put_text(out, "link", disk ? preset->interface : "");
    g_string_append_printf(out, "\"sectors\": %" G_GUINT64_FORMAT "}",
                           disk ? disk_sectors(disk) : 0);
}

void manage_report(RaidController *ctl, GString *out)
{
    const char *comma = "";

    put_controller(ctl, out);
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (ctl->unit[i].unit) {
            g_string_append_printf(out, "%s\n  ", comma);
            put_unit(ctl, &ctl->unit[i], out);
            comma = ",";
        }
    }
    g_string_append(out, "],\n \"ports\": [");
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        put_port(ctl, port, out);
    }
    g_string_append(out, "],\n \"events\": []}\n");
}
