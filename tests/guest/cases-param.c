/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: parameter tables - what the card tells of itself, its drives and
 * its units.
 */
#include <check.h>
#include <string.h>

#include "tests/guest/cases.h"

#define RECORD 12

static void get(Driver *d, unsigned table, unsigned parameter, void *value,
                unsigned bytes)
{
    ck_assert_msg(driver_get_param(d, table, parameter, value, bytes) ==
                  ANSWER_OK, "table %#x parameter %u", table, parameter);
}

static unsigned get_16(Driver *d, unsigned table, unsigned parameter)
{
    uint8_t value[2];

    get(d, table, parameter, value, 2);
    return le16(value);
}

static uint32_t get_32(Driver *d, unsigned table, unsigned parameter)
{
    uint8_t value[4];

    get(d, table, parameter, value, 4);
    return le32(value);
}

static unsigned get_8(Driver *d, unsigned table, unsigned parameter)
{
    uint8_t value;

    get(d, table, parameter, &value, 1);
    return value;
}

static void summaries_count_drives_and_units(GuestBus *bus)
{
    static const uint8_t drives[16] = { 0xff, 0xff, 0xff };
    static const uint8_t units[16] = { 0xff, 0, 0xff };
    uint8_t value[16];

    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(get_16(d, 2, 2), 3);
        get(d, 2, 3, value, 16);
        ck_assert_mem_eq(value, drives, 16);
        ck_assert_uint_eq(get_16(d, 3, 2), 2);
        get(d, 3, 3, value, 16);
        ck_assert_mem_eq(value, units, 16);
        ck_assert_uint_eq(get_8(d, 0x403, 3), bus->ports);
        ck_assert_uint_eq(get_16(d, 0x403, 2), 2048);
    }
}

static void drive_information(GuestBus *bus)
{
    uint8_t model[40];

    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(get_32(d, 0x201, 2), TEST_DRIVE_SECTORS);
        get(d, 0x201, 3, model, 40);
        ck_assert_mem_eq(model, "TEST 64 MiB drive  ", 19);
        ck_assert_uint_eq(model[39], ' ');
        get(d, 0x201, 4, model, 20);
        ck_assert_uint_ne(model[0], 0);
        ck_assert_uint_eq(get_16(d, 0x201, 5), 520);
        ck_assert_uint_eq(get_16(d, 0x201, 6), 2);
        ck_assert_uint_eq(get_16(d, 0x201, 7), 128);
        ck_assert_uint_eq(get_16(d, 0x201, 9), 16);
        ck_assert_uint_eq(get_16(d, 0x201, 10), 63);
        ck_assert_uint_eq(get_8(d, 0x200, 11), 0);
        ck_assert_uint_eq(get_8(d, 0x201, 11), 0);
        ck_assert_uint_eq(get_8(d, 0x202, 11), 2);
        /* an empty port */
        ck_assert_uint_eq(get_32(d, 0x203, 2), 0);
        ck_assert_uint_eq(get_8(d, 0x203, 11), 0xff);
        ck_assert_uint_eq(driver_get_param(d, 0x204, 2, NULL, 4),
                          ANSWER_BAD_TABLE);
    }
}

static void unit_information(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(get_8(d, 0x302, 2), 2);
        ck_assert_uint_eq(get_8(d, 0x300, 3), 0xff);
        ck_assert_uint_eq(get_32(d, 0x300, 4), TEST_MEMBER_SECTORS);
        ck_assert_uint_eq(get_32(d, 0x302, 4), TEST_DRIVE_SECTORS);
        ck_assert_uint_eq(get_8(d, 0x300, 7), 0);
        ck_assert_uint_eq(driver_get_param(d, 0x301, 4, NULL, 4),
                          ANSWER_OFFLINE);
        ck_assert_uint_eq(driver_get_param(d, 0x30f, 6, NULL, 12),
                          ANSWER_OFFLINE);
        ck_assert_uint_eq(driver_get_param(d, 0x310, 4, NULL, 4),
                          ANSWER_BAD_TABLE);
    }
}

