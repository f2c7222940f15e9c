/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ATA - what a drive says of itself: IDENTIFY, SMART data, thresholds,
 * status and logs, power mode, features.  ATA/ATAPI-6 (T13/1410D).
 *
 * The drive has a SMART state of its own: power-on time and temperature
 * follow model time, counters move with the work done, a self-test runs in
 * the background and ends in the log.
 */
#ifndef DISK_DRIVE_ATA_H
#define DISK_DRIVE_ATA_H

#include "disk-model/drive/disk.h"

/* Registers as the host writes and reads them; 48-bit: high bytes in [1]. */
struct AtaTaskFile {
    uint8_t feature[2];         /* in */
    uint8_t count[2];           /* in, out */
    uint8_t lba_low[2], lba_mid[2], lba_high[2];        /* in, out */
    uint8_t device;             /* in, out */
    uint8_t command;            /* in */
    uint8_t status;             /* out: 0x50 good, 0x51 error */
    uint8_t error;              /* out: 0x04 aborted */
};

#define ATA_STATUS_READY 0x50   /* DRDY, DSC */
#define ATA_STATUS_ERR 0x01
#define ATA_STATUS_DF 0x20      /* device fault */
#define ATA_ERROR_ABRT 0x04

#define ATA_SET_FEATURES 0xef   /* and what goes in `feature`: */
#define ATA_WRITE_CACHE_ON 0x02
#define ATA_WRITE_CACHE_OFF 0x82

typedef struct AtaState AtaState;

typedef enum AtaData { ATA_DATA_NONE, ATA_DATA_IN, ATA_DATA_OUT } AtaData;

AtaState *ata_new(Sim *sim, Disk *disk);        /* disk.c owns it */
void ata_free(AtaState *ata);

/* FLUSH CACHE and FLUSH CACHE EXT: disk.c flushes the medium too. */
bool ata_is_flush(const AtaTaskFile *tf);
/*
 * Spins the drive up if it stands still, and returns how long that takes;
 * called by disk.c for each access to the medium.
 */
SimTime ata_wake(AtaState *ata);
/* SET FEATURES switches, on at first where the drive has what they switch. */
bool ata_write_cache(const AtaState *ata);
bool ata_look_ahead(const AtaState *ata);
/* The power is back: the switches are as at first. */
void ata_power_cut(AtaState *ata);
/* A flush, a stop, or the end of write caching: nothing stays in RAM. */
bool ata_empties_cache(const AtaTaskFile *tf);
/* An ATA command answered from the drive's RAM, on top of the command
 * overhead; assumed. */
#define DISK_ATA_ANSWER_NS SIM_US(100)
/* Which way a command moves its 512 bytes. */
AtaData ata_data(const AtaTaskFile *tf);
/*
 * Carries out one command; `data` is 512 bytes, in or out, or NULL.
 * Unknown commands and bad data directions give status 0x51, error 0x04.
 * Never touches the medium's user data.
 */
void ata_execute(AtaState *ata, AtaTaskFile *tf, void *data);

/* For what counts and is no op's end. */
struct SmartState *ata_smart(AtaState *ata);
/* The card has chosen a slower Ultra DMA mode. */
void ata_set_udma(AtaState *ata, unsigned mode);
/* Called by disk.c for each op it ends, so that counters move. */
void ata_note_op(AtaState *ata, const DiskOp *op);

#endif
