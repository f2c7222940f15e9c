/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job keys: the names fio has for things, and which of them mean something
 * to a model.
 */
#include <string.h>

#include "disk-model/drive/key-source.h"
#include "raid-model/sim/job.h"
#include "raid-model/sim/number.h"

const JobKeyInfo job_key[JOB_KEYS] = {
    [JOB_NAME] = { "name", NULL, "NAME", "Name of the job in the report" },
    [JOB_RW] = { "rw", "readwrite", "KIND",
        "read, write, rw, randread, randwrite, randrw; default randread" },
    [JOB_MIX_READ] = { "rwmixread", NULL, "N",
        "Percent of reads in rw and randrw; default 50" },
    [JOB_MIX_WRITE] = { "rwmixwrite", NULL, "N", "The same, of writes" },
    [JOB_BS] = { "bs", "blocksize", "SIZE",
        "Bytes of a request; default 8k. 4k,64k: of reads, of writes" },
    [JOB_BS_RANGE] = { "bsrange", "blocksize_range", "SIZE-SIZE",
        "Any multiple of the first up to the second" },
    [JOB_BS_SPLIT] = { "bssplit", NULL, "SIZE/N:...",
        "Sizes and their percent, as 4k/60:64k/40; READS,WRITES" },
    [JOB_ALIGN] = { "blockalign", "ba", "SIZE",
        "Random requests start at multiples of this; default bs" },
    [JOB_DEPTH] = { "iodepth", NULL, "N", "Requests in flight; default 1" },
    [JOB_OFFSET] = { "offset", NULL, "SIZE",
        "Where the region starts, in bytes or N%; default 0" },
    [JOB_OFFSET_STEP] = { "offset_increment", NULL, "SIZE",
        "So much further for each of numjobs" },
    [JOB_SIZE] = { "size", NULL, "SIZE",
        "The region, in bytes or N%; default all there is" },
    [JOB_IO_SIZE] = { "io_size", "io_limit", "SIZE",
        "Stop after so many bytes" },
    [JOB_NUMBER] = { "number_ios", NULL, "N", "Stop after so many requests" },
    [JOB_LOOPS] = { "loops", NULL, "N", "size so many times over" },
    [JOB_RUNTIME] = { "runtime", "timeout", "TIME",
        "Stop after so much model time" },
    [JOB_TIME_BASED] = { "time_based", NULL, NULL,
        "Go on until runtime, size or not" },
    [JOB_RAMP] = { "ramp_time", NULL, "TIME",
        "Leave out the first so much time of the report" },
    [JOB_DELAY] = { "startdelay", NULL, "TIME", "Begin so much later" },
    [JOB_SPREAD] = { "random_distribution", NULL, "KIND",
        "random, zipf:THETA, pareto:SHARE, zoned:N/N:..." },
    [JOB_RANDOM_PERCENT] = { "percentage_random", NULL, "N",
        "Of random loads; the rest goes on where the last one ended" },
    [JOB_NO_MAP] = { "norandommap", NULL, NULL,
        "Draw with repetition, not each block once" },
    [JOB_SEED] = { "randseed", "seed", "N", "Of this job's addresses" },
    [JOB_SYNC] = { "sync", NULL, "0|1",
        "Writes end on the medium, not in a drive's buffer" },
    [JOB_ENGINE] = { "ioengine", NULL, "NAME",
        "sync ones keep one request going; else no meaning" },
    [JOB_CLONES] = { "numjobs", NULL, "N", "So many of this job at once" },
    [JOB_STONEWALL] = { "stonewall", "wait_for_previous", NULL,
        "Begin when all jobs before have ended" },
    [JOB_GROUP] = { "group_reporting", NULL, NULL,
        "One report for all jobs of a group" },
};

/* True of the machine fio runs on, not of a drive or a card.  A name that
 * ends in * stands for all that begin so. */
static const char *const ignored[] = {
    "allow_*", "allrandrepeat", "buffer_*", "buffered", "bwavgtime",
    "cgroup*", "clat_percentiles", "clocksource", "cmdprio*",
    "continue_on_error", "cpu*", "create_*", "dedupe_*", "description",
    "direct", "directory", "disable_*", "disk_util", "end_fsync",
    "error_dump", "exec_postrun", "exec_prerun", "exitall*", "fadvise_hint",
    "fallocate", "file_append", "file_service_type", "filename*",
    "filesize", "fixedbufs", "force_async", "fsync_on_close", "gid",
    "gtod_*", "hipri*", "hugepage*", "ignore_error", "initrd", "invalidate",
    "iodepth_batch*", "iodepth_low", "iomem*", "iopsavgtime",
    "lat_percentiles", "lockfile", "lockmem", "log_*", "mem", "mem_align",
    "new_group", "nice", "nonvectored", "nowait", "nrfiles", "numa_*",
    "opendir", "openfiles", "overwrite", "per_job_logs", "percentile_list",
    "pre_read", "prio*", "random_generator", "randrepeat", "refill_buffers",
    "registerfiles", "scramble_buffers", "significant_figures",
    "softrandommap", "sqthread_poll*", "stats", "thread", "uid",
    "unified_rw_reporting", "unit_base", "unlink*", "userspace_reap",
    "write_barrier", "write_bw_log", "write_hint", "write_hist_log",
    "write_iops_log", "write_lat_log", "zero_buffers",
};

