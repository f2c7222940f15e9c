/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Field cases: what people reported of real cards, as a driver sees it.
 * docs/field-cases.md says which report each name stands for.
 */
#include <check.h>
#include <glib.h>
#include <stdlib.h>

#include "disk-model/world/fault.h"
#include "tests/guest/bench.h"

#define TIMEOUT_S 120
#define MEDIUM_ERROR 0xc740
#define DRIVE_ERROR(port) ((port) << 8 | 0x0a)
#define SOFT_RESET 0x0001
#define QUEUE_FULL 0x00ff

static void order(Bench b, const char *rule)
{
    ck_assert(fault_order(direct_sim(b.bus), rule, NULL));
}

/* --- one answer, and which ----------------------------------------------- */

/* A byte of flags that Linux has no row for would make it reset the card. */
START_TEST(A01_a_bad_sector_is_a_medium_error_and_nothing_else)
{
    Bench b = bench_new("jbod:0", 1);

    driver_attach(b.d, LINUX_6);
    order(b, "port 0 bad at 5000");
    for (uint32_t lba = 4998; lba < 5003; lba++) {
        Packet p = read_packet(b, 0, lba, 1);

        ck_assert_uint_eq(driver_io(b.d, &p),
                          lba == 5000 ? MEDIUM_ERROR : ANSWER_OK);
    }
    ck_assert_uint_eq(direct_traced(b.bus, SIM_TRACE_RESET, "soft"), 1);
    ck_assert_uint_eq(driver_write(b.d, 0, 5000, 1, sectors(b, 1)), ANSWER_OK);
    ck_assert_uint_eq(driver_read(b.d, 0, 5000, 1, sectors(b, 1)), ANSWER_OK);
    driver_expect_alive(b.d);
    bench_free(b);
}
END_TEST

/* As often as it is asked, and each id once. */
START_TEST(A02_a_unit_without_its_drive_answers_each_read_once)
{
    Bench b = bench_new("single:0", 1);

    driver_attach(b.d, LINUX_6);
    raid_controller_pull(direct_controller(b.bus), 0);
    for (unsigned round = 0; round < 20; round++) {
        Packet p = read_packet(b, 0, round, 1);
        unsigned id = driver_free_id(b.d);

        driver_post(b.d, id, &p);
        driver_serve(b.d, GUEST_S(1));
        ck_assert(b.d->request[id].answered);
        ck_assert_uint_eq(b.d->request[id].answer, ANSWER_OFFLINE);
    }
    driver_control(b.d, CONTROL_DISABLE);
    driver_expect_silence(b.d, GUEST_S(60));
    bench_free(b);
}
END_TEST

/* --- events --------------------------------------------------------------- */

START_TEST(A08_events_outlive_a_reset_in_their_order)
{
    Bench b = bench_new("raid1:0-1", 2);
    RaidController *ctl = direct_controller(b.bus);

    driver_attach(b.d, _i);
    b.d->events = 0;
    driver_control(b.d, CONTROL_DISABLE);
    raid_controller_log(ctl, RAID_EVENT_SECTOR_REPAIR, 1);
    raid_controller_log(ctl, RAID_EVENT_DRIVE_ERROR, 0);
    raid_controller_log(ctl, RAID_EVENT_UNIT_DEGRADED, 0);
    driver_reset(b.d, _i);
    ck_assert_uint_eq(b.d->events, 4);
    ck_assert_uint_eq(b.d->event[0], 0x0123);
    ck_assert_uint_eq(b.d->event[1], DRIVE_ERROR(0));
    ck_assert_uint_eq(b.d->event[2], 0x0002);
    ck_assert_uint_eq(b.d->event[3], SOFT_RESET);
    ck_assert_uint_eq(driver_read_event(b.d), 0);
    bench_free(b);
}
END_TEST

/* Who drains until "empty" and wants to have met the reset's on the way. */
START_TEST(A09_the_events_of_a_reset_are_there_before_the_empty_answer)
{
    Bench b = bench_new(NULL, 1);

    for (unsigned round = 0; round < 5; round++) {
        unsigned read = 0;
        uint16_t event;

        driver_control(b.d, CONTROL_SOFT_RESET);
        while (!(driver_status(b.d) & STATUS_ATTENTION)) {
            b.bus->run(b.bus, GUEST_MS(1));
        }
        while ((event = driver_read_event(b.d))) {
            ck_assert_uint_eq(event, SOFT_RESET);
            read++;
        }
        ck_assert_uint_eq(read, 1);
    }
    bench_free(b);
}
END_TEST

/* Linux 2.6.11 gave up after 40; the newest is never lost in silence. */
START_TEST(A10_more_events_than_a_driver_drains_are_bounded_and_told)
{
    static const unsigned floods[] = { 41, 255, 256, 257 };

    for (unsigned f = 0; f < G_N_ELEMENTS(floods); f++) {
        Bench b = bench_new(NULL, 1);
        bool told = false;

        for (unsigned i = 0; i < floods[f]; i++) {
            raid_controller_log(direct_controller(b.bus),
                                RAID_EVENT_SECTOR_REPAIR, i % 4);
        }
        driver_attach(b.d, LINUX_6);
        ck_assert_uint_le(b.d->events, 40);
        for (unsigned i = 0; i < b.d->events; i++) {
            told = told || b.d->event[i] == QUEUE_FULL;
        }
        ck_assert(told);
        ck_assert_uint_eq(b.d->event[b.d->events - 1], SOFT_RESET);
        bench_free(b);
    }
}
END_TEST