static void unknown_tables_are_refused(GuestBus *bus)
{
    static const uint16_t table[] = {
        0, 1, 4, 0x100, 0x1ff, 0x2bf, 0x2c1, 0x400, 0x405, 0xfffe,
    };
    unsigned i;

    WITH_DRIVER(d, bus) {
        for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
            ck_assert_uint_eq(driver_get_param(d, table[i], 2, NULL, 4),
                              ANSWER_BAD_TABLE);
        }
        ck_assert_uint_eq(driver_get_param(d, 0x402, 8, NULL, 16),
                          ANSWER_BAD_TABLE);
        ck_assert_uint_eq(driver_get_param(d, 3, 255, NULL, 16),
                          ANSWER_BAD_TABLE);
        ck_assert_uint_eq(driver_get_param(d, 0x2c0, 2 + 3 * bus->ports,
                                           NULL, 2), ANSWER_BAD_TABLE);
        ck_assert_uint_eq(driver_set_param(d, 0x403, 3, "\1", 1),
                          ANSWER_BAD_TABLE);
        ck_assert_uint_eq(driver_set_param(d, 0x999, 3, "\1", 1),
                          ANSWER_BAD_TABLE);
        driver_expect_alive(d);
    }
}

static void settings_are_kept(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(get_8(d, 0x404, 2), 0);
        ck_assert_uint_eq(driver_set_param(d, 0x404, 2, "\1", 1), ANSWER_OK);
        ck_assert_uint_eq(get_8(d, 0x404, 2), 1);
    }
}

static void port_timeouts_are_readable(GuestBus *bus)
{
    unsigned number;

    WITH_DRIVER(d, bus) {
        for (number = 2; number < 2 + 3 * bus->ports; number++) {
            get_16(d, 0x2c0, number);
        }
    }
}

/* Less than there is: its beginning.  More: zeroes. */
static void lengths_are_the_hosts(GuestBus *bus)
{
    uint8_t whole[40], part[40], longer[255];
    unsigned i;

    WITH_DRIVER(d, bus) {
        get(d, 0x200, 3, whole, 40);
        for (i = 0; i < 40; i++) {
            get(d, 0x200, 3, part, i);
            ck_assert_mem_eq(part, whole, i);
        }
        get(d, 0x200, 3, longer, 255);
        ck_assert_mem_eq(longer, whole, 40);
        for (i = 40; i < 255; i++) {
            ck_assert_uint_eq(longer[i], 0);
        }
    }
}

/* The block in pieces, head included. */
static void block_may_be_scattered(GuestBus *bus)
{
    uint8_t head[4] = { 0x00, 0x02, 3, 40 };
    uint8_t whole[40], got[44];

    WITH_DRIVER(d, bus) {
        uint32_t a = guest_alloc(bus, 512, 4);
        PacketSg sg[4] = { { a, 1 }, { a + 100, 2 }, { a + 201, 30 },
                           { a + 303, 60 } };
        Packet p = packet_get_param(0, a, 512);

        get(d, 0x200, 3, whole, 40);
        packet_set_sg(&p, 2, sg, 4);
        bus->write(bus, a, head, 1);
        bus->write(bus, a + 100, head + 1, 2);
        bus->write(bus, a + 201, head + 3, 1);
        ck_assert_uint_eq(driver_call(d, &p), ANSWER_OK);
        bus->read(bus, a + 201, got, 30);
        bus->read(bus, a + 303, got + 30, 11);
        ck_assert_mem_eq(got + 1, whole, 40);
    }
}

/* Each table of the directory: 0 is all of it, 1 how much that is. */
static void directory_leads_everywhere(GuestBus *bus)
{
    uint8_t ids[255], sizes[255], whole[255], first[4];
    unsigned i, tables;

    WITH_DRIVER(d, bus) {
        get(d, 0xffff, 2, ids, 255);
        get(d, 0xffff, 3, sizes, 255);
        for (tables = 0; le16(ids + 2 * tables); tables++) {
        }
        ck_assert_uint_ge(tables, 7 + bus->ports + 2);
        for (i = 0; i < tables; i++) {
            unsigned table = le16(ids + 2 * i);
            unsigned bytes = le16(sizes + 2 * i);

            ck_assert_uint_gt(bytes, 0);
            ck_assert_uint_eq(get_16(d, table, 1), bytes);
            get(d, table, 0, whole, 255);
        }
        get(d, 0x403, 0, whole, 3);
        get(d, 0x403, 2, first, 2);
        ck_assert_mem_eq(whole, first, 2);
        ck_assert_uint_eq(whole[2], bus->ports);
    }
}

