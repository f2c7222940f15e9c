/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aftermath: the cut, the look, the power, the reading.
 */
#include "tests/world/aftermath.h"

#include <string.h>

typedef struct Aftermath {
    Work *work;
    Rig *rig;
    StoryCount *count;
    uint32_t good;
    bool *unsettled, *dark;
    uint32_t *found;
} Aftermath;

/* --- before -------------------------------------------------------------- */

static void note_unsettled(Aftermath *a)
{
    const Oracle *oracle = a->work->oracle;

    for (uint32_t v = oracle->unsafe_from; v < oracle->write->len; v++) {
        const OracleWrite *write = &g_array_index(oracle->write, OracleWrite,
                                                  v);

        for (uint32_t i = 0; !write->safe && i < write->count; i++) {
            a->unsettled[write->lba + i] = true;
        }
    }
}

/* --- the look ------------------------------------------------------------ */

/* Sectors of a write that are as something older had them. */
static unsigned lost_of(const Aftermath *a, uint32_t version)
{
    const GArray *all = a->work->oracle->write;
    const OracleWrite *write = &g_array_index(all, OracleWrite, version);
    unsigned lost = 0;

    for (uint64_t lba = write->lba; lba < write->lba + write->count; lba++) {
        const OracleWrite *there = &g_array_index(all, OracleWrite,
                                                  a->found[lba]);

        lost += !a->dark[lba] && there->ended < write->begun;
    }
    return lost;
}

static void name_the_lost(Aftermath *a)
{
    const Oracle *oracle = a->work->oracle;

    for (uint32_t v = 1; v < oracle->write->len; v++) {
        const OracleWrite *write = &g_array_index(oracle->write, OracleWrite,
                                                  v);
        unsigned lost = write->ok ? lost_of(a, v) : 0;

        a->count->lost += lost;
        if (lost) {
            work_note(a->work, "lost: %u sectors of write %u, %"
                      G_GUINT64_FORMAT "+%u", lost, v, write->lba,
                      write->count);
        }
        if (lost && (write->safe || !a->work->cached)) {
            work_wrong(a->work, "write %u (%" G_GUINT64_FORMAT "+%u) was "
                       "safe and is lost", v, write->lba, write->count);
        }
    }
}

static void look(Aftermath *a)
{
    RigAfter after = { a->unsettled, a->dark, a->found, 0, 0, 0 };
    char *wrong = rig_look(a->rig, a->work->oracle, a->good, &after);

    if (wrong) {
        work_wrong(a->work, "after the cut: %s", wrong);
        g_free(wrong);
        return;
    }
    a->count->differ += after.differ;
    a->count->holes += after.holes;
    a->count->torn += after.torn;
    work_note(a->work, "%u columns differ, %u sectors in the write hole, %u "
              "torn", (unsigned)after.differ, (unsigned)after.holes,
              (unsigned)after.torn);
    for (uint64_t lba = 0; lba < a->rig->capacity; lba++) {
        if (a->dark[lba]) {
            work_note(a->work, "sector %" G_GUINT64_FORMAT " may be anything",
                      lba);
        }
    }
    name_the_lost(a);
}

/* A sector that had to be repaired beside a write that was half done. */
static void note_bad_ones(Aftermath *a)
{
    for (uint64_t lba = 0; a->work->bads && lba < a->rig->capacity; lba++) {
        uint64_t sector;
        uint32_t column = rig_column(a->rig, lba, &sector);

        for (unsigned m = 0; m < a->rig->plan.members; m++) {
            a->dark[lba] |= column >> m & 1 &&
                            work_was_ordered_bad(a->work, m, sector);
        }
    }
}

/* --- power --------------------------------------------------------------- */

/*
 * Those that were good, but for one whose rebuild had just ended and was not
 * recorded yet.  One that died so late that it was not recorded may be one
 * again: its contents are looked at like the others'.
 */
