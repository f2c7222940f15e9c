/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace file - requests somebody recorded, read into memory.
 *
 * Four formats, told apart by their first line; fields are parted by blanks
 * or, in the last, by commas:
 *
 *   disksim-validate   R|W TAG LBA SECTORS MEASURED-US THINK-US
 *              what a real drive took for each, and how long the host waited
 *              after its end before it asked for the next
 *   disksim-ascii      TIME-MS DEVICE LBA SECTORS FLAGS
 *              when each was asked for; bit 0 of FLAGS (hexadecimal) is a
 *              read
 *   blkparse   MAJOR,MINOR CPU SEQ SECONDS PID ACTION RWBS LBA + SECTORS [..]
 *              as blkparse prints it: what was given to the driver (D) or,
 *              when there is none of those, queued (Q); what was completed
 *              (C) says how long it took; other lines, discards and flushes
 *              are left out
 *   msr        TICKS,HOST,DISK,Read|Write,OFFSET,BYTES,TICKS-TAKEN
 *              of Microsoft Research Cambridge (SNIA IOTTA); ticks of 100 ns
 *
 * Two of DiskSim 4.0 (Carnegie Mellon University).  Empty lines and those
 * that begin with # are passed over.  The first wrong one ends the reading:
 * FILE:LINE: what is wrong; what would be right.
 */
#ifndef RAID_SIM_TRACE_FILE_H
#define RAID_SIM_TRACE_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "disk-model/world/sim.h"

typedef enum TraceFormat {
    TRACE_VALIDATE, TRACE_ASCII, TRACE_BLKPARSE, TRACE_MSR, TRACE_FORMATS
} TraceFormat;
#define TRACE_AUTO TRACE_FORMATS

typedef struct TraceAsk {
    const char *path;
    TraceFormat format;         /* or TRACE_AUTO */
    const char *device;         /* only its lines; NULL: there is only one */
    uint64_t sectors;           /* of what it is to run on */
    bool wrap;                  /* beyond the end: from the start again */
} TraceAsk;

typedef struct TraceRequest {
    uint64_t sector;
    uint32_t count;
    bool write;
    SimTime measured;           /* 0 when the trace has none */
    SimTime when;               /* since the start; in a closed one: how
                                 * long after its end the next one comes */
} TraceRequest;

typedef struct TraceFile {
    TraceFormat format;
    bool measured;              /* every request has a measured time */
    bool closed;
    GArray *requests;           /* of TraceRequest, at least one, by time */
    uint32_t count_max;         /* the largest request */
    uint64_t left_out;          /* discards, flushes, commands without data */
} TraceFile;

/* "auto" too; false: no such format. */
bool trace_format_find(const char *name, TraceFormat *format);
const char *trace_format_name(TraceFormat format);

/* NULL and an error. */
TraceFile *trace_file_read(const TraceAsk *ask, GError **error);
void trace_file_free(TraceFile *trace);         /* NULL is fine */

#endif
