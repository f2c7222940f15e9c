/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux queue: two sorted arrays and the question whose turn it is.
 *
 *            reads wait and the batch is over, or no write is left
 *   WRITES ----------------------------------------------------> (drain)
 *     ^                                                              |
 *     |                                                              v
 *   (drain) <------------------------------------------------- READS
 *            writes wait, and the batch is over or no read came in time
 */
#include <string.h>

#include "raid-model/sim/linux-queue.h"
#include "raid-model/sim/rig.h"

const LinuxQueuePlan linux_queue_3w_xxxx = {
    .sectors_max = 256, .requests_max = 128, .commands_max = 254,
    .read_batch = SIM_MS(500), .write_batch = SIM_MS(125),
    .anticipation = SIM_US(6667),
};

typedef struct Request {
    HostOp op;
    LinuxQueue *queue;
    struct Request *next_free;
} Request;

typedef struct Side {           /* one direction */
    Request **sorted;           /* by lba, not yet sent */
    unsigned waiting, used;     /* used: waiting or on the card */
    uint64_t next_lba;          /* C-LOOK goes on here */
    bool congested;
} Side;

struct LinuxQueue {
    Sim *sim;
    LinuxQueuePlan plan;
    LinuxSend *send;
    LinuxEnded *ended;
    void *below, *above;
    Request *request, *free;
    Side side[2];               /* by UnitVerb */
    UnitVerb turn;
    bool draining;              /* the turn begins when the card is empty */
    unsigned on_card;
    SimTime batch_start, read_ended;
    unsigned batch_writes;      /* how many make a batch last its time */
    unsigned writes_left;
    SimEvent wait_over;
    void *buf;                  /* sectors nobody looks at */
};

static void wait_is_over(SimEvent *ev)
{
    linux_queue_run((LinuxQueue *)((char *)ev -
                                   offsetof(LinuxQueue, wait_over)));
}

LinuxQueue *linux_queue_new(Sim *sim, const LinuxQueuePlan *plan,
                            LinuxSend *send, void *below,
                            LinuxEnded *ended, void *above)
{
    LinuxQueue *queue = g_new0(LinuxQueue, 1);
    unsigned requests = 2 * plan->requests_max;

    queue->sim = sim;
    queue->plan = *plan;
    queue->send = send;
    queue->below = below;
    queue->ended = ended;
    queue->above = above;
    queue->wait_over.fire = wait_is_over;
    queue->batch_writes = MAX(plan->write_batch / SIM_MS(10), 2);
    queue->read_ended = -plan->anticipation;
    queue->buf = rig_memory((size_t)plan->sectors_max * DISK_SECTOR_BYTES);
    queue->request = g_new0(Request, requests);
    for (unsigned i = 0; i < requests; i++) {
        queue->request[i].next_free = queue->free;
        queue->free = &queue->request[i];
    }
    for (unsigned i = 0; i < 2; i++) {
        queue->side[i].sorted = g_new(Request *, plan->requests_max);
    }
    return queue;
}

void linux_queue_free(LinuxQueue *queue)
{
    g_assert(!queue->on_card);
    sim_cancel(queue->sim, &queue->wait_over);
    for (unsigned i = 0; i < 2; i++) {
        g_free(queue->side[i].sorted);
    }
    g_free(queue->request);
    g_free(queue->buf);
    g_free(queue);
}

static void count_used(LinuxQueue *queue, Side *side, int change)
{
    unsigned max = queue->plan.requests_max;

    side->used += change;
    if (side->used >= max - max / 8) {
        side->congested = true;
    } else if (side->used < max - max / 8 - max / 16) {
        side->congested = false;
    }
}

/* --- in: merge and sort -------------------------------------------------- */

