/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spec - from "raid5:0-3:64k/jbod:4" to RaidSpecs, or to one line that says
 * what is wrong, in which unit, and what would be right.
 */
#include "raid-model/control/spec.h"

#include <string.h>

#define PORTS_MAX 16            /* no card has more; larger is a slip */
#define STRIPE_SECTORS_DEFAULT 128
#define LEVELS "jbod, single, raid0, raid1, raid5, raid10"
#define STRIPES "64k, 128k, 256k, 512k, 1m"

GQuark raid_spec_error_quark(void)
{
    return g_quark_from_static_string("raid-spec-error");
}

bool raid_deny(GError **error, const char *format, ...)
{
    va_list args;
    char *line;

    va_start(args, format);
    line = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error_literal(error, RAID_SPEC_ERROR, 0, line);
    g_free(line);
    return false;
}

/* --- checks -------------------------------------------------------------- */

static bool stripe_is_allowed(uint32_t sectors)
{
    return sectors >= RAID_STRIPE_SECTORS_MIN &&
           sectors <= RAID_STRIPE_SECTORS_MAX &&
           (sectors & (sectors - 1)) == 0;
}

static bool check_members(const RaidSpec *spec, GError **error)
{
    const RaidLevel *level = spec->level;
    unsigned n = spec->members;

    if (n >= level->members_min && n <= level->members_max &&
        (n - level->members_min) % level->members_step == 0) {
        return true;
    }
    if (level->members_min == level->members_max) {
        return raid_deny(error, "%s has %u member%s, but %u given",
                         level->name, level->members_min,
                         level->members_min == 1 ? "" : "s", n);
    }
    return raid_deny(error, "%s takes %u to %u members%s, but %u given",
                     level->name, level->members_min, level->members_max,
                     level->members_step == 2 ? ", an even number" : "", n);
}

static bool check_ports(const RaidSpec *spec, GError **error)
{
    uint32_t seen = 0;

    for (unsigned i = 0; i < spec->members; i++) {
        int port = spec->port[i];

        if (port == RAID_PORT_MISSING) {
            continue;
        }
        if (port < 0 || port >= PORTS_MAX) {
            return raid_deny(error, "port %d does not exist; ports are 0 to %d",
                             port, PORTS_MAX - 1);
        }
        if (seen >> port & 1) {
            return raid_deny(error, "port %d is named twice; each member needs "
                             "a port of its own", port);
        }
        seen |= 1u << port;
    }
    return seen ? true : raid_deny(error, "all members are missing; at least "
                                   "one port is needed");
}

static bool check_missing(const RaidSpec *spec, GError **error)
{
    RaidShape shape = { .level = spec->level, .members = spec->members };
    unsigned slots = raid_row_slots(&shape);
    unsigned spare = spec->level->row_redundant;

    for (unsigned first = 0; first < spec->members; first += slots) {
        unsigned missing = 0;

        for (unsigned i = first; i < first + slots; i++) {
            missing += spec->port[i] == RAID_PORT_MISSING;
        }
        if (missing > spare && !spare) {
            return raid_deny(error, "%s cannot do without a member, but %u %s "
                             "missing", spec->level->name, missing,
                             missing == 1 ? "is" : "are");
        }
        if (missing > spare) {
            return raid_deny(error, "%s can do without %u of members %u to %u, "
                             "but %u are missing", spec->level->name, spare,
                             first, first + slots - 1, missing);
        }
    }
    return true;
}

static bool check_stripe(const RaidSpec *spec, GError **error)
{
    if (!spec->level->striped) {
        return spec->stripe_sectors == 0 ||
               raid_deny(error, "%s has no stripe size; leave it out",
                         spec->level->name);
    }
    return stripe_is_allowed(spec->stripe_sectors) ||
           raid_deny(error, "a stripe of %u sectors is not offered; one of "
                     STRIPES, spec->stripe_sectors);
}

bool raid_spec_check(const RaidSpec *spec, GError **error)
{
    return check_members(spec, error) && check_stripe(spec, error) &&
           check_ports(spec, error) && check_missing(spec, error);
}

/* --- words --------------------------------------------------------------- */

/* Decimal digits only, at most `max`; *end is left after them. */
static bool read_number(const char *text, uint64_t max, const char **end,
                        uint64_t *number)
{
    uint64_t value = 0;

    if (!g_ascii_isdigit(*text)) {
        return false;
    }
    for (; g_ascii_isdigit(*text); text++) {
        value = value * 10 + (unsigned)(*text - '0');
        if (value > max) {
            return false;
        }
    }
    *end = text;
    *number = value;
    return true;
}

static bool add_member(RaidSpec *spec, int port, GError **error)
{
    if (spec->members == RAID_MEMBERS_MAX) {
        return raid_deny(error, "too many members; %d at most",
                         RAID_MEMBERS_MAX);
    }
    spec->port[spec->members++] = port;
    return true;
}

