/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assemble: which copy of a drive counts, which drives belong together,
 * which block of those has the say, and what it says of each.
 */
#include "raid-model/control/assemble.h"

#include <glib.h>
#include <string.h>

static const struct {
    const char *word, *line;
} words[RAID_CLAIMS] = {
    [RAID_CLAIM_EMPTY] = { "empty", "no drive" },
    [RAID_CLAIM_BLANK] = { "blank", "in no unit" },
    [RAID_CLAIM_MEMBER] = { "good", "a member" },
    [RAID_CLAIM_REBUILDING] = { "rebuilding", "a member, not yet rebuilt" },
    [RAID_CLAIM_STALE] = { "stale",
        "a member the others went on without; it needs a rebuild" },
    [RAID_CLAIM_SPARE] = { "spare", "a hot spare" },
    [RAID_CLAIM_DAMAGED] = { "damaged", "no copy of its block is intact" },
    [RAID_CLAIM_NEWER] = { "newer",
        "its block is of a later version; left alone" },
    [RAID_CLAIM_SHRUNK] = { "shrunk",
        "smaller than when its block was written; left alone" },
    [RAID_CLAIM_DUPLICATE] = { "duplicate",
        "another drive is the same member; left alone" },
    [RAID_CLAIM_FOREIGN] = { "foreign",
        "names a unit of the same id and another shape; left alone" },
};

const char *raid_claim_word(RaidClaim claim)
{
    return words[claim].word;
}

const char *raid_claim_line(RaidClaim claim)
{
    return words[claim].line;
}

void raid_found_read(RaidFound *found, uint64_t sectors,
                     const void *const block[DCB_COPIES])
{
    found->drive = true;
    found->sectors = sectors;
    for (unsigned copy = 0; copy < DCB_COPIES; copy++) {
        found->copy[copy] = dcb_read(block[copy], &found->dcb[copy]);
    }
}

/* --- one drive ----------------------------------------------------------- */

static bool has_copy(const RaidFound *found, DcbVerdict verdict)
{
    return found->copy[0] == verdict || found->copy[1] == verdict;
}

/* The newer of what is intact. */
static const Dcb *best_copy(const RaidFound *found)
{
    const Dcb *best = NULL;

    for (unsigned copy = 0; copy < DCB_COPIES; copy++) {
        if (found->copy[copy] == DCB_GOOD &&
            (!best || found->dcb[copy].sequence > best->sequence)) {
            best = &found->dcb[copy];
        }
    }
    return best;
}

/* MEMBER stands for "has a say" until the units are known. */
static RaidClaim first_look(const RaidFound *found, Dcb *own)
{
    const Dcb *best = best_copy(found);

    if (!found->drive) {
        return RAID_CLAIM_EMPTY;
    }
    if (has_copy(found, DCB_NEWER)) {
        return RAID_CLAIM_NEWER;
    }
    if (!best) {
        return has_copy(found, DCB_DAMAGED) ? RAID_CLAIM_DAMAGED
                                            : RAID_CLAIM_BLANK;
    }
    *own = *best;
    if (found->sectors < best->drive_sectors) {
        return RAID_CLAIM_SHRUNK;
    }
    if (best->level) {
        return RAID_CLAIM_MEMBER;
    }
    return best->flags & (DCB_DELETED | DCB_FORMING) ? RAID_CLAIM_BLANK
                                                     : RAID_CLAIM_SPARE;
}

/* --- one unit ------------------------------------------------------------ */

static bool has_a_say(const RaidAssembly *all, unsigned port)
{
    return all->claim[port] == RAID_CLAIM_MEMBER ||
           (all->claim[port] == RAID_CLAIM_SHRUNK && all->own[port].level);
}

static bool is_newer(const Dcb *a, const Dcb *b)
{
    return a->sequence != b->sequence ? a->sequence > b->sequence
                                      : a->member < b->member;
}

static bool same_shape(const Dcb *a, const Dcb *b)
{
    return a->level == b->level && a->members == b->members &&
           a->stripe_sectors == b->stripe_sectors &&
           a->member_sectors == b->member_sectors;
}

/* Gathers what bears `id` under the next unit's number; the newest. */
static const Dcb *gather(RaidAssembly *all, unsigned ports, const uint8_t *id)
{
    const Dcb *newest = NULL;

    for (unsigned port = 0; port < ports; port++) {
        const Dcb *own = &all->own[port];

        if (has_a_say(all, port) && !memcmp(own->id, id, DCB_ID_BYTES)) {
            all->unit_of[port] = (int)all->units;
            newest = !newest || is_newer(own, newest) ? own : newest;
        }
    }
    return newest;
}

/* No unit, or none any more: its drives are free. */
static void dissolve(RaidAssembly *all, unsigned ports)
{
    for (unsigned port = 0; port < ports; port++) {
        if (all->unit_of[port] == (int)all->units) {
            all->unit_of[port] = RAID_NOBODY;
            all->claim[port] = RAID_CLAIM_BLANK;
        }
    }
}

