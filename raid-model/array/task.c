/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task - rows of a unit that nobody asked for: rebuild, verify, initialise.
 *
 *   turn --> take up rows, as many as may be in hand --> (unit.c, stripe.c)
 *    ^                                                        |
 *    +---- a rest, if hosts have ops there ---- row over -----+
 *    |                                                        |
 *    +---- told <-- drives flushed <-- checkpoint is due -----+
 *
 * A task that ends leaves rows in hand behind; they know its number, and go
 * their way without effect on the next.
 */
#include "raid-model/array/unit-private.h"

#include <stddef.h>

#define IN_HAND_ALONE 2         /* guess: rows, when no host has ops there */
#define IN_HAND_SHARED 1        /* guess: when one has */
#define CHECKPOINTS 100         /* guess: of a task */
#define REST_MAX SIM_S(2)       /* guess */

/* Per cent of the time, by rate; guesses. */
static const unsigned share[RAID_TASK_RATES] = { 80, 60, 40, 20, 10 };

static const RowVerb row_verb[] = {
    [RAID_TASK_REBUILD] = ROW_REBUILD,
    [RAID_TASK_VERIFY] = ROW_VERIFY,
    [RAID_TASK_INIT] = ROW_INIT,
};

/* --- how far, how fast --------------------------------------------------- */

uint64_t raid_task_row_sectors(const RaidShape *shape)
{
    return shape->level->striped ? (uint64_t)raid_row_data(shape) *
                                   raid_chunk_sectors(shape)
                                 : RAID_TASK_PIECE_SECTORS;
}

uint64_t raid_task_rows(const RaidShape *shape)
{
    uint64_t sectors = raid_task_row_sectors(shape);

    return (raid_capacity(shape) + sectors - 1) / sectors;
}

static bool row_is_done(const RaidTask *task, uint64_t row)
{
    uint64_t ahead = row - task->state.row;

    return row < task->state.row ||
           (ahead < RAID_TASK_WINDOW && task->done >> ahead & 1);
}

RaidTaskCover raid_task_covers(const RaidTask *task, const RaidShape *shape,
                               uint64_t lba, uint64_t end)
{
    uint64_t sectors = raid_task_row_sectors(shape);
    uint64_t first = lba / sectors, last = (end - 1) / sectors;
    uint64_t row = task->state.row, behind = row + RAID_TASK_WINDOW;
    bool some = first < row, all = last < behind;

    for (uint64_t i = MAX(first, row); i <= last && i < behind; i++) {
        bool done = row_is_done(task, i);

        some = some || done;
        all = all && done;
    }
    return all ? RAID_TASK_COVERS_ALL
               : some ? RAID_TASK_COVERS_SOME : RAID_TASK_COVERS_NONE;
}

SimTime raid_task_rest_ns(unsigned rate, SimTime took)
{
    unsigned percent;

    g_assert(rate >= 1 && rate <= RAID_TASK_RATES);
    percent = share[rate - 1];
    return MIN(took / percent * (100 - percent), REST_MAX);
}

/* --- a row's way --------------------------------------------------------- */

static void tell(RaidUnit *unit, RaidTaskNews news, unsigned member)
{
    if (unit->listener->task) {
        unit->listener->task(unit->opaque, unit, news, member);
    }
}

static void turn_after(RaidUnit *unit, SimTime delay)
{
    SimEvent *turn = &unit->rows.task.turn;

    if (!sim_pending(turn)) {
        sim_after(unit->sim, turn, delay);
    }
}

/* Whether the row has something of it to do: a pair knows its own rows. */
static bool row_matters(const RaidUnit *unit, uint64_t row)
{
    const RaidTaskState *state = &unit->rows.task.state;
    const RaidShape *shape = &unit->rows.shape;
    unsigned slot;

    return state->kind != RAID_TASK_REBUILD || !shape->level->striped ||
           raid_slot(shape, row, state->member, &slot);
}

static void note_done(RaidTask *task, uint64_t row)
{
    task->done |= UINT64_C(1) << (row - task->state.row);
    while (task->done & 1) {
        task->done >>= 1;
        task->state.row++;
    }
}

