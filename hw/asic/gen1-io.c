/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gen1 I/O: READ, WRITE, and the commands that flush.
 *
 *   READ    check - room - unit ........ bus - scatter - answer
 *   WRITE   check - room - first piece - gather - unit ... bus - answer
 *
 * INIT_CONNECTION is never required and its credits are not enforced: no
 * BSD sends it before its first commands, one never does.
 */
#include "hw/asic/gen1.h"
#include "hw/asic/wire.h"

#define SECTOR DISK_SECTOR_BYTES

static const Gen1SgLimits io_sg = { GEN1_IO_SGL_DWORD, GEN1_IO_SG_MAX };

static Gen1Result result_of(UnitStatus status)
{
    switch (status) {
    case UNIT_OK:
        return GEN1_OK;
    case UNIT_MEDIUM_ERROR:
        return GEN1_MEDIUM_ERROR;
    case UNIT_OFFLINE:
        return GEN1_UNIT_OFFLINE;
    case UNIT_OUT_OF_RANGE:
        return GEN1_OUT_OF_RANGE;
    case UNIT_ABORTED:
        break;
    }
    return GEN1_ABORTED;
}

static void read_crossed(HostRequest *req)
{
    Gen1Sg sg = gen1_sg_again(req);

    if (gen1_sg_scatter(req, &sg, 0, req->data, req->data_bytes)) {
        gen1_answer(req, GEN1_OK);
    }
}

static void read_done(HostRequest *req)
{
    if (req->unit_op.status != UNIT_OK) {
        gen1_answer(req, result_of(req->unit_op.status));
        return;
    }
    host_request_at(req, raid_controller_bus_out(req->host->ctl,
                                                 req->data_bytes),
                    read_crossed);
}

static void unit_op_done(HostRequest *req)
{
    gen1_answer(req, result_of(req->unit_op.status));
}

static void write_done(HostRequest *req)
{
    if (req->crossed > sim_now(req->host->sim)) {
        host_request_at(req, req->crossed, unit_op_done);
    } else {
        unit_op_done(req);
    }
}

static void submit(HostRequest *req, UnitVerb verb, unsigned flags,
                   HostStep *then)
{
    const Gen1Io *io = (const Gen1Io *)req->packet;

    req->unit_op = (UnitOp) {
        .verb = verb,
        .lba = get_le32(io->lba),
        .count = req->data_bytes / SECTOR,
        .buf = req->data,
        .flags = flags,
    };
    host_request_unit(req, GEN1_UNIT(&io->header), then);
}

static void read_start(HostRequest *req)
{
    submit(req, UNIT_READ, 0, read_done);
}

static void write_crossed(HostRequest *req)
{
    Gen1Sg sg = gen1_sg_again(req);
    bool force = gen1_header(req)->flags & GEN1_IO_FLAG_FORCE_MEDIA;

    if (gen1_sg_gather(req, &sg, 0, req->data, req->data_bytes)) {
        submit(req, UNIT_WRITE, force ? UNIT_FUA : 0, write_done);
    }
}

/* The unit starts with the first piece; the model has all data by then. */
static void write_start(HostRequest *req)
{
    SimTime first;

    req->crossed = raid_controller_bus_in(req->host->ctl, req->data_bytes,
                                          &first);
    host_request_at(req, first, write_crossed);
}

static bool unit_is_there(HostRequest *req)
{
    unsigned number = GEN1_UNIT(gen1_header(req));

    if (!raid_controller_unit(req->host->ctl, number)) {
        gen1_refuse(req, GEN1_UNIT_OFFLINE, "unit-absent", number,
                    RAID_UNITS_MAX);
        return false;
    }
    return true;
}

/* A count of 0 means what the list holds (guess: no driver sends it). */
static bool count_is_fit(HostRequest *req, const Gen1Sg *sg, uint32_t *count)
{
    uint64_t sectors = get_le16(gen1_header(req)->count);

    if (!sectors) {
        sectors = sg->bytes / SECTOR;
    }
    if (!sectors || sectors > UINT16_MAX) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "count-unfit", sectors,
                    UINT16_MAX);
        return false;
    }
    *count = sectors;
    return gen1_sg_holds(req, sg, sectors * SECTOR);
}

static bool range_is_inside(HostRequest *req, uint32_t count)
{
    const Gen1Io *io = (const Gen1Io *)req->packet;
    RaidUnit *unit = raid_controller_unit(req->host->ctl,
                                          GEN1_UNIT(&io->header));
    uint64_t end = (uint64_t)get_le32(io->lba) + count;
    uint64_t capacity = MIN(raid_capacity(raid_unit_shape(unit)),
                            UINT32_MAX);

    if (end > capacity) {
        gen1_refuse(req, GEN1_OUT_OF_RANGE, "lba-past-end", end, capacity);
        return false;
    }
    return true;
}

static void io(HostRequest *req, HostStep *start)
{
    uint32_t count;
    Gen1Sg sg;

    if (unit_is_there(req) && gen1_sg_take(req, io_sg, &sg) &&
        count_is_fit(req, &sg, &count) && range_is_inside(req, count)) {
        host_request_room(req, (size_t)count * SECTOR, start);
    }
}

void gen1_read(HostRequest *req)
{
    io(req, read_start);
}

void gen1_write(HostRequest *req)
{
    io(req, write_start);
}

/* --- flushing ----------------------------------------------------------- */

static void flush_unit(HostRequest *req, unsigned unit, HostStep *then)
{
    req->unit_op = (UnitOp) { .verb = UNIT_FLUSH };
    host_request_unit(req, unit, then);
}

void gen1_flush(HostRequest *req)
{
    if (unit_is_there(req)) {
        flush_unit(req, GEN1_UNIT(gen1_header(req)), unit_op_done);
    }
}

/* OpenBSD's SYNCHRONIZE CACHE is a NOP that names a unit. */
void gen1_nop(HostRequest *req)
{
    unsigned unit = GEN1_UNIT(gen1_header(req));

    if (raid_controller_unit(req->host->ctl, unit)) {
        flush_unit(req, unit, unit_op_done);
    } else {
        gen1_answer(req, GEN1_OK);
    }
}

static void shutdown_done(HostRequest *req)
{
    gen1_answer(req, GEN1_OK);
}

/* The host goes down when it asks for one credit. */
void gen1_init_connection(HostRequest *req)
{
    if (get_le16(gen1_header(req)->count) == GEN1_CREDITS_SHUTDOWN) {
        host_request_shutdown(req, shutdown_done);
    } else {
        gen1_answer(req, GEN1_OK);
    }
}
