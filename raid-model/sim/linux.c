/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux: the parts put together.
 */
#include <inttypes.h>

#include "raid-model/sim/linux.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"

#define BLOCK_BYTES_MAX 65536

static uint64_t power_of_two_in(uint64_t number)
{
    return number & -number;
}

uint32_t linux_block_bytes(const LinuxAsk *ask, uint64_t call_bytes)
{
    uint64_t ahead = (uint64_t)ask->read_ahead_sectors * DISK_SECTOR_BYTES;
    uint64_t block = MIN(power_of_two_in(call_bytes), BLOCK_BYTES_MAX);

    return ahead ? MIN(block, power_of_two_in(ahead)) : block;
}

static bool check(const LinuxAsk *ask, GError **error)
{
    uint64_t ahead = (uint64_t)ask->read_ahead_sectors * DISK_SECTOR_BYTES;

    if (ask->memory_bytes < LINUX_MEMORY_MIN) {
        return number_error(error, "--memory %" PRIu64 "m: 64m or more would "
                            "be right", ask->memory_bytes >> 20);
    }
    if (ahead % LINUX_PAGE_BYTES || ahead > ask->memory_bytes / 8) {
        return number_error(error, "--read-ahead %u: a multiple of 8 sectors, "
                            "at most an eighth of the memory, would be right",
                            ask->read_ahead_sectors);
    }
    return true;
}

static void send(void *below, HostOp *op)
{
    host_submit(below, op);
}

bool linux_open(Linux *box, const LinuxAsk *ask, uint64_t bytes,
                uint64_t call_bytes, GError **error)
{
    HostPlan plan = { .order = HOST_FIFO };     /* sorted here */
    LinuxCachePlan cache = {
        LINUX_CACHE_DEFAULTS,
        .first_sector = ask->first_sector, .page_ns = ask->page_ns,
        .memory_bytes = ask->memory_bytes,
        .read_ahead_sectors = ask->read_ahead_sectors, .maps = true,
    };
    uint64_t maps = (bytes / LINUX_MAPPED_BYTES + 1) * LINUX_MAP_BYTES;
    uint64_t room;
    int unit;

    *box = (Linux) { .ask = ask };
    if (!check(ask, error)) {
        return false;
    }
    box->rig = rig_new_alike(ask->board, ask->drive, ask->level, ask->members,
                             ask->stripe_bytes, ask->seed, error);
    if (!box->rig) {
        return false;
    }
    unit = rig_first_unit(box->rig);
    room = raid_capacity(raid_unit_shape(raid_controller_unit(box->rig->ctl,
                                                              unit)));
    if (ask->first_sector > room ||
        (bytes + maps) / DISK_SECTOR_BYTES > room - ask->first_sector) {
        number_error(error, "%" PRIu64 " bytes from sector %" PRIu64 " on do "
                     "not fit in the unit's %" PRIu64 " sectors", bytes,
                     ask->first_sector, room);
        rig_free(box->rig);
        return false;
    }
    box->block_bytes = linux_block_bytes(ask, call_bytes);
    cache.block_sectors = box->block_bytes / DISK_SECTOR_BYTES;
    cache.blocks = bytes / box->block_bytes;
    box->host = host_new(box->rig->ctl, unit, &plan);
    box->cache = linux_cache_new(box->rig->sim, &cache, &linux_queue_3w_xxxx,
                                 send, box->host);
    return true;
}

void linux_close(Linux *box)
{
    linux_cache_stop(box->cache);
    while (linux_queue_on_card(linux_cache_queue(box->cache)) &&
           sim_step(box->rig->sim)) {
    }
    linux_cache_free(box->cache);
    host_free(box->host);
    rig_free(box->rig);
}

void linux_step(Linux *box, double share_done)
{
    bool any = sim_step(box->rig->sim);

    g_assert(any);
    if (++box->steps % 4096 == 0 && box->ask->progress) {
        progress_show(box->ask->progress, share_done);
        box->interrupted = box->interrupted || progress_interrupted();
    }
}

SimTime linux_now(const Linux *box)
{
    return sim_now(box->rig->sim);
}
