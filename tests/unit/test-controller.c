/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controller: units are formed as told or refused with one line, drives
 * left over become JBOD, and what goes wrong is logged, once, about the
 * right unit and port.
 */
#include <string.h>

#include "raid-model/control/controller.h"
#include "tests/lib/unit.h"

#define PORTS 12

static Sim *sim;
static RaidController *ctl;
static DiskPreset *preset, *smaller;
static DiskMedia *media[PORTS];
static Disk *disk[PORTS];

static void set_up(void)
{
    sim = sim_new(1);
    preset = unit_small_drive(DISK_MAP_CYLINDER);
    smaller = unit_small_drive(DISK_MAP_CYLINDER);
    smaller->geometry.lbas -= 8;
    ctl = NULL;
    memset(disk, 0, sizeof(disk));
}

static void power_up(const char *board, uint32_t drives)
{
    ctl = raid_controller_new(sim, board_model_find(board));
    for (unsigned port = 0; port < PORTS; port++) {
        if (drives >> port & 1) {
            media[port] = disk_media_memory_new(preset->geometry.lbas);
            disk[port] = disk_new(sim, preset, media[port], "S", port);
            raid_controller_plug(ctl, port, disk[port]);
        }
    }
}

static void swap_in_smaller(unsigned port)
{
    raid_controller_pull(ctl, port);
    disk_free(disk[port]);
    disk[port] = disk_new(sim, smaller, media[port], "S", 0);
    raid_controller_plug(ctl, port, disk[port]);
}

static void tear_down(void)
{
    while (sim_step(sim)) {
    }
    raid_controller_free(ctl);
    for (unsigned port = 0; port < PORTS; port++) {
        if (disk[port]) {
            disk_free(disk[port]);
            disk_media_close(media[port]);
        }
    }
    disk_preset_free(preset);
    disk_preset_free(smaller);
    sim_free(sim);
}

static bool create(const char *text, GError **error)
{
    GArray *specs = raid_spec_parse(text, error);
    bool good = specs != NULL;

    for (unsigned i = 0; good && i < specs->len; i++) {
        good = raid_controller_create(ctl, &g_array_index(specs, RaidSpec, i),
                                      error);
    }
    if (specs) {
        g_array_unref(specs);
    }
    return good;
}

static void must_create(const char *text)
{
    GError *error = NULL;

    ck_assert_msg(create(text, &error), "%s: %s", text,
                  error ? error->message : "no reason");
}

static void next_event_is(RaidEventCode code, unsigned source)
{
    RaidEvent event = raid_event_pop(raid_controller_events(ctl));

    ck_assert_int_eq(event.code, code);
    ck_assert_uint_eq(event.source, source);
}

static void no_event(void)
{
    next_event_is(RAID_EVENT_NONE, 0);
}

static UnitState state_of(unsigned unit)
{
    return raid_unit_state(raid_controller_unit(ctl, unit));
}

/* --- forming units ------------------------------------------------------- */

/* Units bear the number of their lowest port. */
START_TEST(units_and_left_over_drives_come_up)
{
    power_up("3ware-8506-12", 0xbff);
    must_create("raid5:5+2+3:64k/raid1:0+7/single:9");
    raid_controller_power_on(ctl);

    ck_assert_int_eq(raid_controller_port_unit(ctl, 5), 2);
    ck_assert_int_eq(raid_controller_port_unit(ctl, 2), 2);
    ck_assert_int_eq(raid_controller_port_unit(ctl, 7), 0);
    ck_assert_int_eq(raid_controller_port_unit(ctl, 9), 9);
    ck_assert_int_eq(raid_controller_port_unit(ctl, 10), -1);
    for (unsigned unit = 0; unit < RAID_UNITS_MAX + 3; unit++) {
        RaidUnit *there = raid_controller_unit(ctl, unit);
        const char *level = there ? raid_unit_shape(there)->level->name : "";
        const char *due = unit == 0 ? "raid1" : unit == 2 ? "raid5"
            : unit == 9 ? "single"
            : unit == 3 || unit == 5 || unit == 7 || unit == 10 || unit > 11
            ? "" : "jbod";

        ck_assert_str_eq(level, due);
    }
    ck_assert_ptr_eq(raid_unit_port(raid_controller_unit(ctl, 2), 0),
                     raid_controller_port(ctl, 5));
    ck_assert_uint_eq(raid_capacity(raid_unit_shape(
                          raid_controller_unit(ctl, 1))),
                      preset->geometry.lbas);
    no_event();
}
END_TEST

