/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DD: one process, one file.
 */
#include "raid-model/sim/dd.h"
#include "raid-model/sim/number.h"

#define BS_BYTES_MAX (1u << 30)

typedef struct Dd {
    const DdAsk *ask;
    DdResult *result;
    Linux box;
    LinuxFile file;
    LinuxCall call;
    bool over;
} Dd;

static void next_record(Dd *dd)
{
    DdResult *result = dd->result;

    result->error = linux_cache_error(dd->box.cache, &result->error_lba);
    if (result->records == dd->ask->count || result->error != UNIT_OK ||
        dd->box.interrupted) {
        dd->over = true;
        return;
    }
    dd->call.first = result->records * dd->call.blocks;
    linux_call(dd->box.cache, &dd->call);
}

static void record_done(LinuxCall *call)
{
    Dd *dd = call->opaque;

    dd->result->records++;
    next_record(dd);
}

static bool check(const DdAsk *ask, GError **error)
{
    if (!ask->bs_bytes || ask->bs_bytes % LINUX_PAGE_BYTES ||
        ask->bs_bytes > BS_BYTES_MAX) {
        g_autofree char *bs = number_print_bytes(ask->bs_bytes);

        return number_error(error, "bs=%s: a multiple of 4k, at most 1g, "
                            "would be right", bs);
    }
    if (!ask->count || ask->count > UINT64_MAX / ask->bs_bytes) {
        return number_error(error, "count=N: 1 or more records that fit in "
                            "the unit would be right");
    }
    return true;
}

bool dd_run(const DdAsk *ask, DdResult *result, GError **error)
{
    Dd dd = { .ask = ask, .result = result };

    *result = (DdResult) { .error = UNIT_OK };
    if (!check(ask, error) ||
        !linux_open(&dd.box, &ask->computer, ask->bs_bytes * ask->count,
                    ask->bs_bytes, error)) {
        return false;
    }
    dd.call.verb = ask->verb;
    dd.call.blocks = ask->bs_bytes / dd.box.block_bytes;
    dd.file.end = dd.call.blocks * ask->count;
    dd.call.file = &dd.file;
    dd.call.done = record_done;
    dd.call.opaque = &dd;
    next_record(&dd);
    while (!dd.over) {
        linux_step(&dd.box, (double)result->records / ask->count);
    }
    result->took = linux_now(&dd.box);
    result->bytes = result->records * ask->bs_bytes;
    result->interrupted = dd.box.interrupted;
    linux_close(&dd.box);
    return true;
}

double dd_bytes_per_s(const DdResult *result)
{
    return result->took ? result->bytes / (result->took / 1e9) : 0;
}
