/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: every drive that ships loads and is what it says; a wrong file gets
 * one line that names the file, the key, and what would be right.
 *
 * Method: a good file is changed in one place at a time, by a table of
 * changes and of the words the complaint must have.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/unit.h"

static const char good_file[] =
    "# a small drive\n"
    "[drive]\n"
    "id=good\n"
    "label=GOOD drive\n"
    "firmware=1.0\n"
    "lba=1500\n"
    "heads=2\n"
    "cylinders=20\n"
    "rpm=7200\n"
    "mapping=serpentine\n"
    "seek=lee 0.1 0.2 1.0\n"
    "seek-average-ms=2.3\n"
    "write-settle-ms=0.5\n"
    "head-switch-ms=0.6\n"
    "cylinder-switch-ms=0.7\n"
    "overhead-ms=0.3\n"
    "spin-up-ms=4000\n"
    "interface=UDMA100\n"
    "link-mb-per-s=100\n"
    "buffer-kib=2048\n"
    "[zones]\n"
    "0=0 9 40 5 6 10\n"
    "1=10 19 38 5 6 0\n";

static char *directory;

static void set_up(void)
{
    directory = g_dir_make_tmp("platter-preset-XXXXXX", NULL);
    ck_assert_ptr_nonnull(directory);
}

static void tear_down(void)
{
    char *path = g_build_filename(directory, "good.drive", NULL);

    unlink(path);
    g_free(path);
    rmdir(directory);
    g_free(directory);
}

static char *write_file(const char *text, gssize length)
{
    char *path = g_build_filename(directory, "good.drive", NULL);

    ck_assert(g_file_set_contents(path, text, length, NULL));
    return path;
}

/* The good file with `from` (which is there once) replaced. */
static char *changed(const char *from, const char *to)
{
    const char *at = strstr(good_file, from);

    ck_assert_msg(at != NULL, "the good file has no '%s'", from);
    return g_strdup_printf("%.*s%s%s", (int)(at - good_file), good_file, to,
                           at + strlen(from));
}

static void expect_complaint(const char *name, const char *const *words)
{
    GError *error = NULL;
    DiskPreset *preset = disk_preset_load(name, &error);

    ck_assert_ptr_null(preset);
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(!strchr(error->message, '\n'), "%s", error->message);
    ck_assert_uint_lt(strlen(error->message), 400);
    for (; *words; words++) {
        ck_assert_msg(strstr(error->message, *words) != NULL,
                      "'%s' is not in: %s", *words, error->message);
    }
    if (g_getenv("SHOW")) {
        puts(error->message);
    }
    g_error_free(error);
}

START_TEST(a_good_file_is_taken_as_it_stands)
{
    char *path = write_file(good_file, -1);
    GError *error = NULL;
    DiskPreset *p = disk_preset_load(path, &error);

    ck_assert_msg(p != NULL, "%s", error ? error->message : "");
    ck_assert_str_eq(p->id, "good");
    ck_assert_str_eq(p->label, "GOOD drive");
    ck_assert_str_eq(p->firmware, "1.0");
    ck_assert_str_eq(p->interface, "UDMA100");
    ck_assert_uint_eq(p->geometry.lbas, 1500);
    ck_assert_uint_eq(p->geometry.heads, 2);
    ck_assert_uint_eq(p->geometry.cylinders, 20);
    ck_assert_int_eq(p->geometry.mapping, DISK_MAP_SERPENTINE);
    ck_assert_int_eq(p->turn_ns, 8333333);
    ck_assert_int_eq(p->write_settle_ns, SIM_US(500));
    ck_assert_int_eq(p->head_switch_ns, SIM_US(600));
    ck_assert_int_eq(p->cylinder_switch_ns, SIM_US(700));
    ck_assert_int_eq(p->overhead_ns, SIM_US(300));
    ck_assert_int_eq(p->spin_up_ns, SIM_S(4));
    ck_assert_uint_eq(p->link_bytes_per_s, 100000000);
    ck_assert_uint_eq(p->buffer_kib, 2048);
    ck_assert_uint_eq(p->geometry.zones, 2);
    ck_assert_uint_eq(p->geometry.zone[1].first_lba, 790);
    ck_assert_uint_eq(p->geometry.zone[1].lbas, 710);
    ck_assert_int_eq(p->seek_ns[1], SIM_MS(1));
    ck_assert_int_eq(p->seek_ns[5], SIM_MS(2));
    disk_preset_free(p);
    g_free(path);
}
END_TEST

