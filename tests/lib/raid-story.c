/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raid story - ops asked of a unit on a bench.
 */
#include <string.h>

#include "tests/lib/raid-story.h"
#include "tests/lib/unit.h"

#define OP_SECTORS_MAX 3000

static const RaidCard cards[STORY_CARDS] = {
    { 0 },
    {
        .lane_order = RAID_LANE_CLOOK, .lane_committed = 2, .lane_window = 3,
        .to_drives.bytes_per_s = 20000000,
        .from_drives.bytes_per_s = 30000000,
        .row_writes_max = 1, .gathers_rows = RAID_GATHERS_FULL_ROWS,
        .xor.bytes_per_s = 40000000, .xor_row_ns = SIM_US(50),
        .row_wait_ns = SIM_MS(3), .row_answer_ns = SIM_US(400),
    }, {
        .lane_order = RAID_LANE_CLOOK, .lane_committed = 1,
        .row_writes_max = 2, .gathers_rows = RAID_GATHERS_WRITES,
    },
};

Story *story_on_card(Story *story, unsigned card)
{
    story->bench->card = cards[card];
    return story;
}

bool shape_can_lose(const Shape *shape)
{
    return raid_level[shape->code].row_redundant;
}

bool story_overlap(const UnitOp *op, uint64_t lba, uint32_t count)
{
    return op->lba < lba + count && lba < op->lba + op->count;
}

static void op_done(UnitOp *op)
{
    Asked *asked = op->opaque;
    Story *story = asked->story;

    unit_holds(!story->in_submit && asked->busy);
    asked->busy = false;
    story->ended++;
    if (op->status != UNIT_OK) {
        story->bad++;
        story->status = op->status;
    } else if (op->verb == UNIT_READ) {
        unit_holds(memcmp(asked->data,
                          story->bench->flat + op->lba * DISK_SECTOR_BYTES,
                          op->count * DISK_SECTOR_BYTES) == 0);
    }
}

void story_submit(Story *story, Asked *asked)
{
    story->in_submit = true;
    if (story->submit) {
        story->submit(story->submit_opaque, &asked->op);
    } else {
        raid_unit_submit(story->bench->unit, &asked->op);
    }
    story->in_submit = false;
}

void story_ask(Story *story, Asked *asked, UnitVerb verb, uint64_t lba,
                uint32_t count)
{
    RaidBench *bench = story->bench;

    g_free(asked->memory);
    asked->memory = g_malloc((size_t)count * DISK_SECTOR_BYTES + 64);
    asked->data = asked->memory + (raid_bench_random(bench, 2)
                                   ? raid_bench_random(bench, 64) : 0);
    asked->story = story;
    asked->busy = true;
    asked->op = (UnitOp) {
        .verb = verb, .lba = lba, .count = count, .buf = asked->data,
        .done = op_done, .opaque = asked,
    };
    if (verb == UNIT_WRITE) {
        raid_bench_fill(bench, asked->data,
                        (size_t)count * DISK_SECTOR_BYTES);
    }
    story_submit(story, asked);
}

void story_drain(Story *story)
{
    while (sim_step(story->bench->sim)) {
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        unit_holds(!story->asked[i].busy);
    }
}

Story *story_on(RaidBench *bench)
{
    Story *story = g_new0(Story, 1);

    story->bench = bench;
    raid_bench_format(bench);
    return story;
}

Story *story_new(const Shape *shape, uint32_t missing, uint32_t seed)
{
    return story_on(raid_bench_new(shape->code, shape->members,
                                   shape->stripe, missing, seed));
}

void story_free(Story *story)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        g_free(story->asked[i].memory);
    }
    raid_bench_free(story->bench);
    g_free(story);
}

static bool sector_is_from(const UnitOp *op, uint64_t lba,
                           const uint8_t *sector)
{
    return op->lba <= lba && lba < op->lba + op->count &&
           memcmp(sector, (uint8_t *)op->buf +
                  (lba - op->lba) * DISK_SECTOR_BYTES,
                  DISK_SECTOR_BYTES) == 0;
}

void story_check_from_somebody(const Story *story, const uint8_t *contents,
                                bool old_is_fine)
{
    for (uint64_t lba = 0; lba < story->bench->capacity; lba++) {
        const uint8_t *sector = contents + lba * DISK_SECTOR_BYTES;
        bool covered = false, found = false;

        for (unsigned i = 0; i < SLOTS; i++) {
            const UnitOp *op = &story->asked[i].op;

            if (op->verb == UNIT_WRITE && op->count) {
                covered |= story_overlap(op, lba, 1);
                found |= sector_is_from(op, lba, sector);
            }
        }
        if (!covered || (!found && old_is_fine)) {
            found = memcmp(sector, story->bench->flat +
                           lba * DISK_SECTOR_BYTES, DISK_SECTOR_BYTES) == 0;
        }
        unit_holds(found);
    }
}

/* --- stories ------------------------------------------------------------- */

/* Mostly small, some over several rows; often near the one before. */
static void choose_span(RaidBench *bench, uint64_t *lba, uint32_t *count)
{
    uint32_t most = raid_bench_random(bench, 4)
        ? 40 : MIN(OP_SECTORS_MAX, (uint32_t)bench->capacity / 3);

    *count = 1 + raid_bench_random(bench, most);
    *lba = raid_bench_random(bench, 3)
        ? raid_bench_random(bench, (uint32_t)(bench->capacity - *count + 1))
        : raid_bench_random(bench, 600);
    if (raid_bench_random(bench, 40) == 0) {
        *lba = bench->capacity - *count;
    }
}

static bool clashes(const Story *story, UnitVerb verb, uint64_t lba,
                    uint32_t count)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        const Asked *other = &story->asked[i];

        if (other->busy && other->op.verb != UNIT_FLUSH &&
            (verb == UNIT_WRITE || other->op.verb == UNIT_WRITE) &&
            story_overlap(&other->op, lba, count)) {
            return true;
        }
    }
    return false;
}

void story_ask_something(Story *story, Asked *asked)
{
    RaidBench *bench = story->bench;
    UnitVerb verb = raid_bench_random(bench, 5) < 3 ? UNIT_WRITE : UNIT_READ;
    uint64_t lba;
    uint32_t count;

    if (raid_bench_random(bench, 30) == 0) {
        story_ask(story, asked, UNIT_FLUSH, 0, 0);
        return;
    }
    do {
        choose_span(bench, &lba, &count);
    } while (clashes(story, verb, lba, count));
    story_ask(story, asked, verb, lba, count);
    if (verb == UNIT_WRITE) {
        memcpy(bench->flat + lba * DISK_SECTOR_BYTES, asked->data,
               (size_t)count * DISK_SECTOR_BYTES);
    }
}

void story_tell(Story *story, unsigned ops, int pull)
{
    RaidBench *bench = story->bench;

    for (unsigned n = 0; n < ops; n++) {
        Asked *asked = &story->asked[raid_bench_random(bench, SLOTS)];

        while (asked->busy) {
            unit_holds(sim_step(bench->sim));
        }
        story_ask_something(story, asked);
        if (pull >= 0 && n == ops / 2) {
            raid_bench_pull(bench, (unsigned)pull);
        }
    }
    story_drain(story);
}

void story_read_all_back(Story *story)
{
    RaidBench *bench = story->bench;
    uint32_t step = 16384;

    for (uint64_t lba = 0; lba < bench->capacity; lba += step) {
        story_ask(story, &story->asked[0], UNIT_READ, lba,
            (uint32_t)MIN(step, bench->capacity - lba));
        story_drain(story);
    }
}
