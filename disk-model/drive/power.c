/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power: what a drive has on its medium when the power goes under it.
 *
 *   . . . N N N N X o o o . . .      of a write on its way: new, torn, old
 *                 ^ the head
 *
 * A torn sector holds the beginning of the new and the end of the old, and
 * its ECC fits neither (guess): it cannot be read until it is written again.
 * Where the head is is worked back from the end of the write, as if that
 * were all on one track: right to within a head switch.
 */
#include <string.h>

#include "disk-model/drive/disk-private.h"
#include "disk-model/drive/smart.h"

#define TORN_AT (DISK_SECTOR_BYTES / 2)         /* guess: in the middle */

/* Held in RAM it can be read, and is. */
bool power_is_torn(Disk *disk, DiskSpan span, uint64_t *at)
{
    for (unsigned i = 0; flaw_in(disk, span, &i); i++) {
        const DiskFlaw *flaw = &disk->flaw[i];

        if (flaw->torn &&
            !(disk->preset->buffer.there &&
              held_covers(&disk->cached.held,
                          (DiskSpan) { flaw->sector, 1 }))) {
            *at = flaw->sector;
            return true;
        }
    }
    return false;
}

void power_mend(Disk *disk, DiskSpan span)
{
    unsigned i = 0;

    while (flaw_in(disk, span, &i)) {
        DiskFlaw *flaw = &disk->flaw[i];

        disk->torn -= flaw->torn;
        if (flaw->torn && flaw->pending) {      /* the ECC is new */
            flaw->pending = false;
            disk->pending--;
            smart_count(ata_smart(disk->ata), SMART_PENDING, -1);
        }
        flaw->torn = false;
        flaw_drop_if_none(disk, &i);
    }
}

static void tear(Disk *disk, uint64_t sector, const uint8_t *data)
{
    DiskMedia *media = disk->media;
    uint8_t old[DISK_SECTOR_BYTES];
    DiskFlaw *flaw = flaw_at(disk, sector);

    if (flaw && !flaw->torn) {
        flaw->torn = true;
        disk->torn++;
    }
    if (!media->ops->forgets && !media->ops->read(media, sector, 1, old)) {
        memcpy(old, data, TORN_AT);
        media->ops->write(media, sector, 1, old);
    }
}

uint32_t power_passed(const Disk *disk, DiskSpan span, SimTime end,
                      bool *under)
{
    const DiskGeometry *geometry = &disk->preset->geometry;
    unsigned zone = disk_geometry_place(geometry, span.sector).zone;
    SimTime each = disk->preset->turn_ns /
                   (SimTime)geometry->zone[zone].sectors_per_track;
    SimTime left = MAX(end - sim_now(disk->sim), 0);
    uint64_t to_come = (uint64_t)((left + each - 1) / each);

    *under = to_come && to_come <= span.count;
    return span.count - (uint32_t)MIN(to_come, span.count);
}

void power_half_write(Disk *disk, DiskSpan span, const uint8_t *data,
                      uint32_t passed, bool under)
{
    if (passed) {
        disk_media_write(disk, (DiskSpan) { span.sector, passed }, data);
    }
    if (under) {
        tear(disk, span.sector + passed,
             data ? data + (size_t)passed * DISK_SECTOR_BYTES : NULL);
    }
}

/* The op in front, if the arm is what it waits for. */
static void cut_in_service(Disk *disk)
{
    DiskOp *op = disk->busy ? disk->queue.head->data : NULL;
    bool buffer = disk->preset->buffer.there, under;
    SimTime end;
    uint32_t passed;

    if (!op || op->verb != DISK_WRITE || !sim_pending(&disk->end) ||
        !disk_span_is_on(disk, op->span) ||
        (buffer && !disk->cached.arm_in_use)) {
        return;
    }
    end = op->asked + op->time.queue_ns + op->time.overhead_ns +
          op->time.seek_ns + op->time.rotate_ns + op->time.transfer_ns -
          (buffer ? disk->preset->buffer.write_end_ns : 0);
    passed = power_passed(disk, op->span, end, &under);
    power_half_write(disk, op->span, op->buf, passed, under);
}

uint64_t disk_power_cut(Disk *disk)
{
    uint64_t lost = 0;

    cut_in_service(disk);
    if (disk->preset->buffer.there) {
        lost = cached_power_cut(disk);
    }
    ata_power_cut(disk->ata);
    return lost;
}

void disk_on_lost(Disk *disk, void (*lost)(void *opaque, DiskSpan span),
                  void *opaque)
{
    disk->lost = lost;
    disk->lost_opaque = opaque;
}
