/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathering: writes that wait for a row of a RAID 5 become one when the card
 * does so, cost what they should then, leave what they would have left one
 * by one, and fail each for itself.
 *
 * A write to row 0 takes the card's memory, so that all others wait.  The
 * oracle is a flat array, written in the order of asking.
 */
#include "raid-model/array/unit.h"
#include "tests/lib/md-layout.h"
#include "tests/unit/stripe-port.h"

#define ROW (3 * STRIPE)
#define CAPACITY (ROWS * ROW)
#define ASKS 40

typedef struct Ask {
    UnitOp op;
    bool done;
    unsigned place;             /* how many were done before */
    uint8_t data[ROW * SECTOR];
} Ask;

static RaidCard card;
static RaidUnit *unit;
static const MdArray md = { 5, MEMBERS, STRIPE };
static uint8_t flat[CAPACITY][SECTOR];
static Ask asks[ASKS];
static unsigned asked, finished;

static void begin(RaidGathers how, uint32_t missing)
{
    RaidShape shape = {
        .level = &raid_level[RAID_5], .members = MEMBERS,
        .stripe_sectors = STRIPE, .member_sectors = DATA_SECTORS,
    };
    DiskPort *port[MEMBERS];

    memset(&world, 0, sizeof(world));
    world.sim = sim_new(1);
    world.noise = 99;
    memset(flat, 0, sizeof(flat));
    asked = finished = 0;
    card = (RaidCard) { .row_writes_max = 1, .gathers_rows = how };
    for (unsigned m = 0; m < MEMBERS; m++) {
        port[m] = missing >> m & 1 ? NULL : &world.port[m];
    }
    unit = raid_unit_new(world.sim, 0, &shape, &card, port, NULL, NULL);
}

static void note_done(UnitOp *op)
{
    Ask *own = (Ask *)op;

    unit_holds(!own->done);
    own->done = true;
    own->place = finished++;
}

static Ask *put(UnitVerb verb, uint64_t lba, uint32_t count)
{
    Ask *own = &asks[asked++];

    own->done = false;
    if (verb == UNIT_WRITE) {
        memset(own->data, (int)(16 + asked), (size_t)count * SECTOR);
        memcpy(flat[lba], own->data, (size_t)count * SECTOR);
    }
    own->op = (UnitOp) {
        .verb = verb, .lba = lba, .count = count, .buf = own->data,
        .done = note_done,
    };
    raid_unit_submit(unit, &own->op);
    return own;
}

/* The rest of the tale, without what the write to row 0 costs: 2 and 2. */
static void run(unsigned *reads, unsigned *writes)
{
    while (sim_step(world.sim)) {
    }
    for (unsigned i = 0; i < asked; i++) {
        ck_assert(asks[i].done);
    }
    *reads = world.reads - 2;
    *writes = world.writes - 2;
}

static void check_stored(void)
{
    for (uint64_t lba = 0; lba < CAPACITY; lba++) {
        MdPlace place = md_place(&md, lba);
        uint64_t sector = RAID_DATA_OFFSET_SECTORS + place.sector;

        unit_holds(memcmp(world.port[place.device].data[sector], flat[lba],
                          SECTOR) == 0);
    }
    for (unsigned s = 0; s < DATA_SECTORS; s++) {
        for (unsigned i = 0; i < SECTOR; i++) {
            uint8_t sum = 0;

            for (unsigned m = 0; m < MEMBERS; m++) {
                sum ^= world.port[m].data[RAID_DATA_OFFSET_SECTORS + s][i];
            }
            unit_holds(sum == 0);
        }
    }
}

static void end(void)
{
    raid_unit_free(unit);
    sim_free(world.sim);
}

/* Six writes that cover row 1, from the last to the first or upwards. */
static void cover_row_1(bool downwards, unsigned without)
{
    for (unsigned i = 0; i < 6; i++) {
        unsigned part = downwards ? 5 - i : i;

        if (part != without) {
            put(UNIT_WRITE, ROW + part * ROW / 6, ROW / 6);
        }
    }
}

