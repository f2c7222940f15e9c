/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Config - keeps the blocks on the drives up to date while the card runs.
 *
 * Who changes what a unit is says so afterwards by raid_config_changed();
 * what is written then is taken from the unit and from CtlUnit.dcb (name,
 * flags, rates).  Changes that come while blocks are being written make one
 * more round, with all of them.
 *
 *   change --> copy 0 of every member, then copy 1 of it --> recorded: writes
 *   that waited go on
 *
 * Three things must not overtake a record.  The first write to a clean unit:
 * if the power went, redundancy that does not agree would pass for good.
 * The end of a write that a lost member has not got: if the drive came back
 * after a power cut, it would be trusted.  The end of an orderly shutdown.
 * So writes wait in front of the unit, or the unit holds back their ends.
 *
 * A unit that has lost more than it can is not recorded: it takes no writes
 * either, so when its drives are back they are what they were.
 */
#ifndef RAID_CONTROL_CONFIG_H
#define RAID_CONTROL_CONFIG_H

#include "raid-model/control/assemble.h"
#include "raid-model/control/controller.h"

/* Nothing happens for a unit without blocks. */
void raid_config_changed(RaidController *ctl, unsigned unit);

/*
 * The drive on that port is in no unit any more, nor a spare: its block goes.
 * When a unit is deleted say this of all its ports, before it is freed: they
 * are marked first, all of them, so that a power cut leaves a whole unit or
 * none.
 */
void raid_config_forget(RaidController *ctl, unsigned port);

/* The drive on that port, in no unit, is a hot spare from now on. */
void raid_config_make_spare(RaidController *ctl, unsigned port);

/* What a drive says now, by its block alone; RAID_CLAIM_MEMBER for a member
 * of anything.  Takes no time. */
RaidClaim raid_config_look(RaidController *ctl, unsigned port);

#endif
