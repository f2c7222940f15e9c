/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trouble: what a drive does when something goes wrong in it: how long it
 * tries, what it says, what the medium has afterwards.
 *
 * Nothing here is asked while no trouble is ordered and no sector torn; what
 * the way of every op would carry along for it is kept out of line.
 */
#include "disk-model/drive/disk-private.h"
#include "disk-model/drive/link.h"
#include "disk-model/drive/smart.h"

#define RECOVERY_NS SIM_S(1)    /* guess: tries before a sector is given up,
                                 * of a preset that does not say */

/* What the medium has of it is wrong from now on, and the drive's ECC is
 * content.  Which bit is a guess. */
G_GNUC_NO_INLINE int trouble_turns_bit(const Disk *disk, uint64_t sector)
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

static void note_bad(FaultAnswer *answer, uint64_t sector)
{
    answer->at = answer->bad ? MIN(answer->at, sector) : sector;
    answer->bad = true;
}

/* --- sectors -------------------------------------------------------------- */

G_GNUC_NO_INLINE void trouble_unreadable(Disk *disk, uint64_t sector)
{
    SmartState *smart = ata_smart(disk->ata);
    DiskFlaw *flaw = flaw_at(disk, sector);

    smart_count(smart, SMART_UNREADABLE, 1);
    if (flaw && !flaw->pending) {
        flaw->pending = true;
        disk->pending++;
        smart_count(smart, SMART_PENDING, 1);
    }
}

/* A sector that could not be read moves to the spares; one torn by a power
 * cut is as good as ever, once it is on the medium (power_mend()). */
G_GNUC_NO_INLINE void trouble_written(Disk *disk, DiskSpan span)
{
    SmartState *smart = ata_smart(disk->ata);
    DiskFlaw *flaw;

    fault_written(disk->sim, (unsigned)disk->port, span.sector, span.count);
    for (unsigned i = 0; (flaw = flaw_in(disk, span, &i)); i++) {
        if (flaw->pending && !flaw->torn) {
            flaw->pending = false;
            flaw->moved = true;
            disk->pending--;
            smart_count(smart, SMART_PENDING, -1);
            smart_count(smart, SMART_MOVED, 1);
        }
    }
    if (!disk->failing && !smart_is_healthy(smart, sim_now(disk->sim))) {
        disk->failing = true;
        if (disk->listener) {
            disk->listener->failing(disk->listener_opaque);
        }
    }
}

static SimTime recovery_ns(const Disk *disk)
{
    SimTime told = disk->preset->error_recovery_ns;

    return told ? told : RECOVERY_NS;
}

/* A sector whose turns would take longer than the drive tries is bad. */
static void note_retries(const Disk *disk, FaultAnswer *answer)
{
    SimTime turn = disk->preset->turn_ns;
    uint64_t most = (uint64_t)(recovery_ns(disk) / turn);

    if (answer->turns_most <= most) {
        answer->more_ns += (SimTime)answer->turns * turn;
    } else {
        note_bad(answer, answer->turns_at);
    }
}

/* --- the cable ------------------------------------------------------------ */

static SimTime transfer_ns(const Disk *disk, const DiskOp *op)
{
    uint64_t bytes = (uint64_t)op->span.count * DISK_SECTOR_BYTES;

    return (op->link_bytes_per_s ? (SimTime)(bytes * SIM_S(1) /
                                             op->link_bytes_per_s) : 0) +
           disk->preset->overhead_ns;
}

/* What is wrong crosses again, at the drive's pace from its RAM; true when
 * it will not come right at any speed. */
static bool repeat_transfers(Disk *disk, DiskOp *op, const FaultAsk *ask,
                             FaultAnswer *answer)
{
    while (fault_ask_crc(disk->sim, ask,
                         disk_link_udma(op->link_bytes_per_s))) {
        smart_count(ata_smart(disk->ata), SMART_CRC, 1);
        if (++disk->crc_row == DISK_LINK_TRIES) {
            disk->crc_row = 0;
            if (!disk->listener ||
                !disk->listener->bad_link(disk->listener_opaque, op)) {
                return true;
            }
        }
        answer->more_ns += transfer_ns(disk, op);
    }
    disk->crc_row = 0;
    return false;
}

/* --- ops ------------------------------------------------------------------ */

FaultAnswer trouble_ask(Disk *disk, DiskOp *op)
{
    bool on = disk_moves_sectors(op) && disk_span_is_on(disk, op->span);
    FaultAsk ask = {
        .port = (unsigned)disk->port, .on = FAULT_ON_OTHER,
        .first = on ? op->span.sector : 0, .count = on ? op->span.count : 0,
        .sectors = disk_sectors(disk),
    };
    FaultAnswer answer;
    uint64_t torn;

    if (on) {
        ask.on = op->verb == DISK_READ ? FAULT_ON_READ : FAULT_ON_WRITE;
    }
    answer = fault_ask(disk->sim, &ask);
    if (disk->torn && op->verb == DISK_READ && on &&
        power_is_torn(disk, op->span, &torn)) {
        note_bad(&answer, torn);
    }
    if (answer.turns) {
        note_retries(disk, &answer);
    }
    if (answer.bad) {
        answer.more_ns += recovery_ns(disk);
    } else if (on && !answer.dead) {
        answer.dead = repeat_transfers(disk, op, &ask, &answer);
    }
    return answer;
}

G_GNUC_NO_INLINE bool trouble_delays(Disk *disk, DiskOp *op)
{
    FaultAnswer *fault = &disk->fault;

    if (disk->fault_asked) {
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
