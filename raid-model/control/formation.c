/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formation - which drives make which unit: units are made, lose and gain
 * members.
 *
 * What is logged when a member goes (the public event list has a code for
 * each, and the vendor's manual describes them so):
 *
 *   at power-on a member is not there    incomplete unit (unit)
 *   a drive fails or is pulled later     drive error (port), then
 *     and the unit goes on               unit degraded (unit)
 *     and the unit cannot                incomplete unit (unit)
 *   a bad sector was written again       sector repair (port)
 *     or nobody knows what it held       drive ECC error (port)
 *
 * A drive plugged in after power-on joins no unit and becomes none: units
 * are formed at power-on only.
 */
#include "raid-model/control/controller-private.h"

/* --- what units tell ------------------------------------------------------ */

static CtlUnit *ctl_unit_of(RaidController *ctl, const RaidUnit *unit)
{
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (ctl->unit[i].unit == unit) {
            return &ctl->unit[i];
        }
    }
    g_assert_not_reached();
}

static void member_lost(void *opaque, RaidUnit *unit, unsigned member,
                        UnitState state)
{
    RaidController *ctl = opaque;
    CtlUnit *own = ctl_unit_of(ctl, unit);

    raid_controller_log(ctl, RAID_EVENT_DRIVE_ERROR,
                        (uint8_t)own->port[member]);
    raid_controller_log(ctl, state == RAID_UNIT_DEGRADED
                                 ? RAID_EVENT_UNIT_DEGRADED
                                 : RAID_EVENT_UNIT_INCOMPLETE, own->number);
}

static void log_of_port(RaidController *ctl, RaidEventCode code,
                        const RaidUnit *unit, unsigned member)
{
    raid_controller_log(ctl, code,
                        (uint8_t)ctl_unit_of(ctl, unit)->port[member]);
}

static void sector_repaired(void *opaque, RaidUnit *unit, unsigned member)
{
    log_of_port(opaque, RAID_EVENT_SECTOR_REPAIR, unit, member);
}

static void medium_error(void *opaque, RaidUnit *unit, unsigned member)
{
    log_of_port(opaque, RAID_EVENT_DRIVE_ECC_ERROR, unit, member);
}

static const RaidUnitListener listener = {
    .member_lost = member_lost,
    .sector_repaired = sector_repaired,
    .medium_error = medium_error,
};

/* --- making units -------------------------------------------------------- */

static uint64_t port_sectors(const RaidController *ctl, int port)
{
    return disk_sectors(disk_port_disk(ctl->port[port]));
}

static bool check_port(const RaidController *ctl, const RaidSpec *spec,
                       int port, GError **error)
{
    const char *level = spec->level->name;

    if (port >= ctl->board->ports) {
        return raid_deny(error, "%s: port %d does not exist; a %s has ports 0 "
                         "to %d", level, port, ctl->board->name,
                         ctl->board->ports - 1);
    }
    if (ctl->port_unit[port] != RAID_NO_UNIT) {
        return raid_deny(error, "%s: port %d is already in unit %d; each drive "
                         "is in one unit", level, port, ctl->port_unit[port]);
    }
    if (!disk_port_disk(ctl->port[port])) {
        return raid_deny(error, "%s: port %d has no drive; plug one or write "
                         "\"missing\"", level, port);
    }
    return true;
}

static bool check_drives(const RaidController *ctl, const RaidSpec *spec,
                         GError **error)
{
    int first = RAID_PORT_MISSING;

    for (unsigned i = 0; i < spec->members; i++) {
        int port = spec->port[i];

        if (port == RAID_PORT_MISSING) {
            continue;
        }
        if (!check_port(ctl, spec, port, error)) {
            return false;
        }
        if (first == RAID_PORT_MISSING) {
            first = port;
        } else if (port_sectors(ctl, port) != port_sectors(ctl, first)) {
            return raid_deny(error, "%s: the drives on ports %d and %d differ "
                             "in size (%" G_GUINT64_FORMAT " and %"
                             G_GUINT64_FORMAT " sectors); use equal drives",
                             spec->level->name, first, port,
                             port_sectors(ctl, first), port_sectors(ctl, port));
        }
    }
    return true;
}

static unsigned lowest_port(const RaidSpec *spec)
{
    unsigned lowest = RAID_PORTS_MAX;

    for (unsigned i = 0; i < spec->members; i++) {
        if (spec->port[i] != RAID_PORT_MISSING) {
            lowest = MIN(lowest, (unsigned)spec->port[i]);
        }
    }
    return lowest;
}

