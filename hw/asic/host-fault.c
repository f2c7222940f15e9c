/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host, its trouble on order: errors in the status register, a queue that
 * says it is full, firmware that hangs.
 *
 * How drivers of the public lists take the errors: Linux clears the one it
 * saw and goes on, but a microcontroller error ends in a reset; FreeBSD
 * clears parity and abort, and resets at once for the microcontroller; the
 * others can clear a queue or SBUF error by a reset only.
 */
#include "disk-model/world/fault.h"
#include "hw/asic/personality.h"

static uint32_t status_bits(FaultWhat what)
{
    switch (what) {
    case FAULT_PARITY:
        return STATUS_PARITY_ERROR;
    case FAULT_PCI_ABORT:
        return STATUS_PCI_ABORT;
    case FAULT_QUEUE_ERROR:
        return STATUS_QUEUE_ERROR;
    case FAULT_SBUF:
        return STATUS_SBUF_ERROR;
    case FAULT_MICROCONTROLLER:
        return STATUS_MICRO_ERROR;
    default:
        g_assert_not_reached();
    }
}

static void act(void *opaque, const FaultAct *act)
{
    RaidHost *host = opaque;

    switch (act->what) {
    case FAULT_CARD_HANG:
        raid_controller_stall(host->ctl, SIM_NEVER);
        break;
    case FAULT_QUEUE_FULL:
        host->full = !act->over;
        host_update_irq(host);
        break;
    case FAULT_PCI_ABORT:
        if (host->port.pci_abort) {
            host->port.pci_abort(host->opaque);
        }
        /* fall through */
    default:
        host_latch(host, status_bits(act->what));
        break;
    }
}

bool host_fault_loses_irq(RaidHost *host)
{
    return fault_any(host->sim) &&
           fault_ask_host(host->sim, FAULT_LOST_INTERRUPT);
}

void host_fault_init(RaidHost *host)
{
    fault_on_act(host->sim, FAULT_ACTOR_HOST, act, host);
}

void host_fault_clear(RaidHost *host)
{
    fault_on_act(host->sim, FAULT_ACTOR_HOST, NULL, NULL);
}
