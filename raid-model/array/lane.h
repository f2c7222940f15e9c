/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lane - the card's queue in front of one port.
 *
 * Drive ops wait here, not at the drive: a drive without command queuing
 * works on one and would take others only in order.  At most
 * card->lane_committed are at the drive; which goes next is the card's
 * choice.  Bytes cross the card's data path on the way, in pieces of up to
 * 64 KiB, so that no drive keeps another waiting for longer than that:
 *
 *   submit --> waiting --> (path begins) --> drive --> (path ends) --> done()
 *
 * A write goes to the drive when its first piece is let through, a read's
 * bytes are on the path while the drive reads them; so an op is late only
 * when others are in the way.  It counts as at the drive until both are done.
 *
 * A drive that trouble keeps from ending an op for RAID_DRIVE_TIMEOUT is
 * reset, and gets what it had once more; if it is late again before it has
 * ended any, all it has fails.
 *
 * Nothing is reordered that must not be: of ops on overlapping sectors with
 * a write among them, unit.c's locks let one out at a time.
 */
#ifndef RAID_ARRAY_LANE_H
#define RAID_ARRAY_LANE_H

#include "disk-model/drive/port.h"
#include "raid-model/array/card.h"

/* Guess: from the drive taking up an op; a public report has a card give a
 * drive about so long. */
#define RAID_DRIVE_TIMEOUT SIM_S(20)

typedef struct RaidLane RaidLane;
typedef struct RaidLaneOp RaidLaneOp;
typedef struct RaidLaneSlot RaidLaneSlot;

/* Lent as a DiskOp is; fill in `op` (but its done) and `done`. */
struct RaidLaneOp {
    DiskOp op;
    void (*done)(RaidLaneOp *op);
    /*< private >*/
    RaidLane *lane;
    uint8_t state;
    bool in_window;
    uint64_t arrival;
    SimTime asked;
    GList link;
    uint64_t path_left;         /* bytes without a place on the path */
    SimTime path_until;
    SimEvent ev;
};

struct RaidLane {
    /*< private >*/
    Sim *sim;
    RaidCard *card;
    DiskPort *port;
    unsigned at_drive;
    bool held, closed, troubled;
    uint64_t last_sector;       /* sent */
    uint64_t arrivals;
    GQueue waiting;             /* by age */
    GList *beyond;              /* the first of them not in the window */
    RaidLaneSlot *window;       /* by sector */
    unsigned filled, room;
    unsigned next;              /* the first at or after last_sector */
    SimEvent gone;
    /* If troubled: */
    unsigned timeouts;          /* since an op ended */
    bool again;                 /* what the drive's reset aborts is sent */
    RaidLaneOp *late;           /* what `timeout` waits for */
    SimEvent timeout;
};

/* `port` NULL: no op will come.  All three are borrowed. */
void raid_lane_init(RaidLane *lane, Sim *sim, RaidCard *card, DiskPort *port);
void raid_lane_clear(RaidLane *lane);           /* nothing may be lent */

/* done() later; a flush goes to the drive at once, past those that wait. */
void raid_lane_submit(RaidLane *lane, RaidLaneOp *op);
/* As disk_cancel() and disk_finish_now(), wherever the op is. */
void raid_lane_cancel(RaidLaneOp *op, DiskStatus status);
void raid_lane_finish_now(RaidLaneOp *op);
/* While held no op is sent: what is ended makes no room for others. */
void raid_lane_hold(RaidLane *lane, bool hold);
/* The drive is reset; what is there is sent once more, or ends FAILED. */
void raid_lane_reset_drive(RaidLane *lane, bool again);
/* The drive is ours no longer: what waits ends GONE, later. */
void raid_lane_close(RaidLane *lane);

#endif
