/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pipe - a wire, a bus or a processor of finite speed.
 *
 * Work is served in the order it was offered, one piece at a time; that is
 * fair among drives that offer one piece each.  Pure bookkeeping: the
 * caller schedules its own event for the time that comes back.
 */
#ifndef DISK_WORLD_PIPE_H
#define DISK_WORLD_PIPE_H

#include "disk-model/world/sim.h"

typedef struct SimPipe {
    uint64_t bytes_per_s;       /* 0: infinitely fast */
    SimTime free_at;            /* when the last piece offered will be done */
} SimPipe;

/* How long `bytes` take alone, rounded up. */
SimTime sim_pipe_time(const SimPipe *pipe, uint64_t bytes);
/* When `bytes` offered at `now` will have passed; books the time. */
SimTime sim_pipe_pass(SimPipe *pipe, SimTime now, uint64_t bytes);
/* The same for a fixed amount of time (a processor's work). */
SimTime sim_pipe_busy(SimPipe *pipe, SimTime now, SimTime work_ns);

#endif
