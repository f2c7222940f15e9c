/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Card bench: the media, the power switch.
 */
#include "tests/lib/card-bench.h"

#include <string.h>

#include "tests/lib/unit.h"

#define SECTOR DISK_SECTOR_BYTES

/* --- media that may stop writing ----------------------------------------- */

static int cut_read(DiskMedia *media, uint64_t sector, uint32_t count,
                    void *buf)
{
    CardMedia *m = (CardMedia *)media;

    return m->inner->ops->read(m->inner, sector, count, buf);
}

static int cut_write(DiskMedia *media, uint64_t sector, uint32_t count,
                     const void *buf)
{
    CardMedia *m = (CardMedia *)media;
    uint32_t fit = (uint32_t)MIN(count, m->bench->sectors_left);

    m->bench->sectors_left -= fit;
    m->bench->dark |= fit < count;
    for (uint32_t i = 0; i < fit; i++) {
        m->bench->data_written += sector + i >= RAID_DATA_OFFSET_SECTORS &&
            sector + i < media->sectors - RAID_DATA_OFFSET_SECTORS;
    }
    return fit ? m->inner->ops->write(m->inner, sector, fit, buf) : 0;
}

static int cut_flush(DiskMedia *media)
{
    return media ? 0 : -1;
}

static const DiskMediaOps cut_ops = {
    .read = cut_read, .write = cut_write, .flush = cut_flush,
};

CardBench *card_bench_new(uint32_t drives)
{
    CardBench *bench = g_new0(CardBench, 1);

    bench->preset = unit_small_drive(DISK_MAP_CYLINDER);
    bench->smaller = unit_small_drive(DISK_MAP_CYLINDER);
    bench->smaller->geometry.lbas -= 1;
    bench->board = "3ware-8506-8";
    bench->seed = 1;
    bench->sectors_left = UINT64_MAX;
    for (unsigned i = 0; i < CARD_PORTS; i++) {
        CardMedia *m = &bench->medium[i];

        m->bench = bench;
        m->inner = disk_media_memory_new(bench->preset->geometry.lbas);
        m->media = (DiskMedia) { &cut_ops, m->inner->sectors };
        bench->order[i] = drives >> i & 1 ? (int)i : -1;
        bench->model[i] = bench->preset;
    }
    return bench;
}

void card_bench_free(CardBench *bench)
{
    card_bench_cut(bench);
    for (unsigned i = 0; i < CARD_PORTS; i++) {
        disk_media_close(bench->medium[i].inner);
    }
    disk_preset_free(bench->preset);
    disk_preset_free(bench->smaller);
    g_free(bench);
}

/* --- power --------------------------------------------------------------- */

void card_bench_plug(CardBench *bench)
{
    g_assert(!bench->ctl);
    bench->sim = sim_new(bench->seed++);
    bench->ctl = raid_controller_new(bench->sim,
                                     board_model_find(bench->board));
    bench->data_written = 0;
    bench->dark = false;
    for (unsigned port = 0; port < CARD_PORTS; port++) {
        int i = bench->order[port];
        g_autofree char *serial = g_strdup_printf("SERIAL-%d", i);

        if (i >= 0) {
            bench->disk[i] = disk_new(bench->sim, bench->model[i],
                                      &bench->medium[i].media, serial, 0);
            raid_controller_plug(bench->ctl, port, bench->disk[i]);
        }
    }
}

static bool state(CardBench *bench, const char *units, GError **error)
{
    g_autoptr(GArray) specs = raid_spec_parse(units, error);

    for (guint i = 0; specs && i < specs->len; i++) {
        if (!raid_controller_create(bench->ctl,
                                    &g_array_index(specs, RaidSpec, i),
                                    error)) {
            return false;
        }
    }
    return specs != NULL;
}

bool card_bench_boot(CardBench *bench, const char *units, char **why)
{
    GError *error = NULL;

    card_bench_plug(bench);
    if (units && !state(bench, units, &error)) {
        if (why) {
            *why = g_strdup(error->message);
        }
        g_error_free(error);
        card_bench_cut(bench);
        return false;
    }
    raid_controller_power_on(bench->ctl);
    return true;
}

void card_bench_must_boot(CardBench *bench, const char *units)
{
    char *why = NULL;

    ck_assert_msg(card_bench_boot(bench, units, &why), "%s: %s", units, why);
}

/* What ends in the reset, and what drives still hold, writes nothing. */
void card_bench_cut(CardBench *bench)
{
    uint64_t left = bench->sectors_left;

    if (!bench->ctl) {
        return;
    }
    bench->sectors_left = 0;
    raid_controller_reset(bench->ctl);
    raid_controller_free(bench->ctl);
    bench->ctl = NULL;
    for (unsigned i = 0; i < CARD_PORTS; i++) {
        if (bench->disk[i]) {
            disk_free(bench->disk[i]);
        }
        bench->disk[i] = NULL;
    }
    sim_free(bench->sim);
    bench->sim = NULL;
    bench->sectors_left = left;
}

static void shut(void *opaque)
{
    *(bool *)opaque = true;
}

void card_bench_shut(CardBench *bench)
{
    bool done = false;

    raid_controller_shutdown(bench->ctl, shut, &done);
    while (!done && sim_step(bench->sim)) {
    }
    ck_assert(done);
    card_bench_cut(bench);
}

void card_bench_drain(CardBench *bench)
{
    while (sim_step(bench->sim)) {
    }
}

static void io_done(UnitOp *op)
{
    *(bool *)op->opaque = true;
}

UnitStatus card_bench_io(CardBench *bench, unsigned unit, UnitVerb verb,
                         uint64_t lba, void *buf, uint32_t count)
{
    bool done = false;
    UnitOp op = {
        .verb = verb, .lba = lba, .buf = buf, .count = count,
        .done = io_done, .opaque = &done,
    };

    raid_controller_submit(bench->ctl, unit, &op);
    while (!done) {
        ck_assert(sim_step(bench->sim));
    }
    return op.status;
}

/* --- the media themselves ------------------------------------------------ */

void card_bench_peek(CardBench *bench, unsigned drive, uint64_t sector,
                     void *buf, uint32_t count)
{
    DiskMedia *media = bench->medium[drive].inner;

    media->ops->read(media, sector, count, buf);
}

void card_bench_poke(CardBench *bench, unsigned drive, uint64_t sector,
                     const void *buf, uint32_t count)
{
    DiskMedia *media = bench->medium[drive].inner;

    media->ops->write(media, sector, count, buf);
}

uint64_t card_bench_hash(CardBench *bench, bool data_only)
{
    uint64_t hash = 0xcbf29ce484222325, sectors = bench->preset->geometry.lbas;
    uint64_t from = data_only ? RAID_DATA_OFFSET_SECTORS : 0;
    uint8_t buf[SECTOR];

    for (unsigned i = 0; i < CARD_PORTS; i++) {
        for (uint64_t at = from; at < sectors - from; at++) {
            card_bench_peek(bench, i, at, buf, 1);
            for (unsigned byte = 0; byte < SECTOR; byte++) {
                hash = (hash ^ buf[byte]) * 0x100000001b3;
            }
        }
    }
    return hash;
}

/* docs/on-disk-format.md */
uint64_t card_bench_copy_at(const CardBench *bench, unsigned copy)
{
    return copy ? bench->preset->geometry.lbas - 1016 : 8;
}
