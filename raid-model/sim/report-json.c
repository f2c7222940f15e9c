/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report for programs: fio's tree, and one more branch.
 */
#include "raid-model/sim/json.h"
#include "raid-model/sim/number.h"
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

static void put_side(Json *json, const char *key, const RunSide *side,
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

static void put_platter(Json *json, const Report *report)
{
    const RunResult *result = report->result;
    uint64_t requests = result->read.requests + result->write.requests;
    double n = requests ? requests : 1;
    Expect expect;

    json_object(json, "platter");
    json_string(json, "board", report->ask->board);
    json_string(json, "drives_asked", report->ask->drives);
    json_string(json, "units", report->ask->units);
    json_integer(json, "unit", report->plan->unit);
    json_integer(json, "seed", report->ask->seed);
    json_integer(json, "model_time_ns", result->took);
    json_integer(json, "interrupted", result->interrupted);
    json_object(json, "command_mean_ns");
    json_number(json, "firmware", result->sums.firmware_ns / n);
    json_number(json, "bus", result->sums.bus_ns / n);
    json_number(json, "unit", result->sums.unit_ns / n);
    json_close_object(json);
    put_drives(json, report);
    if (report->watch->all.ops && report_expects(report, &expect)) {
        json_object(json, "expected");
        json_number(json, "seek_ms", expect.seek_ms);
        json_number(json, "half_turn_ms", expect.turn_ms);
        json_number(json, "overhead_ms", expect.overhead_ms);
        json_number(json, "transfer_ms", expect.transfer_ms);
        json_number(json, "total_ms", expect.total_ms);
        json_number(json, "difference_percent",
                    (report->watch->all.total.mean / 1e6 /
                     expect.total_ms - 1) * 100);
        json_close_object(json);
    }
    json_close_object(json);
}

void report_json(const Report *report, FILE *out)
{
    const RunPlan *plan = report->plan;
    const RunResult *result = report->result;
    g_autofree char *block =
        number_print_bytes(plan->work.block_sectors * DISK_SECTOR_BYTES);
    g_autofree char *depth = g_strdup_printf("%u", plan->depth);
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_string(&json, "raidsim version", "1");
    json_list(&json, "jobs");
    json_object(&json, NULL);
    json_string(&json, "jobname", report->name);
    json_integer(&json, "groupid", 0);
    json_integer(&json, "error", result->first_error != UNIT_OK ? 5 : 0);
    json_integer(&json, "elapsed", (result->took + 999999999) / 1000000000);
    json_object(&json, "job options");
    json_string(&json, "name", report->name);
    json_string(&json, "rw", plan->work.rw);
    json_string(&json, "bs", block);
    json_string(&json, "iodepth", depth);
    json_close_object(&json);
    put_side(&json, "read", &result->read, result->took);
    put_side(&json, "write", &result->write, result->took);
    json_integer(&json, "job_runtime", result->took / 1000000);
    put_platter(&json, report);
    json_close_object(&json);
    json_close_list(&json);
    text = json_end(&json);
    fputs(text, out);
}
