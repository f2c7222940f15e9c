/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: a power cut at any moment leaves of a write on its way what the head
 * has passed, tears the one sector it is over, keeps the rest, and names
 * every sector that was acknowledged and is lost.
 *
 * Method: the same write again and again, cut a little later each time; the
 * medium is looked at past the drive, and every sector is asked for.
 */
#include "tests/unit/cached-drive.h"

#define AT 100
#define COUNT 8u
#define STEP SIM_US(7)          /* a sector passes in no less */
#define OLD 1
#define NEW 2

static bool lost[COUNT];

static void note_lost(void *opaque G_GNUC_UNUSED, DiskSpan span)
{
    for (uint64_t s = span.sector; s < span.sector + span.count; s++) {
        ck_assert(s >= AT && s < AT + COUNT);
        lost[s - AT] = true;
    }
}

static void new_drive(bool buffer)
{
    set_up();
    disk_free(disk);
    preset->buffer.there = buffer;
    open_drive();
    memset(lost, 0, sizeof(lost));
    disk_on_lost(disk, note_lost, NULL);
}

/* Half of each: neither the old nor the new. */
static bool on_media_is_mixed(uint64_t sector)
{
    uint8_t data[DISK_SECTOR_BYTES];

    ck_assert_int_eq(media->ops->read(media, sector, 1, data), 0);
    return data[0] == NEW && data[DISK_SECTOR_BYTES - 1] == OLD;
}

/* What is found, sector by sector: new, then at most one torn, then old. */
static unsigned look(bool *torn)
{
    unsigned new = 0, old = 0;

    *torn = false;
    for (unsigned i = 0; i < COUNT; i++) {
        do_op(DISK_READ, AT + i, 1, 0);
        if (job[0].op.status == DISK_BAD_SECTOR) {
            ck_assert_uint_eq(job[0].op.bad_sector, AT + i);
            ck_assert(on_media_is_mixed(AT + i));
            ck_assert(!*torn && !old);
            *torn = true;
        } else if (job[0].data[0] == NEW) {
            ck_assert(!*torn && !old);
            ck_assert_uint_eq(job[0].data[DISK_SECTOR_BYTES - 1], NEW);
            new++;
        } else {
            ck_assert_uint_eq(job[0].data[0], OLD);
            old++;
        }
    }
    return new;
}

static void a_torn_sector_is_good_when_written(void)
{
    for (unsigned i = 0; i < COUNT; i++) {
        do_op(DISK_WRITE, AT + i, 1, 5);
    }
    do_op(DISK_FLUSH, 0, 0, 0);
    do_op(DISK_READ, AT, COUNT, 0);
    ck_assert_int_eq(job[0].op.status, DISK_OK);
    ck_assert_uint_eq(on_media(AT), 5);
}

/* False when the write had ended before. */
static bool cut_at(bool buffer, SimTime when, unsigned *new, bool *torn)
{
    bool under_way;

    new_drive(buffer);
    do_op(DISK_WRITE, AT, COUNT, OLD);
    do_op(DISK_FLUSH, 0, 0, 0);
    settle();
    job[1].op.flags = DISK_OP_FUA;
    submit(1, DISK_WRITE, AT, COUNT, NEW);
    sim_run_until(sim, sim_now(sim) + when);
    ck_assert_uint_eq(disk_power_cut(disk), 0);
    under_way = job[1].lent;
    if (under_way) {
        disk_cancel(&job[1].op, DISK_ABORTED);
    }
    *new = look(torn);
    a_torn_sector_is_good_when_written();
    for (unsigned i = 0; i < COUNT; i++) {
        ck_assert(!lost[i]);    /* nobody was told it was written */
    }
    tear_down();
    return under_way;
}

START_TEST(a_write_under_the_head_is_cut_where_the_head_is)
{
    unsigned new = 0, before = 0, seen = 0, torn_seen = 0;
    bool torn, under_way = true;

    for (SimTime when = 0; under_way; when += STEP) {
        under_way = cut_at(_i, when, &new, &torn);
        ck_assert_uint_ge(new, before);
        ck_assert_uint_le(new, before + 1);
        before = new;
        seen |= 1u << new;
        torn_seen |= (unsigned)torn << new;
    }
    ck_assert_uint_eq(seen, (1u << (COUNT + 1)) - 1);
    ck_assert_uint_eq(torn_seen, (1u << COUNT) - 1);
}
END_TEST

/* Acknowledged, and brought to the medium later: each sector is new, or it
 * is told that it is lost. */
static bool cut_held_at(SimTime when, unsigned *new, bool *torn)
{
    uint64_t told = 0, count;

    new_drive(true);
    do_op(DISK_WRITE, AT, COUNT, OLD);
    do_op(DISK_FLUSH, 0, 0, 0);
    settle();
    do_op(DISK_WRITE, AT, COUNT, NEW);
    ck_assert_int_eq(job[0].op.status, DISK_OK);
    sim_run_until(sim, sim_now(sim) + when);
    count = disk_power_cut(disk);
    *new = look(torn);
    for (unsigned i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(lost[i], i >= *new);
        told += lost[i];
    }
    ck_assert_uint_eq(told, count);
    a_torn_sector_is_good_when_written();
    tear_down();
    return count;
}

