/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drive keys: line by line.
 */
#include <stdbool.h>
#include <string.h>

#include "raid-model/sim/drive-keys.h"

static const char *const kinds[] = {
    "measured", "data sheet", "fitted", "recalled", "assumed", "computed"
};

static const char *kind_of(const char *comment)
{
    const char *first = NULL, *kind = "";

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const char *at = strstr(comment, kinds[i]);

        if (at && (!first || at < first)) {
            first = at;
            kind = kinds[i];
        }
    }
    return kind;
}

static void clear(void *data)
{
    DriveKey *key = data;

    g_free(key->group);
    g_free(key->key);
    g_free(key->value);
    g_free(key->comment);
}

/* Numbered lines become one: "0..15". */
static bool goes_on(GArray *keys, const char *group, const char *name)
{
    DriveKey *last = keys->len
        ? &g_array_index(keys, DriveKey, keys->len - 1) : NULL;
    char *range;

    if (!last || !g_ascii_isdigit(*name) || !g_ascii_isdigit(*last->key) ||
        strcmp(last->group, group)) {
        return false;
    }
    last->lines++;
    last->key[strcspn(last->key, ".")] = '\0';
    g_free(last->value);
    last->value = g_strdup_printf("%u lines", last->lines);
    range = g_strconcat(last->key, "..", name, NULL);
    g_free(last->key);
    last->key = range;
    return true;
}

static void take(GArray *keys, const char *group, char *line,
                 const char *comment)
{
    char *value = strchr(line, '=');
    DriveKey key;

    if (!value) {
        return;
    }
    *value++ = '\0';
    g_strstrip(line);
    if (goes_on(keys, group, line)) {
        return;
    }
    key = (DriveKey) {
        .group = g_strdup(group), .key = g_strdup(line),
        .value = g_strdup(g_strstrip(value)), .comment = g_strdup(comment),
        .kind = kind_of(comment), .lines = 1,
    };
    g_array_append_val(keys, key);
}

GArray *drive_keys_read(const char *path, GError **error)
{
    g_autoptr(GString) comment = g_string_new(NULL);
    g_autofree char *text = NULL, *group = g_strdup("");
    g_auto(GStrv) lines = NULL;
    bool open = false;          /* the comment is still being read */
    GArray *keys;

    if (!g_file_get_contents(path, &text, NULL, error)) {
        return NULL;
    }
    keys = g_array_new(FALSE, TRUE, sizeof(DriveKey));
    g_array_set_clear_func(keys, clear);
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_strstrip(*line);
        if (**line == '#') {
            if (!open) {
                g_string_truncate(comment, 0);
            }
            g_string_append_printf(comment, "%s%s", open ? " " : "",
                                   g_strstrip(*line + 1));
            open = true;
            continue;
        }
        open = false;
        if (!**line || **line == '[') {
            g_string_truncate(comment, 0);
        }
        if (**line == '[') {
            g_free(group);
            group = g_strndup(*line + 1, strcspn(*line + 1, "]"));
        } else {
            take(keys, group, *line, comment->str);
        }
    }
    return keys;
}

void drive_keys_free(GArray *keys)
{
    g_array_unref(keys);
}
