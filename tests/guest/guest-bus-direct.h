/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Direct bus - a GuestBus over hw/asic in this process: a RaidHost, a
 * controller, small drives in memory, and a machine that is nothing but
 * 16 MiB and a clock.  Every write the card makes is checked against what
 * the driver allowed; DMA aimed at the registers reaches them.
 */
#ifndef TESTS_GUEST_BUS_DIRECT_H
#define TESTS_GUEST_BUS_DIRECT_H

#include "hw/asic/host.h"
#include "tests/guest/guest-bus.h"

/* A write here resets the bus that the card is on, as a bridge does. */
#define DIRECT_BRIDGE 0xe0001000u

#define DIRECT_DRIVE "tests/guest/test.drive"

/*
 * `drives` equal drives on ports 0.. by the preset file `drive`, `units` as
 * raid-model/control/spec.h has it, or NULL.  The test fails if the words
 * are wrong.
 */
GuestBus *guest_bus_direct_new(const char *board, const char *units,
                               const char *drive, unsigned drives);
void guest_bus_direct_free(GuestBus *bus);

/* For tests that are about what only this implementation can show. */
Sim *direct_sim(GuestBus *bus);
RaidHost *direct_host(GuestBus *bus);
RaidController *direct_controller(GuestBus *bus);
/* Write bytes the drives got so far, over all media. */
uint64_t direct_media_writes(GuestBus *bus);
/* From now on every access to that drive's medium fails. */
void direct_break_drive(GuestBus *bus, unsigned drive);
/* Bytes the card wrote to memory so far. */
uint64_t direct_dma_written(GuestBus *bus);
bool direct_pci_abort_seen(GuestBus *bus);

/* Trace records so far of a kind (and with `word`, unless NULL). */
unsigned direct_traced(GuestBus *bus, SimTraceKind kind, const char *word);
/* The last one of a kind; fails if there was none. */
SimTraceRecord direct_last(GuestBus *bus, SimTraceKind kind);

#endif
