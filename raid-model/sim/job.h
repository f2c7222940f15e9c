/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job - a load in fio's words, and what the words mean.
 *
 * Words come from a job file (job-file.h) or a command line; they are kept
 * as they were typed until the unit is known, then job_plan() gives them
 * their meaning.  Every complaint names where the word stands.
 *
 * Keys are fio's.  Three kinds: those that mean something here, those that
 * cannot (engines, files, processors: ignored, and the user is told), and
 * those that would change the figures and are not modelled (refused).
 */
#ifndef RAID_SIM_JOB_H
#define RAID_SIM_JOB_H

#include <glib.h>

#include "raid-model/sim/job-draw.h"

#define JOB_DEPTH_MAX 1024
#define JOB_REQUESTS_DEFAULT 10000

typedef enum JobKey {
    JOB_NAME, JOB_RW, JOB_MIX_READ, JOB_MIX_WRITE, JOB_BS, JOB_BS_RANGE,
    JOB_BS_SPLIT, JOB_ALIGN, JOB_DEPTH, JOB_OFFSET, JOB_OFFSET_STEP,
    JOB_SIZE, JOB_IO_SIZE, JOB_NUMBER, JOB_LOOPS, JOB_RUNTIME,
    JOB_TIME_BASED, JOB_RAMP, JOB_DELAY, JOB_SPREAD, JOB_RANDOM_PERCENT,
    JOB_NO_MAP, JOB_SEED, JOB_SYNC, JOB_ENGINE, JOB_CLONES, JOB_STONEWALL,
    JOB_GROUP,
    JOB_KEYS
} JobKey;

typedef struct JobKeyInfo {
    const char *name, *alias;   /* alias: or NULL */
    const char *arg;            /* what follows it; NULL: a flag */
    const char *help;
} JobKeyInfo;

extern const JobKeyInfo job_key[JOB_KEYS];

typedef struct JobWord {
    const char *text;           /* NULL: not given.  Borrowed, as the next */
    const char *key;            /* as it was typed */
    const char *file;           /* NULL: the command line */
    unsigned line;
} JobWord;

typedef struct Job {
    const char *name;
    JobWord word[JOB_KEYS];
} Job;

typedef enum JobVerdict {
    JOB_MEANS,                  /* *key is set */
    JOB_IGNORED,
    JOB_REFUSED,                /* and *why says so */
    JOB_UNKNOWN,                /* and *why is the nearest name, or NULL */
} JobVerdict;

JobVerdict job_key_find(const char *name, JobKey *key, const char **why);

typedef struct JobPlace {       /* where a word stands */
    const char *file;           /* NULL: the command line */
    unsigned line;
    GStringChunk *text;         /* keeps the word */
} JobPlace;

/*
 * Gives a job a word; `value` NULL for a flag.  *ignored: it is known and has
 * no (other) meaning here.  False and one line in `error`.
 */
bool job_take(Job *job, const JobPlace *place, const char *key,
              const char *value, bool *ignored, GError **error);

typedef struct JobPlan {
    const Job *job;
    DrawPlan draw;
    const char *rw;             /* "randread" */
    const char *sizes;          /* "8k", or the bssplit's own words, or NULL */
    unsigned depth;
    uint64_t requests_max, bytes_max;           /* 0: no limit */
    SimTime time_max;           /* 0: no limit; model time after the ramp */
    SimTime ramp, delay;
    uint64_t seed;
    unsigned clones;            /* numjobs */
    uint64_t offset_step;       /* sectors from one clone to the next */
    unsigned op_flags;          /* UNIT_FUA */
    bool stonewall, grouped;
} JobPlan;

typedef struct JobDefaults {
    const char *rw, *bs;        /* a job file's: "read", "4k" */
    uint64_t seed;
} JobDefaults;

/*
 * What the words mean on a unit of so many bytes.  The plan borrows the job.
 * False and one line in `error`; what the user ought to know goes to
 * `notes`, a line each.
 */
bool job_plan(const Job *job, const JobDefaults *defaults, uint64_t bytes,
              JobPlan *plan, GString *notes, GError **error);

/* "FILE:LINE: KEY" or "--KEY"; the caller frees. */
char *job_where(const Job *job, JobKey key);

#endif
