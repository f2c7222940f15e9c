/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event queue: first in, first out, bounded, and a loss is never silent.
 * Compared with a plain list over many seeded pushes and pops.
 */
#include <glib.h>

#include "raid-model/control/event.h"
#include "tests/lib/unit.h"

START_TEST(an_empty_queue_gives_none)
{
    RaidEventQueue queue = { 0 };

    ck_assert(!raid_event_pending(&queue));
    ck_assert_int_eq(raid_event_pop(&queue).code, RAID_EVENT_NONE);
    ck_assert(!raid_event_pending(&queue));
}
END_TEST

START_TEST(events_come_out_as_they_went_in)
{
    RaidEventQueue queue = { 0 };
    uint8_t pushed = 0, popped = 0;
    uint32_t noise = 7;

    for (unsigned step = 0; step < 10000; step++) {
        noise = noise * 1664525 + 1013904223;
        if ((noise >> 30) < 2 && queue.count < RAID_EVENTS_MAX) {
            raid_event_push(&queue, RAID_EVENT_DRIVE_ERROR, pushed++);
        } else if (raid_event_pending(&queue)) {
            RaidEvent event = raid_event_pop(&queue);

            ck_assert_int_eq(event.code, RAID_EVENT_DRIVE_ERROR);
            ck_assert_uint_eq(event.source, popped);
            popped++;
        }
        ck_assert_uint_eq(queue.count, (uint8_t)(pushed - popped));
    }
}
END_TEST

START_TEST(a_full_queue_tells_what_it_lost_in_its_last_place)
{
    RaidEventQueue queue = { 0 };

    for (unsigned lost = 1; lost <= 3 * RAID_EVENTS_MAX; lost++) {
        queue = (RaidEventQueue) { .first = lost % RAID_EVENTS_MAX };
        for (unsigned i = 0; i < RAID_EVENTS_MAX + lost; i++) {
            raid_event_push(&queue, RAID_EVENT_DRIVE_ERROR, (uint8_t)i);
        }
        for (unsigned i = 0; i < RAID_EVENTS_MAX - 1; i++) {
            ck_assert_uint_eq(raid_event_pop(&queue).source, i);
        }
        ck_assert_int_eq(raid_event_pop(&queue).code, RAID_EVENT_QUEUE_FULL);
        ck_assert(!raid_event_pending(&queue));
    }
}
END_TEST

START_TEST(a_log_keeps_the_newest_in_order)
{
    RaidLog log = { 0 };

    for (unsigned put = 1; put <= 3 * RAID_LOG_MAX; put++) {
        raid_log_put(&log, put, RAID_EVENT_DRIVE_ERROR, (uint8_t)put);
        ck_assert_uint_eq(log.count, MIN(put, RAID_LOG_MAX));
        for (unsigned i = 0; i < log.count; i++) {
            ck_assert_int_eq(raid_log_at(&log, i)->at, put - log.count + 1 + i);
        }
    }
}
END_TEST

/* Linux has strings up to 0x30 with holes at 0x0e and 0x10 to 0x20. */
START_TEST(each_event_has_words_and_a_number_that_linux_knows)
{
    uint8_t seen[256] = { 0 };

    for (unsigned code = 1; code < RAID_EVENT_CODES; code++) {
        const RaidEventWord *word = &raid_event_word[code];
        unsigned n = word->number;

        ck_assert(word->text && word->severity);
        ck_assert(n == 0xff || (n <= 0x30 && n != 0x0e && (n < 0x10 ||
                                                           n > 0x20)));
        ck_assert(n && !seen[n]);
        seen[n] = 1;
    }
    ck_assert_uint_eq(raid_event_word[RAID_EVENT_NONE].number, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("event");
    TCase *tc = tcase_create("event");

    tcase_add_test(tc, an_empty_queue_gives_none);
    tcase_add_test(tc, events_come_out_as_they_went_in);
    tcase_add_test(tc, a_full_queue_tells_what_it_lost_in_its_last_place);
    tcase_add_test(tc, a_log_keeps_the_newest_in_order);
    tcase_add_test(tc, each_event_has_words_and_a_number_that_linux_knows);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
