/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DCB: what was written is read, what was changed in any way is not, and
 * numbers that cannot be never come out, whatever the checksum says.
 *
 * The oracle for the bytes is the table of docs/on-disk-format.md, written
 * out below by hand, with a CRC of its own.
 */
#include <string.h>

#include "raid-model/control/dcb.h"
#include "tests/lib/unit.h"

static uint32_t crc32_by_bits(const uint8_t *from, size_t bytes)
{
    uint32_t crc = ~0u;

    while (bytes--) {
        crc ^= *from++;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
    }
    return ~crc;
}

static void put(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

static void seal(uint8_t *block)
{
    put(block + 1020, crc32_by_bits(block, 1020), 4);
}

static Dcb example(void)
{
    Dcb dcb = {
        .sequence = 0x1122334455667788, .name = "mail", .members = 4,
        .level = &raid_level[RAID_5], .member = 2, .stripe_sectors = 128,
        .member_sectors = 1280, .drive_sectors = 1280 + 2048 + 77,
        .flags = DCB_UNCLEAN | DCB_CACHE, .task = DCB_TASK_REBUILD,
        .task_member = 3, .task_row = 7, .rebuild_rate = 2, .verify_rate = 5,
    };

    memset(dcb.id, 0xa5, sizeof(dcb.id));
    for (unsigned m = 0; m < 4; m++) {
        dcb.at[m] = (DcbMember) { .state = DCB_PRESENT, .since = m + 1 };
        g_snprintf(dcb.at[m].serial, sizeof(dcb.at[m].serial), "WD-%u", m);
    }
    dcb.at[3].state = DCB_REBUILDING;
    return dcb;
}

/* The same by the document. */
static void by_hand(uint8_t *block)
{
    memset(block, 0, DCB_BYTES);
    memcpy(block, "raid5", 5);
    put(block + 12, 1 | 4, 2);
    memcpy(block + 24, "gen1-a", 6);
    memset(block + 40, 0xa5, 16);
    memcpy(block + 56, "mail", 4);
    put(block + 80, 0x1122334455667788, 8);
    put(block + 88, 1024, 8);
    put(block + 96, 1280, 8);
    put(block + 104, 1280 + 2048 + 77, 8);
    put(block + 112, 7, 8);
    put(block + 120, 128, 4);
    block[124] = 4;
    block[125] = 2;
    block[126] = 1;
    block[127] = 3;
    block[128] = 2;
    block[129] = 5;
    for (unsigned m = 0; m < 4; m++) {
        block[256 + 32 * m] = m == 3 ? 2 : 1;
        memcpy(block + 257 + 32 * m, "WD-0", 4);
        block[260 + 32 * m] += m;
        put(block + 280 + 32 * m, m + 1, 8);
    }
    memcpy(block + 1008, "PLATRDCB", 8);
    put(block + 1016, 1, 2);
    seal(block);
}

START_TEST(the_bytes_are_those_of_the_document)
{
    uint8_t block[DCB_BYTES], due[DCB_BYTES];
    Dcb dcb = example();

    by_hand(due);
    dcb_write(&dcb, block);
    for (unsigned i = 0; i < DCB_BYTES; i++) {
        ck_assert_msg(block[i] == due[i], "byte %u: %#x, not %#x", i,
                      block[i], due[i]);
    }
}
END_TEST

static void must_agree(const Dcb *a, const Dcb *b)
{
    unit_holds(a->sequence == b->sequence && a->level == b->level &&
               a->members == b->members && a->member == b->member &&
               a->stripe_sectors == b->stripe_sectors &&
               a->member_sectors == b->member_sectors &&
               a->drive_sectors == b->drive_sectors && a->flags == b->flags &&
               a->task == b->task && a->task_member == b->task_member &&
               a->task_row == b->task_row &&
               a->rebuild_rate == b->rebuild_rate &&
               a->verify_rate == b->verify_rate &&
               !memcmp(a->id, b->id, DCB_ID_BYTES) &&
               !strcmp(a->name, b->name));
    for (unsigned m = 0; m < RAID_MEMBERS_MAX; m++) {
        unit_holds(a->at[m].state == b->at[m].state &&
                   a->at[m].since == b->at[m].since &&
                   !strcmp(a->at[m].serial, b->at[m].serial));
    }
}

static uint32_t noise = 1;

static uint32_t chance(uint32_t bound)
{
    noise = noise * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)noise * bound >> 32);
}

