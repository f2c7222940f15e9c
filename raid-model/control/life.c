/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life: what units tell becomes events, records and the next task.
 *
 * Events, in the order they come (numbers of the public lists):
 *
 *   a member goes         0a drive error (port), 02 degraded or 06 incomplete
 *   a rebuild             0b started, 05 done or 04 failed
 *     a source is bad     26 drive ECC error (port), 2d bad sector (port), 04
 *     the same, forced    2c overwrote (port), and it goes on
 *   a verify              29 started, 2b done or 2a failed
 *     rows disagree       2a failed, 0c: all is initialised again
 *     never initialised   2f, 0c instead
 *   an initialisation     0c started, 07 done; that one failed has no number
 *   a drive is too small  2e (port)
 */
#include "raid-model/control/life.h"

#include <stddef.h>

#define SPARE_AFTER SIM_S(1)            /* guess */
#define SPARE_TRIES 60                  /* guess: so many seconds */
#define AUTOVERIFY_EVERY SIM_S(86400)   /* a day, as the vendor's later cards
                                         * do; these had none */

/* --- words ---------------------------------------------------------------- */

static CtlUnit *unit_of(RaidController *ctl, const RaidUnit *unit)
{
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (ctl->unit[i].unit == unit) {
            return &ctl->unit[i];
        }
    }
    g_assert_not_reached();
}

/* Where it is or was last. */
static void log_of_port(RaidController *ctl, RaidEventCode code,
                        const RaidUnit *unit, unsigned member)
{
    DiskPort *port = raid_unit_port(unit, member);

    raid_controller_log(ctl, code, (uint8_t)disk_port_number(port));
}

static bool is_degraded(const CtlUnit *own)
{
    return own->unit && raid_unit_state(own->unit) == RAID_UNIT_DEGRADED;
}

uint32_t life_good_members(const CtlUnit *own)
{
    uint32_t good = 0;

    for (unsigned m = 0; m < raid_unit_shape(own->unit)->members; m++) {
        good |= (uint32_t)(raid_unit_member_present(own->unit, m) &&
                           !raid_unit_member_stale(own->unit, m)) << m;
    }
    return good;
}

/* --- spares and numbers --------------------------------------------------- */

int life_spare_port(const RaidController *ctl, unsigned number)
{
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        if (ctl->spare[port] && ctl->spare_number[port] == number) {
            return (int)port;
        }
    }
    return RAID_NO_PORT;
}

int life_free_number(const RaidController *ctl, unsigned lowest_port)
{
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        unsigned number = (lowest_port + i) % RAID_UNITS_MAX;

        if (!ctl->unit[number].unit &&
            life_spare_port(ctl, number) == RAID_NO_PORT) {
            return (int)number;
        }
    }
    return RAID_NO_UNIT;
}

static void look_for_spare(RaidController *ctl)
{
    bool lacking = false, spare = false;

    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        lacking |= is_degraded(&ctl->unit[i]);
    }
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        spare |= ctl->spare[port];
    }
    if (lacking && spare) {
        ctl->spare_tries = SPARE_TRIES;
        sim_after(ctl->sim, &ctl->spare_ev, SPARE_AFTER);
    }
}

void life_make_spare(RaidController *ctl, unsigned port)
{
    ctl->spare[port] = false;           /* or it stood in its own way */
    ctl->spare_number[port] = (uint8_t)life_free_number(ctl, port);
    ctl->spare[port] = true;
    look_for_spare(ctl);
}

/* --- tasks ---------------------------------------------------------------- */

static void set_rate(const RaidController *ctl, CtlUnit *own)
{
    raid_unit_set_task_rate(own->unit, own->task == RAID_TASK_VERIFY
                            ? ctl->verify_rate : ctl->rebuild_rate);
}

void life_set_rates(RaidController *ctl)
{
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (ctl->unit[i].unit) {
            set_rate(ctl, &ctl->unit[i]);
            raid_config_changed(ctl, i);
        }
    }
}

void life_rebuild(CtlUnit *own)
{
    for (unsigned m = 0; m < raid_unit_shape(own->unit)->members; m++) {
        if (raid_unit_member_stale(own->unit, m) && !(own->unfit >> m & 1) &&
            raid_unit_task_start(own->unit, RAID_TASK_REBUILD, m, 0)) {
            return;
        }
    }
}

