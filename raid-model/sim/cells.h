/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells - runs that published figures call for, each done once.
 *
 * One asks for a cell; if it was not run yet it is noted, and the next
 * cells_run() runs all that were noted, on every processor at once.  So
 * who needs values asks, runs, and asks again, until nothing is missing.
 */
#ifndef RAID_SIM_CELLS_H
#define RAID_SIM_CELLS_H

#include "raid-model/sim/bonnie.h"

typedef struct Cells Cells;

typedef struct CellAsk {
    const char *board, *drive, *level;  /* platter's names */
    unsigned members;
    const char *pattern;        /* iometer.h's, or "bonnie" */
    unsigned depth;             /* not of bonnie */
    bool inner;                 /* sequential, near the unit's end */
} CellAsk;

typedef enum CellState { CELL_MISSING, CELL_DONE, CELL_FAILED } CellState;

typedef struct CellValue {
    CellState state;
    double iops, mib_per_s;
    double mean_ms;             /* of a request */
    double bonnie[BONNIE_PHASES];       /* KiB/s; seeks/s */
    char why[200];              /* it failed */
} CellValue;

typedef struct CellsPlan {
    uint64_t seed;
    SimTime turn_ns;
    const char *sequential_bytes;       /* "64k": sequential_write's */
} CellsPlan;

Cells *cells_new(const CellsPlan *plan);
void cells_free(Cells *cells);

const CellValue *cells_get(Cells *cells, const CellAsk *ask);
/* What a run would give, known from elsewhere. */
void cells_put(Cells *cells, const CellAsk *ask, const CellValue *value);
unsigned cells_missing(const Cells *cells);
/*
 * Runs what is missing, in processes of its own; shows progress.  After
 * Ctrl-C what was not run stays missing.
 */
void cells_run(Cells *cells);

#endif
