/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host: registers, response queue, interrupt and reset.  Knows nothing of
 * what a packet says; that is the personality's.
 *
 * Sources for bits and rules: the public Linux 3w-xxxx and BSD twe drivers.
 * What none of them tells is marked guess.
 */
#include "hw/asic/params.h"
#include "hw/asic/personality.h"

enum { REG_CONTROL = 0x0, REG_STATUS = 0x4, REG_COMMAND = 0x8,
       REG_RESPONSE = 0xc };

/* CONTROL: every bit is an order, none is stored */
#define CONTROL_CLEAR_SBUF              (1u << 3)
#define CONTROL_ISSUE_HOST_INTERRUPT    (1u << 5)
#define CONTROL_DISABLE_INTERRUPTS      (1u << 6)
#define CONTROL_ENABLE_INTERRUPTS       (1u << 7)
#define CONTROL_SOFT_RESET              (1u << 8)
#define CONTROL_CLEAR_ERRORS            (1u << 9)
#define CONTROL_UNMASK_RESPONSE         (1u << 14)
#define CONTROL_UNMASK_COMMAND          (1u << 15)
#define CONTROL_MASK_RESPONSE           (1u << 16)
#define CONTROL_MASK_COMMAND            (1u << 17)
#define CONTROL_CLEAR_ATTENTION         (1u << 18)
#define CONTROL_CLEAR_HOST_INTERRUPT    (1u << 19)
#define CONTROL_CLEAR_PCI_ABORT         (1u << 20)
#define CONTROL_CLEAR_QUEUE_ERROR       (1u << 22)
#define CONTROL_CLEAR_PARITY_ERROR      (1u << 23)

#define STATUS_ERRORS (STATUS_SBUF_ERROR | STATUS_PCI_ABORT | \
                       STATUS_MICRO_ERROR | STATUS_QUEUE_ERROR | \
                       STATUS_PARITY_ERROR)

/* What drives the pin.  That the errors do is a guess, from their names in
 * the 9000 series header and Linux's test for "mine". */
#define STATUS_INTERRUPTS (STATUS_ATTENTION | STATUS_HOST_INTERRUPT | \
                           STATUS_COMMAND_INTERRUPT | \
                           STATUS_RESPONSE_INTERRUPT | \
                           STATUS_SBUF_ERROR | STATUS_PCI_ABORT | \
                           STATUS_QUEUE_ERROR | STATUS_PARITY_ERROR)

static const struct {
    uint32_t order, bits;
} control_clears[] = {
    { CONTROL_CLEAR_SBUF,           STATUS_SBUF_ERROR },
    { CONTROL_CLEAR_ERRORS,         STATUS_ERRORS },
    { CONTROL_CLEAR_ATTENTION,      STATUS_ATTENTION },
    { CONTROL_CLEAR_HOST_INTERRUPT, STATUS_HOST_INTERRUPT },
    { CONTROL_CLEAR_PCI_ABORT,      STATUS_PCI_ABORT },
    { CONTROL_CLEAR_QUEUE_ERROR,    STATUS_QUEUE_ERROR },
    { CONTROL_CLEAR_PARITY_ERROR,   STATUS_PARITY_ERROR },
};

/* A response word repeats the upper status bits beside the id (guess, after
 * an observation in OpenBSD's driver; all drivers mask it). */
#define RESPONSE_STATUS_MASK 0xfffff000u
#define RESPONSE_ID_SHIFT 4

/* Attention comes again this long after it was cleared or an event was
 * read, when events are left (guess): FreeBSD reads one per attention, and
 * at once would make Linux spend a request on every interrupt. */
#define ATTENTION_AGAIN SIM_MS(50)

/* --- status and the pin ------------------------------------------------- */

static bool queue_is_full(const RaidHost *host)
{
    return host->full || g_queue_is_empty((GQueue *)&host->idle) ||
           host->outstanding + host->responses >= HOST_REQUESTS_MAX;
}

static uint32_t status(const RaidHost *host)
{
    const BoardModel *board = raid_controller_board(host->ctl);
    bool full = queue_is_full(host);
    uint32_t s = host->latched |
                 (uint32_t)board->pchip_major << STATUS_MAJOR_SHIFT |
                 (uint32_t)board->pchip_minor << STATUS_MINOR_SHIFT;

    s |= host->resetting ? 0 : STATUS_READY;
    s |= host->unfetched ? 0 : STATUS_COMMAND_EMPTY;
    s |= host->responses ? 0 : STATUS_RESPONSE_EMPTY;
    s |= full ? STATUS_COMMAND_FULL : 0;
    if (!full && !host->command_masked) {
        s |= STATUS_COMMAND_INTERRUPT;
    }
    if (host->responses && !host->response_masked) {
        s |= STATUS_RESPONSE_INTERRUPT;
    }
    return s;
}

void host_update_irq(RaidHost *host)
{
    uint32_t s = status(host);
    bool level = host->enabled && (s & STATUS_INTERRUPTS), lost;

    if (level == host->irq) {
        return;
    }
    lost = level ? host_fault_loses_irq(host) : host->irq_lost;
    host->irq = level;
    host->irq_lost = level && lost;
    if (!lost) {
        sim_trace(host->sim, SIM_TRACE_IRQ, NULL, level, s);
        host->port.set_irq(host->opaque, level);
    }
}

