/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Personality - the seam between what every card of the family does
 * (host.c, request.c: registers, queues, interrupt, reset) and what one
 * generation's packets mean.  Private to hw/asic.
 *
 * The life of a request:
 *
 *   FREE --post--> TIMED --execute()--> ROOM ---> TIMED ---> LENT
 *    ^                |                   |          ^         |
 *    |                v                   v          '--done---'
 *    '---- answered, dropped or reset ----'
 *
 * TIMED waits for its event, ROOM for buffer memory, LENT for a unit or a
 * drive.  A reset frees TIMED and ROOM at once; a LENT one is taken back, or,
 * should its done() come later, its generation is found old and it is only
 * freed.
 */
#ifndef HW_ASIC_PERSONALITY_H
#define HW_ASIC_PERSONALITY_H

#include <glib.h>

#include "hw/asic/host.h"

/*
 * Packets posted and answers not yet fetched share this many places, so an
 * answer always finds room.  Guess: the real depth is not public; drivers
 * keep at most 256.
 */
#define HOST_REQUESTS_MAX 256
#define HOST_PACKET_BYTES 512

typedef struct HostRequest HostRequest;
typedef void HostStep(HostRequest *req);

typedef enum HostRequestState {
    HOST_FREE, HOST_TIMED, HOST_ROOM, HOST_LENT_UNIT, HOST_LENT_DRIVE,
} HostRequestState;

struct HostRequest {
    RaidHost *host;
    HostRequestState state;
    uint32_t generation;
    GList link;                 /* in host->idle or host->wanting_room */
    SimEvent ev;
    HostStep *step;             /* what happens next */
    SimTime posted;
    uint64_t address;           /* of the packet */
    /* our copy; bytes past packet_bytes are zero */
    uint8_t packet[HOST_PACKET_BYTES];
    size_t packet_bytes;
    uint8_t *data;              /* from host_request_room() */
    size_t data_bytes;
    SimTime crossed;            /* write data, all of it */
    uint8_t answer;             /* held back while the firmware stalls */
    UnitOp unit_op;
    DiskOp disk_op;
    AtaTaskFile ata;
};

typedef struct Personality {
    const char *name;
    /* The packet at req->address is to be fetched and obeyed; in an event.
     * Must end in exactly one host_answer() or host_drop(), now or later. */
    HostStep *execute;
} Personality;

extern const Personality raid_gen1;

struct RaidHost {
    Sim *sim;
    RaidController *ctl;
    const Personality *personality;
    HostPort port;
    void *opaque;

    /* registers */
    uint32_t latched;           /* STATUS bits that stay until cleared */
    bool enabled;               /* the pin's gate */
    bool response_masked, command_masked;
    bool resetting;             /* READY is low */
    bool full;                  /* by trouble: the queue says it is */
    bool in_dma;                /* we are the one who drives the bus */
    bool irq;
    bool irq_lost;              /* by trouble: the pin has not seen it */
    SimTime reset_delay;
    SimEvent reset_ev, attention_ev;
    SimEvent bus_reset_ev;      /* one that our own DMA set off */

    /* queues */
    uint32_t generation;
    HostRequest request[HOST_REQUESTS_MAX];
    GQueue idle;
    unsigned outstanding;       /* posted and not yet answered */
    unsigned unfetched;         /* posted and not yet executed */
    uint8_t response[HOST_REQUESTS_MAX];
    unsigned response_first, responses;

    /* buffer memory */
    GQueue wanting_room;
    size_t room_used;

    uint8_t shutdown_notice;    /* parameter 0x404/2, kept for the host */
};

/* STATUS register */
#define STATUS_SBUF_ERROR               (1u << 3)
#define STATUS_COMMAND_EMPTY            (1u << 12)
#define STATUS_READY                    (1u << 13)
#define STATUS_RESPONSE_EMPTY           (1u << 14)
#define STATUS_COMMAND_FULL             (1u << 15)
#define STATUS_RESPONSE_INTERRUPT       (1u << 16)
#define STATUS_COMMAND_INTERRUPT        (1u << 17)
#define STATUS_ATTENTION                (1u << 18)
#define STATUS_HOST_INTERRUPT           (1u << 19)
#define STATUS_PCI_ABORT                (1u << 20)
#define STATUS_MICRO_ERROR              (1u << 21)
#define STATUS_QUEUE_ERROR              (1u << 22)
#define STATUS_PARITY_ERROR             (1u << 23)
#define STATUS_MINOR_SHIFT              24
#define STATUS_MAJOR_SHIFT              28

/* --- host.c: registers and the pin --- */

void host_latch(RaidHost *host, uint32_t bits);
void host_update_irq(RaidHost *host);

/* Tell that a guest was refused; id -1 when it is not known. */
void host_refuse(RaidHost *host, const char *word, int id, uint64_t value,
                 uint64_t limit);
/* The host reads one event; code NONE when there is none. */
RaidEvent host_take_event(RaidHost *host);

/* --- host-fault.c --- */

void host_fault_init(RaidHost *host);
void host_fault_clear(RaidHost *host);
/* The line would rise now; true: nobody sees that. */
bool host_fault_loses_irq(RaidHost *host);

/* --- request.c: what host.c asks --- */

void host_requests_init(RaidHost *host);
/* A packet was posted; a place is free. */
void host_request_new(RaidHost *host, uint64_t address);
/*
 * Nothing that was posted before goes on after this: no answer, no DMA.
 * Lent ops come back inside.  `why` is for the trace.
 */
void host_abandon(RaidHost *host, const char *why);

/* --- request.c: what a personality asks --- */

/* False: the bus had no such memory; the abort is latched. */
bool host_dma_read(RaidHost *host, uint64_t addr, void *buf, size_t len);
bool host_dma_write(RaidHost *host, uint64_t addr, const void *buf,
                    size_t len);

/* Call `step` at `due`, or forget it if a reset comes first. */
void host_request_at(HostRequest *req, SimTime due, HostStep *step);
/* Give the request `bytes` of data, then call `step`; waits its turn. */
void host_request_room(HostRequest *req, size_t bytes, HostStep *step);
/* Lend unit_op to a unit / disk_op to a port; `step` in an event after. */
void host_request_unit(HostRequest *req, unsigned unit, HostStep *step);
void host_request_drive(HostRequest *req, unsigned port, HostStep *step);
/* `step` in an event after an orderly shutdown of all units. */
void host_request_shutdown(HostRequest *req, HostStep *step);

/* The end: queue `id` as a response, or end without one. */
void host_answer(HostRequest *req, uint8_t id);
void host_drop(HostRequest *req);

#endif