void life_verify(RaidController *ctl, CtlUnit *own)
{
    if (ctl_is_redundant(own) && !(own->dcb.flags & DCB_INITIALISED)) {
        raid_controller_log(ctl, RAID_EVENT_VERIFY_UNINITIALISED,
                            own->number);
        raid_unit_task_start(own->unit, RAID_TASK_INIT, 0, 0);
    } else {
        raid_unit_task_start(own->unit, RAID_TASK_VERIFY, 0, 0);
    }
}

static void task_began(RaidController *ctl, CtlUnit *own)
{
    static const RaidEventCode code[] = {
        [RAID_TASK_REBUILD] = RAID_EVENT_REBUILD_STARTED,
        [RAID_TASK_VERIFY] = RAID_EVENT_VERIFY_STARTED,
        [RAID_TASK_INIT] = RAID_EVENT_INIT_STARTED,
    };

    own->task = raid_unit_task(own->unit)->kind;
    own->checkpoint = raid_unit_task(own->unit)->row;
    set_rate(ctl, own);
    raid_controller_log(ctl, code[own->task], own->number);
}

/* What comes next is what redundancy lacks, then that it agrees. */
static void task_ended(RaidController *ctl, CtlUnit *own, bool well,
                       unsigned member)
{
    static const RaidEventCode code[][2] = {
        [RAID_TASK_REBUILD] = { RAID_EVENT_REBUILD_FAILED,
                                RAID_EVENT_REBUILD_DONE },
        [RAID_TASK_VERIFY] = { RAID_EVENT_VERIFY_FAILED,
                               RAID_EVENT_VERIFY_DONE },
        [RAID_TASK_INIT] = { RAID_EVENT_NONE, RAID_EVENT_INIT_DONE },
    };
    RaidTaskKind was = own->task;

    own->task = RAID_TASK_NONE;
    if (code[was][well]) {
        raid_controller_log(ctl, code[was][well], own->number);
    }
    if (was == RAID_TASK_INIT && well) {
        own->dcb.flags |= DCB_INITIALISED;
    }
    if (was == RAID_TASK_REBUILD && !well) {
        own->unfit |= 1u << member;
    }
    life_rebuild(own);
    if (!own->task && own->agree) {
        own->agree = !raid_unit_task_start(own->unit, RAID_TASK_INIT, 0, 0);
    }
}

/* Cards of this family do not mend a row, they initialise them all. */
static void rows_disagree(RaidController *ctl, CtlUnit *own)
{
    if (own->task == RAID_TASK_VERIFY) {
        raid_unit_task_stop(own->unit);
        own->task = RAID_TASK_NONE;
        raid_controller_log(ctl, RAID_EVENT_VERIFY_FAILED, own->number);
        raid_unit_task_start(own->unit, RAID_TASK_INIT, 0, 0);
    }
}

static void source_is_bad(RaidController *ctl, const RaidUnit *unit,
                          unsigned member)
{
    ctl->ecc_error[disk_port_number(raid_unit_port(unit, member))] = true;
    log_of_port(ctl, RAID_EVENT_DRIVE_ECC_ERROR, unit, member);
    log_of_port(ctl, RAID_EVENT_REBUILD_BAD_SECTOR, unit, member);
}

/* Only what is on the medium is recorded. */
static void task_news(void *opaque, RaidUnit *unit, RaidTaskNews news,
                      unsigned member)
{
    RaidController *ctl = opaque;
    CtlUnit *own = unit_of(ctl, unit);

    switch (news) {
    case RAID_TASK_STARTED:
        task_began(ctl, own);
        break;
    case RAID_TASK_CHECKPOINT:
        own->checkpoint = raid_unit_task(unit)->row;
        break;
    case RAID_TASK_DONE:
    case RAID_TASK_FAILED:
        task_ended(ctl, own, news == RAID_TASK_DONE, member);
        break;
    case RAID_TASK_MISMATCH:
        rows_disagree(ctl, own);
        break;
    case RAID_TASK_SOURCE_BAD:
        source_is_bad(ctl, unit, member);
        return;
    case RAID_TASK_OVERWROTE:
        log_of_port(ctl, RAID_EVENT_REBUILD_OVERWROTE, unit, member);
        return;
    }
    raid_config_changed(ctl, own->number);
}

