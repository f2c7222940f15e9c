/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bonnie: processes that make calls, one phase after the other.
 */
#include <inttypes.h>

#include "raid-model/sim/bonnie.h"
#include "raid-model/sim/number.h"

#define FILE_BYTES (UINT64_C(1) << 30)
#define PROCESSES 3
#define TICKETS 8192
#define WRITES_EVERY 10
#define PAUSE SIM_S(5)
#define CHUNK_BYTES_MAX (1u << 20)
#define OTHER_SEED UINT64_C(0x9e3779b97f4a7c15)
#define NOT_THE_SPINDLES 0x626f6e6e     /* other chance than they have */

const char *const bonnie_phase_name[BONNIE_PHASES] = {
    "block_write", "rewrite", "block_read", "random_seeks",
};

typedef struct Bonnie Bonnie;

typedef struct Process {
    Bonnie *bonnie;
    LinuxCall call;
    LinuxFile *file;            /* each opened by itself */
    uint64_t chunk;             /* sequential: where it is */
    uint64_t reads;             /* seeks: it has made */
} Process;

struct Bonnie {
    const BonnieAsk *ask;
    LinuxAsk computer;          /* with this run's seed */
    unsigned run;
    BonnieResult *result;       /* of this run */
    Linux box;
    BonniePhase phase;
    Process process[PROCESSES];
    unsigned running;
    uint64_t chunks, files, tickets;
    uint64_t blocks_of_file, blocks_of_chunk;
    Sim *chance;                /* nothing but its random numbers is used */
    SimEvent start;
    SimTime started;
};

static bool stops(Bonnie *bonnie)
{
    BonnieResult *result = bonnie->result;

    result->error = linux_cache_error(bonnie->box.cache, &result->error_lba);
    return result->error != UNIT_OK || bonnie->box.interrupted;
}

static void call_chunk(Process *process, UnitVerb verb)
{
    Bonnie *bonnie = process->bonnie;
    LinuxCall *call = &process->call;

    call->verb = verb;
    call->first = process->chunk * bonnie->blocks_of_chunk;
    call->blocks = bonnie->blocks_of_chunk;
    call->file = &process->file[call->first / bonnie->blocks_of_file];
    linux_call(bonnie->box.cache, call);
}

static void open_files(Process *process)
{
    Bonnie *bonnie = process->bonnie;
    uint64_t each = bonnie->blocks_of_file;
    uint64_t all = bonnie->chunks * bonnie->blocks_of_chunk;

    for (uint64_t i = 0; i < bonnie->files; i++) {
        process->file[i] = (LinuxFile) {
            .first = i * each, .end = MIN((i + 1) * each, all),
        };
    }
}

/* --- what a process does when a call has come back ----------------------- */

static void next_sequential(Process *process, UnitVerb verb)
{
    if (process->chunk == process->bonnie->chunks || stops(process->bonnie)) {
        process->bonnie->running--;
    } else {
        call_chunk(process, verb);
    }
}

static void next_seek(Process *process)
{
    Bonnie *bonnie = process->bonnie;

    if (!bonnie->tickets || stops(bonnie)) {
        bonnie->running--;
        return;
    }
    bonnie->tickets--;
    process->reads++;
    process->chunk = sim_random(bonnie->chance, bonnie->chunks);
    call_chunk(process, UNIT_READ);
}

static void call_done(LinuxCall *call)
{
    Process *process = call->opaque;
    bool was_read = call->verb == UNIT_READ;

    switch (process->bonnie->phase) {
    case BONNIE_REWRITE:
        if (was_read) {
            call_chunk(process, UNIT_WRITE);
            return;
        }
        process->chunk++;
        next_sequential(process, UNIT_READ);
        return;
    case BONNIE_SEEKS:
        if (was_read && process->reads % WRITES_EVERY == 1) {
            call_chunk(process, UNIT_WRITE);
        } else {
            next_seek(process);
        }
        return;
    default:
        process->chunk++;
        next_sequential(process, call->verb);
    }
}

/* --- phases -------------------------------------------------------------- */

static void start(SimEvent *ev)
{
    Bonnie *bonnie = (Bonnie *)((char *)ev - offsetof(Bonnie, start));

    bonnie->started = linux_now(&bonnie->box);
    bonnie->tickets = TICKETS;
    for (unsigned i = 0; i < bonnie->running; i++) {
        Process *process = &bonnie->process[i];

        open_files(process);
        process->chunk = 0;
        if (bonnie->phase == BONNIE_SEEKS) {
            next_seek(process);
        } else {
            next_sequential(process, bonnie->phase == BONNIE_BLOCK_WRITE
                            ? UNIT_WRITE : UNIT_READ);
        }
    }
}

