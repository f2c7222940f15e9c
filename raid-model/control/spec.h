/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spec - how people write down a unit:  LEVEL:PORTS[:STRIPE]
 *
 *   raid5:0-3:64k          ports 0 to 3, 64 KiB stripe
 *   raid10:0-1+4-5:256k    ranges joined by '+'
 *   raid5:0+missing+2+3    a member that is not there (as mdadm has it)
 *   single:4   jbod:5      no stripe
 *
 * Several are joined by '/'.  The same words serve QEMU's units= property,
 * raidsim and the tests.
 */
#ifndef RAID_CONTROL_SPEC_H
#define RAID_CONTROL_SPEC_H

#include <glib.h>

#include "raid-model/array/layout.h"

#define RAID_PORT_MISSING (-1)

typedef struct RaidSpec {
    const RaidLevel *level;
    unsigned members;
    int port[RAID_MEMBERS_MAX]; /* or RAID_PORT_MISSING */
    uint32_t stripe_sectors;    /* default 128 (64 KiB); 0 if not striped */
} RaidSpec;

/*
 * Parses a whole list; returns a GArray of RaidSpec (g_array_unref) or NULL
 * with one clear line: what is wrong, in which unit, what would be right.
 * Checks grammar, member counts, stripe size, ports used twice.
 */
GArray *raid_spec_parse(const char *text, GError **error);

/*
 * What is checked of one unit whoever wrote it: as above, and that no row
 * has more members missing than it can lose.  One line in `error`.
 */
bool raid_spec_check(const RaidSpec *spec, GError **error);

/* All errors of specs and of making units are in this domain, code 0. */
#define RAID_SPEC_ERROR raid_spec_error_quark()
GQuark raid_spec_error_quark(void);

/* Sets `error` to one such line and returns false, for its caller to return. */
bool raid_deny(GError **error, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

#endif
