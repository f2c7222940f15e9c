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

#include "disk-model/drive/disk-private.h"

static const char *const verb_words[] = {
    [DISK_READ] = "read",
    [DISK_WRITE] = "write",
    [DISK_FLUSH] = "flush",
    [DISK_ATA] = "ata",
};

/* --- what an op does to data ------------------------------------------- */

bool disk_span_is_on(const Disk *disk, DiskSpan span)
{
    uint64_t sectors = disk_sectors(disk);

    return span.count && span.count <= sectors &&
           span.sector <= sectors - span.count;
}

static bool has_buffer(const Disk *disk)
{
    return disk->preset->buffer.there;
}

/* Everything written so far is on the medium, for good. */
static int flush(Disk *disk)
{
    int failed = 0;

    if (has_buffer(disk)) {
        failed = cached_empty(disk);
        failed = failed || disk->cached.failed;
        disk->cached.failed = false;
    }
    return disk->media->ops->flush(disk->media) || failed ? -1 : 0;
}

static DiskStatus execute_ata(Disk *disk, DiskOp *op)
{
    if (ata_is_flush(op->ata) && flush(disk)) {
        op->ata->status = ATA_STATUS_READY | ATA_STATUS_DF | ATA_STATUS_ERR;
        op->ata->error = ATA_ERROR_ABRT;
        return DISK_FAILED;
    }
    ata_execute(disk->ata, op->ata, op->buf);
    return op->ata->status & (ATA_STATUS_ERR | ATA_STATUS_DF) ? DISK_REFUSED
                                                             : DISK_OK;
}

int disk_media_write(Disk *disk, DiskSpan span, const void *data)
{
    if (disk->torn) {
        power_mend(disk, span);
    }
    return disk->media->ops->write(disk->media, span.sector, span.count,
                                   data);
}

static int write_op(Disk *disk, DiskOp *op, const FaultAnswer *fault)
{
    if (fault->stale) {
        return 0;
    }
    if (disk->pending || fault_any(disk->sim)) {
        trouble_written(disk, op->span);
    }
    return has_buffer(disk) ? cached_write(disk, op)
        : disk_media_write(disk, op->span, op->buf);
}

static DiskStatus perform(Disk *disk, DiskOp *op, const FaultAnswer *fault)
{
    DiskMedia *media = disk->media;
    int failed = 0;

    if (fault->dead) {
        return DISK_FAILED;
    }
    if (disk_moves_sectors(op) && !disk_span_is_on(disk, op->span)) {
        return DISK_OUT_OF_RANGE;
    }
    if (fault->bad) {
        op->bad_sector = fault->at;
        trouble_unreadable(disk, fault->at);
        return DISK_BAD_SECTOR;
    }
    if (fault->flip && trouble_turns_bit(disk, fault->flip_at)) {
        return DISK_FAILED;
    }
    switch (op->verb) {
    case DISK_READ:
        failed = has_buffer(disk) ? cached_read(disk, op)
            : media->ops->read(media, op->span.sector, op->span.count,
                               op->buf);
        break;
    case DISK_WRITE:
        failed = write_op(disk, op, fault);
        break;
    case DISK_FLUSH:
        failed = flush(disk);
        break;
    case DISK_ATA:
        return execute_ata(disk, op);
    }
    return failed ? DISK_FAILED : DISK_OK;
}

/* --- service ----------------------------------------------------------- */

/*
 * Sectors that stay uncovered by media time in a drive without a buffer: it
 * hands data over while the rest is still passing under the head, in pieces
 * of this size.  A guess; small requests are one piece.
 */
#define PIECE_SECTORS 128u

/* Cable time that nothing covers; without a port there is no cable. */
static SimTime link_ns(const DiskOp *op)
{
    uint64_t sectors = op->verb == DISK_FLUSH ? 0
        : op->verb == DISK_ATA ? !!op->buf
        : MIN(op->span.count, PIECE_SECTORS);

    return op->link_bytes_per_s ? sectors * DISK_SECTOR_BYTES * SIM_S(1) /
                                  op->link_bytes_per_s : 0;
}

