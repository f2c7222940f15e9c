/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: every edge between the states of units and of drives that
 * docs/states.md draws is taken, by what is written on it.
 *
 * Method: a card is brought into the edge's first state, is given what the
 * edge says, and must then be in the second, as its report has them.  That
 * the edges here are those of the drawing, scripts/tidy sees to.
 */
#include "tests/lib/life-bench.h"

#include <string.h>

#define SECTOR DISK_SECTOR_BYTES
#define SOON SIM_MS(30)         /* a task is under way and far from its end */

typedef struct Edge {
    const char *from, *to, *what;
    void (*reach)(void);        /* power is off, drives 0 to 2 are there */
    void (*act)(void);
} Edge;

/* --- ways to a unit's states ---------------------------------------------- */

static void to_fresh(void)
{
    boot_filled("raid5:0-2:64k");
}

static void to_ok(void)
{
    to_fresh();
    order("u0 start verify");           /* its first one initialises */
    card_bench_drain(bench);
}

static void to_none(void)
{
    to_fresh();
    order("u0 del");
    card_bench_drain(bench);
}

static void to_gone(void)
{
    to_ok();
    order("u0 remove");
    card_bench_drain(bench);
}

static void to_initializing(void)
{
    to_fresh();
    order("u0 start verify");
    run_for(SOON);
}

static void to_verifying(void)
{
    to_ok();
    order("u0 start verify");
    run_for(SOON);
}

static void to_degraded(void)
{
    to_ok();
    raid_controller_pull(bench->ctl, 1);
    card_bench_drain(bench);
    raid_controller_plug(bench->ctl, 1, another_drive(5));
}

static void to_rebuilding(void)
{
    to_degraded();
    order("u0 start rebuild disk=1");
    run_for(SOON);
}

static void to_paused(void)
{
    to_rebuilding();
    order("u0 pause rebuild");
}

static void to_inoperable(void)
{
    to_degraded();
    raid_controller_pull(bench->ctl, 2);
    card_bench_drain(bench);
}

static void to_stripes(void)
{
    boot_filled("raid0:0-2:64k");
}

static void to_broken_stripes(void)
{
    to_stripes();
    raid_controller_pull(bench->ctl, 2);
    card_bench_drain(bench);
}

/* --- what happens to a unit ----------------------------------------------- */

static void task_ends(void)
{
    card_bench_drain(bench);
}

static void member_0_goes(void)
{
    raid_controller_pull(bench->ctl, 0);
}

static void new_drive_goes(void)
{
    raid_controller_pull(bench->ctl, 1);
}

static void power_goes(void)
{
    card_bench_cut(bench);
    card_bench_must_boot(bench, NULL);
}

/* And somebody puts drive 2 where it was. */
static void power_goes_and_drive_2_is_back(void)
{
    card_bench_cut(bench);
    only(0x07);
    bench->order[1] = 5;
    card_bench_must_boot(bench, NULL);
}

static void stripes_find_drive_2(void)
{
    card_bench_cut(bench);
    only(0x07);
    card_bench_must_boot(bench, NULL);
}

static void shutdown_and_power_on(void)
{
    int there = bench->disk[5] ? 5 : 1;

    card_bench_shut(bench);
    bench->order[1] = there;
    card_bench_must_boot(bench, NULL);
}

static void source_is_bad(void)
{
    fault("port 0 bad at 1100-4000");
    card_bench_drain(bench);
}

static void a_row_disagrees(void)
{
    uint8_t sector[SECTOR];
    uint64_t at = disk_sectors(bench->disk[2]) - 2000;

    card_bench_peek(bench, 2, at, sector, 1);
    sector[0] ^= 1;
    card_bench_poke(bench, 2, at, sector, 1);
    while (raid_unit_task(unit(0))->kind == RAID_TASK_VERIFY) {
        ck_assert(sim_step(bench->sim));
    }
}

static void spare_is_made(void)
{
    order("add type=spare disk=1");
    run_for(SIM_MS(1100));
}

static void del(void)
{
    order("u0 del");
}

static void removed(void)
{
    order("u0 remove");
}

static void add(void)
{
    order("add type=raid5 disk=0-2 stripe=64");
}