START_TEST(what_was_acknowledged_and_is_lost_is_told)
{
    unsigned new = 0, seen = 0, torn_seen = 0;
    bool torn, some = true;

    for (SimTime when = 0; some; when += STEP) {
        some = cut_held_at(when, &new, &torn);
        seen |= 1u << new;
        torn_seen |= (unsigned)torn << new;
    }
    ck_assert_uint_eq(seen, (1u << (COUNT + 1)) - 1);
    ck_assert_uint_eq(torn_seen, (1u << COUNT) - 1);
}
END_TEST

/* Somewhere in [at, at + COUNT): the same write, cut later each time. */
static uint64_t tear(uint64_t at)
{
    for (SimTime when = 0;; when += STEP) {
        job[1].op.flags = DISK_OP_FUA;
        submit(1, DISK_WRITE, at, COUNT, NEW);
        sim_run_until(sim, sim_now(sim) + when);
        disk_power_cut(disk);
        ck_assert(job[1].lent);
        disk_cancel(&job[1].op, DISK_ABORTED);
        do_op(DISK_READ, at, COUNT, 0);
        if (job[0].op.status == DISK_BAD_SECTOR) {
            return job[0].op.bad_sector;
        }
    }
}

static DiskStatus read_one(uint64_t sector)
{
    do_op(DISK_READ, sector, 1, 0);
    return job[0].op.status;
}

/* A second cut, when the sector has been written into RAM only. */
START_TEST(a_torn_sector_stays_torn_until_it_is_on_the_medium)
{
    uint64_t torn;

    new_drive(true);
    torn = tear(AT);
    do_op(DISK_WRITE, torn, 1, 5);
    ck_assert_int_eq(read_one(torn), DISK_OK);
    ck_assert_uint_eq(job[0].data[0], 5);
    ck_assert_uint_eq(disk_power_cut(disk), 1);
    ck_assert_int_eq(read_one(torn), DISK_BAD_SECTOR);
    tear_down();
}
END_TEST

START_TEST(each_torn_sector_is_mended_by_itself)
{
    uint64_t torn[2];

    new_drive(false);
    torn[0] = tear(AT);
    torn[1] = tear(10 * AT);
    do_op(DISK_WRITE, torn[0], 1, 5);
    ck_assert_int_eq(read_one(torn[0]), DISK_OK);
    ck_assert_int_eq(read_one(torn[1]), DISK_BAD_SECTOR);
    do_op(DISK_WRITE, torn[1] - 1, 1, 5);
    ck_assert_int_eq(read_one(torn[1]), DISK_BAD_SECTOR);
    do_op(DISK_WRITE, torn[1] - 1, 2, 5);
    ck_assert_int_eq(read_one(torn[1]), DISK_OK);
    tear_down();
}
END_TEST

/* What the drive does after it is not the head's. */
START_TEST(the_end_of_a_command_is_after_the_head_has_passed)
{
    SimTime took;

    new_drive(true);
    preset->buffer.write_end_ns = SIM_US(300);
    job[0].op.flags = DISK_OP_FUA;
    took = do_op(DISK_WRITE, AT, COUNT, OLD);
    job[0].op.flags = 0;
    ck_assert_uint_eq(on_media(AT), OLD);
    for (SimTime early = SIM_US(10); early < SIM_US(300);
         early += SIM_US(50)) {
        bool torn;

        tear_down();
        new_drive(true);
        preset->buffer.write_end_ns = SIM_US(300);
        job[1].op.flags = DISK_OP_FUA;
        submit(1, DISK_WRITE, AT, COUNT, NEW);
        sim_run_until(sim, took - early);
        disk_power_cut(disk);
        ck_assert(job[1].lent);
        disk_cancel(&job[1].op, DISK_ABORTED);
        ck_assert_uint_eq(look(&torn), COUNT);
        ck_assert(!torn);
    }
    tear_down();
}
END_TEST

START_TEST(a_pulled_drive_is_cut_like_any_other)
{
    DiskPort *port;
    unsigned torn = 0;
    bool is_torn;

    for (SimTime when = 0; when < SIM_MS(8); when += STEP) {
        new_drive(false);
        port = disk_port_new(sim, 0, 0);
        disk_port_plug(port, disk);
        do_op(DISK_WRITE, AT, COUNT, OLD);
        submit(1, DISK_WRITE, AT, COUNT, NEW);
        sim_run_until(sim, sim_now(sim) + when);
        disk_port_pull(port);
        ck_assert(!job[1].lent);
        look(&is_torn);
        torn += is_torn;
        disk_port_free(port);
        tear_down();
    }
    ck_assert_uint_gt(torn, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("power");
    TCase *tc = tcase_create("power");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_write_under_the_head_is_cut_where_the_head_is,
                        0, 2);
    tcase_add_test(tc, what_was_acknowledged_and_is_lost_is_told);
    tcase_add_test(tc, a_torn_sector_stays_torn_until_it_is_on_the_medium);
    tcase_add_test(tc, each_torn_sector_is_mended_by_itself);
    tcase_add_test(tc, the_end_of_a_command_is_after_the_head_has_passed);
    tcase_add_test(tc, a_pulled_drive_is_cut_like_any_other);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
