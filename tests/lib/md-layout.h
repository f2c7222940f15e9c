/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where Linux md puts a sector - the tests' second opinion on layout.
 *
 * Written from md's published definitions (md(4), the notes on layouts in
 * Documentation/admin-guide/device-mapper/dm-raid.rst): RAID 0 deals chunks
 * out in turn; raid5_ra ("right asymmetric") puts the parity of stripe s on
 * device s mod n and the data on the other devices in order; raid10 near-2
 * lays every chunk down twice on neighbouring devices, going round the
 * devices.  Shares nothing with raid-model.
 */
#ifndef TESTS_LIB_MD_LAYOUT_H
#define TESTS_LIB_MD_LAYOUT_H

#include <stdint.h>

typedef struct MdPlace {
    unsigned device;
    uint64_t sector;            /* from the start of the device's data area */
    unsigned twin;              /* device of the second copy, or of parity */
} MdPlace;

typedef struct MdArray {
    int level;                  /* 0, 1, 5, 10; -1 a plain device */
    unsigned devices;
    uint32_t chunk_sectors;
} MdArray;

MdPlace md_place(const MdArray *md, uint64_t lba);

#endif
