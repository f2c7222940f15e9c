/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controller - a card without a host: owns ports, units and the event queue
 * and ties them together.  Which units there are is formation.c's matter.
 */
#include "raid-model/control/life.h"

#include <stddef.h>

#define BUS_PIECE_BYTES 4096u            /* guess: a page at a time */
#define RATE 3                           /* guess: in the middle */

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
    raid_log_put(&ctl->log, sim_now(ctl->sim), code, source);
    if (ctl->on_event) {
        ctl->on_event(ctl->on_event_opaque);
    }
}

RaidEventQueue *raid_controller_events(RaidController *ctl)
{
    return &ctl->events;
}

static void port_news(void *opaque, unsigned port, DiskPortNews what)
{
    static const RaidEventCode code[] = {
        [DISK_PORT_TIMEOUT] = RAID_EVENT_DRIVE_TIMEOUT,
        [DISK_PORT_SLOWER] = RAID_EVENT_UDMA_DOWNGRADE,
        [DISK_PORT_FAILING] = RAID_EVENT_SMART_THRESHOLD,
    };

    raid_controller_log(opaque, code[what], (uint8_t)port);
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

    if (there && ctl->unit[unit].attend && op->verb == UNIT_WRITE &&
        config_takes(ctl, &ctl->unit[unit], op)) {
        return;
    }
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

static void reset_unit(CtlUnit *own)
{
    if (own->cache) {
        raid_cache_reset(own->cache);
    } else if (own->unit) {
        raid_unit_reset(own->unit);
    }
}

void controller_reset_unit(RaidController *ctl, unsigned unit)
{
    leave_reset_begin(&ctl->unit[unit]);
    config_reset_begin(&ctl->unit[unit]);
    reset_unit(&ctl->unit[unit]);
}

void raid_controller_reset(RaidController *ctl)
{
    sim_cancel(ctl->sim, &ctl->answer);
    while (ctl->unanswered.head) {
        end_unanswered(ctl, UNIT_ABORTED);
    }
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        controller_reset_unit(ctl, i);
    }
    ctl->awake_at = 0;
    ctl->processor.free_at = 0;         /* work booked for what is gone */
    ctl->bus.free_at = 0;
    ctl->card.to_drives.free_at = 0;
    ctl->card.from_drives.free_at = 0;
    ctl->card.xor.free_at = 0;
    config_reset_end(ctl);
    leave_reset_end(ctl);
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
    raid_config_changed(ctl, unit);
}

/* --- costs --------------------------------------------------------------- */

SimTime raid_controller_command_at(RaidController *ctl)
{
    SimTime at = sim_pipe_busy(&ctl->processor, sim_now(ctl->sim),
                               ctl->board->command_ns);

    return MAX(at, ctl->awake_at);
}

void raid_controller_hold_memory(RaidController *ctl, SimTime ns)
{
    sim_pipe_busy(&ctl->card.xor, sim_now(ctl->sim), ns);
}

/* What follows the first piece on the bus, or goes before the last. */
static uint64_t rest_of(uint64_t bytes)
{
    return bytes - MIN(bytes, BUS_PIECE_BYTES);
}

static SimTime bus_in_time(const RaidController *ctl, uint64_t bytes)
{
    const SimPipe way = { .bytes_per_s = ctl->board->bus_in_bytes_per_s };

    return sim_pipe_time(way.bytes_per_s ? &way : &ctl->bus, bytes);
}

SimTime raid_controller_bus_in(RaidController *ctl, uint64_t bytes,
                               SimTime *first)
{
    SimTime all = sim_pipe_busy(&ctl->bus, sim_now(ctl->sim),
                                bus_in_time(ctl, bytes));

    *first = all - bus_in_time(ctl, rest_of(bytes));
    return all;
}

SimTime raid_controller_bus_out(RaidController *ctl, uint64_t bytes)
{
    return sim_pipe_pass(&ctl->bus, sim_now(ctl->sim) -
                         sim_pipe_time(&ctl->bus, rest_of(bytes)), bytes);
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

    g_assert(board->ports <= RAID_PORTS_MAX);
    ctl->sim = sim;
    ctl->board = board;
    ctl->answer.fire = answer_absent;
    controller_fault_init(ctl);
    ctl->rebuild_rate = ctl->verify_rate = RATE;
    leave_init(ctl);
    life_init(ctl);
    ctl->bus.bytes_per_s = board->bus_bytes_per_s;
    ctl->card = (RaidCard) {
        .lane_order = board->lane_order,
        .lane_committed = board->lane_committed,
        .lane_window = board->lane_window,
        .drive_sectors_max = board->drive_sectors_max,
        .to_drives.bytes_per_s = board->write_bytes_per_s,
        .from_drives.bytes_per_s = board->read_bytes_per_s,
        .mirror = mirror_plan(board, board->mirror_reads),
        .mirror10 = mirror_plan(board, board->mirror10_reads),
        .row_writes_max = board->row_writes_max,
        .gathers_rows = board->gathers_rows,
        .xor.bytes_per_s = board->xor_bytes_per_s,
        .xor_first = board->xor_first,
        .xor_piece_sectors = board->xor_piece_sectors,
        .xor_row_ns = board->xor_row_ns,
        .row_wait_ns = board->row_wait_ns,
        .row_answer_ns = board->row_answer_ns,
    };
    for (unsigned port = 0; port < RAID_PORTS_MAX; port++) {
        ctl->port_unit[port] = ctl->block[port].unit = RAID_NO_UNIT;
    }
    for (unsigned port = 0; port < board->ports; port++) {
        ctl->port[port] = disk_port_new(sim, port, board->link_bytes_per_s);
        disk_port_on_news(ctl->port[port], port_news, ctl);
    }
    return ctl;
}

void raid_controller_free(RaidController *ctl)
{
    if (!ctl) {
        return;
    }
    g_assert(!ctl->unanswered.head);
    controller_fault_clear(ctl);
    config_stop(ctl);
    sim_cancel(ctl->sim, &ctl->leave_ev);
    g_array_unref(ctl->leave);
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        raid_cache_free(ctl->unit[i].cache);
        raid_unit_free(ctl->unit[i].unit);
    }
    for (unsigned port = 0; port < ctl->board->ports; port++) {
        disk_port_pull(ctl->port[port]);        /* drives are borrowed */
        disk_port_free(ctl->port[port]);
    }
    life_end(ctl);
    g_free(ctl);
}

void raid_controller_without_blocks(RaidController *ctl)
{
    ctl->blockless = true;
}

void raid_controller_without_jbods(RaidController *ctl)
{
    ctl->jbodless = true;
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