#define MANY "123456789012345678901234567890123456789012345678901234567890"

static const struct {
    const char *from, *to;
    const char *words[4];
} changes[] = {
    /* the file as a whole */
    { "[drive]\n", "", { "not a key file" } },
    { "id=good\n", "id\n", { "not a key file", "id" } },
    { "[drive]\n", "[drvie]\n", { "[drvie]", "unknown group", "[drive]" } },
    { "[zones]\n", "[more]\n", { "[more]", "unknown group" } },
    { "rpm=7200\n", "rpm=7200\nturbo=1\n",
      { "[drive] turbo", "unknown key", "README" } },
    /* words */
    { "id=good\n", "", { "[drive] id", "missing" } },
    { "label=GOOD drive\n", "", { "[drive] label", "missing", "1 to 40" } },
    { "GOOD drive", MANY, { "[drive] label", "wrong", "1 to 40" } },
    { "GOOD drive", "Größe", { "[drive] label", "ASCII" } },
    { "firmware=1.0", "firmware=123456789",
      { "[drive] firmware", "1 to 8" } },
    { "mapping=serpentine", "mapping=spiral",
      { "[drive] mapping", "'spiral'", "cylinder or serpentine" } },
    { "mapping=serpentine\n", "", { "[drive] mapping", "cylinder or" } },
    { "UDMA100", "USB", { "[drive] interface", "unknown", "UDMA100" } },
    { "interface=UDMA100\n", "", { "[drive] interface", "missing" } },
    /* numbers */
    { "rpm=7200\n", "", { "[drive] rpm", "missing", "1000 to 30000" } },
    { "rpm=7200", "rpm=fast", { "[drive] rpm", "'fast'", "1000 to 30000" } },
    { "rpm=7200", "rpm=7200 7200", { "[drive] rpm", "'7200 7200'" } },
    { "rpm=7200", "rpm=", { "[drive] rpm", "''", "1000 to 30000" } },
    { "rpm=7200", "rpm=0x1c20", { "[drive] rpm", "'0x1c20'" } },
    { "rpm=7200", "rpm=nan", { "[drive] rpm", "'nan'" } },
    { "rpm=7200", "rpm=1e9", { "[drive] rpm", "1000 to 30000" } },
    { "rpm=7200", "rpm=7200 # fast", { "[drive] rpm", "'7200 # fast'" } },
    { "heads=2", "heads=2.5", { "[drive] heads", "whole number" } },
    { "heads=2", "heads=-2", { "[drive] heads", "'-2'", "1 to 255" } },
    { "heads=2", "heads=256", { "[drive] heads", "1 to 255" } },
    { "lba=1500", "lba=0", { "[drive] lba", "1 to" } },
    { "lba=1500", "lba=99999999999999999999", { "[drive] lba", "1 to" } },
    { "cylinders=20", "cylinders=2000000",
      { "[drive] cylinders", "1 to 1000000" } },
    { "overhead-ms=0.3", "overhead-ms=-1",
      { "[drive] overhead-ms", "0 to 100" } },
    { "link-mb-per-s=100", "link-mb-per-s=0",
      { "[drive] link-mb-per-s", "0.1 to" } },
    { "write-settle-ms=0.5", "write-settle-ms=500",
      { "[drive] write-settle-ms", "0 to 100" } },
    /* seek */
    { "seek=lee 0.1 0.2 1.0\n", "", { "[drive] seek", "data-sheet" } },
    { "lee 0.1 0.2 1.0", "lee 0.1 0.2", { "[drive] seek", "lee A B C" } },
    { "lee 0.1 0.2 1.0", "lee 0.1 0.2 x", { "[drive] seek", "lee A B C" } },
    { "lee 0.1 0.2 1.0", "bezier 1 2 3", { "[drive] seek", "'bezier" } },
    { "lee 0.1 0.2 1.0", "lee 0.1 -0.2 3.0",
      { "[drive] seek", "longer seek", "rises" } },
    { "lee 0.1 0.2 1.0", "lee 0.1 0.2 0.0", { "[drive] seek", "no time" } },
    { "lee 0.1 0.2 1.0", "lee 0.1 900 1.0",
      { "[drive] seek", "more than a second" } },
    { "lee 0.1 0.2 1.0", "data-sheet 5 2 9", { "[drive] seek", "rises" } },
    { "lee 0.1 0.2 1.0", "two-part 1 1 0.1 0.1 5",
      { "[drive] seek", "longer seek" } },
    { "lee 0.1 0.2 1.0", "table", { "[seek]", "no points", "DISTANCE=MS" } },
    { "seek-average-ms=2.3", "seek-average-ms=8.9",
      { "[drive] seek-average-ms", "8.9", "about 2.3" } },
    { "[zones]\n", "[seek]\n1=1\n[zones]\n",
      { "[seek]", "this seek form has no points" } },
    /* zones */
    { "0=0 9 40 5 6 10\n1=10 19 38 5 6 0\n", "", { "[zones]", "missing" } },
    { "1=10 19 38 5 6 0", "2=10 19 38 5 6 0",
      { "[zones] 2", "out of place", "0, 1, 2" } },
    { "1=10 19 38 5 6 0", "1=10 19 38 5 6",
      { "[zones] 1", "SECTORS-PER-TRACK" } },
    { "1=10 19 38 5 6 0", "1=10 19 38 5 x 0",
      { "[zones] 1", "SECTORS-PER-TRACK" } },
    { "1=10 19 38 5 6 0", "1=9 19 38 5 6 0", { "[zones] 1", "overlap" } },
    { "1=10 19 38 5 6 0", "1=11 19 38 5 6 0",
      { "[zones] 1", "leaves cylinders out" } },
    { "1=10 19 38 5 6 0", "1=10 20 38 5 6 0",
      { "[zones] 1", "beyond the last cylinder" } },
    { "1=10 19 38 5 6 0", "1=10 18 38 5 6 0",
      { "[zones] 1", "ends too early" } },
    { "1=10 19 38 5 6 0", "1=10 19 38 38 6 0", { "[zones] 1", "skew" } },
    { "1=10 19 38 5 6 0", "1=10 19 0 0 0 0",
      { "[zones] 1", "sectors per track" } },
    { "1=10 19 38 5 6 0", "1=10 19 38 5 6 800",
      { "[zones] 1", "are spare" } },
    { "1=10 19 38 5 6 0", "1=10 4294967299 38 5 6 0",
      { "[zones] 1", "is right" } },
    { "lba=1500", "lba=1551", { "[drive] lba", "1551", "at most 1550" } },
    { "lba=1500", "lba=790", { "[zones] 1", "do not need this zone" } },
    /* buffer */
    { "[zones]\n", "[buffer]\nsegments=2\n[zones]\n",
      { "[buffer] segments", "segment-sectors" } },
    { "[zones]\n", "[buffer]\nsegments=none\n[zones]\n",
      { "[buffer] segments", "'none'", "1 to 1024" } },
    { "[zones]\n", "[buffer]\nwrite-cache=maybe\n[zones]\n",
      { "[buffer] write-cache", "'maybe'", "no, yes" } },
    { "[zones]\n", "[buffer]\nread-ahead=far\n[zones]\n",
      { "[buffer] read-ahead", "'far'", "whole-track" } },
    { "[zones]\n", "[buffer]\norder=random\n[zones]\n",
      { "[buffer] order", "'random'", "fifo, c-look, nearest" } },
    { "[zones]\n", "[buffer]\nread-hit-ms=0.1\n[zones]\n",
      { "[buffer] read-hit-ms", "two numbers", "after a read" } },
    { "[zones]\n", "[buffer]\nread-watermark=2\n[zones]\n",
      { "[buffer] read-watermark", "'2'", "0 to 1" } },
    { "[zones]\n", "[buffer]\ncolour=1\n[zones]\n",
      { "[buffer] colour", "unknown key" } },
    { "[zones]\n", "[buffer]\nsegments=1\nsegment-sectors=9\n"
      "write-segment=yes\n[zones]\n",
      { "[buffer] write-segment", "none for reads" } },
    /* spares */
    { "[zones]\n", "[spares]\nslip-unit=sector\n[zones]\n",
      { "[spares] scheme", "missing", "cylinders N" } },
    { "[zones]\n", "[spares]\nscheme=cylinders 0\nslip-unit=track\n[zones]\n",
      { "[spares] scheme", "'cylinders 0'" } },
    { "[zones]\n", "[spares]\nscheme=zone\nslip-unit=head\n[zones]\n",
      { "[spares] slip-unit", "'head'", "sector or track" } },
    { "[zones]\n", "[spares]\nscheme=zone\nslip-unit=sector\n2=0 0\n[zones]\n",
      { "[spares] 2", "for a zone there is" } },
    { "[zones]\n", "[spares]\nscheme=zone\nslip-unit=sector\n0=0 0 9 8\n"
      "[zones]\n", { "[zones] 0", "slips do not rise" } },
    { "[zones]\n", "[spares]\nscheme=zone\nslip-unit=sector\n1=0 0 9\n"
      "[zones]\n", { "[zones] 1", "more slips than spares" } },
};

