/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffer: segments of a drive's RAM, the least recently used one first out.
 *
 * A segment's `used` is the number of its last use, or 0, times as many
 * segments as there may be, and its place among them: so the least of all,
 * alone, says which one it belongs to.
 */
#include "disk-model/drive/buffer.h"

void disk_buffer_init(DiskBuffer *buffer, const DiskBufferPlan *plan)
{
    buffer->plan = plan;
    buffer->uses = 0;
    g_assert(plan->segments <= DISK_SEGMENTS_MAX);
    buffer->segment = g_new0(BufferSegment, plan->segments);
    for (unsigned i = 0; i < plan->segments; i++) {
        buffer->segment[i].used = i;
    }
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
    unsigned segments = buffer->plan->segments;
    BufferSegment *best = NULL;

    *have = 0;
    for (unsigned i = 0; i < segments; i++) {
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
    segment->used = ++buffer->uses * DISK_SEGMENTS_MAX +
                    (uint64_t)(segment - buffer->segment);
}

BufferSegment *disk_buffer_take(DiskBuffer *buffer, uint64_t sector,
                                bool written)
{
    BufferSegment *first = buffer->segment;
    unsigned segments = buffer->plan->segments;
    uint64_t least = UINT64_MAX;
    BufferSegment *taken;

    if (buffer->plan->write_segment) {  /* the first is for writes */
        segments = written ? 1 : segments - 1;
        first += !written;
    }
    for (unsigned i = 0; i < segments; i++) {
        least = MIN(first[i].used, least);
    }
    taken = &buffer->segment[least % DISK_SEGMENTS_MAX];
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
    unsigned segments = buffer->plan->segments;

    for (unsigned i = 0; i < segments; i++) {
        BufferSegment *segment = &buffer->segment[i];

        if (span.sector + span.count - 1 - segment->start <
            segment->end - segment->start + span.count - 1) {
            segment->end = segment->start;
            segment->used = i;
        }
    }
}

bool disk_buffer_is_dropped(const BufferSegment *segment)
{
    return segment->used < DISK_SEGMENTS_MAX;
}
