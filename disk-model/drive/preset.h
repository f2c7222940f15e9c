/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset - a named drive as data: everything that makes one model differ
 * from another.  Read at run time from a key file (presets/NAME.drive, or a
 * user's own file); the format is described in presets/README.md.
 *
 * The presets that ship are looked for in ../share/platter/presets beside
 * the directory of the running program, or in $PLATTER_PRESETS.
 */
#ifndef DISK_DRIVE_PRESET_H
#define DISK_DRIVE_PRESET_H

#include <glib.h>

#include "disk-model/drive/geometry.h"
#include "disk-model/drive/seek.h"

typedef struct DiskPreset {
    char *id;                   /* "wd1200jb" */
    char *label;                /* what the drive calls itself, <= 40 chars */
    char *firmware;             /* <= 8 chars */
    DiskGeometry geometry;
    double rpm;
    SimTime turn_ns;            /* 60e9 / rpm, rounded */
    DiskSeekCurve seek;
    double seek_average_ms;     /* the data sheet's, for tables */
    SimTime write_settle_ns;    /* added to every write's positioning */
    SimTime head_switch_ns;
    SimTime cylinder_switch_ns;
    SimTime overhead_ns;        /* the drive's own cost of a command */
    SimTime spin_up_ns;         /* from standby to the first seek */
    uint64_t link_bytes_per_s;  /* interface burst rate */
    char *interface;            /* "UDMA100", "SATA150", "SCSI" */
    uint32_t buffer_kib;
    /*< private >*/
    SimTime *seek_ns;           /* by distance, computed once at load */
} DiskPreset;

/*
 * `name` is a preset's id or a path (contains '/' or ends in ".drive").
 * NULL and one line in `error` (file, what, what would be right) otherwise.
 * The caller owns the result.
 */
DiskPreset *disk_preset_load(const char *name, GError **error);
void disk_preset_free(DiskPreset *preset);

/* Ids of the presets that ship, sorted, maybe none; free with g_strfreev(). */
char **disk_preset_list(void);

#endif
