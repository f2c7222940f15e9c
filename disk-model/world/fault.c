/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fault: rules in the order they were given; every one that fits an op
 * strikes.  Acts have one event, for the next that is due.
 */
#include <stddef.h>
#include <string.h>

#include "disk-model/world/fault-private.h"

static void drop_rule(SimFaults *faults, unsigned index)
{
    faults->rules--;
    memmove(&faults->rule[index], &faults->rule[index + 1],
            (faults->rules - index) * sizeof(FaultRule));
}

/* --- acts ----------------------------------------------------------------- */

void fault_on_act(Sim *sim, FaultActor actor,
                  void (*act)(void *opaque, const FaultAct *act),
                  void *opaque)
{
    G_STATIC_ASSERT(FAULT_ACTORS == SIM_ACTORS);
    sim->actor[actor] = (SimActor) { act, opaque };
}

static SimTime act_due(const FaultRule *rule)
{
    return !fault_actor(rule) || rule->after ? SIM_NEVER
        : rule->begun ? rule->until : rule->from;
}

static void arm_acts(SimFaults *faults)
{
    SimTime due = SIM_NEVER;

    for (unsigned i = 0; i < faults->rules; i++) {
        due = MIN(due, act_due(&faults->rule[i]));
    }
    sim_at(faults->sim, &faults->acts, due);
}

/* One that lasts stays until it is over. */
static void act_on(SimFaults *faults, unsigned index)
{
    FaultRule *rule = &faults->rule[index];
    const SimActor *actor = &faults->sim->actor[fault_actor(rule)];
    FaultAct act = {
        .what = rule->what, .over = rule->begun, .port = rule->port,
        .ns = rule->ns, .number = rule->number,
    };

    if (rule->until == SIM_NEVER || rule->begun) {
        drop_rule(faults, index);
    } else {
        rule->begun = true;
    }
    if (actor->act) {
        actor->act(actor->opaque, &act);
    }
}

/* An act may have cleared all rules, or ordered more. */
static void acts_are_due(SimEvent *ev)
{
    SimFaults *faults = (SimFaults *)((char *)ev - offsetof(SimFaults, acts));
    Sim *sim = faults->sim;
    unsigned i = 0;

    while (sim->faults == faults && i < faults->rules) {
        if (act_due(&faults->rule[i]) <= sim->now) {
            act_on(faults, i);
            i = 0;
        } else {
            i++;
        }
    }
    if (sim->faults == faults) {
        arm_acts(faults);
    }
}

/* --- orders --------------------------------------------------------------- */

static SimFaults *faults_of(Sim *sim)
{
    if (!sim->faults) {
        sim->faults = g_new0(SimFaults, 1);
        sim->faults->chance = sim->chance[0] | 1;
        sim->faults->sim = sim;
        sim->faults->acts.fire = acts_are_due;
    }
    return sim->faults;
}

bool fault_order(Sim *sim, const char *line, GError **error)
{
    FaultRule rule;
    SimFaults *faults;

    if (!fault_read(line, sim->now, &rule, error)) {
        return false;
    }
    if (fault_actor(&rule) && !sim->actor[fault_actor(&rule)].act) {
        return fault_wrong(error, "fault: %s: there is nobody here to do it",
                           fault_word[rule.what].name);
    }
    if (sim->faults && sim->faults->rules == FAULT_RULES_MAX) {
        return fault_wrong(error, "fault: there are %d rules already; clear "
                           "some", FAULT_RULES_MAX);
    }
    faults = faults_of(sim);
    faults->rule[faults->rules++] = rule;
    arm_acts(faults);
    return true;
}

/* --- the question --------------------------------------------------------- */

bool fault_any(const Sim *sim)
{
    return sim->faults;
}

/* xorshift64*, as published by Vigna (2016); of rules alone. */
static uint64_t next_chance(SimFaults *faults)
{
    uint64_t x = faults->chance;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    faults->chance = x;
    return x * 0x2545f4914f6cdd1dull;
}

static bool chance_strikes(SimFaults *faults, double chance)
{
    return chance >= 1 ||
           (double)(next_chance(faults) >> 11) * 0x1p-53 < chance;
}

static bool fits(const FaultRule *rule, const FaultAsk *ask, SimTime now)
{
    bool whole = rule->first == 0 && rule->last == UINT64_MAX;
    bool meets = ask->count && ask->first <= rule->last &&
                 rule->first - MIN(ask->first, rule->first) < ask->count;

    return (fault_word[rule->what].place != FAULT_PORT ||
            rule->port == ask->port) && (rule->on & ask->on) &&
           now >= rule->from && now < rule->until &&
           (whole || meets || rule->what == FAULT_GROWS);
}

