/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cached drive - a small drive with a buffer, for the tests of one.
 *
 * Times are round so that sums can be done by hand.  Included once by each
 * test that wants it; not in tests/lib, where it would be linked into others.
 */
#ifndef TESTS_UNIT_CACHED_DRIVE_H
#define TESTS_UNIT_CACHED_DRIVE_H

#include <string.h>

#include "disk-model/drive/port.h"
#include "tests/lib/unit.h"

#define OPS 64
#define SECTOR_NS SIM_US(10)    /* on the bus */

typedef struct Job {
    DiskOp op;
    bool lent;
    SimTime done_at;
    AtaTaskFile ata;
    uint8_t data[8 * DISK_SECTOR_BYTES];
} Job;

static Sim *sim;
static DiskPreset *preset;
static DiskMedia *media;
static Disk *disk;
static Job job[OPS];

static void job_done(DiskOp *op)
{
    Job *j = op->opaque;

    j->lent = false;
    j->done_at = sim_now(sim);
}

static void open_drive(void)
{
    disk = disk_new(sim, preset, media, "C1", 0x12345678);
}

static G_GNUC_UNUSED void set_up(void)
{
    sim = sim_new(1);
    preset = unit_small_drive(DISK_MAP_CYLINDER);
    preset->buffer = (DiskBufferPlan) {
        .there = true, .segments = 4, .segment_sectors = 64,
        .ahead = DISK_AHEAD_SEGMENT, .ahead_sectors = 32,
        .reads_written = true, .write_cache = true, .write_depth = 3,
        .depth = 1, .bus_read_ns = SECTOR_NS, .bus_write_ns = SECTOR_NS,
        .read_hit = { { SIM_US(100), SIM_US(200) } },
        .read_miss = { { SIM_US(300), SIM_US(400) } },
        .write_hit = { { SIM_US(150), SIM_US(250) } },
        .write_miss = { { SIM_US(350), SIM_US(450) } },
    };
    media = disk_media_memory_new(preset->geometry.lbas);
    memset(job, 0, sizeof(job));
    open_drive();
}

static G_GNUC_UNUSED void tear_down(void)
{
    disk_free(disk);
    disk_media_close(media);
    disk_preset_free(preset);
    sim_free(sim);
}

static Job *submit(unsigned n, DiskVerb verb, uint64_t sector,
                   uint32_t count, uint8_t with)
{
    Job *j = &job[n];

    j->op.verb = verb;
    j->op.span = (DiskSpan) { sector, count };
    j->op.buf = verb == DISK_ATA ? NULL : j->data;
    j->op.ata = verb == DISK_ATA ? &j->ata : NULL;
    j->op.done = job_done;
    j->op.opaque = j;
    j->lent = true;
    memset(j->data, with, sizeof(j->data));
    disk_submit(disk, &j->op);
    return j;
}

/* Until it has ended; returns how long that took. */
static SimTime end_of(Job *j)
{
    while (j->lent) {
        ck_assert(sim_step(sim));
    }
    return j->done_at - j->op.asked;
}

static G_GNUC_UNUSED SimTime do_op(DiskVerb verb, uint64_t sector,
                                   uint32_t count, uint8_t with)
{
    return end_of(submit(0, verb, sector, count, with));
}

static G_GNUC_UNUSED void settle(void)
{
    while (sim_step(sim)) {
        continue;
    }
}

static G_GNUC_UNUSED uint8_t on_media(uint64_t sector)
{
    uint8_t data[DISK_SECTOR_BYTES];

    ck_assert_int_eq(media->ops->read(media, sector, 1, data), 0);
    return data[0];
}

#endif
