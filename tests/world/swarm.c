/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swarm: stories in which everything happens at once, within what redundancy
 * and policy promise.
 *
 *   draw a card and a unit - work, trouble, orders - let it end - mend what
 *   was broken - read all back - look at the media
 */
#include <string.h>

#include "disk-model/world/fault.h"
#include "tests/world/aftermath.h"
#include "tests/world/story.h"

typedef struct Swarm {
    Rig *rig;
    Work *work;
    StoryCount *count;
    uint64_t state;
    unsigned span_max;          /* sectors of most ops */
    unsigned flush_in, fua_in, read_percent;
    unsigned trouble_in;        /* one in so many ops */
    bool overlaps;
    bool tasked;                /* rows were written that no host wrote */
    bool beyond;                /* more may be lost than can be */
    bool faults;                /* some rule has been ordered */
} Swarm;

uint32_t story_random(uint64_t *state, uint32_t bound)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32) % bound;
}

static uint32_t draw(Swarm *swarm, uint32_t bound)
{
    return story_random(&swarm->state, bound);
}

static bool one_in(Swarm *swarm, uint32_t n)
{
    return draw(swarm, n) == 0;
}

/* --- what it is about ---------------------------------------------------- */

static unsigned draw_members(Swarm *swarm, RaidCode code, unsigned ports)
{
    const RaidLevel *level = &raid_level[code];
    unsigned most = MIN(MIN(level->members_max, ports), 8);
    unsigned members = level->members_min;

    while (members + level->members_step <= most && !one_in(swarm, 3)) {
        members += level->members_step;
    }
    return members;
}

static void draw_ports(Swarm *swarm, RigPlan *plan, unsigned ports)
{
    int port[RIG_PORTS];

    for (unsigned i = 0; i < ports; i++) {
        port[i] = (int)i;
    }
    for (unsigned i = 0; i < plan->members; i++) {
        unsigned other = i + draw(swarm, ports - i);
        int mine = port[other];

        port[other] = port[i];
        plan->port[i] = port[i] = mine;
    }
}

static const BoardModel *draw_board(Swarm *swarm)
{
    const BoardModel *board;

    do {
        board = &board_model[draw(swarm, board_models)];
    } while (!board->registers);
    return board;
}

static RigPlan draw_plan(Swarm *swarm)
{
    static const RaidCode codes[] = {
        RAID_5, RAID_5, RAID_5, RAID_5, RAID_1, RAID_1, RAID_10, RAID_10,
        RAID_10, RAID_0, RAID_SINGLE, RAID_JBOD,
    };
    const BoardModel *board = draw_board(swarm);
    RigPlan plan = { .board = board->name };
    unsigned chunks;

    do {
        plan.code = codes[draw(swarm, G_N_ELEMENTS(codes))];
    } while (!board_offers(board, plan.code) ||
             raid_level[plan.code].members_min > board->ports);
    plan.members = draw_members(swarm, plan.code, board->ports);
    draw_ports(swarm, &plan, board->ports);
    if (raid_level[plan.code].striped) {
        plan.stripe_sectors = 128u << (one_in(swarm, 3) ? draw(swarm, 4) : 0);
    }
    chunks = plan.stripe_sectors > 256 ? 2 : 3 + draw(swarm, 5);
    plan.data_sectors = (plan.stripe_sectors ? plan.stripe_sectors : 128) *
                        chunks + draw(swarm, 100);
    plan.data_sectors += plan.code == RAID_JBOD ? RAID_RESERVED_SECTORS : 0;
    plan.drive = (RigDrive)draw(swarm, RIG_DRIVES);
    return plan;
}

/* --- work ---------------------------------------------------------------- */

static bool clashes(const Swarm *swarm, UnitVerb verb, uint64_t lba,
                    uint32_t count)
{
    for (unsigned i = 0; i < WORK_SLOTS; i++) {
        const WorkOp *other = &swarm->work->slot[i];

        if (other->busy && other->op.verb != UNIT_FLUSH &&
            (verb == UNIT_WRITE || other->op.verb == UNIT_WRITE) &&
            other->op.lba < lba + count &&
            lba < other->op.lba + other->op.count) {
            return true;
        }
    }
    return false;
}

