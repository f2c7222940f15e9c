/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bench: bus and driver together.
 */
#include "tests/guest/bench.h"

Bench bench_new(const char *units, unsigned drives)
{
    return bench_new_of(DIRECT_DRIVE, units, drives);
}

Bench bench_new_of(const char *drive, const char *units, unsigned drives)
{
    Bench b = {
        guest_bus_direct_new("3ware-7410", units, drive, drives), NULL
    };

    b.d = driver_new(b.bus);
    return b;
}

void bench_free(Bench b)
{
    driver_free(b.d);
    guest_bus_direct_free(b.bus);
}

uint64_t sectors(Bench b, unsigned count)
{
    return guest_alloc(b.bus, count * SECTOR, SECTOR);
}

Packet read_packet(Bench b, unsigned unit, uint32_t lba, unsigned count)
{
    PacketSg sg = { sectors(b, count), count * SECTOR };

    return packet_read(unit, lba, count, &sg, 1);
}
