/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Held: the dirty list of a drive.
 */
#include <string.h>

#include "disk-model/drive/held.h"
#include "disk-model/media/media.h"

static uint64_t end_of(DiskSpan span)
{
    return span.sector + span.count;
}

static bool overlap(DiskSpan a, DiskSpan b)
{
    return a.sector < end_of(b) && b.sector < end_of(a);
}

static bool within(DiskSpan inner, DiskSpan outer)
{
    return inner.sector >= outer.sector && end_of(inner) <= end_of(outer);
}

void held_init(HeldList *list, unsigned most, uint64_t sectors_most)
{
    *list = (HeldList) { .most = most, .sectors_most = sectors_most };
    list->write = g_new0(HeldWrite *, most);
    for (unsigned i = 0; i < most; i++) {
        list->write[i] = g_new0(HeldWrite, 1);
    }
}

void held_clear(HeldList *list)
{
    for (unsigned i = 0; i < list->most; i++) {
        g_free(list->write[i]->data);
        g_free(list->write[i]);
    }
    g_free(list->write);
    *list = (HeldList) { 0 };
}

bool held_could(const HeldList *list, DiskSpan span)
{
    return list->most && span.count <= list->sectors_most;
}

/* One that may still be changed and that `span` would become part of. */
static HeldWrite *host_of(const HeldList *list, DiskSpan span)
{
    HeldWrite *last = list->count ? list->write[list->count - 1] : NULL;

    if (!last || last->leaving) {
        return NULL;
    }
    if (within(span, last->span)) {
        return last;
    }
    return end_of(last->span) == span.sector && held_find(list, span) < 0
        ? last : NULL;
}

bool held_room(const HeldList *list, DiskSpan span)
{
    HeldWrite *host = host_of(list, span);

    if (host && within(span, host->span)) {
        return true;
    }
    return (host || list->count < list->most) &&
           list->sectors + span.count <= list->sectors_most;
}

static void *place_in(HeldWrite *write, uint64_t sector)
{
    return write->data + (sector - write->span.sector) * DISK_SECTOR_BYTES;
}

static void make_room(HeldWrite *write)
{
    size_t bytes = (size_t)write->span.count * DISK_SECTOR_BYTES;

    if (bytes > write->bytes) {
        write->data = g_realloc(write->data, bytes);
        write->bytes = bytes;
    }
}

void held_add(HeldList *list, DiskSpan span, const void *data)
{
    HeldWrite *host = host_of(list, span);

    if (!host) {
        g_assert(list->count < list->most);
        host = list->write[list->count++];
        host->span = span;
        host->leaving = false;
        list->sectors += span.count;
    } else if (!within(span, host->span)) {
        host->span.count += span.count;
        list->sectors += span.count;
    }
    make_room(host);
    memcpy(place_in(host, span.sector), data,
           (size_t)span.count * DISK_SECTOR_BYTES);
}

void held_remove(HeldList *list, unsigned index)
{
    HeldWrite *gone = list->write[index];

    list->sectors -= gone->span.count;
    list->count--;
    for (unsigned i = index; i < list->count; i++) {
        list->write[i] = list->write[i + 1];
    }
    list->write[list->count] = gone;
}

bool held_waits(const HeldList *list, unsigned index)
{
    for (unsigned i = 0; i < index; i++) {
        if (overlap(list->write[i]->span, list->write[index]->span)) {
            return true;
        }
    }
    return false;
}

int held_find(const HeldList *list, DiskSpan span)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (overlap(list->write[i]->span, span)) {
            return i;
        }
    }
    return -1;
}

void held_overlay(const HeldList *list, DiskSpan span, void *data)
{
    for (unsigned i = 0; i < list->count; i++) {
        HeldWrite *write = list->write[i];
        uint64_t from = MAX(write->span.sector, span.sector);
        uint64_t to = MIN(end_of(write->span), end_of(span));

        if (from < to) {
            memcpy((uint8_t *)data +
                   (from - span.sector) * DISK_SECTOR_BYTES,
                   place_in(write, from), (to - from) * DISK_SECTOR_BYTES);
        }
    }
}
