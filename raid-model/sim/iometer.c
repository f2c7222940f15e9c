/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOMeter: patterns as data, and the draws.
 *
 * The patterns are those StorageReview, X-bit labs and others used in 2000
 * to 2004.  File and web server: Intel's mixes, as Tom's Hardware prints
 * them.  Workstation and database: 8 KiB; 80/20 reads with 80 % random, and
 * 67/33 all random.  The sizes of random_write (8 KiB) and sequential_write
 * (64 KiB) were never published: inferred.  xbit_workstation: X-bit labs'
 * own, after disk accesses of applications on NTFS; its lines are recalled
 * from their reviews of drives (they make 100 %, and as the reviews say, it
 * writes much in small requests).
 */
#include <inttypes.h>
#include <string.h>

#include "raid-model/sim/iometer.h"
#include "raid-model/sim/number.h"

#define KIB 1024u
#define BYTES_MAX (65535u * DISK_SECTOR_BYTES)

typedef struct Share {
    uint32_t bytes;
    uint8_t percent, reads, random;
} Share;

typedef struct Pattern {
    const char *name;
    const Share *shares;        /* NULL: one size */
    Share one;
    bool mixed;                 /* :NUMBER is writes, not bytes */
} Pattern;

static const Share file_server[] = {
    { 512, 10, 80, 100 }, { KIB, 5, 80, 100 }, { 2 * KIB, 5, 80, 100 },
    { 4 * KIB, 60, 80, 100 }, { 8 * KIB, 2, 80, 100 },
    { 16 * KIB, 4, 80, 100 }, { 32 * KIB, 4, 80, 100 },
    { 64 * KIB, 10, 80, 100 }, { 0, 0, 0, 0 }
};

static const Share web_server[] = {
    { 512, 22, 100, 100 }, { KIB, 15, 100, 100 }, { 2 * KIB, 8, 100, 100 },
    { 4 * KIB, 23, 100, 100 }, { 8 * KIB, 15, 100, 100 },
    { 16 * KIB, 2, 100, 100 }, { 32 * KIB, 6, 100, 100 },
    { 64 * KIB, 7, 100, 100 }, { 128 * KIB, 1, 100, 100 },
    { 512 * KIB, 1, 100, 100 }, { 0, 0, 0, 0 }
};

static const Share xbit_workstation[] = {
    { 512, 1, 0, 100 }, { KIB, 2, 0, 100 }, { 2 * KIB, 1, 0, 100 },
    { 4 * KIB, 50, 60, 80 }, { 8 * KIB, 4, 50, 100 },
    { 16 * KIB, 6, 50, 100 }, { 20 * KIB, 2, 50, 100 },
    { 24 * KIB, 2, 50, 100 }, { 28 * KIB, 1, 50, 100 },
    { 32 * KIB, 13, 70, 70 }, { 48 * KIB, 1, 50, 100 },
    { 52 * KIB, 1, 50, 100 }, { 64 * KIB, 14, 80, 60 },
    { 64 * KIB + 512, 2, 50, 100 }, { 0, 0, 0, 0 }
};

#define ONE(kib, reads, random) NULL, { (kib) * KIB, 100, reads, random }
#define MIX(shares) shares, { 0, 0, 0, 0 }

static const Pattern pattern[] = {
    { "file_server", MIX(file_server), true },
    { "web_server", MIX(web_server), true },
    { "workstation", ONE(8, 80, 80), true },
    { "workstation_100pct_read", ONE(8, 100, 80), true },
    { "xbit_workstation", MIX(xbit_workstation), true },
    { "database", ONE(8, 67, 100), true },
    { "database_8k", ONE(8, 67, 100), true },
    { "default", ONE(2, 67, 100), true },
    { "random_read", ONE(8, 100, 100), false },
    { "random_write", ONE(8, 0, 100), false },
    { "sequential_read", ONE(64, 100, 0), false },
    { "sequential_write", ONE(64, 0, 0), false },
};

static bool check_bytes(uint64_t bytes, const char *what, GError **error)
{
    if (!bytes || bytes % DISK_SECTOR_BYTES || bytes > BYTES_MAX) {
        return number_error(error, "%s: a size of %" PRIu64 " bytes; a "
                            "multiple of 512 from 512 to %u would be right",
                            what, bytes, BYTES_MAX);
    }
    return true;
}

/* `writes`: of all lines, in percent; less than 0: as each line says. */
static void add_line(IometerSpec *spec, Share share, int writes)
{
    spec->line[spec->lines++] = (IometerLine) {
        .bytes = share.bytes, .share = share.percent,
        .reads = writes < 0 ? share.reads : 100 - writes,
        .random = share.random, .burst = 1,
        .align_bytes = DISK_SECTOR_BYTES,
    };
}