static RowOp *new_row(RaidUnit *unit, RowVerb verb)
{
    RaidTask *task = &unit->rows.task;
    RowOp *row = raid_row_take(&unit->rows);

    row->verb = verb;
    row->task = task->number;
    row->target = task->state.member;
    row->taken_up = sim_now(unit->sim);
    task->in_hand++;
    return row;
}

static void take_up_row(RaidUnit *unit, uint64_t task_row)
{
    const RaidShape *shape = &unit->rows.shape;
    uint64_t sectors = raid_task_row_sectors(shape);
    uint64_t lba = task_row * sectors;
    uint64_t end = MIN(lba + sectors, raid_capacity(shape));
    RowOp *row = new_row(unit, row_verb[unit->rows.task.state.kind]);

    row->task_row = task_row;
    row->own_bytes = (end - lba) * DISK_SECTOR_BYTES;
    raid_row_set(row, lba, end,
                 raid_pool_take(&unit->rows.pool, row->own_bytes));
    unit_enter_row(unit, row);
}

static bool checkpoint_is_due(const RaidTask *task)
{
    const RaidTaskState *state = &task->state;

    return state->row == state->rows ||
           state->row - task->told > state->rows / CHECKPOINTS;
}

static bool may_take_up(const RaidUnit *unit)
{
    const RaidTask *task = &unit->rows.task;

    return task->in_hand < (unit->ops.head ? IN_HAND_SHARED : IN_HAND_ALONE) &&
           task->next < task->state.rows &&
           task->next < task->state.row + RAID_TASK_WINDOW;
}

static void take_up_rows(RaidUnit *unit)
{
    RaidTask *task = &unit->rows.task;

    while (!checkpoint_is_due(task) && may_take_up(unit)) {
        uint64_t row = task->next++;

        if (row_is_done(task, row)) {
            continue;           /* before a reset */
        }
        if (row_matters(unit, row)) {
            take_up_row(unit, row);
        } else {
            note_done(task, row);
        }
    }
    if (checkpoint_is_due(task) && !task->in_hand) {
        unit_enter_row(unit, new_row(unit, ROW_FLUSH));
    }
    unit_take_turns(unit);
}

static void task_turn(SimEvent *ev)
{
    RaidRows *rows = (RaidRows *)((char *)ev - offsetof(RaidRows, task.turn));
    RaidTaskState *state = &rows->task.state;

    if (state->kind != RAID_TASK_NONE && !state->paused) {
        take_up_rows((RaidUnit *)rows);
    }
}

/* --- ends ---------------------------------------------------------------- */

static void forget(RaidUnit *unit)
{
    RaidTask *task = &unit->rows.task;

    sim_cancel(unit->sim, &task->turn);
    task->state = (RaidTaskState) { .kind = RAID_TASK_NONE };
    task->done = 0;
    task->in_hand = 0;
}

/* The listener may have ended it, or begun another. */
static bool is_still(const RaidUnit *unit, unsigned number)
{
    const RaidTask *task = &unit->rows.task;

    return task->state.kind != RAID_TASK_NONE && task->number == number;
}

/* What is told of the end is told while it can still be looked at. */
static void end_task(RaidUnit *unit, RaidTaskNews news)
{
    RaidTask *task = &unit->rows.task;
    RaidTaskState was = task->state;

    if (news == RAID_TASK_DONE && was.kind == RAID_TASK_REBUILD) {
        unit->rows.good |= 1u << was.member;
    }
    forget(unit);
    unit_note_state(unit);
    tell(unit, news, was.member);
}

static void flushed(RaidUnit *unit)
{
    RaidTask *task = &unit->rows.task;

    task->told = task->state.row;
    if (task->state.row == task->state.rows) {
        end_task(unit, RAID_TASK_DONE);
        return;
    }
    tell(unit, RAID_TASK_CHECKPOINT, task->state.member);
}

static void row_went_well(RaidUnit *unit, uint64_t task_row, bool agrees)
{
    RaidTask *task = &unit->rows.task;

    note_done(task, task_row);
    if (!agrees) {
        task->state.mismatches++;
        tell(unit, RAID_TASK_MISMATCH, task->state.member);
    }
}

