/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expect: four numbers and their sum.
 */
#include "disk-model/media/media.h"
#include "raid-model/sim/expect.h"

#define PIECE_SECTORS 128u      /* as disk-model/drive/port.c has it */

/* The mean over all sectors of the time one sector passes the head. */
static double sector_ms(const DiskPreset *preset)
{
    const DiskGeometry *geometry = &preset->geometry;
    double sum = 0;

    for (unsigned i = 0; i < geometry->zones; i++) {
        const DiskZone *zone = &geometry->zone[i];

        sum += (double)zone->lbas / zone->sectors_per_track;
    }
    return sum / geometry->lbas * preset->turn_ns / 1e6;
}

static double cable_ms(const DiskPreset *preset, uint32_t sectors,
                       uint64_t link_bytes_per_s)
{
    uint64_t rate = preset->link_bytes_per_s;

    if (link_bytes_per_s && link_bytes_per_s < rate) {
        rate = link_bytes_per_s;
    }
    return 1e3 * MIN(sectors, PIECE_SECTORS) * DISK_SECTOR_BYTES / rate;
}

Expect expect_random_read(const DiskPreset *preset, uint32_t sectors,
                          uint64_t link_bytes_per_s)
{
    Expect expect = {
        .seek_ms = preset->seek_average_ms,
        .turn_ms = preset->turn_ns / 2e6,
        .overhead_ms = preset->overhead_ns / 1e6,
        .transfer_ms = sectors * sector_ms(preset) +
                       cable_ms(preset, sectors, link_bytes_per_s),
    };

    expect.total_ms = expect.seek_ms + expect.turn_ms + expect.overhead_ms +
                      expect.transfer_ms;
    return expect;
}
