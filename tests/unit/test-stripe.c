/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows under trouble: bad sectors are read around and healed, what cannot
 * be known is reported to the sector, a drive that fails at any moment
 * costs no data, and a drive sees no more ops than it must.
 *
 * The ports here are the test's own, see stripe-port.h.  What a bad sector
 * holds is rubbish, so that nobody gets away with using it.
 */
#include "raid-model/array/unit.h"
#include "tests/lib/md-layout.h"
#include "tests/unit/stripe-port.h"

/* --- a unit on them ------------------------------------------------------- */

typedef struct Shape {
    RaidCode code;
    unsigned members;
} Shape;

static const Shape redundant[] = {
    { RAID_1, 2 }, { RAID_5, 3 }, { RAID_5, 4 }, { RAID_10, 4 },
};

#define REDUNDANT (int)G_N_ELEMENTS(redundant)

static RaidShape shape;
static MdArray md;
static RaidCard card;           /* without limits */
static RaidUnit *unit;
static uint64_t capacity;
static uint8_t flat[3 * DATA_SECTORS][SECTOR];
static uint32_t repairs, lost;  /* masks of members */

static void note_lost(void *opaque, RaidUnit *of, unsigned member,
                      UnitState state)
{
    (void)opaque;
    unit_holds(of == unit && state == raid_unit_state(of));
    lost |= 1u << member;
}

static void note_repair(void *opaque, RaidUnit *of, unsigned member)
{
    (void)opaque;
    unit_holds(of == unit);
    repairs |= 1u << member;
}

static const RaidUnitListener listener = {
    .member_lost = note_lost, .sector_repaired = note_repair,
};

static uint8_t *stored(unsigned member, uint64_t sector)
{
    return world.port[member].data[RAID_DATA_OFFSET_SECTORS + sector];
}

static bool *bad_mark(unsigned member, uint64_t sector)
{
    return &world.port[member].bad[RAID_DATA_OFFSET_SECTORS + sector];
}

static void spoil(unsigned member, uint64_t sector)
{
    *bad_mark(member, sector) = true;
    memset(stored(member, sector), 0xbd, SECTOR);
}

static void format(void)
{
    for (uint64_t lba = 0; lba < capacity; lba++) {
        MdPlace place = md_place(&md, lba);

        memset(flat[lba], (int)chance(256), SECTOR);
        memcpy(flat[lba], &lba, sizeof(lba));
        memcpy(stored(place.device, place.sector), flat[lba], SECTOR);
        if (md.level == 5) {
            for (unsigned i = 0; i < SECTOR; i++) {
                stored(place.twin, place.sector)[i] ^= flat[lba][i];
            }
        } else if (shape.level->row_redundant) {
            memcpy(stored(place.twin, place.sector), flat[lba], SECTOR);
        }
    }
}

static void begin(const Shape *of, uint32_t missing, uint32_t seed)
{
    static const int levels[RAID_CODES] = {
        [RAID_SINGLE] = -1, [RAID_1] = 1, [RAID_5] = 5, [RAID_10] = 10,
    };
    DiskPort *port[RAID_MEMBERS_MAX] = { NULL };

    memset(&world, 0, sizeof(world));
    world.sim = sim_new(seed);
    world.noise = seed * 2654435761u + 1;
    repairs = lost = 0;
    shape = (RaidShape) {
        .level = &raid_level[of->code], .members = of->members,
        .stripe_sectors = raid_level[of->code].striped ? STRIPE : 0,
        .member_sectors = DATA_SECTORS,
    };
    md = (MdArray) { levels[of->code], of->members, STRIPE };
    capacity = raid_capacity(&shape);
    for (unsigned m = 0; m < of->members; m++) {
        world.port[m].number = m;
        port[m] = missing >> m & 1 ? NULL : &world.port[m];
    }
    format();
    unit = raid_unit_new(world.sim, 0, &shape, &card, port, &listener, NULL);
}

