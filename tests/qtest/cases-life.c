/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life: what only a whole machine can show - its reset, drives that come
 * and go, several cards, much memory, the same run twice.
 */
#include <stdio.h>
#include <string.h>

#include "tests/guest/cases.h"
#include "tests/qtest/cases.h"
#include "tests/qtest/guest-bus-qtest.h"

#define MEMORY (64ull << 20)            /* rig_new()'s default */
#define IDENTIFY 0xec
#define BLOCK 512

static const RigCard raid5 = { "3ware-7410", 4, "raid5:0-2:64k" };

typedef struct Machine {
    Rig *rig;
    GuestBus *bus;
    Driver *d;
} Machine;

static Machine machine_new(const RigCard *card)
{
    Machine m = { .rig = rig_new(card, 1, NULL, NULL) };
    g_auto(GStrv) words = g_strsplit(card->board, ",", 2);

    m.bus = guest_bus_qtest_new(m.rig, 0, words[0], MEMORY);
    m.d = driver_new(m.bus);
    return m;
}

static void machine_free(Machine *m)
{
    ck_assert_int_eq(qemu_quit(m->rig->qemu), 0);
    driver_free(m->d);
    guest_bus_qtest_free(m->bus);
    rig_free(m->rig);
}

/* Reset */

static void image_sums(const Rig *rig, char **sum, unsigned drives)
{
    for (unsigned i = 0; i < drives; i++) {
        g_free(sum[i]);
        sum[i] = rig_image_sum(rig, 0, i);
    }
}

/* `count` writes of 64 KiB one after the other, none awaited. */
static void post_writes(Driver *d, unsigned unit, unsigned count)
{
    uint64_t buf = guest_alloc(d->bus, 65536, 512);

    guest_fill(d->bus, buf, 65536, 7);
    for (unsigned id = 0; id < count; id++) {
        PacketSg sg = { buf, 65536 };
        Packet p = packet_write(unit, id * 128, 128, &sg, 1);

        driver_post(d, id, &p);
    }
}

/* However far the writes have come: _i * 5 ms into them. */
START_TEST(nothing_is_written_after_a_machine_reset)
{
    Machine m = machine_new(&raid5);
    char *before[4] = { NULL }, *after[4] = { NULL };

    driver_attach(m.d, LINUX_6);
    post_writes(m.d, 0, 64);
    m.bus->run(m.bus, GUEST_MS(5) * _i + GUEST_US(137));
    driver_bus_reset(m.d);
    image_sums(m.rig, before, 4);
    m.bus->run(m.bus, GUEST_S(5));
    image_sums(m.rig, after, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_str_eq(before[i], after[i]);
        g_free(before[i]);
        g_free(after[i]);
    }
    driver_attach(m.d, LINUX_6);
    driver_expect_alive(m.d);
    machine_free(&m);
}
END_TEST

START_TEST(a_reset_with_256_commands_out_leaves_none)
{
    Machine m = machine_new(&raid5);

    driver_attach(m.d, LINUX_6);
    post_writes(m.d, 0, 256);
    m.bus->run(m.bus, GUEST_MS(3));
    qemu_reset(m.rig->qemu);
    qemu_reset(m.rig->qemu);
    driver_bus_reset(m.d);
    g_autofree char *answer = qemu_qmp(m.rig->qemu,
        "{'execute': 'qom-get', 'arguments': "
        "{'path': 'raid0', 'property': 'outstanding'}}");

    ck_assert_msg(strstr(answer, "{\"return\": 0}"), "%s", answer);
    driver_expect_silence(m.d, GUEST_S(2));
    driver_attach(m.d, FREEBSD);
    driver_expect_alive(m.d);
    machine_free(&m);
}
END_TEST

START_TEST(reset_delay_keeps_ready_low)
{
    RigCard card = { "3ware-7410,reset-delay=500", 1, NULL };
    Machine m = machine_new(&card);

    m.bus->out(m.bus, REG_CONTROL, CONTROL_SOFT_RESET, 4);
    m.bus->run(m.bus, GUEST_MS(499));
    ck_assert(!(m.bus->in(m.bus, REG_STATUS, 4) & STATUS_READY));
    m.bus->run(m.bus, GUEST_MS(2));
    ck_assert(m.bus->in(m.bus, REG_STATUS, 4) & STATUS_READY);
    driver_attach(m.d, LINUX_6);
    machine_free(&m);
}
END_TEST

