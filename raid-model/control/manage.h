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
 * There are no background tasks and no log yet: "task" is null, "events"
 * empty.  Orders are to come.
 */
#ifndef RAID_CONTROL_MANAGE_H
#define RAID_CONTROL_MANAGE_H

#include "raid-model/control/controller.h"

/* Changes nothing; the caller frees with g_free(). */
char *manage_report(RaidController *ctl);

#endif
