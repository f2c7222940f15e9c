/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue - GLib's lists of links that lie inside their elements, moved
 * without a call: a request is linked and unlinked many times.
 *
 * The same GQueue and GList, so all that GLib offers works on them too.
 * A link that is in no queue has neither neighbour; queues do not own.
 */
#ifndef DISK_WORLD_QUEUE_H
#define DISK_WORLD_QUEUE_H

#include <glib.h>

static inline void sim_queue_push_tail(GQueue *queue, GList *link)
{
    link->prev = queue->tail;
    link->next = NULL;
    if (queue->tail) {
        queue->tail->next = link;
    } else {
        queue->head = link;
    }
    queue->tail = link;
    queue->length++;
}

static inline void sim_queue_push_head(GQueue *queue, GList *link)
{
    link->prev = NULL;
    link->next = queue->head;
    if (queue->head) {
        queue->head->prev = link;
    } else {
        queue->tail = link;
    }
    queue->head = link;
    queue->length++;
}

static inline void sim_queue_unlink(GQueue *queue, GList *link)
{
    if (link->prev) {
        link->prev->next = link->next;
    } else {
        queue->head = link->next;
    }
    if (link->next) {
        link->next->prev = link->prev;
    } else {
        queue->tail = link->prev;
    }
    link->prev = link->next = NULL;
    queue->length--;
}

/* NULL when it is empty. */
static inline GList *sim_queue_pop_head(GQueue *queue)
{
    GList *link = queue->head;

    if (link) {
        sim_queue_unlink(queue, link);
    }
    return link;
}

#endif