/* Mostly small, some over several rows; often where others are. */
static void draw_span(Swarm *swarm, uint64_t *lba, uint32_t *count)
{
    uint64_t capacity = swarm->rig->capacity;
    uint32_t most = one_in(swarm, 6) ? WORK_SECTORS_MAX : swarm->span_max;

    *count = 1 + draw(swarm, (uint32_t)MIN(most, capacity));
    *lba = draw(swarm, (uint32_t)(capacity - *count + 1));
    if (one_in(swarm, 3)) {
        *lba = MIN(*lba, 8 * swarm->span_max);
    } else if (one_in(swarm, 30)) {
        *lba = capacity - *count;
    } else if (swarm->rig->plan.stripe_sectors && one_in(swarm, 8)) {
        *lba -= *lba % swarm->rig->plan.stripe_sectors;
    }
}

static void ask_something(Swarm *swarm, WorkOp *slot)
{
    UnitVerb verb = draw(swarm, 100) < swarm->read_percent ? UNIT_READ
                                                           : UNIT_WRITE;
    uint64_t lba;
    uint32_t count;

    if (one_in(swarm, swarm->flush_in)) {
        work_ask(swarm->work, slot, UNIT_FLUSH, 0, 0, 0);
        return;
    }
    draw_span(swarm, &lba, &count);
    if (!swarm->overlaps && clashes(swarm, verb, lba, count)) {
        return;
    }
    work_ask(swarm->work, slot, verb, lba, count,
             verb == UNIT_WRITE && one_in(swarm, swarm->fua_in) ? UNIT_FUA
                                                                : 0);
}

/* --- trouble ------------------------------------------------------------- */

