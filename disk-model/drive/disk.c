/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk: a queue, an arm, and one event at the end of the op in service.
 *
 *   submit --> queue --> take_up --> (event) --> finish --> done()
 *                 \          \                     ^
 *                  cancel, finish_now -------------+
 *
 * Every op ends in end_op(), once.  The next op is taken up before done()
 * runs, so done() may submit, cancel, pull or free what it likes.
 */
#include <stddef.h>

#include "disk-model/drive/ata.h"

/* An ATA command answered from the drive's RAM, on top of the command
 * overhead; assumed. */
#define ATA_ANSWER_NS SIM_US(100)

struct Disk {
    Sim *sim;
    const DiskPreset *preset;
    DiskMedia *media;
    char *serial;
    int port;
    MechArm arm;
    AtaState *ata;
    GQueue queue;               /* of ops; the head is in service if busy */
    bool busy;
    bool held;                  /* take nothing up just now */
    uint64_t arrivals;
    SimEvent end;               /* of the op in service */
};

static const char *const verb_words[] = {
    [DISK_READ] = "read",
    [DISK_WRITE] = "write",
    [DISK_FLUSH] = "flush",
    [DISK_ATA] = "ata",
};

/* --- what an op does to data ------------------------------------------- */

static bool moves_sectors(const DiskOp *op)
{
    return op->verb == DISK_READ || op->verb == DISK_WRITE;
}

static bool span_is_on_disk(const Disk *disk, DiskSpan span)
{
    uint64_t sectors = disk_sectors(disk);

    return span.count && span.count <= sectors &&
           span.sector <= sectors - span.count;
}

static DiskStatus execute_ata(Disk *disk, DiskOp *op)
{
    if (ata_is_flush(op->ata) && disk->media->ops->flush(disk->media) < 0) {
        op->ata->status = ATA_STATUS_READY | ATA_STATUS_DF | ATA_STATUS_ERR;
        op->ata->error = ATA_ERROR_ABRT;
        return DISK_FAILED;
    }
    ata_execute(disk->ata, op->ata, op->buf);
    return op->ata->status & (ATA_STATUS_ERR | ATA_STATUS_DF) ? DISK_REFUSED
                                                             : DISK_OK;
}

static DiskStatus perform(Disk *disk, DiskOp *op)
{
    DiskMedia *media = disk->media;
    int failed = 0;

    if (moves_sectors(op) && !span_is_on_disk(disk, op->span)) {
        return DISK_OUT_OF_RANGE;
    }
    switch (op->verb) {
    case DISK_READ:
        failed = media->ops->read(media, op->span.sector, op->span.count,
                                  op->buf);
        break;
    case DISK_WRITE:
        failed = media->ops->write(media, op->span.sector, op->span.count,
                                   op->buf);
        break;
    case DISK_FLUSH:
        failed = media->ops->flush(media);
        break;
    case DISK_ATA:
        return execute_ata(disk, op);
    }
    return failed ? DISK_FAILED : DISK_OK;
}

/* --- service ----------------------------------------------------------- */

static SimTime took_ns(const MechTime *time)
{
    return time->overhead_ns + time->seek_ns + time->rotate_ns +
           time->transfer_ns;
}

/*
 * Cable time: a write's first piece must be here before the arm is of use,
 * a read's last piece still has to leave when the media is done with it.
 */
static MechTime plan_access(Disk *disk, DiskOp *op)
{
    bool write = op->verb == DISK_WRITE;
    SimTime before = ata_wake(disk->ata) + (write ? op->link_ns : 0);
    MechTime time = mech_access(disk->preset, &disk->arm,
                                sim_now(disk->sim) + before, op->span, write);

    time.overhead_ns += before;
    if (!write) {
        time.transfer_ns += op->link_ns;
    }
    return time;
}

