/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: the computer's disk queue serves in the order it promises, and what
 * its driver does beside that costs what was told.
 * Method: a closed load on one drive, one command on the card at a time, so
 * that requests end in the order they were taken out; against a plain list
 * searched from end to end.
 */
#include "raid-model/sim/host.h"
#include "raid-model/sim/rig.h"
#include "tests/lib/unit.h"

#define DEPTH_MAX 16
#define REQUESTS 3000

typedef struct Loop {
    Rig *rig;
    Host *host;
    Sim *chance;
    HostOrder order;
    unsigned depth, asked, done;
    HostOp op[DEPTH_MAX];
    /* the oracle: who waits, in order of arrival; who is on the card */
    HostOp *waiting[DEPTH_MAX];
    unsigned waits;
    HostOp *on_card;
    uint64_t key;
} Loop;

static HostOp *oracle_take(Loop *loop)
{
    unsigned best = 0;
    HostOp *op;

    if (loop->order == HOST_SORTED) {
        bool found = false;

        for (unsigned pass = 0; pass < 2 && !found; pass++) {
            for (unsigned i = 0; i < loop->waits; i++) {
                uint64_t lba = loop->waiting[i]->op.lba;

                if ((pass || lba >= loop->key) &&
                    (!found || lba < loop->waiting[best]->op.lba)) {
                    best = i;
                    found = true;
                }
            }
        }
    }
    op = loop->waiting[best];
    loop->waits--;
    for (unsigned i = best; i < loop->waits; i++) {
        loop->waiting[i] = loop->waiting[i + 1];
    }
    return op;
}

static void ask(Loop *loop, HostOp *op)
{
    op->op.verb = sim_random(loop->chance, 2) ? UNIT_READ : UNIT_WRITE;
    op->op.lba = sim_random(loop->chance, 40) * 1000;   /* many equal ones */
    op->op.count = 1 + sim_random(loop->chance, 8);
    loop->asked++;
    if (loop->on_card) {
        loop->waiting[loop->waits++] = op;
    } else {
        loop->on_card = op;
        loop->key = op->op.lba;
    }
    host_submit(loop->host, op);
}

/* The oracle takes before it asks again: the driver is faster. */
static void done(HostOp *op)
{
    Loop *loop = op->opaque;

    ck_assert_int_eq(op->op.status, UNIT_OK);
    unit_holds(op == loop->on_card);
    loop->done++;
    loop->on_card = loop->waits ? oracle_take(loop) : NULL;
    if (loop->on_card) {
        loop->key = loop->on_card->op.lba;
    }
    if (loop->asked < REQUESTS) {
        ask(loop, op);
    }
}

static void run_loop(HostOrder order, unsigned depth)
{
    static uint8_t memory[16 * DISK_SECTOR_BYTES];
    RigAsk rig = { .board = "3ware-7410", .drives = "sr5400",
                   .units = "single:0", .seed = 1 };
    HostPlan plan = { .order = order, .commands_max = 1 };
    Loop *loop = g_new0(Loop, 1);

    loop->rig = rig_new(&rig, NULL);
    ck_assert(loop->rig);
    loop->host = host_new(loop->rig->ctl, 0, &plan);
    loop->chance = sim_new(depth);
    loop->order = order;
    for (unsigned i = 0; i < depth; i++) {
        loop->op[i] = (HostOp) { .done = done, .opaque = loop,
                                 .op.buf = memory };
        ask(loop, &loop->op[i]);
    }
    ck_assert_uint_eq(host_waiting(loop->host), depth - 1);
    while (loop->done < loop->asked) {
        ck_assert(sim_step(loop->rig->sim));
    }
    ck_assert_uint_eq(loop->done, REQUESTS);
    host_free(loop->host);
    sim_free(loop->chance);
    rig_free(loop->rig);
    g_free(loop);
}

START_TEST(the_sorted_queue_sweeps_upwards_among_those_that_wait)
{
    run_loop(HOST_SORTED, _i);
}
END_TEST

START_TEST(the_plain_queue_serves_in_order_of_arrival)
{
    run_loop(HOST_FIFO, _i);
}
END_TEST

/* --- a driver that asks without pause ------------------------------------- */

typedef struct Writes {
    Host *host;
    unsigned left, ended;
} Writes;

static void written(HostOp *op)
{
    Writes *writes = op->opaque;

    ck_assert_int_eq(op->op.status, UNIT_OK);
    writes->ended++;
    if (writes->left) {
        writes->left--;
        op->op.lba += DEPTH_MAX * op->op.count;
        host_submit(writes->host, op);
    }
}

/* How long 200 writes take, `depth` of them on the card. */
static SimTime writes_take(const char *units, unsigned depth,
                           const HostPlan *plan)
{
    static uint8_t memory[128 * DISK_SECTOR_BYTES];
    RigAsk ask = { .board = "3ware-7410", .drives = "4xsr5400",
                   .units = units, .seed = 1 };
    HostOp op[DEPTH_MAX];
    Rig *rig = rig_new(&ask, NULL);
    Writes writes = { host_new(rig->ctl, 0, plan), 200 - depth, 0 };
    SimTime took;

    for (unsigned i = 0; i < depth; i++) {
        op[i] = (HostOp) {
            .op = { .verb = UNIT_WRITE, .lba = i * 128, .count = 128,
                    .buf = memory },
            .done = written, .opaque = &writes,
        };
        host_submit(writes.host, &op[i]);
    }
    while (writes.ended < 200) {
        ck_assert(sim_step(rig->sim));
    }
    took = sim_now(rig->sim);
    host_free(writes.host);
    rig_free(rig);
    return took;
}

START_TEST(a_driver_that_asks_without_pause_slows_parity_alone)
{
    static const HostPlan calm = { .commands_max = DEPTH_MAX };
    static const HostPlan busy = { .commands_max = DEPTH_MAX,
                                   .polls_above = 4,
                                   .poll_ns = SIM_MS(20) };

    /* 196 of the 200 begin with more than four on the card. */
    ck_assert_int_ge(writes_take("raid5:0-3:64k", 5, &busy),
                     195 * SIM_MS(20));
    ck_assert_int_lt(writes_take("raid5:0-3:64k", 5, &calm),
                     195 * SIM_MS(20));
    ck_assert_int_eq(writes_take("raid5:0-3:64k", 4, &busy),
                     writes_take("raid5:0-3:64k", 4, &calm));
    ck_assert_int_eq(writes_take("raid0:0-3:64k", 5, &busy),
                     writes_take("raid0:0-3:64k", 5, &calm));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host-queue");
    TCase *tcase = tcase_create("queue");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase,
                        the_sorted_queue_sweeps_upwards_among_those_that_wait,
                        1, DEPTH_MAX + 1);
    tcase_add_loop_test(tcase, the_plain_queue_serves_in_order_of_arrival, 1,
                        DEPTH_MAX + 1);
    tcase_add_test(tcase,
                   a_driver_that_asks_without_pause_slows_parity_alone);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
