/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout - levels as data; unit LBA to row, slot and offset, and back.
 *
 * One formula serves every level.  The members stand in sets of as many as
 * a row has slots (RAID 10: pairs; all others: one set of all); rows are
 * dealt to the sets in turn.  Levels without a stripe size have one chunk
 * after the other on their single data slot, each long enough that a
 * command is seldom cut.
 */
#include "raid-model/array/layout.h"

#include <glib.h>
#include <string.h>

/* Chunk of a level that is not striped: a command (at most 65535 sectors)
 * touches two rows at most. */
#define PLAIN_CHUNK_SECTORS 65536

const RaidLevel raid_level[RAID_CODES] = {
    [RAID_JBOD] = {
        .name = "jbod", .title = "JBOD", .code = RAID_JBOD,
        .members_min = 1, .members_max = 1, .members_step = 1,
        .row_data = 1,
    },
    [RAID_SINGLE] = {
        .name = "single", .title = "single disk", .code = RAID_SINGLE,
        .members_min = 1, .members_max = 1, .members_step = 1,
        .row_data = 1, .reserves = true,
    },
    [RAID_0] = {
        .name = "raid0", .title = "RAID 0", .code = RAID_0,
        .members_min = 2, .members_max = RAID_MEMBERS_MAX, .members_step = 1,
        .striped = true, .reserves = true,
    },
    [RAID_1] = {
        .name = "raid1", .title = "RAID 1", .code = RAID_1,
        .members_min = 2, .members_max = 2, .members_step = 1,
        .row_data = 1, .row_redundant = 1, .reserves = true,
    },
    [RAID_5] = {
        .name = "raid5", .title = "RAID 5", .code = RAID_5,
        .members_min = 3, .members_max = RAID_MEMBERS_MAX, .members_step = 1,
        .row_redundant = 1, .striped = true, .rotates = true,
        .reserves = true,
    },
    [RAID_10] = {
        .name = "raid10", .title = "RAID 10", .code = RAID_10,
        .members_min = 4, .members_max = RAID_MEMBERS_MAX, .members_step = 2,
        .row_data = 1, .row_redundant = 1, .striped = true, .reserves = true,
    },
};

/* RAID 01 names the same two pairs, drawn the other way round. */
const RaidLevel *raid_level_find(const char *name)
{
    if (strcmp(name, "raid01") == 0) {
        return &raid_level[RAID_10];
    }
    for (unsigned i = 0; i < RAID_CODES; i++) {
        if (strcmp(raid_level[i].name, name) == 0) {
            return &raid_level[i];
        }
    }
    return NULL;
}

uint64_t raid_member_sectors(const RaidLevel *level, uint32_t stripe_sectors,
                             uint64_t drive_sectors)
{
    uint64_t usable = drive_sectors;

    if (level->reserves) {
        if (drive_sectors <= RAID_RESERVED_SECTORS) {
            return 0;
        }
        usable -= RAID_RESERVED_SECTORS;
    }
    return level->striped ? usable - usable % stripe_sectors : usable;
}

unsigned raid_row_data(const RaidShape *shape)
{
    const RaidLevel *level = shape->level;

    return level->row_data ? level->row_data
                           : shape->members - level->row_redundant;
}

unsigned raid_row_slots(const RaidShape *shape)
{
    return raid_row_data(shape) + shape->level->row_redundant;
}

unsigned raid_row_sets(const RaidShape *shape)
{
    unsigned slots = raid_row_slots(shape);

    return slots == shape->members ? 1 : shape->members / slots;
}

uint32_t raid_chunk_sectors(const RaidShape *shape)
{
    return shape->level->striped ? shape->stripe_sectors
                                 : PLAIN_CHUNK_SECTORS;
}

uint64_t raid_capacity(const RaidShape *shape)
{
    return shape->member_sectors * raid_row_sets(shape) *
           raid_row_data(shape);
}

uint64_t raid_row_sectors(const RaidShape *shape)
{
    return (uint64_t)raid_row_data(shape) * raid_chunk_sectors(shape);
}

RaidPlace raid_place(const RaidShape *shape, uint64_t lba)
{
    uint32_t chunk_sectors = raid_chunk_sectors(shape);
    unsigned data = raid_row_data(shape);
    uint64_t chunk = lba / chunk_sectors;

    if (data == 1) {            /* division is dear */
        return (RaidPlace) { .row = chunk, .offset = lba % chunk_sectors };
    }
    return (RaidPlace) {
        .row = chunk / data,
        .slot = chunk % data,
        .offset = lba % chunk_sectors,
    };
}

uint64_t raid_lba(const RaidShape *shape, const RaidPlace *place)
{
    uint64_t chunk = place->row * raid_row_data(shape) + place->slot;

    return chunk * raid_chunk_sectors(shape) + place->offset;
}

/* Which set has the row. */
static unsigned set_of(const RaidShape *shape, uint64_t row)
{
    unsigned sets = raid_row_sets(shape);

    return sets == 1 ? 0 : row % sets;
}

unsigned raid_member(const RaidShape *shape, uint64_t row, unsigned slot)
{
    unsigned slots = raid_row_slots(shape);
    unsigned data = raid_row_data(shape);

    if (shape->level->rotates) {
        unsigned parity = row % slots;

        if (slot == data) {
            return parity;
        }
        return slot < parity ? slot : slot + 1;
    }
    return set_of(shape, row) * slots + slot;
}

bool raid_slot(const RaidShape *shape, uint64_t row, unsigned member,
               unsigned *slot)
{
    unsigned slots = raid_row_slots(shape);

    if (shape->level->rotates) {
        unsigned parity = row % slots;

        if (member >= slots) {
            return false;
        }
        if (member == parity) {
            *slot = raid_row_data(shape);
        } else {
            *slot = member < parity ? member : member - 1;
        }
        return true;
    }
    if (member / slots != set_of(shape, row)) {
        return false;
    }
    *slot = member % slots;
    return true;
}

uint64_t raid_row_sector(const RaidShape *shape, uint64_t row)
{
    uint64_t start = shape->level->reserves ? RAID_DATA_OFFSET_SECTORS : 0;
    unsigned sets = raid_row_sets(shape);

    return start + (sets == 1 ? row : row / sets) * raid_chunk_sectors(shape);
}
