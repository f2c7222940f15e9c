/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver - a small guest driver in verbs.  What each real driver does with
 * the card is driver-os.c; this is what they have in common.
 *
 * Every verb checks what must always hold: STATUS has only legal bits and
 * agrees with the pin; a response names a request that is out, once; the
 * answer changes nothing in the packet but its status, flags and (pass-
 * through) registers; the card writes nowhere else (guest-bus.h, allow).
 */
#ifndef TESTS_GUEST_DRIVER_H
#define TESTS_GUEST_DRIVER_H

#include "tests/guest/guest-bus.h"
#include "tests/guest/packet.h"

/* Registers, and the values drivers write */
enum { REG_CONTROL = 0, REG_STATUS = 4, REG_COMMAND = 8, REG_RESPONSE = 12 };

#define CONTROL_DISABLE         0x00000040u
#define CONTROL_ENABLE          0x00000080u
#define CONTROL_CLEAR_ERRORS    0x00000200u
#define CONTROL_UNMASK_RESPONSE 0x00004000u
#define CONTROL_UNMASK_COMMAND  0x00008000u
#define CONTROL_MASK_RESPONSE   0x00010000u
#define CONTROL_MASK_COMMAND    0x00020000u
#define CONTROL_ACK_ATTENTION   0x00040000u
#define CONTROL_ACK_HOST        0x00080000u
#define CONTROL_ISSUE_HOST      0x00000020u
#define CONTROL_CLEAR_ABORT     0x00100000u
#define CONTROL_CLEAR_QUEUE     0x00400000u
#define CONTROL_SOFT_RESET      0x000f0340u     /* as every driver does it */
#define CONTROL_FINAL_ENABLE    0x00044080u

#define STATUS_COMMAND_EMPTY    0x00001000u
#define STATUS_READY            0x00002000u
#define STATUS_RESPONSE_EMPTY   0x00004000u
#define STATUS_COMMAND_FULL     0x00008000u
#define STATUS_RESPONSE_INT     0x00010000u
#define STATUS_COMMAND_INT      0x00020000u
#define STATUS_ATTENTION        0x00040000u
#define STATUS_HOST             0x00080000u
#define STATUS_PCI_ABORT        0x00100000u
#define STATUS_QUEUE_ERROR      0x00400000u
#define STATUS_UNEXPECTED       0x00f00008u     /* errors, as Linux counts */
#define STATUS_MINE             0x00df0008u     /* Linux: my interrupt */

#define DRIVER_IDS 256
#define DRIVER_EVENTS 64
#define DRIVER_UNITS 16

/* As long as the slowest driver gives a command. */
#define DRIVER_PATIENCE GUEST_S(60)

typedef enum DriverOs {
    LINUX_6, LINUX_24, FREEBSD, NETBSD, OPENBSD_2001, OPENBSD_2015,
    DRIVER_OSES
} DriverOs;

typedef struct DriverRequest {
    bool out;                   /* posted, not answered */
    bool answered;
    uint64_t addr;
    Packet posted;
    uint16_t answer;            /* status << 8 | flags */
} DriverRequest;

typedef struct Driver {
    GuestBus *bus;
    DriverOs os;
    DriverRequest request[DRIVER_IDS];
    uint64_t packets;           /* 512 bytes for each id */
    uint64_t blocks;            /* and a parameter block for each */
    unsigned out;               /* how many are */
    bool enabled;               /* what we told the card */
    uint32_t errors_expected;   /* STATUS bits a test provokes */
    uint16_t event[DRIVER_EVENTS];      /* in the order read */
    unsigned events;
    unsigned attentions;        /* interrupts that had one */
    bool reading_event;
    int pending[DRIVER_IDS];    /* ids that wait for a command interrupt */
    unsigned pendings;
    /* found at attach */
    uint32_t units;             /* mask */
    uint32_t capacity[DRIVER_UNITS];    /* sectors, as the card says */
} Driver;

Driver *driver_new(GuestBus *bus);
void driver_free(Driver *d);

/* --- registers --- */

uint32_t driver_status(Driver *d);
void driver_control(Driver *d, uint32_t value);

/* The machine is reset under us. */
void driver_bus_reset(Driver *d);

/* --- commands --- */

/* Forget all that is out: the card was told to, too. */
void driver_forget(Driver *d);
unsigned driver_free_id(const Driver *d);
/* Post with this id, in the id's own memory or at `addr`. */
void driver_post(Driver *d, unsigned id, const Packet *packet);
void driver_post_at(Driver *d, unsigned id, const Packet *packet,
                    uint64_t addr);
/* Take one response that is there; returns its id. */
unsigned driver_pop(Driver *d);
/* Poll until the answer is there. */
uint16_t driver_wait(Driver *d, unsigned id);
void driver_wait_all(Driver *d);
uint16_t driver_call(Driver *d, const Packet *packet);
/* Time passes; there must be no response. */
void driver_expect_silence(Driver *d, int64_t ns);

/* --- what they are used for --- */

uint16_t driver_read(Driver *d, unsigned unit, uint32_t lba, unsigned count,
                     uint64_t addr);
uint16_t driver_write(Driver *d, unsigned unit, uint32_t lba, unsigned count,
                      uint64_t addr);
/* `bytes` of the parameter to `value`, which may be NULL */
uint16_t driver_get_param(Driver *d, unsigned table, unsigned parameter,
                          void *value, unsigned bytes);
uint16_t driver_set_param(Driver *d, unsigned table, unsigned parameter,
                          const void *value, unsigned bytes);
/* Pop one event; 0 when there is none. */
uint16_t driver_read_event(Driver *d);
/* The card must still work: a parameter and, on a unit, a write and read. */
void driver_expect_alive(Driver *d);

/* --- as a given driver: driver-os.c --- */

/* Reset and drain events until 0, as that driver does; `event[]` grows. */
void driver_reset(Driver *d, DriverOs os);
/* All of it up to the final enable and the scan for units. */
void driver_attach(Driver *d, DriverOs os);
void driver_detach(Driver *d);
/* One call of the interrupt handler. */
void driver_interrupt(Driver *d);
/* Post by the driver's way and serve interrupts until it is answered. */
uint16_t driver_io(Driver *d, const Packet *packet);
/* Serve interrupts for so long. */
void driver_serve(Driver *d, int64_t ns);

#endif
