/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver as: Linux 3w-xxxx 1.26 and of the 2.4 kernels, FreeBSD, NetBSD and
 * OpenBSD twe.  The same order of register accesses and packets as theirs,
 * with their limits in time, restated from their published sources.
 */
#include <check.h>
#include <glib.h>

#include "tests/guest/driver.h"

#define EVENT_ID 255            /* OpenBSD and NetBSD use lower ones */

typedef struct Habits {
    int64_t ready_limit, attention_limit, attention_poll;
    bool ready_with_attention;  /* wants READY in the same look */
    bool acks_attention;        /* before it drains events */
    bool drains_responses_first;
    unsigned credits;           /* INIT_CONNECTION; 0: never sent */
    uint32_t enable[2];         /* the last CONTROL writes of attach */
    bool one_event_per_attention;
    bool acks_first;            /* attention, before the read is posted */
} Habits;

static const Habits habits[DRIVER_OSES] = {
    [LINUX_6] = {
        .ready_limit = GUEST_S(30), .attention_limit = GUEST_S(30),
        .attention_poll = GUEST_MS(50), .ready_with_attention = true,
        .acks_attention = true, .drains_responses_first = true,
        .credits = 0x100, .enable = { 0x44080 }, .acks_first = true,
    },
    [LINUX_24] = {
        .ready_limit = GUEST_S(60), .attention_limit = GUEST_S(15),
        .attention_poll = GUEST_MS(10), .drains_responses_first = true,
        .credits = 0x100, .enable = { 0x4080 }, .acks_first = true,
    },
    [FREEBSD] = {
        .ready_limit = GUEST_S(60), .attention_limit = GUEST_S(30),
        .attention_poll = GUEST_MS(100), .acks_attention = true,
        .credits = 0xff, .enable = { 0x44080 },
        .one_event_per_attention = true,
    },
    [NETBSD] = {
        .ready_limit = GUEST_S(6), .attention_limit = GUEST_S(15),
        .attention_poll = GUEST_MS(10), .acks_attention = true,
        .credits = 255, .enable = { 0x44080 },
    },
    [OPENBSD_2001] = {
        .ready_limit = GUEST_S(35), .attention_limit = GUEST_S(35),
        .attention_poll = GUEST_MS(10), .enable = { 0x44080 },
        .acks_first = true,
    },
    [OPENBSD_2015] = {
        .ready_limit = GUEST_S(35), .attention_limit = GUEST_S(35),
        .attention_poll = GUEST_MS(10), .enable = { 0xc0200, 0x24080 },
        .acks_first = true,
    },
};

static void note_event(Driver *d, uint16_t event)
{
    ck_assert_uint_lt(d->events, DRIVER_EVENTS);
    d->event[d->events++] = event;
}

static void await(Driver *d, uint32_t bits, int64_t limit, int64_t poll)
{
    int64_t until = d->bus->now(d->bus) + limit;

    while ((driver_status(d) & bits) != bits) {
        ck_assert_msg(d->bus->now(d->bus) < until, "no %#x in time", bits);
        d->bus->run(d->bus, poll);
    }
}

static void drain_responses(Driver *d)
{
    while (!(driver_status(d) & STATUS_RESPONSE_EMPTY)) {
        d->bus->in(d->bus, REG_RESPONSE, 4);
    }
}

/* All want 0x0001 before 0; with all 16 bits on FreeBSD and OpenBSD. */
static void drain_events(Driver *d)
{
    bool soft_reset_seen = false;
    unsigned reads = 0;
    uint16_t event;

    while ((event = driver_read_event(d))) {
        soft_reset_seen |= event == 0x0001;
        note_event(d, event);
        ck_assert_uint_lt(++reads, 100);        /* Linux 2.4.0 gives up */
    }
    ck_assert_msg(soft_reset_seen, "empty before the soft reset's event");
}

void driver_reset(Driver *d, DriverOs os)
{
    const Habits *h = &habits[os];

    driver_control(d, CONTROL_SOFT_RESET);
    await(d, STATUS_ATTENTION | (h->ready_with_attention ? STATUS_READY : 0),
          h->attention_limit, h->attention_poll);
    if (h->acks_attention) {
        driver_control(d, CONTROL_ACK_ATTENTION);
    }
    if (h->drains_responses_first) {
        drain_responses(d);
    }
    drain_events(d);
    ck_assert((driver_status(d) & (STATUS_READY | STATUS_UNEXPECTED)) ==
              STATUS_READY);
    drain_responses(d);
}

static void scan_units(Driver *d)
{
    uint8_t status[DRIVER_UNITS], capacity[4];
    bool any_nonzero = d->os == OPENBSD_2001 || d->os == OPENBSD_2015;
    unsigned i;

    d->units = 0;
    for (i = 0; i < DRIVER_UNITS; i++) {
        ck_assert_uint_eq(driver_get_param(d, 3, 3, status, sizeof(status)),
                          ANSWER_OK);
        if (!(any_nonzero ? status[i] : status[i] & 1)) {
            continue;
        }
        ck_assert_uint_eq(driver_get_param(d, 0x300 + i, 4, capacity, 4),
                          ANSWER_OK);
        d->capacity[i] = le32(capacity);
        d->units |= 1u << i;
    }
}

