/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: Linux's cache and request queue lose nothing, do nothing twice, and
 * keep their limits.
 * Method: a disk that takes a fixed time for each request and counts, per
 * block, what was asked of it; processes made of a few lines each.
 */
#include <string.h>

#include "raid-model/sim/linux-cache.h"
#include "tests/lib/unit.h"

#define BLOCK 128                       /* sectors: 64 KiB */
#define BLOCKS 4096                     /* 256 MiB */
#define FIRST 63
#define REQUEST_NS SIM_MS(2)

/* --- a disk that counts -------------------------------------------------- */

typedef struct Disk1 {                  /* first come, first served */
    Sim *sim;
    SimEvent ev;
    HostOp *line[512];
    unsigned waiting, most;
    uint64_t requests, last_lba;
    uint32_t sectors_most;
    bool mixed, backward;
    uint8_t count[2][BLOCKS];
    bool maps;                          /* 8 sectors before each 8192 */
    uint8_t map_count[2][BLOCKS / 64];
    LinuxCache *cache;
    uint64_t dirty_most;
} Disk1;

static void disk_served(SimEvent *ev)
{
    Disk1 *disk = (Disk1 *)((char *)ev - offsetof(Disk1, ev));
    HostOp *op = disk->line[0];

    memmove(disk->line, disk->line + 1, --disk->waiting * sizeof(op));
    if (disk->waiting) {
        sim_after(disk->sim, ev, REQUEST_NS);
    }
    op->op.status = UNIT_OK;
    op->done(op);
}

/* Sector by sector, eight at a time. */
static void count_sectors(Disk1 *disk, const UnitOp *op)
{
    unsigned each = disk->maps ? 8200 : 8192, skip = disk->maps ? 8 : 0;

    unit_holds(op->count && op->count % 8 == 0);
    for (uint64_t i = op->lba - FIRST; i < op->lba - FIRST + op->count;
         i += 8) {
        uint64_t map = i / each, in_map = i % each;

        if (in_map < skip) {
            disk->map_count[op->verb][map]++;
        } else if ((in_map - skip) % BLOCK == 0) {
            disk->count[op->verb][map * 64 + (in_map - skip) / BLOCK]++;
            unit_holds(i + BLOCK <= op->lba - FIRST + op->count);
        }
    }
}

static void disk_take(void *below, HostOp *op)
{
    Disk1 *disk = below;

    count_sectors(disk, &op->op);
    for (unsigned i = 0; i < disk->waiting; i++) {
        disk->mixed |= disk->line[i]->op.verb != op->op.verb;
    }
    disk->backward |= op->op.lba < disk->last_lba;
    disk->last_lba = op->op.lba;
    disk->sectors_most = MAX(disk->sectors_most, op->op.count);
    disk->requests++;
    disk->line[disk->waiting++] = op;
    disk->most = MAX(disk->most, disk->waiting);
    if (disk->cache) {
        disk->dirty_most = MAX(disk->dirty_most,
                               linux_cache_dirty(disk->cache) +
                               linux_cache_writing(disk->cache));
    }
    if (disk->waiting == 1) {
        sim_after(disk->sim, &disk->ev, REQUEST_NS);
    }
}

static Disk1 *disk_make(Sim *sim)
{
    Disk1 *disk = g_new0(Disk1, 1);

    disk->sim = sim;
    disk->ev.fire = disk_served;
    return disk;
}

/* --- the queue ----------------------------------------------------------- */

typedef struct Ended {
    uint64_t sectors[2];
} Ended;

static void count_ended(void *above, const UnitOp *op)
{
    Ended *ended = above;

    ended->sectors[op->verb] += op->count;
}

static LinuxQueue *queue_make(Sim *sim, Disk1 *disk, Ended *ended)
{
    return linux_queue_new(sim, &linux_queue_3w_xxxx, disk_take, disk,
                           count_ended, ended);
}

static void run_out(Sim *sim)
{
    while (sim_step(sim)) {
    }
}

