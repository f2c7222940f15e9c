/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset file: numbers, words, seek curve, zones, in that order.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "disk-model/drive/key-source.h"
#include "disk-model/drive/preset-file.h"

#define ZONES_MAX 1000
#define POINTS_MAX 10000
#define AVERAGE_TOLERANCE 0.10

/* --- numbers ----------------------------------------------------------- */

typedef enum Stored { AS_U32, AS_U64, AS_DOUBLE, MS_AS_NS, MB_AS_BYTES } Stored;

typedef struct NumberKey {
    const char *key;
    double min, max;
    Stored stored;
    size_t offset;
} NumberKey;

#define AT(field) offsetof(DiskPreset, field)

static const NumberKey number_keys[] = {
    { "lba", 1, 281474976710655.0, AS_U64, AT(geometry.lbas) },
    { "heads", 1, DISK_HEADS_MAX, AS_U32, AT(geometry.heads) },
    { "cylinders", 1, DISK_CYLINDERS_MAX, AS_U32, AT(geometry.cylinders) },
    { "rpm", 1000, 30000, AS_DOUBLE, AT(rpm) },
    { "seek-average-ms", 0, 1000, AS_DOUBLE, AT(seek_average_ms) },
    { "write-settle-ms", 0, 100, MS_AS_NS, AT(write_settle_ns) },
    { "head-switch-ms", 0, 100, MS_AS_NS, AT(head_switch_ns) },
    { "cylinder-switch-ms", 0, 100, MS_AS_NS, AT(cylinder_switch_ns) },
    { "overhead-ms", 0, 100, MS_AS_NS, AT(overhead_ns) },
    { "spin-up-ms", 0, 60000, MS_AS_NS, AT(spin_up_ns) },
    { "link-mb-per-s", 0.1, 10000, MB_AS_BYTES, AT(link_bytes_per_s) },
    { "buffer-kib", 0, 1048576, AS_U32, AT(buffer_kib) },
};

/* May be left out. */
static const NumberKey recovery_key = {
    "error-recovery-ms", 0, 600000, MS_AS_NS, AT(error_recovery_ns),
};

static void store_number(DiskPreset *preset, const NumberKey *spec,
                         double value, uint64_t whole)
{
    char *at = (char *)preset + spec->offset;

    switch (spec->stored) {
    case AS_U32:
        *(uint32_t *)at = whole;
        break;
    case AS_U64:
        *(uint64_t *)at = whole;
        break;
    case AS_DOUBLE:
        *(double *)at = value;
        break;
    case MS_AS_NS:
        *(SimTime *)at = (SimTime)(value * 1e6 + 0.5);
        break;
    case MB_AS_BYTES:
        *(uint64_t *)at = (uint64_t)(value * 1e6 + 0.5);
        break;
    }
}

static bool read_number(const KeySource *src, DiskPreset *preset,
                        const NumberKey *spec)
{
    bool is_whole = spec->stored == AS_U32 || spec->stored == AS_U64;
    char *right = g_strdup_printf("a %s from %.15g to %.15g is right",
                                  is_whole ? "whole number" : "number",
                                  spec->min, spec->max);
    char **words = key_words(src, "drive", spec->key, right);
    uint64_t whole = 0;
    double value = 0;
    bool ok = false;

    if (words) {
        ok = g_strv_length(words) == 1 &&
             (is_whole ? key_word_to_whole(words[0], &whole)
                       : key_word_to_real(words[0], &value));
        value = is_whole ? (double)whole : value;
        ok = ok && value >= spec->min && value <= spec->max;
        if (ok) {
            store_number(preset, spec, value, whole);
        } else {
            char *text = g_strjoinv(" ", words);

            key_refuse_word(src, "drive", spec->key, text, right);
            g_free(text);
        }
    }
    g_strfreev(words);
    g_free(right);
    return ok;
}

static bool read_numbers(const KeySource *src, DiskPreset *preset)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(number_keys); i++) {
        if (!read_number(src, preset, &number_keys[i])) {
            return false;
        }
    }
    if (g_key_file_has_key(src->keys, "drive", recovery_key.key, NULL) &&
        !read_number(src, preset, &recovery_key)) {
        return false;
    }
    preset->turn_ns = (SimTime)(60e9 / preset->rpm + 0.5);
    preset->turn = sim_divisor(preset->turn_ns);
    return true;
}