START_TEST(one_wrong_thing_gets_one_clear_line)
{
    char *text = changed(changes[_i].from, changes[_i].to);
    char *path = write_file(text, -1);
    const char *file[] = { path, NULL };

    expect_complaint(path, file);
    expect_complaint(path, changes[_i].words);
    g_free(text);
    g_free(path);
}
END_TEST

static const struct {
    const char *points;
    const char *words[3];
} point_lists[] = {
    { "1=1\n3=2\n2=1.5\n", { "[seek] 2", "rising" } },
    { "1=1\n20=2\n", { "[seek] 20", "cylinders" } },
    { "0=1\n", { "[seek] 0" } },
    { "1=1\nfar=2\n", { "[seek] far" } },
    { "1=1\n5=0\n", { "[seek] 5", "'0'" } },
    { "1=3\n10=2\n", { "[drive] seek", "longer seek" } },
    { "1=1\n2=1.1\n3=0.1\n", { "[drive] seek", "longer seek" } },
};

START_TEST(wrong_points_get_one_clear_line)
{
    char *text = changed("lee 0.1 0.2 1.0", "table");
    char *with = g_strconcat(text, "[seek]\n", point_lists[_i].points, NULL);
    char *path = write_file(with, -1);

    expect_complaint(path, point_lists[_i].words);
    g_free(text);
    g_free(with);
    g_free(path);
}
END_TEST

