/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GuestBus - a computer with one card in it, as little of it as a driver
 * needs: the card's 16 bytes of registers, memory, time, one interrupt line.
 *
 * The driver and the test bodies see the card through this alone, so the
 * same bodies run over hw/asic in one process and over QEMU's qtest.
 */
#ifndef TESTS_GUEST_BUS_H
#define TESTS_GUEST_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_US(n) ((int64_t)(n) * 1000)
#define GUEST_MS(n) ((int64_t)(n) * 1000000)
#define GUEST_S(n)  ((int64_t)(n) * 1000000000)

typedef struct GuestBus GuestBus;

/* An implementation fills all but those that say so. */
struct GuestBus {
    uint32_t (*in)(GuestBus *bus, unsigned offset, unsigned size);
    void (*out)(GuestBus *bus, unsigned offset, uint32_t value,
                unsigned size);
    void (*read)(GuestBus *bus, uint64_t addr, void *buf, size_t len);
    void (*write)(GuestBus *bus, uint64_t addr, const void *buf, size_t len);
    bool (*irq)(GuestBus *bus);
    int64_t (*now)(GuestBus *bus);              /* ns, the card's clock */
    void (*run)(GuestBus *bus, int64_t ns);     /* exactly so far */
    void (*reset)(GuestBus *bus);               /* the machine's reset */
    /*
     * May be NULL.  From allow() to forbid() of the same token the card may
     * write there; elsewhere it may not, and an implementation that can
     * tell fails the test.
     */
    void (*allow)(GuestBus *bus, unsigned token, uint64_t addr, size_t len);
    void (*forbid)(GuestBus *bus, unsigned token);

    uint64_t memory_bytes;      /* memory from 0, whole from 1 MiB on */
    uint64_t hole;              /* below 4 GiB; nothing is there */
    uint64_t registers;         /* where DMA meets the card's registers; 0:
                                   nowhere */
    uint8_t pchip;              /* STATUS, top byte, that the board has */
    unsigned ports;

    uint64_t next_free;         /* guest_alloc()'s; starts 0 */
};

/* Memory for the test's own, zeroed by nobody; never given back. */
uint64_t guest_alloc(GuestBus *bus, size_t bytes, size_t align);

/* Time goes on until the line is up; false if it is not within `limit`. */
bool guest_run_until_irq(GuestBus *bus, int64_t limit);

/* A pattern that differs by seed and place; and whether it is there. */
void guest_fill(GuestBus *bus, uint64_t addr, size_t bytes, uint32_t seed);
bool guest_holds(GuestBus *bus, uint64_t addr, size_t bytes, uint32_t seed);
/* The pattern itself: byte `i` of it. */
uint8_t guest_pattern(uint32_t seed, size_t i);

#endif
