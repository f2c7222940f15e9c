/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry - drive LBA to cylinder, head, sector and angle, and back.
 * Pure arithmetic over a loaded table; no time, no state.
 *
 * Zones run from the rim (zone 0, cylinder 0) inwards.  Within a zone every
 * track has the same number of sectors.  The angle of a sector includes all
 * skews up to it, so that "the next LBA" on the next track or cylinder
 * passes under the head just after a switch.  Angles are fractions of a
 * turn in 1/2^32, so going round is ordinary wrap-around.
 */
#ifndef DISK_DRIVE_GEOMETRY_H
#define DISK_DRIVE_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "disk-model/world/divide.h"

#define DISK_HEADS_MAX 255
#define DISK_CYLINDERS_MAX 1000000
#define DISK_SECTORS_PER_TRACK_MAX 1000000
#define DISK_ZONE_SIEVE 256

typedef enum DiskMapping {
    DISK_MAP_CYLINDER,          /* heads 0..n-1 on every cylinder */
    DISK_MAP_SERPENTINE,        /* up the heads, then down; reset per zone */
} DiskMapping;

/* Over what a zone's `spare_sectors` are spread, at the end of each piece. */
typedef enum DiskSparing {
    DISK_SPARE_ZONE,
    DISK_SPARE_CYLINDERS,       /* every `spare_cylinders` of them */
    DISK_SPARE_TRACK,
} DiskSparing;

typedef struct DiskZone {
    uint32_t first_cylinder, last_cylinder;
    uint32_t sectors_per_track;
    uint32_t track_skew_sectors;        /* to the next head, same cylinder */
    uint32_t cylinder_skew_sectors;     /* to the next cylinder */
    uint64_t spare_sectors;             /* not addressed: see DiskSparing */
    uint64_t front_sectors;             /* before the zone's first LBA */
    unsigned slips;                     /* bad places, passed over: rising */
    uint64_t *slip;                     /* sectors (tracks) from the start */
    /* computed by disk_geometry_finish(): */
    uint64_t first_lba, lbas;
    uint32_t first_angle;               /* of its first LBA */
    SimDivisor per_track;               /* sectors_per_track */
} DiskZone;

typedef struct DiskGeometry {
    uint32_t heads;
    uint32_t cylinders;
    uint64_t lbas;              /* addressable sectors */
    DiskMapping mapping;
    DiskSparing sparing;
    uint32_t spare_cylinders;
    bool slips_are_tracks;      /* whole tracks are passed over */
    bool as_measured;           /* see disk_geometry_finish() */
    unsigned zones;             /* in use */
    unsigned zones_read;        /* in the table, for whoever frees it */
    DiskZone *zone;             /* owned by the preset */
    /* computed by disk_geometry_finish(): */
    SimDivisor per_cylinder;    /* heads */
    unsigned sift;              /* LBA >> sift: index of zone_at[], the zone */
    uint32_t zone_at[DISK_ZONE_SIEVE];  /* of the first LBA that is there */
} DiskGeometry;

typedef struct DiskPlace {
    unsigned zone;
    uint32_t cylinder, head, sector;    /* sector: 0.. in track */
    uint32_t angle;                     /* where that sector starts */
} DiskPlace;

/*
 * Checks a table (zones contiguous, enough sectors for `lbas` but no zone
 * too many, nothing absurd) and fills the computed fields; on failure
 * returns false, a static sentence in *why and in *where the zone meant, or
 * -1.  What is left over at the end of the last zone is not addressed.
 *
 * A table `as_measured` on a real drive may leave cylinders out between
 * zones and need fewer zones than it has, and `first_angle` is given.
 */
bool disk_geometry_finish(DiskGeometry *geometry, const char **why,
                          int *where);

/* Sectors the zones hold, spares left out; a checked table. */
uint64_t disk_geometry_room(const DiskGeometry *geometry);

/*
 * How many LBAs from `lba` on lie side by side on the track of `place`,
 * which is where it is; 1 to `most`.
 */
uint32_t disk_geometry_run(const DiskGeometry *geometry,
                           const DiskPlace *place, uint64_t lba,
                           uint32_t most);

/* lba < geometry->lbas */
DiskPlace disk_geometry_place(const DiskGeometry *geometry, uint64_t lba);
/* The LBA at a place; false for a spare or out-of-range place. */
bool disk_geometry_lba(const DiskGeometry *geometry, const DiskPlace *place,
                       uint64_t *lba);

#endif