static void init_connection(Driver *d, unsigned credits)
{
    Packet p = packet_init_connection(credits);

    if (credits) {
        ck_assert_uint_eq(driver_call(d, &p), ANSWER_OK);
    }
}

void driver_attach(Driver *d, DriverOs os)
{
    const Habits *h = &habits[os];
    uint8_t one = 1;

    d->os = os;
    await(d, STATUS_READY, h->ready_limit, GUEST_MS(10));
    driver_control(d, CONTROL_DISABLE);
    driver_reset(d, os);
    if (os != FREEBSD) {
        init_connection(d, h->credits);
    }
    if (os == LINUX_6 || os == LINUX_24) {
        ck_assert_uint_eq(driver_set_param(d, 0x404, 2, &one, 1), ANSWER_OK);
    }
    scan_units(d);
    if (os == FREEBSD) {
        init_connection(d, h->credits);
    }
    driver_control(d, h->enable[0]);
    if (h->enable[1]) {
        driver_control(d, h->enable[1]);
    }
}

/* Linux leaves the interrupts on after its last command. */
void driver_detach(Driver *d)
{
    driver_control(d, CONTROL_DISABLE);
    if (d->os == LINUX_6 || d->os == LINUX_24) {
        init_connection(d, 1);
        driver_control(d, CONTROL_FINAL_ENABLE);
    }
}

/* --- interrupts --------------------------------------------------------- */

static void post_event_read(Driver *d)
{
    uint8_t head[4] = { 0x01, 0x04, 2, 2 };
    uint64_t block = d->blocks + EVENT_ID * 512;
    Packet p = packet_get_param(0, block, 512);

    if (!d->reading_event) {
        d->reading_event = true;
        d->bus->write(d->bus, block, head, sizeof(head));
        driver_post(d, EVENT_ID, &p);
    }
}

static void event_was_read(Driver *d)
{
    uint8_t event[2];

    d->bus->read(d->bus, d->blocks + EVENT_ID * 512 + 4, event, 2);
    d->reading_event = false;
    ck_assert_uint_eq(d->request[EVENT_ID].answer, ANSWER_OK);
    if (le16(event)) {
        note_event(d, le16(event));
        if (!habits[d->os].one_event_per_attention) {
            post_event_read(d);
        }
    }
}

static void serve_attention(Driver *d)
{
    d->attentions++;
    if (habits[d->os].acks_first) {
        driver_control(d, CONTROL_ACK_ATTENTION);
        post_event_read(d);
    } else {
        post_event_read(d);
        driver_control(d, CONTROL_ACK_ATTENTION);
    }
}

static void serve_command(Driver *d)
{
    while (d->pendings && !(driver_status(d) & STATUS_COMMAND_FULL)) {
        unsigned id = d->pending[--d->pendings];
        Packet p = d->request[id].posted;

        driver_post(d, id, &p);
    }
    if (!d->pendings) {
        driver_control(d, CONTROL_MASK_COMMAND);
    }
}

static void serve_responses(Driver *d)
{
    while (!(driver_status(d) & STATUS_RESPONSE_EMPTY)) {
        if (driver_pop(d) == EVENT_ID && d->reading_event) {
            event_was_read(d);
        }
    }
}

void driver_interrupt(Driver *d)
{
    uint32_t s = driver_status(d);

    if (!(s & STATUS_MINE)) {
        return;
    }
    if (s & STATUS_HOST) {
        driver_control(d, CONTROL_ACK_HOST);
    }
    if (s & STATUS_ATTENTION) {
        serve_attention(d);
    }
    if (s & STATUS_COMMAND_INT) {
        serve_command(d);
    }
    if (s & STATUS_RESPONSE_INT) {
        serve_responses(d);
    }
}

/* OpenBSD of 2001 posts only from the command interrupt. */
static void start(Driver *d, unsigned id, const Packet *packet)
{
    if (d->os == OPENBSD_2001) {
        d->request[id].posted = *packet;
        d->request[id].answered = false;
        d->pending[d->pendings++] = id;
        driver_control(d, CONTROL_UNMASK_COMMAND);
    } else {
        driver_post(d, id, packet);
    }
}

uint16_t driver_io(Driver *d, const Packet *packet)
{
    unsigned id = driver_free_id(d);

    start(d, id, packet);
    while (!d->request[id].answered) {
        ck_assert_msg(guest_run_until_irq(d->bus, DRIVER_PATIENCE),
                      "no interrupt for id %u", id);
        driver_interrupt(d);
    }
    return d->request[id].answer;
}

void driver_serve(Driver *d, int64_t ns)
{
    int64_t until = d->bus->now(d->bus) + ns;

    while (d->bus->now(d->bus) < until &&
           guest_run_until_irq(d->bus, until - d->bus->now(d->bus))) {
        driver_interrupt(d);
    }
}
