/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lane - the queue in front of one port: which op goes to the drive next,
 * and when its bytes have a place on the card's data path.
 *
 *   IDLE --> WAITING --> PATH_IN --> AT_DRIVE --> PATH_OUT --> IDLE
 *                  \________________/        \_______________/
 *                     (path is free)           (path is done)
 *
 * The oldest lane_window of those that wait stand in an array by sector,
 * and the place of the next is kept; a newcomer is a search by halves, a
 * change a move of a few cache lines.  In order of arrival is the same with
 * a window of one.
 */
#include "raid-model/array/lane.h"

#include <string.h>

#define PIECE_BYTES 65536u      /* assumed: what a drive has of the path
                                 * before another's turn comes */
#define PATIENCE SIM_S(10)      /* assumed: who has waited so long is next */

enum { IDLE, WAITING, PATH_IN, AT_DRIVE, PATH_OUT };

struct RaidLaneSlot {
    uint64_t sector;
    RaidLaneOp *op;
};

static void send_next(RaidLane *lane);

/* --- who waits ----------------------------------------------------------- */

static unsigned window_max(const RaidLane *lane)
{
    if (lane->card->lane_order == RAID_LANE_FIFO) {
        return 1;
    }
    return lane->card->lane_window ? lane->card->lane_window : UINT_MAX;
}

/* The first in the window at or after `sector`.  Which half is as good as
 * chance, so there is no branch on it. */
static unsigned find_slot(const RaidLane *lane, uint64_t sector)
{
    const RaidLaneSlot *window = lane->window;
    unsigned at = 0, left = lane->filled;

    while (left) {
        unsigned half = (left + 1) / 2;

        at += half & -(unsigned)(window[at + half - 1].sector < sector);
        left -= half;
    }
    return at;
}

static void enter_window(RaidLane *lane, RaidLaneOp *op)
{
    uint64_t sector = op->op.span.sector;
    unsigned at = find_slot(lane, sector);

    while (at < lane->filled && lane->window[at].sector == sector &&
           lane->window[at].op->arrival < op->arrival) {
        at++;
    }
    if (lane->filled == lane->room) {
        lane->room = MAX(32, 2 * lane->room);
        lane->window = g_renew(RaidLaneSlot, lane->window, lane->room);
    }
    memmove(&lane->window[at + 1], &lane->window[at],
            (lane->filled - at) * sizeof(lane->window[0]));
    lane->window[at] = (RaidLaneSlot) { sector, op };
    lane->filled++;
    lane->next += sector < lane->last_sector;
    op->in_window = true;
}

static void leave_window(RaidLane *lane, RaidLaneOp *op)
{
    unsigned at = lane->next;   /* as nearly always */

    if (at >= lane->filled || lane->window[at].op != op) {
        at = find_slot(lane, op->op.span.sector);
    }
    while (at < lane->filled && lane->window[at].op != op) {
        at++;                   /* others of the same sector */
    }
    g_assert(at < lane->filled);
    lane->filled--;
    lane->next -= at < lane->next;
    memmove(&lane->window[at], &lane->window[at + 1],
            (lane->filled - at) * sizeof(lane->window[0]));
}

static void start_waiting(RaidLane *lane, RaidLaneOp *op)
{
    op->state = WAITING;
    op->in_window = false;
    op->link = (GList) { .data = op };
    sim_queue_push_tail(&lane->waiting, &op->link);
    if (lane->filled < window_max(lane)) {
        enter_window(lane, op);
    } else if (!lane->beyond) {
        lane->beyond = &op->link;
    }
}

static void stop_waiting(RaidLane *lane, RaidLaneOp *op)
{
    if (lane->beyond == &op->link) {
        lane->beyond = op->link.next;
    }
    sim_queue_unlink(&lane->waiting, &op->link);
    if (!op->in_window) {
        return;
    }
    leave_window(lane, op);
    if (lane->beyond) {
        enter_window(lane, lane->beyond->data);
        lane->beyond = lane->beyond->next;
    }
}

/* The sweep moves to the one that is next: of equals the oldest. */
static RaidLaneOp *choose(RaidLane *lane)
{
    RaidLaneOp *oldest = lane->waiting.head->data;

    if (sim_now(lane->sim) - oldest->asked > PATIENCE) {
        lane->next = find_slot(lane, oldest->op.span.sector);
    } else if (lane->next == lane->filled) {
        lane->next = 0;
    }
    lane->last_sector = lane->window[lane->next].sector;
    return lane->window[lane->next].op;
}

