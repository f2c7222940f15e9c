/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Oracle: versions and what is known of each sector.
 */
#include "tests/world/oracle.h"

#include <string.h>

#define WORDS 64                /* of a sector */
#define NOT_YET UINT32_MAX
#define SPREAD UINT64_C(0x9e3779b97f4a7c15)

/* --- what sectors look like ---------------------------------------------- */

static uint64_t first_word(uint64_t lba, uint32_t version)
{
    return lba << 32 | version;
}

/* All words depend on the first, so no two stamps add up to a third. */
static uint64_t second_word(uint64_t first)
{
    uint64_t word = (first ^ first >> 29) * UINT64_C(0xbf58476d1ce4e5b9);

    return word ^ word >> 32;
}

void oracle_stamp(void *sector, uint64_t lba, uint32_t version)
{
    uint64_t word[WORDS], second;

    word[0] = first_word(lba, version);
    second = second_word(word[0]);
    for (unsigned i = 1; i < WORDS; i++) {
        word[i] = second + i * SPREAD;
    }
    memcpy(sector, word, sizeof(word));
}

bool oracle_version(const void *sector, uint64_t lba, uint32_t *version)
{
    uint64_t word[WORDS], second, wrong = 0;

    memcpy(word, sector, sizeof(word));
    second = second_word(word[0]);
    for (unsigned i = 1; i < WORDS; i++) {
        wrong |= word[i] ^ (second + i * SPREAD);
    }
    *version = (uint32_t)word[0];
    return !wrong && word[0] >> 32 == lba;
}

/* --- life ---------------------------------------------------------------- */

Oracle *oracle_new(uint64_t sectors)
{
    Oracle *oracle = g_new0(Oracle, 1);
    OracleWrite first = { 0, (uint32_t)sectors, 0, 1, true, true };

    oracle->sectors = sectors;
    oracle->at = g_new0(OracleSector, sectors);
    oracle->write = g_array_new(FALSE, FALSE, sizeof(OracleWrite));
    g_array_append_val(oracle->write, first);
    oracle->now = 2;
    oracle->unsafe_from = 1;
    return oracle;
}

void oracle_free(Oracle *oracle)
{
    g_array_unref(oracle->write);
    g_free(oracle->at);
    g_free(oracle);
}

static OracleWrite *write_of(const Oracle *oracle, uint32_t version)
{
    return &g_array_index(oracle->write, OracleWrite, version);
}

/* --- writes -------------------------------------------------------------- */

uint32_t oracle_write_begins(Oracle *oracle, uint64_t lba, uint32_t count)
{
    OracleWrite write = { lba, count, ++oracle->now, NOT_YET, false, false };

    g_array_append_val(oracle->write, write);
    for (uint64_t i = lba; i < lba + count; i++) {
        oracle->at[i].busy++;
        oracle->at[i].touched = oracle->now;
    }
    return oracle->write->len - 1;
}

static void make_safe(Oracle *oracle, OracleWrite *write)
{
    write->safe = true;
    for (uint64_t i = write->lba; i < write->lba + write->count; i++) {
        OracleSector *at = &oracle->at[i];

        at->safe_floor = MAX(at->safe_floor, write->begun);
    }
}

void oracle_write_ends(Oracle *oracle, uint32_t version, bool ok, bool safe)
{
    OracleWrite *write = write_of(oracle, version);

    write->ended = ++oracle->now;
    write->ok = ok;
    for (uint64_t i = write->lba; i < write->lba + write->count; i++) {
        OracleSector *at = &oracle->at[i];

        at->busy--;
        at->touched = oracle->now;
        at->floor = ok ? MAX(at->floor, write->begun) : at->floor;
    }
    if (ok && safe) {
        make_safe(oracle, write);
    }
}

uint32_t oracle_flush_begins(Oracle *oracle)
{
    return ++oracle->now;
}

void oracle_flushed(Oracle *oracle, uint32_t begun)
{
    bool all = true;

    for (uint32_t v = oracle->unsafe_from; v < oracle->write->len; v++) {
        OracleWrite *write = write_of(oracle, v);

        if (!write->safe && write->ok && write->ended < begun) {
            make_safe(oracle, write);
        }
        all = all && write->ended < begun;
        oracle->unsafe_from = all ? v + 1 : oracle->unsafe_from;
    }
    oracle->now++;
}

/* --- reads --------------------------------------------------------------- */

void oracle_read_begins(Oracle *oracle, OracleRead *read)
{
    read->begun = ++oracle->now;
    memcpy(read->then, &oracle->at[read->lba],
           read->count * sizeof(*read->then));
}

static bool may_be(const Oracle *oracle, const OracleSector *at,
                   uint64_t lba, uint32_t version)
{
    const OracleWrite *write;

    if (version >= oracle->write->len) {
        return false;
    }
    write = write_of(oracle, version);
    return lba >= write->lba && lba < write->lba + write->count &&
           (write->ended > at->floor ||
            (version == at->pin && at->pinned && at->pinned >= at->floor));
}

bool oracle_read_is_right(Oracle *oracle, const OracleRead *read,
                          const void *data, uint64_t *wrong, uint32_t *found)
{
    oracle->now++;
    for (uint32_t i = 0; i < read->count; i++) {
        uint64_t lba = read->lba + i;
        OracleSector *at = &oracle->at[lba];
        uint32_t version;

        *wrong = lba;
        if (!oracle_version((const uint8_t *)data + i * 512, lba, &version)) {
            *found = NOT_YET;
            return false;
        }
        if (!may_be(oracle, &read->then[i], lba, version)) {
            *found = version;
            return false;
        }
        at->floor = MAX(at->floor, write_of(oracle, version)->begun);
        if (!at->busy && at->touched < read->begun) {
            at->pin = version;
            at->pinned = at->floor = MAX(at->floor, read->begun);
        }
    }
    return true;
}

bool oracle_is_right(const Oracle *oracle, uint64_t lba, uint32_t version)
{
    return may_be(oracle, &oracle->at[lba], lba, version);
}

/* --- power --------------------------------------------------------------- */

bool oracle_is_unsettled(const Oracle *oracle, uint64_t lba)
{
    for (uint32_t v = oracle->unsafe_from; v < oracle->write->len; v++) {
        const OracleWrite *write = write_of(oracle, v);

        if (!write->safe && lba >= write->lba &&
            lba < write->lba + write->count) {
            return true;
        }
    }
    return false;
}

void oracle_power_cut(Oracle *oracle)
{
    oracle->now++;
    for (uint32_t v = oracle->unsafe_from; v < oracle->write->len; v++) {
        OracleWrite *write = write_of(oracle, v);

        write->ended = MIN(write->ended, oracle->now);
    }
    for (uint64_t lba = 0; lba < oracle->sectors; lba++) {
        OracleSector *at = &oracle->at[lba];

        at->floor = at->safe_floor;
        at->pin = at->pinned = at->busy = 0;
        at->touched = oracle->now;
    }
}
