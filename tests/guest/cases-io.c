/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: reads and writes through every shape of scatter-gather list, and
 * the commands around them.
 */
#include <check.h>
#include <string.h>

#include "tests/guest/cases.h"

#define SECTOR 512

/* Cut `bytes` at `addr` into `entries` of lengths that start at `first` and
 * differ by `step`; the last takes the rest. */
static void cut(PacketSg *sg, unsigned entries, uint32_t addr,
                uint32_t bytes, uint32_t first, uint32_t step)
{
    unsigned i;

    for (i = 0; i < entries; i++) {
        uint32_t now = i == entries - 1 ? bytes : first + i * step;

        ck_assert_uint_le(now, bytes);
        sg[i] = (PacketSg) { addr, now };
        addr += now;
        bytes -= now;
    }
}

static void write_pattern(Driver *d, unsigned unit, uint32_t lba,
                          unsigned count, uint32_t seed)
{
    uint64_t addr = guest_alloc(d->bus, count * SECTOR, SECTOR);

    guest_fill(d->bus, addr, count * SECTOR, seed);
    ck_assert_uint_eq(driver_write(d, unit, lba, count, addr), ANSWER_OK);
}

static void expect_pattern(Driver *d, unsigned unit, uint32_t lba,
                           unsigned count, uint32_t seed)
{
    uint64_t addr = guest_alloc(d->bus, count * SECTOR, SECTOR);

    ck_assert_uint_eq(driver_read(d, unit, lba, count, addr), ANSWER_OK);
    ck_assert(guest_holds(d->bus, addr, count * SECTOR, seed));
}

/* The same data by different lists out and in, across stripes. */
static void through_lists(Driver *d, uint32_t lba, unsigned count,
                          unsigned entries, uint32_t first, uint32_t step)
{
    uint32_t bytes = count * SECTOR, seed = lba + entries;
    uint32_t out = guest_alloc(d->bus, bytes + 64, 4) + 1;
    uint32_t in = guest_alloc(d->bus, bytes + 64, 4) + 3;
    PacketSg to[PACKET_IO_SG_MAX], from[PACKET_IO_SG_MAX];
    Packet w, r;

    cut(to, entries, out, bytes, first, step);
    cut(from, entries, in, bytes, first + 1, step);
    guest_fill(d->bus, out, bytes, seed);
    w = packet_write(0, lba, count, to, entries);
    r = packet_read(0, lba, count, from, entries);
    ck_assert_uint_eq(driver_call(d, &w), ANSWER_OK);
    ck_assert_uint_eq(driver_call(d, &r), ANSWER_OK);
    ck_assert(guest_holds(d->bus, in, bytes, seed));
    expect_pattern(d, 0, lba, count, seed);
}

static void data_comes_back_through_any_list(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        through_lists(d, 0, 1, 1, 512, 0);
        through_lists(d, 5, 1, 3, 100, 77);
        through_lists(d, 120, 16, 2, 4096, 0);
        through_lists(d, 1000, 7, 7, 1, 1);
        through_lists(d, 127, 256, 62, 17, 2);
        through_lists(d, 4001, 248, 62, 2048, 0);
        through_lists(d, 9000, 488, 61, 4096, 0);
    }
}

/* Linux leaves old entries behind `size`; a zero does not end the list. */
static void only_entries_within_size_count(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint64_t addr = guest_alloc(bus, 4096, SECTOR);
        PacketSg sg[4] = { { addr, 300 }, { bus->hole, 0 },
                           { addr + 300, 212 }, { bus->hole, 65536 } };
        Packet w = packet_write(0, 50, 1, sg, 4);
        Packet r = packet_read(0, 50, 1, sg, 4);

        w.byte[1] -= 2;
        r.byte[1] -= 2;
        guest_fill(bus, addr, SECTOR, 1);
        ck_assert_uint_eq(driver_call(d, &w), ANSWER_OK);
        guest_fill(bus, addr, SECTOR, 2);
        ck_assert_uint_eq(driver_call(d, &r), ANSWER_OK);
        ck_assert(guest_holds(bus, addr, SECTOR, 1));
    }
}

/* More list than data: the rest of the list is not touched. */
static void surplus_list_is_left_alone(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint64_t addr = guest_alloc(bus, 8192, SECTOR);
        PacketSg sg[2] = { { addr, 1000 }, { addr + 1000, 7000 } };
        Packet r = packet_read(0, 60, 3, sg, 2);

        write_pattern(d, 0, 60, 3, 5);
        guest_fill(bus, addr + 3 * SECTOR, 8000 - 3 * SECTOR, 6);
        ck_assert_uint_eq(driver_call(d, &r), ANSWER_OK);
        ck_assert(guest_holds(bus, addr, 3 * SECTOR, 5));
        ck_assert(guest_holds(bus, addr + 3 * SECTOR, 8000 - 3 * SECTOR, 6));
    }
}

