/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: every LBA has one place and every place its LBA; the next LBA passes
 * under the head just after a switch, everywhere; a wrong table is refused.
 *
 * Method: all LBAs of a small drive against a walk that counts sectors one
 * by one; samples and all zone edges of the drives that ship; a table of
 * wrong tables.
 */
#include <string.h>

#include "tests/lib/unit.h"

static const char *const ids[] = {
    "atlas10k", "atlas_III", "barracuda", "cheetah4LP", "cheetah9LP",
    "dec_rz26", "hp_c2247a", "hp_c2490a", "hp_c3323a", "ibm18es", "st41601n",
    "dtla307045", "max6l080j4", "sr5400", "st380021a",
    "wd1200jb", "wd2500jb", "wd3000glfs", "wd360gd", "wd5000ys",
};

static void step_track(const DiskGeometry *geometry, DiskPlace *place,
                       bool down)
{
    bool last = place->head == (down ? 0 : geometry->heads - 1);

    if (!last) {
        place->head += down ? -1 : 1;
        return;
    }
    place->cylinder++;
    if (geometry->mapping == DISK_MAP_CYLINDER) {
        place->head = 0;
    }
}

/* The oracle: start at the rim and count. */
START_TEST(every_lba_is_where_counting_finds_it)
{
    DiskPreset *drive = unit_small_drive(_i);
    const DiskGeometry *geometry = &drive->geometry;
    uint64_t lba = 0;

    for (unsigned z = 0; z < geometry->zones; z++) {
        const DiskZone *zone = &geometry->zone[z];
        DiskPlace at = { .zone = z, .cylinder = zone->first_cylinder };
        uint64_t left = (zone->last_cylinder - zone->first_cylinder + 1) *
                        geometry->heads * zone->sectors_per_track;

        for (left -= zone->spare_sectors; left && lba < geometry->lbas;
             left--) {
            DiskPlace place = disk_geometry_place(geometry, lba);
            uint64_t back;

            unit_holds(place.zone == z);
            unit_holds(place.cylinder == at.cylinder);
            unit_holds(place.head == at.head);
            unit_holds(place.sector == at.sector);
            unit_holds(disk_geometry_lba(geometry, &place, &back));
            unit_holds(back == lba);
            lba++;
            if (++at.sector == zone->sectors_per_track) {
                bool odd = (at.cylinder - zone->first_cylinder) % 2;

                at.sector = 0;
                step_track(geometry, &at, odd && geometry->mapping ==
                           DISK_MAP_SERPENTINE);
            }
        }
    }
    unit_holds(lba == geometry->lbas);
    disk_preset_free(drive);
}
END_TEST

/* As many places as LBAs: spares and what is out of range have none. */
START_TEST(only_addressed_places_have_an_lba)
{
    DiskPreset *drive = unit_small_drive(_i);
    const DiskGeometry *geometry = &drive->geometry;
    uint64_t found = 0, lba;
    DiskPlace p = { 0 };

    for (p.zone = 0; p.zone <= geometry->zones; p.zone++) {
        for (p.cylinder = 0; p.cylinder <= geometry->cylinders;
             p.cylinder++) {
            for (p.head = 0; p.head <= geometry->heads; p.head++) {
                for (p.sector = 0; p.sector <= 41; p.sector++) {
                    found += disk_geometry_lba(geometry, &p, &lba);
                }
            }
        }
    }
    unit_holds(found == geometry->lbas);
    disk_preset_free(drive);
}
END_TEST

/* Turns, in 1/2^32, from the end of one LBA to the start of the next. */
static uint32_t gap_after(const DiskGeometry *geometry, uint64_t lba)
{
    DiskPlace a = disk_geometry_place(geometry, lba);
    DiskPlace b = disk_geometry_place(geometry, lba + 1);
    uint32_t spt = geometry->zone[a.zone].sectors_per_track;

    return b.angle - (a.angle + (uint32_t)((UINT64_C(1) << 32) / spt));
}

/* What the table says the gap after `lba` should be, in turns. */
static double gap_expected(const DiskGeometry *geometry, uint64_t lba)
{
    DiskPlace a = disk_geometry_place(geometry, lba);
    DiskPlace b = disk_geometry_place(geometry, lba + 1);
    const DiskZone *zone = &geometry->zone[b.zone];
    double spt = zone->sectors_per_track;

    return a.cylinder != b.cylinder ? zone->cylinder_skew_sectors / spt
         : a.head != b.head ? zone->track_skew_sectors / spt : 0;
}

START_TEST(the_next_lba_follows_at_its_skew)
{
    DiskPreset *drive = unit_small_drive(_i);
    const DiskGeometry *geometry = &drive->geometry;

    for (uint64_t lba = 0; lba + 1 < geometry->lbas; lba++) {
        double gap = (int32_t)(gap_after(geometry, lba) -
                               (uint32_t)(gap_expected(geometry, lba) *
                                          4294967296.0));

        unit_holds(gap >= -4 && gap <= 4);      /* in 1/2^32 of a turn */
    }
    disk_preset_free(drive);
}
END_TEST

