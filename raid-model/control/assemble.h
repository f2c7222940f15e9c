/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assemble - from the blocks found on ports to units, with a verdict on
 * every drive.  Pure: the card at power-on and people with a set of images
 * ask the same function.
 *
 * The order of ports means nothing.  Of the blocks that bear one unit's id
 * the newest has the say (highest sequence; of equals, the lowest member):
 * its table names the state of each member.  A drive is a good member if the
 * table has that member as present and the drive's own block is no older
 * than the table's `since` for it.  So an update that reached only some
 * members, or one copy of two, takes nothing from anybody; while a drive
 * that was away when others recorded its loss, or was replaced, is stale
 * for good, whatever it says itself.
 */
#ifndef RAID_CONTROL_ASSEMBLE_H
#define RAID_CONTROL_ASSEMBLE_H

#include "raid-model/control/dcb.h"

#define RAID_FOUND_MAX RAID_MEMBERS_MAX         /* ports */
#define RAID_NOBODY (-1)

/* What is on a port. */
typedef struct RaidFound {
    bool drive;
    uint64_t sectors;
    DcbVerdict copy[DCB_COPIES];
    Dcb dcb[DCB_COPIES];
} RaidFound;

typedef enum RaidClaim {
    RAID_CLAIM_EMPTY,           /* no drive */
    RAID_CLAIM_BLANK,           /* no block; or of a unit that was deleted or
                                 * never completed */
    RAID_CLAIM_MEMBER,          /* good */
    RAID_CLAIM_REBUILDING,      /* good below the unit's task_row */
    RAID_CLAIM_STALE,           /* others went on without it */
    RAID_CLAIM_SPARE,
    RAID_CLAIM_DAMAGED,         /* no copy that is intact */
    RAID_CLAIM_NEWER,           /* a later version's: left alone */
    RAID_CLAIM_SHRUNK,          /* drive smaller than when it was written */
    RAID_CLAIM_DUPLICATE,       /* another drive is that member too */
    RAID_CLAIM_FOREIGN,         /* same unit by its id, other shape */
    RAID_CLAIMS
} RaidClaim;

typedef struct RaidAssembled {
    Dcb dcb;                    /* the newest; `member` means nothing */
    int port[RAID_MEMBERS_MAX]; /* of any drive that is this member, be it
                                 * stale; or RAID_NOBODY */
    uint32_t good, rebuilding, stale;   /* masks of members */
    bool operable;              /* with the good ones alone */
    bool uneven;                /* some copy of a member that is used is not
                                 * the newest block: an update was cut */
} RaidAssembled;

typedef struct RaidAssembly {
    unsigned units;
    RaidAssembled unit[RAID_FOUND_MAX];
    RaidClaim claim[RAID_FOUND_MAX];
    int unit_of[RAID_FOUND_MAX];        /* index into `unit`, or RAID_NOBODY;
                                         * also of duplicates and the like */
    int member_of[RAID_FOUND_MAX];      /* or RAID_NOBODY */
    Dcb own[RAID_FOUND_MAX];            /* the newer good copy */
} RaidAssembly;

/* `found` is of a drive of so many sectors with these two copies. */
void raid_found_read(RaidFound *found, uint64_t sectors,
                     const void *const block[DCB_COPIES]);
/* Units come in the order of their lowest port. */
void raid_assemble(const RaidFound *found, unsigned ports,
                   RaidAssembly *assembly);

/* "stale", and a line for people: "others went on without it" */
const char *raid_claim_word(RaidClaim claim);
const char *raid_claim_line(RaidClaim claim);

#endif
