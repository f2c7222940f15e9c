/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: trouble comes where, when and as often as was ordered, wrong words
 * change nothing, and units answer it as their level can.
 *
 * Method: one small drive, asked op by op; units on a bench whose contents
 * a flat array knows.
 */
#include "disk-model/world/fault.h"
#include "tests/lib/raid-story.h"
#include "tests/unit/cached-drive.h"

#define BAD 500
#define RECOVERY SIM_S(1)

static void order(const char *line)
{
    GError *error = NULL;

    ck_assert_msg(fault_order(sim, line, &error), "%s: %s", line,
                  error ? error->message : "");
}

static DiskStatus status_of(DiskVerb verb, uint64_t sector, uint32_t count)
{
    do_op(verb, sector, count, 9);
    return job[0].op.status;
}

static void set_up_port_2(void)
{
    set_up();
    disk_set_port(disk, 2);
}

/* With a buffer, and without. */
static void maybe_without_buffer(bool without)
{
    disk_free(disk);
    preset->buffer.there = !without;
    open_drive();
    disk_set_port(disk, 2);
}

START_TEST(bad_sectors_are_unreadable_until_written)
{
    maybe_without_buffer(_i);
    order("port 2 bad at 500-503");
    ck_assert_int_eq(status_of(DISK_READ, BAD - 8, 8), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, BAD - 4, 8), DISK_BAD_SECTOR);
    ck_assert_uint_eq(job[0].op.bad_sector, BAD);
    ck_assert_int_eq(status_of(DISK_WRITE, BAD + 1, 1), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, BAD + 1, 1), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, BAD + 1, 3), DISK_BAD_SECTOR);
    ck_assert_uint_eq(job[0].op.bad_sector, BAD + 2);
    ck_assert_int_eq(status_of(DISK_READ, BAD, 1), DISK_BAD_SECTOR);
    ck_assert_int_eq(status_of(DISK_WRITE, BAD, 4), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, BAD, 4), DISK_OK);
}
END_TEST

START_TEST(always_and_times_say_how_often)
{
    order("port 2 bad at 500 always");
    order("port 2 bad at 700 times 2");
    order("port 2 bad at 900 after 1 times 1");
    ck_assert_int_eq(status_of(DISK_WRITE, BAD, 1), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, BAD, 1), DISK_BAD_SECTOR);
    ck_assert_int_eq(status_of(DISK_READ, 700, 1), DISK_BAD_SECTOR);
    ck_assert_int_eq(status_of(DISK_READ, 700, 1), DISK_BAD_SECTOR);
    ck_assert_int_eq(status_of(DISK_READ, 700, 1), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, 900, 1), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, 900, 1), DISK_BAD_SECTOR);
    ck_assert_int_eq(status_of(DISK_READ, 900, 1), DISK_OK);
}
END_TEST

START_TEST(trouble_takes_its_time)
{
    SimTime hit;

    do_op(DISK_READ, 100, 1, 0);
    hit = do_op(DISK_READ, 100, 1, 0);
    order("port 2 slow 90s on read times 1");
    ck_assert_int_eq(do_op(DISK_READ, 100, 1, 0), hit + SIM_S(90));
    ck_assert_int_eq(do_op(DISK_READ, 100, 1, 0), hit);
    order("port 2 bad at 100");
    ck_assert_int_eq(do_op(DISK_READ, 100, 1, 0), hit + RECOVERY);
}
END_TEST

/* As a reset does: one op, one strike, though a rule had put it off. */
START_TEST(an_op_ended_early_strikes_once)
{
    order("port 2 slow 5s on read times 2");
    submit(0, DISK_READ, 100, 1, 0);
    sim_run_until(sim, SIM_S(1));       /* due, asked, put off */
    ck_assert(job[0].lent);
    disk_finish_now(&job[0].op);
    ck_assert(!job[0].lent);
    ck_assert_int_eq(job[0].op.status, DISK_OK);
    ck_assert_int_gt(do_op(DISK_READ, 900, 1, 0), SIM_S(5));
    ck_assert_int_lt(do_op(DISK_READ, 1500, 1, 0), SIM_S(1));
}
END_TEST