static void end(void)
{
    raid_unit_free(unit);
    sim_free(world.sim);
}

/* --- ops ------------------------------------------------------------------ */

typedef struct Asked {
    UnitOp op;
    uint8_t *data;
    bool busy;
} Asked;

static void note_done(UnitOp *op)
{
    Asked *asked = (Asked *)op;

    unit_holds(asked->busy);
    asked->busy = false;
    if (op->status == UNIT_OK && op->verb == UNIT_READ) {
        unit_holds(memcmp(op->buf, flat[op->lba],
                          (size_t)op->count * SECTOR) == 0);
    }
}

static void ask(Asked *asked, UnitVerb verb, uint64_t lba, uint32_t count)
{
    g_free(asked->data);
    asked->data = g_malloc((size_t)count * SECTOR);
    if (verb == UNIT_WRITE) {
        memset(asked->data, (int)chance(256), (size_t)count * SECTOR);
        asked->data[0] = (uint8_t)chance(256);
        memcpy(flat[lba], asked->data, (size_t)count * SECTOR);
    }
    asked->busy = true;
    asked->op = (UnitOp) {
        .verb = verb, .lba = lba, .count = count, .buf = asked->data,
        .done = note_done,
    };
    raid_unit_submit(unit, &asked->op);
    unit_holds(asked->busy);
}

static void run(void)
{
    while (sim_step(world.sim)) {
    }
}

static UnitStatus one(UnitVerb verb, uint64_t lba, uint32_t count,
                      uint64_t *bad_lba)
{
    Asked asked = { .data = NULL };

    ask(&asked, verb, lba, count);
    run();
    unit_holds(!asked.busy);
    g_free(asked.data);
    if (bad_lba) {
        *bad_lba = asked.op.bad_lba;
    }
    return asked.op.status;
}

static bool is_lost(unsigned member)
{
    return !raid_unit_member_present(unit, member);
}

/* All that is stored and not marked bad agrees, sector by sector. */
static void check_rows(void)
{
    for (uint64_t lba = 0; lba < capacity; lba++) {
        MdPlace place = md_place(&md, lba);

        if (!is_lost(place.device) && !*bad_mark(place.device, place.sector)) {
            unit_holds(memcmp(stored(place.device, place.sector), flat[lba],
                              SECTOR) == 0);
        }
        if (md.level != 5 && !is_lost(place.twin) &&
            !*bad_mark(place.twin, place.sector)) {
            unit_holds(memcmp(stored(place.twin, place.sector), flat[lba],
                              SECTOR) == 0);
        }
    }
    for (uint64_t sector = 0; md.level == 5 && sector < DATA_SECTORS;
         sector++) {
        uint8_t sum[SECTOR] = { 0 };
        bool whole = true;

        for (unsigned m = 0; m < shape.members; m++) {
            whole &= !is_lost(m) && !*bad_mark(m, sector);
            for (unsigned i = 0; i < SECTOR; i++) {
                sum[i] ^= stored(m, sector)[i];
            }
        }
        for (unsigned i = 0; whole && i < SECTOR; i++) {
            unit_holds(sum[i] == 0);
        }
    }
}

/* --- bad sectors ---------------------------------------------------------- */

START_TEST(a_bad_sector_is_read_around_and_healed)
{
    const Shape *of = &redundant[_i];

    for (unsigned m = 0; m < of->members; m++) {
        for (uint64_t sector = 0; sector < DATA_SECTORS; sector += 11) {
            begin(of, 0, (uint32_t)sector + 1);
            spoil(m, sector);
            ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, NULL),
                             UNIT_OK);
            ck_assert_uint_eq(lost, 0);
            /* Parity and the other copy need not be read at all. */
            ck_assert(repairs == 1u << m || *bad_mark(m, sector));
            ck_assert(repairs == 0 || !*bad_mark(m, sector));
            check_rows();
            end();
        }
    }
}
END_TEST