static void count_zero_means_the_list(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint64_t addr = guest_alloc(bus, 4096, SECTOR);
        PacketSg sg[2] = { { addr, 1024 }, { addr + 1024, 700 } };
        Packet r = packet_read(0, 70, 0, sg, 2);

        write_pattern(d, 0, 70, 4, 7);
        guest_fill(bus, addr, 4096, 8);
        ck_assert_uint_eq(driver_call(d, &r), ANSWER_OK);
        ck_assert(guest_holds(bus, addr, 3 * SECTOR, 7));
    }
}

/* FreeBSD once guaranteed 64 bytes; nothing needs more than 4. */
static void packets_lie_anywhere(GuestBus *bus)
{
    static const unsigned offset[] = { 0, 4, 64, 508, 4092, 4100 };
    unsigned i;

    WITH_DRIVER(d, bus) {
        uint64_t page = guest_alloc(bus, 3 * 4096, 4096);
        PacketSg sg = { guest_alloc(bus, SECTOR, SECTOR), SECTOR };

        write_pattern(d, 0, 80, 1, 9);
        for (i = 0; i < sizeof(offset) / sizeof(offset[0]); i++) {
            Packet r = packet_read(0, 80, 1, &sg, 1);

            guest_fill(bus, sg.addr, SECTOR, 10);
            driver_post_at(d, i, &r, page + offset[i]);
            ck_assert_uint_eq(driver_wait(d, i), ANSWER_OK);
            ck_assert(guest_holds(bus, sg.addr, SECTOR, 9));
        }
    }
}

/* Its last byte is memory's last. */
static void packet_ends_where_memory_ends(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        PacketSg sg = { guest_alloc(bus, SECTOR, SECTOR), SECTOR };
        Packet r = packet_read(0, 80, 1, &sg, 1);
        Packet nop = packet_nop(15);

        write_pattern(d, 0, 80, 1, 11);
        driver_post_at(d, 1, &r, bus->memory_bytes - packet_bytes(&r));
        ck_assert_uint_eq(driver_wait(d, 1), ANSWER_OK);
        ck_assert(guest_holds(bus, sg.addr, SECTOR, 11));
        driver_post_at(d, 2, &nop, bus->memory_bytes - 8);
        ck_assert_uint_eq(driver_wait(d, 2), ANSWER_OK);
    }
}

static void force_media_write_succeeds(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        PacketSg sg = { guest_alloc(bus, 4096, SECTOR), 4096 };
        Packet w = packet_write(0, 90, 8, &sg, 1);

        w.byte[5] = 1;
        guest_fill(bus, sg.addr, 4096, 12);
        ck_assert_uint_eq(driver_call(d, &w), ANSWER_OK);
        expect_pattern(d, 0, 90, 8, 12);
    }
}

/* OpenBSD leaves byte 5 as it was at attach. */
static void flags_mean_nothing_on_reads(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint8_t block[8] = { 0x03, 0x04, 3, 1 };
        uint64_t addr = guest_alloc(bus, SECTOR, SECTOR);
        PacketSg sg = { guest_alloc(bus, SECTOR, SECTOR), SECTOR };
        Packet r = packet_read(0, 90, 1, &sg, 1);
        Packet g = packet_get_param(0, addr, 512);

        bus->write(bus, addr, block, sizeof(block));
        r.byte[4] = g.byte[4] = 0xff;
        r.byte[5] = g.byte[5] = 0xa5;
        ck_assert_uint_eq(driver_call(d, &r), ANSWER_OK);
        ck_assert_uint_eq(driver_call(d, &g), ANSWER_OK);
    }
}

static void every_flush_is_accepted(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        Packet linux_flush = packet_flush(0, 1);
        Packet netbsd_flush = packet_flush(0, 0);
        Packet openbsd_nop = packet_nop(0);
        Packet ioctl_nop = packet_nop(7);
        Packet stale = packet_flush(0, 0);
        PacketSg sg = { bus->hole, 512 };

        write_pattern(d, 0, 90, 8, 13);
        ck_assert_uint_eq(driver_call(d, &linux_flush), ANSWER_OK);
        ck_assert_uint_eq(driver_call(d, &netbsd_flush), ANSWER_OK);
        ck_assert_uint_eq(driver_call(d, &openbsd_nop), ANSWER_OK);
        packet_set_sg(&ioctl_nop, 2, &sg, 1);
        ck_assert_uint_eq(ioctl_nop.byte[0], 0x40);
        ck_assert_uint_eq(driver_call(d, &ioctl_nop), ANSWER_OK);
        stale.byte[0] |= 0x60;
        ck_assert_uint_eq(driver_call(d, &stale), ANSWER_OK);
    }
}

