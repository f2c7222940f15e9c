/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim bench: its own speed, as a table or as JSON.
 *
 * The drive is a WD1200JB, the board for one a 3ware-7410 and for five a
 * 3ware-7810: the ATA drive and boards most of the shipped measurements are
 * about.  Growth in drives needs twelve ports: a 3ware-8506-12 with WD360GD.
 */
#include <inttypes.h>
#include <stdio.h>

#include "raid-model/sim/bench.h"
#include "raid-model/sim/command.h"
#include "raid-model/control/json.h"
#include "raid-model/sim/progress.h"

#define ONE "3ware-7410", "wd1200jb", "single:0"
#define FIVE "3ware-7810", "5xwd1200jb", "raid5:0-4:64k"
#define TWELVE "3ware-8506-12"

static const BenchLoad load[] = {
    /* key, board, drives, unit, per cent of reads, depth */
    { "read_1_qd1", ONE, 100, 1 },
    { "read_1_qd8", ONE, 100, 8 },
    { "read_1_qd256", ONE, 100, 256 },
    { "raid5x5_read_qd16", FIVE, 100, 16 },
    { "raid5x5_write_qd1", FIVE, 0, 1 },
    { "raid5x5_mixed_qd16", FIVE, 70, 16 },
};

#define LOADS G_N_ELEMENTS(load)

/* DiskSim 4.0 on a server of the 2020s, requests/s. */
static const char *const disksim[LOADS] = {
    "56,000 to 122,000", "56,000 to 122,000", "56,000 to 122,000",
    "36,000 to 65,000", "3,300, falling", "",
};

static const unsigned growing[] = { 0, 4 };     /* of load[] */
static const uint64_t growth_requests[] = { 100000, 1000000, 10000000 };

#define GROWING G_N_ELEMENTS(growing)
#define LENGTHS G_N_ELEMENTS(growth_requests)

/* RAID 0, four reads in flight a drive. */
static const struct {
    unsigned drives;
    BenchLoad load;
} wider[] = {
    { 1, { "1", TWELVE, "wd360gd", "single:0", 100, 4 } },
    { 2, { "2", TWELVE, "2xwd360gd", "raid0:0-1", 100, 8 } },
    { 4, { "4", TWELVE, "4xwd360gd", "raid0:0-3", 100, 16 } },
    { 8, { "8", TWELVE, "8xwd360gd", "raid0:0-7", 100, 32 } },
    { 12, { "12", TWELVE, "12xwd360gd", "raid0:0-11", 100, 48 } },
};

#define WIDTHS G_N_ELEMENTS(wider)

typedef struct Figures {
    double yardstick;
    double off[LOADS], on[LOADS];
    BenchGrowth growth[GROWING][LENGTHS];
    double width[WIDTHS];
    double share;               /* of a processor, from begin to end */
    uint64_t peak_off_kib, peak_on_kib;
} Figures;

/* --- measuring ---------------------------------------------------------- */

/* Tells the progress line which of all the parts is next. */
static void part(unsigned *nth, bool quick)
{
    double parts = quick ? 1 + LOADS
                         : 1 + 2 * LOADS + GROWING * LENGTHS + WIDTHS;

    progress_part("raidsim bench", *nth / parts, (*nth + 1) / parts);
    progress_show("raidsim bench", 0);
    ++*nth;
}

static bool can(GError **error)
{
    bool all = true;

    for (unsigned i = 0; all && i < LOADS; i++) {
        all = bench_can(&load[i], error);
    }
    for (unsigned i = 0; all && i < WIDTHS; i++) {
        all = bench_can(&wider[i].load, error);
    }
    return all;
}

static void measure_rest(Figures *figures, unsigned *nth)
{
    for (unsigned i = 0; i < GROWING; i++) {
        for (unsigned j = 0; j < LENGTHS; j++) {
            part(nth, false);
            figures->growth[i][j] = bench_growth(&load[growing[i]],
                                                 growth_requests[j]);
        }
    }
    for (unsigned i = 0; i < WIDTHS; i++) {
        part(nth, false);
        figures->width[i] = bench_rate(&wider[i].load, false);
    }
    figures->peak_off_kib = bench_peak_kib();
    for (unsigned i = 0; i < LOADS; i++) {
        part(nth, false);
        figures->on[i] = bench_rate(&load[i], true);
    }
    figures->peak_on_kib = bench_peak_kib();
}

static void measure(Figures *figures, bool quick)
{
    double wall, processor, wall_end, processor_end;
    unsigned nth = 0;

    *figures = (Figures) { 0 };
    bench_clocks(&wall, &processor);
    progress_begin();
    part(&nth, quick);
    figures->yardstick = bench_yardstick();
    for (unsigned i = 0; i < LOADS; i++) {
        part(&nth, quick);
        figures->off[i] = bench_rate(&load[i], false);
    }
    figures->peak_off_kib = bench_peak_kib();
    if (!quick) {
        measure_rest(figures, &nth);
    }
    progress_part(NULL, 0, 0);
    progress_end();
    bench_clocks(&wall_end, &processor_end);
    figures->share = (processor_end - processor) / (wall_end - wall);
}

/* --- telling ------------------------------------------------------------ */

/* 1234567 as "1,234,567"; 0 as "-". */
static const char *thousands(char *text, size_t size, double value)
{
    uint64_t n = value + 0.5;

    if (!n) {
        return "-";
    }
    if (n >= 1000000) {
        g_snprintf(text, size, "%" PRIu64 ",%03u,%03u", n / 1000000,
                   (unsigned)(n / 1000 % 1000), (unsigned)(n % 1000));
    } else {
        g_snprintf(text, size, "%u,%03u", (unsigned)(n / 1000),
                   (unsigned)(n % 1000));
    }
    return text;
}

