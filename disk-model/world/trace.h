/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace - what happened, as records handed to one sink.
 *
 * This list is the complete set of things the models tell.  A record is a
 * kind, the time, and a few numbers whose names are in sim_trace_format[].
 * With no sink a trace point costs one comparison.  hw/qemu turns records
 * into QEMU trace events; raidsim prints them.
 */
#ifndef DISK_WORLD_TRACE_H
#define DISK_WORLD_TRACE_H

#include "disk-model/world/sim.h"

#define SIM_TRACE_VALUES 12

typedef enum SimTraceKind {
    SIM_TRACE_DRIVE_OP,     /* a drive finished an op: where, how long */
    SIM_TRACE_DRIVE_PLUG,   /* a drive appeared on or left a port */
    SIM_TRACE_UNIT_OP,      /* a unit finished a read, write or flush */
    SIM_TRACE_UNIT_STATE,   /* a unit changed state */
    SIM_TRACE_COMMAND,      /* a host packet was fetched and accepted */
    SIM_TRACE_COMPLETION,   /* its response was posted */
    SIM_TRACE_REFUSAL,      /* something a guest did was refused: `word` */
    SIM_TRACE_AEN,          /* an event was queued for the host */
    SIM_TRACE_AEN_READ,     /* the host took one */
    SIM_TRACE_RESET,        /* the card was reset: `word` says by what */
    SIM_TRACE_IRQ,          /* the interrupt line changed */
    SIM_TRACE_KINDS
} SimTraceKind;

typedef struct SimTraceRecord {
    SimTraceKind kind;
    SimTime at;
    const char *word;       /* static string or NULL; a reason or a verb */
    int64_t value[SIM_TRACE_VALUES];
} SimTraceRecord;

/* Names of a kind and of its values, in order; NULL ends the list. */
typedef struct SimTraceFormat {
    const char *name;
    const char *field[SIM_TRACE_VALUES + 1];
} SimTraceFormat;

extern const SimTraceFormat sim_trace_format[SIM_TRACE_KINDS];

typedef void SimTraceSink(void *opaque, const SimTraceRecord *record);

void sim_trace_to(Sim *sim, SimTraceSink *sink, void *opaque);
bool sim_traced(const Sim *sim);
void sim_trace_emit(Sim *sim, const SimTraceRecord *record);

/* sim_trace(sim, SIM_TRACE_AEN, NULL, code, source); */
#define sim_trace(sim, what, text, ...) do {                            \
        if (sim_traced(sim)) {                                          \
            sim_trace_emit(sim, &(SimTraceRecord) {                     \
                .kind = (what), .at = sim_now(sim), .word = (text),     \
                .value = { __VA_ARGS__ } });                            \
        }                                                               \
    } while (0)

#endif
