/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order, its words - what is left of a line, and readers of its parts, which
 * complain in one line.  For order.c.
 */
#ifndef RAID_CONTROL_ORDER_WORDS_H
#define RAID_CONTROL_ORDER_WORDS_H

#include "raid-model/control/controller-private.h"

typedef struct Order {
    RaidController *ctl;
    char **word;                /* what is left of it */
    GString *answer;
    GError **error;
} Order;

typedef struct PortList {
    unsigned count, port[RAID_PORTS_MAX];
} PortList;

#define deny(order, ...) raid_deny((order)->error, __VA_ARGS__)

bool order_is_word(const Order *order, unsigned index, const char *word);
/* No more than `count` words. */
bool order_ends_at(const Order *order, unsigned count, const char *right);
/* "stripe=64" of "stripe": what is behind the '=', or NULL. */
const char *order_value(const char *word, const char *key);
bool order_number(const char *text, uint64_t most, uint64_t *number);
/* "u0" of 'u' */
bool order_object(const char *word, char letter, uint64_t *number);
bool order_port_exists(const Order *order, uint64_t port);
/* "0-2:5" */
bool order_ports(const Order *order, const char *text, PortList *list);
bool order_name_is_good(const Order *order, const char *name);
/* "on" or "off" */
bool order_switch(const Order *order, const char *key, const char *value,
                  bool *on);

#endif
