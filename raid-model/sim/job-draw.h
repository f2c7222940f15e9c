/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job draw - which request of a job comes next.  Knows addresses and
 * chance, no time and no drive.
 *
 * Meanings are fio's.  Sequential: reads and writes have a position each
 * and begin again when the next request would pass the end.  Random with a
 * map: each block of the region once, then all of them again in another
 * order; with one block size a keyed permutation, with several a bitmap of
 * the smallest, where a request that meets a used block is cut short.
 * Random without one: drawn with repetition.
 *
 * Zipf and Pareto draw a rank with repetition; a permutation says which
 * place has that rank, so the often used ones lie all over the region.
 * Zones are drawn with repetition: first the zone, then a place in it.
 */
#ifndef RAID_SIM_JOB_DRAW_H
#define RAID_SIM_JOB_DRAW_H

#include "raid-model/array/unit.h"
#include "raid-model/sim/job-map.h"

#define DRAW_BLOCK_BYTES_MAX (65535u * DISK_SECTOR_BYTES)
#define DRAW_LINES_MAX 64
#define DRAW_SIDES 2            /* by UNIT_READ, UNIT_WRITE */
#define DRAW_MAP_BLOCKS_MAX (UINT64_C(1) << 32)

typedef struct DrawLine {
    uint32_t least, most;       /* sectors; a multiple of the first */
    unsigned percent;
} DrawLine;

typedef struct DrawSizes {
    unsigned lines;
    DrawLine line[DRAW_LINES_MAX];      /* the last one has the rest */
} DrawSizes;

typedef enum DrawSpread {
    DRAW_UNIFORM, DRAW_ZIPF, DRAW_PARETO, DRAW_ZONED
} DrawSpread;

#define DRAW_ZONES_MAX 64

typedef struct DrawZone {       /* one behind the other */
    unsigned percent;           /* of requests; the last one has the rest */
    uint64_t sectors;
} DrawZone;

typedef struct DrawPlan {
    DrawSizes size[DRAW_SIDES];
    unsigned read_percent;
    unsigned random_percent;    /* 0: sequential */
    DrawSpread spread;
    double skew;                /* zipf: theta > 0; pareto: 0 < share < 1 */
    unsigned zones;             /* zoned */
    DrawZone zone[DRAW_ZONES_MAX];
    uint32_t align;             /* sectors; where random requests start */
    bool map;                   /* each block once; uniform only */
    uint64_t first, sectors;    /* the region, of the unit */
} DrawPlan;

/* One size, all random (with repetition) or all sequential, from sector 0. */
DrawPlan draw_plain(unsigned read_percent, bool random,
                    uint32_t block_sectors, uint64_t sectors);

/* The smallest and largest request; sides that are never drawn do not
 * count. */
uint32_t draw_least(const DrawPlan *plan);
uint32_t draw_most(const DrawPlan *plan);
/* The map of this plan is a bitmap; it has this many bits. */
uint64_t draw_bitmap_blocks(const DrawPlan *plan);

typedef struct Draw {
    DrawPlan plan;
    uint64_t places;            /* where a request may start, counted */
    uint64_t next[DRAW_SIDES];  /* sequential: sector of the region */
    uint64_t pass, drawn;       /* permutation: how often, how far */
    uint64_t seed;
    Permutation order;
    JobMap *map;                /* or NULL */
    double zipf_from, zipf_to, zipf_sure;
    Sim *chance;                /* nothing but its random numbers is used */
} Draw;

/* The region must hold the largest request. */
void draw_init(Draw *draw, const DrawPlan *plan, uint64_t seed);
void draw_clear(Draw *draw);
/* Fills verb, lba and count. */
void draw_next(Draw *draw, UnitOp *op);

#endif
