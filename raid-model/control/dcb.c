/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DCB: the bytes, declared once; every field judged before it is believed.
 */
#include "raid-model/control/dcb.h"

#include <glib.h>
#include <isa-l/crc.h>
#include <string.h>

#define MAGIC "PLATRDCB"
#define SECTORS_MAX (UINT64_C(1) << 48)         /* what ATA can address */
#define PLACE 8                 /* sector of either reserve (a choice) */
#define SPARE "spare"
#define ALL_CHECKED (DCB_BYTES - 4)

typedef struct __attribute__((packed)) WireMember {
    uint8_t state;
    char serial[DCB_SERIAL_MAX];
    uint8_t zero[3];
    uint64_t since;
} WireMember;

/*
 * Little endian; strings are padded with NUL.  The magic is at the end, so
 * that the first block of a drive's life, cut after its first sector, is none.
 */
typedef struct __attribute__((packed)) WireDcb {
    char level[12];
    uint16_t flags;
    uint8_t zero[10];
    char layout[16];
    uint8_t id[DCB_ID_BYTES];
    char name[24];
    uint64_t sequence;
    uint64_t data_offset;
    uint64_t member_sectors;
    uint64_t drive_sectors;
    uint64_t task_row;
    uint32_t stripe_sectors;
    uint8_t members, member;
    uint8_t task, task_member;
    uint8_t rebuild_rate, verify_rate;
    uint8_t zero_too[126];
    WireMember at[RAID_MEMBERS_MAX];
    uint8_t zero_again[240];
    char magic[8];
    uint16_t version;           /* magic, version, crc: in every version */
    uint8_t zero_last[2];
    uint32_t crc;
} WireDcb;

G_STATIC_ASSERT(sizeof(WireMember) == 32);
G_STATIC_ASSERT(sizeof(WireDcb) == DCB_BYTES);
G_STATIC_ASSERT(G_STRUCT_OFFSET(WireDcb, sequence) == 80);
G_STATIC_ASSERT(G_STRUCT_OFFSET(WireDcb, members) == 124);
G_STATIC_ASSERT(G_STRUCT_OFFSET(WireDcb, at) == 256);
G_STATIC_ASSERT(G_STRUCT_OFFSET(WireDcb, magic) == 1008);
G_STATIC_ASSERT(G_STRUCT_OFFSET(WireDcb, crc) == ALL_CHECKED);
G_STATIC_ASSERT(DCB_BYTES == DCB_SECTORS * 512);

/* CRC-32 as zlib has it, of all before it. */
static uint32_t checksum(const void *block)
{
    return crc32_gzip_refl(0, block, ALL_CHECKED);
}

/* --- strings ------------------------------------------------------------- */

/* Printable, then NUL to the end; `to` has one byte more than `max`. */
static bool take_string(char *to, size_t max, const char *from, size_t room)
{
    size_t length = 0;

    while (length < room && from[length]) {
        if (length == max || !g_ascii_isprint(from[length])) {
            return false;
        }
        length++;
    }
    for (size_t i = length; i < room; i++) {
        if (from[i]) {
            return false;
        }
    }
    memcpy(to, from, length);
    to[length] = 0;
    return true;
}

static void put_string(char *to, size_t room, const char *from)
{
    memcpy(to, from, MIN(strlen(from), room));
}

/* --- judgement ----------------------------------------------------------- */

static bool stripe_is_right(const RaidLevel *level, uint32_t sectors)
{
    if (!level->striped) {
        return sectors == 0;
    }
    return sectors >= RAID_STRIPE_SECTORS_MIN &&
           sectors <= RAID_STRIPE_SECTORS_MAX &&
           (sectors & (sectors - 1)) == 0;
}

static bool members_are_right(const RaidLevel *level, unsigned members)
{
    return members >= level->members_min && members <= level->members_max &&
           members <= RAID_MEMBERS_MAX &&
           (members - level->members_min) % level->members_step == 0;
}

bool dcb_drive_fits(uint64_t member_sectors, uint64_t drive_sectors)
{
    return drive_sectors >= RAID_RESERVED_SECTORS &&
           member_sectors <= drive_sectors - RAID_RESERVED_SECTORS;
}