START_TEST(a_bad_sector_of_data_is_healed_by_one_read)
{
    begin(&redundant[_i], 0, 1);
    for (uint64_t lba = 0; lba < capacity; lba += 7) {
        MdPlace place = md_place(&md, lba);

        spoil(place.device, place.sector);
        repairs = 0;
        for (unsigned turn = 0; turn < 2; turn++) {     /* both copies */
            ck_assert_int_eq(one(UNIT_READ, lba, 1, NULL), UNIT_OK);
        }
        ck_assert(!*bad_mark(place.device, place.sector));
        ck_assert_uint_eq(repairs, 1u << place.device);
    }
    check_rows();
    end();
}
END_TEST

START_TEST(bad_sectors_in_different_places_of_a_row_are_all_mended)
{
    const Shape *of = &redundant[_i];

    for (uint32_t seed = 1; seed <= 20; seed++) {
        begin(of, 0, seed);
        for (uint64_t sector = 0; sector < DATA_SECTORS;
             sector += 1 + chance(9)) {
            spoil(chance(of->members), sector);
        }
        ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, NULL),
                         UNIT_OK);
        ck_assert_int_eq(one(UNIT_WRITE, 3, 47, NULL), UNIT_OK);
        ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, NULL),
                         UNIT_OK);
        ck_assert_uint_eq(lost, 0);
        check_rows();
        end();
    }
}
END_TEST

START_TEST(what_cannot_be_known_is_told_to_the_sector)
{
    const Shape *of = &redundant[_i];

    for (uint64_t lba = 0; lba < capacity; lba += 13) {
        MdPlace place;
        uint64_t bad;

        begin(of, 0, (uint32_t)lba + 1);
        place = md_place(&md, lba);
        spoil(place.device, place.sector);
        spoil(place.twin, place.sector);

        ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, &bad),
                         UNIT_MEDIUM_ERROR);
        ck_assert_uint_eq(bad, lba);
        if (lba) {
            ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)lba, NULL), UNIT_OK);
        }
        ck_assert_int_eq(one(UNIT_READ, lba + 1, (uint32_t)(capacity - lba -
                                                            1), NULL),
                         UNIT_OK);
        ck_assert_int_eq(one(UNIT_READ, lba, 1, &bad), UNIT_MEDIUM_ERROR);
        ck_assert_uint_eq(bad, lba);
        ck_assert_int_eq(raid_unit_state(unit), RAID_UNIT_OK);

        /* The host writes it again, and all is well. */
        ck_assert_int_eq(one(UNIT_WRITE, lba, 1, NULL), UNIT_OK);
        ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, NULL),
                         UNIT_OK);
        check_rows();
        end();
    }
}
END_TEST

START_TEST(a_degraded_unit_tells_the_sector_too)
{
    const Shape *of = &redundant[_i];

    for (unsigned gone = 0; gone < of->members; gone++) {
        for (uint64_t lba = 5; lba < capacity; lba += 19) {
            MdPlace place;
            uint64_t bad;

            begin(of, 1u << gone, (uint32_t)lba);
            place = md_place(&md, lba);
            if (place.device == gone) {
                spoil(place.twin, place.sector);
                ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, &bad),
                                 UNIT_MEDIUM_ERROR);
                ck_assert_uint_eq(bad, lba);
                ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)lba, NULL),
                                 UNIT_OK);
            }
            ck_assert_int_eq(raid_unit_state(unit), RAID_UNIT_DEGRADED);
            end();
        }
    }
}
END_TEST

START_TEST(a_single_drive_tells_its_first_bad_sector)
{
    static const Shape single = { RAID_SINGLE, 1 };
    uint64_t bad;

    begin(&single, 0, 1);
    spoil(0, 140);
    spoil(0, 100);
    ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, &bad),
                     UNIT_MEDIUM_ERROR);
    ck_assert_uint_eq(bad, 100);
    ck_assert_int_eq(one(UNIT_READ, 101, 39, NULL), UNIT_OK);
    ck_assert_int_eq(one(UNIT_WRITE, 100, 41, NULL), UNIT_OK);
    ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, NULL), UNIT_OK);
    ck_assert_int_eq(raid_unit_state(unit), RAID_UNIT_OK);
    end();
}
END_TEST

