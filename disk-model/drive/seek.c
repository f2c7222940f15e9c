/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seek curve: three published forms and one table of nanoseconds.
 */
#include <math.h>

#include <glib.h>

#include "disk-model/drive/seek.h"

#define SEEK_MS_MAX 1000.0
#define DIP_ALLOWED 0.8

/*
 * a, b and c such that the curve returns the three numbers for a drive of
 * N cylinders; the average is over random pairs, mean distance N/3 (Lee &
 * Katz 1993, in the form DiskSim's manual gives).
 */
void disk_seek_from_sheet(DiskSeekCurve *curve, double min_ms, double avg_ms,
                          double full_ms, uint32_t cylinders)
{
    double n = cylinders;

    curve->form = DISK_SEEK_LEE;
    curve->a = (-10 * min_ms + 15 * avg_ms - 5 * full_ms) / (3 * sqrt(n));
    curve->b = (7 * min_ms - 15 * avg_ms + 8 * full_ms) / (3 * n);
    curve->c = min_ms;
}

/* On the straight line through the two points around `distance`. */
static double between_points(const DiskSeekCurve *curve, uint32_t distance)
{
    unsigned right = 1, high = curve->points - 1;
    double x0, x1, y0, y1;

    if (curve->points == 1) {
        return curve->ms[0];
    }
    while (right < high) {
        unsigned middle = (right + high) / 2;

        if (curve->distance[middle] < distance) {
            right = middle + 1;
        } else {
            high = middle;
        }
    }
    x0 = curve->distance[right - 1];
    x1 = curve->distance[right];
    y0 = curve->ms[right - 1];
    y1 = curve->ms[right];
    return y0 + (y1 - y0) * (distance - x0) / (x1 - x0);
}

double disk_seek_ms(const DiskSeekCurve *curve, uint32_t distance)
{
    double d = distance;

    switch (curve->form) {
    case DISK_SEEK_LEE:
        return curve->a * sqrt(d - 1) + curve->b * (d - 1) + curve->c;
    case DISK_SEEK_TWO_PART:
        for (unsigned i = 0; i < curve->points; i++) {
            if (curve->distance[i] == distance) {
                return curve->ms[i];
            }
        }
        return distance < curve->knee_cylinders
            ? curve->a + curve->b * sqrt(d)
            : curve->c + curve->e * d;
    case DISK_SEEK_TABLE:
        return between_points(curve, distance);
    }
    g_assert_not_reached();
}

bool disk_seek_tabulate(const DiskSeekCurve *curve, uint32_t cylinders,
                        uint32_t *table, const char **why)
{
    double tolerance = curve->form == DISK_SEEK_LEE ? 1.0 : DIP_ALLOWED;
    double longest = 0;

    table[0] = 0;
    for (uint32_t d = 1; d < cylinders; d++) {
        double ms = disk_seek_ms(curve, d);

        if (!(ms > 0)) {
            *why = "a seek would take no time, or less";
            return false;
        }
        if (ms > SEEK_MS_MAX) {
            *why = "a seek would take more than a second";
            return false;
        }
        if (ms < longest * tolerance) {
            *why = "a longer seek would take less time than a shorter one";
            return false;
        }
        longest = MAX(longest, ms);
        table[d] = (uint32_t)(ms * 1e6 + 0.5);
    }
    return true;
}

double disk_seek_average_ms(const uint32_t *table, uint32_t cylinders)
{
    double n = cylinders, sum = 0;

    for (uint32_t d = 1; d < cylinders; d++) {
        sum += 2 * (n - d) * table[d];
    }
    return sum / (n * n) / 1e6;
}
