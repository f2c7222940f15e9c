/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power cut: for every level and cache policy, whole, degraded and while a
 * member is rebuilt, the same story is told and the power goes at event 1,
 * 2, 3 ... until the story is over before it goes.
 */
#include <stdio.h>

#include "tests/world/aftermath.h"
#include "tests/world/cut.h"

typedef enum CutMood { CUT_WHOLE, CUT_DEGRADED, CUT_REBUILDING } CutMood;

static const RigPlan plans[] = {
    { "3ware-8506-4", RAID_JBOD, 1, 0, 2400, RIG_PLAIN, { 0 }, 1 },
    { "3ware-8506-4", RAID_SINGLE, 1, 0, 400, RIG_PLAIN, { 0 }, 1 },
    { "3ware-7410", RAID_0, 2, 128, 150, RIG_PLAIN, { 1, 0 }, 1 },
    { "3ware-6400", RAID_1, 2, 0, 300, RIG_PLAIN, { 0, 1 }, 1 },
    { "3ware-7410", RAID_5, 3, 128, 150, RIG_PLAIN, { 0, 1, 2 }, 1 },
    { "3ware-8506-8", RAID_5, 5, 128, 150, RIG_PLAIN, { 5, 0, 2, 1, 7 }, 1 },
    { "3ware-8506-4", RAID_10, 4, 128, 150, RIG_PLAIN, { 0, 2, 3, 1 }, 1 },
};

#define MOODS 3u
#define WORKS 3u                /* small, long, many at once */
#define CUT_BITS 16             /* of a number: the event */
#define JOBS_OF_PLAN (RIG_DRIVES * MOODS * WORKS)

typedef struct Cut {
    RigPlan plan;
    CutMood mood;
    unsigned work_kind;
    Rig *rig;
    Work *work;
    uint64_t state;
    unsigned events;            /* left */
} Cut;

unsigned cut_stride = 1;

uint64_t cut_jobs(void)
{
    return G_N_ELEMENTS(plans) * JOBS_OF_PLAN;
}

static Cut cut_of(uint64_t job)
{
    Cut cut = { .plan = plans[job / JOBS_OF_PLAN] };

    cut.plan.drive = (RigDrive)(job % RIG_DRIVES);
    cut.mood = (CutMood)(job / RIG_DRIVES % MOODS);
    cut.work_kind = (unsigned)(job / RIG_DRIVES / MOODS % WORKS);
    return cut;
}

/* --- the story ----------------------------------------------------------- */

/* False when it is time. */
static bool step(Cut *cut)
{
    return cut->events && work_step(cut->work) && --cut->events;
}

static void ask(Cut *cut, WorkOp *slot, unsigned n)
{
    static const uint32_t most[WORKS] = { 12, 200, 40 };
    uint64_t capacity = cut->rig->capacity;
    uint32_t count = 1 + story_random(&cut->state, most[cut->work_kind]);
    uint32_t at = story_random(&cut->state, (uint32_t)(capacity - count));
    unsigned flags = story_random(&cut->state, 6) ? 0 : UNIT_FUA;
    bool reads = story_random(&cut->state, 5) == 0;

    at = n % 3 ? at % MIN(200, (uint32_t)capacity - count) : at;
    if (n % 6 == 5) {
        work_ask(cut->work, slot, UNIT_FLUSH, 0, 0, 0);
    } else if (reads) {
        work_ask(cut->work, slot, UNIT_READ, at, count, 0);
    } else {
        work_ask(cut->work, slot, UNIT_WRITE, at, count, flags);
    }
}

static void begin_mood(Cut *cut)
{
    Rig *rig = cut->rig;
    unsigned port = (unsigned)rig->plan.port[1];

    if (cut->mood == CUT_WHOLE || !rig->redundant) {
        return;
    }
    rig_pull(rig, port);
    if (cut->mood == CUT_REBUILDING) {
        rig_swap(rig, port, true);
        rig_plug(rig, port);
        rig_rebuild(rig, port);
    }
}

/* True when the power is to go; false when all was over before. */
static bool tell(Cut *cut)
{
    unsigned depth = cut->work_kind == 2 ? 8 : 2;

    begin_mood(cut);
    for (unsigned n = 0; n < 32; n++) {
        WorkOp *slot = &cut->work->slot[n % depth];

        while (slot->busy && step(cut)) {
        }
        if (!cut->events || cut->work->wrong) {
            return true;
        }
        ask(cut, slot, n);
    }
    while (step(cut)) {
    }
    return !cut->events;
}

/* --- one cut ------------------------------------------------------------- */

/* *left: there was something to cut. */
static char *one_cut(Cut *cut, unsigned event, bool aloud, StoryCount *count,
                     bool *left)
{
    char *wrong;

    cut->events = event;
    cut->state = cut->plan.members * 1000u + cut->plan.code;
    cut->rig = rig_new(&cut->plan);
    cut->work = work_new(cut->rig);
    cut->work->aloud = aloud;
    *left = tell(cut);
    if (!cut->work->wrong) {
        aftermath(cut->work, count);
    }
    count->stories++;
    count->ops += cut->work->ended;
    count->bytes += cut->work->bytes;
    wrong = g_steal_pointer(&cut->work->wrong);
    cut->work->over = true;
    rig_free(cut->rig);
    work_free(cut->work);
    return wrong;
}

static bool told_wrong(uint64_t job, unsigned event, char *wrong, char **why)
{
    if (wrong) {
        *why = g_strdup_printf("event %u: %s (world cut-one %"
            G_GUINT64_FORMAT ")", event, wrong, job << CUT_BITS | event);
        g_free(wrong);
    }
    return wrong;
}

/* The write hole is there to be seen: a degraded RAID 5 that writes through
 * has one, and nobody else has any. */
static bool hole_is_where_it_should_be(const Cut *cut, uint64_t holes,
                                       char **why)
{
    bool may = cut->plan.code == RAID_5 && cut->mood != CUT_WHOLE;

    if (holes && !may) {
        *why = g_strdup_printf("%u sectors in a write hole where there is "
                               "none", (unsigned)holes);
    }
    if (!holes && may && cut->mood == CUT_DEGRADED && cut_stride == 1) {
        *why = g_strdup("no write hole where there must be one");
    }
    return !*why;
}

bool story_cut(uint64_t job, bool aloud, StoryCount *count, char **why)
{
    Cut cut = cut_of(job);
    uint64_t holes = count->holes;
    bool left = cut.mood == CUT_WHOLE ||
                raid_level[cut.plan.code].row_redundant;
    bool told = left;

    for (unsigned n = 1 + job % cut_stride; left; n += cut_stride) {
        if (aloud) {
            printf("%s on %s, event %u\n", raid_level[cut.plan.code].name,
                   cut.plan.board, n);
            fflush(stdout);
        }
        if (told_wrong(job, n, one_cut(&cut, n, false, count, &left), why)) {
            return false;
        }
    }
    return !told || hole_is_where_it_should_be(&cut, count->holes - holes,
                                               why);
}

bool story_cut_one(uint64_t number, bool aloud, StoryCount *count, char **why)
{
    uint64_t job = number >> CUT_BITS;
    unsigned event = number & ((1u << CUT_BITS) - 1);
    Cut cut = cut_of(job);
    bool left;

    return !told_wrong(job, event, one_cut(&cut, event, aloud, count, &left),
                       why);
}
