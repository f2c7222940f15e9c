/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset: the shelf of drives that ship, and where a name leads.
 */
#include <string.h>

#include "disk-model/drive/key-source.h"
#include "disk-model/drive/preset-file.h"

static char *preset_directory(void)
{
    const char *set = g_getenv("PLATTER_PRESETS");
    char *program, *bin, *directory;

    if (set && *set) {
        return g_strdup(set);
    }
    program = g_file_read_link("/proc/self/exe", NULL);
    bin = g_path_get_dirname(program ? program : ".");
    directory = g_build_filename(bin, "..", "share", "platter", "presets",
                                 NULL);
    g_free(program);
    g_free(bin);
    return directory;
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **disk_preset_list(void)
{
    GPtrArray *ids = g_ptr_array_new();
    char *directory = preset_directory();
    GDir *dir = g_dir_open(directory, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        if (g_str_has_suffix(name, ".drive")) {
            g_ptr_array_add(ids, g_strndup(name, strlen(name) -
                                                 strlen(".drive")));
        }
    }
    if (dir) {
        g_dir_close(dir);
    }
    g_free(directory);
    g_ptr_array_sort(ids, by_name);
    g_ptr_array_add(ids, NULL);
    return (char **)g_ptr_array_free(ids, FALSE);
}

static void refuse_name(const char *name, const char *directory,
                        GError **error)
{
    char **ids = disk_preset_list();
    char *known = g_strjoinv(", ", ids);
    char *text = key_word_quoted(name);

    g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_NOT_FOUND,
                *known ? "no drive preset %s; there are %s (in %s)"
                       : "no drive preset %s%s: nothing found in %s",
                text, known, directory);
    g_free(text);
    g_free(known);
    g_strfreev(ids);
}

char *disk_preset_path(const char *name, GError **error)
{
    char *directory, *path, *file;

    if (strchr(name, '/') || g_str_has_suffix(name, ".drive")) {
        return g_strdup(name);
    }
    directory = preset_directory();
    file = g_strconcat(name, ".drive", NULL);
    path = g_build_filename(directory, file, NULL);
    if (!*name || !g_file_test(path, G_FILE_TEST_EXISTS)) {
        refuse_name(name, directory, error);
        g_free(path);
        path = NULL;
    }
    g_free(file);
    g_free(directory);
    return path;
}

DiskPreset *disk_preset_load(const char *name, GError **error)
{
    char *path = disk_preset_path(name, error);
    DiskPreset *preset = g_new0(DiskPreset, 1);

    if (!path || !preset_file_read(path, preset, error)) {
        disk_preset_free(preset);
        preset = NULL;
    }
    g_free(path);
    return preset;
}

void disk_preset_free(DiskPreset *preset)
{
    if (!preset) {
        return;
    }
    g_free(preset->id);
    g_free(preset->label);
    g_free(preset->firmware);
    g_free(preset->interface);
    for (unsigned i = 0; i < preset->geometry.zones_read; i++) {
        g_free(preset->geometry.zone[i].slip);
    }
    g_free(preset->geometry.zone);
    g_free(preset->seek.distance);
    g_free(preset->seek.ms);
    g_free(preset->seek_ns);
    g_free(preset);
}
