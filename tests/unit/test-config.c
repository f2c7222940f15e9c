/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration on the drives: units come back whatever the ports, what is
 * stated must agree, and drives that are not believed are left alone, to the
 * last byte.
 */
#include <string.h>

#include "raid-model/control/controller-private.h"
#include "tests/lib/card-bench.h"
#include "tests/lib/unit.h"

#define SECTOR DISK_SECTOR_BYTES

static CardBench *bench;
static uint8_t data[2048][SECTOR], back[2048][SECTOR];

static void set_up(void)
{
    uint32_t noise = 77;

    bench = card_bench_new(0xff);
    for (unsigned i = 0; i < sizeof(data); i++) {
        noise = noise * 1664525u + 1013904223u;
        data[i / SECTOR][i % SECTOR] = noise >> 24;
    }
}

static void tear_down(void)
{
    card_bench_free(bench);
}

static void only(uint32_t drives)
{
    for (unsigned i = 0; i < CARD_PORTS; i++) {
        bench->order[i] = drives >> i & 1 ? (int)i : -1;
    }
}

static void next_event_is(RaidEventCode code, unsigned source)
{
    RaidEvent event = raid_event_pop(raid_controller_events(bench->ctl));

    ck_assert_int_eq(event.code, code);
    ck_assert_uint_eq(event.source, source);
}

static RaidUnit *unit(unsigned number)
{
    return raid_controller_unit(bench->ctl, number);
}

static void must_hold(unsigned number)
{
    uint32_t sectors = (uint32_t)MIN(
        raid_capacity(raid_unit_shape(unit(number))), 2048);

    memset(back, 0, sizeof(back));
    ck_assert_int_eq(card_bench_io(bench, number, UNIT_READ, 0, back,
                                   sectors), UNIT_OK);
    ck_assert(!memcmp(data, back, (size_t)sectors * SECTOR));
}

static void fill(unsigned number)
{
    uint32_t sectors = (uint32_t)MIN(
        raid_capacity(raid_unit_shape(unit(number))), 2048);

    ck_assert_int_eq(card_bench_io(bench, number, UNIT_WRITE, 0, data,
                                   sectors), UNIT_OK);
}

/* --- units come back ----------------------------------------------------- */

static const struct {
    const char *units, *level;
    unsigned members;
} sets[] = {
    { "single:0", "single", 1 }, { "raid0:0-2:64k", "raid0", 3 },
    { "raid1:0-1", "raid1", 2 }, { "raid5:0-2:64k", "raid5", 3 },
    { "raid5:0-4:128k", "raid5", 5 }, { "raid10:0-3:64k", "raid10", 4 },
};

#define SETS (int)G_N_ELEMENTS(sets)

START_TEST(units_come_back_whatever_the_ports)
{
    unsigned n = sets[_i].members;

    only((1u << n) - 1);
    card_bench_must_boot(bench, sets[_i].units);
    fill(0);
    card_bench_shut(bench);
    for (unsigned turn = 0; turn < CARD_PORTS; turn++) {
        for (unsigned port = 0; port < CARD_PORTS; port++) {
            unsigned drive = (port * 3 + turn) % CARD_PORTS;

            bench->order[port] = drive < n ? (int)drive : -1;
        }
        card_bench_must_boot(bench, NULL);
        for (unsigned u = 0, units = 0; u < CARD_PORTS; u++) {
            if (unit(u)) {
                ck_assert_str_eq(raid_unit_shape(unit(u))->level->name,
                                 sets[_i].level);
                ck_assert_int_eq(raid_unit_state(unit(u)), RAID_UNIT_OK);
                ck_assert_uint_eq(++units, 1);
                must_hold(u);
            }
        }
        next_event_is(RAID_EVENT_NONE, 0);
        card_bench_shut(bench);
    }
}
END_TEST

START_TEST(stating_what_the_drives_say_changes_nothing)
{
    uint64_t hash;

    card_bench_must_boot(bench, "raid5:0-3:64k/raid1:4-5/single:6");
    fill(0);
    fill(4);
    card_bench_shut(bench);
    hash = card_bench_hash(bench, false);
    card_bench_must_boot(bench, "single:6/raid5:0-3:64k");
    must_hold(0);
    must_hold(4);
    ck_assert_ptr_ne(unit(7), NULL);
    next_event_is(RAID_EVENT_NONE, 0);
    card_bench_shut(bench);
    ck_assert_uint_eq(card_bench_hash(bench, false), hash);
}
END_TEST

