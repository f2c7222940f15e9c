/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: what units go through after power-on, as orders, drives and trouble
 * have it, and that a host is told of it in the right order.
 *
 * Method: a card whose media outlive its power; contents judged by a flat
 * array, through the unit with another member gone or on the media
 * themselves; states by the report; events by their public numbers.
 */
#include "tests/lib/life-bench.h"

#define SECTOR DISK_SECTOR_BYTES

static uint8_t back[LIFE_SECTORS][SECTOR];

/* --- rebuild -------------------------------------------------------------- */

START_TEST(a_rebuild_on_a_new_drive_makes_the_unit_whole)
{
    only(0x0f);
    boot_filled("raid5:0-3:64k");
    raid_controller_pull(bench->ctl, 1);
    shows("\"port\":1,\"status\":\"DRIVE-REMOVED\",\"unit\":null");
    shows("\"type\":\"RAID-5\",\"status\":\"DEGRADED\"");
    TOLD(0x0a01, 0x0200);
    card_bench_drain(bench);

    raid_controller_plug(bench->ctl, 1, another_drive(5));
    shows("\"port\":1,\"status\":\"OK\",\"unit\":null");
    shows("\"type\":\"RAID-5\",\"status\":\"DEGRADED\"");
    nothing_told();

    order("u0 start rebuild disk=1");
    run_for(SIM_MS(30));
    shows("\"type\":\"RAID-5\",\"status\":\"REBUILDING\",\"percent\":");
    shows("\"task\":\"rebuild\"");
    shows("\"port\":1,\"status\":\"DEGRADED\",\"unit\":0");
    card_bench_drain(bench);
    TOLD(0x0b00, 0x0500);
    shows("\"type\":\"RAID-5\",\"status\":\"OK\",\"percent\":null");
    shows("\"port\":1,\"status\":\"OK\",\"unit\":0");

    raid_controller_pull(bench->ctl, 3);
    holds(0);
}
END_TEST

START_TEST(a_drive_that_comes_back_is_rebuilt_and_not_trusted)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    raid_controller_pull(bench->ctl, 0);
    for (unsigned i = 0; i < LIFE_SECTORS; i++) {
        data[i][0] ^= 0x55;
    }
    fill(0);
    raid_controller_plug(bench->ctl, 0, bench->disk[0]);
    order("u0 start rebuild disk=0");
    card_bench_drain(bench);
    raid_controller_pull(bench->ctl, 2);
    holds(0);
}
END_TEST

/* However soon its place is taken: while blocks are being written. */
START_TEST(a_replaced_drive_is_never_a_member_again)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    order("u0 set name=busy");
    raid_controller_pull(bench->ctl, 1);
    raid_controller_plug(bench->ctl, 1, another_drive(5));
    order("u0 start rebuild disk=1");
    card_bench_drain(bench);
    for (unsigned i = 0; i < LIFE_SECTORS; i++) {
        data[i][0] ^= 0x55;
    }
    fill(0);
    card_bench_shut(bench);
    card_bench_must_boot(bench, NULL);          /* with the old one */
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_DEGRADED);
    holds(0);
}
END_TEST

START_TEST(a_rebuild_outlives_the_power)
{
    only(0x0f);
    boot_filled("raid5:0-3:64k");
    raid_controller_pull(bench->ctl, 1);
    card_bench_drain(bench);
    raid_controller_plug(bench->ctl, 1, bench->disk[1]);
    order("u0 start rebuild disk=1");
    run_for(SIM_MS(30));
    order("u0 pause rebuild");
    run_for(SIM_MS(500));
    card_bench_cut(bench);

    card_bench_must_boot(bench, NULL);
    shows("\"status\":\"REBUILD-PAUSED\"");
    run_for(SIM_S(2));
    shows("\"status\":\"REBUILD-PAUSED\"");
    order("u0 resume rebuild");
    shows("\"status\":\"REBUILDING\"");
    card_bench_drain(bench);
    shows("\"type\":\"RAID-5\",\"status\":\"OK\"");
    raid_controller_pull(bench->ctl, 0);
    holds(0);
}
END_TEST

