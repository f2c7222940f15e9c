/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crew: workers are forked, and say where they are in shared memory.
 */
#include "tests/world/crew.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREW_MAX 64
#define HANGS_S 60              /* a job takes milliseconds */
#define SAY_EVERY_S 2

typedef struct Worker {
    uint64_t number;            /* the job it is at */
    StoryCount count;
    bool over;                  /* all its jobs, or one went wrong */
    bool wrong;
} Worker;

typedef struct Crew {
    const CrewPlan *plan;
    Worker *worker;             /* shared */
    pid_t pid[CREW_MAX];
    gint64 started;
    unsigned size, left;
    bool failed;
} Crew;

static double seconds_since(gint64 then)
{
    return (double)(g_get_monotonic_time() - then) / 1e6;
}

/* --- a worker ------------------------------------------------------------ */

static void work_through(const Crew *crew, unsigned index)
{
    const CrewPlan *plan = crew->plan;
    Worker *worker = &crew->worker[index];

    for (uint64_t i = index; i < plan->count; i += crew->size) {
        char *why = NULL;

        if (plan->seconds && seconds_since(crew->started) > plan->seconds) {
            break;
        }
        worker->number = plan->first + i;
        if (!plan->job(worker->number, false, &worker->count, &why)) {
            worker->wrong = true;
            break;
        }
    }
    worker->over = true;
}

/* --- the foreman --------------------------------------------------------- */

static StoryCount total(const Crew *crew)
{
    StoryCount sum = { 0 };
    uint64_t *to = (uint64_t *)&sum;

    for (unsigned i = 0; i < crew->size; i++) {
        const uint64_t *from = (const uint64_t *)&crew->worker[i].count;

        for (unsigned n = 0; n < sizeof(sum) / sizeof(*to); n++) {
            to[n] += from[n];
        }
    }
    return sum;
}

static void say(const Crew *crew)
{
    StoryCount sum = total(crew);

    printf("  %6.0f s  %" G_GUINT64_FORMAT " %s, %" G_GUINT64_FORMAT
           " ops, %" G_GUINT64_FORMAT " MB\n", seconds_since(crew->started),
           sum.stories, crew->plan->what, sum.ops, sum.bytes / 1000000);
    fflush(stdout);
}

/* In a process of its own, since it may crash again. */
static void tell_again(const Crew *crew, uint64_t number, const char *how)
{
    pid_t pid;

    printf("\n%s %" G_GUINT64_FORMAT " %s:\n", crew->plan->what, number, how);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        alarm(HANGS_S);
        _exit(crew_alone(crew->plan, number) ? 0 : 1);
    }
    waitpid(pid, NULL, 0);
    printf("alone: %s %" G_GUINT64_FORMAT "\n", crew->plan->alone, number);
}

static void one_ended(Crew *crew, unsigned index, int status)
{
    Worker *worker = &crew->worker[index];

    crew->pid[index] = 0;
    crew->left--;
    if (worker->over && !worker->wrong && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0) {
        return;
    }
    if (!crew->failed) {
        crew->failed = true;
        tell_again(crew, worker->number, worker->wrong ? "went wrong"
                   : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                   ? "did not end" : "crashed");
    }
}

static void look_after(Crew *crew, uint64_t *at, gint64 *since)
{
    for (unsigned i = 0; i < crew->size; i++) {
        int status;

        if (!crew->pid[i]) {
            continue;
        }
        if (waitpid(crew->pid[i], &status, WNOHANG) > 0) {
            one_ended(crew, i, status);
        } else if (at[i] != crew->worker[i].number) {
            at[i] = crew->worker[i].number;
            since[i] = g_get_monotonic_time();
        } else if (crew->failed || seconds_since(since[i]) > HANGS_S) {
            kill(crew->pid[i], SIGKILL);
        }
    }
}

bool crew_run(const CrewPlan *plan, StoryCount *sum)
{
    size_t bytes = CREW_MAX * sizeof(Worker);
    Crew crew = { .plan = plan, .started = g_get_monotonic_time() };
    uint64_t at[CREW_MAX] = { 0 };
    gint64 since[CREW_MAX], said = crew.started;

    crew.size = crew.left = MIN(plan->processes ? plan->processes
                                : g_get_num_processors(), CREW_MAX);
    crew.worker = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_assert(crew.worker != MAP_FAILED);
    fflush(stdout);
    for (unsigned i = 0; i < crew.size; i++) {
        since[i] = crew.started;
        crew.pid[i] = fork();
        if (crew.pid[i] == 0) {
            work_through(&crew, i);
            exit(0);                    /* not _exit: leaks are looked for */
        }
    }
    while (crew.left) {
        g_usleep(20000);
        look_after(&crew, at, since);
        if (seconds_since(said) >= SAY_EVERY_S) {
            said = g_get_monotonic_time();
            say(&crew);
        }
    }
    *sum = total(&crew);
    munmap(crew.worker, bytes);
    return !crew.failed;
}

bool crew_alone(const CrewPlan *plan, uint64_t number)
{
    StoryCount count = { 0 };
    char *why = NULL;
    bool right = plan->job(number, true, &count, &why);

    printf("%" G_GUINT64_FORMAT ": %s\n", number, right ? "all is right"
                                                        : why);
    fflush(stdout);
    g_free(why);
    return right;
}
