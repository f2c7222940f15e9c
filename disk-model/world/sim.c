/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time and chance: a binary heap of events ordered by (due, order asked),
 * a clock that is our own or lent, and one seeded generator.
 *
 * Each event knows its place in the heap (slot = index + 1), so moving and
 * cancelling cost O(log n) and nothing is ever searched for.
 */
#include <glib.h>

#include "disk-model/world/sim-private.h"

/* --- the heap ---------------------------------------------------------- */

static bool fires_before(const SimEvent *a, const SimEvent *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void put(Sim *sim, unsigned index, SimEvent *ev)
{
    sim->heap[index] = ev;
    ev->slot = index + 1;
}

static void sift_up(Sim *sim, unsigned index, SimEvent *ev)
{
    while (index) {
        unsigned parent = (index - 1) / 2;

        if (!fires_before(ev, sim->heap[parent])) {
            break;
        }
        put(sim, index, sim->heap[parent]);
        index = parent;
    }
    put(sim, index, ev);
}

static void sift_down(Sim *sim, unsigned index, SimEvent *ev)
{
    for (;;) {
        unsigned child = 2 * index + 1;

        if (child + 1 < sim->count &&
            fires_before(sim->heap[child + 1], sim->heap[child])) {
            child++;
        }
        if (child >= sim->count || !fires_before(sim->heap[child], ev)) {
            break;
        }
        put(sim, index, sim->heap[child]);
        index = child;
    }
    put(sim, index, ev);
}

static void heap_add(Sim *sim, SimEvent *ev)
{
    if (sim->count == sim->room) {
        sim->room = sim->room ? sim->room * 2 : 64;
        sim->heap = g_renew(SimEvent *, sim->heap, sim->room);
    }
    sift_up(sim, sim->count++, ev);
}

static void heap_remove(Sim *sim, SimEvent *ev)
{
    unsigned index = ev->slot - 1;
    SimEvent *last;

    g_assert(index < sim->count && sim->heap[index] == ev);
    last = sim->heap[--sim->count];
    ev->slot = 0;
    if (last == ev) {
        return;
    }
    if (index && fires_before(last, sim->heap[(index - 1) / 2])) {
        sift_up(sim, index, last);
    } else {
        sift_down(sim, index, last);
    }
}

static SimEvent *heap_take_first(Sim *sim)
{
    SimEvent *first = sim->heap[0], *last = sim->heap[--sim->count];

    first->slot = 0;
    if (sim->count) {
        sift_down(sim, 0, last);
    }
    return first;
}

/* --- the clock --------------------------------------------------------- */

static SimTime next_due(const Sim *sim)
{
    return sim->count ? sim->heap[0]->due : SIM_NEVER;
}

/* While events fire the alarm waits: sim_catch_up() sets it at the end. */
static void set_alarm(Sim *sim)
{
    SimTime due;

    if (!sim->hosted || sim->firing) {
        return;
    }
    due = next_due(sim);
    if (due != sim->alarm) {
        sim->alarm = due;
        sim->host.wake_at(sim->host_opaque, due);
    }
}

static void fire_next(Sim *sim)
{
    SimEvent *ev = heap_take_first(sim);

    if (ev->due > sim->now) {
        sim->now = ev->due;
    }
    sim->firing = true;
    ev->fire(ev);
    sim->firing = false;
}

static void fire_all_due(Sim *sim, SimTime until)
{
    g_assert(!sim->firing);
    while (next_due(sim) <= until && sim->count) {
        fire_next(sim);
    }
    if (until > sim->now) {
        sim->now = until;
    }
}

SimTime sim_now(const Sim *sim)
{
    return sim->now;
}

void sim_at(Sim *sim, SimEvent *ev, SimTime due)
{
    g_assert(ev->fire);
    if (ev->slot) {
        heap_remove(sim, ev);
    }
    if (due != SIM_NEVER) {
        ev->due = MAX(due, sim->now);
        ev->order = sim->asked++;
        heap_add(sim, ev);
    }
    set_alarm(sim);
}

void sim_after(Sim *sim, SimEvent *ev, SimTime delay)
{
    if (delay >= SIM_NEVER - sim->now) {
        sim_at(sim, ev, SIM_NEVER);
    } else {
        sim_at(sim, ev, sim->now + MAX(delay, 0));
    }
}

void sim_cancel(Sim *sim, SimEvent *ev)
{
    if (ev->slot) {
        heap_remove(sim, ev);
        set_alarm(sim);
    }
}

bool sim_pending(const SimEvent *ev)
{
    return ev->slot != 0;
}

bool sim_step(Sim *sim)
{
    g_assert(!sim->hosted && !sim->firing);
    if (!sim->count) {
        return false;
    }
    fire_next(sim);
    return true;
}

void sim_run_until(Sim *sim, SimTime until)
{
    g_assert(!sim->hosted);
    fire_all_due(sim, until);
}

void sim_catch_up(Sim *sim)
{
    g_assert(sim->hosted);
    if (sim->firing) {
        return;
    }
    /* An alarm that has rung was for a time now past; the next differs. */
    fire_all_due(sim, sim->host.now(sim->host_opaque));
    set_alarm(sim);
}

/* --- chance ------------------------------------------------------------ */

/* splitmix64 (Steele, Lea, Flood 2014): spreads a small seed. */
static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* xoshiro256** (Blackman, Vigna 2018). */
static uint64_t chance(Sim *sim)
{
    uint64_t *s = sim->chance;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t sim_random(Sim *sim, uint64_t bound)
{
    uint64_t x;

    g_assert(bound);
    do {
        x = chance(sim);
    } while (x < bound && x < -bound % bound);  /* 2^64 mod bound */
    return x % bound;
}

/* --- life -------------------------------------------------------------- */

Sim *sim_new(uint64_t seed)
{
    Sim *sim = g_new0(Sim, 1);

    sim->alarm = SIM_NEVER;
    for (unsigned i = 0; i < G_N_ELEMENTS(sim->chance); i++) {
        sim->chance[i] = splitmix(&seed);
    }
    return sim;
}

Sim *sim_new_hosted(uint64_t seed, const SimHost *host, void *opaque)
{
    Sim *sim = sim_new(seed);

    sim->hosted = true;
    sim->host = *host;
    sim->host_opaque = opaque;
    sim->now = host->now(opaque);
    return sim;
}

void sim_free(Sim *sim)
{
    if (!sim) {
        return;
    }
    fault_free(sim);
    g_assert(!sim->count && !sim->firing);
    g_free(sim->heap);
    g_free(sim);
}
