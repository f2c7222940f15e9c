/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board knobs: no number of a board without a word on where it comes from.
 */
#include <stddef.h>
#include <string.h>

#include "raid-model/control/board-knob.h"
#include "tests/lib/unit.h"

static const BoardKnob *find(const char *name)
{
    for (unsigned i = 0; i < board_knobs; i++) {
        if (!strcmp(board_knob[i].name, name)) {
            return &board_knob[i];
        }
    }
    ck_abort_msg("no knob %s", name);
}

/*
 * The knobs are laid on BoardModel one after the other, each where the one
 * before lets its alignment begin: so none of the fields is left out.
 */
START_TEST(every_field_of_a_board_is_listed)
{
    size_t end = offsetof(BoardModel, ports);

    for (unsigned i = 0; i < board_knobs; i++) {
        const BoardKnob *knob = &board_knob[i];

        end = (end + knob->size - 1) / knob->size * knob->size;
        ck_assert_msg(knob->offset == end, "a field before %s, at byte %zu, "
                      "has no line in board-knob.c", knob->name, end);
        end += knob->size;
    }
    ck_assert_msg(sizeof(BoardModel) - end < sizeof(uint64_t),
                  "the last field has no line in board-knob.c");
}
END_TEST

START_TEST(every_number_has_a_source)
{
    for (unsigned i = 0; i < board_knobs; i++) {
        for (unsigned b = 0; b < board_models; b++) {
            const KnobSource *from =
                board_knob_source(&board_knob[i], &board_model[b]);
            char *text = board_knob_text(&board_knob[i], &board_model[b]);

            ck_assert_msg(from, "%s of %s", board_knob[i].name,
                          board_model[b].name);
            ck_assert_uint_le(from->kind, KNOB_GUESS);
            ck_assert_uint_gt(strlen(from->text), 2);
            ck_assert_ptr_null(strchr(from->text, '\n'));
            ck_assert_uint_gt(strlen(text), 0);
            g_free(text);
        }
    }
}
END_TEST

/* What alignment hides from the test above: a byte no knob covers is empty. */
START_TEST(no_value_is_without_a_line)
{
    bool covered[sizeof(BoardModel)] = { false };

    memset(covered, true, offsetof(BoardModel, ports));
    for (unsigned i = 0; i < board_knobs; i++) {
        memset(covered + board_knob[i].offset, true, board_knob[i].size);
    }
    for (unsigned b = 0; b < board_models; b++) {
        for (size_t i = 0; i < sizeof(BoardModel); i++) {
            ck_assert_msg(covered[i] || !((const char *)&board_model[b])[i],
                          "%s, byte %zu", board_model[b].name, i);
        }
    }
}
END_TEST

/* One that stands behind all others, or behind "*", can never count. */
START_TEST(no_source_is_idle)
{
    for (unsigned i = 0; i < board_knobs; i++) {
        bool used[KNOB_SOURCES_MAX] = { false };

        for (unsigned b = 0; b < board_models; b++) {
            used[board_knob_source(&board_knob[i], &board_model[b]) -
                 board_knob[i].from] = true;
        }
        for (unsigned s = 0; s < KNOB_SOURCES_MAX; s++) {
            ck_assert_msg(used[s] == !!board_knob[i].from[s].boards,
                          "%s, source %u", board_knob[i].name, s);
        }
    }
}
END_TEST

START_TEST(values_read_as_people_write_them)
{
    static const struct {
        const char *board, *knob, *text;
    } expect[] = {
        { "3ware-7410", "ports", "4" },
        { "3ware-7410", "sata", "no" },
        { "3ware-7410", "levels", "jbod single raid0 raid1 raid5 raid10" },
        { "3ware-7410", "pci_device", "0x1001" },
        { "3ware-7410", "firmware", "FE7X 1.05.00.068" },
        { "3ware-7410", "bus_bytes_per_s", "107 MB/s" },
        { "3ware-8506-8", "bus_bytes_per_s", "203.5 MB/s" },
        { "3ware-7410", "lane_order", "c-look" },
        { "ata-onboard", "firmware", "none" },
        { "ata-onboard", "lane_order", "fifo" },
        { "ata-onboard", "command_ns", "50 us" },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(expect); i++) {
        char *text = board_knob_text(find(expect[i].knob),
                                     board_model_find(expect[i].board));

        ck_assert_str_eq(text, expect[i].text);
        g_free(text);
    }
    ck_assert(!board_knob_applies(find("xor_bytes_per_s"),
                                  board_model_find("promise-ultra66")));
    ck_assert(board_knob_applies(find("xor_bytes_per_s"),
                                 board_model_find("3ware-7410")));
    ck_assert_uint_eq(board_knob_number(find("bus_bytes_per_s"),
                                        board_model_find("3ware-7410")),
                      107000000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("board-knob");
    TCase *tc = tcase_create("board-knob");

    tcase_add_test(tc, every_field_of_a_board_is_listed);
    tcase_add_test(tc, every_number_has_a_source);
    tcase_add_test(tc, no_value_is_without_a_line);
    tcase_add_test(tc, no_source_is_idle);
    tcase_add_test(tc, values_read_as_people_write_them);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
