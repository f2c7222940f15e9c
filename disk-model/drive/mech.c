/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mechanics: arithmetic of getting there.  Whole nanoseconds for time,
 * 1/2^32 turns for angles; each track is found anew from its angle, so
 * rounding never adds up.
 */
#include <glib.h>

#include "disk-model/drive/mech.h"

/*
 * Rounding may put the head a nanosecond or two behind a sector that it
 * would just catch; that is not a lost turn.  The wait is then as much less
 * than none, so that a stream taken up again and again does not fall behind.
 */
#define NEAR_MISS_NS 8

SimTime mech_seek_ns(const DiskPreset *drive, uint32_t distance, bool write)
{
    if (!distance) {
        return 0;
    }
    return drive->seek_ns[distance] + (write ? drive->write_settle_ns : 0);
}

uint32_t mech_angle(const DiskPreset *drive, const MechArm *arm, SimTime when)
{
    uint64_t into;

    g_assert(drive->turn.by == (uint64_t)drive->turn_ns);
    sim_divide(&drive->turn, (uint64_t)when + (uint64_t)arm->phase_ns, &into);
    return (uint32_t)sim_quotient(&drive->turn, into << 32);
}

/* From `when` until `angle` is under the head: less than a turn, and not
 * less than -NEAR_MISS_NS. */
static SimTime wait_for(const DiskPreset *drive, const MechArm *arm,
                        SimTime when, uint32_t angle)
{
    uint64_t ahead = angle - mech_angle(drive, arm, when);
    uint64_t turn = drive->turn_ns;
    SimTime wait;

    ahead &= UINT32_MAX;
    wait = (ahead * turn + UINT32_MAX) >> 32;
    return wait + NEAR_MISS_NS >= drive->turn_ns ? wait - drive->turn_ns
                                                  : wait;
}

/* The first positioning: arm and head move together, the larger counts. */
static SimTime position(const DiskPreset *drive, const MechArm *arm,
                        const DiskPlace *to, bool write)
{
    uint32_t distance = to->cylinder > arm->cylinder
        ? to->cylinder - arm->cylinder : arm->cylinder - to->cylinder;
    SimTime seek = mech_seek_ns(drive, distance, false);
    SimTime move = to->head == arm->head
        ? seek : MAX(seek, drive->head_switch_ns);
    bool moves = distance || to->head != arm->head;

    move = MAX(move, drive->settle_ns);
    return MAX(move + (write && moves ? drive->write_settle_ns : 0), 0);
}

SimTime mech_reach(const DiskPreset *drive, const MechArm *arm,
                   uint64_t sector, bool write)
{
    DiskPlace place = disk_geometry_place(&drive->geometry, sector);

    return position(drive, arm, &place, write);
}

static SimTime passing_ns(const DiskPreset *drive, const DiskPlace *place,
                          uint32_t sectors)
{
    const SimDivisor *spt = &drive->geometry.zone[place->zone].per_track;

    return sim_quotient(spt, (uint64_t)sectors * (uint64_t)drive->turn_ns +
                             spt->by / 2);
}

static void stand_at(MechArm *arm, const DiskPlace *place)
{
    arm->cylinder = place->cylinder;
    arm->head = place->head;
}

/* On to `to` in the course of a transfer; past a slip there is no switch. */
static SimTime next_track(const DiskPreset *drive, const MechArm *arm,
                          const DiskPlace *to)
{
    return to->cylinder != arm->cylinder ? drive->cylinder_switch_ns
        : to->head != arm->head ? drive->head_switch_ns : 0;
}

/*
 * The stretch's end when reading may start in its middle: never later than
 * a turn after the head came down.
 */
static SimTime stretch_end(const DiskPreset *drive, SimTime down,
                           SimTime first, SimTime passing)
{
    SimTime end = first + passing;

    return drive->zero_latency ? MIN(end, down + drive->turn_ns) : end;
}

/* `stop` comes before the stretch [first, last) is through. */
static void stop_inside(const DiskPreset *drive, MechWalk *walk,
                        const DiskPlace *place, SimTime first, uint32_t run)
{
    uint32_t done = 0;

    if (walk->stop > first) {
        uint64_t spt = drive->geometry.zone[place->zone].sectors_per_track;

        /* As many as passing_ns() lets pass in that time. */
        done = sim_quotient(&drive->turn, (uint64_t)(walk->stop - first) *
                                          spt + spt - spt / 2 - 1);
        done = MIN(done, run - 1);
    }
    if (done) {
        SimTime last = first + passing_ns(drive, place, done);

        walk->now = last;
        walk->left.sector += done;
        walk->left.count -= done;
        stand_at(&walk->arm, place);
        walk->rest = (MechRest) { walk->arm, last, true };
        if (walk->passed) {
            walk->passed(walk, first, last, done);
        }
    }
}

void mech_walk(const DiskPreset *drive, MechWalk *walk)
{
    bool positioned = walk->going;

    walk->seek_ns = walk->rotate_ns = 0;
    walk->rest = (MechRest) { walk->arm, walk->now, walk->going };
    while (walk->left.count) {
        DiskPlace place = disk_geometry_place(&drive->geometry,
                                              walk->left.sector);
        uint32_t run = disk_geometry_run(&drive->geometry, &place,
                                         walk->left.sector,
                                         walk->left.count);
        SimTime move = positioned ? next_track(drive, &walk->arm, &place)
            : position(drive, &walk->arm, &place, walk->write);
        SimTime down = walk->now + move;
        SimTime wait = wait_for(drive, &walk->arm, down, place.angle);
        SimTime first = down + wait, last;

        if (!positioned) {
            walk->seek_ns = move;
            walk->rotate_ns = MAX(wait, 0);
            positioned = true;
        }
        last = stretch_end(drive, down, first,
                           passing_ns(drive, &place, run));
        if (down <= walk->stop) {
            stand_at(&walk->arm, &place);
        }
        if (last > walk->stop) {
            stop_inside(drive, walk, &place, first, run);
            return;
        }
        walk->now = last;
        walk->left.sector += run;
        walk->left.count -= run;
        walk->rest = (MechRest) { walk->arm, last, true };
        if (walk->passed) {
            walk->passed(walk, MIN(first, last), last, run);
        }
        if (walk->once) {
            return;
        }
    }
}

MechTime mech_access(const DiskPreset *drive, MechArm *arm, SimTime start,
                     DiskSpan span, bool write)
{
    MechTime time = { .overhead_ns = drive->overhead_ns };
    MechWalk walk = {
        .arm = *arm, .now = start + time.overhead_ns, .left = span,
        .write = write, .stop = SIM_NEVER,
    };

    mech_walk(drive, &walk);
    *arm = walk.arm;
    time.seek_ns = walk.seek_ns;
    time.rotate_ns = walk.rotate_ns;
    time.transfer_ns = walk.now - start - time.overhead_ns - time.seek_ns -
                       time.rotate_ns;
    return time;
}

double mech_seek_average_ms(const DiskPreset *drive)
{
    return disk_seek_average_ms(drive->seek_ns, drive->geometry.cylinders);
}
