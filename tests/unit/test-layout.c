/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout: every sector of a unit has one place, every place one sector, and
 * the places are those of Linux md.
 *
 * Every level, member count and stripe size over a whole rotation: LBA by
 * LBA at the smallest stripe, in steps that meet every part of a chunk at
 * the others; units of many terabytes at samples.
 */
#include <glib.h>

#include "raid-model/array/layout.h"
#include "tests/lib/md-layout.h"
#include "tests/lib/unit.h"

static const uint32_t stripes[] = { 128, 256, 512, 1024, 2048 };

typedef struct Case {
    RaidShape shape;
    MdArray md;
} Case;

/* 61 divides no chunk, so steps of it drift through them. */
static uint64_t next_lba(const Case *c, uint64_t lba)
{
    return lba + (c->shape.stripe_sectors > 128 ? 61 : 1);
}

static const int md_levels[RAID_CODES] = {
    [RAID_JBOD] = -1, [RAID_SINGLE] = -1, [RAID_0] = 0, [RAID_1] = 1,
    [RAID_5] = 5, [RAID_10] = 10,
};

/* Calls `walk` for every level, member count and stripe size. */
static void for_each_shape(void (*walk)(const Case *c))
{
    for (unsigned code = 0; code < RAID_CODES; code++) {
        const RaidLevel *level = &raid_level[code];

        for (unsigned n = level->members_min; n <= level->members_max;
             n += level->members_step) {
            for (unsigned s = 0; s < (level->striped ? 5 : 1); s++) {
                Case c = {
                    .shape = { .level = level, .members = n,
                               .stripe_sectors =
                                   level->striped ? stripes[s] : 0 },
                    .md = { .level = md_levels[code], .devices = n,
                            .chunk_sectors = stripes[s] },
                };

                c.shape.member_sectors = level->striped
                    ? (n + 1) * stripes[s] : 70000;
                walk(&c);
            }
        }
    }
}

static void round_trip(const Case *c)
{
    uint64_t capacity = raid_capacity(&c->shape);

    for (uint64_t lba = 0; lba < capacity; lba = next_lba(c, lba)) {
        RaidPlace place = raid_place(&c->shape, lba);
        unsigned member = raid_member(&c->shape, place.row, place.slot);
        unsigned slot = 99;

        unit_holds(raid_lba(&c->shape, &place) == lba);
        unit_holds(raid_slot(&c->shape, place.row, member, &slot));
        unit_holds(slot == place.slot);
        unit_holds(place.slot < raid_row_data(&c->shape));
        unit_holds(place.offset < raid_chunk_sectors(&c->shape));
    }
}

START_TEST(every_lba_comes_back_from_its_place)
{
    for_each_shape(round_trip);
}
END_TEST

static void same_as_md(const Case *c)
{
    uint64_t capacity = raid_capacity(&c->shape);
    uint64_t start = c->shape.level->reserves ? 1024 : 0;

    for (uint64_t lba = 0; lba < capacity; lba = next_lba(c, lba)) {
        MdPlace md = md_place(&c->md, lba);
        RaidPlace place = raid_place(&c->shape, lba);

        unit_holds(raid_member(&c->shape, place.row, place.slot) == md.device);
        unit_holds(raid_row_sector(&c->shape, place.row) + place.offset ==
             start + md.sector);
        if (c->shape.level->row_redundant) {
            unit_holds(raid_member(&c->shape, place.row,
                             raid_row_data(&c->shape)) == md.twin);
        }
    }
}

START_TEST(every_lba_is_where_md_has_it)
{
    for_each_shape(same_as_md);
}
END_TEST

/* Counted in pieces that divide every chunk. */
static void members_used_once(const Case *c)
{
    const RaidShape *shape = &c->shape;
    uint32_t piece = shape->level->striped ? 128 : 1;
    uint64_t start = shape->level->reserves ? RAID_DATA_OFFSET_SECTORS : 0;
    uint64_t end = shape->member_sectors / piece;
    uint32_t chunk = raid_chunk_sectors(shape) / piece;
    uint8_t *used = g_new0(uint8_t, end * shape->members);
    uint64_t rows = raid_place(shape, raid_capacity(shape) - 1).row + 1;

    for (uint64_t row = 0; row < rows; row++) {
        uint64_t sector = raid_row_sector(shape, row) - start;
        uint64_t at = sector / piece;

        unit_holds(sector % piece == 0);
        for (unsigned slot = 0; slot < raid_row_slots(shape); slot++) {
            uint8_t *member = used + raid_member(shape, row, slot) * end;

            for (uint64_t i = at; i < at + chunk && i < end; i++) {
                unit_holds(member[i]++ == 0);
            }
        }
    }
    for (uint64_t i = 0; i < end * shape->members; i++) {
        unit_holds(used[i] == 1);
    }
    g_free(used);
}

START_TEST(every_usable_sector_of_every_member_is_in_one_slot)
{
    for_each_shape(members_used_once);
}
END_TEST

static void slots_of_members(const Case *c)
{
    const RaidShape *shape = &c->shape;

    for (uint64_t row = 0; row < 64; row++) {
        unsigned found = 0, slot;

        for (unsigned member = 0; member < shape->members; member++) {
            if (raid_slot(shape, row, member, &slot)) {
                unit_holds(raid_member(shape, row, slot) == member);
                found++;
            }
        }
        unit_holds(found == raid_row_slots(shape));
    }
}

