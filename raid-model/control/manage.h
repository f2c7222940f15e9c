/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manage - what a card says of itself to those who look after it: one JSON
 * object, which scripts/twcli turns into tw_cli's tables.
 *
 *   {"controller": {"model", "device", "serial", "firmware", "bios",
 *       "monitor", "pcb", "achip", "pchip", "memory_mb", "ports",
 *       "rebuild_rate", "verify_rate", "time_ns"},
 *    "units": [{"unit", "type", "status", "percent", "task", "paused",
 *       "stripe_kb", "sectors", "cache", "autoverify", "ignore_ecc", "name",
 *       "serial", "subunits": [{"type", "status", "port", "percent",
 *       "sectors"}]}],
 *    "ports": [{"port", "status", "unit", "sectors", "model", "serial",
 *       "firmware", "link"}],
 *    "events": [{"at_ns", "code", "severity", "text"}]}
 *
 * A RAID 10 has subunits "RAID-1" with subunits of their own.  null: none.
 * Events are the newest 256, oldest first, whether a host has read them or
 * not; "code" is what it reads.  There are no background tasks yet: "task" is
 * null.  Orders are to come.
 */
#ifndef RAID_CONTROL_MANAGE_H
#define RAID_CONTROL_MANAGE_H

#include "raid-model/control/controller.h"

/* Changes nothing; the caller frees with g_free(). */
char *manage_report(RaidController *ctl);

#endif
