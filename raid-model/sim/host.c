/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host: one small state machine for each command on the card, and a queue.
 *
 * The sorted queue is two heaps: what is still ahead of the sweep, and what
 * is behind it and waits for the next one.  The sweep stands at the first
 * sector of the command last started.
 */
#include <stddef.h>

#include "raid-model/sim/host.h"

enum {
    HOST_QUEUED,        /* in the disk queue */
    HOST_FIRMWARE,      /* until the board has dealt with the command */
    HOST_BUS_IN,        /* until the first write data is on the board */
    HOST_UNIT,          /* lent to the unit */
    HOST_BUS_OUT,       /* the last of the data on its way */
};

typedef struct Entry {
    uint64_t key, order;
    HostOp *op;
} Entry;

typedef struct Heap {
    Entry *entry;
    unsigned count, room;
} Heap;

struct Host {
    RaidController *ctl;
    Sim *sim;
    unsigned unit;
    HostPlan plan;
    unsigned on_card;
    Heap heap[2];
    unsigned ahead;             /* heap[ahead] is this sweep */
    uint64_t key, order;        /* key: where the sweep is */
    HostSums sums;
};

/* --- the queue ----------------------------------------------------------- */

static bool before(const Entry *left, const Entry *right)
{
    return left->key < right->key ||
           (left->key == right->key && left->order < right->order);
}

static void heap_push(Heap *heap, Entry entry)
{
    unsigned at = heap->count++;

    if (heap->count > heap->room) {
        heap->room = MAX(64, heap->room * 2);
        heap->entry = g_renew(Entry, heap->entry, heap->room);
    }
    while (at && before(&entry, &heap->entry[(at - 1) / 2])) {
        heap->entry[at] = heap->entry[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->entry[at] = entry;
}

static Entry heap_pop(Heap *heap)
{
    Entry top = heap->entry[0], last = heap->entry[--heap->count];
    unsigned at = 0, child;

    while ((child = at * 2 + 1) < heap->count) {
        if (child + 1 < heap->count &&
            before(&heap->entry[child + 1], &heap->entry[child])) {
            child++;
        }
        if (!before(&heap->entry[child], &last)) {
            break;
        }
        heap->entry[at] = heap->entry[child];
        at = child;
    }
    heap->entry[at] = last;
    return top;
}

static void queue_put(Host *host, HostOp *op)
{
    uint64_t key = host->plan.order == HOST_SORTED ? op->op.lba : 0;
    unsigned which = key >= host->key ? host->ahead : !host->ahead;

    heap_push(&host->heap[which], (Entry) { key, host->order++, op });
}

static HostOp *queue_take(Host *host)
{
    if (!host->heap[host->ahead].count) {
        host->ahead = !host->ahead;
    }
    return heap_pop(&host->heap[host->ahead]).op;
}

/* --- a command's life ---------------------------------------------------- */

/* The event fires when the state is over; see step(). */
static void enter(HostOp *op, unsigned state, SimTime until)
{
    op->state = state;
    op->entered = sim_now(op->host->sim);
    sim_at(op->host->sim, &op->ev, until);
}

static void start(Host *host, HostOp *op)
{
    host->on_card++;
    if (host->plan.order == HOST_SORTED) {
        host->key = op->op.lba;
    }
    if (host->plan.poll_ns && host->on_card > host->plan.polls_above) {
        raid_controller_hold_memory(host->ctl, host->plan.poll_ns);
    }
    host->sums.queue_ns += sim_now(host->sim) - op->asked;
    enter(op, HOST_FIRMWARE, raid_controller_command_at(host->ctl));
}

static void finish(HostOp *op)
{
    Host *host = op->host;

    host->on_card--;
    if (host_waiting(host)) {
        start(host, queue_take(host));
    }
    op->done(op);
}

static uint64_t bytes_of(const HostOp *op)
{
    return (uint64_t)op->op.count * DISK_SECTOR_BYTES;
}

static void to_card(HostOp *op)
{
    SimTime first;

    op->crossed = raid_controller_bus_in(op->host->ctl, bytes_of(op), &first);
    enter(op, HOST_BUS_IN, first);
}

static void to_unit(HostOp *op)
{
    op->state = HOST_UNIT;
    op->entered = sim_now(op->host->sim);
    raid_controller_submit(op->host->ctl, op->host->unit, &op->op);
}

static void unit_done(UnitOp *unit_op)
{
    HostOp *op = unit_op->opaque;
    Host *host = op->host;

    host->sums.unit_ns += sim_now(host->sim) - op->entered;
    if (unit_op->verb == UNIT_READ && unit_op->status == UNIT_OK) {
        enter(op, HOST_BUS_OUT,
              raid_controller_bus_out(host->ctl, bytes_of(op)));
    } else if (unit_op->verb == UNIT_WRITE &&
               op->crossed > sim_now(host->sim)) {
        enter(op, HOST_BUS_OUT, op->crossed);
    } else {
        finish(op);
    }
}

static void step(SimEvent *ev)
{
    HostOp *op = (HostOp *)((char *)ev - offsetof(HostOp, ev));
    HostSums *sums = &op->host->sums;
    SimTime spent = sim_now(op->host->sim) - op->entered;

    switch (op->state) {
    case HOST_FIRMWARE:
        sums->firmware_ns += spent;
        if (op->op.verb == UNIT_WRITE) {
            to_card(op);
        } else {
            to_unit(op);
        }
        break;
    case HOST_BUS_IN:
        sums->bus_ns += spent;
        to_unit(op);
        break;
    case HOST_BUS_OUT:
        sums->bus_ns += spent;
        finish(op);
        break;
    default:
        g_assert_not_reached();
    }
}

void host_submit(Host *host, HostOp *op)
{
    op->op.done = unit_done;
    op->op.opaque = op;
    op->host = host;
    op->ev.fire = step;
    op->asked = sim_now(host->sim);
    op->state = HOST_QUEUED;
    if (host->plan.commands_max && host->on_card >= host->plan.commands_max) {
        queue_put(host, op);
    } else {
        start(host, op);
    }
}

/* --- life ---------------------------------------------------------------- */

Host *host_new(RaidController *ctl, unsigned unit, const HostPlan *plan)
{
    Host *host = g_new0(Host, 1);

    host->ctl = ctl;
    host->sim = raid_controller_sim(ctl);
    host->unit = unit;
    host->plan = *plan;
    return host;
}

void host_free(Host *host)
{
    g_assert(!host->on_card && !host_waiting(host));
    g_free(host->heap[0].entry);
    g_free(host->heap[1].entry);
    g_free(host);
}

unsigned host_waiting(const Host *host)
{
    return host->heap[0].count + host->heap[1].count;
}

const HostSums *host_sums(const Host *host)
{
    return &host->sums;
}
