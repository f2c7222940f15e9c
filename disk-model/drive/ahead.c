/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read-ahead: where it goes, and how far it has got.  No event belongs to
 * it; its state is a place to go on from, and a limit.
 */
#include "disk-model/drive/disk-private.h"

static const DiskBufferPlan *plan_of(const Disk *disk)
{
    return &disk->preset->buffer;
}

static uint64_t end_of(DiskSpan span)
{
    return span.sector + span.count;
}

DiskSpan ahead_track(const Disk *disk, uint64_t sector)
{
    const DiskGeometry *geometry = &disk->preset->geometry;
    DiskPlace at = disk_geometry_place(geometry, sector), other;
    const DiskZone *zone = &geometry->zone[at.zone];
    uint64_t low = sector - MIN(at.sector, sector - zone->first_lba);
    uint64_t high = sector + MIN(zone->sectors_per_track - 1 - at.sector,
                                 zone->first_lba + zone->lbas - 1 - sector);

    for (; low < sector; low++) {
        other = disk_geometry_place(geometry, low);
        if (other.head == at.head && other.cylinder == at.cylinder) {
            break;
        }
    }
    for (; high > sector; high--) {
        other = disk_geometry_place(geometry, high);
        if (other.head == at.head && other.cylinder == at.cylinder) {
            break;
        }
    }
    return (DiskSpan) { low, high + 1 - low };
}

static uint64_t cylinder_end(const Disk *disk, uint64_t sector)
{
    const DiskGeometry *geometry = &disk->preset->geometry;
    uint32_t cylinder = disk_geometry_place(geometry, sector).cylinder;

    for (;;) {
        sector = end_of(ahead_track(disk, sector));
        if (sector >= geometry->lbas ||
            disk_geometry_place(geometry, sector).cylinder != cylinder) {
            return sector;
        }
    }
}

uint64_t ahead_limit(const Disk *disk, DiskSpan span, uint64_t start)
{
    const DiskBufferPlan *plan = plan_of(disk);
    uint64_t lbas = disk->preset->geometry.lbas, end = end_of(span), limit;
    DiskSpan track;

    if (end >= lbas || !ata_look_ahead(disk->ata)) {
        return end;
    }
    switch (plan->ahead) {
    case DISK_AHEAD_TRACK:
    case DISK_AHEAD_WHOLE_TRACK:
        limit = end_of(ahead_track(disk, end - 1));
        break;
    case DISK_AHEAD_CYLINDER:
        limit = cylinder_end(disk, end - 1);
        break;
    case DISK_AHEAD_SEGMENT:
        limit = (plan->ahead_from_start ? span.sector : end) +
                plan->ahead_sectors;
        break;
    case DISK_AHEAD_STREAM:
        track = ahead_track(disk, end);
        limit = end_of(track);
        if (start < track.sector && limit < lbas) {
            limit = end_of(ahead_track(disk, limit));
        }
        break;
    default:
        limit = end;
        break;
    }
    limit = CLAMP(limit, end, lbas);
    return disk->flaws ? flaw_before(disk, (DiskSpan) { end, limit - end })
                       : limit;
}

/* When the arm may leave: the least is read, if there is so much to read. */
SimTime ahead_least(const Disk *disk, MechRest from, DiskSpan span,
                    uint64_t limit)
{
    uint64_t end = end_of(span);
    MechWalk walk;

    if (!plan_of(disk)->ahead_least) {
        return from.now;
    }
    walk = (MechWalk) {
        .arm = from.arm, .now = from.now, .going = from.going,
        .left = { end, MIN(plan_of(disk)->ahead_least, limit - end) },
        .stop = SIM_NEVER,
    };
    mech_walk(disk->preset, &walk);
    return walk.now;
}

void ahead_catch_up(Disk *disk, SimTime when)
{
    CachedStream *stream = &disk->cached.stream;

    if (!stream->segment || when <= stream->rest.now ||
        when == stream->seen) {
        return;
    }
    stream->seen = when;
    if (stream->limit != stream->next) {
        MechWalk walk = {
            .arm = stream->rest.arm, .now = stream->rest.now,
            .going = stream->rest.going, .stop = when,
            .left = { stream->next, stream->limit - stream->next },
        };

        mech_walk(disk->preset, &walk);
        stream->rest = walk.rest;
        stream->next = walk.left.sector;
        disk->arm = walk.arm;
        disk_buffer_grow(&disk->cached.buffer, stream->segment,
                         stream->next);
    }
    if (stream->round && when >= stream->round) {
        stream->segment->start = MIN(stream->segment->start, stream->back);
        disk_buffer_grow(&disk->cached.buffer, stream->segment,
                         stream->segment->end);
        stream->round = 0;
    }
    if (stream->next == stream->limit && !stream->round) {
        stream->segment = NULL;
    }
}

void ahead_stop(Disk *disk, SimTime when)
{
    ahead_catch_up(disk, when);
    disk->cached.stream.segment = NULL;
}

void ahead_start(Disk *disk, BufferSegment *segment, MechRest from,
                         uint64_t limit)
{
    disk->cached.stream = (CachedStream) {
        .segment = limit > segment->end ? segment : NULL,
        .rest = from, .next = segment->end, .limit = limit,
    };
}

void ahead_check(Disk *disk)
{
    CachedStream *stream = &disk->cached.stream;

    if (stream->segment && stream->segment->start == stream->segment->end &&
        disk_buffer_is_dropped(stream->segment)) {
        stream->segment = NULL;
    }
}
