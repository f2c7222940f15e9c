/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link - the Ultra DMA modes of a cable, by their rates (ATA/ATAPI-6).  A
 * serial link counts as the mode its rate is at least that of.
 */
#ifndef DISK_DRIVE_LINK_H
#define DISK_DRIVE_LINK_H

#include <stdint.h>

#define DISK_UDMA_MODES 7

static const uint64_t disk_udma_bytes_per_s[DISK_UDMA_MODES] = {
    16700000, 25000000, 33300000, 44400000, 66600000, 100000000, 133000000,
};

/* The fastest that is not faster than `bytes_per_s`, but for how it was
 * rounded, nor slower than 0. */
static inline unsigned disk_link_udma(uint64_t bytes_per_s)
{
    unsigned mode = DISK_UDMA_MODES - 1;

    while (mode && disk_udma_bytes_per_s[mode] / 50 * 49 > bytes_per_s) {
        mode--;
    }
    return mode;
}

#endif
