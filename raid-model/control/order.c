/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order - a line in tw_cli's words is read, judged and carried out, in this
 * order, so that one which is refused has changed nothing.
 */
#include "raid-model/control/life.h"
#include "raid-model/control/manage.h"
#include "raid-model/control/order-words.h"

#include <string.h>

#define ORDERS "add, set, rescan, shutdown, alarms clear, uN ..., pN ..."
#define UNIT_ORDERS "del, remove, start, stop, pause, resume, set"

/* --- the card's state ----------------------------------------------------- */

static const char *state_word(const CtlUnit *own)
{
    static const char *const word[] = {
        [RAID_UNIT_OK] = "OK", [RAID_UNIT_DEGRADED] = "DEGRADED",
        [RAID_UNIT_INOPERABLE] = "INOPERABLE",
    };

    return word[raid_unit_state(own->unit)];
}

static const char *task_word(const CtlUnit *own)
{
    static const char *const word[] = {
        [RAID_TASK_NONE] = "idle", [RAID_TASK_REBUILD] = "rebuilding",
        [RAID_TASK_VERIFY] = "verifying", [RAID_TASK_INIT] = "initializing",
    };

    return word[raid_unit_task(own->unit)->kind];
}

/* A drive that may be taken for something, by its port. */
static bool drive_is_free(const Order *order, unsigned port)
{
    RaidController *ctl = order->ctl;

    if (ctl->removed[port] && disk_port_disk(ctl->port[port])) {
        return deny(order, "port %u: its drive was removed; right is rescan, "
                    "then this", port);
    }
    if (!raid_controller_drive(ctl, port)) {
        return deny(order, "port %u has no drive; plug one in", port);
    }
    if (ctl->port_unit[port] != RAID_NO_UNIT) {
        return deny(order, "the drive on port %u is in unit %d; right is one "
                    "in no unit (u%d del makes it free)", port,
                    ctl->port_unit[port], ctl->port_unit[port]);
    }
    return raid_config_look(ctl, port) != RAID_CLAIM_NEWER ||
           deny(order, "the drive on port %u is %s (%s)", port,
                raid_claim_word(RAID_CLAIM_NEWER),
                raid_claim_line(RAID_CLAIM_NEWER));
}

static void answer(const Order *order, const char *format, unsigned number)
{
    if (order->answer) {
        g_string_append_printf(order->answer, format, number);
    }
}

/* --- add ------------------------------------------------------------------ */

typedef struct AddAsk {
    const char *type, *name;
    PortList disk;
    uint64_t stripe_kb;         /* 0: not said */
    bool noinit;
} AddAsk;

#define ADD "add type=LEVEL disk=0-3 [stripe=64] [name=WORD] [noinit]"

static bool read_add_word(const Order *order, const char *word, AddAsk *ask)
{
    const char *value;

    if ((value = order_value(word, "type"))) {
        ask->type = value;
        return true;
    }
    if ((value = order_value(word, "disk"))) {
        return order_ports(order, value, &ask->disk);
    }
    if ((value = order_value(word, "stripe"))) {
        return (order_number(value, 1 << 20, &ask->stripe_kb) &&
                ask->stripe_kb) ||
               deny(order, "stripe=%s: right is 64, 128, 256, 512 or 1024, in "
                    "KiB", value);
    }
    if ((value = order_value(word, "name"))) {
        ask->name = value;
        return order_name_is_good(order, value);
    }
    ask->noinit |= !strcmp(word, "noinit");
    return !strcmp(word, "noinit") ||
           deny(order, "add: \"%s\" is not known; right is " ADD, word);
}

static bool add_spare(Order *order, const AddAsk *ask)
{
    RaidController *ctl = order->ctl;
    unsigned port = ask->disk.port[0];

    if (ask->disk.count > 1 || ask->stripe_kb || ask->name || ask->noinit) {
        return deny(order, "a spare is one drive and no more; right is add "
                    "type=spare disk=%u", port);
    }
    if (ctl->spare[port]) {
        return deny(order, "the drive on port %u is the spare u%u already",
                    port, ctl->spare_number[port]);
    }
    if (!drive_is_free(order, port)) {
        return false;
    }
    if (life_free_number(ctl, 0) == RAID_NO_UNIT) {
        return deny(order, "there are %d units already; delete one",
                    RAID_UNITS_MAX);
    }
    raid_config_make_spare(ctl, port);
    life_make_spare(ctl, port);
    answer(order, "unit %u", ctl->spare_number[port]);
    return true;
}

