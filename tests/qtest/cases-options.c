/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options: what the command line accepts, refuses and explains, and what
 * the monitor says of a card.
 *
 * Every refusal is one line, a status that is not 0, and images as before.
 */
#include <string.h>
#include <sys/stat.h>

#include "tests/qtest/cases.h"
#include "tests/qtest/rig.h"

#define WORDS_MAX 16

/* A command line's words and the directory they live in. */
typedef struct Words {
    char *dir;
    char *word[WORDS_MAX];
    unsigned count;
} Words;

/* `text` is split at blanks; @ stands for the directory, % for the drive
 * file. */
static void add_words(Words *words, const char *text)
{
    g_auto(GStrv) part = g_strsplit(text, " ", -1);

    for (char **one = part; *one; one++) {
        g_auto(GStrv) dir = g_strsplit(*one, "@", -1);
        g_autofree char *in_dir = g_strjoinv(words->dir, dir);
        g_auto(GStrv) drive = g_strsplit(in_dir, "%", -1);

        ck_assert_uint_lt(words->count, WORDS_MAX - 1);
        words->word[words->count++] = g_strjoinv(RIG_DRIVE, drive);
    }
}

static void make_images(const char *dir)
{
    static const char *const names[] = { "a", "b", "c", "big" };
    uint64_t sectors = rig_drive_sectors();

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(dir, names[i], NULL);

        rig_make_image(path, i == 3 ? 2 * sectors : sectors);
    }
    g_autofree char *path = g_build_filename(dir, "small", NULL);

    rig_make_image(path, sectors - 1);
}

#define CARD "-device 3ware-7410,id=raid"
#define NODE(name) "-blockdev raw,node-name=" name \
    ",file.driver=file,file.filename=@/" name
#define DRIVE(port, node) "-device 3ware-drive,bus=raid.0,port=" port \
    ",drive=" node ",model=%"

typedef struct Refusal {
    const char *args;
    const char *says;                   /* is in the one line */
} Refusal;

static const Refusal refusals[] = {
    { "-device 3ware-7000", "3ware-7000" },
    { "-device 3ware-raid", "non-abstract" },
    { "-device 3ware-7410,stripe=64k", "stripe" },
    { "-device 3ware-7410,seed=x", "seed" },
    { "-device 3ware-7410,reset-delay=1001", "at most 1000" },
    { "-device 3ware-drive,port=0", "3ware-bus" },
    { CARD " -device 3ware-drive,bus=raid.1,port=0", "raid.1" },
    { CARD " -device 3ware-drive,bus=raid.0", "ports 0 to 3" },
    { CARD " -device 3ware-drive,bus=raid.0,port=4", "ports 0 to 3" },
    { CARD " -device 3ware-drive,bus=raid.0,port=-2", "ports 0 to 3" },
    { CARD " -device 3ware-drive,bus=raid.0,port=x", "integer" },
    { CARD " -device 3ware-drive,bus=raid.0,port=0,model=%", "drive=" },
    { CARD " -device 3ware-drive,bus=raid.0,port=0,drive=none,model=%",
      "none" },
    { CARD " " NODE("a") " -device 3ware-drive,bus=raid.0,port=0,drive=a",
      "model=" },
    { CARD " " NODE("a")
      " -device 3ware-drive,bus=raid.0,port=0,drive=a,model=wd9", "wd9" },
    { CARD " " NODE("a") " -device "
      "3ware-drive,bus=raid.0,port=0,drive=a,model=@/a", "@/a" },
    { CARD " " NODE("a") " " DRIVE("1", "a")
      ",serial=123456789012345678901", "20" },
    { CARD " " NODE("small") " " DRIVE("1", "small"), "port 1: the image" },
    { CARD " " NODE("a") ",read-only=on " DRIVE("1", "a"), "read-only" },
    { CARD " -drive if=none,id=e " DRIVE("1", "e"), "no image" },
    { CARD " " NODE("gone") " " DRIVE("1", "gone"), "gone" },
    { CARD " " NODE("a") " " NODE("b") " " DRIVE("1", "a") " "
      DRIVE("1", "b"), "port 1: there is a drive" },
    { CARD " " NODE("a") " " DRIVE("0", "a") " " DRIVE("1", "a"),
      "port 1: another device" },
    { CARD ",units=raid7:0-3", "raid7" },
    { CARD ",units=raid5:0-1", "raid5" },
    { CARD ",units=raid5:0-3:48k", "48k" },
    { CARD ",units=raid5:0-3", "raid5" },
    { CARD ",units=raid0:0-4", "4" },
    { CARD ",units=raid1:0-1/single:1", "1" },
    { CARD ",units=raid1:0-1 " NODE("a") " " DRIVE("0", "a"), "port 1" },
};

