/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mechanics - how long it takes to get there.  Pure functions over a
 * preset: state in, time out; asking never moves anything but the arm that
 * was handed in.
 *
 *   one access
 *   |-- overhead --|-- seek -----------|-- rotate --|-- transfer ------|
 *    command         arm moves or head   first        sectors pass, with
 *    decoded         switches (larger    sector       switches and skew
 *                    of both), settle    comes up     between tracks
 *
 * The platter's angle is a function of time alone: (start + phase) mod turn.
 * Seek and head switch overlap: the larger counts (so DiskSim).  A write
 * settles longer when something moved to get there; switches inside a
 * transfer are covered by skew and do not.  When the next sector has gone by
 * before a switch is over, a whole turn is lost.
 */
#ifndef DISK_DRIVE_MECH_H
#define DISK_DRIVE_MECH_H

#include "disk-model/drive/preset.h"

typedef struct DiskSpan {
    uint64_t sector;
    uint32_t count;             /* > 0 */
} DiskSpan;

typedef struct MechArm {
    uint32_t cylinder, head;
    SimTime phase_ns;           /* spindle phase of this drive, < turn */
} MechArm;

/* All in nanoseconds; their sum is the time from arrival to done. */
typedef struct MechTime {
    SimTime queue_ns;           /* filled in by disk.c */
    SimTime overhead_ns, seek_ns, rotate_ns, transfer_ns;
} MechTime;

/* distance < cylinders; 0 costs nothing. */
SimTime mech_seek_ns(const DiskPreset *drive, uint32_t distance, bool write);
/* From where `arm` is to the track of `sector`: seek, switch and settling. */
SimTime mech_reach(const DiskPreset *drive, const MechArm *arm,
                   uint64_t sector, bool write);
/* Angle in 1/2^32 turns of what is under the head at `when`. */
uint32_t mech_angle(const DiskPreset *drive, const MechArm *arm, SimTime when);
/*
 * `start` is when the drive takes the command up.  Moves `arm` to where the
 * access ends.  The span is on the drive.
 */
MechTime mech_access(const DiskPreset *drive, MechArm *arm, SimTime start,
                     DiskSpan span, bool write);

/*
 * The same, stretch by stretch, for a drive that streams to or from its
 * buffer.  A walk starts where `arm` is at `now`; one that is `going` on
 * where it left off pays a switch to the next track and no seek.  It ends
 * when `left` is used up or, without the sector that is then passing, at
 * `stop`.  Then `arm` is where the head is, and a walk from `rest` with
 * what is left would go on as if it had not stopped.
 */
typedef struct MechWalk MechWalk;
typedef struct MechRest {
    MechArm arm;
    SimTime now;
    bool going;
} MechRest;

struct MechWalk {
    MechArm arm;
    SimTime now;                /* in: start; out: end of the last sector */
    DiskSpan left;
    bool write, going;
    bool once;                  /* one stretch and no more */
    SimTime stop;               /* SIM_NEVER for none */
    /* Each stretch, when its first sector begins to pass and its last has;
     * may be NULL. */
    void (*passed)(MechWalk *walk, SimTime first, SimTime last,
                   uint32_t count);
    /* out: */
    SimTime seek_ns, rotate_ns; /* of the first positioning */
    MechRest rest;
};

void mech_walk(const DiskPreset *drive, MechWalk *walk);

/* A computed figure, checked against a data sheet. */
double mech_seek_average_ms(const DiskPreset *drive);   /* random cylinders */

#endif
