/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raid story - ops asked of a unit on a bench, and what is checked of each:
 * done() comes once, never inside submit, and a read gives what `flat` has.
 */
#ifndef TESTS_LIB_RAID_STORY_H
#define TESTS_LIB_RAID_STORY_H

#include "tests/lib/raid-bench.h"

#define SLOTS 8                 /* ops in flight */
#define STORY_CARDS 3

typedef struct Shape {
    RaidCode code;
    unsigned members;
    uint32_t stripe;
} Shape;

typedef struct Asked {
    UnitOp op;
    struct Story *story;
    uint8_t *memory, *data;     /* data: somewhere in memory */
    bool busy;
} Asked;

typedef struct Story {
    RaidBench *bench;
    Asked asked[SLOTS];
    /* Where ops go; NULL: to the bench's unit. */
    void (*submit)(void *opaque, UnitOp *op);
    void *submit_opaque;
    bool in_submit;
    unsigned ended, bad;        /* bad: not UNIT_OK */
    UnitStatus status;          /* of the last that was not */
} Story;

/* On a bench of the caller's, or a new one; formatted with noise. */
Story *story_on(RaidBench *bench);
Story *story_new(const Shape *shape, uint32_t missing, uint32_t seed);
void story_free(Story *story);
/* Before anything is asked.  Card 0 has no limits, cards 1 and 2 have. */
Story *story_on_card(Story *story, unsigned card);

bool shape_can_lose(const Shape *shape);        /* a member */
bool story_overlap(const UnitOp *op, uint64_t lba, uint32_t count);

/* Asks with a buffer at any alignment; a write's is filled with noise. */
void story_ask(Story *story, Asked *asked, UnitVerb verb, uint64_t lba,
               uint32_t count);
/* The same op once more, as it stands. */
void story_submit(Story *story, Asked *asked);
/* Until nothing is left to happen; every op has ended then. */
void story_drain(Story *story);

/* An op on sectors nobody else has in hand; `flat` changes with it. */
void story_ask_something(Story *story, Asked *asked);
/* So many of them; `pull`: a member that goes half way, or -1. */
void story_tell(Story *story, unsigned ops, int pull);
/* All of it through the unit, as a host would. */
void story_read_all_back(Story *story);

/*
 * Each sector of `contents` is as one of the writes asked had it, or, when
 * no write covers it or `old_is_fine`, as in `flat`.
 */
void story_check_from_somebody(const Story *story, const uint8_t *contents,
                               bool old_is_fine);

#endif
