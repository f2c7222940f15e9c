/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: many commands at once, a full queue, and resets in the middle.
 */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "tests/guest/cases.h"

#define SECTOR 512
#define LINUX_IDS 256

static Packet read_for(uint64_t base, unsigned id)
{
    PacketSg sg = { base + id * SECTOR, SECTOR };

    return packet_read(0, id * 37, 1, &sg, 1);
}

static void post_reads(Driver *d, uint64_t base, unsigned count)
{
    unsigned id;

    for (id = 0; id < count; id++) {
        Packet p = read_for(base, id);

        driver_post(d, id, &p);
    }
}

/* Sectors id * 37, each with its own pattern. */
static void prepare(Driver *d, unsigned count)
{
    uint64_t addr = guest_alloc(d->bus, count * SECTOR, SECTOR);
    unsigned id;

    for (id = 0; id < count; id++) {
        PacketSg sg = { addr + id * SECTOR, SECTOR };
        Packet w = packet_write(0, id * 37, 1, &sg, 1);

        guest_fill(d->bus, sg.addr, SECTOR, 1000 + id);
        driver_post(d, id, &w);
    }
    driver_wait_all(d);
}

static void expect_reads(Driver *d, uint64_t base, unsigned count)
{
    unsigned id;

    for (id = 0; id < count; id++) {
        ck_assert_uint_eq(d->request[id].answer, ANSWER_OK);
        ck_assert_msg(guest_holds(d->bus, base + id * SECTOR, SECTOR,
                                  1000 + id), "data of id %u", id);
    }
}

/* Linux has 256 ids, and all of them may be out. */
static void every_id_at_once(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint64_t base = guest_alloc(bus, LINUX_IDS * SECTOR, SECTOR);

        prepare(d, LINUX_IDS);
        post_reads(d, base, LINUX_IDS);
        driver_wait_all(d);
        expect_reads(d, base, LINUX_IDS);
        driver_expect_silence(d, GUEST_S(1));
    }
}

/* Past the end: dropped and told; what is in there is not disturbed. */
static void posting_while_full_is_refused(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint64_t base = guest_alloc(bus, LINUX_IDS * SECTOR, SECTOR);
        unsigned i;

        prepare(d, LINUX_IDS);
        post_reads(d, base, LINUX_IDS);
        ck_assert(driver_status(d) & STATUS_COMMAND_FULL);
        d->errors_expected = STATUS_QUEUE_ERROR;
        for (i = 0; i < 10; i++) {
            bus->out(bus, REG_COMMAND, d->packets, 4);
        }
        ck_assert(driver_status(d) & STATUS_QUEUE_ERROR);
        driver_control(d, CONTROL_CLEAR_QUEUE);
        d->errors_expected = 0;
        driver_wait_all(d);
        expect_reads(d, base, LINUX_IDS);
        driver_expect_silence(d, GUEST_S(1));
        driver_expect_alive(d);
    }
}

/* Answers nobody fetches hold the queue full; a fetched one opens it and
 * raises the command interrupt. */
static void command_interrupt_when_room_appears(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint64_t base = guest_alloc(bus, LINUX_IDS * SECTOR, SECTOR);

        post_reads(d, base, LINUX_IDS);
        driver_control(d, CONTROL_ENABLE | CONTROL_UNMASK_COMMAND);
        bus->run(bus, GUEST_S(10));
        ck_assert(driver_status(d) & STATUS_COMMAND_FULL);
        ck_assert(!bus->irq(bus));
        driver_pop(d);
        ck_assert(driver_status(d) & STATUS_COMMAND_INT);
        ck_assert(bus->irq(bus));
        driver_wait_all(d);
    }
}

/* Two packets with one id: the driver's mistake, two answers, no harm. */
static void same_id_twice_is_two_answers(GuestBus *bus)
{
    Packet p = packet_nop(15);
    unsigned answers = 0;

    WITH_DRIVER(d, bus) {
        driver_post(d, 5, &p);
        bus->out(bus, REG_COMMAND, d->packets + 5 * PACKET_BYTES, 4);
        bus->run(bus, GUEST_MS(100));
        while (!(driver_status(d) & STATUS_RESPONSE_EMPTY)) {
            ck_assert_uint_eq(bus->in(bus, REG_RESPONSE, 4) >> 4 & 0xff, 5);
            answers++;
        }
        ck_assert_uint_eq(answers, 2);
        driver_forget(d);
        driver_expect_alive(d);
    }
}

/* --- resets ------------------------------------------------------------- */

#define RESET_READS 200

/* After `delay`, with some done and some not: no answer, no data, then the
 * same packets again, as FreeBSD does, without INIT_CONNECTION. */
static void reset_and_repost(Driver *d, uint64_t base, int64_t delay)
{
    size_t bytes = RESET_READS * SECTOR;
    g_autofree uint8_t *before = g_malloc(bytes);
    g_autofree uint8_t *after = g_malloc(bytes);
    g_autofree Packet *same = g_new(Packet, RESET_READS);
    unsigned id;

    guest_fill(d->bus, base, bytes, 3);
    post_reads(d, base, RESET_READS);
    for (id = 0; id < RESET_READS; id++) {
        same[id] = d->request[id].posted;
    }
    d->bus->run(d->bus, delay);
    driver_control(d, CONTROL_DISABLE);
    driver_control(d, CONTROL_SOFT_RESET);
    d->bus->read(d->bus, base, before, bytes);
    driver_expect_silence(d, GUEST_S(3));
    d->bus->read(d->bus, base, after, bytes);
    ck_assert_mem_eq(before, after, bytes);
    d->events = 0;
    driver_reset(d, FREEBSD);
    for (id = 0; id < RESET_READS; id++) {
        driver_post(d, id, &same[id]);
    }
    driver_control(d, CONTROL_FINAL_ENABLE);
    driver_wait_all(d);
    expect_reads(d, base, RESET_READS);
}

