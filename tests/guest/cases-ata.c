/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: ATA pass-through as smartctl -d 3ware,N uses it.
 */
#include <check.h>
#include <string.h>

#include "tests/guest/cases.h"

#define SECTOR 512
#define IDENTIFY 0xec
#define SMART 0xb0
#define READ_LOG_EXT 0x2f
#define CHECK_POWER 0xe5
#define SET_FEATURES 0xef

/* smartctl's own test of a result, whichever way data went */
static bool smartctl_likes(const Driver *d, unsigned id)
{
    const Packet *p = &d->request[id].posted;

    return !p->byte[4] && !(p->byte[19] & 0x21);
}

static PacketAta smart(unsigned feature)
{
    return (PacketAta) { .features = feature, .lba_mid = 0x4f,
                         .lba_high = 0xc2, .command = SMART };
}

static bool ata_in(Driver *d, unsigned port, PacketAta regs, uint8_t *data)
{
    uint64_t addr = guest_alloc(d->bus, SECTOR, 4);
    unsigned id = driver_free_id(d);
    Packet p;

    regs.count = 1;
    p = packet_ata_in(port, &regs, addr);
    guest_fill(d->bus, addr, SECTOR, 99);
    driver_post(d, id, &p);
    driver_wait(d, id);
    d->bus->read(d->bus, addr, data, SECTOR);
    return smartctl_likes(d, id);
}

static bool ata_no_data(Driver *d, unsigned port, PacketAta regs,
                        Packet *answer)
{
    unsigned id = driver_free_id(d);
    Packet p = packet_ata(port, &regs);

    driver_post(d, id, &p);
    driver_wait(d, id);
    *answer = d->request[id].posted;
    return smartctl_likes(d, id);
}

static unsigned sum_of(const uint8_t *data)
{
    unsigned i, sum = 0;

    for (i = 0; i < SECTOR; i++) {
        sum += data[i];
    }
    return sum & 0xff;
}

/* ATA strings have their bytes swapped in pairs. */
static void expect_ata_text(const uint8_t *words, const char *text)
{
    size_t i;

    for (i = 0; text[i]; i++) {
        ck_assert_uint_eq(words[i ^ 1], text[i]);
    }
}

static void identify_tells_the_drive(GuestBus *bus)
{
    PacketAta regs = { .command = IDENTIFY };
    uint8_t data[SECTOR];
    unsigned port;

    WITH_DRIVER(d, bus) {
        for (port = 0; port < 3; port++) {
            ck_assert(ata_in(d, port, regs, data));
            expect_ata_text(data + 54, "TEST 64 MiB drive");
            ck_assert_uint_eq(le32(data + 120), TEST_DRIVE_SECTORS);
        }
    }
}

/* smartctl makes "No drive on port N" of a good answer that is all zero. */
static void empty_port_identifies_as_nothing(GuestBus *bus)
{
    static const uint8_t nothing[SECTOR];
    PacketAta regs = { .command = IDENTIFY };
    uint8_t data[SECTOR];
    unsigned port;

    WITH_DRIVER(d, bus) {
        for (port = 3; port < 16; port++) {
            ck_assert(ata_in(d, port, regs, data));
            ck_assert_mem_eq(data, nothing, SECTOR);
        }
        driver_expect_alive(d);
    }
}

static void empty_port_refuses_the_rest(GuestBus *bus)
{
    uint8_t data[SECTOR];
    Packet answer;

    WITH_DRIVER(d, bus) {
        ck_assert(!ata_in(d, 3, smart(0xd0), data));
        ck_assert(guest_pattern(99, 0) == data[0]);
        ck_assert(!ata_no_data(d, 3, smart(0xda), &answer));
        ck_assert_uint_eq(answer.byte[4] << 8 | answer.byte[5],
                          ANSWER_ATA_ABORTED);
        ck_assert_uint_eq(answer.byte[19], 0x51);
        ck_assert(!ata_no_data(d, 15, smart(0xda), &answer));
        ck_assert_uint_eq(answer.byte[4] << 8 | answer.byte[5],
                          ANSWER_NO_PORT);
    }
}

