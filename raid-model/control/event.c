/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event - a ring of things the host is told about.
 */
#include "raid-model/control/event.h"

void raid_event_push(RaidEventQueue *queue, RaidEventCode code,
                     uint8_t source)
{
    RaidEvent event = { .code = code, .source = source };

    if (queue->count == RAID_EVENTS_MAX) {
        /* The newest place tells that it and all since were lost. */
        event = (RaidEvent) { .code = RAID_EVENT_QUEUE_FULL };
        queue->count--;
    }
    queue->event[(queue->first + queue->count) % RAID_EVENTS_MAX] = event;
    queue->count++;
}

RaidEvent raid_event_pop(RaidEventQueue *queue)
{
    RaidEvent event = { .code = RAID_EVENT_NONE };

    if (queue->count) {
        event = queue->event[queue->first];
        queue->first = (queue->first + 1) % RAID_EVENTS_MAX;
        queue->count--;
    }
    return event;
}

bool raid_event_pending(const RaidEventQueue *queue)
{
    return queue->count;
}