static const struct {
    const char *units, *words;
} wrong[] = {
    { "raid5:0-2:64k", "carries a block of raid5:0+1+2+3:64k" },
    { "raid5:1+0+2+3:64k", "raid5:0+1+2+3:64k" },
    { "raid5:0-3:128k", "raid5:0+1+2+3:64k" },
    { "raid10:0-3:64k", "raid5:0+1+2+3:64k" },
    { "raid5:0-2+missing:64k", "raid5:0+1+2+3:64k" },
    { "raid5:0-2+6:64k", "raid5:0+1+2+3:64k" },
    { "raid5:0-2+4:64k", "raid5:0+1+2+3:64k" },
    { "raid1:4+6", "port 4 carries a block of raid1:4+5" },
    { "raid1:6+4", "port 4 carries a block of raid1:4+5" },
    { "single:4", "raid1:4+5" },
    { "jbod:4", "raid1:4+5" },
    { "raid1:4-5/raid5:0-2:64k", "raid5:0+1+2+3:64k" },
    { "single:6/single:0", "raid5:0+1+2+3:64k" },
};

START_TEST(stating_something_else_is_one_line_and_touches_nothing)
{
    uint64_t hash;
    char *why = NULL;

    card_bench_must_boot(bench, "raid5:0-3:64k/raid1:4-5");
    fill(0);
    card_bench_shut(bench);
    hash = card_bench_hash(bench, false);
    ck_assert(!card_bench_boot(bench, wrong[_i].units, &why));
    ck_assert_msg(strstr(why, wrong[_i].words) && !strchr(why, '\n'), "%s",
                  why);
    ck_assert_uint_eq(card_bench_hash(bench, false), hash);
    g_free(why);
}
END_TEST

/* Data from before there were blocks. */
START_TEST(a_unit_stated_on_bare_drives_keeps_its_data_and_gets_blocks)
{
    uint8_t junk[SECTOR];
    uint64_t hash;

    memset(junk, 0x5a, sizeof(junk));
    for (unsigned i = 0; i < 4; i++) {
        card_bench_poke(bench, i, 0, junk, 1);
        card_bench_poke(bench, i, 1024 + 5 * i, junk, 1);
    }
    hash = card_bench_hash(bench, true);
    card_bench_must_boot(bench, "raid5:0-3:64k");
    ck_assert_int_eq(sim_now(bench->sim), 0);
    card_bench_cut(bench);
    ck_assert_uint_eq(card_bench_hash(bench, true), hash);
    card_bench_must_boot(bench, NULL);
    ck_assert_str_eq(raid_unit_shape(unit(0))->level->name, "raid5");
    next_event_is(RAID_EVENT_NONE, 0);
}
END_TEST

/* C25. */
START_TEST(c25_jbod_has_no_block_and_begins_at_sector_0)
{
    uint64_t hash = card_bench_hash(bench, false);

    card_bench_must_boot(bench, "jbod:0/single:1");
    ck_assert_int_eq(card_bench_io(bench, 0, UNIT_WRITE, 0, data, 1),
                     UNIT_OK);
    ck_assert_int_eq(card_bench_io(bench, 1, UNIT_WRITE, 0, data, 1),
                     UNIT_OK);
    card_bench_shut(bench);
    card_bench_peek(bench, 0, 0, back, 1);
    ck_assert(!memcmp(data, back, SECTOR));
    card_bench_peek(bench, 1, 1024, back, 1);       /* F01 */
    ck_assert(!memcmp(data, back, SECTOR));
    card_bench_peek(bench, 1, 9, back, 1);
    ck_assert(!memcmp(back[0] + 496, "PLATRDCB", 8));

    memset(back, 0, SECTOR);
    card_bench_poke(bench, 0, 0, back, 1);
    card_bench_poke(bench, 1, 1024, back, 1);
    for (unsigned copy = 0; copy < 2; copy++) {
        card_bench_poke(bench, 1, card_bench_copy_at(bench, copy), back, 1);
        card_bench_poke(bench, 1, card_bench_copy_at(bench, copy) + 1, back,
                        1);
    }
    ck_assert_uint_eq(card_bench_hash(bench, false), hash);
}
END_TEST

/* --- drives that are not believed ---------------------------------------- */

static void make_set(void)
{
    only(0xf);
    card_bench_must_boot(bench, "raid5:0-3:64k");
    fill(0);
    card_bench_shut(bench);
}