/* Board, mask of drives, what is asked, words the refusal must have. */
static const struct {
    const char *board;
    uint32_t drives;
    const char *spec, *says;
} refused[] = {
    { "3ware-7410", 0xf, "raid5:0-4", "port 4 does not exist; a 3ware-7410 "
      "has ports 0 to 3" },
    { "3ware-7410", 0x7, "raid5:0-3", "port 3 has no drive" },
    { "3ware-7410", 0xf, "raid5:0-2/single:3/jbod:3", "port 3 is already" },
    { "3ware-8006-2", 0x3, "raid5:0+1+missing", "does not offer RAID 5; it has "
      "raid10, raid1, raid0, single, jbod" },
    { "promise-ultra66", 0x3, "raid1:0-1", "does not offer RAID 1; it has "
      "single, jbod" },
    { "fasttrak-s150-tx4", 0xf, "raid5:0-3", "does not offer RAID 5" },
    { "3ware-7810", 0xff, "raid5:0-3:512k", "port 0 is too small (3050 "
      "sectors); a member needs 2048 and at least 1024 more" },
    { "3ware-7810", 0xff, "raid1:6+7",
      "ports 6 and 7 differ in size (3050 and 3042 sectors)" },
    { "3ware-7810", 0xff, "raid5:missing+5-7",
      "ports 5 and 7 differ in size (3050 and 3042 sectors)" },
};

START_TEST(what_cannot_be_is_refused_with_one_line)
{
    GError *error = NULL;

    power_up(refused[_i].board, refused[_i].drives);
    if (refused[_i].drives & 0x80) {
        swap_in_smaller(7);
    }
    ck_assert(!create(refused[_i].spec, &error));
    ck_assert_msg(strstr(error->message, refused[_i].says) != NULL,
                  "%s gives: %s", refused[_i].spec, error->message);
    ck_assert_ptr_null(strchr(error->message, '\n'));
    g_error_free(error);
}
END_TEST

START_TEST(a_refused_unit_leaves_its_ports_free)
{
    power_up("3ware-7410", 0x7);
    ck_assert(!create("raid5:0-3", NULL));
    must_create("raid5:0-2");
    raid_controller_power_on(ctl);
    ck_assert_int_eq(state_of(0), RAID_UNIT_OK);
}
END_TEST

START_TEST(a_created_unit_is_not_created_again)
{
    GError *error = NULL;

    power_up("3ware-7410", 0xf);
    must_create("raid5:1-3");
    ck_assert(!create("raid1:0+3", &error));
    ck_assert_ptr_nonnull(strstr(error->message,
                                 "port 3 is already in unit 1"));
    g_error_free(error);
}
END_TEST

START_TEST(every_board_takes_units_on_all_its_ports)
{
    const BoardModel *board = &board_model[_i];
    bool arrays = board_offers(board, RAID_0);
    char spec[32];

    power_up(board->name, (1u << board->ports) - 1);
    g_snprintf(spec, sizeof(spec), arrays ? "raid0:0-%d" : "single:0",
               board->ports - 1);
    must_create(spec);
    raid_controller_power_on(ctl);
    ck_assert_int_eq(state_of(0), RAID_UNIT_OK);
    ck_assert_uint_eq(raid_unit_shape(raid_controller_unit(ctl, 0))->members,
                      arrays ? board->ports : 1);
    no_event();
}
END_TEST

/* --- events -------------------------------------------------------------- */

START_TEST(a_unit_that_comes_up_short_is_incomplete)
{
    power_up("3ware-7810", 0xfe);
    must_create("raid5:missing+2+3/raid10:4+missing+6-7");
    raid_controller_power_on(ctl);
    ck_assert_int_eq(state_of(2), RAID_UNIT_DEGRADED);
    next_event_is(RAID_EVENT_UNIT_INCOMPLETE, 2);
    next_event_is(RAID_EVENT_UNIT_INCOMPLETE, 4);
    no_event();
}
END_TEST

START_TEST(a_drive_pulled_under_a_raid5_degrades_it_once)
{
    power_up("3ware-7410", 0xf);
    must_create("raid5:1-3");
    raid_controller_power_on(ctl);

    ck_assert_ptr_eq(raid_controller_pull(ctl, 3), disk[3]);
    ck_assert_int_eq(state_of(1), RAID_UNIT_DEGRADED);
    next_event_is(RAID_EVENT_DRIVE_ERROR, 3);
    next_event_is(RAID_EVENT_UNIT_DEGRADED, 1);
    no_event();

    /* It comes back, and is just a drive; going again is no news. */
    raid_controller_plug(ctl, 3, disk[3]);
    ck_assert_int_eq(state_of(1), RAID_UNIT_DEGRADED);
    raid_controller_pull(ctl, 3);
    no_event();

    raid_controller_pull(ctl, 1);
    ck_assert_int_eq(state_of(1), RAID_UNIT_INOPERABLE);
    next_event_is(RAID_EVENT_DRIVE_ERROR, 1);
    next_event_is(RAID_EVENT_UNIT_INCOMPLETE, 1);
    no_event();
}
END_TEST

