/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manage - a card and those who look after it: what it says of itself, one
 * JSON object, which scripts/twcli turns into tw_cli's tables; and the orders
 * it takes, in tw_cli's words.
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
 * "task" is "rebuild", "verify", "initialize" or null.  A spare is a unit of
 * type "SPARE", which no host sees.  Events are the newest 256, oldest first,
 * whether a host has read them or not; "code" is what it reads.
 *
 *   add type=raid5 disk=0-3 [stripe=64] [name=WORD] [noinit]
 *   add type=spare disk=4
 *   uN del                          its blocks go, its data is nobody's
 *   uN start rebuild disk=3         or disk=3:4, members of two mirrors
 *   uN pause rebuild                uN resume rebuild
 *   uN start verify                 uN stop verify
 *   uN set cache=on|off             likewise autoverify, ignoreECC
 *   uN set name=WORD                up to 21 letters
 *   set rebuild=1..5                1 is the task first; likewise verify
 *   pN remove                       the drive is out of use
 *   uN remove                       all of its are; their blocks stay
 *   rescan                          what was removed is there again, free
 *   shutdown                        flush all, mark clean
 *   alarms clear                    the log is empty
 *
 * disk= takes ports and ranges joined by ':'.  add of a level with
 * redundancy initialises it, unless noinit is said (guess).
 */
#ifndef RAID_CONTROL_MANAGE_H
#define RAID_CONTROL_MANAGE_H

#include "raid-model/control/controller.h"

/* Changes nothing; the caller frees with g_free(). */
char *manage_report(RaidController *ctl);

/*
 * After power-on.  What an order starts goes on in model time; what can be
 * wrong with it is found before anything is done.  False and one line (what,
 * where, what is right) when it is refused: then nothing has changed, but
 * that a drive too small for a rebuild is an event.  `answer` (NULL: nobody
 * listens) gets a line of what there is now, "unit 0", if there is something
 * to say.
 */
bool manage_order(RaidController *ctl, const char *line, GString *answer,
                  GError **error);

#endif