/* --- words ------------------------------------------------------------- */

typedef struct TextKey {
    const char *key;
    size_t length_max, offset;
} TextKey;

static const TextKey text_keys[] = {
    { "id", 32, AT(id) },
    { "label", 40, AT(label) },
    { "firmware", 8, AT(firmware) },
};

static const char *const interfaces[] = {
    "UDMA33", "UDMA66", "UDMA100", "UDMA133", "SATA150", "SATA300", "SCSI",
    NULL
};

static bool is_printable(const char *text, size_t length_max)
{
    size_t length = strlen(text);

    for (const char *c = text; *c; c++) {
        if (!g_ascii_isprint(*c)) {
            return false;
        }
    }
    return length && length <= length_max;
}

static bool read_texts(const KeySource *src, DiskPreset *preset)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(text_keys); i++) {
        const TextKey *spec = &text_keys[i];
        char *text = g_key_file_get_value(src->keys, "drive", spec->key, NULL);

        if (!text || !is_printable(text, spec->length_max)) {
            g_free(text);
            return key_refuse(src, "drive", spec->key, "%s; 1 to %zu printable "
                              "ASCII characters are right",
                              text ? "wrong" : "missing", spec->length_max);
        }
        *(char **)((char *)preset + spec->offset) = text;
    }
    return true;
}

static bool read_choices(const KeySource *src, DiskPreset *preset)
{
    static const char right[] = "cylinder or serpentine is right";
    char *mapping = g_key_file_get_value(src->keys, "drive", "mapping", NULL);
    char *names;

    if (!g_strcmp0(mapping, "serpentine")) {
        preset->geometry.mapping = DISK_MAP_SERPENTINE;
    } else if (!g_strcmp0(mapping, "cylinder")) {
        preset->geometry.mapping = DISK_MAP_CYLINDER;
    } else {
        key_refuse_word(src, "drive", "mapping", mapping ? mapping : "", right);
        g_free(mapping);
        return false;
    }
    g_free(mapping);

    preset->interface = g_key_file_get_value(src->keys, "drive", "interface",
                                             NULL);
    if (preset->interface &&
        g_strv_contains(interfaces, preset->interface)) {
        return true;
    }
    names = g_strjoinv(", ", (char **)interfaces);
    key_refuse(src, "drive", "interface", "%s; one of %s is right",
               preset->interface ? "unknown" : "missing", names);
    g_free(names);
    return false;
}

/* --- the seek curve ---------------------------------------------------- */

static const char seek_right[] =
    "data-sheet MIN AVERAGE FULL, lee A B C, two-part A B C E KNEE, or "
    "table is right";

static const struct {
    const char *form;
    unsigned numbers;
} seek_forms[] = {
    { "data-sheet", 3 }, { "lee", 3 }, { "two-part", 5 }, { "table", 0 },
};

/* [seek] DISTANCE = MS lines, in rising order. */
static bool read_points(const KeySource *src, DiskSeekCurve *curve,
                        uint32_t cylinders)
{
    static const char right[] =
        "lines DISTANCE=MS with rising distances in cylinders are right";
    gsize count = 0;
    char **keys = g_key_file_get_keys(src->keys, "seek", &count, NULL);
    uint64_t last = 0;
    bool ok = true;

    curve->distance = g_new0(uint32_t, MAX(count, 1));
    curve->ms = g_new0(double, MAX(count, 1));
    if (!count || count > POINTS_MAX) {
        ok = key_refuse(src, "seek", NULL, "%s points; %s",
                        count ? "too many" : "no", right);
    }
    for (gsize i = 0; ok && i < count; i++) {
        char *text = g_key_file_get_value(src->keys, "seek", keys[i], NULL);
        uint64_t distance;

        if (!key_word_to_whole(keys[i], &distance) || distance <= last ||
            distance >= cylinders || !key_word_to_real(text, &curve->ms[i]) ||
            curve->ms[i] <= 0) {
            ok = key_refuse_word(src, "seek", keys[i], text, right);
        } else {
            curve->distance[i] = last = distance;
            curve->points = i + 1;
        }
        g_free(text);
    }
    g_strfreev(keys);
    return ok;
}

