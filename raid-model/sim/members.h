/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members - a set of images as a card would take them, and a unit read from
 * them without a card or a clock.
 *
 * Images are opened for reading only.  Their place in the list is their
 * port, as units= has ports; what their blocks make of them is
 * raid-model/control/assemble.h's matter.
 */
#ifndef RAID_SIM_MEMBERS_H
#define RAID_SIM_MEMBERS_H

#include "raid-model/control/assemble.h"
#include "raid-model/control/spec.h"

typedef struct MemberSet {
    unsigned images;
    const char *path[RAID_FOUND_MAX];   /* borrowed */
    int fd[RAID_FOUND_MAX];
    uint64_t sectors[RAID_FOUND_MAX];
    RaidFound found[RAID_FOUND_MAX];
    RaidAssembly all;
} MemberSet;

/* NULL and one line when an image cannot be read, or one is given twice. */
MemberSet *members_open(char **paths, GError **error);
void members_close(MemberSet *set);             /* NULL is fine */

/*
 * A unit as somebody states it, whatever blocks say.  drive_sectors 0: as
 * the images have, which are then all of a size.
 */
bool members_state(const MemberSet *set, const RaidSpec *spec,
                   uint64_t drive_sectors, RaidAssembled *unit,
                   GError **error);

uint64_t members_capacity(const RaidAssembled *unit);
/* How much of a unit to read at once; a multiple of no chunk's part. */
uint32_t members_piece(const RaidAssembled *unit);
/*
 * Sectors of a unit, within one piece.  What a good member has comes from
 * it, else from the rest of the row.  False and one line if neither can be
 * read.
 */
bool members_read(const MemberSet *set, const RaidAssembled *unit,
                  uint64_t lba, uint32_t count, void *buf, GError **error);

/* device-mapper's lines for the unit as it is, "NAME: TABLE\n" each. */
void members_table(const MemberSet *set, const RaidAssembled *unit,
                   GString *out);

#endif
