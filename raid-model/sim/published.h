/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published - tables of other people's measurements, set beside the model.
 *
 * A table's first line says which kind it is:
 *   controller,level,drives,pattern,load,queue_depth,...   IOMeter cells
 *   controller,level,drives,drive_model,kernel,run,phase,...     bonnie++
 *   controller,level,drives,drive_model,storsave,workload,...    dd
 *   id,kind,controller,mode,pattern,...,testable_form,...  statements
 */
#ifndef RAID_SIM_PUBLISHED_H
#define RAID_SIM_PUBLISHED_H

#include <stdio.h>

#include "raid-model/sim/cells.h"
#include "raid-model/sim/csv.h"

/* A controller as reviewers name it, and what it is here. */
typedef struct PublishedName {
    const char *name;           /* "3ware Escalade 7410" */
    const char *alias;          /* "7410" */
    const char *board;
    const char *drive;          /* in the tables that do not say */
} PublishedName;

/* By name or alias; NULL. */
const PublishedName *published_name(const char *words);

typedef enum RowState {
    ROW_COUNTED,
    ROW_LEFT_OUT,               /* of the averages: faulty, or not a figure */
    ROW_NOT_MODELLED,
    ROW_MISSING,                /* its run was interrupted */
} RowState;

typedef struct PublishedRow {
    const char *controller, *unit;      /* borrowed from the csv */
    char *what;                 /* "raid0 x2 file_server 16" */
    double measured, model;     /* model: NAN when there is none */
    RowState state;
    char *why;                  /* not counted; NULL when it is */
} PublishedRow;

typedef enum Verdict {
    VERDICT_TRUE, VERDICT_FALSE,
    VERDICT_NOT_TESTABLE,       /* nobody could by runs; not counted */
    VERDICT_UNKNOWN_FORM,       /* not understood; not counted */
    VERDICT_MISSING,
} Verdict;

typedef struct PublishedStatement {
    const char *id, *controller, *form;
    Verdict verdict;
    char *why;                  /* the figures, or the reason */
} PublishedStatement;

typedef struct PublishedSum {
    const char *controller;     /* NULL: over all */
    unsigned cells, within_5;
    double abs_pct;             /* sum */
    double worst_pct;           /* with its sign */
    unsigned left_out, not_modelled;
    unsigned statements, statements_true, not_testable, unknown_form;
} PublishedSum;

typedef struct Published {
    Csv *csv;
    GArray *rows;               /* of PublishedRow */
    GArray *statements;         /* of PublishedStatement */
    GArray *sums;               /* of PublishedSum; the last is over all */
} Published;

/*
 * Takes the csv.  Runs what its rows call for; `only` keeps rows that hold
 * those words (NULL: all).  NULL and one line when it is no such table or a
 * row is wrong ("FILE:LINE: ...").
 */
Published *published_run(Csv *csv, Cells *cells, const char *only,
                         GError **error);
void published_free(Published *published);

void published_text(const Published *published, FILE *out);
void published_json(const Published *published, FILE *out);

/* --- between published*.c ------------------------------------------------ */

/* Both fill the row or statement from what has run, noting what has not. */
bool published_row(const Csv *csv, const CsvRow *from, Cells *cells,
                   PublishedRow *row, GError **error);
void published_statement(const Csv *csv, const CsvRow *from, Cells *cells,
                         PublishedStatement *statement);

#endif
