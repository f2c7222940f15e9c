/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim manage: a card is switched on with images for drives, takes one
 * order, does what follows from it, and is shut down in good order.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "disk-model/drive/preset.h"
#include "raid-model/control/manage.h"
#include "raid-model/sim/command.h"
#include "raid-model/sim/members.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/rig.h"

#define AFTERWARDS SIM_S(10)    /* guess: blocks are written by then */
#define LOOK_EVERY 4096

static const char more[] =
    "IMG... are the drives on port 0 and up of a card that is off; ORDER is\n"
    "one word to the shell, in tw_cli's words (docs/twcli.md). Units are made\n"
    "as the blocks on the drives say. What the order starts, a rebuild say,\n"
    "runs to its end in model time; then the card is shut down and its report\n"
    "printed, one JSON object. An order that is refused, and --report, leave\n"
    "the images as they are.\n"
    "\n"
    "A drive's model is found by its size, unless --drives says it, as\n"
    "raidsim fio has it.\n"
    "\n"
    "Examples\n"
    "  raidsim manage d0.raw d1.raw d2.raw --report\n"
    "  raidsim manage d0.raw d1.raw d2.raw 'u0 start rebuild disk=1'\n"
    "  raidsim manage --drives 2xwd1200jb d0.raw d1.raw 'u0 set name=a'\n"
    "\n"
    "Exit status: 0 done, 1 stopped by Ctrl-C, 2 refused or wrong usage:\n"
    "nothing was done.\n";

typedef struct Ask {
    char *board, *drives;
    gboolean report, images;    /* --images: said by scripts, means nothing */
} Ask;

/* --- which drives --------------------------------------------------------- */

/* The first that ships with so many sectors; or "". */
static char *model_of_size(uint64_t sectors)
{
    g_auto(GStrv) names = disk_preset_list();

    for (char **name = names; *name; name++) {
        DiskPreset *preset = disk_preset_load(*name, NULL);
        bool found = preset && preset->geometry.lbas == sectors;

        disk_preset_free(preset);
        if (found) {
            return g_strdup(*name);
        }
    }
    return g_strdup("");
}

/* As their blocks say, else as large as the images are. */
static char *find_drives(char **paths, GError **error)
{
    MemberSet *set = members_open(paths, error);
    GString *drives = g_string_new(NULL);

    for (unsigned i = 0; set && i < set->images; i++) {
        uint64_t said = set->all.own[i].drive_sectors;
        uint64_t sectors = said && said <= set->sectors[i] ? said
                                                           : set->sectors[i];
        g_autofree char *model = model_of_size(sectors);

        if (!*model) {
            number_error(error, "%s: no drive there is has %" G_GUINT64_FORMAT
                         " sectors; say --drives", paths[i], sectors);
            break;
        }
        g_string_append_printf(drives, "%s%s", i ? "," : "", model);
    }
    members_close(set);
    return g_string_free(drives, *error != NULL);
}

/*
 * New units draw their ids from it, and ids must differ: no two sets of
 * images are in the same place at the same time.
 */
static uint64_t seed_of(char **paths)
{
    uint64_t seed = 0xcbf29ce484222325;
    struct stat at;

    for (; *paths; paths++) {
        if (!stat(*paths, &at)) {
            seed = (seed ^ (uint64_t)at.st_ino) * 0x100000001b3;
            seed = (seed ^ (uint64_t)at.st_mtim.tv_sec) * 0x100000001b3;
            seed = (seed ^ (uint64_t)at.st_mtim.tv_nsec) * 0x100000001b3;
        }
    }
    return seed;
}

/* --- what follows --------------------------------------------------------- */

static RaidTaskState task_of(const Rig *rig, unsigned unit)
{
    static const RaidTaskState none;
    RaidUnit *there = raid_controller_unit(rig->ctl, unit);

    return there ? *raid_unit_task(there) : none;
}

