/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File media: a raw image or a block device, read and written in place.
 *
 * One user at a time: an open-file-description lock where the kernel has
 * them, which also keeps two drives of one process apart, else a plain
 * record lock.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "disk-model/media/media.h"

typedef struct FileMedia {
    DiskMedia media;
    int fd;
} FileMedia;

static int file_read(DiskMedia *media, uint64_t sector, uint32_t count,
                     void *buf)
{
    FileMedia *file = (FileMedia *)media;
    size_t left = (size_t)count * DISK_SECTOR_BYTES;
    off_t at = (off_t)sector * DISK_SECTOR_BYTES;
    uint8_t *to = buf;

    while (left) {
        ssize_t got = pread(file->fd, to, left, at);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got ? -errno : -EIO;         /* it shrank under us */
        }
        to += got;
        at += got;
        left -= got;
    }
    return 0;
}

static int file_write(DiskMedia *media, uint64_t sector, uint32_t count,
                      const void *buf)
{
    FileMedia *file = (FileMedia *)media;
    size_t left = (size_t)count * DISK_SECTOR_BYTES;
    off_t at = (off_t)sector * DISK_SECTOR_BYTES;
    const uint8_t *from = buf;

    while (left) {
        ssize_t put = pwrite(file->fd, from, left, at);

        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return put ? -errno : -EIO;
        }
        from += put;
        at += put;
        left -= put;
    }
    return 0;
}

static int file_flush(DiskMedia *media)
{
    FileMedia *file = (FileMedia *)media;

    return fdatasync(file->fd) < 0 ? -errno : 0;
}

static void file_close(DiskMedia *media)
{
    FileMedia *file = (FileMedia *)media;

    close(file->fd);
    g_free(file);
}

static const DiskMediaOps file_ops = {
    .read = file_read,
    .write = file_write,
    .flush = file_flush,
    .close = file_close,
};

static bool lock_is_ours(int fd)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int refused;

#ifdef F_OFD_SETLK
    refused = fcntl(fd, F_OFD_SETLK, &lock);
    if (refused && errno == EINVAL) {
        refused = fcntl(fd, F_SETLK, &lock);
    }
#else
    refused = fcntl(fd, F_SETLK, &lock);
#endif
    return !refused;
}

static void complain(GError **error, int code, const char *path,
                     const char *what)
{
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code),
                "drive image '%s' %s", path, what);
}

/* Everything that must hold before a byte is touched. */
static bool file_is_usable(int fd, const char *path, uint64_t sectors,
                           GError **error)
{
    struct stat st;
    off_t size;

    if (fstat(fd, &st) < 0) {
        complain(error, errno, path, g_strerror(errno));
        return false;
    }
    if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
        complain(error, EINVAL, path, "is neither a file nor a block device");
        return false;
    }
    if (!lock_is_ours(fd)) {
        complain(error, EBUSY, path, "is in use by another drive or program");
        return false;
    }
    size = lseek(fd, 0, SEEK_END);
    if (size < 0 || (uint64_t)size / DISK_SECTOR_BYTES < sectors) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC,
                    "drive image '%s' is too small: %" G_GUINT64_FORMAT
                    " sectors, the drive has %" G_GUINT64_FORMAT
                    " (%" G_GUINT64_FORMAT " bytes)", path,
                    (guint64)(MAX(size, 0) / DISK_SECTOR_BYTES),
                    (guint64)sectors, (guint64)sectors * DISK_SECTOR_BYTES);
        return false;
    }
    return true;
}

DiskMedia *disk_media_file_open(const char *path, uint64_t sectors,
                                GError **error)
{
    /* Not to hang on a pipe's other end: a pipe is refused just below. */
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    FileMedia *file;

    if (fd < 0) {
        complain(error, errno, path,
                 errno == ENOENT ? "does not exist" :
                 errno == EACCES || errno == EROFS ?
                 "cannot be written: no permission, or read-only" :
                 errno == EISDIR ? "is a directory" : g_strerror(errno));
        return NULL;
    }
    if (!file_is_usable(fd, path, sectors, error)) {
        close(fd);
        return NULL;
    }
    file = g_new0(FileMedia, 1);
    file->media.ops = &file_ops;
    file->media.sectors = sectors;
    file->fd = fd;
    return &file->media;
}
