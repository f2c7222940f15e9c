/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Story - one seed, one story: a card, a unit, work, trouble and orders drawn
 * from it, and the verdict.
 */
#ifndef TESTS_WORLD_STORY_H
#define TESTS_WORLD_STORY_H

#include "tests/world/work.h"

typedef struct StoryCount {
    uint64_t stories, ops, errors, events, bytes;
    uint64_t pulls, deaths, rebuilt, verified, initialised, resets, bad;
    uint64_t cuts, differ, holes, torn, lost;
} StoryCount;

/* `aloud`: told line by line as it happens.  True when all was right;
 * otherwise *why, to be freed, is what was not. */
bool story_swarm(uint64_t seed, bool aloud, StoryCount *count, char **why);

/* The next number below `bound` of a seed's stream. */
uint32_t story_random(uint64_t *state, uint32_t bound);

#endif
