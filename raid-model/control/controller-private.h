/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controller, its inside - for the rooms that make up a controller:
 * controller.c (ops, costs, life) and formation.c (units come, lose and
 * gain members).
 */
#ifndef RAID_CONTROL_CONTROLLER_PRIVATE_H
#define RAID_CONTROL_CONTROLLER_PRIVATE_H

#include "disk-model/world/fault.h"
#include "raid-model/control/cache.h"
#include "raid-model/control/controller.h"

#define RAID_PORTS_MAX 16
#define RAID_NO_UNIT (-1)

typedef struct CtlUnit {
    RaidUnit *unit;
    RaidCache *cache;                   /* NULL: none */
    int port[RAID_MEMBERS_MAX];         /* or RAID_PORT_MISSING */
    uint8_t number;
} CtlUnit;

/* A drive's write cache is being switched. */
typedef struct CtlSwitch {
    DiskOp op;
    AtaTaskFile ata;
    bool busy, on, again;
} CtlSwitch;

struct RaidController {
    Sim *sim;
    const BoardModel *board;
    DiskPort *port[RAID_PORTS_MAX];
    int port_unit[RAID_PORTS_MAX];
    CtlSwitch cache[RAID_PORTS_MAX];
    CtlUnit unit[RAID_UNITS_MAX];
    bool powered;
    GQueue unanswered;          /* ops for units that do not exist */
    SimEvent answer;            /* to all of them */
    RaidEventQueue events;
    RaidLog log;
    void (*on_event)(void *opaque);
    void *on_event_opaque;
    SimPipe processor, bus;
    /* By trouble: */
    SimTime awake_at;           /* the firmware does nothing before */
    Disk *away[RAID_PORTS_MAX]; /* that belong there */
    RaidCard card;
};

/* --- controller-fault.c -------------------------------------------------- */

void controller_fault_init(RaidController *ctl);
void controller_fault_clear(RaidController *ctl);

#endif