START_TEST(writes_that_cover_a_row_need_no_reads)
{
    unsigned reads, writes;

    begin(_i & 1 ? RAID_GATHERS_FULL_ROWS : RAID_GATHERS_WRITES, 0);
    put(UNIT_WRITE, 0, 4);
    cover_row_1(_i & 2, 6);
    run(&reads, &writes);
    ck_assert_uint_eq(reads, 0);
    ck_assert_uint_eq(writes, MEMBERS);
    check_stored();
    end();
}
END_TEST

START_TEST(a_card_that_does_not_gather_writes_one_by_one)
{
    unsigned reads, writes;

    begin(RAID_GATHERS_NONE, 0);
    put(UNIT_WRITE, 0, 4);
    cover_row_1(false, 6);
    run(&reads, &writes);
    ck_assert_uint_eq(writes, 2 * 6);
    ck_assert_uint_eq(reads, 2 * 6);
    check_stored();
    end();
}
END_TEST

/* Also when the next in order must wait for its row and another need not. */
START_TEST(row_writes_are_carried_out_in_the_order_they_came)
{
    unsigned reads, writes;
    const uint64_t lba[] = { 0, 0, ROW, 0, 2 * ROW, ROW };

    begin(RAID_GATHERS_NONE, 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(lba); i++) {
        put(UNIT_WRITE, lba[i], 4);
    }
    run(&reads, &writes);
    for (unsigned i = 0; i < asked; i++) {
        ck_assert_uint_eq(asks[i].place, i);
    }
    check_stored();
    end();
}
END_TEST

START_TEST(a_row_with_a_gap_is_gathered_by_those_that_take_parts)
{
    unsigned reads, writes;

    begin(RAID_GATHERS_FULL_ROWS, 0);
    put(UNIT_WRITE, 0, 4);
    cover_row_1(false, 5);
    run(&reads, &writes);
    ck_assert_uint_eq(writes, 2 * 5);
    check_stored();
    end();

    /* Whole slots 0 and 1, half of slot 2: one row op, all members. */
    begin(RAID_GATHERS_WRITES, 0);
    put(UNIT_WRITE, 0, 4);
    cover_row_1(false, 5);
    run(&reads, &writes);
    ck_assert_uint_eq(writes, MEMBERS);
    ck_assert_uint_le(reads, 2);
    check_stored();
    end();
}
END_TEST

/* As many sectors as the row has, but not all of them. */
START_TEST(a_gap_is_not_written_over)
{
    unsigned reads, writes;

    begin(RAID_GATHERS_FULL_ROWS, 0);
    put(UNIT_WRITE, ROW, ROW);
    put(UNIT_WRITE, 0, 4);
    put(UNIT_WRITE, ROW, ROW / 2);
    put(UNIT_WRITE, ROW + 3, ROW / 2 - 3);
    put(UNIT_WRITE, ROW + ROW / 2 + 4, ROW / 2 - 4);
    run(&reads, &writes);
    ck_assert_uint_gt(reads, 0);
    check_stored();
    end();
}
END_TEST

START_TEST(of_writes_that_overlap_the_last_wins)
{
    unsigned reads, writes;

    begin(_i & 1 ? RAID_GATHERS_FULL_ROWS : RAID_GATHERS_WRITES, 0);
    put(UNIT_WRITE, 0, 4);
    put(UNIT_WRITE, ROW, ROW - 10);
    put(UNIT_WRITE, ROW + 5, 50);
    put(UNIT_WRITE, ROW + 40, ROW - 40);
    put(UNIT_WRITE, ROW + 41, 3);
    run(&reads, &writes);
    ck_assert_uint_eq(writes, MEMBERS);
    ck_assert_uint_eq(reads, 0);
    check_stored();
    end();
}
END_TEST

