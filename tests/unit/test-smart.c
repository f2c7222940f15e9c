/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a drive's SMART state lives - hours, warmth, counters, self-tests,
 * logs - and can be read by somebody who only has the ATA standard.
 *
 * Method: pages taken apart by offsets from T13/1410D while model time
 * passes.
 */
#include <errno.h>
#include <string.h>

#include "tests/lib/ata-rig.h"
#include "tests/lib/unit.h"

#define HOUR SIM_S(3600)

static void set_up(void)
{
    ata_rig_open("wd1200jb");
}

/* --- SMART ------------------------------------------------------------- */

static const uint8_t *attribute(unsigned id)
{
    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    for (unsigned i = 0; i < 30; i++) {
        if (rig.page[2 + 12 * i] == id) {
            return rig.page + 2 + 12 * i;
        }
    }
    ck_abort_msg("no attribute %u", id);
    return NULL;
}

static uint64_t raw(unsigned id)
{
    const uint8_t *at = attribute(id);

    return ata_le16(at + 5) | (uint64_t)ata_le16(at + 7) << 16 |
           (uint64_t)ata_le16(at + 9) << 32;
}

START_TEST(attributes_are_above_their_thresholds)
{
    static const uint8_t expected[] = { 1, 3, 4, 5, 7, 9, 10, 12, 194, 196,
                                        197, 198, 199, 200 };
    uint8_t data[512];

    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    ata_page_sums_to_zero();
    ck_assert_uint_eq(ata_word(0), 0x0010);
    memcpy(data, rig.page, sizeof(data));
    ata_good(ata_send(ATA_SMART, 0xd1, 1, 0));
    ata_page_sums_to_zero();
    for (unsigned i = 0; i < 30; i++) {
        const uint8_t *value = data + 2 + 12 * i;
        const uint8_t *limit = rig.page + 2 + 12 * i;

        ck_assert_uint_eq(value[0], limit[0]);
        ck_assert(!value[0] || value[3] > limit[1]);
        ck_assert(value[4] <= value[3]);
    }
    for (unsigned i = 0; i < sizeof(expected); i++) {
        attribute(expected[i]);
    }
    ata_good(ata_send(ATA_SMART, 0xda, 0, 0));
    ck_assert_uint_eq(rig.tf.lba_mid[0], 0x4f);
    ck_assert_uint_eq(rig.tf.lba_high[0], 0xc2);
}
END_TEST

START_TEST(counters_move_with_the_work)
{
    uint8_t cool = raw(194);

    ck_assert_uint_eq(raw(9), 0);
    ck_assert_uint_eq(raw(4), 1);
    for (unsigned i = 0; i < 20000; i++) {
        ata_access(i % 4 ? DISK_READ : DISK_WRITE,
                   sim_random(rig.sim, rig.preset->geometry.lbas - 8), 8,
                   NULL);
    }
    ck_assert_uint_eq(raw(241), 5000 * 8);
    ck_assert_uint_eq(raw(242), 15000 * 8);
    ck_assert_uint_gt(raw(194) & 0xff, cool);
    ck_assert_uint_le(raw(194) & 0xff, 45);
    sim_run_until(rig.sim, 5 * HOUR);
    ck_assert_uint_eq(raw(9), 5);
    ck_assert_uint_eq(raw(12), 1);
}
END_TEST

START_TEST(warmth_stays_within_bounds_and_settles)
{
    sim_run_until(rig.sim, 24 * HOUR);
    ck_assert_uint_eq(raw(194) & 0xff, 32);     /* just under 33 */
    ata_good(ata_send(0xe0, 0, 0, 0));
    sim_run_until(rig.sim, 100 * HOUR);
    ck_assert_uint_eq(raw(194) & 0xff, 27);
    ck_assert_uint_eq(raw(194) >> 32 & 0xff, 32);
}
END_TEST

START_TEST(smart_can_be_switched_off_and_on)
{
    ata_good(ata_send(ATA_SMART, 0xd9, 0, 0));
    ata_refused(ata_send(ATA_SMART, 0xd0, 1, 0));
    ata_refused(ata_send(ATA_SMART, 0xda, 0, 0));
    ata_good(ata_send(0xec, 0, 0, 0));
    ck_assert_uint_eq(ata_word(85) & 1, 0);
    ck_assert_uint_eq(ata_word(82) & 1, 1);
    ata_good(ata_send(ATA_SMART, 0xd8, 0, 0));
    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
}
END_TEST