/* Exactly one line, and the word in it. */
static void assert_one_line(const char *err, const char *says,
                            const char *what)
{
    const char *end = strchr(err, '\n');

    ck_assert_msg(end && !end[1], "%s: said \"%s\"", what, err);
    ck_assert_msg(strstr(err, says), "%s: no \"%s\" in \"%s\"", what, says,
                  err);
}

START_TEST(wrong_options_give_one_clear_line)
{
    const Refusal *refusal = &refusals[_i];
    Words words = { .dir = rig_directory() };
    g_autofree char *out = NULL, *err = NULL;
    g_autofree char *image = g_build_filename(words.dir, "a", NULL);
    struct stat stat_image;

    make_images(words.dir);
    add_words(&words, "-qtest null");
    add_words(&words, refusal->args);
    int status = qemu_run((const char *const *)words.word, &out, &err);

    ck_assert_msg(status > 0, "%s: status %d, said \"%s\"", refusal->args,
                  status, err);
    Words says = { .dir = words.dir };

    add_words(&says, refusal->says);
    g_autofree char *text = g_strjoinv(" ", says.word);

    assert_one_line(err, text, refusal->args);
    ck_assert_int_eq(stat(image, &stat_image), 0);
    ck_assert_msg(!stat_image.st_blocks, "%s: wrote", refusal->args);
    rig_remove(words.dir);
}
END_TEST

/* Help */

START_TEST(help_reads_like_documentation)
{
    static const char *const lines[] = {
        "units=<str>            - Units made at power-on, LEVEL:PORTS[:STRIPE]",
        "seed=<uint64>          - Chance: the angles of the spindles",
        "reset-delay=<uint32>   - Milliseconds a soft reset takes",
    };
    g_autofree char *out = NULL, *err = NULL;
    const char *args[] = { "-device", "3ware-8506-12,help", NULL };

    ck_assert_int_eq(qemu_run(args, &out, &err), 0);
    ck_assert_str_eq(err, "");
    for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
        ck_assert_msg(strstr(out, lines[i]), "no \"%s\" in:\n%s", lines[i],
                      out);
    }
}
END_TEST

START_TEST(drive_help_says_what_is_required)
{
    g_autofree char *out = NULL, *err = NULL;
    const char *args[] = { "-device", "3ware-drive,help", NULL };

    ck_assert_int_eq(qemu_run(args, &out, &err), 0);
    for (unsigned i = 0; i < 3; i++) {
        const char *name = (const char *[]) { "drive=", "model=", "port=" }[i];
        const char *line = strstr(out, name), *end;

        ck_assert_msg(line, "no %s in:\n%s", name, out);
        end = strchr(line, '\n');
        ck_assert(g_strstr_len(line, end - line, "(required)"));
    }
    ck_assert(strstr(out, "serial="));
}
END_TEST

START_TEST(every_board_is_listed_as_storage_with_its_title)
{
    static const char *const boards[] = {
        "6400", "6800", "7410", "7810", "7500-4", "7500-8", "8006-2",
        "8506-4", "8506-8", "8506-12",
    };
    g_autofree char *out = NULL, *err = NULL;
    const char *args[] = { "-device", "help", NULL };

    ck_assert_int_eq(qemu_run(args, &out, &err), 0);
    const char *storage = strstr(out, "Storage devices:");
    const char *network = strstr(out, "Network devices:");

    ck_assert_ptr_nonnull(storage);
    for (unsigned i = 0; i < G_N_ELEMENTS(boards); i++) {
        g_autofree char *want = g_strdup_printf(
            "name \"3ware-%s\", bus PCI, desc \"3ware Escalade %s: ",
            boards[i], boards[i]);
        const char *line = strstr(out, want);

        ck_assert_msg(line && line > storage &&
                      (!network || network < storage || line < network),
                      "no line %s", want);
    }
}
END_TEST

