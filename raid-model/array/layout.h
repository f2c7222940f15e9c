/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout - levels as data; unit LBA to row, slot and offset, and back.
 * Pure arithmetic.
 *
 * Words.  A unit's space is cut into stripe units ("chunks").  A row is
 * what is protected together: some data slots and some redundant slots,
 * each one chunk on its own member.  RAID 5 of n members: n-1 data + 1
 * parity.  A mirror is a row of one data slot and one redundant slot, whose
 * "parity" of one chunk is a copy; RAID 10 of n pairs has n such rows side
 * by side for every chunk row of its members.  RAID 0: n data slots.
 *
 * RAID 5 rotation: parity of row r on member r mod n, data slots fill the
 * other members in ascending order (right-asymmetric; 3W-6800 user guide
 * p. 10; device-mapper calls it raid5_ra).  RAID 10 pairs are members
 * (0,1), (2,3), ...; chunk c lives on pair c mod n (near-2 layout).
 *
 * On every member of a configured unit data begins at
 * RAID_DATA_OFFSET_SECTORS; that many sectors at the end stay unused too.
 * JBOD has neither: unit LBA = drive sector.
 */
#ifndef RAID_ARRAY_LAYOUT_H
#define RAID_ARRAY_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define RAID_MEMBERS_MAX 16
#define RAID_DATA_OFFSET_SECTORS 1024   /* 7000/8000 RAID 1 members found in
                                           the field; other levels: guess */
#define RAID_RESERVED_SECTORS 2048      /* per member, inferred from reported
                                           capacities: guess */
#define RAID_STRIPE_SECTORS_MIN 128     /* 64 KiB */
#define RAID_STRIPE_SECTORS_MAX 2048    /* 1 MiB */

typedef enum RaidCode {
    RAID_JBOD, RAID_SINGLE, RAID_0, RAID_1, RAID_5, RAID_10,
    RAID_CODES
} RaidCode;

typedef struct RaidLevel {
    const char *name;           /* "raid5" */
    const char *title;          /* "RAID 5" */
    RaidCode code;
    uint8_t members_min, members_max, members_step;
    uint8_t row_data;           /* data slots of a row; 0: all others */
    uint8_t row_redundant;      /* members a row can lose */
    bool striped;               /* has a stripe size */
    bool rotates;
    bool reserves;              /* has the reserved areas */
} RaidLevel;

extern const RaidLevel raid_level[RAID_CODES];
const RaidLevel *raid_level_find(const char *name);     /* or NULL */

typedef struct RaidShape {
    const RaidLevel *level;
    unsigned members;
    uint32_t stripe_sectors;    /* 0 when the level is not striped */
    uint64_t member_sectors;    /* usable on each member, rounded down */
} RaidShape;

/* From the drive's own size; 0 when the drive is too small to be a member. */
uint64_t raid_member_sectors(const RaidLevel *level, uint32_t stripe_sectors,
                             uint64_t drive_sectors);
uint64_t raid_capacity(const RaidShape *shape);         /* unit sectors */
unsigned raid_row_data(const RaidShape *shape);         /* data slots */
unsigned raid_row_slots(const RaidShape *shape);        /* all slots */
unsigned raid_row_sets(const RaidShape *shape);         /* RAID 10: pairs */
/* Length of a slot: the stripe size, or a fixed large one if not striped. */
uint32_t raid_chunk_sectors(const RaidShape *shape);
uint64_t raid_row_sectors(const RaidShape *shape);      /* of its data */

typedef struct RaidPlace {
    uint64_t row;
    unsigned slot;              /* data slot within the row */
    uint64_t offset;            /* sectors into the chunk */
} RaidPlace;

RaidPlace raid_place(const RaidShape *shape, uint64_t lba);
uint64_t raid_lba(const RaidShape *shape, const RaidPlace *place);
/* The member that holds a slot of a row, and the slot a member holds. */
unsigned raid_member(const RaidShape *shape, uint64_t row, unsigned slot);
bool raid_slot(const RaidShape *shape, uint64_t row, unsigned member,
               unsigned *slot);
/* Where on that member's drive: first sector of the row's chunk. */
uint64_t raid_row_sector(const RaidShape *shape, uint64_t row);

#endif
