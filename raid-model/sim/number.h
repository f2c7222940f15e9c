/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number - sizes and times as people write and read them, fio's way:
 * k, m, g, t are powers of 1024, times are seconds unless told otherwise.
 */
#ifndef RAID_SIM_NUMBER_H
#define RAID_SIM_NUMBER_H

#include <glib.h>
#include <stdbool.h>

#include "disk-model/world/sim.h"

/* Both set one clear line and return false for what is not a number. */
bool number_bytes(const char *option, const char *text, uint64_t *bytes,
                  GError **error);
bool number_time(const char *option, const char *text, SimTime *time,
                 GError **error);

/* Sets a usage error; returns false, so that a check can end with it. */
bool number_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* "8k", "64k", "12345": the shortest exact way; the caller frees. */
char *number_print_bytes(uint64_t bytes);

#endif