static double share_done(const Bonnie *bonnie)
{
    double share = bonnie->phase == BONNIE_SEEKS
        ? 1 - (double)bonnie->tickets / TICKETS
        : (double)bonnie->process[0].chunk / bonnie->chunks;

    return (bonnie->run + (bonnie->phase + share) / BONNIE_PHASES) /
        bonnie->ask->runs;
}

/* False: an error or Ctrl-C came in between. */
static bool run_phase(Bonnie *bonnie, BonniePhase phase)
{
    BonnieResult *result = bonnie->result;
    bool seeks = phase == BONNIE_SEEKS;
    double units = seeks ? TICKETS
                         : (double)bonnie->ask->size_bytes / 1024;

    bonnie->phase = phase;
    bonnie->running = seeks ? PROCESSES : 1;
    sim_after(bonnie->box.rig->sim, &bonnie->start, seeks ? PAUSE : 0);
    while (bonnie->running) {
        linux_step(&bonnie->box, share_done(bonnie));
    }
    if (stops(bonnie)) {
        return false;
    }
    result->took_s[phase] = (linux_now(&bonnie->box) - bonnie->started) / 1e9;
    result->value[phase] = units / result->took_s[phase];
    result->phases++;
    return true;
}

static bool check(const BonnieAsk *ask, GError **error)
{
    uint32_t chunk = ask->chunk_bytes;
    g_autofree char *size = number_print_bytes(ask->size_bytes);

    if (chunk < LINUX_PAGE_BYTES || chunk > CHUNK_BYTES_MAX ||
        chunk & (chunk - 1)) {
        return number_error(error, "--chunk %u: a power of two from 4k to 1m "
                            "would be right", chunk);
    }
    if (ask->runs < 1 || ask->runs > BONNIE_RUNS_MAX) {
        return number_error(error, "--runs %u: 1 to %d would be right",
                            ask->runs, BONNIE_RUNS_MAX);
    }
    if (!ask->size_bytes || ask->size_bytes % chunk) {
        return number_error(error, "--size %s: a multiple of --chunk would "
                            "be right", size);
    }
    if (ask->size_bytes / 2 < ask->computer.memory_bytes) {
        return number_error(error, "--size %s: at least twice --memory would "
                            "be right, or the cache is what is measured",
                            size);
    }
    return true;
}

static bool run_once(const BonnieAsk *ask, unsigned run, BonnieResult *result,
                     GError **error)
{
    Bonnie bonnie = {
        .ask = ask, .computer = ask->computer, .run = run,
        .result = result, .start.fire = start,
    };

    *result = (BonnieResult) { .error = UNIT_OK };
    bonnie.computer.seed += run * OTHER_SEED;
    if (!linux_open(&bonnie.box, &bonnie.computer, ask->size_bytes,
                    ask->chunk_bytes, error)) {
        return false;
    }
    bonnie.chance = sim_new(bonnie.computer.seed ^ NOT_THE_SPINDLES);
    bonnie.chunks = ask->size_bytes / ask->chunk_bytes;
    bonnie.files = (ask->size_bytes - 1) / FILE_BYTES + 1;
    bonnie.blocks_of_file = FILE_BYTES / bonnie.box.block_bytes;
    bonnie.blocks_of_chunk = ask->chunk_bytes / bonnie.box.block_bytes;
    for (unsigned i = 0; i < PROCESSES; i++) {
        Process *process = &bonnie.process[i];

        process->bonnie = &bonnie;
        process->call.done = call_done;
        process->call.opaque = process;
        process->file = g_new(LinuxFile, bonnie.files);
    }
    for (unsigned i = 0; i < BONNIE_PHASES; i++) {
        if (!run_phase(&bonnie, i)) {
            break;
        }
    }
    result->interrupted = bonnie.box.interrupted;
    for (unsigned i = 0; i < PROCESSES; i++) {
        g_free(bonnie.process[i].file);
    }
    sim_free(bonnie.chance);
    linux_close(&bonnie.box);
    return true;
}

bool bonnie_run(const BonnieAsk *ask, BonnieResult *result, GError **error)
{
    unsigned completed[BONNIE_PHASES] = { 0 };
    BonnieResult one = { .error = UNIT_OK };

    *result = one;
    if (!check(ask, error)) {
        return false;
    }
    for (unsigned run = 0; run < ask->runs && one.error == UNIT_OK &&
         !one.interrupted; run++) {
        if (!run_once(ask, run, &one, error)) {
            return false;
        }
        for (unsigned i = 0; i < one.phases; i++) {
            unsigned n = ++completed[i];

            result->value[i] += (one.value[i] - result->value[i]) / n;
            result->took_s[i] += (one.took_s[i] - result->took_s[i]) / n;
        }
        result->phases = MAX(result->phases, one.phases);
    }
    result->error = one.error;
    result->error_lba = one.error_lba;
    result->interrupted = one.interrupted;
    return true;
}
