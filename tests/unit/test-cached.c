/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a drive with a buffer answers from it what it may, tells the truth
 * about what is on the medium, and loses nothing but by a power cut.
 *
 * Method: a small drive with a plan, op by op with times done by hand; then
 * random stories in every order of service, with an oracle that knows what
 * each sector holds and what of it is promised.
 */
#include "tests/unit/cached-drive.h"

/* --- reads -------------------------------------------------------------- */

START_TEST(a_read_again_costs_the_command_and_the_bus)
{
    ck_assert_int_gt(do_op(DISK_READ, 400, 4, 0), SIM_US(340));
    ck_assert_int_eq(do_op(DISK_READ, 400, 4, 0),
                     SIM_US(100) + 4 * SECTOR_NS);
}
END_TEST

START_TEST(reading_ahead_has_no_events_and_serves_what_follows)
{
    do_op(DISK_READ, 400, 4, 0);
    ck_assert(!sim_step(sim));
    sim_run_until(sim, SIM_MS(100));
    ck_assert_int_eq(do_op(DISK_READ, 404, 8, 0),
                     SIM_US(100) + 8 * SECTOR_NS);
    ck_assert_int_eq(do_op(DISK_READ, 428, 8, 0),
                     SIM_US(100) + 8 * SECTOR_NS);
    ck_assert_int_gt(do_op(DISK_READ, 437, 8, 0), SIM_US(380));
}
END_TEST

START_TEST(a_read_that_catches_up_with_read_ahead_loses_no_turn)
{
    SimTime took;

    do_op(DISK_READ, 400, 4, 0);
    took = do_op(DISK_READ, 404, 8, 0);
    ck_assert_int_lt(took, SIM_MS(6) * 8 / 40 + SIM_US(300));
}
END_TEST

START_TEST(look_ahead_switched_off_reads_what_was_asked_for)
{
    Job *j = &job[1];

    j->ata = (AtaTaskFile) { .command = 0xef, .feature = { 0x55 } };
    end_of(submit(1, DISK_ATA, 0, 0, 0));
    do_op(DISK_READ, 400, 4, 0);
    sim_run_until(sim, SIM_MS(100));
    ck_assert_int_gt(do_op(DISK_READ, 404, 4, 0), SIM_US(340));
}
END_TEST

START_TEST(a_whole_track_is_there_a_turn_later)
{
    preset->buffer.ahead = DISK_AHEAD_WHOLE_TRACK;
    do_op(DISK_READ, 420, 4, 0);
    sim_run_until(sim, SIM_MS(100));
    ck_assert_int_eq(do_op(DISK_READ, 400, 8, 0),
                     SIM_US(100) + 8 * SECTOR_NS);
    ck_assert_int_eq(do_op(DISK_READ, 432, 8, 0),
                     SIM_US(100) + 8 * SECTOR_NS);
    ck_assert_int_gt(do_op(DISK_READ, 440, 8, 0), SIM_US(380));
}
END_TEST

START_TEST(a_whole_track_takes_a_turn_from_anywhere)
{
    preset->zero_latency = true;
    for (unsigned i = 0; i < 20; i++) {
        MechWalk walk = {
            .now = SIM_US(277) * i, .left = { 80, 40 }, .stop = SIM_NEVER,
            .arm = { .head = 2 },
        };

        mech_walk(preset, &walk);
        ck_assert_int_le(walk.now - SIM_US(277) * i, SIM_MS(6));
    }
}
END_TEST

/* --- writes ------------------------------------------------------------- */

START_TEST(a_held_write_ends_at_once_and_arrives_by_itself)
{
    ck_assert_int_eq(do_op(DISK_WRITE, 900, 4, 7),
                     SIM_US(150) + 4 * SECTOR_NS);
    ck_assert_uint_eq(on_media(900), 0);
    settle();
    ck_assert_uint_eq(on_media(900), 7);
    ck_assert_uint_eq(on_media(903), 7);
    ck_assert_uint_eq(disk_power_cut(disk), 0);
}
END_TEST

START_TEST(a_read_sees_what_is_held)
{
    do_op(DISK_WRITE, 900, 2, 7);
    do_op(DISK_READ, 899, 4, 0);
    ck_assert_uint_eq(job[0].data[0], 0);
    ck_assert_uint_eq(job[0].data[DISK_SECTOR_BYTES], 7);
    ck_assert_uint_eq(job[0].data[2 * DISK_SECTOR_BYTES], 7);
    ck_assert_uint_eq(job[0].data[3 * DISK_SECTOR_BYTES], 0);
}
END_TEST

