/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: what a drive says of itself can be read by somebody who only has
 * the ATA standard: checksums, byte orders, flags, logs; its SMART state
 * lives; a command it does not know changes nothing.
 *
 * Method: commands go through a port as a card sends them; the structures
 * are taken apart here by offsets from T13/1410D, not by the model's code.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "disk-model/drive/port.h"
#include "tests/lib/unit.h"

#define SMART 0xb0
#define HOUR SIM_S(3600)

static const char *const ids[] = {
    "wd1200jb", "cheetah9lp", "dtla307045", "max6l080j4", "sr5400",
    "st380021a", "wd2500jb", "wd3000glfs", "wd360gd", "wd5000ys",
};

static Sim *sim;
static DiskPreset *preset;
static DiskMedia *media;
static DiskMediaOps media_ops;
static const DiskMediaOps *real_ops;
static unsigned flushes;
static int media_fails;
static Disk *disk;
static DiskPort *port;
static AtaTaskFile tf;
static uint8_t page[512];

static int count_flush(DiskMedia *m)
{
    (void)m;
    flushes++;
    return media_fails;
}

static int maybe_read(DiskMedia *m, uint64_t sector, uint32_t count,
                      void *buf)
{
    return media_fails ? media_fails
                       : real_ops->read(m, sector, count, buf);
}

static void set_up_with(const char *id)
{
    sim = sim_new(1);
    preset = unit_preset(id);
    media = disk_media_memory_new(preset->geometry.lbas);
    real_ops = media->ops;
    media_ops = *real_ops;
    media_ops.flush = count_flush;
    media_ops.read = maybe_read;
    media->ops = &media_ops;
    flushes = 0;
    media_fails = 0;
    disk = disk_new(sim, preset, media, "PL-0001", 0);
    port = disk_port_new(sim, 0, 0);
    disk_port_plug(port, disk);
}

static void set_up(void)
{
    set_up_with(ids[0]);
}

static void tear_down(void)
{
    disk_port_pull(port);
    disk_port_free(port);
    disk_free(disk);
    media->ops = real_ops;
    disk_media_close(media);
    disk_preset_free(preset);
    sim_free(sim);
}

static void op_done(DiskOp *op)
{
    ++*(unsigned *)op->opaque;
}

static DiskStatus send_with(void *data)
{
    unsigned done = 0;
    DiskOp op = { .verb = DISK_ATA, .ata = &tf, .buf = data,
                  .done = op_done, .opaque = &done };

    disk_port_submit(port, &op);
    while (!done && sim_step(sim)) {
        continue;
    }
    unit_holds(done == 1);
    return op.status;
}

/* A command with its registers; data as its direction wants it. */
static DiskStatus command(uint8_t code, uint8_t feature, uint8_t count,
                          uint8_t low)
{
    tf = (AtaTaskFile) {
        .command = code, .feature = { feature }, .count = { count },
        .lba_low = { low }, .device = 0xa0,
    };
    if (code == SMART) {
        tf.lba_mid[0] = 0x4f;
        tf.lba_high[0] = 0xc2;
    }
    return send_with(ata_data(&tf) == ATA_DATA_NONE ? NULL : page);
}

static void good(DiskStatus status)
{
    ck_assert_int_eq(status, DISK_OK);
    ck_assert_uint_eq(tf.status, 0x50);
    ck_assert_uint_eq(tf.error, 0);
}

static void refused(DiskStatus status)
{
    ck_assert_int_eq(status, DISK_REFUSED);
    ck_assert_uint_eq(tf.status, 0x51);
    ck_assert_uint_eq(tf.error, 0x04);
}

static unsigned le16(const uint8_t *at)
{
    return at[0] + at[1] * 256u;
}

static unsigned word(unsigned n)
{
    return le16(page + 2 * n);
}

static void sums_to_zero(void)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < 512; i++) {
        sum += page[i];
    }
    ck_assert_uint_eq(sum, 0);
}

static DiskStatus access_disk(DiskVerb verb, uint64_t sector, uint32_t count,
                              SimTime *took)
{
    static uint8_t data[256 * 512];
    unsigned done = 0;
    DiskOp op = { .verb = verb, .span = { sector, count }, .buf = data,
                  .done = op_done, .opaque = &done };
    SimTime before = sim_now(sim);

    disk_port_submit(port, &op);
    while (!done && sim_step(sim)) {
        continue;
    }
    if (took) {
        *took = sim_now(sim) - before;
    }
    return op.status;
}

