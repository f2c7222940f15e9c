/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controller, its trouble on order: drives that leave and come back, events
 * nobody has cause for, firmware that does nothing for a while.
 */
#include "raid-model/control/controller-private.h"

/* --- drives that are away ------------------------------------------------- */

static void drive_goes(RaidController *ctl, unsigned port)
{
    if (port < ctl->board->ports) {
        Disk *disk = raid_controller_pull(ctl, port);

        ctl->away[port] = disk;
    }
}

static void drive_returns(RaidController *ctl, unsigned port)
{
    if (port < ctl->board->ports && ctl->away[port]) {
        raid_controller_plug(ctl, port, ctl->away[port]);
    }
}

Disk *raid_controller_away(const RaidController *ctl, unsigned port)
{
    g_assert(port < ctl->board->ports);
    return ctl->away[port];
}

/* --- firmware ------------------------------------------------------------- */

void raid_controller_stall(RaidController *ctl, SimTime until)
{
    ctl->awake_at = MAX(ctl->awake_at, until);
}

SimTime raid_controller_awake_at(const RaidController *ctl)
{
    return ctl->awake_at;
}

/* -------------------------------------------------------------------------- */

static void act(void *opaque, const FaultAct *act)
{
    RaidController *ctl = opaque;

    switch (act->what) {
    case FAULT_GONE:
        if (act->over) {
            drive_returns(ctl, act->port);
        } else {
            drive_goes(ctl, act->port);
        }
        break;
    case FAULT_CARD_STALL:
        raid_controller_stall(ctl, sim_now(ctl->sim) + act->ns);
        break;
    case FAULT_CARD_AEN:
        raid_controller_log(ctl, raid_event_of((uint8_t)act->number),
                            (uint8_t)act->port);
        break;
    default:
        g_assert_not_reached();
    }
}

void controller_fault_init(RaidController *ctl)
{
    fault_on_act(ctl->sim, FAULT_ACTOR_CARD, act, ctl);
}

void controller_fault_clear(RaidController *ctl)
{
    fault_on_act(ctl->sim, FAULT_ACTOR_CARD, NULL, NULL);
}
