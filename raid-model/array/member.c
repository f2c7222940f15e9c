/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit, its members - who takes part in it, the state that makes, and the
 * beginning and end of the unit itself.
 *
 *              join                rebuilt to the end
 *   (absent) --------> stale ----------------------------> good
 *       ^________________/___________________________________/
 *                             lost
 */
#include "raid-model/array/unit-private.h"

static const char *const state_words[] = {
    [RAID_UNIT_OK] = "ok",
    [RAID_UNIT_DEGRADED] = "degraded",
    [RAID_UNIT_INOPERABLE] = "inoperable",
};

/* --- members and states -------------------------------------------------- */

static UnitState state_now(const RaidUnit *unit)
{
    uint32_t all = (1u << unit->rows.shape.members) - 1;

    if (!raid_rows_operable(&unit->rows)) {
        return RAID_UNIT_INOPERABLE;
    }
    return unit->rows.good == all ? RAID_UNIT_OK : RAID_UNIT_DEGRADED;
}

void unit_note_state(RaidUnit *unit)
{
    UnitState before = unit->state;

    unit->state = state_now(unit);
    if (unit->state != before) {
        sim_trace(unit->sim, SIM_TRACE_UNIT_STATE, state_words[unit->state],
                  unit->number, before, unit->state);
    }
}

void raid_unit_lose_member(RaidUnit *unit, unsigned member)
{
    g_assert(member < unit->rows.shape.members);
    if (!raid_unit_member_present(unit, member)) {
        return;
    }
    unit->rows.present &= ~(1u << member);
    unit->rows.good &= ~(1u << member);
    raid_lane_close(&unit->rows.lane[member]);
    unit_note_state(unit);
    if (unit->listener->member_lost) {
        unit->listener->member_lost(unit->opaque, unit, member, unit->state);
    }
    unit_task_lost_member(unit, member);
}

void raid_unit_reset_drive(RaidUnit *unit, unsigned member, bool again)
{
    raid_lane_reset_drive(&unit->rows.lane[member], again);
}

bool raid_unit_can_join(const RaidUnit *unit, unsigned member)
{
    return !raid_unit_member_present(unit, member) &&
           !unit->rows.waiting[member];
}

bool raid_unit_join_member(RaidUnit *unit, unsigned member, DiskPort *port)
{
    RaidRows *rows = &unit->rows;

    g_assert(member < rows->shape.members && port);
    if (!raid_unit_can_join(unit, member)) {
        return false;
    }
    raid_lane_clear(&rows->lane[member]);
    raid_lane_init(&rows->lane[member], unit->sim, rows->card, port);
    rows->port[member] = port;
    rows->present |= 1u << member;
    return true;
}

static void row_lost_member(RaidRows *rows, unsigned member)
{
    raid_unit_lose_member((RaidUnit *)rows, member);
}

static void row_repaired(RaidRows *rows, unsigned member)
{
    RaidUnit *unit = (RaidUnit *)rows;

    if (unit->listener->sector_repaired) {
        unit->listener->sector_repaired(unit->opaque, unit, member);
    }
}

static void row_medium_error(RaidRows *rows, unsigned member)
{
    RaidUnit *unit = (RaidUnit *)rows;

    if (unit->listener->medium_error) {
        unit->listener->medium_error(unit->opaque, unit, member);
    }
}

static void row_overwrote(RaidRows *rows, unsigned member)
{
    unit_task_overwrote((RaidUnit *)rows, member);
}

/* --- life ---------------------------------------------------------------- */

static void hold_lanes(RaidUnit *unit, bool hold)
{
    for (unsigned m = 0; m < unit->rows.shape.members; m++) {
        raid_lane_hold(&unit->rows.lane[m], hold);
    }
}

static void end_everything(RaidUnit *unit, bool carry_through)
{
    g_assert(!unit->rows.resetting);
    unit->rows.resetting = true;
    hold_lanes(unit, true);
    unit_end_all(unit, carry_through);
    hold_lanes(unit, false);
    unit->rows.resetting = false;
}

void raid_unit_reset(RaidUnit *unit)
{
    end_everything(unit, true);
    unit_task_was_reset(unit);
}

void raid_unit_power_cut(RaidUnit *unit)
{
    raid_unit_task_stop(unit);
    end_everything(unit, false);
}

RaidUnit *raid_unit_new(Sim *sim, unsigned number, const RaidShape *shape,
                        RaidCard *card, DiskPort *const *ports,
                        const RaidUnitListener *listener, void *opaque)
{
    static const RaidUnitListener nobody;
    RaidUnit *unit = g_new0(RaidUnit, 1);

    g_assert(shape->members <= RAID_MEMBERS_MAX);
    raid_rows_init(&unit->rows, sim, shape, card, ports);
    unit->rows.lost = row_lost_member;
    unit->rows.repaired = row_repaired;
    unit->rows.medium_error = row_medium_error;
    unit->rows.overwrote = row_overwrote;
    unit->rows.sent = unit_row_sent;
    unit->rows.ended = unit_row_ended;
    unit->run_over.fire = unit_run_over;
    unit->sim = sim;
    unit->number = number;
    unit->listener = listener ? listener : &nobody;
    unit->opaque = opaque;
    unit->state = state_now(unit);
    unit_task_init(unit);
    return unit;
}

void raid_unit_free(RaidUnit *unit)
{
    if (!unit) {
        return;
    }
    g_assert(!unit->ops.head);
    raid_unit_power_cut(unit);
    raid_rows_clear(&unit->rows);
    g_free(unit);
}

const RaidShape *raid_unit_shape(const RaidUnit *unit)
{
    return &unit->rows.shape;
}

UnitState raid_unit_state(const RaidUnit *unit)
{
    return unit->state;
}

DiskPort *raid_unit_port(const RaidUnit *unit, unsigned member)
{
    return unit->rows.port[member];
}

bool raid_unit_member_present(const RaidUnit *unit, unsigned member)
{
    return unit->rows.present >> member & 1;
}

bool raid_unit_member_stale(const RaidUnit *unit, unsigned member)
{
    return (unit->rows.present & ~unit->rows.good) >> member & 1;
}

void raid_unit_set_policy(RaidUnit *unit, bool ignore_ecc)
{
    unit->rows.ignore_ecc = ignore_ecc;
}