static const struct {
    const char *name, *why;
} refused[] = {
    { "bs_is_seq_rand", "sizes by kind of offset" },
    { "bs_unaligned", "requests that are not whole sectors" },
    { "blocksize_unaligned", "requests that are not whole sectors" },
    { "do_verify", "reading back what was written" },
    { "experimental_verify", "reading back what was written" },
    { "fdatasync", "a flush between requests" },
    { "fill_*", "writing until something is full" },
    { "flow*", "jobs that wait for each other" },
    { "fsync", "a flush between requests" },
    { "include", "a file within a file" },
    { "io_submit_mode", "another thread" },
    { "kb_base", "sizes in powers of 1000" },
    { "latency_*", "a depth that adapts itself" },
    { "max_latency", "a run that ends on a slow request" },
    { "multiple_*", "several of that" },
    { "profile", "a built-in profile" },
    { "rate*", "a load of a given rate" },
    { "read_iolog*", "a recorded load (see raidsim replay)" },
    { "replay_*", "a recorded load (see raidsim replay)" },
    { "rw_sequencer", "an order of offsets" },
    { "serialize_overlap", "requests that wait for each other" },
    { "ss*", "a run that ends when it is steady" },
    { "steadystate*", "a run that ends when it is steady" },
    { "sync_file_range", "a flush between requests" },
    { "thinktime*", "a pause between requests" },
    { "trim_*", "trim" },
    { "verify*", "reading back what was written" },
    { "write_iolog", "recording a load (see raidsim fio --trace)" },
    { "zone*", "a load in zones" },
};

static bool matches(const char *name, const char *pattern)
{
    size_t length = strlen(pattern) - 1;

    return pattern[length] == '*' ? !strncmp(name, pattern, length)
                                  : !strcmp(name, pattern);
}

/* Letters to put in, leave out or change, to make one of the other. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[64], columns = strlen(b);

    if (columns + 1 > G_N_ELEMENTS(row)) {
        return G_MAXUINT;
    }
    for (unsigned j = 0; j <= columns; j++) {
        row[j] = j;
    }
    for (unsigned i = 0; a[i]; i++) {
        unsigned diagonal = row[0];

        row[0] = i + 1;
        for (unsigned j = 1; j <= columns; j++) {
            unsigned change = diagonal + (a[i] != b[j - 1]);

            diagonal = row[j];
            row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[columns];
}

static void nearer(const char *name, const char *candidate, unsigned *best,
                   const char **nearest)
{
    unsigned off = candidate && !strchr(candidate, '*')
        ? distance(name, candidate) : G_MAXUINT;

    if (off < *best) {
        *best = off;
        *nearest = candidate;
    }
}

static const char *nearest_key(const char *name)
{
    const char *nearest = NULL;
    unsigned best = strlen(name) < 5 ? 2 : 4;   /* letters that may differ */

    for (unsigned i = 0; i < JOB_KEYS; i++) {
        nearer(name, job_key[i].name, &best, &nearest);
        nearer(name, job_key[i].alias, &best, &nearest);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(ignored); i++) {
        nearer(name, ignored[i], &best, &nearest);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(refused); i++) {
        nearer(name, refused[i].name, &best, &nearest);
    }
    return nearest;
}

JobVerdict job_key_find(const char *name, JobKey *key, const char **why)
{
    for (unsigned i = 0; i < JOB_KEYS; i++) {
        if (!strcmp(name, job_key[i].name) ||
            !g_strcmp0(name, job_key[i].alias)) {
            *key = i;
            return JOB_MEANS;
        }
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(ignored); i++) {
        if (matches(name, ignored[i])) {
            return JOB_IGNORED;
        }
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(refused); i++) {
        if (matches(name, refused[i].name)) {
            *why = refused[i].why;
            return JOB_REFUSED;
        }
    }
    *why = strlen(name) < 40 ? nearest_key(name) : NULL;
    return JOB_UNKNOWN;
}

/* "FILE:LINE: 'WORD' WHAT".  Always false. */
static bool wrong(const JobPlace *place, GError **error, const char *word,
                  const char *what)
{
    g_autofree char *quoted = key_word_quoted(word);

    return number_error(error, "%s:%u: %s %s", place->file, place->line,
                        quoted, what);
}

static bool unknown(const JobPlace *place, GError **error, const char *key,
                    const char *nearest)
{
    g_autofree char *what = nearest
        ? g_strdup_printf("is no key of a job; did you mean %s?", nearest)
        : g_strdup("is no key of a job; right would be fio's names, as in "
                   "rw=randread (raidsim fio --help)");

    return wrong(place, error, key, what);
}

bool job_take(Job *job, const JobPlace *place, const char *key,
              const char *value, bool *ignored, GError **error)
{
    g_autofree char *what = NULL;
    const char *why = NULL;
    JobKey known;

    *ignored = false;
    switch (job_key_find(key, &known, &why)) {
    case JOB_IGNORED:
        *ignored = true;
        return true;
    case JOB_REFUSED:
        what = g_strdup_printf("is not modelled: %s", why);
        return wrong(place, error, key, what);
    case JOB_UNKNOWN:
        return unknown(place, error, key, why);
    case JOB_MEANS:
        break;
    }
    if (!value && job_key[known].arg) {
        what = g_strdup_printf("lacks a value; right would be %s=%s", key,
                               job_key[known].arg);
        return wrong(place, error, key, what);
    }
    job->word[known] = (JobWord) {
        .text = g_string_chunk_insert(place->text, value ? value : "1"),
        .key = g_string_chunk_insert_const(place->text, key),
        .file = place->file, .line = place->line,
    };
    if (known == JOB_NAME) {
        job->name = job->word[known].text;
    }
    *ignored = known == JOB_ENGINE;
    return true;
}
