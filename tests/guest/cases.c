/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: the list of lists.
 */
#include "tests/guest/cases.h"

static const GuestCase *const lists[] = {
    cases_register, cases_attach, cases_event, cases_io, cases_queue,
    cases_param, cases_ata, cases_refuse, cases_fuzz,
};

const GuestCase *guest_case(unsigned i)
{
    unsigned list;

    for (list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
        const GuestCase *c;

        for (c = lists[list]; c->name; c++) {
            if (!i--) {
                return c;
            }
        }
    }
    return NULL;
}
