/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fault: rules in the order they were given; every one that fits an op
 * strikes.
 */
#include <string.h>

#include "disk-model/world/fault-private.h"

bool fault_order(Sim *sim, const char *line, GError **error)
{
    FaultRule rule;

    if (!fault_read(line, sim->now, &rule, error)) {
        return false;
    }
    if (!sim->faults) {
        sim->faults = g_new0(SimFaults, 1);
        sim->faults->chance = sim->chance[0] | 1;
    }
    if (sim->faults->rules == FAULT_RULES_MAX) {
        return fault_wrong(error, "fault: there are %d rules already; clear "
                           "some", FAULT_RULES_MAX);
    }
    sim->faults->rule[sim->faults->rules++] = rule;
    return true;
}

/* --- the question --------------------------------------------------------- */

bool fault_any(const Sim *sim)
{
    return sim->faults;
}

static void drop_rule(SimFaults *faults, unsigned index)
{
    faults->rules--;
    memmove(&faults->rule[index], &faults->rule[index + 1],
            (faults->rules - index) * sizeof(FaultRule));
}

/* xorshift64*, as published by Vigna (2016); of rules alone. */
static bool chance_strikes(SimFaults *faults, double chance)
{
    uint64_t x = faults->chance;

    if (chance >= 1) {
        return true;
    }
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    faults->chance = x;
    return (double)((x * 0x2545f4914f6cdd1dull) >> 11) * 0x1p-53 < chance;
}

static bool fits(const FaultRule *rule, const FaultAsk *ask, SimTime now)
{
    bool whole = rule->first == 0 && rule->last == UINT64_MAX;
    bool meets = ask->count && ask->first <= rule->last &&
                 rule->first - MIN(ask->first, rule->first) < ask->count;

    return rule->port == ask->port && (rule->on & ask->on) &&
           now >= rule->from && now < rule->until && (whole || meets);
}

static void strike(const FaultRule *rule, const FaultAsk *ask,
                   FaultAnswer *answer)
{
    uint64_t at = MAX(ask->first, rule->first);

    switch (rule->what) {
    case FAULT_BAD:
        answer->at = answer->bad ? MIN(answer->at, at) : at;
        answer->bad = true;
        break;
    case FAULT_SLOW:
        answer->more_ns += rule->ns;
        break;
    case FAULT_HANG:
        answer->hang = true;
        break;
    case FAULT_DEAD:
        answer->dead = true;
        break;
    case FAULT_STALE:
        answer->stale = true;
        break;
    case FAULT_FLIP:
        answer->flip = true;
        answer->flip_at = at;
        break;
    case FAULT_WHATS:
        break;
    }
}

FaultAnswer fault_ask(Sim *sim, const FaultAsk *ask)
{
    SimFaults *faults = sim->faults;
    FaultAnswer answer = { 0 };

    for (unsigned i = 0; faults && i < faults->rules;) {
        FaultRule *rule = &faults->rule[i];

        if (!fits(rule, ask, sim->now) ||
            (rule->what == FAULT_FLIP && answer.flip)) {
            i++;                /* one bit an op; the next is not lost */
        } else if (rule->after) {
            rule->after--;
            i++;
        } else if (!chance_strikes(faults, rule->chance)) {
            i++;
        } else {
            strike(rule, ask, &answer);
            if (rule->times && !--rule->times) {
                drop_rule(faults, i);
            } else {
                i++;
            }
        }
    }
    return answer;
}

/* What is left of the rule on both sides of what was written. */
void fault_written(Sim *sim, unsigned port, uint64_t first, uint64_t count)
{
    SimFaults *faults = sim->faults;
    FaultAsk written = { port, FAULT_ON_READ, first, count };

    for (unsigned i = 0; faults && i < faults->rules;) {
        FaultRule *rule = &faults->rule[i];
        FaultRule above = *rule;

        if (rule->what != FAULT_BAD || rule->always ||
            !fits(rule, &written, sim->now)) {
            i++;
            continue;
        }
        above.first = first + count;
        if (rule->first < first) {
            rule->last = first - 1;
            i++;
        } else {
            drop_rule(faults, i);
        }
        if (above.first <= above.last && faults->rules < FAULT_RULES_MAX) {
            memmove(&faults->rule[i + 1], &faults->rule[i],
                    (faults->rules - i) * sizeof(FaultRule));
            faults->rule[i++] = above;
            faults->rules++;
        }
    }
}

/* --- what there is -------------------------------------------------------- */

void fault_list(const Sim *sim, GString *out)
{
    for (unsigned i = 0; sim->faults && i < sim->faults->rules; i++) {
        fault_write(&sim->faults->rule[i], out);
    }
}

void fault_clear(Sim *sim)
{
    g_clear_pointer(&sim->faults, g_free);
}
