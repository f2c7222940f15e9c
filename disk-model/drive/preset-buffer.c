/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset file, the groups only some drives have: [buffer], what the drive
 * does with its RAM and what its commands cost, and [spares], where the
 * sectors are that bear no LBA.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "disk-model/drive/key-source.h"
#include "disk-model/drive/preset-file.h"

#define SECTORS_MAX 1048576.0
#define SLIPS_MAX 10000

typedef enum Kind { COUNT, FLAG, MS, COST, SHARE, AHEAD, ORDER } Kind;

typedef struct BufferKey {
    const char *key;
    Kind kind;
    double min, max;
    size_t offset;
} BufferKey;

#define AT(field) offsetof(DiskPreset, field)
#define BUFFER(field) offsetof(DiskPreset, buffer.field)

static const BufferKey buffer_keys[] = {
    { "segments", COUNT, 1, DISK_SEGMENTS_MAX, BUFFER(segments) },
    { "segment-sectors", COUNT, 1, SECTORS_MAX, BUFFER(segment_sectors) },
    { "write-segment", FLAG, 0, 0, BUFFER(write_segment) },
    { "read-ahead", AHEAD, 0, 0, BUFFER(ahead) },
    { "read-ahead-sectors", COUNT, 0, SECTORS_MAX, BUFFER(ahead_sectors) },
    { "read-ahead-least-sectors", COUNT, 0, SECTORS_MAX,
      BUFFER(ahead_least) },
    { "read-ahead-from-start", FLAG, 0, 0, BUFFER(ahead_from_start) },
    { "read-ahead-on-hit", FLAG, 0, 0, BUFFER(ahead_on_hit) },
    { "releases-read", FLAG, 0, 0, BUFFER(releases_read) },
    { "reads-written", FLAG, 0, 0, BUFFER(reads_written) },
    { "zero-latency", FLAG, 0, 0, AT(zero_latency) },
    { "write-cache", FLAG, 0, 0, BUFFER(write_cache) },
    { "write-depth", COUNT, 1, 256, BUFFER(write_depth) },
    { "destage", ORDER, 0, 0, BUFFER(destage) },
    { "destage-idle-ms", MS, 0, 1000, BUFFER(destage_idle_ns) },
    { "order", ORDER, 0, 0, BUFFER(order) },
    { "depth", COUNT, 1, 256, BUFFER(depth) },
    { "settle-ms", MS, 0, 100, AT(settle_ns) },
    { "write-settle-ms", MS, -5, 100, AT(write_settle_ns) },
    { "seek-delay-ms", MS, 0, 100, BUFFER(seek_delay_ns) },
    { "bus-read-ms", MS, 0, 10, BUFFER(bus_read_ns) },
    { "bus-write-ms", MS, 0, 10, BUFFER(bus_write_ns) },
    { "read-watermark", SHARE, 0, 1, BUFFER(read_watermark) },
    { "write-fill", COUNT, 0, SECTORS_MAX, BUFFER(write_fill) },
    { "read-hit-ms", COST, 0, 100, BUFFER(read_hit) },
    { "read-miss-ms", COST, 0, 100, BUFFER(read_miss) },
    { "write-hit-ms", COST, 0, 100, BUFFER(write_hit) },
    { "write-miss-ms", COST, 0, 100, BUFFER(write_miss) },
    { "write-data-ms", MS, 0, 100, BUFFER(write_data_ns) },
    { "reconnect-ms", MS, 0, 100, BUFFER(reconnect_ns) },
    { "read-end-ms", MS, 0, 100, BUFFER(read_end_ns) },
    { "write-end-ms", MS, 0, 100, BUFFER(write_end_ns) },
};

static const char *const ahead_words[] = {
    [DISK_AHEAD_NONE] = "none", [DISK_AHEAD_TRACK] = "track",
    [DISK_AHEAD_CYLINDER] = "cylinder", [DISK_AHEAD_SEGMENT] = "segment",
    [DISK_AHEAD_STREAM] = "stream",
    [DISK_AHEAD_WHOLE_TRACK] = "whole-track", NULL
};

static const char *const order_words[] = {
    [DISK_ORDER_FIFO] = "fifo", [DISK_ORDER_CLOOK] = "c-look",
    [DISK_ORDER_NEAREST] = "nearest", [DISK_ORDER_CYLINDER] = "cylinder", NULL
};

