/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON - a writer of one document, in the order it is told.
 *
 * Inside an object every call takes a key; inside a list the key is NULL.
 */
#ifndef RAID_CONTROL_JSON_H
#define RAID_CONTROL_JSON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Json {
    GString *text;
    unsigned depth;
    bool follows;               /* a comma is due */
} Json;

void json_begin(Json *json);            /* the outermost object is open */
char *json_end(Json *json);             /* closes it; the caller frees */

void json_object(Json *json, const char *key);
void json_close_object(Json *json);
void json_list(Json *json, const char *key);
void json_close_list(Json *json);
void json_string(Json *json, const char *key, const char *value);
void json_integer(Json *json, const char *key, int64_t value);
void json_number(Json *json, const char *key, double value);
void json_truth(Json *json, const char *key, bool value);
void json_null(Json *json, const char *key);

#endif
