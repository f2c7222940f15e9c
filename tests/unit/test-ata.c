/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: what a drive says of itself can be read by somebody who only has
 * the ATA standard; power modes and flushes work; a command it does not know
 * changes nothing.  SMART has test-smart.
 *
 * Method: words of IDENTIFY taken apart by offsets from T13/1410D; every
 * command with every feature.
 */
#include <errno.h>
#include <string.h>

#include "tests/lib/ata-rig.h"
#include "tests/lib/unit.h"

static const char *const ids[] = {
    "wd1200jb", "cheetah9LP", "dtla307045", "max6l080j4", "sr5400",
    "st380021a", "wd2500jb", "wd3000glfs", "wd360gd", "wd5000ys",
};

static void set_up(void)
{
    ata_rig_open("wd1200jb");
}

/* --- IDENTIFY ---------------------------------------------------------- */

/* Two characters a word, the first in the high byte, blanks at the end. */
static void text_is(unsigned first, unsigned last, const char *expect)
{
    char text[64] = "";
    unsigned length = 2 * (last - first + 1);

    for (unsigned i = 0; i < length; i++) {
        text[i] = rig.page[2 * first + (i ^ 1)];
    }
    while (length && text[length - 1] == ' ') {
        text[--length] = 0;
    }
    ck_assert_str_eq(text, expect);
}

START_TEST(identify_says_who_it_is)
{
    uint64_t lbas, big;

    ata_rig_open(ids[_i]);
    lbas = rig.preset->geometry.lbas;
    ata_good(ata_send(0xec, 0, 0, 0));
    text_is(10, 19, "PL-0001");
    text_is(23, 26, rig.preset->firmware);
    text_is(27, 46, rig.preset->label);
    ck_assert_uint_eq(ata_word(0) & 0x8000, 0);             /* ATA */
    ck_assert_uint_eq(ata_word(49) & 0x0300, 0x0300);       /* LBA, DMA */
    ck_assert_uint_eq(ata_word(53) & 0x0007, 0x0007);
    ck_assert_uint_eq(ata_word(60) + ata_word(61) * 65536u,
                      lbas < 0x0fffffff ? lbas : 0x0fffffff);
    big = ata_word(100) | (uint64_t)ata_word(101) << 16 |
          (uint64_t)ata_word(102) << 32;
    if (ata_word(83) & 0x0400) {
        ck_assert_uint_eq(big, lbas);
    } else {
        ck_assert_uint_lt(lbas, 0x10000000);
        ck_assert_uint_eq(big, 0);
    }
    ck_assert_uint_eq(rig.page[510], 0xa5);
    ata_page_sums_to_zero();
    ata_rig_close();
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

    ata_rig_open(claims[_i].id);
    ata_good(ata_send(0xec, 0, 0, 0));
    ck_assert_uint_eq(ata_word(88) & 0xff, claims[_i].modes);
    ck_assert_uint_eq(ata_word(88) >> 8, (claims[_i].modes + 1) / 2);
    ck_assert_uint_eq(ata_word(80), claims[_i].versions);
    ck_assert_uint_eq(!!(ata_word(83) & 0x0400), claims[_i].lba48);
    ck_assert_uint_eq(!!(ata_word(84) & 0x0020), claims[_i].lba48);
    ck_assert_uint_eq(ata_word(83) & 0xc000, 0x4000);       /* valid */
    ck_assert_uint_eq(ata_word(87) & 0xc000, 0x4000);
    ck_assert_uint_eq(ata_word(82) & 0x0001, 1);        /* SMART there, on */
    ck_assert_uint_eq(ata_word(85) & 0x0001, 1);
    ck_assert_uint_eq(ata_word(84) & 0x0003, 3);        /* logs, self-test */
    ata_rig_close();
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
        ata_good(ata_send(0xef, switches[i].feature, switches[i].count, 0));
        ata_good(ata_send(0xec, 0, 0, 0));
        ck_assert_uint_eq(ata_word(switches[i].word) & switches[i].mask,
                          switches[i].value);
    }
    ata_refused(ata_send(0xef, 0x03, 0x46, 0));      /* UDMA 6 on a UDMA100 */
    ata_refused(ata_send(0xef, 0x03, 0x23, 0));
    ata_refused(ata_send(0xef, 0x03, 0x80, 0));
    ata_refused(ata_send(0xef, 0x05, 0x80, 0));      /* APM */
}
END_TEST

