/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress: a line on stderr, a signal.
 */
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "raid-model/sim/progress.h"

#define FIRST_US (2 * G_USEC_PER_SEC)
#define AGAIN_US (G_USEC_PER_SEC / 5)

/* A signal handler has no other way to tell. */
static volatile sig_atomic_t interrupted;
static gint64 next_us;
static bool shown;
static struct {
    const char *what;           /* NULL: what runs is the whole */
    double from, to;
} part;

static void on_interrupt(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL);
}

void progress_part(const char *what, double from, double to)
{
    part.what = what;
    part.from = from;
    part.to = to;
}

void progress_begin(void)
{
    if (part.what) {
        return;
    }
    next_us = g_get_monotonic_time() + FIRST_US;
    signal(SIGINT, on_interrupt);
}

void progress_show(const char *what, double share_done)
{
    gint64 now = g_get_monotonic_time();

    if (now < next_us || !isatty(STDERR_FILENO)) {
        return;
    }
    if (part.what) {
        what = part.what;
        share_done = part.from + share_done * (part.to - part.from);
    }
    next_us = now + AGAIN_US;
    shown = true;
    fprintf(stderr, "\r%s: %3.0f %% \033[K", what, share_done * 100);
    fflush(stderr);
}

bool progress_interrupted(void)
{
    return interrupted;
}

void progress_end(void)
{
    if (shown && !part.what) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
        shown = false;
    }
}