static void spoil(unsigned drive, unsigned copy, unsigned byte)
{
    uint64_t at = card_bench_copy_at(bench, copy) + byte / SECTOR;

    card_bench_peek(bench, drive, at, back, 1);
    back[0][byte % SECTOR] ^= 0x40;
    card_bench_poke(bench, drive, at, back, 1);
}

/* The unit does without it; the drive is not offered, nor written to. */
static void must_be_left_alone(unsigned drive, RaidEventCode code)
{
    static uint8_t before[3000][SECTOR], after[3000][SECTOR];

    card_bench_peek(bench, drive, 0, before, 3000);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_controller_port_unit(bench->ctl, drive), -1);
    ck_assert_int_eq(raid_unit_state(unit(drive ? 0 : 1)),
                     RAID_UNIT_DEGRADED);
    next_event_is(code, drive);
    next_event_is(RAID_EVENT_UNIT_INCOMPLETE, drive ? 0 : 1);
    must_hold(drive ? 0 : 1);
    fill(drive ? 0 : 1);
    card_bench_shut(bench);
    card_bench_peek(bench, drive, 0, after, 3000);
    ck_assert(!memcmp(before, after, sizeof(before)));
}

START_TEST(c15_one_damaged_copy_is_nothing_two_are_an_event)
{
    make_set();
    spoil(2, 0, 700);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_OK);
    next_event_is(RAID_EVENT_NONE, 0);
    card_bench_shut(bench);             /* and both are good again */
    spoil(2, 1, 90);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_OK);
    card_bench_cut(bench);
    spoil(2, 0, 700);
    must_be_left_alone(2, RAID_EVENT_DCB_CHECKSUM);
}
END_TEST

START_TEST(c14_a_later_version_is_an_event_and_left_alone)
{
    make_set();
    for (unsigned copy = 0; copy < 2; copy++) {
        uint64_t at = card_bench_copy_at(bench, copy);
        uint32_t crc = ~0u;

        card_bench_peek(bench, 1, at, back, 2);
        back[1][504] = 2;
        for (unsigned i = 0; i < 1020; i++) {
            crc ^= back[i / SECTOR][i % SECTOR];
            for (int bit = 0; bit < 8; bit++) {
                crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
            }
        }
        for (unsigned i = 0; i < 4; i++) {
            back[1][508 + i] = ~crc >> 8 * i;
        }
        card_bench_poke(bench, 1, at, back, 2);
    }
    must_be_left_alone(1, RAID_EVENT_DCB_VERSION);
}
END_TEST

START_TEST(f10_a_drive_that_shrank_is_an_event_and_left_alone)
{
    make_set();
    bench->model[3] = bench->smaller;
    must_be_left_alone(3, RAID_EVENT_DRIVE_TOO_SMALL);
}
END_TEST

/* F02: with its blocks gone a drive is as good as new; the unit is not hurt. */
START_TEST(f02_a_wiped_member_is_no_member)
{
    make_set();
    memset(back, 0, sizeof(back));
    card_bench_poke(bench, 1, 0, back, 1024);
    card_bench_poke(bench, 1, bench->preset->geometry.lbas - 1024, back,
                    1024);
    ck_assert(!card_bench_boot(bench, "raid5:0-3:64k", NULL));
    card_bench_must_boot(bench, NULL);
    ck_assert_str_eq(raid_unit_shape(unit(1))->level->name, "jbod");
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_DEGRADED);
    must_hold(0);
}
END_TEST

START_TEST(the_same_member_twice_is_used_once)
{
    make_set();
    for (uint64_t at = 0; at < bench->preset->geometry.lbas; at++) {
        card_bench_peek(bench, 2, at, back, 1);
        card_bench_poke(bench, 6, at, back, 1);
    }
    only(0x4f);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_OK);
    ck_assert_int_eq(raid_controller_port_unit(bench->ctl, 6), -1);
    ck_assert_int_eq(raid_controller_claim(bench->ctl, 6),
                     RAID_CLAIM_DUPLICATE);
    must_hold(0);
}
END_TEST