static void take_up(Disk *disk, DiskOp *op)
{
    SimTime now = sim_now(disk->sim);

    op->from_cylinder = disk->arm.cylinder;
    if (moves_sectors(op) && span_is_on_disk(disk, op->span)) {
        op->time = plan_access(disk, op);
    } else {
        op->time = (MechTime) { .overhead_ns = disk->preset->overhead_ns +
            (op->verb == DISK_ATA ? ATA_ANSWER_NS + op->link_ns : 0) };
    }
    op->to_cylinder = disk->arm.cylinder;
    op->time.queue_ns = now - op->asked;
    disk->busy = true;
    sim_at(disk->sim, &disk->end, now + took_ns(&op->time));
}

static void take_next(Disk *disk)
{
    if (!disk->busy && !disk->held && disk->queue.head) {
        take_up(disk, disk->queue.head->data);
    }
}

/* Where every op ends, however it came to that. */
static void end_op(DiskOp *op, DiskStatus status)
{
    Disk *disk = op->disk;

    if (disk->busy && disk->queue.head == &op->link) {
        sim_cancel(disk->sim, &disk->end);
        disk->busy = false;
    }
    g_queue_unlink(&disk->queue, &op->link);
    op->disk = NULL;
    op->status = status;
    ata_note_op(disk->ata, op);
    sim_trace(disk->sim, SIM_TRACE_DRIVE_OP, verb_words[op->verb],
              disk->port, op->verb, op->span.sector, op->span.count,
              op->from_cylinder, op->to_cylinder, op->time.queue_ns,
              op->time.overhead_ns, op->time.seek_ns, op->time.rotate_ns,
              op->time.transfer_ns, op->status);
    take_next(disk);
    op->done(op);
}

static void service_ends(SimEvent *ev)
{
    Disk *disk = (Disk *)((char *)ev - offsetof(Disk, end));
    DiskOp *op = disk->queue.head->data;

    end_op(op, perform(disk, op));
}

/* --- the outside ------------------------------------------------------- */

void disk_submit(Disk *disk, DiskOp *op)
{
    g_assert(!op->disk && op->done);
    op->disk = disk;
    op->status = DISK_OK;
    op->asked = sim_now(disk->sim);
    op->order = disk->arrivals++;
    op->time = (MechTime) { 0 };
    op->from_cylinder = op->to_cylinder = disk->arm.cylinder;
    op->link = (GList) { .data = op };
    g_queue_push_tail_link(&disk->queue, &op->link);
    take_next(disk);
}

void disk_cancel(DiskOp *op, DiskStatus status)
{
    g_assert(op->disk);
    end_op(op, status);
}

void disk_finish_now(DiskOp *op)
{
    g_assert(op->disk);
    end_op(op, perform(op->disk, op));
}

void disk_cancel_all(Disk *disk, DiskStatus status)
{
    uint64_t until = disk->arrivals;
    GList *head;

    disk->held = true;
    while ((head = disk->queue.head) &&
           ((DiskOp *)head->data)->order < until) {
        end_op(head->data, status);
    }
    disk->held = false;
    take_next(disk);
}

void disk_set_port(Disk *disk, int number)
{
    disk->port = number;
}

const DiskPreset *disk_preset(const Disk *disk)
{
    return disk->preset;
}

const char *disk_serial(const Disk *disk)
{
    return disk->serial;
}

uint64_t disk_sectors(const Disk *disk)
{
    return disk->preset->geometry.lbas;
}

Disk *disk_new(Sim *sim, const DiskPreset *preset, DiskMedia *media,
               const char *serial, uint32_t phase)
{
    Disk *disk = g_new0(Disk, 1);

    g_assert(media->sectors >= preset->geometry.lbas);
    disk->sim = sim;
    disk->preset = preset;
    disk->media = media;
    disk->serial = g_strdup(serial);
    disk->port = -1;
    disk->arm.phase_ns = ((uint64_t)phase * (uint64_t)preset->turn_ns) >> 32;
    disk->end.fire = service_ends;
    disk->ata = ata_new(sim, disk);
    return disk;
}

void disk_free(Disk *disk)
{
    if (!disk) {
        return;
    }
    g_assert(!disk->queue.head);
    ata_free(disk->ata);
    g_free(disk->serial);
    g_free(disk);
}
