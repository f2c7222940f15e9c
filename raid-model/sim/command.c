/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: option parsing with one clear line for each mistake.
 */
#include <stdio.h>

#include "raid-model/sim/command.h"

int command_refuse(const char *name, const char *message)
{
    g_autofree char *line = g_strdup(message);

    for (char *c = line; *c; c++) {
        *c = g_ascii_iscntrl(*c) ? '?' : *c;
    }
    fprintf(stderr, "raidsim%s%s: %s\n", name ? " " : "", name ? name : "",
            line);
    return COMMAND_USAGE;
}

bool command_options(const char *name, int *argc, char ***argv,
                     const GOptionEntry *entries, const char *words,
                     int words_max, const char *more)
{
    g_autofree char *program = g_strdup_printf("raidsim %s", name);
    g_autofree char *line = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new(words);
    g_autoptr(GError) error = NULL;

    g_set_prgname(program);
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_description(context, more);
    if (!g_option_context_parse(context, argc, argv, &error)) {
        line = g_strdup_printf("%s (raidsim %s --help)", error->message,
                               name);
    } else if (*argc - 1 > words_max) {
        line = g_strdup_printf("'%s' is one word too many (raidsim %s "
                               "--help)", (*argv)[words_max + 1], name);
    }
    if (line) {
        command_refuse(name, line);
        return false;
    }
    return true;
}
