/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raid bench - a unit on small drives with memory media, and what the
 * tests know of it without asking: a flat array of its contents, and md's
 * word on which device has which sector.
 */
#ifndef TESTS_LIB_RAID_BENCH_H
#define TESTS_LIB_RAID_BENCH_H

#include "disk-model/drive/port.h"
#include "raid-model/array/unit.h"
#include "tests/lib/md-layout.h"

typedef struct RaidBench {
    Sim *sim;
    RaidShape shape;
    MdArray md;
    DiskPreset *preset;
    DiskMedia *media[RAID_MEMBERS_MAX];
    Disk *disk[RAID_MEMBERS_MAX];       /* NULL: missing from the start */
    DiskPort *port[RAID_MEMBERS_MAX];
    uint32_t lost;                      /* mask: contents are not ours now */
    RaidCard card;                      /* no limits, unless changed */
    RaidUnit *unit;
    RaidUnitListener listener;          /* the unit's, opaque: this bench */
    void *told;                         /* the test's, for those */
    uint64_t capacity;
    uint8_t *flat;                      /* what the unit should hold */
    uint32_t noise;
} RaidBench;

/* `missing`: mask of members that are not there; drives of a few rows. */
RaidBench *raid_bench_new(RaidCode code, unsigned members,
                          uint32_t stripe_sectors, uint32_t missing,
                          uint32_t seed);
/* The same with drives of a given size. */
RaidBench *raid_bench_new_sized(RaidCode code, unsigned members,
                                uint32_t stripe_sectors, uint64_t sectors,
                                uint32_t missing, uint32_t seed);
void raid_bench_free(RaidBench *bench);
/* The small drive, with so many sectors. */
DiskPreset *raid_bench_drive(uint64_t sectors);

uint32_t raid_bench_random(RaidBench *bench, uint32_t bound);
void raid_bench_fill(RaidBench *bench, void *buf, size_t bytes);

/* Puts noise on the unit and in `flat`, rows in agreement, no time spent. */
void raid_bench_format(RaidBench *bench);

/* Pulls a drive under the unit, which is told. */
void raid_bench_pull(RaidBench *bench, unsigned member);

/* Then a blank drive, not the unit's, is plugged in its place. */
void raid_bench_swap(RaidBench *bench, unsigned member);

/* The member's data area as it is on the medium; g_free(). */
uint8_t *raid_bench_member(const RaidBench *bench, unsigned member);

/*
 * Straight from the media: redundancy agrees with data in every row (when
 * all members are there).  Aborts the test otherwise.
 */
void raid_bench_check_rows(const RaidBench *bench);
/* The unit's contents as an outsider would put them together; g_free(). */
uint8_t *raid_bench_contents(const RaidBench *bench);
/* All of it: rows agree and contents are those of `flat`. */
void raid_bench_check(const RaidBench *bench);

#endif