START_TEST(drives_of_two_cards_make_their_own_units)
{
    make_set();
    only(0x70);
    card_bench_must_boot(bench, "raid5:4-6:64k");
    memset(back, 3, sizeof(back));
    ck_assert_int_eq(card_bench_io(bench, 4, UNIT_WRITE, 0, back, 100),
                     UNIT_OK);
    card_bench_shut(bench);
    memcpy(bench->order, (int []) { 5, 0, 4, 3, 6, 2, 1, -1 },
           sizeof(bench->order));
    card_bench_must_boot(bench, NULL);
    must_hold(1);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_OK);
    ck_assert_int_eq(card_bench_io(bench, 0, UNIT_READ, 0, data, 1), UNIT_OK);
    ck_assert_int_eq(data[0][9], 3);
}
END_TEST

START_TEST(a_level_the_card_does_not_offer_is_left_alone)
{
    uint64_t hash;

    make_set();
    hash = card_bench_hash(bench, false);
    bench->board = "3ware-8006-2";
    only(0x3);
    card_bench_must_boot(bench, NULL);
    ck_assert_ptr_eq(unit(0), NULL);
    ck_assert_ptr_eq(unit(1), NULL);
    next_event_is(RAID_EVENT_DRIVE_UNSUPPORTED, 0);
    next_event_is(RAID_EVENT_DRIVE_UNSUPPORTED, 1);
    card_bench_cut(bench);
    ck_assert_uint_eq(card_bench_hash(bench, false), hash);
}
END_TEST

/* --- members come and go ------------------------------------------------- */

/* C12: nothing was written without it, so nothing is amiss. */
START_TEST(c12_of_two_lost_members_the_second_is_still_one)
{
    make_set();
    card_bench_must_boot(bench, NULL);
    raid_controller_pull(bench->ctl, 3);
    ck_assert_int_eq(card_bench_io(bench, 0, UNIT_WRITE, 7, data[7], 1),
                     UNIT_OK);
    card_bench_drain(bench);
    raid_controller_pull(bench->ctl, 2);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_INOPERABLE);
    ck_assert_int_eq(card_bench_io(bench, 0, UNIT_WRITE, 8, back, 1),
                     UNIT_OFFLINE);
    card_bench_drain(bench);
    card_bench_cut(bench);

    only(0x3);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_INOPERABLE);
    card_bench_cut(bench);
    only(0x7);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_DEGRADED);
    must_hold(0);
    card_bench_cut(bench);
    only(0xb);                  /* the one that missed writes is not it */
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_INOPERABLE);
    ck_assert_int_eq(raid_controller_claim(bench->ctl, 3), RAID_CLAIM_STALE);
}
END_TEST

START_TEST(a_stale_member_stays_out_stated_or_not)
{
    make_set();
    card_bench_must_boot(bench, NULL);
    raid_controller_pull(bench->ctl, 1);
    fill(0);
    card_bench_shut(bench);
    for (unsigned round = 0; round < 4; round++) {
        card_bench_must_boot(bench, round % 2 ? NULL : "raid5:0-3:64k");
        ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_DEGRADED);
        ck_assert_int_eq(raid_controller_claim(bench->ctl, 1),
                         RAID_CLAIM_STALE);
        ck_assert_int_eq(raid_controller_port_unit(bench->ctl, 1), 0);
        ck_assert_ptr_eq(unit(1), NULL);
        must_hold(0);
        fill(0);
        card_bench_shut(bench);
    }
}
END_TEST

/* Away at power-on, and nothing was written: nothing was missed. */
START_TEST(a_member_that_missed_nothing_is_trusted)
{
    make_set();
    only(0xd);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_DEGRADED);
    must_hold(0);
    card_bench_shut(bench);
    only(0xf);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_OK);
    card_bench_shut(bench);
    only(0xd);
    card_bench_must_boot(bench, NULL);
    fill(0);
    card_bench_shut(bench);
    only(0xf);
    card_bench_must_boot(bench, NULL);
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_DEGRADED);
    must_hold(0);
}
END_TEST

START_TEST(unclean_is_told_after_a_cut_and_not_after_a_shutdown)
{
    make_set();
    card_bench_must_boot(bench, NULL);
    next_event_is(RAID_EVENT_NONE, 0);
    must_hold(0);
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    next_event_is(RAID_EVENT_NONE, 0);          /* was only read */
    fill(0);
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    next_event_is(RAID_EVENT_UNCLEAN_SHUTDOWN, 0);
    next_event_is(RAID_EVENT_INIT_STARTED, 0);
    next_event_is(RAID_EVENT_NONE, 0);
    card_bench_drain(bench);
    card_bench_shut(bench);
    card_bench_must_boot(bench, NULL);
    next_event_is(RAID_EVENT_NONE, 0);
}
END_TEST

