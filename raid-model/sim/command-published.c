/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim published: a table of measurements beside the model.
 */
#include <stdio.h>

#include "raid-model/sim/command.h"
#include "raid-model/sim/iometer-run.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/progress.h"
#include "raid-model/sim/published.h"

static const char more[] =
    "Runs every row of a table with the columns of those in tests/published\n"
    "(IOMeter cells, bonnie++ and dd figures, statements with a testable\n"
    "form), each on its board with its drives, and prints model, measurement\n"
    "and error. Rows that are faulty at their source, and those that cannot\n"
    "be modelled, are listed with the reason and not averaged.\n"
    "\n"
    "Examples\n"
    "  raidsim published tests/published/iometer-storagereview-2001.csv\n"
    "  raidsim published FILE.csv --only 'Escalade 7410 raid0' --json\n"
    "\n"
    "Exit status: 0 done, 1 interrupted, 2 wrong usage or a wrong table.\n";

typedef struct Words {
    char *only, *sequential, *turn;
    gint64 seed;
    gboolean json;
} Words;

static bool read_words(Words *words, int *argc, char ***argv)
{
    const GOptionEntry entries[] = {
        { "only", 0, 0, G_OPTION_ARG_STRING, &words->only,
          "Keep the rows that hold these words, fields joined by blanks",
          "WORDS" },
        { "sequential", 0, 0, G_OPTION_ARG_STRING, &words->sequential,
          "Size of sequential writes, which was never published; default 64k",
          "SIZE" },
        { "turn-around", 0, 0, G_OPTION_ARG_STRING, &words->turn,
          "From a request done to the next one issued; default 50us",
          "TIME" },
        { "seed", 0, 0, G_OPTION_ARG_INT64, &words->seed,
          "Of all chance; default 1", "N" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &words->json,
          "Print JSON", NULL },
        { 0 }
    };

    return command_options("published", argc, argv, entries, "FILE.csv", 1,
                           more);
}

static Published *run(const Words *words, const char *path, GError **error)
{
    const char *size = words->sequential ? words->sequential : "64k";
    CellsPlan plan = { .seed = words->seed, .turn_ns = IOMETER_TURN_NS,
                       .sequential_bytes = size };
    Published *published = NULL;
    uint64_t bytes;
    Cells *cells;
    Csv *csv;

    if (words->seed < 0) {
        number_error(error, "--seed %" G_GINT64_FORMAT ": 0 or more would be "
                     "right", words->seed);
        return NULL;
    }
    if (!number_bytes("--sequential", size, &bytes, error) ||
        (words->turn && !number_time("--turn-around", words->turn,
                                     &plan.turn_ns, error))) {
        return NULL;
    }
    csv = csv_read(path, error);
    if (csv) {
        cells = cells_new(&plan);
        published = published_run(csv, cells, words->only, error);
        cells_free(cells);
    }
    return published;
}

int command_published(int argc, char **argv)
{
    Words words = { .seed = 1 };
    g_autoptr(GError) error = NULL;
    Published *published;

    if (!read_words(&words, &argc, &argv)) {
        return COMMAND_USAGE;
    }
    if (argc < 2) {
        return command_refuse("published", "which table? FILE.csv would be "
                              "right (raidsim published --help)");
    }
    published = run(&words, argv[1], &error);
    if (!published) {
        return command_refuse("published", error->message);
    }
    (words.json ? published_json : published_text)(published, stdout);
    published_free(published);
    return progress_interrupted() ? 1 : 0;
}
