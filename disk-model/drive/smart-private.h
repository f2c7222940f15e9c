/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a SmartState, shared by smart.c (counters, heat,
 * attributes) and smart-log.c (self-tests, logs).  Nobody else includes it.
 */
#ifndef DISK_DRIVE_SMART_PRIVATE_H
#define DISK_DRIVE_SMART_PRIVATE_H

#include "disk-model/drive/smart.h"

#define SMART_TEST_ENTRIES 21
#define SMART_ERROR_ENTRIES 5
#define SMART_HOST_LOG_FIRST 0x80
#define SMART_HOST_LOG_LAST 0x9f
#define SMART_NO_TEST 0xff

typedef struct SmartTestEntry {
    uint8_t test;
    uint8_t status;             /* result in the high half, tenths to go */
    uint16_t hours;
} SmartTestEntry;

typedef struct SmartErrorEntry {
    uint64_t sector;
    uint32_t count;
    bool write;
    SimTime at;
} SmartErrorEntry;

struct SmartState {
    const DiskPreset *preset;
    SimTime born;
    uint64_t sectors_read, sectors_written;
    uint32_t starts;
    uint32_t counts[SMART_COUNTS];

    bool spinning;
    SimTime heat_at;            /* when `heat` was right */
    int64_t heat, heat_min, heat_max;

    bool auto_offline;
    uint8_t offline_status;
    uint8_t test;               /* running, or SMART_NO_TEST */
    SimTime test_began, test_ends;
    uint8_t test_status;
    unsigned tests;             /* ever logged; the last ones are kept */
    SmartTestEntry test_log[SMART_TEST_ENTRIES];
    unsigned errors;
    SmartErrorEntry error_log[SMART_ERROR_ENTRIES];
    uint8_t *host_log[SMART_HOST_LOG_LAST - SMART_HOST_LOG_FIRST + 1];
};

static inline void smart_put16(uint8_t *at, uint16_t value)
{
    at[0] = value;
    at[1] = value >> 8;
}

static inline void smart_put32(uint8_t *at, uint32_t value)
{
    smart_put16(at, value);
    smart_put16(at + 2, value >> 16);
}

/* The last byte makes the sum of all 512 zero. */
void smart_put_checksum(uint8_t *page);
uint64_t smart_hours(const SmartState *smart, SimTime at);

/* A test or collection that should be over by `now` is over. */
void smart_test_goes_on(SmartState *smart, SimTime now);
/* Self-test execution status: result, or running, and tenths to go. */
uint8_t smart_test_status(const SmartState *smart, SimTime now);
/* How long test 1 or 2, or the off-line collection (0), takes. */
SimTime smart_test_ns(const SmartState *smart, uint8_t test);

#endif