/* It sees the write before it and not the one after. */
START_TEST(a_read_between_two_writes_keeps_its_place)
{
    unsigned reads, writes;
    Ask *read;

    begin(RAID_GATHERS_WRITES, 0);
    put(UNIT_WRITE, 0, 4);
    put(UNIT_WRITE, ROW, 8);
    read = put(UNIT_READ, ROW + 2, 4);
    put(UNIT_WRITE, ROW, 8);
    run(&reads, &writes);
    ck_assert_int_eq(read->op.status, UNIT_OK);
    ck_assert_uint_eq(read->data[0], asks[1].data[0]);
    check_stored();
    end();
}
END_TEST

/* Without member m's drive, and with a bad sector, one write cannot be. */
START_TEST(writes_made_one_fail_each_for_itself)
{
    MdPlace gone = md_place(&md, ROW), bad = md_place(&md, ROW + STRIPE);
    unsigned reads, writes;
    Ask *good, *lost, *also_good;

    begin(RAID_GATHERS_WRITES, 1u << gone.device);
    world.port[bad.device].bad[RAID_DATA_OFFSET_SECTORS + bad.sector + 9] =
        true;
    put(UNIT_WRITE, 0, 4);
    good = put(UNIT_WRITE, ROW, 8);
    lost = put(UNIT_WRITE, ROW + 8, 4);
    also_good = put(UNIT_WRITE, ROW + 12, 8);
    run(&reads, &writes);
    ck_assert_int_eq(good->op.status, UNIT_OK);
    ck_assert_int_eq(lost->op.status, UNIT_MEDIUM_ERROR);
    ck_assert_uint_ge(lost->op.bad_lba, ROW + 8);
    ck_assert_uint_lt(lost->op.bad_lba, ROW + 12);
    ck_assert_int_eq(also_good->op.status, UNIT_OK);
    end();
}
END_TEST

/* Seeded writes all over two rows, in flight together. */
START_TEST(any_mixture_leaves_what_one_by_one_would)
{
    unsigned reads, writes;

    begin(_i & 1 ? RAID_GATHERS_FULL_ROWS : RAID_GATHERS_WRITES, 0);
    card.row_writes_max = 1 + (unsigned)_i / 2 % 3;
    card.xor_row_ns = _i % 5 ? 300 : 0;
    card.row_wait_ns = _i % 3 ? 20000 : 0;
    world.noise = 1000 + (uint32_t)_i;
    while (asked < ASKS) {
        uint32_t count = 1 + chance(ROW);

        put(UNIT_WRITE, chance(2 * ROW - count), count);
        for (unsigned steps = chance(6); steps; steps--) {
            sim_step(world.sim);
        }
    }
    run(&reads, &writes);
    for (unsigned i = 0; i < asked; i++) {
        ck_assert_int_eq(asks[i].op.status, UNIT_OK);
    }
    check_stored();
    end();
}
END_TEST

/* A row in computation is dropped, one in writing is carried through. */
START_TEST(a_reset_at_any_event_leaves_rows_whole)
{
    begin(RAID_GATHERS_FULL_ROWS, 0);
    card.xor_row_ns = 5000;
    card.row_answer_ns = 9000;
    card.row_wait_ns = 50000;
    put(UNIT_WRITE, 0, 4);
    cover_row_1(false, 6);
    for (int i = 0; i < _i; i++) {
        sim_step(world.sim);
    }
    raid_unit_reset(unit);
    ck_assert(!sim_step(world.sim));
    for (unsigned i = 0; i < asked; i++) {
        ck_assert(asks[i].done);
        if (asks[i].op.status == UNIT_OK) {
            continue;
        }
        ck_assert_int_eq(asks[i].op.status, UNIT_ABORTED);
        for (uint32_t s = 0; s < asks[i].op.count; s++) {
            MdPlace place = md_place(&md, asks[i].op.lba + s);

            /* Old or new. */
            memcpy(flat[asks[i].op.lba + s],
                   world.port[place.device].data[RAID_DATA_OFFSET_SECTORS +
                                                 place.sector], SECTOR);
            unit_holds(flat[asks[i].op.lba + s][0] == 0 ||
                       flat[asks[i].op.lba + s][0] == asks[i].data[0]);
        }
    }
    check_stored();
    end();
}
END_TEST

