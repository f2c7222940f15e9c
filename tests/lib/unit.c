/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit: shared by the unit tests.
 */
#include <stdlib.h>

#include "disk-model/drive/mech.h"
#include "tests/lib/unit.h"

int unit_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

DiskPreset *unit_preset(const char *name)
{
    GError *error = NULL;
    DiskPreset *preset;

    g_setenv("PLATTER_PRESETS", "disk-model/presets", FALSE);
    preset = disk_preset_load(name, &error);
    ck_assert_msg(preset != NULL, "%s", error ? error->message : "no reason");
    return preset;
}

static void add_zone(DiskGeometry *geometry, DiskZone zone)
{
    geometry->zone[geometry->zones++] = zone;
}

DiskPreset *unit_small_drive(DiskMapping mapping)
{
    DiskPreset *preset = g_new0(DiskPreset, 1);
    DiskGeometry *geometry = &preset->geometry;
    const char *why;
    int where;

    *preset = (DiskPreset) {
        .id = g_strdup("small"), .label = g_strdup("SMALL drive"),
        .firmware = g_strdup("1.0"), .interface = g_strdup("UDMA100"),
        .rpm = 10000, .turn_ns = SIM_MS(6),
        .turn = sim_divisor(SIM_MS(6)),
        .seek = { .form = DISK_SEEK_LEE, .b = 0.1, .c = 1.1 },
        .write_settle_ns = SIM_US(250), .head_switch_ns = SIM_US(500),
        .cylinder_switch_ns = SIM_US(700), .overhead_ns = SIM_US(100),
        .spin_up_ns = SIM_S(4), .link_bytes_per_s = 100000000,
        .buffer_kib = 2048,
    };
    *geometry = (DiskGeometry) { .heads = 4, .cylinders = 24,
                                 .mapping = mapping };
    geometry->zone = g_new0(DiskZone, 3);
    add_zone(geometry, (DiskZone) {
        .first_cylinder = 0, .last_cylinder = 7, .sectors_per_track = 40,
        .track_skew_sectors = 4, .cylinder_skew_sectors = 5,
        .spare_sectors = 0 });
    add_zone(geometry, (DiskZone) {
        .first_cylinder = 8, .last_cylinder = 15, .sectors_per_track = 32,
        .track_skew_sectors = 3, .cylinder_skew_sectors = 4,
        .spare_sectors = 37 });
    add_zone(geometry, (DiskZone) {
        .first_cylinder = 16, .last_cylinder = 23, .sectors_per_track = 25,
        .track_skew_sectors = 3, .cylinder_skew_sectors = 3,
        .spare_sectors = 11 });
    geometry->lbas = 8 * 4 * (40 + 32 + 25) - 37 - 11 - 6;
    g_assert(disk_geometry_finish(geometry, &why, &where));

    preset->seek_ns = g_new0(uint32_t, geometry->cylinders);
    g_assert(disk_seek_tabulate(&preset->seek, geometry->cylinders,
                                preset->seek_ns, &why));
    preset->seek_average_ms = mech_seek_average_ms(preset);
    return preset;
}
