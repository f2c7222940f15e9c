/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flaw: sectors that cost more than others, and what a walk over them takes.
 *
 * A drive without flaws asks nothing more than whether it has any.
 */
#include "disk-model/drive/disk-private.h"

static uint64_t end_of(DiskSpan span)
{
    return span.sector + span.count;
}

/* The first that is not before `sector`: rising. */
static unsigned flaw_from(const Disk *disk, uint64_t sector)
{
    unsigned i = 0;

    while (i < disk->flaws && disk->flaw[i].sector < sector) {
        i++;
    }
    return i;
}

DiskFlaw *flaw_at(Disk *disk, uint64_t sector)
{
    unsigned at = flaw_from(disk, sector);

    g_assert(sector < disk_sectors(disk));
    if (at < disk->flaws && disk->flaw[at].sector == sector) {
        return &disk->flaw[at];
    }
    if (disk->flaws == DISK_FLAWS_MAX) {
        return NULL;
    }
    for (unsigned i = disk->flaws++; i > at; i--) {
        disk->flaw[i] = disk->flaw[i - 1];
    }
    disk->flaw[at] = (DiskFlaw) { .sector = sector };
    return &disk->flaw[at];
}

DiskFlaw *flaw_in(Disk *disk, DiskSpan span, unsigned *index)
{
    for (; *index < disk->flaws; ++*index) {
        DiskFlaw *flaw = &disk->flaw[*index];

        if (flaw->sector >= span.sector &&
            flaw->sector - span.sector < span.count) {
            return flaw;
        }
    }
    return NULL;
}

void flaw_drop_if_none(Disk *disk, unsigned *index)
{
    const DiskFlaw *flaw = &disk->flaw[*index];

    if (flaw->moved || flaw->turns || flaw->torn || flaw->pending) {
        ++*index;
        return;
    }
    disk->flaws--;
    for (unsigned i = *index; i < disk->flaws; i++) {
        disk->flaw[i] = disk->flaw[i + 1];
    }
}

bool disk_add_defect(Disk *disk, uint64_t sector)
{
    DiskFlaw *flaw = flaw_at(disk, sector);

    if (flaw) {
        flaw->moved = true;
    }
    return flaw;
}

bool disk_set_retries(Disk *disk, uint64_t sector, unsigned turns)
{
    DiskFlaw *flaw = flaw_at(disk, sector);

    if (flaw) {
        flaw->turns = turns;
    }
    return flaw;
}

uint64_t flaw_before(const Disk *disk, DiskSpan span)
{
    unsigned i = flaw_from(disk, span.sector);

    return i < disk->flaws ? MIN(disk->flaw[i].sector, end_of(span))
                           : end_of(span);
}

/* Beside the last addressed sector of the zone, where its spares begin. */
static uint64_t spare_of(const Disk *disk, uint64_t sector)
{
    const DiskGeometry *geometry = &disk->preset->geometry;
    unsigned index = disk_geometry_place(geometry, sector).zone;
    const DiskZone *zone = &geometry->zone[index];

    return zone->first_lba + zone->lbas - 1;
}

/* One that is flawed: from its spare, or again and again. */
static void walk_flaw(const Disk *disk, const DiskFlaw *flaw, MechWalk *walk)
{
    walk->left = (DiskSpan) {
        flaw->moved ? spare_of(disk, flaw->sector) : flaw->sector, 1
    };
    walk->going = walk->going && !flaw->moved;
    if (!walk->write) {         /* what fails first comes round again */
        walk->now += flaw->turns * disk->preset->turn_ns;
    }
    mech_walk(disk->preset, walk);
    walk->going = walk->rest.going = !flaw->moved;
}

static void walk_over_flaws(const Disk *disk, MechWalk *walk)
{
    DiskSpan rest = walk->left;
    SimTime seek = -1, rotate = 0;
    bool once = walk->once;

    while (rest.count) {
        unsigned next = flaw_from(disk, rest.sector);
        uint32_t clean = flaw_before(disk, rest) - rest.sector;
        uint32_t done = 1;

        if (clean) {
            walk->left = (DiskSpan) { rest.sector, clean };
            mech_walk(disk->preset, walk);
            done = clean - walk->left.count;
            walk->going = true;
        } else {
            walk_flaw(disk, &disk->flaw[next], walk);
        }
        if (seek < 0) {
            seek = walk->seek_ns;
            rotate = walk->rotate_ns;
        }
        rest.sector += done;
        rest.count -= done;
        if (once) {
            break;
        }
    }
    walk->left = rest;
    walk->seek_ns = seek;
    walk->rotate_ns = rotate;
}

void disk_walk(const Disk *disk, MechWalk *walk)
{
    if (disk->flaws) {
        walk_over_flaws(disk, walk);
    } else {
        mech_walk(disk->preset, walk);
    }
}
