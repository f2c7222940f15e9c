/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forget: sectors that are not kept.
 */
#include "raid-model/sim/forget.h"

static int forget_read(DiskMedia *media G_GNUC_UNUSED,
                       uint64_t sector G_GNUC_UNUSED,
                       uint32_t count G_GNUC_UNUSED,
                       void *buf G_GNUC_UNUSED)
{
    return 0;
}

static int forget_write(DiskMedia *media G_GNUC_UNUSED,
                        uint64_t sector G_GNUC_UNUSED,
                        uint32_t count G_GNUC_UNUSED,
                        const void *buf G_GNUC_UNUSED)
{
    return 0;
}

static int forget_flush(DiskMedia *media G_GNUC_UNUSED)
{
    return 0;
}

static void forget_close(DiskMedia *media)
{
    g_free(media);
}

static const DiskMediaOps forget_ops = {
    .read = forget_read,
    .write = forget_write,
    .flush = forget_flush,
    .close = forget_close,
    .forgets = true,
};

DiskMedia *forget_media_new(uint64_t sectors)
{
    DiskMedia *media = g_new0(DiskMedia, 1);

    media->ops = &forget_ops;
    media->sectors = sectors;
    return media;
}
