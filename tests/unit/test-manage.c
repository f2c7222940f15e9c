/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a card's report tells its units, members and ports as they are, in
 * JSON that holds whatever a drive calls itself; it takes every order that is
 * right, and of one that is wrong nothing is left but a line.
 *
 * Method: a card with a RAID 10, empty ports and a drive with a wicked serial;
 * phrases looked for in the report; the report before and after.
 */
#include <string.h>

#include "raid-model/control/manage.h"
#include "tests/lib/unit.h"

#define DRIVES 5

static Sim *sim;
static RaidController *ctl;
static DiskPreset *preset;
static DiskMedia *media[DRIVES];
static Disk *disk[DRIVES];

static void set_up(void)
{
    g_autoptr(GArray) specs = raid_spec_parse("raid10:0-3:64k", NULL);

    sim = sim_new(1);
    preset = unit_small_drive(DISK_MAP_CYLINDER);
    ctl = raid_controller_new(sim, board_model_find("3ware-7810"));
    for (unsigned i = 0; i < DRIVES; i++) {
        media[i] = disk_media_memory_new(preset->geometry.lbas);
        disk[i] = disk_new(sim, preset, media[i], i == 4 ? "a\"b\\\n" : "S-1",
                           0);
        raid_controller_plug(ctl, i, disk[i]);
    }
    ck_assert(raid_controller_create(ctl, &g_array_index(specs, RaidSpec, 0),
                                     NULL));
    raid_controller_power_on(ctl);
}

static void tear_down(void)
{
    raid_controller_free(ctl);
    for (unsigned i = 0; i < DRIVES; i++) {
        disk_free(disk[i]);
        disk_media_close(media[i]);
    }
    disk_preset_free(preset);
    sim_free(sim);
}

/* Blanks mean nothing between JSON's words: both sides lose theirs. */
static char *without_blanks(const char *text)
{
    g_auto(GStrv) part = g_strsplit_set(text, " \n", -1);

    return g_strjoinv("", part);
}

static void report_has(const char *phrase)
{
    g_autofree char *report = manage_report(ctl);
    g_autofree char *where = without_blanks(report);
    g_autofree char *what = without_blanks(phrase);

    ck_assert_msg(strstr(where, what) != NULL, "no %.300s in %.1500s", phrase,
                  report);
}

static void order(const char *line)
{
    GError *error = NULL;
    bool taken = manage_order(ctl, line, NULL, &error);

    ck_assert_msg(taken, "%s: %s", line, taken ? "" : error->message);
}

START_TEST(units_and_mirrors_are_told_as_they_are)
{
    report_has("\"unit\": 0, \"type\": \"RAID-10\", \"status\": \"OK\"");
    report_has("\"unit\": 4, \"type\": \"JBOD\", \"status\": \"OK\"");
    raid_controller_pull(ctl, 2);
    report_has("\"type\": \"RAID-10\", \"status\": \"DEGRADED\"");
    report_has("{\"type\": \"RAID-1\", \"status\": \"OK\"");
    report_has("{\"type\": \"RAID-1\", \"status\": \"DEGRADED\"");
    report_has("\"subunits\": [{\"type\": \"DISK\", \"status\": "
               "\"DEGRADED\", \"port\": null");
    report_has("\"port\": 2, \"status\": \"DRIVE-REMOVED\", \"unit\": null");
    raid_controller_plug(ctl, 2, disk[2]);
    report_has("\"port\": 2, \"status\": \"OK\", \"unit\": null");
    order("u0 start rebuild disk=2");
    report_has("\"type\": \"RAID-10\", \"status\": \"REBUILDING\", "
               "\"percent\": 0, \"task\": \"rebuild\", \"paused\": false");
    report_has("{\"type\": \"RAID-1\", \"status\": \"REBUILDING\", \"port\": "
               "null, \"percent\": 0");
    report_has("\"status\": \"DEGRADED\", \"port\": 2");
    order("u0 pause rebuild");
    report_has("\"type\": \"RAID-10\", \"status\": \"REBUILD-PAUSED\"");
    report_has("\"paused\": true");
    raid_controller_pull(ctl, 3);
    report_has("\"type\": \"RAID-10\", \"status\": \"INOPERABLE\"");
    report_has("{\"type\": \"RAID-1\", \"status\": \"INOPERABLE\"");
}
END_TEST

START_TEST(what_happened_is_told_though_a_host_has_read_it)
{
    report_has("\"events\": []");
    sim_run_until(sim, SIM_MS(7));
    raid_controller_pull(ctl, 2);
    while (raid_event_pop(raid_controller_events(ctl)).code) {
    }
    report_has("\"events\": [\n  {\"at_ns\": 7000000, \"code\": 10, "
               "\"severity\": \"ERROR\", \"text\": \"Drive error detected: "
               "port=2\"},\n  {\"at_ns\": 7000000, \"code\": 2, \"severity\": "
               "\"ERROR\", \"text\": \"Degraded unit: unit=0\"}]}");
}
END_TEST