START_TEST(other_seek_forms_load)
{
    static const char *const forms[] = {
        "data-sheet 1.0 2.55 4.5", "two-part 0.8 0.4 1.0 0.2 9",
        "table",
    };
    char *text = changed("lee 0.1 0.2 1.0", forms[_i]);
    char *with = g_strconcat(text, _i == 2 ? "[seek]\n1=1\n7=2.3\n19=4.4\n"
                                           : "", NULL);
    char *path = write_file(with, -1);
    GError *error = NULL;
    DiskPreset *preset = disk_preset_load(path, &error);

    ck_assert_msg(preset != NULL, "%s", error ? error->message : "");
    disk_preset_free(preset);
    g_free(text);
    g_free(with);
    g_free(path);
}
END_TEST

START_TEST(what_is_no_preset_file_gets_one_clear_line)
{
    static const char binary[] = "\x7f" "ELF\0\1\2\n\xff\xfe=\n[";
    char *path = write_file(binary, sizeof(binary) - 1);

    expect_complaint(path, (const char *[]) { path, "key file", NULL });
    g_free(path);
    path = g_build_filename(directory, "none.drive", NULL);
    expect_complaint(path, (const char *[]) { path, "no such", NULL });
    g_free(path);
    expect_complaint("no\nsuch.drive", (const char *[]) { "no?such", NULL });
    expect_complaint("/dev/zero", (const char *[]) { "not a file", NULL });
    expect_complaint(directory, (const char *[]) { "not a file", NULL });
}
END_TEST

