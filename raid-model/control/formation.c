/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formation - which drives make which unit: units are made, or made again
 * from what their members say, and unmade.
 *
 * What is logged at power-on (the public event list has a code for each, and
 * the vendor's manual describes them so):
 *
 *   a member is not there                incomplete unit (unit)
 *   the last shutdown was none           unclean shutdown (unit)
 *   a drive's block is not believed      DCB checksum, DCB version or drive
 *                                        too small (port)
 *
 * A drive plugged in after power-on joins no unit by itself and becomes none:
 * without an order units are formed at power-on only.
 */
#include "raid-model/control/life.h"

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
    if (ctl->spare[port]) {
        return raid_deny(error, "%s: the drive on port %d is the spare u%u; "
                         "delete that first", level, port,
                         ctl->spare_number[port]);
    }
    if (ctl->removed[port] || !disk_port_disk(ctl->port[port])) {
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
    int number = life_free_number(ctl, lowest_port(spec));
    CtlUnit *own = &ctl->unit[number];
    DiskPort *port[RAID_MEMBERS_MAX] = { NULL };

    own->number = (uint8_t)number;
    for (unsigned i = 0; i < spec->members; i++) {
        own->port[i] = spec->port[i];
        if (spec->port[i] != RAID_PORT_MISSING) {
            port[i] = !from || from->good >> i & 1 ? ctl->port[spec->port[i]]
                                                   : NULL;
            ctl->port_unit[spec->port[i]] = number;
        }
    }
    own->unit = raid_unit_new(ctl->sim, own->number, shape, &ctl->card, port,
                              &life_listener, ctl);
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

static bool check_level(const RaidController *ctl, const RaidSpec *spec,
                        GError **error)
{
    return raid_spec_check(spec, error) &&
           (board_offers(ctl->board, spec->level->code) ||
            deny_level(ctl->board, spec->level, error)) &&
           check_ports(ctl, spec, error);
}

static bool create_new(RaidController *ctl, const RaidSpec *spec,
                       GError **error)
{
    RaidShape shape;

    if (life_free_number(ctl, 0) == RAID_NO_UNIT) {
        return raid_deny(error, "%s: there are %d units already; delete one",
                         spec->level->name, RAID_UNITS_MAX);
    }
    if (!check_sizes(ctl, spec, error) ||
        !shape_unit(ctl, spec, &shape, error)) {
        return false;
    }
    form_unit(ctl, spec, &shape, NULL);
    return true;
}

static bool create(RaidController *ctl, const RaidAssembly *all,
                   const RaidSpec *spec, GError **error)
{
    int index;

    if (!check_level(ctl, spec, error) ||
        !config_agrees(all, spec, &index, error)) {
        return false;
    }
    if (index == RAID_NOBODY) {
        return create_new(ctl, spec, error);
    }
    form_again(ctl, &all->unit[index]);
    return true;
}

bool formation_create(RaidController *ctl, const RaidSpec *spec,
                      GError **error)
{
    return check_level(ctl, spec, error) && create_new(ctl, spec, error);
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

        if (ctl->port_unit[port] == RAID_NO_UNIT && !ctl->jbodless &&
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
    life_begin(ctl);
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

static void unmake(RaidController *ctl, unsigned unit)
{
    CtlUnit *own = &ctl->unit[unit];

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

void formation_delete(RaidController *ctl, unsigned unit)
{
    controller_reset_unit(ctl, unit);
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        if (ctl->port_unit[port] == (int)unit &&
            ctl->unit[unit].record.kept) {
            raid_config_forget(ctl, port);
        }
    }
    unmake(ctl, unit);
}

void formation_drop(RaidController *ctl, unsigned unit)
{
    controller_reset_unit(ctl, unit);
    config_reset_end(ctl);
    unmake(ctl, unit);
}