START_TEST(empty_ports_and_wicked_names_keep_it_json)
{
    report_has("\"port\": 7, \"status\": \"NOT-PRESENT\", \"unit\": null, "
               "\"model\": \"\"");
    report_has("\"serial\": \"a\\\"b\\\\\\u000a\"");
}
END_TEST

/* --- orders --------------------------------------------------------------- */

/* A RAID 10 on 0 to 3, a JBOD on 4, nothing on 5 to 7; unit 0 may have been
 * ordered something before. */
static const struct {
    const char *before, *line, *says;
} wrong[] = {
    { NULL, "", "an order has words" },
    { NULL, " \t ", "an order has words" },
    { NULL, "dance", "\"dance\" is no order" },
    { NULL, "u", "\"u\" is no order" },
    { NULL, "u0", "u0: \"\" is no order" },
    { NULL, "u0x del", "is no order" },
    { NULL, "u-0 del", "is no order" },
    { NULL, "u1 del", "u1: there is no such unit; right is one of u0, u4" },
    { NULL, "u99999999999 del", "is no order" },
    { NULL, "u16 del", "no such unit" },
    { NULL, "u0 del now", "one word too many" },
    { NULL, "u0 remove now", "one word too many" },
    { NULL, "u0 start", "is no order" },
    { NULL, "u0 start initialize", "is no order" },
    { NULL, "u0 start rebuild", "right is start rebuild disk=3" },
    { NULL, "u0 start rebuild 3", "right is start rebuild disk=3" },
    { NULL, "u0 start rebuild disk=4", "u0 is OK" },
    { "p2 remove", "u0 start rebuild disk=4", "in unit 4" },
    { "p2 remove", "u0 start rebuild disk=3", "is a good member" },
    { "p2 remove", "u0 start rebuild disk=2", "rescan" },
    { "p2 remove", "u0 start rebuild disk=5", "has no drive" },
    { "p2 remove", "u0 start rebuild disk=8", "port 8 does not exist" },
    { "p2 remove", "u0 start rebuild disk=", "names no port" },
    { "p2 remove", "u0 start rebuild disk=2:2", "is named twice" },
    { "p2 remove", "u0 start rebuild disk=2-1", "is no port" },
    { "p2 remove", "u0 start rebuild disk=2:", "is no port" },
    { "p2 remove", "u0 start verify", "u0 is DEGRADED" },
    { "p2 remove", "p3 remove", "u0 cannot do without" },
    { "p2 remove", "p2 remove", "no drive to remove" },
    { "p2 remove", "add type=single disk=2", "rescan" },
    { "u4 del", "u0 start rebuild disk=4", "u0 is OK" },
    { "u0 start verify", "u0 start verify", "u0 is initializing already" },
    { "u0 start verify", "u0 stop verify", "not verifying" },
    { "u0 start verify", "u0 pause rebuild", "not rebuilding" },
    { NULL, "u0 start verify fast", "one word too many" },
    { NULL, "u0 stop verify", "not verifying but idle" },
    { NULL, "u0 stop rebuild", "is no order" },
    { NULL, "u0 pause verify", "is no order" },
    { NULL, "u0 pause rebuild", "not rebuilding" },
    { NULL, "u0 resume rebuild", "not rebuilding" },
    { NULL, "u0 set", "is not known" },
    { NULL, "u0 set cache", "is not known" },
    { NULL, "u0 set cache=maybe", "right is cache=on or cache=off" },
    { NULL, "u0 set cache=off name=x", "one word too many" },
    { NULL, "u0 set autoverify=1", "autoverify=on" },
    { NULL, "u0 set ignoreECC=", "ignoreECC=on" },
    { NULL, "u0 set name=", "1 to 21" },
    { NULL, "u0 set name=abcdefghijklmnopqrstuv", "1 to 21" },
    { NULL, "u0 set name=\x1b[31m", "1 to 21" },
    { NULL, "set", "is not known" },
    { NULL, "set rebuild=0", "1 (the task first) to 5" },
    { NULL, "set rebuild=6", "1 (the task first) to 5" },
    { NULL, "set verify=", "1 (the task first) to 5" },
    { NULL, "set verify=2 rebuild=3", "one word too many" },
    { NULL, "set speed=3", "is not known" },
    { NULL, "p4", "p4: \"\" is no order" },
    { NULL, "p4 del", "right is p4 remove" },
    { NULL, "p4 remove now", "right is p4 remove" },
    { NULL, "p5 remove", "no drive to remove" },
    { NULL, "p8 remove", "port 8 does not exist; a 3ware-7810 has ports 0" },
    { NULL, "p4 remove", "u4 cannot do without" },
    { NULL, "rescan all", "one word too many" },
    { NULL, "shutdown now", "one word too many" },
    { NULL, "alarms", "is no order" },
    { NULL, "add", "type= is missing" },
    { NULL, "add type=single", "disk= is missing" },
    { NULL, "add disk=4", "type= is missing" },
    { NULL, "add type=raid7 disk=4", "right is raid0, raid1" },
    { NULL, "add type=single disk=4", "in unit 4" },
    { NULL, "add type=single disk=5", "has no drive" },
    { NULL, "add type=single disk=9", "port 9 does not exist" },
    { NULL, "add type=spare disk=4", "in unit 4" },
    { "u4 del", "add type=spare disk=4-5", "one drive" },
    { "u4 del", "add type=spare disk=4 name=x", "one drive" },
    { "u4 del", "add type=single disk=4 stripe=64", "no stripe" },
    { "u4 del", "add type=single disk=4 stripe=0", "right is 64" },
    { "u4 del", "add type=single disk=4 now", "\"now\" is not known" },
    { "u4 del", "add type=single disk=4 name=", "1 to 21" },
    { "u4 del", "add type=raid1 disk=4", "raid1 has 2 members, but 1 given" },
    { "u4 del", "add type=single disk=3:4", "in unit 0" },
    { "u0 del", "add type=raid5 disk=0-2 stripe=3", "is not offered" },
    { "u0 del", "add type=raid0 disk=0-3 stripe=2048", "is not offered" },
};