static void use_coefficients(DiskSeekCurve *curve, unsigned form,
                             const double *n, uint32_t cylinders)
{
    switch (form) {
    case 0:
        disk_seek_from_sheet(curve, n[0], n[1], n[2], cylinders);
        break;
    case 1:
        *curve = (DiskSeekCurve) { .form = DISK_SEEK_LEE,
            .a = n[0], .b = n[1], .c = n[2] };
        break;
    case 2:
        *curve = (DiskSeekCurve) { .form = DISK_SEEK_TWO_PART,
            .a = n[0], .b = n[1], .c = n[2], .e = n[3],
            .knee_cylinders = CLAMP(n[4], 1, DISK_CYLINDERS_MAX) };
        break;
    default:
        curve->form = DISK_SEEK_TABLE;
        break;
    }
}

static bool read_seek_form(const KeySource *src, DiskSeekCurve *curve,
                           uint32_t cylinders)
{
    char **words = key_words(src, "drive", "seek", seek_right);
    bool ok = false;

    if (!words) {
        return false;
    }
    for (unsigned f = 0; words[0] && f < G_N_ELEMENTS(seek_forms); f++) {
        double number[5];

        if (strcmp(words[0], seek_forms[f].form) ||
            g_strv_length(words) != 1 + seek_forms[f].numbers) {
            continue;
        }
        ok = true;
        for (unsigned i = 0; i < seek_forms[f].numbers; i++) {
            ok = ok && key_word_to_real(words[1 + i], &number[i]);
        }
        if (ok) {
            use_coefficients(curve, f, number, cylinders);
        }
    }
    if (!ok) {
        char *text = g_strjoinv(" ", words);

        key_refuse_word(src, "drive", "seek", text, seek_right);
        g_free(text);
    }
    g_strfreev(words);
    return ok;
}

static bool read_seek(const KeySource *src, DiskPreset *preset)
{
    DiskSeekCurve *curve = &preset->seek;
    uint32_t cylinders = preset->geometry.cylinders;
    bool listed = g_key_file_has_group(src->keys, "seek");
    const char *why;
    double average;

    if (!read_seek_form(src, curve, cylinders)) {
        return false;
    }
    if (curve->form == DISK_SEEK_LEE && listed) {
        return key_refuse(src, "seek", NULL, "this seek form has no points");
    }
    if ((curve->form == DISK_SEEK_TABLE || listed) &&
        !read_points(src, curve, cylinders)) {
        return false;
    }
    preset->seek_ns = g_new0(uint32_t, cylinders);
    if (!disk_seek_tabulate(curve, cylinders, preset->seek_ns, &why)) {
        return key_refuse(src, "drive", "seek", "%s; a curve that rises with "
                          "distance is right", why);
    }
    average = disk_seek_average_ms(preset->seek_ns, cylinders);
    if (fabs(average - preset->seek_average_ms) >
        AVERAGE_TOLERANCE * preset->seek_average_ms) {
        return key_refuse(src, "drive", "seek-average-ms", "%g is not what the "
                          "seek curve gives; about %.2f is right",
                          preset->seek_average_ms, average);
    }
    return true;
}

/* --- zones ------------------------------------------------------------- */

static const char zone_right[] =
    "FIRST-CYLINDER LAST-CYLINDER SECTORS-PER-TRACK TRACK-SKEW "
    "CYLINDER-SKEW SPARE-SECTORS is right";