static void print_rates(const Figures *figures, bool quick)
{
    char text[32];

    printf("raidsim bench: simulated requests per second of wall clock\n"
           "4 KiB, random; each the best of %d runs of %.1f s\n"
           "yardstick: %s events/s in a bare loop on GLib's GSequence\n\n",
           BENCH_TRIES, BENCH_SECONDS,
           thousands(text, sizeof(text), figures->yardstick));
    printf("                                 of the %s   DiskSim 4.0,\n"
           "                      data off  yardstick%s   published\n",
           quick ? "" : "            ", quick ? "" : "     data on");
    for (unsigned i = 0; i < LOADS; i++) {
        printf("  %-18s %9s", load[i].key,
               thousands(text, sizeof(text), figures->off[i]));
        printf("%11.2f", figures->yardstick
               ? figures->off[i] / figures->yardstick : 0);
        if (!quick) {
            printf(" %11s", thousands(text, sizeof(text), figures->on[i]));
        }
        printf("%s%s\n", *disksim[i] ? "   " : "", disksim[i]);
    }
}

static void print_rest(const Figures *figures)
{
    char text[32];

    printf("\n  length of the run      10^5       10^6       10^7"
           "   second half / first\n");
    for (unsigned i = 0; i < GROWING; i++) {
        printf("  %-18s", load[growing[i]].key);
        for (unsigned j = 0; j < LENGTHS; j++) {
            printf(" %10s", thousands(text, sizeof(text),
                                      figures->growth[i][j].per_s));
        }
        printf("   %.2f\n", figures->growth[i][LENGTHS - 1].second_half);
    }
    printf("\n  drives      ");
    for (unsigned i = 0; i < WIDTHS; i++) {
        printf(" %10u", wider[i].drives);
    }
    printf("\n  RAID 0 reads");
    for (unsigned i = 0; i < WIDTHS; i++) {
        printf(" %10s", thousands(text, sizeof(text), figures->width[i]));
    }
    printf("\n\npeak memory: %.1f MiB with data off, %.1f MiB with data on "
           "(%d MiB per unit kept)\n", figures->peak_off_kib / 1024.0,
           figures->peak_on_kib / 1024.0, BENCH_DATA_MIB);
}

static void put_rest(Json *json, const Figures *figures)
{
    json_object(json, "data_on");
    for (unsigned i = 0; i < LOADS; i++) {
        json_number(json, load[i].key, figures->on[i]);
    }
    json_close_object(json);
    json_object(json, "growth");
    for (unsigned i = 0; i < GROWING; i++) {
        json_object(json, load[growing[i]].key);
        for (unsigned j = 0; j < LENGTHS; j++) {
            g_autofree char *key = g_strdup_printf("%" PRIu64,
                                                   growth_requests[j]);

            json_number(json, key, figures->growth[i][j].per_s);
        }
        json_number(json, "second_half_over_first",
                    figures->growth[i][LENGTHS - 1].second_half);
        json_close_object(json);
    }
    json_close_object(json);
    json_object(json, "raid0_read_by_drives");
    for (unsigned i = 0; i < WIDTHS; i++) {
        json_number(json, wider[i].load.key, figures->width[i]);
    }
    json_close_object(json);
    json_integer(json, "peak_kib_data_on", figures->peak_on_kib);
}

static void print_json(const Figures *figures, bool quick)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    for (unsigned i = 0; i < LOADS; i++) {
        json_number(&json, load[i].key, figures->off[i]);
    }
    json_number(&json, "yardstick_events", figures->yardstick);
    json_integer(&json, "peak_kib", figures->peak_off_kib);
    if (!quick) {
        put_rest(&json, figures);
    }
    json_number(&json, "processor_share", figures->share);
    json_integer(&json, "interrupted", progress_interrupted());
    text = json_end(&json);
    fputs(text, stdout);
}

static const char more[] =
    "Random 4 KiB requests on one WD1200JB (3ware-7410) and on a RAID 5 of\n"
    "five (3ware-7810); RAID 0 of WD360GD on a 3ware-8506-12 for the number\n"
    "of drives. With data on, what is written is kept, in a region of 64 MiB.\n"
    "The figures depend on the machine and on what else it does; their ratio\n"
    "to the yardstick, a bare event loop on GLib's GSequence measured in the\n"
    "same run, depends on it less. Takes about a minute; --quick 15 s.\n";

int command_bench(int argc, char **argv)
{
    gboolean json = FALSE, quick = FALSE;
    const GOptionEntry entries[] = {
        { "quick", 0, 0, G_OPTION_ARG_NONE, &quick,
          "Only the six loads with data off", NULL },
        { "json", 0, 0, G_OPTION_ARG_NONE, &json,
          "Print JSON: requests per second by load", NULL },
        { 0 }
    };
    g_autoptr(GError) error = NULL;
    Figures figures;

    if (!command_options("bench", &argc, &argv, entries, NULL, 0, more)) {
        return COMMAND_USAGE;
    }
    if (!can(&error)) {
        return command_refuse("bench", error->message);
    }
    measure(&figures, quick);
    if (json) {
        print_json(&figures, quick);
        return 0;
    }
    print_rates(&figures, quick);
    if (!quick) {
        print_rest(&figures);
    } else {
        printf("\npeak memory: %.1f MiB\n", figures.peak_off_kib / 1024.0);
    }
    if (figures.share < 0.9) {
        printf("this machine is busy: raidsim had %.0f %% of a processor; "
               "without the others\nits figures would be higher\n",
               figures.share * 100);
    }
    if (progress_interrupted()) {
        printf("interrupted: what has no figure was not measured\n");
    }
    return 0;
}