static void check_members(Aftermath *a)
{
    uint32_t good = rig_good(a->rig), gone = a->good & ~good;

    for (unsigned m = 0; m < a->rig->plan.members; m++) {
        if (a->rig->rebuilt[a->rig->plan.port[m]]) {
            gone &= ~(1u << m);
        }
    }
    if (gone) {
        work_wrong(a->work, "members %x were good and are not", gone);
    }
    if (raid_unit_state(a->rig->unit) != rig_state(a->rig, good)) {
        work_wrong(a->work, "the unit comes up %d with members %x",
                   raid_unit_state(a->rig->unit), good);
    }
}

/* The card goes on by itself with what redundancy lacks. */
static bool power(Aftermath *a)
{
    char *why = NULL;

    if (!rig_power(a->rig, &why)) {
        work_wrong(a->work, "no unit after the cut: %s", why);
        g_free(why);
        return false;
    }
    work_note(a->work, "power");
    check_members(a);
    if (rig_good(a->rig) != a->good && !a->work->wrong) {
        a->good = rig_good(a->rig);     /* others: they know other sectors */
        memset(a->dark, 0, a->rig->capacity * sizeof(*a->dark));
        look(a);
        note_bad_ones(a);
    }
    work_drain(a->work);
    return !a->work->wrong;
}

/* What may be anything is asked for alone, so that its error is its own. */
static void read_all(Aftermath *a)
{
    Work *work = a->work;
    uint64_t lba = 0;

    while (lba < a->rig->capacity && !work->wrong) {
        uint32_t count = 1;

        while (!a->dark[lba] && count < WORK_SECTORS_MAX &&
               lba + count < a->rig->capacity && !a->dark[lba + count]) {
            count++;
        }
        if (!a->dark[lba]) {
            work_ask(work, &work->slot[0], UNIT_READ, lba, count, 0);
            work_drain(work);
        }
        lba += count;
    }
}

static void look_again(Aftermath *a)
{
    RigAfter after = { a->unsettled, a->dark, a->found, 0, 0, 0 };
    char *wrong;

    /* A unit that is not whole is not initialised yet. */
    for (uint64_t lba = 0; lba < a->rig->capacity &&
         raid_unit_state(a->rig->unit) == RAID_UNIT_OK; lba++) {
        a->unsettled[lba] = a->dark[lba];
    }
    wrong = rig_look(a->rig, a->work->oracle, rig_good(a->rig), &after);
    if (wrong) {
        work_wrong(a->work, "after it was made to agree: %s", wrong);
        g_free(wrong);
    }
}

/* --- all of it ----------------------------------------------------------- */

static void live_on(Aftermath *a)
{
    if (!power(a)) {
        return;
    }
    read_all(a);
    if (!a->work->wrong) {
        work_ask(a->work, &a->work->slot[0], UNIT_FLUSH, 0, 0, 0);
        work_drain(a->work);
    }
    if (!a->work->wrong) {
        look_again(a);
    }
}

static void cut(Aftermath *a)
{
    work_note(a->work, "the power goes");
    a->work->over = true;
    rig_cut(a->rig);
    a->work->over = false;
    for (unsigned i = 0; i < WORK_SLOTS; i++) {
        a->work->slot[i].busy = false;
    }
    oracle_power_cut(a->work->oracle);
    a->count->cuts++;
}

void aftermath(Work *work, StoryCount *count)
{
    uint64_t sectors = work->rig->capacity;
    Aftermath a = {
        .work = work, .rig = work->rig, .count = count,
        .good = rig_good(work->rig),
        .unsettled = g_new0(bool, sectors), .dark = g_new0(bool, sectors),
        .found = g_new0(uint32_t, sectors),
    };

    note_unsettled(&a);
    cut(&a);
    if (rig_state(a.rig, a.good) != RAID_UNIT_INOPERABLE) {
        look(&a);
        note_bad_ones(&a);
        work->dark = a.dark;
        if (!work->wrong) {
            live_on(&a);
        }
        work->dark = NULL;
    }
    g_free(a.unsettled);
    g_free(a.dark);
    g_free(a.found);
}