SimTime disk_answer_ns(const Disk *disk, const DiskOp *op)
{
    return disk->preset->overhead_ns +
           (op->verb == DISK_ATA ? DISK_ATA_ANSWER_NS + link_ns(op) : 0);
}

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
    SimTime before = ata_wake(disk->ata) + (write ? link_ns(op) : 0);
    SimTime start = sim_now(disk->sim) + before + disk->preset->overhead_ns;
    MechWalk walk = { .arm = disk->arm, .now = start, .left = op->span,
                      .write = write, .stop = SIM_NEVER };

    disk_walk(disk, &walk);
    disk->arm = walk.arm;
    return (MechTime) {
        .overhead_ns = before + disk->preset->overhead_ns,
        .seek_ns = walk.seek_ns, .rotate_ns = walk.rotate_ns,
        .transfer_ns = walk.now - start - walk.seek_ns - walk.rotate_ns +
                       (write ? 0 : link_ns(op)),
    };
}

static void take_up(Disk *disk, DiskOp *op)
{
    SimTime now = sim_now(disk->sim);

    op->from_cylinder = disk->arm.cylinder;
    disk->busy = true;
    if (has_buffer(disk)) {
        op->time.queue_ns = now - op->asked;
        cached_take_up(disk, op);
        return;
    }
    if (disk_moves_sectors(op) && disk_span_is_on(disk, op->span)) {
        op->time = plan_access(disk, op);
    } else {
        op->time = (MechTime) { .overhead_ns = disk_answer_ns(disk, op) };
    }
    op->to_cylinder = disk->arm.cylinder;
    op->time.queue_ns = now - op->asked;
    sim_at(disk->sim, &disk->end, now + took_ns(&op->time));
}

static void take_next(Disk *disk)
{
    DiskOp *next;

    if (disk->busy || disk->held) {
        return;
    }
    next = has_buffer(disk) ? cached_choose(disk)
        : disk->queue.head ? disk->queue.head->data : NULL;
    if (!next) {
        if (has_buffer(disk)) {
            cached_idle(disk);
        }
        return;
    }
    if (disk->queue.head != &next->link) {
        sim_queue_unlink(&disk->queue, &next->link);
        sim_queue_push_head(&disk->queue, &next->link);
    }
    take_up(disk, next);
}

/* --- the end ------------------------------------------------------------ */

/* Where every op ends, however it came to that. */
static void end_op(DiskOp *op, DiskStatus status)
{
    Disk *disk = op->disk;

    if (disk->busy && disk->queue.head == &op->link) {
        bool early = sim_pending(&disk->end);

        sim_cancel(disk->sim, &disk->end);
        disk->busy = false;
        if (disk->fault_asked) {
            disk->fault = (FaultAnswer) { 0 };
            disk->fault_asked = false;
        }
        if (has_buffer(disk)) {
            cached_let_go(disk, early);
        }
    }
    sim_queue_unlink(&disk->queue, &op->link);
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

    if (!(disk->torn || fault_any(disk->sim)) || !trouble_delays(disk, op)) {
        end_op(op, perform(disk, op, &disk->fault));
    }
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
    sim_queue_push_tail(&disk->queue, &op->link);
    take_next(disk);
}

void disk_cancel(DiskOp *op, DiskStatus status)
{
    g_assert(op->disk);
    end_op(op, status);
}

void disk_finish_now(DiskOp *op)
{
    Disk *disk = op->disk;
    FaultAnswer fault;

    g_assert(disk);
    if (disk->fault_asked && disk->queue.head == &op->link) {
        fault = disk->fault;
    } else {
        fault = trouble_ask(disk, op);
    }
    end_op(op, perform(disk, op, &fault));
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

void disk_listen(Disk *disk, const DiskListener *listener, void *opaque)
{
    disk->listener = listener;
    disk->listener_opaque = opaque;
}

void disk_set_udma(Disk *disk, unsigned mode)
{
    ata_set_udma(disk->ata, mode);
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

int disk_peek(Disk *disk, DiskSpan span, void *buf)
{
    g_assert(disk_span_is_on(disk, span));
    return disk->media->ops->read(disk->media, span.sector, span.count, buf);
}

int disk_poke(Disk *disk, DiskSpan span, const void *buf)
{
    g_assert(disk_span_is_on(disk, span));
    return disk->media->ops->write(disk->media, span.sector, span.count, buf);
}

bool disk_keeps_data(const Disk *disk)
{
    return !disk->media->ops->forgets;
}

bool disk_write_cache(const Disk *disk)
{
    return ata_write_cache(disk->ata);
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
    if (has_buffer(disk)) {
        cached_init(disk);
    }
    return disk;
}

void disk_free(Disk *disk)
{
    if (!disk) {
        return;
    }
    g_assert(!disk->queue.head);
    if (has_buffer(disk)) {
        cached_clear(disk);
    }
    ata_free(disk->ata);
    g_free(disk->serial);
    g_free(disk);
}
