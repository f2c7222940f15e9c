/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host, from both sides: what only shows with the models in reach - trace
 * records, media, a drive that fails, a full event queue, a slow reset.
 */
#include <check.h>
#include <glib.h>
#include <stdlib.h>

#include "tests/guest/bench.h"

#define SECTOR 512
#define TIMEOUT_S 120
#define CACHING_DRIVE "disk-model/presets/wd360gd.drive"

/* --- commands and their trace ------------------------------------------- */

START_TEST(every_command_has_its_completion)
{
    Bench b = bench_new("raid1:0-1", 2);
    SimTraceRecord r;
    Packet p;

    driver_attach(b.d, LINUX_6);
    p = read_packet(b, 0, 1234, 5);
    driver_io(b.d, &p);
    ck_assert_uint_eq(direct_traced(b.bus, SIM_TRACE_COMMAND, NULL),
                      direct_traced(b.bus, SIM_TRACE_COMPLETION, NULL));
    r = direct_last(b.bus, SIM_TRACE_COMMAND);
    ck_assert_str_eq(r.word, "read");
    ck_assert_int_eq(r.value[1], 0x02);
    ck_assert_int_eq(r.value[2], 0);
    ck_assert_int_eq(r.value[3], 1234);
    ck_assert_int_eq(r.value[4], 5);
    r = direct_last(b.bus, SIM_TRACE_COMPLETION);
    ck_assert_int_eq(r.value[2], 0);
    ck_assert_int_gt(r.value[4], 0);
    ck_assert_int_eq(direct_last(b.bus, SIM_TRACE_IRQ).value[0], 0);
    ck_assert_uint_eq(direct_traced(b.bus, SIM_TRACE_RESET, "soft"), 1);
    ck_assert_uint_eq(direct_traced(b.bus, SIM_TRACE_AEN, NULL), 1);
    ck_assert_uint_eq(direct_traced(b.bus, SIM_TRACE_AEN_READ, NULL), 1);
    bench_free(b);
}
END_TEST

/* Not a byte fewer than the members must have, when the answer is there. */
START_TEST(A37_a_forced_write_is_on_the_medium_before_the_response)
{
    Bench b = bench_new("raid1:0-1", 2);
    PacketSg sg = { sectors(b, 8), 8 * SECTOR };
    Packet p = packet_write(0, 99, 8, &sg, 1);

    p.byte[5] = 1;
    driver_post(b.d, 0, &p);
    while (driver_status(b.d) & STATUS_RESPONSE_EMPTY) {
        b.bus->run(b.bus, 1000);
    }
    ck_assert_uint_eq(direct_media_writes(b.bus), 2 * 8 * SECTOR);
    driver_wait(b.d, 0);
    bench_free(b);
}
END_TEST

START_TEST(flushes_reach_the_units)
{
    Bench b = bench_new("raid1:0-1/jbod:2", 3);
    Packet p[] = { packet_flush(2, 1), packet_nop(0), packet_nop(5),
                   packet_init_connection(0x100),
                   packet_init_connection(1) };
    static const unsigned flushes[] = { 1, 2, 2, 2, 4 };
    unsigned i;

    for (i = 0; i < 5; i++) {
        ck_assert_uint_eq(driver_call(b.d, &p[i]), ANSWER_OK);
        ck_assert_uint_eq(direct_traced(b.bus, SIM_TRACE_UNIT_OP, "flush"),
                          flushes[i]);
    }
    bench_free(b);
}
END_TEST