/* The first waiting request at or beyond lba; side->waiting if none is. */
static unsigned find(const Side *side, uint64_t lba)
{
    unsigned low = 0, high = side->waiting;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (side->sorted[middle]->op.op.lba < lba) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool merge(const LinuxQueue *queue, Side *side, unsigned at,
                  uint64_t lba, uint32_t sectors)
{
    uint32_t room = queue->plan.sectors_max - sectors;
    UnitOp *before = at ? &side->sorted[at - 1]->op.op : NULL;
    UnitOp *after = at < side->waiting ? &side->sorted[at]->op.op : NULL;

    if (before && before->lba + before->count == lba &&
        before->count <= room) {
        before->count += sectors;
        return true;
    }
    if (after && lba + sectors == after->lba && after->count <= room) {
        after->lba = lba;
        after->count += sectors;
        return true;
    }
    return false;
}

static void request_done(HostOp *op);

bool linux_queue_add(LinuxQueue *queue, UnitVerb verb, uint64_t lba,
                     uint32_t sectors)
{
    Side *side = &queue->side[verb];
    unsigned at = find(side, lba);
    Request *request = queue->free;

    g_assert(sectors && sectors <= queue->plan.sectors_max);
    if (merge(queue, side, at, lba, sectors)) {
        return true;
    }
    if (side->used == queue->plan.requests_max) {
        return false;
    }
    queue->free = request->next_free;
    request->queue = queue;
    request->op = (HostOp) {
        .op = { .verb = verb, .lba = lba, .count = sectors,
                .buf = queue->buf },
        .done = request_done, .opaque = request,
    };
    memmove(side->sorted + at + 1, side->sorted + at,
            (side->waiting - at) * sizeof(*side->sorted));
    side->sorted[at] = request;
    side->waiting++;
    count_used(queue, side, 1);
    return true;
}

/* --- out: whose turn, and which ------------------------------------------ */

static bool batch_is_over(const LinuxQueue *queue)
{
    SimTime lasted = sim_now(queue->sim) - queue->batch_start;

    return queue->turn == UNIT_READ
        ? lasted >= queue->plan.read_batch
        : lasted >= queue->plan.write_batch || !queue->writes_left;
}

/* Learn how many writes a batch may have and still last its time. */
static void adjust_writes(LinuxQueue *queue)
{
    SimTime lasted = sim_now(queue->sim) - queue->batch_start;
    SimTime wanted = queue->plan.write_batch;
    unsigned writes = queue->batch_writes;

    if (lasted > 3 * wanted) {
        writes /= 2;
    } else if (lasted > wanted) {
        writes--;
    } else if (!queue->writes_left) {
        writes = 3 * lasted < wanted ? 2 * writes : writes + 1;
    }
    queue->batch_writes = CLAMP(writes, 1, queue->plan.requests_max);
}

static void change_turn(LinuxQueue *queue)
{
    queue->turn = queue->turn == UNIT_READ ? UNIT_WRITE : UNIT_READ;
    queue->draining = true;
}

/* Another read may be on its way from the process that got the last one. */
static bool anticipates(LinuxQueue *queue)
{
    SimTime until = queue->read_ended + queue->plan.anticipation;

    if (queue->on_card) {
        return true;
    }
    if (sim_now(queue->sim) >= until) {
        return false;
    }
    sim_at(queue->sim, &queue->wait_over, until);
    return true;
}

/* The side that may send one request now, or NULL. */
static Side *side_to_send(LinuxQueue *queue)
{
    Side *mine = &queue->side[queue->turn];
    Side *other = &queue->side[!queue->turn];

    if (!queue->draining && other->waiting &&
        (!mine->waiting || batch_is_over(queue))) {
        if (queue->turn == UNIT_READ && !mine->waiting &&
            anticipates(queue)) {
            return NULL;
        }
        change_turn(queue);
    }
    if (queue->draining) {
        if (queue->on_card) {
            return NULL;
        }
        if (queue->turn == UNIT_READ) {
            adjust_writes(queue);       /* the batch that is over */
        }
        queue->draining = false;
        queue->batch_start = sim_now(queue->sim);
        queue->writes_left = queue->batch_writes;
    }
    mine = &queue->side[queue->turn];
    return mine->waiting ? mine : NULL;
}

static Request *take(Side *side)
{
    unsigned at = find(side, side->next_lba);
    Request *request;

    at = at < side->waiting ? at : 0;
    request = side->sorted[at];
    side->waiting--;
    memmove(side->sorted + at, side->sorted + at + 1,
            (side->waiting - at) * sizeof(*side->sorted));
    side->next_lba = request->op.op.lba + request->op.op.count;
    return request;
}

void linux_queue_run(LinuxQueue *queue)
{
    Side *side;

    while (queue->on_card < queue->plan.commands_max &&
           (side = side_to_send(queue))) {
        Request *request = take(side);

        if (request->op.op.verb == UNIT_WRITE && queue->writes_left) {
            queue->writes_left--;
        }
        queue->on_card++;
        queue->send(queue->below, &request->op);
    }
}

static void request_done(HostOp *op)
{
    Request *request = op->opaque;
    LinuxQueue *queue = request->queue;
    UnitOp ended = op->op;

    queue->on_card--;
    if (ended.verb == UNIT_READ) {
        queue->read_ended = sim_now(queue->sim);
    }
    count_used(queue, &queue->side[ended.verb], -1);
    request->next_free = queue->free;
    queue->free = request;
    queue->ended(queue->above, &ended);
    linux_queue_run(queue);
}

bool linux_queue_congested(const LinuxQueue *queue, UnitVerb verb)
{
    return queue->side[verb].congested;
}

unsigned linux_queue_on_card(const LinuxQueue *queue)
{
    return queue->on_card;
}
