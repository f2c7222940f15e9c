/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report for programs: fio's tree, and one more branch.
 */
#include "raid-model/sim/report.h"

static void put_latency(Json *json, const char *key, const Latency *latency,
                        bool percentiles)
{
    json_object(json, key);
    json_integer(json, "min", latency->min);
    json_integer(json, "max", latency->max);
    json_number(json, "mean", latency->mean);
    json_number(json, "stddev", latency_deviation(latency));
    json_integer(json, "N", latency->count);
    if (percentiles && latency->count) {
        json_object(json, "percentile");
        for (unsigned i = 0; latency_percentiles[i]; i++) {
            char name[16];

            g_ascii_formatd(name, sizeof(name), "%.6f",
                            latency_percentiles[i]);
            json_integer(json, name,
                         latency_percentile(latency,
                                            latency_percentiles[i]));
        }
        json_close_object(json);
    }
    json_close_object(json);
}

static void put_side(Json *json, const char *key, const JobSide *side,
                     SimTime took)
{
    double seconds = side->requests && took ? took / 1e9 : 1;
    static const Latency none;

    json_object(json, key);
    json_integer(json, "io_bytes", side->bytes);
    json_integer(json, "io_kbytes", side->bytes / 1024);
    json_integer(json, "bw_bytes", side->bytes / seconds);
    json_integer(json, "bw", side->bytes / seconds / 1024);
    json_number(json, "iops", side->requests / seconds);
    json_integer(json, "runtime", side->requests ? took / 1000000 : 0);
    json_integer(json, "total_ios", side->requests);
    json_integer(json, "short_ios", 0);
    json_integer(json, "drop_ios", 0);
    put_latency(json, "slat_ns", &none, false);
    put_latency(json, "clat_ns", &side->latency, true);
    put_latency(json, "lat_ns", &side->latency, false);
    json_close_object(json);
}

static void put_split(Json *json, const WatchSplit *split)
{
    double n = split->ops ? split->ops : 1;

    json_integer(json, "ops", split->ops);
    json_integer(json, "sectors", split->sectors);
    json_object(json, "mean_ns");
    json_number(json, "queue", split->queue_ns / n);
    json_number(json, "overhead", split->overhead_ns / n);
    json_number(json, "seek", split->seek_ns / n);
    json_number(json, "rotation", split->rotate_ns / n);
    json_number(json, "transfer", split->transfer_ns / n);
    json_close_object(json);
    put_latency(json, "lat_ns", &split->total, true);
}

static void put_drives(Json *json, const Report *report)
{
    json_object(json, "drive_ops");
    put_split(json, &report->watch->all);
    json_close_object(json);
    json_list(json, "drives");
    for (unsigned i = 0; i < report->rig->ports; i++) {
        if (report->rig->drive[i].preset) {
            json_object(json, NULL);
            json_integer(json, "port", i);
            json_string(json, "model", report->rig->drive[i].preset->id);
            put_split(json, &report->watch->drive[i]);
            json_close_object(json);
        }
    }
    json_close_list(json);
}

static void put_expected(Json *json, const Report *report)
{
    Expect expect;

    if (!report->watch->all.ops || !report_expects(report, &expect)) {
        return;
    }
    json_object(json, "expected");
    json_number(json, "seek_ms", expect.seek_ms);
    json_number(json, "half_turn_ms", expect.turn_ms);
    json_number(json, "overhead_ms", expect.overhead_ms);
    json_number(json, "transfer_ms", expect.transfer_ms);
    json_number(json, "total_ms", expect.total_ms);
    json_number(json, "difference_percent",
                (report->watch->all.total.mean / 1e6 / expect.total_ms - 1) *
                100);
    json_close_object(json);
}

/* What is of the whole run, in an object that is open. */
static void put_rig(Json *json, const Report *report)
{
    json_string(json, "board", report->ask->board);
    json_string(json, "drives_asked", report->ask->drives);
    json_string(json, "units", report->ask->units);
    json_integer(json, "unit", report->unit);
    json_integer(json, "seed", report->ask->seed);
    put_drives(json, report);
    put_expected(json, report);
}

void report_put_command(Json *json, const JobResult *result)
{
    uint64_t requests = result->side[UNIT_READ].requests +
                        result->side[UNIT_WRITE].requests;
    double n = requests ? requests : 1;

    json_integer(json, "model_time_ns", result->took);
    json_integer(json, "interrupted", result->interrupted);
    json_object(json, "command_mean_ns");
    json_number(json, "firmware", result->sums.firmware_ns / n);
    json_number(json, "bus", result->sums.bus_ns / n);
    json_number(json, "unit", result->sums.unit_ns / n);
    json_close_object(json);
}

static void put_options(Json *json, const JobPlan *plan)
{
    g_autofree char *depth = g_strdup_printf("%u", plan->depth);

    json_object(json, "job options");
    json_string(json, "name", plan->job->name);
    json_string(json, "rw", plan->rw);
    if (plan->sizes) {
        json_string(json, plan->job->word[JOB_BS_SPLIT].text ? "bssplit" :
                    plan->job->word[JOB_BS_RANGE].text ? "bsrange" : "bs",
                    plan->sizes);
    }
    json_string(json, "iodepth", depth);
    for (unsigned i = JOB_MIX_READ; i < JOB_KEYS; i++) {
        if (plan->job->word[i].text && i != JOB_DEPTH && i != JOB_BS &&
            i != JOB_BS_RANGE && i != JOB_BS_SPLIT) {
            json_string(json, job_key[i].name, plan->job->word[i].text);
        }
    }
    json_close_object(json);
}

void report_put_job(Json *json, const JobResult *result)
{
    json_string(json, "jobname", result->plan->job->name);
    json_integer(json, "groupid", result->group);
    json_integer(json, "error", result->first_error != UNIT_OK ? 5 : 0);
    json_integer(json, "elapsed", (result->took + 999999999) / 1000000000);
    put_options(json, result->plan);
    put_side(json, "read", &result->side[UNIT_READ], result->took);
    put_side(json, "write", &result->side[UNIT_WRITE], result->took);
    json_integer(json, "job_runtime", result->took / 1000000);
}

void report_json(const Report *report, FILE *out)
{
    unsigned results = job_run_results(report->run);
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_string(&json, "raidsim version", "1");
    json_list(&json, "jobs");
    for (unsigned i = 0; i < results; i++) {
        const JobResult *result = job_run_result(report->run, i);

        json_object(&json, NULL);
        report_put_job(&json, result);
        json_object(&json, "platter");
        report_put_command(&json, result);
        if (results == 1) {
            put_rig(&json, report);
        }
        json_close_object(&json);
        json_close_object(&json);
    }
    json_close_list(&json);
    if (results > 1) {
        json_object(&json, "platter");
        put_rig(&json, report);
        json_close_object(&json);
    }
    text = json_end(&json);
    fputs(text, out);
}
