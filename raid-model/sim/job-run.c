/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job run: a slot for each request in flight, a worker for each job.
 */
#include "raid-model/sim/job-run.h"
#include "raid-model/sim/progress.h"

#define LOOK_EVERY 4096         /* events between looks at the terminal */

typedef struct Worker Worker;

typedef struct Slot {
    HostOp host;
    Worker *worker;
} Slot;

struct Worker {
    JobRun *run;
    const JobPlan *plan;
    JobResult *result;
    Host *host;
    Draw draw;
    Iometer iometer;
    SimEvent ev;                /* its beginning, then the ramp's end */
    SimTime began, from;        /* from: the ramp's end */
    HostSums before;            /* what the ramp has cost */
    uint64_t asked, asked_bytes;
    unsigned in_flight;
    bool begun, stop, ended;
    Slot *slots;
    char *memory;
};

struct JobRun {
    Rig *rig;
    const IometerSpec *spec;    /* or NULL: the plans' draws */
    Worker *workers;
    unsigned count, next, going;
    JobResult *results;
    unsigned result_count;
    bool stop;
};

static SimTime now(const Worker *worker)
{
    return sim_now(worker->run->rig->sim);
}

static bool wants_more(const Worker *worker)
{
    const JobPlan *plan = worker->plan;

    return !worker->stop && !worker->run->stop &&
           (!plan->requests_max || worker->asked < plan->requests_max) &&
           (!plan->bytes_max || worker->asked_bytes < plan->bytes_max) &&
           (!plan->time_max || now(worker) - worker->from < plan->time_max);
}

static void ask(Slot *slot)
{
    Worker *worker = slot->worker;
    UnitOp *op = &slot->host.op;

    if (worker->run->spec) {
        iometer_next(&worker->iometer, op);
    } else {
        draw_next(&worker->draw, op);
    }
    op->flags = op->verb == UNIT_WRITE ? worker->plan->op_flags : 0;
    worker->asked++;
    worker->asked_bytes += (uint64_t)op->count * DISK_SECTOR_BYTES;
    worker->in_flight++;
    host_submit(worker->host, &slot->host);
}

/* --- beginnings and ends -------------------------------------------------- */

static void begin_more(JobRun *run);

static void end_worker(Worker *worker)
{
    const HostSums *sums = host_sums(worker->host);
    HostSums *total = &worker->result->sums;

    sim_cancel(worker->run->rig->sim, &worker->ev);
    total->queue_ns += sums->queue_ns - worker->before.queue_ns;
    total->firmware_ns += sums->firmware_ns - worker->before.firmware_ns;
    total->bus_ns += sums->bus_ns - worker->before.bus_ns;
    total->unit_ns += sums->unit_ns - worker->before.unit_ns;
    worker->result->interrupted |= worker->run->stop;
    worker->ended = true;
    worker->run->going--;
    begin_more(worker->run);
}

static void begin_worker(Worker *worker)
{
    const JobPlan *plan = worker->plan;
    JobResult *result = worker->result;

    worker->begun = true;
    worker->began = now(worker);
    worker->from = worker->began + plan->ramp;
    result->began = MIN(result->began, worker->from);
    if (plan->ramp) {
        sim_at(worker->run->rig->sim, &worker->ev, worker->from);
    }
    for (unsigned i = 0; i < plan->depth && wants_more(worker); i++) {
        ask(&worker->slots[i]);
    }
    if (!worker->in_flight) {
        end_worker(worker);
    }
}

static void worker_event(SimEvent *ev)
{
    Worker *worker = (Worker *)((char *)ev - offsetof(Worker, ev));

    if (worker->begun) {
        worker->before = *host_sums(worker->host);
    } else {
        begin_worker(worker);
    }
}

/* All up to the next stonewall, once nothing is going. */
static void begin_more(JobRun *run)
{
    unsigned from = run->next;

    if (run->going || run->stop || from == run->count) {
        return;
    }
    do {
        run->next++;
        run->going++;
    } while (run->next < run->count &&
             run->workers[run->next].result->group ==
             run->workers[from].result->group);
    for (unsigned i = from, end = run->next; i < end; i++) {
        /* By event: one that ends at once must not begin the next group
         * before its neighbours have begun. */
        sim_after(run->rig->sim, &run->workers[i].ev,
                  run->workers[i].plan->delay);
    }
}

static void finish(HostOp *host)
{
    Slot *slot = host->opaque;
    Worker *worker = slot->worker;
    JobResult *result = worker->result;
    UnitOp *op = &host->op;
    JobSide *side = &result->side[op->verb];
    SimTime at = now(worker);

    if (op->status != UNIT_OK) {
        side->errors++;
        if (result->first_error == UNIT_OK) {
            result->first_error = op->status;
            result->first_error_lba = op->lba;
        }
        worker->stop = true;
    } else if (at >= worker->from) {
        side->requests++;
        side->bytes += (uint64_t)op->count * DISK_SECTOR_BYTES;
        latency_add(&side->latency, at - host->asked);
        result->took = MAX(result->took, at - result->began);
    }
    worker->in_flight--;
    if (wants_more(worker)) {
        ask(slot);
    } else if (!worker->in_flight) {
        end_worker(worker);
    }
}

/* --- life ----------------------------------------------------------------- */

static void fill(void *buf, size_t bytes, Sim *chance)
{
    uint64_t *word = buf;

    for (size_t i = 0; i < bytes / sizeof(*word); i++) {
        word[i] = sim_random(chance, UINT64_MAX);
    }
}

