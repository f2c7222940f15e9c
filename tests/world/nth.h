/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nth fault - a story told once for each drive operation that may fail.
 */
#ifndef TESTS_WORLD_NTH_H
#define TESTS_WORLD_NTH_H

#include "tests/world/story.h"

/* How many jobs: a level, a member and a kind of trouble each. */
uint64_t nth_jobs(void);
/* All operations of one. */
bool story_nth(uint64_t job, bool aloud, StoryCount *count, char **why);
/* One operation, by the number that a failing job prints. */
bool story_nth_one(uint64_t number, bool aloud, StoryCount *count,
                   char **why);

#endif
