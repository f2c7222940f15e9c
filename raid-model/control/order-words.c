/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order words: readers, which change nothing.
 */
#include "raid-model/control/order-words.h"

#include <string.h>

bool order_is_word(const Order *order, unsigned index, const char *word)
{
    return g_strv_length(order->word) > index &&
           !strcmp(order->word[index], word);
}

bool order_ends_at(const Order *order, unsigned count, const char *right)
{
    return g_strv_length(order->word) <= count ||
           deny(order, "\"%s\" is one word too many; right is %s",
                order->word[count], right);
}

const char *order_value(const char *word, const char *key)
{
    size_t length = strlen(key);

    return !strncmp(word, key, length) && word[length] == '='
        ? word + length + 1 : NULL;
}

bool order_number(const char *text, uint64_t most, uint64_t *number)
{
    return g_ascii_string_to_unsigned(text, 10, 0, most, number, NULL);
}

bool order_object(const char *word, char letter, uint64_t *number)
{
    return word[0] == letter && order_number(word + 1, UINT32_MAX, number);
}

bool order_port_exists(const Order *order, uint64_t port)
{
    const BoardModel *board = order->ctl->board;

    return port < board->ports ||
           deny(order, "port %" G_GUINT64_FORMAT " does not exist; a %s has "
                "ports 0 to %d", port, board->name, board->ports - 1);
}

static bool add_port(const Order *order, PortList *list, uint64_t port)
{
    if (!order_port_exists(order, port)) {
        return false;
    }
    for (unsigned i = 0; i < list->count; i++) {
        if (list->port[i] == port) {
            return deny(order, "port %" G_GUINT64_FORMAT " is named twice; "
                        "right is each once", port);
        }
    }
    list->port[list->count++] = (unsigned)port;
    return true;
}

bool order_ports(const Order *order, const char *text, PortList *list)
{
    g_auto(GStrv) part = g_strsplit(text, ":", -1);

    list->count = 0;
    for (char **p = part; *p; p++) {
        g_auto(GStrv) end = g_strsplit(*p, "-", 2);
        uint64_t first, last;

        if (!*end || !order_number(end[0], UINT32_MAX, &first) ||
            !order_number(end[1] ? end[1] : end[0], UINT32_MAX, &last) ||
            last < first) {
            return deny(order, "disk=%s: \"%s\" is no port; right is disk=0-3 "
                        "or disk=0:1:5", text, *p);
        }
        for (; first <= last; first++) {
            if (!add_port(order, list, first)) {
                return false;
            }
        }
    }
    return list->count || deny(order, "disk= names no port; right is disk=0-3 "
                               "or disk=0:1:5");
}

bool order_name_is_good(const Order *order, const char *name)
{
    size_t length = strlen(name);
    bool plain = length >= 1 && length <= DCB_NAME_MAX;

    for (const char *c = name; *c; c++) {
        plain = plain && g_ascii_isgraph(*c);
    }
    return plain || deny(order, "name=%s: right is 1 to %d plain letters",
                         name, DCB_NAME_MAX);
}

bool order_switch(const Order *order, const char *key, const char *value,
                  bool *on)
{
    *on = !strcmp(value, "on");
    return *on || !strcmp(value, "off") ||
           deny(order, "%s=%s: right is %s=on or %s=off", key, value, key,
                key);
}