START_TEST(a_full_list_makes_writes_wait_for_the_arm)
{
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_lt(do_op(DISK_WRITE, 500 * i, 4, 1), SIM_US(300));
    }
    ck_assert_int_gt(do_op(DISK_WRITE, 1700, 4, 1), SIM_US(300));
}
END_TEST

/* What the three ways of asking for the medium have in common. */
static void write_some(void)
{
    for (unsigned i = 0; i < 3; i++) {
        do_op(DISK_WRITE, 500 * i, 4, 1 + i);
    }
}

static void all_is_there(void)
{
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(on_media(500 * i + 3), 1 + i);
    }
    ck_assert_uint_eq(disk_power_cut(disk), 0);
}

START_TEST(a_flush_ends_when_nothing_is_held)
{
    write_some();
    ck_assert_int_gt(do_op(DISK_FLUSH, 0, 0, 0), SIM_MS(6));
    all_is_there();
}
END_TEST

/* FLUSH CACHE, STANDBY IMMEDIATE, and SET FEATURES 82h. */
START_TEST(ata_commands_that_empty_the_cache_do)
{
    static const AtaTaskFile commands[] = {
        { .command = 0xe7 }, { .command = 0xe0 },
        { .command = 0xef, .feature = { 0x82 } },
    };
    Job *j = &job[1];

    write_some();
    j->ata = commands[_i];
    end_of(submit(1, DISK_ATA, 0, 0, 0));
    ck_assert_int_eq(j->op.status, DISK_OK);
    all_is_there();
}
END_TEST

START_TEST(without_write_cache_the_medium_has_it_at_the_end)
{
    job[1].ata = (AtaTaskFile) { .command = 0xef, .feature = { 0x82 } };
    end_of(submit(1, DISK_ATA, 0, 0, 0));
    ck_assert_int_gt(do_op(DISK_WRITE, 900, 4, 7), SIM_US(400));
    ck_assert_uint_eq(on_media(900), 7);
}
END_TEST

START_TEST(a_forced_write_is_on_the_medium_at_its_end)
{
    write_some();
    job[0].op.flags = DISK_OP_FUA;
    do_op(DISK_WRITE, 501, 2, 9);
    ck_assert_uint_eq(on_media(500), 2);
    ck_assert_uint_eq(on_media(501), 9);
    settle();
    ck_assert_uint_eq(on_media(501), 9);
}
END_TEST

/* --- what goes wrong ----------------------------------------------------- */

START_TEST(a_power_cut_loses_what_was_held_and_no_more)
{
    do_op(DISK_WRITE, 100, 4, 1);
    settle();
    do_op(DISK_WRITE, 100, 4, 2);
    do_op(DISK_WRITE, 500, 2, 3);
    ck_assert_uint_eq(disk_power_cut(disk), 6);
    settle();
    ck_assert_uint_eq(on_media(100), 1);
    ck_assert_uint_eq(on_media(500), 0);
    do_op(DISK_READ, 100, 4, 0);
    ck_assert_uint_eq(job[0].data[0], 1);
}
END_TEST

START_TEST(an_op_that_waits_outlives_a_power_cut)
{
    Job *j;

    write_some();
    j = submit(1, DISK_FLUSH, 0, 0, 0);
    ck_assert_uint_gt(disk_power_cut(disk), 0);
    end_of(j);
    ck_assert_int_eq(j->op.status, DISK_OK);
}
END_TEST

START_TEST(a_reset_loses_nothing_that_was_held)
{
    write_some();
    submit(1, DISK_READ, 2000, 4, 0);
    submit(2, DISK_WRITE, 2100, 4, 5);
    disk_cancel_all(disk, DISK_ABORTED);
    settle();
    all_is_there();
    ck_assert_uint_eq(on_media(2100), 0);
}
END_TEST

START_TEST(a_write_finished_early_is_the_last_word)
{
    Job *j;

    do_op(DISK_WRITE, 500, 4, 1);
    submit(1, DISK_READ, 2000, 4, 0);
    j = submit(2, DISK_WRITE, 501, 1, 9);
    disk_finish_now(&j->op);
    ck_assert(!j->lent);
    ck_assert_uint_eq(on_media(500), 1);
    ck_assert_uint_eq(on_media(501), 9);
    settle();
    ck_assert_uint_eq(on_media(501), 9);
    ck_assert(!job[1].lent);
}
END_TEST

