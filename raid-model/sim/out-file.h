/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OutFile - the files a run writes, opened all or none: when one cannot be
 * written, the others are as they were.
 */
#ifndef RAID_SIM_OUT_FILE_H
#define RAID_SIM_OUT_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct OutFile {
    const char *option;         /* that named it */
    const char *path;           /* or NULL: not wanted */
    FILE *stream;               /* NULL unless open */
    bool is_new;
} OutFile;

/* False: said why; nothing was made, emptied or removed. */
bool out_files_open(OutFile *file, unsigned files, GError **error);
/* False: some could not be written completely; said on stderr. */
bool out_files_close(OutFile *file, unsigned files, const char *command);

/* What stdout still holds is written.  False: it could not be. */
bool out_finish_stdout(void);
/* Descriptors 0 to 2, when closed, must not become the number of a file that
 * is written; reads and writes there go on to fail. */
void out_keep_standard(void);

#endif