/* Monitor */

static const RigCard four = { "3ware-7410", 4, "raid5:0-2:64k" };

START_TEST(qtree_shows_the_drives)
{
    Rig *rig = rig_new(&four, 1, NULL, NULL);
    g_autofree char *tree = qemu_hmp(rig->qemu, "info qtree");
    const char *bus = strstr(tree, "bus: raid0.0");

    ck_assert_msg(bus && strstr(bus, "type 3ware-bus"), "%s", tree);
    for (unsigned port = 0; port < 4; port++) {
        g_autofree char *want = g_strdup_printf("port %u: ", port);

        ck_assert_msg(strstr(bus, want), "%s", tree);
    }
    rig_free(rig);
}
END_TEST

START_TEST(migration_is_refused_by_name)
{
    Rig *rig = rig_new(&four, 1, NULL, NULL);
    g_autofree char *answer = qemu_qmp(rig->qemu,
        "{'execute': 'migrate', 'arguments': {'uri': 'exec:cat >/dev/null'}}");

    ck_assert_msg(strstr(answer, "non-migratable device") &&
                  strstr(answer, "3ware"), "%s", answer);
    rig_free(rig);
}
END_TEST

START_TEST(a_card_does_not_come_or_go)
{
    Rig *rig = rig_new(&four, 1, NULL, NULL);
    g_autofree char *pull = qemu_qmp(rig->qemu,
        "{'execute': 'device_del', 'arguments': {'id': 'raid0'}}");
    g_autofree char *plug = qemu_qmp(rig->qemu,
        "{'execute': 'device_add', "
        "'arguments': {'driver': '3ware-7810', 'id': 'late'}}");

    ck_assert_msg(strstr(pull, "\"error\""), "%s", pull);
    ck_assert_msg(strstr(plug, "\"error\""), "%s", plug);
    rig_free(rig);
}
END_TEST

/* qom-set takes cards away that device_del will not. */
START_TEST(a_card_that_is_off_takes_no_drive)
{
    Rig *rig = rig_new(&four, 1, NULL, NULL);
    const char *set = "{'execute': 'qom-set', 'arguments': {'path': '%s', "
                      "'property': 'realized', 'value': %s}}";
    g_autofree char *off = g_strdup_printf(set, "raid0", "false");
    g_autofree char *on = g_strdup_printf(set, "raid0-d1", "true");
    g_autofree char *answer = NULL;

    qemu_qmp_ok(rig->qemu, "%s", off);
    answer = qemu_qmp(rig->qemu, "%s", on);
    ck_assert_msg(strstr(answer, "the card is off"), "%s", answer);
    rig_free(rig);
}
END_TEST

START_TEST(an_idle_card_holds_no_command)
{
    Rig *rig = rig_new(&four, 1, NULL, NULL);

    g_autofree char *answer = qemu_qmp(rig->qemu,
        "{'execute': 'qom-get', 'arguments': "
        "{'path': 'raid0', 'property': 'outstanding'}}");
    ck_assert_msg(strstr(answer, "{\"return\": 0}"), "%s", answer);
    rig_free(rig);
}
END_TEST

Suite *qtest_options_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *tc = tcase_create("options");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, wrong_options_give_one_clear_line, 0,
                        G_N_ELEMENTS(refusals));
    tcase_add_test(tc, help_reads_like_documentation);
    tcase_add_test(tc, drive_help_says_what_is_required);
    tcase_add_test(tc, every_board_is_listed_as_storage_with_its_title);
    tcase_add_test(tc, qtree_shows_the_drives);
    tcase_add_test(tc, migration_is_refused_by_name);
    tcase_add_test(tc, a_card_does_not_come_or_go);
    tcase_add_test(tc, a_card_that_is_off_takes_no_drive);
    tcase_add_test(tc, an_idle_card_holds_no_command);
    suite_add_tcase(suite, tc);
    return suite;
}
