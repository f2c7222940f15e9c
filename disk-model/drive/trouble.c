/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trouble: what a drive does when something goes wrong in it: how long it
 * tries, what it says, what the medium has afterwards.
 *
 * Nothing here is asked while no trouble is ordered and no sector torn.
 */
#include "disk-model/drive/disk-private.h"

#define RECOVERY_NS SIM_S(1)    /* guess: tries before a sector is given up */

/* What the medium has of it is wrong from now on, and the drive's ECC is
 * content.  Which bit is a guess. */
int trouble_turns_bit(const Disk *disk, uint64_t sector)
{
    DiskMedia *media = disk->media;
    uint8_t data[DISK_SECTOR_BYTES];

    if (media->ops->forgets) {
        return 0;
    }
    if (media->ops->read(media, sector, 1, data)) {
        return -1;
    }
    data[0] ^= 1;
    return media->ops->write(media, sector, 1, data);
}

FaultAnswer trouble_ask(Disk *disk, const DiskOp *op)
{
    bool on = disk_moves_sectors(op) && disk_span_is_on(disk, op->span);
    FaultAsk ask = {
        .port = (unsigned)disk->port, .on = FAULT_ON_OTHER,
        .first = on ? op->span.sector : 0, .count = on ? op->span.count : 0,
    };
    FaultAnswer answer;
    uint64_t torn;

    if (on) {
        ask.on = op->verb == DISK_READ ? FAULT_ON_READ : FAULT_ON_WRITE;
    }
    answer = fault_ask(disk->sim, &ask);
    if (disk->torn && op->verb == DISK_READ && on &&
        power_is_torn(disk, op->span, &torn)) {
        answer.at = answer.bad ? MIN(answer.at, torn) : torn;
        answer.bad = true;
    }
    if (answer.bad) {
        answer.more_ns += RECOVERY_NS;
    }
    return answer;
}

bool trouble_delays(Disk *disk, DiskOp *op)
{
    FaultAnswer *fault = &disk->fault;

    if (disk->fault_asked || !(disk->torn || fault_any(disk->sim))) {
        return false;
    }
    *fault = trouble_ask(disk, op);
    disk->fault_asked = true;
    if (!fault->more_ns && !fault->hang) {
        return false;
    }
    if (!fault->hang) {
        op->time.transfer_ns += fault->more_ns;
        sim_after(disk->sim, &disk->end, fault->more_ns);
    }
    if (op->late) {
        op->late(op, op->asked + op->time.queue_ns);
    }
    return true;
}
