/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry: where an LBA is.
 *
 * Tracks are numbered within a zone in the order the LBAs use them; the
 * start of a track is turned against the one before it by the track skew,
 * or by the cylinder skew when the arm must move.  A zone's first track is
 * turned by its own cylinder skew against the end of the last LBA of the
 * zone before, so that skews add up without a gap from the rim to the hub.
 */
#include <glib.h>

#include "disk-model/drive/geometry.h"

#define TURN (UINT64_C(1) << 32)

/* A place within a zone, tracks and cylinders counted from its first. */
typedef struct Spot {
    uint64_t track, cylinder, head, sector;
} Spot;

static Spot spot_of(const DiskGeometry *geometry, const DiskZone *zone,
                    uint64_t offset)
{
    Spot spot;

    spot.track = sim_divide(&zone->per_track, offset, &spot.sector);
    spot.cylinder = sim_divide(&geometry->per_cylinder, spot.track,
                               &spot.head);
    return spot;
}

/* Sectors by which its track is turned against the zone's first. */
static uint64_t skew_sectors(const DiskZone *zone, const Spot *spot)
{
    uint64_t head_changes = spot->track - spot->cylinder;

    return spot->cylinder * zone->cylinder_skew_sectors +
           head_changes * zone->track_skew_sectors;
}

static uint32_t sector_angle(const DiskZone *zone, const Spot *spot)
{
    uint64_t turned = skew_sectors(zone, spot) + spot->sector;

    /* Whole turns vanish in the angle by themselves, if they fit. */
    if (turned >= TURN) {
        turned %= zone->sectors_per_track;
    }
    return zone->first_angle +
           (uint32_t)sim_quotient(&zone->per_track, turned * TURN);
}

static uint64_t zone_tracks(const DiskGeometry *geometry,
                            const DiskZone *zone)
{
    return ((uint64_t)zone->last_cylinder - zone->first_cylinder + 1) *
           geometry->heads;
}

/* The angle at which the zone's last LBA has passed. */
static uint32_t end_angle(const DiskGeometry *geometry, const DiskZone *zone)
{
    Spot last = spot_of(geometry, zone, zone->lbas - 1);

    return sector_angle(zone, &last) +
           (uint32_t)(TURN / zone->sectors_per_track);
}

/* Sectors of the piece at whose end the spares are; 0: the whole zone. */
static uint64_t piece_sectors(const DiskGeometry *geometry,
                              const DiskZone *zone)
{
    switch (geometry->sparing) {
    case DISK_SPARE_TRACK:
        return zone->sectors_per_track;
    case DISK_SPARE_CYLINDERS:
        return (uint64_t)zone->sectors_per_track * geometry->heads *
               geometry->spare_cylinders;
    case DISK_SPARE_ZONE:
        break;
    }
    return 0;
}

static uint64_t zone_room(const DiskGeometry *geometry, const DiskZone *zone)
{
    uint64_t all = zone_tracks(geometry, zone) * zone->sectors_per_track;
    uint64_t piece = piece_sectors(geometry, zone);
    uint64_t pieces = piece ? all / piece : 1;

    return all - pieces * zone->spare_sectors - zone->front_sectors;
}

uint64_t disk_geometry_room(const DiskGeometry *geometry)
{
    uint64_t room = 0;

    for (unsigned i = 0; i < geometry->zones; i++) {
        room += zone_room(geometry, &geometry->zone[i]);
    }
    return room;
}

static bool has_room(const DiskGeometry *geometry, const DiskZone *zone)
{
    uint64_t all = zone_tracks(geometry, zone) * zone->sectors_per_track;
    uint64_t piece = piece_sectors(geometry, zone);
    uint64_t pieces = piece ? all / piece : 1;

    return zone->spare_sectors < (piece ? piece : all) &&
           pieces * zone->spare_sectors + zone->front_sectors < all;
}

/* No good sector may be pushed out of its piece. */
static bool spares_suffice(const DiskGeometry *geometry,
                           const DiskZone *zone)
{
    uint64_t piece = piece_sectors(geometry, zone);
    uint64_t unit = geometry->slips_are_tracks ? zone->sectors_per_track : 1;
    uint64_t used = 0;

    for (unsigned i = 0; i < zone->slips; i++) {
        bool same = i && (!piece ||
                          zone->slip[i] / piece == zone->slip[i - 1] / piece);

        used = (same ? used : 0) + unit;
        if (used > zone->spare_sectors) {
            return false;
        }
    }
    return true;
}

