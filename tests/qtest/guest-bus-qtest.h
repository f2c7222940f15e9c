/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Qtest bus - a GuestBus over one card of a rig: the same driver, the same
 * test bodies, but through PCI, QEMU's memory and its clock.
 */
#ifndef TESTS_QTEST_GUEST_BUS_QTEST_H
#define TESTS_QTEST_GUEST_BUS_QTEST_H

#include "tests/guest/guest-bus.h"
#include "tests/qtest/rig.h"

/* Switches the card on as firmware does.  Borrows the rig. */
GuestBus *guest_bus_qtest_new(Rig *rig, unsigned card, const char *board,
                              uint64_t memory_bytes);
void guest_bus_qtest_free(GuestBus *bus);

#endif