/* FreeBSD sends the list offset and unit of the slot's last command. */
static void init_connection_with_stale_bits(GuestBus *bus)
{
    static const uint8_t first[] = { 0x01, 0x41, 0x61 };
    static const unsigned credits[] = { 0x100, 0xff, 1, 0 };
    unsigned i, k;

    WITH_DRIVER(d, bus) {
        for (i = 0; i < sizeof(first); i++) {
            for (k = 0; k < 4; k++) {
                Packet p = packet_init_connection(credits[k]);

                p.byte[0] = first[i];
                p.byte[3] = 0xf7;
                ck_assert_uint_eq(driver_call(d, &p), ANSWER_OK);
            }
        }
        driver_expect_alive(d);
    }
}

static void last_sector_is_reached(GuestBus *bus)
{
    uint8_t four[4];
    uint32_t last;

    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(driver_get_param(d, 0x300, 4, four, 4), ANSWER_OK);
        last = le32(four) - 1;
        write_pattern(d, 0, last, 1, 14);
        expect_pattern(d, 0, last, 1, 14);
        write_pattern(d, 0, last - 300, 301, 15);
        expect_pattern(d, 0, last - 300, 301, 15);
    }
}

/* The 16 bits of the count, four at once, over the same memory again and
 * again: more than the card has room for at a time. */
static void largest_transfers_take_turns(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        uint32_t addr = guest_alloc(bus, 1 << 20, SECTOR);
        PacketSg sg[33];
        Packet r;

        for (i = 0; i < 33; i++) {
            sg[i] = (PacketSg) { addr, 1 << 20 };
        }
        r = packet_read(0, 0, 65535, sg, 33);
        for (i = 0; i < 4; i++) {
            driver_post(d, i, &r);
        }
        driver_wait_all(d);
        for (i = 0; i < 4; i++) {
            ck_assert_uint_eq(d->request[i].answer, ANSWER_OK);
        }
    }
}

/* Every unit number: there or politely not. */
static void all_sixteen_units(GuestBus *bus)
{
    unsigned unit;

    WITH_DRIVER(d, bus) {
        PacketSg sg = { guest_alloc(bus, SECTOR, SECTOR), SECTOR };
        uint8_t status[16];

        ck_assert_uint_eq(driver_get_param(d, 3, 3, status, 16), ANSWER_OK);
        for (unit = 0; unit < 16; unit++) {
            bool there = unit < bus->ports;
            uint16_t expected = there ? ANSWER_OK : ANSWER_OFFLINE;
            Packet r = packet_read(unit, unit, 1, &sg, 1);
            Packet w = packet_write(unit, unit, 1, &sg, 1);
            Packet f = packet_flush(unit, 1);

            ck_assert_uint_eq(status[unit], there ? 0xff : 0x00);
            ck_assert_uint_eq(driver_call(d, &w), expected);
            ck_assert_uint_eq(driver_call(d, &r), expected);
            ck_assert_uint_eq(driver_call(d, &f), expected);
        }
    }
}

static void degraded_unit_serves(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        write_pattern(d, 0, 200, 400, 16);
        expect_pattern(d, 0, 200, 400, 16);
        write_pattern(d, 2, 200, 40, 17);
        expect_pattern(d, 2, 200, 40, 17);
    }
}

#define CASE(name) { #name, name, "3ware-7410", "raid0:0-2:64k", 3 }

const GuestCase cases_io[] = {
    CASE(data_comes_back_through_any_list),
    { "data_comes_back_raid5", data_comes_back_through_any_list,
      "3ware-7410", "raid5:0-3:64k", 4 },
    { "data_comes_back_raid10", data_comes_back_through_any_list,
      "3ware-7410", "raid10:0-3:256k", 4 },
    { "data_comes_back_single", data_comes_back_through_any_list,
      "3ware-8006-2", "single:0", 1 },
    CASE(only_entries_within_size_count),
    CASE(surplus_list_is_left_alone),
    CASE(count_zero_means_the_list),
    CASE(packets_lie_anywhere),
    CASE(packet_ends_where_memory_ends),
    CASE(force_media_write_succeeds),
    CASE(flags_mean_nothing_on_reads),
    CASE(every_flush_is_accepted),
    CASE(init_connection_with_stale_bits),
    CASE(last_sector_is_reached),
    CASE(largest_transfers_take_turns),
    { "all_sixteen_units", all_sixteen_units, "3ware-8506-12", NULL, 12 },
    { "degraded_unit_serves", degraded_unit_serves, "3ware-7410",
      "raid5:0+missing+1/raid1:2+missing", 3 },
    { 0 }
};
