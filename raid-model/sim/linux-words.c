/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux words: each checked, with one line for what is wrong.
 */
#include "raid-model/sim/linux-words.h"
#include "raid-model/sim/number.h"

static bool apply_unit(const LinuxWords *words, LinuxAsk *ask, GError **error)
{
    ask->board = words->board ? words->board : ask->board;
    ask->drive = words->drive ? words->drive : ask->drive;
    ask->level = words->level ? words->level : ask->level;
    return rig_unit_words(ask->level, words->members, words->stripe,
                          &ask->members, &ask->stripe_bytes, error);
}

static bool apply_first(const char *word, LinuxAsk *ask, GError **error)
{
    uint64_t first;

    if (!number_bytes("--first", word, &first, error)) {
        return false;
    }
    if (first % DISK_SECTOR_BYTES) {
        return number_error(error, "--first %s: a multiple of 512 would be "
                            "right", word);
    }
    ask->first_sector = first / DISK_SECTOR_BYTES;
    return true;
}

bool linux_words_apply(const LinuxWords *words, LinuxAsk *ask, GError **error)
{
    if (!apply_unit(words, ask, error) ||
        (words->memory && !number_bytes("--memory", words->memory,
                                        &ask->memory_bytes, error)) ||
        (words->first && !apply_first(words->first, ask, error)) ||
        (words->page && !number_time("--page-cost", words->page,
                                     &ask->page_ns, error))) {
        return false;
    }
    if (words->read_ahead != RIG_NOT_GIVEN) {
        if (words->read_ahead < 0) {
            return number_error(error, "--read-ahead %d: 0 or more would be "
                                "right", words->read_ahead);
        }
        ask->read_ahead_sectors = words->read_ahead;
    }
    if (words->seed != RIG_NOT_GIVEN) {
        if (words->seed < 0) {
            return number_error(error, "--seed %" G_GINT64_FORMAT ": 0 or "
                                "more would be right", words->seed);
        }
        ask->seed = words->seed;
    }
    return true;
}

void linux_words_clear(LinuxWords *words)
{
    g_free(words->board);
    g_free(words->drive);
    g_free(words->level);
    g_free(words->stripe);
    g_free(words->memory);
    g_free(words->first);
    g_free(words->page);
}

void linux_words_json(Json *json, const LinuxAsk *ask)
{
    json_string(json, "board", ask->board);
    json_string(json, "drive", ask->drive);
    json_string(json, "level", ask->level);
    json_integer(json, "members", ask->members);
    json_integer(json, "memory_bytes", ask->memory_bytes);
    json_integer(json, "read_ahead_sectors", ask->read_ahead_sectors);
    json_integer(json, "first_sector", ask->first_sector);
    json_integer(json, "seed", ask->seed);
}
