/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parity - XOR of sector buffers through ISA-L, or by hand where ISA-L's
 * conditions do not hold.
 */
#include "raid-model/array/parity.h"

#include <glib.h>
#include <isa-l/raid.h>
#include <stdint.h>
#include <string.h>

#define ISAL_ALIGNMENT 32

static bool vectors_are_aligned(void *const *vector, unsigned vectors)
{
    uintptr_t low = 0;

    for (unsigned i = 0; i < vectors; i++) {
        low |= (uintptr_t)vector[i];
    }
    return low % ISAL_ALIGNMENT == 0;
}

/* A vector register of every machine at a time, at any alignment. */
typedef uint64_t Wide __attribute__((vector_size(16), aligned(1), may_alias));

static void xor_into(uint8_t *dst, const uint8_t *src, size_t bytes)
{
    size_t i = 0;

    for (; i + sizeof(Wide) <= bytes; i += sizeof(Wide)) {
        *(Wide *)(dst + i) ^= *(const Wide *)(src + i);
    }
    for (; i < bytes; i++) {
        dst[i] ^= src[i];
    }
}

void raid_parity_make(void *dst, void *const *source, unsigned sources,
                      size_t bytes)
{
    void *vector[RAID_PARITY_SOURCES_MAX + 1];

    g_assert(sources >= 1 && sources <= RAID_PARITY_SOURCES_MAX);
    g_assert(bytes <= G_MAXINT);
    memcpy(vector, source, sources * sizeof(vector[0]));
    vector[sources] = dst;

    if (sources >= 2 && vectors_are_aligned(vector, sources + 1) &&
        xor_gen((int)sources + 1, (int)bytes, vector) == 0) {
        return;
    }
    memcpy(dst, source[0], bytes);
    for (unsigned i = 1; i < sources; i++) {
        xor_into(dst, source[i], bytes);
    }
}

static bool xor_is_zero(void *const *vector, unsigned vectors, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        uint8_t sum = 0;

        for (unsigned v = 0; v < vectors; v++) {
            sum ^= ((const uint8_t *)vector[v])[i];
        }
        if (sum) {
            return false;
        }
    }
    return true;
}

bool raid_parity_holds(void *const *vector, unsigned vectors, size_t bytes)
{
    void *copy[RAID_PARITY_SOURCES_MAX + 1];

    g_assert(vectors >= 1 && vectors <= RAID_PARITY_SOURCES_MAX + 1);
    g_assert(bytes <= G_MAXINT);
    if (vectors == 2) {
        return memcmp(vector[0], vector[1], bytes) == 0;
    }
    if (vectors < 3 || !vectors_are_aligned(vector, vectors)) {
        return xor_is_zero(vector, vectors, bytes);
    }
    memcpy(copy, vector, vectors * sizeof(copy[0]));
    return xor_check((int)vectors, (int)bytes, copy) == 0;
}