START_TEST(from_and_for_bound_it)
{
    sim_run_until(sim, SIM_S(1));
    order("port 2 dead from 2s for 3s");
    ck_assert_int_eq(status_of(DISK_READ, 100, 1), DISK_OK);
    sim_run_until(sim, SIM_S(3));
    ck_assert_int_eq(status_of(DISK_READ, 100, 1), DISK_FAILED);
    ck_assert_int_eq(status_of(DISK_FLUSH, 0, 0), DISK_FAILED);
    sim_run_until(sim, SIM_S(6));
    ck_assert_int_eq(status_of(DISK_READ, 100, 1), DISK_OK);
}
END_TEST

START_TEST(stale_writes_are_acknowledged_not_done)
{
    maybe_without_buffer(_i);
    ck_assert_int_eq(status_of(DISK_WRITE, 126, 4), DISK_OK);
    order("port 2 stale at 128-255 times 2");
    order("port 2 bad at 129");
    do_op(DISK_WRITE, 126, 4, 5);
    ck_assert_int_eq(job[0].op.status, DISK_OK);
    do_op(DISK_WRITE, 124, 4, 6);       /* beside it */
    do_op(DISK_WRITE, 255, 1, 5);
    ck_assert_int_eq(job[0].op.status, DISK_OK);
    ck_assert_int_eq(status_of(DISK_FLUSH, 0, 0), DISK_OK);
    ck_assert_uint_eq(on_media(124), 6);
    ck_assert_uint_eq(on_media(127), 6);
    ck_assert_uint_eq(on_media(128), 9);
    ck_assert_uint_eq(on_media(255), 0);
    ck_assert_int_eq(status_of(DISK_READ, 128, 1), DISK_OK);
    ck_assert_uint_eq(job[0].data[0], 9);
    ck_assert_int_eq(status_of(DISK_READ, 129, 1), DISK_BAD_SECTOR);
    do_op(DISK_WRITE, 128, 2, 7);       /* two were all */
    ck_assert_int_eq(status_of(DISK_READ, 128, 2), DISK_OK);
    ck_assert_uint_eq(job[0].data[0], 7);
}
END_TEST

START_TEST(a_turned_bit_stays_until_it_is_written)
{
    maybe_without_buffer(_i);
    ck_assert_int_eq(status_of(DISK_WRITE, 700, 4), DISK_OK);
    ck_assert_int_eq(status_of(DISK_FLUSH, 0, 0), DISK_OK);
    order("port 2 flip at 702");
    for (unsigned i = 0; i < 2; i++) {
        do_op(DISK_READ, 700, 4, 0);
        ck_assert_int_eq(job[0].op.status, DISK_OK);
        for (unsigned byte = 0; byte < 4 * DISK_SECTOR_BYTES; byte++) {
            ck_assert_uint_eq(job[0].data[byte],
                              byte == 2 * DISK_SECTOR_BYTES ? 8 : 9);
        }
    }
    ck_assert_uint_eq(on_media(702), 8);
    ck_assert_int_eq(status_of(DISK_WRITE, 702, 1), DISK_OK);
    do_op(DISK_READ, 702, 1, 0);
    ck_assert_uint_eq(job[0].data[0], 9);
}
END_TEST

START_TEST(turned_bits_do_not_get_lost_in_one_read)
{
    order("port 2 flip at 700");
    order("port 2 flip at 701");
    do_op(DISK_READ, 700, 2, 0);
    do_op(DISK_READ, 700, 2, 0);
    ck_assert_uint_eq(on_media(700), 1);
    ck_assert_uint_eq(on_media(701), 1);
}
END_TEST

START_TEST(other_ports_and_verbs_are_left_alone)
{
    order("port 1 dead");
    order("port 2 slow 1s on write");
    ck_assert_int_eq(status_of(DISK_READ, 100, 1), DISK_OK);
    ck_assert_int_lt(do_op(DISK_READ, 300, 1, 0), SIM_MS(100));
    ck_assert_int_gt(do_op(DISK_WRITE, 300, 1, 0), SIM_S(1));
}
END_TEST