static void strike_retries(const FaultRule *rule, const FaultAsk *ask,
                           FaultAnswer *answer)
{
    uint64_t at = MAX(ask->first, rule->first);
    uint64_t last = MIN(ask->first + ask->count - 1, rule->last);

    answer->turns += rule->number * (last - at + 1);
    if (rule->number > answer->turns_most) {
        answer->turns_most = rule->number;
        answer->turns_at = at;
    }
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
    case FAULT_RETRIES:
        strike_retries(rule, ask, answer);
        break;
    default:                    /* an act, or not asked for here */
        break;
    }
}

/* The number of the rule after it, which is its own when it is gone. */
static unsigned used_once(SimFaults *faults, unsigned index)
{
    FaultRule *rule = &faults->rule[index];

    if (rule->times && !--rule->times) {
        drop_rule(faults, index);
        return index;
    }
    return index + 1;
}

/* Whether a rule that fits strikes this time. */
static bool is_its_turn(SimFaults *faults, FaultRule *rule)
{
    if (rule->after) {
        rule->after--;
        if (!rule->after && fault_actor(rule)) {
            arm_acts(faults);           /* when the op has ended */
        }
        return false;
    }
    return !fault_actor(rule) && chance_strikes(faults, rule->chance);
}

/* Where is up to chance; the new rules come after all others. */
static void grow(SimFaults *faults, unsigned index, const FaultAsk *ask)
{
    FaultRule grows = faults->rule[index];
    uint64_t last = MIN(grows.last, ask->sectors - 1);

    drop_rule(faults, index);
    for (uint64_t i = 0; i < grows.number && grows.first <= last &&
         faults->rules < FAULT_RULES_MAX; i++) {
        uint64_t at = grows.first + next_chance(faults) %
                                    (last - grows.first + 1);

        faults->rule[faults->rules++] = (FaultRule) {
            .what = FAULT_BAD, .port = grows.port, .on = FAULT_ON_READ,
            .first = at, .last = at, .chance = 1, .until = SIM_NEVER,
            .over = FAULT_OVER_NONE,
        };
    }
}

FaultAnswer fault_ask(Sim *sim, const FaultAsk *ask)
{
    SimFaults *faults = sim->faults;
    FaultAnswer answer = { 0 };

    for (unsigned i = 0; faults && i < faults->rules;) {
        FaultRule *rule = &faults->rule[i];

        if (!fits(rule, ask, sim->now) || rule->what == FAULT_CRC ||
            rule->what == FAULT_LOST_INTERRUPT ||
            (rule->what == FAULT_FLIP && answer.flip)) {
            i++;                /* one bit an op; the next is not lost */
        } else if (!is_its_turn(faults, rule)) {
            i++;
        } else if (rule->what == FAULT_GROWS) {
            grow(faults, i, ask);
        } else {
            strike(rule, ask, &answer);
            i = used_once(faults, i);
        }
    }
    return answer;
}

bool fault_ask_crc(Sim *sim, const FaultAsk *ask, unsigned udma)
{
    SimFaults *faults = sim->faults;
    bool wrong = false;

    for (unsigned i = 0; faults && i < faults->rules;) {
        FaultRule *rule = &faults->rule[i];

        if (rule->what == FAULT_CRC && fits(rule, ask, sim->now) &&
            (rule->over == FAULT_OVER_NONE || udma > rule->over) &&
            is_its_turn(faults, rule)) {
            wrong = true;
            i = used_once(faults, i);
        } else {
            i++;
        }
    }
    return wrong;
}

bool fault_ask_host(Sim *sim, FaultWhat what)
{
    SimFaults *faults = sim->faults;
    bool strikes = false;

    for (unsigned i = 0; faults && i < faults->rules;) {
        FaultRule *rule = &faults->rule[i];

        if (rule->what == what && sim->now >= rule->from &&
            sim->now < rule->until && is_its_turn(faults, rule)) {
            strikes = true;
            i = used_once(faults, i);
        } else {
            i++;
        }
    }
    return strikes;
}

/* What is left of the rule on both sides of what was written. */
void fault_written(Sim *sim, unsigned port, uint64_t first, uint64_t count)
{
    SimFaults *faults = sim->faults;
    FaultAsk written = { port, FAULT_ON_READ, first, count, 0 };

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

void fault_free(Sim *sim)
{
    if (sim->faults) {
        sim_cancel(sim, &sim->faults->acts);
        g_clear_pointer(&sim->faults, g_free);
    }
}

void fault_clear(Sim *sim)
{
    SimFaults *faults = sim->faults;
    unsigned i = 0;

    /* What goes on is over; that may itself clear the rest. */
    while (faults && sim->faults == faults && i < faults->rules) {
        if (faults->rule[i].begun) {
            act_on(faults, i);
        } else {
            i++;
        }
    }
    fault_free(sim);
}
