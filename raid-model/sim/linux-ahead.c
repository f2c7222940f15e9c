/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux ahead: arithmetic on windows.
 */
#include <glib.h>
#include <stdbool.h>

#include "raid-model/sim/linux-ahead.h"

/* One more window, as far as the file goes. */
static void open_window(LinuxAhead *ahead, LinuxFetch *fetch, uint64_t blocks,
                        uint64_t file_end)
{
    ahead->window = blocks;
    ahead->entered = ahead->end;
    blocks = MIN(blocks, file_end - ahead->end);
    ahead->end += blocks;
    fetch->blocks += blocks;
}

LinuxFetch linux_ahead(LinuxAhead *ahead, uint64_t at, uint64_t call_end,
                       uint64_t file, uint64_t file_end, uint64_t blocks_max)
{
    bool goes_on = ahead->window && at == ahead->next;
    LinuxFetch fetch = { .first = at };

    ahead->next = at + 1;
    if (goes_on && at != ahead->entered) {
        return fetch;
    }
    if (!blocks_max || (!goes_on && (ahead->window || at != file))) {
        ahead->end = at;
        open_window(ahead, &fetch, call_end - at, file_end);
        ahead->entered = ahead->end;    /* if it goes on from there */
        return fetch;
    }
    if (!goes_on) {
        ahead->end = at;
        open_window(ahead, &fetch, CLAMP(call_end - at,
                                         MAX(blocks_max / 4, 1), blocks_max),
                    file_end);
    }
    fetch.first = goes_on ? ahead->end : at;
    open_window(ahead, &fetch, MIN(2 * ahead->window, blocks_max), file_end);
    if (ahead->entered == at) {         /* none is ahead yet */
        open_window(ahead, &fetch, MIN(2 * ahead->window, blocks_max),
                    file_end);
    }
    return fetch;
}
