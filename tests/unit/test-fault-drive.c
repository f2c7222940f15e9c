/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: what goes wrong in a drive or on its cable costs what it should, is
 * counted where a host looks for it, and slows the link when it must.
 *
 * Method: a shipped drive on a port, asked op by op; SMART and IDENTIFY are
 * read as a host reads them.
 */
#include "disk-model/world/fault.h"
#include "tests/lib/ata-rig.h"
#include "tests/lib/unit.h"

#define IDENTIFY 0xec
#define SMART 0xb0
#define COUNT 128

static unsigned slower, failing;

static void port_news(void *opaque, unsigned port, DiskPortNews what)
{
    ck_assert_ptr_eq(opaque, &rig);
    ck_assert_uint_eq(port, 0);
    slower += what == DISK_PORT_SLOWER;
    failing += what == DISK_PORT_FAILING;
}

static void set_up(void)
{
    ata_rig_open("wd1200jb");
    disk_port_on_news(rig.port, port_news, &rig);
    slower = failing = 0;
}

static void order(const char *line)
{
    GError *error = NULL;

    ck_assert_msg(fault_order(rig.sim, line, &error), "%s: %s", line,
                  error ? error->message : "");
}

static uint64_t counted(uint8_t id)
{
    ata_good(ata_send(SMART, 0xd0, 1, 0));
    for (const uint8_t *at = rig.page + 2; at < rig.page + 362; at += 12) {
        if (at[0] == id) {
            return ata_le16(at + 5) + ata_le16(at + 7) * 65536ull;
        }
    }
    ck_abort_msg("no attribute %u", id);
}

static unsigned chosen_udma(void)
{
    ata_good(ata_send(IDENTIFY, 0, 0, 0));
    return (unsigned)__builtin_ctz(ata_word(88) >> 8);
}

/* From the drive's RAM, so that the arm has no part in it. */
static SimTime hit(void)
{
    SimTime took;

    ck_assert_int_eq(ata_access(DISK_READ, 0, COUNT, NULL), DISK_OK);
    ck_assert_int_eq(ata_access(DISK_READ, 0, COUNT, &took), DISK_OK);
    return took;
}

/* --- the cable ------------------------------------------------------------ */

START_TEST(C22_a_cable_bad_at_full_speed_steps_down_once)
{
    ck_assert_uint_eq(chosen_udma(), 5);
    order("port 0 crc over 4");
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_int_eq(ata_access(i % 2 ? DISK_WRITE : DISK_READ, 100, 8,
                                    NULL), DISK_OK);
    }
    ck_assert_uint_eq(slower, 1);
    ck_assert_uint_eq(counted(199), 3);
    ck_assert_uint_eq(chosen_udma(), 4);
}
END_TEST

/* Two are repeated, and it is as fast as before. */
START_TEST(C22_fewer_in_a_row_are_repeated_and_no_more)
{
    SimTime good = hit();

    for (unsigned i = 1; i <= 3; i++) {
        SimTime bad;

        order("port 0 crc times 2");
        ck_assert_int_eq(ata_access(DISK_READ, 0, COUNT, &bad), DISK_OK);
        ck_assert_int_gt(bad - good, 2 * COUNT * 512 * SIM_S(1) / 100000000);
        ck_assert_uint_eq(counted(199), 2 * i);
    }
    ck_assert_uint_eq(slower, 0);
    ck_assert_int_eq(hit(), good);
}
END_TEST

START_TEST(C22_three_in_a_row_are_enough)
{
    order("port 0 crc times 3");
    ck_assert_int_eq(ata_access(DISK_READ, 0, 8, NULL), DISK_OK);
    ck_assert_uint_eq(slower, 1);
    ck_assert_uint_eq(counted(199), 3);
}
END_TEST

/* By the link's rate, and by what the preset has of its own. */
START_TEST(C22_a_slower_link_is_slower_until_the_drive_is_another)
{
    SimTime before, after;

    rig.preset->buffer.bus_read_ns = _i ? SIM_US(5) : 0;
    before = hit();
    order("port 0 crc over 1");
    ck_assert_int_eq(ata_access(DISK_READ, 0, 8, NULL), DISK_OK);
    ck_assert_uint_eq(slower, 4);
    ck_assert_uint_eq(chosen_udma(), 1);
    fault_clear(rig.sim);
    after = hit();
    ck_assert_int_gt(after, COUNT * 512 * SIM_S(1) / 25000000);
    ck_assert_int_lt(before, after);
    disk_port_pull(rig.port);
    disk_port_plug(rig.port, rig.disk);
    ck_assert_int_eq(hit(), before);
}
END_TEST

