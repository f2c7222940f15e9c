/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Held - writes that the host was told are done and that are in the drive's
 * RAM only.  Keeps their data; knows no time and touches no medium.
 *
 * In order of age.  Where two overlap, the younger has the truth, and may
 * not reach the medium before the older one.  Space for data is kept when a
 * write leaves, so a busy list allocates nothing.
 */
#ifndef DISK_DRIVE_HELD_H
#define DISK_DRIVE_HELD_H

#include "disk-model/drive/mech.h"

typedef struct HeldWrite {
    DiskSpan span;
    uint8_t *data;
    size_t bytes;               /* allocated */
    bool leaving;               /* on its way to the medium */
} HeldWrite;

typedef struct HeldList {
    HeldWrite **write;          /* [0] the oldest; spare ones behind */
    unsigned count, most;
    uint64_t sectors, sectors_most;
} HeldList;

void held_init(HeldList *list, unsigned most, uint64_t sectors_most);
void held_clear(HeldList *list);        /* frees, whatever it holds */

/* Whether it fits when the list is empty; whether it does now. */
bool held_could(const HeldList *list, DiskSpan span);
bool held_room(const HeldList *list, DiskSpan span);
/*
 * Copies `data` in.  One that lies within a younger-than-all-others' place,
 * or goes on where one ends, becomes part of it.
 */
void held_add(HeldList *list, DiskSpan span, const void *data);
void held_remove(HeldList *list, unsigned index);
/* Whether an older one overlaps it, so that it has to wait. */
bool held_waits(const HeldList *list, unsigned index);
/* The oldest that overlaps, or -1. */
int held_find(const HeldList *list, DiskSpan span);
/* Puts what is held over what was read from the medium. */
void held_overlay(const HeldList *list, DiskSpan span, void *data);

#endif