static bool read_zone(const KeySource *src, DiskZone *zone, const char *key)
{
    char **words = key_words(src, "zones", key, zone_right);
    uint64_t n[6] = { 0 };
    bool ok = words && g_strv_length(words) == 6;

    for (unsigned i = 0; ok && i < 6; i++) {
        ok = key_word_to_whole(words[i], &n[i]) &&
             (i == 5 || n[i] <= INT32_MAX);
    }
    if (ok) {
        *zone = (DiskZone) {
            .first_cylinder = n[0], .last_cylinder = n[1],
            .sectors_per_track = n[2], .track_skew_sectors = n[3],
            .cylinder_skew_sectors = n[4], .spare_sectors = n[5],
        };
    } else if (words) {
        char *text = g_strjoinv(" ", words);

        key_refuse_word(src, "zones", key, text, zone_right);
        g_free(text);
    }
    g_strfreev(words);
    return ok;
}

static bool read_zones(const KeySource *src, DiskPreset *preset)
{
    DiskGeometry *geometry = &preset->geometry;
    gsize count = 0;
    char **keys = g_key_file_get_keys(src->keys, "zones", &count, NULL);
    const char *why;
    int where;
    bool ok = true;

    if (!count || count > ZONES_MAX) {
        g_strfreev(keys);
        return key_refuse(src, "zones", NULL, "%s; lines N=%s",
                          count ? "too many" : "missing", zone_right);
    }
    geometry->zones = geometry->zones_read = count;
    geometry->zone = g_new0(DiskZone, count);
    for (gsize i = 0; ok && i < count; i++) {
        char *number = g_strdup_printf("%zu", (size_t)i);

        ok = !strcmp(keys[i], number)
            ? read_zone(src, &geometry->zone[i], number)
            : key_refuse(src, "zones", keys[i], "out of place; zones numbered "
                         "0, 1, 2... in order are right");
        g_free(number);
    }
    g_strfreev(keys);
    ok = ok && preset_read_spares(src, geometry);
    if (ok && !disk_geometry_finish(geometry, &why, &where)) {
        char *zone = g_strdup_printf("%d", where);

        ok = where < 0
            ? key_refuse(src, "drive", "lba", "%" G_GUINT64_FORMAT " is %s; "
                         "at most %" G_GUINT64_FORMAT " is right",
                         (guint64)geometry->lbas, why,
                         (guint64)disk_geometry_room(geometry))
            : key_refuse(src, "zones", zone, "%s", why);
        g_free(zone);
    }
    return ok;
}

/* --- the file ---------------------------------------------------------- */

static bool is_drive_key(const char *key)
{
    static const char *const others[] = {
        "mapping", "interface", "seek", NULL
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(number_keys); i++) {
        if (!strcmp(key, number_keys[i].key)) {
            return true;
        }
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(text_keys); i++) {
        if (!strcmp(key, text_keys[i].key)) {
            return true;
        }
    }
    return g_strv_contains(others, key);
}

static bool knows_every_key(const KeySource *src)
{
    static const char *const groups[] = {
        "drive", "zones", "seek", "buffer", "spares", NULL
    };
    char **found = g_key_file_get_groups(src->keys, NULL);
    char **keys = NULL;
    bool ok = true;

    for (char **group = found; ok && *group; group++) {
        if (!g_strv_contains(groups, *group)) {
            ok = key_refuse(src, *group, NULL, "unknown group; [drive], "
                            "[zones] and [seek] are right, [buffer] and "
                            "[spares] may be there");
        }
    }
    if (ok && !g_key_file_has_group(src->keys, "drive")) {
        ok = key_refuse(src, "drive", NULL, "missing; a group of this name is "
                        "right");
    }
    keys = ok ? g_key_file_get_keys(src->keys, "drive", NULL, NULL) : NULL;
    for (char **key = keys; ok && key && *key; key++) {
        if (!is_drive_key(*key)) {
            ok = key_refuse(src, "drive", *key, "unknown key; see the format "
                            "in presets/README.md");
        }
    }
    g_strfreev(keys);
    g_strfreev(found);
    return ok;
}

bool preset_file_read(const char *path, DiskPreset *preset, GError **error)
{
    KeySource src = { path, g_key_file_new(), error };
    bool ok = key_source_load(&src) && knows_every_key(&src) &&
              read_texts(&src, preset) && read_numbers(&src, preset) &&
              read_choices(&src, preset) && read_zones(&src, preset) &&
              read_seek(&src, preset) && preset_read_buffer(&src, preset);

    g_key_file_free(src.keys);
    return ok;
}
