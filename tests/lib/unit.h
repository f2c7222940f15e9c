/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit - what unit tests share: running a suite, finding the presets, and a
 * drive small enough to be looked at whole.
 */
#ifndef TESTS_LIB_UNIT_H
#define TESTS_LIB_UNIT_H

#include <check.h>

#include "disk-model/drive/preset.h"

/*
 * ck_assert() for inner loops: Check writes a note to a file each time an
 * assertion of its own holds, which makes a million of them slow.
 */
#define unit_holds(condition) do {                                      \
        if (!(condition)) {                                             \
            ck_abort_msg("%s does not hold", #condition);               \
        }                                                               \
    } while (0)

/* Runs it, frees it; the number of failures, for main() to return. */
int unit_run(Suite *suite);

/* A preset that ships; the test fails when it does not load. */
DiskPreset *unit_preset(const char *name);

/*
 * Four heads, 24 cylinders, three zones with spares, 6 ms a turn, a seek of
 * 1 ms + 0.1 ms a cylinder, head switch 0.5 ms, cylinder switch 0.7 ms,
 * write settle 0.25 ms, overhead 0.1 ms, link 100 MB/s.
 */
DiskPreset *unit_small_drive(DiskMapping mapping);

#endif
