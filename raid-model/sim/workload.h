/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload - which request comes next.  Knows addresses and chance, no
 * time and no drive.
 *
 * Words and meanings are fio's: offsets of random requests are multiples of
 * the block size, drawn anew each time (fio's norandommap); in a mixed
 * sequential load reads and writes each have a position of their own.
 */
#ifndef RAID_SIM_WORKLOAD_H
#define RAID_SIM_WORKLOAD_H

#include "raid-model/array/unit.h"

#define WORKLOAD_BLOCK_BYTES_MAX (65535u * DISK_SECTOR_BYTES)

typedef struct WorkloadPlan {
    const char *rw;             /* "randread", as fio has it */
    unsigned read_percent;      /* of requests; from --rwmixread or rw */
    bool random;
    uint32_t block_sectors;
    uint64_t first_sector;      /* of the unit */
    uint64_t sectors;           /* the region, from there */
} WorkloadPlan;

/* Fills rw, random and read_percent (50 for mixed); false: no such rw. */
bool workload_pattern(WorkloadPlan *plan, const char *rw);
#define WORKLOAD_PATTERNS "read, write, rw, randread, randwrite, randrw"

typedef struct Workload {
    WorkloadPlan plan;
    uint64_t blocks;            /* whole blocks in the region */
    uint64_t next[2];           /* sequential: block, by direction */
    Sim *chance;                /* nothing but its random numbers is used */
} Workload;

/* The region must hold at least one block. */
void workload_init(Workload *work, const WorkloadPlan *plan, uint64_t seed);
void workload_clear(Workload *work);
/* Fills verb, lba and count. */
void workload_next(Workload *work, UnitOp *op);

#endif