START_TEST(smart_wants_its_key)
{
    rig.tf = (AtaTaskFile) { .command = ATA_SMART, .feature = { 0xd0 },
                         .lba_mid = { 0xc2 }, .lba_high = { 0x4f } };
    ata_refused(ata_send_with(rig.page));
    rig.tf = (AtaTaskFile) { .command = ATA_SMART, .feature = { 0xd0 },
                         .lba_mid = { 0x4f }, .lba_high = { 0xc2 } };
    ata_refused(ata_send_with(NULL));           /* and a place for its data */
}
END_TEST

START_TEST(housekeeping_is_accepted)
{
    ata_good(ata_send(ATA_SMART, 0xd2, 0xf1, 0));
    ata_good(ata_send(ATA_SMART, 0xd2, 0x00, 0));
    ata_refused(ata_send(ATA_SMART, 0xd2, 0x17, 0));
    ata_good(ata_send(ATA_SMART, 0xd3, 0, 0));
    ata_good(ata_send(ATA_SMART, 0xdb, 0xf8, 0));
    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(rig.page[362] & 0x80, 0x80);
    ata_refused(ata_send(ATA_SMART, 0xdb, 0x01, 0));
    ata_good(ata_send(ATA_SMART, 0xdb, 0x00, 0));
    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(rig.page[362] & 0x80, 0);
    ata_refused(ata_send(ATA_SMART, 0xd7, 0, 0));
}
END_TEST

/* --- self-tests -------------------------------------------------------- */

static unsigned test_status(void)
{
    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    return rig.page[363];
}

/* Entry `back` from the newest: number << 8 | status; -1 if none. */
static int logged_test(unsigned back)
{
    int at;

    ata_good(ata_send(ATA_SMART, 0xd5, 1, 6));
    ata_page_sums_to_zero();
    ck_assert_uint_eq(ata_word(0), 1);
    if (!rig.page[508]) {
        return -1;
    }
    ck_assert_uint_le(rig.page[508], 21);
    at = 2 + 24 * ((rig.page[508] - 1 + 21 - back) % 21);
    return rig.page[at] ? rig.page[at] << 8 | rig.page[at + 1] : -1;
}

START_TEST(a_short_test_takes_two_minutes)
{
    ck_assert_int_eq(logged_test(0), -1);
    ata_good(ata_send(ATA_SMART, 0xd4, 0, 1));
    ck_assert_uint_eq(test_status() >> 4, 15);
    ck_assert_uint_eq(rig.page[372], 2);
    sim_run_until(rig.sim, SIM_S(65));
    ck_assert_uint_eq(test_status(), 0xf5);     /* half to go */
    ata_access(DISK_READ, 0, 8, NULL);         /* works meanwhile */
    sim_run_until(rig.sim, SIM_S(119));
    ck_assert_uint_eq(test_status(), 0xf1);
    ck_assert_int_eq(logged_test(0), -1);
    sim_run_until(rig.sim, SIM_S(121));
    ck_assert_uint_eq(test_status(), 0x00);
    ck_assert_int_eq(logged_test(0), 0x0100);
}
END_TEST

START_TEST(tests_can_be_aborted_and_replaced)
{
    ata_good(ata_send(ATA_SMART, 0xd4, 0, 2));
    sim_run_until(rig.sim, SIM_S(600));
    ata_good(ata_send(ATA_SMART, 0xd4, 0, 0x7f));
    ck_assert_uint_eq(test_status() >> 4, 1);
    ck_assert_int_eq(logged_test(0) >> 4, 0x021);
    ata_good(ata_send(ATA_SMART, 0xd4, 0, 0x7f));        /* nothing to abort */
    ck_assert_int_eq(logged_test(1), -1);
    ata_good(ata_send(ATA_SMART, 0xd4, 0, 1));
    ata_good(ata_send(ATA_SMART, 0xd4, 0, 0x81));        /* captive: at once */
    ck_assert_int_eq(logged_test(0), 0x8100);
    ck_assert_int_eq(logged_test(1) >> 4, 0x011);
    ck_assert_int_eq(logged_test(2) >> 4, 0x021);
    ata_refused(ata_send(ATA_SMART, 0xd4, 0, 0x05));
}
END_TEST

START_TEST(an_extended_test_takes_the_whole_surface)
{
    unsigned minutes;

    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    minutes = rig.page[373];
    ck_assert_uint_gt(minutes, 40);             /* 120 GB at 30 to 50 MB/s */
    ck_assert_uint_lt(minutes, 70);
    ata_good(ata_send(ATA_SMART, 0xd4, 0, 2));
    sim_run_until(rig.sim, SIM_S(60) * (minutes - 2));
    ck_assert_uint_eq(test_status() >> 4, 15);
    sim_run_until(rig.sim, SIM_S(60) * (minutes + 1));
    ck_assert_int_eq(logged_test(0), 0x0200);
}
END_TEST

