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

typedef enum DiskReadAhead {
    DISK_AHEAD_NONE,
    DISK_AHEAD_TRACK,           /* to the end of the track */
    DISK_AHEAD_CYLINDER,
    DISK_AHEAD_SEGMENT,         /* `ahead_sectors` */
    DISK_AHEAD_STREAM,          /* to the end of the track, one further for
                                 * a segment that began on an earlier one */
    DISK_AHEAD_WHOLE_TRACK,     /* from wherever the head comes down */
} DiskReadAhead;

/* Which waiting op, or which write held, is next. */
typedef enum DiskOrder {
    DISK_ORDER_FIFO,
    DISK_ORDER_CLOOK,           /* upwards, then from the lowest again */
    DISK_ORDER_NEAREST,         /* the least seek and rotation: SPTF */
    DISK_ORDER_CYLINDER,        /* the least way for the arm */
} DiskOrder;

/* A cost that depends on whether the command before was a read or a write. */
typedef struct DiskCost {
    SimTime after_ns[2];        /* [0] after a read, [1] after a write */
} DiskCost;

#define DISK_SEGMENTS_MAX 1024

/* What a drive does with its RAM; the group [buffer] of a preset. */
typedef struct DiskBufferPlan {
    bool there;                 /* false: written through, nothing kept */
    uint32_t segments, segment_sectors;
    bool write_segment;         /* one is for writes alone */
    DiskReadAhead ahead;
    uint32_t ahead_sectors;
    uint32_t ahead_least;       /* read before the arm goes elsewhere */
    bool ahead_from_start;      /* counted from the request's first sector */
    bool ahead_on_hit;          /* a hit starts it again */
    bool releases_read;         /* what the host has read may be lost */
    bool reads_written;         /* what was written can be read back */
    bool write_cache;
    uint32_t write_depth;       /* commands held */
    DiskOrder destage, order;
    SimTime destage_idle_ns;    /* without a command, before they leave */
    uint32_t depth;             /* commands looked at for `order` */
    double read_watermark;      /* of a request, before it leaves */
    uint32_t write_fill;        /* sectors here before the head may write */
    SimTime bus_read_ns, bus_write_ns;  /* a sector; 0: the link's rate */
    DiskCost read_hit, read_miss, write_hit, write_miss;
    SimTime write_data_ns;      /* from the command to its first data;
                                 * 0: as write_miss */
    SimTime seek_delay_ns;      /* least arm time of a write */
    SimTime reconnect_ns;       /* before the data of a miss */
    SimTime read_end_ns, write_end_ns;  /* status after the last of it */
} DiskBufferPlan;

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
    SimTime error_recovery_ns;  /* tries to read a sector; 0: not said */
    uint64_t link_bytes_per_s;  /* interface burst rate */
    char *interface;            /* "UDMA100", "SATA150", "SCSI" */
    uint32_t buffer_kib;
    SimTime settle_ns;          /* least time to any sector; 0 without one */
    bool zero_latency;          /* a stretch may be read from its middle */
    DiskBufferPlan buffer;
    SimDivisor turn;            /* by turn_ns */
    /*< private >*/
    uint32_t *seek_ns;          /* by distance, computed once at load; 32 bits
                                 * so that a large drive's stays in cache */
} DiskPreset;

/*
 * `name` is a preset's id or a path (contains '/' or ends in ".drive").
 * NULL and one line in `error` (file, what, what would be right) otherwise.
 * The caller owns the result.
 */
DiskPreset *disk_preset_load(const char *name, GError **error);
void disk_preset_free(DiskPreset *preset);

/* The file of such a name, or NULL and one line; the caller frees. */
char *disk_preset_path(const char *name, GError **error);

/* Ids of the presets that ship, sorted, maybe none; free with g_strfreev(). */
char **disk_preset_list(void);

#endif
