/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOMeter run: a slot for each request outstanding.
 *
 * The first requests are not measured: write caches fill, the queue gets
 * its shape.
 */
#include <stddef.h>

#include "raid-model/sim/iometer-run.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/rig.h"

#define RUNS_DEFAULT 4
#define REQUESTS_DEFAULT 15000
#define SEQUENTIAL_RUNS 20
#define SEQUENTIAL_NS SIM_S(1)
/* Some fifty writes held by each of a handful of drives, one in five. */
#define WARM_REQUESTS 5000
#define WARM_SEQUENTIAL_NS SIM_S(1)
/* A controller's cache is filled once over and a quarter, or this long; with
 * sequential writes, which leave it almost as fast as they come, more. */
#define WARM_FILL 1.25
#define WARM_FILL_SEQUENTIAL 8
#define WARM_MAX 60000
#define RUNS_WITH_CACHE 2
#define NOT_THE_SPINDLES 0x696f6d74     /* a seed of its own */

typedef struct Run Run;

typedef struct Slot {
    HostOp host;
    SimEvent turn;
    Run *run;
} Slot;

struct Run {
    const IometerAsk *ask;
    IometerResult *result, so_far;
    unsigned number, runs;      /* this one, of so many */
    Rig *rig;
    Host *host;
    Iometer gen;
    void *buf;
    uint64_t done, warm_requests, last_request;
    SimTime warm_ns, last_ns;   /* from the start of each phase */
    SimTime phase_start;
    bool measuring, stop;
    unsigned outstanding;       /* slots that issued or will */
    uint32_t burst;             /* requests issued since the last delay */
    SimTime hold_until;
};

static void issue(SimEvent *ev)
{
    Slot *slot = (Slot *)((char *)ev - offsetof(Slot, turn));
    Run *run = slot->run;
    const IometerLine *line;

    if (run->stop) {
        run->outstanding--;
        return;
    }
    line = iometer_next(&run->gen, &slot->host.op);
    slot->host.op.buf = run->buf;
    if (line->delay_ms && ++run->burst >= line->burst) {
        run->burst = 0;
        run->hold_until = sim_now(run->rig->sim) + SIM_MS(line->delay_ms);
    }
    host_submit(run->host, &slot->host);
}

static void begin_measuring(Run *run)
{
    *run->result = run->so_far;
    run->measuring = true;
    run->done = 0;
    run->phase_start = sim_now(run->rig->sim);
}

static bool reached(const Run *run, uint64_t requests, SimTime ns)
{
    return (requests && run->done >= requests) ||
           (ns && sim_now(run->rig->sim) - run->phase_start >= ns);
}

static void count(Run *run, const HostOp *op)
{
    SimTime now = sim_now(run->rig->sim), wait = now - op->asked;
    IometerSide *side = op->op.verb == UNIT_READ ? &run->result->read
                                                 : &run->result->write;

    side->requests++;
    side->bytes += (uint64_t)op->op.count * DISK_SECTOR_BYTES;
    side->wait_ns += wait;
    side->wait_max = MAX(side->wait_max, wait);
    run->result->took = run->so_far.took + now - run->phase_start;
}

static void finish(HostOp *op)
{
    Slot *slot = op->opaque;
    Run *run = slot->run;
    SimTime now = sim_now(run->rig->sim);

    if (op->op.status != UNIT_OK) {
        run->result->error = op->op.status;
        run->stop = true;
    } else if (!run->stop) {
        run->done++;
        count(run, op);
    }
    if (run->measuring) {
        run->stop |= reached(run, run->last_request, run->last_ns);
    } else if (!run->stop && reached(run, run->warm_requests, run->warm_ns)) {
        begin_measuring(run);
    }
    sim_at(run->rig->sim, &slot->turn,
           MAX(now + run->ask->turn_ns, run->hold_until));
}

/* Requests until the controller's own cache is full; 0: nothing to fill. */
static uint64_t requests_to_fill(const IometerAsk *ask)
{
    const BoardModel *board = board_model_find(ask->board);
    double written = iometer_spec_written(ask->spec);

    if (!board || !board->cache_bytes || !written) {
        return 0;
    }
    return MIN(board_cache_dirty(board) *
               (iometer_spec_sequential(ask->spec) ? WARM_FILL_SEQUENTIAL
                                                   : WARM_FILL) / written,
               WARM_MAX);
}