/* The checkpoint of the one before is not its own. */
START_TEST(a_second_rebuild_begins_at_the_beginning)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    for (unsigned round = 0; round < 2; round++) {
        raid_controller_pull(bench->ctl, 1);
        card_bench_drain(bench);
        raid_controller_plug(bench->ctl, 1, another_drive(round ? 5 : 6));
        order("u0 start rebuild disk=1");
        if (!round) {
            card_bench_drain(bench);
        }
    }
    run_for(SIM_MS(10 * _i));
    card_bench_cut(bench);
    bench->order[1] = 5;
    card_bench_must_boot(bench, NULL);
    card_bench_drain(bench);
    if (raid_unit_state(unit(0)) == RAID_UNIT_OK) {
        raid_controller_pull(bench->ctl, 2);
    }
    holds(0);
}
END_TEST

START_TEST(two_mirrors_are_rebuilt_one_after_the_other)
{
    only(0x0f);
    boot_filled("raid10:0-3:64k");
    raid_controller_pull(bench->ctl, 1);
    raid_controller_pull(bench->ctl, 2);
    card_bench_drain(bench);
    raid_controller_plug(bench->ctl, 1, bench->disk[1]);
    raid_controller_plug(bench->ctl, 2, bench->disk[2]);
    forget_news();
    order("u0 start rebuild disk=1:2");
    run_for(SIM_MS(50));
    shows("{\"type\":\"RAID-1\",\"status\":\"REBUILDING\"");
    shows("{\"type\":\"RAID-1\",\"status\":\"DEGRADED\"");
    card_bench_drain(bench);
    TOLD(0x0b00, 0x0500, 0x0b00, 0x0500);
    shows("\"type\":\"RAID-10\",\"status\":\"OK\"");
    raid_controller_pull(bench->ctl, 0);
    raid_controller_pull(bench->ctl, 3);
    holds(0);
}
END_TEST

START_TEST(a_member_lost_in_its_rebuild_ends_it)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    raid_controller_pull(bench->ctl, 1);
    raid_controller_plug(bench->ctl, 1, bench->disk[1]);
    card_bench_drain(bench);
    forget_news();
    order("u0 start rebuild disk=1");
    run_for(SIM_MS(50));
    raid_controller_pull(bench->ctl, 1);
    TOLD(0x0b00, 0x0a01, 0x0200, 0x0400);
    shows("\"type\":\"RAID-5\",\"status\":\"DEGRADED\"");
    card_bench_drain(bench);
    holds(0);
}
END_TEST

START_TEST(C23_a_replacement_one_sector_too_small_is_refused)
{
    bench->model[4] = bench->smaller;
    only(0x03);
    boot_filled("raid1:0-1");
    raid_controller_pull(bench->ctl, 1);
    card_bench_drain(bench);
    forget_news();
    for (unsigned i = 4; i < 6; i++) {
        raid_controller_plug(bench->ctl, i, another_drive(i));
    }
    refused("u0 start rebuild disk=4", "too small");
    TOLD(0x2e04);
    shows("\"type\":\"RAID-1\",\"status\":\"DEGRADED\"");
    order("u0 start rebuild disk=5");
    card_bench_drain(bench);
    TOLD(0x0b00, 0x0500);
}
END_TEST

START_TEST(C06_a_bad_source_ends_a_rebuild_and_the_rest_can_be_read)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    raid_controller_pull(bench->ctl, 0);
    raid_controller_plug(bench->ctl, 0, bench->disk[0]);
    card_bench_drain(bench);
    forget_news();
    fault("port 1 bad at 1500");
    order("u0 start rebuild disk=0");
    card_bench_drain(bench);
    TOLD(0x0b00, 0x2601, 0x2d01, 0x0400);
    shows("\"type\":\"RAID-5\",\"status\":\"DEGRADED\"");
    shows("\"port\":1,\"status\":\"ECC-ERROR\",\"unit\":0");
    holds(0);

    fault_clear(bench->sim);
    order("u0 start rebuild disk=0");
    card_bench_drain(bench);
    TOLD(0x0b00, 0x0500);
    raid_controller_pull(bench->ctl, 2);
    holds(0);
}
END_TEST

