/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace: the table of everything the models tell, with the names of the
 * numbers; and the one sink.
 *
 * Times are nanoseconds.  `verb` and `status` are the numbers of the enums
 * of the room that speaks (DiskVerb and DiskStatus for a drive, UnitVerb
 * and UnitStatus for a unit); the record's word says the verb.  A name
 * ending in _h asks to be printed in hexadecimal.
 */
#include <glib.h>

#include "disk-model/world/sim-private.h"

const SimTraceFormat sim_trace_format[SIM_TRACE_KINDS] = {
    [SIM_TRACE_DRIVE_OP] = { "drive-op", {
        "port", "verb", "sector", "count", "from_cylinder", "to_cylinder",
        "queue", "overhead", "seek", "rotate", "transfer", "status" } },
    [SIM_TRACE_DRIVE_PLUG] = { "drive-plug", { "port", "sectors" } },
    [SIM_TRACE_UNIT_OP] = { "unit-op", {
        "unit", "verb", "lba", "count", "took", "status" } },
    [SIM_TRACE_UNIT_STATE] = { "unit-state", { "unit", "from", "to" } },
    [SIM_TRACE_COMMAND] = { "command", {
        "id", "opcode_h", "unit", "lba", "count", "packet_h" } },
    [SIM_TRACE_COMPLETION] = { "completion", {
        "id", "opcode_h", "status_h", "flags_h", "took" } },
    [SIM_TRACE_REFUSAL] = { "refusal", { "id", "value_h", "limit_h" } },
    [SIM_TRACE_AEN] = { "aen", { "code_h", "source" } },
    [SIM_TRACE_AEN_READ] = { "aen-read", { "code_h", "source" } },
    [SIM_TRACE_RESET] = { "reset", { "abandoned" } },
    [SIM_TRACE_IRQ] = { "irq", { "level", "status_h" } },
};

void sim_trace_to(Sim *sim, SimTraceSink *sink, void *opaque)
{
    sim->sink = sink;
    sim->sink_opaque = opaque;
}

bool sim_traced(const Sim *sim)
{
    return sim->sink;
}

void sim_trace_emit(Sim *sim, const SimTraceRecord *record)
{
    if (sim->sink) {
        sim->sink(sim->sink_opaque, record);
    }
}
