/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seek curve - published figures in, time for every distance out.
 *
 * Distances are cylinders, times milliseconds, as the sources print them.
 * Forms: Lee & Katz 1993; Ruemmler & Wilkes 1994; tables as DIXtrac extracts
 * them.
 */
#ifndef DISK_DRIVE_SEEK_H
#define DISK_DRIVE_SEEK_H

#include <stdbool.h>
#include <stdint.h>

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

/* The Lee curve through a data sheet's shortest, average and full stroke. */
void disk_seek_from_sheet(DiskSeekCurve *curve, double min_ms, double avg_ms,
                          double full_ms, uint32_t cylinders);

/* distance >= 1; between and beyond a table's points along straight lines. */
double disk_seek_ms(const DiskSeekCurve *curve, uint32_t distance);

/*
 * Fills table[0 .. cylinders-1] with nanoseconds.  False, with a static
 * sentence in *why, when a time is not positive, absurdly long (over a
 * second) or falls with distance.  Measured curves are choppy: there a time
 * may dip up to a fifth below a shorter distance's.
 */
bool disk_seek_tabulate(const DiskSeekCurve *curve, uint32_t cylinders,
                        uint32_t *table, const char **why);

/* The mean over two independent cylinders, each as likely as any other. */
double disk_seek_average_ms(const uint32_t *table, uint32_t cylinders);

#endif
