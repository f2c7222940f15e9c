/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measure - a preset on the bench: the figures of a data sheet, once as the
 * preset gives them and once as its model runs.
 */
#ifndef RAID_SIM_MEASURE_H
#define RAID_SIM_MEASURE_H

#include "disk-model/drive/preset.h"

typedef struct Measure {
    double track_ms;            /* seek to the next cylinder */
    double average_ms;          /* between two random cylinders */
    double full_ms;             /* from rim to hub */
    double outer_rate, inner_rate;      /* bytes/s, sustained */
} Measure;

/*
 * By arithmetic on what is written in the preset: the seek curve's ends,
 * the published average, and for the rates IBM's formula: the bytes of a
 * cylinder over its turns and its skews (or switches, if they are longer).
 */
Measure measure_given(const DiskPreset *preset);
/* By running accesses through the model. */
Measure measure_run(const DiskPreset *preset, uint64_t seed);

#endif