START_TEST(chance_strikes_as_often_as_said_and_alike_each_time)
{
    unsigned struck = 0;
    uint64_t before, after;

    order("port 2 dead chance 0.25");
    before = sim_random(sim, UINT64_MAX);
    for (unsigned i = 0; i < 4000; i++) {
        struck += fault_ask(sim, &(FaultAsk) {
            .port = 2, .on = FAULT_ON_OTHER,
        }).dead;
    }
    after = sim_random(sim, UINT64_MAX);
    ck_assert_uint_gt(struck, 900);
    ck_assert_uint_lt(struck, 1100);
    sim_free(sim);
    sim = sim_new(1);
    ck_assert_uint_eq(sim_random(sim, UINT64_MAX), before);
    ck_assert_uint_eq(sim_random(sim, UINT64_MAX), after);
}
END_TEST

static unsigned cuts, cut_after;

static void power_act(void *opaque, const FaultAct *act)
{
    ck_assert_int_eq(act->what, FAULT_POWER_CUT);
    ck_assert(!act->over);
    cuts++;
    cut_after = *(unsigned *)opaque;
}

START_TEST(the_power_is_cut_when_so_many_writes_have_ended)
{
    unsigned writes = 0;

    cuts = 0;
    ck_assert(!fault_order(sim, "card power-cut", NULL));
    ck_assert(!fault_any(sim));
    fault_on_act(sim, FAULT_ACTOR_POWER, power_act, &writes);
    order("card power-cut after 3");
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_uint_eq(cuts, i >= 3);
        do_op(DISK_READ, 900, 1, 0);
        do_op(DISK_WRITE, i, 1, 1);
        writes++;
        sim_run_until(sim, sim_now(sim));
    }
    ck_assert_uint_eq(cut_after, 3);
    order("card power-cut from 20s");
    sim_run_until(sim, SIM_S(20) - 1);
    ck_assert_uint_eq(cuts, 1);
    sim_run_until(sim, SIM_S(20));
    ck_assert_uint_eq(cuts, 2);
    order("card power-cut");
    sim_run_until(sim, SIM_S(20));
    ck_assert_uint_eq(cuts, 3);
}
END_TEST

static const char *const wrong_lines[] = {
    "", "port", "port x dead", "port 2", "port 2 sick", "disk 2 dead",
    "port 2 bad", "port 2 bad at", "port 2 bad at 9-5", "port 2 bad at -1",
    "port 2 bad at 5 on write", "port 2 flip", "port 2 flip at 5 on write",
    "port 2 stale on read", "port 2 stale on any", "port 2 flip at 5 always",
    "port 2 slow", "port 2 slow 5", "port 2 slow -5ms",
    "port 2 slow nans", "port 2 slow 1e99s",
    "port 2 dead times 0", "port 2 dead chance 0", "port 2 dead chance 1.5",
    "port 2 dead always", "port 2 dead now", "port 2 dead on monday",
    "card", "card dead", "card power-cut times 2", "card power-cut at 5",
    "card 2 power-cut", "port 2 power-cut", "port 2 hang always",
    "port 2 crc at 5 always", "port 2 crc over", "port 2 crc over fast",
    "port 2 crc on any", "port 2 retries 8", "port 2 retries at 5",
    "port 2 retries 0 at 5", "port 2 grows", "port 2 grows 3 times 2",
    "host", "host dead", "host 2 parity", "host parity for 1s",
    "host queue-full", "host lost-interrupt at 5", "host sbuf times 2",
    "card stall", "card stall 90", "card hang for 1s", "card aen",
    "card aen 0", "card aen 256", "card aen 0x2q", "card aen 5 port 300",
    "card aen 5 disk 3", "card gone", "port 2 gone times 2",
    "port 2 gone at 5", "port 2 dead over 3",
    "port 2 dead for", "port 99999999999999999999 dead",
};

START_TEST(wrong_words_change_nothing)
{
    GError *error = NULL;
    g_autoptr(GString) list = g_string_new(NULL);

    ck_assert(!fault_order(sim, wrong_lines[_i], &error));
    ck_assert_ptr_nonnull(error);
    ck_assert_ptr_nonnull(strstr(error->message, "fault: "));
    ck_assert_ptr_null(strchr(error->message, '\n'));
    g_error_free(error);
    ck_assert(!fault_order(sim, wrong_lines[_i], NULL));
    fault_list(sim, list);
    ck_assert_str_eq(list->str, "");
    ck_assert(!fault_any(sim));
}
END_TEST

