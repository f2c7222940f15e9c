/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runner: one small state machine per request in flight.
 */
#include "raid-model/sim/progress.h"
#include "raid-model/sim/runner.h"

typedef enum SlotState {
    SLOT_FIRMWARE,      /* until the board has dealt with the command */
    SLOT_BUS_IN,        /* write data on its way to the board */
    SLOT_UNIT,          /* lent to the unit */
    SLOT_BUS_OUT,       /* read data on its way to the host */
} SlotState;

typedef struct Runner Runner;

typedef struct Slot {
    SimEvent ev;
    UnitOp op;
    Runner *run;
    SlotState state;
    SimTime asked, entered;     /* entered: the present state */
    void *buf;
} Slot;

struct Runner {
    Rig *rig;
    const RunPlan *plan;
    RunResult *result;
    Workload work;
    SimTime start;
    uint64_t asked, asked_bytes;
    unsigned in_flight;
    bool stop;
};

static bool wants_more(const Runner *run)
{
    const RunPlan *plan = run->plan;

    return !run->stop &&
           (!plan->requests_max || run->asked < plan->requests_max) &&
           (!plan->bytes_max || run->asked_bytes < plan->bytes_max) &&
           (!plan->time_max ||
            sim_now(run->rig->sim) - run->start < plan->time_max);
}

/* The event fires when the state is over; see step(). */
static void enter(Slot *slot, SlotState state, SimTime until)
{
    slot->state = state;
    slot->entered = sim_now(slot->run->rig->sim);
    sim_at(slot->run->rig->sim, &slot->ev, until);
}

static void ask(Slot *slot)
{
    Runner *run = slot->run;

    workload_next(&run->work, &slot->op);
    slot->op.buf = slot->buf;
    slot->asked = sim_now(run->rig->sim);
    run->asked++;
    run->asked_bytes += (uint64_t)slot->op.count * DISK_SECTOR_BYTES;
    run->in_flight++;
    enter(slot, SLOT_FIRMWARE, raid_controller_command_at(run->rig->ctl));
}

static void finish(Slot *slot)
{
    Runner *run = slot->run;
    RunResult *result = run->result;
    SimTime now = sim_now(run->rig->sim);
    RunSide *side = slot->op.verb == UNIT_READ ? &result->read
                                               : &result->write;

    if (slot->op.status != UNIT_OK) {
        side->errors++;
        if (result->first_error == UNIT_OK) {
            result->first_error = slot->op.status;
            result->first_error_lba = slot->op.lba;
        }
        run->stop = true;
    } else {
        side->requests++;
        side->bytes += (uint64_t)slot->op.count * DISK_SECTOR_BYTES;
        latency_add(&side->latency, now - slot->asked);
    }
    result->took = now - run->start;
    run->in_flight--;
    if (wants_more(run)) {
        ask(slot);
    }
}

static void submit(Slot *slot)
{
    slot->state = SLOT_UNIT;
    slot->entered = sim_now(slot->run->rig->sim);
    raid_controller_submit(slot->run->rig->ctl, slot->run->plan->unit,
                           &slot->op);
}

static SimTime bus(Slot *slot)
{
    return raid_controller_bus_at(slot->run->rig->ctl,
                                  (uint64_t)slot->op.count *
                                  DISK_SECTOR_BYTES);
}

static void unit_done(UnitOp *op)
{
    Slot *slot = op->opaque;
    Runner *run = slot->run;

    run->result->unit_ns += sim_now(run->rig->sim) - slot->entered;
    if (op->verb == UNIT_READ && op->status == UNIT_OK) {
        enter(slot, SLOT_BUS_OUT, bus(slot));
    } else {
        finish(slot);
    }
}

static void step(SimEvent *ev)
{
    Slot *slot = (Slot *)((char *)ev - offsetof(Slot, ev));
    RunResult *result = slot->run->result;
    SimTime spent = sim_now(slot->run->rig->sim) - slot->entered;

    switch (slot->state) {
    case SLOT_FIRMWARE:
        result->firmware_ns += spent;
        if (slot->op.verb == UNIT_WRITE) {
            enter(slot, SLOT_BUS_IN, bus(slot));
        } else {
            submit(slot);
        }
        break;
    case SLOT_BUS_IN:
        result->bus_ns += spent;
        submit(slot);
        break;
    case SLOT_BUS_OUT:
        result->bus_ns += spent;
        finish(slot);
        break;
    case SLOT_UNIT:
        g_assert_not_reached();
    }
}

static double share_done(const Runner *run)
{
    const RunPlan *plan = run->plan;
    double share = 0;

    if (plan->requests_max) {
        share = MAX(share, (double)run->asked / plan->requests_max);
    }
    if (plan->bytes_max) {
        share = MAX(share, (double)run->asked_bytes / plan->bytes_max);
    }
    if (plan->time_max) {
        share = MAX(share, (double)(sim_now(run->rig->sim) - run->start) /
                           plan->time_max);
    }
    return MIN(share, 1);
}

static void fill(void *buf, size_t bytes, Sim *chance)
{
    uint64_t *word = buf;

    for (size_t i = 0; i < bytes / sizeof(*word); i++) {
        word[i] = sim_random(chance, UINT64_MAX);
    }
}

void runner_run(Rig *rig, const RunPlan *plan, RunResult *result)
{
    size_t bytes = (size_t)plan->work.block_sectors * DISK_SECTOR_BYTES;
    Slot *slots = g_new0(Slot, plan->depth);
    unsigned bufs = plan->data ? plan->depth : 1;
    char *memory = g_malloc(bufs * bytes);
    Runner run = {
        .rig = rig, .plan = plan, .result = result,
        .start = sim_now(rig->sim),
    };

    *result = (RunResult) { .first_error = UNIT_OK };
    workload_init(&run.work, &plan->work, plan->seed);
    fill(memory, bufs * bytes, run.work.chance);

    progress_begin();
    for (unsigned i = 0; i < plan->depth && wants_more(&run); i++) {
        slots[i] = (Slot) {
            .ev.fire = step, .op.done = unit_done, .op.opaque = &slots[i],
            .run = &run, .buf = memory + (i % bufs) * bytes,
        };
        ask(&slots[i]);
    }
    for (uint64_t i = 1; run.in_flight && sim_step(rig->sim); i++) {
        if (i % 4096 == 0) {
            progress_show("raidsim fio", share_done(&run));
            if (progress_interrupted()) {
                result->interrupted = run.stop = true;
            }
        }
    }
    progress_end();
    g_assert(!run.in_flight);
    workload_clear(&run.work);
    g_free(memory);
    g_free(slots);
}

const char *runner_status_name(UnitStatus status)
{
    static const char *const name[] = {
        [UNIT_OK] = "no error",
        [UNIT_MEDIUM_ERROR] = "a sector cannot be read",
        [UNIT_OFFLINE] = "the unit is not there: too many drives missing",
        [UNIT_OUT_OF_RANGE] = "beyond the end of the unit",
        [UNIT_ABORTED] = "aborted",
    };

    return name[status];
}
