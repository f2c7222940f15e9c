/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Direct bus: memory, drives and a clock around a RaidHost.
 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/guest/guest-bus-direct.h"

#define MEMORY_BYTES (16u << 20)
#define HOLE 0x50000000u
#define REGISTERS 0xe0000000u
#define DRIVES_MAX 16

/* A medium that counts, and breaks when told to. */
typedef struct CountedMedia {
    DiskMedia media;
    DiskMedia *inner;
    uint64_t written;
    bool broken;
} CountedMedia;

typedef struct Allowed {
    unsigned token;
    uint64_t addr;
    size_t len;
} Allowed;

typedef struct Direct {
    GuestBus bus;
    Sim *sim;
    DiskPreset *preset;
    CountedMedia media[DRIVES_MAX];
    Disk *disk[DRIVES_MAX];
    unsigned drives;
    RaidController *ctl;
    RaidHost *host;
    bool irq;
    bool pci_abort;
    uint64_t dma_written;
    uint8_t *memory;
    GArray *allowed;
    GArray *trace;
} Direct;

/* --- media -------------------------------------------------------------- */

static int counted_read(DiskMedia *media, uint64_t sector, uint32_t count,
                        void *buf)
{
    CountedMedia *m = (CountedMedia *)media;

    return m->broken ? -EIO : m->inner->ops->read(m->inner, sector, count,
                                                  buf);
}

/* A member's own block is nobody's data. */
static bool is_block(const DiskMedia *media, uint64_t sector, uint32_t count)
{
    return count == 2 && (sector == 8 || sector == media->sectors - 1016);
}

static int counted_write(DiskMedia *media, uint64_t sector, uint32_t count,
                         const void *buf)
{
    CountedMedia *m = (CountedMedia *)media;

    m->written += is_block(media, sector, count) ? 0 : (uint64_t)count * 512;
    return m->broken ? -EIO : m->inner->ops->write(m->inner, sector, count,
                                                   buf);
}

static int counted_flush(DiskMedia *media)
{
    CountedMedia *m = (CountedMedia *)media;

    return m->broken ? -EIO : m->inner->ops->flush(m->inner);
}

static const DiskMediaOps counted_ops = {
    .read = counted_read, .write = counted_write, .flush = counted_flush,
};

/* --- the card's side ---------------------------------------------------- */

static bool in_memory(uint64_t addr, size_t len)
{
    return addr < MEMORY_BYTES && len <= MEMORY_BYTES - addr;
}

static bool at_registers(uint64_t addr, size_t len)
{
    return addr >= REGISTERS && addr < REGISTERS + RAID_HOST_WINDOW_BYTES &&
           len;
}

/* The card drives 32 address bits; more would reach other memory. */
static void expect_below_4g(uint64_t addr, size_t len)
{
    ck_assert_msg(addr + len <= (uint64_t)1 << 32, "DMA above 4 GiB");
}

static bool dma_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
    Direct *d = opaque;

    expect_below_4g(addr, len);
    if (at_registers(addr, len)) {
        uint32_t value = raid_host_read(d->host, addr - REGISTERS, 4);

        memset(buf, 0, len);
        memcpy(buf, &value, MIN(len, 4));
        return true;
    }
    if (!in_memory(addr, len)) {
        return false;
    }
    memcpy(buf, d->memory + addr, len);
    return true;
}

static bool is_allowed(const Direct *d, uint64_t addr, size_t len)
{
    unsigned i;

    for (i = 0; i < d->allowed->len; i++) {
        const Allowed *a = &g_array_index(d->allowed, Allowed, i);

        if (addr >= a->addr && addr + len <= a->addr + a->len) {
            return true;
        }
    }
    return false;
}

