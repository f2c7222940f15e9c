/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life - what happens to units after power-on: members go, drives come, a
 * spare takes over, tasks begin and end.  Everything of it that a host is
 * told about becomes an event here.
 *
 *   a member is lost ---> a second later a spare that fits joins --.
 *   somebody orders a rebuild on a drive that fits -----------------+
 *                                                                   v
 *       OK <--- done --- REBUILDING <--- the member is there, stale
 *                            `--- failed ---> DEGRADED, until it is ordered
 *
 * For the rooms that make up a controller; orders come in through manage.h.
 */
#ifndef RAID_CONTROL_LIFE_H
#define RAID_CONTROL_LIFE_H

#include "raid-model/control/controller-private.h"

/* What units tell; opaque is the controller. */
extern const RaidUnitListener life_listener;

void life_init(RaidController *ctl);
/* All units and spares there are at power-on are known. */
void life_begin(RaidController *ctl);
/* No unit is there any more. */
void life_end(RaidController *ctl);

/* A number for a unit whose lowest port this is: that one if it is free.
 * RAID_NO_UNIT: all are in use. */
int life_free_number(const RaidController *ctl, unsigned lowest_port);
/* The port of the spare with that number, or RAID_NO_PORT. */
int life_spare_port(const RaidController *ctl, unsigned number);
/* The spare gets its number. */
void life_make_spare(RaidController *ctl, unsigned port);

/* Good members, a mask: they have all of the unit's data. */
uint32_t life_good_members(const CtlUnit *own);
bool life_drive_fits(const RaidController *ctl, const CtlUnit *own,
                     unsigned port);
/*
 * The drive on `port`, which fits and is in no unit but perhaps this one,
 * takes the place of a member that raid_unit_can_join() or is stale.
 */
void life_join(RaidController *ctl, CtlUnit *own, unsigned member,
               unsigned port);
/* If there is a stale member whose rebuild has not failed yet, and no task:
 * it begins. */
void life_rebuild(CtlUnit *own);
/* No task may be there and the unit must be OK.  One that was never
 * initialised is initialised instead. */
void life_verify(RaidController *ctl, CtlUnit *own);
void life_set_rates(RaidController *ctl);
void life_autoverify(RaidController *ctl);

/* A port's drive is used no longer, until a rescan or another comes. */
void life_remove_port(RaidController *ctl, unsigned port);
/* So are all of a unit's; their blocks stay. */
void life_remove_unit(RaidController *ctl, CtlUnit *own);
/* Ports whose drives are there again, a mask; they are in no unit. */
uint32_t life_rescan(RaidController *ctl);

#endif