static bool add_unit(Order *order, const AddAsk *ask)
{
    RaidController *ctl = order->ctl;
    RaidSpec spec = { .level = raid_level_find(ask->type) };
    CtlUnit *own;

    if (!spec.level) {
        return deny(order, "type=%s: right is raid0, raid1, raid5, raid10, "
                    "single, jbod or spare", ask->type);
    }
    spec.members = ask->disk.count;
    spec.stripe_sectors = ask->stripe_kb ? (uint32_t)ask->stripe_kb * 2
        : spec.level->striped ? RAID_STRIPE_SECTORS_MIN : 0;
    for (unsigned i = 0; i < spec.members; i++) {
        if (!drive_is_free(order, ask->disk.port[i])) {
            return false;
        }
        spec.port[i] = (int)ask->disk.port[i];
    }
    if (!formation_create(ctl, &spec, order->error)) {
        return false;
    }
    for (unsigned i = 0; i < spec.members && !spec.level->reserves; i++) {
        if (raid_config_look(ctl, (unsigned)spec.port[i]) !=
            RAID_CLAIM_BLANK) {
            raid_config_forget(ctl, (unsigned)spec.port[i]);
        }
    }
    own = &ctl->unit[ctl->port_unit[spec.port[0]]];
    if (ask->name) {
        g_strlcpy(own->dcb.name, ask->name, sizeof(own->dcb.name));
        raid_config_changed(ctl, own->number);
    }
    if (!ask->noinit && ctl_is_redundant(own)) {
        raid_unit_task_start(own->unit, RAID_TASK_INIT, 0, 0);
    }
    answer(order, "unit %u", own->number);
    return true;
}

static bool add(Order *order)
{
    AddAsk ask = { 0 };

    for (char **word = order->word; *word; word++) {
        if (!read_add_word(order, *word, &ask)) {
            return false;
        }
    }
    if (!ask.type || !ask.disk.count) {
        return deny(order, "add: %s is missing; right is " ADD,
                    ask.type ? "disk=" : "type=");
    }
    return strcmp(ask.type, "spare") ? add_unit(order, &ask)
                                     : add_spare(order, &ask);
}

/* --- rebuild -------------------------------------------------------------- */

static bool member_for(const Order *order, CtlUnit *own, unsigned port,
                       uint32_t taken, unsigned *member)
{
    unsigned members = raid_unit_shape(own->unit)->members;

    for (unsigned m = 0; m < members; m++) {
        if (own->port[m] == (int)port) {
            *member = m;
            return !(life_good_members(own) >> m & 1) ||
                   deny(order, "u%u: the drive on port %u is a good member; "
                        "right is one that takes the place of a lost one",
                        own->number, port);
        }
    }
    if (!order->ctl->spare[port] && !drive_is_free(order, port)) {
        return false;
    }
    for (unsigned m = 0; m < members; m++) {
        if (!raid_unit_member_present(own->unit, m) && !(taken >> m & 1)) {
            *member = m;
            return true;
        }
    }
    return deny(order, "u%u: no member is missing that port %u could stand in "
                "for", own->number, port);
}

static bool member_may_join(const Order *order, const CtlUnit *own,
                            unsigned port, unsigned member)
{
    if (!raid_controller_drive(order->ctl, port)) {
        return deny(order, "port %u has no drive; plug one in", port);
    }
    if (!life_drive_fits(order->ctl, own, port)) {
        raid_controller_log(order->ctl, RAID_EVENT_DRIVE_TOO_SMALL,
                            (uint8_t)port);
        return deny(order, "u%u: the drive on port %u is too small; a member "
                    "needs %" G_GUINT64_FORMAT " sectors", own->number, port,
                    raid_unit_shape(own->unit)->member_sectors +
                    RAID_RESERVED_SECTORS);
    }
    return raid_unit_member_stale(own->unit, member) ||
           raid_unit_can_join(own->unit, member) ||
           deny(order, "u%u: the drive that was lost still owes answers; try "
                "again in a minute", own->number);
}

