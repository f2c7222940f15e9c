/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bench - a 3ware-7410 on a direct bus and a driver for it, for the tests
 * that look at a card from both sides.
 */
#ifndef TESTS_GUEST_BENCH_H
#define TESTS_GUEST_BENCH_H

#include "tests/guest/cases.h"
#include "tests/guest/guest-bus-direct.h"

#define SECTOR 512

typedef struct Bench {
    GuestBus *bus;
    Driver *d;
} Bench;

Bench bench_new(const char *units, unsigned drives);
Bench bench_new_of(const char *drive, const char *units, unsigned drives);
void bench_free(Bench b);

/* Memory for so many sectors; and a read into such. */
uint64_t sectors(Bench b, unsigned count);
Packet read_packet(Bench b, unsigned unit, uint32_t lba, unsigned count);

#endif
