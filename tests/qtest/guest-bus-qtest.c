/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Qtest bus: accesses become lines of QEMU's test protocol.  The pin is
 * read where a driver could read it, in PCI STATUS.
 */
#include <check.h>

#include "tests/qtest/guest-bus-qtest.h"

#define HOLE 0x50000000u
#define PCI_STATUS 0x06
#define PCI_STATUS_INTERRUPT 0x08

typedef struct QtestBus {
    GuestBus bus;
    Rig *rig;
    unsigned card;
} QtestBus;

/* What a board says of itself, from the interface's reference. */
typedef struct Board {
    const char *name;
    uint8_t ports, pchip;
} Board;

static const Board boards[] = {
    { "3ware-6400", 4, 0x57 },   { "3ware-6800", 8, 0x57 },
    { "3ware-7410", 4, 0x13 },   { "3ware-7810", 8, 0x13 },
    { "3ware-7500-4", 4, 0x13 }, { "3ware-7500-8", 8, 0x13 },
    { "3ware-8006-2", 2, 0x13 }, { "3ware-8506-4", 4, 0x13 },
    { "3ware-8506-8", 8, 0x13 }, { "3ware-8506-12", 12, 0x13 },
};

static QtestBus *of(GuestBus *bus)
{
    return (QtestBus *)bus;
}

static Qemu *qemu_of(GuestBus *bus)
{
    return of(bus)->rig->qemu;
}

static uint32_t bus_in(GuestBus *bus, unsigned offset, unsigned size)
{
    return qemu_in(qemu_of(bus), rig_io(of(bus)->card) + offset, size);
}

static void bus_out(GuestBus *bus, unsigned offset, uint32_t value,
                    unsigned size)
{
    qemu_out(qemu_of(bus), rig_io(of(bus)->card) + offset, value, size);
}

static void bus_read(GuestBus *bus, uint64_t addr, void *buf, size_t len)
{
    qemu_read(qemu_of(bus), addr, buf, len);
}

static void bus_write(GuestBus *bus, uint64_t addr, const void *buf,
                      size_t len)
{
    qemu_write(qemu_of(bus), addr, buf, len);
}

static bool bus_irq(GuestBus *bus)
{
    return qemu_config_in(qemu_of(bus), rig_devfn(of(bus)->card), PCI_STATUS,
                          2) & PCI_STATUS_INTERRUPT;
}

static int64_t bus_now(GuestBus *bus)
{
    return qemu_now(qemu_of(bus));
}

static void bus_run(GuestBus *bus, int64_t ns)
{
    qemu_step(qemu_of(bus), ns);
}

static void bus_reset(GuestBus *bus)
{
    qemu_reset(qemu_of(bus));
    rig_enable(of(bus)->rig, of(bus)->card);
}

GuestBus *guest_bus_qtest_new(Rig *rig, unsigned card, const char *board,
                              uint64_t memory_bytes)
{
    QtestBus *q = g_new0(QtestBus, 1);

    q->rig = rig;
    q->card = card;
    q->bus = (GuestBus) {
        .in = bus_in, .out = bus_out, .read = bus_read, .write = bus_write,
        .irq = bus_irq, .now = bus_now, .run = bus_run, .reset = bus_reset,
        .memory_bytes = memory_bytes, .hole = HOLE,
        .registers = rig_memory(card),
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(boards); i++) {
        if (!g_strcmp0(boards[i].name, board)) {
            q->bus.ports = boards[i].ports;
            q->bus.pchip = boards[i].pchip;
        }
    }
    ck_assert_msg(q->bus.ports, "no board %s", board);
    rig_enable(rig, card);
    return &q->bus;
}

void guest_bus_qtest_free(GuestBus *bus)
{
    g_free(bus);
}