/* --- members -------------------------------------------------------------- */

static void member_lost(void *opaque, RaidUnit *unit, unsigned member,
                        UnitState state)
{
    RaidController *ctl = opaque;
    CtlUnit *own = unit_of(ctl, unit);

    log_of_port(ctl, RAID_EVENT_DRIVE_ERROR, unit, member);
    raid_controller_log(ctl, state == RAID_UNIT_DEGRADED
                                 ? RAID_EVENT_UNIT_DEGRADED
                                 : RAID_EVENT_UNIT_INCOMPLETE, own->number);
    config_member_lost(ctl, own, member);
    look_for_spare(ctl);
}

static void sector_repaired(void *opaque, RaidUnit *unit, unsigned member)
{
    log_of_port(opaque, RAID_EVENT_SECTOR_REPAIR, unit, member);
}

static void medium_error(void *opaque, RaidUnit *unit, unsigned member)
{
    RaidController *ctl = opaque;

    ctl->ecc_error[disk_port_number(raid_unit_port(unit, member))] = true;
    log_of_port(ctl, RAID_EVENT_DRIVE_ECC_ERROR, unit, member);
}

const RaidUnitListener life_listener = {
    .member_lost = member_lost,
    .sector_repaired = sector_repaired,
    .medium_error = medium_error,
    .task = task_news,
};

bool life_drive_fits(const RaidController *ctl, const CtlUnit *own,
                     unsigned port)
{
    return dcb_drive_fits(raid_unit_shape(own->unit)->member_sectors,
                          disk_sectors(disk_port_disk(ctl->port[port])));
}

/* The member's place is free: whoever was there has nothing to do with the
 * unit any more. */
static void vacate(RaidController *ctl, CtlUnit *own, unsigned member)
{
    if (own->port[member] != RAID_PORT_MISSING) {
        ctl->port_unit[own->port[member]] = RAID_NO_UNIT;
        own->port[member] = RAID_PORT_MISSING;
    }
}

void life_join(RaidController *ctl, CtlUnit *own, unsigned member,
               unsigned port)
{
    bool cache = raid_controller_write_cache(ctl, own->number);
    Disk *disk = disk_port_disk(ctl->port[port]);
    bool joined;

    own->unfit &= ~(1u << member);
    if (raid_unit_member_stale(own->unit, member)) {
        return;
    }
    vacate(ctl, own, member);
    ctl->spare[port] = false;
    ctl->port_unit[port] = own->number;
    own->port[member] = (int)port;
    own->dcb.at[member].state = DCB_MISSING;    /* the old one, for good */
    own->record.lost &= ~(1u << member);
    joined = raid_unit_join_member(own->unit, member, ctl->port[port]);
    g_assert(joined);
    if (disk_write_cache(disk) != cache) {
        raid_controller_set_write_cache(ctl, own->number, cache);
    }
    raid_config_changed(ctl, own->number);
}

/* --- a spare takes over --------------------------------------------------- */

/* The lowest that fits; those that do not are complained of. */
static int fitting_spare(RaidController *ctl, const CtlUnit *own)
{
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        if (ctl->spare[port] && life_drive_fits(ctl, own, port)) {
            return (int)port;
        }
    }
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        if (ctl->spare[port]) {
            raid_controller_log(ctl, RAID_EVENT_DRIVE_TOO_SMALL,
                                (uint8_t)port);
        }
    }
    return RAID_NO_PORT;
}

/* False: not now, a drive that is gone still owes answers. */
static bool replace_member(RaidController *ctl, CtlUnit *own, unsigned member)
{
    int port;

    if (raid_unit_member_present(own->unit, member)) {
        return true;
    }
    port = fitting_spare(ctl, own);
    if (port == RAID_NO_PORT) {
        return true;
    }
    if (!raid_unit_can_join(own->unit, member)) {
        return false;
    }
    life_join(ctl, own, member, (unsigned)port);
    life_rebuild(own);
    return true;
}

static void spare_fires(SimEvent *ev)
{
    RaidController *ctl =
        (RaidController *)((char *)ev - offsetof(RaidController, spare_ev));
    bool all = true;

    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        CtlUnit *own = &ctl->unit[i];

        for (unsigned m = 0; is_degraded(own) && m < own->dcb.members; m++) {
            all = replace_member(ctl, own, m) && all;
        }
    }
    if (!all && --ctl->spare_tries) {
        sim_after(ctl->sim, &ctl->spare_ev, SPARE_AFTER);
    }
}