static void set_up(JobRun *run, Worker *worker, unsigned clone,
                   unsigned unit, bool data)
{
    const JobPlan *plan = worker->plan;
    DrawPlan draw = plan->draw;
    uint64_t seed = plan->seed + clone * UINT64_C(0x9e3779b97f4a7c15);
    unsigned bufs = data ? plan->depth : 1;
    size_t bytes;

    draw.first += plan->offset_step * clone;
    worker->run = run;
    worker->host = host_new(run->rig->ctl, unit, &(HostPlan) { 0 });
    worker->ev.fire = worker_event;
    worker->slots = g_new0(Slot, plan->depth);
    if (run->spec) {
        bytes = iometer_spec_bytes_max(run->spec);
        iometer_init(&worker->iometer, run->spec,
                     draw.sectors * DISK_SECTOR_BYTES, seed);
    } else {
        bytes = (size_t)draw_most(&draw) * DISK_SECTOR_BYTES;
        draw_init(&worker->draw, &draw, seed);
    }
    worker->memory = rig_memory(bufs * bytes);
    if (data) {
        fill(worker->memory, bufs * bytes, worker->draw.chance);
    }
    for (unsigned i = 0; i < plan->depth; i++) {
        worker->slots[i] = (Slot) {
            .host = { .done = finish, .opaque = &worker->slots[i],
                      .op.buf = worker->memory + (i % bufs) * bytes },
            .worker = worker,
        };
    }
}

/* A result for each worker, or one for all grouped ones of a group. */
static void share_results(JobRun *run)
{
    unsigned group = 0, shared = G_MAXUINT, shared_group = 0;
    const JobPlan *last = NULL;

    run->results = g_new0(JobResult, run->count);
    for (unsigned i = 0; i < run->count; i++) {
        const JobPlan *plan = run->workers[i].plan;
        unsigned index;

        group += plan != last && last && plan->stonewall;
        last = plan;
        if (plan->grouped && shared != G_MAXUINT && shared_group == group) {
            index = shared;
        } else {
            index = run->result_count++;
            run->results[index] = (JobResult) {
                .plan = plan, .group = group, .began = SIM_NEVER,
                .first_error = UNIT_OK,
            };
        }
        if (plan->grouped) {
            shared = index;
            shared_group = group;
        }
        run->results[index].jobs++;
        run->workers[i].result = &run->results[index];
    }
}

JobRun *job_run_new(Rig *rig, unsigned unit, const JobPlan *plans,
                    unsigned count, bool data)
{
    JobRun *run = g_new0(JobRun, 1);
    unsigned at = 0;

    run->rig = rig;
    for (unsigned i = 0; i < count; i++) {
        run->count += plans[i].clones;
    }
    run->workers = g_new0(Worker, run->count);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned clone = 0; clone < plans[i].clones; clone++) {
            run->workers[at].plan = &plans[i];
            set_up(run, &run->workers[at++], clone, unit, data);
        }
    }
    share_results(run);
    return run;
}

JobRun *job_run_new_iometer(Rig *rig, unsigned unit, const JobPlan *plan,
                            const IometerSpec *spec)
{
    JobRun *run = g_new0(JobRun, 1);

    run->rig = rig;
    run->spec = spec;
    run->count = 1;
    run->workers = g_new0(Worker, 1);
    run->workers[0].plan = plan;
    set_up(run, &run->workers[0], 0, unit, false);
    share_results(run);
    return run;
}

void job_run_free(JobRun *run)
{
    g_assert(!run->going);
    for (unsigned i = 0; i < run->count; i++) {
        Worker *worker = &run->workers[i];

        if (run->spec) {
            iometer_clear(&worker->iometer);
        } else {
            draw_clear(&worker->draw);
        }
        host_free(worker->host);
        g_free(worker->slots);
        g_free(worker->memory);
    }
    g_free(run->workers);
    g_free(run->results);
    g_free(run);
}

void job_run_begin(JobRun *run)
{
    begin_more(run);
}

bool job_run_going(const JobRun *run)
{
    return run->going > 0;
}

void job_run_stop(JobRun *run)
{
    run->stop = true;
    for (unsigned i = run->next; i < run->count; i++) {
        run->workers[i].result->interrupted = true;
    }
    for (unsigned i = 0; i < run->next; i++) {
        Worker *worker = &run->workers[i];

        if (!worker->begun) {           /* waits for its startdelay */
            end_worker(worker);
        }
    }
}

static double worker_share(const Worker *worker)
{
    const JobPlan *plan = worker->plan;
    double share = worker->ended;

    if (worker->begun && !worker->ended) {
        if (plan->requests_max) {
            share = MAX(share, (double)worker->asked / plan->requests_max);
        }
        if (plan->bytes_max) {
            share = MAX(share, (double)worker->asked_bytes /
                               plan->bytes_max);
        }
        if (plan->time_max) {
            share = MAX(share, (double)(now(worker) - worker->began) /
                               (plan->ramp + plan->time_max));
        }
    }
    return MIN(share, 1);
}

double job_run_share(const JobRun *run)
{
    double sum = 0;

    for (unsigned i = 0; i < run->count; i++) {
        sum += worker_share(&run->workers[i]);
    }
    return sum / run->count;
}

const JobResult *job_run_result(const JobRun *run, unsigned index)
{
    return &run->results[index];
}

unsigned job_run_results(const JobRun *run)
{
    return run->result_count;
}

void job_run_all(JobRun *run, const char *what)
{
    progress_begin();
    job_run_begin(run);
    for (uint64_t i = 1; run->going && sim_step(run->rig->sim); i++) {
        if (i % LOOK_EVERY == 0) {
            progress_show(what, job_run_share(run));
            if (progress_interrupted() && !run->stop) {
                job_run_stop(run);
            }
        }
    }
    progress_end();
    g_assert(!run->going);
}

const char *job_status_name(UnitStatus status)
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
