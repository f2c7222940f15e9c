/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expect - what a data sheet promises for random reads of a whole drive:
 * seek average + half a turn + overhead + transfer.  Arithmetic on a
 * preset's published figures; the models are not asked.
 *
 * Transfer is off the platter, a mean over all sectors, and over the cable
 * (requests of up to 64 KiB cross it as one piece).
 */
#ifndef RAID_SIM_EXPECT_H
#define RAID_SIM_EXPECT_H

#include "disk-model/drive/preset.h"

typedef struct Expect {
    double seek_ms, turn_ms, overhead_ms, transfer_ms;
    double total_ms;
} Expect;

/* link_bytes_per_s caps the drive's own link, as a port does; 0: no cap. */
Expect expect_random_read(const DiskPreset *preset, uint32_t sectors,
                          uint64_t link_bytes_per_s);

#endif
