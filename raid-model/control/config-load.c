/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Config, at power-on: what the drives say, and whether what somebody states
 * agrees with it.  Reads only, and takes no time: a card's BIOS has done it
 * before there is a host to wait for it (assumed).
 */
#include "raid-model/control/controller-private.h"

#include <string.h>

bool config_keeps(const RaidController *ctl, unsigned port)
{
    Disk *disk = disk_port_disk(ctl->port[port]);

    return !ctl->blockless && disk && disk_keeps_data(disk) &&
           disk_sectors(disk) > RAID_RESERVED_SECTORS;
}

static void look(const RaidController *ctl, unsigned port, RaidFound *found)
{
    Disk *disk = disk_port_disk(ctl->port[port]);
    uint8_t block[DCB_COPIES][DCB_BYTES];

    *found = (RaidFound) { .drive = disk != NULL };
    if (!config_keeps(ctl, port) || config_is_forgotten(ctl, port)) {
        return;
    }
    for (unsigned copy = 0; copy < DCB_COPIES; copy++) {
        uint64_t at = dcb_sector(copy, disk_sectors(disk));

        if (disk_peek(disk, (DiskSpan) { at, DCB_SECTORS }, block[copy])) {
            memset(block[copy], 0, DCB_BYTES);
        }
    }
    raid_found_read(found, disk_sectors(disk),
                    (const void *const []) { block[0], block[1] });
}

void config_load(RaidController *ctl, RaidAssembly *all)
{
    RaidFound *found = g_new0(RaidFound, ctl->board->ports);

    for (unsigned port = 0; port < ctl->board->ports; port++) {
        look(ctl, port, &found[port]);
    }
    raid_assemble(found, ctl->board->ports, all);
    g_free(found);
}

RaidClaim raid_config_look(RaidController *ctl, unsigned port)
{
    g_autofree RaidAssembly *all = g_new(RaidAssembly, 1);
    RaidFound *found = g_new0(RaidFound, 1);
    RaidClaim claim;

    look(ctl, port, found);
    raid_assemble(found, 1, all);
    claim = all->claim[0];
    g_free(found);
    return claim == RAID_CLAIM_STALE || claim == RAID_CLAIM_REBUILDING
        ? RAID_CLAIM_MEMBER : claim;
}

/* --- what is stated ------------------------------------------------------ */

/* A unit as its drives have it, as units= has it. */
static char *words_of(const RaidAssembled *unit)
{
    GString *words = g_string_new(unit->dcb.level->name);

    for (unsigned m = 0; m < unit->dcb.members; m++) {
        g_string_append_c(words, m ? '+' : ':');
        if (unit->port[m] == RAID_NOBODY) {
            g_string_append(words, "missing");
        } else {
            g_string_append_printf(words, "%d", unit->port[m]);
        }
    }
    if (unit->dcb.stripe_sectors) {
        g_string_append_printf(words, ":%uk", unit->dcb.stripe_sectors / 2);
    }
    return g_string_free(words, FALSE);
}

static bool is_stated(const RaidAssembled *unit, const RaidSpec *spec)
{
    if (unit->dcb.level != spec->level || unit->dcb.members != spec->members ||
        unit->dcb.stripe_sectors != spec->stripe_sectors) {
        return false;
    }
    for (unsigned m = 0; m < spec->members; m++) {
        int port = spec->port[m] == RAID_PORT_MISSING ? RAID_NOBODY
                                                      : spec->port[m];

        if (unit->port[m] != port) {
            return false;
        }
    }
    return true;
}

/* A drive that is no member of anything and not free either. */
static bool port_is_usable(const RaidAssembly *all, const RaidSpec *spec,
                           int port, GError **error)
{
    RaidClaim claim = all->claim[port];

    return claim == RAID_CLAIM_BLANK || claim == RAID_CLAIM_MEMBER ||
           claim == RAID_CLAIM_REBUILDING || claim == RAID_CLAIM_STALE ||
           raid_deny(error, "%s: the drive on port %d is %s (%s)",
                     spec->level->name, port, raid_claim_word(claim),
                     raid_claim_line(claim));
}

bool config_agrees(const RaidAssembly *all, const RaidSpec *spec, int *index,
                   GError **error)
{
    g_autofree char *words = NULL;
    int first = RAID_NOBODY;

    *index = RAID_NOBODY;
    for (unsigned m = 0; m < spec->members; m++) {
        int port = spec->port[m];

        if (port == RAID_PORT_MISSING) {
            continue;
        }
        if (!port_is_usable(all, spec, port, error)) {
            return false;
        }
        if (*index == RAID_NOBODY && all->unit_of[port] != RAID_NOBODY) {
            *index = all->unit_of[port];
            first = port;
        }
    }
    if (*index == RAID_NOBODY || is_stated(&all->unit[*index], spec)) {
        return true;
    }
    words = words_of(&all->unit[*index]);
    return raid_deny(error, "%s: the drive on port %d carries a block of %s; "
                     "state that, or nothing", spec->level->name, first,
                     words);
}