START_TEST(quitting_under_io_is_clean)
{
    Machine m = machine_new(&raid5);

    driver_attach(m.d, LINUX_6);
    post_writes(m.d, 0, 100);
    m.bus->run(m.bus, GUEST_MS(20));
    machine_free(&m);
}
END_TEST

/* Plug and pull */

static void pull(Rig *rig, unsigned drive)
{
    qemu_qmp_ok(rig->qemu, "{'execute': 'device_del', "
                "'arguments': {'id': 'raid0-d%u'}}", drive);
}

static void plug(Rig *rig, unsigned drive)
{
    qemu_qmp_ok(rig->qemu, "{'execute': 'device_add', 'arguments': "
                "{'driver': '3ware-drive', 'id': 'raid0-d%u', "
                "'bus': 'raid0.0', 'port': %u, 'drive': 'c0d%u', "
                "'model': '" RIG_DRIVE "'}}", drive, drive, drive);
}

static Packet identify(Driver *d, unsigned port)
{
    PacketAta regs = { .command = IDENTIFY };

    return packet_ata_in(port, &regs, guest_alloc(d->bus, BLOCK, 512));
}

START_TEST(a_raid5_works_on_when_a_drive_is_pulled)
{
    Machine m = machine_new(&raid5);
    uint64_t in = guest_alloc(m.bus, 65536, 512);

    driver_attach(m.d, LINUX_6);
    m.d->events = 0;
    post_writes(m.d, 0, 32);
    m.bus->run(m.bus, GUEST_MS(11));
    pull(m.rig, _i);
    driver_wait_all(m.d);
    for (unsigned id = 0; id < 32; id++) {
        ck_assert_uint_eq(m.d->request[id].answer, ANSWER_OK);
        ck_assert_uint_eq(driver_read(m.d, 0, id * 128, 128, in), ANSWER_OK);
        ck_assert(guest_holds(m.bus, in, 65536, 7));
    }
    driver_serve(m.d, GUEST_S(1));
    ck_assert_uint_ge(m.d->events, 1);
    ck_assert_uint_eq(rig_traced(m.rig, "tw_drive_plug", "pull"), 1);
    ck_assert_uint_ge(rig_traced(m.rig, "tw_unit_state", "unit=0"), 1);

    /* It may come back; the card stays up, the unit degraded. */
    plug(m.rig, _i);
    ck_assert_uint_eq(driver_read(m.d, 0, 0, 128, in), ANSWER_OK);
    ck_assert(guest_holds(m.bus, in, 65536, 7));
    driver_expect_alive(m.d);
    machine_free(&m);
}
END_TEST

START_TEST(a_pulled_jbod_fails_its_commands_and_no_others)
{
    Machine m = machine_new(&raid5);
    uint8_t zero[BLOCK] = { 0 }, seen[BLOCK];
    Packet p = identify(m.d, 3);

    driver_attach(m.d, LINUX_6);
    post_writes(m.d, 3, 10);
    m.bus->run(m.bus, GUEST_MS(2));
    pull(m.rig, 3);
    driver_wait_all(m.d);
    ck_assert_uint_ne(m.d->request[9].answer, ANSWER_OK);
    /* smartctl's way to an empty port: an IDENTIFY of nothing but zeroes */
    ck_assert_uint_eq(driver_call(m.d, &p), ANSWER_OK);
    m.bus->read(m.bus, packet_sg(&p, 0).addr, seen, BLOCK);
    ck_assert_mem_eq(seen, zero, BLOCK);
    ck_assert_uint_eq(driver_write(m.d, 0, 0, 8, m.d->blocks), ANSWER_OK);
    plug(m.rig, 3);
    ck_assert_uint_eq(driver_call(m.d, &p), ANSWER_OK);
    machine_free(&m);
}
END_TEST

#ifndef CYCLES                          /* fewer under a leak checker */
#define CYCLES 1000
#endif
#define WARM_UP (CYCLES / 10)
#define GROWTH_MAX_KIB 2048