/* --- stories with trouble ------------------------------------------------- */

#define SLOTS 6

static bool free_to_use(const Asked *asked, uint64_t lba, uint32_t count)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (asked[i].busy && asked[i].op.lba < lba + count &&
            lba < asked[i].op.lba + asked[i].op.count) {
            return false;
        }
    }
    return true;
}

static void tell(unsigned ops)
{
    Asked asked[SLOTS] = { { .data = NULL } };

    for (unsigned n = 0; n < ops; n++) {
        Asked *next = &asked[chance(SLOTS)];
        uint32_t count = 1 + chance(chance(4) ? 12 : 120);
        uint64_t lba = chance((uint32_t)capacity - count + 1);

        while (next->busy || !free_to_use(asked, lba, count)) {
            unit_holds(sim_step(world.sim));
        }
        ask(next, chance(2) ? UNIT_WRITE : UNIT_READ, lba, count);
    }
    run();
    for (unsigned i = 0; i < SLOTS; i++) {
        unit_holds(!asked[i].busy && asked[i].op.status == UNIT_OK);
        g_free(asked[i].data);
    }
}

/* One bad sector per place of a row at most, so that all can be mended. */
static void spoil_some(void)
{
    for (uint64_t sector = chance(40); sector < DATA_SECTORS;
         sector += 1 + chance(40)) {
        bool taken = false;

        for (unsigned m = 0; m < shape.members; m++) {
            taken |= *bad_mark(m, sector);
        }
        if (!taken) {
            spoil(chance(shape.members), sector);
        }
    }
}

/*
 * RAID 10 has two rows in each place, and a pair of members is a place of
 * its own there; one bad sector in either is allowed by the rule above.
 */
START_TEST(sectors_may_go_bad_all_the_time)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        begin(&redundant[_i], 0, seed);
        for (unsigned round = 0; round < 10; round++) {
            spoil_some();
            tell(15);
            check_rows();
        }
        ck_assert_uint_eq(lost, 0);
        end();
    }
}
END_TEST

static bool fault_story(const Shape *of, unsigned nth, DiskStatus with,
                        bool for_good)
{
    bool reached;

    begin(of, 0, 77);
    world.fail_at = nth;
    world.fail_with = with;
    world.fails_for_good = for_good;
    tell(25);
    check_rows();
    ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, NULL), UNIT_OK);
    reached = world.count >= nth;
    ck_assert(!for_good || !reached ||
              raid_unit_state(unit) != RAID_UNIT_INOPERABLE);
    end();
    return reached;
}

/* The same story with drive op 1, 2, 3 ... failing, until none is left. */
START_TEST(any_drive_op_may_fail_once)
{
    static const DiskStatus ways[] = {
        DISK_FAILED, DISK_GONE, DISK_BAD_SECTOR, DISK_OUT_OF_RANGE,
    };

    for (unsigned way = 0; way < G_N_ELEMENTS(ways); way++) {
        unsigned nth = 1;

        while (fault_story(&redundant[_i], nth, ways[way], false)) {
            nth++;
        }
        ck_assert_uint_gt(nth, 25);
    }
}
END_TEST

START_TEST(a_drive_may_die_at_any_op)
{
    unsigned nth = 1;

    while (fault_story(&redundant[_i], nth, DISK_FAILED, true)) {
        nth++;
    }
    ck_assert_uint_gt(nth, 25);
}
END_TEST

/* --- economy -------------------------------------------------------------- */

static void expect_ops(UnitVerb verb, uint64_t lba, uint32_t count,
                       unsigned reads, unsigned writes)
{
    world.reads = world.writes = 0;
    ck_assert_int_eq(one(verb, lba, count, NULL), UNIT_OK);
    ck_assert_uint_eq(world.reads, reads);
    ck_assert_uint_eq(world.writes, writes);
}