START_TEST(neighbours_become_requests_of_128_kib)
{
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    Ended ended = { { 0 } };
    LinuxQueue *queue = queue_make(sim, disk, &ended);

    for (unsigned i = 0; i < 64; i++) {
        unsigned block = i % 2 ? 63 - i / 2 : i / 2;    /* from both ends */

        ck_assert(linux_queue_add(queue, UNIT_WRITE, FIRST + block * BLOCK,
                                  BLOCK));
    }
    ck_assert_uint_eq(disk->requests, 0);
    linux_queue_run(queue);
    run_out(sim);
    ck_assert_uint_eq(disk->requests, 32);
    ck_assert_uint_eq(disk->sectors_most, 256);
    ck_assert(!disk->backward);
    ck_assert_uint_eq(ended.sectors[UNIT_WRITE], 64 * BLOCK);
    linux_queue_free(queue);
    g_free(disk);
    sim_free(sim);
}
END_TEST

START_TEST(a_full_queue_refuses_and_is_congested_before)
{
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    Ended ended = { { 0 } };
    LinuxQueue *queue = queue_make(sim, disk, &ended);

    for (unsigned i = 0; i < 128; i++) {
        ck_assert(linux_queue_congested(queue, UNIT_WRITE) == (i >= 112));
        ck_assert(linux_queue_add(queue, UNIT_WRITE, FIRST + 2 * i * BLOCK,
                                  BLOCK));
    }
    ck_assert(!linux_queue_add(queue, UNIT_WRITE, FIRST + 2000 * BLOCK,
                               BLOCK));
    ck_assert(linux_queue_add(queue, UNIT_WRITE, FIRST + BLOCK, BLOCK));
    ck_assert(linux_queue_add(queue, UNIT_READ, FIRST + 2000 * BLOCK, BLOCK));
    linux_queue_run(queue);
    while (linux_queue_congested(queue, UNIT_WRITE)) {
        ck_assert(sim_step(sim));
    }
    ck_assert_uint_eq(disk->waiting, 103);
    run_out(sim);
    ck_assert_uint_eq(ended.sectors[UNIT_WRITE], 129 * BLOCK);
    ck_assert_uint_eq(ended.sectors[UNIT_READ], BLOCK);
    linux_queue_free(queue);
    g_free(disk);
    sim_free(sim);
}
END_TEST

/* Reads and writes of any order and density, added at any time. */
START_TEST(directions_take_turns_and_nothing_is_lost)
{
    Sim *sim = sim_new(_i), *chance = sim_new(_i + 100);
    Disk1 *disk = disk_make(sim);
    Ended ended = { { 0 } };
    LinuxQueue *queue = queue_make(sim, disk, &ended);
    uint64_t added[2] = { 0, 0 };

    for (unsigned i = 0; i < 3000; i++) {
        UnitVerb verb = sim_random(chance, 2);
        uint64_t block = sim_random(chance, BLOCKS / 2) * 2 + verb;

        if (linux_queue_add(queue, verb, FIRST + block * BLOCK, BLOCK)) {
            added[verb]++;
        }
        if (!sim_random(chance, 8)) {
            linux_queue_run(queue);
        }
        for (uint64_t j = sim_random(chance, 3); j; j--) {
            sim_step(sim);
        }
    }
    linux_queue_run(queue);
    run_out(sim);
    ck_assert(!disk->mixed);
    for (unsigned verb = 0; verb < 2; verb++) {
        ck_assert_uint_gt(added[verb], 500);
        ck_assert_uint_eq(ended.sectors[verb], added[verb] * BLOCK);
    }
    linux_queue_free(queue);
    g_free(disk);
    sim_free(sim);
    sim_free(chance);
}
END_TEST

/* --- the cache ----------------------------------------------------------- */

typedef struct Process {
    LinuxCache *cache;
    LinuxFile file;
    LinuxCall call;
    uint64_t next, end;
    uint64_t calls, stride;
} Process;

