/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divide - by a number that stays the same.
 *
 * Finding a sector takes a dozen divisions by the sectors of a track, the
 * heads and the turn.  A multiplication by the inverse, prepared once, does
 * the same in a third of the time, and exactly.
 */
#ifndef DISK_WORLD_DIVIDE_H
#define DISK_WORLD_DIVIDE_H

#include <stdint.h>

typedef struct SimDivisor {
    uint64_t by, inverse;
} SimDivisor;

/* by > 0 */
static inline SimDivisor sim_divisor(uint64_t by)
{
    return (SimDivisor) { by, UINT64_MAX / by };
}

/*
 * n / by, and n % by in *rest.  The inverse falls short of 2^64 / by by at
 * most 1, hence the product of n / by by at most n / 2^64 < 1: the whole
 * part is right or one too small, and the rest tells which.
 */
static inline uint64_t sim_divide(const SimDivisor *divisor, uint64_t n,
                                  uint64_t *rest)
{
    uint64_t q = (unsigned __int128)n * divisor->inverse >> 64;
    uint64_t left = n - q * divisor->by;
    uint64_t more = left >= divisor->by;

    *rest = more ? left - divisor->by : left;
    return q + more;
}

static inline uint64_t sim_quotient(const SimDivisor *divisor, uint64_t n)
{
    uint64_t rest;

    return sim_divide(divisor, n, &rest);
}

#endif
