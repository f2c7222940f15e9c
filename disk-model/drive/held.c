/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Held: the dirty list of a drive.
 */
#include <string.h>

#include "disk-model/drive/held.h"
#include "disk-model/media/media.h"

#define BLOCK_SECTORS 128u

struct HeldBlock {
    HeldBlock *next;
    uint8_t data[BLOCK_SECTORS * DISK_SECTOR_BYTES];
};

static uint64_t end_of(DiskSpan span)
{
    return span.sector + span.count;
}

static bool overlap(DiskSpan a, DiskSpan b)
{
    return a.sector < end_of(b) && b.sector < end_of(a);
}

/* Overlaps it or lies side by side with it: seldom, and asked of all, so in
 * one comparison. */
static bool touches(DiskSpan a, DiskSpan b)
{
    return end_of(a) - b.sector <= (uint64_t)a.count + b.count;
}

static bool within(DiskSpan inner, DiskSpan outer)
{
    return inner.sector >= outer.sector && end_of(inner) <= end_of(outer);
}

/* --- blocks ------------------------------------------------------------- */

static HeldBlock *take_block(HeldList *list)
{
    HeldBlock *block = list->spare;

    if (block) {
        list->spare = block->next;
    } else {
        block = g_new(HeldBlock, 1);
    }
    block->next = NULL;
    return block;
}

static void release_first(HeldList *list, HeldWrite *write)
{
    HeldBlock *block = write->first;

    write->first = block->next;
    block->next = list->spare;
    list->spare = block;
}

/* Sectors of a write, as runs of bytes that lie side by side. */
typedef struct Run {
    HeldBlock *block;
    uint32_t at, left;          /* in the block; sectors */
} Run;

static Run run_of(const HeldWrite *write, uint64_t sector, uint32_t count)
{
    Run run = { write->first, write->skip + (sector - write->span.sector),
                count };

    while (run.at >= BLOCK_SECTORS) {
        run.block = run.block->next;
        run.at -= BLOCK_SECTORS;
    }
    return run;
}

static uint8_t *next_bytes(Run *run, size_t *bytes)
{
    uint8_t *data = run->block->data + (size_t)run->at * DISK_SECTOR_BYTES;
    uint32_t sectors = MIN(run->left, BLOCK_SECTORS - run->at);

    *bytes = (size_t)sectors * DISK_SECTOR_BYTES;
    run->left -= sectors;
    run->at = 0;
    run->block = run->block->next;
    return data;
}

static void copy_in(HeldWrite *write, DiskSpan span, const uint8_t *from)
{
    Run run = run_of(write, span.sector, span.count);

    while (run.left) {
        size_t bytes;
        uint8_t *to = next_bytes(&run, &bytes);

        memcpy(to, from, bytes);
        from += bytes;
    }
}

static void copy_out(const HeldWrite *write, DiskSpan span, uint8_t *to)
{
    Run run = run_of(write, span.sector, span.count);

    while (run.left) {
        size_t bytes;
        const uint8_t *from = next_bytes(&run, &bytes);

        memcpy(to, from, bytes);
        to += bytes;
    }
}

/* --- the list ------------------------------------------------------------ */

void held_init(HeldList *list, unsigned most, uint64_t sectors_most,
               bool keeps)
{
    *list = (HeldList) { .most = most, .sectors_most = sectors_most,
                         .keeps = keeps };
    list->write = g_new0(HeldWrite, most + 1);
}

void held_clear(HeldList *list)
{
    while (list->count) {
        held_drop(list, 0, list->write[0].span.count);
    }
    while (list->spare) {
        g_free(take_block(list));
    }
    g_free(list->write);
    *list = (HeldList) { 0 };
}

bool held_could(const HeldList *list, DiskSpan span)
{
    return list->most && span.count <= list->sectors_most;
}

/* Those of its sectors that are not on their way have not been written. */
static bool may_change(const HeldList *list, int index, DiskSpan span)
{
    const HeldWrite *write = &list->write[index];

    return !list->leaving || list->leaver != (unsigned)index ||
           span.sector >= write->span.sector + list->leaving;
}

