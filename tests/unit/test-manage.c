/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a card's report tells its units, members and ports as they are, in
 * JSON that holds whatever a drive calls itself.
 *
 * Method: a card with a RAID 10 that has lost a member, an empty port and a
 * drive with a wicked serial; phrases looked for in the report.
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

    ck_assert_msg(strstr(where, what) != NULL, "no %s in %s", phrase, report);
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
               "\"DEGRADED\", \"port\": 2");
    report_has("\"port\": 2, \"status\": \"NOT-PRESENT\", \"unit\": 0");
    raid_controller_plug(ctl, 2, disk[2]);
    report_has("\"port\": 2, \"status\": \"DEGRADED\", \"unit\": 0");
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

int main(void)
{
    Suite *suite = suite_create("manage");
    TCase *tests = tcase_create("report");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, units_and_mirrors_are_told_as_they_are);
    tcase_add_test(tests, what_happened_is_told_though_a_host_has_read_it);
    tcase_add_test(tests, empty_ports_and_wicked_names_keep_it_json);
    suite_add_tcase(suite, tests);
    return unit_run(suite);
}
