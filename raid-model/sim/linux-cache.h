/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux cache - the page cache of Linux 2.6.10 between processes that read
 * and write files and the request queue: addresses and sizes, no data.
 *
 *   process -> linux_call -> [ cache ] -> LinuxQueue
 *              read ahead, copy   pdflush, throttled writers
 *
 * Works in blocks of one size, at most 64 KiB, that are cached, read and
 * written whole.  A written block is dirty until pdflush sends it:
 *
 *   ABSENT -> READING -> CLEAN <-> DIRTY -> WRITING -> CLEAN or DIRTY
 *
 * pdflush writes, in address order from where it stopped, in passes of 4 MiB
 * until the queue is congested, when more than `background` of memory is
 * dirty.  The file system's journal commits `commit_every` after the first
 * write since it last did, and has what is dirty then written first (ext3
 * with ordered data).  A writer sleeps while more than `dirty` of memory is
 * dirty or being written.  The least recently used clean block makes room.
 *
 * A map block says where the next 4 MiB of a file are, and lies before them
 * (ext2 and ext3: an indirect block for 1024 blocks of 4 KiB).  A process
 * waits while one that is not in memory is read; for a new file it is written
 * by the next commit.
 *
 * Not modelled: other metadata and the journal's own writes, active and
 * inactive lists (one list here), several inodes taking turns in pdflush.
 */
#ifndef RAID_SIM_LINUX_CACHE_H
#define RAID_SIM_LINUX_CACHE_H

#include "raid-model/sim/linux-ahead.h"
#include "raid-model/sim/linux-queue.h"

#define LINUX_PAGE_BYTES 4096
#define LINUX_MAP_BYTES 4096
#define LINUX_MAPPED_BYTES (4u << 20)   /* by one map block */

typedef struct LinuxCachePlan {
    uint32_t block_sectors;     /* a multiple of 8; 128 at most */
    uint64_t first_sector;      /* of block 0, on the unit */
    uint64_t blocks;            /* there are */
    bool maps;                  /* files have map blocks */
    uint64_t memory_bytes;      /* of the computer */
    unsigned cache_percent;     /* of it the page cache may have */
    unsigned background_percent, dirty_percent;
    SimTime commit_every;
    uint32_t read_ahead_sectors;
    SimTime page_ns;            /* processor time to read or write a page */
} LinuxCachePlan;

/*
 * 94: assumed.  10 and 40: the kernel's defaults.  5 s: ext3's default; that
 * it was ext3 is assumed.
 */
#define LINUX_CACHE_DEFAULTS                                            \
    .cache_percent = 94, .background_percent = 10, .dirty_percent = 40, \
    .commit_every = SIM_S(5)

typedef struct LinuxCache LinuxCache;
typedef struct LinuxCall LinuxCall;

/* An open file: the caller zeroes it, sets its place, and keeps it. */
typedef struct LinuxFile {
    uint64_t first, end;        /* blocks */
    /*< private >*/
    LinuxAhead ahead;
    uint64_t fetch, fetch_end;  /* asked for, not yet sent */
} LinuxFile;

/*
 * A read(2) or write(2) of whole blocks of one file.  Lent from linux_call()
 * to done(), which comes once, later; done() may call again.
 */
struct LinuxCall {
    UnitVerb verb;
    LinuxFile *file;
    uint64_t first, blocks;
    void (*done)(LinuxCall *call);
    void *opaque;
    /*< private >*/
    LinuxCache *cache;
    GList link;
    SimEvent ev;
    uint64_t at;                /* the block it is at */
    bool entered;               /* read-ahead has seen that block */
};

LinuxCache *linux_cache_new(Sim *sim, const LinuxCachePlan *plan,
                            const LinuxQueuePlan *queue, LinuxSend *send,
                            void *below);
/* No call may be under way, nothing on the card (linux_cache_stop). */
void linux_cache_free(LinuxCache *cache);

void linux_call(LinuxCache *cache, LinuxCall *call);

/* From here on pdflush sends nothing more; what is on the card ends. */
void linux_cache_stop(LinuxCache *cache);
/* The first request that failed, or UNIT_OK; calls go on as if it had not. */
UnitStatus linux_cache_error(const LinuxCache *cache, uint64_t *lba);

uint64_t linux_cache_dirty(const LinuxCache *cache);    /* blocks */
uint64_t linux_cache_writing(const LinuxCache *cache);
const LinuxQueue *linux_cache_queue(const LinuxCache *cache);

#endif
