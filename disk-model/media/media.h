/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Media - where sectors live.  Data moves at once; only time is modelled,
 * and it is modelled elsewhere (drive/).
 *
 * Synchronous on purpose: host I/O never changes model time, nothing is in
 * flight on the host when a guest resets.  Sectors are 512 bytes.  Reads of
 * what was never written give zeroes.
 */
#ifndef DISK_MEDIA_MEDIA_H
#define DISK_MEDIA_MEDIA_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define DISK_SECTOR_BYTES 512

typedef struct DiskMedia DiskMedia;

/* All return 0 or -errno.  The caller keeps within media->sectors. */
typedef struct DiskMediaOps {
    int (*read)(DiskMedia *media, uint64_t sector, uint32_t count, void *buf);
    int (*write)(DiskMedia *media, uint64_t sector, uint32_t count,
                 const void *buf);
    int (*flush)(DiskMedia *media);
    void (*close)(DiskMedia *media);    /* frees media */
    bool forgets;                       /* what is written is not kept */
} DiskMediaOps;

struct DiskMedia {
    const DiskMediaOps *ops;
    uint64_t sectors;
};

/* Sparse memory: costs what was written.  Never fails. */
DiskMedia *disk_media_memory_new(uint64_t sectors);

/*
 * A raw file of at least `sectors`, opened read-write and locked against a
 * second user (fcntl).  NULL and one clear line in `error` when it is not
 * there, too small, read-only or locked.
 */
DiskMedia *disk_media_file_open(const char *path, uint64_t sectors,
                                GError **error);

void disk_media_close(DiskMedia *media);        /* NULL is fine */

#endif