/* Linux flushes only units that say so. */
START_TEST(unit_of_caching_drives_says_so_and_flushes)
{
    Bench b = bench_new_of(CACHING_DRIVE, "raid1:0-1/single:2", 3);
    PacketSg sg = { sectors(b, 8), 8 * SECTOR };
    PacketAta off = { .features = 0x82, .command = 0xef };
    Packet flush = packet_flush(0, 1), forced = packet_write(0, 64, 8, &sg, 1);
    Packet switch_off[] = { packet_ata(0, &off), packet_ata(1, &off) };
    uint8_t flags = 0xff;

    ck_assert_uint_eq(driver_get_param(b.d, 0x300, 7, &flags, 1), ANSWER_OK);
    ck_assert_uint_eq(flags, 1);
    ck_assert_uint_eq(driver_write(b.d, 0, 999, 8, sg.addr), ANSWER_OK);
    ck_assert_uint_eq(direct_media_writes(b.bus), 0);
    forced.byte[5] = 1;
    ck_assert_uint_eq(driver_call(b.d, &forced), ANSWER_OK);
    ck_assert_uint_ge(direct_media_writes(b.bus), 2 * 8 * SECTOR);
    ck_assert_uint_eq(driver_call(b.d, &flush), ANSWER_OK);
    ck_assert_uint_eq(direct_media_writes(b.bus), 2 * 16 * SECTOR);

    ck_assert_uint_eq(driver_call(b.d, &switch_off[0]), ANSWER_OK);
    ck_assert_uint_eq(driver_get_param(b.d, 0x300, 7, &flags, 1), ANSWER_OK);
    ck_assert_uint_eq(flags, 1);                /* the other one's is on */
    ck_assert_uint_eq(driver_call(b.d, &switch_off[1]), ANSWER_OK);
    ck_assert_uint_eq(driver_get_param(b.d, 0x300, 7, &flags, 1), ANSWER_OK);
    ck_assert_uint_eq(flags, 0);
    ck_assert_uint_eq(driver_get_param(b.d, 0x302, 7, &flags, 1), ANSWER_OK);
    ck_assert_uint_eq(flags, 1);
    ck_assert_uint_eq(driver_write(b.d, 0, 9, 8, sg.addr), ANSWER_OK);
    ck_assert_uint_eq(direct_media_writes(b.bus), 2 * 24 * SECTOR);
    bench_free(b);
}
END_TEST

/* The orderly end of a driver: all that was acknowledged is on the medium. */
START_TEST(shutdown_brings_held_writes_to_the_medium)
{
    Bench b = bench_new_of(CACHING_DRIVE, "raid5:0-2:64k", 3);
    unsigned i;

    driver_attach(b.d, LINUX_6);
    for (i = 0; i < 20; i++) {
        ck_assert_uint_eq(driver_write(b.d, 0, i * 100003, 8, sectors(b, 8)),
                          ANSWER_OK);
    }
    ck_assert_uint_lt(direct_media_writes(b.bus), 2 * 20 * 8 * SECTOR);
    driver_detach(b.d);
    ck_assert_uint_eq(direct_media_writes(b.bus), 2 * 20 * 8 * SECTOR);
    bench_free(b);
}
END_TEST

/* --- reset -------------------------------------------------------------- */

START_TEST(nothing_moves_after_a_reset)
{
    Bench b = bench_new("raid5:0-2:64k", 3);
    unsigned round, id;

    for (round = 0; round < 30; round++) {
        uint64_t written, dma;

        for (id = 0; id < 60; id++) {
            PacketSg sg = { b.d->packets, SECTOR };
            Packet p = id % 2 ? packet_write(0, id * 99, 1, &sg, 1)
                              : packet_nop(0);

            driver_post(b.d, id, &p);
        }
        b.bus->run(b.bus, GUEST_US(333) * round);
        driver_control(b.d, CONTROL_SOFT_RESET);
        ck_assert_uint_eq(raid_host_outstanding(direct_host(b.bus)), 0);
        written = direct_media_writes(b.bus);
        dma = direct_dma_written(b.bus);
        driver_expect_silence(b.d, GUEST_S(2));
        ck_assert_uint_eq(direct_media_writes(b.bus), written);
        ck_assert_uint_eq(direct_dma_written(b.bus), dma);
    }
    driver_reset(b.d, FREEBSD);
    driver_expect_alive(b.d);
    bench_free(b);
}
END_TEST

START_TEST(reset_with_requests_waiting_for_room)
{
    Bench b = bench_new(NULL, 1);
    PacketSg sg[33];
    unsigned i;

    for (i = 0; i < 33; i++) {
        sg[i] = (PacketSg) { sectors(b, 1), 1 << 20 };
    }
    Packet p = packet_read(0, 0, 65535, sg, 33);

    for (i = 0; i < 10; i++) {
        driver_post(b.d, i, &p);
    }
    b.bus->run(b.bus, GUEST_MS(5));
    driver_control(b.d, CONTROL_SOFT_RESET);
    driver_reset(b.d, FREEBSD);
    driver_expect_alive(b.d);
    for (i = 0; i < 10; i++) {
        driver_post(b.d, i, &p);
    }
    bench_free(b);              /* with ten in flight */
}
END_TEST

