/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rig: directory, images, arguments.
 */
#define _GNU_SOURCE                     /* SEEK_DATA */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/qtest/rig.h"

#define IO_BASE 0xc000
#define MEMORY_BASE 0xe0000000u
#define MEMORY_STEP 0x01000000u         /* BAR2 needs 8 MiB */
#define SECTOR 512

char *rig_directory(void)
{
    const char *below = g_getenv("QTEST_DIR") ?: "build/tests/qtest";
    char *dir = g_build_filename(below, "XXXXXX", NULL);

    g_mkdir_with_parents(below, 0777);
    ck_assert_msg(g_mkdtemp(dir), "no directory below %s", below);
    return dir;
}

void rig_remove(const char *dir)
{
    GDir *names = g_dir_open(dir, 0, NULL);
    const char *name;

    while (names && (name = g_dir_read_name(names))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);

        unlink(path);
    }
    g_clear_pointer(&names, g_dir_close);
    rmdir(dir);
}

void rig_make_image(const char *path, uint64_t sectors)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0666);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, sectors * SECTOR), 0);
    close(fd);
}

uint64_t rig_drive_sectors(void)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autoptr(GError) error = NULL;

    ck_assert(g_key_file_load_from_file(file, RIG_DRIVE, 0, NULL));
    uint64_t sectors = g_key_file_get_uint64(file, "drive", "lba", &error);

    ck_assert_msg(!error, "%s", error ? error->message : "");
    return sectors;
}

char *rig_image(const Rig *rig, unsigned card, unsigned drive)
{
    return g_strdup_printf("%s/c%ud%u.img", rig->dir, card, drive);
}

/* Holes are passed over: most of an image is one. */
char *rig_image_sum(const Rig *rig, unsigned card, unsigned drive)
{
    g_autofree char *path = rig_image(rig, card, drive);
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA1);
    int fd = open(path, O_RDONLY);
    guchar buf[65536];
    off_t at = 0;

    ck_assert_int_ge(fd, 0);
    while ((at = lseek(fd, at, SEEK_DATA)) >= 0) {
        ssize_t got = pread(fd, buf, sizeof(buf), at);

        ck_assert_int_gt(got, 0);
        g_checksum_update(sum, (const guchar *)&at, sizeof(at));
        g_checksum_update(sum, buf, got);
        at += got;
    }
    close(fd);
    char *text = g_strdup(g_checksum_get_string(sum));

    g_checksum_free(sum);
    return text;
}

unsigned rig_traced(const Rig *rig, const char *text, const char *also)
{
    g_autofree char *path = g_build_filename(rig->dir, "trace", NULL);
    g_autofree char *all = NULL;
    unsigned count = 0;

    if (!g_file_get_contents(path, &all, NULL, NULL)) {
        return 0;
    }
    g_auto(GStrv) lines = g_strsplit(all, "\n", -1);
    for (char **line = lines; *line; line++) {
        count += strstr(*line, text) && (!also || strstr(*line, also));
    }
    return count;
}

static void add(GPtrArray *args, const char *option, char *value)
{
    g_ptr_array_add(args, g_strdup(option));
    g_ptr_array_add(args, value);
}

static void add_card(Rig *rig, GPtrArray *args, unsigned i,
                     const RigCard *card)
{
    const char *units = card->units ?: "";

    add(args, "-device",
        g_strdup_printf("%s,id=raid%u,addr=%u,units=%s", card->board, i,
                        rig_devfn(i) >> 3, units));
    for (unsigned j = 0; j < card->drives; j++) {
        g_autofree char *image = rig_image(rig, i, j);

        rig_make_image(image, rig->drive_sectors);
        add(args, "-blockdev",
            g_strdup_printf("raw,node-name=c%ud%u,file.driver=file,"
                            "file.filename=%s", i, j, image));
        add(args, "-device",
            g_strdup_printf("3ware-drive,id=raid%u-d%u,bus=raid%u.0,port=%u,"
                            "drive=c%ud%u,model=%s", i, j, i, j, i, j,
                            RIG_DRIVE));
    }
}

Rig *rig_new(const RigCard *cards, unsigned count, const char *memory,
             const char *const *extra)
{
    g_autoptr(GPtrArray) args = g_ptr_array_new_with_free_func(g_free);
    Rig *rig = g_new0(Rig, 1);

    ck_assert_uint_le(count, RIG_CARDS_MAX);
    rig->dir = rig_directory();
    rig->drive_sectors = rig_drive_sectors();
    rig->cards = count;

    add(args, "-m", g_strdup(memory ?: "64"));
    add(args, "-trace", g_strdup("tw_*"));
    add(args, "-trace", g_strdup("-tw_reg_*"));
    add(args, "-D", g_build_filename(rig->dir, "trace", NULL));
    for (unsigned i = 0; i < count; i++) {
        add_card(rig, args, i, &cards[i]);
    }
    for (; extra && *extra; extra++) {
        g_ptr_array_add(args, g_strdup(*extra));
    }
    g_ptr_array_add(args, NULL);
    rig->qemu = qemu_start((const char *const *)args->pdata, NULL);
    return rig;
}

void rig_free(Rig *rig)
{
    if (!rig) {
        return;
    }
    qemu_stop(rig->qemu);
    rig_remove(rig->dir);
    g_free(rig->dir);
    g_free(rig);
}

unsigned rig_devfn(unsigned card)
{
    return (4 + card) << 3;
}

uint16_t rig_io(unsigned card)
{
    return IO_BASE + card * 0x100;
}

uint32_t rig_memory(unsigned card)
{
    return MEMORY_BASE + 2 * card * MEMORY_STEP;
}

void rig_enable(Rig *rig, unsigned card)
{
    unsigned devfn = rig_devfn(card);

    qemu_config_out(rig->qemu, devfn, 0x10, rig_io(card), 4);
    if (qemu_config_in(rig->qemu, devfn, 0x02, 2) == 0x1001) {
        qemu_config_out(rig->qemu, devfn, 0x14, rig_memory(card), 4);
        qemu_config_out(rig->qemu, devfn, 0x18,
                        rig_memory(card) + MEMORY_STEP, 4);
    }
    /* I/O, memory, bus master */
    qemu_config_out(rig->qemu, devfn, 0x04, 0x7, 2);
}
