/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Media - a drive's platters on a QEMU block backend.
 *
 * Host I/O is synchronous and happens when the model says that the head has
 * passed: virtual time stands still meanwhile, so the host's speed changes
 * nothing the guest can see, and a reset never finds a write still on its
 * way to the image.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"

#include "hw/qemu/skin.h"

typedef struct TwMedia {
    DiskMedia media;
    BlockBackend *blk;                  /* borrowed from the drive */
} TwMedia;

static int media_read(DiskMedia *media, uint64_t sector, uint32_t count,
                      void *buf)
{
    TwMedia *m = container_of(media, TwMedia, media);
    int ret = blk_pread(m->blk, sector * DISK_SECTOR_BYTES,
                        (int64_t)count * DISK_SECTOR_BYTES, buf, 0);

    return MIN(ret, 0);
}

static int media_write(DiskMedia *media, uint64_t sector, uint32_t count,
                       const void *buf)
{
    TwMedia *m = container_of(media, TwMedia, media);
    int ret = blk_pwrite(m->blk, sector * DISK_SECTOR_BYTES,
                         (int64_t)count * DISK_SECTOR_BYTES, buf, 0);

    return MIN(ret, 0);
}

static int media_flush(DiskMedia *media)
{
    TwMedia *m = container_of(media, TwMedia, media);

    return blk_flush(m->blk);
}

static void media_close(DiskMedia *media)
{
    TwMedia *m = container_of(media, TwMedia, media);

    /* Now, not when QEMU frees the device: a new one may come before. */
    blk_set_perm(m->blk, 0, BLK_PERM_ALL, &error_abort);
    g_free(m);
}

static const DiskMediaOps media_ops = {
    .read = media_read,
    .write = media_write,
    .flush = media_flush,
    .close = media_close,
};

/* QEMU's own words name nodes and permissions and take two lines: say what
 * they mean where they are known. */
static void explain(const char *why, Error **errp)
{
    if (g_str_has_prefix(why, "Failed to get \"")) {
        error_setg(errp, "another program uses the image");
    } else if (g_str_has_prefix(why, "Permission conflict")) {
        error_setg(errp, "another device or job uses the image");
    } else {
        error_setg(errp, "the image cannot be used for writing: %s", why);
    }
}

/* The image belongs to this drive alone: others may read it, not write or
 * resize it. */
static bool take_permissions(BlockBackend *blk, Error **errp)
{
    Error *local_err = NULL;

    if (!blk_supports_write_perm(blk)) {
        error_setg(errp, "the image is read-only, a drive must be writable");
        return false;
    }
    if (blk_set_perm(blk, BLK_PERM_CONSISTENT_READ | BLK_PERM_WRITE,
                     BLK_PERM_CONSISTENT_READ | BLK_PERM_WRITE_UNCHANGED,
                     &local_err) < 0) {
        explain(error_get_pretty(local_err), errp);
        error_free(local_err);
        return false;
    }
    return true;
}

DiskMedia *tw_media_new(BlockBackend *blk, uint64_t sectors, Error **errp)
{
    uint64_t need = sectors * DISK_SECTOR_BYTES;
    TwMedia *m;
    int64_t bytes;

    if (!blk_is_inserted(blk)) {
        error_setg(errp, "there is no image in its drive");
        return NULL;
    }
    bytes = blk_getlength(blk);
    if (bytes < 0) {
        error_setg(errp, "the size of the image cannot be found: %s",
                   strerror(-bytes));
        return NULL;
    }
    if ((uint64_t)bytes < need) {
        error_setg(errp, "the image has %" PRId64 " bytes, the drive has %"
                   PRIu64, bytes, need);
        return NULL;
    }
    if (!take_permissions(blk, errp)) {
        return NULL;
    }

    m = g_new0(TwMedia, 1);
    m->media.ops = &media_ops;
    m->media.sectors = sectors;
    m->blk = blk;
    return &m->media;
}
