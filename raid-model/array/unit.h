/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit - one logical disk made of ports.
 *
 * Splits a host's op into bands of rows, orders overlapping bands (first
 * come, first served; readers share), lets stripe.c carry each out, and
 * keeps the state of members and unit.  Borrows its ports, never drives: a
 * pulled drive is a port that answers GONE.
 *
 * A UnitOp is lent: the submitter fills it, done() gives it back - once,
 * later, never from inside submit.  A write is done when every drive has
 * it; on a degraded unit, every drive that is left.
 *
 *        member lost               member lost, row not readable
 *   OK --------------> DEGRADED ----------------------------> INOPERABLE
 *    ^ \                  |  \___ joined: stale until rebuilt
 *    |  \_________________|__________________________________/
 *    |   (levels without redundancy)
 *    +--- last stale member rebuilt
 *
 * A member that joins is stale: it takes part in a row as far as the rebuild
 * has come, and in the rest not at all.  A unit has one task at a time, which
 * goes over its rows and takes the same locks as ops do (task.h).
 *
 * Overlapping ops: each sector ends up as one of them wrote it; rows of a
 * long op are locked one by one, so two long ops may win in different rows.
 * Redundancy agrees with data in every row, whatever the overlap.
 */
#ifndef RAID_ARRAY_UNIT_H
#define RAID_ARRAY_UNIT_H

#include "disk-model/drive/port.h"
#include "raid-model/array/card.h"
#include "raid-model/array/layout.h"

typedef enum UnitVerb { UNIT_READ, UNIT_WRITE, UNIT_FLUSH } UnitVerb;

typedef enum UnitStatus {
    UNIT_OK,
    UNIT_MEDIUM_ERROR,  /* op->bad_lba cannot be read */
    UNIT_OFFLINE,       /* too many members missing */
    UNIT_OUT_OF_RANGE,
    UNIT_ABORTED,       /* by a reset */
} UnitStatus;

typedef enum UnitState {
    RAID_UNIT_OK, RAID_UNIT_DEGRADED, RAID_UNIT_INOPERABLE
} UnitState;

#define UNIT_FUA 1u             /* on the medium before done() */

typedef struct UnitOp UnitOp;
typedef struct RaidUnit RaidUnit;

struct UnitOp {
    UnitVerb verb;
    uint64_t lba;
    uint32_t count;             /* sectors; 0 for FLUSH */
    void *buf;                  /* count * 512, the submitter's until done */
    unsigned flags;
    void (*done)(UnitOp *op);
    void *opaque;
    /* filled in before done(): */
    UnitStatus status;
    uint64_t bad_lba;
    /*< private >*/
    GList link;
    RaidUnit *unit;
    uint64_t next_lba;          /* first sector not yet handed to a band */
    unsigned bands;             /* bands in flight */
    SimTime asked;
    SimEvent ev;
    bool held;                  /* over, but not to be told yet */
};

typedef enum RaidTaskKind {
    RAID_TASK_NONE,
    RAID_TASK_REBUILD,          /* a stale member from the others */
    RAID_TASK_VERIFY,           /* read everything, compare redundancy */
    RAID_TASK_INIT,             /* redundancy from the data, which stays:
                                 * parity, or the lower member's copy */
} RaidTaskKind;

/*
 * Rows are the layout's where the level is striped, RAID_TASK_PIECE_SECTORS
 * of the unit where it is not.
 */
#define RAID_TASK_PIECE_SECTORS 128     /* guess: the smallest stripe */

typedef struct RaidTaskState {
    RaidTaskKind kind;
    unsigned member;            /* REBUILD: which */
    uint64_t row, rows;         /* all below `row` are done */
    bool paused;
    uint64_t mismatches;        /* VERIFY: rows that did not agree */
} RaidTaskState;

typedef enum RaidTaskNews {
    RAID_TASK_STARTED,
    RAID_TASK_CHECKPOINT,       /* rows below task->row are on the media */
    RAID_TASK_DONE,             /* likewise, and it was the last */
    RAID_TASK_FAILED,           /* over; a member rebuilt is all stale again */
    RAID_TASK_SOURCE_BAD,       /* `member` has a bad sector, FAILED follows */
    RAID_TASK_OVERWROTE,        /* the same, but wrong data was put there */
    RAID_TASK_MISMATCH,         /* in one row, which stays as it is */
} RaidTaskNews;

