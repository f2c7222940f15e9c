/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffer - which sectors a drive has in its RAM.  Pure bookkeeping: no time,
 * no arm, no data.
 *
 * The RAM is cut in segments of equal size, each one run of consecutive
 * sectors; a segment that grows over its size forgets its oldest sectors.
 * The least recently used one makes room for a new run.  A plan with a
 * write segment keeps one apart, so that writes never push reads out.
 */
#ifndef DISK_DRIVE_BUFFER_H
#define DISK_DRIVE_BUFFER_H

#include "disk-model/drive/mech.h"

typedef struct BufferSegment {
    uint64_t start, end;        /* sectors; empty when equal */
    bool written;               /* by the host */
    uint64_t used;              /* see disk_buffer_use() */
} BufferSegment;

typedef struct DiskBuffer {
    const DiskBufferPlan *plan;
    BufferSegment *segment;     /* plan->segments of them, owned */
    uint64_t uses;
} DiskBuffer;

void disk_buffer_init(DiskBuffer *buffer, const DiskBufferPlan *plan);
void disk_buffer_clear(DiskBuffer *buffer);     /* frees */
void disk_buffer_forget(DiskBuffer *buffer);    /* all is empty again */

/*
 * The segment that has the most of `span` from its first sector on, or
 * NULL; how many in *have.  What was written counts if the plan reads it.
 */
BufferSegment *disk_buffer_find(DiskBuffer *buffer, DiskSpan span,
                                uint32_t *have);
/* Marks a segment as just used: of two, the one with the smaller `used` is
 * older; one that was dropped is older than any other. */
void disk_buffer_use(DiskBuffer *buffer, BufferSegment *segment);
/* A segment for a new run at `sector`, empty and just used. */
BufferSegment *disk_buffer_take(DiskBuffer *buffer, uint64_t sector,
                                bool written);
/* It has everything up to `end`; what does not fit falls out in front. */
void disk_buffer_grow(DiskBuffer *buffer, BufferSegment *segment,
                      uint64_t end);
/* The host has had it: a plan that releases forgets all up to its end. */
void disk_buffer_read_out(DiskBuffer *buffer, BufferSegment *segment,
                          DiskSpan span);
/* Empties every segment that has one of these sectors. */
void disk_buffer_drop(DiskBuffer *buffer, DiskSpan span);
bool disk_buffer_is_dropped(const BufferSegment *segment);

#endif