static bool shape_is_right(const Dcb *dcb)
{
    const RaidLevel *level = dcb->level;

    if (dcb->drive_sectors > SECTORS_MAX ||
        !dcb_drive_fits(dcb->member_sectors, dcb->drive_sectors)) {
        return false;
    }
    if (!level) {
        return dcb->members == 1 && !dcb->member_sectors &&
               !dcb->stripe_sectors;
    }
    return level->reserves && members_are_right(level, dcb->members) &&
           stripe_is_right(level, dcb->stripe_sectors) &&
           dcb->member_sectors &&
           (!level->striped || dcb->member_sectors % dcb->stripe_sectors == 0);
}

RaidShape dcb_shape(const Dcb *dcb)
{
    g_assert(dcb->level);
    return (RaidShape) {
        .level = dcb->level,
        .members = dcb->members,
        .stripe_sectors = dcb->stripe_sectors,
        .member_sectors = dcb->member_sectors,
    };
}

/* A task's, see task_row. */
static uint64_t rows(const Dcb *dcb)
{
    RaidShape shape = dcb_shape(dcb);
    uint64_t piece = shape.stripe_sectors ? shape.stripe_sectors
                                          : RAID_STRIPE_SECTORS_MIN;

    return (dcb->member_sectors + piece - 1) / piece * raid_row_sets(&shape);
}

static bool task_is_right(const Dcb *dcb)
{
    if (dcb->task == DCB_TASK_NONE) {
        return !dcb->task_row && !dcb->task_member &&
               !(dcb->flags & DCB_PAUSED);
    }
    return dcb->task < DCB_TASKS && dcb->level &&
           (dcb->level->row_redundant || dcb->task == DCB_TASK_VERIFY) &&
           dcb->task_member < dcb->members && dcb->task_row <= rows(dcb);
}

static bool members_say_right(const Dcb *dcb)
{
    for (unsigned m = 0; m < RAID_MEMBERS_MAX; m++) {
        const DcbMember *at = &dcb->at[m];

        if (at->state >= DCB_STATES || at->since > dcb->sequence ||
            (m >= dcb->members &&
             (at->state != DCB_MISSING || at->since || *at->serial)) ||
            (m < dcb->members && !at->since)) {
            return false;
        }
    }
    return true;
}

static bool is_right(const Dcb *dcb)
{
    return dcb->sequence && !(dcb->flags & ~DCB_FLAGS_ALL) &&
           shape_is_right(dcb) && dcb->member < dcb->members &&
           task_is_right(dcb) && members_say_right(dcb) &&
           dcb->rebuild_rate >= 1 && dcb->rebuild_rate <= DCB_RATE_MAX &&
           dcb->verify_rate >= 1 && dcb->verify_rate <= DCB_RATE_MAX;
}

/* --- bytes --------------------------------------------------------------- */

static bool take_strings(Dcb *dcb, const WireDcb *wire)
{
    char level[sizeof(wire->level)], layout[sizeof(wire->layout)];

    if (!take_string(level, sizeof(level) - 1, wire->level,
                     sizeof(wire->level)) ||
        !take_string(layout, sizeof(layout) - 1, wire->layout,
                     sizeof(wire->layout)) ||
        strcmp(layout, DCB_LAYOUT) ||
        !take_string(dcb->name, DCB_NAME_MAX, wire->name,
                     sizeof(wire->name))) {
        return false;
    }
    dcb->level = raid_level_find(level);
    return dcb->level || !strcmp(level, SPARE);
}

static bool take_member(DcbMember *at, const WireMember *wire)
{
    at->state = wire->state;
    at->since = GUINT64_FROM_LE(wire->since);
    return take_string(at->serial, DCB_SERIAL_MAX, wire->serial,
                       sizeof(wire->serial));
}

