/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host - the computer's side of one unit: its disk queue, and below it a
 * driver that keeps so many commands on the card.
 *
 *   host_submit -> disk queue -> driver -> card's firmware ...
 *     read   ... -> unit -> host bus -> done
 *     write  ... -> host bus -> unit -> done
 *
 * When a command ends, the driver starts the next one in the queue before
 * the application hears of it: a load that keeps N requests going lets the
 * queue choose among N-1 (Windows 2000's port driver works so).
 *
 * Allocates only when the queue grows longer than ever before.
 */
#ifndef RAID_SIM_HOST_H
#define RAID_SIM_HOST_H

#include "raid-model/control/controller.h"

typedef struct Host Host;
typedef struct HostOp HostOp;

typedef enum HostOrder {
    HOST_FIFO,
    /*
     * Windows 2000: inserted by first sector, taken out next higher first,
     * from the lowest again when there is none (KeInsertByKeyDeviceQueue).
     */
    HOST_SORTED,
} HostOrder;

typedef struct HostPlan {
    HostOrder order;
    unsigned commands_max;      /* on the card at once; 0: no limit */
    unsigned polls_above;       /* so many on the card, the driver asks it */
    SimTime poll_ns;            /* without pause: that holds the card's
                                 * memory so long for each; 0: never */
} HostPlan;

/*
 * Lent from host_submit() to done(), which comes once, later, never from
 * inside host_submit(); done() may submit again.  The caller fills op's
 * verb, lba, count, buf, flags, and done and opaque here; op's own done and
 * opaque are the host's.  Afterwards op.status and op.bad_lba are right.
 */
struct HostOp {
    UnitOp op;
    void (*done)(HostOp *op);
    void *opaque;
    SimTime asked;              /* when it was submitted */
    /*< private >*/
    SimEvent ev;
    Host *host;
    unsigned state;
    SimTime entered;            /* the present state */
    SimTime crossed;            /* a write's data, all of it */
};

typedef struct HostSums {       /* nanoseconds, over all requests */
    double queue_ns, firmware_ns, bus_ns, unit_ns;
} HostSums;

/* Several hosts may share a controller, one for each unit in use. */
Host *host_new(RaidController *ctl, unsigned unit, const HostPlan *plan);
void host_free(Host *host);             /* nothing may be lent to it */

void host_submit(Host *host, HostOp *op);
unsigned host_waiting(const Host *host);        /* in the disk queue */
const HostSums *host_sums(const Host *host);

#endif