static const char *const flag_words[] = { "no", "yes", NULL };

static bool word_number(const char *const *list, const char *word,
                        unsigned *number)
{
    for (unsigned i = 0; list[i]; i++) {
        if (!strcmp(list[i], word)) {
            *number = i;
            return true;
        }
    }
    return false;
}

static char *what_is_right(const BufferKey *spec)
{
    const char *const *list = spec->kind == FLAG ? flag_words
        : spec->kind == AHEAD ? ahead_words : order_words;
    char *words, *right;

    switch (spec->kind) {
    case COUNT:
        return g_strdup_printf("a whole number from %.15g to %.15g is right",
                               spec->min, spec->max);
    case COST:
        return g_strdup_printf("two numbers from %g to %g are right: after "
                               "a read, after a write", spec->min, spec->max);
    case MS:
    case SHARE:
        return g_strdup_printf("a number from %g to %g is right", spec->min,
                               spec->max);
    default:
        words = g_strjoinv(", ", (char **)list);
        right = g_strdup_printf("one of %s is right", words);
        g_free(words);
        return right;
    }
}

static bool word_real(const BufferKey *spec, const char *word, double *value)
{
    return key_word_to_real(word, value) && *value >= spec->min &&
           *value <= spec->max;
}

static SimTime ns_of(double ms)
{
    return (SimTime)floor(ms * 1e6 + 0.5);
}

static bool store(DiskPreset *preset, const BufferKey *spec, char **words)
{
    char *at = (char *)preset + spec->offset;
    unsigned given = g_strv_length(words), number;
    double value[2];
    uint64_t whole;

    if (given != (spec->kind == COST ? 2 : 1)) {
        return false;
    }
    switch (spec->kind) {
    case COUNT:
        if (!key_word_to_whole(words[0], &whole) || whole < spec->min ||
            whole > spec->max) {
            return false;
        }
        *(uint32_t *)at = whole;
        return true;
    case FLAG:
        if (!word_number(flag_words, words[0], &number)) {
            return false;
        }
        *(bool *)at = number;
        return true;
    case AHEAD:
        if (!word_number(ahead_words, words[0], &number)) {
            return false;
        }
        *(DiskReadAhead *)at = number;
        return true;
    case ORDER:
        if (!word_number(order_words, words[0], &number)) {
            return false;
        }
        *(DiskOrder *)at = number;
        return true;
    case SHARE:
        return word_real(spec, words[0], (double *)at);
    case MS:
        if (!word_real(spec, words[0], &value[0])) {
            return false;
        }
        *(SimTime *)at = ns_of(value[0]);
        return true;
    case COST:
        for (unsigned i = 0; i < 2; i++) {
            if (!word_real(spec, words[i], &value[i])) {
                return false;
            }
            ((DiskCost *)at)->after_ns[i] = ns_of(value[i]);
        }
        return true;
    }
    return false;
}

static const BufferKey *find_key(const char *key)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(buffer_keys); i++) {
        if (!strcmp(buffer_keys[i].key, key)) {
            return &buffer_keys[i];
        }
    }
    return NULL;
}

static bool read_buffer_key(const KeySource *src, DiskPreset *preset,
                            const char *key)
{
    const BufferKey *spec = find_key(key);
    char *right, **words;
    bool ok;

    if (!spec) {
        return key_refuse(src, "buffer", key, "unknown key; see the format "
                          "in presets/README.md");
    }
    right = what_is_right(spec);
    words = key_words(src, "buffer", key, right);
    ok = words && store(preset, spec, words);
    if (words && !ok) {
        char *text = g_strjoinv(" ", words);

        key_refuse_word(src, "buffer", key, text, right);
        g_free(text);
    }
    g_strfreev(words);
    g_free(right);
    return ok;
}