START_TEST(an_unknown_name_lists_the_presets)
{
    g_setenv("PLATTER_PRESETS", "disk-model/presets", FALSE);
    expect_complaint("wd1200", (const char *[]) {
        "'wd1200'", "sr5400, st380021a, st41601n, wd1200jb", NULL });
    expect_complaint("", (const char *[]) { "''", "wd1200jb", NULL });
    g_setenv("PLATTER_PRESETS", "/nonexistent", TRUE);
    expect_complaint("wd1200jb", (const char *[]) {
        "'wd1200jb'", "nothing found in /nonexistent", NULL });
}
END_TEST

START_TEST(everything_that_ships_loads)
{
    char **ids;
    unsigned count = 0;

    disk_preset_free(unit_preset("wd1200jb"));  /* sets the directory */
    ids = disk_preset_list();
    for (char **id = ids; *id; id++, count++) {
        DiskPreset *preset = unit_preset(*id);

        ck_assert_str_eq(preset->id, *id);
        ck_assert(!id[1] || strcmp(id[0], id[1]) < 0);
        disk_preset_free(preset);
    }
    ck_assert_uint_ge(count, 20);
    g_strfreev(ids);
}
END_TEST

static const struct {
    const char *id;
    uint64_t lbas;
} sizes[] = {
    { "atlas10k", 17938986 },    { "atlas_III", 17783250 },
    { "barracuda", 4110000 },    { "cheetah4LP", 8887200 },
    { "cheetah9LP", 17783240 },  { "dec_rz26", 2050860 },
    { "hp_c2247a", 2054864 },    { "hp_c2490a", 4165272 },
    { "hp_c3323a", 2056008 },    { "ibm18es", 17916240 },
    { "st41601n", 2676846 },     { "dtla307045", 90069840 },
    { "max6l080j4", 156355584 }, { "sr5400", 60036480 },
    { "st380021a", 156301488 },  { "wd1200jb", 234441648 },
    { "wd2500jb", 488397168 },   { "wd3000glfs", 586072368 },
    { "wd360gd", 72303840 },     { "wd5000ys", 976773168 },
};

START_TEST(drives_have_their_published_size)
{
    DiskPreset *preset = unit_preset(sizes[_i].id);

    ck_assert_uint_eq(preset->geometry.lbas, sizes[_i].lbas);
    disk_preset_free(preset);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("preset");
    TCase *tc = tcase_create("preset");

    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, a_good_file_is_taken_as_it_stands);
    tcase_add_loop_test(tc, one_wrong_thing_gets_one_clear_line, 0,
                        G_N_ELEMENTS(changes));
    tcase_add_loop_test(tc, wrong_points_get_one_clear_line, 0,
                        G_N_ELEMENTS(point_lists));
    tcase_add_loop_test(tc, other_seek_forms_load, 0, 3);
    tcase_add_test(tc, what_is_no_preset_file_gets_one_clear_line);
    tcase_add_test(tc, an_unknown_name_lists_the_presets);
    tcase_add_test(tc, everything_that_ships_loads);
    tcase_add_loop_test(tc, drives_have_their_published_size, 0,
                        G_N_ELEMENTS(sizes));
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
