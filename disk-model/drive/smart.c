/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMART: counters, heat, attributes, and the pages that show them.
 *
 * Power-on time is model time since the drive was made: a new drive has
 * none.
 */
#include <string.h>

#include "disk-model/drive/smart-private.h"

#define HOUR SIM_S(3600)

/* Temperatures in nano-degrees, so that short steps are not rounded away.
 * Assumed: a room of 25 C, a drive in a case with some wind. */
#define CELSIUS SIM_S(1)
#define ROOM (25 * CELSIUS)
#define AT_REST (27 * CELSIUS)
#define IDLING (33 * CELSIUS)
#define BUSY_ADDS (10 * CELSIUS)        /* with the arm always at work */
#define WARMING_NS SIM_S(900)           /* time constant */

void smart_put_checksum(uint8_t *page)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < SMART_PAGE_BYTES - 1; i++) {
        sum += page[i];
    }
    page[SMART_PAGE_BYTES - 1] = -sum;
}

uint64_t smart_hours(const SmartState *smart, SimTime now)
{
    return (now - smart->born) / HOUR;
}

/* --- heat -------------------------------------------------------------- */

/* of * part / whole; the product seldom needs more than 64 bits. */
static int64_t share(int64_t of, int64_t part, int64_t whole)
{
    int64_t product;

    return __builtin_mul_overflow(of, part, &product)
        ? (int64_t)((__int128)of * part / whole) : product / whole;
}

static void warm(SmartState *smart, SimTime now, SimTime busy_ns)
{
    SimTime passed = now - smart->heat_at;
    int64_t goal = smart->spinning ? IDLING : AT_REST;

    if (passed <= 0) {
        return;
    }
    goal += share(BUSY_ADDS, MIN(busy_ns, passed), passed);
    smart->heat += share(goal - smart->heat, passed, WARMING_NS + passed);
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
    {   9, 0x0032,   0, 100 },  /* power-on smart_hours */
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
    case 5:
    case 196:
        return smart->counts[SMART_MOVED];
    case 9:
        return smart_hours(smart, now);
    case 12:
        return 1;
    case 194:                   /* now, lowest and highest since power-on */
        return degrees(smart->heat) |
               (uint64_t)degrees(smart->heat_min) << 16 |
               (uint64_t)degrees(smart->heat_max) << 32;
    case 197:
        return smart->counts[SMART_PENDING];
    case 198:                   /* guess: whenever it was found */
        return smart->counts[SMART_UNREADABLE];
    case 199:
        return smart->counts[SMART_CRC];
    case 241:
        return smart->sectors_written;
    case 242:
        return smart->sectors_read;
    default:
        return 0;
    }
}

/* A month of power-on time, and (guess) a sector moved, take one off their
 * attribute; others stand. */
static uint8_t attribute_value(const SmartState *smart, SimTime now,
                               const Attribute *attribute)
{
    if (attribute->id == 9) {
        return attribute->start - MIN(smart_hours(smart, now) / 730, 99u);
    }
    if (attribute->id == 5) {
        return attribute->start - MIN(smart->counts[SMART_MOVED],
                                      attribute->start - 1u);
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

static unsigned minutes(SimTime length)
{
    return (length + SIM_S(60) - 1) / SIM_S(60);
}

/* --- pages ------------------------------------------------------------- */

static void put_attributes(SmartState *smart, SimTime now, uint8_t *page)
{
    uint8_t *at = page + 2;

    for (unsigned i = 0; i < G_N_ELEMENTS(attributes); i++, at += 12) {
        uint64_t raw = attribute_raw(smart, now, attributes[i].id);

        at[0] = attributes[i].id;
        smart_put16(at + 1, attributes[i].flags);
        at[3] = attribute_value(smart, now, &attributes[i]);
        at[4] = attribute_worst(smart, now, &attributes[i]);
        smart_put32(at + 5, raw);
        smart_put16(at + 9, raw >> 32);
    }
}

void smart_read_data(SmartState *smart, SimTime now, uint8_t *page)
{
    unsigned extended = minutes(smart_test_ns(smart, 2));

    warm(smart, now, 0);
    smart_test_goes_on(smart, now);
    memset(page, 0, SMART_PAGE_BYTES);
    smart_put16(page, 0x0010);
    put_attributes(smart, now, page);
    page[362] = smart->offline_status | (smart->auto_offline ? 0x80 : 0);
    page[363] = smart_test_status(smart, now);
    smart_put16(page + 364, MIN(smart_test_ns(smart, 0) / SIM_S(1),
                                UINT16_MAX));
    page[367] = 0x1b;           /* off-line: immediate, automatic, surface
                                   scan; self-tests; goes on after a command */
    smart_put16(page + 368, 0x0003);  /* attributes are saved */
    page[370] = 0x01;           /* errors are logged */
    page[372] = minutes(smart_test_ns(smart, 1));
    page[373] = MIN(extended, 0xff);
    smart_put16(page + 375, extended >= 0xff ? extended : 0);
    smart_put_checksum(page);
}

void smart_read_thresholds(const SmartState *smart, uint8_t *page)
{
    uint8_t *at = page + 2;

    (void)smart;
    memset(page, 0, SMART_PAGE_BYTES);
    smart_put16(page, 0x0010);
    for (unsigned i = 0; i < G_N_ELEMENTS(attributes); i++, at += 12) {
        at[0] = attributes[i].id;
        at[1] = attributes[i].threshold;
    }
    smart_put_checksum(page);
}

/* --- life -------------------------------------------------------------- */

static void log_error(SmartState *smart, SimTime now, const DiskOp *op)
{
    unsigned next = smart->errors++ % SMART_ERROR_ENTRIES;

    smart->error_log[next] = (SmartErrorEntry) {
        .sector = op->status == DISK_BAD_SECTOR ? op->bad_sector
                                                : op->span.sector,
        .count = op->span.count,
        .write = op->verb == DISK_WRITE,
        .at = now,
    };
}

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
        log_error(smart, now, op);
    } else if (op->status == DISK_OK && op->verb == DISK_READ) {
        smart->sectors_read += op->span.count;
    } else if (op->status == DISK_OK && op->verb == DISK_WRITE) {
        smart->sectors_written += op->span.count;
    }
}

void smart_count(SmartState *smart, SmartCount what, int by)
{
    smart->counts[what] += (uint32_t)by;
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
    smart->test = SMART_NO_TEST;
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
