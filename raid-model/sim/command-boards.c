/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim boards: the table of board models, for people and programs; and
 * one board with all its numbers and where they come from.
 */
#include <stdio.h>

#include "raid-model/control/board-knob.h"
#include "raid-model/sim/command.h"
#include "raid-model/control/json.h"

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

/* --- one board ------------------------------------------------------------ */

static void print_knobs(const BoardModel *board)
{
    printf("%s\n", board->title);
    for (unsigned i = 0; i < board_knobs; i++) {
        const BoardKnob *knob = &board_knob[i];
        const KnobSource *from = board_knob_source(knob, board);
        g_autofree char *value = board_knob_text(knob, board);

        if (board_knob_applies(knob, board)) {
            printf("%-22s %-16s %s\n%-22s %-16s %s\n", knob->name, value,
                   knob->about, "", board_knob_kind[from->kind], from->text);
        }
    }
}

static void put_knob(Json *json, const BoardKnob *knob,
                     const BoardModel *board)
{
    const KnobSource *from = board_knob_source(knob, board);
    g_autofree char *text = board_knob_text(knob, board);

    json_object(json, NULL);
    json_string(json, "name", knob->name);
    json_string(json, "about", knob->about);
    if (knob->form != KNOB_TEXT) {
        json_integer(json, "value", board_knob_number(knob, board));
        json_string(json, "unit", knob->unit ? knob->unit : "");
    }
    json_string(json, "text", text);
    json_string(json, "kind", board_knob_kind[from->kind]);
    json_string(json, "source", from->text);
    json_close_object(json);
}

static void json_knobs(const BoardModel *board)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_string(&json, "name", board->name);
    json_string(&json, "title", board->title);
    json_list(&json, "knobs");
    for (unsigned i = 0; i < board_knobs; i++) {
        if (board_knob_applies(&board_knob[i], board)) {
            put_knob(&json, &board_knob[i], board);
        }
    }
    json_close_list(&json);
    text = json_end(&json);
    fputs(text, stdout);
}

/* ------------------------------------------------------------------------- */

int command_boards(int argc, char **argv)
{
    const BoardModel *board;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {
        { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
        { 0 }
    };

    if (!command_options("boards", &argc, &argv, entries, "[NAME]", 1,
                         "Lists the controllers that raidsim's --board "
                         "knows; those of 3ware are QEMU devices too.\n"
                         "With NAME: every number of that one, and whether "
                         "it is measured, from a data sheet, fitted, assumed "
                         "or a guess.")) {
        return COMMAND_USAGE;
    }
    if (argc < 2) {
        (as_json ? print_json : print_text)();
        return 0;
    }
    board = board_model_find(argv[1]);
    if (!board) {
        g_autofree char *why = g_strdup_printf("'%s': no such board; "
                                               "raidsim boards lists them",
                                               argv[1]);

        return command_refuse("boards", why);
    }
    (as_json ? json_knobs : print_knobs)(board);
    return 0;
}
