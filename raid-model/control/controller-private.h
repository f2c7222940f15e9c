/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controller, its inside - for the rooms that make up a controller:
 * controller.c (ops, costs, life), formation.c (units are made), life.c (what
 * they go through), config.c and config-load.c (the blocks on the drives),
 * leave.c (orderly shutdown).
 */
#ifndef RAID_CONTROL_CONTROLLER_PRIVATE_H
#define RAID_CONTROL_CONTROLLER_PRIVATE_H

#include "disk-model/world/fault.h"
#include "raid-model/control/cache.h"
#include "raid-model/control/config.h"

#define RAID_PORTS_MAX 16
#define RAID_NO_UNIT (-1)
#define RAID_NO_PORT (-1)

/* Whether and when what a unit is gets written to its members. */
typedef struct CtlRecord {
    bool kept;                  /* there are blocks at all */
    bool shut;                  /* writes wait in `waiting` */
    bool must;                  /* somebody lost is not on record yet */
    uint32_t lost;              /* members lost while the rest could go on */
    bool again;                 /* one more round is due */
    unsigned out;               /* members' blocks on their way */
    GQueue waiting;             /* UnitOps */
} CtlRecord;

typedef struct CtlUnit {
    RaidUnit *unit;
    RaidCache *cache;                   /* NULL: none */
    int port[RAID_MEMBERS_MAX];         /* or RAID_PORT_MISSING; of a stale
                                         * member, where its drive is */
    uint8_t number;
    Dcb dcb;                    /* as last written, or as it will be next:
                                 * name, flags and rates may be changed */
    CtlRecord record;
    RaidTaskKind task;          /* as its last news had it, */
    uint64_t checkpoint;        /* and how far it is on the media */
    uint32_t unfit;             /* members whose rebuild has failed: the next
                                 * is not begun without an order */
    bool agree;                 /* redundancy may not: initialise when the
                                 * task there is has ended */
    UnitOp flush;               /* of an orderly shutdown */
    bool flushing, reflush;
    bool leaving;               /* nobody has written since it was asked */
    bool attend;                /* to writes: `leaving` or `record.shut` */
} CtlUnit;

typedef enum CtlStep {
    CTL_BLOCK_IDLE,
    CTL_BLOCK_COPY,             /* `bytes` to copy 0, then 1 */
    CTL_BLOCK_MARK,             /* being deleted: to copy 0 */
    CTL_BLOCK_MARKED,           /* until all of the unit are */
    CTL_BLOCK_WIPE,             /* zeroes to copy 1, then 0 */
} CtlStep;

/* A port's block on its way to the drive. */
typedef struct CtlBlock {
    DiskOp op;
    CtlStep step;
    unsigned copy;
    int unit;                   /* whose record waits for it, RAID_NO_UNIT */
    unsigned member;
    bool forget;                /* next */
    SimEvent timeout;           /* of a drive that does not answer */
    unsigned timeouts;          /* since it did */
    Dcb dcb;
    uint8_t bytes[DCB_BYTES];
} CtlBlock;

typedef struct CtlLeave {
    void (*done)(void *opaque);
    void *opaque;
} CtlLeave;

/* A drive's write cache is being switched. */
typedef struct CtlSwitch {
    DiskOp op;
    AtaTaskFile ata;
    bool busy, on, again;
} CtlSwitch;

struct RaidController {
    Sim *sim;
    const BoardModel *board;
    DiskPort *port[RAID_PORTS_MAX];
    int port_unit[RAID_PORTS_MAX];
    CtlSwitch cache[RAID_PORTS_MAX];
    CtlUnit unit[RAID_UNITS_MAX];
    CtlBlock block[RAID_PORTS_MAX];
    RaidClaim claim[RAID_PORTS_MAX];    /* as of power-on */
    bool spare[RAID_PORTS_MAX];
    uint8_t spare_number[RAID_PORTS_MAX];       /* as a unit has one */
    bool removed[RAID_PORTS_MAX];       /* what was there has left, or is out
                                         * of use by order */
    bool ecc_error[RAID_PORTS_MAX];     /* the drive has shown a bad sector
                                         * that nobody could mend */
    SimEvent spare_ev, verify_ev;       /* life.c's */
    unsigned spare_tries;
    uint8_t rebuild_rate, verify_rate;  /* 1 to DCB_RATE_MAX */
    bool blockless;             /* no blocks are read or written */
    bool jbodless;              /* drives in no unit stay free */
    bool closing;               /* in raid_controller_free() */
    bool powered;
    GArray *leave;              /* of CtlLeave: shutdowns under way */
    SimEvent leave_ev;
    GQueue unanswered;          /* ops for units that do not exist */
    SimEvent answer;            /* to all of them */
    RaidEventQueue events;
    RaidLog log;
    void (*on_event)(void *opaque);
    void *on_event_opaque;
    SimPipe processor, bus;
    /* By trouble: */
    SimTime awake_at;           /* the firmware does nothing before */
    Disk *away[RAID_PORTS_MAX]; /* that belong there */
    RaidCard card;
};