static void add_noinit(void)
{
    order("add type=raid5 disk=0-2 stripe=64 noinit");
}

static void start_verify(void)
{
    order("u0 start verify");
}

static void stop_verify(void)
{
    order("u0 stop verify");
}

static void start_rebuild(void)
{
    order("u0 start rebuild disk=1");
}

static void pause_rebuild(void)
{
    order("u0 pause rebuild");
}

static void resume_rebuild(void)
{
    order("u0 resume rebuild");
}

static const Edge unit_edges[] = {
    { "NONE", "INITIALIZING", "add", to_none, add },
    { "NONE", "OK", "add noinit", to_none, add_noinit },
    { "NONE", "INITIALIZING", "power-on after remove",
      to_gone, shutdown_and_power_on },
    { "INITIALIZING", "OK", "done", to_initializing, task_ends },
    { "INITIALIZING", "DEGRADED", "a member goes",
      to_initializing, member_0_goes },
    { "INITIALIZING", "INITIALIZING", "shutdown and power-on",
      to_initializing, shutdown_and_power_on },
    { "OK", "INITIALIZING", "power cut with writes",
      to_fresh, power_goes },
    { "OK", "INITIALIZING", "first verify", to_fresh, start_verify },
    { "OK", "VERIFYING", "start verify", to_ok, start_verify },
    { "OK", "DEGRADED", "a member goes", to_ok, member_0_goes },
    { "OK", "INOPERABLE", "a member of stripes goes",
      to_stripes, member_0_goes },
    { "OK", "NONE", "remove", to_ok, removed },
    { "OK", "NONE", "del", to_ok, del },
    { "VERIFYING", "OK", "done", to_verifying, task_ends },
    { "VERIFYING", "OK", "stop verify", to_verifying, stop_verify },
    { "VERIFYING", "INITIALIZING", "rows disagree",
      to_verifying, a_row_disagrees },
    { "VERIFYING", "DEGRADED", "a member goes", to_verifying, member_0_goes },
    { "VERIFYING", "VERIFYING", "shutdown and power-on",
      to_verifying, shutdown_and_power_on },
    { "DEGRADED", "REBUILDING", "start rebuild", to_degraded, start_rebuild },
    { "DEGRADED", "REBUILDING", "a spare is there",
      to_degraded, spare_is_made },
    { "DEGRADED", "INOPERABLE", "another member goes",
      to_degraded, member_0_goes },
    { "DEGRADED", "NONE", "del", to_degraded, del },
    { "REBUILDING", "OK", "done", to_rebuilding, task_ends },
    { "REBUILDING", "REBUILD_PAUSED", "pause rebuild",
      to_rebuilding, pause_rebuild },
    { "REBUILDING", "DEGRADED", "a source cannot be read",
      to_rebuilding, source_is_bad },
    { "REBUILDING", "DEGRADED", "the new drive goes",
      to_rebuilding, new_drive_goes },
    { "REBUILDING", "INOPERABLE", "another member goes",
      to_rebuilding, member_0_goes },
    { "REBUILDING", "REBUILDING", "shutdown and power-on",
      to_rebuilding, shutdown_and_power_on },
    { "REBUILDING", "NONE", "del", to_rebuilding, del },
    { "REBUILD_PAUSED", "REBUILDING", "resume rebuild",
      to_paused, resume_rebuild },
    { "REBUILD_PAUSED", "DEGRADED", "the new drive goes",
      to_paused, new_drive_goes },
    { "REBUILD_PAUSED", "INOPERABLE", "another member goes",
      to_paused, member_0_goes },
    { "REBUILD_PAUSED", "REBUILD_PAUSED", "shutdown and power-on",
      to_paused, shutdown_and_power_on },
    { "INOPERABLE", "DEGRADED", "power-on with the last one back",
      to_inoperable, power_goes_and_drive_2_is_back },
    { "INOPERABLE", "OK", "power-on with all stripes back",
      to_broken_stripes, stripes_find_drive_2 },
    { "INOPERABLE", "NONE", "del", to_inoperable, del },
};

/* --- a drive's ------------------------------------------------------------ */

/* All of them of port 1. */
static void to_empty(void)
{
    to_none();
    raid_controller_pull(bench->ctl, 1);
}

