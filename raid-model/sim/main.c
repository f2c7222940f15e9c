/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim - the RAID controllers without a computer around them.
 *
 * Picks the subcommand; shared manners of the command line.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "raid-model/sim/command.h"
#include "raid-model/sim/out-file.h"

static const Command command[] = {
    { "fio", "run a load on a unit and say where the time goes",
      command_fio },
    { "iometer", "an IOMeter pattern on a unit of equal drives",
      command_iometer },
    { "bonnie", "bonnie++ 1.03 through a Linux page cache", command_bonnie },
    { "dd", "dd to or from a unit through a Linux page cache", command_dd },
    { "published", "a table of measurements: model against each row",
      command_published },
    { "replay", "a recorded trace on a drive: model against measurement",
      command_replay },
    { "run", "a story: work, and drives that are pulled meanwhile",
      command_run },
    { "tasks", "rebuild and verify beside a host, at every rate",
      command_tasks },
    { "bench", "how fast this program is on this machine", command_bench },
    { "drives", "the drive models: data sheet and model side by side",
      command_drives },
    { "boards", "the controllers there are", command_boards },
    { "members", "what images are members of, and the unit's data from them",
      command_members },
    { "manage", "an order for a card, whose drives are images",
      command_manage },
};

static const char help[] =
    "\n"
    "raidsim runs drives and RAID units in model time: a minute of disk work\n"
    "takes a blink, and the same words give the same figures every time.\n"
    "\n"
    "Try\n"
    "  raidsim drives\n"
    "  raidsim fio                                 one drive, 8k random reads\n"
    "  raidsim fio --drives 4xwd1200jb --unit raid5:0-3:64k \\\n"
    "              --rw randwrite --iodepth 4\n"
    "  raidsim fio job.fio                         a job file of fio's\n"
    "  raidsim run docs/pulled-drive.scenario      a drive pulled at work\n"
    "  raidsim fio --help                          every option, examples\n";

static void print_help(FILE *out)
{
    fprintf(out, "Usage: raidsim COMMAND [OPTION...]\n\n");
    for (unsigned i = 0; i < G_N_ELEMENTS(command); i++) {
        fprintf(out, "  %-9s %s\n", command[i].name, command[i].summary);
    }
    fputs(help, out);
}

static int run(int argc, char **argv)
{
    g_autoptr(GString) all = NULL;
    g_autofree char *why = NULL;

    if (argc < 2) {
        print_help(stderr);
        return COMMAND_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
        !strcmp(argv[1], "help")) {
        print_help(stdout);
        return 0;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(command); i++) {
        if (!strcmp(argv[1], command[i].name)) {
            return command[i].run(argc - 1, argv + 1);
        }
    }
    all = g_string_new(NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(command); i++) {
        g_string_append_printf(all, "%s%s", i ? " " : "", command[i].name);
    }
    why = g_strdup_printf("no command '%s'; there are %s (raidsim --help)",
                          argv[1], all->str);
    return command_refuse(NULL, why);
}

int main(int argc, char **argv)
{
    int status;

    out_keep_standard();
    setlocale(LC_CTYPE, "");
    status = run(argc, argv);
    return out_finish_stdout() || status ? status : 1;
}
