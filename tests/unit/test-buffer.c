/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: segments keep what they should and forget the rest; the next one is
 * picked as its order says; held writes keep their data and their age.
 *
 * Method: pure rooms, small cases done by hand, a random list against a
 * plain picture of the sectors.
 */
#include <string.h>

#include "disk-model/drive/buffer.h"
#include "disk-model/drive/held.h"
#include "disk-model/media/media.h"
#include "tests/lib/unit.h"

static DiskBufferPlan plan;
static DiskBuffer buffer;

static void open_buffer(unsigned segments)
{
    plan.segments = segments;
    plan.segment_sectors = 100;
    disk_buffer_init(&buffer, &plan);
}

static void tear_down(void)
{
    disk_buffer_clear(&buffer);
    plan = (DiskBufferPlan) { 0 };
}

static void keep(uint64_t sector, uint32_t count, bool written)
{
    disk_buffer_grow(&buffer, disk_buffer_take(&buffer, sector, written),
                     sector + count);
}

static uint32_t found(uint64_t sector, uint32_t count)
{
    uint32_t have;

    disk_buffer_find(&buffer, (DiskSpan) { sector, count }, &have);
    return have;
}

/* --- segments ----------------------------------------------------------- */

START_TEST(a_run_is_found_from_any_of_its_sectors)
{
    open_buffer(2);
    keep(1000, 50, false);
    ck_assert_uint_eq(found(1000, 50), 50);
    ck_assert_uint_eq(found(1020, 10), 10);
    ck_assert_uint_eq(found(1040, 20), 10);
    ck_assert_uint_eq(found(999, 10), 0);
    ck_assert_uint_eq(found(1050, 1), 0);
}
END_TEST

START_TEST(a_full_segment_forgets_its_oldest_sectors)
{
    BufferSegment *segment;
    uint32_t have;

    open_buffer(1);
    keep(0, 80, false);
    segment = disk_buffer_find(&buffer, (DiskSpan) { 0, 1 }, &have);
    disk_buffer_grow(&buffer, segment, 130);
    ck_assert_uint_eq(found(29, 1), 0);
    ck_assert_uint_eq(found(30, 100), 100);
}
END_TEST

START_TEST(the_least_recently_used_segment_makes_room)
{
    uint32_t have;

    open_buffer(3);
    keep(0, 10, false);
    keep(100, 10, false);
    keep(200, 10, false);
    disk_buffer_use(&buffer, disk_buffer_find(&buffer, (DiskSpan) { 0, 1 },
                                              &have));
    keep(300, 10, false);
    ck_assert_uint_eq(found(100, 10), 0);
    ck_assert_uint_eq(found(0, 10), 10);
    ck_assert_uint_eq(found(200, 10), 10);
}
END_TEST

START_TEST(a_write_segment_keeps_writes_from_pushing_reads_out)
{
    plan.write_segment = plan.reads_written = true;
    open_buffer(2);
    keep(0, 10, false);
    for (unsigned i = 1; i < 9; i++) {
        keep(i * 1000, 10, true);
        ck_assert_uint_eq(found(i * 1000, 10), 10);
    }
    ck_assert_uint_eq(found(0, 10), 10);
    ck_assert_uint_eq(found(7000, 10), 0);
}
END_TEST

START_TEST(written_sectors_are_read_back_only_where_the_drive_does)
{
    open_buffer(2);
    keep(0, 10, true);
    ck_assert_uint_eq(found(0, 10), 0);
    plan.reads_written = true;
    ck_assert_uint_eq(found(0, 10), 10);
}
END_TEST

START_TEST(what_was_read_is_gone_where_the_drive_releases_it)
{
    BufferSegment *segment;
    uint32_t have;

    open_buffer(1);
    keep(0, 60, false);
    segment = disk_buffer_find(&buffer, (DiskSpan) { 0, 8 }, &have);
    disk_buffer_read_out(&buffer, segment, (DiskSpan) { 0, 8 });
    ck_assert_uint_eq(found(0, 8), 8);
    plan.releases_read = true;
    disk_buffer_read_out(&buffer, segment, (DiskSpan) { 0, 8 });
    ck_assert_uint_eq(found(0, 8), 0);
    ck_assert_uint_eq(found(8, 52), 52);
}
END_TEST

START_TEST(a_dropped_sector_takes_its_segment_along)
{
    open_buffer(2);
    keep(0, 10, false);
    keep(100, 10, false);
    disk_buffer_drop(&buffer, (DiskSpan) { 9, 50 });
    ck_assert_uint_eq(found(0, 1), 0);
    ck_assert_uint_eq(found(100, 10), 10);
    disk_buffer_drop(&buffer, (DiskSpan) { 110, 50 });
    ck_assert_uint_eq(found(100, 10), 10);
}
END_TEST

