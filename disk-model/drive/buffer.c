/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffer: segments of a drive's RAM, the least recently used one first out.
 */
#include "disk-model/drive/buffer.h"

void disk_buffer_init(DiskBuffer *buffer, const DiskBufferPlan *plan)
{
    buffer->plan = plan;
    buffer->uses = 0;
    buffer->segment = g_new0(BufferSegment, plan->segments);
}

void disk_buffer_clear(DiskBuffer *buffer)
{
    g_free(buffer->segment);
    buffer->segment = NULL;
}

void disk_buffer_forget(DiskBuffer *buffer)
{
    for (unsigned i = 0; i < buffer->plan->segments; i++) {
        buffer->segment[i].end = buffer->segment[i].start;
    }
}

BufferSegment *disk_buffer_find(DiskBuffer *buffer, DiskSpan span,
                                uint32_t *have)
{
    BufferSegment *best = NULL;

    *have = 0;
    for (unsigned i = 0; i < buffer->plan->segments; i++) {
        BufferSegment *segment = &buffer->segment[i];
        uint64_t sectors;

        /* seldom, and asked of all, so in one comparison */
        if (span.sector - segment->start >= segment->end - segment->start ||
            (segment->written && !buffer->plan->reads_written)) {
            continue;
        }
        sectors = MIN(segment->end - span.sector, span.count);
        if (sectors > *have) {
            *have = sectors;
            best = segment;
        }
    }
    return best;
}

void disk_buffer_use(DiskBuffer *buffer, BufferSegment *segment)
{
    segment->used = ++buffer->uses;
}

BufferSegment *disk_buffer_take(DiskBuffer *buffer, uint64_t sector,
                                bool written)
{
    BufferSegment *first = buffer->segment;
    unsigned segments = buffer->plan->segments;
    uint64_t least;
    unsigned oldest = 0;
    BufferSegment *taken;

    if (buffer->plan->write_segment) {  /* the first is for writes */
        segments = written ? 1 : segments - 1;
        first += !written;
    }
    least = first->used;
    for (unsigned i = 1; i < segments; i++) {
        oldest = first[i].used < least ? i : oldest;
        least = MIN(first[i].used, least);
    }
    taken = &first[oldest];
    taken->start = taken->end = sector;
    taken->written = written;
    disk_buffer_use(buffer, taken);
    return taken;
}

void disk_buffer_grow(DiskBuffer *buffer, BufferSegment *segment,
                      uint64_t end)
{
    uint64_t size = buffer->plan->segment_sectors;

    segment->end = MAX(segment->end, end);
    if (segment->end - segment->start > size) {
        segment->start = segment->end - size;
    }
}

void disk_buffer_read_out(DiskBuffer *buffer, BufferSegment *segment,
                          DiskSpan span)
{
    uint64_t end = span.sector + span.count;

    if (buffer->plan->releases_read && !segment->written &&
        end > segment->start) {
        segment->start = MIN(end, segment->end);
    }
}

void disk_buffer_drop(DiskBuffer *buffer, DiskSpan span)
{
    for (unsigned i = 0; i < buffer->plan->segments; i++) {
        BufferSegment *segment = &buffer->segment[i];

        if (span.sector + span.count - 1 - segment->start <
            segment->end - segment->start + span.count - 1) {
            segment->end = segment->start;
            segment->used = 0;
        }
    }
}
