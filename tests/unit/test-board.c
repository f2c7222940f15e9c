/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board table: every card is there, and no row says what cannot be.
 */
#include <stdlib.h>
#include <string.h>

#include "raid-model/array/layout.h"
#include "raid-model/control/board.h"
#include "tests/lib/unit.h"

START_TEST(every_board_is_found_by_its_name)
{
    static const char *const names[] = {
        "3ware-6400", "3ware-6800", "3ware-7410", "3ware-7810",
        "3ware-7500-4", "3ware-7500-8", "3ware-8006-2", "3ware-8506-4",
        "3ware-8506-8", "3ware-8506-12",
        "ata-onboard", "promise-ultra66", "adaptec-2400a",
        "fasttrak-s150-sx4", "fasttrak-s150-sx4-wt", "fasttrak-s150-tx4",
    };

    ck_assert_uint_eq(board_models, G_N_ELEMENTS(names));
    for (unsigned i = 0; i < board_models; i++) {
        const BoardModel *board = board_model_find(names[i]);

        ck_assert_ptr_nonnull(board);
        ck_assert_str_eq(board->name, names[i]);
    }
    ck_assert_ptr_null(board_model_find("3ware-9500"));
    ck_assert_ptr_null(board_model_find(""));
}
END_TEST

START_TEST(every_row_is_sane)
{
    for (unsigned i = 0; i < board_models; i++) {
        const BoardModel *board = &board_model[i];

        ck_assert(board->ports == 2 || board->ports == 4 ||
                  board->ports == 8 || board->ports == 12);
        ck_assert_uint_le(board->ports, RAID_MEMBERS_MAX);
        ck_assert(board->registers == g_str_has_prefix(board->name, "3ware-"));
        ck_assert_ptr_nonnull(board->firmware);
        ck_assert_uint_ge(board->driver_commands, 1);
        ck_assert_uint_le(board->driver_commands, 256);
        ck_assert(board_offers(board, RAID_JBOD));
        ck_assert(board_offers(board, RAID_SINGLE));
        ck_assert_uint_lt(board->levels, 1u << RAID_CODES);
        ck_assert_int_gt(board->command_ns, 0);
        ck_assert_int_lt(board->command_ns, SIM_MS(1));
        ck_assert_uint_gt(board->bus_bytes_per_s, 100000000);
        ck_assert_uint_lt(board->bus_bytes_per_s, 533000000);
        ck_assert_uint_le(board->bus_in_bytes_per_s, board->bus_bytes_per_s);
        ck_assert_uint_le(board_cache_dirty(board), board->cache_bytes);
    }
}
END_TEST

START_TEST(every_3ware_row_says_who_it_is)
{
    for (unsigned i = 0; i < board_models; i++) {
        const BoardModel *board = &board_model[i];
        const char *ports = strrchr(board->name, '-') + 1;

        if (!board->registers) {
            continue;
        }
        if (strlen(ports) <= 2) {       /* the name says how many */
            ck_assert_uint_eq(board->ports, (unsigned)atoi(ports));
        }
        ck_assert_uint_eq(strlen(board->firmware), 16);
        ck_assert_uint_eq(strlen(board->bios), 16);
        ck_assert_uint_eq(strlen(board->monitor), 16);
        ck_assert_uint_le(strlen(board->pcb), 8);
        ck_assert_uint_le(strlen(board->achip), 8);
        ck_assert_uint_le(strlen(board->pchip), 8);
        ck_assert_ptr_nonnull(strstr(board->title, "3ware Escalade "));
        ck_assert(board_offers(board, RAID_5) == (board->ports > 2));
        ck_assert(board_offers(board, RAID_10));
    }
}
END_TEST

START_TEST(the_6000s_are_a_chip_of_their_own)
{
    for (unsigned i = 0; i < board_models; i++) {
        const BoardModel *board = &board_model[i];
        bool old = strncmp(board->name, "3ware-6", 7) == 0;
        bool sata = strncmp(board->name, "3ware-8", 7) == 0;

        if (!board->registers) {
            continue;
        }
        ck_assert_uint_eq(board->pci_device, old ? 0x1000 : 0x1001);
        ck_assert_uint_eq(board->pci_revision, old ? 0x12 : 0x01);
        ck_assert_uint_eq(board->pchip_major, old ? 5 : 1);
        ck_assert(board->sata == sata);
        ck_assert(sata == (board->link_bytes_per_s == 150000000));
        ck_assert(strncmp(board->firmware, old ? "FE6X" : sata ? "FE7S"
                                                               : "FE7X",
                          4) == 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("board");
    TCase *tc = tcase_create("board");

    tcase_add_test(tc, every_board_is_found_by_its_name);
    tcase_add_test(tc, every_row_is_sane);
    tcase_add_test(tc, every_3ware_row_says_who_it_is);
    tcase_add_test(tc, the_6000s_are_a_chip_of_their_own);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
