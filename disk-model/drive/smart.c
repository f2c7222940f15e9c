/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMART: counters, heat and self-tests; the pages and logs that show them.
 *
 * Power-on time is model time since the drive was made: a new drive has
 * none.  A self-test never finds anything.
 */
#include <string.h>

#include "disk-model/drive/smart.h"

#define HOUR SIM_S(3600)

/* Temperatures in nano-degrees, so that short steps are not rounded away.
 * Assumed: a room of 25 C, a drive in a case with some wind. */
#define CELSIUS SIM_S(1)
#define ROOM (25 * CELSIUS)
#define AT_REST (27 * CELSIUS)
#define IDLING (33 * CELSIUS)
#define BUSY_ADDS (10 * CELSIUS)        /* with the arm always at work */
#define WARMING_NS SIM_S(900)           /* time constant */

#define SELFTEST_SHORT_NS SIM_S(120)
#define SELFTEST_ENTRIES 21
#define EXT_ENTRIES 19
#define ERROR_ENTRIES 5
#define EXT_ERROR_ENTRIES 4
#define HOST_LOG_FIRST 0x80
#define HOST_LOG_LAST 0x9f
#define NO_TEST 0xff

typedef enum TestResult {
    TEST_PASSED = 0,
    TEST_ABORTED = 1,
    TEST_RUNNING = 15,
} TestResult;

typedef struct TestEntry {
    uint8_t test;
    uint8_t status;             /* result in the high half, tenths to go */
    uint16_t hours;
} TestEntry;

typedef struct ErrorEntry {
    uint64_t sector;
    uint32_t count;
    bool write;
    SimTime at;
} ErrorEntry;

struct SmartState {
    const DiskPreset *preset;
    SimTime born;
    uint64_t sectors_read, sectors_written;
    uint32_t starts;

    bool spinning;
    SimTime heat_at;            /* when `heat` was right */
    int64_t heat, heat_min, heat_max;

    bool auto_offline;
    uint8_t offline_status;
    uint8_t test;               /* running, or NO_TEST */
    SimTime test_began, test_ends;
    uint8_t test_status;
    unsigned tests;             /* ever logged; the last ones are kept */
    TestEntry test_log[SELFTEST_ENTRIES];
    unsigned errors;
    ErrorEntry error_log[ERROR_ENTRIES];
    uint8_t *host_log[HOST_LOG_LAST - HOST_LOG_FIRST + 1];
};

static void put16(uint8_t *at, uint16_t value)
{
    at[0] = value;
    at[1] = value >> 8;
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value);
    put16(at + 2, value >> 16);
}

/* The last byte makes the sum of all 512 zero. */
static void put_checksum(uint8_t *page)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < SMART_PAGE_BYTES - 1; i++) {
        sum += page[i];
    }
    page[SMART_PAGE_BYTES - 1] = -sum;
}

static uint64_t hours(const SmartState *smart, SimTime now)
{
    return (now - smart->born) / HOUR;
}

/* --- heat -------------------------------------------------------------- */

static void warm(SmartState *smart, SimTime now, SimTime busy_ns)
{
    SimTime passed = now - smart->heat_at;
    int64_t goal = smart->spinning ? IDLING : AT_REST;
    __int128 step;

    if (passed <= 0) {
        return;
    }
    goal += (int64_t)((__int128)BUSY_ADDS * MIN(busy_ns, passed) / passed);
    step = (__int128)(goal - smart->heat) * passed / (WARMING_NS + passed);
    smart->heat += (int64_t)step;
    smart->heat_at = now;
    smart->heat_min = MIN(smart->heat_min, smart->heat);
    smart->heat_max = MAX(smart->heat_max, smart->heat);
}

static uint8_t degrees(int64_t heat)
{
    return heat / CELSIUS;
}

/* --- attributes -------------------------------------------------------- */

typedef struct Attribute {
    uint8_t id;
    uint16_t flags;             /* bit 0: pre-failure */
    uint8_t threshold;
    uint8_t start;              /* normalised value of a new drive */
} Attribute;

/*
 * Flags, thresholds and start values as Western Digital's drives of 2003
 * show them (recalled); 241 and 242 are of later drives, here because they
 * tell a test that the work was done.
 */