START_TEST(the_log_keeps_the_last_21_tests)
{
    for (unsigned i = 0; i < 50; i++) {
        ata_good(ata_send(ATA_SMART, 0xd4, 0, 0x81 + i % 2));
        ck_assert_int_eq(logged_test(0), 0x8100 + 0x100 * (i % 2));
    }
    ck_assert_int_eq(logged_test(20), 0x8200);
    ck_assert_uint_eq(rig.page[508], 50 % 21);
}
END_TEST

START_TEST(an_offline_collection_is_not_a_self_test)
{
    ata_good(ata_send(ATA_SMART, 0xd4, 0, 0));
    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(rig.page[362], 3);
    ck_assert_uint_eq(rig.page[363], 0);
    sim_run_until(rig.sim, SIM_S(1) * (ata_le16(rig.page + 364) + 2));
    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(rig.page[362], 2);
    ck_assert_int_eq(logged_test(0), -1);
}
END_TEST

/* --- logs -------------------------------------------------------------- */

START_TEST(directories_list_logs_that_can_be_read)
{
    uint8_t list[512];
    bool ext = _i;

    ata_rig_open(ext ? "wd5000ys" : "wd1200jb");
    ata_good(ext ? ata_send(0x2f, 0, 1, 0) : ata_send(ATA_SMART, 0xd5, 1, 0));
    ck_assert_uint_eq(ata_word(0), 1);
    memcpy(list, rig.page, sizeof(list));
    for (unsigned log = 1; log < 256; log++) {
        DiskStatus status = ext ? ata_send(0x2f, 0, 1, log)
                                : ata_send(ATA_SMART, 0xd5, 1, log);

        ck_assert_int_eq(status == DISK_OK, ata_le16(list + 2 * log) == 1);
        if (status == DISK_OK && log < 0x80) {
            ata_page_sums_to_zero();
        }
    }
    ata_rig_close();
}
END_TEST

START_TEST(read_log_ext_needs_48_bits)
{
    ata_refused(ata_send(0x2f, 0, 1, 0));
}
END_TEST

START_TEST(host_logs_are_kept)
{
    for (unsigned log = 0x80; log <= 0x9f; log++) {
        memset(rig.page, log, sizeof(rig.page));
        ata_good(ata_send(ATA_SMART, 0xd6, 1, log));
    }
    for (unsigned log = 0x80; log <= 0x9f; log++) {
        ata_good(ata_send(ATA_SMART, 0xd5, 1, log));
        ck_assert_uint_eq(rig.page[0], log);
        ck_assert_uint_eq(rig.page[511], log);
    }
    ata_refused(ata_send(ATA_SMART, 0xd6, 1, 0xa0));
    ata_refused(ata_send(ATA_SMART, 0xd6, 1, 0x06));
    ata_refused(ata_send(ATA_SMART, 0xd6, 2, 0x80));
}
END_TEST

START_TEST(failed_reads_are_in_the_error_log)
{
    const uint8_t *entry;

    ata_good(ata_send(ATA_SMART, 0xd5, 1, 1));
    ck_assert_uint_eq(rig.page[0], 1);
    ck_assert_uint_eq(rig.page[1], 0);
    ck_assert_uint_eq(ata_le16(rig.page + 452), 0);
    rig.media_fails = -EIO;
    for (unsigned i = 0; i < 7; i++) {
        ck_assert_int_eq(ata_access(DISK_READ, 0xabc000 + i, 8, NULL),
                         DISK_FAILED);
    }
    ata_good(ata_send(ATA_SMART, 0xd5, 1, 1));
    ata_page_sums_to_zero();
    ck_assert_uint_eq(ata_le16(rig.page + 452), 7);
    ck_assert_uint_eq(rig.page[1], 2);              /* the 7th, of 5 places */
    entry = rig.page + 2 + 90 * 1;
    ck_assert_uint_eq(entry[4 * 12 + 7], 0xc8); /* READ DMA */
    ck_assert_uint_eq(entry[60 + 1], 0x40);     /* UNC */
    ck_assert_uint_eq(entry[60 + 3], 0x06);
    ck_assert_uint_eq(entry[60 + 4], 0xc0);
    ck_assert_uint_eq(entry[60 + 5], 0xab);
    ck_assert_uint_eq(entry[60 + 7], 0x51);
    ck_assert_uint_eq(rig.page[2 + 60 + 3], 0x05);  /* the 6th before it */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("smart");
    TCase *tc = tcase_create("smart");
    TCase *each = tcase_create("each");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, ata_rig_close);
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
    suite_add_tcase(suite, tc);

    tcase_add_loop_test(each, directories_list_logs_that_can_be_read, 0, 2);
    suite_add_tcase(suite, each);
    return unit_run(suite);
}