/* --- drives come and go --------------------------------------------------- */

static int member_at(const CtlUnit *own, unsigned port)
{
    for (unsigned m = 0; m < raid_unit_shape(own->unit)->members; m++) {
        if (own->port[m] == (int)port) {
            return (int)m;
        }
    }
    return -1;
}

/* The unit learns first, so that nothing new is sent to the port. */
static void leave_port(RaidController *ctl, unsigned port)
{
    int number = ctl->port_unit[port];

    ctl->ecc_error[port] = false;
    if (number != RAID_NO_UNIT) {
        CtlUnit *own = &ctl->unit[number];
        unsigned member = (unsigned)member_at(own, port);

        raid_unit_lose_member(own->unit, member);
        vacate(ctl, own, member);
    }
}

void raid_controller_plug(RaidController *ctl, unsigned port, Disk *disk)
{
    ctl->removed[port] = false;
    ctl->away[port] = NULL;
    disk_port_plug(raid_controller_port(ctl, port), disk);
}

Disk *raid_controller_pull(RaidController *ctl, unsigned port)
{
    Disk *disk;

    ctl->removed[port] |= ctl->spare[port] ||
                          ctl->port_unit[port] != RAID_NO_UNIT;
    leave_port(ctl, port);
    ctl->spare[port] = false;
    config_pulled(ctl, port);
    disk = disk_port_pull(ctl->port[port]);
    if (!disk) {
        disk = ctl->away[port];
        ctl->away[port] = NULL;
    }
    return disk;
}

Disk *raid_controller_drive(RaidController *ctl, unsigned port)
{
    return ctl->removed[port] ? NULL
                              : disk_port_disk(raid_controller_port(ctl, port));
}

void life_remove_port(RaidController *ctl, unsigned port)
{
    leave_port(ctl, port);
    if (ctl->spare[port]) {
        raid_config_forget(ctl, port);
    }
    ctl->removed[port] = true;
}

void life_remove_unit(RaidController *ctl, CtlUnit *own)
{
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        ctl->removed[port] |= ctl->port_unit[port] == own->number;
    }
    formation_drop(ctl, own->number);
}

uint32_t life_rescan(RaidController *ctl)
{
    uint32_t found = 0;

    for (unsigned port = 0; port < ctl->board->ports; port++) {
        found |= (uint32_t)(ctl->removed[port] &&
                            disk_port_disk(ctl->port[port])) << port;
        ctl->removed[port] = false;
    }
    return found;
}

/* --- once a day ----------------------------------------------------------- */

void life_autoverify(RaidController *ctl)
{
    bool any = false;

    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        any |= ctl->unit[i].unit && ctl->unit[i].dcb.flags & DCB_AUTOVERIFY;
    }
    if (any && !sim_pending(&ctl->verify_ev)) {
        sim_after(ctl->sim, &ctl->verify_ev, AUTOVERIFY_EVERY);
    } else if (!any) {
        sim_cancel(ctl->sim, &ctl->verify_ev);
    }
}

static void verify_fires(SimEvent *ev)
{
    RaidController *ctl =
        (RaidController *)((char *)ev - offsetof(RaidController, verify_ev));

    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        CtlUnit *own = &ctl->unit[i];

        if (own->unit && own->dcb.flags & DCB_AUTOVERIFY && !own->task &&
            raid_unit_state(own->unit) == RAID_UNIT_OK) {
            life_verify(ctl, own);
        }
    }
    life_autoverify(ctl);
}

/* --- life ----------------------------------------------------------------- */

void life_init(RaidController *ctl)
{
    ctl->spare_ev.fire = spare_fires;
    ctl->verify_ev.fire = verify_fires;
}

void life_begin(RaidController *ctl)
{
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        if (ctl->spare[port]) {
            life_make_spare(ctl, port);
        }
    }
    life_autoverify(ctl);
}

void life_end(RaidController *ctl)
{
    sim_cancel(ctl->sim, &ctl->spare_ev);
    sim_cancel(ctl->sim, &ctl->verify_ev);
}
