/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux cache: a fixed set of frames, found by hash, in one list by use; a
 * bit for every block that pdflush may send.
 *
 * Whoever has to wait sleeps in one line; whenever a request ends all of
 * them look again, in the order they went to sleep.
 */
#include "raid-model/sim/linux-cache.h"

#define PASS_BYTES (4u << 20)           /* pdflush: 1024 pages */
#define MAP_SECTORS (LINUX_MAP_BYTES / DISK_SECTOR_BYTES)

typedef enum FrameState {
    FRAME_READING = 1,
    FRAME_DIRTY = 2,                    /* not (again) sent */
    FRAME_WRITING = 4,                  /* on its way; may be dirty again */
} FrameState;                           /* 0: clean */

typedef struct Frame {
    GList link;                         /* by use; data is the frame */
    struct Frame *chain;                /* same hash */
    uint64_t block;
    unsigned state;
} Frame;

enum { MAP_KNOWN = 1, MAP_READING = 2, MAP_DIRTY = 4 };

typedef struct Map {
    uint64_t used;                      /* `placed` then; 0: never */
    unsigned state;
} Map;

struct LinuxCache {
    Sim *sim;
    LinuxCachePlan plan;
    LinuxQueue *queue;
    SimPipe processor;
    Frame *frame, **bucket;
    Frame *spare;                       /* holds no block */
    uint64_t frames, used;
    GQueue by_use;                      /* the last used is the head */
    uint64_t *sendable;                 /* bits: dirty and not on its way */
    uint64_t sendables, dirty, writing;
    uint64_t background, dirty_max;
    uint64_t cursor;                    /* where pdflush stopped */
    Map *map;                           /* of each 4 MiB */
    uint64_t maps, map_blocks, map_cursor;
    uint64_t maps_dirty, maps_due;      /* due: to go for a commit */
    uint64_t placed;                    /* frames filled so far, + 1 */
    uint64_t commits;                   /* blocks still to go for a commit */
    SimEvent commit;
    GQueue sleepers;
    bool stopped;
    UnitStatus error;
    uint64_t error_lba;
};

/* --- frames -------------------------------------------------------------- */

static Frame *find(const LinuxCache *cache, uint64_t block)
{
    Frame *frame = cache->bucket[block % cache->frames];

    while (frame && frame->block != block) {
        frame = frame->chain;
    }
    return frame;
}

static void unhash(LinuxCache *cache, Frame *frame)
{
    Frame **place = &cache->bucket[frame->block % cache->frames];

    while (*place != frame) {
        place = &(*place)->chain;
    }
    *place = frame->chain;
}

static void touch(LinuxCache *cache, Frame *frame)
{
    g_queue_unlink(&cache->by_use, &frame->link);
    g_queue_push_head_link(&cache->by_use, &frame->link);
}

/* The least recently used clean frame; what is busy goes round again. */
static Frame *reclaim(LinuxCache *cache)
{
    for (uint64_t i = 0; i < cache->used; i++) {
        Frame *frame = cache->by_use.tail->data;

        touch(cache, frame);
        if (!frame->state) {
            unhash(cache, frame);
            return frame;
        }
    }
    return NULL;
}

/* There is a spare frame for place(); false: all are busy. */
static bool has_room(LinuxCache *cache)
{
    if (!cache->spare && cache->used < cache->frames) {
        cache->spare = &cache->frame[cache->used++];
        cache->spare->link.data = cache->spare;
        g_queue_push_head_link(&cache->by_use, &cache->spare->link);
    } else if (!cache->spare) {
        cache->spare = reclaim(cache);
    }
    return cache->spare;
}

static Frame *place(LinuxCache *cache, uint64_t block, unsigned state)
{
    Frame *frame = cache->spare, **bucket =
        &cache->bucket[block % cache->frames];

    cache->spare = NULL;
    cache->placed++;
    frame->block = block;
    frame->state = state;
    frame->chain = *bucket;
    *bucket = frame;
    touch(cache, frame);
    return frame;
}

/* --- where things are ---------------------------------------------------- */

/* Of the first sector that belongs to a map: its own, if there are maps. */
static uint64_t map_lba(const LinuxCache *cache, uint64_t map)
{
    return cache->plan.first_sector + map *
        (cache->map_blocks * cache->plan.block_sectors +
         (cache->plan.maps ? MAP_SECTORS : 0));
}

