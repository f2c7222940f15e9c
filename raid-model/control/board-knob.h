/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board knob - every number of a board's row, what it is for and how far to
 * trust it: the sources of board.c's table.
 *
 * There is a knob for each field of BoardModel but its name and title, in
 * its order; a field without one fails tests/unit/test-board-knob.c.
 */
#ifndef RAID_CONTROL_BOARD_KNOB_H
#define RAID_CONTROL_BOARD_KNOB_H

#include "raid-model/control/board.h"

typedef enum KnobKind {
    KNOB_MEASURED,              /* read off a real card */
    KNOB_DATA_SHEET,            /* printed by its maker */
    KNOB_FITTED,                /* so that the model gives a measurement */
    KNOB_ASSUMED,               /* no source; what such a card would have */
    KNOB_GUESS,                 /* no source; nobody outside can know */
} KnobKind;

typedef enum KnobForm {
    KNOB_NUMBER, KNOB_HEX, KNOB_RATE, KNOB_TIME, KNOB_YES_NO, KNOB_CHOICE,
    KNOB_LEVELS, KNOB_TEXT,
} KnobForm;

typedef struct KnobSource {
    const char *boards;         /* names, as a shell matches; NULL: none */
    KnobKind kind;
    const char *text;           /* one line */
} KnobSource;

#define KNOB_SOURCES_MAX 6

typedef struct BoardKnob {
    const char *name;           /* of the field */
    const char *about;          /* one line */
    KnobForm form;
    uint16_t offset, size;      /* in BoardModel */
    const char *unit;           /* of the number: "bytes/s"; or NULL */
    const char *zero;           /* what 0 means; NULL: just that */
    const char *const *words;   /* of KNOB_CHOICE */
    uint32_t levels;            /* only where one of these is offered;
                                 * 0: everywhere */
    KnobSource from[KNOB_SOURCES_MAX];  /* the first that fits counts */
} BoardKnob;

extern const BoardKnob board_knob[];
extern const unsigned board_knobs;
extern const char *const board_knob_kind[];     /* by KnobKind */

/* It has a meaning on this board. */
bool board_knob_applies(const BoardKnob *knob, const BoardModel *board);
/* The field as it is; 0 for a text. */
uint64_t board_knob_number(const BoardKnob *knob, const BoardModel *board);
/* As people read it: "107 MB/s"; the caller frees. */
char *board_knob_text(const BoardKnob *knob, const BoardModel *board);
/* Of a board of board_model[]: never NULL. */
const KnobSource *board_knob_source(const BoardKnob *knob,
                                    const BoardModel *board);

#endif
