/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where Linux md puts a sector: one case per level, in md's own words.
 */
#include "tests/lib/md-layout.h"

static MdPlace striped(const MdArray *md, uint64_t lba)
{
    uint64_t chunk = lba / md->chunk_sectors;

    return (MdPlace) {
        .device = (unsigned)(chunk % md->devices),
        .sector = chunk / md->devices * md->chunk_sectors +
                  lba % md->chunk_sectors,
    };
}

static MdPlace raid5_ra(const MdArray *md, uint64_t lba)
{
    unsigned data_disks = md->devices - 1;
    uint64_t chunk = lba / md->chunk_sectors;
    uint64_t stripe = chunk / data_disks;
    unsigned pd_idx = (unsigned)(stripe % md->devices);
    unsigned dd_idx = (unsigned)(chunk % data_disks);

    if (dd_idx >= pd_idx) {
        dd_idx++;
    }
    return (MdPlace) {
        .device = dd_idx, .twin = pd_idx,
        .sector = stripe * md->chunk_sectors + lba % md->chunk_sectors,
    };
}

static MdPlace raid10_near2(const MdArray *md, uint64_t lba)
{
    uint64_t copies = lba / md->chunk_sectors * 2;

    return (MdPlace) {
        .device = (unsigned)(copies % md->devices),
        .twin = (unsigned)((copies + 1) % md->devices),
        .sector = copies / md->devices * md->chunk_sectors +
                  lba % md->chunk_sectors,
    };
}

MdPlace md_place(const MdArray *md, uint64_t lba)
{
    switch (md->level) {
    case 0:
        return striped(md, lba);
    case 5:
        return raid5_ra(md, lba);
    case 10:
        return raid10_near2(md, lba);
    default:
        return (MdPlace) { .sector = lba, .twin = md->level == 1 };
    }
}
