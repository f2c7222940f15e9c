/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report for people: three tables that fit 80 columns.
 */
#include <inttypes.h>

#include "raid-model/sim/number.h"
#include "raid-model/sim/report.h"

bool report_expects(const Report *report, Expect *expect)
{
    const RunPlan *plan = report->plan;
    RaidUnit *unit = raid_controller_unit(report->rig->ctl, plan->unit);
    const RaidShape *shape = raid_unit_shape(unit);
    unsigned port;

    if (shape->members != 1 || plan->depth != 1 || !plan->work.random ||
        plan->work.read_percent != 100 ||
        plan->work.sectors != raid_capacity(shape)) {
        return false;
    }
    port = disk_port_number(raid_unit_port(unit, 0));
    *expect = expect_random_read(report->rig->drive[port].preset,
                                 plan->work.block_sectors,
                                 raid_controller_board(report->rig->ctl)
                                     ->link_bytes_per_s);
    return true;
}

static void print_side(FILE *out, const char *name, const RunSide *side,
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

static void print_drives(const Report *report, FILE *out)
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
                    report->result->took ?
                    (split->ops * split->total.mean - split->queue_ns) /
                    report->result->took : 0);
    }
    print_split(out, "all", "", &watch->all, -1);
}

static void print_commands(const Report *report, FILE *out)
{
    const RunResult *result = report->result;
    uint64_t requests = result->read.requests + result->write.requests;
    double n = requests * 1e6;
    const HostSums *sums = &result->sums;

    if (!requests) {
        return;
    }
    fprintf(out, "\n  where a command's time went, mean ms\n"
            "  firmware %.3f   bus %.3f   unit %.3f   total %.3f\n"
            "  %.2f drive operations each\n",
            sums->firmware_ns / n, sums->bus_ns / n, sums->unit_ns / n,
            (sums->firmware_ns + sums->bus_ns + sums->unit_ns) / n,
            (double)report->watch->all.ops / requests);
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

void report_text(const Report *report, FILE *out)
{
    const RunResult *result = report->result;
    const RunPlan *plan = report->plan;
    RaidUnit *unit = raid_controller_unit(report->rig->ctl, plan->unit);
    const RaidShape *shape = raid_unit_shape(unit);
    g_autofree char *block =
        number_print_bytes(plan->work.block_sectors * DISK_SECTOR_BYTES);
    double seconds = result->took ? result->took / 1e9 : 1;

    fprintf(out, "%s: %s, drives %s, unit %u: %s", report->name,
            report->ask->board, report->ask->drives, plan->unit,
            shape->level->title);
    if (shape->level->striped) {
        fprintf(out, " %uk", shape->stripe_sectors / 2);
    }
    fprintf(out, ", %.2f GB\n%s of %s, depth %u, seed %" PRIu64 ": %.3f s of "
            "model time%s\n", raid_capacity(shape) * 512 / 1e9,
            plan->work.rw, block, plan->depth, report->ask->seed,
            result->took / 1e9, result->interrupted ? " (interrupted)" : "");

    print_side(out, "read", &result->read, seconds);
    print_side(out, "write", &result->write, seconds);
    print_commands(report, out);
    print_drives(report, out);
    print_expected(report, out);
}
