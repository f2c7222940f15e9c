/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controller - a card without a host: owns ports, units and the event queue
 * and ties them together.
 *
 * What is logged when a member goes (the public event list has a code for
 * each, and the vendor's manual describes them so):
 *
 *   at power-on a member is not there    incomplete unit (unit)
 *   a drive fails or is pulled later     drive error (port), then
 *     and the unit goes on               unit degraded (unit)
 *     and the unit cannot                incomplete unit (unit)
 *   a bad sector was written again       sector repair (port)
 *
 * A drive plugged in after power-on joins no unit and becomes none: units
 * are formed at power-on only.
 */
#include "raid-model/control/cache.h"
#include "raid-model/control/controller.h"

#include <stddef.h>

#define PORTS_MAX 16
#define NO_UNIT (-1)
#define BUS_PIECE_BYTES 4096u            /* guess: a page at a time */

typedef struct CtlUnit {
    RaidUnit *unit;
    RaidCache *cache;                   /* NULL: none */
    int port[RAID_MEMBERS_MAX];         /* or RAID_PORT_MISSING */
    uint8_t number;
} CtlUnit;

/* A drive's write cache is being switched. */
typedef struct CtlSwitch {
    DiskOp op;
    AtaTaskFile ata;
    bool busy, on, again;
} CtlSwitch;

struct RaidController {
    Sim *sim;
    const BoardModel *board;
    DiskPort *port[PORTS_MAX];
    int port_unit[PORTS_MAX];
    CtlSwitch cache[PORTS_MAX];
    CtlUnit unit[RAID_UNITS_MAX];
    bool powered;
    GQueue unanswered;          /* ops for units that do not exist */
    SimEvent answer;            /* to all of them */
    RaidEventQueue events;
    void (*on_event)(void *opaque);
    void *on_event_opaque;
    SimPipe processor, bus;
    RaidCard card;
};

/* --- events -------------------------------------------------------------- */

void raid_controller_on_event(RaidController *ctl,
                              void (*notify)(void *opaque), void *opaque)
{
    ctl->on_event = notify;
    ctl->on_event_opaque = opaque;
}

void raid_controller_log(RaidController *ctl, RaidEventCode code,
                         uint8_t source)
{
    raid_event_push(&ctl->events, code, source);
    if (ctl->on_event) {
        ctl->on_event(ctl->on_event_opaque);
    }
}

RaidEventQueue *raid_controller_events(RaidController *ctl)
{
    return &ctl->events;
}

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

static void sector_repaired(void *opaque, RaidUnit *unit, unsigned member)
{
    RaidController *ctl = opaque;

    raid_controller_log(ctl, RAID_EVENT_SECTOR_REPAIR,
                        (uint8_t)ctl_unit_of(ctl, unit)->port[member]);
}

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
    if (ctl->port_unit[port] != NO_UNIT) {
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
    unsigned lowest = PORTS_MAX;

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
                              member_lost, ctl);
    raid_unit_on_repair(own->unit, sector_repaired, ctl);
    if (ctl->board->cache_bytes) {
        own->cache = raid_cache_new(ctl->sim, &(RaidCachePlan) {
            .bytes = ctl->board->cache_bytes,
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

        if (ctl->port_unit[port] == NO_UNIT &&
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
    disk_port_plug(raid_controller_port(ctl, port), disk);
}

/* The unit learns first, so that nothing new is sent to the empty port. */
Disk *raid_controller_pull(RaidController *ctl, unsigned port)
{
    int number = raid_controller_port_unit(ctl, port);

    if (number != NO_UNIT) {
        CtlUnit *own = &ctl->unit[number];
        unsigned members = raid_unit_shape(own->unit)->members;

        for (unsigned i = 0; i < members; i++) {
            if (own->port[i] == (int)port) {
                raid_unit_lose_member(own->unit, i);
            }
        }
    }
    return disk_port_pull(ctl->port[port]);
}

/* --- ops ----------------------------------------------------------------- */

RaidUnit *raid_controller_unit(RaidController *ctl, unsigned unit)
{
    return unit < RAID_UNITS_MAX ? ctl->unit[unit].unit : NULL;
}

static void end_unanswered(RaidController *ctl, UnitStatus status)
{
    UnitOp *op = g_queue_pop_head_link(&ctl->unanswered)->data;

    op->status = status;
    op->done(op);
}

/* What done() submits meanwhile waits for the next event. */
static void answer_absent(SimEvent *ev)
{
    RaidController *ctl =
        (RaidController *)((char *)ev - offsetof(RaidController, answer));
    unsigned count = g_queue_get_length(&ctl->unanswered);

    while (count-- && ctl->unanswered.head) {
        end_unanswered(ctl, UNIT_OFFLINE);
    }
}

void raid_controller_submit(RaidController *ctl, unsigned unit, UnitOp *op)
{
    RaidUnit *there = raid_controller_unit(ctl, unit);

    if (there && ctl->unit[unit].cache) {
        raid_cache_submit(ctl->unit[unit].cache, op);
        return;
    }
    if (there) {
        raid_unit_submit(there, op);
        return;
    }
    op->link = (GList) { .data = op };
    g_queue_push_tail_link(&ctl->unanswered, &op->link);
    sim_after(ctl->sim, &ctl->answer, 0);
}

void raid_controller_reset(RaidController *ctl)
{
    sim_cancel(ctl->sim, &ctl->answer);
    while (ctl->unanswered.head) {
        end_unanswered(ctl, UNIT_ABORTED);
    }
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (ctl->unit[i].cache) {
            raid_cache_reset(ctl->unit[i].cache);
        } else if (ctl->unit[i].unit) {
            raid_unit_reset(ctl->unit[i].unit);
        }
    }
    ctl->processor.free_at = 0;         /* work booked for what is gone */
    ctl->bus.free_at = 0;
    ctl->card.to_drives.free_at = 0;
    ctl->card.from_drives.free_at = 0;
    ctl->card.xor.free_at = 0;
}

/* --- write caches -------------------------------------------------------- */

static void send_switch(CtlSwitch *cache, DiskPort *port)
{
    cache->busy = true;
    cache->again = false;
    cache->ata = (AtaTaskFile) { .command = ATA_SET_FEATURES,
        .feature = { cache->on ? ATA_WRITE_CACHE_ON : ATA_WRITE_CACHE_OFF } };
    cache->op.verb = DISK_ATA;
    cache->op.ata = &cache->ata;
    disk_port_submit(port, &cache->op);
}

static void switched(DiskOp *op)
{
    CtlSwitch *cache = (CtlSwitch *)((char *)op - offsetof(CtlSwitch, op));
    DiskPort *port = op->opaque;

    cache->busy = false;
    if (cache->again && disk_port_disk(port)) {
        send_switch(cache, port);
    }
}

bool raid_controller_write_cache(RaidController *ctl, unsigned unit)
{
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        const CtlSwitch *cache = &ctl->cache[port];
        Disk *disk = disk_port_disk(ctl->port[port]);

        if (ctl->port_unit[port] == (int)unit && disk &&
            (cache->busy ? cache->on : disk_write_cache(disk))) {
            return true;
        }
    }
    return false;
}

void raid_controller_set_write_cache(RaidController *ctl, unsigned unit,
                                     bool on)
{
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        CtlSwitch *cache = &ctl->cache[port];

        if (ctl->port_unit[port] != (int)unit ||
            !disk_port_disk(ctl->port[port])) {
            continue;
        }
        cache->on = on;
        if (cache->busy) {
            cache->again = true;
        } else {
            cache->op.done = switched;
            cache->op.opaque = ctl->port[port];
            send_switch(cache, ctl->port[port]);
        }
    }
}

/* --- costs --------------------------------------------------------------- */

SimTime raid_controller_command_at(RaidController *ctl)
{
    return sim_pipe_busy(&ctl->processor, sim_now(ctl->sim),
                         ctl->board->command_ns);
}

/* What follows the first piece on the bus, or goes before the last. */
static SimTime bus_rest(const RaidController *ctl, uint64_t bytes)
{
    return sim_pipe_time(&ctl->bus, bytes - MIN(bytes, BUS_PIECE_BYTES));
}

SimTime raid_controller_bus_in(RaidController *ctl, uint64_t bytes,
                               SimTime *first)
{
    SimTime all = sim_pipe_pass(&ctl->bus, sim_now(ctl->sim), bytes);

    *first = all - bus_rest(ctl, bytes);
    return all;
}

SimTime raid_controller_bus_out(RaidController *ctl, uint64_t bytes)
{
    return sim_pipe_pass(&ctl->bus,
                         sim_now(ctl->sim) - bus_rest(ctl, bytes), bytes);
}

/* --- life ---------------------------------------------------------------- */

static RaidMirrorPlan mirror_plan(const BoardModel *board,
                                  RaidMirrorReads reads)
{
    return (RaidMirrorPlan) {
        .reads = reads,
        .outweighs = board->mirror_outweighs,
        .section_sectors = board->mirror_section_sectors,
        .stream_waiting = board->mirror_stream_waiting,
    };
}

RaidController *raid_controller_new(Sim *sim, const BoardModel *board)
{
    RaidController *ctl = g_new0(RaidController, 1);

    g_assert(board->ports <= PORTS_MAX);
    ctl->sim = sim;
    ctl->board = board;
    ctl->answer.fire = answer_absent;
    ctl->bus.bytes_per_s = board->bus_bytes_per_s;
    ctl->card = (RaidCard) {
        .lane_order = board->lane_order,
        .lane_committed = board->lane_committed,
        .lane_window = board->lane_window,
        .to_drives.bytes_per_s = board->write_bytes_per_s,
        .from_drives.bytes_per_s = board->read_bytes_per_s,
        .mirror = mirror_plan(board, board->mirror_reads),
        .mirror10 = mirror_plan(board, board->mirror10_reads),
        .row_writes_max = board->row_writes_max,
        .gathers_rows = board->gathers_rows,
        .xor.bytes_per_s = board->xor_bytes_per_s,
        .xor_piece_sectors = board->xor_piece_sectors,
        .xor_row_ns = board->xor_row_ns,
    };
    for (unsigned port = 0; port < PORTS_MAX; port++) {
        ctl->port_unit[port] = NO_UNIT;
    }
    for (unsigned port = 0; port < board->ports; port++) {
        ctl->port[port] = disk_port_new(sim, port, board->link_bytes_per_s);
    }
    return ctl;
}

void raid_controller_free(RaidController *ctl)
{
    if (!ctl) {
        return;
    }
    g_assert(!ctl->unanswered.head);
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        raid_cache_free(ctl->unit[i].cache);
        raid_unit_free(ctl->unit[i].unit);
    }
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        disk_port_pull(ctl->port[port]);        /* drives are borrowed */
        disk_port_free(ctl->port[port]);
    }
    g_free(ctl);
}

const BoardModel *raid_controller_board(const RaidController *ctl)
{
    return ctl->board;
}

Sim *raid_controller_sim(const RaidController *ctl)
{
    return ctl->sim;
}

DiskPort *raid_controller_port(RaidController *ctl, unsigned port)
{
    g_assert(port < ctl->board->ports);
    return ctl->port[port];
}

int raid_controller_port_unit(const RaidController *ctl, unsigned port)
{
    g_assert(port < ctl->board->ports);
    return ctl->port_unit[port];
}