static bool may_rebuild(const Order *order, const CtlUnit *own)
{
    if (raid_unit_state(own->unit) != RAID_UNIT_DEGRADED) {
        return deny(order, "u%u is %s; only a DEGRADED unit is rebuilt",
                    own->number, state_word(own));
    }
    return raid_unit_task(own->unit)->kind == RAID_TASK_NONE ||
           deny(order, "u%u is %s already", own->number, task_word(own));
}

static bool start_rebuild(Order *order, CtlUnit *own)
{
    const char *value = g_strv_length(order->word) > 2
        ? order_value(order->word[2], "disk") : NULL;
    unsigned member[RAID_PORTS_MAX];
    uint32_t taken = 0;
    PortList disk;

    if (!value) {
        return deny(order, "u%u start rebuild: right is start rebuild disk=3",
                    own->number);
    }
    if (!order_ends_at(order, 3, "start rebuild disk=3") ||
        !order_ports(order, value, &disk) || !may_rebuild(order, own)) {
        return false;
    }
    for (unsigned i = 0; i < disk.count; i++) {
        if (!member_for(order, own, disk.port[i], taken, &member[i]) ||
            !member_may_join(order, own, disk.port[i], member[i])) {
            return false;
        }
        taken |= 1u << member[i];
    }
    for (unsigned i = 0; i < disk.count; i++) {
        life_join(order->ctl, own, member[i], disk.port[i]);
    }
    life_rebuild(own);
    return true;
}

/* --- other tasks ---------------------------------------------------------- */

static bool start_verify(Order *order, CtlUnit *own)
{
    if (!order_ends_at(order, 2, "start verify")) {
        return false;
    }
    if (raid_unit_state(own->unit) != RAID_UNIT_OK) {
        return deny(order, "u%u is %s; only a unit that is OK is verified",
                    own->number, state_word(own));
    }
    if (raid_unit_task(own->unit)->kind != RAID_TASK_NONE) {
        return deny(order, "u%u is %s already", own->number, task_word(own));
    }
    life_verify(order->ctl, own);
    return true;
}

static bool must_be(const Order *order, const CtlUnit *own, RaidTaskKind kind,
                    const char *word)
{
    return raid_unit_task(own->unit)->kind == kind ||
           deny(order, "u%u is not %s but %s", own->number, word,
                task_word(own));
}

static bool stop_verify(Order *order, CtlUnit *own)
{
    if (!order_ends_at(order, 2, "stop verify") ||
        !must_be(order, own, RAID_TASK_VERIFY, "verifying")) {
        return false;
    }
    raid_unit_task_stop(own->unit);
    own->task = RAID_TASK_NONE;
    raid_config_changed(order->ctl, own->number);
    return true;
}

static bool pause_rebuild(Order *order, CtlUnit *own, bool pause)
{
    if (!order_ends_at(order, 2, "pause rebuild, resume rebuild") ||
        !must_be(order, own, RAID_TASK_REBUILD, "rebuilding")) {
        return false;
    }
    if (raid_unit_task(own->unit)->paused == pause) {
        return deny(order, "u%u: the rebuild is %s already", own->number,
                    pause ? "paused" : "going on");
    }
    raid_unit_task_pause(own->unit, pause);
    raid_config_changed(order->ctl, own->number);
    return true;
}

/* --- set ------------------------------------------------------------------ */

static bool set_flag(Order *order, CtlUnit *own, const char *key,
                     const char *value, uint32_t flag)
{
    bool on;

    if (!order_switch(order, key, value, &on)) {
        return false;
    }
    own->dcb.flags = on ? own->dcb.flags | flag : own->dcb.flags & ~flag;
    raid_unit_set_policy(own->unit, own->dcb.flags & DCB_IGNORE_ECC);
    life_autoverify(order->ctl);
    raid_config_changed(order->ctl, own->number);
    return true;
}