static void order_fault(Swarm *swarm, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

static void order_fault(Swarm *swarm, const char *format, ...)
{
    GError *error = NULL;
    va_list args;
    char *line;

    va_start(args, format);
    line = g_strdup_vprintf(format, args);
    va_end(args);
    work_note(swarm->work, "fault: %s", line);
    if (!fault_order(swarm->rig->sim, line, &error)) {
        work_wrong(swarm->work, "%s", error->message);
        g_error_free(error);
    }
    swarm->faults = true;
    g_free(line);
}

/* Whether the unit goes on without that member too. */
static bool can_spare(const Swarm *swarm, unsigned member)
{
    return rig_state(swarm->rig, rig_good(swarm->rig) & ~(1u << member)) !=
           RAID_UNIT_INOPERABLE;
}

static unsigned member_port(const Swarm *swarm, unsigned member)
{
    return (unsigned)swarm->rig->plan.port[member];
}

static void pull_one(Swarm *swarm, unsigned member)
{
    unsigned port = member_port(swarm, member);

    if (swarm->rig->plugged[port] &&
        (swarm->beyond || can_spare(swarm, member))) {
        work_note(swarm->work, "pull port %u", port);
        rig_pull(swarm->rig, port);
        work_lost(swarm->work);
        swarm->count->pulls++;
    }
}

static void kill_one(Swarm *swarm, unsigned member)
{
    if (swarm->rig->plugged[member_port(swarm, member)] &&
        (swarm->beyond || can_spare(swarm, member))) {
        order_fault(swarm, "port %u dead after %u",
                    member_port(swarm, member), draw(swarm, 20));
        swarm->beyond |= !can_spare(swarm, member);
        swarm->count->deaths++;
    }
}

/* Of the member that is bad already, so that redundancy reaches. */
static void spoil(Swarm *swarm, unsigned member)
{
    Work *work = swarm->work;
    uint64_t first = swarm->rig->data_start +
                     draw(swarm, (uint32_t)swarm->rig->member_sectors);
    uint64_t last = MIN(first + draw(swarm, one_in(swarm, 3) ? 60 : 2),
                        swarm->rig->data_start +
                        swarm->rig->member_sectors - 1);
    static const char *const how[] = { "", " times 1", " always",
                                       " chance 0.3" };

    if (work->bads == WORK_BAD_MAX) {
        return;
    }
    member = work->bads && !one_in(swarm, 5) ? work->bad[0].member : member;
    work_order_bad(work, member, first, last);
    order_fault(swarm, "port %u bad at %" G_GUINT64_FORMAT "-%"
                G_GUINT64_FORMAT "%s", member_port(swarm, member), first,
                last, how[draw(swarm, G_N_ELEMENTS(how))]);
    swarm->count->bad++;
}

static void slow_down(Swarm *swarm, unsigned member)
{
    static const char *const how[] = {
        "slow 30ms", "slow 4ms on write", "slow 700ms times 1",
        "slow 15ms on read chance 0.2", "slow 50ms on any times 3",
    };

    order_fault(swarm, "port %u %s", member_port(swarm, member),
                how[draw(swarm, G_N_ELEMENTS(how))]);
}

static void stop_the_trouble(Swarm *swarm)
{
    work_note(swarm->work, "no more faults");
    fault_clear(swarm->rig->sim);
}

/* --- orders -------------------------------------------------------------- */

/* An empty slot gets a drive: its old one, a blank, somebody else's. */
static void replace(Swarm *swarm, unsigned member)
{
    Rig *rig = swarm->rig;
    unsigned port = member_port(swarm, member), kind = draw(swarm, 3);

    if (raid_unit_member_present(rig->unit, member)) {
        return;
    }
    if (rig->plugged[port]) {           /* one that died */
        rig_pull(rig, port);
    }
    work_lost(swarm->work);
    stop_the_trouble(swarm);
    if (kind) {
        rig_swap(rig, port, kind == 2);
    }
    rig_plug(rig, port);
    work_note(swarm->work, "plug port %u, %s", port, kind == 0 ? "the same"
              : kind == 1 ? "a blank drive" : "somebody's drive");
}

static void rebuild(Swarm *swarm, unsigned member)
{
    Rig *rig = swarm->rig;

    if (raid_unit_state(rig->unit) != RAID_UNIT_DEGRADED) {
        return;
    }
    if (!raid_unit_member_present(rig->unit, member)) {
        replace(swarm, member);
    }
    if (rig_rebuild(rig, member_port(swarm, member))) {
        swarm->tasked = true;
        work_note(swarm->work, "rebuild of member %u", member);
        swarm->count->rebuilt++;
    }
}

static void start_task(Swarm *swarm)
{
    const RaidTaskState *task = raid_unit_task(swarm->rig->unit);
    bool may = raid_unit_state(swarm->rig->unit) == RAID_UNIT_OK &&
               task->kind == RAID_TASK_NONE;

    if (rig_order(swarm->rig, "start verify") != may) {
        work_wrong(swarm->work, "a verify %s", may ? "is refused" : "starts");
    }
    if (may) {
        work_note(swarm->work, "%s", task->kind == RAID_TASK_VERIFY
                  ? "verify" : "initialise");
        swarm->count->verified += task->kind == RAID_TASK_VERIFY;
        swarm->count->initialised += task->kind == RAID_TASK_INIT;
        swarm->tasked |= task->kind == RAID_TASK_INIT;
    }
}

static void order_task(Swarm *swarm)
{
    const RaidTaskState *task = raid_unit_task(swarm->rig->unit);
    unsigned rate = 1 + draw(swarm, 5);

    switch (draw(swarm, 6)) {
    case 0:
        work_note(swarm->work, "rate %u", rate);
        rig_rate(swarm->rig, rate);
        break;
    case 1:
        if (task->kind == RAID_TASK_REBUILD) {
            work_note(swarm->work, "%s", task->paused ? "resume" : "pause");
            rig_order(swarm->rig, "%s rebuild", task->paused ? "resume"
                                                             : "pause");
        }
        break;
    case 2:
        if (task->kind == RAID_TASK_VERIFY && one_in(swarm, 3)) {
            work_note(swarm->work, "stop");
            rig_order(swarm->rig, "stop verify");
        }
        break;
    default:
        start_task(swarm);
    }
}

static void switch_cache(Swarm *swarm)
{
    bool on = one_in(swarm, 2);

    if (swarm->rig->plan.drive >= RIG_WRITES) {
        work_note(swarm->work, "write cache %s", on ? "on" : "off");
        rig_order(swarm->rig, "set cache=%s", on ? "on" : "off");
    }
}

static void something_happens(Swarm *swarm)
{
    unsigned member = draw(swarm, swarm->rig->plan.members);

    switch (draw(swarm, 14)) {
    case 0: case 1:
        pull_one(swarm, member);
        break;
    case 2:
        kill_one(swarm, member);
        break;
    case 3: case 4:
        spoil(swarm, member);
        break;
    case 5:
        slow_down(swarm, member);
        break;
    case 6:
        swarm->count->resets++;
        work_reset(swarm->work);
        break;
    case 7:
        switch_cache(swarm);
        break;
    case 8: case 9:
        order_task(swarm);
        break;
    default:
        rebuild(swarm, member);
    }
}

/* --- the verdict --------------------------------------------------------- */

static void check_state(Swarm *swarm)
{
    UnitState state = rig_state(swarm->rig, rig_good(swarm->rig));

    if (raid_unit_state(swarm->rig->unit) != state) {
        work_wrong(swarm->work, "the unit is %d and not %d",
                   raid_unit_state(swarm->rig->unit), state);
    }
}

static void finish_task(Swarm *swarm)
{
    if (raid_unit_task(swarm->rig->unit)->kind) {
        rig_order(swarm->rig, "resume rebuild");
        work_drain(swarm->work);
    }
}

/* Whoever can be had back is, so that as much as can be is looked at. */
static void mend(Swarm *swarm)
{
    finish_task(swarm);
    for (unsigned m = 0; m < swarm->rig->plan.members; m++) {
        if (!swarm->work->wrong && !(rig_good(swarm->rig) >> m & 1)) {
            rebuild(swarm, m);
            work_drain(swarm->work);
        }
    }
}

/* The first verify initialises, and so does one that finds something. */
static bool rows_disagree(Swarm *swarm)
{
    const RaidTaskState *task = raid_unit_task(swarm->rig->unit);
    bool found = false;

    work_note(swarm->work, "verify");
    rig_order(swarm->rig, "start verify");
    if (task->kind == RAID_TASK_INIT) {
        work_drain(swarm->work);
        rig_order(swarm->rig, "start verify");
    }
    while (work_step(swarm->work)) {
        found |= task->kind == RAID_TASK_INIT;
    }
    return found;
}

/* Nothing was broken in silence; then one bit is, and is found. */
static void verify(Swarm *swarm)
{
    Work *work = swarm->work;

    finish_task(swarm);
    if (!swarm->rig->redundant ||
        raid_unit_state(swarm->rig->unit) != RAID_UNIT_OK) {
        return;
    }
    fault_clear(swarm->rig->sim);
    if (rows_disagree(swarm)) {
        work_wrong(work, "verify finds rows that disagree");
    }
    if (work->wrong || swarm->rig->plan.drive != RIG_PLAIN || work->bads) {
        return;
    }
    work_note(work, "a bit turns");
    rig_turn_bit(swarm->rig, draw(swarm, (uint32_t)swarm->rig->capacity));
    if (!rows_disagree(swarm)) {
        work_wrong(work, "verify does not find it");
    }
}

static void judge(Swarm *swarm)
{
    char *wrong;

    work_drain(swarm->work);
    if (!swarm->work->wrong && one_in(swarm, 2)) {
        work_note(swarm->work, "mend");
        mend(swarm);
    }
    work_note(swarm->work, "read all back");
    work_read_all(swarm->work);
    if (swarm->work->wrong) {
        return;
    }
    check_state(swarm);
    if (raid_unit_state(swarm->rig->unit) != RAID_UNIT_INOPERABLE) {
        work_note(swarm->work, "look at the media");
        wrong = rig_look(swarm->rig, swarm->work->oracle,
                         rig_good(swarm->rig), NULL);
        if (wrong) {
            work_wrong(swarm->work, "on the media: %s", wrong);
            g_free(wrong);
        }
    }
    if (!swarm->work->wrong && one_in(swarm, 3)) {
        verify(swarm);
    }
}

/*
 * Not where a drive may still hold what a task wrote, and the member with the
 * other copy is gone: the cut may tear a sector that was safe long ago.
 */
static bool may_lose_power(const Swarm *swarm)
{
    bool whole = rig_state(swarm->rig, rig_good(swarm->rig)) == RAID_UNIT_OK;

    return !swarm->work->wrong && !swarm->beyond &&
           (whole || !swarm->tasked || !swarm->work->cached);
}

/* --- one story ----------------------------------------------------------- */

static void draw_ways(Swarm *swarm)
{
    static const unsigned spans[] = { 4, 16, 40, 130, 300 };

    swarm->span_max = spans[draw(swarm, G_N_ELEMENTS(spans))];
    swarm->flush_in = 5 + draw(swarm, 60);
    swarm->fua_in = 2 + draw(swarm, 30);
    swarm->read_percent = 10 + draw(swarm, 70);
    swarm->trouble_in = 3 + draw(swarm, 30);
    swarm->overlaps = one_in(swarm, 2);
    swarm->beyond = one_in(swarm, 12);
}

static void tell(Swarm *swarm)
{
    unsigned ops = 10 + draw(swarm, one_in(swarm, 4) ? 250 : 80);
    unsigned depth = 1 + draw(swarm, WORK_SLOTS);

    for (unsigned i = 0; i < ops && !swarm->work->wrong; i++) {
        WorkOp *slot = &swarm->work->slot[draw(swarm, depth)];

        while (slot->busy && work_step(swarm->work)) {
        }
        if (slot->busy) {
            work_drain(swarm->work);    /* says what is wrong */
            return;
        }
        ask_something(swarm, slot);
        for (unsigned n = draw(swarm, 4); n; n--) {
            work_step(swarm->work);
        }
        if (one_in(swarm, swarm->trouble_in)) {
            something_happens(swarm);
        }
    }
}

static void note_plan(const Swarm *swarm)
{
    static const char *const drives[] = { "plain", "reads", "writes",
                                          "writes late" };
    const RigPlan *plan = &swarm->rig->plan;
    g_autoptr(GString) ports = g_string_new(NULL);

    for (unsigned m = 0; m < plan->members; m++) {
        g_string_append_printf(ports, "%s%d", m ? "+" : "", plan->port[m]);
    }
    work_note(swarm->work, "%s, %s:%s:%uk, drives of %u sectors of data, %s",
              plan->board, raid_level[plan->code].name, ports->str,
              plan->stripe_sectors / 2, plan->data_sectors,
              drives[plan->drive]);
}

bool story_swarm(uint64_t seed, bool aloud, StoryCount *count, char **why)
{
    Swarm swarm = { .count = count, .state = seed };
    RigPlan plan = draw_plan(&swarm);
    bool right;

    plan.seed = seed;
    swarm.rig = rig_new(&plan);
    swarm.work = work_new(swarm.rig);
    swarm.work->aloud = aloud;
    draw_ways(&swarm);
    note_plan(&swarm);
    tell(&swarm);
    if (may_lose_power(&swarm) && one_in(&swarm, 4)) {
        stop_the_trouble(&swarm);
        aftermath(swarm.work, count);
    } else {
        judge(&swarm);
    }
    count->stories++;
    count->ops += swarm.work->ended;
    count->errors += swarm.work->errors;
    count->events += swarm.work->events;
    count->bytes += swarm.work->bytes;
    right = !swarm.work->wrong;
    if (!right) {
        *why = g_steal_pointer(&swarm.work->wrong);
    }
    swarm.work->over = true;
    rig_free(swarm.rig);
    work_free(swarm.work);
    return right;
}
