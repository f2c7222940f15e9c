/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux words - the options that raidsim's subcommands with a Linux
 * computer share: which unit, how much memory, how far to read ahead.
 */
#ifndef RAID_SIM_LINUX_WORDS_H
#define RAID_SIM_LINUX_WORDS_H

#include "raid-model/control/json.h"
#include "raid-model/sim/linux.h"

typedef struct LinuxWords {     /* what was typed; see LINUX_WORDS_NONE */
    char *board, *drive, *level, *stripe, *memory, *first, *page;
    gint members, read_ahead;
    gint64 seed;
    gboolean json;
} LinuxWords;

#define LINUX_WORDS_NONE                                                    \
    { .members = RIG_NOT_GIVEN, .read_ahead = RIG_NOT_GIVEN,                \
      .seed = RIG_NOT_GIVEN }

#define LINUX_WORDS_OPTIONS(words)                                          \
    { "board", 0, 0, G_OPTION_ARG_STRING, &(words)->board,                  \
      "Controller; default 3ware-7410 (see raidsim boards)", "NAME" },      \
    { "drive", 0, 0, G_OPTION_ARG_STRING, &(words)->drive,                  \
      "Model of every drive; default wd1200jb", "MODEL" },                  \
    { "level", 0, 0, G_OPTION_ARG_STRING, &(words)->level,                  \
      "single, raid0, raid1, raid5 or raid10; default raid5", "LEVEL" },    \
    { "members", 0, 0, G_OPTION_ARG_INT, &(words)->members,                 \
      "Drives in the unit; default 4, or what the level takes",             \
      "N" },                                                                \
    { "stripe", 0, 0, G_OPTION_ARG_STRING, &(words)->stripe,                \
      "Stripe unit; default 64k", "SIZE" },                                 \
    { "memory", 0, 0, G_OPTION_ARG_STRING, &(words)->memory,                \
      "Of the computer; default bonnie 448m, dd 1g", "SIZE" },              \
    { "read-ahead", 0, 0, G_OPTION_ARG_INT, &(words)->read_ahead,           \
      "512-byte sectors, as for blockdev --setra", "N" },                   \
    { "first", 0, 0, G_OPTION_ARG_STRING, &(words)->first,                  \
      "Where the files begin on the unit; default 32256 (63 sectors)",      \
      "SIZE" },                                                             \
    { "page-cost", 0, 0, G_OPTION_ARG_STRING, &(words)->page,               \
      "Processor time to read or write a page of 4k", "TIME" },             \
    { "seed", 0, 0, G_OPTION_ARG_INT64, &(words)->seed,                     \
      "Of all chance: spindles and addresses; default 1", "N" },            \
    { "json", 0, 0, G_OPTION_ARG_NONE, &(words)->json,                      \
      "Print JSON", NULL }

/* Over the defaults in `ask`; borrows the words' strings. */
bool linux_words_apply(const LinuxWords *words, LinuxAsk *ask,
                       GError **error);
void linux_words_clear(LinuxWords *words);
/* What the run was about, at the top of a document. */
void linux_words_json(Json *json, const LinuxAsk *ask);

#endif
