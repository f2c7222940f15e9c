/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver: registers, packets, responses, and the checks inside.
 */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "tests/guest/driver.h"

#define POLL_STEP GUEST_US(200)
#define BLOCK_BYTES 512
#define STATUS_KNOWN 0xfffff008u
#define VERSION_SHIFT 24
#define PARAM_HEAD 4

Driver *driver_new(GuestBus *bus)
{
    Driver *d = g_new0(Driver, 1);

    d->bus = bus;
    d->packets = guest_alloc(bus, DRIVER_IDS * PACKET_BYTES, 512);
    d->blocks = guest_alloc(bus, DRIVER_IDS * BLOCK_BYTES, 512);
    return d;
}

void driver_free(Driver *d)
{
    g_free(d);
}

/* --- registers ---------------------------------------------------------- */

uint32_t driver_status(Driver *d)
{
    uint32_t s = d->bus->in(d->bus, REG_STATUS, 4);
    bool pin = d->enabled && (s & STATUS_MINE);

    ck_assert_uint_eq(s & ~STATUS_KNOWN, 0);
    ck_assert_uint_eq(s >> VERSION_SHIFT, d->bus->pchip);
    ck_assert_uint_eq(s & STATUS_UNEXPECTED & ~d->errors_expected, 0);
    ck_assert(!(s & STATUS_RESPONSE_INT) || !(s & STATUS_RESPONSE_EMPTY));
    ck_assert(!(s & STATUS_COMMAND_INT) || !(s & STATUS_COMMAND_FULL));
    ck_assert_msg(d->bus->irq(d->bus) == pin,
                  "pin %d, STATUS %08x, interrupts %s", !pin, s,
                  d->enabled ? "on" : "off");
    return s;
}

void driver_control(Driver *d, uint32_t value)
{
    if (value & CONTROL_ENABLE) {
        d->enabled = true;
    }
    if (value & (CONTROL_DISABLE | 0x100)) {
        d->enabled = false;
    }
    if (value & 0x100) {
        driver_forget(d);
    }
    d->bus->out(d->bus, REG_CONTROL, value, 4);
}

void driver_bus_reset(Driver *d)
{
    driver_forget(d);
    d->enabled = false;
    d->bus->reset(d->bus);
}

/* --- what the card may write -------------------------------------------- */

static void allow(Driver *d, unsigned id, uint64_t addr, size_t len)
{
    if (d->bus->allow && len) {
        d->bus->allow(d->bus, id, addr, len);
    }
}

static void forbid(Driver *d, unsigned id)
{
    if (d->bus->forbid) {
        d->bus->forbid(d->bus, id);
    }
}

/* `bytes` of the list, `skip` bytes into it. */
static void allow_list(Driver *d, unsigned id, const Packet *p, size_t skip,
                       size_t bytes)
{
    unsigned i;

    for (i = 0; i < packet_sg_entries(p) && bytes; i++) {
        PacketSg sg = packet_sg(p, i);
        size_t past = MIN(skip, sg.bytes);
        size_t now = MIN(sg.bytes - past, bytes);

        allow(d, id, (uint64_t)sg.addr + past, now);
        skip -= past;
        bytes -= now;
    }
}

static void allow_answer(Driver *d, unsigned id)
{
    const DriverRequest *r = &d->request[id];
    const Packet *p = &r->posted;
    size_t blocks = le16(&p->byte[6]);

    allow(d, id, r->addr + 4, 2);
    switch (packet_opcode(p)) {
    case 0x02:
        allow_list(d, id, p, 0, blocks ? blocks * 512 : SIZE_MAX);
        break;
    case 0x11:
        allow(d, id, r->addr + 8, 12);
        if (blocks == 0xd) {
            allow_list(d, id, p, 0, 512);
        }
        break;
    case 0x12:
        allow_list(d, id, p, PARAM_HEAD, 255);
        break;
    }
}

/* --- commands ----------------------------------------------------------- */

void driver_forget(Driver *d)
{
    unsigned id;

    for (id = 0; id < DRIVER_IDS; id++) {
        if (d->request[id].out) {
            d->request[id].out = false;
            forbid(d, id);
        }
    }
    d->out = 0;
    d->pendings = 0;
    d->reading_event = false;
}