static bool add(LinuxCache *cache, UnitVerb verb, uint64_t block)
{
    uint64_t in_map = block % cache->map_blocks;
    uint64_t lba = map_lba(cache, block / cache->map_blocks) +
        in_map * cache->plan.block_sectors;

    return linux_queue_add(cache->queue, verb,
                           lba + (cache->plan.maps ? MAP_SECTORS : 0),
                           cache->plan.block_sectors);
}

static bool add_map(LinuxCache *cache, UnitVerb verb, uint64_t map)
{
    return linux_queue_add(cache->queue, verb, map_lba(cache, map),
                           MAP_SECTORS);
}

/* A map stays in memory as long as a block that was used with it. */
static bool map_is_here(const LinuxCache *cache, const Map *map)
{
    return map->state & MAP_DIRTY ||
           (map->used && cache->placed - map->used < cache->frames);
}

/* False: it is being read, or no request is free; sleep. */
static bool use_map(LinuxCache *cache, uint64_t block, UnitVerb verb)
{
    uint64_t number = block / cache->map_blocks;
    Map *map = cache->plan.maps ? &cache->map[number] : NULL;

    if (!map) {
        return true;
    }
    if (map->state & MAP_READING) {
        return false;
    }
    if (verb == UNIT_WRITE && !map->state) {
        map->state = MAP_KNOWN | MAP_DIRTY;     /* of a new file */
        cache->maps_dirty++;
    } else if (!map_is_here(cache, map)) {
        if (add_map(cache, UNIT_READ, number)) {
            map->state |= MAP_KNOWN | MAP_READING;
            linux_queue_run(cache->queue);
        }
        return false;
    }
    map->used = cache->placed;
    return true;
}

/* --- pdflush ------------------------------------------------------------- */

static void set_sendable(LinuxCache *cache, uint64_t block, bool on)
{
    uint64_t bit = UINT64_C(1) << block % 64;

    if (on) {
        cache->sendable[block / 64] |= bit;
        cache->sendables++;
    } else {
        cache->sendable[block / 64] &= ~bit;
        cache->sendables--;
    }
}

/* From the cursor on, and round again; there must be one. */
static uint64_t next_sendable(const LinuxCache *cache)
{
    uint64_t words = cache->plan.blocks / 64 + 1;
    uint64_t word = cache->cursor / 64;
    uint64_t bits = cache->sendable[word] & ~UINT64_C(0)
        << cache->cursor % 64;

    while (!bits) {
        word = word + 1 == words ? 0 : word + 1;
        bits = cache->sendable[word];
    }
    return word * 64 + __builtin_ctzll(bits);
}

static void send_pass(LinuxCache *cache)
{
    unsigned pass = PASS_BYTES / DISK_SECTOR_BYTES /
        cache->plan.block_sectors;

    for (unsigned i = 0; i < pass && cache->sendables; i++) {
        uint64_t block = next_sendable(cache);
        Frame *frame = find(cache, block);

        if (!add(cache, UNIT_WRITE, block)) {
            return;
        }
        set_sendable(cache, block, false);
        frame->state = FRAME_WRITING;
        cache->dirty--;
        cache->writing++;
        cache->commits -= cache->commits > 0;
        cache->cursor = block + 1;
    }
}

static void send_maps(LinuxCache *cache)
{
    while (cache->maps_due &&
           !linux_queue_congested(cache->queue, UNIT_WRITE)) {
        Map *map = &cache->map[cache->map_cursor];

        if (map->state & MAP_DIRTY) {
            if (!add_map(cache, UNIT_WRITE, cache->map_cursor)) {
                return;
            }
            map->state &= ~MAP_DIRTY;
            cache->maps_dirty--;
            cache->maps_due--;
        }
        cache->map_cursor = (cache->map_cursor + 1) % cache->maps;
    }
}

static void write_back(LinuxCache *cache)
{
    while (cache->sendables && !cache->stopped &&
           (cache->dirty > cache->background || cache->commits) &&
           !linux_queue_congested(cache->queue, UNIT_WRITE)) {
        send_pass(cache);
    }
    if (!cache->commits && !cache->stopped) {
        send_maps(cache);
    }
    linux_queue_run(cache->queue);
}

static void commit(SimEvent *ev)
{
    LinuxCache *cache = (LinuxCache *)((char *)ev -
                                       offsetof(LinuxCache, commit));

    cache->commits = cache->dirty;
    cache->maps_due = cache->maps_dirty;
    write_back(cache);
}

