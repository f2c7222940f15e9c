/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Card - what the units of one card share: its ways, and the paths and
 * engines of finite speed that all their bytes pass.
 *
 * Filled in by control/ from a row of the board table, borrowed by units
 * and lanes, and used by them only.  A zeroed card has no limits and serves
 * everything in order of arrival.
 */
#ifndef RAID_ARRAY_CARD_H
#define RAID_ARRAY_CARD_H

#include "disk-model/world/pipe.h"

/* Which drive op waiting on the card goes to its drive next. */
typedef enum RaidLaneOrder {
    RAID_LANE_FIFO,
    RAID_LANE_CLOOK,            /* upwards from the last, then from below */
} RaidLaneOrder;

/* What becomes of writes that wait for the same row of a RAID 5. */
typedef enum RaidGathers {
    RAID_GATHERS_NONE,
    RAID_GATHERS_FULL_ROWS,     /* all at once, when they cover the row */
    RAID_GATHERS_WRITES,        /* also those that continue each other */
} RaidGathers;

/* See mirror.h. */
typedef enum RaidMirrorReads {
    RAID_MIRROR_BY_TURNS,
    RAID_MIRROR_NEAREST,
    RAID_MIRROR_FIRST,          /* the other is a spare copy, no more */
    RAID_MIRROR_SECTIONS,       /* by address, whatever the arms do */
} RaidMirrorReads;

typedef struct RaidMirrorPlan {
    RaidMirrorReads reads;
    unsigned outweighs;         /* so many more waiting: the other, though
                                 * its arm is farther; 0: never */
    uint32_t section_sectors;   /* of a stream; 0: none is looked for.  Or
                                 * of the address, by sections */
    unsigned stream_waiting;    /* drive ops at the copies that make one */
} RaidMirrorPlan;

typedef struct RaidCard {
    RaidLaneOrder lane_order;
    unsigned lane_committed;    /* ops at a drive at once; 0: no limit */
    unsigned lane_window;       /* the oldest so many are chosen among;
                                 * 0: all that wait */
    uint32_t drive_sectors_max; /* of one drive op where a row is one chunk
                                 * of data; 0: no limit */
    SimPipe to_drives, from_drives;     /* all drives' bytes */
    RaidMirrorPlan mirror, mirror10;    /* RAID 1, RAID 10 */
    unsigned row_writes_max;    /* RAID 5: in the card's memory at once, of
                                 * a unit, until the drives have been sent
                                 * their parts; 0: no limit */
    RaidGathers gathers_rows;
    SimPipe xor;                /* bytes that pass the memory for parity, */
    unsigned xor_first;         /* passes for a sum's first vector, further
                                 * ones have three */
    uint32_t xor_piece_sectors; /* no stretch counts for less; 0: as it is */
    SimTime xor_row_ns;         /* beside so much a row */
    SimTime row_wait_ns;        /* for the rest of a row, behind one that
                                 * was written whole; 0: none does */
    SimTime row_answer_ns;      /* from the last of a RAID 5 write at its
                                 * drives to the host told of it */
} RaidCard;

#endif
