/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life bench: orders, phrases, numbers.
 */
#include "tests/lib/life-bench.h"

#include <string.h>

#define SECTOR DISK_SECTOR_BYTES

CardBench *bench;
uint8_t data[LIFE_SECTORS][SECTOR];
static uint8_t back[LIFE_SECTORS][SECTOR];

void life_set_up(void)
{
    uint32_t noise = 99;

    bench = card_bench_new(0xff);
    for (unsigned i = 0; i < sizeof(data); i++) {
        noise = noise * 1664525u + 1013904223u;
        data[i / SECTOR][i % SECTOR] = noise >> 24;
    }
}

void life_tear_down(void)
{
    card_bench_free(bench);
}

void only(uint32_t drives)
{
    for (unsigned i = 0; i < CARD_PORTS; i++) {
        bench->order[i] = drives >> i & 1 ? (int)i : -1;
    }
}

/* --- what is done and looked at ------------------------------------------ */

void order(const char *line)
{
    GError *error = NULL;
    bool taken = manage_order(bench->ctl, line, NULL, &error);

    ck_assert_msg(taken, "%s: %s", line, taken ? "" : error->message);
}

void refused(const char *line, const char *because)
{
    GError *error = NULL;

    ck_assert_msg(!manage_order(bench->ctl, line, NULL, &error), "%s", line);
    ck_assert_msg(strstr(error->message, because) != NULL, "%s: %s", line,
                  error->message);
    g_error_free(error);
}

void fault(const char *rule)
{
    ck_assert(fault_order(bench->sim, rule, NULL));
}

void run_for(SimTime time)
{
    sim_run_until(bench->sim, sim_now(bench->sim) + time);
}

void shows(const char *phrase)
{
    g_autofree char *report = manage_report(bench->ctl);
    g_auto(GStrv) lines = g_strsplit_set(report, " \n", -1);
    g_autofree char *text = g_strjoinv("", lines);

    ck_assert_msg(strstr(text, phrase) != NULL, "no %s in %.1500s", phrase,
                  text);
}

void told(const unsigned *numbers, unsigned count)
{
    g_autoptr(GString) right = g_string_new(NULL), got = g_string_new(NULL);
    RaidEvent event;

    for (unsigned i = 0; i < count; i++) {
        g_string_append_printf(right, "%04x ", numbers[i]);
    }
    while ((event = raid_event_pop(raid_controller_events(bench->ctl))).code) {
        g_string_append_printf(got, "%02x%02x ",
                               raid_event_word[event.code].number,
                               event.source);
    }
    ck_assert_str_eq(got->str, right->str);
}

void nothing_told(void)
{
    told(NULL, 0);
}

void forget_news(void)
{
    while (raid_event_pop(raid_controller_events(bench->ctl)).code) {
    }
}

RaidUnit *unit(unsigned number)
{
    return raid_controller_unit(bench->ctl, number);
}

void fill(unsigned number)
{
    ck_assert_int_eq(card_bench_io(bench, number, UNIT_WRITE, 0, data,
                                   LIFE_SECTORS), UNIT_OK);
}

void holds(unsigned number)
{
    memset(back, 0, sizeof(back));
    ck_assert_int_eq(card_bench_io(bench, number, UNIT_READ, 0, back,
                                   LIFE_SECTORS), UNIT_OK);
    ck_assert(!memcmp(data, back, sizeof(data)));
}

void boot_filled(const char *units)
{
    card_bench_must_boot(bench, units);
    fill((unsigned)units[strcspn(units, ":") + 1] - '0');
    card_bench_drain(bench);
    forget_news();
}

void rows_agree(unsigned members)
{
    uint8_t sector[SECTOR], sum[SECTOR];

    for (uint64_t at = LIFE_AREA; at < LIFE_AREA + 896; at++) {
        memset(sum, 0, SECTOR);
        for (unsigned m = 0; m < members; m++) {
            card_bench_peek(bench, m, at, sector, 1);
            for (unsigned i = 0; i < SECTOR; i++) {
                sum[i] ^= sector[i];
            }
        }
        for (unsigned i = 0; i < SECTOR; i++) {
            unit_holds(!sum[i]);
        }
    }
}

Disk *another_drive(unsigned i)
{
    bench->disk[i] = disk_new(bench->sim, bench->model[i],
                              &bench->medium[i].media, "NEW", 0);
    return bench->disk[i];
}