START_TEST(a_cancelled_write_leaves_nothing)
{
    Job *j = submit(1, DISK_WRITE, 500, 4, 1);

    disk_cancel(&j->op, DISK_ABORTED);
    settle();
    do_op(DISK_READ, 500, 4, 0);
    ck_assert_uint_eq(on_media(500), 0);
    ck_assert_uint_eq(job[0].data[0], 0);
}
END_TEST

START_TEST(a_pulled_drive_has_lost_its_power)
{
    DiskPort *port = disk_port_new(sim, 0, 0);

    disk_port_plug(port, disk);
    do_op(DISK_WRITE, 500, 4, 1);
    ck_assert_ptr_eq(disk_port_pull(port), disk);
    settle();
    ck_assert_uint_eq(on_media(500), 0);
    disk_port_free(port);
}
END_TEST

START_TEST(a_drive_put_away_in_good_order_empties_its_buffer)
{
    write_some();
    disk_free(disk);
    open_drive();
    all_is_there();
}
END_TEST

/* --- stories ------------------------------------------------------------ */

#define PLACES 60               /* sectors that the story plays on */

static uint8_t promised[PLACES];

static uint64_t place(unsigned n)
{
    return n < PLACES / 2 ? 380 + n : 2000 + n;
}

static void one_step(unsigned step)
{
    unsigned at = sim_random(sim, PLACES / 2 - 8) +
                  PLACES / 2 * sim_random(sim, 2);
    uint32_t count = 1 + sim_random(sim, 8);
    SimTime took;

    switch (sim_random(sim, 8)) {
    case 0:
        took = do_op(DISK_FLUSH, 0, 0, 0);
        for (unsigned i = 0; i < PLACES; i++) {
            unit_holds(on_media(place(i)) == promised[i]);
        }
        break;
    case 1: case 2: case 3:
        took = do_op(DISK_READ, place(at), count, 0);
        for (unsigned i = 0; i < count; i++) {
            unit_holds(job[0].data[i * DISK_SECTOR_BYTES] ==
                       promised[at + i]);
        }
        break;
    default:
        job[0].op.flags = sim_random(sim, 9) ? 0 : DISK_OP_FUA;
        took = do_op(DISK_WRITE, place(at), count, 1 + step % 255);
        for (unsigned i = 0; i < count; i++) {
            promised[at + i] = 1 + step % 255;
        }
        break;
    }
    unit_holds(took > 0 && took < SIM_MS(100));
    if (!sim_random(sim, 4)) {
        sim_run_until(sim, sim_now(sim) + sim_random(sim, SIM_MS(20)));
    }
}

/* Each destage order, with one write held or several. */
START_TEST(every_read_and_flush_tells_the_truth)
{
    preset->buffer.destage = _i % 4;
    disk_free(disk);
    preset->buffer.write_depth = _i < 4 ? 1 : 5;
    open_drive();
    memset(promised, 0, sizeof(promised));
    for (unsigned step = 0; step < 3000; step++) {
        one_step(step);
    }
    settle();
    for (unsigned i = 0; i < PLACES; i++) {
        ck_assert_uint_eq(on_media(place(i)), promised[i]);
    }
}
END_TEST

/* Many at once: all end, and those that overlap in their order. */
START_TEST(a_queue_in_any_order_ends_in_the_right_state)
{
    preset->buffer.order = preset->buffer.destage = _i;
    preset->buffer.depth = 32;
    memset(promised, 0, sizeof(promised));
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned n = 1; n < OPS; n++) {
            unsigned at = sim_random(sim, PLACES / 2 - 8) +
                          PLACES / 2 * sim_random(sim, 2);
            uint32_t count = 1 + sim_random(sim, 8);

            submit(n, sim_random(sim, 3) ? DISK_WRITE : DISK_READ,
                   place(at), count, n);
            for (unsigned i = 0; job[n].op.verb == DISK_WRITE && i < count;
                 i++) {
                promised[at + i] = n;
            }
        }
        do_op(DISK_FLUSH, 0, 0, 0);
        for (unsigned n = 1; n < OPS; n++) {
            unit_holds(!job[n].lent);
        }
        for (unsigned i = 0; i < PLACES; i++) {
            unit_holds(on_media(place(i)) == promised[i]);
        }
    }
}
END_TEST

