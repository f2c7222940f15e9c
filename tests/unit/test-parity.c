/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parity: the same bytes as a loop over bytes, for every number of sources,
 * every alignment and every length in sectors that occurs.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "raid-model/array/parity.h"
#include "tests/lib/unit.h"

#define VECTORS_MAX 40
#define BYTES_MAX (64 * 1024)

static uint8_t *memory[VECTORS_MAX];

static void set_up(void)
{
    uint32_t noise = 1;

    for (unsigned v = 0; v < VECTORS_MAX; v++) {
        memory[v] = aligned_alloc(64, BYTES_MAX + 64);
        for (unsigned i = 0; i < BYTES_MAX + 64; i++) {
            noise = noise * 1664525 + 1013904223;
            memory[v][i] = noise >> 24;
        }
    }
}

static void tear_down(void)
{
    for (unsigned v = 0; v < VECTORS_MAX; v++) {
        free(memory[v]);
    }
}

static uint8_t sum_at(void *const *source, unsigned sources, size_t i)
{
    uint8_t sum = 0;

    for (unsigned v = 0; v < sources; v++) {
        sum ^= ((uint8_t *)source[v])[i];
    }
    return sum;
}

static void check_make(unsigned sources, size_t shift, size_t bytes)
{
    void *source[VECTORS_MAX];
    uint8_t *dst = memory[VECTORS_MAX - 1] + (shift ? 64 - shift : 0);
    uint8_t after = dst[bytes];

    for (unsigned v = 0; v < sources; v++) {
        source[v] = memory[v] + (v % 2 ? shift : 0);
    }
    raid_parity_make(dst, source, sources, bytes);
    for (size_t i = 0; i < bytes; i++) {
        unit_holds(dst[i] == sum_at(source, sources, i));
    }
    unit_holds(dst[bytes] == after);
}

START_TEST(make_gives_the_bytes_of_a_plain_loop)
{
    for (unsigned sources = 1; sources <= 35; sources++) {
        for (size_t bytes = 512; bytes <= 4096; bytes += 512) {
            check_make(sources, 0, bytes);
        }
        check_make(sources, 0, BYTES_MAX - 512);
    }
}
END_TEST

START_TEST(make_takes_any_alignment)
{
    for (size_t shift = 1; shift < 64; shift++) {
        for (unsigned sources = 1; sources <= 5; sources++) {
            check_make(sources, shift, 1024 + shift);
        }
    }
}
END_TEST

START_TEST(any_lost_vector_is_made_from_the_others)
{
    void *row[VECTORS_MAX];
    uint8_t found[4096];

    for (unsigned data = 2; data <= 15; data++) {
        for (unsigned v = 0; v <= data; v++) {
            row[v] = memory[v];
        }
        raid_parity_make(row[data], row, data, sizeof(found));
        for (unsigned lost = 0; lost <= data; lost++) {
            void *rest[VECTORS_MAX];
            unsigned n = 0;

            for (unsigned v = 0; v <= data; v++) {
                if (v != lost) {
                    rest[n++] = row[v];
                }
            }
            raid_parity_make(found, rest, n, sizeof(found));
            ck_assert_mem_eq(found, row[lost], sizeof(found));
        }
    }
}
END_TEST

START_TEST(one_wrong_bit_anywhere_is_seen)
{
    for (size_t shift = 0; shift <= 8; shift += 8) {
        for (unsigned vectors = 2; vectors <= 16; vectors++) {
            void *row[VECTORS_MAX];

            for (unsigned v = 0; v < vectors; v++) {
                row[v] = memory[v] + shift;
            }
            raid_parity_make(row[vectors - 1], row, vectors - 1, 1536);
            unit_holds(raid_parity_holds(row, vectors, 1536));
            for (size_t i = 0; i < 1536; i += 61) {
                uint8_t *wrong = (uint8_t *)row[i % vectors] + i;

                *wrong ^= 1 << i % 8;
                unit_holds(!raid_parity_holds(row, vectors, 1536));
                *wrong ^= 1 << i % 8;
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parity");
    TCase *tc = tcase_create("parity");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, make_gives_the_bytes_of_a_plain_loop);
    tcase_add_test(tc, make_takes_any_alignment);
    tcase_add_test(tc, any_lost_vector_is_made_from_the_others);
    tcase_add_test(tc, one_wrong_bit_anywhere_is_seen);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