static void soft_reset_ends_200_reads(GuestBus *bus)
{
    static const int64_t delay[] = {
        0, GUEST_US(1), GUEST_US(700), GUEST_MS(7), GUEST_MS(40),
    };
    unsigned i;

    WITH_DRIVER(d, bus) {
        uint64_t base = guest_alloc(bus, RESET_READS * SECTOR, SECTOR);

        prepare(d, RESET_READS);
        for (i = 0; i < sizeof(delay) / sizeof(delay[0]); i++) {
            reset_and_repost(d, base, delay[i]);
        }
    }
}

#define SPAN 512

static bool sector_holds(const uint8_t *all, unsigned sector, uint32_t seed)
{
    size_t i;

    for (i = sector * SECTOR; i < (sector + 1) * SECTOR; i++) {
        if (all[i] != guest_pattern(seed, i)) {
            return false;
        }
    }
    return true;
}

/* Old or new, sector by sector, and then for good. */
static void expect_old_or_new(Driver *d, uint64_t addr, uint32_t seed)
{
    g_autofree uint8_t *first = g_malloc(SPAN * SECTOR);
    g_autofree uint8_t *again = g_malloc(SPAN * SECTOR);
    unsigned s;

    ck_assert_uint_eq(driver_read(d, 0, 0, SPAN, addr), ANSWER_OK);
    d->bus->read(d->bus, addr, first, SPAN * SECTOR);
    for (s = 0; s < SPAN; s++) {
        ck_assert(sector_holds(first, s, seed) ||
                  sector_holds(first, s, seed + 1));
    }
    driver_expect_silence(d, GUEST_S(2));
    ck_assert_uint_eq(driver_read(d, 0, 0, SPAN, addr), ANSWER_OK);
    d->bus->read(d->bus, addr, again, SPAN * SECTOR);
    ck_assert_mem_eq(first, again, SPAN * SECTOR);
}

static void reset_in_mid_write(GuestBus *bus)
{
    unsigned i, id;

    WITH_DRIVER(d, bus) {
        uint64_t out = guest_alloc(bus, SPAN * SECTOR, SECTOR);
        uint64_t in = guest_alloc(bus, SPAN * SECTOR, SECTOR);

        for (i = 0; i < 12; i++) {
            guest_fill(bus, out, SPAN * SECTOR, 50 + i);
            ck_assert_uint_eq(driver_write(d, 0, 0, SPAN, out), ANSWER_OK);
            guest_fill(bus, out, SPAN * SECTOR, 51 + i);
            for (id = 0; id < 8; id++) {
                PacketSg sg = { out + id * 64 * SECTOR, 64 * SECTOR };
                Packet w = packet_write(0, id * 64, 64, &sg, 1);

                driver_post(d, id, &w);
            }
            bus->run(bus, GUEST_US(100) + GUEST_US(900) * i);
            driver_control(d, CONTROL_SOFT_RESET);
            /* The driver's memory is someone else's now. */
            guest_fill(bus, out, SPAN * SECTOR, 999);
            driver_reset(d, LINUX_6);
            expect_old_or_new(d, in, 50 + i);
        }
    }
}

/* A reset in the middle of pass-through, flush and shutdown. */
static void reset_ends_everything_else(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        uint64_t data = guest_alloc(bus, 4096, SECTOR);
        PacketAta identify = { .command = 0xec, .count = 1 };
        PacketSg sg = { data, SECTOR };

        for (i = 0; i < 20; i++) {
            Packet p[] = {
                packet_ata_in(0, &identify, data), packet_flush(0, 1),
                packet_init_connection(1), packet_write(0, 1, 1, &sg, 1),
                packet_ata_in(3, &identify, data), packet_nop(0),
            };
            unsigned k;

            for (k = 0; k < 6; k++) {
                driver_post(d, k, &p[k]);
            }
            bus->run(bus, GUEST_US(150) * i);
            driver_control(d, CONTROL_SOFT_RESET);
            driver_expect_silence(d, GUEST_MS(500));
        }
        driver_reset(d, FREEBSD);
        driver_expect_alive(d);
    }
}

#define CASE(name) { #name, name, "3ware-7410", "raid5:0-2:64k", 3 }

const GuestCase cases_queue[] = {
    CASE(every_id_at_once),
    CASE(posting_while_full_is_refused),
    CASE(command_interrupt_when_room_appears),
    CASE(same_id_twice_is_two_answers),
    CASE(soft_reset_ends_200_reads),
    CASE(reset_in_mid_write),
    { "reset_in_mid_write_raid1", reset_in_mid_write, "3ware-7410",
      "raid1:0-1", 2 },
    CASE(reset_ends_everything_else),
    { 0 }
};