/* --- IDENTIFY ---------------------------------------------------------- */

/* Two characters a word, the first in the high byte, blanks at the end. */
static void text_is(unsigned first, unsigned last, const char *expect)
{
    char text[64] = "";
    unsigned length = 2 * (last - first + 1);

    for (unsigned i = 0; i < length; i++) {
        text[i] = page[2 * first + (i ^ 1)];
    }
    while (length && text[length - 1] == ' ') {
        text[--length] = 0;
    }
    ck_assert_str_eq(text, expect);
}

START_TEST(identify_says_who_it_is)
{
    uint64_t lbas, big;

    set_up_with(ids[_i]);
    lbas = preset->geometry.lbas;
    good(command(0xec, 0, 0, 0));
    text_is(10, 19, "PL-0001");
    text_is(23, 26, preset->firmware);
    text_is(27, 46, preset->label);
    ck_assert_uint_eq(word(0) & 0x8000, 0);             /* ATA */
    ck_assert_uint_eq(word(49) & 0x0300, 0x0300);       /* LBA, DMA */
    ck_assert_uint_eq(word(53) & 0x0007, 0x0007);
    ck_assert_uint_eq(word(60) + word(61) * 65536u,
                      lbas < 0x0fffffff ? lbas : 0x0fffffff);
    big = word(100) | (uint64_t)word(101) << 16 | (uint64_t)word(102) << 32;
    if (word(83) & 0x0400) {
        ck_assert_uint_eq(big, lbas);
    } else {
        ck_assert_uint_lt(lbas, 0x10000000);
        ck_assert_uint_eq(big, 0);
    }
    ck_assert_uint_eq(page[510], 0xa5);
    sums_to_zero();
    tear_down();
}
END_TEST

START_TEST(identify_says_what_it_can)
{
    static const struct {
        const char *id;
        unsigned modes, versions;
        bool lba48;
    } claims[] = {
        { "wd1200jb", 0x3f, 0x7e, false },
        { "wd2500jb", 0x3f, 0x7e, true },       /* more than 2^28 */
        { "max6l080j4", 0x7f, 0x7e, true },
        { "wd360gd", 0x3f, 0xfe, true },
        { "wd5000ys", 0x7f, 0xfe, true },
    };

    set_up_with(claims[_i].id);
    good(command(0xec, 0, 0, 0));
    ck_assert_uint_eq(word(88) & 0xff, claims[_i].modes);
    ck_assert_uint_eq(word(88) >> 8, (claims[_i].modes + 1) / 2);
    ck_assert_uint_eq(word(80), claims[_i].versions);
    ck_assert_uint_eq(!!(word(83) & 0x0400), claims[_i].lba48);
    ck_assert_uint_eq(!!(word(84) & 0x0020), claims[_i].lba48);
    ck_assert_uint_eq(word(83) & 0xc000, 0x4000);       /* valid */
    ck_assert_uint_eq(word(87) & 0xc000, 0x4000);
    ck_assert_uint_eq(word(82) & 0x0001, 1);            /* SMART there, on */
    ck_assert_uint_eq(word(85) & 0x0001, 1);
    ck_assert_uint_eq(word(84) & 0x0003, 3);            /* logs, self-test */
    tear_down();
}
END_TEST

