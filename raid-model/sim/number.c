/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number: a digit string with a unit behind it, in and out.
 */
#include <errno.h>
#include <string.h>

#include "raid-model/sim/number.h"

typedef struct Suffix {
    const char *name;
    double factor;
} Suffix;

static const Suffix byte_suffix[] = {
    { "", 1 }, { "b", 1 },
    { "k", 1024.0 }, { "kb", 1024.0 }, { "kib", 1024.0 },
    { "m", 1048576.0 }, { "mb", 1048576.0 }, { "mib", 1048576.0 },
    { "g", 1073741824.0 }, { "gb", 1073741824.0 }, { "gib", 1073741824.0 },
    { "t", 1099511627776.0 }, { "tb", 1099511627776.0 },
    { "tib", 1099511627776.0 },
    { NULL, 0 }
};

static const Suffix time_suffix[] = {
    { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 },
    { "m", 60e9 }, { "h", 3600e9 },
    { NULL, 0 }
};

bool number_error(GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_propagate_error(error, g_error_new_valist(G_OPTION_ERROR,
                                                G_OPTION_ERROR_BAD_VALUE,
                                                format, args));
    va_end(args);
    return false;
}

static bool parse(const char *text, const Suffix *suffix, double max,
                  double *value)
{
    char *end;
    double number;

    if (!g_ascii_isdigit(*text)) {
        return false;
    }
    errno = 0;
    number = g_ascii_strtod(text, &end);
    if (end != text + strspn(text, "0123456789.")) {
        return false;           /* 0x10 and 1e3 are not for people */
    }
    for (; suffix->name; suffix++) {
        if (!g_ascii_strcasecmp(end, suffix->name)) {
            *value = number * suffix->factor;
            return !errno && *value <= max;
        }
    }
    return false;
}

bool number_bytes(const char *option, const char *text, uint64_t *bytes,
                  GError **error)
{
    double value;

    /* 2^53: what a double counts exactly, and far beyond any unit. */
    if (!parse(text, byte_suffix, 9007199254740992.0, &value)) {
        return number_error(error, "%s=%s: not a size; right would be a "
                            "number with k, m, g or t behind it, as in 64k",
                            option, text);
    }
    *bytes = value;
    return true;
}

bool number_time(const char *option, const char *text, SimTime *time,
                 GError **error)
{
    double value;

    /* A year and a bit: no run is longer. */
    if (!parse(text, time_suffix, 4e16, &value)) {
        return number_error(error, "%s=%s: not a time; right would be a "
                            "number with ms, s, m or h behind it, as in 60s",
                            option, text);
    }
    *time = value;
    return true;
}

char *number_print_bytes(uint64_t bytes)
{
    static const char letter[] = "kmgt";
    int i = -1;

    while (bytes && bytes % 1024 == 0 && i < 3) {
        bytes /= 1024;
        i++;
    }
    if (i < 0) {
        return g_strdup_printf("%" G_GUINT64_FORMAT, bytes);
    }
    return g_strdup_printf("%" G_GUINT64_FORMAT "%c", bytes, letter[i]);
}