bool iometer_spec_named(IometerSpec *spec, const char *words, GError **error)
{
    size_t len = strcspn(words, ":");
    const char *colon = words + len;
    const Pattern *found = NULL;
    uint64_t number;
    int writes = -1;
    Share one;

    for (unsigned i = 0; i < G_N_ELEMENTS(pattern); i++) {
        if (strlen(pattern[i].name) == len &&
            !strncmp(pattern[i].name, words, len)) {
            found = &pattern[i];
        }
    }
    if (!found) {
        return number_error(error, "%s: no such pattern; there are "
                            IOMETER_PATTERNS, words);
    }
    one = found->one;
    if (*colon && !number_bytes(words, colon + 1, &number, error)) {
        return false;
    }
    if (*colon && found->mixed) {
        if (number > 100) {
            return number_error(error, "%s: a pattern's percentage of writes "
                                "is from 0 to 100", words);
        }
        writes = number;
    } else if (*colon) {
        if (!check_bytes(number, words, error)) {
            return false;
        }
        one.bytes = number;
    }
    *spec = (IometerSpec) { 0 };
    for (const Share *share = found->shares; share && share->bytes; share++) {
        add_line(spec, *share, writes);
    }
    if (!found->shares) {
        add_line(spec, one, writes);
    }
    return true;
}

bool iometer_spec_add(IometerSpec *spec, const char *text, GError **error)
{
    static const struct {
        const char *name;
        guint64 min, max;
    } field[] = {
        { "size", 1, BYTES_MAX }, { "% of size", 0, 100 },
        { "% reads", 0, 100 }, { "% random", 0, 100 },
        { "delay", 0, 1000000 }, { "burst", 1, 1000000 },
        { "align", 0, BYTES_MAX }, { "reply", 0, 0 },
    };
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    guint64 value[G_N_ELEMENTS(field)];

    if (g_strv_length(words) != G_N_ELEMENTS(field)) {
        return number_error(error, "--icf %s: eight numbers would be right: "
                            "size,%%size,%%read,%%random,delay,burst,align,"
                            "reply", text);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(field); i++) {
        if (!g_ascii_string_to_unsigned(g_strstrip(words[i]), 10,
                                        field[i].min, field[i].max, &value[i],
                                        NULL)) {
            return number_error(error, "--icf %s: %s is '%s'; %" PRIu64
                                " to %" PRIu64 " would be right", text,
                                field[i].name, words[i], field[i].min,
                                field[i].max);
        }
    }
    if (!check_bytes(value[0], text, error) ||
        (value[6] && !check_bytes(value[6], text, error))) {
        return false;
    }
    if (spec->lines == IOMETER_LINES_MAX) {
        return number_error(error, "--icf: more than %d lines",
                            IOMETER_LINES_MAX);
    }
    spec->line[spec->lines++] = (IometerLine) {
        .bytes = value[0], .share = value[1], .reads = value[2],
        .random = value[3], .delay_ms = value[4], .burst = value[5],
        .align_bytes = MAX(value[6], DISK_SECTOR_BYTES),
    };
    return true;
}

bool iometer_spec_check(const IometerSpec *spec, GError **error)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < spec->lines; i++) {
        sum += spec->line[i].share;
    }
    return sum == 100 ||
           number_error(error, "--icf: the lines' shares of sizes make %u; "
                        "100 would be right", sum);
}

bool iometer_spec_sequential(const IometerSpec *spec)
{
    for (unsigned i = 0; i < spec->lines; i++) {
        if (spec->line[i].random) {
            return false;
        }
    }
    return true;
}

double iometer_spec_write_share(const IometerSpec *spec)
{
    double sum = 0;

    for (unsigned i = 0; i < spec->lines; i++) {
        sum += spec->line[i].share * (100.0 - spec->line[i].reads);
    }
    return sum / 10000;
}

double iometer_spec_written(const IometerSpec *spec)
{
    double sum = 0;

    for (unsigned i = 0; i < spec->lines; i++) {
        sum += spec->line[i].share * (100.0 - spec->line[i].reads) *
               spec->line[i].bytes;
    }
    return sum / 10000;
}

uint32_t iometer_spec_bytes_max(const IometerSpec *spec)
{
    uint32_t bytes = 0;

    for (unsigned i = 0; i < spec->lines; i++) {
        bytes = MAX(bytes, spec->line[i].bytes);
    }
    return bytes;
}

void iometer_init(Iometer *gen, const IometerSpec *spec, uint64_t bytes,
                  uint64_t seed)
{
    unsigned draw = 0;

    g_assert(bytes >= iometer_spec_bytes_max(spec));
    *gen = (Iometer) { .spec = spec, .bytes = bytes, .chance = sim_new(seed) };
    for (unsigned i = 0; i < spec->lines; i++) {
        for (unsigned n = spec->line[i].share; n; n--) {
            gen->line[draw++] = i;
        }
    }
    g_assert(draw == G_N_ELEMENTS(gen->line));
}

void iometer_clear(Iometer *gen)
{
    sim_free(gen->chance);
    gen->chance = NULL;
}

const IometerLine *iometer_next(Iometer *gen, UnitOp *op)
{
    const IometerLine *line =
        &gen->spec->line[gen->line[sim_random(gen->chance, 100)]];
    bool read = sim_random(gen->chance, 100) < line->reads;
    bool random = sim_random(gen->chance, 100) < line->random;
    uint64_t at = random ? sim_random(gen->chance, gen->bytes) : gen->next;

    at = (at + line->align_bytes - 1) / line->align_bytes * line->align_bytes;
    if (at + line->bytes > gen->bytes) {
        at = 0;
    }
    gen->next = at + line->bytes;
    op->verb = read ? UNIT_READ : UNIT_WRITE;
    op->lba = at / DISK_SECTOR_BYTES;
    op->count = line->bytes / DISK_SECTOR_BYTES;
    return line;
}
