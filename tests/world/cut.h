/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power cut - a story of each level and cache policy, cut at each event.
 */
#ifndef TESTS_WORLD_CUT_H
#define TESTS_WORLD_CUT_H

#include "tests/world/story.h"

/* How many jobs: a level, a kind of drive, members there, work. */
uint64_t cut_jobs(void);
/* Every `cut_stride`-th event of one, the first by the job. */
extern unsigned cut_stride;
bool story_cut(uint64_t job, bool aloud, StoryCount *count, char **why);
/* One cut, by the number that a failing job prints. */
bool story_cut_one(uint64_t number, bool aloud, StoryCount *count,
                   char **why);
/* False and a line when, over all of one level, what must have been seen
 * was not. */
#endif
