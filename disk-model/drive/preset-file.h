/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset file - one key file in, a preset or one clear line out.  For
 * preset.c alone; the format is described in presets/README.md.
 */
#ifndef DISK_DRIVE_PRESET_FILE_H
#define DISK_DRIVE_PRESET_FILE_H

#include "disk-model/drive/key-source.h"
#include "disk-model/drive/preset.h"

/* `preset` comes zeroed; false leaves it half filled, to be freed. */
bool preset_file_read(const char *path, DiskPreset *preset, GError **error);

/* The groups that need not be there; parts of the above. */
bool preset_read_buffer(const KeySource *src, DiskPreset *preset);
bool preset_read_spares(const KeySource *src, DiskGeometry *geometry);

#endif