void host_latch(RaidHost *host, uint32_t bits)
{
    host->latched |= bits;
    host_update_irq(host);
}

void host_refuse(RaidHost *host, const char *word, int id, uint64_t value,
                 uint64_t limit)
{
    sim_trace(host->sim, SIM_TRACE_REFUSAL, word, id, value, limit);
}

/* --- events for the host ------------------------------------------------ */

static void attention_fire(SimEvent *ev)
{
    RaidHost *host = (RaidHost *)((char *)ev -
                                  offsetof(RaidHost, attention_ev));

    host_latch(host, STATUS_ATTENTION);
}

static void attention_again_later(RaidHost *host)
{
    if (raid_event_pending(raid_controller_events(host->ctl)) &&
        !(host->latched & STATUS_ATTENTION)) {
        sim_after(host->sim, &host->attention_ev, ATTENTION_AGAIN);
    } else {
        sim_cancel(host->sim, &host->attention_ev);
    }
}

RaidEvent host_take_event(RaidHost *host)
{
    RaidEvent event = raid_event_pop(raid_controller_events(host->ctl));

    attention_again_later(host);
    return event;
}

static void trace_event(RaidHost *host, unsigned index)
{
    const RaidEventQueue *events = raid_controller_events(host->ctl);
    const RaidEvent *event =
        &events->event[(events->first + index) % RAID_EVENTS_MAX];

    sim_trace(host->sim, SIM_TRACE_AEN, NULL,
              raid_event_words(event->code).number, event->source);
}

/* While READY is low nobody may be told to come and read. */
static void event_queued(void *opaque)
{
    RaidHost *host = opaque;

    trace_event(host, raid_controller_events(host->ctl)->count - 1);
    if (!host->resetting) {
        sim_cancel(host->sim, &host->attention_ev);
        host_latch(host, STATUS_ATTENTION);
    }
}

/* --- reset -------------------------------------------------------------- */

static void registers_reset(RaidHost *host)
{
    sim_cancel(host->sim, &host->attention_ev);
    sim_cancel(host->sim, &host->reset_ev);
    sim_cancel(host->sim, &host->bus_reset_ev);
    host->latched = 0;
    host->enabled = false;
    host->response_masked = host->command_masked = true;
    host->resetting = false;
}

/*
 * Drivers look for the soft reset's own event, so it always gets a place;
 * if older ones must go for it, "queue full" says so.  Unread from the last
 * reset it still counts (guess: drivers that reset in a loop and read
 * nothing would push out all else).
 */
static void soft_reset_end(RaidHost *host)
{
    RaidEventQueue *events = raid_controller_events(host->ctl);
    unsigned newest = events->first + events->count + RAID_EVENTS_MAX - 1;

    host->resetting = false;
    if (events->count && events->event[newest % RAID_EVENTS_MAX].code ==
        RAID_EVENT_SOFT_RESET) {
        host_latch(host, STATUS_ATTENTION);
        return;
    }
    if (events->count == RAID_EVENTS_MAX) {
        raid_event_pop(events);
        raid_event_pop(events);
        raid_controller_log(host->ctl, RAID_EVENT_QUEUE_FULL, 0);
    }
    raid_controller_log(host->ctl, RAID_EVENT_SOFT_RESET, 0);
}

static void reset_fire(SimEvent *ev)
{
    soft_reset_end((RaidHost *)((char *)ev - offsetof(RaidHost, reset_ev)));
}

static void soft_reset(RaidHost *host)
{
    registers_reset(host);
    host->resetting = true;
    host_abandon(host, "soft");
    host_update_irq(host);
    if (host->reset_delay) {
        sim_after(host->sim, &host->reset_ev, host->reset_delay);
    } else {
        soft_reset_end(host);
    }
}

/* What power-on would tell: which units lack a member. */
static void announce_units(RaidHost *host)
{
    unsigned i;

    for (i = 0; i < RAID_UNITS_MAX; i++) {
        RaidUnit *unit = raid_controller_unit(host->ctl, i);

        if (unit && raid_unit_state(unit) != RAID_UNIT_OK) {
            raid_controller_log(host->ctl, RAID_EVENT_UNIT_INCOMPLETE, i);
        }
    }
}

/*
 * A guest may aim our DMA at a bridge's own reset bit.  The request in whose
 * name we drive the bus must not go while we do: reset right after.
 */
void raid_host_bus_reset(RaidHost *host)
{
    RaidEventQueue *events = raid_controller_events(host->ctl);

    if (host->in_dma) {
        host_refuse(host, "dma-to-reset", -1, 0, 0);
        sim_after(host->sim, &host->bus_reset_ev, 0);
        return;
    }
    registers_reset(host);
    host_abandon(host, "bus");
    host_update_irq(host);
    while (raid_event_pending(events)) {
        raid_event_pop(events);
    }
    announce_units(host);
    host->latched = 0;
    host->shutdown_notice = 0;
}

