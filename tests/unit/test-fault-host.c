/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: trouble between card and host shows where drivers look for it, and
 * is over when it should be: by itself, by what a driver clears, by a reset.
 *
 * Method: a driver in verbs on a card in this process; rules are ordered
 * behind its back.
 */
#include <check.h>
#include <glib.h>

#include "disk-model/world/fault.h"
#include "tests/guest/bench.h"
#include "tests/lib/unit.h"

static Bench b;

static void set_up(void)
{
    b = bench_new("raid1:0-1", 2);
    driver_attach(b.d, LINUX_6);
    b.d->events = 0;
}

static void tear_down(void)
{
    bench_free(b);
}

static void order(const char *line)
{
    GError *error = NULL;

    ck_assert_msg(fault_order(direct_sim(b.bus), line, &error), "%s: %s",
                  line, error ? error->message : "");
    b.bus->run(b.bus, 1);
}

/* As the driver does after its time-out. */
static void reset_and_go_on(void)
{
    driver_forget(b.d);
    driver_reset(b.d, LINUX_6);
    driver_control(b.d, CONTROL_FINAL_ENABLE);
    driver_expect_alive(b.d);
}

/* --- firmware ------------------------------------------------------------- */

START_TEST(a_stalled_card_answers_when_it_is_over)
{
    Packet p = read_packet(b, 0, 0, 1);

    order("card stall 90s");
    driver_post(b.d, 7, &p);
    driver_expect_silence(b.d, GUEST_S(89));
    b.bus->run(b.bus, GUEST_S(2));
    ck_assert_uint_eq(driver_wait(b.d, 7), ANSWER_OK);
    driver_expect_alive(b.d);
}
END_TEST

/* Also what it had begun; and a reset is obeyed. */
static const char *const silences[] = { "card stall 90s", "card hang" };

START_TEST(D25_a_silent_card_is_reset_and_recovers)
{
    Packet p = read_packet(b, 0, 0, 1);

    driver_post(b.d, 7, &p);
    b.bus->run(b.bus, GUEST_US(500));
    ck_assert_uint_eq(raid_host_outstanding(direct_host(b.bus)), 1);
    order(silences[_i]);
    driver_post(b.d, 8, &p);
    driver_expect_silence(b.d, GUEST_S(60));
    reset_and_go_on();
    driver_expect_silence(b.d, GUEST_S(60));
}
END_TEST

START_TEST(a_hung_card_stays_silent)
{
    Packet p = read_packet(b, 0, 0, 1);

    order("card hang");
    driver_post(b.d, 7, &p);
    driver_expect_silence(b.d, GUEST_S(3600));
    driver_forget(b.d);
}
END_TEST

START_TEST(an_event_of_any_code_is_read_as_it_was_ordered)
{
    order("card aen 0x21 port 3");
    order("card aen 5 unit 1");
    order("card aen 0x77");
    driver_serve(b.d, GUEST_S(1));
    ck_assert_uint_eq(b.d->events, 3);
    ck_assert_uint_eq(b.d->event[0], 0x0321);
    ck_assert_uint_eq(b.d->event[1], 0x0105);
    ck_assert_uint_eq(b.d->event[2], 0x0077);
}
END_TEST

/* --- the line and the queues ---------------------------------------------- */

START_TEST(a_lost_interrupt_is_not_seen_and_the_next_is)
{
    Packet p = read_packet(b, 0, 0, 1);

    order("host lost-interrupt times 1");
    driver_post(b.d, 7, &p);
    b.bus->run(b.bus, GUEST_S(1));
    ck_assert(!b.bus->irq(b.bus));
    ck_assert_uint_eq(b.bus->in(b.bus, 0xc, 4) >> 4 & 0xff, 7);
    ck_assert(!b.bus->irq(b.bus));
    driver_forget(b.d);
    ck_assert_uint_eq(driver_io(b.d, &p), ANSWER_OK);
    driver_expect_alive(b.d);
}
END_TEST

/* The driver's own way out: it waits its time, resets, and is heard. */
START_TEST(a_lost_interrupt_is_recovered_by_a_reset)
{
    Packet p = read_packet(b, 0, 0, 1);

    order("host lost-interrupt times 1");
    driver_post(b.d, 7, &p);
    ck_assert(!guest_run_until_irq(b.bus, DRIVER_PATIENCE));
    reset_and_go_on();
    ck_assert_uint_eq(driver_io(b.d, &p), ANSWER_OK);
}
END_TEST