START_TEST(C07_ignoring_ecc_goes_on_and_says_what_it_overwrote)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    raid_controller_pull(bench->ctl, 0);
    raid_controller_plug(bench->ctl, 0, bench->disk[0]);
    card_bench_drain(bench);
    forget_news();
    fault("port 1 bad at 1500");
    order("u0 set ignoreECC=on");
    order("u0 start rebuild disk=0");
    card_bench_drain(bench);
    TOLD(0x0b00, 0x2c01, 0x0500);
    shows("\"type\":\"RAID-5\",\"status\":\"OK\"");
    rows_agree(3);
}
END_TEST

START_TEST(C08_a_bad_sector_is_repaired_or_told)
{
    static const char *const units[] = {
        "raid1:0-1", "raid5:0-2:64k", "raid10:0-3:64k"
    };

    only(_i == 2 ? 0x0f : _i ? 0x07 : 0x03);
    boot_filled(units[_i]);
    fault("port 0 bad at 1158");
    for (unsigned round = 0; round < 4; round++) {      /* mirrors take turns */
        holds(0);
    }
    TOLD(0x2300);

    raid_controller_pull(bench->ctl, 1);
    card_bench_drain(bench);
    forget_news();
    fault("port 0 bad at 1160");
    ck_assert_int_eq(card_bench_io(bench, 0, UNIT_READ, 0, back, LIFE_SECTORS),
                     UNIT_MEDIUM_ERROR);
    TOLD(0x2600);
    shows("\"port\":0,\"status\":\"ECC-ERROR\"");
}
END_TEST

/*
 * Beside it redundancy does not agree, as after a power cut: what can be read
 * is, and only the bad sector comes from the others.
 */
START_TEST(a_bad_sector_takes_no_neighbour_with_it)
{
    static const unsigned torn[] = { LIFE_AREA + 8, LIFE_AREA + 10 };
    uint8_t sector[SECTOR];

    only(0x07);
    boot_filled("raid5:0-2:64k");
    for (unsigned i = 0; i < G_N_ELEMENTS(torn); i++) {
        card_bench_peek(bench, 0, torn[i], sector, 1);  /* row 0's parity */
        sector[7] ^= 1;
        card_bench_poke(bench, 0, torn[i], sector, 1);
    }
    fault("port 1 bad at 1033");
    holds(0);
    TOLD(0x2301);
    holds(0);
}
END_TEST

/* The first write waits for blocks, and one of these for a drive. */
START_TEST(C10_a_drive_that_hangs_over_its_block_is_reset_then_lost)
{
    only(0x07);
    card_bench_must_boot(bench, "raid5:0-2:64k");
    fault(_i ? "port 1 hang" : "port 1 hang on write times 1");
    fill(0);
    if (_i) {
        TOLD(0x0901, 0x0901, 0x0a01, 0x0200);
    } else {
        TOLD(0x0901);
    }
    holds(0);
    card_bench_drain(bench);
    card_bench_shut(bench);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), _i ? RAID_UNIT_DEGRADED
                                                  : RAID_UNIT_OK);
    holds(0);
}
END_TEST

/* --- spares --------------------------------------------------------------- */

START_TEST(A34_a_spare_is_no_disk_and_takes_over_by_itself)
{
    only(0x1f);
    boot_filled("raid5:0-3:64k");
    order("u4 del");
    TOLD(0x0d04);
    order("add type=spare disk=4");
    ck_assert_ptr_null(unit(4));
    shows("{\"unit\":4,\"type\":\"SPARE\",\"status\":\"OK\"");
    card_bench_drain(bench);

    raid_controller_pull(bench->ctl, 2);
    card_bench_drain(bench);
    TOLD(0x0a02, 0x0200, 0x0b00, 0x0500);
    shows("\"type\":\"RAID-5\",\"status\":\"OK\"");
    shows("\"port\":4,\"status\":\"OK\",\"unit\":0");
    raid_controller_pull(bench->ctl, 0);
    holds(0);
    /* What was replaced comes back as a drive of no unit. */
    raid_controller_plug(bench->ctl, 2, bench->disk[2]);
    shows("\"port\":2,\"status\":\"OK\",\"unit\":null");
    card_bench_drain(bench);
    card_bench_cut(bench);
    only(0x1e);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_controller_port_unit(bench->ctl, 2), -1);
    holds(1);
}
END_TEST

