/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirror - which copy answers a read.
 *
 * By turns: the copy with the fewest drive ops waiting, between equals the
 * one after the last.  Nearest: the one whose arm was sent to the nearer
 * place last, unless clearly more waits for it; a stream of reads that go on
 * where the one before ended is read from all copies in alternate sections,
 * once enough of it is outstanding (3ware's TwinStor as white paper and user
 * guides tell it; lengths and thresholds are guesses).  By sections: copies
 * own alternate sections of the address, as in a stripe, and nothing is
 * remembered.
 */
#ifndef RAID_ARRAY_MIRROR_H
#define RAID_ARRAY_MIRROR_H

#include "raid-model/array/card.h"

#define RAID_COPIES_MAX 2

/* What the card remembers of one set of copies; a zeroed one is ready. */
typedef struct RaidMirrorSet {
    unsigned next;              /* whose turn it is */
    uint64_t arm[RAID_COPIES_MAX];      /* sector it was sent to last */
    uint64_t stream_end;
    unsigned stream_reads;      /* that went on from the one before */
} RaidMirrorSet;

/*
 * waiting[i]: drive ops under way at copy i; `usable`: mask of copies, not
 * empty; [sector, end) is what is read.
 */
unsigned raid_mirror_pick(RaidMirrorSet *set, const RaidMirrorPlan *plan,
                          const unsigned *waiting, unsigned copies,
                          uint32_t usable, uint64_t sector, uint64_t end);
/* A write sends all arms to where it ends. */
void raid_mirror_wrote(RaidMirrorSet *set, uint64_t end);

#endif
