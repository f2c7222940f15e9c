/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key source - a key file being read: its words and numbers, and the one
 * complaint it may earn.
 *
 * Every complaint has the same shape - FILE: [GROUP] KEY: what is wrong,
 * what would be right - on one line.  All functions that can complain return
 * false (or NULL) after having done so; the first ends the reading.
 */
#ifndef DISK_DRIVE_KEY_SOURCE_H
#define DISK_DRIVE_KEY_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct KeySource {
    const char *path;
    GKeyFile *keys;
    GError **error;
} KeySource;

/* Reads the file at src->path into src->keys. */
bool key_source_load(KeySource *src);

/* `group` and `key` may be NULL.  Always false. */
bool key_refuse(const KeySource *src, const char *group, const char *key,
                const char *format, ...) G_GNUC_PRINTF(4, 5);
/* "'WORD' is wrong; RIGHT".  Always false. */
bool key_refuse_word(const KeySource *src, const char *group,
                     const char *key, const char *word, const char *right);

/* The words of a value, parted by blanks or commas; the caller frees. */
char **key_words(const KeySource *src, const char *group, const char *key,
                 const char *right);

/* The whole word is a number: digits only, or a finite decimal number. */
bool key_word_to_whole(const char *word, uint64_t *value);
bool key_word_to_real(const char *word, double *value);

/* A user's word in quotes, fit for one line of a message; free it. */
char *key_word_quoted(const char *word);

#endif