static void mark_dirty(LinuxCache *cache, Frame *frame)
{
    if (frame->state & FRAME_DIRTY) {
        return;
    }
    if (!sim_pending(&cache->commit)) {
        sim_after(cache->sim, &cache->commit, cache->plan.commit_every);
    }
    frame->state |= FRAME_DIRTY;
    cache->dirty++;
    if (!(frame->state & FRAME_WRITING)) {
        set_sendable(cache, frame->block, true);
    }
}

/* --- calls --------------------------------------------------------------- */

static void sleep_on(LinuxCache *cache, LinuxCall *call)
{
    g_queue_push_tail_link(&cache->sleepers, &call->link);
}

/*
 * Sends what read-ahead wants as far as there are requests and frames.
 * False: the process has to wait for a map.
 */
static bool fetch(LinuxCache *cache, LinuxFile *file)
{
    for (; file->fetch < file->fetch_end; file->fetch++) {
        if (find(cache, file->fetch)) {
            continue;
        }
        if (!use_map(cache, file->fetch, UNIT_READ)) {
            linux_queue_run(cache->queue);
            return false;
        }
        if (!has_room(cache) || !add(cache, UNIT_READ, file->fetch)) {
            break;
        }
        place(cache, file->fetch, FRAME_READING);
    }
    linux_queue_run(cache->queue);
    return true;
}

/* The frame, when its block is there; NULL: sleep. */
static Frame *read_block(LinuxCache *cache, LinuxCall *call)
{
    LinuxFile *file = call->file;
    Frame *frame;

    if (!call->entered) {
        LinuxFetch more = linux_ahead(&file->ahead, call->at,
                                      call->first + call->blocks,
                                      file->first, file->end,
                                      cache->plan.read_ahead_sectors /
                                      cache->plan.block_sectors);

        if (more.blocks && more.first != file->fetch_end) {
            file->fetch = more.first;   /* a jump: forget the rest */
        }
        file->fetch_end = more.blocks ? more.first + more.blocks
            : file->fetch_end;
        call->entered = true;
    }
    frame = find(cache, call->at);
    if (!frame && file->fetch > call->at) {
        file->fetch = call->at;         /* came and went unseen */
        file->fetch_end = MAX(file->fetch_end, call->at + 1);
    }
    if (!fetch(cache, file)) {
        return NULL;
    }
    frame = find(cache, call->at);
    return frame && !(frame->state & FRAME_READING) ? frame : NULL;
}

static Frame *write_block(LinuxCache *cache, LinuxCall *call)
{
    Frame *frame;

    write_back(cache);
    if (cache->dirty + cache->writing >= cache->dirty_max) {
        return NULL;
    }
    frame = find(cache, call->at);
    if (!frame && use_map(cache, call->at, UNIT_WRITE) && has_room(cache)) {
        frame = place(cache, call->at, 0);
    }
    if (!frame || frame->state & FRAME_READING) {
        return NULL;
    }
    mark_dirty(cache, frame);
    return frame;
}

/* At one block: either it is being copied afterwards, or the call sleeps. */
static void go_on(LinuxCache *cache, LinuxCall *call)
{
    Frame *frame = call->verb == UNIT_READ ? read_block(cache, call)
                                           : write_block(cache, call);
    SimTime work = cache->plan.page_ns * cache->plan.block_sectors *
        DISK_SECTOR_BYTES / LINUX_PAGE_BYTES;

    if (!frame) {
        sleep_on(cache, call);
        return;
    }
    touch(cache, frame);
    sim_at(cache->sim, &call->ev,
           sim_pipe_busy(&cache->processor, sim_now(cache->sim), work));
}

static void copied(SimEvent *ev)
{
    LinuxCall *call = (LinuxCall *)((char *)ev - offsetof(LinuxCall, ev));

    call->at++;
    call->entered = false;
    if (call->at == call->first + call->blocks) {
        call->done(call);
    } else {
        go_on(call->cache, call);
    }
}

void linux_call(LinuxCache *cache, LinuxCall *call)
{
    g_assert(call->blocks && call->first >= call->file->first &&
             call->first + call->blocks <= call->file->end);
    call->cache = cache;
    call->at = call->first;
    call->entered = false;
    call->ev.fire = copied;
    call->link.data = call;
    go_on(cache, call);
}

/* --- requests end -------------------------------------------------------- */