static const char *zone_problem(const DiskGeometry *geometry, unsigned index)
{
    const DiskZone *zone = &geometry->zone[index];
    uint32_t due = index ? zone[-1].last_cylinder + 1 : 0;

    if (zone->first_cylinder > due && !(index && geometry->as_measured)) {
        return index ? "leaves cylinders out; the cylinder after the zone "
                       "before is right"
                     : "does not start at cylinder 0";
    }
    if (zone->first_cylinder < due) {
        return "overlaps the zone before; the cylinder after it is right";
    }
    if (zone->last_cylinder < zone->first_cylinder) {
        return "ends before it starts";
    }
    if (zone->last_cylinder >= geometry->cylinders) {
        return "goes beyond the last cylinder of the drive";
    }
    if (!zone->sectors_per_track ||
        zone->sectors_per_track > DISK_SECTORS_PER_TRACK_MAX) {
        return "sectors per track are wrong; 1 to 1000000 are right";
    }
    if (zone->track_skew_sectors >= zone->sectors_per_track ||
        zone->cylinder_skew_sectors >= zone->sectors_per_track) {
        return "a skew is a whole track or more; less is right";
    }
    if (!has_room(geometry, zone)) {
        return "all sectors are spare; fewer are right";
    }
    for (unsigned i = 1; i < zone->slips; i++) {
        if (zone->slip[i] <= zone->slip[i - 1]) {
            return "slips do not rise; rising ones are right";
        }
    }
    if (!spares_suffice(geometry, zone)) {
        return "has more slips than spares; fewer are right";
    }
    return NULL;
}

static const char *table_problem(const DiskGeometry *geometry, int *where)
{
    *where = -1;
    if (!geometry->heads || geometry->heads > DISK_HEADS_MAX) {
        return "heads are not from 1 to 255";
    }
    if (!geometry->cylinders || geometry->cylinders > DISK_CYLINDERS_MAX) {
        return "cylinders are not from 1 to 1000000";
    }
    if (!geometry->zones || !geometry->lbas) {
        return "there are no zones, or no sectors";
    }
    for (unsigned i = 0; i < geometry->zones; i++) {
        const char *problem = zone_problem(geometry, i);

        if (problem) {
            *where = i;
            return problem;
        }
    }
    if (geometry->zone[geometry->zones - 1].last_cylinder + 1 !=
        geometry->cylinders) {
        *where = geometry->zones - 1;
        return "ends too early; the last cylinder of the drive is right";
    }
    return NULL;
}

/* The zone starts at `first`, just behind something that ends at `angle`. */
static void start_zone(const DiskGeometry *geometry, DiskZone *zone,
                       uint64_t first, uint32_t angle)
{
    uint64_t room = zone_room(geometry, zone);
    uint64_t skew = zone->cylinder_skew_sectors * TURN /
                    zone->sectors_per_track;

    zone->per_track = sim_divisor(zone->sectors_per_track);
    zone->first_lba = first;
    zone->lbas = MIN(room, geometry->lbas - first);
    if (geometry->as_measured) {
        return;
    }
    zone->first_angle = first ? angle + (uint32_t)skew : 0;
}

/* So that finding an LBA's zone is a look and, near a border, a step. */
static void fill_sieve(DiskGeometry *geometry)
{
    unsigned zone = 0;

    geometry->sift = 0;
    while ((geometry->lbas - 1) >> geometry->sift >= DISK_ZONE_SIEVE) {
        geometry->sift++;
    }
    for (uint64_t i = 0; i < DISK_ZONE_SIEVE; i++) {
        while (zone + 1 < geometry->zones &&
               geometry->zone[zone + 1].first_lba <= i << geometry->sift) {
            zone++;
        }
        geometry->zone_at[i] = zone;
    }
}

bool disk_geometry_finish(DiskGeometry *geometry, const char **why,
                          int *where)
{
    uint64_t first = 0;
    uint32_t angle = 0;

    *why = table_problem(geometry, where);
    if (*why) {
        return false;
    }
    geometry->per_cylinder = sim_divisor(geometry->heads);
    for (unsigned i = 0; i < geometry->zones; i++) {
        DiskZone *zone = &geometry->zone[i];

        if (first >= geometry->lbas && geometry->as_measured) {
            geometry->zones = i;
            break;
        }
        if (first >= geometry->lbas) {
            *why = "that many sectors do not need this zone; fewer zones or "
                   "more sectors are right";
            *where = i;
            return false;
        }
        start_zone(geometry, zone, first, angle);
        angle = end_angle(geometry, zone);
        first += zone->lbas;
    }
    if (first < geometry->lbas) {
        *why = "more sectors than the zones hold";
        return false;
    }
    fill_sieve(geometry);
    return true;
}

static unsigned zone_of(const DiskGeometry *geometry, uint64_t lba)
{
    unsigned zone = geometry->zone_at[lba >> geometry->sift];

    while (zone + 1 < geometry->zones &&
           geometry->zone[zone + 1].first_lba <= lba) {
        zone++;
    }
    return zone;
}

/* Serpentine: every second cylinder of a zone is used from the last head. */
static uint32_t head_in_turn(const DiskGeometry *geometry, uint32_t cylinder,
                             uint32_t nth)
{
    bool down = geometry->mapping == DISK_MAP_SERPENTINE && cylinder % 2;

    return down ? geometry->heads - 1 - nth : nth;
}

