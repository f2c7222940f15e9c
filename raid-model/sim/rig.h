/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rig - a board, its drives and its units, set up as one asks in words.
 *
 * What comes in: three strings and a seed.  What goes out: a Sim with its
 * own clock and a powered-on controller, ready for raid_controller_submit().
 * A rig is either complete or not there; nothing outside memory is touched,
 * unless there are images.
 */
#ifndef RAID_SIM_RIG_H
#define RAID_SIM_RIG_H

#include "raid-model/control/controller.h"

typedef struct RigAsk {
    const char *board;          /* "3ware-7410" */
    const char *drives;         /* "4xwd1200jb", "2xwd360gd,none,sr5400" */
    const char *units;          /* see raid-model/control/spec.h; "" none */
    uint64_t seed;              /* spindle phases */
    bool data;                  /* false: sectors are not kept */
} RigAsk;

typedef struct RigDrive {
    const DiskPreset *preset;   /* borrowed from the rig; NULL: no drive */
    Disk *disk;
    DiskMedia *media;
} RigDrive;

typedef struct Rig {
    Sim *sim;
    RaidController *ctl;
    unsigned ports;             /* as the board has */
    char *const *images;        /* borrowed; or NULL */
    RigDrive *drive;            /* by port */
    GPtrArray *presets;         /* each model once */
} Rig;

/* NULL and one clear line in `error` when it cannot be. */
Rig *rig_new(const RigAsk *ask, GError **error);
/*
 * The drives' sectors are in files, in the order of ask->drives, which names
 * as many.  Units are as their blocks say; a drive without one is free, it
 * becomes no JBOD.
 */
Rig *rig_new_images(const RigAsk *ask, char *const *images, GError **error);
/* A unit of equal drives; stripe_bytes 0: 64 KiB, if the level has one. */
Rig *rig_new_alike(const char *board, const char *drive, const char *level,
                   unsigned members, uint32_t stripe_bytes, uint64_t seed,
                   GError **error);
/*
 * What --level, --members (RIG_NOT_GIVEN: *members is brought within what the
 * level takes) and --stripe (or NULL) ask of such a unit.  False and one line
 * in `error`.
 */
#define RIG_NOT_GIVEN G_MININT          /* of a number nobody would type */
bool rig_unit_words(const char *level, int given, const char *stripe_word,
                    unsigned *members, uint32_t *stripe_bytes,
                    GError **error);
void rig_free(Rig *rig);                /* nothing may be in flight */

/*
 * Zeroed memory for what requests carry, aligned as a computer's pages are:
 * XOR is several times as fast for it.  g_free() it.
 */
void *rig_memory(size_t bytes);

/* The lowest unit there is, or -1. */
int rig_first_unit(const Rig *rig);

#endif
