/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formation - which drives make which unit: units are made, or made again
 * from what their members say, lose and gain members.
 *
 * What is logged when a member goes (the public event list has a code for
 * each, and the vendor's manual describes them so):
 *
 *   at power-on a member is not there    incomplete unit (unit)
 *     the last shutdown was none         unclean shutdown (unit)
 *     a drive's block is not believed    DCB checksum, DCB version or drive
 *                                        too small (port)
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
    config_member_lost(ctl, own, member);
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

/* Only what is on the medium is recorded. */
static void task_news(void *opaque, RaidUnit *unit, RaidTaskNews news,
                      unsigned member)
{
    RaidController *ctl = opaque;
    CtlUnit *own = ctl_unit_of(ctl, unit);

    if (news == RAID_TASK_STARTED || news == RAID_TASK_CHECKPOINT) {
        own->checkpoint = raid_unit_task(unit)->row;
    } else if (news == RAID_TASK_DONE || news == RAID_TASK_FAILED) {
        own->dcb.flags |= news == RAID_TASK_DONE && own->task == RAID_TASK_INIT
            ? DCB_INITIALISED : 0;
    } else {
        return;
    }
    own->task = raid_unit_task(unit)->kind;
    if (!own->task && own->agree) {
        own->agree = !raid_unit_task_start(unit, RAID_TASK_INIT, member, 0);
    }
    raid_config_changed(ctl, own->number);
}

static const RaidUnitListener listener = {
    .member_lost = member_lost,
    .sector_repaired = sector_repaired,
    .medium_error = medium_error,
    .task = task_news,
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

static bool check_ports(const RaidController *ctl, const RaidSpec *spec,
                        GError **error)
{
    for (unsigned i = 0; i < spec->members; i++) {
        if (spec->port[i] != RAID_PORT_MISSING &&
            !check_port(ctl, spec, spec->port[i], error)) {
            return false;
        }
    }
    return true;
}

static bool check_sizes(const RaidController *ctl, const RaidSpec *spec,
                        GError **error)
{
    int first = RAID_PORT_MISSING;

    for (unsigned i = 0; i < spec->members; i++) {
        int port = spec->port[i];

        if (port == RAID_PORT_MISSING) {
            continue;
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

/* `from`: what the members say, NULL for a new unit.  Only those it has as
 * good take part; the others' drives are the unit's all the same. */
static void form_unit(RaidController *ctl, const RaidSpec *spec,
                      const RaidShape *shape, const RaidAssembled *from)
{
    unsigned number = lowest_port(spec);
    CtlUnit *own = &ctl->unit[number];
    DiskPort *port[RAID_MEMBERS_MAX] = { NULL };

    own->number = (uint8_t)number;
    for (unsigned i = 0; i < spec->members; i++) {
        own->port[i] = spec->port[i];
        if (spec->port[i] != RAID_PORT_MISSING) {
            port[i] = !from || from->good >> i & 1 ? ctl->port[spec->port[i]]
                                                   : NULL;
            ctl->port_unit[spec->port[i]] = (int)number;
        }
    }
    own->unit = raid_unit_new(ctl->sim, number, shape, &ctl->card, port,
                              &listener, ctl);
    config_formed(ctl, own, from ? &from->dcb : NULL);
    own->record.again = from && from->uneven;
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

/* As its drives have it. */
static void form_again(RaidController *ctl, const RaidAssembled *from)
{
    RaidShape shape = dcb_shape(&from->dcb);
    RaidSpec spec = {
        .level = shape.level, .members = shape.members,
        .stripe_sectors = shape.stripe_sectors,
    };

    for (unsigned m = 0; m < shape.members; m++) {
        spec.port[m] = from->port[m] == RAID_NOBODY ? RAID_PORT_MISSING
                                                    : from->port[m];
    }
    form_unit(ctl, &spec, &shape, from);
}

static bool create(RaidController *ctl, const RaidAssembly *all,
                   const RaidSpec *spec, GError **error)
{
    RaidShape shape;
    int index;

    if (!raid_spec_check(spec, error)) {
        return false;
    }
    if (!board_offers(ctl->board, spec->level->code)) {
        return deny_level(ctl->board, spec->level, error);
    }
    if (!check_ports(ctl, spec, error) ||
        !config_agrees(all, spec, &index, error)) {
        return false;
    }
    if (index != RAID_NOBODY) {
        form_again(ctl, &all->unit[index]);
        return true;
    }
    if (!check_sizes(ctl, spec, error) ||
        !shape_unit(ctl, spec, &shape, error)) {
        return false;
    }
    form_unit(ctl, spec, &shape, NULL);
    return true;
}

bool raid_controller_create(RaidController *ctl, const RaidSpec *spec,
                            GError **error)
{
    g_autofree RaidAssembly *all = g_new(RaidAssembly, 1);

    config_load(ctl, all);
    return create(ctl, all, spec, error);
}

/* --- power-on ------------------------------------------------------------ */

static bool is_formed(const RaidController *ctl, const RaidAssembled *from)
{
    for (unsigned m = 0; m < from->dcb.members; m++) {
        if (from->port[m] != RAID_NOBODY &&
            ctl->port_unit[from->port[m]] != RAID_NO_UNIT) {
            return true;
        }
    }
    return false;
}

static void form_the_rest(RaidController *ctl, const RaidAssembly *all)
{
    for (unsigned i = 0; i < all->units; i++) {
        const RaidAssembled *from = &all->unit[i];

        if (!is_formed(ctl, from) &&
            board_offers(ctl->board, from->dcb.level->code)) {
            form_again(ctl, from);
        }
    }
    for (int port = 0; port < ctl->board->ports; port++) {
        RaidSpec spec = {
            .level = &raid_level[RAID_JBOD], .members = 1, .port = { port },
        };

        if (ctl->port_unit[port] == RAID_NO_UNIT &&
            all->claim[port] == RAID_CLAIM_BLANK) {
            create(ctl, all, &spec, NULL);
        }
    }
}

/* What becomes of a drive that is in no unit; which of these codes fits a
 * drive that is one too many is a guess. */
static void announce_drive(RaidController *ctl, unsigned port)
{
    static const RaidEventCode code[RAID_CLAIMS] = {
        [RAID_CLAIM_MEMBER] = RAID_EVENT_DRIVE_UNSUPPORTED,    /* the level */
        [RAID_CLAIM_REBUILDING] = RAID_EVENT_DRIVE_UNSUPPORTED,
        [RAID_CLAIM_STALE] = RAID_EVENT_DRIVE_UNSUPPORTED,
        [RAID_CLAIM_DAMAGED] = RAID_EVENT_DCB_CHECKSUM,
        [RAID_CLAIM_FOREIGN] = RAID_EVENT_DCB_CHECKSUM,
        [RAID_CLAIM_DUPLICATE] = RAID_EVENT_DCB_CHECKSUM,
        [RAID_CLAIM_NEWER] = RAID_EVENT_DCB_VERSION,
        [RAID_CLAIM_SHRUNK] = RAID_EVENT_DRIVE_TOO_SMALL,
    };

    if (ctl->port_unit[port] == RAID_NO_UNIT && code[ctl->claim[port]]) {
        raid_controller_log(ctl, code[ctl->claim[port]], (uint8_t)port);
    }
}

/*
 * What the power interrupted goes on from its checkpoint.  After an unclean
 * end redundancy is made to agree from the first row on (gen1 initialises
 * again); what a rebuild lacks comes first.
 */
static void resume_task(RaidController *ctl, CtlUnit *own)
{
    const Dcb *dcb = &own->dcb;
    bool unclean = dcb->flags & DCB_UNCLEAN;

    for (unsigned m = 0; m < dcb->members; m++) {
        if (own->port[m] != RAID_PORT_MISSING &&
            ctl->claim[own->port[m]] == RAID_CLAIM_REBUILDING) {
            raid_unit_join_member(own->unit, m, ctl->port[own->port[m]]);
        }
    }
    own->agree = unclean && ctl_is_redundant(own);
    if (dcb->task == DCB_TASK_REBUILD) {
        raid_unit_task_start(own->unit, RAID_TASK_REBUILD, dcb->task_member,
                             dcb->task_row);
    } else if (own->agree) {
        own->agree = !raid_unit_task_start(own->unit, RAID_TASK_INIT, 0, 0);
    } else if (dcb->task != DCB_TASK_NONE) {
        raid_unit_task_start(own->unit, dcb->task == DCB_TASK_VERIFY
                             ? RAID_TASK_VERIFY : RAID_TASK_INIT, 0,
                             dcb->task_row);
    }
    raid_unit_task_pause(own->unit, dcb->flags & DCB_PAUSED);
}

static void start_unit(RaidController *ctl, CtlUnit *own)
{
    bool wants_cache = own->dcb.flags & DCB_CACHE;

    if (raid_unit_state(own->unit) != RAID_UNIT_OK) {
        raid_controller_log(ctl, RAID_EVENT_UNIT_INCOMPLETE, own->number);
    }
    if (!own->record.kept) {
        return;
    }
    if (!own->dcb.sequence) {
        config_write_now(ctl, own);
        return;
    }
    ctl->rebuild_rate = own->dcb.rebuild_rate;
    ctl->verify_rate = own->dcb.verify_rate;
    if (raid_controller_write_cache(ctl, own->number) != wants_cache) {
        raid_controller_set_write_cache(ctl, own->number, wants_cache);
    }
    if (own->dcb.flags & DCB_UNCLEAN) {
        raid_controller_log(ctl, RAID_EVENT_UNCLEAN_SHUTDOWN, own->number);
    }
    raid_unit_set_task_rate(own->unit, own->dcb.task == DCB_TASK_VERIFY
                            ? ctl->verify_rate : ctl->rebuild_rate);
    raid_unit_set_policy(own->unit, own->dcb.flags & DCB_IGNORE_ECC);
    resume_task(ctl, own);
}

void raid_controller_power_on(RaidController *ctl)
{
    g_autofree RaidAssembly *all = g_new(RaidAssembly, 1);

    g_assert(!ctl->powered);
    config_load(ctl, all);
    form_the_rest(ctl, all);
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        ctl->claim[port] = all->claim[port];
        ctl->spare[port] = all->claim[port] == RAID_CLAIM_SPARE;
        announce_drive(ctl, port);
    }
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (ctl->unit[i].unit) {
            start_unit(ctl, &ctl->unit[i]);
        }
    }
    ctl->powered = true;
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (ctl->unit[i].record.again) {
            raid_config_changed(ctl, i);
        }
    }
}

RaidClaim raid_controller_claim(const RaidController *ctl, unsigned port)
{
    g_assert(port < ctl->board->ports);
    return ctl->claim[port];
}

void formation_delete(RaidController *ctl, unsigned unit)
{
    CtlUnit *own = &ctl->unit[unit];

    controller_reset_unit(ctl, unit);
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        if (ctl->port_unit[port] == (int)unit && own->record.kept) {
            raid_config_forget(ctl, port);
        }
    }
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        if (ctl->port_unit[port] == (int)unit) {
            ctl->port_unit[port] = RAID_NO_UNIT;
        }
    }
    raid_cache_free(own->cache);
    raid_unit_free(own->unit);
    *own = (CtlUnit) { 0 };
    leave_check(ctl);
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
    config_pulled(ctl, port);
    disk = disk_port_pull(ctl->port[port]);
    if (!disk) {
        disk = ctl->away[port];
        ctl->away[port] = NULL;
    }
    return disk;
}