/* What a drive was told through the card is forgotten with the rest. */
START_TEST(reset_takes_pass_through_back)
{
    PacketAta log = { .features = 0xd6, .count = 1, .lba_low = 0x80,
                      .lba_mid = 0x4f, .lba_high = 0xc2, .command = 0xb0 };
    Bench b = bench_new(NULL, 1);
    uint64_t addr = sectors(b, 1);
    Packet p = packet_ata_out(0, &log, addr);
    uint8_t data[SECTOR];

    guest_fill(b.bus, addr, SECTOR, 5);
    driver_post(b.d, 0, &p);
    b.bus->run(b.bus, GUEST_US(160));           /* fetched, with the drive */
    driver_control(b.d, CONTROL_SOFT_RESET);
    driver_expect_silence(b.d, GUEST_S(1));
    driver_reset(b.d, FREEBSD);
    log.features = 0xd5;
    p = packet_ata_in(0, &log, addr);
    ck_assert_uint_eq(driver_call(b.d, &p), ANSWER_OK);
    b.bus->read(b.bus, addr, data, SECTOR);
    ck_assert_uint_eq(data[0], 0);
    driver_post(b.d, 0, &p);
    b.bus->run(b.bus, GUEST_US(160));
    bench_free(b);              /* with one at the drive */
}
END_TEST

/* READY and attention stay low for as long as was asked. */
START_TEST(slow_reset_keeps_ready_low)
{
    Bench b = bench_new(NULL, 1);

    raid_host_set_reset_delay(direct_host(b.bus), SIM_MS(800));
    driver_control(b.d, CONTROL_SOFT_RESET);
    b.bus->run(b.bus, GUEST_MS(500));
    driver_control(b.d, CONTROL_SOFT_RESET);        /* again: from anew */
    raid_controller_log(direct_controller(b.bus), RAID_EVENT_DRIVE_ERROR, 0);
    b.bus->run(b.bus, GUEST_MS(799));
    ck_assert(!(driver_status(b.d) & (STATUS_READY | STATUS_ATTENTION)));
    b.bus->run(b.bus, GUEST_MS(2));
    ck_assert((driver_status(b.d) & STATUS_READY) &&
              (driver_status(b.d) & STATUS_ATTENTION));
    for (unsigned os = 0; os < DRIVER_OSES; os++) {
        driver_reset(b.d, os);
    }
    bench_free(b);
}
END_TEST

/* --- events ------------------------------------------------------------- */

/* Linux has no string for 0e and 10-20 and dies of them; FreeBSD keeps 16
 * units. */
START_TEST(event_codes_are_ones_drivers_know)
{
    Bench b = bench_new(NULL, 1);
    unsigned code;

    for (code = RAID_EVENT_NONE + 1; code < RAID_EVENT_CODES; code++) {
        uint16_t event;

        raid_controller_log(direct_controller(b.bus), code, code % 16);
        ck_assert(driver_status(b.d) & STATUS_ATTENTION);
        event = driver_read_event(b.d);
        ck_assert_uint_ne(event, 0);
        ck_assert_uint_lt(event >> 8, 16);
        event &= 0xff;
        ck_assert(event != 0x0e && !(event >= 0x10 && event <= 0x20));
        ck_assert(event <= 0x30 || event == 0xff);
        ck_assert_uint_eq(driver_read_event(b.d), 0);
        driver_control(b.d, CONTROL_ACK_ATTENTION);
    }
    bench_free(b);
}
END_TEST