static void check_round_trip(const DiskGeometry *geometry, uint64_t lba)
{
    DiskPlace place = disk_geometry_place(geometry, lba);
    const DiskZone *zone = &geometry->zone[place.zone];
    uint64_t back;

    unit_holds(disk_geometry_lba(geometry, &place, &back));
    unit_holds(back == lba);
    unit_holds(lba >= zone->first_lba);
    unit_holds(lba < zone->first_lba + zone->lbas);
    unit_holds(place.head < geometry->heads);
    unit_holds(place.cylinder >= zone->first_cylinder);
    unit_holds(place.cylinder <= zone->last_cylinder);
    unit_holds(place.sector < zone->sectors_per_track);
}

START_TEST(drives_that_ship_go_there_and_back)
{
    DiskPreset *drive = unit_preset(ids[_i]);
    const DiskGeometry *geometry = &drive->geometry;
    Sim *sim = sim_new(1);
    uint64_t next = 0;

    for (unsigned i = 0; i < 100000; i++) {
        check_round_trip(geometry, sim_random(sim, geometry->lbas));
    }
    for (unsigned z = 0; z < geometry->zones; z++) {
        const DiskZone *zone = &geometry->zone[z];

        unit_holds(zone->first_lba == next);
        next += zone->lbas;
        check_round_trip(geometry, zone->first_lba);
        check_round_trip(geometry, next - 1);
    }
    unit_holds(next == geometry->lbas);
    sim_free(sim);
    disk_preset_free(drive);
}
END_TEST

/* --- wrong tables ------------------------------------------------------ */

#define ZONE(first, last, spt, track_skew, cylinder_skew, spare) {           \
        .first_cylinder = (first), .last_cylinder = (last),                 \
        .sectors_per_track = (spt), .track_skew_sectors = (track_skew),     \
        .cylinder_skew_sectors = (cylinder_skew), .spare_sectors = (spare) }

static const struct {
    DiskZone zone[2];
    uint32_t heads, cylinders;
    uint64_t lbas;
    int where;
    const char *why;
} wrong[] = {
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(6, 9, 10, 0, 0, 0) },
      2, 10, 100, 1, "leaves cylinders out" },
    { { ZONE(0, 5, 10, 0, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      2, 10, 150, 1, "overlaps" },
    { { ZONE(1, 4, 10, 0, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      2, 10, 150, 0, "does not start at cylinder 0" },
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(5, 3, 10, 0, 0, 0) },
      2, 10, 150, 1, "ends before it starts" },
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(5, 10, 10, 0, 0, 0) },
      2, 10, 150, 1, "beyond the last cylinder" },
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(5, 8, 10, 0, 0, 0) },
      2, 10, 150, 1, "ends too early" },
    { { ZONE(0, 4, 0, 0, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      2, 10, 150, 0, "sectors per track" },
    { { ZONE(0, 4, 10, 10, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      2, 10, 150, 0, "skew" },
    { { ZONE(0, 4, 10, 0, 0, 100), ZONE(5, 9, 10, 0, 0, 0) },
      2, 10, 150, 0, "are spare" },
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      2, 10, 201, -1, "more sectors than" },
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      2, 10, 100, 1, "do not need this zone" },
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      0, 10, 100, -1, "heads" },
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      2, 0, 100, -1, "cylinders" },
    { { ZONE(0, 4, 10, 0, 0, 0), ZONE(5, 9, 10, 0, 0, 0) },
      2, 10, 0, -1, "no sectors" },
    { { ZONE(0, UINT32_MAX, 10, 0, 0, 0),
        ZONE(0, 9, 10, 0, 0, 0) },
      2, 10, 100, 0, "beyond the last cylinder" },
};

/* --- tables as measured -------------------------------------------------- */

static uint64_t slips[] = { 3, 4, 57, 119, 120, 200 };

static const struct {
    DiskSparing sparing;
    uint32_t spare_cylinders;
    bool slips_are_tracks;
    unsigned slips;
    uint64_t spare, front;
} schemes[] = {
    { DISK_SPARE_ZONE, 0, false, 6, 30, 0 },
    { DISK_SPARE_ZONE, 0, false, 6, 30, 17 },
    { DISK_SPARE_ZONE, 0, true, 2, 40, 20 },
    { DISK_SPARE_CYLINDERS, 2, false, 6, 7, 0 },
    { DISK_SPARE_CYLINDERS, 1, false, 6, 9, 5 },
    { DISK_SPARE_TRACK, 0, false, 0, 1, 12 },
};