START_TEST(a_spare_takes_the_place_of_a_drive_that_fails)
{
    only(0x1f);
    boot_filled("raid5:0-3:64k");
    order("u4 del");
    order("add type=spare disk=4");
    card_bench_drain(bench);
    forget_news();
    fault("port 1 dead");
    holds(0);
    card_bench_drain(bench);
    TOLD(0x0a01, 0x0200, 0x0b00, 0x0500);
    shows("\"port\":1,\"status\":\"OK\",\"unit\":null");
    raid_controller_pull(bench->ctl, 3);
    holds(0);
}
END_TEST

START_TEST(a_spare_too_small_is_told_and_left_alone)
{
    bench->model[4] = bench->smaller;
    only(0x1f);
    boot_filled("raid1:0-1");
    order("u4 del");
    order("add type=spare disk=4");
    card_bench_drain(bench);
    forget_news();
    raid_controller_pull(bench->ctl, 1);
    card_bench_drain(bench);
    TOLD(0x0a01, 0x0200, 0x2e04);
    shows("{\"unit\":4,\"type\":\"SPARE\",\"status\":\"OK\"");
    shows("\"type\":\"RAID-1\",\"status\":\"DEGRADED\"");
}
END_TEST

START_TEST(a_spare_given_to_a_degraded_unit_or_found_at_power_on_is_used)
{
    only(0x1f);
    boot_filled("raid5:0-3:64k");
    order("u4 del");
    if (_i) {
        order("add type=spare disk=4");
        card_bench_drain(bench);
        card_bench_cut(bench);
        only(0x17);
        card_bench_must_boot(bench, NULL);
    } else {
        raid_controller_pull(bench->ctl, 3);
        card_bench_drain(bench);
        order("add type=spare disk=4");
    }
    card_bench_drain(bench);
    shows("\"type\":\"RAID-5\",\"status\":\"OK\"");
    raid_controller_pull(bench->ctl, 0);
    holds(0);
}
END_TEST

START_TEST(a_spare_deleted_or_removed_is_one_no_more)
{
    only(0x1f);
    boot_filled("raid5:0-3:64k");
    order("u4 del");
    order("add type=spare disk=4");
    card_bench_drain(bench);
    order(_i ? "u4 del" : "p4 remove");
    raid_controller_pull(bench->ctl, 1);
    card_bench_drain(bench);
    shows("\"type\":\"RAID-5\",\"status\":\"DEGRADED\"");
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_controller_claim(bench->ctl, 4), RAID_CLAIM_BLANK);
    card_bench_drain(bench);
}
END_TEST

/* --- drives and units taken out, put in ----------------------------------- */

START_TEST(a_removed_member_is_free_after_a_rescan)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    order("p1 remove");
    TOLD(0x0a01, 0x0200);
    shows("\"port\":1,\"status\":\"DRIVE-REMOVED\",\"unit\":null");
    holds(0);
    refused("u0 start rebuild disk=1", "rescan");
    refused("p1 remove", "no drive");
    order("rescan");
    shows("\"port\":1,\"status\":\"OK\",\"unit\":null");
    nothing_told();
    order("u0 start rebuild disk=1");
    card_bench_drain(bench);
    TOLD(0x0b00, 0x0500);
    raid_controller_pull(bench->ctl, 0);
    holds(0);
}
END_TEST

START_TEST(C13_a_removed_unit_is_not_formed_again_before_the_next_power_on)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    order("u0 set name=busy");          /* blocks are on their way */
    order("u0 remove");
    ck_assert_ptr_null(unit(0));
    order("rescan");
    ck_assert_ptr_null(unit(0));
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(raid_controller_port_unit(bench->ctl, i), -1);
    }
    shows("\"port\":2,\"status\":\"OK\",\"unit\":null");
    card_bench_drain(bench);
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_OK);
    holds(0);
}
END_TEST

