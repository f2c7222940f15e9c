/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key source: careful reading, short complaining.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "disk-model/drive/key-source.h"

#define FILE_BYTES_MAX (1 << 20)

/* Whatever was quoted from a file, it stays on the line. */
static void one_line(char *text)
{
    for (; *text; text++) {
        if (g_ascii_iscntrl(*text)) {
            *text = '?';
        }
    }
}

bool key_refuse(const KeySource *src, const char *group, const char *key,
                const char *format, ...)
{
    va_list args;
    char *what, *line;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    line = group ? g_strdup_printf("%s: [%s]%s%s: %s", src->path, group,
                                   key ? " " : "", key ? key : "", what)
                 : g_strdup_printf("%s: %s", src->path, what);
    one_line(line);
    g_set_error_literal(src->error, G_KEY_FILE_ERROR,
                        G_KEY_FILE_ERROR_INVALID_VALUE, line);
    g_free(line);
    g_free(what);
    return false;
}

bool key_word_to_whole(const char *word, uint64_t *value)
{
    char *end;

    if (!g_ascii_isdigit(*word)) {
        return false;
    }
    errno = 0;
    *value = g_ascii_strtoull(word, &end, 10);
    return !*end && !errno;
}

bool key_word_to_real(const char *word, double *value)
{
    char *end;

    if (!*word || strspn(word, "0123456789.+-eE") != strlen(word)) {
        return false;           /* strtod knows more: 0x1p3, inf, nan */
    }
    *value = g_ascii_strtod(word, &end);
    return !*end && isfinite(*value);
}

char **key_words(const KeySource *src, const char *group, const char *key,
                 const char *right)
{
    char *text = g_key_file_get_value(src->keys, group, key, NULL);
    char **words, **from, **to;

    if (!text) {
        key_refuse(src, group, key, "missing; %s", right);
        return NULL;
    }
    words = to = g_strsplit_set(text, " \t,;", -1);
    for (from = words; *from; from++) {         /* drop empty words */
        if (**from) {
            *to++ = *from;
        } else {
            g_free(*from);
        }
    }
    *to = NULL;
    g_free(text);
    return words;
}

char *key_word_quoted(const char *word)
{
    char *escaped = g_strescape(word, NULL);
    char *result = g_strdup_printf("'%.60s'", escaped);

    g_free(escaped);
    return result;
}

bool key_refuse_word(const KeySource *src, const char *group,
                     const char *key, const char *word, const char *right)
{
    char *text = key_word_quoted(word);

    key_refuse(src, group, key, "%s is wrong; %s", text, right);
    g_free(text);
    return false;
}

bool key_source_load(KeySource *src)
{
    char *text = NULL;
    gsize length = 0;
    GError *why = NULL;
    bool ok;

    /* Not a device, which might never end. */
    if (g_file_test(src->path, G_FILE_TEST_EXISTS) &&
        !g_file_test(src->path, G_FILE_TEST_IS_REGULAR)) {
        return key_refuse(src, NULL, NULL, "not a file");
    }
    ok = g_file_get_contents(src->path, &text, &length, &why);
    if (!ok) {
        key_refuse(src, NULL, NULL, "%s", why->code == G_FILE_ERROR_NOENT
                   ? "no such drive preset file" : why->message);
    } else if (length > FILE_BYTES_MAX) {
        ok = key_refuse(src, NULL, NULL, "too long for a drive preset");
    } else if (!g_key_file_load_from_data(src->keys, text, length,
                                          G_KEY_FILE_NONE, &why)) {
        ok = key_refuse(src, NULL, NULL, "not a key file: %.200s",
                        why->message);
    }
    g_clear_error(&why);
    g_free(text);
    return ok;
}
