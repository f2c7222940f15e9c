/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory media: sectors kept in 64 KiB chunks that exist once written.  A
 * drive of any size costs what was put on it.
 */
#include <string.h>

#include "disk-model/media/media.h"

#define CHUNK_SECTORS 128u
#define CHUNK_BYTES (CHUNK_SECTORS * DISK_SECTOR_BYTES)

typedef struct MemoryMedia {
    DiskMedia media;
    GHashTable *chunk;          /* chunk number (gint64) to its bytes */
} MemoryMedia;

static uint8_t *chunk_find(MemoryMedia *memory, uint64_t number)
{
    gint64 key = number;

    return g_hash_table_lookup(memory->chunk, &key);
}

static uint8_t *chunk_make(MemoryMedia *memory, uint64_t number)
{
    uint8_t *bytes = chunk_find(memory, number);

    if (!bytes) {
        gint64 *key = g_new(gint64, 1);

        *key = number;
        bytes = g_malloc0(CHUNK_BYTES);
        g_hash_table_insert(memory->chunk, key, bytes);
    }
    return bytes;
}

/* How many of `count` sectors from `sector` on share its chunk. */
static uint32_t run_sectors(uint64_t sector, uint32_t count)
{
    return MIN(count, CHUNK_SECTORS - (uint32_t)(sector % CHUNK_SECTORS));
}

static size_t byte_offset(uint64_t sector)
{
    return (size_t)(sector % CHUNK_SECTORS) * DISK_SECTOR_BYTES;
}

static int memory_read(DiskMedia *media, uint64_t sector, uint32_t count,
                       void *buf)
{
    MemoryMedia *memory = (MemoryMedia *)media;
    uint8_t *to = buf;

    while (count) {
        uint32_t run = run_sectors(sector, count);
        size_t bytes = (size_t)run * DISK_SECTOR_BYTES;
        const uint8_t *from = chunk_find(memory, sector / CHUNK_SECTORS);

        if (from) {
            memcpy(to, from + byte_offset(sector), bytes);
        } else {
            memset(to, 0, bytes);
        }
        to += bytes;
        sector += run;
        count -= run;
    }
    return 0;
}

static int memory_write(DiskMedia *media, uint64_t sector, uint32_t count,
                        const void *buf)
{
    MemoryMedia *memory = (MemoryMedia *)media;
    const uint8_t *from = buf;

    while (count) {
        uint32_t run = run_sectors(sector, count);
        size_t bytes = (size_t)run * DISK_SECTOR_BYTES;
        uint8_t *to = chunk_make(memory, sector / CHUNK_SECTORS);

        memcpy(to + byte_offset(sector), from, bytes);
        from += bytes;
        sector += run;
        count -= run;
    }
    return 0;
}

static int memory_flush(DiskMedia *media)
{
    (void)media;
    return 0;
}

static void memory_close(DiskMedia *media)
{
    MemoryMedia *memory = (MemoryMedia *)media;

    g_hash_table_destroy(memory->chunk);
    g_free(memory);
}

static const DiskMediaOps memory_ops = {
    .read = memory_read,
    .write = memory_write,
    .flush = memory_flush,
    .close = memory_close,
};

DiskMedia *disk_media_memory_new(uint64_t sectors)
{
    MemoryMedia *memory = g_new0(MemoryMedia, 1);

    memory->media.ops = &memory_ops;
    memory->media.sectors = sectors;
    memory->chunk = g_hash_table_new_full(g_int64_hash, g_int64_equal,
                                          g_free, g_free);
    return &memory->media;
}

void disk_media_close(DiskMedia *media)
{
    if (media) {
        media->ops->close(media);
    }
}