static Dcb any(void)
{
    const RaidLevel *level = &raid_level[RAID_SINGLE +
                                         chance(RAID_CODES - RAID_SINGLE)];
    Dcb dcb = {
        .sequence = 1000 + chance(1000), .level = level,
        .rebuild_rate = 1 + chance(5), .verify_rate = 1 + chance(5),
        .flags = chance(128),
    };

    dcb.members = level->members_min + level->members_step *
        chance((MIN(level->members_max, RAID_MEMBERS_MAX) -
                level->members_min) / MAX(level->members_step, 1) + 1);
    dcb.member = chance(dcb.members);
    dcb.stripe_sectors = level->striped ? 128u << chance(5) : 0;
    dcb.member_sectors = level->striped
        ? (uint64_t)dcb.stripe_sectors * (1 + chance(1000)) : 1 + chance(999);
    dcb.drive_sectors = dcb.member_sectors + 2048 + chance(100);
    g_snprintf(dcb.name, sizeof(dcb.name), "%.*s", (int)chance(22),
               "a name of full length");
    for (unsigned m = 0; m < dcb.members; m++) {
        dcb.at[m].state = chance(3);
        dcb.at[m].since = 1 + chance(1000);
        g_snprintf(dcb.at[m].serial, sizeof(dcb.at[m].serial), "%u%.*s",
                   chance(99), (int)chance(18), "XXXXXXXXXXXXXXXXXX");
    }
    if (level->row_redundant && chance(2)) {
        dcb.task = 1 + chance(3);
        dcb.task_member = chance(dcb.members);
        dcb.task_row = chance(2);
        dcb.flags |= chance(2) * DCB_PAUSED;
    }
    return dcb;
}

START_TEST(any_block_comes_back_as_it_was)
{
    for (unsigned n = 0; n < 10000; n++) {
        uint8_t block[DCB_BYTES];
        Dcb dcb = any(), back;

        dcb_write(&dcb, block);
        unit_holds(dcb_read(block, &back) == DCB_GOOD);
        must_agree(&dcb, &back);
    }
}
END_TEST

START_TEST(no_changed_bit_gets_through)
{
    uint8_t block[DCB_BYTES];
    Dcb dcb = example(), back;

    dcb_write(&dcb, block);
    for (unsigned bit = 0; bit < DCB_BYTES * 8; bit++) {
        block[bit / 8] ^= 1u << bit % 8;
        unit_holds(dcb_read(block, &back) ==
                   (bit / 64 == 1008 / 8 ? DCB_NONE : DCB_DAMAGED));
        block[bit / 8] ^= 1u << bit % 8;
    }
}
END_TEST

/* Half a write: some sectors of one block, the rest of another. */
START_TEST(a_torn_block_is_damaged)
{
    uint8_t old[DCB_BYTES], torn[DCB_BYTES];
    Dcb dcb = example(), back;

    dcb_write(&dcb, old);
    dcb.sequence++;
    dcb_write(&dcb, torn);
    memcpy(torn + 512, old + 512, 512);
    ck_assert_int_eq(dcb_read(torn, &back), DCB_DAMAGED);
    memset(torn + 512, 0, 512);         /* the first one there ever was */
    ck_assert_int_eq(dcb_read(torn, &back), DCB_NONE);
}
END_TEST

START_TEST(a_later_version_is_told_from_damage)
{
    uint8_t block[DCB_BYTES];
    Dcb back;

    by_hand(block);
    put(block + 1016, 2, 2);
    ck_assert_int_eq(dcb_read(block, &back), DCB_DAMAGED);
    seal(block);
    ck_assert_int_eq(dcb_read(block, &back), DCB_NEWER);
    put(block + 1016, 0, 2);
    seal(block);
    ck_assert_int_eq(dcb_read(block, &back), DCB_DAMAGED);
}
END_TEST

