/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measure: seeks and long reads, timed.
 */
#include "disk-model/drive/mech.h"
#include "disk-model/media/media.h"
#include "raid-model/sim/measure.h"

#define SEEKS 20000
#define RUN_SECTORS 131072u     /* 64 MiB: a few dozen cylinders */

static double given_rate(const DiskPreset *preset, unsigned zone)
{
    const DiskZone *table = &preset->geometry.zone[zone];
    unsigned heads = preset->geometry.heads;
    double sectors = table->sectors_per_track;
    double sector_ns = preset->turn_ns / sectors;
    double head_ns = table->track_skew_sectors * sector_ns;
    double cylinder_ns = table->cylinder_skew_sectors * sector_ns;

    if (preset->zero_latency) { /* a track takes a turn from anywhere */
        head_ns = cylinder_ns = 0;
    }
    if (preset->geometry.sparing == DISK_SPARE_TRACK) {
        sectors -= table->spare_sectors;
    }
    head_ns = MAX(preset->head_switch_ns, head_ns);
    cylinder_ns = MAX(preset->cylinder_switch_ns, cylinder_ns);

    return sectors * heads * DISK_SECTOR_BYTES * 1e9 /
           (heads * preset->turn_ns + (heads - 1) * head_ns + cylinder_ns);
}

Measure measure_given(const DiskPreset *preset)
{
    const DiskGeometry *geometry = &preset->geometry;

    return (Measure) {
        .track_ms = mech_seek_ns(preset, 1, false) / 1e6,
        .average_ms = preset->seek_average_ms,
        .full_ms = mech_seek_ns(preset, geometry->cylinders - 1, false) / 1e6,
        .outer_rate = given_rate(preset, 0),
        .inner_rate = given_rate(preset, geometry->zones - 1),
    };
}

/* The first sector of a track; false where all of it is spare. */
static bool track_lba(const DiskGeometry *geometry, uint32_t cylinder,
                      uint64_t *lba)
{
    DiskPlace place = { .cylinder = cylinder };

    while (geometry->zone[place.zone].last_cylinder < cylinder) {
        place.zone++;
    }
    return disk_geometry_lba(geometry, &place, lba);
}

/* Milliseconds of arm movement between two cylinders, or -1. */
static double seek_ms(const DiskPreset *preset, uint32_t from, uint32_t to)
{
    MechArm arm = { .cylinder = from };
    DiskSpan span = { .count = 1 };

    if (!track_lba(&preset->geometry, to, &span.sector)) {
        return -1;
    }
    return mech_access(preset, &arm, 0, span, false).seek_ns / 1e6;
}

/* Means over many seeks; `distance` 0: to any cylinder. */
static double seeks_ms(const DiskPreset *preset, Sim *chance,
                       uint32_t distance)
{
    uint32_t cylinders = preset->geometry.cylinders;
    unsigned count = 0;
    double sum = 0;

    for (unsigned i = 0; i < SEEKS; i++) {
        uint32_t from = sim_random(chance, cylinders - distance);
        uint32_t to = distance ? from + distance
                               : sim_random(chance, cylinders);
        double ms = seek_ms(preset, from, to);

        if (ms >= 0) {
            sum += ms;
            count++;
        }
    }
    return count ? sum / count : 0;
}

static double rate(const DiskPreset *preset, uint64_t sector)
{
    MechArm arm = { 0 };
    uint64_t left = preset->geometry.lbas - sector;
    DiskSpan span = { sector, MIN(left, RUN_SECTORS) };
    MechTime time = mech_access(preset, &arm, 0, span, false);

    return (double)span.count * DISK_SECTOR_BYTES / time.transfer_ns * 1e9;
}

Measure measure_run(const DiskPreset *preset, uint64_t seed)
{
    const DiskGeometry *geometry = &preset->geometry;
    uint64_t last = geometry->lbas > RUN_SECTORS
        ? geometry->lbas - RUN_SECTORS : 0;
    Sim *chance = sim_new(seed);
    MechArm hub = { .cylinder = geometry->cylinders - 1 };
    Measure measure = {
        .track_ms = seeks_ms(preset, chance, 1),
        .average_ms = seeks_ms(preset, chance, 0),
        .full_ms = mech_access(preset, &hub, 0, (DiskSpan) { 0, 1 },
                               false).seek_ns / 1e6,
        .outer_rate = rate(preset, 0),
        .inner_rate = rate(preset, last),
    };

    sim_free(chance);
    return measure;
}
