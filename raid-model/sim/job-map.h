/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job map - each of many things once, in an order of chance.
 *
 * A permutation keeps nothing: a network of Feistel rounds over the next
 * power of two, walked until the number is in range (Luby & Rackoff 1988;
 * Black & Rogaway 2002).  A map keeps a bit for each and finds the next
 * free one through a bit for each full word, of those words, and so on.
 */
#ifndef RAID_SIM_JOB_MAP_H
#define RAID_SIM_JOB_MAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Permutation {
    uint64_t count, key;
    unsigned low_bits, high_bits;
} Permutation;

void permutation_init(Permutation *order, uint64_t count, uint64_t key);
uint64_t permutation_at(const Permutation *order, uint64_t index);

typedef struct JobMap JobMap;

JobMap *job_map_new(uint64_t count);
void job_map_free(JobMap *map);         /* NULL is fine */
uint64_t job_map_free_blocks(const JobMap *map);
void job_map_clear(JobMap *map);
/* The first free one from `from` on, from 0 again at the end; one is free. */
uint64_t job_map_find(const JobMap *map, uint64_t from);
/* Takes up to `most` free ones in a row, the first being free; how many. */
uint64_t job_map_take(JobMap *map, uint64_t at, uint64_t most);

#endif
