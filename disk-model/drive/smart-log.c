/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMART logs: self-tests, which go on by the clock alone and never find
 * anything, and the logs of tests, errors and the host.
 */
#include <string.h>

#include "disk-model/drive/smart-private.h"

#define SELFTEST_SHORT_NS SIM_S(120)
#define EXT_ENTRIES 19
#define EXT_ERROR_ENTRIES 4

typedef enum TestResult {
    TEST_PASSED = 0,
    TEST_ABORTED = 1,
    TEST_RUNNING = 15,
} TestResult;

/* --- self-tests -------------------------------------------------------- */

/* Every track once, in order: what an extended test has to read. */
static SimTime surface_ns(const DiskPreset *preset)
{
    __int128 all = 0;

    for (unsigned i = 0; i < preset->geometry.zones; i++) {
        const DiskZone *zone = &preset->geometry.zone[i];

        all += (__int128)(zone->lbas / zone->sectors_per_track + 1) *
               (preset->turn_ns + preset->head_switch_ns);
    }
    return MIN(all, (__int128)SIM_S(60) * UINT16_MAX);
}

SimTime smart_test_ns(const SmartState *smart, uint8_t test)
{
    return test == 1 ? SELFTEST_SHORT_NS : surface_ns(smart->preset);
}

static void log_test(SmartState *smart, uint8_t test, uint8_t status,
                     SimTime at)
{
    smart->test_status = status;
    smart->test_log[smart->tests++ % SMART_TEST_ENTRIES] = (SmartTestEntry) {
        .test = test, .status = status, .hours = smart_hours(smart, at),
    };
}

static uint8_t tenths_to_go(const SmartState *smart, SimTime now)
{
    SimTime left = smart->test_ends - now;
    SimTime all = smart->test_ends - smart->test_began;

    return MIN((left * 10 + all - 1) / all, 9);
}

uint8_t smart_test_status(const SmartState *smart, SimTime now)
{
    return smart->test == SMART_NO_TEST || !smart->test
        ? smart->test_status
        : TEST_RUNNING << 4 | tenths_to_go(smart, now);
}

void smart_test_goes_on(SmartState *smart, SimTime now)
{
    if (smart->test == SMART_NO_TEST || now < smart->test_ends) {
        return;
    }
    if (smart->test) {
        log_test(smart, smart->test, TEST_PASSED << 4, smart->test_ends);
    } else {
        smart->offline_status = 2;
    }
    smart->test = SMART_NO_TEST;
}

static void test_stops(SmartState *smart, SimTime now)
{
    smart_test_goes_on(smart, now);
    if (smart->test == SMART_NO_TEST) {
        return;
    }
    if (smart->test) {
        log_test(smart, smart->test,
                 TEST_ABORTED << 4 | tenths_to_go(smart, now), now);
    } else {
        smart->offline_status = 5;      /* aborted by the host */
    }
    smart->test = SMART_NO_TEST;
}

bool smart_execute(SmartState *smart, SimTime now, uint8_t subcommand)
{
    switch (subcommand) {
    case 0x00:
    case 0x01:
    case 0x02:
        test_stops(smart, now);
        smart->test = subcommand;
        smart->test_began = now;
        smart->test_ends = now + MAX(smart_test_ns(smart, subcommand), 1);
        if (!subcommand) {
            smart->offline_status = 3;  /* in progress */
        }
        return true;
    case 0x81:
    case 0x82:
        test_stops(smart, now);
        log_test(smart, subcommand, TEST_PASSED << 4, now);
        return true;
    case 0x7f:
        test_stops(smart, now);
        return true;
    default:
        return false;
    }
}

/* --- logs -------------------------------------------------------------- */

static bool is_host_log(uint8_t address)
{
    return address >= SMART_HOST_LOG_FIRST && address <= SMART_HOST_LOG_LAST;
}

/* Each log there is has one sector. */
static void read_directory(bool ext, uint8_t *page)
{
    static const uint8_t smart_logs[] = { 1, 2, 6 };
    static const uint8_t ext_logs[] = { 3, 7 };
    const uint8_t *logs = ext ? ext_logs : smart_logs;
    unsigned count = ext ? G_N_ELEMENTS(ext_logs) : G_N_ELEMENTS(smart_logs);

    smart_put16(page, 1);
    for (unsigned i = 0; i < count; i++) {
        smart_put16(page + 2 * logs[i], 1);
    }
    for (unsigned i = SMART_HOST_LOG_FIRST; i <= SMART_HOST_LOG_LAST; i++) {
        smart_put16(page + 2 * i, 1);
    }
}

/* Self-test log: entry size, the first's place, how many, where the index
 * of the newest goes. */
static void read_test_log(const SmartState *smart, bool ext, uint8_t *page)
{
    unsigned size = ext ? 26 : 24, first = ext ? 4 : 2;
    unsigned entries = ext ? EXT_ENTRIES : SMART_TEST_ENTRIES;
    unsigned kept = MIN(smart->tests, entries);

    smart_put16(page, 1);
    for (unsigned i = smart->tests - kept; i < smart->tests; i++) {
        const SmartTestEntry *entry = &smart->test_log[i % SMART_TEST_ENTRIES];
        uint8_t *at = page + first + i % entries * size;

        at[0] = entry->test;
        at[1] = entry->status;
        smart_put16(at + 2, entry->hours);
    }
    page[ext ? 2 : 508] = kept ? (smart->tests - 1) % entries + 1 : 0;
}