static void bus_reset_fire(SimEvent *ev)
{
    raid_host_bus_reset((RaidHost *)((char *)ev -
                                     offsetof(RaidHost, bus_reset_ev)));
}

/* --- registers ---------------------------------------------------------- */

/* Clears first, reset last: the reset's own attention must survive the
 * "clear attention" that every driver puts into the same write. */
static void control(RaidHost *host, uint32_t value)
{
    unsigned i;

    for (i = 0; i < G_N_ELEMENTS(control_clears); i++) {
        if (value & control_clears[i].order) {
            host->latched &= ~control_clears[i].bits;
        }
    }
    if (value & CONTROL_CLEAR_ATTENTION) {
        attention_again_later(host);
    }
    if (value & CONTROL_ISSUE_HOST_INTERRUPT) {
        host->latched |= STATUS_HOST_INTERRUPT;
    }
    /* Both at once: the quiet one wins (guess). */
    if (value & (CONTROL_UNMASK_RESPONSE | CONTROL_MASK_RESPONSE)) {
        host->response_masked = value & CONTROL_MASK_RESPONSE;
    }
    if (value & (CONTROL_UNMASK_COMMAND | CONTROL_MASK_COMMAND)) {
        host->command_masked = value & CONTROL_MASK_COMMAND;
    }
    if (value & (CONTROL_ENABLE_INTERRUPTS | CONTROL_DISABLE_INTERRUPTS)) {
        host->enabled = !(value & CONTROL_DISABLE_INTERRUPTS);
    }
    if (value & CONTROL_SOFT_RESET) {
        soft_reset(host);
    }
    host_update_irq(host);
}

static void post(RaidHost *host, uint32_t address)
{
    if (host->resetting) {
        host_refuse(host, "post-not-ready", -1, address, 0);
        return;
    }
    if (queue_is_full(host)) {
        host_refuse(host, "post-queue-full", -1, address, HOST_REQUESTS_MAX);
        host_latch(host, STATUS_QUEUE_ERROR);
        return;
    }
    host_request_new(host, address);
    host_update_irq(host);
}

static uint32_t response_pop(RaidHost *host)
{
    uint32_t value;

    if (!host->responses) {
        return 0;
    }
    value = (status(host) & RESPONSE_STATUS_MASK) |
            host->response[host->response_first] << RESPONSE_ID_SHIFT;
    host->response_first = (host->response_first + 1) % HOST_REQUESTS_MAX;
    host->responses--;
    host_update_irq(host);
    return value;
}

/* A narrow access gets its part; only one that holds byte 0 pops. */
uint32_t raid_host_read(RaidHost *host, uint32_t offset, unsigned size)
{
    unsigned shift = (offset & 3) * 8;
    uint32_t value = 0;

    switch (offset & ~3u) {
    case REG_STATUS:
        value = status(host);
        break;
    case REG_RESPONSE:
        value = shift || host->in_dma ? 0 : response_pop(host);
        break;
    }
    value >>= shift;
    return size < 4 ? value & ((1u << size * 8) - 1) : value;
}

void raid_host_write(RaidHost *host, uint32_t offset, uint32_t value,
                     unsigned size)
{
    unsigned shift = (offset & 3) * 8;

    if (host->in_dma) {
        host_refuse(host, "dma-to-registers", -1, offset, 0);
        return;
    }
    if (size < 4) {
        value &= (1u << size * 8) - 1;
    }
    switch (offset & ~3u) {
    case REG_CONTROL:
        control(host, value << shift);
        break;
    case REG_COMMAND:
        if (size == 4 && !shift) {
            post(host, value);
        } else {
            host_refuse(host, "post-narrow", -1, offset, 4);
        }
        break;
    }
}

/* --- life --------------------------------------------------------------- */

RaidHost *raid_host_new(Sim *sim, RaidController *ctl, const HostPort *port,
                        void *opaque)
{
    RaidHost *host = g_new0(RaidHost, 1);
    unsigned i;

    host->sim = sim;
    host->ctl = ctl;
    host->personality = &raid_gen1;
    host->port = *port;
    host->opaque = opaque;
    host->reset_ev.fire = reset_fire;
    host->attention_ev.fire = attention_fire;
    host->bus_reset_ev.fire = bus_reset_fire;
    host_requests_init(host);
    registers_reset(host);
    for (i = 0; i < raid_controller_events(ctl)->count; i++) {
        trace_event(host, i);           /* told before we were there */
    }
    raid_controller_on_event(ctl, event_queued, host);
    host_fault_init(host);
    return host;
}

void raid_host_free(RaidHost *host)
{
    raid_controller_on_event(host->ctl, NULL, NULL);
    host_fault_clear(host);
    registers_reset(host);
    host_abandon(host, "off");
    g_assert(host->idle.length == HOST_REQUESTS_MAX);   /* none is lent */
    g_free(host);
}

void raid_host_set_reset_delay(RaidHost *host, SimTime delay)
{
    host->reset_delay = delay;
}

unsigned raid_host_outstanding(const RaidHost *host)
{
    return host->outstanding;
}