bool preset_read_buffer(const KeySource *src, DiskPreset *preset)
{
    DiskBufferPlan *plan = &preset->buffer;
    char **keys = g_key_file_get_keys(src->keys, "buffer", NULL, NULL);
    bool ok = true;

    if (!keys) {
        return true;
    }
    plan->there = true;
    plan->write_depth = plan->depth = 1;
    for (char **key = keys; ok && *key; key++) {
        ok = read_buffer_key(src, preset, *key);
    }
    g_strfreev(keys);
    if (ok && (!plan->segments || !plan->segment_sectors)) {
        return key_refuse(src, "buffer", "segments", "missing; a buffer has "
                          "segments and segment-sectors");
    }
    if (ok && plan->write_segment && plan->segments < 2) {
        return key_refuse(src, "buffer", "write-segment", "leaves none for "
                          "reads; 2 segments or more are right");
    }
    return ok;
}

/* --- spares ------------------------------------------------------------ */

static const char scheme_right[] = "zone, track or cylinders N is right";

static bool read_scheme(const KeySource *src, DiskGeometry *geometry)
{
    char **words = key_words(src, "spares", "scheme", scheme_right);
    unsigned given = words ? g_strv_length(words) : 0;
    uint64_t cylinders = 0;
    bool ok = false;

    if (given == 1 && !strcmp(words[0], "zone")) {
        geometry->sparing = DISK_SPARE_ZONE;
        ok = true;
    } else if (given == 1 && !strcmp(words[0], "track")) {
        geometry->sparing = DISK_SPARE_TRACK;
        ok = true;
    } else if (given == 2 && !strcmp(words[0], "cylinders") &&
               key_word_to_whole(words[1], &cylinders) && cylinders &&
               cylinders <= DISK_CYLINDERS_MAX) {
        geometry->sparing = DISK_SPARE_CYLINDERS;
        geometry->spare_cylinders = cylinders;
        ok = true;
    }
    if (words && !ok) {
        char *text = g_strjoinv(" ", words);

        key_refuse_word(src, "spares", "scheme", text, scheme_right);
        g_free(text);
    }
    g_strfreev(words);
    return ok;
}

static bool read_slip_unit(const KeySource *src, DiskGeometry *geometry)
{
    static const char *const units[] = { "sector", "track", NULL };
    char *text = g_key_file_get_value(src->keys, "spares", "slip-unit", NULL);
    unsigned number = 0;
    bool ok = text && word_number(units, text, &number);

    geometry->slips_are_tracks = number;
    if (!ok) {
        key_refuse_word(src, "spares", "slip-unit", text ? text : "",
                        "sector or track is right");
    }
    g_free(text);
    return ok;
}

/* N = FRONT OFFSET SLIP... */
static bool read_zone_spares(const KeySource *src, DiskGeometry *geometry,
                             const char *key)
{
    static const char right[] = "FRONT-SECTORS FIRST-OFFSET SLIP... for a "
                                "zone there is, slips rising, is right";
    char **words = key_words(src, "spares", key, right);
    unsigned given = words ? g_strv_length(words) : 0;
    uint64_t index = 0, number = 0;
    DiskZone *zone;
    bool ok = key_word_to_whole(key, &index) && index < geometry->zones &&
              given >= 2 && given <= SLIPS_MAX;

    zone = ok ? &geometry->zone[index] : NULL;
    ok = ok && key_word_to_whole(words[0], &zone->front_sectors) &&
         key_word_to_whole(words[1], &number) &&
         number < zone->sectors_per_track;
    if (ok) {
        zone->first_angle = (number << 32) / zone->sectors_per_track;
        g_free(zone->slip);
        zone->slip = g_new0(uint64_t, given - 1);
        zone->slips = given - 2;
    }
    for (unsigned i = 2; ok && i < given; i++) {
        ok = key_word_to_whole(words[i], &zone->slip[i - 2]);
    }
    if (words && !ok) {
        key_refuse_word(src, "spares", key, words[0] ? words[0] : "", right);
    }
    g_strfreev(words);
    return ok;
}

bool preset_read_spares(const KeySource *src, DiskGeometry *geometry)
{
    char **keys = g_key_file_get_keys(src->keys, "spares", NULL, NULL);
    bool ok = true;

    if (!keys) {
        return true;
    }
    geometry->as_measured = true;
    ok = read_scheme(src, geometry) && read_slip_unit(src, geometry);
    for (char **key = keys; ok && *key; key++) {
        if (strcmp(*key, "scheme") && strcmp(*key, "slip-unit")) {
            ok = read_zone_spares(src, geometry, *key);
        }
    }
    g_strfreev(keys);
    return ok;
}