START_TEST(a_wrong_order_says_one_line_and_changes_nothing)
{
    g_autofree char *before = NULL, *after = NULL;
    GString *answer = g_string_new(NULL);
    GError *error = NULL;

    if (wrong[_i].before) {
        order(wrong[_i].before);
    }
    before = manage_report(ctl);
    ck_assert_msg(!manage_order(ctl, wrong[_i].line, answer, &error),
                  "taken: %s", wrong[_i].line);
    ck_assert_msg(strstr(error->message, wrong[_i].says) &&
                  !strchr(error->message, '\n'), "%s: %s", wrong[_i].line,
                  error->message);
    after = manage_report(ctl);
    ck_assert(!strcmp(before, after));
    ck_assert_uint_eq(answer->len, 0);
    ck_assert(!manage_order(ctl, wrong[_i].line, NULL, NULL));
    g_error_free(error);
    g_string_free(answer, TRUE);
}
END_TEST

/* Each on its own, at once: what it has changed in the report. */
static const struct {
    const char *before, *line, *answer, *shows;
} right[] = {
    { NULL, "u4 del", "", "\"port\": 4, \"status\": \"OK\", \"unit\": null" },
    { NULL, "  u4\tdel ", "", "\"text\": \"Unit deleted: unit=4\"" },
    { "u4 del", "add type=spare disk=4", "unit 4",
      "{\"unit\": 4, \"type\": \"SPARE\", \"status\": \"OK\"" },
    { "u4 del", "add type=jbod disk=4", "unit 4",
      "{\"unit\": 4, \"type\": \"JBOD\", \"status\": \"OK\"" },
    { "u4 del", "add disk=4 name=boot type=single", "unit 4",
      "\"name\": \"boot\"" },
    { "u0 del", "add type=raid10 disk=0:1:2:3 stripe=256", "unit 0",
      "\"stripe_kb\": 256" },
    { "u0 del", "add type=raid1 disk=1:3", "unit 1",
      "\"type\": \"RAID-1\", \"status\": \"INITIALIZING\"" },
    { "u0 del", "add type=raid1 disk=3:2 noinit", "unit 2",
      "\"type\": \"RAID-1\", \"status\": \"OK\"" },
    { "u0 del", "add type=raid0 disk=0-1:3", "unit 0",
      "\"type\": \"RAID-0\", \"status\": \"OK\"" },
    { NULL, "u0 start verify", "",
      "\"status\": \"INITIALIZING\", \"percent\": 0, "
      "\"task\": \"initialize\"" },
    { NULL, "u4 start verify", "",
      "\"type\": \"JBOD\", \"status\": \"VERIFYING\"" },
    { "u4 start verify", "u4 stop verify", "",
      "\"type\": \"JBOD\", \"status\": \"OK\"" },
    { NULL, "u0 set cache=off", "", "\"cache\": false" },
    { NULL, "u0 set autoverify=on", "", "\"autoverify\": true" },
    { NULL, "u0 set ignoreECC=on", "", "\"ignore_ecc\": true" },
    { NULL, "u0 set name=abcdefghijklmnopqrstu", "",
      "\"name\": \"abcdefghijklmnopqrstu\"" },
    { NULL, "set rebuild=1", "", "\"rebuild_rate\": 1, \"verify_rate\": 3" },
    { NULL, "set verify=5", "", "\"rebuild_rate\": 3, \"verify_rate\": 5" },
    { NULL, "p1 remove", "", "\"port\": 1, \"status\": \"DRIVE-REMOVED\", "
      "\"unit\": null" },
    { NULL, "u0 remove", "",
      "\"port\": 3, \"status\": \"DRIVE-REMOVED\", \"unit\": null" },
    { "p1 remove", "rescan", "port 1",
      "\"port\": 1, \"status\": \"OK\", \"unit\": null" },
    { "u0 remove", "rescan", "port 0 1 2 3",
      "\"port\": 3, \"status\": \"OK\", \"unit\": null" },
    { NULL, "rescan", "", "\"events\": []" },
    { NULL, "shutdown", "", "\"events\": []" },
    { "u4 del", "alarms clear", "", "\"events\": []" },
};

