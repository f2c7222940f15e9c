/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit - what unit tests share: running a suite, finding the presets, and a
 * drive small enough to be looked at whole.
 */
#ifndef TESTS_LIB_UNIT_H
#define TESTS_LIB_UNIT_H

#include <check.h>

#include "disk-model/drive/preset.h"

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
