/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job file - fio's: sections, a key a line.
 *
 *   ; a comment            # another, also behind a value
 *   [global]               for all jobs below
 *   rw=randread
 *   [mail]                 a job
 *   iodepth=4
 *   stonewall              a flag needs no value
 *
 * ${NAME} is the environment's.  The first wrong line ends the reading:
 * FILE:LINE: what is wrong; what would be right.
 */
#ifndef RAID_SIM_JOB_FILE_H
#define RAID_SIM_JOB_FILE_H

#include "raid-model/sim/job.h"

typedef struct JobFile {
    GArray *jobs;               /* of Job, in order, at least one */
    GPtrArray *ignored;         /* keys without a meaning here, each once */
    GStringChunk *text;         /* what the jobs' words point into */
} JobFile;

/* NULL and an error. */
JobFile *job_file_read(const char *path, GError **error);
void job_file_free(JobFile *file);      /* NULL is fine */

#endif
