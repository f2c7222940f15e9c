/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: what a unit's host was told to be written is lost by a power cut
 * only if the drives' caches are on, it was not forced, and no flush came
 * since.
 *
 * Method: a mirror of two small drives with buffers; the power goes at the
 * very moment of an answer, and the media are looked at.
 */
#include <string.h>

#include "raid-model/control/controller.h"
#include "tests/lib/unit.h"

static Sim *sim;
static RaidController *ctl;
static DiskPreset *preset;
static DiskMedia *media[2];
static Disk *disk[2];

static void set_up(void)
{
    RaidSpec spec = { .level = raid_level_find("raid1"), .members = 2,
                      .port = { 0, 1 } };

    sim = sim_new(1);
    preset = unit_small_drive(DISK_MAP_CYLINDER);
    preset->buffer = (DiskBufferPlan) {
        .there = true, .segments = 4, .segment_sectors = 64, .depth = 1,
        .write_cache = true, .write_depth = 8,
    };
    ctl = raid_controller_new(sim, board_model_find("3ware-7410"));
    for (unsigned port = 0; port < 2; port++) {
        media[port] = disk_media_memory_new(preset->geometry.lbas);
        disk[port] = disk_new(sim, preset, media[port], "S", port);
        raid_controller_plug(ctl, port, disk[port]);
    }
    ck_assert(raid_controller_create(ctl, &spec, NULL));
    raid_controller_power_on(ctl);
    ck_assert(raid_controller_write_cache(ctl, 0));
}

static void tear_down(void)
{
    while (sim_step(sim)) {
    }
    raid_controller_free(ctl);
    for (unsigned port = 0; port < 2; port++) {
        disk_free(disk[port]);
        disk_media_close(media[port]);
    }
    disk_preset_free(preset);
    sim_free(sim);
}

#define WRITES 6

typedef struct Write {
    UnitOp op;
    uint8_t data[8 * DISK_SECTOR_BYTES];
    bool lent;
} Write;

static Write writes[WRITES];

static void write_done(UnitOp *op)
{
    Write *w = op->opaque;

    w->lent = false;
    ck_assert_int_eq(op->status, UNIT_OK);
}

static void submit(unsigned n, UnitVerb verb, uint64_t lba, unsigned flags,
                   uint8_t with)
{
    Write *w = &writes[n];

    w->op = (UnitOp) { .verb = verb, .lba = lba, .count = 8, .buf = w->data,
                       .flags = flags, .done = write_done, .opaque = w };
    w->lent = true;
    memset(w->data, with, sizeof(w->data));
    raid_controller_submit(ctl, 0, &w->op);
}

/* Steps until it has ended, and no further. */
static void finish(unsigned n)
{
    while (writes[n].lent) {
        ck_assert(sim_step(sim));
    }
}

static uint8_t on_member(unsigned port, uint64_t lba)
{
    uint8_t data[DISK_SECTOR_BYTES];
    uint64_t sector = RAID_DATA_OFFSET_SECTORS + lba;

    ck_assert_int_eq(media[port]->ops->read(media[port], sector, 1, data), 0);
    return data[0];
}

static uint64_t lost(void)
{
    return disk_power_cut(disk[0]) + disk_power_cut(disk[1]);
}

START_TEST(with_the_cache_off_nothing_acknowledged_is_lost)
{
    submit(0, UNIT_WRITE, 0, 0, 1);
    finish(0);
    raid_controller_set_write_cache(ctl, 0, false);
    ck_assert(!raid_controller_write_cache(ctl, 0));
    for (unsigned i = 1; i < WRITES; i++) {
        submit(i, UNIT_WRITE, 150 * i, 0, 1 + i);
    }
    for (unsigned i = 1; i < WRITES; i++) {
        finish(i);
        ck_assert_uint_eq(on_member(0, 150 * i), 1 + i);
        ck_assert_uint_eq(on_member(1, 150 * i), 1 + i);
    }
    ck_assert_uint_eq(on_member(0, 0), 1);
    ck_assert_uint_eq(lost(), 0);
}
END_TEST

START_TEST(C17_with_the_cache_on_only_what_came_after_a_flush_is_lost)
{
    raid_controller_set_write_cache(ctl, 0, false);
    raid_controller_set_write_cache(ctl, 0, true);
    ck_assert(raid_controller_write_cache(ctl, 0));
    for (unsigned i = 0; i < 3; i++) {
        submit(i, UNIT_WRITE, 150 * i, 0, 1 + i);
        finish(i);
    }
    submit(3, UNIT_FLUSH, 0, 0, 0);
    finish(3);
    submit(4, UNIT_WRITE, 900, 0, 9);
    finish(4);
    ck_assert_uint_eq(lost(), 2 * 8);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(on_member(0, 150 * i), 1 + i);
        ck_assert_uint_eq(on_member(1, 150 * i), 1 + i);
    }
    ck_assert_uint_eq(on_member(0, 900), 0);
}
END_TEST

START_TEST(a_forced_write_is_on_every_member)
{
    submit(0, UNIT_WRITE, 0, 0, 1);
    submit(1, UNIT_WRITE, 600, 0, 2);
    finish(0);
    finish(1);
    submit(2, UNIT_WRITE, 300, UNIT_FUA, 3);
    finish(2);
    ck_assert_uint_eq(on_member(0, 300), 3);
    ck_assert_uint_eq(on_member(1, 300), 3);
    ck_assert_uint_gt(lost(), 0);
}
END_TEST

/* A drive forgets what it was told when it is off. */
START_TEST(a_drive_comes_back_with_its_cache_on)
{
    raid_controller_set_write_cache(ctl, 0, false);
    while (sim_step(sim)) {
    }
    ck_assert(!disk_write_cache(disk[0]) && !disk_write_cache(disk[1]));
    lost();
    ck_assert(raid_controller_write_cache(ctl, 0));
}
END_TEST

START_TEST(a_pulled_drive_takes_its_switch_along)
{
    raid_controller_set_write_cache(ctl, 0, false);
    raid_controller_set_write_cache(ctl, 0, true);
    raid_controller_pull(ctl, 0);
    while (sim_step(sim)) {
    }
    ck_assert(disk_write_cache(disk[1]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("write-cache");
    TCase *tc = tcase_create("write-cache");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, with_the_cache_off_nothing_acknowledged_is_lost);
    tcase_add_test(tc,
                   C17_with_the_cache_on_only_what_came_after_a_flush_is_lost);
    tcase_add_test(tc, a_forced_write_is_on_every_member);
    tcase_add_test(tc, a_drive_comes_back_with_its_cache_on);
    tcase_add_test(tc, a_pulled_drive_takes_its_switch_along);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
