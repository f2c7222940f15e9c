/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the suites that are named, or all, and adds them up; exits 1 when a
 * test failed.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/qtest/cases.h"

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
    { "pci", qtest_pci_suite },
    { "options", qtest_options_suite },
    { "shared", qtest_shared_suite },
    { "life", qtest_life_suite },
};

static bool wanted(const char *name, int argc, char **argv)
{
    bool found = argc < 2;

    for (int i = 1; i < argc; i++) {
        found |= !strcmp(argv[i], name);
    }
    return found;
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(NULL);
    int run, failed;

    for (unsigned i = 0; i < G_N_ELEMENTS(suites); i++) {
        if (wanted(suites[i].name, argc, argv)) {
            srunner_add_suite(runner, suites[i].make());
        }
    }
    srunner_run_all(runner, CK_NORMAL);
    run = srunner_ntests_run(runner);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    printf("%d passed, %d failed\n", run - failed, failed);
    return failed || !run;
}
