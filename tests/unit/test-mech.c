/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: seeks take the published times, the platter turns without drift, a
 * stream loses no turn that its skew should save, and loses one that it
 * should not.
 *
 * Method: published points of published curves; properties over random
 * accesses; sums done by hand on a small drive.
 */
#include <math.h>

#include "disk-model/drive/mech.h"
#include "tests/lib/unit.h"

/* Id, then rim and hub rate (1e6 bytes/s) the zones were made for. */
static const struct {
    const char *id;
    double rim, hub;
} shipped[] = {
    { "dtla307045", 37.0, 19.0 },
    { "max6l080j4", 43.5, 25.0 },
    { "sr5400", 28.8, 15.5 },
    { "st380021a", 42.5, 23.5 },
    { "wd1200jb", 50.0, 29.0 },
    { "wd2500jb", 59.0, 32.0 },
    { "wd3000glfs", 120.0, 77.0 },
    { "wd360gd", 57.0, 41.0 },
    { "wd5000ys", 64.0, 34.0 },
};

#define ATA_DRIVES G_N_ELEMENTS(shipped)

static void near(double value, double expect, double tolerance)
{
    ck_assert_msg(fabs(value - expect) <= tolerance, "%.6f is not %.6f",
                  value, expect);
}

/* --- seek -------------------------------------------------------------- */

/* HP 97560: Ruemmler & Wilkes 1994. */
START_TEST(two_part_curve_gives_published_points)
{
    DiskSeekCurve curve = { .form = DISK_SEEK_TWO_PART, .a = 3.24, .b = 0.4,
        .c = 8.0, .e = 0.008, .knee_cylinders = 383 };

    near(disk_seek_ms(&curve, 1), 3.64, 1e-9);
    near(disk_seek_ms(&curve, 100), 7.24, 1e-9);
    near(disk_seek_ms(&curve, 382), 3.24 + 0.4 * sqrt(382), 1e-9);
    near(disk_seek_ms(&curve, 383), 11.064, 1e-9);
    near(disk_seek_ms(&curve, 1961), 23.688, 1e-9);
}
END_TEST

