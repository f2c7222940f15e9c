/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload: draws requests.
 */
#include <string.h>

#include "raid-model/sim/workload.h"

static const WorkloadPlan pattern[] = {
    { .rw = "read", .read_percent = 100 },
    { .rw = "write", .read_percent = 0 },
    { .rw = "rw", .read_percent = 50 },
    { .rw = "readwrite", .read_percent = 50 },
    { .rw = "randread", .read_percent = 100, .random = true },
    { .rw = "randwrite", .read_percent = 0, .random = true },
    { .rw = "randrw", .read_percent = 50, .random = true },
};

bool workload_pattern(WorkloadPlan *plan, const char *rw)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(pattern); i++) {
        if (!strcmp(pattern[i].rw, rw)) {
            plan->rw = pattern[i].rw;
            plan->read_percent = pattern[i].read_percent;
            plan->random = pattern[i].random;
            return true;
        }
    }
    return false;
}

void workload_init(Workload *work, const WorkloadPlan *plan, uint64_t seed)
{
    *work = (Workload) {
        .plan = *plan,
        .blocks = plan->sectors / plan->block_sectors,
        .chance = sim_new(seed),
    };
    g_assert(work->blocks);
}

void workload_clear(Workload *work)
{
    sim_free(work->chance);
    work->chance = NULL;
}

void workload_next(Workload *work, UnitOp *op)
{
    const WorkloadPlan *plan = &work->plan;
    bool read = sim_random(work->chance, 100) < plan->read_percent;
    uint64_t block;

    if (plan->random) {
        block = sim_random(work->chance, work->blocks);
    } else {
        block = work->next[read];
        work->next[read] = (block + 1) % work->blocks;
    }
    op->verb = read ? UNIT_READ : UNIT_WRITE;
    op->lba = plan->first_sector + block * plan->block_sectors;
    op->count = plan->block_sectors;
}