START_TEST(a_better_order_takes_less_time)
{
    SimTime before = 0;

    for (unsigned order = 0; order < 3; order++) {
        SimTime start;

        disk_free(disk);
        preset->buffer.order = order;
        preset->buffer.depth = 64;
        open_drive();
        start = sim_now(sim);
        for (unsigned n = 1; n < OPS; n++) {
            submit(n, DISK_READ, n * 2654435761u % 2300, 1, 0);
        }
        settle();
        if (order) {
            ck_assert_int_lt(sim_now(sim) - start, before);
        }
        before = sim_now(sim) - start;
    }
}
END_TEST

static const char *const traced[] = {
    "atlas10k", "atlas_III", "barracuda", "cheetah4LP", "cheetah9LP",
    "dec_rz26", "hp_c2247a", "hp_c2490a", "hp_c3323a", "ibm18es", "st41601n",
};

/*
 * Never nothing, never more than a seek, the bus, and two turns for each
 * track, thrice: what is held may go first.
 */
START_TEST(no_access_of_a_traced_drive_takes_too_little_or_too_long)
{
    DiskPreset *real = unit_preset(traced[_i]);
    DiskMedia *large = disk_media_memory_new(real->geometry.lbas);
    Disk *other = disk_new(sim, real, large, "T", 99);
    uint64_t at = 0, lbas = real->geometry.lbas;

    for (unsigned i = 0; i < 1500; i++) {
        Job *j = &job[1];
        uint32_t count = 1 + sim_random(sim, 8);
        SimTime took;

        at = sim_random(sim, 3) ? (at + sim_random(sim, 300)) % lbas
                                : sim_random(sim, lbas);
        at = MIN(at, lbas - count);
        j->op = (DiskOp) {
            .verb = sim_random(sim, 3) ? DISK_READ : DISK_WRITE,
            .span = { at, count }, .buf = j->data, .done = job_done,
            .opaque = j,
        };
        j->lent = true;
        disk_submit(other, &j->op);
        took = end_of(j);
        unit_holds(j->op.status == DISK_OK);
        unit_holds(took >= SIM_US(100));
        unit_holds(took < 3 * (SIM_MS(35) + 4 * real->turn_ns));
        sim_run_until(sim, sim_now(sim) + sim_random(sim, SIM_MS(40)));
        at += count;
    }
    disk_free(other);
    disk_media_close(large);
    disk_preset_free(real);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cached");
    TCase *tc = tcase_create("cached");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, a_read_again_costs_the_command_and_the_bus);
    tcase_add_test(tc, reading_ahead_has_no_events_and_serves_what_follows);
    tcase_add_test(tc, a_read_that_catches_up_with_read_ahead_loses_no_turn);
    tcase_add_test(tc, look_ahead_switched_off_reads_what_was_asked_for);
    tcase_add_test(tc, a_whole_track_is_there_a_turn_later);
    tcase_add_test(tc, a_whole_track_takes_a_turn_from_anywhere);
    tcase_add_test(tc, a_held_write_ends_at_once_and_arrives_by_itself);
    tcase_add_test(tc, a_read_sees_what_is_held);
    tcase_add_test(tc, a_full_list_makes_writes_wait_for_the_arm);
    tcase_add_test(tc, a_flush_ends_when_nothing_is_held);
    tcase_add_loop_test(tc, ata_commands_that_empty_the_cache_do, 0, 3);
    tcase_add_test(tc, without_write_cache_the_medium_has_it_at_the_end);
    tcase_add_test(tc, a_forced_write_is_on_the_medium_at_its_end);
    tcase_add_test(tc, a_power_cut_loses_what_was_held_and_no_more);
    tcase_add_test(tc, an_op_that_waits_outlives_a_power_cut);
    tcase_add_test(tc, a_reset_loses_nothing_that_was_held);
    tcase_add_test(tc, a_write_finished_early_is_the_last_word);
    tcase_add_test(tc, a_cancelled_write_leaves_nothing);
    tcase_add_test(tc, a_pulled_drive_has_lost_its_power);
    tcase_add_test(tc, a_drive_put_away_in_good_order_empties_its_buffer);
    tcase_add_loop_test(tc, every_read_and_flush_tells_the_truth, 0, 8);
    tcase_add_loop_test(tc, a_queue_in_any_order_ends_in_the_right_state, 0,
                        3);
    tcase_add_test(tc, a_better_order_takes_less_time);
    tcase_add_loop_test(tc,
        no_access_of_a_traced_drive_takes_too_little_or_too_long, 0,
        G_N_ELEMENTS(traced));
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