static void plan_length(Run *run)
{
    const IometerAsk *ask = run->ask;

    run->warm_requests = requests_to_fill(ask);
    if (!iometer_spec_sequential(ask->spec)) {
        run->warm_requests = MAX(run->warm_requests,
                                 WARM_REQUESTS + 4 * ask->depth);
    } else if (!run->warm_requests) {
        run->warm_ns = WARM_SEQUENTIAL_NS;
    }
    run->last_request = ask->requests;
    run->last_ns = ask->runtime;
    if (!ask->requests && !ask->runtime) {
        if (iometer_spec_sequential(ask->spec)) {
            run->last_ns = SEQUENTIAL_NS;
        } else {
            run->last_request = REQUESTS_DEFAULT;
        }
    }
}

static double share_done(const Run *run)
{
    double share = 0;

    if (run->measuring && run->last_request) {
        share = (double)run->done / run->last_request;
    }
    if (run->measuring && run->last_ns) {
        share = MAX(share, (double)(sim_now(run->rig->sim) -
                                    run->phase_start) / run->last_ns);
    }
    return (run->number + MIN(share, 1)) / run->runs;
}

static void step_all(Run *run)
{
    for (uint64_t i = 1; run->outstanding && sim_step(run->rig->sim); i++) {
        if (i % 4096 == 0) {
            if (run->ask->progress) {
                progress_show("raidsim iometer", share_done(run));
            }
            if (progress_interrupted()) {
                run->result->interrupted = run->stop = true;
            }
        }
    }
    g_assert(!run->outstanding);
}

static bool run_once(Run *run, uint64_t seed, GError **error)
{
    const IometerAsk *ask = run->ask;
    Slot *slots;
    uint64_t bytes;
    int unit;

    run->rig = rig_new_alike(ask->board, ask->drive, ask->level, ask->members,
                             ask->stripe_bytes, seed, error);
    if (!run->rig) {
        return false;
    }
    unit = rig_first_unit(run->rig);
    bytes = raid_capacity(raid_unit_shape(raid_controller_unit(run->rig->ctl,
                                                               unit))) *
            DISK_SECTOR_BYTES;
    run->host = host_new(run->rig->ctl, unit, &ask->host);
    iometer_init(&run->gen, ask->spec, bytes, seed ^ NOT_THE_SPINDLES);
    run->gen.next = (uint64_t)(bytes / DISK_SECTOR_BYTES * ask->start_share) *
                    DISK_SECTOR_BYTES;
    run->buf = rig_memory(iometer_spec_bytes_max(ask->spec));
    plan_length(run);

    slots = g_new0(Slot, ask->depth);
    for (unsigned i = 0; i < ask->depth; i++) {
        slots[i] = (Slot) {
            .host = { .done = finish, .opaque = &slots[i] },
            .turn.fire = issue, .run = run,
        };
        run->outstanding++;
        issue(&slots[i].turn);
    }
    step_all(run);

    iometer_clear(&run->gen);
    host_free(run->host);
    rig_free(run->rig);
    g_free(run->buf);
    g_free(slots);
    return true;
}

bool iometer_run(const IometerAsk *ask, IometerResult *result, GError **error)
{
    bool one = ask->requests || ask->runtime;
    unsigned runs = one ? 1 : iometer_spec_sequential(ask->spec)
        ? SEQUENTIAL_RUNS : RUNS_DEFAULT;

    if (!one && requests_to_fill(ask) > WARM_REQUESTS) {
        runs = RUNS_WITH_CACHE; /* filling takes longer than measuring */
    }
    *result = (IometerResult) { .error = UNIT_OK };
    for (unsigned i = 0; i < runs && result->error == UNIT_OK &&
         !result->interrupted; i++) {
        Run run = { .ask = ask, .result = result, .so_far = *result,
                    .number = i, .runs = runs };

        if (!run_once(&run, one ? ask->seed : ask->seed * runs + i, error)) {
            return false;
        }
    }
    return true;
}

double iometer_iops(const IometerResult *result)
{
    return result->took ? (result->read.requests + result->write.requests) *
                          1e9 / result->took : 0;
}

double iometer_mib_per_s(const IometerResult *result)
{
    return result->took ? (result->read.bytes + result->write.bytes) * 1e9 /
                          result->took / (1 << 20) : 0;
}

HostPlan iometer_windows(const BoardModel *board)
{
    return (HostPlan) {
        .order = HOST_SORTED, .commands_max = board->driver_commands,
        .polls_above = board->driver_polls_above,
        .poll_ns = board->driver_poll_ns,
    };
}