/* Two heads, ten sectors a track; cylinders 10 and 11 are the drive's own. */
START_TEST(measured_tables_skip_slips_spares_and_cylinders)
{
    DiskZone zone[2] = { ZONE(0, 9, 10, 2, 3, schemes[_i].spare),
                         ZONE(12, 15, 10, 2, 3, schemes[_i].spare) };
    DiskGeometry geometry = {
        .heads = 2, .cylinders = 16, .zones = 2, .zone = zone,
        .sparing = schemes[_i].sparing, .as_measured = true,
        .spare_cylinders = schemes[_i].spare_cylinders,
        .slips_are_tracks = schemes[_i].slips_are_tracks, .lbas = 1,
    };
    uint64_t last = 0, seen = 0;
    const char *why;
    int where;

    zone[0].slip = slips;
    zone[0].slips = schemes[_i].slips;
    zone[0].front_sectors = schemes[_i].front;
    geometry.lbas = disk_geometry_room(&geometry);
    ck_assert(disk_geometry_finish(&geometry, &why, &where));
    for (uint64_t lba = 0; lba < geometry.lbas; lba++) {
        DiskPlace at = disk_geometry_place(&geometry, lba);
        uint64_t here = (at.cylinder * 2 + at.head) * 10 + at.sector, back;
        uint32_t run = disk_geometry_run(&geometry, &at, lba, 100);

        unit_holds(!lba || here > last);
        for (unsigned i = 0; !at.zone && i < schemes[_i].slips; i++) {
            unit_holds(slips[i] != (schemes[_i].slips_are_tracks
                                    ? here / 10 : here));
        }
        unit_holds(at.cylinder < 10 || at.cylinder >= 12);
        unit_holds(disk_geometry_lba(&geometry, &at, &back));
        unit_holds(back == lba);
        unit_holds(run >= 1 && at.sector + run <= 10);
        if (run > 1) {
            DiskPlace next = disk_geometry_place(&geometry, lba + run - 1);

            unit_holds(next.head == at.head && next.sector == at.sector +
                                                              run - 1);
        }
        last = here;
    }
    /* And what bears none is counted: nothing is lost between. */
    for (uint32_t c = 0; c < 16; c++) {
        for (uint32_t n = 0; n < 20; n++) {
            DiskPlace p = { .zone = c > 9, .cylinder = c, .head = n / 10,
                            .sector = n % 10 };
            uint64_t lba;

            seen += disk_geometry_lba(&geometry, &p, &lba);
        }
    }
    ck_assert_uint_eq(seen, geometry.lbas);
}
END_TEST

/* Counting by hand: sectors 3 and 4 are bad, so LBA 3 is sector 5. */
START_TEST(a_slip_pushes_what_follows_by_one)
{
    DiskZone zone[1] = { ZONE(0, 9, 10, 2, 3, 30) };
    DiskGeometry geometry = {
        .heads = 2, .cylinders = 10, .zones = 1, .zone = zone,
        .as_measured = true, .lbas = 170,
    };
    const char *why;
    int where;

    zone[0].slip = slips;
    zone[0].slips = 6;
    ck_assert(disk_geometry_finish(&geometry, &why, &where));
    ck_assert_uint_eq(disk_geometry_place(&geometry, 2).sector, 2);
    ck_assert_uint_eq(disk_geometry_place(&geometry, 3).sector, 5);
    ck_assert_uint_eq(disk_geometry_place(&geometry, 54).sector, 6);
    ck_assert_uint_eq(disk_geometry_place(&geometry, 55).sector, 8);
}
END_TEST

START_TEST(a_wrong_table_is_refused)
{
    DiskZone zone[2];
    DiskGeometry geometry = {
        .heads = wrong[_i].heads, .cylinders = wrong[_i].cylinders,
        .lbas = wrong[_i].lbas, .zones = 2, .zone = zone,
    };
    const char *why = NULL;
    int where = -2;

    memcpy(zone, wrong[_i].zone, sizeof(zone));
    ck_assert(!disk_geometry_finish(&geometry, &why, &where));
    ck_assert_msg(strstr(why, wrong[_i].why) != NULL, "%s", why);
    ck_assert_int_eq(where, wrong[_i].where);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry");
    TCase *tc = tcase_create("geometry");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_lba_is_where_counting_finds_it, 0, 2);
    tcase_add_loop_test(tc, only_addressed_places_have_an_lba, 0, 2);
    tcase_add_loop_test(tc, the_next_lba_follows_at_its_skew, 0, 2);
    tcase_add_loop_test(tc, drives_that_ship_go_there_and_back, 0,
                        G_N_ELEMENTS(ids));
    tcase_add_loop_test(tc, measured_tables_skip_slips_spares_and_cylinders,
                        0, G_N_ELEMENTS(schemes));
    tcase_add_test(tc, a_slip_pushes_what_follows_by_one);
    tcase_add_loop_test(tc, a_wrong_table_is_refused, 0,
                        G_N_ELEMENTS(wrong));
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