START_TEST(a_drive_pulled_under_a_jbod_ends_it)
{
    power_up("3ware-7410", 0x1);
    raid_controller_power_on(ctl);
    raid_controller_pull(ctl, 0);
    ck_assert_int_eq(state_of(0), RAID_UNIT_INOPERABLE);
    next_event_is(RAID_EVENT_DRIVE_ERROR, 0);
    next_event_is(RAID_EVENT_UNIT_INCOMPLETE, 0);

    /* A drive plugged later is there but in no unit that works. */
    raid_controller_plug(ctl, 0, disk[0]);
    ck_assert_int_eq(state_of(0), RAID_UNIT_INOPERABLE);
    ck_assert_ptr_eq(disk_port_disk(raid_controller_port(ctl, 0)), disk[0]);
    no_event();
}
END_TEST

START_TEST(pulling_what_is_in_no_unit_is_silent)
{
    power_up("3ware-7410", 0x1);
    raid_controller_power_on(ctl);
    ck_assert_ptr_null(raid_controller_pull(ctl, 2));
    no_event();
}
END_TEST

static void count_call(void *opaque)
{
    (*(unsigned *)opaque)++;
}

START_TEST(every_push_is_told_after_it_is_there)
{
    unsigned calls = 0;

    power_up("3ware-7410", 0xf);
    raid_controller_on_event(ctl, count_call, &calls);
    must_create("raid1:0-1");
    raid_controller_power_on(ctl);
    ck_assert_uint_eq(calls, 0);
    raid_controller_pull(ctl, 0);
    ck_assert_uint_eq(calls, 2);
    raid_controller_log(ctl, RAID_EVENT_SOFT_RESET, 0);
    ck_assert_uint_eq(calls, 3);
    next_event_is(RAID_EVENT_DRIVE_ERROR, 0);
}
END_TEST

/* --- ops ----------------------------------------------------------------- */

typedef struct Asked {
    UnitOp op;
    unsigned done;
} Asked;

static void note_done(UnitOp *op)
{
    ((Asked *)op)->done++;
}

static void ask(Asked *asked, unsigned unit, UnitVerb verb, void *buf,
                uint32_t count)
{
    asked->op = (UnitOp) {
        .verb = verb, .count = count, .buf = buf, .done = note_done,
    };
    raid_controller_submit(ctl, unit, &asked->op);
    ck_assert_uint_eq(asked->done, 0);
}

START_TEST(a_unit_carries_data)
{
    uint8_t out[4096], in[4096];
    Asked write = { 0 }, read = { 0 };

    power_up("3ware-7410", 0xf);
    must_create("raid5:0-3:64k");
    raid_controller_power_on(ctl);
    memset(out, 0x5a, sizeof(out));
    ask(&write, 0, UNIT_WRITE, out, 8);
    while (sim_step(sim)) {
    }
    ask(&read, 0, UNIT_READ, in, 8);
    while (sim_step(sim)) {
    }
    ck_assert_uint_eq(write.done, 1);
    ck_assert_uint_eq(read.done, 1);
    ck_assert_int_eq(read.op.status, UNIT_OK);
    ck_assert_mem_eq(in, out, sizeof(in));
    ck_assert_int_gt(sim_now(sim), SIM_US(500));
}
END_TEST

START_TEST(an_absent_unit_answers_offline_and_later)
{
    static const unsigned absent[] = { 1, 15, 16, 255, 1000000 };
    uint8_t buf[512];

    power_up("3ware-7410", 0x1);
    raid_controller_power_on(ctl);
    for (unsigned i = 0; i < G_N_ELEMENTS(absent); i++) {
        Asked first = { 0 }, second = { 0 };

        ask(&first, absent[i], UNIT_READ, buf, 1);
        ask(&second, absent[i], UNIT_FLUSH, NULL, 0);
        while (sim_step(sim)) {
        }
        ck_assert_uint_eq(first.done, 1);
        ck_assert_uint_eq(second.done, 1);
        ck_assert_int_eq(first.op.status, UNIT_OFFLINE);
    }
}
END_TEST

