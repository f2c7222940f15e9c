/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cache: what is dirty, what goes to the unit next, who waits for it.
 *
 * Host reads and all that goes to the unit are ops of our own, so that we
 * hear of their end.  A destaged run is copied first: the unit computes
 * parity from its buffer, which must not change under it.
 *
 * A read that overlaps pages pins them: they stay, and are laid over what
 * the unit brought when it ends, even if they have been destaged meanwhile.
 */
#include "raid-model/control/cache.h"

#include <stddef.h>
#include <string.h>

#include "raid-model/control/page-map.h"

#define RUN_SECTORS_MIN 128u    /* a run ends where a row of that much does */

typedef struct CacheOp CacheOp;
struct CacheOp {
    UnitOp op;                  /* first */
    RaidCache *cache;
    UnitOp *host;               /* NULL: destage */
    uint64_t born;              /* a read's */
    uint8_t *run;               /* a destage's own memory */
    GList link;
};

struct RaidCache {
    Sim *sim;
    RaidUnit *unit;
    RaidCachePlan plan;
    PageMap map;
    uint64_t sectors;           /* of the unit */
    uint32_t run_sectors;
    uint64_t births;
    uint64_t sweep;             /* page that destaging has come to */
    unsigned reads, destages;
    UnitStatus failure;
    uint64_t failure_lba;
    bool stopped, at_work;
    GQueue waiting;             /* host ops: for room, or to be clean */
    GQueue answers;             /* host ops: done() in their own event */
    GQueue idle;                /* CacheOps */
};

static void work(RaidCache *cache);

/* --- ops ----------------------------------------------------------------- */

static CacheOp *take_op(RaidCache *cache, UnitVerb verb, uint64_t lba,
                        uint32_t count, void *buf)
{
    GList *link = g_queue_pop_head_link(&cache->idle);
    CacheOp *own = link ? link->data : g_new0(CacheOp, 1);

    own->link.data = own;
    own->cache = cache;
    own->host = NULL;
    own->op = (UnitOp) {
        .verb = verb, .lba = lba, .count = count, .buf = buf,
    };
    return own;
}

static void give_op(CacheOp *own)
{
    g_queue_push_head_link(&own->cache->idle, &own->link);
}

static void answer(SimEvent *ev)
{
    UnitOp *op = (UnitOp *)((char *)ev - offsetof(UnitOp, ev));
    RaidCache *cache = (RaidCache *)op->unit;

    g_queue_unlink(&cache->answers, &op->link);
    op->unit = NULL;
    op->done(op);
}

/* `unit` is free while the op is ours: it says whose. */
static void answer_later(RaidCache *cache, UnitOp *op)
{
    op->status = UNIT_OK;
    op->bad_lba = UINT64_MAX;
    op->unit = (RaidUnit *)cache;
    op->ev = (SimEvent) { .fire = answer };
    g_queue_push_tail_link(&cache->answers, &op->link);
    sim_after(cache->sim, &op->ev, 0);
}

/* --- pages --------------------------------------------------------------- */

/* The part of [lba, lba + count) in a page, as a mask. */
static uint8_t part_of(uint64_t number, uint64_t lba, uint32_t count)
{
    uint64_t start = number * PAGE_SECTORS;
    unsigned from = lba > start ? (unsigned)(lba - start) : 0;
    uint64_t end = MIN(lba + count - start, PAGE_SECTORS);

    return (uint8_t)((1u << end) - (1u << from));
}

#define FOR_EACH_PAGE(number, op)                                       \
    for (uint64_t number = (op)->lba / PAGE_SECTORS,                    \
         last_ = ((op)->lba + (op)->count - 1) / PAGE_SECTORS;          \
         number <= last_; number++)

/* Copies the sectors of `mask` between page and op; true: into the page. */
static void copy(const CachePage *page, const UnitOp *op, uint8_t mask,
                 bool in)
{
    for (unsigned left = mask, from, run; left; left &= left + (1u << from)) {
        uint8_t *here, *there;

        from = (unsigned)__builtin_ctz(left);
        run = (unsigned)__builtin_ctz(~(left >> from));
        here = page->data + from * DISK_SECTOR_BYTES;
        there = (uint8_t *)op->buf +
                (page->number * PAGE_SECTORS + from - op->lba) *
                DISK_SECTOR_BYTES;
        memcpy(in ? here : there, in ? there : here,
               (size_t)run * DISK_SECTOR_BYTES);
    }
}

/* What is clean and not pinned has no place here. */
static void tidy(RaidCache *cache, CachePage *page)
{
    page_map_set_ready(&cache->map, page->number,
                       page->dirty && !page->leaving);
    if (page->pins) {
        return;
    }
    page->valid = page->dirty | page->leaving;
    if (!page->valid) {
        page_map_drop(&cache->map, page);
    }
}

static unsigned pages_max(const RaidCache *cache)
{
    return cache->plan.bytes / DISK_SECTOR_BYTES / PAGE_SECTORS;
}

static bool has_pages(const RaidCache *cache, const UnitOp *op)
{
    FOR_EACH_PAGE(number, op) {
        if (page_map_find(&cache->map, number)) {
            return true;
        }
    }
    return false;
}