START_TEST(a_right_order_does_what_it_says)
{
    GString *answer = g_string_new(NULL);
    GError *error = NULL;
    bool taken;

    if (right[_i].before) {
        order(right[_i].before);
    }
    taken = manage_order(ctl, right[_i].line, answer, &error);
    ck_assert_msg(taken, "%s: %s", right[_i].line,
                  taken ? "" : error->message);
    ck_assert_str_eq(answer->str, right[_i].answer);
    report_has(right[_i].shows);
    while (sim_step(sim) && sim_now(sim) < SIM_S(1000)) {
    }
    g_string_free(answer, TRUE);
}
END_TEST

/* Words in any order, and half of the time what a card does take. */
static const char *const word[] = {
    "u0", "u4", "u2", "p1", "p4", "p5", "del", "start", "stop", "pause",
    "resume", "rebuild", "verify", "set", "cache=off", "rebuild=2", "add",
    "type=raid1", "type=spare", "type=single", "type=raid5", "disk=4",
    "disk=0-2", "disk=0:1", "disk=3", "noinit", "remove", "rescan",
    "shutdown", "autoverify=on", "ignoreECC=on", "name=x", "stripe=64",
};
static const char *const whole[] = {
    "u0 del", "u4 del", "u0 remove", "p1 remove", "p2 remove", "rescan",
    "add type=raid5 disk=0-3", "add type=raid10 disk=0-3 noinit",
    "add type=raid1 disk=0:1", "add type=spare disk=4", "shutdown",
    "add type=spare disk=3", "add type=single disk=2", "u0 start verify",
    "u0 stop verify", "u0 start rebuild disk=1", "u0 start rebuild disk=4",
    "u0 start rebuild disk=2", "u0 pause rebuild", "u0 resume rebuild",
    "u0 set cache=off", "u0 set cache=on", "set rebuild=1", "rescan",
};

static char *any_order(Sim *chance)
{
    GString *line = g_string_new(NULL);

    if (sim_random(chance, 2)) {
        g_string_append(line, whole[sim_random(chance, G_N_ELEMENTS(whole))]);
        return g_string_free(line, FALSE);
    }
    for (uint64_t words = 1 + sim_random(chance, 4); words; words--) {
        g_string_append_printf(line, "%s ",
            word[sim_random(chance, G_N_ELEMENTS(word))]);
    }
    return g_string_free(line, FALSE);
}

START_TEST(random_orders_do_no_harm)
{
    Sim *chance = sim_new((uint64_t)_i);
    unsigned taken = 0;

    for (unsigned i = 0; i < 1000; i++) {
        g_autofree char *line = any_order(chance);
        GError *error = NULL;

        if (manage_order(ctl, line, NULL, &error)) {
            taken++;
            sim_run_until(sim, sim_now(sim) + SIM_MS(
                (SimTime)sim_random(chance, 200)));
        } else {
            ck_assert(error && !strchr(error->message, '\n'));
            g_error_free(error);
        }
        g_free(manage_report(ctl));
    }
    ck_assert_uint_ge(taken, 100);
    sim_free(chance);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("manage");
    TCase *tests = tcase_create("report");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, units_and_mirrors_are_told_as_they_are);
    tcase_add_test(tests, what_happened_is_told_though_a_host_has_read_it);
    tcase_add_loop_test(tests,
        a_wrong_order_says_one_line_and_changes_nothing, 0,
        G_N_ELEMENTS(wrong));
    tcase_add_loop_test(tests, a_right_order_does_what_it_says, 0,
                        G_N_ELEMENTS(right));
    tcase_add_loop_test(tests, random_orders_do_no_harm, 1, 6);
    tcase_add_test(tests, empty_ports_and_wicked_names_keep_it_json);
    suite_add_tcase(suite, tests);
    return unit_run(suite);
}