START_TEST(a_reset_ends_everything_and_keeps_events)
{
    uint8_t buf[4096] = { 0 };
    Asked there = { 0 }, absent = { 0 };

    power_up("3ware-7410", 0xf);
    must_create("raid5:0-2");
    raid_controller_power_on(ctl);
    raid_controller_log(ctl, RAID_EVENT_SMART_THRESHOLD, 3);
    ask(&there, 0, UNIT_WRITE, buf, 8);
    ask(&absent, 9, UNIT_WRITE, buf, 8);
    raid_controller_command_at(ctl);
    raid_controller_reset(ctl);
    ck_assert_uint_eq(there.done, 1);
    ck_assert_uint_eq(absent.done, 1);
    ck_assert_int_eq(there.op.status, UNIT_ABORTED);
    ck_assert_int_eq(absent.op.status, UNIT_ABORTED);
    ck_assert(!sim_step(sim));
    next_event_is(RAID_EVENT_SMART_THRESHOLD, 3);
    ck_assert_int_eq(raid_controller_command_at(ctl),
                     sim_now(sim) + raid_controller_board(ctl)->command_ns);
}
END_TEST

START_TEST(commands_and_bytes_take_their_turn)
{
    SimTime command = board_model_find("3ware-7410")->command_ns;
    uint64_t bytes = board_model_find("3ware-7410")->bus_bytes_per_s;
    SimTime first;

    power_up("3ware-7410", 0);
    ck_assert_int_eq(raid_controller_command_at(ctl), command);
    ck_assert_int_eq(raid_controller_command_at(ctl), 2 * command);
    ck_assert_int_eq(raid_controller_bus_in(ctl, bytes, &first), SIM_S(1));
    ck_assert_int_eq(first, 4096 * SIM_S(1) / bytes);
    ck_assert_int_eq(raid_controller_bus_in(ctl, bytes, &first), SIM_S(2));
    ck_assert_int_eq(first, SIM_S(1) + 4096 * SIM_S(1) / bytes);
    ck_assert_int_eq(raid_controller_bus_out(ctl, bytes), SIM_S(3));
}
END_TEST

START_TEST(a_board_may_fetch_more_slowly_than_it_sends)
{
    const BoardModel *board = board_model_find("fasttrak-s150-sx4");
    SimTime first;

    power_up(board->name, 0);
    ck_assert_uint_lt(board->bus_in_bytes_per_s, board->bus_bytes_per_s);
    ck_assert_int_eq(raid_controller_bus_in(ctl, board->bus_in_bytes_per_s,
                                            &first), SIM_S(1));
    ck_assert_int_eq(first, 4096 * SIM_S(1) / board->bus_in_bytes_per_s);
    ck_assert_int_eq(raid_controller_bus_out(ctl, board->bus_bytes_per_s),
                     SIM_S(2));
}
END_TEST

START_TEST(of_what_was_read_only_the_last_piece_still_has_to_leave)
{
    uint64_t bytes = board_model_find("3ware-7410")->bus_bytes_per_s;
    SimTime piece = 4096 * SIM_S(1) / bytes;

    power_up("3ware-7410", 0);
    sim_run_until(sim, SIM_S(5));
    ck_assert_int_eq(raid_controller_bus_out(ctl, bytes), SIM_S(5) + piece);
    ck_assert_int_eq(raid_controller_bus_out(ctl, 4096),
                     SIM_S(5) + 2 * piece + 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("controller");
    TCase *tc = tcase_create("controller");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, units_and_left_over_drives_come_up);
    tcase_add_loop_test(tc, what_cannot_be_is_refused_with_one_line, 0,
                        G_N_ELEMENTS(refused));
    tcase_add_test(tc, a_refused_unit_leaves_its_ports_free);
    tcase_add_test(tc, a_created_unit_is_not_created_again);
    tcase_add_loop_test(tc, every_board_takes_units_on_all_its_ports, 0,
                        board_models);
    tcase_add_test(tc, a_unit_that_comes_up_short_is_incomplete);
    tcase_add_test(tc, a_drive_pulled_under_a_raid5_degrades_it_once);
    tcase_add_test(tc, a_drive_pulled_under_a_jbod_ends_it);
    tcase_add_test(tc, pulling_what_is_in_no_unit_is_silent);
    tcase_add_test(tc, every_push_is_told_after_it_is_there);
    tcase_add_test(tc, a_unit_carries_data);
    tcase_add_test(tc, an_absent_unit_answers_offline_and_later);
    tcase_add_test(tc, a_reset_ends_everything_and_keeps_events);
    tcase_add_test(tc, commands_and_bytes_take_their_turn);
    tcase_add_test(tc,
                   of_what_was_read_only_the_last_piece_still_has_to_leave);
    tcase_add_test(tc, a_board_may_fetch_more_slowly_than_it_sends);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
