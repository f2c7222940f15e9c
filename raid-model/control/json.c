/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON: text with commas in the right places.
 */
#include <inttypes.h>

#include "raid-model/control/json.h"

static void put_string(GString *text, const char *value)
{
    g_string_append_c(text, '"');
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') {
            g_string_append_c(text, '\\');
            g_string_append_c(text, *value);
        } else if ((unsigned char)*value < 0x20) {
            g_string_append_printf(text, "\\u%04x", *value);
        } else {
            g_string_append_c(text, *value);
        }
    }
    g_string_append_c(text, '"');
}

static void new_line(Json *json)
{
    g_string_append_c(json->text, '\n');
    for (unsigned i = 0; i < json->depth; i++) {
        g_string_append(json->text, "  ");
    }
}

static void begin_value(Json *json, const char *key)
{
    if (json->follows) {
        g_string_append_c(json->text, ',');
    }
    new_line(json);
    if (key) {
        put_string(json->text, key);
        g_string_append(json->text, " : ");
    }
    json->follows = true;
}

static void open_bracket(Json *json, const char *key, char bracket)
{
    begin_value(json, key);
    g_string_append_c(json->text, bracket);
    json->depth++;
    json->follows = false;
}

static void close_bracket(Json *json, char bracket)
{
    json->depth--;
    if (json->follows) {
        new_line(json);
    }
    g_string_append_c(json->text, bracket);
    json->follows = true;
}

void json_begin(Json *json)
{
    *json = (Json) { .text = g_string_new("{"), .depth = 1 };
}

char *json_end(Json *json)
{
    close_bracket(json, '}');
    g_string_append_c(json->text, '\n');
    return g_string_free(json->text, FALSE);
}

void json_object(Json *json, const char *key)
{
    open_bracket(json, key, '{');
}

void json_close_object(Json *json)
{
    close_bracket(json, '}');
}

void json_list(Json *json, const char *key)
{
    open_bracket(json, key, '[');
}

void json_close_list(Json *json)
{
    close_bracket(json, ']');
}

void json_string(Json *json, const char *key, const char *value)
{
    begin_value(json, key);
    put_string(json->text, value);
}

void json_integer(Json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    g_string_append_printf(json->text, "%" PRId64, value);
}

void json_number(Json *json, const char *key, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    begin_value(json, key);
    g_string_append(json->text,
                    g_ascii_formatd(digits, sizeof(digits), "%.6f", value));
}

void json_truth(Json *json, const char *key, bool value)
{
    begin_value(json, key);
    g_string_append(json->text, value ? "true" : "false");
}

void json_null(Json *json, const char *key)
{
    begin_value(json, key);
    g_string_append(json->text, "null");
}