DcbVerdict dcb_read(const void *block, Dcb *dcb)
{
    WireDcb wire;

    memcpy(&wire, block, sizeof(wire));
    if (memcmp(wire.magic, MAGIC, sizeof(wire.magic))) {
        return DCB_NONE;
    }
    if (GUINT32_FROM_LE(wire.crc) != checksum(&wire)) {
        return DCB_DAMAGED;
    }
    if (GUINT16_FROM_LE(wire.version) > DCB_VERSION) {
        return DCB_NEWER;
    }
    *dcb = (Dcb) {
        .sequence = GUINT64_FROM_LE(wire.sequence),
        .members = wire.members,
        .member = wire.member,
        .stripe_sectors = GUINT32_FROM_LE(wire.stripe_sectors),
        .member_sectors = GUINT64_FROM_LE(wire.member_sectors),
        .drive_sectors = GUINT64_FROM_LE(wire.drive_sectors),
        .flags = GUINT16_FROM_LE(wire.flags),
        .task = wire.task,
        .task_member = wire.task_member,
        .task_row = GUINT64_FROM_LE(wire.task_row),
        .rebuild_rate = wire.rebuild_rate,
        .verify_rate = wire.verify_rate,
    };
    memcpy(dcb->id, wire.id, DCB_ID_BYTES);
    for (unsigned m = 0; m < RAID_MEMBERS_MAX; m++) {
        if (!take_member(&dcb->at[m], &wire.at[m])) {
            return DCB_DAMAGED;
        }
    }
    return GUINT16_FROM_LE(wire.version) == DCB_VERSION &&
           GUINT64_FROM_LE(wire.data_offset) == RAID_DATA_OFFSET_SECTORS &&
           take_strings(dcb, &wire) && is_right(dcb) ? DCB_GOOD
                                                     : DCB_DAMAGED;
}

void dcb_write(const Dcb *dcb, void *block)
{
    WireDcb wire = {
        .version = GUINT16_TO_LE(DCB_VERSION),
        .flags = GUINT16_TO_LE(dcb->flags),
        .sequence = GUINT64_TO_LE(dcb->sequence),
        .data_offset = GUINT64_TO_LE(RAID_DATA_OFFSET_SECTORS),
        .member_sectors = GUINT64_TO_LE(dcb->member_sectors),
        .drive_sectors = GUINT64_TO_LE(dcb->drive_sectors),
        .task_row = GUINT64_TO_LE(dcb->task_row),
        .stripe_sectors = GUINT32_TO_LE(dcb->stripe_sectors),
        .members = dcb->members,
        .member = dcb->member,
        .task = dcb->task,
        .task_member = dcb->task_member,
        .rebuild_rate = dcb->rebuild_rate,
        .verify_rate = dcb->verify_rate,
    };

    g_assert(is_right(dcb));
    memcpy(wire.magic, MAGIC, sizeof(wire.magic));
    memcpy(wire.id, dcb->id, DCB_ID_BYTES);
    put_string(wire.level, sizeof(wire.level),
               dcb->level ? dcb->level->name : SPARE);
    put_string(wire.layout, sizeof(wire.layout), DCB_LAYOUT);
    put_string(wire.name, sizeof(wire.name), dcb->name);
    for (unsigned m = 0; m < RAID_MEMBERS_MAX; m++) {
        wire.at[m].state = dcb->at[m].state;
        wire.at[m].since = GUINT64_TO_LE(dcb->at[m].since);
        put_string(wire.at[m].serial, sizeof(wire.at[m].serial),
                   dcb->at[m].serial);
    }
    wire.crc = GUINT32_TO_LE(checksum(&wire));
    memcpy(block, &wire, sizeof(wire));
}

/* --- what follows from it ------------------------------------------------ */

uint64_t dcb_sector(unsigned copy, uint64_t drive_sectors)
{
    uint64_t reserve = RAID_RESERVED_SECTORS - RAID_DATA_OFFSET_SECTORS;

    g_assert(drive_sectors >= RAID_RESERVED_SECTORS);
    return PLACE + (copy ? drive_sectors - reserve : 0);
}

bool dcb_operable(const Dcb *dcb, uint32_t trusted)
{
    RaidShape shape = dcb_shape(dcb);
    unsigned slots = raid_row_slots(&shape);

    for (unsigned first = 0; first < dcb->members; first += slots) {
        unsigned missing = 0;

        for (unsigned m = first; m < first + slots; m++) {
            missing += !(trusted >> m & 1);
        }
        if (missing > dcb->level->row_redundant) {
            return false;
        }
    }
    return true;
}