/* Every pull takes a drive from under a command. */
START_TEST(a_thousand_pulls_under_io_leak_nothing)
{
    Machine m = machine_new(&raid5);
    Packet ata = identify(m.d, 3);
    uint64_t buf = guest_alloc(m.bus, 65536, 512);
    uint64_t warm = 0;

    driver_attach(m.d, LINUX_6);
    for (unsigned i = 0; i < CYCLES; i++) {
        PacketSg sg = { buf, 65536 };
        Packet io = packet_read(0, i * 128 % 65536, 128, &sg, 1);

        driver_post(m.d, 0, &ata);
        driver_post(m.d, 1, &io);
        m.bus->run(m.bus, GUEST_US(i % 300));
        pull(m.rig, 3);
        ck_assert_uint_eq(driver_wait(m.d, 1), ANSWER_OK);
        driver_wait(m.d, 0);
        plug(m.rig, 3);
        if (i == WARM_UP) {
            warm = qemu_rss_kib(m.rig->qemu);
        }
    }
    uint64_t end = qemu_rss_kib(m.rig->qemu);

    ck_assert_msg(end < warm + GROWTH_MAX_KIB, "grew from %u to %u KiB",
                  (unsigned)warm, (unsigned)end);
    ck_assert_uint_eq(driver_call(m.d, &ata), ANSWER_OK);
    /* QEMU frees devices a moment later, but every one of them. */
    while (qemu_events(m.rig->qemu, "DEVICE_DELETED") < CYCLES) {
        g_usleep(1000);
    }
    driver_expect_alive(m.d);
    machine_free(&m);
}
END_TEST

START_TEST(a_wrong_plug_is_refused_and_changes_nothing)
{
    static const char *const wrong[][2] = {
        { "'port': 0, 'drive': 'c0d3'", "there is a drive already" },
        { "'port': 4, 'drive': 'c0d3'", "ports 0 to 3" },
        { "'port': 3, 'drive': 'c0d2'", "another device" },
        { "'port': 3", "drive= is missing" },
    };
    Machine m = machine_new(&raid5);

    pull(m.rig, 3);
    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *answer = qemu_qmp(m.rig->qemu,
            "{'execute': 'device_add', 'arguments': "
            "{'driver': '3ware-drive', 'bus': 'raid0.0', %s, "
            "'model': '" RIG_DRIVE "'}}", wrong[i][0]);

        ck_assert_msg(strstr(answer, "\"error\"") &&
                      strstr(answer, wrong[i][1]), "%s", answer);
    }
    plug(m.rig, 3);
    driver_attach(m.d, LINUX_6);
    driver_expect_alive(m.d);
    machine_free(&m);
}
END_TEST

START_TEST(an_image_in_use_is_refused)
{
    Machine m = machine_new(&raid5);
    g_autofree char *image = rig_image(m.rig, 0, 0);
    g_autofree char *node = g_strdup_printf(
        "raw,node-name=a,file.driver=file,file.filename=%s", image);
    const char *args[] = {
        "-qtest", "null", "-device", "3ware-7410,id=raid",
        "-blockdev", node,
        "-device", "3ware-drive,bus=raid.0,port=0,drive=a,model=" RIG_DRIVE,
        NULL
    };
    g_autofree char *out = NULL, *err = NULL;

    ck_assert_int_eq(qemu_run(args, &out, &err), 1);
    ck_assert_msg(strstr(err, "another program uses") &&
                  strchr(err, '\n') == err + strlen(err) - 1, "%s", err);
    machine_free(&m);
}
END_TEST

/* Many */

START_TEST(two_cards_do_not_meet)
{
    RigCard cards[] = { raid5, { "3ware-8506-8", 4, "raid10:0-3:256k" } };
    Rig *rig = rig_new(cards, 2, NULL, NULL);
    GuestBus *bus[2];
    Driver *d[2];
    uint64_t out[2];

    for (unsigned i = 0; i < 2; i++) {
        bus[i] = guest_bus_qtest_new(rig, i, cards[i].board, MEMORY);
        bus[i]->next_free = 0x100000 + i * 0x1000000;
        d[i] = driver_new(bus[i]);
        driver_attach(d[i], LINUX_6);
        out[i] = guest_alloc(bus[i], 65536, 512);
        guest_fill(bus[i], out[i], 65536, 40 + i);
    }
    for (unsigned n = 0; n < 20; n++) {
        PacketSg sg[2] = { { out[0], 65536 }, { out[1], 65536 } };

        for (unsigned i = 0; i < 2; i++) {
            Packet p = packet_write(0, n * 128, 128, &sg[i], 1);

            driver_post(d[i], n, &p);
        }
    }
    driver_reset(d[0], LINUX_6);        /* no business of the other's */
    driver_wait_all(d[1]);
    for (unsigned n = 0; n < 20; n++) {
        uint64_t in = out[0];

        ck_assert_uint_eq(d[1]->request[n].answer, ANSWER_OK);
        ck_assert_uint_eq(driver_read(d[1], 0, n * 128, 128, in), ANSWER_OK);
        ck_assert(guest_holds(bus[1], in, 65536, 41));
    }
    for (unsigned i = 0; i < 2; i++) {
        driver_expect_alive(d[i]);
        driver_free(d[i]);
        guest_bus_qtest_free(bus[i]);
    }
    rig_free(rig);
}
END_TEST

