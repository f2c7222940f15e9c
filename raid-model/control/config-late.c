/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Config, where a drive does not answer: it is reset and gets its block once
 * more, and fails the second time, as lanes do it (lane.h); together with the
 * lane of its port, which may have something there too.
 */
#include <stddef.h>

#include "raid-model/array/lane.h"
#include "raid-model/control/controller-private.h"

static DiskPort *port_of(RaidController *ctl, const CtlBlock *block)
{
    return ctl->port[block - ctl->block];
}

static void block_timed_out(SimEvent *ev)
{
    CtlBlock *block = (CtlBlock *)((char *)ev - offsetof(CtlBlock, timeout));
    RaidController *ctl = block->op.opaque;
    bool again = !block->timeouts++;

    if (block->unit != RAID_NO_UNIT &&
        raid_unit_member_present(ctl->unit[block->unit].unit, block->member)) {
        raid_unit_reset_drive(ctl->unit[block->unit].unit, block->member,
                              again);
    } else {
        disk_port_reset_late(port_of(ctl, block),
                             again ? DISK_ABORTED : DISK_FAILED);
    }
}

void config_block_late(DiskOp *op, SimTime since)
{
    CtlBlock *block = (CtlBlock *)((char *)op - offsetof(CtlBlock, op));
    RaidController *ctl = op->opaque;

    block->timeout.fire = block_timed_out;
    sim_at(ctl->sim, &block->timeout, since + RAID_DRIVE_TIMEOUT);
}

bool config_block_again(RaidController *ctl, CtlBlock *block)
{
    sim_cancel(ctl->sim, &block->timeout);
    block->timeouts = block->op.status == DISK_OK ? 0 : block->timeouts;
    if (block->op.status != DISK_ABORTED || ctl->closing) {
        return false;
    }
    disk_port_submit(port_of(ctl, block), &block->op);
    return true;
}