static bool set_of_unit(Order *order, CtlUnit *own)
{
    const char *word = order->word[1] ? order->word[1] : "";
    const char *value;
    bool on;

    if (!order_ends_at(order, 2, "set and one setting")) {
        return false;
    }
    if ((value = order_value(word, "cache"))) {
        if (!order_switch(order, "cache", value, &on)) {
            return false;
        }
        raid_controller_set_write_cache(order->ctl, own->number, on);
        return true;
    }
    if ((value = order_value(word, "autoverify"))) {
        return set_flag(order, own, "autoverify", value, DCB_AUTOVERIFY);
    }
    if ((value = order_value(word, "ignoreECC"))) {
        return set_flag(order, own, "ignoreECC", value, DCB_IGNORE_ECC);
    }
    if ((value = order_value(word, "name"))) {
        if (!order_name_is_good(order, value)) {
            return false;
        }
        g_strlcpy(own->dcb.name, value, sizeof(own->dcb.name));
        raid_config_changed(order->ctl, own->number);
        return true;
    }
    return deny(order, "u%u set: \"%s\" is not known; right is cache=, "
                "autoverify=, ignoreECC= or name=", own->number, word);
}

static bool set_of_card(Order *order)
{
    RaidController *ctl = order->ctl;
    const char *word = *order->word ? *order->word : "";
    const char *rebuild = order_value(word, "rebuild");
    const char *verify = order_value(word, "verify");
    uint64_t rate;

    if (!rebuild && !verify) {
        return deny(order, "set: \"%s\" is not known; right is rebuild=1..5 or "
                    "verify=1..5", word);
    }
    if (!order_ends_at(order, 1, "set and one setting")) {
        return false;
    }
    if (!order_number(rebuild ? rebuild : verify, DCB_RATE_MAX, &rate) ||
        rate < 1) {
        return deny(order, "set %s: right is 1 (the task first) to %d (the "
                    "host first)", word, DCB_RATE_MAX);
    }
    *(rebuild ? &ctl->rebuild_rate : &ctl->verify_rate) = (uint8_t)rate;
    life_set_rates(ctl);
    return true;
}

/* --- units, spares, ports ------------------------------------------------- */

static bool delete_unit(Order *order, CtlUnit *own)
{
    unsigned number = own->number;

    formation_delete(order->ctl, number);
    raid_controller_log(order->ctl, RAID_EVENT_UNIT_DELETED, (uint8_t)number);
    return true;
}

static bool is_task(const Order *order, const char *verb, const char *task)
{
    return order_is_word(order, 0, verb) && order_is_word(order, 1, task);
}

static bool order_unit(Order *order, CtlUnit *own)
{
    if (order_is_word(order, 0, "del")) {
        return order_ends_at(order, 1, "del") && delete_unit(order, own);
    }
    if (order_is_word(order, 0, "remove")) {
        if (!order_ends_at(order, 1, "remove")) {
            return false;
        }
        life_remove_unit(order->ctl, own);
        return true;
    }
    if (order_is_word(order, 0, "set")) {
        return set_of_unit(order, own);
    }
    if (is_task(order, "start", "rebuild")) {
        return start_rebuild(order, own);
    }
    if (is_task(order, "start", "verify")) {
        return start_verify(order, own);
    }
    if (is_task(order, "stop", "verify")) {
        return stop_verify(order, own);
    }
    if (is_task(order, "pause", "rebuild") ||
        is_task(order, "resume", "rebuild")) {
        return pause_rebuild(order, own, order_is_word(order, 0, "pause"));
    }
    return deny(order, "u%u: \"%s\" is no order; right are " UNIT_ORDERS
                " (start and stop verify, start, pause and resume rebuild)",
                own->number, *order->word ? *order->word : "");
}

static bool order_spare(Order *order, unsigned port)
{
    unsigned number = order->ctl->spare_number[port];

    if (!order_is_word(order, 0, "del") || order->word[1]) {
        return deny(order, "u%u is a spare; right is u%u del", number, number);
    }
    raid_config_forget(order->ctl, port);
    raid_controller_log(order->ctl, RAID_EVENT_UNIT_DELETED, (uint8_t)number);
    return true;
}