/* HP C2247A, whose first ten distances are given one by one. */
START_TEST(first_distances_take_precedence)
{
    uint32_t distance[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    double ms[] = { 2.89, 3.68, 3.81, 3.98, 4.27, 4.65, 4.52, 4.65, 4.82,
                    4.99 };
    DiskSeekCurve curve = { .form = DISK_SEEK_TWO_PART, .a = 3.81, .b = 0.33,
        .c = 7.75, .e = 0.0059, .knee_cylinders = 300, .points = 10,
        .distance = distance, .ms = ms };
    uint32_t table[2051];
    const char *why;

    for (unsigned i = 0; i < 10; i++) {
        near(disk_seek_ms(&curve, i + 1), ms[i], 1e-9);
    }
    near(disk_seek_ms(&curve, 16), 3.81 + 0.33 * 4, 1e-9);
    ck_assert(disk_seek_tabulate(&curve, 2051, table, &why));
    ck_assert_int_eq(table[0], 0);
    ck_assert_int_eq(table[7], 4520000);
}
END_TEST

START_TEST(table_is_straight_between_and_beyond_points)
{
    uint32_t distance[] = { 1, 11, 31 };
    double ms[] = { 1.0, 2.0, 6.0 };
    DiskSeekCurve curve = { .form = DISK_SEEK_TABLE, .points = 3,
        .distance = distance, .ms = ms };

    near(disk_seek_ms(&curve, 1), 1.0, 1e-9);
    near(disk_seek_ms(&curve, 6), 1.5, 1e-9);
    near(disk_seek_ms(&curve, 11), 2.0, 1e-9);
    near(disk_seek_ms(&curve, 12), 2.2, 1e-9);
    near(disk_seek_ms(&curve, 31), 6.0, 1e-9);
    near(disk_seek_ms(&curve, 41), 8.0, 1e-9);
    curve.points = 1;
    near(disk_seek_ms(&curve, 41), 1.0, 1e-9);
}
END_TEST

START_TEST(data_sheet_curve_returns_its_three_numbers)
{
    DiskPreset *drive = unit_preset(shipped[_i].id);
    uint32_t cylinders = drive->geometry.cylinders;
    DiskSeekCurve curve;
    double full;

    /* Any three sensible numbers, on a real number of cylinders. */
    disk_seek_from_sheet(&curve, 1.5, 8.0, 17.0, cylinders);
    near(disk_seek_ms(&curve, 1), 1.5, 1e-9);
    near(disk_seek_ms(&curve, cylinders - 1), 17.0, 0.01);

    full = mech_seek_ns(drive, cylinders - 1, false) / 1e6;
    near(mech_seek_average_ms(drive), drive->seek_average_ms, 0.002);
    ck_assert_double_gt(full, drive->seek_average_ms);
    ck_assert_int_eq(mech_seek_ns(drive, 0, true), 0);
    ck_assert_int_eq(mech_seek_ns(drive, 5, true),
                     mech_seek_ns(drive, 5, false) + drive->write_settle_ns);
    disk_preset_free(drive);
}
END_TEST

/* --- rotation ---------------------------------------------------------- */

START_TEST(the_platter_turns_without_drift)
{
    DiskPreset *drive = unit_preset("sr5400");
    MechArm arm = { .phase_ns = 4567 };
    SimTime turn = drive->turn_ns;

    ck_assert_int_eq(turn, 11111111);
    for (unsigned i = 0; i < 10000; i++) {
        SimTime t = (SimTime)i * 1111;

        unit_holds(mech_angle(drive, &arm, t) ==
                   mech_angle(drive, &arm, t + turn * 77760000));
    }
    ck_assert_uint_eq(mech_angle(drive, &arm, turn - 4567), 0);
    disk_preset_free(drive);
}
END_TEST

/* At the end of the wait the sector asked for is under the head. */
START_TEST(rotation_ends_at_the_sector)
{
    DiskPreset *drive = unit_preset(shipped[_i].id);
    const DiskGeometry *geometry = &drive->geometry;
    Sim *sim = sim_new(_i);
    MechArm arm = { .phase_ns = 1234567 };
    SimTime now = 0;

    for (unsigned i = 0; i < 20000; i++) {
        DiskSpan span = { sim_random(sim, geometry->lbas), 1 };
        DiskPlace place = disk_geometry_place(geometry, span.sector);
        MechTime t = mech_access(drive, &arm, now, span, i % 2);
        SimTime start = now + t.overhead_ns + t.seek_ns + t.rotate_ns;
        int32_t off = mech_angle(drive, &arm, start) - place.angle;
        double off_ns = off / 4294967296.0 * drive->turn_ns;

        unit_holds(t.rotate_ns >= 0 && t.rotate_ns < drive->turn_ns);
        unit_holds(off_ns > -10 && off_ns < 10);
        unit_holds(arm.cylinder == place.cylinder && arm.head == place.head);
        now = start + t.transfer_ns + (SimTime)sim_random(sim, SIM_MS(3));
    }
    sim_free(sim);
    disk_preset_free(drive);
}
END_TEST

/* --- positioning ------------------------------------------------------- */

START_TEST(the_larger_of_seek_and_head_switch_counts)
{
    DiskPreset *drive = unit_small_drive(DISK_MAP_CYLINDER);
    MechArm arm = { 0 };
    MechTime t;

    /* Cylinder 0, head 1: a head switch; a write settles. */
    t = mech_access(drive, &arm, 0, (DiskSpan) { 40, 1 }, false);
    ck_assert_int_eq(t.seek_ns, SIM_US(500));
    arm.head = 0;
    t = mech_access(drive, &arm, 0, (DiskSpan) { 40, 1 }, true);
    ck_assert_int_eq(t.seek_ns, SIM_US(750));
    /* There already: neither moves nor settles. */
    t = mech_access(drive, &arm, 0, (DiskSpan) { 50, 1 }, true);
    ck_assert_int_eq(t.seek_ns, 0);
    /* Cylinder 3, head 2: 1.1 + 2 * 0.1 ms is more than the switch. */
    t = mech_access(drive, &arm, 0, (DiskSpan) { 14 * 40, 1 }, false);
    ck_assert_int_eq(t.seek_ns, SIM_US(1300));
    drive->head_switch_ns = SIM_MS(2);
    arm = (MechArm) { 0 };
    t = mech_access(drive, &arm, 0, (DiskSpan) { 14 * 40, 1 }, false);
    ck_assert_int_eq(t.seek_ns, SIM_MS(2));
    ck_assert_int_eq(t.overhead_ns, SIM_US(100));
    disk_preset_free(drive);
}
END_TEST

/* --- transfer ---------------------------------------------------------- */

START_TEST(a_whole_track_takes_one_turn)
{
    DiskPreset *drive = unit_preset(shipped[_i].id);
    MechArm arm = { 0 };

    for (unsigned z = 0; z < drive->geometry.zones; z++) {
        const DiskZone *zone = &drive->geometry.zone[z];
        DiskSpan track = { zone->first_lba, zone->sectors_per_track };
        MechTime t = mech_access(drive, &arm, 0, track, false);

        ck_assert_int_eq(t.transfer_ns, drive->turn_ns);
    }
    disk_preset_free(drive);
}
END_TEST

/* The ideal for two LBAs on either side of a switch: they pass, and the
 * skew between them. */
static double ideal_ns(const DiskGeometry *geometry, SimTime turn,
                       uint64_t lba)
{
    DiskPlace a = disk_geometry_place(geometry, lba);
    DiskPlace b = disk_geometry_place(geometry, lba + 1);
    const DiskZone *from = &geometry->zone[a.zone];
    const DiskZone *to = &geometry->zone[b.zone];
    uint32_t skew = a.cylinder != b.cylinder ? to->cylinder_skew_sectors
                                             : to->track_skew_sectors;

    return turn * (1.0 / from->sectors_per_track +
                   (1.0 + skew) / to->sectors_per_track);
}

static void check_boundary(const DiskPreset *drive, uint64_t lba)
{
    MechArm arm = { 0 };
    MechTime t = mech_access(drive, &arm, 999, (DiskSpan) { lba, 2 }, false);
    double more = t.transfer_ns -
                  ideal_ns(&drive->geometry, drive->turn_ns, lba);

    if (fabs(more) > 10) {
        ck_abort_msg("%s: LBA %ju and the next: %.0f ns more than the skew",
                     drive->id, (uintmax_t)lba, more);
    }
}

START_TEST(no_switch_loses_a_turn)
{
    DiskPreset *drive = unit_preset(shipped[_i].id);
    const DiskGeometry *geometry = &drive->geometry;
    Sim *sim = sim_new(1);

    for (unsigned z = 0; z < geometry->zones; z++) {
        const DiskZone *zone = &geometry->zone[z];
        uint64_t tracks = zone->lbas / zone->sectors_per_track;

        for (unsigned i = 0; i < 2000; i++) {
            uint64_t track = i < 50 ? i : sim_random(sim, tracks - 1);

            check_boundary(drive, zone->first_lba +
                           (track + 1) * zone->sectors_per_track - 1);
        }
        if (z + 1 < geometry->zones) {
            check_boundary(drive, zone->first_lba + zone->lbas - 1);
        }
    }
    sim_free(sim);
    disk_preset_free(drive);
}
END_TEST

START_TEST(too_little_skew_loses_a_turn)
{
    DiskPreset *drive = unit_small_drive(_i);
    DiskGeometry *geometry = &drive->geometry;
    DiskSpan span = { 39, 2 };
    MechArm arm = { 0 };
    const char *why;
    int where;
    MechTime t;

    geometry->zone[0].track_skew_sectors = 3;   /* 0.45 ms, 0.5 are needed */
    ck_assert(disk_geometry_finish(geometry, &why, &where));
    t = mech_access(drive, &arm, 0, span, false);
    near(t.transfer_ns, SIM_MS(6) + 5 * SIM_MS(6) / 40, 10);

    geometry->zone[0].track_skew_sectors = 4;
    ck_assert(disk_geometry_finish(geometry, &why, &where));
    arm = (MechArm) { 0 };
    t = mech_access(drive, &arm, 0, span, true);
    near(t.transfer_ns, 6 * SIM_MS(6) / 40, 10);
    ck_assert_uint_eq(arm.head, 1);
    disk_preset_free(drive);
}
END_TEST

/*
 * A stream at the rim and at the hub has the rate its zone was made for by
 * IBM's formula: sectors of a cylinder over turns and switches.
 */
START_TEST(streams_run_at_the_sustained_rate)
{
    DiskPreset *drive = unit_preset(shipped[_i].id);
    const DiskGeometry *geometry = &drive->geometry;
    const unsigned zones[] = { 0, geometry->zones - 1 };

    for (unsigned i = 0; i < 2; i++) {
        const DiskZone *zone = &geometry->zone[zones[i]];
        uint32_t tracks = 50 * geometry->heads;
        DiskSpan span = { zone->first_lba,
                          tracks * zone->sectors_per_track };
        MechArm arm = { 0 };
        MechTime t = mech_access(drive, &arm, 0, span, false);
        double rate = span.count * 512e3 / t.transfer_ns;
        double sheet = i ? shipped[_i].hub : shipped[_i].rim;

        near(rate / sheet, 1, 0.01);
    }
    disk_preset_free(drive);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mech");
    TCase *tc = tcase_create("mech");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, two_part_curve_gives_published_points);
    tcase_add_test(tc, first_distances_take_precedence);
    tcase_add_test(tc, table_is_straight_between_and_beyond_points);
    tcase_add_loop_test(tc, data_sheet_curve_returns_its_three_numbers, 0,
                        ATA_DRIVES);
    tcase_add_test(tc, the_platter_turns_without_drift);
    tcase_add_loop_test(tc, rotation_ends_at_the_sector, 0,
                        G_N_ELEMENTS(shipped));
    tcase_add_test(tc, the_larger_of_seek_and_head_switch_counts);
    tcase_add_loop_test(tc, a_whole_track_takes_one_turn, 0,
                        G_N_ELEMENTS(shipped));
    tcase_add_loop_test(tc, no_switch_loses_a_turn, 0,
                        G_N_ELEMENTS(shipped));
    tcase_add_loop_test(tc, too_little_skew_loses_a_turn, 0, 2);
    tcase_add_loop_test(tc, streams_run_at_the_sustained_rate, 0,
                        ATA_DRIVES);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