START_TEST(a_switched_off_write_cache_stays_off)
{
    make_set();
    card_bench_must_boot(bench, NULL);
    raid_controller_set_write_cache(bench->ctl, 0, false);
    card_bench_drain(bench);
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    ck_assert(!raid_controller_write_cache(bench->ctl, 0));
    card_bench_drain(bench);
}
END_TEST

/* --- spares, deleted units ----------------------------------------------- */

START_TEST(a_spare_stays_one_until_it_is_forgotten)
{
    only(0x1f);
    card_bench_must_boot(bench, "raid5:0-3:64k");
    formation_delete(bench->ctl, 4);            /* the JBOD */
    raid_config_make_spare(bench->ctl, 4);
    card_bench_drain(bench);
    card_bench_cut(bench);
    for (unsigned round = 0; round < 2; round++) {
        card_bench_must_boot(bench, NULL);
        ck_assert_int_eq(raid_controller_claim(bench->ctl, 4),
                         RAID_CLAIM_SPARE);
        ck_assert_ptr_eq(unit(4), NULL);
        ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_OK);
        raid_config_forget(bench->ctl, 4);
        if (round) {
            card_bench_drain(bench);
        }
        card_bench_cut(bench);
    }
    card_bench_must_boot(bench, NULL);
    ck_assert_str_eq(raid_unit_shape(unit(4))->level->name, "jbod");
}
END_TEST

START_TEST(a_deleted_unit_is_gone_and_a_new_one_is_another)
{
    g_autoptr(GArray) specs = raid_spec_parse("raid10:3+2+1+0:64k", NULL);

    make_set();
    card_bench_must_boot(bench, NULL);
    formation_delete(bench->ctl, 0);
    ck_assert(raid_controller_create(bench->ctl,
                                     &g_array_index(specs, RaidSpec, 0),
                                     NULL));
    card_bench_drain(bench);
    fill(0);
    card_bench_shut(bench);
    card_bench_must_boot(bench, NULL);
    ck_assert_str_eq(raid_unit_shape(unit(0))->level->name, "raid10");
    ck_assert_int_eq(raid_unit_state(unit(0)), RAID_UNIT_OK);
    ck_assert_ptr_eq(raid_unit_port(unit(0), 0),
                     raid_controller_port(bench->ctl, 3));
    must_hold(0);
    formation_delete(bench->ctl, 0);
    card_bench_drain(bench);
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    for (unsigned u = 0; u < 4; u++) {
        ck_assert_str_eq(raid_unit_shape(unit(u))->level->name, "jbod");
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("config");
    TCase *tc = tcase_create("config");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, units_come_back_whatever_the_ports, 0, SETS);
    tcase_add_test(tc, stating_what_the_drives_say_changes_nothing);
    tcase_add_loop_test(tc,
        stating_something_else_is_one_line_and_touches_nothing, 0,
        G_N_ELEMENTS(wrong));
    tcase_add_test(tc,
        a_unit_stated_on_bare_drives_keeps_its_data_and_gets_blocks);
    tcase_add_test(tc, c25_jbod_has_no_block_and_begins_at_sector_0);
    tcase_add_test(tc, c15_one_damaged_copy_is_nothing_two_are_an_event);
    tcase_add_test(tc, c14_a_later_version_is_an_event_and_left_alone);
    tcase_add_test(tc, f10_a_drive_that_shrank_is_an_event_and_left_alone);
    tcase_add_test(tc, f02_a_wiped_member_is_no_member);
    tcase_add_test(tc, the_same_member_twice_is_used_once);
    tcase_add_test(tc, drives_of_two_cards_make_their_own_units);
    tcase_add_test(tc, a_level_the_card_does_not_offer_is_left_alone);
    tcase_add_test(tc, c12_of_two_lost_members_the_second_is_still_one);
    tcase_add_test(tc, a_stale_member_stays_out_stated_or_not);
    tcase_add_test(tc, a_member_that_missed_nothing_is_trusted);
    tcase_add_test(tc, unclean_is_told_after_a_cut_and_not_after_a_shutdown);
    tcase_add_test(tc, a_switched_off_write_cache_stays_off);
    tcase_add_test(tc, a_spare_stays_one_until_it_is_forgotten);
    tcase_add_test(tc, a_deleted_unit_is_gone_and_a_new_one_is_another);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
