/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit parameters: the status byte and the descriptor of a unit.
 *
 * A descriptor is records of 12 bytes: one for a unit of one drive; else one
 * for the array, on RAID 10 one for its mirrors, and one for each member.
 * Sources: the BSD twe headers.
 */
#include "hw/asic/param-unit.h"
#include "hw/asic/wire.h"

/* bit 0 online, bit 1 complete, 7:2 state; the full bytes are guesses */
enum { UNIT_BYTE_NORMAL = 0xff, UNIT_BYTE_INITIALISING = 0xf7,
       UNIT_BYTE_DEGRADED = 0xed, UNIT_BYTE_REBUILDING = 0xdf,
       UNIT_BYTE_VERIFYING = 0xcf, UNIT_BYTE_CORRUPT = 0xbc,
       UNIT_BYTE_MISSING = 0x00 };

enum { CONFIG_RAID0 = 0x00, CONFIG_RAID1 = 0x01, CONFIG_RAID5 = 0x05,
       CONFIG_RAID10 = 0x06, CONFIG_CBOD = 0x0c, CONFIG_SUBUNIT = 0x0e,
       CONFIG_JBOD = 0x0f };

static const uint8_t config_code[RAID_CODES] = {
    [RAID_JBOD]   = CONFIG_JBOD,
    [RAID_SINGLE] = CONFIG_CBOD,        /* guess: one drive, configured */
    [RAID_0]      = CONFIG_RAID0,
    [RAID_1]      = CONFIG_RAID1,
    [RAID_5]      = CONFIG_RAID5,
    [RAID_10]     = CONFIG_RAID10,
};

uint8_t param_unit_status(RaidUnit *unit)
{
    if (!unit) {
        return UNIT_BYTE_MISSING;
    }
    if (raid_unit_state(unit) == RAID_UNIT_INOPERABLE) {
        return UNIT_BYTE_CORRUPT;
    }
    switch (raid_unit_task(unit)->kind) {
    case RAID_TASK_REBUILD:
        return UNIT_BYTE_REBUILDING;
    case RAID_TASK_VERIFY:
        return UNIT_BYTE_VERIFYING;
    case RAID_TASK_INIT:
        return UNIT_BYTE_INITIALISING;
    case RAID_TASK_NONE:
        break;
    }
    return raid_unit_state(unit) == RAID_UNIT_OK ? UNIT_BYTE_NORMAL
                                                 : UNIT_BYTE_DEGRADED;
}

static bool works(RaidUnit *unit, unsigned member)
{
    return raid_unit_member_present(unit, member) &&
           !raid_unit_member_stale(unit, member);
}

#define RECORD_BYTES 12
#define PORT_UNKNOWN 0xff

static void put_sectors(uint8_t *out, uint64_t sectors)
{
    put_le32(out, MIN(sectors, UINT32_MAX));
}

static uint8_t *member_record(uint8_t *out, RaidUnit *unit, unsigned member,
                              uint8_t config)
{
    const RaidShape *shape = raid_unit_shape(unit);
    DiskPort *port = raid_unit_port(unit, member);

    out[0] = 0;                                 /* no subunits */
    out[1] = config;
    out[2] = port ? disk_port_number(port) : PORT_UNKNOWN;
    out[3] = shape->level->code == RAID_JBOD ? 0 : member;
    put_le32(out + 4, shape->level->reserves ? RAID_DATA_OFFSET_SECTORS : 0);
    put_sectors(out + 8, shape->member_sectors);
    return out + RECORD_BYTES;
}

/* 512 << code; 64 KiB is 7.  Above that the formula is a guess. */
static uint8_t stripe_code(uint32_t sectors)
{
    uint8_t code = 0;

    while (1u << code < sectors) {
        code++;
    }
    return code;
}

static bool pair_works(RaidUnit *unit, unsigned pair)
{
    return works(unit, 2 * pair) || works(unit, 2 * pair + 1);
}

static uint8_t *array_record(uint8_t *out, RaidUnit *unit)
{
    const RaidShape *shape = raid_unit_shape(unit);
    bool mirrors = shape->level->code == RAID_10;
    unsigned subunits = mirrors ? shape->members / 2 : shape->members;
    unsigned i;
    uint8_t working = 0;

    for (i = 0; i < subunits && i < 8; i++) {
        working |= (mirrors ? pair_works(unit, i) : works(unit, i)) << i;
    }
    out[0] = subunits;
    out[1] = config_code[shape->level->code];
    out[2] = stripe_code(shape->stripe_sectors);
    out[3] = working;
    put_le32(out + 4, 0);
    put_sectors(out + 8, raid_capacity(shape));
    return out + RECORD_BYTES;
}

/* Which halves of each mirror work.  Its place is a guess. */
static uint8_t *mirror_record(uint8_t *out, RaidUnit *unit)
{
    unsigned pair, pairs = raid_unit_shape(unit)->members / 2;

    memset(out, 0, RECORD_BYTES);
    out[0] = 0xff;
    for (pair = 0; pair < pairs && pair < 4; pair++) {
        out[2 + pair] = works(unit, 2 * pair) | works(unit, 2 * pair + 1) << 1;
    }
    return out + RECORD_BYTES;
}

size_t param_unit_descriptor(RaidUnit *unit, uint8_t *out)
{
    const RaidShape *shape = raid_unit_shape(unit);
    uint8_t *end = out;
    unsigned i;

    if (shape->members == 1) {
        end = member_record(end, unit, 0, config_code[shape->level->code]);
        return end - out;
    }
    end = array_record(end, unit);
    if (shape->level->code == RAID_10) {
        end = mirror_record(end, unit);
    }
    for (i = 0; i < shape->members; i++) {
        end = member_record(end, unit, i, CONFIG_SUBUNIT);
    }
    return end - out;
}