START_TEST(features_show_in_identify)
{
    static const struct {
        uint8_t feature, count;
        unsigned word, mask, value;
    } switches[] = {
        { 0x82, 0, 85, 0x0020, 0 },         { 0x02, 0, 85, 0x0020, 0x0020 },
        { 0x55, 0, 85, 0x0040, 0 },         { 0xaa, 0, 85, 0x0040, 0x0040 },
        { 0x03, 0x42, 88, 0xff00, 0x0400 }, { 0x03, 0x45, 88, 0xff00, 0x2000 },
        { 0x03, 0x22, 63, 0xff00, 0x0400 }, { 0x03, 0x0c, 63, 0x00ff, 7 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(switches); i++) {
        good(command(0xef, switches[i].feature, switches[i].count, 0));
        good(command(0xec, 0, 0, 0));
        ck_assert_uint_eq(word(switches[i].word) & switches[i].mask,
                          switches[i].value);
    }
    refused(command(0xef, 0x03, 0x46, 0));      /* UDMA 6 on a UDMA100 */
    refused(command(0xef, 0x03, 0x23, 0));
    refused(command(0xef, 0x03, 0x80, 0));
    refused(command(0xef, 0x05, 0x80, 0));      /* APM */
}
END_TEST

/* --- SMART ------------------------------------------------------------- */

static const uint8_t *attribute(unsigned id)
{
    good(command(SMART, 0xd0, 1, 0));
    for (unsigned i = 0; i < 30; i++) {
        if (page[2 + 12 * i] == id) {
            return page + 2 + 12 * i;
        }
    }
    ck_abort_msg("no attribute %u", id);
    return NULL;
}

static uint64_t raw(unsigned id)
{
    const uint8_t *at = attribute(id);

    return le16(at + 5) | (uint64_t)le16(at + 7) << 16 |
           (uint64_t)le16(at + 9) << 32;
}

START_TEST(attributes_are_above_their_thresholds)
{
    static const uint8_t expected[] = { 1, 3, 4, 5, 7, 9, 10, 12, 194, 196,
                                        197, 198, 199, 200 };
    uint8_t data[512];

    good(command(SMART, 0xd0, 1, 0));
    sums_to_zero();
    ck_assert_uint_eq(word(0), 0x0010);
    memcpy(data, page, sizeof(data));
    good(command(SMART, 0xd1, 1, 0));
    sums_to_zero();
    for (unsigned i = 0; i < 30; i++) {
        const uint8_t *value = data + 2 + 12 * i;
        const uint8_t *limit = page + 2 + 12 * i;

        ck_assert_uint_eq(value[0], limit[0]);
        ck_assert(!value[0] || value[3] > limit[1]);
        ck_assert(value[4] <= value[3]);
    }
    for (unsigned i = 0; i < sizeof(expected); i++) {
        attribute(expected[i]);
    }
    good(command(SMART, 0xda, 0, 0));
    ck_assert_uint_eq(tf.lba_mid[0], 0x4f);
    ck_assert_uint_eq(tf.lba_high[0], 0xc2);
}
END_TEST

START_TEST(counters_move_with_the_work)
{
    uint8_t cool = raw(194);

    ck_assert_uint_eq(raw(9), 0);
    ck_assert_uint_eq(raw(4), 1);
    for (unsigned i = 0; i < 20000; i++) {
        access_disk(i % 4 ? DISK_READ : DISK_WRITE,
                    sim_random(sim, preset->geometry.lbas - 8), 8, NULL);
    }
    ck_assert_uint_eq(raw(241), 5000 * 8);
    ck_assert_uint_eq(raw(242), 15000 * 8);
    ck_assert_uint_gt(raw(194) & 0xff, cool);
    ck_assert_uint_le(raw(194) & 0xff, 45);
    sim_run_until(sim, 5 * HOUR);
    ck_assert_uint_eq(raw(9), 5);
    ck_assert_uint_eq(raw(12), 1);
}
END_TEST

START_TEST(warmth_stays_within_bounds_and_settles)
{
    sim_run_until(sim, 24 * HOUR);
    ck_assert_uint_eq(raw(194) & 0xff, 32);     /* just under 33 */
    good(command(0xe0, 0, 0, 0));
    sim_run_until(sim, 100 * HOUR);
    ck_assert_uint_eq(raw(194) & 0xff, 27);
    ck_assert_uint_eq(raw(194) >> 32 & 0xff, 32);
}
END_TEST

START_TEST(smart_can_be_switched_off_and_on)
{
    good(command(SMART, 0xd9, 0, 0));
    refused(command(SMART, 0xd0, 1, 0));
    refused(command(SMART, 0xda, 0, 0));
    good(command(0xec, 0, 0, 0));
    ck_assert_uint_eq(word(85) & 1, 0);
    ck_assert_uint_eq(word(82) & 1, 1);
    good(command(SMART, 0xd8, 0, 0));
    good(command(SMART, 0xd0, 1, 0));
}
END_TEST

START_TEST(smart_wants_its_key)
{
    tf = (AtaTaskFile) { .command = SMART, .feature = { 0xd0 },
                         .lba_mid = { 0xc2 }, .lba_high = { 0x4f } };
    refused(send_with(page));
    tf = (AtaTaskFile) { .command = SMART, .feature = { 0xd0 },
                         .lba_mid = { 0x4f }, .lba_high = { 0xc2 } };
    refused(send_with(NULL));           /* and a place for its data */
}
END_TEST

START_TEST(housekeeping_is_accepted)
{
    good(command(SMART, 0xd2, 0xf1, 0));
    good(command(SMART, 0xd2, 0x00, 0));
    refused(command(SMART, 0xd2, 0x17, 0));
    good(command(SMART, 0xd3, 0, 0));
    good(command(SMART, 0xdb, 0xf8, 0));
    good(command(SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(page[362] & 0x80, 0x80);
    refused(command(SMART, 0xdb, 0x01, 0));
    good(command(SMART, 0xdb, 0x00, 0));
    good(command(SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(page[362] & 0x80, 0);
    refused(command(SMART, 0xd7, 0, 0));
}
END_TEST

/* --- self-tests -------------------------------------------------------- */

static unsigned test_status(void)
{
    good(command(SMART, 0xd0, 1, 0));
    return page[363];
}

/* Entry `back` from the newest: number << 8 | status; -1 if none. */
static int logged_test(unsigned back)
{
    int at;

    good(command(SMART, 0xd5, 1, 6));
    sums_to_zero();
    ck_assert_uint_eq(word(0), 1);
    if (!page[508]) {
        return -1;
    }
    ck_assert_uint_le(page[508], 21);
    at = 2 + 24 * ((page[508] - 1 + 21 - back) % 21);
    return page[at] ? page[at] << 8 | page[at + 1] : -1;
}

START_TEST(a_short_test_takes_two_minutes)
{
    ck_assert_int_eq(logged_test(0), -1);
    good(command(SMART, 0xd4, 0, 1));
    ck_assert_uint_eq(test_status() >> 4, 15);
    ck_assert_uint_eq(page[372], 2);
    sim_run_until(sim, SIM_S(65));
    ck_assert_uint_eq(test_status(), 0xf5);     /* half to go */
    access_disk(DISK_READ, 0, 8, NULL);         /* works meanwhile */
    sim_run_until(sim, SIM_S(119));
    ck_assert_uint_eq(test_status(), 0xf1);
    ck_assert_int_eq(logged_test(0), -1);
    sim_run_until(sim, SIM_S(121));
    ck_assert_uint_eq(test_status(), 0x00);
    ck_assert_int_eq(logged_test(0), 0x0100);
}
END_TEST

START_TEST(tests_can_be_aborted_and_replaced)
{
    good(command(SMART, 0xd4, 0, 2));
    sim_run_until(sim, SIM_S(600));
    good(command(SMART, 0xd4, 0, 0x7f));
    ck_assert_uint_eq(test_status() >> 4, 1);
    ck_assert_int_eq(logged_test(0) >> 4, 0x021);
    good(command(SMART, 0xd4, 0, 0x7f));        /* nothing to abort */
    ck_assert_int_eq(logged_test(1), -1);
    good(command(SMART, 0xd4, 0, 1));
    good(command(SMART, 0xd4, 0, 0x81));        /* captive: at once */
    ck_assert_int_eq(logged_test(0), 0x8100);
    ck_assert_int_eq(logged_test(1) >> 4, 0x011);
    ck_assert_int_eq(logged_test(2) >> 4, 0x021);
    refused(command(SMART, 0xd4, 0, 0x05));
}
END_TEST

START_TEST(an_extended_test_takes_the_whole_surface)
{
    unsigned minutes;

    good(command(SMART, 0xd0, 1, 0));
    minutes = page[373];
    ck_assert_uint_gt(minutes, 40);             /* 120 GB at 30 to 50 MB/s */
    ck_assert_uint_lt(minutes, 70);
    good(command(SMART, 0xd4, 0, 2));
    sim_run_until(sim, SIM_S(60) * (minutes - 2));
    ck_assert_uint_eq(test_status() >> 4, 15);
    sim_run_until(sim, SIM_S(60) * (minutes + 1));
    ck_assert_int_eq(logged_test(0), 0x0200);
}
END_TEST

START_TEST(the_log_keeps_the_last_21_tests)
{
    for (unsigned i = 0; i < 50; i++) {
        good(command(SMART, 0xd4, 0, 0x81 + i % 2));
        ck_assert_int_eq(logged_test(0), 0x8100 + 0x100 * (i % 2));
    }
    ck_assert_int_eq(logged_test(20), 0x8200);
    ck_assert_uint_eq(page[508], 50 % 21);
}
END_TEST

START_TEST(an_offline_collection_is_not_a_self_test)
{
    good(command(SMART, 0xd4, 0, 0));
    good(command(SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(page[362], 3);
    ck_assert_uint_eq(page[363], 0);
    sim_run_until(sim, SIM_S(1) * (le16(page + 364) + 2));
    good(command(SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(page[362], 2);
    ck_assert_int_eq(logged_test(0), -1);
}
END_TEST

/* --- logs -------------------------------------------------------------- */

START_TEST(directories_list_logs_that_can_be_read)
{
    uint8_t list[512];
    bool ext = _i;

    set_up_with(ext ? "wd5000ys" : "wd1200jb");
    good(ext ? command(0x2f, 0, 1, 0) : command(SMART, 0xd5, 1, 0));
    ck_assert_uint_eq(word(0), 1);
    memcpy(list, page, sizeof(list));
    for (unsigned log = 1; log < 256; log++) {
        DiskStatus status = ext ? command(0x2f, 0, 1, log)
                                : command(SMART, 0xd5, 1, log);

        ck_assert_int_eq(status == DISK_OK, le16(list + 2 * log) == 1);
        if (status == DISK_OK && log < 0x80) {
            sums_to_zero();
        }
    }
    tear_down();
}
END_TEST

START_TEST(read_log_ext_needs_48_bits)
{
    refused(command(0x2f, 0, 1, 0));
}
END_TEST

START_TEST(host_logs_are_kept)
{
    for (unsigned log = 0x80; log <= 0x9f; log++) {
        memset(page, log, sizeof(page));
        good(command(SMART, 0xd6, 1, log));
    }
    for (unsigned log = 0x80; log <= 0x9f; log++) {
        good(command(SMART, 0xd5, 1, log));
        ck_assert_uint_eq(page[0], log);
        ck_assert_uint_eq(page[511], log);
    }
    refused(command(SMART, 0xd6, 1, 0xa0));
    refused(command(SMART, 0xd6, 1, 0x06));
    refused(command(SMART, 0xd6, 2, 0x80));
}
END_TEST

START_TEST(failed_reads_are_in_the_error_log)
{
    const uint8_t *entry;

    good(command(SMART, 0xd5, 1, 1));
    ck_assert_uint_eq(page[0], 1);
    ck_assert_uint_eq(page[1], 0);
    ck_assert_uint_eq(le16(page + 452), 0);
    media_fails = -EIO;
    for (unsigned i = 0; i < 7; i++) {
        ck_assert_int_eq(access_disk(DISK_READ, 0xabc000 + i, 8, NULL),
                         DISK_FAILED);
    }
    good(command(SMART, 0xd5, 1, 1));
    sums_to_zero();
    ck_assert_uint_eq(le16(page + 452), 7);
    ck_assert_uint_eq(page[1], 2);              /* the 7th, of 5 places */
    entry = page + 2 + 90 * 1;
    ck_assert_uint_eq(entry[4 * 12 + 7], 0xc8); /* READ DMA */
    ck_assert_uint_eq(entry[60 + 1], 0x40);     /* UNC */
    ck_assert_uint_eq(entry[60 + 3], 0x06);
    ck_assert_uint_eq(entry[60 + 4], 0xc0);
    ck_assert_uint_eq(entry[60 + 5], 0xab);
    ck_assert_uint_eq(entry[60 + 7], 0x51);
    ck_assert_uint_eq(page[2 + 60 + 3], 0x05);  /* the 6th before it */
}
END_TEST

/* --- power, flush, the unknown ----------------------------------------- */

static unsigned power_mode(void)
{
    good(command(0xe5, 0, 0, 0));
    return tf.count[0];
}

START_TEST(a_drive_at_rest_spins_up_once)
{
    SimTime took, again;

    ck_assert_uint_eq(power_mode(), 0xff);
    good(command(0xe1, 0, 0, 0));
    ck_assert_uint_eq(power_mode(), 0x80);
    good(command(0xe0, 0, 0, 0));
    ck_assert_uint_eq(power_mode(), 0x00);
    good(command(0xec, 0, 0, 0));               /* does not wake it */
    ck_assert_uint_eq(power_mode(), 0x00);
    access_disk(DISK_READ, 0, 8, &took);
    access_disk(DISK_READ, 1000, 8, &again);
    ck_assert_int_gt(took, preset->spin_up_ns);
    ck_assert_int_lt(took, preset->spin_up_ns + SIM_MS(50));
    ck_assert_int_lt(again, SIM_MS(50));
    ck_assert_uint_eq(power_mode(), 0xff);
    ck_assert_uint_eq(raw(4), 2);
}
END_TEST

START_TEST(flush_reaches_the_medium)
{
    good(command(0xe7, 0, 0, 0));
    ck_assert_uint_eq(flushes, 1);
    media_fails = -EIO;
    ck_assert_int_eq(command(0xe7, 0, 0, 0), DISK_FAILED);
    ck_assert_uint_eq(tf.status & 0x21, 0x21);
    media_fails = 0;
    refused(command(0xea, 0, 0, 0));            /* 48 bit only */
}
END_TEST

/*
 * Every command with every feature, with a place for data and without, when
 * the drive is done with it has said yes or no in the only two ways.
 */
START_TEST(whatever_is_sent_gets_one_of_two_answers)
{
    uint8_t data[512];

    for (unsigned code = 0; code < 256; code++) {
        for (unsigned feature = 0; feature < 256; feature++) {
            for (unsigned with = 0; with < 2; with++) {
                AtaTaskFile sent = {
                    .command = code, .feature = { feature },
                    .count = { 1 }, .lba_low = { feature ^ code },
                    .lba_mid = { 0x4f }, .lba_high = { 0xc2 },
                    .device = 0xa0,
                };
                DiskStatus status;

                tf = sent;
                status = send_with(with ? data : NULL);
                if (status == DISK_OK) {
                    unit_holds(tf.status == 0x50 && tf.error == 0);
                    unit_holds(with || ata_data(&sent) == ATA_DATA_NONE);
                } else {
                    unit_holds(status == DISK_REFUSED);
                    unit_holds(tf.status == 0x51 && tf.error == 0x04);
                    sent.status = tf.status;
                    sent.error = tf.error;
                    unit_holds(!memcmp(&tf, &sent, sizeof(tf)));
                }
                if (code == SMART && feature == 0xd9) {
                    command(SMART, 0xd8, 0, 0);
                }
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ata");
    TCase *tc = tcase_create("ata");
    TCase *each = tcase_create("each");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, features_show_in_identify);
    tcase_add_test(tc, attributes_are_above_their_thresholds);
    tcase_add_test(tc, counters_move_with_the_work);
    tcase_add_test(tc, warmth_stays_within_bounds_and_settles);
    tcase_add_test(tc, smart_can_be_switched_off_and_on);
    tcase_add_test(tc, smart_wants_its_key);
    tcase_add_test(tc, housekeeping_is_accepted);
    tcase_add_test(tc, a_short_test_takes_two_minutes);
    tcase_add_test(tc, tests_can_be_aborted_and_replaced);
    tcase_add_test(tc, an_extended_test_takes_the_whole_surface);
    tcase_add_test(tc, the_log_keeps_the_last_21_tests);
    tcase_add_test(tc, an_offline_collection_is_not_a_self_test);
    tcase_add_test(tc, read_log_ext_needs_48_bits);
    tcase_add_test(tc, host_logs_are_kept);
    tcase_add_test(tc, failed_reads_are_in_the_error_log);
    tcase_add_test(tc, a_drive_at_rest_spins_up_once);
    tcase_add_test(tc, flush_reaches_the_medium);
    tcase_add_test(tc, whatever_is_sent_gets_one_of_two_answers);
    suite_add_tcase(suite, tc);

    tcase_add_loop_test(each, identify_says_who_it_is, 0, G_N_ELEMENTS(ids));
    tcase_add_loop_test(each, identify_says_what_it_can, 0, 5);
    tcase_add_loop_test(each, directories_list_logs_that_can_be_read, 0, 2);
    suite_add_tcase(suite, each);
    return unit_run(suite);
}