/* Three vectors that the host brings: one copied, two added, so that 8 times
 * 32 sectors pass; but no less than 40 sectors count. */
START_TEST(the_engine_takes_its_time_for_each_row)
{
    SimTime took[2];

    for (unsigned slow = 0; slow < 2; slow++) {
        begin(RAID_GATHERS_NONE, 0);
        card.xor.bytes_per_s = slow ? 1000000 : 0;
        card.xor_first = 2;
        card.xor_piece_sectors = 40;
        card.xor_row_ns = slow ? 7000 : 0;
        put(UNIT_WRITE, 0, ROW);
        while (sim_step(world.sim)) {
        }
        ck_assert_uint_eq(world.reads, 0);
        took[slow] = sim_now(world.sim);
        end();
    }
    ck_assert_int_eq(took[1] - took[0], 8 * 40 * 512000 + 7000);
}
END_TEST

/*
 * A small write's new data is added up at once, old data and old parity when
 * they are read; the oracle is the engine's diary, from the times of these.
 */
START_TEST(what_is_read_is_added_as_it_comes)
{
    static const uint64_t rates[] = { 2560000, 2560000000, 25600000000 };
    const SimTime vector = 2560 * SIM_S(1) / (SimTime)rates[_i];
    SimTime read[2] = { 0 }, took[2], end_of_sum;

    for (unsigned slow = 0; slow < 2; slow++) {
        begin(RAID_GATHERS_NONE, 0);
        card.xor.bytes_per_s = slow ? rates[_i] : 0;
        card.xor_first = 1;
        card.xor_row_ns = slow ? 70 : 0;
        put(UNIT_WRITE, 0, 5);
        while (sim_step(world.sim)) {
            if (world.reads && !read[world.reads - 1]) {
                read[world.reads - 1] = sim_now(world.sim);
            }
        }
        ck_assert_uint_eq(world.reads, 2);
        took[slow] = sim_now(world.sim);
        end();
    }
    end_of_sum = MAX(vector, read[0]) + 3 * vector;
    end_of_sum = MAX(end_of_sum, read[1]) + 3 * vector + 70;
    ck_assert_int_eq(took[1] - took[0], end_of_sum - read[1]);
}
END_TEST

/* Three writes to one place wait for each other and not for the answers; a
 * read has none to wait for. */
START_TEST(a_write_is_answered_late_and_holds_up_no_other)
{
    SimTime took[2], read[2];

    for (unsigned late = 0; late < 2; late++) {
        unsigned reads, writes;

        begin(RAID_GATHERS_NONE, 0);
        card.row_answer_ns = late ? SIM_S(7) : 0;
        for (unsigned i = 0; i < 3; i++) {
            put(UNIT_WRITE, 0, 4);
        }
        run(&reads, &writes);
        took[late] = sim_now(world.sim);
        put(UNIT_READ, 0, 4);
        run(&reads, &writes);
        read[late] = sim_now(world.sim) - took[late];
        check_stored();
        end();
    }
    ck_assert_int_eq(took[1] - took[0], SIM_S(7));
    ck_assert_int_eq(read[1], read[0]);
}
END_TEST

/* Row 0 whole, then a third of row 1; the rest comes when row 0 is done. */
START_TEST(behind_a_whole_row_the_next_waits_to_be_whole)
{
    unsigned reads, writes;
    Ask *whole;

    begin(RAID_GATHERS_FULL_ROWS, 0);
    card.row_wait_ns = _i ? SIM_S(1) : 0;
    whole = put(UNIT_WRITE, 0, ROW);
    put(UNIT_WRITE, ROW, STRIPE);
    while (!whole->done) {
        sim_step(world.sim);
    }
    put(UNIT_WRITE, ROW + STRIPE, STRIPE);
    put(UNIT_WRITE, ROW + 2 * STRIPE, STRIPE);
    run(&reads, &writes);
    ck_assert_uint_eq(world.reads == 0, _i);
    ck_assert_uint_eq(world.writes == 2 * MEMBERS, _i);
    check_stored();
    end();
}
END_TEST

