/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Held - writes that the host was told are done and that are in the drive's
 * RAM only.  Keeps their data; knows no time and touches no medium.
 *
 * In order of age.  Where two overlap, the younger has the truth, and may
 * not reach the medium before the older one.  A write leaves from its front,
 * piece by piece, and may grow at its end meanwhile.
 *
 * Data lies in blocks that are used again, so a busy list allocates nothing.
 * A list for a medium that keeps nothing keeps nothing either.
 */
#ifndef DISK_DRIVE_HELD_H
#define DISK_DRIVE_HELD_H

#include "disk-model/drive/mech.h"

typedef struct HeldBlock HeldBlock;

typedef struct HeldWrite {
    DiskSpan span;
    uint32_t cylinder;          /* the owner's to fill in */
    bool younger;               /* it overlapped another when it came */
    uint32_t skip;              /* sectors of its first block, gone */
    HeldBlock *first, *last;
} HeldWrite;

typedef struct HeldList {
    HeldWrite *write;           /* [0] the oldest; one more than `most`, for
                                 * what was to become part of one that left */
    unsigned count, most;
    uint64_t sectors, sectors_most;
    unsigned leaver;            /* on its way to the medium: so many sectors */
    uint32_t leaving;           /* of this one's front; 0: none */
    bool keeps;                 /* data */
    HeldBlock *spare;
} HeldList;

void held_init(HeldList *list, unsigned most, uint64_t sectors_most,
               bool keeps);
void held_clear(HeldList *list);        /* frees, whatever it holds */

/* Whether it fits when the list is empty; whether it does now. */
bool held_could(const HeldList *list, DiskSpan span);
bool held_room(const HeldList *list, DiskSpan span);
/*
 * Copies `data` in; there was room when it began to come.  What lies within
 * one write and in no other, or goes on where one ends, becomes part of it.
 * The write it is in now is returned.
 */
HeldWrite *held_add(HeldList *list, DiskSpan span, const void *data);
/*
 * The first bytes of a write, side by side: those of *count sectors or, then
 * told there, fewer.  NULL if the list keeps none.
 */
const void *held_front(const HeldList *list, unsigned index, uint32_t *count);
/* So many sectors are gone from its front; with the last the write. */
void held_drop(HeldList *list, unsigned index, uint32_t count);
/* Whether an older one overlaps it, so that it has to wait. */
bool held_waits(const HeldList *list, unsigned index);
/* The oldest that overlaps, or -1; whether one has it all. */
int held_find(const HeldList *list, DiskSpan span);
bool held_covers(const HeldList *list, DiskSpan span);
/* Puts what is held over what was read from the medium. */
void held_overlay(const HeldList *list, DiskSpan span, void *data);

#endif
