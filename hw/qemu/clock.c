/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock - lends the models QEMU's virtual time and one timer.
 *
 * No other clock and no bottom half: what a guest sees must follow from the
 * guest's own time alone, or two equal runs would differ.  Under -icount the
 * timer's callback may run in a vCPU thread; it holds the big lock there as
 * everywhere.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"

#include "hw/qemu/skin.h"

struct TwClock {
    Sim *sim;
    QEMUTimer *alarm;
};

static SimTime clock_now(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void clock_wake_at(void *opaque, SimTime due)
{
    TwClock *clock = opaque;

    if (due == SIM_NEVER) {
        timer_del(clock->alarm);
    } else {
        timer_mod_ns(clock->alarm, due);
    }
}

static void clock_alarm(void *opaque)
{
    TwClock *clock = opaque;

    sim_catch_up(clock->sim);
}

TwClock *tw_clock_new(uint64_t seed)
{
    static const SimHost host = {
        .now = clock_now,
        .wake_at = clock_wake_at,
    };
    TwClock *clock = g_new0(TwClock, 1);

    clock->alarm = timer_new_ns(QEMU_CLOCK_VIRTUAL, clock_alarm, clock);
    clock->sim = sim_new_hosted(seed, &host, clock);
    return clock;
}

Sim *tw_clock_sim(TwClock *clock)
{
    return clock->sim;
}

void tw_clock_free(TwClock *clock)
{
    if (!clock) {
        return;
    }
    sim_free(clock->sim);
    timer_free(clock->alarm);
    g_free(clock);
}