static void fail(RaidUnit *unit, UnitStatus status, unsigned bad_member)
{
    unsigned number = unit->rows.task.number;

    if (status == UNIT_MEDIUM_ERROR) {
        tell(unit, RAID_TASK_SOURCE_BAD, bad_member);
    }
    if (is_still(unit, number)) {
        end_task(unit, RAID_TASK_FAILED);
    }
}

void unit_task_row_over(RaidUnit *unit, RowOp *row)
{
    RaidTask *task = &unit->rows.task;
    unsigned number = row->task;
    bool busy = unit->ops.head;
    SimTime took = sim_now(unit->sim) - row->taken_up;
    RowOp was = *row;

    unit_retire_row(unit, row);
    if (!is_still(unit, number)) {
        return;
    }
    task->in_hand--;
    if (was.status != UNIT_OK) {
        fail(unit, was.status, was.bad_member);
    } else if (was.verb == ROW_FLUSH) {
        flushed(unit);
    } else {
        row_went_well(unit, was.task_row, was.agrees);
    }
    if (is_still(unit, number)) {
        turn_after(unit, busy ? raid_task_rest_ns(task->rate, took) : 0);
    }
}

void unit_task_was_reset(RaidUnit *unit)
{
    RaidTask *task = &unit->rows.task;

    if (task->state.kind != RAID_TASK_NONE) {
        task->in_hand = 0;
        task->next = task->state.row;
        turn_after(unit, 0);
    }
}

/* A rebuild of another pair's member goes on. */
void unit_task_lost_member(RaidUnit *unit, unsigned member)
{
    const RaidTaskState *state = &unit->rows.task.state;

    if (state->kind != RAID_TASK_NONE &&
        (state->kind != RAID_TASK_REBUILD || state->member == member ||
         unit->state == RAID_UNIT_INOPERABLE)) {
        end_task(unit, RAID_TASK_FAILED);
    }
}

void unit_task_overwrote(RaidUnit *unit, unsigned member)
{
    tell(unit, RAID_TASK_OVERWROTE, member);
}

void unit_task_init(RaidUnit *unit)
{
    unit->rows.task.rate = 3;
    unit->rows.task.turn.fire = task_turn;
}

/* --- the outside --------------------------------------------------------- */

static bool state_allows(const RaidUnit *unit, RaidTaskKind kind,
                         unsigned member)
{
    switch (kind) {
    case RAID_TASK_REBUILD:
        return unit->state != RAID_UNIT_INOPERABLE &&
               raid_unit_member_stale(unit, member);
    case RAID_TASK_INIT:
        return unit->state == RAID_UNIT_OK &&
               unit->rows.shape.level->row_redundant;
    case RAID_TASK_VERIFY:
        return unit->state == RAID_UNIT_OK;
    case RAID_TASK_NONE:
        break;
    }
    return false;
}

bool raid_unit_task_start(RaidUnit *unit, RaidTaskKind kind, unsigned member,
                          uint64_t from_row)
{
    RaidTask *task = &unit->rows.task;
    uint64_t rows = raid_task_rows(&unit->rows.shape);

    if (task->state.kind != RAID_TASK_NONE || from_row > rows ||
        !state_allows(unit, kind, member)) {
        return false;
    }
    task->state = (RaidTaskState) {
        .kind = kind, .row = from_row, .rows = rows,
        .member = kind == RAID_TASK_REBUILD ? member : 0,
    };
    task->number++;
    task->next = task->told = from_row;
    task->done = 0;
    task->in_hand = 0;
    turn_after(unit, 0);
    tell(unit, RAID_TASK_STARTED, task->state.member);
    return true;
}

void raid_unit_task_pause(RaidUnit *unit, bool paused)
{
    RaidTaskState *state = &unit->rows.task.state;

    if (state->kind != RAID_TASK_NONE) {
        state->paused = paused;
        turn_after(unit, 0);
    }
}

void raid_unit_task_stop(RaidUnit *unit)
{
    forget(unit);
}

const RaidTaskState *raid_unit_task(const RaidUnit *unit)
{
    return &unit->rows.task.state;
}

void raid_unit_set_task_rate(RaidUnit *unit, unsigned rate)
{
    g_assert(rate >= 1 && rate <= RAID_TASK_RATES);
    unit->rows.task.rate = rate;
}
