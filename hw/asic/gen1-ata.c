/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gen1 ATA pass-through: one command to the drive on one port, its
 * registers back in the packet.  What smartctl -d 3ware,N sends.
 *
 * smartctl takes a zero IDENTIFY for "No drive on port N", so that is what
 * IDENTIFY of an empty port gives, with success (guess).  Cards in the field
 * were seen to refuse a port with status c4, flags 43; other commands to a
 * port the card does not have get that.
 */
#include "hw/asic/gen1.h"
#include "hw/asic/wire.h"

#define ATA_BYTES 512
#define ATA_IDENTIFY_DEVICE 0xec

static const Gen1SgLimits ata_sg = { GEN1_ATA_SGL_DWORD, GEN1_ATA_SG_MAX };

static void registers_in(const Gen1Ata *packet, AtaTaskFile *tf)
{
    *tf = (AtaTaskFile) {
        .device = packet->drive_head,
        .command = packet->command,
    };
    memcpy(tf->feature, packet->feature, 2);
    memcpy(tf->count, packet->sector_count, 2);
    memcpy(tf->lba_low, packet->sector_number, 2);
    memcpy(tf->lba_mid, packet->cylinder_low, 2);
    memcpy(tf->lba_high, packet->cylinder_high, 2);
}

/* Bytes 8 to 19; drivers test byte 19 also after data. */
static void registers_out(HostRequest *req)
{
    const AtaTaskFile *tf = &req->ata;
    Gen1Ata out = {
        .feature = { tf->error },
        .drive_head = tf->device,
        .command = tf->status,
    };
    const size_t from = offsetof(Gen1Ata, feature);

    memcpy(out.sector_count, tf->count, 2);
    memcpy(out.sector_number, tf->lba_low, 2);
    memcpy(out.cylinder_low, tf->lba_mid, 2);
    memcpy(out.cylinder_high, tf->lba_high, 2);
    if (!host_dma_write(req->host, req->address + from,
                        (uint8_t *)&out + from, sizeof(out) - from)) {
        host_refuse(req->host, "status-address", gen1_header(req)->id,
                    req->address, from);
    }
}

static void answer_registers(HostRequest *req, Gen1Result result,
                             uint8_t status, uint8_t error)
{
    req->ata.status = status;
    req->ata.error = error;
    registers_out(req);
    gen1_answer(req, result);
}

/* The drive refused, or there is none to ask. */
static void answer_aborted(HostRequest *req, Gen1Result result)
{
    answer_registers(req, result, ATA_STATUS_READY | ATA_STATUS_ERR,
                     ATA_ERROR_ABRT);
}

/* Which way the packet says data goes; checked when it came. */
static AtaData direction(const HostRequest *req)
{
    switch (get_le16(gen1_header(req)->count)) {
    case GEN1_ATA_TO_HOST:
        return ATA_DATA_IN;
    case GEN1_ATA_FROM_HOST:
        return ATA_DATA_OUT;
    }
    return ATA_DATA_NONE;
}

static bool direction_is_known(const HostRequest *req)
{
    unsigned param = get_le16(gen1_header(req)->count);

    return direction(req) != ATA_DATA_NONE || param == GEN1_ATA_NO_DATA ||
           param == GEN1_ATA_NO_DATA_READ_BACK;
}

static void crossed(HostRequest *req)
{
    Gen1Sg sg = gen1_sg_again(req);

    if (gen1_sg_scatter(req, &sg, 0, req->data, ATA_BYTES)) {
        answer_registers(req, GEN1_OK, req->ata.status, req->ata.error);
    }
}

static void drive_done(HostRequest *req)
{
    switch (req->disk_op.status) {
    case DISK_OK:
        if (direction(req) == ATA_DATA_IN) {
            host_request_at(req, raid_controller_bus_out(req->host->ctl,
                                                         ATA_BYTES),
                            crossed);
        } else {
            answer_registers(req, GEN1_OK, req->ata.status, req->ata.error);
        }
        break;
    case DISK_REFUSED:
        answer_registers(req, GEN1_ATA_ABORTED, req->ata.status,
                         req->ata.error);
        break;
    case DISK_FAILED:
        answer_aborted(req, GEN1_DRIVE_DEAD);
        break;
    default:
        answer_aborted(req, GEN1_ATA_ABORTED);
        break;
    }
}

static void no_drive(HostRequest *req, bool port_exists)
{
    unsigned port = GEN1_UNIT(gen1_header(req));

    if (req->ata.command == ATA_IDENTIFY_DEVICE &&
        direction(req) == ATA_DATA_IN) {
        memset(req->data, 0, ATA_BYTES);
        req->ata.status = ATA_STATUS_READY;
        crossed(req);
        return;
    }
    host_refuse(req->host, port_exists ? "drive-absent" : "port-absent",
                gen1_header(req)->id, port,
                raid_controller_board(req->host->ctl)->ports);
    answer_aborted(req, port_exists ? GEN1_ATA_ABORTED : GEN1_PORT_ABSENT);
}

/* With a buffer, if the command has data. */
static void start(HostRequest *req)
{
    unsigned port = GEN1_UNIT(gen1_header(req));
    bool exists = port < raid_controller_board(req->host->ctl)->ports;
    Gen1Sg sg = gen1_sg_again(req);

    if (!exists || !disk_port_disk(raid_controller_port(req->host->ctl,
                                                        port))) {
        no_drive(req, exists);
        return;
    }
    if (ata_data(&req->ata) != direction(req)) {
        host_refuse(req->host, "ata-direction", gen1_header(req)->id,
                    direction(req), ata_data(&req->ata));
        answer_aborted(req, GEN1_ATA_ABORTED);
        return;
    }
    if (direction(req) == ATA_DATA_OUT &&
        !gen1_sg_gather(req, &sg, 0, req->data, ATA_BYTES)) {
        return;
    }
    req->disk_op = (DiskOp) {
        .verb = DISK_ATA,
        .ata = &req->ata,
        .buf = req->data,
    };
    host_request_drive(req, port, drive_done);
}

void gen1_ata_passthrough(HostRequest *req)
{
    Gen1Sg sg;

    if (!direction_is_known(req)) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "ata-direction-unknown",
                    get_le16(gen1_header(req)->count), GEN1_ATA_FROM_HOST);
        return;
    }
    registers_in((const Gen1Ata *)req->packet, &req->ata);
    if (direction(req) == ATA_DATA_NONE) {
        start(req);
    } else if (gen1_sg_take(req, ata_sg, &sg) &&
               gen1_sg_holds(req, &sg, ATA_BYTES)) {
        host_request_room(req, ATA_BYTES, start);
    }
}