START_TEST(what_is_listed_can_be_ordered_again)
{
    g_autoptr(GString) list = g_string_new(NULL);
    g_autoptr(GString) again = g_string_new(NULL);

    fault_on_act(sim, FAULT_ACTOR_POWER, power_act, NULL);
    fault_on_act(sim, FAULT_ACTOR_CARD, power_act, NULL);
    fault_on_act(sim, FAULT_ACTOR_HOST, power_act, NULL);
    order("port 2 bad at 5-9 always");
    order("port 1 slow 30ms on read after 2 times 7 from 1s for 5ms "
          "chance 0.5");
    order("port 0 dead");
    order("port 3 stale after 1");
    order("port 3 flip at 7");
    order("port 3 flip at 7-9 times 4");
    order("card power-cut after 3 from 1s");
    order("port 1 crc on write over 4 times 3");
    order("port 1 retries 8 at 700");
    order("port 1 grows 3 at 0-99 from 2s");
    order("port 1 gone from 2s for 3s");
    order("card stall 90s after 4");
    order("card hang from 5s");
    order("card aen 0x21 port 3 from 5s");
    order("host lost-interrupt times 2 chance 0.25");
    order("host queue-full from 1s for 2s");
    order("host microcontroller from 7s");
    fault_list(sim, list);
    fault_clear(sim);
    ck_assert(!fault_any(sim));
    for (char *line = strtok(list->str, "\n"); line;
         line = strtok(NULL, "\n")) {
        order(line);
        g_string_append_printf(again, "%s\n", line);
    }
    g_string_truncate(list, 0);
    fault_list(sim, list);
    ck_assert_str_eq(list->str, again->str);
}
END_TEST

START_TEST(no_more_rules_than_there_is_room)
{
    for (unsigned i = 0; i < FAULT_RULES_MAX; i++) {
        order("port 2 bad at 500-510");
    }
    ck_assert(!fault_order(sim, "port 2 dead", NULL));
    /* Each would be cut in two. */
    ck_assert_int_eq(status_of(DISK_WRITE, 505, 1), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, 505, 1), DISK_OK);
    ck_assert_int_eq(status_of(DISK_READ, 500, 1), DISK_BAD_SECTOR);
}
END_TEST

static const Shape redundant[] = {
    { RAID_1, 2, 0 }, { RAID_5, 3, 128 }, { RAID_5, 5, 128 },
    { RAID_10, 4, 128 },
};

static unsigned repairs, beyond;

static void check_member(const RaidBench *bench, unsigned member)
{
    ck_assert_uint_eq(member, *(unsigned *)bench->told);
}

static void sector_repaired(void *opaque, RaidUnit *unit G_GNUC_UNUSED,
                            unsigned member)
{
    check_member(opaque, member);
    repairs++;
}

static void medium_error(void *opaque, RaidUnit *unit G_GNUC_UNUSED,
                         unsigned member)
{
    check_member(opaque, member);
    beyond++;
}

/* Of sectors of `member` and no other. */
static void listen(RaidBench *bench, unsigned *member)
{
    repairs = beyond = 0;
    bench->listener.sector_repaired = sector_repaired;
    bench->listener.medium_error = medium_error;
    bench->told = member;
}

START_TEST(C08_redundancy_mends_a_bad_sector_unseen)
{
    Story *story = story_new(&redundant[_i], 0, 1);
    RaidBench *bench = story->bench;
    unsigned member = 1;

    listen(bench, &member);
    ck_assert(fault_order(bench->sim, "port 1 bad at 1120-1183", NULL));
    for (unsigned i = 0; i < 3; i++) {  /* copies take turns by rows */
        story_read_all_back(story);
    }
    ck_assert_uint_eq(story->bad, 0);
    ck_assert_uint_gt(repairs, 0);
    ck_assert_uint_eq(beyond, 0);
    raid_bench_check(bench);
    story_free(story);
}
END_TEST