/* --- the card's data path ------------------------------------------------ */

static SimPipe *path_of(const RaidLaneOp *op)
{
    RaidCard *card = op->lane->card;

    return op->op.verb == DISK_WRITE ? &card->to_drives : &card->from_drives;
}

static bool has_path(const RaidLaneOp *op)
{
    return (op->op.verb == DISK_READ || op->op.verb == DISK_WRITE) &&
           path_of(op)->bytes_per_s;
}

static void book_piece(RaidLaneOp *op, SimTime offered)
{
    uint64_t bytes = MIN(op->path_left, PIECE_BYTES);

    op->path_left -= bytes;
    op->path_until = sim_pipe_pass(path_of(op), offered, bytes);
}

static void enter_path(RaidLaneOp *op)
{
    op->path_left = (uint64_t)op->op.span.count * DISK_SECTOR_BYTES;
}

/* --- to the drive and back ----------------------------------------------- */

static void finish(RaidLaneOp *op, DiskStatus status)
{
    op->state = IDLE;
    op->op.status = status;
    op->done(op);
}

static void to_drive(RaidLaneOp *op)
{
    op->state = AT_DRIVE;
    if (op->path_left) {
        sim_at(op->lane->sim, &op->ev, op->path_until);
    }
    disk_port_submit(op->lane->port, &op->op);
}

static void send(RaidLane *lane, RaidLaneOp *op)
{
    SimTime now = sim_now(lane->sim), begin;

    lane->at_drive++;
    lane->last_sector = op->op.span.sector;
    if (op->op.verb != DISK_WRITE || !has_path(op)) {
        to_drive(op);
        return;
    }
    begin = MAX(now, path_of(op)->free_at);
    enter_path(op);
    book_piece(op, now);
    if (begin == now) {
        to_drive(op);
    } else {
        op->state = PATH_IN;
        sim_at(lane->sim, &op->ev, begin);
    }
}

static bool drive_takes_more(const RaidLane *lane)
{
    return !lane->held && !lane->closed &&
           (!lane->card->lane_committed ||
            lane->at_drive < lane->card->lane_committed);
}

static void send_next(RaidLane *lane)
{
    while (lane->waiting.head && drive_takes_more(lane)) {
        RaidLaneOp *op = choose(lane);

        stop_waiting(lane, op);
        send(lane, op);
    }
}

/* What was read has been crossing the path since the drive began to. */
static void book_read(RaidLaneOp *op)
{
    SimTime now = sim_now(op->lane->sim);

    enter_path(op);
    while (op->path_left && op->path_until <= now) {
        book_piece(op, now - sim_pipe_time(path_of(op), op->path_left));
    }
}

/* The next goes before done() runs, which may bring a better one. */
static void leave(RaidLaneOp *op, DiskStatus status)
{
    if (op->op.verb != DISK_FLUSH) {
        op->lane->at_drive--;
        send_next(op->lane);
    }
    finish(op, status);
}

static void drive_late(DiskOp *disk_op, SimTime since)
{
    RaidLaneOp *op = (RaidLaneOp *)disk_op;

    op->lane->troubled = true;
    op->lane->late = op;
    sim_at(op->lane->sim, &op->lane->timeout, since + RAID_DRIVE_TIMEOUT);
}

/* True: it was aborted by the drive's reset, and is sent again. */
static bool after_trouble(RaidLane *lane, RaidLaneOp *op)
{
    if (lane->late == op) {
        lane->late = NULL;
        sim_cancel(lane->sim, &lane->timeout);
    }
    if (op->op.status == DISK_OK) {
        lane->timeouts = 0;
        lane->troubled = lane->late;
    }
    if (!lane->again || op->op.status != DISK_ABORTED) {
        return false;
    }
    disk_port_submit(lane->port, &op->op);
    return true;
}

void raid_lane_reset_drive(RaidLane *lane, bool again)
{
    lane->troubled = true;
    lane->again = again;
    disk_port_reset_late(lane->port, again ? DISK_ABORTED : DISK_FAILED);
    lane->again = false;
}

static void drive_timed_out(SimEvent *ev)
{
    RaidLane *lane = (RaidLane *)((char *)ev - offsetof(RaidLane, timeout));

    raid_lane_reset_drive(lane, !lane->timeouts++);
}