static void to_removed(void)
{
    to_ok();
    order("p1 remove");
}

static void to_pulled(void)
{
    to_ok();
    raid_controller_pull(bench->ctl, 1);
}

static void to_ecc_error(void)
{
    to_stripes();
    fault("port 1 bad at 1030");
    card_bench_io(bench, 0, UNIT_READ, 0, (uint8_t [LIFE_SECTORS][SECTOR]){},
                  LIFE_SECTORS);
}

static void to_failed(void)
{
    to_ok();
    fault("port 1 dead");
    holds(0);
    fault_clear(bench->sim);
    run_for(SIM_S(1));
}

static void plug(void)
{
    raid_controller_plug(bench->ctl, 1, another_drive(5));
}

static void pull(void)
{
    raid_controller_pull(bench->ctl, 1);
}

static void bad_sector(void)
{
    fault("port 1 bad at 1030");
    card_bench_io(bench, 0, UNIT_READ, 0, (uint8_t [LIFE_SECTORS][SECTOR]){},
                  LIFE_SECTORS);
}

static void dies(void)
{
    fault("port 1 dead");
    holds(0);
}

static void rescan(void)
{
    order("rescan");
}

static void remove_port(void)
{
    order("p1 remove");
}

static void rebuild_to_the_end(void)
{
    order("u0 start rebuild disk=1");
    card_bench_drain(bench);
}

static const Edge drive_edges[] = {
    { "NOT_PRESENT", "OK", "plug", to_empty, plug },
    { "OK", "NOT_PRESENT", "pull, in no unit", to_none, pull },
    { "OK", "DRIVE_REMOVED", "pull, in a unit", to_ok, pull },
    { "OK", "DRIVE_REMOVED", "remove", to_ok, remove_port },
    { "OK", "ECC_ERROR", "sector lost", to_stripes, bad_sector },
    { "OK", "DEGRADED", "fails", to_ok, dies },
    { "ECC_ERROR", "DRIVE_REMOVED", "pull, in a unit", to_ecc_error, pull },
    { "DEGRADED", "OK", "rebuilt", to_failed, rebuild_to_the_end },
    { "DEGRADED", "DRIVE_REMOVED", "remove", to_failed, remove_port },
    { "DRIVE_REMOVED", "OK", "rescan", to_removed, rescan },
    { "DRIVE_REMOVED", "OK", "plug", to_pulled, plug },
};

/* --- taken ---------------------------------------------------------------- */

/* The status behind `key`, with letters as the drawing has them. */
static char *status_after(const char *key)
{
    g_autofree char *report = manage_report(bench->ctl);
    g_auto(GStrv) lines = g_strsplit_set(report, " \n", -1);
    g_autofree char *text = g_strjoinv("", lines);
    const char *at = strstr(text, key);
    char *word;

    if (!at) {
        return g_strdup("NONE");
    }
    at = strstr(at, "\"status\":\"") + strlen("\"status\":\"");
    word = g_strndup(at, strcspn(at, "\""));
    return g_strdelimit(word, "-", '_');
}

static void take(const Edge *edge, const char *key)
{
    g_autofree char *before = NULL, *after = NULL;

    only(0x07);
    edge->reach();
    before = status_after(key);
    ck_assert_msg(!strcmp(before, edge->from), "%s before \"%s\", not %s",
                  before, edge->what, edge->from);
    edge->act();
    after = status_after(key);
    ck_assert_msg(!strcmp(after, edge->to), "%s after \"%s\", not %s",
                  after, edge->what, edge->to);
}

START_TEST(a_unit_takes_every_edge_of_the_drawing)
{
    take(&unit_edges[_i], "\"type\":\"RAID-");
}
END_TEST

START_TEST(a_drive_takes_every_edge_of_the_drawing)
{
    take(&drive_edges[_i], "\"port\":1,\"status\"");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("states");
    TCase *tc = tcase_create("states");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, life_set_up, life_tear_down);
    tcase_add_loop_test(tc, a_unit_takes_every_edge_of_the_drawing, 0,
                        G_N_ELEMENTS(unit_edges));
    tcase_add_loop_test(tc, a_drive_takes_every_edge_of_the_drawing, 0,
                        G_N_ELEMENTS(drive_edges));
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
