/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job map: a permutation without memory, and a bitmap with summaries.
 */
#include <glib.h>

#include "raid-model/sim/job-map.h"

#define LEVELS_MAX 7
#define ROUNDS 6

/* --- permutation ---------------------------------------------------------- */

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void permutation_init(Permutation *order, uint64_t count, uint64_t key)
{
    unsigned bits = 2;

    while (bits < 63 && count > UINT64_C(1) << bits) {
        bits++;
    }
    *order = (Permutation) {
        .count = count, .key = mix(key + UINT64_C(0x9e3779b97f4a7c15)),
        .low_bits = bits / 2, .high_bits = bits - bits / 2,
    };
}

uint64_t permutation_at(const Permutation *order, uint64_t index)
{
    uint64_t low_mask = (UINT64_C(1) << order->low_bits) - 1;
    uint64_t high_mask = (UINT64_C(1) << order->high_bits) - 1;

    do {
        uint64_t low = index & low_mask, high = index >> order->low_bits;

        for (uint64_t round = 0; round < ROUNDS; round += 2) {
            high ^= mix(low + order->key + (round << 56)) & high_mask;
            low ^= mix(high + order->key + ((round + 1) << 56)) & low_mask;
        }
        index = high << order->low_bits | low;
    } while (index >= order->count);
    return index;
}

/* --- bitmap --------------------------------------------------------------- */

/* A set bit is used; on the levels above, a word below is full.  Bits past
 * the end are set. */
struct JobMap {
    uint64_t count, left;
    unsigned levels;
    uint64_t words[LEVELS_MAX];
    uint64_t *word[LEVELS_MAX];
};

void job_map_clear(JobMap *map)
{
    uint64_t bits = map->count;

    map->left = map->count;
    for (unsigned i = 0; i < map->levels; i++) {
        for (uint64_t j = 0; j < map->words[i]; j++) {
            map->word[i][j] = 0;
        }
        if (bits % 64) {
            map->word[i][bits / 64] = ~UINT64_C(0) << bits % 64;
        }
        bits = map->words[i];
    }
}

JobMap *job_map_new(uint64_t count)
{
    JobMap *map = g_new0(JobMap, 1);
    uint64_t bits = count;

    map->count = map->left = count;
    do {
        unsigned i = map->levels++;

        map->words[i] = (bits + 63) / 64;
        map->word[i] = g_new0(uint64_t, map->words[i]);
        if (bits % 64) {
            map->word[i][bits / 64] = ~UINT64_C(0) << bits % 64;
        }
        bits = map->words[i];
    } while (bits > 1);
    return map;
}

void job_map_free(JobMap *map)
{
    for (unsigned i = 0; map && i < map->levels; i++) {
        g_free(map->word[i]);
    }
    g_free(map);
}

uint64_t job_map_free_blocks(const JobMap *map)
{
    return map->left;
}

/* Goes up until a word has a free bit at or after, then down again. */
static bool find(const JobMap *map, uint64_t *at)
{
    uint64_t bit = *at, open = 0;
    unsigned i = 0;

    for (; i < map->levels; i++) {
        if (bit / 64 < map->words[i]) {
            open = ~map->word[i][bit / 64] & (~UINT64_C(0) << bit % 64);
        }
        if (open) {
            break;
        }
        bit = bit / 64 + 1;
    }
    if (!open) {
        return false;
    }
    for (;; i--) {
        bit = bit / 64 * 64 + __builtin_ctzll(open);
        if (!i) {
            *at = bit;
            return true;
        }
        open = ~map->word[i - 1][bit];
        bit *= 64;
    }
}

uint64_t job_map_find(const JobMap *map, uint64_t from)
{
    uint64_t at = from;

    if (!find(map, &at)) {
        at = 0;
        find(map, &at);
    }
    return at;
}

uint64_t job_map_take(JobMap *map, uint64_t at, uint64_t most)
{
    uint64_t taken = 0;

    for (; taken < most && at < map->count; taken++, at++) {
        uint64_t bit = at;

        if (map->word[0][bit / 64] >> bit % 64 & 1) {
            break;
        }
        for (unsigned i = 0; i < map->levels; i++) {
            map->word[i][bit / 64] |= UINT64_C(1) << bit % 64;
            bit /= 64;
            if (map->word[i][bit] != ~UINT64_C(0)) {
                break;
            }
        }
    }
    map->left -= taken;
    return taken;
}
