/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pipe: first offered, first through.  The only state is the time the last
 * piece will be done, so a queue of any length costs nothing.
 */
#include <glib.h>

#include "disk-model/world/pipe.h"

/* Rounded up: a piece is through when its last byte is. */
SimTime sim_pipe_time(const SimPipe *pipe, uint64_t bytes)
{
    unsigned __int128 ns = (unsigned __int128)bytes * 1000000000u;

    if (!pipe->bytes_per_s || !bytes) {
        return 0;
    }
    if (bytes < UINT32_MAX) {           /* 64 bits are enough, and fast */
        return (SimTime)((bytes * 1000000000u + pipe->bytes_per_s - 1) /
                         pipe->bytes_per_s);
    }
    return (SimTime)((ns + pipe->bytes_per_s - 1) / pipe->bytes_per_s);
}

SimTime sim_pipe_pass(SimPipe *pipe, SimTime now, uint64_t bytes)
{
    return sim_pipe_busy(pipe, now, sim_pipe_time(pipe, bytes));
}

SimTime sim_pipe_busy(SimPipe *pipe, SimTime now, SimTime work_ns)
{
    pipe->free_at = MAX(pipe->free_at, now) + work_ns;
    return pipe->free_at;
}