static void smart_pages_have_their_sums(GuestBus *bus)
{
    uint8_t values[SECTOR], limits[SECTOR];

    WITH_DRIVER(d, bus) {
        ck_assert(ata_in(d, 1, smart(0xd0), values));
        ck_assert(ata_in(d, 1, smart(0xd1), limits));
        ck_assert_uint_eq(sum_of(values), 0);
        ck_assert_uint_eq(sum_of(limits), 0);
        ck_assert_uint_ne(values[2], 0);        /* first attribute's id */
        ck_assert_uint_eq(values[2], limits[2]);
    }
}

/* 4F/C2 comes back for a drive that is well; also the opcode's place must
 * be overwritten: every opcode smartctl sends looks like an error there. */
static void smart_status_comes_in_registers(GuestBus *bus)
{
    Packet answer;

    WITH_DRIVER(d, bus) {
        ck_assert(ata_no_data(d, 1, smart(0xda), &answer));
        ck_assert_uint_eq(le16(&answer.byte[14]), 0x4f);
        ck_assert_uint_eq(le16(&answer.byte[16]), 0xc2);
        ck_assert_uint_eq(answer.byte[19], 0x50);
        ck_assert_uint_eq(answer.byte[8], 0);
    }
}

static void power_mode_and_features(GuestBus *bus)
{
    PacketAta power = { .command = CHECK_POWER };
    PacketAta cache_off = { .command = SET_FEATURES, .features = 0x82 };
    Packet answer;

    WITH_DRIVER(d, bus) {
        ck_assert(ata_no_data(d, 0, power, &answer));
        ck_assert_uint_eq(answer.byte[10], 0xff);
        ck_assert(ata_no_data(d, 0, cache_off, &answer));
        ck_assert(ata_no_data(d, 0, smart(0xd8), &answer));
        ck_assert(ata_no_data(d, 0, smart(0xd2), &answer));
        ck_assert(ata_no_data(d, 0, smart(0xdb), &answer));
        ck_assert(ata_no_data(d, 0, smart(0xd9), &answer));
        ck_assert(!ata_no_data(d, 0, smart(0xda), &answer));
        ck_assert(ata_no_data(d, 0, smart(0xd8), &answer));
    }
}

static void logs_are_readable(GuestBus *bus)
{
    PacketAta log = smart(0xd5);
    uint8_t data[SECTOR];

    WITH_DRIVER(d, bus) {
        log.lba_low = 0x00;
        ck_assert(ata_in(d, 2, log, data));
        log.lba_low = 0x01;
        ck_assert(ata_in(d, 2, log, data));
        ck_assert_uint_eq(sum_of(data), 0);
        log.lba_low = 0x06;
        ck_assert(ata_in(d, 2, log, data));
        ck_assert_uint_eq(sum_of(data), 0);
    }
}

/* smartctl -t short, then -l selftest until the result is there. */
static void short_self_test_ends_in_the_log(GuestBus *bus)
{
    PacketAta test = smart(0xd4), log = smart(0xd5);
    uint8_t data[SECTOR];
    Packet answer;
    unsigned minutes;

    test.lba_low = 1;
    log.lba_low = 0x06;
    WITH_DRIVER(d, bus) {
        ck_assert(ata_in(d, 0, log, data));
        ck_assert_uint_eq(data[508], 0);
        ck_assert(ata_no_data(d, 0, test, &answer));
        for (minutes = 0; minutes < 10 && !data[508]; minutes++) {
            bus->run(bus, GUEST_S(60));
            ck_assert(ata_in(d, 0, log, data));
        }
        ck_assert_uint_eq(data[508], 1);
        ck_assert_uint_eq(data[2], 1);          /* number: short, off-line */
        ck_assert_uint_eq(data[3] >> 4, 0);     /* completed, no error */
    }
}