/* What `span` would become part of, or -1; whether it overlaps any. */
static int host_of(const HeldList *list, DiskSpan span, bool *overlaps)
{
    int before = -1, around = -1;
    unsigned overlapping = 0;

    for (unsigned i = 0; i < list->count; i++) {
        DiskSpan other = list->write[i].span;

        if (!touches(other, span)) {
            continue;
        }
        if (end_of(other) == span.sector) {
            before = i;
        } else if (overlap(other, span)) {
            overlapping++;
            around = within(span, other) ? (int)i : -1;
        }
    }
    *overlaps = overlapping;
    if (!overlapping) {
        return before;
    }
    return overlapping == 1 && around >= 0 && may_change(list, around, span)
        ? around : -1;
}

bool held_room(const HeldList *list, DiskSpan span)
{
    bool overlaps;
    int host = host_of(list, span, &overlaps);

    if (host >= 0 && overlaps) {
        return true;
    }
    return (host >= 0 || list->count < list->most) &&
           list->sectors + span.count <= list->sectors_most;
}

static void grow(HeldList *list, HeldWrite *write, uint32_t count)
{
    uint32_t used = write->skip + write->span.count;
    uint32_t room = (used + BLOCK_SECTORS - 1) / BLOCK_SECTORS *
                    BLOCK_SECTORS;

    write->span.count += count;
    list->sectors += count;
    if (!list->keeps) {
        return;
    }
    if (!write->first) {
        write->first = write->last = take_block(list);
        room = BLOCK_SECTORS;
    }
    for (; room < used + count; room += BLOCK_SECTORS) {
        write->last->next = take_block(list);
        write->last = write->last->next;
    }
}

HeldWrite *held_add(HeldList *list, DiskSpan span, const void *data)
{
    bool overlaps;
    int host = host_of(list, span, &overlaps);
    HeldWrite *write;

    if (host >= 0) {
        write = &list->write[host];
    } else {
        g_assert(list->count <= list->most);
        write = &list->write[list->count++];
        *write = (HeldWrite) { .span = { span.sector, 0 },
                               .younger = overlaps };
    }
    if (host < 0 || !overlaps) {
        grow(list, write, span.count);
    }
    if (list->keeps) {
        copy_in(write, span, data);
    }
    return write;
}

const void *held_front(const HeldList *list, unsigned index, uint32_t *count)
{
    const HeldWrite *write = &list->write[index];

    if (!list->keeps) {
        return NULL;
    }
    *count = MIN(*count, BLOCK_SECTORS - write->skip);
    return write->first->data + (size_t)write->skip * DISK_SECTOR_BYTES;
}

void held_drop(HeldList *list, unsigned index, uint32_t count)
{
    HeldWrite *write = &list->write[index];

    list->sectors -= count;
    write->span.sector += count;
    write->span.count -= count;
    write->skip += count;
    while (write->first && (write->skip >= BLOCK_SECTORS ||
                            !write->span.count)) {
        write->skip -= MIN(write->skip, BLOCK_SECTORS);
        release_first(list, write);
    }
    if (!write->span.count) {
        list->count--;
        memmove(write, write + 1, (list->count - index) * sizeof(*write));
    }
}

bool held_waits(const HeldList *list, unsigned index)
{
    for (unsigned i = 0; i < index && list->write[index].younger; i++) {
        if (overlap(list->write[i].span, list->write[index].span)) {
            return true;
        }
    }
    return false;
}

int held_find(const HeldList *list, DiskSpan span)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (touches(list->write[i].span, span) &&
            overlap(list->write[i].span, span)) {
            return i;
        }
    }
    return -1;
}

bool held_covers(const HeldList *list, DiskSpan span)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (touches(list->write[i].span, span) &&
            within(span, list->write[i].span)) {
            return true;
        }
    }
    return false;
}

void held_overlay(const HeldList *list, DiskSpan span, void *data)
{
    for (unsigned i = 0; i < list->count && list->keeps; i++) {
        const HeldWrite *write = &list->write[i];
        uint64_t from = MAX(write->span.sector, span.sector);
        uint64_t to = MIN(end_of(write->span), end_of(span));

        if (from < to) {
            copy_out(write, (DiskSpan) { from, to - from },
                     (uint8_t *)data +
                     (from - span.sector) * DISK_SECTOR_BYTES);
        }
    }
}