static const SmartErrorEntry *error_entry(const SmartState *smart, unsigned nth)
{
    return &smart->error_log[nth % SMART_ERROR_ENTRIES];
}

/* The fifth command is the one that failed; earlier ones are not kept. */
static void put_error(const SmartState *smart, const SmartErrorEntry *error,
                      uint8_t *at)
{
    uint8_t *command = at + 4 * 12, *state = at + 5 * 12;
    uint8_t device = 0x40 | (error->sector >> 24 & 0x0f);

    command[2] = error->count;
    smart_put32(command + 3, error->sector & 0x00ffffff);
    command[6] = device;
    command[7] = error->write ? 0xca : 0xc8;            /* WRITE, READ DMA */
    smart_put32(command + 8, (error->at - smart->born) / SIM_MS(1));
    state[1] = 0x40;                                    /* UNC */
    state[2] = error->count;
    smart_put32(state + 3, error->sector & 0x00ffffff);
    state[6] = device;
    state[7] = 0x51;
    state[27] = 0x03;                                   /* active or idle */
    smart_put16(state + 28, smart_hours(smart, error->at));
}

static void read_error_log(const SmartState *smart, uint8_t *page)
{
    unsigned kept = MIN(smart->errors, SMART_ERROR_ENTRIES);

    page[0] = 1;
    page[1] = kept ? (smart->errors - 1) % SMART_ERROR_ENTRIES + 1 : 0;
    for (unsigned i = smart->errors - kept; i < smart->errors; i++) {
        put_error(smart, error_entry(smart, i),
                  page + 2 + i % SMART_ERROR_ENTRIES * 90);
    }
    smart_put16(page + 452, MIN(smart->errors, UINT16_MAX));
}

/* LBA bytes as a 48-bit register file has them: 0, 3, 1, 4, 2, 5. */
static void put_lba48(uint8_t *at, uint64_t lba)
{
    for (unsigned i = 0; i < 3; i++) {
        at[2 * i] = lba >> (8 * i);
        at[2 * i + 1] = lba >> (8 * i + 24);
    }
}

static void put_ext_error(const SmartState *smart, const SmartErrorEntry *error,
                          uint8_t *at)
{
    uint8_t *command = at + 4 * 18, *state = at + 5 * 18;

    smart_put16(command + 3, error->count);
    put_lba48(command + 5, error->sector);
    command[11] = 0x40;
    command[12] = error->write ? 0x35 : 0x25;           /* DMA EXT */
    smart_put32(command + 14, (error->at - smart->born) / SIM_MS(1));
    state[1] = 0x40;
    smart_put16(state + 2, error->count);
    put_lba48(state + 4, error->sector);
    state[10] = 0x40;
    state[11] = 0x51;
    state[31] = 0x03;
    smart_put16(state + 32, smart_hours(smart, error->at));
}

static void read_ext_error_log(const SmartState *smart, uint8_t *page)
{
    unsigned kept = MIN(smart->errors, EXT_ERROR_ENTRIES);

    page[0] = 1;
    smart_put16(page + 2,
                kept ? (smart->errors - 1) % EXT_ERROR_ENTRIES + 1 : 0);
    for (unsigned i = smart->errors - kept; i < smart->errors; i++) {
        put_ext_error(smart, error_entry(smart, i),
                      page + 4 + i % EXT_ERROR_ENTRIES * 124);
    }
    smart_put16(page + 500, MIN(smart->errors, UINT16_MAX));
}

static void read_host_log(const SmartState *smart, uint8_t address,
                          uint8_t *page)
{
    const uint8_t *kept = smart->host_log[address - SMART_HOST_LOG_FIRST];

    if (kept) {
        memcpy(page, kept, SMART_PAGE_BYTES);
    }
}

bool smart_read_log(SmartState *smart, SimTime now, uint8_t address,
                    bool ext, uint8_t *page)
{
    smart_test_goes_on(smart, now);
    memset(page, 0, SMART_PAGE_BYTES);
    if (address == 0x00) {
        read_directory(ext, page);      /* the one log with no checksum */
        return true;
    }
    if (is_host_log(address)) {
        read_host_log(smart, address, page);
        return true;
    }
    if (address == (ext ? 0x07 : 0x06)) {
        read_test_log(smart, ext, page);
    } else if (!ext && (address == 0x01 || address == 0x02)) {
        read_error_log(smart, page);
    } else if (ext && address == 0x03) {
        read_ext_error_log(smart, page);
    } else {
        return false;
    }
    smart_put_checksum(page);
    return true;
}

bool smart_write_log(SmartState *smart, uint8_t address, const uint8_t *page)
{
    uint8_t **kept;

    if (!is_host_log(address)) {
        return false;
    }
    kept = &smart->host_log[address - SMART_HOST_LOG_FIRST];
    if (!*kept) {
        *kept = g_malloc(SMART_PAGE_BYTES);
    }
    memcpy(*kept, page, SMART_PAGE_BYTES);
    return true;
}
