/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: what was written is read, what was not is zero, and a file that
 * must not be used is refused in one clear line with nothing touched.
 *
 * Method: random writes against a plain array, on both kinds of media; then
 * a table of files that are wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk-model/media/media.h"
#include "tests/lib/unit.h"

#define SECTORS 1000u
#define MOST 300u

static char *directory;

static char *file_path(const char *name)
{
    return g_build_filename(directory, name, NULL);
}

static char *make_file(const char *name, off_t bytes)
{
    char *path = file_path(name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, bytes), 0);
    close(fd);
    return path;
}

static void set_up(void)
{
    directory = g_dir_make_tmp("platter-media-XXXXXX", NULL);
    ck_assert_ptr_nonnull(directory);
}

static void tear_down(void)
{
    GDir *dir = g_dir_open(directory, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        char *path = file_path(name);

        if (unlink(path) < 0) {
            rmdir(path);
        }
        g_free(path);
    }
    g_dir_close(dir);
    rmdir(directory);
    g_free(directory);
}

static DiskMedia *open_kind(bool is_file)
{
    GError *error = NULL;
    DiskMedia *media;
    char *path;

    if (!is_file) {
        return disk_media_memory_new(SECTORS);
    }
    path = make_file("image", SECTORS * DISK_SECTOR_BYTES);
    media = disk_media_file_open(path, SECTORS, &error);
    ck_assert_msg(media != NULL, "%s", error ? error->message : "");
    g_free(path);
    return media;
}

START_TEST(reads_return_what_was_written)
{
    DiskMedia *media = open_kind(_i);
    GRand *dice = g_rand_new_with_seed(1);
    uint8_t *oracle = g_malloc0(SECTORS * DISK_SECTOR_BYTES);
    uint8_t *buf = g_malloc(MOST * DISK_SECTOR_BYTES);

    for (unsigned step = 0; step < 2000; step++) {
        uint32_t count = g_rand_int_range(dice, 1, MOST + 1);
        uint32_t sector = g_rand_int_range(dice, 0, SECTORS - count + 1);
        uint8_t *kept = oracle + sector * DISK_SECTOR_BYTES;
        size_t bytes = count * DISK_SECTOR_BYTES;

        if (step > 20 && g_rand_boolean(dice)) {
            memset(buf, step, bytes);
            memcpy(kept, buf, bytes);
            ck_assert_int_eq(media->ops->write(media, sector, count, buf), 0);
        } else {
            memset(buf, 0xee, bytes);
            ck_assert_int_eq(media->ops->read(media, sector, count, buf), 0);
            ck_assert_mem_eq(buf, kept, bytes);
        }
    }
    ck_assert_int_eq(media->ops->flush(media), 0);
    disk_media_close(media);
    g_free(oracle);
    g_free(buf);
    g_rand_free(dice);
}
END_TEST

START_TEST(memory_of_any_size_costs_nothing_at_first)
{
    uint64_t sectors = UINT64_C(1) << 40;
    DiskMedia *media = disk_media_memory_new(sectors);
    uint8_t data[DISK_SECTOR_BYTES], back[DISK_SECTOR_BYTES];

    memset(data, 0x5a, sizeof(data));
    ck_assert_int_eq(media->ops->write(media, sectors - 1, 1, data), 0);
    ck_assert_int_eq(media->ops->read(media, sectors - 1, 1, back), 0);
    ck_assert_mem_eq(data, back, sizeof(data));
    ck_assert_int_eq(media->ops->read(media, 0, 1, back), 0);
    ck_assert_uint_eq(back[0], 0);
    disk_media_close(media);
    disk_media_close(NULL);
}
END_TEST

