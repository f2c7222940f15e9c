/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOMeter - which request comes next, by an access specification.
 *
 * Each request is three independent draws of 0..99: the first picks a line
 * by its share of sizes, the second reads or writes by that line's share of
 * reads, the third is random or sequential by its share of random ones.
 * Random: a byte anywhere in the unit, moved up to the alignment (512 bytes
 * unless told), to the start if the request would pass the end.  Sequential:
 * where the request issued before it ended, whatever that one was.  So did
 * Intel's Iometer of 1999 to 2003 (its source and User's Guide).
 *
 * Knows addresses and chance, no time and no drive.
 */
#ifndef RAID_SIM_IOMETER_H
#define RAID_SIM_IOMETER_H

#include <glib.h>

#include "raid-model/array/unit.h"

#define IOMETER_LINES_MAX 100

typedef struct IometerLine {
    uint32_t bytes;
    uint8_t share, reads, random;       /* percent */
    uint32_t delay_ms;          /* after each `burst` requests */
    uint32_t burst;
    uint32_t align_bytes;
} IometerLine;

typedef struct IometerSpec {    /* zeroed: empty */
    unsigned lines;
    IometerLine line[IOMETER_LINES_MAX];
} IometerSpec;

/*
 * NAME or NAME:NUMBER.  The number of a mixed pattern is its percentage of
 * writes, that of a one-size pattern its size.  One line in `error`.
 */
bool iometer_spec_named(IometerSpec *spec, const char *words, GError **error);
#define IOMETER_PATTERNS "file_server, workstation, workstation_100pct_read, " \
    "xbit_workstation, database, database_8k, web_server, default, " \
    "random_read, random_write, sequential_read, sequential_write"
/* Adds "size,%size,%read,%random,delay,burst,align,reply", as in an .icf. */
bool iometer_spec_add(IometerSpec *spec, const char *line, GError **error);
/* Shares must make 100. */
bool iometer_spec_check(const IometerSpec *spec, GError **error);

bool iometer_spec_sequential(const IometerSpec *spec);  /* nothing random */
double iometer_spec_write_share(const IometerSpec *spec);
double iometer_spec_written(const IometerSpec *spec);   /* bytes a request */
uint32_t iometer_spec_bytes_max(const IometerSpec *spec);

typedef struct Iometer {
    const IometerSpec *spec;
    uint64_t bytes, next;       /* of the unit; where sequential goes on */
    uint8_t line[100];          /* by the first draw */
    Sim *chance;                /* nothing but its random numbers is used */
} Iometer;

/* The unit must hold the largest request; the spec stays the caller's. */
void iometer_init(Iometer *gen, const IometerSpec *spec, uint64_t bytes,
                  uint64_t seed);
void iometer_clear(Iometer *gen);
/* Fills verb, lba and count; says by which line. */
const IometerLine *iometer_next(Iometer *gen, UnitOp *op);

#endif
