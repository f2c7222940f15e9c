/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: the attach and detach of the real drivers, and I/O by their
 * interrupt handlers.
 */
#include <check.h>
#include <ctype.h>

#include "tests/guest/cases.h"

#define NETBSD_PATIENCE GUEST_MS(500)

static void expect_io(Driver *d, unsigned unit, uint32_t seed)
{
    uint64_t out = guest_alloc(d->bus, 8192, 512);
    uint64_t in = guest_alloc(d->bus, 8192, 512);
    PacketSg to = { out, 8192 }, from = { in, 8192 };
    Packet w = packet_write(unit, 100, 16, &to, 1);
    Packet r = packet_read(unit, 100, 16, &from, 1);

    guest_fill(d->bus, out, 8192, seed);
    ck_assert_uint_eq(driver_io(d, &w), ANSWER_OK);
    ck_assert_uint_eq(driver_io(d, &r), ANSWER_OK);
    ck_assert(guest_holds(d->bus, in, 8192, seed));
}

/* No interrupt may come that nobody asked for. */
static void expect_quiet(Driver *d)
{
    d->bus->run(d->bus, GUEST_S(1));
    ck_assert_uint_eq(driver_status(d) & STATUS_MINE, 0);
    ck_assert(!d->bus->irq(d->bus));
}

static void attach_finds_units(GuestBus *bus, DriverOs os)
{
    WITH_DRIVER(d, bus) {
        driver_attach(d, os);
        ck_assert_uint_eq(d->events, 1);
        ck_assert_uint_eq(d->event[0], 0x0001);
        ck_assert_uint_eq(d->units, 1u << 0 | 1u << 3);
        ck_assert_uint_eq(d->capacity[0], 2 * TEST_MEMBER_SECTORS);
        ck_assert_uint_eq(d->capacity[3], TEST_DRIVE_SECTORS);
        expect_io(d, 0, 10 + os);
        expect_io(d, 3, 20 + os);
        expect_quiet(d);
        driver_detach(d);
        expect_quiet(d);
    }
}

static void linux_6_attaches(GuestBus *bus)
{
    attach_finds_units(bus, LINUX_6);
}

static void linux_24_attaches(GuestBus *bus)
{
    attach_finds_units(bus, LINUX_24);
}

static void freebsd_attaches(GuestBus *bus)
{
    attach_finds_units(bus, FREEBSD);
}

static void netbsd_attaches(GuestBus *bus)
{
    attach_finds_units(bus, NETBSD);
}

static void openbsd_2001_attaches(GuestBus *bus)
{
    attach_finds_units(bus, OPENBSD_2001);
}

static void openbsd_2015_attaches(GuestBus *bus)
{
    attach_finds_units(bus, OPENBSD_2015);
}

static void drivers_follow_each_other(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        for (i = 0; i < 24; i++) {
            d->events = 0;
            driver_attach(d, i % DRIVER_OSES);
            ck_assert_uint_eq(d->events, 1);
            driver_detach(d);
        }
        driver_control(d, CONTROL_DISABLE);
        driver_expect_alive(d);
    }
}

/* NetBSD polls a parameter for half a second, with READs in the way. */
static void netbsd_parameters_are_quick(GuestBus *bus)
{
    static const struct {
        unsigned table, parameter, bytes;
    } read[] = {
        { 0x401, 2, 2 }, { 0x403, 3, 1 }, { 0x402, 2, 16 }, { 0x402, 3, 16 },
        { 0x402, 4, 16 }, { 0x402, 5, 8 }, { 0x402, 6, 8 }, { 0x402, 7, 8 },
        { 0x002, 3, 16 }, { 0x200, 2, 4 }, { 0x200, 3, 40 }, { 0x003, 3, 16 },
        { 0x300, 5, 2 }, { 0x300, 6, 48 }, { 0x300, 4, 4 }, { 0x300, 3, 1 },
    };
    unsigned i;

    WITH_DRIVER(d, bus) {
        PacketSg sg = { guest_alloc(bus, 65536, 512), 65536 };

        for (i = 100; i < 120; i++) {
            Packet p = packet_read(0, i * 1000, 128, &sg, 1);

            driver_post(d, i, &p);
        }
        for (i = 0; i < sizeof(read) / sizeof(read[0]); i++) {
            int64_t asked = bus->now(bus);

            ck_assert_uint_eq(driver_get_param(d, read[i].table,
                                               read[i].parameter, NULL,
                                               read[i].bytes), ANSWER_OK);
            ck_assert_int_lt(bus->now(bus) - asked, NETBSD_PATIENCE);
        }
        driver_wait_all(d);
    }
}

