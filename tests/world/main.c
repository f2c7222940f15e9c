/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * World - stories of units in trouble, judged from outside.
 *
 *   world swarm [COUNT [FIRST]]     so many stories
 *   world soak MINUTES [FIRST]      for so long
 *   world nth                       every drive operation in trouble
 *   world cut [STRIDE]              the power goes at every event, or each
 *                                   so many
 *   world swarm-one SEED            one, told line by line
 *   world nth-one NUMBER            likewise
 *   world cut-one NUMBER
 *
 * Ends with "N passed, N failed"; exits 1 if any failed, 2 on wrong words.
 */
#include <stdio.h>
#include <string.h>

#include "tests/world/crew.h"
#include "tests/world/cut.h"
#include "tests/world/nth.h"

static const CrewPlan swarm = {
    .what = "stories", .alone = "world swarm-one", .job = story_swarm,
};
static const CrewPlan nth = {
    .what = "faults", .alone = "world nth-one (see above);", .job = story_nth,
};
static const CrewPlan cuts = {
    .what = "cuts", .alone = "world cut-one (see above);", .job = story_cut,
};
static const CrewPlan cut_one = { .job = story_cut_one };
static const CrewPlan nth_one = { .job = story_nth_one };

static int usage(void)
{
    fprintf(stderr, "world: swarm [COUNT [FIRST]], soak MINUTES [FIRST], nth, "
            "cut [STRIDE], swarm-one SEED, nth-one NUMBER, cut-one NUMBER\n");
    return 2;
}

static uint64_t number(char **argv, int at, uint64_t otherwise)
{
    return argv[at] ? g_ascii_strtoull(argv[at], NULL, 10) : otherwise;
}

static int result(bool right, const StoryCount *sum)
{
    printf("%" G_GUINT64_FORMAT " passed, %d failed\n", sum->stories,
           right ? 0 : 1);
    return right ? 0 : 1;
}

static int run_swarm(const CrewPlan *plan)
{
    StoryCount sum;
    bool right = crew_run(plan, &sum);

    printf("swarm: %" G_GUINT64_FORMAT " ops, %" G_GUINT64_FORMAT
           " errors, %" G_GUINT64_FORMAT " events; %" G_GUINT64_FORMAT
           " pulls, %" G_GUINT64_FORMAT " deaths, %" G_GUINT64_FORMAT
           " bad places, %" G_GUINT64_FORMAT " resets, %" G_GUINT64_FORMAT
           " rebuilds, %" G_GUINT64_FORMAT " verifies, %" G_GUINT64_FORMAT
           " initialisations\n", sum.ops, sum.errors, sum.events, sum.pulls,
           sum.deaths, sum.bad, sum.resets, sum.rebuilt, sum.verified,
           sum.initialised);
    return result(right, &sum);
}

static int run_nth(void)
{
    CrewPlan plan = nth;
    StoryCount sum;
    bool right;

    plan.count = nth_jobs();
    right = crew_run(&plan, &sum);
    printf("nth: %" G_GUINT64_FORMAT " faults, %" G_GUINT64_FORMAT " ops, %"
           G_GUINT64_FORMAT " errors\n", sum.stories, sum.ops, sum.errors);
    return result(right, &sum);
}

static int run_cut(void)
{
    CrewPlan plan = cuts;
    StoryCount sum;
    bool right;

    plan.count = cut_jobs();
    right = crew_run(&plan, &sum);
    printf("cut: %" G_GUINT64_FORMAT " cuts; %" G_GUINT64_FORMAT " columns "
           "differed, %" G_GUINT64_FORMAT " sectors in write holes, %"
           G_GUINT64_FORMAT " torn, %" G_GUINT64_FORMAT " lost from drives' "
           "caches\n", sum.cuts, sum.differ, sum.holes, sum.torn, sum.lost);
    return result(right, &sum);
}

int main(int argc, char **argv)
{
    CrewPlan plan = swarm;

    if (argc < 2 || argc > 4) {
        return usage();
    }
    if (strcmp(argv[1], "swarm") == 0) {
        plan.count = number(argv, 2, 10000);
        plan.first = argc > 3 ? number(argv, 3, 1) : 1;
        return run_swarm(&plan);
    }
    if (strcmp(argv[1], "soak") == 0 && argc > 2) {
        plan.count = UINT64_MAX / 2;
        plan.first = number(argv, 3, 1000000);
        plan.seconds = 60 * g_ascii_strtod(argv[2], NULL);
        return run_swarm(&plan);
    }
    if (strcmp(argv[1], "nth") == 0 && argc == 2) {
        return run_nth();
    }
    if (strcmp(argv[1], "cut") == 0 && argc <= 3) {
        cut_stride = (unsigned)MAX(number(argv, 2, 1), 1);
        return run_cut();
    }
    if (strcmp(argv[1], "cut-one") == 0 && argc == 3) {
        return crew_alone(&cut_one, number(argv, 2, 1)) ? 0 : 1;
    }
    if (strcmp(argv[1], "swarm-one") == 0 && argc == 3) {
        return crew_alone(&plan, number(argv, 2, 1)) ? 0 : 1;
    }
    if (strcmp(argv[1], "nth-one") == 0 && argc == 3) {
        return crew_alone(&nth_one, number(argv, 2, 1)) ? 0 : 1;
    }
    return usage();
}
