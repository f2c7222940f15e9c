/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stripe port - ports that take the place of the real ones at link time.
 *
 * An array per member, a bad mark per sector; answers come after a random
 * while and in any order; one op may be made to fail.  For test-stripe.c and
 * test-gather.c; not in tests/lib, where it would be linked into others.
 */
#ifndef TESTS_UNIT_STRIPE_PORT_H
#define TESTS_UNIT_STRIPE_PORT_H

#include <string.h>

#include "disk-model/drive/port.h"
#include "raid-model/array/layout.h"
#include "tests/lib/unit.h"

#define MEMBERS 4
#define ROWS 6
#define STRIPE 32u
#define DATA_SECTORS (ROWS * STRIPE)
#define DRIVE_SECTORS (RAID_RESERVED_SECTORS + DATA_SECTORS)
#define SECTOR DISK_SECTOR_BYTES

struct DiskPort {
    unsigned number;
    bool dead;
    uint8_t data[DRIVE_SECTORS][SECTOR];
    bool bad[DRIVE_SECTORS];
};

static struct {
    Sim *sim;
    uint32_t noise;
    DiskPort port[MEMBERS];
    unsigned reads, writes, under_way, under_way_max;
    unsigned fail_at;           /* the op that fails, from 1; 0 none */
    DiskStatus fail_with;
    bool fails_for_good;
    unsigned count;
} world;

static uint32_t chance(uint32_t bound)
{
    world.noise ^= world.noise << 13;
    world.noise ^= world.noise >> 17;
    world.noise ^= world.noise << 5;
    return world.noise % bound;
}

static DiskStatus read_sectors(DiskPort *port, DiskOp *op)
{
    for (uint32_t i = 0; i < op->span.count; i++) {
        uint64_t sector = op->span.sector + i;

        if (port->bad[sector]) {
            op->bad_sector = sector;
            return DISK_BAD_SECTOR;
        }
        memcpy((uint8_t *)op->buf + (size_t)i * SECTOR, port->data[sector],
               SECTOR);
    }
    return DISK_OK;
}

static DiskStatus write_sectors(DiskPort *port, const DiskOp *op)
{
    for (uint32_t i = 0; i < op->span.count; i++) {
        uint64_t sector = op->span.sector + i;

        port->bad[sector] = false;
        memcpy(port->data[sector], (const uint8_t *)op->buf +
               (size_t)i * SECTOR, SECTOR);
    }
    return DISK_OK;
}

static DiskStatus perform(DiskOp *op)
{
    DiskPort *port = op->port;

    if (port->dead) {
        return DISK_GONE;
    }
    if (++world.count == world.fail_at) {
        port->dead = world.fails_for_good;
        op->bad_sector = op->span.sector;
        return world.fail_with;
    }
    if (op->verb == DISK_FLUSH) {
        return DISK_OK;
    }
    unit_holds(op->span.count &&
               op->span.sector >= RAID_DATA_OFFSET_SECTORS &&
               op->span.sector + op->span.count <=
                   RAID_DATA_OFFSET_SECTORS + DATA_SECTORS);
    if (op->verb == DISK_READ) {
        world.reads++;
        return read_sectors(port, op);
    }
    world.writes++;
    return write_sectors(port, op);
}

static void end_op(DiskOp *op, DiskStatus status)
{
    op->status = status;
    op->port = NULL;
    world.under_way--;
    op->done(op);
}

static void answer(SimEvent *ev)
{
    DiskOp *op = (DiskOp *)((char *)ev - offsetof(DiskOp, ev));

    end_op(op, perform(op));
}

void disk_port_submit(DiskPort *port, DiskOp *op)
{
    unit_holds(!op->port);
    op->port = port;
    op->ev.fire = answer;
    world.under_way++;
    world.under_way_max = MAX(world.under_way_max, world.under_way);
    sim_after(world.sim, &op->ev, 1 + chance(1000));
}

void disk_port_cancel(DiskOp *op, DiskStatus status)
{
    sim_cancel(world.sim, &op->ev);
    end_op(op, status);
}

void disk_port_finish_now(DiskOp *op)
{
    sim_cancel(world.sim, &op->ev);
    end_op(op, perform(op));
}

void disk_port_reset_late(DiskPort *late G_GNUC_UNUSED,
                          DiskStatus status G_GNUC_UNUSED)
{
    ck_abort_msg("no op is ever late here");
}

bool disk_port_keeps_data(const DiskPort *port G_GNUC_UNUSED)
{
    return true;
}

unsigned disk_port_number(const DiskPort *port)
{
    return port->number;
}

#endif
