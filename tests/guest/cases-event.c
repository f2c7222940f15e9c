/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: events for the host (AENs).  The card in these tests comes up with
 * two units that lack a member, so with two events before the driver's own.
 */
#include <check.h>

#include "tests/guest/cases.h"

#define INCOMPLETE_0 0x0006
#define INCOMPLETE_2 0x0206
#define SOFT_RESET 0x0001

static void expect_three(const Driver *d)
{
    ck_assert_uint_eq(d->events, 3);
    ck_assert_uint_eq(d->event[0], INCOMPLETE_0);
    ck_assert_uint_eq(d->event[1], INCOMPLETE_2);
    ck_assert_uint_eq(d->event[2], SOFT_RESET);
}

/* Older events survive the reset; its own comes last. */
static void events_survive_soft_reset(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        driver_attach(d, LINUX_6);
        expect_three(d);
        ck_assert_uint_eq(d->units, 1u << 0 | 1u << 2);
    }
}

static void units_are_announced_again_after_reboot(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        driver_attach(d, LINUX_6);
        driver_bus_reset(d);
        d->events = 0;
        driver_attach(d, NETBSD);
        expect_three(d);
    }
}

/* A reset on top of a reset leaves one event of it to read. */
static void resets_do_not_pile_up(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        for (i = 0; i < 100; i++) {
            driver_control(d, CONTROL_SOFT_RESET);
            bus->run(bus, GUEST_MS(1));
        }
        driver_attach(d, LINUX_24);
        expect_three(d);
    }
}

/* Three events, interrupts on, attention acknowledged before any is read. */
static void leave_three_events(Driver *d, DriverOs os)
{
    d->os = os;
    driver_control(d, CONTROL_SOFT_RESET);
    d->bus->run(d->bus, GUEST_S(1));
    driver_control(d, CONTROL_FINAL_ENABLE);
    ck_assert(!d->bus->irq(d->bus));
}

/* One read per attention: each needs an attention of its own. */
static void freebsd_gets_every_event(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        leave_three_events(d, FREEBSD);
        driver_serve(d, GUEST_S(1));
        expect_three(d);
        ck_assert_uint_eq(d->attentions, 3);
    }
}

static void linux_gets_every_event_at_once(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        leave_three_events(d, LINUX_6);
        driver_serve(d, GUEST_S(1));
        expect_three(d);
        ck_assert_uint_eq(d->attentions, 1);
    }
}

/* Not at once: Linux would take an id for every interrupt. */
static void attention_comes_again_later(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        leave_three_events(d, LINUX_6);
        bus->run(bus, GUEST_MS(9));
        ck_assert(!(driver_status(d) & STATUS_ATTENTION));
        bus->run(bus, GUEST_MS(92));
        ck_assert(driver_status(d) & STATUS_ATTENTION);
        ck_assert_uint_eq(driver_read_event(d), INCOMPLETE_0);
        ck_assert_uint_eq(driver_read_event(d), INCOMPLETE_2);
        ck_assert_uint_eq(driver_read_event(d), SOFT_RESET);
        driver_control(d, CONTROL_ACK_ATTENTION);
        driver_expect_silence(d, GUEST_S(1));
        ck_assert(!(driver_status(d) & STATUS_ATTENTION));
    }
}

/* Anything else tells Linux that the card has no events at all. */
static void empty_queue_reads_as_success(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        driver_attach(d, LINUX_6);
        for (i = 0; i < 50; i++) {
            ck_assert_uint_eq(driver_read_event(d), 0);
        }
    }
}

#define CASE(name) \
    { #name, name, "3ware-7410", "raid5:0+missing+1/raid1:2+missing", 3 }

const GuestCase cases_event[] = {
    CASE(events_survive_soft_reset),
    CASE(units_are_announced_again_after_reboot),
    CASE(resets_do_not_pile_up),
    CASE(freebsd_gets_every_event),
    CASE(linux_gets_every_event_at_once),
    CASE(attention_comes_again_later),
    CASE(empty_queue_reads_as_success),
    { 0 }
};