static const Attribute attributes[] = {
    {   1, 0x000b,  51, 200 },  /* raw read error rate */
    {   3, 0x0007,  21, 100 },  /* spin-up time, ms */
    {   4, 0x0032,  40, 100 },  /* start/stop count */
    {   5, 0x0033, 140, 200 },  /* reallocated sectors */
    {   7, 0x000b,  51, 200 },  /* seek error rate */
    {   9, 0x0032,   0, 100 },  /* power-on hours */
    {  10, 0x0013,  51, 100 },  /* spin retries */
    {  12, 0x0032,   0, 100 },  /* power cycles */
    { 194, 0x0022,   0, 125 },  /* temperature */
    { 196, 0x0032,   0, 200 },  /* reallocation events */
    { 197, 0x0012,   0, 200 },  /* pending sectors */
    { 198, 0x0012,   0, 200 },  /* found bad off-line */
    { 199, 0x000a,   0, 200 },  /* CRC errors on the cable */
    { 200, 0x0009,  51, 200 },  /* write error rate */
    { 241, 0x0032,   0, 100 },  /* sectors written */
    { 242, 0x0032,   0, 100 },  /* sectors read */
};

static uint64_t attribute_raw(const SmartState *smart, SimTime now,
                              uint8_t id)
{
    switch (id) {
    case 3:
        return smart->preset->spin_up_ns / SIM_MS(1);
    case 4:
        return smart->starts;
    case 9:
        return hours(smart, now);
    case 12:
        return 1;
    case 194:                   /* now, lowest and highest since power-on */
        return degrees(smart->heat) |
               (uint64_t)degrees(smart->heat_min) << 16 |
               (uint64_t)degrees(smart->heat_max) << 32;
    case 241:
        return smart->sectors_written;
    case 242:
        return smart->sectors_read;
    default:
        return 0;
    }
}

/* What a month of power-on time takes off its attribute; others stand. */
static uint8_t attribute_value(const SmartState *smart, SimTime now,
                               const Attribute *attribute)
{
    if (attribute->id == 9) {
        return attribute->start - MIN(hours(smart, now) / 730, 99u);
    }
    if (attribute->id == 194) {
        return attribute->start - (degrees(smart->heat) - 25);
    }
    return attribute->start;
}

static uint8_t attribute_worst(const SmartState *smart, SimTime now,
                               const Attribute *attribute)
{
    if (attribute->id == 194) {
        return attribute->start - (degrees(smart->heat_max) - 25);
    }
    return attribute_value(smart, now, attribute);
}

bool smart_is_healthy(SmartState *smart, SimTime now)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(attributes); i++) {
        if ((attributes[i].flags & 1) &&
            attribute_value(smart, now, &attributes[i]) <=
            attributes[i].threshold) {
            return false;
        }
    }
    return true;
}

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

static SimTime test_length(const SmartState *smart, uint8_t test)
{
    return test == 1 ? SELFTEST_SHORT_NS : surface_ns(smart->preset);
}

static unsigned minutes(SimTime length)
{
    return (length + SIM_S(60) - 1) / SIM_S(60);
}

static void log_test(SmartState *smart, uint8_t test, uint8_t status,
                     SimTime at)
{
    smart->test_status = status;
    smart->test_log[smart->tests++ % SELFTEST_ENTRIES] = (TestEntry) {
        .test = test, .status = status, .hours = hours(smart, at),
    };
}

static uint8_t tenths_to_go(const SmartState *smart, SimTime now)
{
    SimTime left = smart->test_ends - now;
    SimTime all = smart->test_ends - smart->test_began;

    return MIN((left * 10 + all - 1) / all, 9);
}

/* A test or collection that should be over by now is over. */
static void test_goes_on(SmartState *smart, SimTime now)
{
    if (smart->test == NO_TEST || now < smart->test_ends) {
        return;
    }
    if (smart->test) {
        log_test(smart, smart->test, TEST_PASSED << 4, smart->test_ends);
    } else {
        smart->offline_status = 2;
    }
    smart->test = NO_TEST;
}