START_TEST(twelve_drives_are_twelve_units)
{
    RigCard card = { "3ware-8506-12", 12, NULL };
    Machine m = machine_new(&card);
    uint64_t buf = guest_alloc(m.bus, 4096, 512);

    driver_attach(m.d, LINUX_6);
    ck_assert_uint_eq(m.d->units, 0xfff);
    for (unsigned unit = 0; unit < 12; unit++) {
        guest_fill(m.bus, buf, 4096, unit);
        ck_assert_uint_eq(driver_write(m.d, unit, 1000 + unit, 8, buf),
                          ANSWER_OK);
    }
    for (unsigned unit = 0; unit < 12; unit++) {
        ck_assert_uint_eq(driver_read(m.d, unit, 1000 + unit, 8, buf),
                          ANSWER_OK);
        ck_assert(guest_holds(m.bus, buf, 4096, unit));
    }
    machine_free(&m);
}
END_TEST

/* Model, serial, firmware: words 27-46, 10-19; bytes swapped in pairs. */
static void text_of(GuestBus *bus, uint64_t addr, unsigned word,
                    unsigned words, char *text)
{
    char raw[BLOCK];

    bus->read(bus, addr, raw, BLOCK);
    for (unsigned i = 0; i < 2 * words; i++) {
        text[i] = raw[2 * word + (i ^ 1)];
    }
    text[2 * words] = '\0';
    g_strstrip(text);
}

START_TEST(drives_say_who_they_are)
{
    Machine m = machine_new(&raid5);
    char serial[4][21], own[21];

    for (unsigned port = 0; port < 4; port++) {
        Packet p = identify(m.d, port);

        ck_assert_uint_eq(driver_call(m.d, &p), ANSWER_OK);
        text_of(m.bus, packet_sg(&p, 0).addr, 10, 10, serial[port]);
        for (unsigned other = 0; other < port; other++) {
            ck_assert_str_ne(serial[port], serial[other]);
        }
    }
    pull(m.rig, 3);
    qemu_qmp_ok(m.rig->qemu, "{'execute': 'device_add', 'arguments': "
                "{'driver': '3ware-drive', 'bus': 'raid0.0', 'port': 3, "
                "'drive': 'c0d3', 'serial': 'OWN-SERIAL-1', "
                "'model': '" RIG_DRIVE "'}}");
    Packet p = identify(m.d, 3);

    ck_assert_uint_eq(driver_call(m.d, &p), ANSWER_OK);
    text_of(m.bus, packet_sg(&p, 0).addr, 10, 10, own);
    ck_assert_str_eq(own, "OWN-SERIAL-1");
    machine_free(&m);
}
END_TEST

/* Memory */

#define GIB (1ull << 30)

static Packet one_sector(bool write, uint32_t addr, uint32_t bytes)
{
    PacketSg sg = { addr, bytes };

    return write ? packet_write(0, 5000, bytes / BLOCK, &sg, 1) :
                   packet_read(0, 5000, bytes / BLOCK, &sg, 1);
}

START_TEST(six_gib_of_memory_and_32_address_lines)
{
    RigCard card = raid5;
    Rig *rig = rig_new(&card, 1, "6G", NULL);
    GuestBus *bus = guest_bus_qtest_new(rig, 0, card.board, 3 * GIB);
    Driver *d = driver_new(bus);
    uint64_t high = 3 * GIB - 4096;     /* the last page below the hole */
    uint8_t zero[4096] = { 0 }, seen[4096];

    driver_attach(d, LINUX_6);
    guest_fill(bus, high, 4096, 3);
    ck_assert_uint_eq(driver_write(d, 0, 5000, 8, high), ANSWER_OK);
    guest_fill(bus, high, 4096, 4);
    ck_assert_uint_eq(driver_read(d, 0, 5000, 8, high), ANSWER_OK);
    ck_assert(guest_holds(bus, high, 4096, 3));

    /* Past the last address line there is nothing: neither the memory above
     * 4 GiB nor, wrapped around, the first page. */
    bus->write(bus, 0, zero, sizeof(zero));
    bus->write(bus, 4 * GIB, zero, sizeof(zero));
    Packet p = one_sector(false, 0xfffffe00, 4096);

    d->errors_expected = STATUS_PCI_ABORT;
    ck_assert_uint_ne(driver_call(d, &p), ANSWER_OK);
    driver_control(d, CONTROL_CLEAR_ABORT);
    for (unsigned i = 0; i < 2; i++) {
        bus->read(bus, i * 4 * GIB, seen, sizeof(seen));
        ck_assert_mem_eq(seen, zero, sizeof(zero));
    }
    driver_expect_alive(d);
    driver_free(d);
    guest_bus_qtest_free(bus);
    rig_free(rig);
}
END_TEST