START_TEST(a_dropped_segment_is_the_next_to_be_used_again)
{
    open_buffer(3);
    keep(0, 10, false);
    keep(100, 10, false);
    keep(200, 10, false);
    disk_buffer_drop(&buffer, (DiskSpan) { 205, 1 });
    keep(300, 10, false);
    ck_assert_uint_eq(found(0, 10), 10);
    ck_assert_uint_eq(found(100, 10), 10);
    ck_assert_uint_eq(found(300, 10), 10);
}
END_TEST

/* --- held --------------------------------------------------------------- */

static HeldList list;
static uint8_t data[8 * DISK_SECTOR_BYTES];

static void hold(uint64_t sector, uint32_t count, uint8_t with)
{
    memset(data, with, (size_t)count * DISK_SECTOR_BYTES);
    held_add(&list, (DiskSpan) { sector, count }, data);
}

static uint8_t shown(uint64_t sector)
{
    memset(data, 0, DISK_SECTOR_BYTES);
    held_overlay(&list, (DiskSpan) { sector, 1 }, data);
    return data[DISK_SECTOR_BYTES - 1];
}

START_TEST(the_youngest_write_is_what_one_reads)
{
    held_init(&list, 4, 100, true);
    hold(10, 4, 1);
    hold(12, 4, 2);
    hold(100, 1, 3);
    hold(13, 1, 4);
    ck_assert_uint_eq(shown(9), 0);
    ck_assert_uint_eq(shown(11), 1);
    ck_assert_uint_eq(shown(12), 2);
    ck_assert_uint_eq(shown(13), 4);
    ck_assert_uint_eq(shown(14), 2);
    ck_assert_uint_eq(list.count, 4);
    ck_assert(!held_waits(&list, 0));
    ck_assert(held_waits(&list, 1));
    ck_assert(!held_waits(&list, 2));
    ck_assert(held_waits(&list, 3));
    held_drop(&list, 0, 4);
    ck_assert(!held_waits(&list, 0));
    ck_assert_uint_eq(shown(11), 0);
    held_clear(&list);
}
END_TEST

START_TEST(writes_that_go_on_become_one_also_while_it_leaves)
{
    held_init(&list, 2, 100, true);
    hold(10, 4, 1);
    hold(14, 4, 2);
    hold(16, 1, 3);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_uint_eq(list.write[0].span.count, 8);
    ck_assert_uint_eq(list.sectors, 8);
    ck_assert_uint_eq(shown(13), 1);
    ck_assert_uint_eq(shown(15), 2);
    ck_assert_uint_eq(shown(16), 3);
    list.leaving = 4;
    hold(18, 4, 4);
    hold(15, 1, 5);
    ck_assert_uint_eq(list.count, 1);
    hold(13, 1, 6);             /* the head may have been there */
    ck_assert_uint_eq(list.count, 2);
    held_drop(&list, 0, 4);
    ck_assert_uint_eq(list.sectors, 9);
    ck_assert_uint_eq(shown(13), 6);
    ck_assert_uint_eq(shown(14), 2);
    ck_assert_uint_eq(shown(15), 5);
    ck_assert_uint_eq(shown(21), 4);
    held_clear(&list);
}
END_TEST

START_TEST(room_is_counted_in_writes_and_in_sectors)
{
    held_init(&list, 2, 10, true);
    ck_assert(held_could(&list, (DiskSpan) { 0, 10 }));
    ck_assert(!held_could(&list, (DiskSpan) { 0, 11 }));
    hold(0, 4, 1);
    ck_assert(held_room(&list, (DiskSpan) { 100, 6 }));
    ck_assert(!held_room(&list, (DiskSpan) { 100, 7 }));
    hold(50, 1, 1);
    ck_assert(!held_room(&list, (DiskSpan) { 100, 1 }));
    ck_assert(held_room(&list, (DiskSpan) { 51, 1 }));
    held_clear(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer");
    TCase *tc = tcase_create("buffer");

    tcase_add_checked_fixture(tc, NULL, tear_down);
    tcase_add_test(tc, a_run_is_found_from_any_of_its_sectors);
    tcase_add_test(tc, a_full_segment_forgets_its_oldest_sectors);
    tcase_add_test(tc, the_least_recently_used_segment_makes_room);
    tcase_add_test(tc, a_write_segment_keeps_writes_from_pushing_reads_out);
    tcase_add_test(tc, written_sectors_are_read_back_only_where_the_drive_does);
    tcase_add_test(tc, what_was_read_is_gone_where_the_drive_releases_it);
    tcase_add_test(tc, a_dropped_sector_takes_its_segment_along);
    tcase_add_test(tc, a_dropped_segment_is_the_next_to_be_used_again);
    suite_add_tcase(suite, tc);
    tc = tcase_create("order and held");
    tcase_add_test(tc, the_youngest_write_is_what_one_reads);
    tcase_add_test(tc, writes_that_go_on_become_one_also_while_it_leaves);
    tcase_add_test(tc, room_is_counted_in_writes_and_in_sectors);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
