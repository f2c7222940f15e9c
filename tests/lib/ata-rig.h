/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ATA rig - one drive on a port, spoken to in ATA, for unit tests.  Commands
 * go the way a card sends them; answers are taken apart by offsets of
 * T13/1410D, with nothing of the model's own.
 */
#ifndef TESTS_LIB_ATA_RIG_H
#define TESTS_LIB_ATA_RIG_H

#include "disk-model/drive/port.h"

#define ATA_SMART 0xb0

typedef struct AtaRig {
    Sim *sim;
    DiskPreset *preset;
    DiskMedia *media;
    DiskMediaOps ops;           /* counts flushes, fails when told to */
    const DiskMediaOps *real_ops;
    unsigned flushes;
    int media_fails;            /* 0, or what media answers */
    Disk *disk;
    DiskPort *port;
    AtaTaskFile tf;             /* of the last command */
    uint8_t page[512];          /* its data */
} AtaRig;

extern AtaRig rig;

void ata_rig_open(const char *preset);
void ata_rig_close(void);

/* Sends rig.tf and waits. */
DiskStatus ata_send_with(void *data);
/* A command by its registers; data goes to or from rig.page if it has any.
 * SMART gets its key. */
DiskStatus ata_send(uint8_t code, uint8_t feature, uint8_t count,
                    uint8_t low);
/* An access to the medium; `took` may be NULL. */
DiskStatus ata_access(DiskVerb verb, uint64_t sector, uint32_t count,
                      SimTime *took);

/* What the last command must have answered. */
void ata_good(DiskStatus status);
void ata_refused(DiskStatus status);

unsigned ata_le16(const uint8_t *at);
unsigned ata_word(unsigned n);          /* of rig.page */
void ata_page_sums_to_zero(void);

#endif
