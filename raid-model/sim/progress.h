/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress - the person in front of the terminal: a line for what takes
 * longer than two seconds, and Ctrl-C.
 *
 * With bench.c the one room of the models that looks at a wall clock.
 * Nothing it says reaches a model: it only tells the runner to stop asking
 * for more.
 */
#ifndef RAID_SIM_PROGRESS_H
#define RAID_SIM_PROGRESS_H

#include <stdbool.h>

/* Starts the clock; the first Ctrl-C from here on asks, the second kills. */
void progress_begin(void);
/* Call often; prints to a terminal's stderr, a few times a second. */
void progress_show(const char *what, double share_done);
bool progress_interrupted(void);
/* Wipes the line. */
void progress_end(void);
/*
 * Between progress_begin() and progress_end() of something longer: what
 * begins, shows and ends from here on is a part of it, between two of its
 * shares.  NULL: that was the last part.
 */
void progress_part(const char *what, double from, double to);

#endif
