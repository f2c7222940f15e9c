/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time and chance - what every model is given and may not fetch for itself.
 *
 * One heap of events.  Either the Sim owns its clock (sim_new: sim_step
 * jumps to the next event) or the outside lends a clock and one alarm
 * (sim_new_hosted: QEMU's virtual clock and one timer).
 *
 * While an event fires, "now" *is* its due time, so a late alarm shifts
 * nothing; events with equal times fire in the order they were asked for.
 * Rule for a host: catch up before you listen.  Every entry from outside
 * (register access, plug, order) calls sim_catch_up() first; between two
 * such calls a lent clock stands still, so an entry sees one time from
 * beginning to end.  The host's alarm may ring late, never early, and its
 * handler calls sim_catch_up().
 *
 * One thread, no locks.  Nothing here allocates after sim_new() but the
 * heap's own array, which grows to the largest number of pending events.
 */
#ifndef DISK_WORLD_SIM_H
#define DISK_WORLD_SIM_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t SimTime;                /* nanoseconds since the start */

#define SIM_US(n) ((SimTime)(n) * 1000)
#define SIM_MS(n) ((SimTime)(n) * 1000000)
#define SIM_S(n)  ((SimTime)(n) * 1000000000)
#define SIM_NEVER INT64_MAX

typedef struct Sim Sim;
typedef struct SimEvent SimEvent;

/*
 * An event lives in its owner, who sets `fire` once and leaves the rest
 * zero.  A zeroed event is idle.  The owner cancels before it frees.
 */
struct SimEvent {
    void (*fire)(SimEvent *ev);
    /*< private >*/
    SimTime due;
    uint64_t order;
    unsigned slot;                      /* heap index + 1; 0 when idle */
};

typedef struct SimHost {
    SimTime (*now)(void *opaque);
    /* (Re)arm the one alarm; SIM_NEVER disarms it. */
    void (*wake_at)(void *opaque, SimTime due);
} SimHost;

Sim *sim_new(uint64_t seed);
Sim *sim_new_hosted(uint64_t seed, const SimHost *host, void *opaque);
void sim_free(Sim *sim);                /* no event may be pending after */

SimTime sim_now(const Sim *sim);

/*
 * Fire at `due` (clamped to now).  A pending event is moved, behind others
 * of the same time.  SIM_NEVER leaves it idle.
 */
void sim_at(Sim *sim, SimEvent *ev, SimTime due);
void sim_after(Sim *sim, SimEvent *ev, SimTime delay);
void sim_cancel(Sim *sim, SimEvent *ev);        /* idle events are fine */
bool sim_pending(const SimEvent *ev);

/* Own clock: go to the next event and fire it; false when none is left. */
bool sim_step(Sim *sim);
/* Own clock: fire all due up to `until`, then stand there. */
void sim_run_until(Sim *sim, SimTime until);

/* Hosted: fire everything that is due; re-arms the alarm.  Inside an event
 * it does nothing. */
void sim_catch_up(Sim *sim);

/* Uniform in [0, bound), bound > 0; the only chance there is. */
uint64_t sim_random(Sim *sim, uint64_t bound);

#endif
