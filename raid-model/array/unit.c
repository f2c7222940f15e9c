/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit - splits ops into rows and orders rows that overlap.
 *
 * A RowOp stands in its bucket (rows by number) in order of arrival and may
 * start when nothing before it in the bucket conflicts: same row,
 * overlapping range, at least one writer.  Counting those that still wait
 * among "before" is what keeps a writer from starving behind readers.
 *
 *   submit --> cut --> bucket --> runnable --> stripe.c --> over --> retire
 *                ^                   ^                                |  |
 *                |                   +-- those it was in the way of --+  |
 *                +-- next rows of the op --- or the op is done() --------+
 *
 * The two lists in the middle are worked off in unit_take_turns(), one at a
 * time and never nested, so done() may submit and even reset.
 *
 * Row writes of a RAID 5 whose card has few places for them in its memory
 * stand in for_memory and not in runnable: they are taken up in the order
 * they came, each when it has a place and its row is free, so a stream is
 * written as it goes on (inferred: sequential writes on a 6400 are as fast
 * with 256 outstanding as with 4, StorageReview 2001).  When one is taken
 * up, gather.c may make it one with others that wait for the row, which are
 * CARRIED until that one ends.  If a sector could not be read for it they go
 * alone and at once, for an honest answer.
 */
#include "raid-model/array/unit-private.h"

#include <stddef.h>

#define WINDOW_ROWS 32          /* of one op at a time */

static const char *const verb_words[] = {
    [UNIT_READ] = "read", [UNIT_WRITE] = "write", [UNIT_FLUSH] = "flush",
};

/* --- the end of an op ---------------------------------------------------- */

static void end_op(UnitOp *op, UnitStatus status)
{
    RaidUnit *unit = op->unit;

    sim_cancel(unit->sim, &op->ev);
    sim_queue_unlink(&unit->ops, &op->link);
    op->unit = NULL;
    op->status = status;
    sim_trace(unit->sim, SIM_TRACE_UNIT_OP, verb_words[op->verb],
              unit->number, op->verb, op->lba, op->count,
              sim_now(unit->sim) - op->asked, op->status);
    op->done(op);
}

static void complete(UnitOp *op, UnitStatus status)
{
    if (op->unit->held && op->verb != UNIT_READ) {
        op->status = status;
        op->held = true;
    } else {
        end_op(op, status);
    }
}

static void answer(SimEvent *ev)
{
    UnitOp *op = (UnitOp *)((char *)ev - offsetof(UnitOp, ev));

    complete(op, op->status);
}

static void answer_later(UnitOp *op, UnitStatus status, SimTime after)
{
    op->status = status;
    op->ev.fire = answer;
    sim_after(op->unit->sim, &op->ev, after);
}

void raid_unit_hold(RaidUnit *unit, bool hold)
{
    unit->held = hold;
    for (GList *l = hold ? NULL : unit->ops.head; l; l = l->next) {
        UnitOp *op = l->data;

        if (op->held) {
            op->held = false;
            answer_later(op, op->status, 0);
        }
    }
}

/* --- locks --------------------------------------------------------------- */

static GQueue *bucket_of(RaidUnit *unit, const RowOp *row)
{
    return &unit->bucket[row->row % UNIT_BUCKETS];
}

/* A repair writes what is there. */
static bool row_only_reads(const RowOp *row)
{
    return row->verb == ROW_READ || row->verb == ROW_VERIFY;
}

static bool rows_conflict(const RowOp *a, const RowOp *b)
{
    return a->row == b->row && a->low < b->high && b->low < a->high &&
           !(row_only_reads(a) && row_only_reads(b));
}

static bool row_may_start(const RowOp *row)
{
    for (GList *l = row->bucket_link.prev; l; l = l->prev) {
        if (rows_conflict(row, l->data)) {
            return false;
        }
    }
    return true;
}

static void stand_in_line(RowOp *row, GQueue *line)
{
    row->line = line;
    sim_queue_push_tail(line, &row->turn_link);
}

static RowOp *next_in_line(GQueue *line)
{
    GList *link = sim_queue_pop_head(line);
    RowOp *row = link ? link->data : NULL;

    if (row) {
        row->line = NULL;
    }
    return row;
}

/* `unlocked` has just left the bucket; `next` stood behind it. */
static void let_others_start(RaidUnit *unit, const RowOp *unlocked,
                             GList *next)
{
    for (GList *l = next; l; l = l->next) {
        RowOp *row = l->data;

        if (row->phase == ROW_WAITING && !row->line &&
            rows_conflict(row, unlocked) && row_may_start(row)) {
            stand_in_line(row, &unit->runnable);
        }
    }
}

/* --- cutting ------------------------------------------------------------- */

static bool op_has_rows_left(const UnitOp *op)
{
    return op->next_lba < op->lba + op->count;
}