/* --- descriptors -------------------------------------------------------- */

static unsigned descriptor(Driver *d, unsigned unit, uint8_t *out)
{
    unsigned bytes = get_16(d, 0x300 + unit, 5) - 3;

    ck_assert_uint_ge(bytes, RECORD);
    ck_assert_uint_eq(bytes % RECORD, 0);
    get(d, 0x300 + unit, 6, out, bytes);
    return bytes;
}

static void expect_member(const uint8_t *record, unsigned port)
{
    ck_assert_uint_eq(record[0], 0);
    ck_assert_uint_eq(record[1], 0x0e);
    ck_assert_uint_eq(record[2], port);
    ck_assert_uint_eq(le32(record + 4), 1024);
    ck_assert_uint_eq(le32(record + 8), TEST_MEMBER_SECTORS);
}

static void descriptors_of_arrays(GuestBus *bus)
{
    uint8_t out[255];

    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(descriptor(d, 0, out), 4 * RECORD);
        ck_assert_uint_eq(out[0], 3);
        ck_assert_uint_eq(out[1], 0x05);
        ck_assert_uint_eq(out[2], 7);           /* 512 << 7 = 64 KiB */
        ck_assert_uint_eq(out[3], 0x07);
        ck_assert_uint_eq(le32(out + 8), 2 * TEST_MEMBER_SECTORS);
        expect_member(out + RECORD, 0);
        expect_member(out + 3 * RECORD, 2);

        ck_assert_uint_eq(descriptor(d, 3, out), 6 * RECORD);
        ck_assert_uint_eq(out[0], 2);
        ck_assert_uint_eq(out[1], 0x06);
        ck_assert_uint_eq(out[2], 9);
        ck_assert_uint_eq(out[3], 0x03);
        ck_assert_uint_eq(out[RECORD], 0xff);
        ck_assert_uint_eq(out[RECORD + 2], 0x03);
        ck_assert_uint_eq(out[RECORD + 3], 0x01);   /* one half is missing */
        expect_member(out + 2 * RECORD, 3);
        ck_assert_uint_eq(out[5 * RECORD + 2], 0xff);

        ck_assert_uint_eq(descriptor(d, 6, out), 3 * RECORD);
        ck_assert_uint_eq(out[1], 0x01);
        ck_assert_uint_eq(descriptor(d, 8, out), 3 * RECORD);
        ck_assert_uint_eq(out[1], 0x00);
        ck_assert_uint_eq(out[2], 0x0b);        /* 1 MiB */
    }
}

static void descriptors_of_single_drives(GuestBus *bus)
{
    uint8_t out[255];

    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(descriptor(d, 10, out), RECORD);
        ck_assert_uint_eq(out[0], 0);
        ck_assert_uint_eq(out[1], 0x0c);
        ck_assert_uint_eq(out[2], 10);
        ck_assert_uint_eq(le32(out + 8), TEST_MEMBER_SECTORS);
        ck_assert_uint_eq(descriptor(d, 11, out), RECORD);
        ck_assert_uint_eq(out[1], 0x0f);
        ck_assert_uint_eq(out[2], 11);
        ck_assert_uint_eq(out[3], 0);
        ck_assert_uint_eq(le32(out + 4), 0);
        ck_assert_uint_eq(le32(out + 8), TEST_DRIVE_SECTORS);
    }
}

#define CASE(name) { #name, name, "3ware-7410", "raid1:0-1/jbod:2", 3 }
#define FULL_CARD "raid5:0-2:64k/raid10:3-5+missing:256k/raid1:6-7/" \
                  "raid0:8-9:1m/single:10/jbod:11"
#define FULL_CASE(name) { #name, name, "3ware-8506-12", FULL_CARD, 12 }

const GuestCase cases_param[] = {
    CASE(summaries_count_drives_and_units),
    CASE(drive_information),
    CASE(unit_information),
    CASE(unknown_tables_are_refused),
    CASE(settings_are_kept),
    CASE(port_timeouts_are_readable),
    CASE(lengths_are_the_hosts),
    CASE(block_may_be_scattered),
    CASE(directory_leads_everywhere),
    FULL_CASE(descriptors_of_arrays),
    FULL_CASE(descriptors_of_single_drives),
    { 0 }
};