static void drive_done(DiskOp *disk_op)
{
    RaidLaneOp *op = (RaidLaneOp *)disk_op;
    RaidLane *lane = op->lane;

    if (lane->troubled && after_trouble(lane, op)) {
        return;
    }
    if (op->op.status != DISK_OK) {
        sim_cancel(lane->sim, &op->ev);
        leave(op, op->op.status);
        return;
    }
    if (op->op.verb == DISK_READ && has_path(op)) {
        book_read(op);
    }
    if (!op->path_left && op->path_until <= sim_now(lane->sim)) {
        leave(op, DISK_OK);
        return;
    }
    op->state = PATH_OUT;
    if (!sim_pending(&op->ev)) {
        sim_at(lane->sim, &op->ev, op->path_until);
    }
}

/* A piece is through, or the first may go. */
static void path_turn(SimEvent *ev)
{
    RaidLaneOp *op = (RaidLaneOp *)((char *)ev - offsetof(RaidLaneOp, ev));
    RaidLane *lane = op->lane;

    if (op->state == PATH_IN && lane->closed) {
        leave(op, DISK_GONE);
    } else if (op->state == PATH_IN) {
        to_drive(op);
    } else if (op->path_left) {
        book_piece(op, sim_now(lane->sim));
        if (op->path_left || op->state == PATH_OUT) {
            sim_at(lane->sim, ev, op->path_until);
        }
    } else {
        leave(op, DISK_OK);
    }
}

/* --- the outside --------------------------------------------------------- */

static void fail_waiting(SimEvent *ev)
{
    RaidLane *lane = (RaidLane *)((char *)ev - offsetof(RaidLane, gone));

    while (lane->waiting.head) {
        RaidLaneOp *op = lane->waiting.head->data;

        stop_waiting(lane, op);
        finish(op, DISK_GONE);
    }
}

void raid_lane_submit(RaidLane *lane, RaidLaneOp *op)
{
    g_assert(op->state == IDLE);
    op->lane = lane;
    op->op.done = drive_done;
    op->op.late = drive_late;
    op->ev.fire = path_turn;
    op->path_left = 0;
    op->path_until = 0;
    op->arrival = lane->arrivals++;
    op->asked = sim_now(lane->sim);

    if (lane->closed) {
        start_waiting(lane, op);
        sim_after(lane->sim, &lane->gone, 0);
    } else if (op->op.verb == DISK_FLUSH) {
        to_drive(op);
    } else if (!lane->waiting.head && drive_takes_more(lane)) {
        send(lane, op);
    } else {
        start_waiting(lane, op);
    }
}

/* The card's data path has no part in it any more. */
static void take_off_path(RaidLaneOp *op)
{
    g_assert(op->state != IDLE);
    sim_cancel(op->lane->sim, &op->ev);
    op->path_left = 0;
    op->path_until = 0;
}

void raid_lane_cancel(RaidLaneOp *op, DiskStatus status)
{
    take_off_path(op);
    if (op->state == AT_DRIVE) {
        disk_port_cancel(&op->op, status);
    } else if (op->state == WAITING) {
        stop_waiting(op->lane, op);
        finish(op, status);
    } else {
        leave(op, status);
    }
}

void raid_lane_finish_now(RaidLaneOp *op)
{
    RaidLane *lane = op->lane;

    take_off_path(op);
    if (op->state == PATH_OUT) {
        leave(op, DISK_OK);
        return;
    }
    if (op->state == WAITING) {
        stop_waiting(lane, op);
        lane->at_drive += op->op.verb != DISK_FLUSH;
    }
    if (op->state != AT_DRIVE && lane->closed) {
        leave(op, DISK_GONE);
        return;
    }
    if (op->state != AT_DRIVE) {
        to_drive(op);
    }
    disk_port_finish_now(&op->op);
}

void raid_lane_hold(RaidLane *lane, bool hold)
{
    lane->held = hold;
    send_next(lane);
}

void raid_lane_close(RaidLane *lane)
{
    lane->closed = true;
    if (lane->waiting.head) {
        sim_after(lane->sim, &lane->gone, 0);
    }
}

void raid_lane_init(RaidLane *lane, Sim *sim, RaidCard *card, DiskPort *port)
{
    *lane = (RaidLane) {
        .sim = sim, .card = card, .port = port, .gone.fire = fail_waiting,
        .timeout.fire = drive_timed_out,
    };
}

void raid_lane_clear(RaidLane *lane)
{
    g_assert(!lane->waiting.head && !lane->at_drive);
    sim_cancel(lane->sim, &lane->gone);
    g_free(lane->window);
}
