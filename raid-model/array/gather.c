/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gather: chooses and copies.
 *
 * One that is chosen passes those that are not: it must not overlap any of
 * them that stands before it, whether that one runs or waits.  What is in
 * the way is kept as one range of offsets, which may be a little too long.
 */
#include "raid-model/array/gather.h"

#include <string.h>

#define CHOSEN_MAX 256          /* a card has no more commands */

typedef struct Choice {
    RowOp *row[CHOSEN_MAX];
    unsigned rows;
    uint64_t low, high;         /* unit LBAs, all of them */
    uint64_t sectors;           /* the sum */
} Choice;

static bool may_join(const RowOp *row)
{
    return row->verb == ROW_WRITE && row->phase == ROW_WAITING &&
           !row->alone;
}

static bool goes_on(const Choice *choice, const RowOp *row)
{
    return row->lba <= choice->high && choice->low <= row->end;
}

static void choose(Choice *choice, const RowOp *leader, const GQueue *bucket,
                   bool any)
{
    uint32_t low = UINT32_MAX, high = 0;        /* in the way */

    *choice = (Choice) { .low = leader->lba, .high = leader->end };
    for (GList *l = bucket->head; l && choice->rows < CHOSEN_MAX;
         l = l->next) {
        RowOp *row = l->data;
        bool free = row->high <= low || high <= row->low;

        if (row->row != leader->row) {
            continue;
        }
        if (row == leader ||
            (may_join(row) && free && (any || goes_on(choice, row)))) {
            choice->row[choice->rows++] = row;
            choice->low = MIN(choice->low, row->lba);
            choice->high = MAX(choice->high, row->end);
            choice->sectors += row->end - row->lba;
        } else {
            low = MIN(low, row->low);
            high = MAX(high, row->high);
        }
    }
}

static bool is_without_gaps(const Choice *choice)
{
    uint64_t known = choice->low, before;

    do {
        before = known;
        for (unsigned i = 0; i < choice->rows; i++) {
            if (choice->row[i]->lba <= known) {
                known = MAX(known, choice->row[i]->end);
            }
        }
    } while (known > before);
    return known == choice->high;
}

static bool covers_row(const Choice *choice, const RowOp *leader)
{
    uint64_t sectors = raid_row_sectors(&leader->rows->shape);

    return choice->sectors >= sectors &&
           choice->high - choice->low == sectors && is_without_gaps(choice);
}

static RowOp *carry(const Choice *choice, RaidRows *rows)
{
    RowOp *one = raid_row_take(rows);

    one->verb = ROW_WRITE;
    one->own_bytes = (choice->high - choice->low) * DISK_SECTOR_BYTES;
    raid_row_set(one, choice->low, choice->high,
                 raid_pool_take(&rows->pool, one->own_bytes));
    for (unsigned i = 0; i < choice->rows; i++) {
        RowOp *row = choice->row[i];

        memcpy(one->buf + (row->lba - one->lba) * DISK_SECTOR_BYTES,
               row->buf, (row->end - row->lba) * DISK_SECTOR_BYTES);
        one->flags |= row->flags;
        row->phase = ROW_CARRIED;
        if (row->line) {
            sim_queue_unlink(row->line, &row->turn_link);
            row->line = NULL;
        }
        sim_queue_push_tail(&one->carried, &row->turn_link);
    }
    return one;
}

RowOp *raid_gather(RowOp *leader, const GQueue *bucket)
{
    RaidGathers how = leader->rows->card->gathers_rows;
    Choice choice;

    if (how == RAID_GATHERS_NONE || bucket->length < 2 || leader->alone) {
        return NULL;
    }
    choose(&choice, leader, bucket, true);
    if (choice.rows > 1 && covers_row(&choice, leader)) {
        return carry(&choice, leader->rows);
    }
    if (how == RAID_GATHERS_WRITES) {
        choose(&choice, leader, bucket, false);
        if (choice.rows > 1) {
            return carry(&choice, leader->rows);
        }
    }
    return NULL;
}

void raid_run_take_up(RaidRun *run, const RowOp *row)
{
    *run = (RaidRun) {
        .whole = row->end - row->lba ==
                 raid_row_sectors(&row->rows->shape),
        .next = row->end, .under_way = row,
    };
}

void raid_run_end(RaidRun *run, const RowOp *row, SimTime now)
{
    if (run->under_way == row) {
        run->under_way = NULL;
        run->ended = now;
    }
}

SimTime raid_run_lets_go(const RaidRun *run, const RowOp *leader,
                         const RowOp *youngest, const GQueue *bucket)
{
    SimTime wait = leader->rows->card->row_wait_ns;
    Choice choice;

    if (!wait || !run->whole || leader->lba != run->next ||
        youngest->row != leader->row) {
        return 0;
    }
    choose(&choice, leader, bucket, true);
    if (covers_row(&choice, leader)) {
        return 0;
    }
    return run->under_way ? SIM_NEVER : run->ended + wait;
}
