/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared: every body of tests/guest, through PCI.  What holds for the card
 * in one process must hold for the card in a machine.
 */
#include "tests/guest/cases.h"
#include "tests/qtest/cases.h"
#include "tests/qtest/guest-bus-qtest.h"

#define MEMORY_MIB 16                   /* its upper edge matters */

START_TEST(holds_in_a_machine)
{
    const GuestCase *one = guest_case(_i);
    RigCard card = { one->board, one->drives, one->units };
    Rig *rig = rig_new(&card, 1, G_STRINGIFY(MEMORY_MIB), NULL);
    GuestBus *bus = guest_bus_qtest_new(rig, 0, one->board,
                                        (uint64_t)MEMORY_MIB << 20);

    one->run(bus);
    ck_assert_msg(qemu_alive(rig->qemu), "QEMU died");
    guest_bus_qtest_free(bus);
    rig_free(rig);
}
END_TEST

Suite *qtest_shared_suite(void)
{
    Suite *suite = suite_create("shared");
    TCase *tc = tcase_create("shared");
    const GuestCase *one;

    tcase_set_timeout(tc, 120);
    for (int i = 0; (one = guest_case(i)); i++) {
        /* Of its own name, so that a failure tells which; Check keeps it. */
        TTest *test = g_new(TTest, 1);

        *test = *holds_in_a_machine;
        test->name = one->name;
        _tcase_add_test(tc, test, 0, 0, i, i + 1);
    }
    suite_add_tcase(suite, tc);
    return suite;
}