/* Sector 1064 of the only member that has it: LBA 40. */
static void only_lba_40_fails(Story *story, unsigned member)
{
    g_autofree char *rule = g_strdup_printf("port %u bad at 1064", member);

    listen(story->bench, &member);
    ck_assert(fault_order(story->bench->sim, rule, NULL));
    for (uint64_t lba = 38; lba < 43; lba++) {
        unsigned before = story->bad;

        story_ask(story, &story->asked[0], UNIT_READ, lba, 1);
        story_drain(story);
        ck_assert_uint_eq(story->bad - before, lba == 40);
    }
    ck_assert_int_eq(story->status, UNIT_MEDIUM_ERROR);
    ck_assert_uint_eq(beyond, 1);
    ck_assert_uint_eq(repairs, 0);
    story_ask(story, &story->asked[0], UNIT_READ, 30, 30);
    story_drain(story);
    ck_assert_uint_eq(story->asked[0].op.bad_lba, 40);
}

START_TEST(C08_without_redundancy_exactly_that_sector_fails)
{
    static const Shape shape = { RAID_SINGLE, 1, 0 };
    Story *story = story_new(&shape, 0, 1);

    only_lba_40_fails(story, 0);
    story_free(story);
}
END_TEST

/* Row 0 of three members: parity on 0, which is missing, LBA 0 to 127 on 1. */
START_TEST(C08_a_degraded_unit_fails_exactly_that_sector)
{
    Story *story = story_new(&redundant[1], 1, 1);

    only_lba_40_fails(story, 1);
    ck_assert_int_eq(raid_unit_state(story->bench->unit),
                     RAID_UNIT_DEGRADED);
    story_free(story);
}
END_TEST

START_TEST(a_dead_drive_is_a_lost_member)
{
    Story *story = story_new(&redundant[_i], 0, 1);

    ck_assert(fault_order(story->bench->sim, "port 1 dead", NULL));
    story_read_all_back(story);
    story_read_all_back(story);
    ck_assert_uint_eq(story->bad, 0);
    ck_assert_int_eq(raid_unit_state(story->bench->unit),
                     RAID_UNIT_DEGRADED);
    story_free(story);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fault");
    TCase *drive = tcase_create("drive"), *unit = tcase_create("unit");
    int levels = G_N_ELEMENTS(redundant);

    tcase_add_checked_fixture(drive, set_up_port_2, tear_down);
    tcase_add_loop_test(drive, bad_sectors_are_unreadable_until_written,
                        0, 2);
    tcase_add_test(drive, always_and_times_say_how_often);
    tcase_add_test(drive, trouble_takes_its_time);
    tcase_add_test(drive, an_op_ended_early_strikes_once);
    tcase_add_test(drive, from_and_for_bound_it);
    tcase_add_loop_test(drive, stale_writes_are_acknowledged_not_done, 0, 2);
    tcase_add_loop_test(drive, a_turned_bit_stays_until_it_is_written, 0, 2);
    tcase_add_test(drive, turned_bits_do_not_get_lost_in_one_read);
    tcase_add_test(drive, other_ports_and_verbs_are_left_alone);
    tcase_add_test(drive,
                   chance_strikes_as_often_as_said_and_alike_each_time);
    tcase_add_test(drive, the_power_is_cut_when_so_many_writes_have_ended);
    tcase_add_loop_test(drive, wrong_words_change_nothing, 0,
                        G_N_ELEMENTS(wrong_lines));
    tcase_add_test(drive, what_is_listed_can_be_ordered_again);
    tcase_add_test(drive, no_more_rules_than_there_is_room);
    suite_add_tcase(suite, drive);
    tcase_add_loop_test(unit, C08_redundancy_mends_a_bad_sector_unseen, 0,
                        levels);
    tcase_add_test(unit, C08_without_redundancy_exactly_that_sector_fails);
    tcase_add_test(unit, C08_a_degraded_unit_fails_exactly_that_sector);
    tcase_add_loop_test(unit, a_dead_drive_is_a_lost_member, 0, levels);
    suite_add_tcase(suite, unit);
    return unit_run(suite);
}
