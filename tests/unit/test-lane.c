/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes: the drive gets what the order says, never more than it may have at
 * once; every op ends once, whatever becomes of it; the card's data path is
 * shared in equal parts and costs nothing when nobody else wants it.
 *
 * The ports are the test's own and note what they are given; the oracle of
 * an order is a list searched from end to end.
 */
#include <string.h>

#include "raid-model/array/lane.h"
#include "tests/lib/unit.h"

#define OPS 300
#define LANES 3

struct DiskPort {
    SimTime takes;              /* by each op, however many there are */
    unsigned under_way, most;
    unsigned sent;
};

typedef struct Ask {
    RaidLaneOp lent;
    unsigned number, lane, done;
    SimTime ended;
} Ask;

static Sim *sim;
static uint32_t noise;
static RaidCard card;
static DiskPort port[LANES];
static RaidLane lane[LANES];
static Ask ask[OPS];
static unsigned asked, ended, sent[OPS], sends;

static uint32_t chance(uint32_t bound)
{
    noise ^= noise << 13;
    noise ^= noise >> 17;
    noise ^= noise << 5;
    return noise % bound;
}

/* --- ports of our own ---------------------------------------------------- */

static void end_op(DiskOp *op, DiskStatus status)
{
    DiskPort *at = op->port;

    at->under_way--;
    op->port = NULL;
    op->status = status;
    op->done(op);
}

static void answer(SimEvent *ev)
{
    end_op((DiskOp *)((char *)ev - offsetof(DiskOp, ev)), DISK_OK);
}

void disk_port_submit(DiskPort *at, DiskOp *op)
{
    unit_holds(!op->port);
    op->port = at;
    op->ev.fire = answer;
    at->sent++;
    at->under_way++;
    at->most = MAX(at->most, at->under_way);
    sent[sends++ % OPS] = ((Ask *)op)->number;
    sim_after(sim, &op->ev, at->takes);
}

void disk_port_cancel(DiskOp *op, DiskStatus status)
{
    sim_cancel(sim, &op->ev);
    end_op(op, status);
}

void disk_port_finish_now(DiskOp *op)
{
    sim_cancel(sim, &op->ev);
    end_op(op, DISK_OK);
}

void disk_port_reset_late(DiskPort *late G_GNUC_UNUSED,
                          DiskStatus status G_GNUC_UNUSED)
{
    ck_abort_msg("no op is ever late here");
}

/* --- asking -------------------------------------------------------------- */

static void set_up(void)
{
    sim = sim_new(1);
    noise = 12345;
    card = (RaidCard) { 0 };
    memset(ask, 0, sizeof(ask));
    asked = ended = sends = 0;
    for (unsigned i = 0; i < LANES; i++) {
        port[i] = (DiskPort) { .takes = SIM_MS(1) };
        raid_lane_init(&lane[i], sim, &card, &port[i]);
    }
}

static void tear_down(void)
{
    while (sim_step(sim)) {
    }
    ck_assert_uint_eq(ended, asked);
    for (unsigned i = 0; i < LANES; i++) {
        ck_assert_uint_eq(port[i].under_way, 0);
        raid_lane_clear(&lane[i]);
    }
    sim_free(sim);
}

static void note_done(RaidLaneOp *lent)
{
    Ask *own = (Ask *)lent;

    unit_holds(!own->done);
    own->done++;
    own->ended = sim_now(sim);
    ended++;
}

static Ask *put(unsigned on, DiskVerb verb, uint64_t sector, uint32_t count)
{
    Ask *own = &ask[asked];

    own->number = asked++;
    own->lane = on;
    own->lent.op.verb = verb;
    own->lent.op.span = (DiskSpan) { sector, count };
    own->lent.done = note_done;
    raid_lane_submit(&lane[on], &own->lent);
    unit_holds(!own->done);
    return own;
}

/* --- order --------------------------------------------------------------- */

START_TEST(a_drive_never_has_more_than_it_may)
{
    static const unsigned committed[] = { 1, 2, 32, 0 };

    card.lane_order = RAID_LANE_CLOOK;
    card.lane_committed = committed[_i];
    for (unsigned i = 0; i < 100; i++) {
        put(0, DISK_WRITE, chance(1000), 8);
    }
    ck_assert_uint_eq(port[0].sent, committed[_i] ? committed[_i] : 100);
    while (sim_step(sim)) {
    }
    ck_assert_uint_eq(port[0].most, committed[_i] ? committed[_i] : 100);
    ck_assert_uint_eq(port[0].sent, 100);
}
END_TEST