/* Bytes: from, value, how many. */
static const struct {
    unsigned at, bytes;
    uint64_t value;
} absurd[] = {
    { 12, 2, 0x100 }, { 0, 5, 0 }, { 0, 4, 0x646f626a }, { 24, 1, 'x' },
    { 56, 1, 7 }, { 61, 1, 'x' }, { 77, 3, 0x414141 }, { 80, 8, 0 },
    { 80, 8, 3 }, { 88, 8, 0 }, { 88, 8, 1025 }, { 96, 8, 0 },
    { 96, 8, 1281 }, { 96, 8, UINT64_MAX }, { 96, 8, UINT64_MAX - 2047 },
    { 96, 8, UINT64_MAX / 128 * 128 }, { 104, 8, 0 }, { 104, 8, 2047 },
    { 104, 8, UINT64_MAX }, { 112, 8, 11 }, { 112, 8, UINT64_MAX },
    { 120, 4, 0 }, { 120, 4, 129 }, { 120, 4, 64 }, { 120, 4, 4096 },
    { 124, 1, 0 }, { 124, 1, 2 }, { 124, 1, 3 }, { 124, 1, 5 },
    { 124, 1, 17 }, { 124, 1, 255 }, { 125, 1, 4 }, { 125, 1, 255 },
    { 126, 1, 0 }, { 126, 1, 4 }, { 126, 1, 255 }, { 127, 1, 4 },
    { 128, 1, 0 }, { 128, 1, 6 }, { 129, 1, 0 }, { 129, 1, 255 },
    { 256, 1, 3 }, { 256, 1, 255 }, { 257, 1, 1 }, { 280, 8, 0 },
    { 280, 8, UINT64_MAX }, { 384, 1, 1 }, { 385, 1, 'x' }, { 408, 8, 1 },
};

START_TEST(what_cannot_be_is_damage_though_the_checksum_is_right)
{
    uint8_t block[DCB_BYTES];
    Dcb back;

    by_hand(block);
    put(block + absurd[_i].at, absurd[_i].value, absurd[_i].bytes);
    seal(block);
    ck_assert_msg(dcb_read(block, &back) == DCB_DAMAGED,
                  "byte %u made %#jx gets through", absurd[_i].at,
                  (uintmax_t)absurd[_i].value);
}
END_TEST

/* Whatever is called good can be used: written again, asked for its shape. */
START_TEST(noise_with_a_right_checksum_does_no_harm)
{
    unsigned good = 0;

    for (unsigned n = 0; n < 60000; n++) {
        uint8_t block[DCB_BYTES], again[DCB_BYTES];
        Dcb dcb = any(), back;

        dcb_write(&dcb, block);
        for (unsigned flips = 1 + chance(4); flips; flips--) {
            unsigned at = chance(chance(2) ? 130 : 768);

            block[at] = chance(2) ? chance(256) : chance(5);
        }
        seal(block);
        if (dcb_read(block, &back) == DCB_GOOD) {
            good++;
            dcb_write(&back, again);
            if (back.level) {
                RaidShape shape = dcb_shape(&back);

                unit_holds(raid_capacity(&shape) > 0);
                unit_holds(dcb_operable(&back, UINT32_MAX));
            }
        }
    }
    ck_assert_uint_gt(good, 300);
}
END_TEST

START_TEST(copies_lie_outside_the_data)
{
    ck_assert_uint_lt(dcb_sector(0, 4000) + DCB_SECTORS,
                      RAID_DATA_OFFSET_SECTORS);
    for (uint64_t sectors = 2048; sectors < 9000; sectors += 97) {
        uint64_t usable = raid_member_sectors(&raid_level[RAID_SINGLE], 0,
                                              sectors);

        unit_holds(dcb_sector(1, sectors) >=
                   RAID_DATA_OFFSET_SECTORS + usable);
        unit_holds(dcb_sector(1, sectors) + DCB_SECTORS <= sectors);
        unit_holds(!usable || (dcb_drive_fits(usable, sectors) &&
                               !dcb_drive_fits(usable, sectors - 1)));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dcb");
    TCase *tc = tcase_create("dcb");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, the_bytes_are_those_of_the_document);
    tcase_add_test(tc, any_block_comes_back_as_it_was);
    tcase_add_test(tc, no_changed_bit_gets_through);
    tcase_add_test(tc, a_torn_block_is_damaged);
    tcase_add_test(tc, a_later_version_is_told_from_damage);
    tcase_add_loop_test(tc,
        what_cannot_be_is_damage_though_the_checksum_is_right, 0,
        G_N_ELEMENTS(absurd));
    tcase_add_test(tc, noise_with_a_right_checksum_does_no_harm);
    tcase_add_test(tc, copies_lie_outside_the_data);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