static void expect_printable(Driver *d, unsigned parameter, unsigned bytes,
                             char first)
{
    uint8_t text[16];
    unsigned i;

    ck_assert_uint_eq(driver_get_param(d, 0x402, parameter, text, bytes),
                      ANSWER_OK);
    if (first) {
        ck_assert_uint_eq(text[0], first);
    }
    for (i = 0; i < bytes && text[i]; i++) {
        ck_assert(isprint(text[i]));
    }
    ck_assert_uint_gt(i, 0);
    for (; i < bytes; i++) {
        ck_assert_uint_eq(text[i], 0);
    }
}

/* boot -v: all strings; the drive summary must succeed, FreeBSD does not
 * look before it reads it. */
static void freebsd_verbose_strings(GuestBus *bus)
{
    uint8_t drives[16];

    WITH_DRIVER(d, bus) {
        driver_attach(d, FREEBSD);
        expect_printable(d, 2, 16, 'M');
        expect_printable(d, 3, 16, 'F');
        expect_printable(d, 4, 16, 'B');
        expect_printable(d, 5, 8, 0);
        expect_printable(d, 6, 8, 0);
        expect_printable(d, 7, 8, 0);
        ck_assert_uint_eq(driver_get_param(d, 2, 3, drives, 16), ANSWER_OK);
        ck_assert_uint_eq(drives[0], 0xff);
        ck_assert_uint_eq(drives[4], 0x00);
    }
}

/* Suspend is "disable" and resume "enable", without a reset between. */
static void freebsd_suspend_keeps_state(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        driver_attach(d, FREEBSD);
        driver_control(d, CONTROL_DISABLE);
        bus->run(bus, GUEST_S(5));
        driver_control(d, CONTROL_FINAL_ENABLE);
        expect_io(d, 0, 30);
    }
}

static void reboot_in_mid_io(GuestBus *bus)
{
    unsigned i, id;

    WITH_DRIVER(d, bus) {
        PacketSg sg = { guest_alloc(bus, 65536, 512), 65536 };

        for (i = 0; i < 5; i++) {
            driver_attach(d, LINUX_6);
            for (id = 0; id < 40; id++) {
                Packet p = packet_write(id % 2 ? 0 : 3, id * 500, 128, &sg,
                                        1);

                driver_post(d, id, &p);
            }
            bus->run(bus, GUEST_MS(1 + 3 * i));
            driver_bus_reset(d);
        }
        driver_attach(d, LINUX_6);
        expect_io(d, 0, 40);
    }
}

#define CASE(name) { #name, name, "3ware-7410", "raid5:0-2:64k/jbod:3", 4 }

const GuestCase cases_attach[] = {
    CASE(linux_6_attaches),
    CASE(linux_24_attaches),
    CASE(freebsd_attaches),
    CASE(netbsd_attaches),
    CASE(openbsd_2001_attaches),
    CASE(openbsd_2015_attaches),
    CASE(drivers_follow_each_other),
    CASE(netbsd_parameters_are_quick),
    CASE(freebsd_verbose_strings),
    CASE(freebsd_suspend_keeps_state),
    CASE(reboot_in_mid_io),
    { 0 }
};
