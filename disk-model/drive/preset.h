/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset - a named drive as data: everything that makes one model differ
 * from another.  Read at run time from a key file (presets/NAME.drive, or a
 * user's own file); the format is described in presets/README.md.
 */
#ifndef DISK_DRIVE_PRESET_H
#define DISK_DRIVE_PRESET_H

#include <glib.h>

#include "disk-model/drive/geometry.h"
#include "disk-model/world/sim.h"

typedef enum DiskSeekForm {
    DISK_SEEK_LEE,      /* a*sqrt(d-1) + b*(d-1) + c, Lee & Katz 1993 */
    DISK_SEEK_TWO_PART, /* a + b*sqrt(d) below a knee, c + e*d from it on */
    DISK_SEEK_TABLE,    /* measured points, straight lines between */
} DiskSeekForm;

typedef struct DiskSeekCurve {
    DiskSeekForm form;
    double a, b, c, e;          /* ms and cylinders, as published */
    uint32_t knee_cylinders;    /* two-part: first distance of the line */
    unsigned points;            /* table; two-part: first distances given */
    uint32_t *distance;         /*   one by one take precedence */
    double *ms;
} DiskSeekCurve;

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
    uint64_t link_bytes_per_s;  /* interface burst rate */
    char *interface;            /* "UDMA100" */
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

/* Ids of the presets that ship, sorted; free with g_strfreev(). */
char **disk_preset_list(void);

#endif