/* A unit that does now what it did not before the order; or -1. */
static int begun_unit(const Rig *rig, const RaidTaskState *before)
{
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        RaidTaskState now = task_of(rig, i);

        if (now.kind != RAID_TASK_NONE && !now.paused &&
            (now.kind != before[i].kind || before[i].paused)) {
            return (int)i;
        }
    }
    return -1;
}

static bool run_task(const Rig *rig, unsigned unit)
{
    RaidTaskState now = task_of(rig, unit);
    bool well = true;

    progress_begin();
    for (uint64_t i = 1; now.kind != RAID_TASK_NONE && well; i++) {
        well = sim_step(rig->sim);
        now = task_of(rig, unit);
        if (i % LOOK_EVERY == 0 && now.kind != RAID_TASK_NONE) {
            progress_show("raidsim manage",
                          (double)now.row / MAX(now.rows, 1));
            well = well && !progress_interrupted();
        }
    }
    progress_end();
    return well;
}

static void set_true(void *opaque)
{
    *(bool *)opaque = true;
}

static void shut_down(const Rig *rig)
{
    bool done = false;

    raid_controller_shutdown(rig->ctl, set_true, &done);
    while (!done && sim_step(rig->sim)) {
    }
}

static bool carry_out(Rig *rig, const char *order, int *status,
                      GError **error)
{
    RaidTaskState before[RAID_UNITS_MAX];
    int unit;

    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        before[i] = task_of(rig, i);
    }
    if (!manage_order(rig->ctl, order, NULL, error)) {
        return false;
    }
    unit = begun_unit(rig, before);
    *status = unit < 0 || run_task(rig, (unsigned)unit) ? 0 : 1;
    sim_run_until(rig->sim, sim_now(rig->sim) + AFTERWARDS);
    shut_down(rig);
    return true;
}

static void print_report(RaidController *ctl)
{
    g_autofree char *report = manage_report(ctl);

    printf("%s", report);
}

static int manage(const Ask *ask, char **paths, const char *order,
                  GError **error)
{
    g_autofree char *drives = ask->drives ? g_strdup(ask->drives)
                                          : find_drives(paths, error);
    RigAsk rig_ask = {
        .board = ask->board ? ask->board : "3ware-7810", .drives = drives,
        .units = "", .seed = seed_of(paths),
    };
    int status = 0;
    Rig *rig;

    if (!drives || !(rig = rig_new_images(&rig_ask, paths, error))) {
        return COMMAND_USAGE;
    }
    if (order && !carry_out(rig, order, &status, error)) {
        status = COMMAND_USAGE;
    } else {
        print_report(rig->ctl);
    }
    raid_controller_reset(rig->ctl);
    rig_free(rig);
    return status;
}

int command_manage(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    Ask ask = { 0 };
    int status = COMMAND_USAGE;
    const GOptionEntry entries[] = {
        { "board", 0, 0, G_OPTION_ARG_STRING, &ask.board,
          "The card (default 3ware-7810)", "MODEL" },
        { "drives", 0, 0, G_OPTION_ARG_STRING, &ask.drives,
          "Their models", "[COUNTx]MODEL,..." },
        { "report", 0, 0, G_OPTION_ARG_NONE, &ask.report,
          "No order, the report alone", NULL },
        { "images", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &ask.images,
          "", NULL },
        { 0 }
    };

    if (command_options("manage", &argc, &argv, entries, "IMG... [ORDER]",
                        G_MAXINT, more)) {
        if (argc < (ask.report ? 2 : 3)) {
            number_error(&error, ask.report ? "which IMG? (raidsim manage "
                         "--help)" : "which IMG, what ORDER? (raidsim manage "
                         "--help)");
        } else {
            char *order = ask.report ? NULL : argv[argc - 1];

            if (order) {
                argv[argc - 1] = NULL;
            }
            status = manage(&ask, argv + 1, order, &error);
            if (order) {
                argv[argc - 1] = order;
            }
        }
        if (error) {
            command_refuse("manage", error->message);
        }
    }
    g_free(ask.board);
    g_free(ask.drives);
    return status;
}