START_TEST(bytes_lie_in_the_file_where_they_belong)
{
    char *path = make_file("image", SECTORS * DISK_SECTOR_BYTES);
    DiskMedia *media = disk_media_file_open(path, SECTORS, NULL);
    uint8_t data[2 * DISK_SECTOR_BYTES];
    char *text;
    gsize length;

    memset(data, 0x77, sizeof(data));
    ck_assert_int_eq(media->ops->write(media, 998, 2, data), 0);
    disk_media_close(media);
    ck_assert(g_file_get_contents(path, &text, &length, NULL));
    ck_assert_uint_eq(length, SECTORS * DISK_SECTOR_BYTES);
    ck_assert_mem_eq(text + 998 * DISK_SECTOR_BYTES, data, sizeof(data));
    ck_assert_int_eq(text[998 * DISK_SECTOR_BYTES - 1], 0);
    g_free(text);
    g_free(path);
}
END_TEST

/* One line, with the path in it and the words given. */
static void expect_refusal(const char *path, uint64_t sectors,
                           const char *words)
{
    GError *error = NULL;
    DiskMedia *media = disk_media_file_open(path, sectors, &error);

    ck_assert_ptr_null(media);
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(strstr(error->message, path) &&
                  strstr(error->message, words) &&
                  !strchr(error->message, '\n'), "%s", error->message);
    g_error_free(error);
}

START_TEST(a_second_user_is_refused)
{
    char *path = make_file("image", SECTORS * DISK_SECTOR_BYTES);
    DiskMedia *media = disk_media_file_open(path, SECTORS, NULL);

    ck_assert_ptr_nonnull(media);
    expect_refusal(path, SECTORS, "is in use by another");
    disk_media_close(media);
    media = disk_media_file_open(path, SECTORS, NULL);
    ck_assert_ptr_nonnull(media);
    disk_media_close(media);
    g_free(path);
}
END_TEST

START_TEST(a_wrong_file_is_refused)
{
    char *small = make_file("small", SECTORS * DISK_SECTOR_BYTES - 1);
    char *none = file_path("none");
    char *folder = file_path("folder");
    char *pipe = file_path("pipe");

    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    expect_refusal(small, SECTORS, "too small: 999 sectors, the drive has "
                   "1000 (512000 bytes)");
    expect_refusal(none, SECTORS, "does not exist");
    expect_refusal(folder, SECTORS, "is a directory");
    expect_refusal(pipe, SECTORS, "is neither a file nor a block device");
    g_free(small);
    g_free(none);
    g_free(folder);
    g_free(pipe);
}
END_TEST

START_TEST(a_read_only_file_is_refused)
{
    char *path = make_file("image", SECTORS * DISK_SECTOR_BYTES);

    ck_assert_int_eq(chmod(path, 0400), 0);
    if (getuid() == 0 && seteuid(65534) < 0) {
        g_free(path);
        return;                 /* root may write anything */
    }
    if (getuid() == 0) {        /* nobody may not even look inside */
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_int_eq(chmod(directory, 0755), 0);
        ck_assert_int_eq(chmod(path, 0444), 0);
        ck_assert_int_eq(seteuid(65534), 0);
    }
    expect_refusal(path, SECTORS, "read-only");
    if (getuid() == 0) {
        ck_assert_int_eq(seteuid(0), 0);
    }
    g_free(path);
}
END_TEST

START_TEST(a_file_that_shrinks_gives_an_error)
{
    char *path = make_file("image", SECTORS * DISK_SECTOR_BYTES);
    DiskMedia *media = disk_media_file_open(path, SECTORS, NULL);
    uint8_t data[DISK_SECTOR_BYTES];

    ck_assert_int_eq(truncate(path, 4096), 0);
    ck_assert_int_eq(media->ops->read(media, 7, 1, data), 0);
    ck_assert_int_eq(media->ops->read(media, 8, 1, data), -EIO);
    disk_media_close(media);
    g_free(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("media");
    TCase *tc = tcase_create("media");

    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, reads_return_what_was_written, 0, 2);
    tcase_add_test(tc, memory_of_any_size_costs_nothing_at_first);
    tcase_add_test(tc, bytes_lie_in_the_file_where_they_belong);
    tcase_add_test(tc, a_second_user_is_refused);
    tcase_add_test(tc, a_wrong_file_is_refused);
    tcase_add_test(tc, a_read_only_file_is_refused);
    tcase_add_test(tc, a_file_that_shrinks_gives_an_error);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
