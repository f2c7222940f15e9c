/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: events fire in order of time, equal times in the order asked for,
 * moved and cancelled ones as told; a lent clock and its alarm agree.
 *
 * Method: random inserts, moves and cancels against a plain list that is
 * searched for its smallest entry; then examples with a host made by hand.
 */
#include <stddef.h>
#include <stdlib.h>

#include "disk-model/world/trace.h"
#include "tests/lib/unit.h"

#define EVENTS 300
#define STEPS 20000

typedef struct Thing {
    SimEvent ev;
    bool listed;
    SimTime due;
    uint64_t asked;
} Thing;

static Thing thing[EVENTS];
static Thing *fired;
static uint64_t asked;

static void note_fired(SimEvent *ev)
{
    fired = (Thing *)((char *)ev - offsetof(Thing, ev));
}

/* The oracle: look at all of them. */
static Thing *first_listed(void)
{
    Thing *first = NULL;

    for (unsigned i = 0; i < EVENTS; i++) {
        Thing *t = &thing[i];

        if (t->listed && (!first || t->due < first->due ||
                          (t->due == first->due && t->asked < first->asked))) {
            first = t;
        }
    }
    return first;
}

static void step_both(Sim *sim)
{
    Thing *expect = first_listed();

    fired = NULL;
    unit_holds(sim_step(sim) == (expect != NULL));
    unit_holds(fired == expect);
    if (expect) {
        unit_holds(sim_now(sim) == expect->due);
        unit_holds(!sim_pending(&expect->ev));
        expect->listed = false;
    }
}

START_TEST(heap_agrees_with_a_searched_list)
{
    Sim *sim = sim_new(_i);

    for (unsigned i = 0; i < EVENTS; i++) {
        thing[i] = (Thing) { .ev.fire = note_fired };
    }
    for (unsigned step = 0; step < STEPS; step++) {
        Thing *t = &thing[sim_random(sim, EVENTS)];
        SimTime due = sim_now(sim) - 5 + (SimTime)sim_random(sim, 40);

        switch (sim_random(sim, 8)) {
        case 0:
        case 1:
            step_both(sim);
            break;
        case 2:
            sim_cancel(sim, &t->ev);
            t->listed = false;
            break;
        default:
            sim_at(sim, &t->ev, due);
            t->listed = true;
            t->due = MAX(due, sim_now(sim));
            t->asked = asked++;
            break;
        }
        unit_holds(sim_pending(&t->ev) == t->listed);
    }
    while (first_listed()) {
        step_both(sim);
    }
    step_both(sim);
    sim_free(sim);
}
END_TEST

static unsigned order[3], orders;

static void note_order(SimEvent *ev)
{
    order[orders++] = (unsigned)((Thing *)ev - thing);
}

START_TEST(equal_times_fire_in_the_order_asked)
{
    Sim *sim = sim_new(1);

    for (unsigned i = 0; i < 3; i++) {
        thing[i] = (Thing) { .ev.fire = note_order };
        sim_at(sim, &thing[i].ev, 100);
    }
    sim_at(sim, &thing[0].ev, 100);     /* moved: behind the others */
    sim_run_until(sim, 99);
    ck_assert_uint_eq(orders, 0);
    sim_run_until(sim, 100);
    ck_assert_uint_eq(orders, 3);
    ck_assert_uint_eq(order[0], 1);
    ck_assert_uint_eq(order[1], 2);
    ck_assert_uint_eq(order[2], 0);
    sim_free(sim);
}
END_TEST

START_TEST(never_leaves_an_event_idle)
{
    Sim *sim = sim_new(1);
    SimEvent ev = { .fire = note_fired };

    sim_at(sim, &ev, 5);
    sim_at(sim, &ev, SIM_NEVER);
    ck_assert(!sim_pending(&ev));
    sim_after(sim, &ev, SIM_NEVER);
    ck_assert(!sim_pending(&ev));
    sim_after(sim, &ev, -7);
    ck_assert(sim_pending(&ev) && sim_step(sim));
    ck_assert_int_eq(sim_now(sim), 0);
    sim_cancel(sim, &ev);               /* idle: fine */
    sim_free(sim);
}
END_TEST

/* --- a lent clock ------------------------------------------------------ */

typedef struct Host {
    Sim *sim;
    SimTime now, alarm;
    unsigned set;
} Host;

static SimTime host_now(void *opaque)
{
    return ((Host *)opaque)->now;
}

static void host_wake_at(void *opaque, SimTime due)
{
    Host *host = opaque;

    host->alarm = due;
    host->set++;
}

static const SimHost host_ops = { host_now, host_wake_at };

typedef struct Chain {
    SimEvent ev;
    Sim *sim;
    SimTime at[8];
    unsigned fired;
} Chain;

/* Each firing asks for the next, 10 ns later, and looks at the clock. */
static void chain_fires(SimEvent *ev)
{
    Chain *chain = (Chain *)ev;

    chain->at[chain->fired++] = sim_now(chain->sim);
    sim_catch_up(chain->sim);           /* inside an event: nothing */
    if (chain->fired < G_N_ELEMENTS(chain->at)) {
        sim_after(chain->sim, ev, 10);
    }
}

