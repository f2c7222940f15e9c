/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nth fault: for every level, every member and every kind of trouble, the
 * same story of writes, reads and a rebuild is told again and again, with
 * drive operation 1, 2, 3 ... in trouble, until none is left to be.
 *
 * The story must end, every answer be right or an honest error; and when all
 * that is broken has been replaced, the unit is whole and so are the media,
 * unless more was lost than redundancy reaches.
 */
#include <stdio.h>
#include <string.h>

#include "disk-model/world/fault.h"
#include "tests/world/nth.h"

typedef struct NthKind {
    const char *rule;           /* after "port N ", before "after N" */
    const char *times;
    bool bad, kills;
} NthKind;

static const NthKind kinds[] = {
    { .rule = "bad at 0-99999", .times = "times 1", .bad = true },
    { .rule = "bad at 0-99999", .times = "times 2", .bad = true },
    { .rule = "dead", .times = "", .kills = true },
    { .rule = "slow 700ms", .times = "times 1" },
    { .rule = "hang", .times = "times 1" },
    { .rule = "hang", .times = "times 2", .kills = true },
};

static const RigPlan plans[] = {
    { "3ware-8506-4", RAID_JBOD, 1, 0, 3000, RIG_PLAIN, { 0 }, 1 },
    { "3ware-8506-4", RAID_SINGLE, 1, 0, 700, RIG_WRITES, { 1 }, 1 },
    { "3ware-7410", RAID_0, 2, 128, 400, RIG_PLAIN, { 1, 0 }, 1 },
    { "3ware-6400", RAID_1, 2, 0, 400, RIG_PLAIN, { 0, 1 }, 1 },
    { "3ware-8506-4", RAID_1, 2, 0, 400, RIG_WRITES_LATE, { 2, 1 }, 1 },
    { "3ware-7410", RAID_5, 3, 128, 400, RIG_PLAIN, { 0, 1, 2 }, 1 },
    { "3ware-8506-4", RAID_5, 4, 128, 400, RIG_WRITES, { 3, 0, 2, 1 }, 1 },
    { "3ware-6400", RAID_10, 4, 128, 270, RIG_PLAIN, { 0, 1, 2, 3 }, 1 },
    { "3ware-8506-8", RAID_10, 6, 128, 140, RIG_WRITES,
      { 5, 1, 2, 3, 4, 0 }, 1 },
};

#define KINDS G_N_ELEMENTS(kinds)
#define MEMBERS 6               /* the most of a plan */
#define NTH_MAX 2000
#define NTH_BITS 16             /* of a number: the operation, 0 for all */

typedef struct Nth {
    Rig *rig;
    Work *work;
    const NthKind *kind;
    unsigned member;            /* whose drive */
    uint64_t state;
} Nth;

uint64_t nth_jobs(void)
{
    return G_N_ELEMENTS(plans) * MEMBERS * KINDS;
}

/* --- the story ----------------------------------------------------------- */

static void do_some_work(Nth *nth, unsigned ops, unsigned depth)
{
    uint64_t capacity = nth->rig->capacity;

    for (unsigned i = 0; i < ops && !nth->work->wrong; i++) {
        WorkOp *slot = &nth->work->slot[i % depth];
        uint32_t count = 1 + story_random(&nth->state, i % 3 ? 20 : 150);
        uint64_t lba = story_random(&nth->state, (uint32_t)(capacity - count));
        UnitVerb verb = story_random(&nth->state, 5) < 2 ? UNIT_READ
                                                         : UNIT_WRITE;

        while (slot->busy && work_step(nth->work)) {
        }
        if (slot->busy) {
            break;
        }
        work_ask(nth->work, slot, i == ops / 2 ? UNIT_FLUSH : verb, lba,
                 i == ops / 2 ? 0 : count, i % 5 ? 0 : UNIT_FUA);
    }
}

/* Another drive for a member that is not there, and its rebuild begins. */
static void replace(Nth *nth, unsigned member)
{
    Rig *rig = nth->rig;
    unsigned port = (unsigned)rig->plan.port[member];

    if (!raid_unit_member_present(rig->unit, member)) {
        if (rig->plugged[port]) {
            rig_pull(rig, port);
        }
        rig_swap(rig, port, true);
        rig_plug(rig, port);
    }
    work_note(nth->work, "rebuild of member %u", member);
    if (!rig_rebuild(rig, port)) {
        work_wrong(nth->work, "member %u cannot join", member);
    }
}

static void tell(Nth *nth)
{
    Rig *rig = nth->rig;
    unsigned swapped = nth->member == 1 ? 0 : 1;

    do_some_work(nth, 14, 4);
    if (rig->redundant && rig_good(rig) >> swapped & 1) {
        work_note(nth->work, "member %u is pulled", swapped);
        rig_pull(rig, (unsigned)rig->plan.port[swapped]);
        work_lost(nth->work);
        do_some_work(nth, 6, 3);
        work_drain(nth->work);
        if (raid_unit_state(rig->unit) == RAID_UNIT_DEGRADED) {
            replace(nth, swapped);
        }
    }
    do_some_work(nth, 8, 4);
    work_drain(nth->work);
}

