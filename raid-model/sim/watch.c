/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watch: the sink of all trace records of one run.
 */
#include <inttypes.h>
#include <string.h>

#include "raid-model/sim/watch.h"

/* Positions in a drive-op record; disk-model/world/trace.c names them. */
enum {
    OP_PORT, OP_VERB, OP_SECTOR, OP_COUNT, OP_FROM, OP_TO,
    OP_QUEUE, OP_OVERHEAD, OP_SEEK, OP_ROTATE, OP_TRANSFER, OP_STATUS
};

static void add(WatchSplit *split, const int64_t *value)
{
    SimTime total = value[OP_QUEUE] + value[OP_OVERHEAD] + value[OP_SEEK] +
                    value[OP_ROTATE] + value[OP_TRANSFER];

    split->ops++;
    split->sectors += value[OP_COUNT];
    split->queue_ns += value[OP_QUEUE];
    split->overhead_ns += value[OP_OVERHEAD];
    split->seek_ns += value[OP_SEEK];
    split->rotate_ns += value[OP_ROTATE];
    split->transfer_ns += value[OP_TRANSFER];
    latency_add(&split->total, total);
}

static void write_arm(FILE *file, const SimTraceRecord *record)
{
    const int64_t *value = record->value;
    SimTime end = record->at;
    SimTime there = end - value[OP_TRANSFER] - value[OP_ROTATE];
    SimTime start = there - value[OP_SEEK];
    SimTime asked = start - value[OP_OVERHEAD] - value[OP_QUEUE];

    fprintf(file, "%d,%s,%" PRId64 ",%" PRId64 ",%.6f,%.6f,%.6f,%.6f,%.6f,"
            "%" PRId64 ",%" PRId64 "\n", (int)value[OP_PORT],
            value[OP_VERB] == DISK_WRITE ? "write" : "read",
            value[OP_SECTOR], value[OP_COUNT], asked / 1e6, start / 1e6,
            there / 1e6, (end - value[OP_TRANSFER]) / 1e6, end / 1e6,
            value[OP_FROM], value[OP_TO]);
}

static void write_trace(FILE *file, const SimTraceRecord *record)
{
    const SimTraceFormat *format = &sim_trace_format[record->kind];

    fprintf(file, "%" PRId64 " %s", record->at, format->name);
    if (record->word) {
        fprintf(file, " %s", record->word);
    }
    for (unsigned i = 0; format->field[i]; i++) {
        const char *name = format->field[i];
        size_t len = strlen(name);

        if (len > 2 && !strcmp(name + len - 2, "_h")) {
            fprintf(file, " %.*s=0x%" PRIx64, (int)len - 2, name,
                    record->value[i]);
        } else {
            fprintf(file, " %s=%" PRId64, name, record->value[i]);
        }
    }
    putc('\n', file);
}

static void sink(void *opaque, const SimTraceRecord *record)
{
    Watch *watch = opaque;
    const int64_t *value = record->value;

    if (watch->trace) {
        write_trace(watch->trace, record);
    }
    if (record->kind != SIM_TRACE_DRIVE_OP ||
        value[OP_PORT] < 0 || value[OP_PORT] >= (int)watch->rig->ports ||
        (value[OP_VERB] != DISK_READ && value[OP_VERB] != DISK_WRITE)) {
        return;
    }
    add(&watch->drive[value[OP_PORT]], value);
    add(&watch->all, value);
    if (watch->arms) {
        write_arm(watch->arms, record);
    }
}

Watch *watch_new(const Rig *rig, FILE *arms, FILE *trace)
{
    Watch *watch = g_new0(Watch, 1);

    watch->rig = rig;
    watch->drive = g_new0(WatchSplit, rig->ports);
    watch->arms = arms;
    watch->trace = trace;
    if (arms) {
        for (unsigned i = 0; i < rig->ports; i++) {
            if (rig->drive[i].preset) {
                fprintf(arms, "# port %u %s cylinders %u\n", i,
                        rig->drive[i].preset->id,
                        rig->drive[i].preset->geometry.cylinders);
            }
        }
        fprintf(arms, "port,verb,sector,count,asked_ms,seek_ms,there_ms,"
                "data_ms,end_ms,from_cylinder,to_cylinder\n");
    }
    sim_trace_to(rig->sim, sink, watch);
    return watch;
}

void watch_free(Watch *watch)
{
    sim_trace_to(watch->rig->sim, NULL, NULL);
    g_free(watch->drive);
    g_free(watch);
}
