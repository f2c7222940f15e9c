/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: trouble that the card itself has to deal with ends as a card's
 * manual says it does: it waits so long, resets, tells, goes on or gives up.
 *
 * Method: a card with three small drives and a RAID 5, asked op by op; what
 * was told is read from its queue.
 */
#include <string.h>

#include "disk-model/world/fault.h"
#include "raid-model/control/controller.h"
#include "tests/lib/unit.h"

#define DRIVES 3

static Sim *sim;
static RaidController *ctl;
static DiskPreset *preset;
static DiskMedia *media[DRIVES];
static Disk *disk[DRIVES];
static UnitOp op;
static uint8_t data[8 * DISK_SECTOR_BYTES];
static bool lent;

static void op_done(UnitOp *done)
{
    ck_assert_ptr_eq(done, &op);
    ck_assert(lent);
    lent = false;
}

static void ask(UnitVerb verb, uint64_t lba, uint32_t count)
{
    op = (UnitOp) { .verb = verb, .lba = lba, .count = count, .buf = data,
                    .done = op_done };
    lent = true;
    raid_controller_submit(ctl, 0, &op);
}

/* How long it took. */
static SimTime ends_well(UnitVerb verb, uint64_t lba, uint32_t count)
{
    SimTime asked = sim_now(sim);

    ask(verb, lba, count);
    while (lent) {
        ck_assert(sim_step(sim));
    }
    ck_assert_int_eq(op.status, UNIT_OK);
    return sim_now(sim) - asked;
}

static void set_up(void)
{
    GArray *specs = raid_spec_parse("raid5:0+1+2:64k", NULL);

    sim = sim_new(1);
    preset = unit_small_drive(DISK_MAP_CYLINDER);
    ctl = raid_controller_new(sim, board_model_find("3ware-7500-4"));
    for (unsigned port = 0; port < DRIVES; port++) {
        media[port] = disk_media_memory_new(preset->geometry.lbas);
        disk[port] = disk_new(sim, preset, media[port], "S", port);
        raid_controller_plug(ctl, port, disk[port]);
    }
    ck_assert(raid_controller_create(
        ctl, &g_array_index(specs, RaidSpec, 0), NULL));
    g_array_unref(specs);
    raid_controller_power_on(ctl);
    while (sim_step(sim)) {
        continue;
    }
    ends_well(UNIT_WRITE, 0, 8);        /* the first is preceded by blocks */
}

static void tear_down(void)
{
    while (sim_step(sim)) {
        continue;
    }
    raid_controller_free(ctl);
    for (unsigned port = 0; port < DRIVES; port++) {
        disk_free(disk[port]);
        disk_media_close(media[port]);
    }
    disk_preset_free(preset);
    sim_free(sim);
}

static void order(const char *line)
{
    GError *error = NULL;

    ck_assert_msg(fault_order(sim, line, &error), "%s: %s", line,
                  error ? error->message : "");
}

static void next_event_is(RaidEventCode code, unsigned source)
{
    RaidEvent event = raid_event_pop(raid_controller_events(ctl));

    ck_assert_int_eq(event.code, code);
    ck_assert_uint_eq(event.source, source);
}

static UnitState unit_state(void)
{
    return raid_unit_state(raid_controller_unit(ctl, 0));
}

/* LBA 0 is on port 1: row 0 has its parity on port 0. */
#define PORT_OF_0 "port 1"

static void fill(uint8_t with)
{
    memset(data, with, sizeof(data));
}

/* --- drives that do not answer -------------------------------------------- */

/* Whatever keeps it busy, and whatever it was to do: for a small write the
 * drive with the rest of the row is read. */
static const struct {
    unsigned port;
    const char *rule;
} late_once[] = {
    { 1, "port 1 hang times 1" }, { 1, "port 1 slow 90s times 1" },
    { 2, "port 2 hang on read times 1" },
    { 0, "port 0 hang on write times 1" },
};

START_TEST(C10_a_drive_that_hangs_once_is_reset_and_stays)
{
    fill(7);
    order(late_once[_i].rule);
    ck_assert_int_lt(ends_well(UNIT_WRITE, 0, 8) / SIM_S(1), 21);
    ck_assert_int_ge(sim_now(sim), SIM_S(20));
    next_event_is(RAID_EVENT_DRIVE_TIMEOUT, late_once[_i].port);
    next_event_is(RAID_EVENT_NONE, 0);
    ck_assert_int_eq(unit_state(), RAID_UNIT_OK);
    fill(0);
    ck_assert_int_lt(ends_well(UNIT_READ, 0, 8), SIM_S(1));
    ck_assert_uint_eq(data[8 * DISK_SECTOR_BYTES - 1], 7);
    next_event_is(RAID_EVENT_NONE, 0);
}
END_TEST