START_TEST(a_cable_that_is_never_right_fails_the_op)
{
    order("port 0 crc");
    ck_assert_int_eq(ata_access(DISK_WRITE, 0, 8, NULL), DISK_FAILED);
    ck_assert_uint_eq(slower, 5);
    ck_assert_uint_eq(counted(199), 18);
    fault_clear(rig.sim);
    ck_assert_int_eq(ata_access(DISK_WRITE, 0, 8, NULL), DISK_OK);
}
END_TEST

/* --- the medium ----------------------------------------------------------- */

START_TEST(a_bad_sector_is_pending_then_moved)
{
    order("port 0 bad at 500-501");
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(ata_access(DISK_READ, 496, 8, NULL),
                         DISK_BAD_SECTOR);
    }
    ck_assert_uint_eq(counted(197), 1);
    ck_assert_uint_eq(counted(198), 3);
    ck_assert_int_eq(ata_access(DISK_READ, 501, 1, NULL), DISK_BAD_SECTOR);
    ck_assert_uint_eq(counted(197), 2);
    ck_assert_uint_eq(counted(5), 0);
    ck_assert_int_eq(ata_access(DISK_WRITE, 500, 1, NULL), DISK_OK);
    ck_assert_uint_eq(counted(197), 1);
    ck_assert_uint_eq(counted(5), 1);
    ck_assert_uint_eq(counted(196), 1);
    ck_assert_int_eq(ata_access(DISK_WRITE, 496, 8, NULL), DISK_OK);
    ck_assert_int_eq(ata_access(DISK_WRITE, 496, 8, NULL), DISK_OK);
    ck_assert_uint_eq(counted(197), 0);
    ck_assert_uint_eq(counted(5), 2);
    ck_assert_int_eq(ata_access(DISK_READ, 496, 8, NULL), DISK_OK);
}
END_TEST

/* The drive has read more elsewhere than it can keep. */
static SimTime from_afar(void)
{
    SimTime took, all = 0;

    for (unsigned i = 0; i < 16; i++) {
        for (unsigned other = 1; other <= 50; other++) {
            ata_access(DISK_READ, 1000003ull * (i + other), 64, NULL);
        }
        ck_assert_int_eq(ata_access(DISK_READ, 496, 8, &took), DISK_OK);
        all += took;
    }
    return all / 16;
}

/* There and back, each more than 2 ms. */
START_TEST(the_arm_makes_the_way_to_a_moved_sector)
{
    SimTime before = from_afar();

    order("port 0 bad at 500");
    ck_assert_int_eq(ata_access(DISK_READ, 500, 1, NULL), DISK_BAD_SECTOR);
    ck_assert_int_eq(ata_access(DISK_WRITE, 500, 1, NULL), DISK_OK);
    ck_assert_int_eq(ata_access(DISK_FLUSH, 0, 0, NULL), DISK_OK);
    ck_assert_int_gt(from_afar(), before + SIM_MS(4));
}
END_TEST

/* Written before anybody has seen that it was bad. */
START_TEST(what_nobody_found_is_not_counted)
{
    order("port 0 bad at 500");
    ck_assert_int_eq(ata_access(DISK_WRITE, 500, 1, NULL), DISK_OK);
    ck_assert_uint_eq(counted(197), 0);
    ck_assert_uint_eq(counted(5), 0);
}
END_TEST

static bool is_healthy(void)
{
    ata_good(ata_send(SMART, 0xda, 0, 0));
    return rig.tf.lba_mid[0] == 0x4f;
}