static bool order_unit_or_spare(Order *order, uint64_t number)
{
    RaidController *ctl = order->ctl;
    g_autoptr(GString) there = g_string_new(NULL);
    int port = number < RAID_UNITS_MAX
        ? life_spare_port(ctl, (unsigned)number) : RAID_NO_PORT;

    if (number < RAID_UNITS_MAX && ctl->unit[number].unit) {
        return order_unit(order, &ctl->unit[number]);
    }
    if (port != RAID_NO_PORT) {
        return order_spare(order, (unsigned)port);
    }
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (ctl->unit[i].unit || life_spare_port(ctl, i) != RAID_NO_PORT) {
            g_string_append_printf(there, "%su%u", there->len ? ", " : "", i);
        }
    }
    return deny(order, "u%" G_GUINT64_FORMAT ": there is no such unit; right "
                "is %s%s", number, there->len ? "one of " : "none",
                there->str);
}

/* Without it, and without those that are lost already. */
static bool unit_can_spare(const CtlUnit *own, unsigned port)
{
    uint32_t left = life_good_members(own);

    for (unsigned m = 0; m < raid_unit_shape(own->unit)->members; m++) {
        if (own->port[m] == (int)port) {
            left &= ~(1u << m);
        }
    }
    return dcb_operable(&own->dcb, left);
}

static bool order_port(Order *order, uint64_t number)
{
    RaidController *ctl = order->ctl;
    unsigned port = (unsigned)number;

    if (!order_port_exists(order, number)) {
        return false;
    }
    if (!order_is_word(order, 0, "remove") || order->word[1]) {
        return deny(order, "p%u: \"%s\" is no order; right is p%u remove",
                    port, *order->word ? *order->word : "", port);
    }
    if (!raid_controller_drive(ctl, port)) {
        return deny(order, "port %u has no drive to remove", port);
    }
    if (ctl->port_unit[port] != RAID_NO_UNIT &&
        !unit_can_spare(&ctl->unit[ctl->port_unit[port]], port)) {
        return deny(order, "p%u: u%d cannot do without its drive; right is u%d "
                    "remove", port, ctl->port_unit[port],
                    ctl->port_unit[port]);
    }
    life_remove_port(ctl, port);
    return true;
}

/* --- the card ------------------------------------------------------------- */

static void nobody_waits(void *opaque)
{
    (void)opaque;
}

static bool rescan(Order *order)
{
    uint32_t found = life_rescan(order->ctl);

    for (unsigned port = 0; port < RAID_PORTS_MAX; port++) {
        if (found >> port & 1) {
            answer(order, order->answer && order->answer->len ? " %u"
                                                              : "port %u",
                   port);
        }
    }
    return true;
}

static bool order_card(Order *order, const char *verb)
{
    if (!strcmp(verb, "add")) {
        return add(order);
    }
    if (!strcmp(verb, "set")) {
        return set_of_card(order);
    }
    if (!strcmp(verb, "rescan")) {
        return order_ends_at(order, 0, "rescan") && rescan(order);
    }
    if (!strcmp(verb, "shutdown")) {
        if (!order_ends_at(order, 0, "shutdown")) {
            return false;
        }
        raid_controller_shutdown(order->ctl, nobody_waits, NULL);
        return true;
    }
    if (!strcmp(verb, "alarms") && order_is_word(order, 0, "clear")) {
        order->ctl->log.count = 0;
        return true;
    }
    return deny(order, "\"%s\" is no order; right are " ORDERS, verb);
}

bool manage_order(RaidController *ctl, const char *line, GString *answer,
                  GError **error)
{
    g_auto(GStrv) words = g_strsplit_set(line, " \t\r\n", -1);
    unsigned count = 0;
    Order order = { ctl, words + 1, answer, error };
    uint64_t number;

    for (char **word = words; *word; word++) {
        if (**word) {
            words[count++] = *word;
        } else {
            g_free(*word);
        }
    }
    words[count] = NULL;        /* behind it nothing is left to free */
    if (!count) {
        return raid_deny(error, "an order has words; right are " ORDERS);
    }
    if (order_object(*words, 'u', &number)) {
        return order_unit_or_spare(&order, number);
    }
    if (order_object(*words, 'p', &number)) {
        return order_port(&order, number);
    }
    return order_card(&order, *words);
}
