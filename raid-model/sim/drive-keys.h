/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drive keys - a preset file read for people: each key with the comment that
 * says where its number comes from.
 *
 * A comment holds for the keys below it, up to the next comment, an empty
 * line or a group.  Its kind is the first of the words of presets/README.md
 * in it.
 */
#ifndef RAID_SIM_DRIVE_KEYS_H
#define RAID_SIM_DRIVE_KEYS_H

#include <glib.h>

typedef struct DriveKey {
    char *group, *key, *value;  /* numbered lines of a group: "0..15" and
                                 * "16 lines" */
    char *comment;              /* one line; "" without one */
    const char *kind;           /* "measured"; "" without one */
    unsigned lines;
} DriveKey;

/* Of a file that disk_preset_load() has taken; free with
 * drive_keys_free().  NULL and one line if it cannot be read. */
GArray *drive_keys_read(const char *path, GError **error);
void drive_keys_free(GArray *keys);

#endif
