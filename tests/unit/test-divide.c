/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: dividing by a prepared divisor is exact, always.
 *
 * Method: the compiler's / and % as the oracle; around every multiple's
 * edge for small and large divisors, and over random numbers of every size.
 */
#include "disk-model/world/divide.h"
#include "disk-model/world/sim.h"
#include "tests/lib/unit.h"

static void check(uint64_t by, uint64_t n)
{
    SimDivisor divisor = sim_divisor(by);
    uint64_t rest, q = sim_divide(&divisor, n, &rest);

    unit_holds(q == n / by && rest == n % by);
    unit_holds(sim_quotient(&divisor, n) == n / by);
}

START_TEST(edges_of_multiples_are_exact)
{
    for (unsigned bits = 0; bits < 64; bits++) {
        for (int64_t off = -3; off <= 3; off++) {
            uint64_t by = (UINT64_C(1) << bits) + (uint64_t)off;

            if (!by) {
                continue;
            }
            for (uint64_t d = 0; d < 4; d++) {
                check(by, d);
                check(by, UINT64_MAX - d);
                check(by, UINT64_MAX / by * by - 1 + d);
                check(by, UINT64_MAX / by / 2 * by - 1 + d);
            }
        }
    }
}
END_TEST

START_TEST(numbers_of_every_size_are_exact)
{
    Sim *chance = sim_new(3);

    for (unsigned i = 0; i < 1000000; i++) {
        uint64_t by = sim_random(chance, UINT64_MAX) >>
                      sim_random(chance, 64);
        uint64_t n = sim_random(chance, UINT64_MAX) >> sim_random(chance, 64);

        if (by) {
            check(by, n);
        }
    }
    sim_free(chance);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("divide");
    TCase *tc = tcase_create("divide");

    tcase_add_test(tc, edges_of_multiples_are_exact);
    tcase_add_test(tc, numbers_of_every_size_are_exact);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
