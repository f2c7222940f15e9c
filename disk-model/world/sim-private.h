/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a Sim, shared by sim.c (time, chance), trace.c (the sink)
 * and fault.c (trouble).  Nobody else includes this.
 */
#ifndef DISK_WORLD_SIM_PRIVATE_H
#define DISK_WORLD_SIM_PRIVATE_H

#include "disk-model/world/trace.h"

typedef struct SimFaults SimFaults;

#define SIM_ACTORS 4            /* as many as FaultActor has */

struct FaultAct;

typedef struct SimActor {
    void (*act)(void *opaque, const struct FaultAct *act);
    void *opaque;
} SimActor;

struct Sim {
    SimTime now;
    SimEvent **heap;            /* heap[0] is due first */
    unsigned count, room;
    uint64_t asked;             /* stamps events, so that equal times keep
                                   the order they were asked for in */
    bool firing;
    uint64_t chance[4];

    bool hosted;
    SimHost host;
    void *host_opaque;
    SimTime alarm;              /* what the host's alarm is set to */

    SimTraceSink *sink;
    void *sink_opaque;

    SimFaults *faults;          /* NULL: nothing ever goes wrong */
    SimActor actor[SIM_ACTORS];
};

void fault_free(Sim *sim);      /* no act is over by that */

#endif
