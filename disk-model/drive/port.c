/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Port: a connector.  Knows what its cable costs and whether anything is at
 * the other end; all the rest is the drive's.
 */
#include <stddef.h>

#include "disk-model/drive/link.h"
#include "disk-model/drive/port.h"

struct DiskPort {
    Sim *sim;
    unsigned number;
    uint64_t link_bytes_per_s;
    uint64_t rate;              /* bytes/s, with the drive there is */
    bool slowed;                /* by trouble */
    Disk *disk;
    void (*news)(void *opaque, unsigned port, DiskPortNews what);
    void *news_opaque;
};

static void set_full_rate(DiskPort *port)
{
    uint64_t rate = disk_preset(port->disk)->link_bytes_per_s;

    port->slowed = false;
    port->rate = port->link_bytes_per_s ? MIN(rate, port->link_bytes_per_s)
                                        : rate;
}

static void nobody_there(SimEvent *ev)
{
    DiskOp *op = (DiskOp *)((char *)ev - offsetof(DiskOp, ev));

    op->port = NULL;
    op->status = DISK_GONE;
    op->done(op);
}

void disk_port_submit(DiskPort *port, DiskOp *op)
{
    g_assert(!op->disk && !sim_pending(&op->ev));
    op->port = port;
    if (port->disk) {
        op->link_bytes_per_s = port->rate;
        op->link_slowed = port->slowed;
        disk_submit(port->disk, op);
        return;
    }
    op->time = (MechTime) { 0 };
    op->ev.fire = nobody_there;
    sim_after(port->sim, &op->ev, 0);
}

/* An answer GONE that has not been given yet is given now. */
static bool answer_early(DiskOp *op, DiskStatus status)
{
    DiskPort *port = op->port;

    if (op->disk) {
        return false;
    }
    g_assert(port && sim_pending(&op->ev));
    sim_cancel(port->sim, &op->ev);
    op->port = NULL;
    op->status = status;
    op->done(op);
    return true;
}

void disk_port_cancel(DiskOp *op, DiskStatus status)
{
    if (!answer_early(op, status)) {
        disk_cancel(op, status);
    }
}

void disk_port_finish_now(DiskOp *op)
{
    if (!answer_early(op, DISK_GONE)) {
        disk_finish_now(op);
    }
}

void disk_port_on_news(DiskPort *port,
                       void (*news)(void *opaque, unsigned port,
                                    DiskPortNews what), void *opaque)
{
    port->news = news;
    port->news_opaque = opaque;
}

static void tell(DiskPort *port, DiskPortNews what)
{
    if (port->news) {
        port->news(port->news_opaque, port->number, what);
    }
}

void disk_port_reset_late(DiskPort *port, DiskStatus status)
{
    tell(port, DISK_PORT_TIMEOUT);
    disk_cancel_all(port->disk, status);
}

static bool slow_down(void *opaque, DiskOp *op)
{
    DiskPort *port = opaque;
    unsigned mode = disk_link_udma(port->rate);

    if (!mode) {
        return false;
    }
    mode--;
    port->rate = disk_udma_bytes_per_s[mode];
    port->slowed = true;
    disk_set_udma(port->disk, mode);
    op->link_bytes_per_s = port->rate;
    op->link_slowed = true;
    tell(port, DISK_PORT_SLOWER);
    return true;
}

/* Guess: the card looks so often that it knows at once. */
static void is_failing(void *opaque)
{
    tell(opaque, DISK_PORT_FAILING);
}

static const DiskListener listener = { slow_down, is_failing };

void disk_port_plug(DiskPort *port, Disk *disk)
{
    g_assert(!port->disk);
    port->disk = disk;
    set_full_rate(port);
    disk_listen(disk, &listener, port);
    disk_set_port(disk, port->number);
    sim_trace(port->sim, SIM_TRACE_DRIVE_PLUG, "plug", port->number,
              disk_sectors(disk));
}

Disk *disk_port_pull(DiskPort *port)
{
    Disk *disk = port->disk;

    if (!disk) {
        return NULL;
    }
    port->disk = NULL;          /* first: what done() submits finds nobody */
    sim_trace(port->sim, SIM_TRACE_DRIVE_PLUG, "pull", port->number,
              disk_sectors(disk));
    disk_power_cut(disk);
    disk_cancel_all(disk, DISK_GONE);
    disk_set_port(disk, -1);
    disk_listen(disk, NULL, NULL);
    return disk;
}

unsigned disk_port_number(const DiskPort *port)
{
    return port->number;
}

Disk *disk_port_disk(const DiskPort *port)
{
    return port->disk;
}

bool disk_port_keeps_data(const DiskPort *port)
{
    return !port->disk || disk_keeps_data(port->disk);
}

DiskPort *disk_port_new(Sim *sim, unsigned number, uint64_t link_bytes_per_s)
{
    DiskPort *port = g_new0(DiskPort, 1);

    port->sim = sim;
    port->number = number;
    port->link_bytes_per_s = link_bytes_per_s;
    return port;
}

void disk_port_free(DiskPort *port)
{
    g_free(port);
}