static void smart_log_can_be_written(GuestBus *bus)
{
    PacketAta write = smart(0xd6), read = smart(0xd5);
    uint8_t data[SECTOR];
    Packet p;

    write.lba_low = read.lba_low = 0x80;
    write.count = 1;
    WITH_DRIVER(d, bus) {
        uint64_t addr = guest_alloc(bus, SECTOR, SECTOR);
        unsigned i;

        guest_fill(bus, addr, SECTOR, 4);
        p = packet_ata_out(0, &write, addr);
        ck_assert_uint_eq(driver_call(d, &p), ANSWER_OK);
        ck_assert(ata_in(d, 0, read, data));
        for (i = 0; i < SECTOR; i++) {
            ck_assert_uint_eq(data[i], guest_pattern(4, i));
        }
    }
}

/* Unknown commands; data the wrong way; a code that is none. */
static void what_drives_refuse_is_told(GuestBus *bus)
{
    static const uint8_t unknown[] = { 0x00, 0x20, 0x30, 0xa1, 0xc4, 0xff };
    uint8_t data[SECTOR];
    Packet answer, p;
    unsigned i;

    WITH_DRIVER(d, bus) {
        PacketAta identify = { .command = IDENTIFY, .count = 1 };
        uint64_t addr = guest_alloc(bus, SECTOR, SECTOR);

        for (i = 0; i < sizeof(unknown); i++) {
            PacketAta regs = { .command = unknown[i] };

            ck_assert(!ata_no_data(d, 0, regs, &answer));
            ck_assert_uint_eq(answer.byte[4] << 8 | answer.byte[5],
                              ANSWER_ATA_ABORTED);
            ck_assert_uint_eq(answer.byte[19], 0x51);
            ck_assert_uint_eq(answer.byte[8], 0x04);
            ck_assert(!ata_in(d, 0, regs, data));
            ck_assert_uint_eq(data[0], guest_pattern(99, 0));
        }
        ck_assert(!ata_no_data(d, 0, identify, &answer));
        p = packet_ata_out(0, &identify, addr);
        ck_assert_uint_eq(driver_call(d, &p), ANSWER_ATA_ABORTED);
        p = packet_ata_in(0, &identify, addr);
        p.byte[6] = 0x3;
        ck_assert_uint_eq(driver_call(d, &p), ANSWER_BAD_REQUEST);
        driver_expect_alive(d);
    }
}

/* A command without data has no list: where the packet says that one
 * begins, past its own end too, does not matter. */
static void no_data_no_list(GuestBus *bus)
{
    PacketAta regs = { .command = CHECK_POWER };
    unsigned dword, dwords;

    WITH_DRIVER(d, bus) {
        for (dword = 0; dword < 8; dword++) {
            for (dwords = 5; dwords < 9; dwords++) {
                Packet p = packet_ata(0, &regs);

                p.byte[0] |= dword << 5;
                p.byte[1] = dwords;
                ck_assert_uint_eq(driver_call(d, &p), ANSWER_OK);
            }
        }
        driver_expect_alive(d);
    }
}

/* smartd asks while I/O runs; neither waits for all of the other. */
static void pass_through_beside_io(GuestBus *bus)
{
    PacketAta regs = { .command = IDENTIFY };
    uint8_t data[SECTOR];
    unsigned id;

    WITH_DRIVER(d, bus) {
        PacketSg sg = { guest_alloc(bus, 65536, SECTOR), 65536 };

        for (id = 10; id < 110; id++) {
            Packet r = packet_read(0, id * 1111, 128, &sg, 1);

            driver_post(d, id, &r);
        }
        ck_assert(ata_in(d, 0, regs, data));
        expect_ata_text(data + 54, "TEST");
        ck_assert(ata_in(d, 2, regs, data));
        driver_wait_all(d);
    }
}

#define CASE(name) { #name, name, "3ware-7410", "raid1:0-1/jbod:2", 3 }

const GuestCase cases_ata[] = {
    CASE(identify_tells_the_drive),
    CASE(empty_port_identifies_as_nothing),
    CASE(empty_port_refuses_the_rest),
    CASE(smart_pages_have_their_sums),
    CASE(smart_status_comes_in_registers),
    CASE(power_mode_and_features),
    CASE(logs_are_readable),
    CASE(short_self_test_ends_in_the_log),
    CASE(smart_log_can_be_written),
    CASE(what_drives_refuse_is_told),
    CASE(no_data_no_list),
    CASE(pass_through_beside_io),
    { 0 }
};
