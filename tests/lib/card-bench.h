/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Card bench - a card whose power goes and comes: media that outlive it, and
 * a cut after so many sectors written, wherever that is.
 *
 * What is written after the cut is lost, sector by sector; nothing tells the
 * card.  So a story runs to its end and the media are as the cut left them.
 */
#ifndef TESTS_LIB_CARD_BENCH_H
#define TESTS_LIB_CARD_BENCH_H

#include "raid-model/control/controller.h"

#define CARD_PORTS 8

typedef struct CardMedia {
    DiskMedia media;
    DiskMedia *inner;
    struct CardBench *bench;
} CardMedia;

typedef struct CardBench {
    Sim *sim;
    RaidController *ctl;                /* NULL: power is off */
    DiskPreset *preset, *smaller;
    CardMedia medium[CARD_PORTS];
    const DiskPreset *model[CARD_PORTS];        /* of drive i; NULL: none */
    Disk *disk[CARD_PORTS];             /* by drive */
    int order[CARD_PORTS];              /* the drive on port i, or -1 */
    uint64_t sectors_left;              /* that will be written */
    bool dark;                          /* some were not */
    uint64_t data_written;              /* sectors outside the reserves */
    uint64_t seed;
    const char *board;
} CardBench;

/* Drives 0.. of a mask are there, drive i on port i, power is off. */
CardBench *card_bench_new(uint32_t drives);
void card_bench_free(CardBench *bench);

/* Before power: the card with drives as `order` has it. */
void card_bench_plug(CardBench *bench);
/* Plugs, states `units` (NULL: nothing), powers on.  False: *why has a line,
 * to be freed, and power is off again. */
bool card_bench_boot(CardBench *bench, const char *units, char **why);
void card_bench_must_boot(CardBench *bench, const char *units);
/* Without a word of warning. */
void card_bench_cut(CardBench *bench);
/* An orderly shutdown, then off. */
void card_bench_shut(CardBench *bench);
/* Until nothing is left to happen. */
void card_bench_drain(CardBench *bench);

/* One op, to its end; `buf` as it is. */
UnitStatus card_bench_io(CardBench *bench, unsigned unit, UnitVerb verb,
                         uint64_t lba, void *buf, uint32_t count);

/* Straight to and from a drive's medium. */
void card_bench_peek(CardBench *bench, unsigned drive, uint64_t sector,
                     void *buf, uint32_t count);
void card_bench_poke(CardBench *bench, unsigned drive, uint64_t sector,
                     const void *buf, uint32_t count);
/* Of all media; `data_only`: without the reserved areas. */
uint64_t card_bench_hash(CardBench *bench, bool data_only);
uint64_t card_bench_copy_at(const CardBench *bench, unsigned copy);

#endif
