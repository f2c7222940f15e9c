/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life bench - a card whose units are given orders and trouble: what is done
 * and what is looked at, in few words.  Contents are judged by a flat array,
 * events by their public numbers.
 */
#ifndef TESTS_LIB_LIFE_BENCH_H
#define TESTS_LIB_LIFE_BENCH_H

#include "disk-model/world/fault.h"
#include "raid-model/control/manage.h"
#include "tests/lib/card-bench.h"
#include "tests/lib/unit.h"

#define LIFE_SECTORS 512                /* of a unit that are filled */
#define LIFE_AREA 1024                  /* where a member's data begins */

extern CardBench *bench;
extern uint8_t data[LIFE_SECTORS][DISK_SECTOR_BYTES];

void life_set_up(void);
void life_tear_down(void);

/* Before power: drives of a mask are there, drive i on port i. */
void only(uint32_t drives);
/* One unit, in units= words; data is on it, its events are forgotten. */
void boot_filled(const char *units);
/* Another drive, not plugged yet, for the mask's drive i. */
Disk *another_drive(unsigned i);

void order(const char *line);           /* is taken */
void refused(const char *line, const char *because);
void fault(const char *rule);
void run_for(SimTime time);
/* In the report, without blanks. */
void shows(const char *phrase);

/* What the host was told since, by numbers on the wire: 0x0a02 is drive
 * error, port 2. */
void told(const unsigned *numbers, unsigned count);
#define TOLD(...) do {                                                  \
        static const unsigned numbers[] = { __VA_ARGS__ };              \
        told(numbers, G_N_ELEMENTS(numbers));                           \
    } while (0)
void nothing_told(void);
void forget_news(void);

RaidUnit *unit(unsigned number);
void fill(unsigned number);
void holds(unsigned number);
/* Members 0.. of a RAID 5 or of one mirror, on the media. */
void rows_agree(unsigned members);

#endif
