/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leave - an orderly shutdown: every unit is flushed, and if nobody has
 * written to it meanwhile it is marked clean; when all of that is on the
 * drives, whoever asked is told.
 */
#include <stddef.h>

#include "raid-model/control/controller-private.h"

static bool unit_has_left(const CtlUnit *own)
{
    return !own->unit || (!own->flushing && config_is_recorded(own));
}

void leave_check(RaidController *ctl)
{
    if (!ctl->leave->len) {
        return;
    }
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (!unit_has_left(&ctl->unit[i])) {
            return;
        }
    }
    sim_after(ctl->sim, &ctl->leave_ev, 0);
}

/* Those that came meanwhile wait for their own flush. */
static void tell(RaidController *ctl)
{
    GArray *all = ctl->leave;

    ctl->leave = g_array_new(FALSE, FALSE, sizeof(CtlLeave));
    for (unsigned i = 0; i < all->len; i++) {
        CtlLeave *leave = &g_array_index(all, CtlLeave, i);

        leave->done(leave->opaque);
    }
    g_array_unref(all);
}

static void leave_fire(SimEvent *ev)
{
    tell((RaidController *)((char *)ev - offsetof(RaidController, leave_ev)));
}

static void flush(RaidController *ctl, CtlUnit *own);

static void flushed(UnitOp *op)
{
    CtlUnit *own = (CtlUnit *)((char *)op - offsetof(CtlUnit, flush));
    RaidController *ctl = op->opaque;

    own->flushing = false;
    if (own->reflush) {
        flush(ctl, own);
        return;
    }
    if (op->status == UNIT_OK && own->leaving && own->record.kept &&
        own->dcb.flags & DCB_UNCLEAN && raid_unit_is_idle(own->unit) &&
        !own->record.waiting.head) {
        own->dcb.flags &= ~DCB_UNCLEAN;
        own->record.shut = own->attend = true;
        raid_config_changed(ctl, own->number);
    }
    leave_check(ctl);
}

static void flush(RaidController *ctl, CtlUnit *own)
{
    own->flushing = true;
    own->reflush = false;
    own->flush = (UnitOp) { .verb = UNIT_FLUSH, .done = flushed,
                            .opaque = ctl };
    raid_controller_submit(ctl, own->number, &own->flush);
}

void raid_controller_shutdown(RaidController *ctl,
                              void (*done)(void *opaque), void *opaque)
{
    CtlLeave leave = { done, opaque };

    sim_cancel(ctl->sim, &ctl->leave_ev);       /* the others wait for us */
    g_array_append_val(ctl->leave, leave);
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        CtlUnit *own = &ctl->unit[i];

        own->leaving = own->attend = own->unit != NULL;
        if (own->unit && own->flushing) {
            own->reflush = true;
        } else if (own->unit) {
            flush(ctl, own);
        }
    }
    leave_check(ctl);
}

void leave_init(RaidController *ctl)
{
    ctl->leave = g_array_new(FALSE, FALSE, sizeof(CtlLeave));
    ctl->leave_ev.fire = leave_fire;
}

void leave_reset_begin(CtlUnit *own)
{
    own->leaving = own->reflush = false;
}

void leave_reset_end(RaidController *ctl)
{
    sim_cancel(ctl->sim, &ctl->leave_ev);
    tell(ctl);
}