static void test_stops(SmartState *smart, SimTime now)
{
    test_goes_on(smart, now);
    if (smart->test == NO_TEST) {
        return;
    }
    if (smart->test) {
        log_test(smart, smart->test,
                 TEST_ABORTED << 4 | tenths_to_go(smart, now), now);
    } else {
        smart->offline_status = 5;      /* aborted by the host */
    }
    smart->test = NO_TEST;
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
        smart->test_ends = now + MAX(test_length(smart, subcommand), 1);
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

/* --- pages ------------------------------------------------------------- */

static void put_attributes(SmartState *smart, SimTime now, uint8_t *page)
{
    uint8_t *at = page + 2;

    for (unsigned i = 0; i < G_N_ELEMENTS(attributes); i++, at += 12) {
        uint64_t raw = attribute_raw(smart, now, attributes[i].id);

        at[0] = attributes[i].id;
        put16(at + 1, attributes[i].flags);
        at[3] = attribute_value(smart, now, &attributes[i]);
        at[4] = attribute_worst(smart, now, &attributes[i]);
        put32(at + 5, raw);
        put16(at + 9, raw >> 32);
    }
}

void smart_read_data(SmartState *smart, SimTime now, uint8_t *page)
{
    unsigned extended = minutes(surface_ns(smart->preset));

    warm(smart, now, 0);
    test_goes_on(smart, now);
    memset(page, 0, SMART_PAGE_BYTES);
    put16(page, 0x0010);
    put_attributes(smart, now, page);
    page[362] = smart->offline_status | (smart->auto_offline ? 0x80 : 0);
    page[363] = smart->test == NO_TEST || !smart->test
        ? smart->test_status
        : TEST_RUNNING << 4 | tenths_to_go(smart, now);
    put16(page + 364, MIN(surface_ns(smart->preset) / SIM_S(1), UINT16_MAX));
    page[367] = 0x1b;           /* off-line: immediate, automatic, surface
                                   scan; self-tests; goes on after a command */
    put16(page + 368, 0x0003);  /* attributes are saved */
    page[370] = 0x01;           /* errors are logged */
    page[372] = minutes(SELFTEST_SHORT_NS);
    page[373] = MIN(extended, 0xff);
    put16(page + 375, extended >= 0xff ? extended : 0);
    put_checksum(page);
}

void smart_read_thresholds(const SmartState *smart, uint8_t *page)
{
    uint8_t *at = page + 2;

    (void)smart;
    memset(page, 0, SMART_PAGE_BYTES);
    put16(page, 0x0010);
    for (unsigned i = 0; i < G_N_ELEMENTS(attributes); i++, at += 12) {
        at[0] = attributes[i].id;
        at[1] = attributes[i].threshold;
    }
    put_checksum(page);
}

/* --- logs -------------------------------------------------------------- */

static bool is_host_log(uint8_t address)
{
    return address >= HOST_LOG_FIRST && address <= HOST_LOG_LAST;
}

/* Each log there is has one sector. */
static void read_directory(bool ext, uint8_t *page)
{
    static const uint8_t smart_logs[] = { 1, 2, 6 };
    static const uint8_t ext_logs[] = { 3, 7 };
    const uint8_t *logs = ext ? ext_logs : smart_logs;
    unsigned count = ext ? G_N_ELEMENTS(ext_logs) : G_N_ELEMENTS(smart_logs);

    put16(page, 1);
    for (unsigned i = 0; i < count; i++) {
        put16(page + 2 * logs[i], 1);
    }
    for (unsigned i = HOST_LOG_FIRST; i <= HOST_LOG_LAST; i++) {
        put16(page + 2 * i, 1);
    }
}

/* Self-test log: entry size, the first's place, how many, where the index
 * of the newest goes. */
static void read_test_log(const SmartState *smart, bool ext, uint8_t *page)
{
    unsigned size = ext ? 26 : 24, first = ext ? 4 : 2;
    unsigned entries = ext ? EXT_ENTRIES : SELFTEST_ENTRIES;
    unsigned kept = MIN(smart->tests, entries);

    put16(page, 1);
    for (unsigned i = smart->tests - kept; i < smart->tests; i++) {
        const TestEntry *entry = &smart->test_log[i % SELFTEST_ENTRIES];
        uint8_t *at = page + first + i % entries * size;

        at[0] = entry->test;
        at[1] = entry->status;
        put16(at + 2, entry->hours);
    }
    page[ext ? 2 : 508] = kept ? (smart->tests - 1) % entries + 1 : 0;
}

static const ErrorEntry *error_entry(const SmartState *smart, unsigned nth)
{
    return &smart->error_log[nth % ERROR_ENTRIES];
}

/* The fifth command is the one that failed; earlier ones are not kept. */
static void put_error(const SmartState *smart, const ErrorEntry *error,
                      uint8_t *at)
{
    uint8_t *command = at + 4 * 12, *state = at + 5 * 12;
    uint8_t device = 0x40 | (error->sector >> 24 & 0x0f);

    command[2] = error->count;
    put32(command + 3, error->sector & 0x00ffffff);
    command[6] = device;
    command[7] = error->write ? 0xca : 0xc8;            /* WRITE, READ DMA */
    put32(command + 8, (error->at - smart->born) / SIM_MS(1));
    state[1] = 0x40;                                    /* UNC */
    state[2] = error->count;
    put32(state + 3, error->sector & 0x00ffffff);
    state[6] = device;
    state[7] = 0x51;
    state[27] = 0x03;                                   /* active or idle */
    put16(state + 28, hours(smart, error->at));
}

static void read_error_log(const SmartState *smart, uint8_t *page)
{
    unsigned kept = MIN(smart->errors, ERROR_ENTRIES);

    page[0] = 1;
    page[1] = kept ? (smart->errors - 1) % ERROR_ENTRIES + 1 : 0;
    for (unsigned i = smart->errors - kept; i < smart->errors; i++) {
        put_error(smart, error_entry(smart, i),
                  page + 2 + i % ERROR_ENTRIES * 90);
    }
    put16(page + 452, MIN(smart->errors, UINT16_MAX));
}

/* LBA bytes as a 48-bit register file has them: 0, 3, 1, 4, 2, 5. */
static void put_lba48(uint8_t *at, uint64_t lba)
{
    for (unsigned i = 0; i < 3; i++) {
        at[2 * i] = lba >> (8 * i);
        at[2 * i + 1] = lba >> (8 * i + 24);
    }
}

static void put_ext_error(const SmartState *smart, const ErrorEntry *error,
                          uint8_t *at)
{
    uint8_t *command = at + 4 * 18, *state = at + 5 * 18;

    put16(command + 3, error->count);
    put_lba48(command + 5, error->sector);
    command[11] = 0x40;
    command[12] = error->write ? 0x35 : 0x25;           /* DMA EXT */
    put32(command + 14, (error->at - smart->born) / SIM_MS(1));
    state[1] = 0x40;
    put16(state + 2, error->count);
    put_lba48(state + 4, error->sector);
    state[10] = 0x40;
    state[11] = 0x51;
    state[31] = 0x03;
    put16(state + 32, hours(smart, error->at));
}

static void read_ext_error_log(const SmartState *smart, uint8_t *page)
{
    unsigned kept = MIN(smart->errors, EXT_ERROR_ENTRIES);

    page[0] = 1;
    put16(page + 2, kept ? (smart->errors - 1) % EXT_ERROR_ENTRIES + 1 : 0);
    for (unsigned i = smart->errors - kept; i < smart->errors; i++) {
        put_ext_error(smart, error_entry(smart, i),
                      page + 4 + i % EXT_ERROR_ENTRIES * 124);
    }
    put16(page + 500, MIN(smart->errors, UINT16_MAX));
}

static void read_host_log(const SmartState *smart, uint8_t address,
                          uint8_t *page)
{
    const uint8_t *kept = smart->host_log[address - HOST_LOG_FIRST];

    if (kept) {
        memcpy(page, kept, SMART_PAGE_BYTES);
    }
}

bool smart_read_log(SmartState *smart, SimTime now, uint8_t address,
                    bool ext, uint8_t *page)
{
    test_goes_on(smart, now);
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
    put_checksum(page);
    return true;
}

bool smart_write_log(SmartState *smart, uint8_t address, const uint8_t *page)
{
    uint8_t **kept;

    if (!is_host_log(address)) {
        return false;
    }
    kept = &smart->host_log[address - HOST_LOG_FIRST];
    if (!*kept) {
        *kept = g_malloc(SMART_PAGE_BYTES);
    }
    memcpy(*kept, page, SMART_PAGE_BYTES);
    return true;
}

/* --- life -------------------------------------------------------------- */

static bool went_wrong(const DiskOp *op)
{
    return (op->verb == DISK_READ || op->verb == DISK_WRITE) &&
           (op->status == DISK_BAD_SECTOR || op->status == DISK_FAILED);
}

void smart_note_op(SmartState *smart, SimTime now, const DiskOp *op)
{
    const MechTime *time = &op->time;

    warm(smart, now, time->seek_ns + time->rotate_ns + time->transfer_ns);
    if (went_wrong(op)) {
        smart->error_log[smart->errors++ % ERROR_ENTRIES] = (ErrorEntry) {
            .sector = op->status == DISK_BAD_SECTOR ? op->bad_sector
                                                    : op->span.sector,
            .count = op->span.count,
            .write = op->verb == DISK_WRITE,
            .at = now,
        };
    } else if (op->status == DISK_OK && op->verb == DISK_READ) {
        smart->sectors_read += op->span.count;
    } else if (op->status == DISK_OK && op->verb == DISK_WRITE) {
        smart->sectors_written += op->span.count;
    }
}

void smart_set_spinning(SmartState *smart, SimTime now, bool spinning)
{
    warm(smart, now, 0);
    if (spinning && !smart->spinning) {
        smart->starts++;
    }
    smart->spinning = spinning;
}

void smart_set_auto_offline(SmartState *smart, bool on)
{
    smart->auto_offline = on;
}

SmartState *smart_new(const DiskPreset *preset, SimTime now)
{
    SmartState *smart = g_new0(SmartState, 1);

    smart->preset = preset;
    smart->born = smart->heat_at = now;
    smart->starts = 1;
    smart->spinning = true;
    smart->heat = smart->heat_min = smart->heat_max = ROOM;
    smart->test = NO_TEST;
    return smart;
}

void smart_free(SmartState *smart)
{
    if (!smart) {
        return;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(smart->host_log); i++) {
        g_free(smart->host_log[i]);
    }
    g_free(smart);
}
