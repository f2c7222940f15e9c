/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identify - the 256 words of IDENTIFY DEVICE, from a preset and a few
 * switches.  ATA/ATAPI-6 (T13/1410D) clause 8.15; SATA words of ATA-7.
 */
#ifndef DISK_DRIVE_IDENTIFY_H
#define DISK_DRIVE_IDENTIFY_H

#include "disk-model/drive/preset.h"

typedef struct AtaSwitches {
    bool smart;                 /* SMART operations enabled */
    bool write_cache;
    bool look_ahead;
    uint8_t mode;               /* as SET FEATURES 03h takes it */
} AtaSwitches;

/* Highest Ultra DMA mode of the preset's interface. */
unsigned ata_udma_max(const DiskPreset *preset);
bool ata_is_sata(const DiskPreset *preset);
/* The 48-bit feature set: serial drives, UDMA133, and whoever needs it. */
bool ata_has_lba48(const DiskPreset *preset);
bool ata_has_write_cache(const DiskPreset *preset);
bool ata_has_look_ahead(const DiskPreset *preset);

/* `page`: 512 bytes, words little-endian, strings high byte first. */
void ata_identify(const DiskPreset *preset, const char *serial,
                  const AtaSwitches *switches, uint8_t *page);

#endif