START_TEST(C10_a_drive_that_hangs_again_is_lost)
{
    fill(7);
    order(PORT_OF_0 " hang times 2");
    ck_assert_int_eq(ends_well(UNIT_WRITE, 0, 8) / SIM_S(1), 40);
    next_event_is(RAID_EVENT_DRIVE_TIMEOUT, 1);
    next_event_is(RAID_EVENT_DRIVE_TIMEOUT, 1);
    next_event_is(RAID_EVENT_DRIVE_ERROR, 1);
    next_event_is(RAID_EVENT_UNIT_DEGRADED, 0);
    next_event_is(RAID_EVENT_NONE, 0);
    fill(0);
    ends_well(UNIT_READ, 0, 8);
    ck_assert_uint_eq(data[0], 7);
}
END_TEST

/* In between it has done something. */
START_TEST(C10_two_hangs_far_apart_lose_nothing)
{
    for (unsigned i = 0; i < 2; i++) {
        order(PORT_OF_0 " hang on read times 1");
        ends_well(UNIT_READ, 0, 8);
        next_event_is(RAID_EVENT_DRIVE_TIMEOUT, 1);
    }
    next_event_is(RAID_EVENT_NONE, 0);
    ck_assert_int_eq(unit_state(), RAID_UNIT_OK);
}
END_TEST

START_TEST(C11_a_drive_slow_for_less_is_waited_for)
{
    order(PORT_OF_0 " slow 5s times 1");
    ck_assert_int_eq(ends_well(UNIT_READ, 0, 8) / SIM_S(1), 5);
    next_event_is(RAID_EVENT_NONE, 0);
    ck_assert_int_eq(unit_state(), RAID_UNIT_OK);
}
END_TEST

/* Desktop drives try for a minute, those for RAID for 7 s. */
static const struct {
    SimTime tries;
    UnitState state;
} recovery[] = {
    { SIM_S(60), RAID_UNIT_DEGRADED }, { SIM_S(7), RAID_UNIT_OK },
};

START_TEST(C10_how_long_a_drive_tries_decides_whether_it_stays)
{
    bool stays = recovery[_i].state == RAID_UNIT_OK;

    preset->error_recovery_ns = recovery[_i].tries;
    fill(7);
    ends_well(UNIT_WRITE, 0, 8);
    order(PORT_OF_0 " bad at 1024");            /* LBA 0 */
    fill(0);
    ends_well(UNIT_READ, 0, 8);
    ck_assert_uint_eq(data[0], 7);
    if (stays) {
        next_event_is(RAID_EVENT_SECTOR_REPAIR, 1);
    } else {
        next_event_is(RAID_EVENT_DRIVE_TIMEOUT, 1);
        next_event_is(RAID_EVENT_DRIVE_TIMEOUT, 1);
        next_event_is(RAID_EVENT_DRIVE_ERROR, 1);
        next_event_is(RAID_EVENT_UNIT_DEGRADED, 0);
    }
    next_event_is(RAID_EVENT_NONE, 0);
    ck_assert_int_eq(unit_state(), recovery[_i].state);
}
END_TEST

/* Each is mended from the others, until the drive has moved too many. */
START_TEST(the_host_is_told_of_a_drive_about_to_fail)
{
    order(PORT_OF_0 " bad at 1024-1083");
    for (unsigned lba = 0; lba < 60; lba++) {
        ends_well(UNIT_READ, lba, 1);
        if (lba == 59) {
            next_event_is(RAID_EVENT_SMART_THRESHOLD, 1);
        }
        next_event_is(RAID_EVENT_SECTOR_REPAIR, 1);
    }
    next_event_is(RAID_EVENT_NONE, 0);
}
END_TEST

/* --- cables --------------------------------------------------------------- */

START_TEST(C22_the_host_is_told_of_a_slower_link)
{
    order(PORT_OF_0 " crc over 3");
    ends_well(UNIT_READ, 0, 8);
    ends_well(UNIT_WRITE, 0, 8);
    next_event_is(RAID_EVENT_UDMA_DOWNGRADE, 1);
    next_event_is(RAID_EVENT_UDMA_DOWNGRADE, 1);
    next_event_is(RAID_EVENT_NONE, 0);
    ck_assert_int_eq(unit_state(), RAID_UNIT_OK);
}
END_TEST

/* --- drives that leave ---------------------------------------------------- */

/* In the middle of an op: that is carried out without it. */
START_TEST(a_drive_is_gone_and_the_same_is_back)
{
    SimTime start = sim_now(sim);

    fill(7);
    ends_well(UNIT_WRITE, 0, 8);
    order(PORT_OF_0 " slow 1s on read times 1");
    ask(UNIT_READ, 0, 8);
    order(PORT_OF_0 " gone for 25s");
    while (lent) {
        ck_assert(sim_step(sim));
    }
    ck_assert_int_eq(op.status, UNIT_OK);
    ck_assert_uint_eq(data[0], 7);
    ck_assert_ptr_null(disk_port_disk(raid_controller_port(ctl, 1)));
    ck_assert_ptr_eq(raid_controller_away(ctl, 1), disk[1]);
    next_event_is(RAID_EVENT_DRIVE_ERROR, 1);
    next_event_is(RAID_EVENT_UNIT_DEGRADED, 0);
    sim_run_until(sim, start + SIM_S(25));
    ck_assert_ptr_null(disk_port_disk(raid_controller_port(ctl, 1)));
    sim_run_until(sim, start + SIM_S(27));
    ck_assert_ptr_eq(disk_port_disk(raid_controller_port(ctl, 1)), disk[1]);
    ck_assert_ptr_null(raid_controller_away(ctl, 1));
    ck_assert_int_eq(unit_state(), RAID_UNIT_DEGRADED);
}
END_TEST

