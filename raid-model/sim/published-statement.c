/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published: one statement of a review.
 */
#include "raid-model/sim/published.h"

void published_statement(const Csv *csv, const CsvRow *from, Cells *cells,
                         PublishedStatement *statement)
{
    (void)cells;
    statement->id = csv_word(csv, from, "id");
    statement->controller = csv_word(csv, from, "controller");
    statement->form = csv_word(csv, from, "testable_form");
    statement->verdict = VERDICT_UNKNOWN_FORM;
}