static LinuxCache *cache_make(Sim *sim, Disk1 *disk, uint64_t memory_mib,
                              uint32_t read_ahead)
{
    LinuxCachePlan plan = {
        LINUX_CACHE_DEFAULTS,
        .block_sectors = BLOCK, .first_sector = FIRST, .blocks = BLOCKS,
        .maps = disk->maps,
        .memory_bytes = memory_mib << 20, .read_ahead_sectors = read_ahead,
        .page_ns = SIM_US(1),
    };

    disk->cache = linux_cache_new(sim, &plan, &linux_queue_3w_xxxx,
                                  disk_take, disk);
    return disk->cache;
}

static void process_next(Process *process)
{
    if (process->next < process->end) {
        process->call.first = process->next;
        process->call.blocks = 1;
        process->next += process->stride;
        process->calls++;
        linux_call(process->cache, &process->call);
    }
}

static void process_done(LinuxCall *call)
{
    process_next(call->opaque);
}

static void process_run(Process *process, LinuxCache *cache, UnitVerb verb,
                        uint64_t first, uint64_t end)
{
    *process = (Process) {
        .cache = cache, .next = first, .end = end, .stride = 1,
        .file = { .first = 0, .end = BLOCKS },
        .call = { .verb = verb, .done = process_done, .opaque = process,
                  .file = &process->file },
    };
    process_next(process);
}

START_TEST(every_written_block_reaches_the_disk_once)
{
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    LinuxCache *cache = cache_make(sim, disk, 64, 1536);
    Process process;

    process_run(&process, cache, UNIT_WRITE, 0, BLOCKS);
    run_out(sim);                       /* the last of them by a commit */
    ck_assert_uint_eq(process.calls, BLOCKS);
    ck_assert_uint_eq(linux_cache_dirty(cache), 0);
    ck_assert_uint_eq(linux_cache_writing(cache), 0);
    for (unsigned i = 0; i < BLOCKS; i++) {
        unit_holds(disk->count[UNIT_WRITE][i] == 1);
        unit_holds(disk->count[UNIT_READ][i] == 0);
    }
    ck_assert_uint_eq(disk->requests, BLOCKS / 2);
    ck_assert(!disk->backward);
    linux_cache_free(cache);
    g_free(disk);
    sim_free(sim);
}
END_TEST

/* 64 MiB of memory: 40 % is 409 blocks, the last passes the limit. */
START_TEST(a_writer_is_held_at_the_dirty_limit)
{
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    LinuxCache *cache = cache_make(sim, disk, 64, 1536);
    Process process;
    SimTime written;

    process_run(&process, cache, UNIT_WRITE, 0, BLOCKS);
    while (process.next < BLOCKS) {
        sim_step(sim);
    }
    written = sim_now(sim);
    run_out(sim);
    ck_assert_uint_le(disk->dirty_most, 409);
    ck_assert_uint_ge(disk->dirty_most, 405);
    /* The disk's pace for all but the last 409 blocks, two in a request. */
    ck_assert_int_ge(written, (BLOCKS - 411) / 2 * REQUEST_NS);
    ck_assert_int_le(written, (BLOCKS - 405) / 2 * REQUEST_NS + SIM_MS(100));
    linux_cache_free(cache);
    g_free(disk);
    sim_free(sim);
}
END_TEST

/* Less than 10 % of memory: nothing for 5 s, then all. */
START_TEST(a_little_dirt_is_written_at_the_next_commit)
{
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    LinuxCache *cache = cache_make(sim, disk, 64, 1536);
    Process process;

    process_run(&process, cache, UNIT_WRITE, 100, 200);
    sim_run_until(sim, SIM_MS(4900));
    ck_assert_uint_eq(linux_cache_dirty(cache), 100);
    ck_assert_uint_eq(disk->requests, 0);
    sim_run_until(sim, SIM_MS(5200));
    ck_assert_uint_eq(linux_cache_dirty(cache), 0);
    ck_assert_uint_eq(disk->requests, 50);
    linux_cache_free(cache);
    g_free(disk);
    sim_free(sim);
}
END_TEST