START_TEST(a_drive_that_is_away_is_where_others_look_for_it)
{
    order("port 2 gone for 25s");
    order("port 1 gone");
    order("port 99 gone for 1s");
    sim_run_until(sim, sim_now(sim) + SIM_S(1));
    ck_assert_ptr_eq(raid_controller_pull(ctl, 2), disk[2]);
    ck_assert_ptr_null(raid_controller_pull(ctl, 2));
    raid_controller_plug(ctl, 1, disk[1]);      /* by hand, before its time */
    sim_run_until(sim, sim_now(sim) + SIM_S(60));
    ck_assert_ptr_null(disk_port_disk(raid_controller_port(ctl, 2)));
    ck_assert_ptr_eq(disk_port_disk(raid_controller_port(ctl, 1)), disk[1]);
    order("port 0 gone for 25s");
    sim_run_until(sim, sim_now(sim));
    ck_assert_ptr_null(disk_port_disk(raid_controller_port(ctl, 0)));
    fault_clear(sim);
    ck_assert_ptr_eq(disk_port_disk(raid_controller_port(ctl, 0)), disk[0]);
}
END_TEST

/* --- firmware ------------------------------------------------------------- */

START_TEST(stalled_firmware_begins_nothing_until_it_is_reset)
{
    SimTime start = sim_now(sim);

    order("card stall 90s");
    sim_run_until(sim, start);
    ck_assert_int_eq(raid_controller_command_at(ctl), start + SIM_S(90));
    order("card stall 5s");
    sim_run_until(sim, start);
    ck_assert_int_eq(raid_controller_command_at(ctl), start + SIM_S(90));
    raid_controller_reset(ctl);
    ck_assert_int_lt(raid_controller_command_at(ctl), start + SIM_S(1));
    ck_assert(!fault_order(sim, "card hang", NULL));    /* no host is there */
}
END_TEST

/* Ordered when the op is at the drive already. */
START_TEST(a_drive_hangs_in_the_middle_of_an_op)
{
    ask(UNIT_READ, 0, 8);
    sim_run_until(sim, sim_now(sim) + SIM_US(200));
    ck_assert(lent);
    order(PORT_OF_0 " hang times 1");
    while (lent) {
        ck_assert(sim_step(sim));
    }
    ck_assert_int_eq(op.status, UNIT_OK);
    next_event_is(RAID_EVENT_DRIVE_TIMEOUT, 1);
}
END_TEST

/* Host's patience is shorter than the card's: the op is not answered twice,
 * and what the drive had begun is carried through. */
START_TEST(a_reset_in_the_middle_of_a_hang_ends_it)
{
    fill(7);
    order(PORT_OF_0 " hang on write times 1");
    ask(UNIT_WRITE, 0, 8);
    sim_run_until(sim, sim_now(sim) + SIM_S(10));
    ck_assert(lent);
    raid_controller_reset(ctl);
    ck_assert(!lent);
    ck_assert_int_eq(op.status, UNIT_ABORTED);
    fill(0);
    ck_assert_int_lt(ends_well(UNIT_READ, 0, 8), SIM_S(1));
    ck_assert_uint_eq(data[0], 7);
    sim_run_until(sim, sim_now(sim) + SIM_S(60));
    next_event_is(RAID_EVENT_NONE, 0);
    ck_assert_int_eq(unit_state(), RAID_UNIT_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fault-card");
    TCase *drive = tcase_create("card");

    tcase_add_checked_fixture(drive, set_up, tear_down);
    tcase_add_loop_test(drive, C10_a_drive_that_hangs_once_is_reset_and_stays,
                        0, G_N_ELEMENTS(late_once));
    tcase_add_test(drive, C10_a_drive_that_hangs_again_is_lost);
    tcase_add_test(drive, C10_two_hangs_far_apart_lose_nothing);
    tcase_add_test(drive, C11_a_drive_slow_for_less_is_waited_for);
    tcase_add_loop_test(drive,
                        C10_how_long_a_drive_tries_decides_whether_it_stays,
                        0, G_N_ELEMENTS(recovery));
    tcase_add_test(drive, the_host_is_told_of_a_drive_about_to_fail);
    tcase_add_test(drive, C22_the_host_is_told_of_a_slower_link);
    tcase_add_test(drive, a_drive_is_gone_and_the_same_is_back);
    tcase_add_test(drive, a_drive_that_is_away_is_where_others_look_for_it);
    tcase_add_test(drive, stalled_firmware_begins_nothing_until_it_is_reset);
    tcase_add_test(drive, a_drive_hangs_in_the_middle_of_an_op);
    tcase_add_test(drive, a_reset_in_the_middle_of_a_hang_ends_it);
    suite_add_tcase(suite, drive);
    return unit_run(suite);
}
