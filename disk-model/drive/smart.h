/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMART - the drive's memory of itself: attributes, self-tests, error log,
 * temperature.  Data structures of ATA/ATAPI-6 (T13/1410D) clauses 8.55 and
 * A; the meaning of attribute numbers is what makers of the time did.
 *
 * No events: everything that goes on by itself (a self-test, warming up) is
 * worked out from the time when somebody asks.  Times passed in never fall.
 */
#ifndef DISK_DRIVE_SMART_H
#define DISK_DRIVE_SMART_H

#include "disk-model/drive/disk.h"

#define SMART_PAGE_BYTES 512

typedef struct SmartState SmartState;

/* Powered up and spinning at `now`, for the first time in its life. */
SmartState *smart_new(const DiskPreset *preset, SimTime now);
void smart_free(SmartState *smart);

/* Counts an op that ended at `now`, also as heat; failures are logged. */
void smart_note_op(SmartState *smart, SimTime now, const DiskOp *op);
/* What is no op's end: pending sectors may also grow fewer. */
typedef enum SmartCount {
    SMART_PENDING, SMART_MOVED, SMART_UNREADABLE, SMART_CRC, SMART_COUNTS
} SmartCount;
void smart_count(SmartState *smart, SmartCount what, int by);
void smart_set_spinning(SmartState *smart, SimTime now, bool spinning);
void smart_set_auto_offline(SmartState *smart, bool on);

/* False when a pre-failure attribute is at or below its threshold. */
bool smart_is_healthy(SmartState *smart, SimTime now);

/* Pages are 512 bytes with a valid checksum. */
void smart_read_data(SmartState *smart, SimTime now, uint8_t *page);
void smart_read_thresholds(const SmartState *smart, uint8_t *page);

/* False: no such log.  `ext` is READ LOG EXT's name space. */
bool smart_read_log(SmartState *smart, SimTime now, uint8_t address,
                    bool ext, uint8_t *page);
bool smart_write_log(SmartState *smart, uint8_t address,
                     const uint8_t *page);

/*
 * SMART EXECUTE OFF-LINE IMMEDIATE: 0 off-line collection, 1 short, 2
 * extended self-test, 0x7f abort, 0x81 and 0x82 captive.  A captive test
 * passes at once (its time is not modelled).  False: not known.
 */
bool smart_execute(SmartState *smart, SimTime now, uint8_t subcommand);

#endif