/* Nor longer than told, nor when a later row has come, nor elsewhere. */
START_TEST(what_stays_a_part_of_a_row_is_not_waited_for_long)
{
    static const struct {
        uint64_t part, then;
        SimTime costs;
    } story[] = {
        { ROW, 0, SIM_S(1) },
        { ROW, 2 * ROW, 0 },
        { 2 * ROW, 0, 0 },
    };
    SimTime took[2];

    for (unsigned waits = 0; waits < 2; waits++) {
        unsigned reads, writes;
        Ask *whole;
        SimTime from;

        begin(RAID_GATHERS_FULL_ROWS, 0);
        card.row_wait_ns = waits ? SIM_S(1) : 0;
        whole = put(UNIT_WRITE, 0, ROW);
        while (!whole->done) {
            sim_step(world.sim);
        }
        from = sim_now(world.sim);
        put(UNIT_WRITE, story[_i].part, 4);
        if (story[_i].then) {
            put(UNIT_WRITE, story[_i].then, 4);
        }
        run(&reads, &writes);
        took[waits] = sim_now(world.sim) - from;
        check_stored();
        end();
    }
    ck_assert_int_eq(took[1] - took[0], story[_i].costs);
}
END_TEST

START_TEST(what_is_read_passes_the_memory_while_it_is_read)
{
    SimTime took[2];

    for (unsigned slow = 0; slow < 2; slow++) {
        begin(RAID_GATHERS_NONE, 0);
        /* 4 sectors, once: the first has passed when its drive is done. */
        sim_run_until(world.sim, SIM_S(10));
        card.xor.bytes_per_s = slow ? 1000 : 0;
        put(UNIT_READ, 0, 4);
        put(UNIT_READ, 8, 4);
        while (sim_step(world.sim)) {
        }
        took[slow] = sim_now(world.sim);
        end();
    }
    ck_assert_int_gt(took[1] - took[0], SIM_S(1));
    ck_assert_int_le(took[1] - took[0], SIM_MS(2048));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gather");
    TCase *tc = tcase_create("gather");

    tcase_add_loop_test(tc, writes_that_cover_a_row_need_no_reads, 0, 4);
    tcase_add_test(tc, a_card_that_does_not_gather_writes_one_by_one);
    tcase_add_test(tc, row_writes_are_carried_out_in_the_order_they_came);
    tcase_add_test(tc, a_row_with_a_gap_is_gathered_by_those_that_take_parts);
    tcase_add_test(tc, a_gap_is_not_written_over);
    tcase_add_loop_test(tc, of_writes_that_overlap_the_last_wins, 0, 2);
    tcase_add_test(tc, a_read_between_two_writes_keeps_its_place);
    tcase_add_test(tc, writes_made_one_fail_each_for_itself);
    tcase_add_loop_test(tc, any_mixture_leaves_what_one_by_one_would, 0, 60);
    tcase_add_loop_test(tc, a_reset_at_any_event_leaves_rows_whole, 0, 16);
    tcase_add_test(tc, the_engine_takes_its_time_for_each_row);
    tcase_add_loop_test(tc, what_is_read_is_added_as_it_comes, 0, 3);
    tcase_add_test(tc, a_write_is_answered_late_and_holds_up_no_other);
    tcase_add_loop_test(tc, behind_a_whole_row_the_next_waits_to_be_whole,
                        0, 2);
    tcase_add_loop_test(tc, what_stays_a_part_of_a_row_is_not_waited_for_long,
                        0, 3);
    tcase_add_test(tc, what_is_read_passes_the_memory_while_it_is_read);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
