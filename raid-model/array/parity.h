/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parity - XOR of sector buffers through ISA-L.
 *
 * ISA-L wants 32-byte aligned vectors and at least three of them; buffers
 * that a host lends need not be aligned, so those are done by a plain loop.
 * Both give the same bytes.  P+Q comes with RAID 6.
 */
#ifndef RAID_ARRAY_PARITY_H
#define RAID_ARRAY_PARITY_H

#include <stdbool.h>
#include <stddef.h>

#define RAID_PARITY_SOURCES_MAX 64

/*
 * dst = XOR of all sources (1..RAID_PARITY_SOURCES_MAX).  dst does not
 * overlap a source.  A missing slot of a row is made from the others the
 * same way.
 */
void raid_parity_make(void *dst, void *const *source, unsigned sources,
                      size_t bytes);

/* Is the XOR of all vectors zero, as it is for a row with its parity? */
bool raid_parity_holds(void *const *vector, unsigned vectors, size_t bytes);

#endif
