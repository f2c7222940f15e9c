/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases - what a card of the first generation promises its driver: one
 * function per promise, and what card it wants to be tried on.
 *
 * A body gets a bus with a card that has just been powered on, and looks at
 * it through that bus alone.
 */
#ifndef TESTS_GUEST_CASES_H
#define TESTS_GUEST_CASES_H

#include "tests/guest/driver.h"

typedef struct GuestCase {
    const char *name;
    void (*run)(GuestBus *bus);
    const char *board;
    const char *units;          /* as units= has it, or NULL */
    unsigned drives;            /* test.drive, on ports 0.. */
} GuestCase;

/* Case `i` of all, or NULL past the last. */
const GuestCase *guest_case(unsigned i);

/* What guest_case() strings together; each ends with a nameless one. */
extern const GuestCase cases_register[], cases_attach[], cases_event[],
    cases_io[], cases_queue[], cases_param[], cases_ata[], cases_refuse[],
    cases_fuzz[];

/* Sectors of test.drive, and what a member of an array has left. */
#define TEST_DRIVE_SECTORS 131072u
#define TEST_MEMBER_SECTORS (TEST_DRIVE_SECTORS - 2048u)

/* Opens its block on a driver, closes it. */
#define WITH_DRIVER(d, bus) \
    for (Driver *d = driver_new(bus); d; driver_free(d), d = NULL)

#endif