START_TEST(a_drive_sees_one_op_per_chunk)
{
    static const Shape raid5 = { RAID_5, 4 };
    static const Shape raid1 = { RAID_1, 2 };

    begin(&raid5, 0, 1);
    expect_ops(UNIT_READ, 7, 20, 1, 0);
    expect_ops(UNIT_READ, 20, 30, 2, 0);       /* over a chunk's edge */
    expect_ops(UNIT_READ, 5, 3 * STRIPE - 9, 3, 0);
    expect_ops(UNIT_WRITE, 5, 8, 2, 2);         /* by difference */
    expect_ops(UNIT_WRITE, 0, 2 * STRIPE, 1, 3);        /* by the row */
    expect_ops(UNIT_WRITE, 0, 3 * STRIPE, 0, 4);
    expect_ops(UNIT_WRITE, 3, STRIPE, 3, 3);    /* joined across its cuts */
    end();

    begin(&raid5, 1u << 3, 1);
    expect_ops(UNIT_READ, 2 * STRIPE, 8, 3, 0); /* its data is on 3 */
    expect_ops(UNIT_READ, STRIPE, 2 * STRIPE, 3, 0);
    expect_ops(UNIT_WRITE, 2 * STRIPE, 8, 2, 1);
    end();

    begin(&raid1, 0, 1);
    expect_ops(UNIT_READ, 9, 170, 1, 0);
    expect_ops(UNIT_WRITE, 9, 170, 0, 2);
    end();
}
END_TEST

START_TEST(copies_share_the_reads)
{
    static const Shape raid1 = { RAID_1, 2 };
    Asked asked[8] = { { .data = NULL } };

    begin(&raid1, 0, 1);
    for (unsigned i = 0; i < 8; i++) {
        ask(&asked[i], UNIT_READ, 10 * i, 4);
    }
    ck_assert_uint_eq(world.under_way, 8);
    /* Fewest waiting, by turns: four each. */
    spoil(0, 0);
    spoil(1, 10);
    run();
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_int_eq(asked[i].op.status, UNIT_OK);
        g_free(asked[i].data);
    }
    ck_assert_uint_eq(repairs, 3);      /* copy 0 had op 0, copy 1 op 1 */
    end();
}
END_TEST

START_TEST(a_long_op_does_not_flood_the_drives)
{
    static const Shape raid5 = { RAID_5, 4 };

    begin(&raid5, 0, 1);
    ck_assert_int_eq(one(UNIT_READ, 0, (uint32_t)capacity, NULL), UNIT_OK);
    ck_assert_uint_le(world.under_way_max, 32 * 4);
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stripe");
    TCase *tc = tcase_create("stripe");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_bad_sector_is_read_around_and_healed, 0,
                        REDUNDANT);
    tcase_add_loop_test(tc, a_bad_sector_of_data_is_healed_by_one_read, 0,
                        REDUNDANT);
    tcase_add_loop_test(
        tc, bad_sectors_in_different_places_of_a_row_are_all_mended, 0,
        REDUNDANT);
    tcase_add_loop_test(tc, what_cannot_be_known_is_told_to_the_sector, 0,
                        REDUNDANT);
    tcase_add_loop_test(tc, a_degraded_unit_tells_the_sector_too, 0,
                        REDUNDANT);
    tcase_add_test(tc, a_single_drive_tells_its_first_bad_sector);
    tcase_add_loop_test(tc, sectors_may_go_bad_all_the_time, 0, REDUNDANT);
    tcase_add_loop_test(tc, any_drive_op_may_fail_once, 0, REDUNDANT);
    tcase_add_loop_test(tc, a_drive_may_die_at_any_op, 0, REDUNDANT);
    tcase_add_test(tc, a_drive_sees_one_op_per_chunk);
    tcase_add_test(tc, copies_share_the_reads);
    tcase_add_test(tc, a_long_op_does_not_flood_the_drives);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