static bool dma_write(void *opaque, uint64_t addr, const void *buf,
                      size_t len)
{
    Direct *d = opaque;

    expect_below_4g(addr, len);
    if (addr == DIRECT_BRIDGE) {
        raid_host_bus_reset(d->host);
        return true;
    }
    if (at_registers(addr, len)) {
        uint32_t value = 0;

        memcpy(&value, buf, MIN(len, 4));
        raid_host_write(d->host, addr - REGISTERS, value, 4);
        return true;
    }
    if (!in_memory(addr, len)) {
        return false;
    }
    ck_assert_msg(is_allowed(d, addr, len),
                  "stray DMA: %zu bytes to %#" G_GINT64_MODIFIER "x", len,
                  addr);
    memcpy(d->memory + addr, buf, len);
    d->dma_written += len;
    return true;
}

static void set_irq(void *opaque, bool level)
{
    Direct *d = opaque;

    ck_assert(level != d->irq);
    d->irq = level;
}

static void pci_abort(void *opaque)
{
    Direct *d = opaque;

    d->pci_abort = true;
}

static const HostPort host_port = {
    .dma_read = dma_read, .dma_write = dma_write, .set_irq = set_irq,
    .pci_abort = pci_abort,
};

static void keep_record(void *opaque, const SimTraceRecord *record)
{
    Direct *d = opaque;

    g_array_append_val(d->trace, *record);
}

/* --- the driver's side -------------------------------------------------- */

static uint32_t bus_in(GuestBus *bus, unsigned offset, unsigned size)
{
    return raid_host_read(((Direct *)bus)->host, offset, size);
}

static void bus_out(GuestBus *bus, unsigned offset, uint32_t value,
                    unsigned size)
{
    raid_host_write(((Direct *)bus)->host, offset, value, size);
}

static void bus_read(GuestBus *bus, uint64_t addr, void *buf, size_t len)
{
    ck_assert(in_memory(addr, len));
    memcpy(buf, ((Direct *)bus)->memory + addr, len);
}

static void bus_write(GuestBus *bus, uint64_t addr, const void *buf,
                      size_t len)
{
    ck_assert(in_memory(addr, len));
    memcpy(((Direct *)bus)->memory + addr, buf, len);
}

static bool bus_irq(GuestBus *bus)
{
    return ((Direct *)bus)->irq;
}

static int64_t bus_now(GuestBus *bus)
{
    return sim_now(((Direct *)bus)->sim);
}

static void bus_run(GuestBus *bus, int64_t ns)
{
    sim_run_until(((Direct *)bus)->sim, bus_now(bus) + ns);
}

static void bus_reset(GuestBus *bus)
{
    raid_host_bus_reset(((Direct *)bus)->host);
}

static void bus_allow(GuestBus *bus, unsigned token, uint64_t addr,
                      size_t len)
{
    Allowed allowed = { token, addr, len };

    g_array_append_val(((Direct *)bus)->allowed, allowed);
}

static void bus_forbid(GuestBus *bus, unsigned token)
{
    GArray *all = ((Direct *)bus)->allowed;
    unsigned i = 0;

    while (i < all->len) {
        if (g_array_index(all, Allowed, i).token == token) {
            g_array_remove_index_fast(all, i);
        } else {
            i++;
        }
    }
}

static const GuestBus bus_template = {
    .in = bus_in, .out = bus_out, .read = bus_read, .write = bus_write,
    .irq = bus_irq, .now = bus_now, .run = bus_run, .reset = bus_reset,
    .allow = bus_allow, .forbid = bus_forbid,
    .memory_bytes = MEMORY_BYTES, .hole = HOLE, .registers = REGISTERS,
};

/* --- life --------------------------------------------------------------- */

static void plug_drives(Direct *d, const char *drive, unsigned drives)
{
    GError *error = NULL;
    unsigned i;

    ck_assert_uint_le(drives, DRIVES_MAX);
    d->drives = drives;
    d->preset = disk_preset_load(drive, &error);
    ck_assert_msg(!error, "%s", error ? error->message : "");
    for (i = 0; i < drives; i++) {
        g_autofree char *serial = g_strdup_printf("TEST-%u", i);
        CountedMedia *m = &d->media[i];

        m->inner = disk_media_memory_new(d->preset->geometry.lbas);
        m->media = (DiskMedia) { &counted_ops, m->inner->sectors };
        d->disk[i] = disk_new(d->sim, d->preset, &m->media, serial,
                              i * 0x12345678u);
        raid_controller_plug(d->ctl, i, d->disk[i]);
    }
}