static bool has_room(const RaidCache *cache, const UnitOp *op)
{
    unsigned used = page_map_count(&cache->map), more = 0;

    FOR_EACH_PAGE(number, op) {
        more += !page_map_find(&cache->map, number);
    }
    return !used || used + more <= pages_max(cache);
}

static void store(RaidCache *cache, const UnitOp *op)
{
    FOR_EACH_PAGE(number, op) {
        CachePage *page = page_map_find(&cache->map, number);
        uint8_t part = part_of(number, op->lba, op->count);

        if (!page) {
            page = page_map_add(&cache->map, number);
            page->born = ++cache->births;
        }
        copy(page, op, part, true);
        page->valid |= part;
        page->dirty |= part;
        tidy(cache, page);
    }
}

/* --- to the unit --------------------------------------------------------- */

static void destaged(UnitOp *op)
{
    CacheOp *own = (CacheOp *)op;
    RaidCache *cache = own->cache;

    FOR_EACH_PAGE(number, op) {
        CachePage *page = page_map_find(&cache->map, number);
        uint8_t part = part_of(number, op->lba, op->count);

        page->leaving &= ~part;
        if (op->status == UNIT_ABORTED) {
            page->dirty |= part;
        }
        tidy(cache, page);
    }
    if (op->status != UNIT_OK && op->status != UNIT_ABORTED &&
        cache->failure == UNIT_OK) {
        cache->failure = op->status;
        cache->failure_lba = op->bad_lba;
    }
    cache->destages--;
    give_op(own);
    work(cache);
}

/* From the first dirty sector of the page on, while all is dirty. */
static uint32_t collect(RaidCache *cache, uint64_t number, uint64_t *first,
                        uint8_t *run)
{
    CachePage *page = page_map_find(&cache->map, number);
    uint64_t lba = number * PAGE_SECTORS +
                   (unsigned)__builtin_ctz(page->dirty);
    uint64_t end = (lba / cache->run_sectors + 1) * cache->run_sectors;
    uint64_t at = lba;

    for (; at < end && at < cache->sectors; at++) {
        uint8_t bit = (uint8_t)(1u << at % PAGE_SECTORS);

        if (at % PAGE_SECTORS == 0 && at > lba) {
            page = page_map_find(&cache->map, at / PAGE_SECTORS);
            if (!page || page->leaving) {
                break;
            }
        }
        if (!(page->dirty & bit)) {
            break;
        }
        memcpy(run + (at - lba) * DISK_SECTOR_BYTES,
               page->data + at % PAGE_SECTORS * DISK_SECTOR_BYTES,
               DISK_SECTOR_BYTES);
    }
    *first = lba;
    return (uint32_t)(at - lba);
}

static void destage(RaidCache *cache, uint64_t number)
{
    CacheOp *own = take_op(cache, UNIT_WRITE, 0, 0, NULL);
    UnitOp *op = &own->op;

    if (!own->run) {
        own->run = g_malloc((size_t)cache->run_sectors * DISK_SECTOR_BYTES);
    }
    op->buf = own->run;
    op->done = destaged;
    op->count = collect(cache, number, &op->lba, own->run);
    FOR_EACH_PAGE(leaves, op) {
        CachePage *page = page_map_find(&cache->map, leaves);
        uint8_t part = part_of(leaves, op->lba, op->count);

        page->dirty &= ~part;
        page->leaving |= part;
        page_map_set_ready(&cache->map, leaves, false);
        cache->sweep = leaves + 1;
    }
    cache->destages++;
    raid_unit_submit(cache->unit, op);
}

static bool may_destage(const RaidCache *cache)
{
    uint64_t used = page_map_count(&cache->map);

    return cache->destages < cache->plan.destage_max &&
           (!cache->reads || cache->waiting.head ||
            used * 100 >= (uint64_t)pages_max(cache) *
                          cache->plan.urgent_percent);
}

static bool destage_next(RaidCache *cache)
{
    uint64_t number = page_map_next_ready(&cache->map, cache->sweep);

    if (number == PAGE_NONE) {
        number = page_map_next_ready(&cache->map, 0);
    }
    if (number == PAGE_NONE) {
        return false;
    }
    destage(cache, number);
    return true;
}

/* --- the host's ops ------------------------------------------------------ */

static void passed_done(UnitOp *op)
{
    CacheOp *own = (CacheOp *)op;
    RaidCache *cache = own->cache;
    UnitOp *host = own->host;

    host->status = op->status;
    host->bad_lba = op->bad_lba;
    if (op->verb == UNIT_FLUSH && op->status == UNIT_OK) {
        host->status = cache->failure;
        host->bad_lba = cache->failure_lba;
        cache->failure = UNIT_OK;
    }
    if (op->verb == UNIT_READ) {
        cache->reads--;
    }
    give_op(own);
    work(cache);
    host->done(host);
}

static void pass(RaidCache *cache, UnitOp *host)
{
    CacheOp *own = take_op(cache, host->verb, host->lba, host->count,
                           host->buf);

    own->host = host;
    own->op.flags = host->flags;
    own->op.done = passed_done;
    raid_unit_submit(cache->unit, &own->op);
}

