/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace file - requests somebody recorded, read into memory.
 *
 * Two formats of DiskSim 4.0 (Carnegie Mellon University), told apart by
 * their first line; fields are parted by blanks:
 *
 *   validate   R|W TAG LBA SECTORS MEASURED-US THINK-US
 *              what a real drive took for each, and how long the host waited
 *              after its end before it asked for the next
 *   ascii      TIME-MS DEVICE LBA SECTORS FLAGS
 *              when each was asked for; bit 0 of FLAGS (hexadecimal) is a
 *              read; one device
 *
 * Empty lines and those that begin with # are passed over.  The first wrong
 * one ends the reading: FILE:LINE: what is wrong; what would be right.
 */
#ifndef RAID_SIM_TRACE_FILE_H
#define RAID_SIM_TRACE_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "disk-model/world/sim.h"

typedef struct TraceRequest {
    uint64_t sector;
    uint32_t count;
    bool write;
    SimTime measured;           /* validate; ascii: 0 */
    SimTime when;               /* ascii: since the start; validate: how
                                 * long after its end the next one comes */
} TraceRequest;

typedef struct TraceFile {
    bool measured;              /* validate: closed, with measured times */
    GArray *requests;           /* of TraceRequest, at least one */
    uint32_t count_max;         /* the largest request */
} TraceFile;

/* `sectors` is the size of the drive that it is for.  NULL and an error. */
TraceFile *trace_file_read(const char *path, uint64_t sectors,
                           GError **error);
void trace_file_free(TraceFile *trace);         /* NULL is fine */

#endif
