/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rig - a QEMU with cards, drives and images in a directory of its own.
 *
 * Card i sits in slot 4 + i as raid<i>; its drive j is raid<i>-d<j> on the
 * sparse image c<i>d<j>.img.  What the cards trace, register accesses apart,
 * goes to a file that tests can search.  rig_free() takes all of it away.
 */
#ifndef TESTS_QTEST_RIG_H
#define TESTS_QTEST_RIG_H

#include "tests/qtest/qemu.h"

#define RIG_CARDS_MAX 4

typedef struct RigCard {
    const char *board;                  /* "3ware-7410" */
    unsigned drives;                    /* on ports 0.. */
    const char *units;                  /* units= or NULL */
} RigCard;

typedef struct Rig {
    Qemu *qemu;
    char *dir;
    uint64_t drive_sectors;
    unsigned cards;
} Rig;

/* A drive file of the tests and how many sectors it has. */
#define RIG_DRIVE "tests/guest/test.drive"
uint64_t rig_drive_sectors(void);

/* `memory`: for -m, NULL for 64 MiB; `extra`: further arguments or NULL. */
Rig *rig_new(const RigCard *cards, unsigned count, const char *memory,
             const char *const *extra);
void rig_free(Rig *rig);

unsigned rig_devfn(unsigned card);
uint16_t rig_io(unsigned card);         /* where rig_enable() puts BAR0 */
uint32_t rig_memory(unsigned card);     /* and BAR1 */
/* What firmware would do: place the windows, switch decoders on. */
void rig_enable(Rig *rig, unsigned card);

char *rig_image(const Rig *rig, unsigned card, unsigned drive);
/* A checksum of the image's contents; free with g_free(). */
char *rig_image_sum(const Rig *rig, unsigned card, unsigned drive);
/* Lines of the trace that hold both texts (`also` may be NULL). */
unsigned rig_traced(const Rig *rig, const char *text, const char *also);

/* A directory below $QTEST_DIR, and the end of it. */
char *rig_directory(void);
void rig_remove(const char *dir);
/* A sparse file of so many sectors. */
void rig_make_image(const char *path, uint64_t sectors);

#endif