/* What should go next, by a look at each of those that wait. */
static unsigned oracle_pick(const unsigned *waits, unsigned count,
                            uint64_t last)
{
    unsigned window = card.lane_order == RAID_LANE_FIFO ? 1
        : card.lane_window ? card.lane_window : count;
    unsigned above = count, lowest = 0;

    for (unsigned i = 0; i < MIN(window, count); i++) {
        uint64_t sector = ask[waits[i]].lent.op.span.sector;

        if (sector >= last &&
            (above == count ||
             sector < ask[waits[above]].lent.op.span.sector)) {
            above = i;
        }
        if (sector < ask[waits[lowest]].lent.op.span.sector) {
            lowest = i;
        }
    }
    return above < count ? above : lowest;
}

static const RaidCard orders[] = {
    { .lane_order = RAID_LANE_FIFO, .lane_committed = 1 },
    { .lane_order = RAID_LANE_CLOOK, .lane_committed = 1 },
    { .lane_order = RAID_LANE_CLOOK, .lane_committed = 1, .lane_window = 1 },
    { .lane_order = RAID_LANE_CLOOK, .lane_committed = 1, .lane_window = 5 },
};

/* Arrivals, departures and changes of mind; sectors often alike. */
START_TEST(the_next_is_the_one_that_the_order_says)
{
    unsigned waits[OPS], count = 0, seen = 0;
    uint64_t last = 0;

    card = orders[_i];
    while (asked < OPS || ended < asked) {
        unsigned dice = chance(10);

        if (dice < 6 && asked < OPS) {
            put(0, DISK_READ, chance(60), 1);
            waits[count++] = asked - 1;
        } else if (dice < 7 && count) {
            unsigned which = chance(count);

            raid_lane_cancel(&ask[waits[which]].lent, DISK_ABORTED);
            unit_holds(ask[waits[which]].done);
            memmove(&waits[which], &waits[which + 1],
                    (--count - which) * sizeof(waits[0]));
        } else {
            sim_step(sim);
        }
        while (seen < sends) {
            unsigned pick = oracle_pick(waits, count, last);

            unit_holds(waits[pick] == sent[seen]);
            last = ask[waits[pick]].lent.op.span.sector;
            seen++;
            memmove(&waits[pick], &waits[pick + 1],
                    (--count - pick) * sizeof(waits[0]));
        }
    }
}
END_TEST

/* A load that always has something nearer does not starve another. */
START_TEST(nobody_waits_for_ever)
{
    Ask *far;

    card = orders[1];
    port[0].takes = SIM_MS(500);
    put(0, DISK_READ, 7, 1);
    put(0, DISK_READ, 7, 1);
    far = put(0, DISK_READ, 3, 1);
    while (!far->done && asked < OPS) {
        sim_step(sim);
        put(0, DISK_READ, 7, 1);
    }
    ck_assert_uint_eq(far->done, 1);
    ck_assert_int_lt(far->ended, SIM_S(12));
}
END_TEST

/* --- trouble ------------------------------------------------------------- */

START_TEST(a_closed_lane_sends_nothing_and_ends_what_waits)
{
    card = orders[1];
    card.to_drives.bytes_per_s = 1000000;
    for (unsigned i = 0; i < 20; i++) {
        put(i % 2, DISK_WRITE, i, 8);
    }
    ck_assert_uint_eq(port[0].sent + port[1].sent, 1);
    raid_lane_close(&lane[1]);
    ck_assert_uint_eq(ended, 0);
    put(1, DISK_WRITE, 3, 8);
    put(1, DISK_FLUSH, 0, 0);
    while (sim_step(sim)) {
    }
    ck_assert_uint_eq(port[1].sent, 0);
    for (unsigned i = 0; i < asked; i++) {
        ck_assert_int_eq(ask[i].lent.op.status,
                         ask[i].lane ? DISK_GONE : DISK_OK);
    }
}
END_TEST