/* --- power, flush, the unknown ----------------------------------------- */

static unsigned power_mode(void)
{
    ata_good(ata_send(0xe5, 0, 0, 0));
    return rig.tf.count[0];
}

START_TEST(a_drive_at_rest_spins_up_once)
{
    SimTime took, again;

    ck_assert_uint_eq(power_mode(), 0xff);
    ata_good(ata_send(0xe1, 0, 0, 0));
    ck_assert_uint_eq(power_mode(), 0x80);
    ata_good(ata_send(0xe0, 0, 0, 0));
    ck_assert_uint_eq(power_mode(), 0x00);
    ata_good(ata_send(0xec, 0, 0, 0));               /* does not wake it */
    ck_assert_uint_eq(power_mode(), 0x00);
    ata_access(DISK_READ, 0, 8, &took);
    ata_access(DISK_READ, 1000, 8, &again);
    ck_assert_int_gt(took, rig.preset->spin_up_ns);
    ck_assert_int_lt(took, rig.preset->spin_up_ns + SIM_MS(50));
    ck_assert_int_lt(again, SIM_MS(50));
    ck_assert_uint_eq(power_mode(), 0xff);
    ata_good(ata_send(ATA_SMART, 0xd0, 1, 0));
    ck_assert_uint_eq(rig.page[2 + 12 * 2], 4);
    ck_assert_uint_eq(rig.page[2 + 12 * 2 + 5], 2);     /* starts */
}
END_TEST

START_TEST(flush_reaches_the_medium)
{
    ata_good(ata_send(0xe7, 0, 0, 0));
    ck_assert_uint_eq(rig.flushes, 1);
    rig.media_fails = -EIO;
    ck_assert_int_eq(ata_send(0xe7, 0, 0, 0), DISK_FAILED);
    ck_assert_uint_eq(rig.tf.status & 0x21, 0x21);
    rig.media_fails = 0;
    ata_refused(ata_send(0xea, 0, 0, 0));            /* 48 bit only */
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

                rig.tf = sent;
                status = ata_send_with(with ? data : NULL);
                if (status == DISK_OK) {
                    unit_holds(rig.tf.status == 0x50 && rig.tf.error == 0);
                    unit_holds(with || ata_data(&sent) == ATA_DATA_NONE);
                } else {
                    unit_holds(status == DISK_REFUSED);
                    unit_holds(rig.tf.status == 0x51 && rig.tf.error == 0x04);
                    sent.status = rig.tf.status;
                    sent.error = rig.tf.error;
                    unit_holds(!memcmp(&rig.tf, &sent, sizeof(rig.tf)));
                }
                if (code == ATA_SMART && feature == 0xd9) {
                    ata_send(ATA_SMART, 0xd8, 0, 0);
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
    tcase_add_checked_fixture(tc, set_up, ata_rig_close);
    tcase_add_test(tc, features_show_in_identify);
    tcase_add_test(tc, a_drive_at_rest_spins_up_once);
    tcase_add_test(tc, flush_reaches_the_medium);
    tcase_add_test(tc, whatever_is_sent_gets_one_of_two_answers);
    suite_add_tcase(suite, tc);

    tcase_add_loop_test(each, identify_says_who_it_is, 0, G_N_ELEMENTS(ids));
    tcase_add_loop_test(each, identify_says_what_it_can, 0, 5);
    suite_add_tcase(suite, each);
    return unit_run(suite);
}