/* "3", "0-3" or "missing" */
static bool read_ports(RaidSpec *spec, const char *word, GError **error)
{
    const char *end;
    uint64_t first, last;

    if (strcmp(word, "missing") == 0) {
        return add_member(spec, RAID_PORT_MISSING, error);
    }
    if (!read_number(word, PORTS_MAX - 1, &end, &first)) {
        return raid_deny(error, "\"%s\" is not a port; a port is a number from "
                         "0 to %d, a range such as 0-3, or \"missing\"", word,
                         PORTS_MAX - 1);
    }
    last = first;
    if (*end == '-' && !read_number(end + 1, PORTS_MAX - 1, &end, &last)) {
        end = "?";
    }
    if (*end) {
        return raid_deny(error, "\"%s\" is not a range of ports; write it as "
                         "0-3, with ports from 0 to %d", word, PORTS_MAX - 1);
    }
    if (last < first) {
        return raid_deny(error, "range %s runs backwards; write the lower port "
                         "first", word);
    }
    for (; first <= last; first++) {
        if (!add_member(spec, (int)first, error)) {
            return false;
        }
    }
    return true;
}

static bool read_member_list(RaidSpec *spec, const char *text, GError **error)
{
    char **words = g_strsplit(text, "+", -1);
    bool good = true;

    for (char **word = words; good && *word; word++) {
        good = read_ports(spec, *word, error);
    }
    g_strfreev(words);
    return good;
}

static bool read_stripe(RaidSpec *spec, const char *text, GError **error)
{
    const char *end;
    uint64_t number, sectors = 0;

    if (read_number(text, 1024, &end, &number)) {
        if (g_ascii_strcasecmp(end, "k") == 0) {
            sectors = number * 2;
        } else if (g_ascii_strcasecmp(end, "m") == 0) {
            sectors = number * 2048;
        }
    }
    if (spec->level->striped && !stripe_is_allowed((uint32_t)sectors)) {
        return raid_deny(error, "\"%s\" is not a stripe size; one of " STRIPES,
                         text);
    }
    spec->stripe_sectors = (uint32_t)MAX(sectors, 1);
    return true;
}

/* --- one unit, all units ------------------------------------------------- */

static bool read_parts(RaidSpec *spec, char **part, GError **error)
{
    unsigned parts = g_strv_length(part);

    if (parts < 2 || parts > 3) {
        return raid_deny(error, "a unit is LEVEL:PORTS or LEVEL:PORTS:STRIPE, "
                         "such as raid5:0-3:64k");
    }
    spec->level = raid_level_find(part[0]);
    if (!spec->level) {
        return raid_deny(error, "\"%s\" is not a level; one of " LEVELS,
                         part[0]);
    }
    spec->stripe_sectors = spec->level->striped ? STRIPE_SECTORS_DEFAULT : 0;
    return read_member_list(spec, part[1], error) &&
           (parts == 2 || read_stripe(spec, part[2], error)) &&
           raid_spec_check(spec, error);
}

static bool read_unit(RaidSpec *spec, const char *text, GError **error)
{
    char **part = g_strsplit(text, ":", -1);
    bool good = read_parts(spec, part, error);

    g_strfreev(part);
    return good;
}

static bool ports_are_free(const RaidSpec *spec, uint32_t *used,
                           GError **error)
{
    for (unsigned i = 0; i < spec->members; i++) {
        int port = spec->port[i];

        if (port == RAID_PORT_MISSING) {
            continue;
        }
        if (*used >> port & 1) {
            return raid_deny(error, "port %d is already in a unit before this "
                             "one", port);
        }
        *used |= 1u << port;
    }
    return true;
}

static void name_unit(GError **error, const char *unit)
{
    g_prefix_error(error, "unit \"%s\": ", unit);
    if (error) {
        g_strdelimit((*error)->message, "\r\n\t", ' ');
    }
}

GArray *raid_spec_parse(const char *text, GError **error)
{
    GArray *specs = g_array_new(FALSE, FALSE, sizeof(RaidSpec));
    char **units = g_strsplit(text, "/", -1);
    uint32_t used = 0;
    bool good = *units ? true
                       : raid_deny(error, "no unit given; a unit is "
                                   "LEVEL:PORTS[:STRIPE], such as raid5:0-3");

    for (char **unit = units; good && *unit; unit++) {
        RaidSpec spec = { 0 };

        good = read_unit(&spec, *unit, error) &&
               ports_are_free(&spec, &used, error);
        if (!good) {
            name_unit(error, *unit);
        }
        g_array_append_val(specs, spec);
    }
    g_strfreev(units);
    if (!good) {
        g_array_unref(specs);
        return NULL;
    }
    return specs;
}