START_TEST(a_new_unit_is_initialised_unless_told_not_to)
{
    only(0x0f);
    card_bench_must_boot(bench, NULL);
    for (unsigned i = 0; i < 4; i++) {
        char line[] = "u0 del";

        line[1] = (char)('0' + i);
        order(line);
    }
    forget_news();
    order(_i ? "add type=raid5 disk=0-2 stripe=64 name=first noinit"
             : "add type=raid5 disk=0-2 stripe=64 name=first");
    shows("\"name\":\"first\"");
    fill(0);
    card_bench_drain(bench);
    if (_i) {
        nothing_told();
    } else {
        TOLD(0x0c00, 0x0700);
    }
    order("add type=single disk=3");
    card_bench_drain(bench);
    card_bench_shut(bench);
    card_bench_must_boot(bench, NULL);
    shows("\"name\":\"first\"");
    ck_assert_str_eq(raid_unit_shape(unit(3))->level->name, "single");
    holds(0);
    order("u0 start verify");
    shows(_i ? "\"status\":\"INITIALIZING\"" : "\"status\":\"VERIFYING\"");
}
END_TEST

START_TEST(a_unit_gets_another_number_where_its_own_is_taken)
{
    only(0x1f);
    boot_filled("raid1:0-1");
    order("u4 del");
    order("add type=spare disk=4");
    raid_controller_pull(bench->ctl, 0);
    card_bench_drain(bench);
    raid_controller_plug(bench->ctl, 0, bench->disk[0]);
    order("add type=single disk=0");
    ck_assert_int_eq(raid_controller_port_unit(bench->ctl, 0), 1);
    shows("{\"unit\":0,\"type\":\"RAID-1\",\"status\":\"OK\"");
    shows("{\"unit\":1,\"type\":\"SINGLE\",\"status\":\"OK\"");
    holds(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("life");
    TCase *tc = tcase_create("life");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, life_set_up, life_tear_down);
    tcase_add_test(tc, a_rebuild_on_a_new_drive_makes_the_unit_whole);
    tcase_add_test(tc, a_drive_that_comes_back_is_rebuilt_and_not_trusted);
    tcase_add_test(tc, a_replaced_drive_is_never_a_member_again);
    tcase_add_test(tc, a_rebuild_outlives_the_power);
    tcase_add_loop_test(tc, a_second_rebuild_begins_at_the_beginning, 0, 20);
    tcase_add_test(tc, two_mirrors_are_rebuilt_one_after_the_other);
    tcase_add_test(tc, a_member_lost_in_its_rebuild_ends_it);
    tcase_add_test(tc, C23_a_replacement_one_sector_too_small_is_refused);
    tcase_add_test(tc,
        C06_a_bad_source_ends_a_rebuild_and_the_rest_can_be_read);
    tcase_add_test(tc, C07_ignoring_ecc_goes_on_and_says_what_it_overwrote);
    tcase_add_test(tc, a_bad_sector_takes_no_neighbour_with_it);
    tcase_add_loop_test(tc, C08_a_bad_sector_is_repaired_or_told, 0, 3);
    tcase_add_loop_test(tc,
        C10_a_drive_that_hangs_over_its_block_is_reset_then_lost, 0, 2);
    tcase_add_test(tc, A34_a_spare_is_no_disk_and_takes_over_by_itself);
    tcase_add_test(tc, a_spare_takes_the_place_of_a_drive_that_fails);
    tcase_add_test(tc, a_spare_too_small_is_told_and_left_alone);
    tcase_add_loop_test(tc,
        a_spare_given_to_a_degraded_unit_or_found_at_power_on_is_used, 0, 2);
    tcase_add_loop_test(tc, a_spare_deleted_or_removed_is_one_no_more, 0, 2);
    tcase_add_test(tc, a_removed_member_is_free_after_a_rescan);
    tcase_add_test(tc,
        C13_a_removed_unit_is_not_formed_again_before_the_next_power_on);
    tcase_add_loop_test(tc, a_new_unit_is_initialised_unless_told_not_to, 0,
                        2);
    tcase_add_test(tc, a_unit_gets_another_number_where_its_own_is_taken);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
