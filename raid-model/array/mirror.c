/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirror - which copy answers a read: fewest waiting, then by turns.
 */
#include "raid-model/array/mirror.h"

#include <glib.h>

unsigned raid_mirror_pick(unsigned *next, const unsigned *waiting,
                          unsigned copies, uint32_t usable)
{
    unsigned best = copies;

    for (unsigned step = 0; step < copies; step++) {
        unsigned copy = (*next + step) % copies;

        if ((usable >> copy & 1) &&
            (best == copies || waiting[copy] < waiting[best])) {
            best = copy;
        }
    }
    g_assert(best < copies);
    *next = (best + 1) % copies;
    return best;
}