/*
 * What a unit tells; any may be NULL.  All may order tasks, join members,
 * hold and let go, none may reset or free the unit.
 */
typedef struct RaidUnitListener {
    /* `state` is the one it has now, the same as before or worse. */
    void (*member_lost)(void *opaque, RaidUnit *unit, unsigned member,
                        UnitState state);
    /* A bad sector has been written again with what it held. */
    void (*sector_repaired)(void *opaque, RaidUnit *unit, unsigned member);
    /* A bad sector that redundancy could not mend. */
    void (*medium_error)(void *opaque, RaidUnit *unit, unsigned member);
    /* DONE and FAILED come when it is over: raid_unit_task() has none. */
    void (*task)(void *opaque, RaidUnit *unit, RaidTaskNews news,
                 unsigned member);
} RaidUnitListener;

/*
 * ports[i] is member i's port, or NULL for a member that is missing.
 * `number` is only a name for the trace.  `card` and `listener` (NULL: none)
 * are borrowed.
 */
RaidUnit *raid_unit_new(Sim *sim, unsigned number, const RaidShape *shape,
                        RaidCard *card, DiskPort *const *ports,
                        const RaidUnitListener *listener, void *opaque);
/* No op may be lent to it; a task is dropped. */
void raid_unit_free(RaidUnit *unit);

const RaidShape *raid_unit_shape(const RaidUnit *unit);
UnitState raid_unit_state(const RaidUnit *unit);
DiskPort *raid_unit_port(const RaidUnit *unit, unsigned member);
/* Its slot has a drive, stale or not. */
bool raid_unit_member_present(const RaidUnit *unit, unsigned member);
bool raid_unit_member_stale(const RaidUnit *unit, unsigned member);

void raid_unit_submit(RaidUnit *unit, UnitOp *op);
bool raid_unit_is_idle(const RaidUnit *unit);   /* no op is lent to it */

/* A member's drive left its port or failed for good. */
void raid_unit_lose_member(RaidUnit *unit, unsigned member);
/* The drive of a member that is there has not answered in time: it is reset,
 * what it had is sent once `again` or fails. */
void raid_unit_reset_drive(RaidUnit *unit, unsigned member, bool again);
/*
 * A lost slot gets the drive on `port`: stale.  False, and nothing changed,
 * when the slot is not empty or its last drive still has ops of ours.
 */
bool raid_unit_join_member(RaidUnit *unit, unsigned member, DiskPort *port);
bool raid_unit_can_join(const RaidUnit *unit, unsigned member);

/*
 * Tasks.  False when there is one already or the unit's state forbids it:
 * a rebuild is of a stale member of a unit that is not INOPERABLE, an
 * initialisation or verify of one that is OK, an initialisation of one with
 * redundancy.  from_row > 0: after a power cut, from the last checkpoint;
 * nothing may have been written to the unit between the two.  STARTED comes
 * from inside.
 */
bool raid_unit_task_start(RaidUnit *unit, RaidTaskKind kind, unsigned member,
                          uint64_t from_row);
void raid_unit_task_pause(RaidUnit *unit, bool paused);
/* No news of it; the member of a rebuild is all stale again. */
void raid_unit_task_stop(RaidUnit *unit);
const RaidTaskState *raid_unit_task(const RaidUnit *unit);
/* 1, the task first, to 5, the host first; 3 unless told.  See task.h. */
void raid_unit_set_task_rate(RaidUnit *unit, unsigned rate);
/* A rebuild that cannot know a sector writes zeroes there, and goes on. */
void raid_unit_set_policy(RaidUnit *unit, bool ignore_ecc);

/* While held no write or flush is told to be over; reads are. */
void raid_unit_hold(RaidUnit *unit, bool hold);

/*
 * End everything now.  Rows whose writes had begun are carried through at
 * once (the drives finish what they were given while the processor
 * restarts), so parity and copies agree; all else is dropped.  Every op's
 * done() runs inside, ABORTED; after it returns nothing old is written.  A
 * task goes on with the rows that were not done.
 */
void raid_unit_reset(RaidUnit *unit);
/*
 * As reset, but nothing is carried through: what drives have not written is
 * not written, rows stay torn, the task is dropped without news.  What drives
 * hold in RAM is disk_power_cut()'s matter.
 */
void raid_unit_power_cut(RaidUnit *unit);

#endif
