/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aftermath - the power goes under a rig, and what is left is looked at.
 *
 * What was acknowledged and is safe (written through, forced, or flushed
 * since) is there.  Of the rest each sector is as one of its writes had it or
 * as it was before; the lost are named.  Where theory says so, and only there:
 *
 *   RAID 5, a member missing   what is known from redundancy only, in columns
 *                              with a write not yet safe, may be anything:
 *                              the write hole
 *   a drive that was writing   one sector, of a write not yet safe, is torn
 *
 * Then the card comes up on the same drives, forms the unit, redundancy is
 * made to agree again where all members are there, and all is read.
 */
#ifndef TESTS_WORLD_AFTERMATH_H
#define TESTS_WORLD_AFTERMATH_H

#include "tests/world/story.h"

/* Now.  What is wrong is the work's. */
void aftermath(Work *work, StoryCount *count);

#endif