/* The first slip that is not before `from`. */
static unsigned slip_from(const DiskZone *zone, uint64_t from)
{
    unsigned low = 0, high = zone->slips;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (zone->slip[middle] < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Slips from the `first` on that push the `nth` good unit after `base`. */
static uint64_t pushed_by(const DiskZone *zone, unsigned first,
                          uint64_t base, uint64_t nth)
{
    unsigned low = first, high = zone->slips;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (zone->slip[middle] - base <= nth + (middle - first)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - first;
}

/* From a zone's LBA, counted from its first, to its sector on the platter. */
static uint64_t offset_on_platter(const DiskGeometry *geometry,
                                  const DiskZone *zone, uint64_t offset)
{
    uint64_t piece = piece_sectors(geometry, zone), good, base, nth;
    uint64_t spt = zone->sectors_per_track;

    offset += zone->front_sectors;
    if (geometry->slips_are_tracks) {
        return offset + pushed_by(zone, 0, 0, offset / spt) * spt;
    }
    if (!piece) {
        return offset + pushed_by(zone, 0, 0, offset);
    }
    good = piece - zone->spare_sectors;
    base = offset / good * piece;
    nth = offset % good;
    return base + nth + pushed_by(zone, slip_from(zone, base), base, nth);
}

/* And back; false for what bears no LBA. */
static bool offset_of_lba(const DiskGeometry *geometry, const DiskZone *zone,
                          uint64_t at, uint64_t *offset)
{
    uint64_t piece = piece_sectors(geometry, zone);
    uint64_t spt = zone->sectors_per_track;
    uint64_t unit = geometry->slips_are_tracks ? at / spt : at;
    unsigned next = slip_from(zone, unit);
    uint64_t base = piece ? at / piece * piece : 0;

    if (next < zone->slips && zone->slip[next] == unit) {
        return false;
    }
    if (geometry->slips_are_tracks) {
        at -= next * spt;
    } else {
        at -= next - (base ? slip_from(zone, base) : 0);
    }
    if (piece) {
        uint64_t good = piece - zone->spare_sectors;

        if (at - base >= good) {
            return false;
        }
        at = base / piece * good + (at - base);
    }
    if (at < zone->front_sectors || at - zone->front_sectors >= zone->lbas) {
        return false;
    }
    *offset = at - zone->front_sectors;
    return true;
}

uint32_t disk_geometry_run(const DiskGeometry *geometry,
                           const DiskPlace *place, uint64_t lba,
                           uint32_t most)
{
    const DiskZone *zone = &geometry->zone[place->zone];
    uint64_t spt = zone->sectors_per_track;
    uint64_t run = MIN(spt - place->sector,
                       zone->first_lba + zone->lbas - lba);

    run = MIN(run, most);
    if (zone->slips || geometry->sparing != DISK_SPARE_ZONE) {
        uint64_t offset = lba - zone->first_lba;
        uint64_t here = offset_on_platter(geometry, zone, offset);
        uint64_t low = 1, high = run;

        /* Without a gap the last one is as far on as its number says. */
        while (low < high) {
            uint64_t middle = (low + high + 1) / 2;

            if (offset_on_platter(geometry, zone, offset + middle - 1) ==
                here + middle - 1) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        run = low;
    }
    return run;
}

DiskPlace disk_geometry_place(const DiskGeometry *geometry, uint64_t lba)
{
    unsigned index = zone_of(geometry, lba);
    const DiskZone *zone = &geometry->zone[index];
    Spot spot = spot_of(geometry, zone,
                        offset_on_platter(geometry, zone,
                                          lba - zone->first_lba));

    return (DiskPlace) {
        .zone = index,
        .cylinder = zone->first_cylinder + spot.cylinder,
        .head = head_in_turn(geometry, spot.cylinder, spot.head),
        .sector = spot.sector,
        .angle = sector_angle(zone, &spot),
    };
}

bool disk_geometry_lba(const DiskGeometry *geometry, const DiskPlace *place,
                       uint64_t *lba)
{
    const DiskZone *zone;
    uint64_t track, offset;
    uint32_t cylinder;

    if (place->zone >= geometry->zones || place->head >= geometry->heads) {
        return false;
    }
    zone = &geometry->zone[place->zone];
    if (place->cylinder < zone->first_cylinder ||
        place->cylinder > zone->last_cylinder ||
        place->sector >= zone->sectors_per_track) {
        return false;
    }
    cylinder = place->cylinder - zone->first_cylinder;
    track = (uint64_t)cylinder * geometry->heads +
            head_in_turn(geometry, cylinder, place->head);
    if (!offset_of_lba(geometry, zone,
                       track * zone->sectors_per_track + place->sector,
                       &offset)) {
        return false;
    }
    *lba = zone->first_lba + offset;
    return true;
}