static void block_ended(LinuxCache *cache, UnitVerb verb, uint64_t block)
{
    Frame *frame = find(cache, block);

    if (verb == UNIT_READ) {
        frame->state &= ~FRAME_READING;
        return;
    }
    frame->state &= ~FRAME_WRITING;
    cache->writing--;
    if (frame->state & FRAME_DIRTY) {
        set_sendable(cache, block, true);
    }
}

static void map_ended(LinuxCache *cache, UnitVerb verb, uint64_t map)
{
    if (verb == UNIT_READ) {
        cache->map[map].state &= ~MAP_READING;
        cache->map[map].used = cache->placed;
    }
}

/* What the sectors of a request hold, one after the other. */
static void sectors_ended(LinuxCache *cache, UnitVerb verb, uint64_t lba,
                          uint32_t count)
{
    uint64_t each = map_lba(cache, 1) - map_lba(cache, 0);

    for (uint32_t done = 0; done < count; ) {
        uint64_t at = lba + done - cache->plan.first_sector;
        uint64_t map = at / each, in_map = at % each;

        if (!cache->plan.maps) {
            block_ended(cache, verb, at / cache->plan.block_sectors);
            done += cache->plan.block_sectors;
        } else if (!in_map) {
            map_ended(cache, verb, map);
            done += MAP_SECTORS;
        } else {
            block_ended(cache, verb, map * cache->map_blocks +
                        (in_map - MAP_SECTORS) / cache->plan.block_sectors);
            done += cache->plan.block_sectors;
        }
    }
}

static void request_ended(void *above, const UnitOp *op)
{
    LinuxCache *cache = above;
    unsigned sleepers = cache->sleepers.length;

    if (op->status != UNIT_OK && cache->error == UNIT_OK) {
        cache->error = op->status;
        cache->error_lba = op->lba;
    }
    sectors_ended(cache, op->verb, op->lba, op->count);
    write_back(cache);
    for (; sleepers; sleepers--) {
        go_on(cache, g_queue_pop_head_link(&cache->sleepers)->data);
    }
}

/* --- life ---------------------------------------------------------------- */

LinuxCache *linux_cache_new(Sim *sim, const LinuxCachePlan *plan,
                            const LinuxQueuePlan *queue, LinuxSend *send,
                            void *below)
{
    LinuxCache *cache = g_new0(LinuxCache, 1);
    uint64_t memory = plan->memory_bytes / DISK_SECTOR_BYTES /
        plan->block_sectors;

    g_assert(plan->block_sectors % (LINUX_PAGE_BYTES / DISK_SECTOR_BYTES)
             == 0 && plan->block_sectors <= queue->sectors_max);
    cache->sim = sim;
    cache->plan = *plan;
    cache->queue = linux_queue_new(sim, queue, send, below, request_ended,
                                   cache);
    cache->frames = MAX(memory * plan->cache_percent / 100, 1);
    cache->frame = g_new0(Frame, cache->frames);
    cache->bucket = g_new0(Frame *, cache->frames);
    cache->sendable = g_new0(uint64_t, plan->blocks / 64 + 1);
    cache->map_blocks = LINUX_MAPPED_BYTES / DISK_SECTOR_BYTES /
        plan->block_sectors;
    cache->maps = plan->blocks / cache->map_blocks + 1;
    cache->map = g_new0(Map, cache->maps);
    cache->placed = 1;
    cache->background = memory * plan->background_percent / 100;
    cache->dirty_max = MAX(memory * plan->dirty_percent / 100, 1);
    cache->commit.fire = commit;
    cache->error = UNIT_OK;
    return cache;
}

void linux_cache_free(LinuxCache *cache)
{
    g_assert(!cache->sleepers.length);
    sim_cancel(cache->sim, &cache->commit);
    linux_queue_free(cache->queue);
    g_free(cache->sendable);
    g_free(cache->map);
    g_free(cache->bucket);
    g_free(cache->frame);
    g_free(cache);
}

void linux_cache_stop(LinuxCache *cache)
{
    cache->stopped = true;
}

UnitStatus linux_cache_error(const LinuxCache *cache, uint64_t *lba)
{
    *lba = cache->error_lba;
    return cache->error;
}

uint64_t linux_cache_dirty(const LinuxCache *cache)
{
    return cache->dirty;
}

uint64_t linux_cache_writing(const LinuxCache *cache)
{
    return cache->writing;
}

const LinuxQueue *linux_cache_queue(const LinuxCache *cache)
{
    return cache->queue;
}
