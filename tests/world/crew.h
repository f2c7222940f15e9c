/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crew - processes that go through numbered jobs, so that a job that crashes
 * or hangs is known by its number and costs nobody else.
 *
 * Prints how far they are every two seconds, the job that went wrong with its
 * story, which is told again, and how to tell it alone.
 */
#ifndef TESTS_WORLD_CREW_H
#define TESTS_WORLD_CREW_H

#include "tests/world/story.h"

typedef struct CrewPlan {
    const char *what;           /* "stories", in what is printed */
    const char *alone;          /* words before the number, to run one */
    uint64_t first, count;      /* jobs */
    double seconds;             /* 0: no limit; ends well when over */
    unsigned processes;         /* 0: as there are processors */
    bool (*job)(uint64_t number, bool aloud, StoryCount *count, char **why);
} CrewPlan;

/* True when all went well.  `sum` has what all counted together. */
bool crew_run(const CrewPlan *plan, StoryCount *sum);

/* One, aloud; true when it went well. */
bool crew_alone(const CrewPlan *plan, uint64_t number);

#endif
