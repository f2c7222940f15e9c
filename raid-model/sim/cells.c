/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells: a table of runs, and workers that take the next one each.
 *
 * Two pipes: numbers of cells go to the workers, results come back.  Each
 * message is far smaller than what a pipe passes in one piece.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "raid-model/sim/cells.h"
#include "raid-model/sim/iometer-run.h"
#include "raid-model/sim/job-run.h"
#include "raid-model/sim/progress.h"

#define WORKERS_MAX 64
/* Numbers in the task pipe at once: it must take them without a reader. */
#define BATCH 4096
#define INNER_SHARE 0.95

typedef struct Cell {
    CellAsk ask;                /* strings interned */
    CellValue value;
} Cell;

struct Cells {
    CellsPlan plan;
    GHashTable *by_name;        /* to Cell */
    GPtrArray *all;             /* of Cell, in order of asking */
    unsigned missing;
};

typedef struct Answer {
    unsigned number;
    CellValue value;
} Answer;

static void fail(CellValue *value, const char *why)
{
    value->state = CELL_FAILED;
    g_strlcpy(value->why, why, sizeof(value->why));
}

/* --- one run ------------------------------------------------------------- */

static void run_iometer(const Cells *cells, const CellAsk *ask,
                        CellValue *value)
{
    g_autofree IometerSpec *spec = g_new0(IometerSpec, 1);
    g_autofree char *sized = g_strdup_printf("%s:%s", ask->pattern,
                                             cells->plan.sequential_bytes);
    bool sequential = !strcmp(ask->pattern, "sequential_write");
    const BoardModel *board = board_model_find(ask->board);
    g_autoptr(GError) error = NULL;
    IometerResult result;
    IometerAsk run = {
        .board = ask->board, .drive = ask->drive, .level = ask->level,
        .members = ask->members, .spec = spec, .depth = ask->depth,
        .seed = cells->plan.seed, .turn_ns = cells->plan.turn_ns,
        .start_share = ask->inner ? INNER_SHARE : 0,
    };

    if (!board) {
        fail(value, "there is no such board");
        return;
    }
    run.host = iometer_windows(board);
    if (!iometer_spec_named(spec, sequential ? sized : ask->pattern, &error) ||
        !iometer_run(&run, &result, &error)) {
        fail(value, error->message);
        return;
    }
    if (result.interrupted) {
        return;                 /* stays missing */
    }
    if (result.error != UNIT_OK) {
        fail(value, job_status_name(result.error));
        return;
    }
    value->state = CELL_DONE;
    value->iops = iometer_iops(&result);
    value->mib_per_s = iometer_mib_per_s(&result);
    value->mean_ms = (result.read.wait_ns + result.write.wait_ns) / 1e6 /
                     (result.read.requests + result.write.requests);
}

static void run_bonnie(const Cells *cells, const CellAsk *ask,
                       CellValue *value)
{
    g_autoptr(GError) error = NULL;
    BonnieAsk run = { BONNIE_DEFAULTS };
    BonnieResult result;

    run.computer.board = ask->board;
    run.computer.drive = ask->drive;
    run.computer.level = ask->level;
    run.computer.members = ask->members;
    run.computer.seed = cells->plan.seed;
    if (!bonnie_run(&run, &result, &error)) {
        fail(value, error->message);
    } else if (result.error != UNIT_OK) {
        fail(value, job_status_name(result.error));
    } else if (!result.interrupted) {
        value->state = CELL_DONE;
        memcpy(value->bonnie, result.value, sizeof(value->bonnie));
    }
}

/* --- workers ------------------------------------------------------------- */

static void work(const Cells *cells, int tasks, int answers)
{
    unsigned number;

    while (!progress_interrupted() &&
           read(tasks, &number, sizeof(number)) == sizeof(number)) {
        const Cell *cell = g_ptr_array_index(cells->all, number);
        Answer answer = { .number = number };

        (strcmp(cell->ask.pattern, "bonnie") ? run_iometer : run_bonnie)
            (cells, &cell->ask, &answer.value);
        if (answer.value.state != CELL_MISSING &&
            write(answers, &answer, sizeof(answer)) != sizeof(answer)) {
            break;
        }
    }
}

