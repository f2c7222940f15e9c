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
 *    \______________________________________________________/
 *        (levels without redundancy)
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
};

/* Called when a member is lost and when the state changes. */
typedef void RaidUnitNotify(void *opaque, RaidUnit *unit, unsigned member,
                            UnitState state);

/*
 * ports[i] is member i's port, or NULL for a member that is missing.
 * `number` is only a name for the trace.  `card` is borrowed.
 */
RaidUnit *raid_unit_new(Sim *sim, unsigned number, const RaidShape *shape,
                        RaidCard *card, DiskPort *const *ports,
                        RaidUnitNotify *notify, void *opaque);
void raid_unit_free(RaidUnit *unit);            /* no op may be lent to it */

const RaidShape *raid_unit_shape(const RaidUnit *unit);
UnitState raid_unit_state(const RaidUnit *unit);
DiskPort *raid_unit_port(const RaidUnit *unit, unsigned member);
bool raid_unit_member_present(const RaidUnit *unit, unsigned member);

/* Called when a bad sector of a member has been written again with what it
 * held, or, not mended, when nobody can tell what that was. */
typedef void RaidUnitSector(void *opaque, RaidUnit *unit, unsigned member,
                            bool mended);
void raid_unit_on_sector(RaidUnit *unit, RaidUnitSector *sector,
                         void *opaque);

void raid_unit_submit(RaidUnit *unit, UnitOp *op);

/* A member's drive left its port or failed for good. */
void raid_unit_lose_member(RaidUnit *unit, unsigned member);

/*
 * End everything now.  Rows whose writes had begun are carried through at
 * once (the drives finish what they were given while the processor
 * restarts), so parity and copies agree; all else is dropped.  Every op's
 * done() runs inside, ABORTED; after it returns nothing old is written.
 */
void raid_unit_reset(RaidUnit *unit);

#endif