static void create_units(Direct *d, const char *units)
{
    GError *error = NULL;
    GArray *specs;
    unsigned i;

    if (!units) {
        return;
    }
    specs = raid_spec_parse(units, &error);
    ck_assert_msg(specs, "%s", error ? error->message : "");
    for (i = 0; i < specs->len; i++) {
        bool made = raid_controller_create(d->ctl,
                                           &g_array_index(specs, RaidSpec, i),
                                           &error);

        ck_assert_msg(made, "%s", error ? error->message : "");
    }
    g_array_unref(specs);
}

GuestBus *guest_bus_direct_new(const char *board, const char *units,
                               const char *drive, unsigned drives)
{
    const BoardModel *model = board_model_find(board);
    Direct *d = g_new0(Direct, 1);

    ck_assert_ptr_nonnull(model);
    d->bus = bus_template;
    d->bus.ports = model->ports;
    d->bus.pchip = model->pchip_major << 4 | model->pchip_minor;
    d->memory = g_malloc0(MEMORY_BYTES);
    d->allowed = g_array_new(false, false, sizeof(Allowed));
    d->trace = g_array_new(false, false, sizeof(SimTraceRecord));
    d->sim = sim_new(1);
    sim_trace_to(d->sim, keep_record, d);
    d->ctl = raid_controller_new(d->sim, model);
    plug_drives(d, drive, drives);
    create_units(d, units);
    raid_controller_power_on(d->ctl);
    d->host = raid_host_new(d->sim, d->ctl, &host_port, d);
    return &d->bus;
}

void guest_bus_direct_free(GuestBus *bus)
{
    Direct *d = (Direct *)bus;
    unsigned i;

    raid_host_free(d->host);
    raid_controller_free(d->ctl);
    for (i = 0; i < d->drives; i++) {
        disk_free(d->disk[i]);
        disk_media_close(d->media[i].inner);
    }
    disk_preset_free(d->preset);
    sim_free(d->sim);
    g_array_unref(d->allowed);
    g_array_unref(d->trace);
    g_free(d->memory);
    g_free(d);
}

/* --- what only this bus can show ---------------------------------------- */

Sim *direct_sim(GuestBus *bus)
{
    return ((Direct *)bus)->sim;
}

RaidHost *direct_host(GuestBus *bus)
{
    return ((Direct *)bus)->host;
}

RaidController *direct_controller(GuestBus *bus)
{
    return ((Direct *)bus)->ctl;
}

uint64_t direct_media_writes(GuestBus *bus)
{
    Direct *d = (Direct *)bus;
    uint64_t sum = 0;
    unsigned i;

    for (i = 0; i < d->drives; i++) {
        sum += d->media[i].written;
    }
    return sum;
}

void direct_break_drive(GuestBus *bus, unsigned drive)
{
    ((Direct *)bus)->media[drive].broken = true;
}

uint64_t direct_dma_written(GuestBus *bus)
{
    return ((Direct *)bus)->dma_written;
}

bool direct_pci_abort_seen(GuestBus *bus)
{
    return ((Direct *)bus)->pci_abort;
}

unsigned direct_traced(GuestBus *bus, SimTraceKind kind, const char *word)
{
    GArray *trace = ((Direct *)bus)->trace;
    unsigned i, n = 0;

    for (i = 0; i < trace->len; i++) {
        const SimTraceRecord *r = &g_array_index(trace, SimTraceRecord, i);

        n += r->kind == kind &&
             (!word || (r->word && !strcmp(r->word, word)));
    }
    return n;
}

SimTraceRecord direct_last(GuestBus *bus, SimTraceKind kind)
{
    GArray *trace = ((Direct *)bus)->trace;
    unsigned i = trace->len;

    while (i--) {
        if (g_array_index(trace, SimTraceRecord, i).kind == kind) {
            return g_array_index(trace, SimTraceRecord, i);
        }
    }
    ck_abort_msg("nothing of kind %d was traced", kind);
}