/* The soft reset's event has a place; that others were lost is told. */
START_TEST(event_flood_is_bounded_and_told)
{
    Bench b = bench_new(NULL, 1);
    unsigned i;

    for (i = 0; i < 300; i++) {
        raid_controller_log(direct_controller(b.bus),
                            RAID_EVENT_SECTOR_REPAIR, i % 4);
    }
    driver_attach(b.d, LINUX_6);
    ck_assert_uint_le(b.d->events, 40);
    ck_assert_uint_eq(b.d->event[b.d->events - 1], 0x0001);
    for (i = 0; i < b.d->events && b.d->event[i] != 0x00ff; i++) {
    }
    ck_assert_uint_lt(i, b.d->events);
    bench_free(b);
}
END_TEST

/* Exactly full, nothing lost yet: the reset takes places, and says so. */
START_TEST(full_event_queue_still_takes_the_reset)
{
    Bench b = bench_new(NULL, 1);
    unsigned i;

    for (i = 0; i < RAID_EVENTS_MAX; i++) {
        raid_controller_log(direct_controller(b.bus),
                            RAID_EVENT_SECTOR_REPAIR, i % 16);
    }
    driver_attach(b.d, FREEBSD);
    ck_assert_uint_eq(b.d->events, RAID_EVENTS_MAX);
    ck_assert_uint_eq(b.d->event[0], 0x0223);
    ck_assert_uint_eq(b.d->event[RAID_EVENTS_MAX - 2], 0x00ff);
    ck_assert_uint_eq(b.d->event[RAID_EVENTS_MAX - 1], 0x0001);
    bench_free(b);
}
END_TEST

/* Two while the driver runs: one read per attention, both are seen. */
START_TEST(freebsd_gets_two_events_at_once)
{
    Bench b = bench_new("raid1:0-1", 2);

    driver_attach(b.d, FREEBSD);
    b.d->events = 0;
    raid_controller_log(direct_controller(b.bus), RAID_EVENT_DRIVE_ERROR, 1);
    raid_controller_log(direct_controller(b.bus), RAID_EVENT_UNIT_DEGRADED,
                        0);
    driver_serve(b.d, GUEST_S(1));
    ck_assert_uint_eq(b.d->events, 2);
    ck_assert_uint_eq(b.d->event[0], 0x010a);
    ck_assert_uint_eq(b.d->event[1], 0x0002);
    bench_free(b);
}
END_TEST

/* --- drives that go ----------------------------------------------------- */

/* One answer per packet, each the same, for ever. */
START_TEST(pulled_jbod_is_offline)
{
    Bench b = bench_new(NULL, 2);
    unsigned i;

    driver_attach(b.d, LINUX_6);
    for (i = 0; i < 50; i++) {
        Packet p = read_packet(b, 0, i * 2000, 8);

        driver_post(b.d, i, &p);
    }
    b.bus->run(b.bus, GUEST_MS(20));
    raid_controller_pull(direct_controller(b.bus), 0);
    driver_control(b.d, CONTROL_DISABLE);
    driver_wait_all(b.d);
    ck_assert_uint_eq(b.d->request[49].answer, ANSWER_OFFLINE);
    for (i = 0; i < 20; i++) {
        ck_assert_uint_eq(driver_read(b.d, 0, i, 1, sectors(b, 1)),
                          ANSWER_OFFLINE);
        ck_assert_uint_eq(driver_read(b.d, 1, i, 1, sectors(b, 1)),
                          ANSWER_OK);
    }
    ck_assert_uint_eq(driver_read_event(b.d), 0x000a);
    ck_assert_uint_eq(driver_read_event(b.d), 0x0006);
    bench_free(b);
}
END_TEST

START_TEST(pulled_mirror_goes_on_degraded)
{
    Bench b = bench_new("raid1:0-1", 2);
    uint8_t status[16];
    unsigned i;

    driver_attach(b.d, LINUX_6);
    b.d->events = 0;
    for (i = 0; i < 50; i++) {
        Packet p = read_packet(b, 0, i * 2000, 8);

        driver_post(b.d, i, &p);
    }
    b.bus->run(b.bus, GUEST_MS(20));
    raid_controller_pull(direct_controller(b.bus), 1);
    driver_serve(b.d, GUEST_S(5));
    for (i = 0; i < 50; i++) {
        ck_assert(b.d->request[i].answered);
        ck_assert_uint_eq(b.d->request[i].answer, ANSWER_OK);
    }
    ck_assert_uint_eq(b.d->events, 2);
    ck_assert_uint_eq(b.d->event[0], 0x010a);
    ck_assert_uint_eq(b.d->event[1], 0x0002);
    driver_control(b.d, CONTROL_DISABLE);
    ck_assert_uint_eq(driver_get_param(b.d, 3, 3, status, 16), ANSWER_OK);
    ck_assert_uint_eq(status[0], 0xed);
    driver_expect_alive(b.d);
    bench_free(b);
}
END_TEST