/* None of its drives can be used. */
static void leave_alone(RaidAssembly *all, unsigned ports)
{
    for (unsigned port = 0; port < ports; port++) {
        if (all->unit_of[port] == (int)all->units) {
            all->unit_of[port] = RAID_NOBODY;
        }
    }
}

static bool is_the_one_recorded(const RaidAssembled *unit, const Dcb *own)
{
    return !strcmp(unit->dcb.at[own->member].serial,
                   own->at[own->member].serial);
}

/* Whether `a` rather than `b` is that member; both say so. */
static bool goes_first(const RaidAssembled *unit, const Dcb *a, const Dcb *b)
{
    bool one = is_the_one_recorded(unit, a);

    return one != is_the_one_recorded(unit, b) ? one
                                               : a->sequence > b->sequence;
}

static RaidClaim claim_of(const RaidAssembled *unit, const Dcb *own)
{
    const DcbMember *at = &unit->dcb.at[own->member];

    if (at->state == DCB_MISSING || own->sequence < at->since) {
        return RAID_CLAIM_STALE;
    }
    return at->state == DCB_PRESENT ? RAID_CLAIM_MEMBER
                                    : RAID_CLAIM_REBUILDING;
}

static void seat(RaidAssembly *all, RaidAssembled *unit, unsigned port)
{
    const Dcb *own = &all->own[port];
    unsigned member = own->member;

    if (!same_shape(own, &unit->dcb)) {
        all->claim[port] = RAID_CLAIM_FOREIGN;
    }
    if (all->claim[port] != RAID_CLAIM_MEMBER) {
        return;
    }
    if (unit->port[member] == RAID_NOBODY) {
        unit->port[member] = (int)port;
    } else if (goes_first(unit, own, &all->own[unit->port[member]])) {
        all->claim[unit->port[member]] = RAID_CLAIM_DUPLICATE;
        unit->port[member] = (int)port;
    } else {
        all->claim[port] = RAID_CLAIM_DUPLICATE;
    }
}

static void judge_members(RaidAssembly *all, RaidAssembled *unit)
{
    for (unsigned m = 0; m < unit->dcb.members; m++) {
        int port = unit->port[m];
        RaidClaim claim;

        if (port == RAID_NOBODY) {
            continue;
        }
        claim = claim_of(unit, &all->own[port]);
        all->claim[port] = claim;
        all->member_of[port] = (int)m;
        unit->good |= (uint32_t)(claim == RAID_CLAIM_MEMBER) << m;
        unit->rebuilding |= (uint32_t)(claim == RAID_CLAIM_REBUILDING) << m;
        unit->stale |= (uint32_t)(claim == RAID_CLAIM_STALE) << m;
    }
    unit->operable = dcb_operable(&unit->dcb, unit->good);
}

static bool is_even(const RaidFound *found, const Dcb *newest)
{
    for (unsigned copy = 0; copy < DCB_COPIES; copy++) {
        if (found->copy[copy] != DCB_GOOD ||
            found->dcb[copy].sequence != newest->sequence) {
            return false;
        }
    }
    return true;
}

static void compare_copies(const RaidFound *found, RaidAssembled *unit)
{
    for (unsigned m = 0; m < unit->dcb.members; m++) {
        unit->uneven |= (unit->good | unit->rebuilding) >> m & 1 &&
                        !is_even(&found[unit->port[m]], &unit->dcb);
    }
}

static void form(const RaidFound *found, RaidAssembly *all, unsigned ports,
                 const Dcb *newest)
{
    RaidAssembled *unit = &all->unit[all->units];

    *unit = (RaidAssembled) { .dcb = *newest };
    for (unsigned m = 0; m < RAID_MEMBERS_MAX; m++) {
        unit->port[m] = RAID_NOBODY;
    }
    for (unsigned port = 0; port < ports; port++) {
        if (all->unit_of[port] == (int)all->units) {
            seat(all, unit, port);
        }
    }
    judge_members(all, unit);
    compare_copies(found, unit);
    if (unit->good | unit->rebuilding | unit->stale) {
        all->units++;
    } else {
        leave_alone(all, ports);
    }
}

void raid_assemble(const RaidFound *found, unsigned ports, RaidAssembly *all)
{
    g_assert(ports <= RAID_FOUND_MAX);
    memset(all, 0, sizeof(*all));
    for (unsigned port = 0; port < RAID_FOUND_MAX; port++) {
        all->unit_of[port] = all->member_of[port] = RAID_NOBODY;
        all->claim[port] = port < ports
            ? first_look(&found[port], &all->own[port]) : RAID_CLAIM_EMPTY;
    }
    for (unsigned port = 0; port < ports; port++) {
        const Dcb *newest;

        if (all->unit_of[port] != RAID_NOBODY || !has_a_say(all, port)) {
            continue;
        }
        newest = gather(all, ports, all->own[port].id);
        if (newest->flags & (DCB_FORMING | DCB_DELETED)) {
            dissolve(all, ports);
        } else {
            form(found, all, ports, newest);
        }
    }
}