/* --- slowness ------------------------------------------------------------- */

/* Until `patience` the driver waits, then it resets: one answer at most. */
static void stalled(unsigned stall_s, unsigned patience_s, bool reset)
{
    g_autofree char *rule = g_strdup_printf("port 0 slow %us times 1",
                                            stall_s);
    Bench b = bench_new("raid1:0-1", 2);
    unsigned id;
    Packet p;

    driver_attach(b.d, LINUX_6);
    ck_assert_uint_eq(driver_write(b.d, 0, 100, 8, sectors(b, 8)), ANSWER_OK);
    order(b, rule);
    p = packet_write(0, 100, 8, &(PacketSg) { sectors(b, 8), 8 * SECTOR }, 1);
    id = driver_free_id(b.d);
    driver_post(b.d, id, &p);
    driver_serve(b.d, GUEST_S(patience_s));
    ck_assert(b.d->request[id].answered != reset);
    if (reset) {
        driver_control(b.d, CONTROL_DISABLE);
        driver_reset(b.d, LINUX_6);
        driver_control(b.d, CONTROL_FINAL_ENABLE);
        driver_expect_silence(b.d, GUEST_S(2 * stall_s));
    } else {
        ck_assert_uint_eq(b.d->request[id].answer, ANSWER_OK);
        driver_control(b.d, CONTROL_DISABLE);
    }
    driver_expect_alive(b.d);
    bench_free(b);
}

START_TEST(A07_a_stall_is_waited_for_or_reset_never_both)
{
    stalled(15, 60, false);
    stalled(15, 10, true);
}
END_TEST

/* --- a driver that leaves ------------------------------------------------- */

/* What is still on its way pulls no line that nobody serves any more. */
START_TEST(A29_no_interrupt_after_a_driver_has_left_under_load)
{
    Bench b = bench_new("raid5:0-2:64k", 3);

    driver_attach(b.d, FREEBSD);
    for (unsigned id = 0; id < 100; id++) {
        Packet p = read_packet(b, 0, id * 1000, 8);

        driver_post(b.d, id, &p);
    }
    b.bus->run(b.bus, GUEST_MS(30));
    driver_detach(b.d);
    ck_assert(!b.bus->irq(b.bus));
    ck_assert(!guest_run_until_irq(b.bus, GUEST_S(10)));
    driver_forget(b.d);
    driver_attach(b.d, LINUX_6);
    driver_expect_alive(b.d);
    bench_free(b);
}
END_TEST

/* --- drives that come and go ---------------------------------------------- */

/* Idle and under reads; never a crash, an answer for each. */
START_TEST(D16_E20_a_drive_leaves_and_comes_back_a_thousand_times)
{
    Bench b = bench_new("raid1:0-1/jbod:2", 3);
    RaidController *ctl = direct_controller(b.bus);

    driver_attach(b.d, LINUX_6);
    for (unsigned round = 0; round < 1000; round++) {
        Packet p = read_packet(b, 2, round, 1);
        Disk *disk;

        if (round % 2) {
            driver_post(b.d, 0, &p);
            b.bus->run(b.bus, GUEST_US(round % 1000));
        }
        disk = raid_controller_pull(ctl, 2);
        ck_assert_ptr_nonnull(disk);
        if (round % 2) {
            driver_serve(b.d, GUEST_S(1));
            ck_assert(b.d->request[0].answered);
        }
        raid_controller_plug(ctl, 2, disk);
        b.bus->run(b.bus, GUEST_MS(3));
    }
    driver_serve(b.d, GUEST_S(1));
    driver_control(b.d, CONTROL_DISABLE);
    ck_assert_uint_eq(driver_read(b.d, 0, 1, 1, sectors(b, 1)), ANSWER_OK);
    bench_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("field");
    TCase *tcase = tcase_create("all");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, TIMEOUT_S);
    tcase_add_test(tcase,
                   A01_a_bad_sector_is_a_medium_error_and_nothing_else);
    tcase_add_test(tcase,
                   A02_a_unit_without_its_drive_answers_each_read_once);
    tcase_add_test(tcase, A07_a_stall_is_waited_for_or_reset_never_both);
    tcase_add_loop_test(tcase, A08_events_outlive_a_reset_in_their_order, 0,
                        DRIVER_OSES);
    tcase_add_test(tcase,
                   A09_the_events_of_a_reset_are_there_before_the_empty_answer);
    tcase_add_test(tcase,
                   A10_more_events_than_a_driver_drains_are_bounded_and_told);
    tcase_add_test(tcase,
                   A29_no_interrupt_after_a_driver_has_left_under_load);
    tcase_add_test(tcase,
                   D16_E20_a_drive_leaves_and_comes_back_a_thousand_times);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