START_TEST(a_full_queue_tells_when_it_is_not)
{
    order("host queue-full for 1s");
    ck_assert(driver_status(b.d) & STATUS_COMMAND_FULL);
    driver_control(b.d, CONTROL_UNMASK_COMMAND);
    ck_assert(!b.bus->irq(b.bus));
    b.bus->run(b.bus, GUEST_MS(990));
    ck_assert(!b.bus->irq(b.bus));
    b.bus->run(b.bus, GUEST_MS(10));
    ck_assert(b.bus->irq(b.bus));
    ck_assert(!(driver_status(b.d) & STATUS_COMMAND_FULL));
    driver_control(b.d, CONTROL_MASK_COMMAND);
    driver_expect_alive(b.d);
}
END_TEST

START_TEST(clear_ends_what_goes_on)
{
    order("host queue-full for 1s");
    fault_clear(direct_sim(b.bus));
    ck_assert(!(driver_status(b.d) & STATUS_COMMAND_FULL));
    driver_expect_alive(b.d);
}
END_TEST

/* --- errors --------------------------------------------------------------- */

/* STATUS, what Linux writes to clear it (0: a reset only), whether the line
 * rises: numbers of the public drivers. */
static const struct {
    const char *rule;
    uint32_t bit, clear;
    bool interrupts, aborts;
} errors[] = {
    { "host parity", 0x00800000, 0x00800000, true, false },
    { "host pci-abort", 0x00100000, 0x00100000, true, true },
    { "host queue-error", 0x00400000, 0x00400000, true, false },
    { "host sbuf", 0x00000008, 0x00000008, true, false },
    { "host microcontroller", 0x00200000, 0, false, false },
};

START_TEST(an_error_shows_until_it_is_cleared)
{
    b.d->errors_expected = errors[_i].bit;
    ck_assert(!(driver_status(b.d) & STATUS_UNEXPECTED));
    order(errors[_i].rule);
    ck_assert_uint_eq(driver_status(b.d) & (STATUS_UNEXPECTED | 0x00200000),
                      errors[_i].bit);
    ck_assert_uint_eq(b.bus->irq(b.bus), errors[_i].interrupts);
    ck_assert_uint_eq(direct_pci_abort_seen(b.bus), errors[_i].aborts);
    if (errors[_i].clear) {
        driver_control(b.d, errors[_i].clear);
        ck_assert(!(driver_status(b.d) & errors[_i].bit));
        ck_assert(!b.bus->irq(b.bus));
        driver_expect_alive(b.d);
    }
    reset_and_go_on();
    ck_assert(!(driver_status(b.d) & errors[_i].bit));
}
END_TEST

/* After so many writes of the drives, and not before. */
START_TEST(an_error_comes_after_so_many_writes)
{
    b.d->errors_expected = 0x00800000;
    driver_write(b.d, 0, 0, 1, sectors(b, 1));  /* blocks are written too */
    order("host parity after 4");       /* of two drives */
    driver_write(b.d, 0, 0, 1, sectors(b, 1));
    ck_assert(!(driver_status(b.d) & 0x00800000));
    driver_read(b.d, 0, 5, 1, sectors(b, 1));
    driver_read(b.d, 0, 6, 1, sectors(b, 1));
    ck_assert(!(driver_status(b.d) & 0x00800000));
    driver_write(b.d, 0, 0, 1, sectors(b, 1));
    ck_assert(driver_status(b.d) & 0x00800000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fault-host");
    TCase *tc = tcase_create("host");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, a_stalled_card_answers_when_it_is_over);
    tcase_add_loop_test(tc, D25_a_silent_card_is_reset_and_recovers, 0,
                        G_N_ELEMENTS(silences));
    tcase_add_test(tc, a_hung_card_stays_silent);
    tcase_add_test(tc, an_event_of_any_code_is_read_as_it_was_ordered);
    tcase_add_test(tc, a_lost_interrupt_is_not_seen_and_the_next_is);
    tcase_add_test(tc, a_lost_interrupt_is_recovered_by_a_reset);
    tcase_add_test(tc, a_full_queue_tells_when_it_is_not);
    tcase_add_test(tc, clear_ends_what_goes_on);
    tcase_add_loop_test(tc, an_error_shows_until_it_is_cleared, 0,
                        G_N_ELEMENTS(errors));
    tcase_add_test(tc, an_error_comes_after_so_many_writes);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
