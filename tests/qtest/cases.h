/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases - the suites that tests/qtest/run strings together, one room each.
 */
#ifndef TESTS_QTEST_CASES_H
#define TESTS_QTEST_CASES_H

#include <check.h>

Suite *qtest_pci_suite(void);           /* identity, windows, status bits */
Suite *qtest_shared_suite(void);        /* tests/guest through PCI */
Suite *qtest_life_suite(void);          /* reset, plug, pull, many cards */
Suite *qtest_options_suite(void);       /* what the command line says */

#endif