static bool shape_unit(const RaidController *ctl, const RaidSpec *spec,
                       RaidShape *shape, GError **error)
{
    uint64_t sectors = port_sectors(ctl, (int)lowest_port(spec));

    *shape = (RaidShape) {
        .level = spec->level,
        .members = spec->members,
        .stripe_sectors = spec->stripe_sectors,
        .member_sectors = raid_member_sectors(spec->level,
                                              spec->stripe_sectors, sectors),
    };
    return shape->member_sectors ||
           raid_deny(error, "%s: the drive on port %u is too small (%"
                     G_GUINT64_FORMAT " sectors); a member needs %u and at "
                     "least %u more", spec->level->name, lowest_port(spec),
                     sectors, RAID_RESERVED_SECTORS,
                     spec->level->striped ? spec->stripe_sectors : 1);
}

static void form_unit(RaidController *ctl, const RaidSpec *spec,
                      const RaidShape *shape)
{
    unsigned number = lowest_port(spec);
    CtlUnit *own = &ctl->unit[number];
    DiskPort *port[RAID_MEMBERS_MAX] = { NULL };

    own->number = (uint8_t)number;
    for (unsigned i = 0; i < spec->members; i++) {
        own->port[i] = spec->port[i];
        if (spec->port[i] != RAID_PORT_MISSING) {
            port[i] = ctl->port[spec->port[i]];
            ctl->port_unit[spec->port[i]] = (int)number;
        }
    }
    own->unit = raid_unit_new(ctl->sim, number, shape, &ctl->card, port,
                              &listener, ctl);
    if (ctl->board->cache_bytes) {
        own->cache = raid_cache_new(ctl->sim, &(RaidCachePlan) {
            .bytes = board_cache_dirty(ctl->board),
            .destage_max = ctl->board->cache_destage_max,
            .urgent_percent = ctl->board->cache_urgent_percent,
        }, own->unit);
    }
}

static bool deny_level(const BoardModel *board, const RaidLevel *level,
                       GError **error)
{
    g_autoptr(GString) offered = g_string_new(NULL);

    for (RaidCode code = RAID_CODES; code-- > 0;) {
        if (board_offers(board, code)) {
            g_string_append_printf(offered, "%s%s", offered->len ? ", " : "",
                                   raid_level[code].name);
        }
    }
    return raid_deny(error, "%s: a %s does not offer %s; it has %s",
                     level->name, board->name, level->title, offered->str);
}

bool raid_controller_create(RaidController *ctl, const RaidSpec *spec,
                            GError **error)
{
    RaidShape shape;

    g_assert(!ctl->powered);
    if (!raid_spec_check(spec, error)) {
        return false;
    }
    if (!board_offers(ctl->board, spec->level->code)) {
        return deny_level(ctl->board, spec->level, error);
    }
    if (!check_drives(ctl, spec, error) ||
        !shape_unit(ctl, spec, &shape, error)) {
        return false;
    }
    form_unit(ctl, spec, &shape);
    return true;
}

void raid_controller_power_on(RaidController *ctl)
{
    g_assert(!ctl->powered);
    for (int port = 0; port < ctl->board->ports; port++) {
        RaidSpec spec = {
            .level = &raid_level[RAID_JBOD], .members = 1, .port = { port },
        };

        if (ctl->port_unit[port] == RAID_NO_UNIT &&
            disk_port_disk(ctl->port[port])) {
            raid_controller_create(ctl, &spec, NULL);
        }
    }
    ctl->powered = true;
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        RaidUnit *unit = ctl->unit[i].unit;

        if (unit && raid_unit_state(unit) != RAID_UNIT_OK) {
            raid_controller_log(ctl, RAID_EVENT_UNIT_INCOMPLETE, (uint8_t)i);
        }
    }
}

/* --- drives come and go -------------------------------------------------- */

void raid_controller_plug(RaidController *ctl, unsigned port, Disk *disk)
{
    ctl->away[port] = NULL;
    disk_port_plug(raid_controller_port(ctl, port), disk);
}

/* The unit learns first, so that nothing new is sent to the empty port. */
Disk *raid_controller_pull(RaidController *ctl, unsigned port)
{
    int number = raid_controller_port_unit(ctl, port);
    Disk *disk;

    if (number != RAID_NO_UNIT) {
        CtlUnit *own = &ctl->unit[number];
        unsigned members = raid_unit_shape(own->unit)->members;

        for (unsigned i = 0; i < members; i++) {
            if (own->port[i] == (int)port) {
                raid_unit_lose_member(own->unit, i);
            }
        }
    }
    disk = disk_port_pull(ctl->port[port]);
    if (!disk) {
        disk = ctl->away[port];
        ctl->away[port] = NULL;
    }
    return disk;
}
