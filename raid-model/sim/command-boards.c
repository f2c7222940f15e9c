/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim boards: the table of board models, for people and programs.
 */
#include <stdio.h>

#include "raid-model/control/board.h"
#include "raid-model/sim/command.h"
#include "raid-model/sim/json.h"

static void print_text(void)
{
    printf("board                ports link RAID 5 bus MB/s link MB/s "
           "command us QEMU\n");
    for (unsigned i = 0; i < board_models; i++) {
        const BoardModel *board = &board_model[i];

        printf("%-20s %5u %-4s %-6s %8.0f %9.0f %10.0f %s\n", board->name,
               board->ports, board->sata ? "SATA" : "ATA",
               board_offers(board, RAID_5) ? "yes" : "no",
               board->bus_bytes_per_s / 1e6, board->link_bytes_per_s / 1e6,
               board->command_ns / 1e3, board->registers ? "yes" : "no");
    }
}

static void print_json(void)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_list(&json, "boards");
    for (unsigned i = 0; i < board_models; i++) {
        const BoardModel *board = &board_model[i];

        json_object(&json, NULL);
        json_string(&json, "name", board->name);
        json_string(&json, "title", board->title);
        json_integer(&json, "ports", board->ports);
        json_integer(&json, "sata", board->sata);
        json_integer(&json, "raid5", board_offers(board, RAID_5));
        json_integer(&json, "qemu", board->registers);
        json_integer(&json, "bus_bytes_per_s", board->bus_bytes_per_s);
        json_integer(&json, "link_bytes_per_s", board->link_bytes_per_s);
        json_integer(&json, "command_ns", board->command_ns);
        json_integer(&json, "driver_commands", board->driver_commands);
        json_string(&json, "firmware", board->firmware);
        json_close_object(&json);
    }
    json_close_list(&json);
    text = json_end(&json);
    fputs(text, stdout);
}

int command_boards(int argc, char **argv)
{
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {
        { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
        { 0 }
    };

    if (!command_options("boards", &argc, &argv, entries, NULL, 0,
                         "Lists the controllers that raidsim fio --board "
                         "knows; those of 3ware are QEMU devices too.")) {
        return COMMAND_USAGE;
    }
    if (as_json) {
        print_json();
    } else {
        print_text();
    }
    return 0;
}
