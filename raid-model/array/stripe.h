/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stripe - carries out one host op's share of one row, or a task's row:
 * gather, compute, scatter.
 *
 *   WAITING --> GATHER --> COMPUTE --> SCATTER --> ENDED
 *                 ^  |                    |
 *                 |  +-- lost or bad:     |
 *                 |      plan without it  |
 *                 +-----------------------+  next step, after narrowing
 *
 * A row op whose work another does for it (gather.h) is CARRIED meanwhile.
 * unit.c fills a RowOp, holds the lock on its range of the row and calls
 * raid_row_start(); `ended` tells when it is over.  What is read and written
 * is plan.c's decision.  A row whose bad sectors overlap is narrowed to the
 * sectors themselves, so that what fails is exactly what cannot be known.
 *
 * The host's buffer is used in place wherever a slot's sectors are in it.
 */
#ifndef RAID_ARRAY_STRIPE_H
#define RAID_ARRAY_STRIPE_H

#include "raid-model/array/lane.h"
#include "raid-model/array/mirror.h"
#include "raid-model/array/plan.h"
#include "raid-model/array/pool.h"
#include "raid-model/array/task.h"

typedef struct RaidRows RaidRows;
typedef struct RowOp RowOp;
typedef struct RowIo RowIo;

/* What all rows of a unit share. */
struct RaidRows {
    RaidShape shape;
    Sim *sim;
    RaidCard *card;
    DiskPort *port[RAID_MEMBERS_MAX];
    RaidLane lane[RAID_MEMBERS_MAX];
    uint32_t present;                   /* mask of members */
    uint32_t good;                      /* likewise: and not stale */
    bool ignore_ecc;
    RaidTask task;
    unsigned waiting[RAID_MEMBERS_MAX]; /* drive ops under way */
    RaidMirrorSet mirror[RAID_MEMBERS_MAX];     /* by set */
    RaidPool pool;
    GQueue idle;                        /* RowOps to use again */
    bool resetting;

    /* A member does not answer; `present` is the listener's to change. */
    void (*lost)(RaidRows *rows, unsigned member);
    /* A bad sector of a member was written again with what it held. */
    void (*repaired)(RaidRows *rows, unsigned member);
    /* A bad sector of a member could not be mended. */
    void (*medium_error)(RaidRows *rows, unsigned member);
    /* The same, in a rebuild: wrong data was written there. */
    void (*overwrote)(RaidRows *rows, unsigned member);
    /* A write's drive ops have all been sent. */
    void (*sent)(RowOp *row);
    void (*ended)(RowOp *row);
};

typedef enum RowPhase {
    ROW_WAITING, ROW_CARRIED, ROW_GATHER, ROW_COMPUTE, ROW_SCATTER, ROW_ENDED
} RowPhase;

/* What host ops ask for, and what tasks do with a row. */
typedef enum RowVerb {
    ROW_READ = UNIT_READ, ROW_WRITE = UNIT_WRITE, ROW_FLUSH = UNIT_FLUSH,
    ROW_REBUILD, ROW_VERIFY, ROW_INIT
} RowVerb;

/* A stretch of the row in which each slot is touched whole or not at all. */
typedef struct RowCut {
    uint32_t offset, count;
    uint32_t wanted;            /* data slots: asked for, or rewritten */
    RaidPlan plan;
} RowCut;

#define ROW_CUTS_MAX 3

struct RowOp {
    /* The unit fills in: */
    RaidRows *rows;
    UnitOp *op;                 /* NULL: of several, or a task's */
    RowVerb verb;
    unsigned flags;             /* UNIT_... */
    /* Filled in by raid_row_set(): */
    uint64_t lba, end;
    uint8_t *buf;               /* of lba */
    size_t own_bytes;           /* buf is from the pool, that long */
    uint64_t row;
    unsigned first, last;       /* data slots */
    uint32_t from, to;          /* first slot from here, last slot to here */
    uint32_t low, high;         /* offsets locked */
    /* The unit's: */
    GList bucket_link, all_link, turn_link;
    GQueue *line;               /* that turn_link is in */
    GQueue carried;             /* RowOps this one is carried out for */
    bool alone;                 /* not to be carried */
    bool has_memory;            /* counts among row_writes_max */
    unsigned task;              /* its number; 0: a host's */
    unsigned target;            /* REBUILD: the member */
    uint64_t task_row;
    SimTime taken_up;           /* by the task */
    /* Filled in before `ended`: */
    UnitStatus status;
    uint64_t bad_lba;
    unsigned bad_member;
    bool agrees;                /* VERIFY: in all that could be read */

    /*< private >*/
    RowPhase phase;             /* what every op needs first: close together */
    uint32_t at, count;         /* the step: offset and length */
    uint32_t unreadable;        /* slots with a bad sector in this step */
    uint32_t bad_offset;        /* the first of those, */
    uint32_t bad_slots;         /* and the slots that are bad there */
    uint32_t next_bad;          /* offset known to be so, not yet done */
    bool force;                 /* REBUILD: what is unknown becomes zero */
    uint64_t bad_found;         /* its unit LBA, if a data slot's */
    unsigned pending, ios;
    RowIo *io;
    uint32_t buffers[2];        /* slots with old, with fresh ones */
    size_t buffer_bytes;
    unsigned cuts;
    RowCut cut[ROW_CUTS_MAX];
    SimTime sum_left, summed;   /* of the parity engine's work; all else is
                                 * done by then */
    SimEvent computed;
    void *old[RAID_MEMBERS_MAX];        /* as read, if in buffers[0] */
    void *fresh[RAID_MEMBERS_MAX];      /* as computed, [1] */
};

void raid_rows_init(RaidRows *rows, Sim *sim, const RaidShape *shape,
                    RaidCard *card, DiskPort *const *ports);
void raid_rows_clear(RaidRows *rows);   /* every RowOp has been given back */

/* Every row of the unit can still be read. */
bool raid_rows_operable(const RaidRows *rows);

RowOp *raid_row_take(RaidRows *rows);   /* waiting, without a range */
void raid_row_give(RowOp *row);
/* [lba, end) within one row; `buf` is the memory of lba. */
void raid_row_set(RowOp *row, uint64_t lba, uint64_t end, void *buf);
static inline bool raid_row_is_under_way(const RowOp *row)
{
    return row->phase > ROW_CARRIED && row->phase < ROW_ENDED;
}

/* `ended` may run inside, when the row cannot be read. */
void raid_row_start(RowOp *row);
/*
 * End it now, with rows->resetting set: writes that had begun are finished
 * on the spot, if they are to be carried through; anything else is taken
 * back.  `ended` runs inside.
 */
void raid_row_reset(RowOp *row, bool carry_through);

#endif
