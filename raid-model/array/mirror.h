/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirror - which copy answers a read.
 *
 * The copy with the fewest drive ops waiting; between equals, the one after
 * the last that was chosen, so that the same run makes the same choices.
 * Nothing here knows where an arm stands: reading from the nearer arm, and
 * long streams from both drives by turns (TwinStor), will be decided here.
 */
#ifndef RAID_ARRAY_MIRROR_H
#define RAID_ARRAY_MIRROR_H

#include <stdint.h>

/*
 * waiting[i]: drive ops under way at copy i; `usable`: mask of copies, not
 * empty; *next: the set's own memory (the copy whose turn it is), starts 0.
 */
unsigned raid_mirror_pick(unsigned *next, const unsigned *waiting,
                          unsigned copies, uint32_t usable);

#endif
