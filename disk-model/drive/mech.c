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
 * would just catch; that is not a lost turn.
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
    uint64_t turn = drive->turn_ns;
    uint64_t into = ((uint64_t)when + (uint64_t)arm->phase_ns) % turn;

    return (uint32_t)((into << 32) / turn);
}

/* From `when` until `angle` is under the head; in [0, one turn). */
static SimTime wait_for(const DiskPreset *drive, const MechArm *arm,
                        SimTime when, uint32_t angle)
{
    uint64_t ahead = angle - mech_angle(drive, arm, when);
    uint64_t turn = drive->turn_ns;
    SimTime wait;

    ahead &= UINT32_MAX;
    wait = (ahead * turn + UINT32_MAX) >> 32;
    return wait + NEAR_MISS_NS >= drive->turn_ns ? 0 : wait;
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

    return move + (write && moves ? drive->write_settle_ns : 0);
}

/* Sectors from `place` to the end of its track, or of its zone, or `most`. */
static uint32_t run_sectors(const DiskGeometry *geometry,
                            const DiskPlace *place, uint64_t lba,
                            uint32_t most)
{
    const DiskZone *zone = &geometry->zone[place->zone];
    uint64_t zone_left = zone->first_lba + zone->lbas - lba;
    uint32_t track_left = zone->sectors_per_track - place->sector;

    return MIN(MIN(track_left, zone_left), most);
}

static SimTime passing_ns(const DiskPreset *drive, const DiskPlace *place,
                          uint32_t sectors)
{
    uint64_t spt = drive->geometry.zone[place->zone].sectors_per_track;

    return ((uint64_t)sectors * (uint64_t)drive->turn_ns + spt / 2) / spt;
}

static void stand_at(MechArm *arm, const DiskPlace *place)
{
    arm->cylinder = place->cylinder;
    arm->head = place->head;
}

MechTime mech_access(const DiskPreset *drive, MechArm *arm, SimTime start,
                     DiskSpan span, bool write)
{
    const DiskGeometry *geometry = &drive->geometry;
    DiskPlace place = disk_geometry_place(geometry, span.sector);
    MechTime time = { .overhead_ns = drive->overhead_ns };
    SimTime now, first;

    time.seek_ns = position(drive, arm, &place, write);
    now = start + time.overhead_ns + time.seek_ns;
    time.rotate_ns = wait_for(drive, arm, now, place.angle);
    first = now += time.rotate_ns;
    stand_at(arm, &place);

    for (;;) {
        uint32_t run = run_sectors(geometry, &place, span.sector, span.count);

        now += passing_ns(drive, &place, run);
        span.sector += run;
        span.count -= run;
        if (!span.count) {
            break;
        }
        place = disk_geometry_place(geometry, span.sector);
        now += place.cylinder != arm->cylinder ? drive->cylinder_switch_ns
                                               : drive->head_switch_ns;
        now += wait_for(drive, arm, now, place.angle);
        stand_at(arm, &place);
    }
    time.transfer_ns = now - first;
    return time;
}

double mech_seek_average_ms(const DiskPreset *drive)
{
    return disk_seek_average_ms(drive->seek_ns, drive->geometry.cylinders);
}

double mech_media_rate(const DiskPreset *drive, unsigned zone)
{
    return drive->geometry.zone[zone].sectors_per_track * 512.0 *
           1e9 / drive->turn_ns;
}