START_TEST(a_member_holds_at_most_one_slot_of_a_row)
{
    for_each_shape(slots_of_members);
}
END_TEST

/* Rows of the figure in the 3W-6800 user guide, columns A to E. */
START_TEST(raid5_parity_walks_from_the_first_drive_to_the_last)
{
    static const char *const figure[] = {
        "P0123", "0P123", "01P23", "012P3", "0123P", "P0123",
    };
    RaidShape shape = {
        .level = &raid_level[RAID_5], .members = 5, .stripe_sectors = 128,
        .member_sectors = 1280,
    };

    for (uint64_t row = 0; row < G_N_ELEMENTS(figure); row++) {
        for (unsigned member = 0; member < 5; member++) {
            char drawn = figure[row][member];
            unsigned slot = drawn == 'P' ? 4 : (unsigned)(drawn - '0');

            unit_holds(raid_member(&shape, row, slot) == member);
        }
    }
}
END_TEST

/* Capacities reported in public logs, with the drives they fit. */
START_TEST(capacities_are_those_reported_by_real_cards)
{
    static const struct {
        RaidCode code;
        unsigned members;
        uint32_t stripe;
        uint64_t drive, capacity;
    } seen[] = {
        { RAID_JBOD, 1, 0, 156301488, 156301488 },
        { RAID_1, 2, 0, 145226112, 145224064 },
        { RAID_5, 6, 128, 234441648, 1172197760 },
        { RAID_5, 4, 128, 488397168, 1465185024 },
        { RAID_0, 8, 1024, 195371568, 1562951680 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(seen); i++) {
        RaidShape shape = {
            .level = &raid_level[seen[i].code], .members = seen[i].members,
            .stripe_sectors = seen[i].stripe,
        };

        shape.member_sectors = raid_member_sectors(shape.level,
                                                   seen[i].stripe,
                                                   seen[i].drive);
        unit_holds(raid_capacity(&shape) == seen[i].capacity);
    }
}
END_TEST

START_TEST(a_drive_without_room_for_the_reserved_areas_is_no_member)
{
    const RaidLevel *raid5 = &raid_level[RAID_5];
    const RaidLevel *single = &raid_level[RAID_SINGLE];

    unit_holds(raid_member_sectors(raid5, 128, 0) == 0);
    unit_holds(raid_member_sectors(raid5, 128, 2048) == 0);
    unit_holds(raid_member_sectors(raid5, 128, 2048 + 127) == 0);
    unit_holds(raid_member_sectors(raid5, 128, 2048 + 128) == 128);
    unit_holds(raid_member_sectors(raid5, 2048, 4095) == 0);
    unit_holds(raid_member_sectors(single, 0, 2048) == 0);
    unit_holds(raid_member_sectors(single, 0, 2049) == 1);
    unit_holds(raid_member_sectors(&raid_level[RAID_JBOD], 0, 7) == 7);
}
END_TEST

/* Far beyond 1 TB and 2^32 sectors: nothing wraps. */
static void large_round_trip(const Case *c)
{
    Case large = *c;
    uint64_t capacity;

    large.shape.member_sectors = UINT64_C(3) << 40;
    capacity = raid_capacity(&large.shape);
    unit_holds(capacity > UINT64_C(1) << 40);
    for (uint64_t step = 0; step <= 4096; step++) {
        uint64_t lba = capacity - 1 - step * (capacity / 4097);
        RaidPlace place = raid_place(&large.shape, lba);
        MdPlace md = md_place(&large.md, lba);
        uint64_t start = large.shape.level->reserves ? 1024 : 0;

        unit_holds(raid_lba(&large.shape, &place) == lba);
        unit_holds(raid_row_sector(&large.shape, place.row) + place.offset ==
             start + md.sector);
        unit_holds(md.sector < large.shape.member_sectors);
    }
}

START_TEST(units_of_many_terabytes_do_not_wrap)
{
    for_each_shape(large_round_trip);
}
END_TEST

START_TEST(levels_are_found_by_their_names)
{
    for (unsigned code = 0; code < RAID_CODES; code++) {
        unit_holds(raid_level[code].code == code);
        unit_holds(raid_level_find(raid_level[code].name) == &raid_level[code]);
    }
    ck_assert_ptr_null(raid_level_find("raid6"));
    ck_assert_ptr_null(raid_level_find(""));
    ck_assert_ptr_null(raid_level_find("RAID5"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layout");
    TCase *tc = tcase_create("layout");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_lba_comes_back_from_its_place);
    tcase_add_test(tc, every_lba_is_where_md_has_it);
    tcase_add_test(tc, every_usable_sector_of_every_member_is_in_one_slot);
    tcase_add_test(tc, a_member_holds_at_most_one_slot_of_a_row);
    tcase_add_test(tc, raid5_parity_walks_from_the_first_drive_to_the_last);
    tcase_add_test(tc, capacities_are_those_reported_by_real_cards);
    tcase_add_test(tc,
                   a_drive_without_room_for_the_reserved_areas_is_no_member);
    tcase_add_test(tc, units_of_many_terabytes_do_not_wrap);
    tcase_add_test(tc, levels_are_found_by_their_names);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
