/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command - raidsim's subcommands: each takes its own words (argv[0] is its
 * name) and returns an exit status.
 *
 *   0 done   1 the run met an error   2 wrong usage, nothing was done
 */
#ifndef RAID_SIM_COMMAND_H
#define RAID_SIM_COMMAND_H

#include <glib.h>
#include <stdbool.h>

#define COMMAND_USAGE 2

typedef struct Command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} Command;

int command_fio(int argc, char **argv);
int command_iometer(int argc, char **argv);
int command_run(int argc, char **argv);
int command_bonnie(int argc, char **argv);
int command_dd(int argc, char **argv);
int command_published(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_tasks(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_drives(int argc, char **argv);
int command_boards(int argc, char **argv);
int command_members(int argc, char **argv);
int command_manage(int argc, char **argv);

/*
 * Parses options; what is left over stays in argv, up to `words_max`.
 * False: said why in one line on stderr.
 */
bool command_options(const char *name, int *argc, char ***argv,
                     const GOptionEntry *entries, const char *words,
                     int words_max, const char *more);
/* "raidsim NAME: message" on stderr, in one line whatever was typed; without
 * a name if that is NULL.  Returns COMMAND_USAGE. */
int command_refuse(const char *name, const char *message);

#endif
