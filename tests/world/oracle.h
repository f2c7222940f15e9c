/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Oracle - what a unit may answer, known from what was asked of it and how
 * that ended, and from nothing else.
 *
 * Every write has a version, 1, 2, 3 ...; 0 is what was there at first.  The
 * sectors it carries say so (oracle_stamp), so a sector read back tells which
 * write it is from.  Time counts the beginnings and ends of ops.  A version
 * is right in a sector unless a write that ended well, or one that was read
 * there, began after that version had ended:
 *
 *   v1  |-----| ok
 *   v2     |------| ok      v1 or v2: they overlapped, either may have won
 *   v3                |---| aborted: v1, v2 or v3, but once read always that
 *   v4                        |---| ok: only v4
 *
 * For a power cut the same is kept a second time, of writes that are safe:
 * on the medium when they ended, or flushed since.
 */
#ifndef TESTS_WORLD_ORACLE_H
#define TESTS_WORLD_ORACLE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct OracleWrite {
    uint64_t lba;
    uint32_t count;
    uint32_t begun, ended;      /* UINT32_MAX while it is under way */
    bool ok, safe;
} OracleWrite;

typedef struct OracleSector {
    uint32_t floor;             /* what ended before is not there any more */
    uint32_t safe_floor;        /* the same after a power cut */
    uint32_t pin, pinned;       /* a version read when nothing was written */
    uint32_t touched;           /* a write last began or ended */
    uint32_t busy;              /* writes under way */
} OracleSector;

typedef struct Oracle {
    uint64_t sectors;
    OracleSector *at;
    GArray *write;              /* of OracleWrite, by version */
    uint32_t now;
    uint32_t unsafe_from;       /* all writes before are safe */
} Oracle;

/* A read as it was asked: what was known then. */
typedef struct OracleRead {
    uint64_t lba;
    uint32_t count, begun;
    OracleSector *then;         /* each sector; the caller's memory */
} OracleRead;

Oracle *oracle_new(uint64_t sectors);
void oracle_free(Oracle *oracle);

/* A sector as version `version` has it at `lba`. */
void oracle_stamp(void *sector, uint64_t lba, uint32_t version);
/* False when it is none of that place. */
bool oracle_version(const void *sector, uint64_t lba, uint32_t *version);

/* The version. */
uint32_t oracle_write_begins(Oracle *oracle, uint64_t lba, uint32_t count);
/* `safe`: it is on the medium. */
void oracle_write_ends(Oracle *oracle, uint32_t version, bool ok, bool safe);
/* A flush begins; when it ended well this is said with what it answered. */
uint32_t oracle_flush_begins(Oracle *oracle);
void oracle_flushed(Oracle *oracle, uint32_t begun);

/* `read` has lba, count and memory for `then`. */
void oracle_read_begins(Oracle *oracle, OracleRead *read);
/*
 * It ended well with `data`.  True, or *wrong is the first sector that is not
 * as it may be and *found its version, UINT32_MAX for none.
 */
bool oracle_read_is_right(Oracle *oracle, const OracleRead *read,
                          const void *data, uint64_t *wrong, uint32_t *found);

/* Of a sector that nobody is writing. */
bool oracle_is_right(const Oracle *oracle, uint64_t lba, uint32_t version);
/* The power went: what is not safe may be lost, or not. */
void oracle_power_cut(Oracle *oracle);
/* Some write on it is not known to be safe, or did not end well. */
bool oracle_is_unsettled(const Oracle *oracle, uint64_t lba);

#endif
