/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ATA rig: shared by test-ata and test-smart.
 */
#include <string.h>

#include "tests/lib/ata-rig.h"
#include "tests/lib/unit.h"

AtaRig rig;

static int count_flush(DiskMedia *media)
{
    (void)media;
    rig.flushes++;
    return rig.media_fails;
}

static int maybe_read(DiskMedia *media, uint64_t sector, uint32_t count,
                      void *buf)
{
    return rig.media_fails ? rig.media_fails
                           : rig.real_ops->read(media, sector, count, buf);
}

void ata_rig_open(const char *preset)
{
    memset(&rig, 0, sizeof(rig));
    rig.sim = sim_new(1);
    rig.preset = unit_preset(preset);
    rig.media = disk_media_memory_new(rig.preset->geometry.lbas);
    rig.real_ops = rig.media->ops;
    rig.ops = *rig.real_ops;
    rig.ops.flush = count_flush;
    rig.ops.read = maybe_read;
    rig.media->ops = &rig.ops;
    rig.disk = disk_new(rig.sim, rig.preset, rig.media, "PL-0001", 0);
    rig.port = disk_port_new(rig.sim, 0, 0);
    disk_port_plug(rig.port, rig.disk);
}

void ata_rig_close(void)
{
    disk_port_pull(rig.port);
    disk_port_free(rig.port);
    disk_free(rig.disk);
    rig.media->ops = rig.real_ops;
    disk_media_close(rig.media);
    disk_preset_free(rig.preset);
    sim_free(rig.sim);
}

static void op_done(DiskOp *op)
{
    ++*(unsigned *)op->opaque;
}

static DiskStatus submit_and_wait(DiskOp *op)
{
    unsigned done = 0;

    op->done = op_done;
    op->opaque = &done;
    disk_port_submit(rig.port, op);
    while (!done && sim_step(rig.sim)) {
        continue;
    }
    unit_holds(done == 1);
    return op->status;
}

DiskStatus ata_send_with(void *data)
{
    DiskOp op = { .verb = DISK_ATA, .ata = &rig.tf, .buf = data };

    return submit_and_wait(&op);
}

DiskStatus ata_send(uint8_t code, uint8_t feature, uint8_t count,
                    uint8_t low)
{
    rig.tf = (AtaTaskFile) {
        .command = code, .feature = { feature }, .count = { count },
        .lba_low = { low }, .device = 0xa0,
    };
    if (code == ATA_SMART) {
        rig.tf.lba_mid[0] = 0x4f;
        rig.tf.lba_high[0] = 0xc2;
    }
    return ata_send_with(ata_data(&rig.tf) == ATA_DATA_NONE ? NULL
                                                           : rig.page);
}

DiskStatus ata_access(DiskVerb verb, uint64_t sector, uint32_t count,
                      SimTime *took)
{
    static uint8_t data[256 * DISK_SECTOR_BYTES];
    DiskOp op = { .verb = verb, .span = { sector, count }, .buf = data };
    SimTime before = sim_now(rig.sim);
    DiskStatus status = submit_and_wait(&op);

    if (took) {
        *took = sim_now(rig.sim) - before;
    }
    return status;
}

void ata_good(DiskStatus status)
{
    ck_assert_int_eq(status, DISK_OK);
    ck_assert_uint_eq(rig.tf.status, 0x50);
    ck_assert_uint_eq(rig.tf.error, 0);
}

void ata_refused(DiskStatus status)
{
    ck_assert_int_eq(status, DISK_REFUSED);
    ck_assert_uint_eq(rig.tf.status, 0x51);
    ck_assert_uint_eq(rig.tf.error, 0x04);
}

unsigned ata_le16(const uint8_t *at)
{
    return at[0] + at[1] * 256u;
}

unsigned ata_word(unsigned n)
{
    return ata_le16(rig.page + 2 * n);
}

void ata_page_sums_to_zero(void)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < sizeof(rig.page); i++) {
        sum += rig.page[i];
    }
    ck_assert_uint_eq(sum, 0);
}
