/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work: ops in slots, their ends, and what is said of them.
 */
#include "tests/world/work.h"

#include <stdarg.h>
#include <stdio.h>

#define SECTOR DISK_SECTOR_BYTES

/* --- what is said -------------------------------------------------------- */

void work_note(Work *work, const char *format, ...)
{
    SimTime now = work->rig->sim ? sim_now(work->rig->sim) : 0;
    va_list args;
    char *line;

    if (!work->log && !work->aloud) {
        return;
    }
    va_start(args, format);
    line = g_strdup_vprintf(format, args);
    va_end(args);
    if (work->log) {
        g_string_append_printf(work->log, "%12.6f ms  %s\n", now / 1e6, line);
    }
    if (work->aloud) {
        printf("%12.6f ms  %s\n", now / 1e6, line);
        fflush(stdout);
    }
    g_free(line);
}

void work_wrong(Work *work, const char *format, ...)
{
    va_list args;

    if (work->wrong) {
        return;
    }
    va_start(args, format);
    work->wrong = g_strdup_vprintf(format, args);
    va_end(args);
    work_note(work, "WRONG: %s", work->wrong);
}

/* --- honest errors ------------------------------------------------------- */

void work_order_bad(Work *work, unsigned member, uint64_t first,
                    uint64_t last)
{
    if (work->bads < WORK_BAD_MAX) {
        work->bad[work->bads++] = (WorkBad) { member, first, last };
    }
}

bool work_was_ordered_bad(const Work *work, unsigned member,
                          uint64_t sector)
{
    for (unsigned i = 0; i < work->bads; i++) {
        const WorkBad *bad = &work->bad[i];

        if (bad->member == member && sector >= bad->first &&
            sector <= bad->last) {
            return true;
        }
    }
    return false;
}

static bool cannot_know(const Work *work, uint64_t lba, uint32_t good)
{
    uint64_t sector;
    uint32_t column = rig_column(work->rig, lba, &sector);
    uint32_t dark = column & ~good;

    if (work->dark && work->dark[lba]) {
        return true;
    }
    for (unsigned m = 0; m < work->rig->plan.members; m++) {
        dark |= column >> m & 1 && work_was_ordered_bad(work, m, sector)
                    ? 1u << m : 0;
    }
    return (unsigned)__builtin_popcount(dark) > work->rig->redundant;
}

static bool error_is_honest(const Work *work, const WorkOp *slot)
{
    const UnitOp *op = &slot->op;

    switch (op->status) {
    case UNIT_MEDIUM_ERROR:
        return op->verb != UNIT_FLUSH && op->bad_lba >= op->lba &&
               op->bad_lba < op->lba + op->count &&
               cannot_know(work, op->bad_lba, slot->good);
    case UNIT_OFFLINE:
        return rig_state(work->rig, slot->good) == RAID_UNIT_INOPERABLE;
    case UNIT_ABORTED:
        return work->resetting;
    default:
        return false;
    }
}

/* --- ends ---------------------------------------------------------------- */

static void read_ended(Work *work, WorkOp *slot)
{
    uint64_t lba;
    uint32_t found;

    if (!oracle_read_is_right(work->oracle, &slot->read, slot->data, &lba,
                              &found)) {
        work_wrong(work, "read of %" G_GUINT64_FORMAT "+%u: sector %"
                   G_GUINT64_FORMAT " has version %d", slot->op.lba,
                   slot->op.count, lba, (int)found);
    }
}

static void op_done(UnitOp *op)
{
    static const char *const verbs[] = { "read", "write", "flush" };
    WorkOp *slot = op->opaque;
    Work *work = slot->work;
    bool ok = op->status == UNIT_OK;

    if (work->over) {
        return;
    }
    if (work->in_submit || !slot->busy) {
        work_wrong(work, "done() %s", work->in_submit ? "inside submit"
                                                      : "a second time");
        return;
    }
    slot->busy = false;
    slot->good &= rig_good(work->rig);
    work->ended++;
    work->errors += !ok;
    work_note(work, "  %s %" G_GUINT64_FORMAT "+%u ends, %s", verbs[op->verb],
              op->lba, op->count, ok ? "well" :
              op->status == UNIT_MEDIUM_ERROR ? "medium error" :
              op->status == UNIT_ABORTED ? "aborted" : "offline");
    if (op->verb == UNIT_WRITE) {
        oracle_write_ends(work->oracle, slot->version, ok,
                          !work->cached || op->flags & UNIT_FUA);
    } else if (ok && op->verb == UNIT_READ) {
        read_ended(work, slot);
    } else if (ok) {
        oracle_flushed(work->oracle, slot->begun);
    }
    if (!ok && !error_is_honest(work, slot)) {
        work_wrong(work, "%s of %" G_GUINT64_FORMAT "+%u ends with status %d "
                   "(bad LBA %" G_GINT64_FORMAT ")", verbs[op->verb], op->lba,
                   op->count, op->status, (gint64)op->bad_lba);
    }
}