static RowOp *cut_next_row(RaidUnit *unit, UnitOp *op)
{
    const RaidShape *shape = &unit->rows.shape;
    uint64_t lba = op->next_lba;
    uint64_t row_sectors = raid_row_sectors(shape);
    uint64_t row_end = lba - lba % row_sectors + row_sectors;
    uint32_t piece = unit->rows.card->drive_sectors_max;
    RowOp *row = raid_row_take(&unit->rows);

    if (piece && raid_row_data(shape) == 1) {
        row_end = MIN(row_end, lba + piece);
    }
    row->op = op;
    row->verb = (RowVerb)op->verb;
    row->flags = op->flags;
    op->next_lba = MIN(op->lba + op->count, row_end);
    raid_row_set(row, lba, op->next_lba,
                 (uint8_t *)op->buf + (lba - op->lba) * DISK_SECTOR_BYTES);
    return row;
}

static bool needs_memory(const RowOp *row)
{
    const RaidShape *shape = &row->rows->shape;

    return row->verb == ROW_WRITE && shape->level->row_redundant &&
           raid_row_data(shape) > 1;
}

void unit_enter_row(RaidUnit *unit, RowOp *row)
{
    sim_queue_push_tail(&unit->all, &row->all_link);
    if (row->verb != ROW_FLUSH) {
        sim_queue_push_tail(bucket_of(unit, row), &row->bucket_link);
    }
    if (needs_memory(row) && unit->rows.card->row_writes_max) {
        stand_in_line(row, &unit->for_memory);
    } else if (row->verb == ROW_FLUSH || row_may_start(row)) {
        stand_in_line(row, &unit->runnable);
    }
}

static void fill_window(RaidUnit *unit, UnitOp *op)
{
    while (op->status == UNIT_OK && op_has_rows_left(op) &&
           op->bands < WINDOW_ROWS) {
        op->bands++;
        unit_enter_row(unit, cut_next_row(unit, op));
    }
}

/* --- turns --------------------------------------------------------------- */

/* The worst of its rows is the op's answer; of bad LBAs, the lowest. */
static void account(UnitOp *op, const RowOp *row)
{
    if (row->status == UNIT_MEDIUM_ERROR) {
        op->bad_lba = MIN(op->bad_lba, row->bad_lba);
    }
    if (row->status != UNIT_OK && op->status != UNIT_OFFLINE) {
        op->status = row->status;
    }
}

/* In order of arrival: one whose turn it is may hold up others until its
 * row is free. */
static RowOp *next_for_memory(RaidUnit *unit)
{
    GQueue *line = &unit->for_memory;
    RowOp *row = line->head ? line->head->data : NULL;
    SimTime when;

    if (!row || unit->row_writes >= unit->rows.card->row_writes_max ||
        !row_may_start(row)) {
        return NULL;
    }
    when = raid_run_lets_go(&unit->run, row, line->tail->data,
                            bucket_of(unit, row));
    if (when <= sim_now(unit->sim)) {
        sim_cancel(unit->sim, &unit->run_over);
        return next_in_line(line);
    }
    sim_at(unit->sim, &unit->run_over, when);
    return NULL;
}

static void start_row_write(RaidUnit *unit, RowOp *row)
{
    RowOp *one = raid_gather(row, bucket_of(unit, row));

    unit->row_writes++;
    if (one) {
        sim_queue_push_tail(&unit->all, &one->all_link);
        row = one;
    }
    row->has_memory = true;
    raid_run_take_up(&unit->run, row);
    raid_row_start(row);
}

static void start_row(RaidUnit *unit, RowOp *row)
{
    if (needs_memory(row)) {
        start_row_write(unit, row);
    } else {
        raid_row_start(row);
    }
}

static void give_row(RaidUnit *unit, RowOp *row)
{
    unit->row_writes -= row->has_memory;
    row->has_memory = false;
    raid_run_end(&unit->run, row, sim_now(unit->sim));
    raid_row_give(row);
}

/* One that was carried out for others. */
static void retire_one(RaidUnit *unit, RowOp *one)
{
    GList *link;

    sim_queue_unlink(&unit->all, &one->all_link);
    while ((link = sim_queue_pop_head(&one->carried))) {
        RowOp *row = link->data;

        if (one->status == UNIT_MEDIUM_ERROR) {
            row->phase = ROW_WAITING;
            row->alone = true;
            if (row_may_start(row)) {
                stand_in_line(row, &unit->runnable);
            }
        } else {
            row->phase = ROW_ENDED;
            row->status = one->status;
            sim_queue_push_tail(&unit->over, link);
        }
    }
    give_row(unit, one);
}

static void leave_row(RaidUnit *unit, RowOp *row)
{
    GList *next = row->bucket_link.next;

    sim_queue_unlink(&unit->all, &row->all_link);
    if (row->verb != ROW_FLUSH) {
        sim_queue_unlink(bucket_of(unit, row), &row->bucket_link);
        let_others_start(unit, row, next);
    }
}

