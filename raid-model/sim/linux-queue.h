/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux queue - the block layer's request queue of Linux 2.6.10 with its
 * anticipatory elevator, in front of a driver that takes many commands.
 *
 *   linux_queue_add -> merged, sorted -> linux_queue_run -> send -> ended
 *
 * Neighbouring pieces of one direction become one request.  Requests leave
 * in C-LOOK order, one direction at a time: a batch of reads or writes lasts
 * until its time is over while the other direction waits, the card is
 * drained between two batches, and after a read the elevator waits a moment
 * for the next one before it lets writes go.  Not modelled: the elevator's
 * statistics of each process, deadlines of single requests.
 *
 * Source: documentation and behaviour of Linux 2.6.10 (Documentation/block/
 * as-iosched.txt); the driver's constants are those of 3w-xxxx.h.
 */
#ifndef RAID_SIM_LINUX_QUEUE_H
#define RAID_SIM_LINUX_QUEUE_H

#include "raid-model/sim/host.h"

typedef struct LinuxQueuePlan {
    uint32_t sectors_max;       /* of one request */
    unsigned requests_max;      /* of one direction, waiting or on the card */
    unsigned commands_max;      /* on the card, both directions */
    SimTime read_batch, write_batch;    /* while the other direction waits */
    SimTime anticipation;       /* after a read, before writes go */
} LinuxQueuePlan;

/*
 * 256 sectors and 254 commands: measured, 3w-xxxx.h.  The rest are the
 * kernel's defaults: nr_requests 128, batches of 500 and 125 ms,
 * anticipation 1/150 s.
 */
extern const LinuxQueuePlan linux_queue_3w_xxxx;

typedef struct LinuxQueue LinuxQueue;

/* Gives `op` to what lies below; op->done() comes later. */
typedef void LinuxSend(void *below, HostOp *op);
/* Sectors lba.. of `op` have been read or written, or op->status says why
 * not. */
typedef void LinuxEnded(void *above, const UnitOp *op);

LinuxQueue *linux_queue_new(Sim *sim, const LinuxQueuePlan *plan,
                            LinuxSend *send, void *below,
                            LinuxEnded *ended, void *above);
void linux_queue_free(LinuxQueue *queue);       /* nothing on the card */

/* False: no request is free; nothing was taken.  Sends nothing yet. */
bool linux_queue_add(LinuxQueue *queue, UnitVerb verb, uint64_t lba,
                     uint32_t sectors);
/* Sends what may go: the kernel's unplug. */
void linux_queue_run(LinuxQueue *queue);

/* So many requests are taken that pdflush keeps away (7/8 of them, until
 * less than 13/16 are). */
bool linux_queue_congested(const LinuxQueue *queue, UnitVerb verb);
unsigned linux_queue_on_card(const LinuxQueue *queue);

#endif