/* Wherever an op is: waiting, on the path, at the drive, on its way back. */
START_TEST(all_can_be_ended_at_any_moment)
{
    unsigned reads_sent;

    card = orders[1];
    card.lane_committed = 2;
    card.to_drives.bytes_per_s = card.from_drives.bytes_per_s = 10000000;
    for (unsigned i = 0; i < 60; i++) {
        put(i % LANES, chance(2) ? DISK_WRITE : DISK_READ, chance(900),
            1 + chance(400));
    }
    for (int i = 0; i < _i; i++) {
        sim_step(sim);
    }
    for (unsigned i = 0; i < LANES; i++) {
        raid_lane_hold(&lane[i], true);
    }
    reads_sent = sends;
    for (unsigned i = 0; i < asked; i++) {
        bool read = ask[i].lent.op.verb == DISK_READ;

        if (ask[i].done) {
            continue;
        }
        if (read) {
            raid_lane_cancel(&ask[i].lent, DISK_ABORTED);
        } else {
            raid_lane_finish_now(&ask[i].lent);
        }
        ck_assert_uint_eq(ask[i].done, 1);
        ck_assert_int_eq(ask[i].lent.op.status,
                         read ? DISK_ABORTED : DISK_OK);
    }
    for (unsigned i = reads_sent; i < sends; i++) {
        ck_assert_int_eq(ask[sent[i]].lent.op.verb, DISK_WRITE);
    }
    for (unsigned i = 0; i < LANES; i++) {
        raid_lane_hold(&lane[i], false);
    }
    ck_assert(!sim_step(sim));
}
END_TEST

/* --- the path ------------------------------------------------------------ */

START_TEST(a_path_that_is_free_costs_nothing)
{
    Ask *read, *write;

    card.to_drives.bytes_per_s = card.from_drives.bytes_per_s = 65536000;
    port[0].takes = SIM_MS(5);
    read = put(0, DISK_READ, 0, 256);
    write = put(1, DISK_WRITE, 0, 256);         /* its drive is done first */
    while (sim_step(sim)) {
    }
    ck_assert_int_eq(read->ended, SIM_MS(5));
    ck_assert_int_eq(write->ended, SIM_MS(2));
}
END_TEST

/*
 * One lane of long ops, two of short ones, on a path that is the narrowest
 * place: as long as all have something to send each gets a third of it.
 */
START_TEST(drives_share_the_path_alike)
{
    static const DiskVerb verb[] = { DISK_READ, DISK_WRITE };
    const SimTime piece = (SimTime)65536 * 1000 / 30 + 1;
    SimTime last = 0;
    uint64_t pieces = 0;

    card.lane_committed = 1;
    card.to_drives.bytes_per_s = card.from_drives.bytes_per_s = 30000000;
    for (unsigned i = 0; i < 90; i++) {
        put(i % LANES, verb[_i], 0, i % LANES ? 128 : 1280);
        pieces += i % LANES ? 1 : 10;
    }
    while (sim_step(sim)) {
    }
    for (unsigned i = 0; i < asked; i++) {
        SimTime due = (SimTime)(i / LANES + 1) * 3 * piece;

        last = MAX(last, ask[i].ended);
        if (ask[i].lane) {
            ck_assert_int_ge(ask[i].ended, due - 3 * piece);
            ck_assert_int_le(ask[i].ended, due + 3 * piece);
        }
    }
    ck_assert_int_ge(last, (SimTime)pieces * (piece - 1));
    ck_assert_int_le(last, (SimTime)pieces * piece * 21 / 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lane");
    TCase *tc = tcase_create("lane");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, a_drive_never_has_more_than_it_may, 0, 4);
    tcase_add_loop_test(tc, the_next_is_the_one_that_the_order_says, 0,
                        G_N_ELEMENTS(orders));
    tcase_add_test(tc, nobody_waits_for_ever);
    tcase_add_test(tc, a_closed_lane_sends_nothing_and_ends_what_waits);
    tcase_add_loop_test(tc, all_can_be_ended_at_any_moment, 0, 100);
    tcase_add_test(tc, a_path_that_is_free_costs_nothing);
    tcase_add_loop_test(tc, drives_share_the_path_alike, 0, 2);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