void unit_retire_row(RaidUnit *unit, RowOp *row)
{
    leave_row(unit, row);
    give_row(unit, row);
}

static void retire_share(RaidUnit *unit, RowOp *row)
{
    UnitOp *op = row->op;
    SimTime after = needs_memory(row) ? unit->rows.card->row_answer_ns : 0;

    account(op, row);
    op->bands--;
    unit_retire_row(unit, row);
    if (op_has_rows_left(op)) {
        fill_window(unit, op);
    }
    if (op->bands) {
        return;
    }
    if (unit->in_submit || after) {
        answer_later(op, op->status, after);
    } else {
        complete(op, op->status);
    }
}

static void end_turn(RaidUnit *unit, RowOp *row)
{
    if (row->op) {
        retire_share(unit, row);
    } else if (row->task) {
        unit_task_row_over(unit, row);
    } else {
        retire_one(unit, row);
    }
}

void unit_take_turns(RaidUnit *unit)
{
    RowOp *row;

    if (unit->in_turns) {
        return;
    }
    unit->in_turns = true;
    for (;;) {
        if ((row = next_for_memory(unit))) {
            start_row_write(unit, row);
        } else if ((row = next_in_line(&unit->runnable))) {
            start_row(unit, row);
        } else if ((row = next_in_line(&unit->over))) {
            end_turn(unit, row);
        } else {
            break;
        }
    }
    unit->in_turns = false;
}

void unit_run_over(SimEvent *ev)
{
    unit_take_turns((RaidUnit *)((char *)ev - offsetof(RaidUnit, run_over)));
}

/* Its place in the card's memory is free; should it have another step, that
 * one goes without. */
void unit_row_sent(RowOp *row)
{
    RaidUnit *unit = (RaidUnit *)row->rows;

    if (!unit->rows.resetting) {
        unit->row_writes--;
        row->has_memory = false;
        unit_take_turns(unit);
    }
}

void unit_row_ended(RowOp *row)
{
    RaidUnit *unit = (RaidUnit *)row->rows;

    if (!unit->rows.resetting) {
        sim_queue_push_tail(&unit->over, &row->turn_link);
        unit_take_turns(unit);
    }
}

/* --- the outside --------------------------------------------------------- */

static bool op_is_in_range(const RaidUnit *unit, const UnitOp *op)
{
    uint64_t capacity = raid_capacity(&unit->rows.shape);

    return op->verb == UNIT_FLUSH ||
           (op->lba <= capacity && op->count <= capacity - op->lba);
}

void raid_unit_submit(RaidUnit *unit, UnitOp *op)
{
    bool nested = unit->in_submit;

    g_assert(!unit->rows.resetting && op->done);
    op->status = UNIT_OK;
    op->bad_lba = UINT64_MAX;
    op->link = (GList) { .data = op };
    op->unit = unit;
    op->next_lba = op->lba;
    op->bands = 0;
    op->held = false;
    op->asked = sim_now(unit->sim);
    sim_queue_push_tail(&unit->ops, &op->link);

    if (unit->state == RAID_UNIT_INOPERABLE) {
        answer_later(op, UNIT_OFFLINE, 0);
    } else if (!op_is_in_range(unit, op)) {
        answer_later(op, UNIT_OUT_OF_RANGE, 0);
    } else if (op->verb == UNIT_FLUSH) {
        RowOp *row = raid_row_take(&unit->rows);

        row->op = op;
        row->verb = ROW_FLUSH;
        op->next_lba = op->lba + op->count;
        op->bands++;
        unit_enter_row(unit, row);
    } else if (op->count == 0) {
        answer_later(op, UNIT_OK, 0);
    } else {
        fill_window(unit, op);
    }
    unit->in_submit = true;
    unit_take_turns(unit);
    unit->in_submit = nested;
}

bool raid_unit_is_idle(const RaidUnit *unit)
{
    return !unit->ops.head;
}

/* --- ends ---------------------------------------------------------------- */

static void end_row_now(RaidUnit *unit, RowOp *row, bool carry_through)
{
    if (raid_row_is_under_way(row)) {
        raid_row_reset(row, carry_through);
    }
    sim_queue_unlink(&unit->all, &row->all_link);
    g_queue_init(&row->carried);
    row->line = NULL;
    row->bucket_link = row->turn_link = (GList) { .data = row };
    give_row(unit, row);
}

void unit_end_all(RaidUnit *unit, bool carry_through)
{
    GList *link;

    g_queue_init(&unit->runnable);
    g_queue_init(&unit->over);
    g_queue_init(&unit->for_memory);
    sim_cancel(unit->sim, &unit->run_over);
    while ((link = unit->all.head)) {
        end_row_now(unit, link->data, carry_through);
    }
    for (unsigned i = 0; i < UNIT_BUCKETS; i++) {
        g_queue_init(&unit->bucket[i]);
    }
    while ((link = unit->ops.head)) {
        end_op(link->data, UNIT_ABORTED);
    }
}
