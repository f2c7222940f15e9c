/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DCB - the block a member carries about its unit, as bytes and as a struct.
 * Pure: no drive, no clock; docs/on-disk-format.md has the bytes.
 *
 * The layout is our own: that of the real cards is not public (theirs is
 * called "disk configuration block" in messages to the user, hence the
 * name).  Every field is judged on the way in, so that whoever has a Dcb
 * that dcb_read() called good may use its numbers without a second look.
 */
#ifndef RAID_CONTROL_DCB_H
#define RAID_CONTROL_DCB_H

#include "raid-model/array/layout.h"

#define DCB_BYTES 1024
#define DCB_SECTORS 2
#define DCB_COPIES 2
#define DCB_VERSION 1
#define DCB_ID_BYTES 16
#define DCB_NAME_MAX 21         /* as tw_cli limits a unit's name */
#define DCB_SERIAL_MAX 20       /* as IDENTIFY DEVICE does a drive's */
#define DCB_LAYOUT "gen1-a"     /* docs/layout.md */
#define DCB_RATE_MAX 5

/* What a block says of a member of its unit. */
typedef enum DcbState {
    DCB_MISSING,                /* lost: what was its has moved on */
    DCB_PRESENT,
    DCB_REBUILDING,             /* good below task_row only */
    DCB_STATES
} DcbState;

typedef enum DcbTask {
    DCB_TASK_NONE, DCB_TASK_REBUILD, DCB_TASK_VERIFY, DCB_TASK_INIT,
    DCB_TASKS
} DcbTask;

#define DCB_UNCLEAN 1u          /* written to since the last shutdown */
#define DCB_INITIALISED 2u      /* redundancy was once made to agree */
#define DCB_CACHE 4u            /* the drives' write caches are on */
#define DCB_AUTOVERIFY 8u
#define DCB_IGNORE_ECC 16u
#define DCB_FORMING 32u         /* not a unit yet: blocks are being written */
#define DCB_DELETED 64u         /* no unit any more: about to be wiped */
#define DCB_PAUSED 128u         /* the task is */
#define DCB_FLAGS_ALL 255u

typedef struct DcbMember {
    DcbState state;
    uint64_t since;             /* blocks of this member older than that are
                                 * of a drive that was replaced */
    char serial[DCB_SERIAL_MAX + 1];    /* to tell people */
} DcbMember;

typedef struct Dcb {
    uint64_t sequence;          /* rises with each change; 1 and up */
    uint8_t id[DCB_ID_BYTES];   /* of the unit */
    char name[DCB_NAME_MAX + 1];
    const RaidLevel *level;     /* NULL: a spare, one member, no sectors */
    unsigned members, member;   /* how many, and whose block this is */
    uint32_t stripe_sectors;
    uint64_t member_sectors;    /* data on each member, from DATA_OFFSET on */
    uint64_t drive_sectors;     /* of this member's drive */
    uint32_t flags;
    DcbTask task;
    unsigned task_member;       /* REBUILD: whose */
    uint64_t task_row;          /* rows below it are done; of a level that
                                 * is not striped, pieces of 128 sectors */
    uint8_t rebuild_rate, verify_rate;  /* 1 fastest task, 5 fastest I/O */
    DcbMember at[RAID_MEMBERS_MAX];
} Dcb;

typedef enum DcbVerdict {
    DCB_NONE,                   /* no block there */
    DCB_GOOD,
    DCB_DAMAGED,                /* checksum, or a field that cannot be */
    DCB_NEWER,                  /* of a later version, intact */
} DcbVerdict;

/* `block`: DCB_BYTES.  *dcb is filled for DCB_GOOD and undefined else. */
DcbVerdict dcb_read(const void *block, Dcb *dcb);
/* `dcb` is one that dcb_read() would call good (asserted). */
void dcb_write(const Dcb *dcb, void *block);

/* Where copy 0 (before the data) and 1 (behind it) begin. */
uint64_t dcb_sector(unsigned copy, uint64_t drive_sectors);
/* Whether a drive holds the reserved areas and the data of such a member. */
bool dcb_drive_fits(uint64_t member_sectors, uint64_t drive_sectors);
RaidShape dcb_shape(const Dcb *dcb);    /* not of a spare */
/* How many of a row's members may be missing, tried on every row. */
bool dcb_operable(const Dcb *dcb, uint32_t trusted);

#endif
