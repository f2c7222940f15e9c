/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gather - which writes that wait for a row of a RAID 5 become one.
 *
 * Nothing is held back for it: when a row write is taken up, those that
 * happen to wait for the same row are looked through.  Writes that together
 * cover the row need no reads, the parity comes from what they bring; that
 * cards do this on what is queued, having no cache, is inferred from how
 * their sequential writes depend on depth (StorageReview 2001).
 *
 * The one that is made carries out a copy of what the others bring, later
 * ones over earlier ones; they keep their places and locks until it ends.
 */
#ifndef RAID_ARRAY_GATHER_H
#define RAID_ARRAY_GATHER_H

#include "raid-model/array/stripe.h"

/*
 * `leader` may start; `bucket` has all row ops of its row, by age.  A new
 * RowOp with those it is carried out for in `carried`, ready to start; or
 * NULL when the leader goes alone.
 */
RowOp *raid_gather(RowOp *leader, const GQueue *bucket);

#endif