/* --- asking -------------------------------------------------------------- */

void work_ask(Work *work, WorkOp *slot, UnitVerb verb, uint64_t lba,
              uint32_t count, unsigned flags)
{
    slot->busy = true;
    slot->good = rig_good(work->rig);
    slot->op = (UnitOp) {
        .verb = verb, .lba = lba, .count = count, .buf = slot->data,
        .flags = flags, .done = op_done, .opaque = slot,
    };
    if (verb == UNIT_WRITE) {
        slot->version = oracle_write_begins(work->oracle, lba, count);
        for (uint32_t i = 0; i < count; i++) {
            oracle_stamp(slot->data + i * SECTOR, lba + i, slot->version);
        }
        work_note(work, "write %" G_GUINT64_FORMAT "+%u%s, version %u", lba,
                  count, flags & UNIT_FUA ? " FUA" : "", slot->version);
    } else if (verb == UNIT_READ) {
        slot->read.lba = lba;
        slot->read.count = count;
        oracle_read_begins(work->oracle, &slot->read);
        work_note(work, "read %" G_GUINT64_FORMAT "+%u", lba, count);
    } else {
        slot->begun = oracle_flush_begins(work->oracle);
        work_note(work, "flush");
    }
    work->bytes += (uint64_t)count * SECTOR;
    work->in_submit = true;
    raid_controller_submit(work->rig->ctl, work->rig->number, &slot->op);
    work->in_submit = false;
}

void work_lost(Work *work)
{
    uint32_t good = rig_good(work->rig);

    for (unsigned i = 0; i < WORK_SLOTS; i++) {
        work->slot[i].good &= good;
    }
}

bool work_step(Work *work)
{
    if (work->wrong) {
        return false;
    }
    if (++work->events > work->events_max) {
        work_wrong(work, "no end after %" G_GUINT64_FORMAT " events",
                   work->events_max);
        return false;
    }
    return sim_step(work->rig->sim);
}

void work_drain(Work *work)
{
    while (work_step(work)) {
    }
    for (unsigned i = 0; i < WORK_SLOTS && !work->wrong; i++) {
        if (work->slot[i].busy) {
            work_wrong(work, "an op never ends (%" G_GUINT64_FORMAT "+%u)",
                       work->slot[i].op.lba, work->slot[i].op.count);
        }
    }
}

void work_reset(Work *work)
{
    work_note(work, "reset");
    work->resetting = true;
    raid_controller_reset(work->rig->ctl);
    work->resetting = false;
}

void work_read_all(Work *work)
{
    Rig *rig = work->rig;
    uint64_t lba = 0;

    work_drain(work);
    while (lba < rig->capacity && !work->wrong) {
        for (unsigned i = 0; i < WORK_SLOTS && lba < rig->capacity; i++) {
            uint32_t count = (uint32_t)MIN(WORK_SECTORS_MAX,
                                           rig->capacity - lba);

            work_ask(work, &work->slot[i], UNIT_READ, lba, count, 0);
            lba += count;
        }
        work_drain(work);
    }
    if (!work->wrong) {
        work_ask(work, &work->slot[0], UNIT_FLUSH, 0, 0, 0);
        work_drain(work);
    }
}

/* --- life ---------------------------------------------------------------- */

Work *work_new(Rig *rig)
{
    Work *work = g_new0(Work, 1);

    work->rig = rig;
    work->oracle = oracle_new(rig->capacity);
    work->events_max = 3000000;
    work->cached = rig->plan.drive >= RIG_WRITES;
    for (unsigned i = 0; i < WORK_SLOTS; i++) {
        work->slot[i].work = work;
        work->slot[i].data = g_malloc(WORK_SECTORS_MAX * SECTOR);
        work->slot[i].read.then = g_new(OracleSector, WORK_SECTORS_MAX);
    }
    return work;
}

void work_free(Work *work)
{
    for (unsigned i = 0; i < WORK_SLOTS; i++) {
        g_free(work->slot[i].data);
        g_free(work->slot[i].read.then);
    }
    oracle_free(work->oracle);
    if (work->log) {
        g_string_free(work->log, TRUE);
    }
    g_free(work->wrong);
    g_free(work);
}