START_TEST(a_late_alarm_shifts_nothing)
{
    Host host = { .now = 1000, .alarm = SIM_NEVER };
    Sim *sim = sim_new_hosted(1, &host_ops, &host);
    Chain chain = { .ev.fire = chain_fires, .sim = sim };

    ck_assert_int_eq(sim_now(sim), 1000);
    sim_after(sim, &chain.ev, 10);
    ck_assert_int_eq(host.alarm, 1010);
    host.now = 1037;
    ck_assert_int_eq(sim_now(sim), 1000);       /* stands until caught up */
    sim_catch_up(sim);
    ck_assert_uint_eq(chain.fired, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(chain.at[i], 1010 + 10 * (SimTime)i);
    }
    ck_assert_int_eq(host.alarm, 1040);
    ck_assert_int_eq(sim_now(sim), 1037);
    host.now = 2000;
    sim_catch_up(sim);
    ck_assert_uint_eq(chain.fired, 8);
    ck_assert_int_eq(chain.at[7], 1080);
    ck_assert_int_eq(host.alarm, SIM_NEVER);
    sim_free(sim);
}
END_TEST

START_TEST(the_alarm_is_set_only_when_it_changes)
{
    Host host = { .alarm = SIM_NEVER };
    Sim *sim = sim_new_hosted(1, &host_ops, &host);
    SimEvent early = { .fire = note_fired }, late = { .fire = note_fired };

    sim_at(sim, &early, 10);
    ck_assert_uint_eq(host.set, 1);
    sim_at(sim, &late, 20);
    host.now = 5;
    sim_catch_up(sim);
    ck_assert_uint_eq(host.set, 1);
    sim_cancel(sim, &early);
    ck_assert_int_eq(host.alarm, 20);
    sim_at(sim, &early, 20);
    ck_assert_uint_eq(host.set, 2);
    host.now = 20;
    sim_catch_up(sim);
    ck_assert(!sim_pending(&early) && !sim_pending(&late));
    sim_at(sim, &late, 20);             /* same time again: rings again */
    ck_assert_int_eq(host.alarm, 20);
    sim_cancel(sim, &late);
    ck_assert_int_eq(host.alarm, SIM_NEVER);
    sim_free(sim);
}
END_TEST

/* --- chance and trace -------------------------------------------------- */

START_TEST(chance_repeats_from_its_seed)
{
    Sim *a = sim_new(42), *b = sim_new(42), *c = sim_new(43);
    unsigned same = 0;

    for (unsigned i = 0; i < 1000; i++) {
        uint64_t x = sim_random(a, UINT64_MAX);

        ck_assert_uint_eq(x, sim_random(b, UINT64_MAX));
        same += x == sim_random(c, UINT64_MAX);
    }
    ck_assert_uint_eq(same, 0);
    sim_free(a);
    sim_free(b);
    sim_free(c);
}
END_TEST

START_TEST(chance_is_even)
{
    Sim *sim = sim_new(7);
    unsigned count[7] = { 0 };

    for (unsigned i = 0; i < 70000; i++) {
        count[sim_random(sim, 7)]++;
    }
    for (unsigned i = 0; i < 7; i++) {
        ck_assert_uint_gt(count[i], 9600);      /* 4 sigma are 370 */
        ck_assert_uint_lt(count[i], 10400);
    }
    ck_assert_uint_eq(sim_random(sim, 1), 0);
    sim_free(sim);
}
END_TEST

static SimTraceRecord last_record;

static void keep_record(void *opaque, const SimTraceRecord *record)
{
    last_record = *record;
    ++*(unsigned *)opaque;
}

START_TEST(records_reach_the_sink)
{
    Sim *sim = sim_new(1);
    unsigned records = 0;

    sim_trace(sim, SIM_TRACE_AEN, "nobody", 1, 2);
    sim_trace_to(sim, keep_record, &records);
    ck_assert(sim_traced(sim));
    sim_run_until(sim, 77);
    sim_trace(sim, SIM_TRACE_AEN, "word", 3, 4);
    ck_assert_uint_eq(records, 1);
    ck_assert_int_eq(last_record.at, 77);
    ck_assert_str_eq(last_record.word, "word");
    ck_assert_int_eq(last_record.value[1], 4);
    sim_trace_to(sim, NULL, NULL);
    ck_assert(!sim_traced(sim));
    sim_free(sim);
}
END_TEST

START_TEST(every_kind_has_a_format)
{
    const SimTraceFormat *format = &sim_trace_format[_i];

    ck_assert_ptr_nonnull(format->name);
    ck_assert_ptr_nonnull(format->field[0]);
    ck_assert_ptr_null(format->field[SIM_TRACE_VALUES]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim");
    TCase *tc = tcase_create("sim");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, heap_agrees_with_a_searched_list, 1, 9);
    tcase_add_test(tc, equal_times_fire_in_the_order_asked);
    tcase_add_test(tc, never_leaves_an_event_idle);
    tcase_add_test(tc, a_late_alarm_shifts_nothing);
    tcase_add_test(tc, the_alarm_is_set_only_when_it_changes);
    tcase_add_test(tc, chance_repeats_from_its_seed);
    tcase_add_test(tc, chance_is_even);
    tcase_add_test(tc, records_reach_the_sink);
    tcase_add_loop_test(tc, every_kind_has_a_format, 0, SIM_TRACE_KINDS);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
