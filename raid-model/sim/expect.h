/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expect - what a data sheet promises for random reads of a whole drive:
 * seek average + half a turn + overhead + transfer.  Arithmetic on a
 * preset's published figures; the models are not asked.
 */
#ifndef RAID_SIM_EXPECT_H
#define RAID_SIM_EXPECT_H

#include "disk-model/drive/preset.h"

typedef struct Expect {
    double seek_ms, turn_ms, overhead_ms, transfer_ms;
    double total_ms;
} Expect;

Expect expect_random_read(const DiskPreset *preset, uint32_t sectors);

#endif