unsigned driver_free_id(const Driver *d)
{
    unsigned id;

    for (id = 0; id < DRIVER_IDS; id++) {
        if (!d->request[id].out) {
            return id;
        }
    }
    ck_abort_msg("all 256 ids are out");
}

void driver_post_at(Driver *d, unsigned id, const Packet *packet,
                    uint64_t addr)
{
    DriverRequest *r = &d->request[id];
    size_t bytes = addr == d->packets + id * PACKET_BYTES ?
                   PACKET_BYTES : packet_bytes(packet);

    ck_assert(!r->out);
    *r = (DriverRequest) { .out = true, .addr = addr, .posted = *packet };
    r->posted.byte[2] = id;
    d->bus->write(d->bus, addr, &r->posted, bytes);
    d->out++;
    allow_answer(d, id);
    d->bus->out(d->bus, REG_COMMAND, addr, 4);
}

void driver_post(Driver *d, unsigned id, const Packet *packet)
{
    driver_post_at(d, id, packet, d->packets + id * PACKET_BYTES);
}

/* Nothing in the packet may have changed but what an answer is. */
static void take_answer(Driver *d, unsigned id)
{
    DriverRequest *r = &d->request[id];
    size_t bytes = MIN(packet_bytes(&r->posted), PACKET_BYTES);
    bool ata = packet_opcode(&r->posted) == 0x11;
    Packet now = { { 0 } };
    size_t i;

    bytes = MAX(bytes, 8);
    if (r->addr == d->packets + id * PACKET_BYTES) {
        bytes = PACKET_BYTES;
    }
    d->bus->read(d->bus, r->addr, &now, bytes);
    for (i = 0; i < bytes; i++) {
        bool answer = i == 4 || i == 5 || (ata && i >= 8 && i < 20);

        if (!answer && now.byte[i] != r->posted.byte[i]) {
            ck_abort_msg("packet byte %zu changed", i);
        }
    }
    r->posted = now;
    r->answer = now.byte[4] << 8 | now.byte[5];
    r->answered = true;
    r->out = false;
    d->out--;
    forbid(d, id);
}

unsigned driver_pop(Driver *d)
{
    uint32_t value = d->bus->in(d->bus, REG_RESPONSE, 4);
    unsigned id = value >> 4 & 0xff;

    ck_assert_msg(d->request[id].out, "response for id %u, not out", id);
    take_answer(d, id);
    return id;
}

uint16_t driver_wait(Driver *d, unsigned id)
{
    int64_t until = d->bus->now(d->bus) + DRIVER_PATIENCE;

    while (!d->request[id].answered) {
        ck_assert_msg(d->bus->now(d->bus) < until, "no answer to id %u", id);
        if (driver_status(d) & STATUS_RESPONSE_EMPTY) {
            d->bus->run(d->bus, POLL_STEP);
        } else {
            driver_pop(d);
        }
    }
    return d->request[id].answer;
}

void driver_wait_all(Driver *d)
{
    unsigned id;

    for (id = 0; id < DRIVER_IDS; id++) {
        if (d->request[id].out) {
            driver_wait(d, id);
        }
    }
    ck_assert_uint_eq(d->out, 0);
}

uint16_t driver_call(Driver *d, const Packet *packet)
{
    unsigned id = driver_free_id(d);

    driver_post(d, id, packet);
    return driver_wait(d, id);
}

void driver_expect_silence(Driver *d, int64_t ns)
{
    int64_t step = ns / 10;
    unsigned i;

    for (i = 0; i < 10; i++) {
        d->bus->run(d->bus, step);
        ck_assert(driver_status(d) & STATUS_RESPONSE_EMPTY);
    }
}

/* --- what they are used for --------------------------------------------- */

uint16_t driver_read(Driver *d, unsigned unit, uint32_t lba, unsigned count,
                     uint64_t addr)
{
    PacketSg sg = { addr, count * 512 };
    Packet p = packet_read(unit, lba, count, &sg, 1);

    return driver_call(d, &p);
}

