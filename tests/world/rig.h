/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rig - a card with one unit on small drives, whose power can be cut, and a
 * look at the media behind its back.
 *
 * What lies where and what agrees with what is worked out here from
 * tests/lib/md-layout, not from the models.
 */
#ifndef TESTS_WORLD_RIG_H
#define TESTS_WORLD_RIG_H

#include "raid-model/control/manage.h"
#include "tests/lib/md-layout.h"
#include "tests/world/oracle.h"

#define RIG_PORTS 12

typedef enum RigDrive {
    RIG_PLAIN,                  /* no buffer */
    RIG_READS,                  /* a buffer for reads */
    RIG_WRITES,                 /* and a write cache, */
    RIG_WRITES_LATE,            /* which is in no hurry */
    RIG_DRIVES
} RigDrive;

typedef struct RigPlan {
    const char *board;
    RaidCode code;
    unsigned members;
    uint32_t stripe_sectors;    /* 0: not striped */
    uint32_t data_sectors;      /* of a member, not yet rounded down */
    RigDrive drive;
    int port[RAID_MEMBERS_MAX];
    uint64_t seed;
} RigPlan;

typedef struct RigMedia {
    DiskMedia media;
    DiskMedia *inner;
    const bool *dark;           /* nothing is written any more */
} RigMedia;

typedef struct Rig {
    RigPlan plan;
    Sim *sim;
    RaidController *ctl;
    RaidUnit *unit;             /* borrowed */
    unsigned number;            /* its */
    MdArray md;
    DiskPreset *preset;
    RigMedia medium[RIG_PORTS];
    Disk *disk[RIG_PORTS];      /* of the port, in it or beside it */
    bool plugged[RIG_PORTS];    /* when the power went, if it is off */
    bool rebuilt[RIG_PORTS];    /* a rebuild of it was begun */
    uint64_t capacity, member_sectors, data_start;
    uint32_t redundant;         /* members a set can lose */
    bool dark;
    uint8_t *image[RAID_MEMBERS_MAX];   /* rig_look() */
} Rig;

/* Formatted with version 0, power is on, what the unit is is recorded. */
Rig *rig_new(const RigPlan *plan);
void rig_free(Rig *rig);

/* Without a word of warning: the drives lose their power, the card is no
 * more.  What a drive was writing is torn, and stays so. */
void rig_cut(Rig *rig);
/* Again, with the drives that were in; units are what their blocks say.
 * False and a line, to be freed, when ours is not there. */
bool rig_power(Rig *rig, char **why);

/* To the unit, in tw_cli's words; false when it is refused. */
bool rig_order(Rig *rig, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A rebuild on that port's drive: it may become another member than it was,
 * plan.port has it then.  False: refused. */
bool rig_rebuild(Rig *rig, unsigned port);
/* Of the card's tasks. */
void rig_rate(Rig *rig, unsigned rate);

void rig_pull(Rig *rig, unsigned port);
void rig_plug(Rig *rig, unsigned port);         /* the drive beside it */
/* Another drive beside an empty port; `noise`: somebody else's. */
void rig_swap(Rig *rig, unsigned port, bool noise);

/* Mask of members whose sectors say the same as that of `lba`, its own
 * included; *sector is where on their drives. */
uint32_t rig_column(const Rig *rig, uint64_t lba, uint64_t *sector);
/* Members that count: there and not stale. */
uint32_t rig_good(const Rig *rig);
/* As the mask of good ones has it. */
UnitState rig_state(const Rig *rig, uint32_t good);

/*
 * Straight from the media: what each sector of the unit is, known from the
 * `good` members, is right by the oracle, and redundancy agrees.  NULL, or a
 * line to be freed.
 *
 * After a power cut `after` says where writes may be half done.  Redundancy
 * need not agree beside those; a member that is not there cannot be known
 * from it then; and a sector of such a write may be torn.
 */
typedef struct RigAfter {
    const bool *unsettled;      /* of each sector of the unit */
    bool *dark;                 /* filled in: may be anything */
    uint32_t *found;            /* its version on the medium */
    uint64_t differ;            /* columns that do not agree */
    uint64_t holes;             /* sectors that redundancy tells wrong */
    uint64_t torn;              /* sectors that nobody knows */
} RigAfter;

char *rig_look(Rig *rig, const Oracle *oracle, uint32_t good,
               RigAfter *after);
/* Turns a bit on the medium, where `lba` is. */
void rig_turn_bit(Rig *rig, uint64_t lba);

#endif
