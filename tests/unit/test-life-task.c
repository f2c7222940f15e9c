/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: verify and initialise as cards of this family do them, their rates,
 * and what is told of them.
 *
 * Method: as test-life has it.
 */
#include "tests/lib/life-bench.h"

#define SECTOR DISK_SECTOR_BYTES

static uint8_t back[LIFE_SECTORS][SECTOR];

/* --- verify, initialise --------------------------------------------------- */

START_TEST(C05_verify_of_a_unit_never_initialised_initialises_it)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    order("u0 start verify");
    shows("\"status\":\"INITIALIZING\",\"percent\":0");
    card_bench_drain(bench);
    TOLD(0x2f00, 0x0c00, 0x0700);
    holds(0);
    rows_agree(3);
    order("u0 start verify");
    shows("\"status\":\"VERIFYING\",\"percent\":0");
    card_bench_drain(bench);
    TOLD(0x2900, 0x2b00);
}
END_TEST

START_TEST(C04_a_verify_that_finds_a_mismatch_initialises_all_again)
{
    uint8_t sector[SECTOR];

    only(0x07);
    boot_filled("raid5:0-2:64k");
    order("u0 start verify");
    card_bench_drain(bench);
    card_bench_io(bench, 0, UNIT_FLUSH, 0, NULL, 0);
    forget_news();
    card_bench_peek(bench, 2, LIFE_AREA + 700, sector, 1);
    sector[9] ^= 4;
    card_bench_poke(bench, 2, LIFE_AREA + 700, sector, 1);
    order("u0 start verify");
    while (raid_unit_task(unit(0))->kind != RAID_TASK_INIT) {
        ck_assert(sim_step(bench->sim));
    }
    shows("\"status\":\"INITIALIZING\",\"percent\":0");
    TOLD(0x2900, 0x2a00, 0x0c00);
    card_bench_drain(bench);
    TOLD(0x0700);
    shows("\"type\":\"RAID-5\",\"status\":\"OK\"");
    rows_agree(3);
}
END_TEST

START_TEST(a_verify_can_be_stopped_and_is_then_over)
{
    only(0x07);
    boot_filled("raid5:0-2:64k");
    order("u0 start verify");
    card_bench_drain(bench);
    forget_news();
    order("u0 start verify");
    run_for(SIM_MS(50));
    order("u0 stop verify");
    shows("\"type\":\"RAID-5\",\"status\":\"OK\"");
    card_bench_drain(bench);
    TOLD(0x2900);
    card_bench_shut(bench);
    card_bench_must_boot(bench, NULL);
    shows("\"type\":\"RAID-5\",\"status\":\"OK\"");
}
END_TEST

/* Only that its sectors can be read; a power cut in the middle included. */
START_TEST(a_unit_of_stripes_is_verified_too)
{
    only(0x07);
    boot_filled("raid0:0-2:64k");
    order("u0 start verify");
    run_for(SIM_MS(30));
    shows("\"status\":\"VERIFYING\"");
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    shows("\"status\":\"VERIFYING\"");
    forget_news();
    card_bench_drain(bench);
    TOLD(0x2b00);
    shows("\"type\":\"RAID-0\",\"status\":\"OK\"");
    holds(0);
}
END_TEST

START_TEST(autoverify_begins_one_each_day)
{
    only(0x03);
    boot_filled("raid1:0-1");
    order("u0 start verify");
    card_bench_drain(bench);
    forget_news();
    order("u0 set autoverify=on");
    run_for(SIM_S(86000));
    nothing_told();
    run_for(SIM_S(86400));
    TOLD(0x2900, 0x2b00);
    run_for(SIM_S(86400));
    TOLD(0x2900, 0x2b00);
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    shows("\"autoverify\":true");
    forget_news();
    run_for(SIM_S(2 * 86400));
    ck_assert_uint_ge(raid_controller_events(bench->ctl)->count, 2);
    order("u0 set autoverify=off");
    card_bench_drain(bench);
}
END_TEST

/* Somebody reads all the time. */
static void busy_done(UnitOp *op)
{
    op->lba = (op->lba + 64) % 1024;
    if (raid_unit_task(unit(0))->kind != RAID_TASK_NONE) {
        raid_controller_submit(bench->ctl, 0, op);
    }
}

/* What an order takes beside it. */
static SimTime time_of(const char *line)
{
    UnitOp op = { .verb = UNIT_READ, .count = 8, .buf = back,
                  .done = busy_done };
    SimTime from = sim_now(bench->sim);

    order(line);
    raid_controller_submit(bench->ctl, 0, &op);
    card_bench_drain(bench);
    return sim_now(bench->sim) - from;
}

static SimTime rebuild_time(const char *rate)
{
    raid_controller_pull(bench->ctl, 1);
    card_bench_drain(bench);
    raid_controller_plug(bench->ctl, 1, bench->disk[1]);
    order(rate);
    return time_of("u0 start rebuild disk=1");
}

static SimTime verify_time(const char *rate)
{
    order(rate);
    return time_of("u0 start verify");
}

START_TEST(a_rate_gives_the_task_more_or_the_host)
{
    static const char *const rate[] = {
        "set rebuild=1", "set rebuild=2", "set rebuild=3", "set rebuild=4",
        "set rebuild=5",
    };
    SimTime before = 0;

    only(0x07);
    boot_filled("raid5:0-2:64k");
    order("u0 start verify");           /* initialises it */
    card_bench_drain(bench);
    for (unsigned i = 0; i < G_N_ELEMENTS(rate); i++) {
        SimTime now = rebuild_time(rate[i]);

        ck_assert_msg(now > before * 5 / 4, "%s: %.3f s after %.3f s", rate[i],
                      (double)now / SIM_S(1), (double)before / SIM_S(1));
        before = now;
    }
    ck_assert(verify_time("set verify=5") > 3 * verify_time("set verify=1"));
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
    shows("\"rebuild_rate\":5,\"verify_rate\":1");
}
END_TEST

START_TEST(a_rate_is_for_a_task_that_is_under_way_too)
{
    SimTime took[2];

    only(0x07);
    boot_filled("raid5:0-2:64k");
    for (unsigned i = 0; i < 2; i++) {
        UnitOp op = { .verb = UNIT_READ, .count = 8, .buf = back,
                      .done = busy_done };
        SimTime from;

        order("set rebuild=1");
        raid_controller_pull(bench->ctl, 1);
        card_bench_drain(bench);
        raid_controller_plug(bench->ctl, 1, bench->disk[1]);
        order("u0 start rebuild disk=1");
        order(i ? "set rebuild=5" : "set rebuild=1");
        from = sim_now(bench->sim);
        raid_controller_submit(bench->ctl, 0, &op);
        card_bench_drain(bench);
        took[i] = sim_now(bench->sim) - from;
    }
    ck_assert(took[1] > 3 * took[0]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("life-task");
    TCase *tc = tcase_create("life-task");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, life_set_up, life_tear_down);
    tcase_add_test(tc, C05_verify_of_a_unit_never_initialised_initialises_it);
    tcase_add_test(tc,
        C04_a_verify_that_finds_a_mismatch_initialises_all_again);
    tcase_add_test(tc, a_verify_can_be_stopped_and_is_then_over);
    tcase_add_test(tc, a_unit_of_stripes_is_verified_too);
    tcase_add_test(tc, autoverify_begins_one_each_day);
    tcase_add_test(tc, a_rate_gives_the_task_more_or_the_host);
    tcase_add_test(tc, a_rate_is_for_a_task_that_is_under_way_too);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
