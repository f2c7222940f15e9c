/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work - what a host asks of the unit of a rig, and the judge of every answer.
 *
 * A read gives what the oracle allows.  An error is honest only where
 * redundancy does not reach: more members of a column are missing, or bad
 * there by order, than it can lose.  done() comes once and not inside submit.
 */
#ifndef TESTS_WORLD_WORK_H
#define TESTS_WORLD_WORK_H

#include "tests/world/rig.h"

#define WORK_SLOTS 8
#define WORK_SECTORS_MAX 1024
#define WORK_BAD_MAX 16

struct Work;

typedef struct WorkOp {
    UnitOp op;
    struct Work *work;
    uint8_t *data;              /* WORK_SECTORS_MAX */
    bool busy;
    uint32_t version;           /* WRITE */
    uint32_t begun;             /* FLUSH */
    OracleRead read;
    uint32_t good;              /* members, all the time */
} WorkOp;

/* Sectors of a drive that were ordered to be bad. */
typedef struct WorkBad {
    unsigned member;
    uint64_t first, last;
} WorkBad;

typedef struct Work {
    Rig *rig;
    Oracle *oracle;
    WorkOp slot[WORK_SLOTS];
    WorkBad bad[WORK_BAD_MAX];
    unsigned bads;
    bool in_submit;
    bool resetting;             /* ops may end aborted */
    const bool *dark;           /* sectors that may be anything, or NULL */
    bool over;                  /* what ends now is not looked at */
    bool cached;                /* a write may end in a drive's RAM */
    uint64_t events, events_max;
    unsigned ended, errors;
    uint64_t bytes;
    GString *log;               /* or NULL: told to nobody */
    bool aloud;                 /* on the standard output at once */
    char *wrong;                /* the first thing that was */
} Work;

Work *work_new(Rig *rig);
void work_free(Work *work);

/* One line of the story, with the time in front. */
void work_note(Work *work, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Something is not as promised; the first is kept. */
void work_wrong(Work *work, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The slot is not busy. */
void work_ask(Work *work, WorkOp *slot, UnitVerb verb, uint64_t lba,
              uint32_t count, unsigned flags);
/* A mask of members has been lost, under the ops there are. */
void work_lost(Work *work);
/* Whether that sector of a member was. */
bool work_was_ordered_bad(const Work *work, unsigned member,
                          uint64_t sector);
void work_order_bad(Work *work, unsigned member, uint64_t first,
                    uint64_t last);

/* False when there is nothing left to happen, or something is wrong. */
bool work_step(Work *work);
/* Until that is so; every op has ended then, or it is wrong. */
void work_drain(Work *work);
void work_reset(Work *work);
/* All of it, piece by piece, then a flush. */
void work_read_all(Work *work);

#endif
