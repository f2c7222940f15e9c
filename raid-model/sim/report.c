/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report for people: three tables that fit 80 columns.
 */
#include <inttypes.h>
#include <string.h>

#include "raid-model/sim/report.h"

bool report_expects(const Report *report, Expect *expect)
{
    const JobResult *result = job_run_result(report->run, 0);
    const JobPlan *plan = result->plan;
    RaidUnit *unit = raid_controller_unit(report->rig->ctl, report->unit);
    const RaidShape *shape = raid_unit_shape(unit);
    unsigned port;

    if (job_run_results(report->run) != 1 || result->jobs != 1 ||
        shape->members != 1 || plan->depth != 1 ||
        plan->draw.random_percent != 100 || plan->draw.read_percent != 100 ||
        plan->draw.spread != DRAW_UNIFORM ||
        draw_least(&plan->draw) != draw_most(&plan->draw) ||
        plan->draw.sectors != raid_capacity(shape)) {
        return false;
    }
    port = disk_port_number(raid_unit_port(unit, 0));
    *expect = expect_random_read(report->rig->drive[port].preset,
                                 draw_most(&plan->draw),
                                 raid_controller_board(report->rig->ctl)
                                     ->link_bytes_per_s);
    return true;
}

static void print_side(FILE *out, const char *name, const JobSide *side,
                       double seconds)
{
    const Latency *latency = &side->latency;
    static const double shown[] = { 50, 90, 99, 99.9 };

    if (!side->requests && !side->errors) {
        return;
    }
    fprintf(out, "\n  %-5s  IOPS %.1f   %.2f MB/s (%.2f MiB/s)   "
            "%" PRIu64 " requests", name, side->requests / seconds,
            side->bytes / seconds / 1e6, side->bytes / seconds / 1048576,
            side->requests);
    if (side->errors) {
        fprintf(out, ", %" PRIu64 " errors", side->errors);
    }
    fprintf(out, "\n         ms: mean %.3f  deviation %.3f  min %.3f  "
            "max %.3f\n         ms:", latency->mean / 1e6,
            latency_deviation(latency) / 1e6, latency->min / 1e6,
            latency->max / 1e6);
    for (unsigned i = 0; i < G_N_ELEMENTS(shown); i++) {
        fprintf(out, " %s%g %% %.2f", i ? " " : "", shown[i],
                latency_percentile(latency, shown[i]) / 1e6);
    }
    fputc('\n', out);
}

static void print_split(FILE *out, const char *port, const char *drive,
                        const WatchSplit *split, double busy)
{
    double n = split->ops * 1e6;

    fprintf(out, "  %4s  %-11.11s %8" PRIu64, port, drive, split->ops);
    if (busy >= 0) {
        fprintf(out, " %5.1f", busy * 100);
    } else {
        fprintf(out, "      ");
    }
    if (split->ops) {
        fprintf(out, " %7.3f %5.3f %6.3f %6.3f %6.3f %7.3f",
                split->queue_ns / n, split->overhead_ns / n,
                split->seek_ns / n, split->rotate_ns / n,
                split->transfer_ns / n, split->total.mean / 1e6);
    }
    fputc('\n', out);
}

static void print_drives(const Report *report, SimTime took, FILE *out)
{
    const Rig *rig = report->rig;
    const Watch *watch = report->watch;

    fprintf(out, "\n  where a drive operation's time went, mean ms\n"
            "  port  drive       operations busy%%   queue overh   seek rotate"
            " transf   total\n");
    for (unsigned i = 0; i < rig->ports; i++) {
        const WatchSplit *split = &watch->drive[i];
        char port[12];

        if (!rig->drive[i].preset) {
            continue;
        }
        g_snprintf(port, sizeof(port), "%u", i);
        print_split(out, port, rig->drive[i].preset->id, split,
                    took ? (split->ops * split->total.mean -
                            split->queue_ns) / took : 0);
    }
    print_split(out, "all", "", &watch->all, -1);
}

static uint64_t requests(const JobResult *result)
{
    return result->side[UNIT_READ].requests +
           result->side[UNIT_WRITE].requests;
}

static void print_commands(const JobResult *result, FILE *out)
{
    double n = requests(result) * 1e6;
    const HostSums *sums = &result->sums;

    if (requests(result)) {
        fprintf(out, "\n  where a command's time went, mean ms\n"
                "  firmware %.3f   bus %.3f   unit %.3f   total %.3f\n",
                sums->firmware_ns / n, sums->bus_ns / n, sums->unit_ns / n,
                (sums->firmware_ns + sums->bus_ns + sums->unit_ns) / n);
    }
}

static void print_expected(const Report *report, FILE *out)
{
    double got = report->watch->all.total.mean / 1e6;
    Expect expect;

    if (!report->watch->all.ops || !report_expects(report, &expect)) {
        return;
    }
    fprintf(out, "\n  expected of the drive: seek average %.2f + half a turn "
            "%.2f + overhead %.2f\n  + transfer %.2f = %.3f ms; measured "
            "%.3f ms, %+.2f %%\n", expect.seek_ms, expect.turn_ms,
            expect.overhead_ms, expect.transfer_ms, expect.total_ms, got,
            (got / expect.total_ms - 1) * 100);
}

void report_print_job(const JobResult *result, FILE *out)
{
    const JobPlan *plan = result->plan;
    double seconds = result->took ? result->took / 1e9 : 1;

    fprintf(out, "\n%s: ", plan->job->name);
    if (result->jobs > 1) {
        fprintf(out, "%u jobs, ", result->jobs);
    }
    fprintf(out, "%s", plan->rw);
    if (plan->draw.read_percent % 50) {
        fprintf(out, " (%u %% reads)", plan->draw.read_percent);
    }
    if (plan->sizes) {
        fprintf(out, "%sof %s", strlen(plan->sizes) > 20 ? "\n  " : " ",
                plan->sizes);
    }
    fprintf(out, ", depth %u: %.3f s of model time%s\n", plan->depth,
            result->took / 1e9,
            result->interrupted ? " (interrupted)" : "");
    print_side(out, "read", &result->side[UNIT_READ], seconds);
    print_side(out, "write", &result->side[UNIT_WRITE], seconds);
    print_commands(result, out);
}

void report_text(const Report *report, FILE *out)
{
    RaidUnit *unit = raid_controller_unit(report->rig->ctl, report->unit);
    const RaidShape *shape = raid_unit_shape(unit);
    unsigned results = job_run_results(report->run);
    SimTime took = sim_now(report->rig->sim);
    uint64_t all = 0;

    fprintf(out, "%s, drives %s, unit %u: %s", report->ask->board,
            report->ask->drives, report->unit, shape->level->title);
    if (shape->level->striped) {
        fprintf(out, " %uk", shape->stripe_sectors / 2);
    }
    fprintf(out, ", %.2f GB, seed %" PRIu64 "\n",
            raid_capacity(shape) * 512 / 1e9, report->ask->seed);

    for (unsigned i = 0; i < results; i++) {
        const JobResult *result = job_run_result(report->run, i);

        report_print_job(result, out);
        all += requests(result);
    }
    if (all) {
        fprintf(out, "  %.2f drive operations each\n",
                (double)report->watch->all.ops / all);
    }
    print_drives(report, took, out);
    print_expected(report, out);
}
