/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests: a posted packet's place on the card, from the fetch to its end.
 *
 * Walks the states drawn in personality.h.  Everything here that touches the
 * guest's memory runs inside an event.
 */
#include "hw/asic/personality.h"

/* Data of all requests together; those that do not fit wait. */
#define ROOM_BYTES_MAX ((size_t)64 << 20)

#define BUS_END ((uint64_t)1 << 32)     /* the card drives 32 address bits */

/* --- memory of the guest ------------------------------------------------ */

static bool dma_end(RaidHost *host, bool ok)
{
    host->in_dma = false;
    if (!ok) {
        if (host->port.pci_abort) {
            host->port.pci_abort(host->opaque);
        }
        host_latch(host, STATUS_PCI_ABORT);
    }
    return ok;
}

static bool bus_reaches(uint64_t addr, size_t len)
{
    return addr < BUS_END && len <= BUS_END - addr;
}

bool host_dma_read(RaidHost *host, uint64_t addr, void *buf, size_t len)
{
    host->in_dma = true;
    return dma_end(host, bus_reaches(addr, len) &&
                   host->port.dma_read(host->opaque, addr, buf, len));
}

bool host_dma_write(RaidHost *host, uint64_t addr, const void *buf,
                    size_t len)
{
    host->in_dma = true;
    return dma_end(host, bus_reaches(addr, len) &&
                   host->port.dma_write(host->opaque, addr, buf, len));
}

/* --- requests ----------------------------------------------------------- */

static void request_fire(SimEvent *ev)
{
    HostRequest *req = (HostRequest *)((char *)ev -
                                       offsetof(HostRequest, ev));

    req->step(req);
}

void host_request_at(HostRequest *req, SimTime due, HostStep *step)
{
    req->state = HOST_TIMED;
    req->step = step;
    sim_at(req->host->sim, &req->ev, due);
}

static void request_free(HostRequest *req)
{
    RaidHost *host = req->host;

    sim_cancel(host->sim, &req->ev);
    if (req->data) {
        host->room_used -= req->data_bytes;
        g_free(req->data);
    }
    req->data = NULL;
    req->data_bytes = 0;
    req->state = HOST_FREE;
    g_queue_push_tail_link(&host->idle, &req->link);
}

static bool room_is_left(const RaidHost *host, size_t bytes)
{
    return bytes <= ROOM_BYTES_MAX - host->room_used;
}

static void room_take(HostRequest *req)
{
    req->host->room_used += req->data_bytes;
    req->data = g_malloc(req->data_bytes);
    host_request_at(req, sim_now(req->host->sim), req->step);
}

static void room_serve(RaidHost *host)
{
    HostRequest *req;

    while ((req = g_queue_peek_head(&host->wanting_room)) &&
           room_is_left(host, req->data_bytes)) {
        g_queue_unlink(&host->wanting_room, &req->link);
        room_take(req);
    }
}

void host_request_room(HostRequest *req, size_t bytes, HostStep *step)
{
    RaidHost *host = req->host;

    g_assert(!req->data && bytes <= ROOM_BYTES_MAX);
    req->data_bytes = bytes;
    req->step = step;
    if (g_queue_is_empty(&host->wanting_room) && room_is_left(host, bytes)) {
        room_take(req);
    } else {
        req->state = HOST_ROOM;
        g_queue_push_tail_link(&host->wanting_room, &req->link);
    }
}

/* A lent op is back.  Go on in an event: this may be anyone's call. */
static void request_returned(HostRequest *req)
{
    RaidHost *host = req->host;

    if (req->generation != host->generation) {
        request_free(req);
        room_serve(host);
        host_update_irq(host);
        return;
    }
    host_request_at(req, sim_now(host->sim), req->step);
}

static void unit_done(UnitOp *op)
{
    request_returned(op->opaque);
}

static void drive_done(DiskOp *op)
{
    request_returned(op->opaque);
}

void host_request_unit(HostRequest *req, unsigned unit, HostStep *step)
{
    req->state = HOST_LENT_UNIT;
    req->step = step;
    req->unit_op.done = unit_done;
    req->unit_op.opaque = req;
    raid_controller_submit(req->host->ctl, unit, &req->unit_op);
}

static void shutdown_done(void *opaque)
{
    request_returned(opaque);
}

void host_request_shutdown(HostRequest *req, HostStep *step)
{
    req->state = HOST_LENT_UNIT;
    req->step = step;
    raid_controller_shutdown(req->host->ctl, shutdown_done, req);
}

void host_request_drive(HostRequest *req, unsigned port, HostStep *step)
{
    req->state = HOST_LENT_DRIVE;
    req->step = step;
    req->disk_op.done = drive_done;
    req->disk_op.opaque = req;
    disk_port_submit(raid_controller_port(req->host->ctl, port),
                     &req->disk_op);
}

static void request_end(HostRequest *req)
{
    RaidHost *host = req->host;

    host->outstanding--;
    request_free(req);
    room_serve(host);
    host_update_irq(host);
}

static void answer_now(HostRequest *req)
{
    host_answer(req, req->answer);
}

void host_answer(HostRequest *req, uint8_t id)
{
    RaidHost *host = req->host;
    SimTime awake_at = raid_controller_awake_at(host->ctl);
    unsigned last = host->response_first + host->responses;

    if (awake_at > sim_now(host->sim)) {
        req->answer = id;
        host_request_at(req, awake_at, answer_now);
        return;
    }
    host->response[last % HOST_REQUESTS_MAX] = id;
    host->responses++;
    request_end(req);
}

void host_drop(HostRequest *req)
{
    request_end(req);
}

/* --- the beginning ----------------------------------------------------- */

static void fetch_due(HostRequest *req)
{
    req->host->unfetched--;
    req->host->personality->execute(req);
}

void host_request_new(RaidHost *host, uint64_t address)
{
    HostRequest *req = g_queue_pop_head_link(&host->idle)->data;

    req->generation = host->generation;
    req->posted = sim_now(host->sim);
    req->address = address;
    host->outstanding++;
    host->unfetched++;
    host_request_at(req, raid_controller_command_at(host->ctl), fetch_due);
}

/* --- the end of all ---------------------------------------------------- */

void host_abandon(RaidHost *host, const char *why)
{
    HostRequest *req;

    sim_trace(host->sim, SIM_TRACE_RESET, why, host->outstanding);
    host->generation++;
    while (g_queue_pop_head_link(&host->wanting_room)) {
    }
    for (req = host->request; req < host->request + HOST_REQUESTS_MAX;
         req++) {
        if (req->state == HOST_TIMED || req->state == HOST_ROOM) {
            request_free(req);
        }
    }
    for (req = host->request; req < host->request + HOST_REQUESTS_MAX;
         req++) {
        if (req->state == HOST_LENT_DRIVE) {
            disk_port_cancel(&req->disk_op, DISK_ABORTED);
        }
    }
    raid_controller_reset(host->ctl);
    host->outstanding = 0;
    host->unfetched = 0;
    host->responses = 0;
}

void host_requests_init(RaidHost *host)
{
    unsigned i;

    g_queue_init(&host->idle);
    g_queue_init(&host->wanting_room);
    for (i = 0; i < HOST_REQUESTS_MAX; i++) {
        HostRequest *req = &host->request[i];

        req->host = host;
        req->ev.fire = request_fire;
        req->link.data = req;
        g_queue_push_tail_link(&host->idle, &req->link);
    }
}