START_TEST(pull_under_pass_through)
{
    PacketAta identify = { .command = 0xec, .count = 1 };
    Bench b = bench_new(NULL, 1);
    Packet p = packet_ata_in(0, &identify, sectors(b, 1));

    driver_post(b.d, 0, &p);
    b.bus->run(b.bus, GUEST_US(160));
    raid_controller_pull(direct_controller(b.bus), 0);
    ck_assert_uint_eq(driver_wait(b.d, 0), ANSWER_ATA_ABORTED);
    ck_assert_uint_eq(b.d->request[0].posted.byte[19], 0x51);
    bench_free(b);
}
END_TEST

/* The drive answers, its medium does not. */
START_TEST(dead_drive_is_told)
{
    PacketAta flush = { .command = 0xe7 };
    Bench b = bench_new("raid1:0-1/jbod:2", 3);
    Packet p = packet_ata(2, &flush);

    direct_break_drive(b.bus, 2);
    ck_assert_uint_eq(driver_call(b.d, &p), ANSWER_DRIVE_DEAD);
    ck_assert_uint_eq(driver_read(b.d, 2, 0, 1, sectors(b, 1)),
                      ANSWER_OFFLINE);
    direct_break_drive(b.bus, 0);
    ck_assert_uint_eq(driver_write(b.d, 0, 0, 1, sectors(b, 1)), ANSWER_OK);
    ck_assert_uint_eq(driver_read(b.d, 0, 0, 1, sectors(b, 1)), ANSWER_OK);
    bench_free(b);
}
END_TEST

/* --- ten thousand refusals leave nothing behind ------------------------- */

START_TEST(idle_card_holds_nothing)
{
    Bench b = bench_new(NULL, 1);
    PacketSg sg = { b.bus->hole, 4096 };
    unsigned i, id;

    for (i = 0; i < 50; i++) {
        for (id = 0; id < 200; id++) {
            Packet p = packet_read(id % 3, 0xffff0000, 8, &sg, id % 2);

            driver_post(b.d, id, &p);
        }
        driver_wait_all(b.d);
        ck_assert_uint_eq(raid_host_outstanding(direct_host(b.bus)), 0);
        ck_assert(!sim_step(direct_sim(b.bus)));
    }
    bench_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host-direct");
    TCase *tcase = tcase_create("all");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, TIMEOUT_S);
    tcase_add_test(tcase, every_command_has_its_completion);
    tcase_add_test(tcase,
                   A37_a_forced_write_is_on_the_medium_before_the_response);
    tcase_add_test(tcase, flushes_reach_the_units);
    tcase_add_test(tcase, unit_of_caching_drives_says_so_and_flushes);
    tcase_add_test(tcase, shutdown_brings_held_writes_to_the_medium);
    tcase_add_test(tcase, nothing_moves_after_a_reset);
    tcase_add_test(tcase, reset_with_requests_waiting_for_room);
    tcase_add_test(tcase, reset_takes_pass_through_back);
    tcase_add_test(tcase, slow_reset_keeps_ready_low);
    tcase_add_test(tcase, event_codes_are_ones_drivers_know);
    tcase_add_test(tcase, event_flood_is_bounded_and_told);
    tcase_add_test(tcase, full_event_queue_still_takes_the_reset);
    tcase_add_test(tcase, freebsd_gets_two_events_at_once);
    tcase_add_test(tcase, pulled_jbod_is_offline);
    tcase_add_test(tcase, pulled_mirror_goes_on_degraded);
    tcase_add_test(tcase, pull_under_pass_through);
    tcase_add_test(tcase, dead_drive_is_told);
    tcase_add_test(tcase, idle_card_holds_nothing);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