START_TEST(a_block_written_again_on_its_way_is_sent_again)
{
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    LinuxCache *cache = cache_make(sim, disk, 64, 1536);
    Process process, again;

    process_run(&process, cache, UNIT_WRITE, 0, 200);
    while (!linux_cache_writing(cache)) {
        sim_step(sim);
    }
    process_run(&again, cache, UNIT_WRITE, 0, 1);
    run_out(sim);
    ck_assert_uint_eq(disk->count[UNIT_WRITE][0], 2);
    for (unsigned i = 1; i < 200; i++) {
        unit_holds(disk->count[UNIT_WRITE][i] == 1);
    }
    linux_cache_free(cache);
    g_free(disk);
    sim_free(sim);
}
END_TEST

/* Read-ahead of none to more than there are requests for. */
START_TEST(a_sequential_reader_reads_each_block_once)
{
    static const uint32_t read_ahead[] = { 0, 128, 256, 1536, 16384 };
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    LinuxCache *cache = cache_make(sim, disk, 128, read_ahead[_i]);
    Process process;

    process_run(&process, cache, UNIT_READ, 0, BLOCKS);
    run_out(sim);
    ck_assert_uint_eq(process.calls, BLOCKS);
    for (unsigned i = 0; i < BLOCKS; i++) {
        unit_holds(disk->count[UNIT_READ][i] == 1);
    }
    ck_assert_uint_le(disk->requests, read_ahead[_i] < 256 ? BLOCKS
                                                           : BLOCKS / 2 + 1);
    /* At the disk's pace when there is a window ahead. */
    if (read_ahead[_i] >= 256) {
        ck_assert_int_le(sim_now(sim), BLOCKS / 2 * REQUEST_NS + SIM_MS(50));
    }
    linux_cache_free(cache);
    g_free(disk);
    sim_free(sim);
}
END_TEST

/* 4096 blocks are 64 maps' worth. */
START_TEST(a_new_file_has_each_map_written_once_and_none_read)
{
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    LinuxCache *cache;
    Process process;

    disk->maps = true;
    cache = cache_make(sim, disk, 64, 1536);
    process_run(&process, cache, UNIT_WRITE, 0, BLOCKS);
    run_out(sim);
    for (unsigned i = 0; i < BLOCKS; i++) {
        unit_holds(disk->count[UNIT_WRITE][i] == 1);
        unit_holds(disk->count[UNIT_READ][i] == 0);
    }
    for (unsigned i = 0; i < BLOCKS / 64; i++) {
        unit_holds(disk->map_count[UNIT_WRITE][i] == 1);
        unit_holds(disk->map_count[UNIT_READ][i] == 0);
    }
    linux_cache_free(cache);
    g_free(disk);
    sim_free(sim);
}
END_TEST

START_TEST(a_reader_reads_each_map_once_and_before_its_blocks)
{
    Sim *sim = sim_new(1);
    Disk1 *disk = disk_make(sim);
    LinuxCache *cache;
    Process process;

    disk->maps = true;
    cache = cache_make(sim, disk, 64, 1536);
    process_run(&process, cache, UNIT_READ, 0, BLOCKS);
    while (sim_step(sim)) {
        for (unsigned i = 0; i < BLOCKS; i++) {
            unit_holds(disk->map_count[UNIT_READ][i / 64] >=
                       disk->count[UNIT_READ][i]);
        }
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        unit_holds(disk->count[UNIT_READ][i] == 1);
        unit_holds(disk->map_count[UNIT_READ][i / 64] == 1);
    }
    /* From then on the last of them are in memory, the first are not. */
    process_run(&process, cache, UNIT_READ, BLOCKS - 500, BLOCKS);
    run_out(sim);
    process_run(&process, cache, UNIT_READ, 0, 1);
    run_out(sim);
    unit_holds(disk->map_count[UNIT_READ][BLOCKS / 64 - 1] == 1);
    unit_holds(disk->map_count[UNIT_READ][0] == 2);
    linux_cache_free(cache);
    g_free(disk);
    sim_free(sim);
}
END_TEST