/* --- the verdict --------------------------------------------------------- */

static void mend(Nth *nth)
{
    Rig *rig = nth->rig;

    for (unsigned m = 0; m < rig->plan.members && !nth->work->wrong; m++) {
        if (!(rig_good(rig) >> m & 1)) {
            replace(nth, m);
            work_drain(nth->work);
        }
    }
    if (!nth->work->wrong && raid_unit_state(rig->unit) != RAID_UNIT_OK) {
        work_wrong(nth->work, "the unit is not whole again");
    }
}

static bool may_be_inoperable(const Nth *nth)
{
    return nth->kind->kills;
}

static void judge(Nth *nth)
{
    Rig *rig = nth->rig;
    bool lost = raid_unit_state(rig->unit) == RAID_UNIT_INOPERABLE;
    char *wrong;

    if (lost && !may_be_inoperable(nth)) {
        work_wrong(nth->work, "the unit is lost");
    }
    if (!lost && !nth->work->wrong) {
        mend(nth);
    }
    work_read_all(nth->work);
    if (lost || nth->work->wrong) {
        return;
    }
    wrong = rig_look(rig, nth->work->oracle, rig_good(rig), NULL);
    if (wrong) {
        work_wrong(nth->work, "on the media: %s", wrong);
        g_free(wrong);
    }
}

/* --- one operation ------------------------------------------------------- */

/* Whether the rule has struck: it does not wait for more ops to pass. */
static bool has_struck(const Sim *sim)
{
    g_autoptr(GString) left = g_string_new(NULL);

    fault_list(sim, left);
    return !strstr(left->str, " after ");
}

static void order(Nth *nth, unsigned operation)
{
    g_autofree char *line = g_strdup_printf("port %d %s after %u %s",
        nth->rig->plan.port[nth->member], nth->kind->rule, operation - 1,
        nth->kind->times);

    GError *error = NULL;

    g_strchomp(line);
    work_note(nth->work, "fault: %s", line);
    if (!fault_order(nth->rig->sim, line, &error)) {
        work_wrong(nth->work, "%s", error->message);
        g_error_free(error);
    }
    if (nth->kind->bad) {
        work_order_bad(nth->work, nth->member, 0, UINT64_MAX);
    }
}

/* *left: this operation was there. */
static char *one_operation(Nth *nth, const RigPlan *plan, unsigned operation,
                           bool aloud, StoryCount *count, bool *left)
{
    char *wrong;

    nth->rig = rig_new(plan);
    nth->work = work_new(nth->rig);
    nth->work->aloud = aloud;
    nth->state = plan->members * 1000u + plan->code;
    order(nth, operation);
    tell(nth);
    *left = has_struck(nth->rig->sim);
    fault_clear(nth->rig->sim);
    judge(nth);
    count->stories++;
    count->ops += nth->work->ended;
    count->errors += nth->work->errors;
    count->bytes += nth->work->bytes;
    wrong = g_steal_pointer(&nth->work->wrong);
    nth->work->over = true;
    rig_free(nth->rig);
    work_free(nth->work);
    return wrong;
}

static bool told_wrong(uint64_t job, unsigned operation, char *wrong,
                       char **why)
{
    if (wrong) {
        *why = g_strdup_printf("operation %u: %s (world nth-one %"
            G_GUINT64_FORMAT ")", operation, wrong,
            job << NTH_BITS | operation);
        g_free(wrong);
    }
    return wrong;
}

static const RigPlan *plan_of(uint64_t job, Nth *nth)
{
    *nth = (Nth) {
        .kind = &kinds[job % KINDS],
        .member = (unsigned)(job / KINDS % MEMBERS),
    };
    return &plans[job / KINDS / MEMBERS];
}

bool story_nth(uint64_t job, bool aloud, StoryCount *count, char **why)
{
    Nth nth;
    const RigPlan *plan = plan_of(job, &nth);
    bool left = nth.member < plan->members;

    for (unsigned n = 1; left; n++) {
        char *wrong;

        if (aloud) {
            printf("%s on %s, port %d %s, operation %u\n",
                   raid_level[plan->code].name, plan->board,
                   plan->port[nth.member], nth.kind->rule, n);
            fflush(stdout);
        }
        wrong = n < NTH_MAX ? one_operation(&nth, plan, n, false, count, &left)
                            : g_strdup("there is no end of them");
        if (told_wrong(job, n, wrong, why)) {
            return false;
        }
    }
    return true;
}

bool story_nth_one(uint64_t number, bool aloud, StoryCount *count, char **why)
{
    unsigned n = number & ((1u << NTH_BITS) - 1);
    Nth nth;
    const RigPlan *plan = plan_of(number >> NTH_BITS, &nth);
    bool left;

    return !told_wrong(number >> NTH_BITS, n,
                       one_operation(&nth, plan, n, aloud, count, &left),
                       why);
}
