/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GuestBus: what every implementation gets for nothing.
 */
#include <check.h>
#include <glib.h>

#include "tests/guest/guest-bus.h"

#define ALLOC_FROM 0x100000
#define IRQ_STEP GUEST_US(50)

uint64_t guest_alloc(GuestBus *bus, size_t bytes, size_t align)
{
    uint64_t at = MAX(bus->next_free, ALLOC_FROM);

    at = (at + align - 1) / align * align;
    ck_assert_uint_le(at + bytes, bus->memory_bytes - 0x10000);
    bus->next_free = at + bytes;
    return at;
}

bool guest_run_until_irq(GuestBus *bus, int64_t limit)
{
    int64_t until = bus->now(bus) + limit;

    while (!bus->irq(bus)) {
        if (bus->now(bus) >= until) {
            return false;
        }
        bus->run(bus, IRQ_STEP);
    }
    return true;
}

uint8_t guest_pattern(uint32_t seed, size_t i)
{
    uint32_t x = (seed + 1) * 2654435761u ^ (uint32_t)(i / 4) * 2246822519u;

    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return x >> (i % 4 * 8);
}

void guest_fill(GuestBus *bus, uint64_t addr, size_t bytes, uint32_t seed)
{
    g_autofree uint8_t *buf = g_malloc(bytes);
    size_t i;

    for (i = 0; i < bytes; i++) {
        buf[i] = guest_pattern(seed, i);
    }
    bus->write(bus, addr, buf, bytes);
}

bool guest_holds(GuestBus *bus, uint64_t addr, size_t bytes, uint32_t seed)
{
    g_autofree uint8_t *buf = g_malloc(bytes);
    size_t i;

    bus->read(bus, addr, buf, bytes);
    for (i = 0; i < bytes; i++) {
        if (buf[i] != guest_pattern(seed, i)) {
            return false;
        }
    }
    return true;
}