static void collect(Cells *cells, int answers)
{
    unsigned todo = cells->missing, done = 0;
    Answer answer;

    while (!progress_interrupted() &&
           read(answers, &answer, sizeof(answer)) == sizeof(answer)) {
        Cell *cell = g_ptr_array_index(cells->all, answer.number);

        cell->value = answer.value;
        cells->missing--;
        progress_show("raidsim published", (double)++done / todo);
    }
}

static unsigned workers_wanted(unsigned tasks)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return CLAMP(MIN(processors, (long)tasks), 1, WORKERS_MAX);
}

/* False: the system refuses. */
static bool run_batch(Cells *cells, const unsigned *task, unsigned count)
{
    size_t bytes = count * sizeof(*task);
    int tasks[2], answers[2];
    pid_t worker[WORKERS_MAX];
    unsigned workers = workers_wanted(count), born = 0;

    if (pipe(tasks)) {
        return false;
    }
    if (pipe(answers)) {
        close(tasks[0]);
        close(tasks[1]);
        return false;
    }
    fflush(NULL);
    for (; born < workers; born++) {
        worker[born] = fork();
        if (worker[born] < 0) {
            break;
        }
        if (!worker[born]) {
            close(tasks[1]);
            close(answers[0]);
            work(cells, tasks[0], answers[1]);
            _exit(0);
        }
    }
    close(tasks[0]);
    close(answers[1]);
    if (born && write(tasks[1], task, bytes) != (ssize_t)bytes) {
        born = 0;
    }
    close(tasks[1]);
    collect(cells, answers[0]);
    close(answers[0]);
    for (unsigned i = 0; i < born; i++) {
        if (progress_interrupted()) {
            kill(worker[i], SIGTERM);
        }
        waitpid(worker[i], NULL, 0);
    }
    return born > 0;
}

void cells_run(Cells *cells)
{
    g_autofree unsigned *task = g_new(unsigned, BATCH);

    progress_begin();
    while (cells->missing && !progress_interrupted()) {
        unsigned before = cells->missing, count = 0;

        for (unsigned i = 0; i < cells->all->len && count < BATCH; i++) {
            const Cell *cell = g_ptr_array_index(cells->all, i);

            if (cell->value.state == CELL_MISSING) {
                task[count++] = i;
            }
        }
        if (!run_batch(cells, task, count) || cells->missing == before) {
            break;
        }
    }
    progress_end();
}

/* --- the table ----------------------------------------------------------- */

static Cell *find(Cells *cells, const CellAsk *ask)
{
    g_autofree char *name =
        g_strdup_printf("%s %s %s %u %s %u %d", ask->board, ask->drive,
                        ask->level, ask->members, ask->pattern, ask->depth,
                        ask->inner);
    Cell *cell = g_hash_table_lookup(cells->by_name, name);

    if (!cell) {
        cell = g_new0(Cell, 1);
        cell->ask = (CellAsk) {
            .board = g_intern_string(ask->board),
            .drive = g_intern_string(ask->drive),
            .level = g_intern_string(ask->level),
            .pattern = g_intern_string(ask->pattern),
            .members = ask->members, .depth = ask->depth,
            .inner = ask->inner,
        };
        g_hash_table_insert(cells->by_name, g_steal_pointer(&name), cell);
        g_ptr_array_add(cells->all, cell);
        cells->missing++;
    }
    return cell;
}

const CellValue *cells_get(Cells *cells, const CellAsk *ask)
{
    return &find(cells, ask)->value;
}

void cells_put(Cells *cells, const CellAsk *ask, const CellValue *value)
{
    Cell *cell = find(cells, ask);

    cells->missing -= cell->value.state == CELL_MISSING &&
                      value->state != CELL_MISSING;
    cell->value = *value;
}

unsigned cells_missing(const Cells *cells)
{
    return cells->missing;
}

Cells *cells_new(const CellsPlan *plan)
{
    Cells *cells = g_new0(Cells, 1);

    cells->plan = *plan;
    cells->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                           NULL);
    cells->all = g_ptr_array_new_with_free_func(g_free);
    return cells;
}

void cells_free(Cells *cells)
{
    g_hash_table_unref(cells->by_name);
    g_ptr_array_unref(cells->all);
    g_free(cells);
}
