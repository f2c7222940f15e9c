/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the suites and adds them up; exits 1 when a test failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/qtest/cases.h"

int main(void)
{
    SRunner *runner = srunner_create(qtest_pci_suite());
    int run, failed;

    srunner_add_suite(runner, qtest_options_suite());
    srunner_add_suite(runner, qtest_shared_suite());
    srunner_add_suite(runner, qtest_life_suite());
    srunner_run(runner, getenv("QTEST_ONLY"), NULL, CK_NORMAL);
    run = srunner_ntests_run(runner);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    printf("%d passed, %d failed\n", run - failed, failed);
    return failed || !run;
}
