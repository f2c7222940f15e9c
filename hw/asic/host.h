/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host - what a driver sees: a register window, a command queue, a response
 * queue, one interrupt line.  Plain C; no QEMU, no PCI.
 *
 * A register write records and schedules; packets are fetched, data moves
 * and responses are posted only in events, so nothing a guest aims at our
 * own registers can recurse.  A reset bumps a generation number: an old op
 * that ends later finds its request gone and touches nothing.
 *
 * The guest can send anything.  What real firmware would refuse is answered
 * in the packet and traced as SIM_TRACE_REFUSAL; the device lives on.
 */
#ifndef HW_ASIC_HOST_H
#define HW_ASIC_HOST_H

#include <stddef.h>

#include "raid-model/control/controller.h"

typedef struct RaidHost RaidHost;

/* Lent by the skin.  DMA returns false when the address is not memory. */
typedef struct HostPort {
    bool (*dma_read)(void *opaque, uint64_t addr, void *buf, size_t len);
    bool (*dma_write)(void *opaque, uint64_t addr, const void *buf,
                      size_t len);
    void (*set_irq)(void *opaque, bool level);
    /* A master abort happened: set the bit in PCI STATUS.  May be NULL. */
    void (*pci_abort)(void *opaque);
} HostPort;

/* Borrows everything; the controller must be powered on before use. */
RaidHost *raid_host_new(Sim *sim, RaidController *ctl, const HostPort *port,
                        void *opaque);
void raid_host_free(RaidHost *host);

#define RAID_HOST_WINDOW_BYTES 16

/* size 1, 2 or 4; offset < window.  May be called at any time. */
uint32_t raid_host_read(RaidHost *host, uint32_t offset, unsigned size);
void raid_host_write(RaidHost *host, uint32_t offset, uint32_t value,
                     unsigned size);

/* The bus was reset (machine reset, power-on): as after power-on. */
void raid_host_bus_reset(RaidHost *host);

/* Time READY stays low after a soft reset; default 0 (guess). */
void raid_host_set_reset_delay(RaidHost *host, SimTime delay);

/* Requests the card holds; 0 when idle.  For tests and reports. */
unsigned raid_host_outstanding(const RaidHost *host);

#endif