START_TEST(many_moved_sectors_are_a_failure_foretold)
{
    order("port 0 bad at 0-59");
    for (unsigned i = 0; i < 60; i++) {
        ck_assert(is_healthy());
        ck_assert_uint_eq(failing, 0);
        ck_assert_int_eq(ata_access(DISK_READ, i, 1, NULL), DISK_BAD_SECTOR);
        ck_assert_int_eq(ata_access(DISK_WRITE, i, 1, NULL), DISK_OK);
    }
    ck_assert(!is_healthy());
    ck_assert_uint_eq(failing, 1);
    order("port 0 bad at 70");
    ck_assert_int_eq(ata_access(DISK_READ, 70, 1, NULL), DISK_BAD_SECTOR);
    ck_assert_int_eq(ata_access(DISK_WRITE, 70, 1, NULL), DISK_OK);
    ck_assert_uint_eq(failing, 1);
}
END_TEST

/* --- trying again --------------------------------------------------------- */

START_TEST(retries_cost_turns_of_the_drive)
{
    SimTime good = hit(), bad;

    order("port 0 retries 8 at 3-4 times 1");
    ck_assert_int_eq(ata_access(DISK_READ, 0, COUNT, &bad), DISK_OK);
    ck_assert_int_eq(bad, good + 16 * rig.preset->turn_ns);
    ck_assert_uint_eq(counted(197), 0);
}
END_TEST

/* 8.33 ms a turn. */
START_TEST(more_turns_than_the_drive_tries_are_a_bad_sector)
{
    SimTime good = hit(), bad;

    rig.preset->error_recovery_ns = SIM_MS(70);
    order("port 0 retries 9 at 5");
    order("port 0 retries 8 at 3");
    ck_assert_int_eq(ata_access(DISK_READ, 0, COUNT, &bad), DISK_BAD_SECTOR);
    ck_assert_int_eq(bad, good + SIM_MS(70));
    ck_assert_int_eq(ata_access(DISK_READ, 0, 4, NULL), DISK_OK);
    ck_assert_int_eq(ata_access(DISK_READ, 0, 6, NULL), DISK_BAD_SECTOR);
    ck_assert_uint_eq(counted(197), 1);
}
END_TEST

static unsigned bad_of_the_first(unsigned sectors)
{
    unsigned bad = 0;

    for (unsigned i = 0; i < sectors; i++) {
        bad += ata_access(DISK_READ, i, 1, NULL) == DISK_BAD_SECTOR;
    }
    return bad;
}

START_TEST(so_many_sectors_grow_bad_when_it_is_time)
{
    order("port 0 grows 3 at 0-63 from 10s");
    ck_assert_uint_eq(bad_of_the_first(64), 0);
    sim_run_until(rig.sim, SIM_S(10));
    /* A write elsewhere: they are there, though nobody has looked. */
    ck_assert_int_eq(ata_access(DISK_WRITE, 1000, 1, NULL), DISK_OK);
    ck_assert_uint_eq(bad_of_the_first(64), 3);
    ck_assert_uint_eq(bad_of_the_first(64), 3);
    ck_assert_int_eq(ata_access(DISK_WRITE, 0, 64, NULL), DISK_OK);
    ck_assert_uint_eq(counted(5), 3);
    ck_assert_uint_eq(bad_of_the_first(64), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fault-drive");
    TCase *tc = tcase_create("drive");

    tcase_add_checked_fixture(tc, set_up, ata_rig_close);
    tcase_add_test(tc, C22_a_cable_bad_at_full_speed_steps_down_once);
    tcase_add_test(tc, C22_fewer_in_a_row_are_repeated_and_no_more);
    tcase_add_test(tc, C22_three_in_a_row_are_enough);
    tcase_add_loop_test(
        tc, C22_a_slower_link_is_slower_until_the_drive_is_another, 0, 2);
    tcase_add_test(tc, a_cable_that_is_never_right_fails_the_op);
    tcase_add_test(tc, a_bad_sector_is_pending_then_moved);
    tcase_add_test(tc, the_arm_makes_the_way_to_a_moved_sector);
    tcase_add_test(tc, what_nobody_found_is_not_counted);
    tcase_add_test(tc, many_moved_sectors_are_a_failure_foretold);
    tcase_add_test(tc, retries_cost_turns_of_the_drive);
    tcase_add_test(tc, more_turns_than_the_drive_tries_are_a_bad_sector);
    tcase_add_test(tc, so_many_sectors_grow_bad_when_it_is_time);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
