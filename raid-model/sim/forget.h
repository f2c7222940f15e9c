/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forget - a medium for long runs whose data nobody looks at: takes every
 * write, keeps nothing, and a read leaves the buffer as it is.
 */
#ifndef RAID_SIM_FORGET_H
#define RAID_SIM_FORGET_H

#include "disk-model/media/media.h"

DiskMedia *forget_media_new(uint64_t sectors);  /* disk_media_close() it */

#endif
