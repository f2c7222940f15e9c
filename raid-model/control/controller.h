/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controller - a card without a host: ports, units, events, costs.
 *
 * Owns its ports, units and event queue; borrows drives.  Unit numbers are
 * the number of the unit's lowest port (guess: what cards of this family
 * were seen to do), 0..15.  A drive that is in no configured unit comes up
 * as a JBOD unit of its own.
 *
 * Units outlive the power: blocks on their members say what they are
 * (docs/on-disk-format.md), and power_on makes them again.
 *
 * Life: new - plug drives - create units - power_on - (reset)* - (shutdown)
 * - free.
 */
#ifndef RAID_CONTROL_CONTROLLER_H
#define RAID_CONTROL_CONTROLLER_H

#include "disk-model/world/pipe.h"
#include "raid-model/array/unit.h"
#include "raid-model/control/assemble.h"
#include "raid-model/control/board.h"
#include "raid-model/control/event.h"
#include "raid-model/control/spec.h"

#define RAID_UNITS_MAX 16

typedef struct RaidController RaidController;

RaidController *raid_controller_new(Sim *sim, const BoardModel *board);
/* No host op may be in flight; blocks on their way are not written. */
void raid_controller_free(RaidController *ctl);
/* Before drives are plugged: no blocks are read or written. */
void raid_controller_without_blocks(RaidController *ctl);
/* Before power_on: drives in no unit stay free, no host sees them. */
void raid_controller_without_jbods(RaidController *ctl);

const BoardModel *raid_controller_board(const RaidController *ctl);
Sim *raid_controller_sim(const RaidController *ctl);
DiskPort *raid_controller_port(RaidController *ctl, unsigned port);
RaidUnit *raid_controller_unit(RaidController *ctl, unsigned unit); /* NULL */
/* The unit a port belongs to, or -1. */
int raid_controller_port_unit(const RaidController *ctl, unsigned port);

/*
 * Plug before power_on: the drive takes part in assembly.  After it: the
 * drive is there (pass-through sees it) but joins no unit by itself.
 */
void raid_controller_plug(RaidController *ctl, unsigned port, Disk *disk);
/* Ops in flight there end; units degrade; events are queued. */
Disk *raid_controller_pull(RaidController *ctl, unsigned port);
/* What a port shows: NULL also for a drive that was taken out by order. */
Disk *raid_controller_drive(RaidController *ctl, unsigned port);

/*
 * State a unit, before power_on or (guess: of free drives) after it.  If its
 * drives carry blocks, these must agree, and it comes up as they have it: a
 * stale member stays stale.  If none does, the unit is new: data stays as it
 * is, and power_on writes blocks; after it they are written in time.  False
 * and one line in `error` when drives say something else, a port does not
 * exist, is taken or empty, drives of a new unit differ in size, too many
 * members are missing, or the board does not offer the level.  Nothing is
 * written here.
 */
bool raid_controller_create(RaidController *ctl, const RaidSpec *spec,
                            GError **error);
/*
 * Units nobody has stated are formed as their drives have it; drives without
 * a block become JBOD units; what is degraded, unclean or amiss is announced.
 */
void raid_controller_power_on(RaidController *ctl);
/* What a port's drive said at power-on. */
RaidClaim raid_controller_claim(const RaidController *ctl, unsigned port);

/*
 * The write caches of a unit's drives: what is done now, or asked for and
 * under way.  A drive switched off first brings to the medium what it holds;
 * writes submitted later wait for that.  Kept in the unit's blocks.
 */
bool raid_controller_write_cache(RaidController *ctl, unsigned unit);
void raid_controller_set_write_cache(RaidController *ctl, unsigned unit,
                                     bool on);

/* A drive that belongs there and trouble on order has taken out for a while;
 * pull returns it, plug forgets it. */
Disk *raid_controller_away(const RaidController *ctl, unsigned port);

/* An absent unit answers UNIT_OFFLINE, later. */
void raid_controller_submit(RaidController *ctl, unsigned unit, UnitOp *op);

/* Everything in flight ends as raid_unit_reset() says; units stay.  A
 * shutdown is off, its done() runs inside. */
void raid_controller_reset(RaidController *ctl);

/*
 * The host is about to leave: all units are flushed, then marked clean on
 * their members, unless somebody goes on writing.  done() later, once.
 */
void raid_controller_shutdown(RaidController *ctl,
                              void (*done)(void *opaque), void *opaque);

/* Events; `notify` runs after each push. */
void raid_controller_on_event(RaidController *ctl,
                              void (*notify)(void *opaque), void *opaque);
void raid_controller_log(RaidController *ctl, RaidEventCode code,
                         uint8_t source);
RaidEventQueue *raid_controller_events(RaidController *ctl);

/*
 * Trouble: the firmware begins no command and gives no answer before `until`
 * (SIM_NEVER: never), unless it is reset.  Drives go on with what they have.
 */
void raid_controller_stall(RaidController *ctl, SimTime until);
SimTime raid_controller_awake_at(const RaidController *ctl);

/*
 * Costs: when the firmware has dealt with a command offered now, and what
 * the host bus takes.  Data does not wait for its last byte: a write goes on
 * to the unit when its first piece has come, and of a read only the last
 * piece still has to leave when the unit is done, if the bus is free.
 */
SimTime raid_controller_command_at(RaidController *ctl);
/* The parity engine's memory does something else for so long. */
void raid_controller_hold_memory(RaidController *ctl, SimTime ns);
/* Write data offered now: its first piece is here at *first, all at the
 * result. */
SimTime raid_controller_bus_in(RaidController *ctl, uint64_t bytes,
                               SimTime *first);
/* Read data complete now will have left at the result. */
SimTime raid_controller_bus_out(RaidController *ctl, uint64_t bytes);

#endif