/* 64 MiB hold 962 blocks; of two passes over 900 the second is free, over
 * 1100 it is not. */
START_TEST(the_least_recently_used_block_makes_room)
{
    static const uint64_t blocks[] = { 900, 1100 };

    for (unsigned i = 0; i < 2; i++) {
        Sim *sim = sim_new(1);
        Disk1 *disk = disk_make(sim);
        LinuxCache *cache = cache_make(sim, disk, 64, 0);
        Process process;

        for (unsigned pass = 0; pass < 2; pass++) {
            process_run(&process, cache, UNIT_READ, 0, blocks[i]);
            run_out(sim);
        }
        ck_assert_uint_eq(disk->requests, blocks[i] * (1 + i));
        linux_cache_free(cache);
        g_free(disk);
        sim_free(sim);
    }
}
END_TEST

/* Three at random, reading and writing, over four times the memory. */
START_TEST(processes_share_the_cache_without_losing_a_block)
{
    Sim *sim = sim_new(1), *chance = sim_new(_i);
    Disk1 *disk = disk_make(sim);
    LinuxCache *cache;
    Process process[3];
    uint64_t writes = 0, sent = 0;

    disk->maps = _i % 2;
    cache = cache_make(sim, disk, 64, 1536);
    for (unsigned round = 0; round < 300; round++) {
        for (unsigned i = 0; i < 3; i++) {
            uint64_t first = sim_random(chance, BLOCKS - 40);
            UnitVerb verb = sim_random(chance, 2);
            uint64_t calls = 1 + sim_random(chance, 40);

            writes += verb == UNIT_WRITE ? calls : 0;
            process_run(&process[i], cache, verb, first, first + calls);
        }
        for (unsigned i = 0; i < 3; i++) {
            while (process[i].next < process[i].end ||
                   sim_pending(&process[i].call.ev) ||
                   process[i].call.at < process[i].end) {
                ck_assert(sim_step(sim));
            }
        }
    }
    run_out(sim);
    ck_assert_uint_eq(linux_cache_dirty(cache), 0);
    ck_assert_uint_eq(linux_cache_writing(cache), 0);
    ck_assert(!disk->mixed);
    for (unsigned i = 0; i < BLOCKS; i++) {
        sent += disk->count[UNIT_WRITE][i];
    }
    ck_assert_uint_le(sent, writes);
    ck_assert_uint_gt(sent, writes / 2);
    linux_cache_free(cache);
    g_free(disk);
    sim_free(sim);
    sim_free(chance);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("linux");
    TCase *tcase = tcase_create("linux");

    tcase_add_test(tcase, neighbours_become_requests_of_128_kib);
    tcase_add_test(tcase, a_full_queue_refuses_and_is_congested_before);
    tcase_add_loop_test(tcase, directions_take_turns_and_nothing_is_lost,
                        0, 10);
    tcase_add_test(tcase, every_written_block_reaches_the_disk_once);
    tcase_add_test(tcase, a_writer_is_held_at_the_dirty_limit);
    tcase_add_test(tcase, a_little_dirt_is_written_at_the_next_commit);
    tcase_add_test(tcase, a_block_written_again_on_its_way_is_sent_again);
    tcase_add_loop_test(tcase, a_sequential_reader_reads_each_block_once,
                        0, 5);
    tcase_add_test(tcase,
                   a_new_file_has_each_map_written_once_and_none_read);
    tcase_add_test(tcase,
                   a_reader_reads_each_map_once_and_before_its_blocks);
    tcase_add_test(tcase, the_least_recently_used_block_makes_room);
    tcase_add_loop_test(tcase,
                        processes_share_the_cache_without_losing_a_block,
                        0, 5);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
