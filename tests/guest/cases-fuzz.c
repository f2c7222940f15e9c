/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: packets nobody would write.  Random and nearly right ones from a
 * seed (PLATTER_SEED); what must hold is that the card answers each once,
 * writes nowhere but where a packet said, and serves the next driver.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/guest/cases.h"

#define SEED_VARIABLE "PLATTER_SEED"
#define SEED_DEFAULT 1
#define PACKETS 10000
#define ROUND 100
#define ARENA_BYTES 65536u
#define FUZZ_TOKEN 1000

typedef struct Fuzz {
    Driver *d;
    uint64_t state;
    uint64_t arena;             /* data: the card may write as it likes */
    uint64_t packets;           /* packets, a place for each of a round */
    unsigned out[DRIVER_IDS];
} Fuzz;

/* xorshift64* */
static uint32_t draw(Fuzz *f, uint32_t bound)
{
    f->state ^= f->state >> 12;
    f->state ^= f->state << 25;
    f->state ^= f->state >> 27;
    return ((f->state * 2685821657736338717ull) >> 32) % bound;
}

static uint32_t some_address(Fuzz *f)
{
    GuestBus *bus = f->d->bus;

    switch (draw(f, 8)) {
    case 0:
        return bus->hole + draw(f, 4096);
    case 1:
        return 0xffffffff - draw(f, 1024);
    case 2:
        return bus->memory_bytes + draw(f, 4096);
    default:
        return f->arena + draw(f, ARENA_BYTES - 4096);
    }
}

/* Any bytes, but nowhere an address within memory. */
static Packet noise(Fuzz *f)
{
    Packet p;
    unsigned i;

    for (i = 0; i < PACKET_BYTES; i++) {
        p.byte[i] = draw(f, 256);
    }
    for (i = 8; i < PACKET_BYTES; i += 4) {
        if (le32(&p.byte[i]) < f->d->bus->memory_bytes) {
            p.byte[i + 3] |= 0x80;
        }
    }
    return p;
}

/* A list in the arena, or with a bad address in it.  It may start at any
 * dword; what lies between is zero, so that a wrong start that keeps the
 * parity still finds addresses where addresses are. */
static void some_list(Fuzz *f, Packet *p)
{
    PacketSg sg[PACKET_ATA_SG_MAX];
    unsigned i, dword = 2 + draw(f, 4);
    unsigned entries = draw(f, PACKET_ATA_SG_MAX) + 1;

    for (i = 12; i < dword * 4; i++) {
        p->byte[i] = 0;
    }
    for (i = 0; i < entries; i++) {
        sg[i] = (PacketSg) { some_address(f), draw(f, 4096) };
    }
    packet_set_sg(p, dword, sg, entries);
}

static uint8_t other_opcode(Fuzz *f, uint8_t now)
{
    unsigned sgl = (now >> 5 & 1) + 2 * draw(f, 4);

    return sgl << 5 | draw(f, 32);
}

static Packet some_packet(Fuzz *f)
{
    static const uint8_t opcode[] = {
        0x00, 0x01, 0x02, 0x03, 0x0e, 0x11, 0x12, 0x13,
    };
    static const uint16_t count[] = { 0, 1, 8, 0xd, 0xf, 256, 65535 };
    Packet p = noise(f);

    if (draw(f, 4)) {
        p.byte[0] = opcode[draw(f, sizeof(opcode))];
        p.byte[3] = draw(f, 4);
        set_le16(&p.byte[6], count[draw(f, 7)]);
        set_le32(&p.byte[8], draw(f, 300000));
        some_list(f, &p);
    }
    if (!draw(f, 4)) {
        p.byte[1] = draw(f, 256);
    }
    if (!draw(f, 8)) {
        p.byte[0] = other_opcode(f, p.byte[0]);
    }
    return p;
}

/* Each response names an id that is out. */
static unsigned collect(Fuzz *f)
{
    GuestBus *bus = f->d->bus;
    unsigned taken = 0;

    while (!(driver_status(f->d) & STATUS_RESPONSE_EMPTY)) {
        unsigned id = bus->in(bus, REG_RESPONSE, 4) >> 4 & 0xff;

        ck_assert_msg(f->out[id], "response for id %u, not out", id);
        f->out[id]--;
        taken++;
    }
    return taken;
}

static unsigned post_one(Fuzz *f, unsigned place)
{
    GuestBus *bus = f->d->bus;
    Packet p = some_packet(f);
    uint64_t at = f->packets + place * PACKET_BYTES;

    bus->write(bus, at, &p, sizeof(p));
    f->out[p.byte[2]]++;
    bus->out(bus, REG_COMMAND, at, 4);
    if (!draw(f, 8)) {
        /* It changes under the card, before or after it was fetched. */
        uint8_t other = other_opcode(f, p.byte[0]);

        bus->run(bus, draw(f, 300000));
        bus->write(bus, at, &other, 1);
    }
    return 1;
}

/* All packets are in memory, so each is answered, unless a reset comes. */
static void fuzz_round(Fuzz *f)
{
    GuestBus *bus = f->d->bus;
    int64_t until = bus->now(bus) + GUEST_S(600);
    unsigned i, out = 0;

    for (i = 0; i < ROUND; i++) {
        out += post_one(f, i);
        if (!draw(f, 500)) {
            driver_control(f->d, CONTROL_SOFT_RESET);
            memset(f->out, 0, sizeof(f->out));
            out = 0;
        }
    }
    while ((out -= collect(f))) {
        ck_assert_msg(bus->now(bus) < until, "%u without an answer", out);
        bus->run(bus, GUEST_MS(2));
    }
    driver_control(f->d, CONTROL_CLEAR_ERRORS);
}

static void random_packets(GuestBus *bus)
{
    const char *given = getenv(SEED_VARIABLE);
    unsigned round;

    WITH_DRIVER(d, bus) {
        Fuzz f = { .d = d,
                   .state = given ? strtoull(given, NULL, 0) : SEED_DEFAULT,
                   .arena = guest_alloc(bus, ARENA_BYTES, 4096),
                   .packets = guest_alloc(bus, ROUND * PACKET_BYTES, 4096) };

        printf("%s=%llu\n", SEED_VARIABLE, (unsigned long long)f.state);
        ck_assert(f.state);
        if (bus->allow) {
            bus->allow(bus, FUZZ_TOKEN, f.arena, ARENA_BYTES);
            bus->allow(bus, FUZZ_TOKEN, f.packets, ROUND * PACKET_BYTES);
        }
        d->errors_expected = STATUS_PCI_ABORT;
        for (round = 0; round < PACKETS / ROUND; round++) {
            fuzz_round(&f);
        }
        d->errors_expected = 0;
        driver_attach(d, LINUX_6);
        driver_control(d, CONTROL_DISABLE);
        driver_expect_alive(d);
    }
}

#define CASE(name) { #name, name, "3ware-7410", "raid5:0-2:64k", 3 }

const GuestCase cases_fuzz[] = {
    CASE(random_packets),
    { 0 }
};