static void read_done(UnitOp *op)
{
    CacheOp *own = (CacheOp *)op;
    RaidCache *cache = own->cache;

    FOR_EACH_PAGE(number, op) {
        CachePage *page = page_map_find(&cache->map, number);

        if (!page) {
            continue;
        }
        if (op->status == UNIT_OK) {
            copy(page, op, page->valid & part_of(number, op->lba, op->count),
                 false);
        }
        if (page->born <= own->born) {
            page->pins--;
            tidy(cache, page);
        }
    }
    passed_done(op);
}

static bool is_all_here(const RaidCache *cache, const UnitOp *op)
{
    FOR_EACH_PAGE(number, op) {
        const CachePage *page = page_map_find(&cache->map, number);

        if (!page || part_of(number, op->lba, op->count) & ~page->valid) {
            return false;
        }
    }
    return true;
}

static void read_back(RaidCache *cache, UnitOp *host)
{
    bool here = is_all_here(cache, host);
    CacheOp *own;

    if (here) {
        FOR_EACH_PAGE(number, host) {
            copy(page_map_find(&cache->map, number), host,
                 part_of(number, host->lba, host->count), false);
        }
        answer_later(cache, host);
        return;
    }
    own = take_op(cache, UNIT_READ, host->lba, host->count, host->buf);
    own->host = host;
    own->born = cache->births;
    own->op.done = read_done;
    FOR_EACH_PAGE(number, host) {
        CachePage *page = page_map_find(&cache->map, number);

        if (page) {
            page->pins++;
        }
    }
    cache->reads++;
    raid_unit_submit(cache->unit, &own->op);
}

/* Whether the one that waits first can go on. */
static bool serve(RaidCache *cache, UnitOp *op)
{
    bool pass_on = op->verb == UNIT_FLUSH || op->flags & UNIT_FUA;

    if (op->verb == UNIT_FLUSH ? page_map_count(&cache->map) != 0
        : pass_on ? has_pages(cache, op) : !has_room(cache, op)) {
        return false;
    }
    g_queue_unlink(&cache->waiting, &op->link);
    if (pass_on) {
        pass(cache, op);
    } else {
        store(cache, op);
        answer_later(cache, op);
    }
    return true;
}

/* Never nested: what the unit does inside may come back here. */
static void work(RaidCache *cache)
{
    if (cache->at_work || cache->stopped) {
        return;
    }
    cache->at_work = true;
    while (cache->waiting.head && serve(cache, cache->waiting.head->data)) {
    }
    while (may_destage(cache) && destage_next(cache)) {
    }
    cache->at_work = false;
}

static bool is_ours(const RaidCache *cache, const UnitOp *op)
{
    return raid_unit_state(cache->unit) != RAID_UNIT_INOPERABLE &&
           (op->verb == UNIT_FLUSH ||
            (op->count && op->lba <= cache->sectors &&
             op->count <= cache->sectors - op->lba));
}

void raid_cache_submit(RaidCache *cache, UnitOp *op)
{
    op->link = (GList) { .data = op };
    if (!is_ours(cache, op)) {
        raid_unit_submit(cache->unit, op);      /* which says why */
    } else if (op->verb == UNIT_READ) {
        read_back(cache, op);
    } else {
        g_queue_push_tail_link(&cache->waiting, &op->link);
        work(cache);
    }
}

static void abort_all(GQueue *queue, Sim *sim)
{
    GList *link;

    while ((link = g_queue_pop_head_link(queue))) {
        UnitOp *op = link->data;

        sim_cancel(sim, &op->ev);
        op->unit = NULL;
        op->status = UNIT_ABORTED;
        op->done(op);
    }
}

void raid_cache_reset(RaidCache *cache)
{
    cache->stopped = true;
    raid_unit_reset(cache->unit);
    abort_all(&cache->waiting, cache->sim);
    abort_all(&cache->answers, cache->sim);
    cache->stopped = false;
    work(cache);
}

RaidCache *raid_cache_new(Sim *sim, const RaidCachePlan *plan, RaidUnit *unit)
{
    const RaidShape *shape = raid_unit_shape(unit);
    RaidCache *cache = g_new0(RaidCache, 1);

    g_assert(plan->destage_max);
    cache->sim = sim;
    cache->plan = *plan;
    cache->unit = unit;
    cache->sectors = raid_capacity(shape);
    cache->run_sectors = shape->stripe_sectors
        ? raid_row_sectors(shape) : RUN_SECTORS_MIN;
    page_map_init(&cache->map, cache->sectors / PAGE_SECTORS + 1);
    return cache;
}

void raid_cache_free(RaidCache *cache)
{
    GList *link;

    if (!cache) {
        return;
    }
    cache->stopped = true;
    raid_unit_reset(cache->unit);
    g_assert(!cache->waiting.head && !cache->answers.head);
    while ((link = g_queue_pop_head_link(&cache->idle))) {
        CacheOp *own = link->data;

        g_free(own->run);
        g_free(own);
    }
    page_map_clear(&cache->map);
    g_free(cache);
}