/* A sector that, written into CONTROL, would be a reset. */
START_TEST(dma_into_the_own_window_acts_on_nothing)
{
    Machine m = machine_new(&raid5);
    uint32_t sector[BLOCK / 4], window = rig_memory(0);
    uint64_t buf = guest_alloc(m.bus, BLOCK, 512);

    driver_attach(m.d, LINUX_6);
    for (unsigned i = 0; i < G_N_ELEMENTS(sector); i++) {
        sector[i] = CONTROL_SOFT_RESET;
    }
    m.bus->write(m.bus, buf, sector, sizeof(sector));
    ck_assert_uint_eq(driver_write(m.d, 0, 5000, 1, buf), ANSWER_OK);
    unsigned resets = rig_traced(m.rig, "tw_reset", NULL);
    Packet p = one_sector(false, window, BLOCK);

    m.d->errors_expected = STATUS_PCI_ABORT;
    ck_assert_uint_ne(driver_call(m.d, &p), ANSWER_OK);
    driver_control(m.d, CONTROL_CLEAR_ABORT);
    p = one_sector(true, window, BLOCK);
    ck_assert_uint_ne(driver_call(m.d, &p), ANSWER_OK);
    driver_control(m.d, CONTROL_CLEAR_ABORT);

    ck_assert_uint_eq(rig_traced(m.rig, "tw_reset", NULL), resets);
    ck_assert_uint_ge(rig_traced(m.rig, "tw_refusal", "dma-to-registers"),
                      1);
    m.d->errors_expected = 0;
    driver_expect_alive(m.d);
    machine_free(&m);
}
END_TEST

/* Same figures */

/* The trace of a fixed piece of work. */
static char *story(const char *board)
{
    RigCard card = { board, 4, "raid5:0-3:64k" };
    Machine m = machine_new(&card);
    g_autofree char *path = g_build_filename(m.rig->dir, "trace", NULL);
    char *trace = NULL;

    driver_attach(m.d, LINUX_6);
    post_writes(m.d, 0, 64);
    driver_wait_all(m.d);
    g_file_get_contents(path, &trace, NULL, NULL);
    machine_free(&m);
    return trace;
}

START_TEST(the_same_run_gives_the_same_trace)
{
    g_autofree char *one = story("3ware-7410"), *two = story("3ware-7410");
    g_autofree char *other = story("3ware-7410,seed=2");

    ck_assert(strstr(one, "tw_drive_op"));
    ck_assert_str_eq(one, two);
    ck_assert_str_ne(one, other);
}
END_TEST

Suite *qtest_life_suite(void)
{
    Suite *suite = suite_create("life");
    TCase *tc = tcase_create("life");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, nothing_is_written_after_a_machine_reset, 0, 8);
    tcase_add_test(tc, a_reset_with_256_commands_out_leaves_none);
    tcase_add_test(tc, reset_delay_keeps_ready_low);
    tcase_add_test(tc, quitting_under_io_is_clean);
    tcase_add_loop_test(tc, a_raid5_works_on_when_a_drive_is_pulled, 0, 3);
    tcase_add_test(tc, a_pulled_jbod_fails_its_commands_and_no_others);
    tcase_add_test(tc, a_thousand_pulls_under_io_leak_nothing);
    tcase_add_test(tc, a_wrong_plug_is_refused_and_changes_nothing);
    tcase_add_test(tc, an_image_in_use_is_refused);
    tcase_add_test(tc, two_cards_do_not_meet);
    tcase_add_test(tc, twelve_drives_are_twelve_units);
    tcase_add_test(tc, drives_say_who_they_are);
    tcase_add_test(tc, six_gib_of_memory_and_32_address_lines);
    tcase_add_test(tc, dma_into_the_own_window_acts_on_nothing);
    tcase_add_test(tc, the_same_run_gives_the_same_trace);
    suite_add_tcase(suite, tc);
    return suite;
}