uint16_t driver_write(Driver *d, unsigned unit, uint32_t lba, unsigned count,
                      uint64_t addr)
{
    PacketSg sg = { addr, count * 512 };
    Packet p = packet_write(unit, lba, count, &sg, 1);

    return driver_call(d, &p);
}

static uint64_t block_of(Driver *d, unsigned id, unsigned table,
                         unsigned parameter, unsigned bytes)
{
    uint8_t head[PARAM_HEAD] = { table, table >> 8, parameter, bytes };
    uint8_t poison[BLOCK_BYTES];
    uint64_t addr = d->blocks + id * BLOCK_BYTES;

    memset(poison, 0xa5, sizeof(poison));
    memcpy(poison, head, sizeof(head));
    d->bus->write(d->bus, addr, poison, sizeof(poison));
    return addr;
}

/* The head stays, and nothing is written past what was asked for. */
static void check_block(Driver *d, uint64_t addr, unsigned table,
                        unsigned parameter, unsigned bytes, void *value)
{
    uint8_t block[BLOCK_BYTES];
    unsigned i;

    d->bus->read(d->bus, addr, block, sizeof(block));
    ck_assert_uint_eq(le16(block), table);
    ck_assert_uint_eq(block[2], parameter);
    ck_assert_uint_eq(block[3], bytes);
    for (i = PARAM_HEAD + bytes; i < BLOCK_BYTES; i++) {
        if (block[i] != 0xa5) {
            ck_abort_msg("byte %u past the parameter was written", i);
        }
    }
    if (value) {
        memcpy(value, block + PARAM_HEAD, bytes);
    }
}

uint16_t driver_get_param(Driver *d, unsigned table, unsigned parameter,
                          void *value, unsigned bytes)
{
    unsigned id = driver_free_id(d);
    uint64_t addr = block_of(d, id, table, parameter, bytes);
    Packet p = packet_get_param(table & 0xf, addr, BLOCK_BYTES);
    uint16_t answer;

    driver_post(d, id, &p);
    answer = driver_wait(d, id);
    check_block(d, addr, table, parameter, bytes, value);
    return answer;
}

uint16_t driver_set_param(Driver *d, unsigned table, unsigned parameter,
                          const void *value, unsigned bytes)
{
    unsigned id = driver_free_id(d);
    uint64_t addr = block_of(d, id, table, parameter, bytes);
    Packet p = packet_set_param(0, addr, BLOCK_BYTES);

    d->bus->write(d->bus, addr + PARAM_HEAD, value, bytes);
    driver_post(d, id, &p);
    return driver_wait(d, id);
}

uint16_t driver_read_event(Driver *d)
{
    uint8_t event[2];

    ck_assert_uint_eq(driver_get_param(d, 0x401, 2, event, 2), ANSWER_OK);
    return le16(event);
}

/* --- still there? ------------------------------------------------------- */

static void expect_io_works(Driver *d, unsigned unit)
{
    uint64_t out = guest_alloc(d->bus, 1024, 4);
    uint64_t in = guest_alloc(d->bus, 1024, 4);
    uint32_t seed = d->bus->now(d->bus) & 0xffff;

    guest_fill(d->bus, out, 1024, seed);
    ck_assert_uint_eq(driver_write(d, unit, 77, 2, out), ANSWER_OK);
    ck_assert_uint_eq(driver_read(d, unit, 77, 2, in), ANSWER_OK);
    ck_assert(guest_holds(d->bus, in, 1024, seed));
}

void driver_expect_alive(Driver *d)
{
    uint8_t ports, unit[DRIVER_UNITS];
    unsigned i;

    ck_assert_uint_eq(d->out, 0);
    ck_assert_uint_eq(driver_get_param(d, 0x403, 3, &ports, 1), ANSWER_OK);
    ck_assert_uint_eq(ports, d->bus->ports);
    ck_assert_uint_eq(driver_get_param(d, 3, 3, unit, sizeof(unit)),
                      ANSWER_OK);
    for (i = 0; i < DRIVER_UNITS; i++) {
        if (unit[i] & 1) {
            expect_io_works(d, i);
            break;
        }
    }
    driver_expect_silence(d, GUEST_MS(100));
}
