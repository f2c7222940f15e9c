/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host: what a card of the first generation promises its driver.  The cases
 * of tests/guest, run directly over hw/asic, every write of the card
 * checked.  tests/qtest runs the same through PCI.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/guest/cases.h"
#include "tests/guest/guest-bus-direct.h"

#define TIMEOUT_S 120

START_TEST(run_case)
{
    const GuestCase *c = guest_case(_i);
    GuestBus *bus = guest_bus_direct_new(c->board, c->units,
                                         DIRECT_DRIVE, c->drives);

    c->run(bus);
    guest_bus_direct_free(bus);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host");
    SRunner *runner;
    const GuestCase *c;
    int i, failed;

    for (i = 0; (c = guest_case(i)); i++) {
        TCase *tcase = tcase_create(c->name);

        tcase_set_timeout(tcase, TIMEOUT_S);
        tcase_add_loop_test(tcase, run_case, i, i + 1);
        suite_add_tcase(suite, tcase);
    }
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