static inline bool ctl_is_redundant(const CtlUnit *own)
{
    return raid_unit_shape(own->unit)->level->row_redundant > 0;
}

/* --- controller.c -------------------------------------------------------- */

/* All of one unit's ops end, as in a reset of the card. */
void controller_reset_unit(RaidController *ctl, unsigned unit);

/* --- formation.c --------------------------------------------------------- */

/* A new unit, after power-on, whatever its drives say; else as
 * raid_controller_create(). */
bool formation_create(RaidController *ctl, const RaidSpec *spec,
                      GError **error);
/* The unit is no more, its drives are free; ops end ABORTED inside. */
void formation_delete(RaidController *ctl, unsigned unit);
/* The same, but its drives keep their blocks. */
void formation_drop(RaidController *ctl, unsigned unit);

/* --- config.c ------------------------------------------------------------ */

/* A unit has been formed; `from` is what its members say, NULL for a new
 * one.  After power-on a new one is recorded, in time. */
void config_formed(RaidController *ctl, CtlUnit *own, const Dcb *from);
/* Before there is a host: a new unit's blocks, at once. */
void config_write_now(RaidController *ctl, CtlUnit *own);
/* A write has come that must be looked at.  True: it waits. */
bool config_takes(RaidController *ctl, CtlUnit *own, UnitOp *op);
/* A drive is about to leave its port. */
void config_pulled(RaidController *ctl, unsigned port);
/* A member is lost; the unit's state is what it is now. */
void config_member_lost(RaidController *ctl, CtlUnit *own, unsigned member);
/* Whether a port's block is about to go. */
bool config_is_forgotten(const RaidController *ctl, unsigned port);
/* Whether a unit has nothing to record. */
bool config_is_recorded(const CtlUnit *own);
/* Before a unit is reset: what waits ends ABORTED.  After all are: records
 * under way are carried through at once, as rows are. */
void config_reset_begin(CtlUnit *own);
void config_reset_end(RaidController *ctl);
/* Nothing is written any more. */
void config_stop(RaidController *ctl);

/* --- config-late.c ------------------------------------------------------- */

/* A block's op is put off by trouble, since then at its drive. */
void config_block_late(DiskOp *op, SimTime since);
/* It is over.  True: the drive's reset aborted it, and it is sent again. */
bool config_block_again(RaidController *ctl, CtlBlock *block);

/* --- config-load.c ------------------------------------------------------- */

bool config_keeps(const RaidController *ctl, unsigned port);
/* What all drives say now; takes no time. */
void config_load(RaidController *ctl, RaidAssembly *all);
/*
 * A unit as somebody states it against what its drives say: *index is that
 * of the assembled unit it agrees with, or RAID_NOBODY if no drive says
 * anything.  False and one line where they contradict.
 */
bool config_agrees(const RaidAssembly *all, const RaidSpec *spec, int *index,
                   GError **error);

/* --- leave.c ------------------------------------------------------------- */

void leave_init(RaidController *ctl);
/* Some unit may have come nearer to the end of a shutdown. */
void leave_check(RaidController *ctl);
void leave_reset_begin(CtlUnit *own);
void leave_reset_end(RaidController *ctl);

/* --- controller-fault.c -------------------------------------------------- */

void controller_fault_init(RaidController *ctl);
void controller_fault_clear(RaidController *ctl);

#endif
