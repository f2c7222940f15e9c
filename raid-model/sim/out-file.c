/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OutFile: opened without being emptied, and emptied when all are open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "raid-model/sim/number.h"
#include "raid-model/sim/out-file.h"

static bool open_one(OutFile *file, GError **error)
{
    int fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    file->is_new = fd >= 0;
    if (fd < 0 && errno == EEXIST) {
        fd = open(file->path, O_WRONLY | O_CLOEXEC);
    }
    if (fd < 0) {
        return number_error(error, "%s=%s: cannot be written: %s",
                            file->option, file->path, g_strerror(errno));
    }
    file->stream = fdopen(fd, "w");
    return true;
}

/* Devices and pipes take lines from several without harm. */
static bool are_one(const OutFile *a, const OutFile *b)
{
    struct stat one, other;

    return a->stream && b->stream && !fstat(fileno(a->stream), &one) &&
           !fstat(fileno(b->stream), &other) && S_ISREG(one.st_mode) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static bool differs_from(const OutFile *all, const OutFile *file,
                         GError **error)
{
    for (; all < file; all++) {
        if (are_one(all, file)) {
            return number_error(error, "%s=%s: the file of %s too; one of "
                                "its own would be right", file->option,
                                file->path, all->option);
        }
    }
    return true;
}

static void give_up(OutFile *file, unsigned files)
{
    for (unsigned i = 0; i < files; i++) {
        if (!file[i].stream) {
            continue;
        }
        fclose(file[i].stream);
        file[i].stream = NULL;
        if (file[i].is_new) {
            unlink(file[i].path);
        }
    }
}

bool out_files_open(OutFile *file, unsigned files, GError **error)
{
    for (unsigned i = 0; i < files; i++) {
        if (file[i].path && !(open_one(&file[i], error) &&
                              differs_from(file, &file[i], error))) {
            give_up(file, files);
            return false;
        }
    }
    for (unsigned i = 0; i < files; i++) {
        if (file[i].stream && ftruncate(fileno(file[i].stream), 0)) {
            continue;           /* a device or a pipe has no length */
        }
    }
    return true;
}

static bool close_one(OutFile *file, const char *command)
{
    bool good = !ferror(file->stream);

    if (fclose(file->stream)) {
        good = false;
    }
    file->stream = NULL;
    if (!good) {
        fprintf(stderr, "raidsim %s: %s: not written completely: %s\n",
                command, file->path, g_strerror(errno));
    }
    return good;
}

bool out_files_close(OutFile *file, unsigned files, const char *command)
{
    bool good = true;

    for (unsigned i = 0; i < files; i++) {
        good = (!file[i].stream || close_one(&file[i], command)) && good;
    }
    return good;
}

bool out_finish_stdout(void)
{
    bool good = !ferror(stdout);

    if (fflush(stdout)) {
        good = false;
    }
    if (!good) {
        fprintf(stderr, "raidsim: standard output: not written completely: "
                "%s\n", g_strerror(errno));
    }
    return good;
}

void out_keep_standard(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd) {
            abort();
        }
    }
}
