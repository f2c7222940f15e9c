/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: an empty port answers GONE, later; a pulled drive gives everything
 * back; the cable costs what it should; and the mean random read of every
 * ATA preset is what its data sheet adds up to.
 *
 * Method: examples on a small drive; then 40,000 random reads per preset.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "disk-model/drive/port.h"
#include "tests/lib/unit.h"

#define OPS 8
#define READS 40000
#define READ_SECTORS 16         /* 8 KiB */

typedef struct Job {
    DiskOp op;
    unsigned done_calls;
    SimTime done_at;
    uint8_t data[200 * DISK_SECTOR_BYTES];
} Job;

static Sim *sim;
static DiskPreset *preset;
static DiskMedia *media;
static Disk *disk;
static DiskPort *port;
static Job job[OPS];
static unsigned endings;
static bool again;

static void submit(unsigned n, DiskVerb verb, uint64_t sector,
                   uint32_t count);

static void job_done(DiskOp *op)
{
    Job *j = op->opaque;

    j->done_calls++;
    j->done_at = sim_now(sim);
    endings++;
    if (again) {
        again = false;
        submit(OPS - 1, DISK_READ, 0, 1);
    }
}

static void submit(unsigned n, DiskVerb verb, uint64_t sector,
                   uint32_t count)
{
    Job *j = &job[n];

    j->op.verb = verb;
    j->op.span = (DiskSpan) { sector, count };
    j->op.buf = j->data;
    j->op.done = job_done;
    j->op.opaque = j;
    disk_port_submit(port, &j->op);
}

static void run(void)
{
    while (sim_step(sim)) {
        continue;
    }
}

static void set_up_with(DiskPreset *with)
{
    sim = sim_new(1);
    preset = with;
    media = disk_media_memory_new(preset->geometry.lbas);
    disk = disk_new(sim, preset, media, "S1", 99);
    port = disk_port_new(sim, 3, 0);
    disk_port_plug(port, disk);
    endings = 0;
    memset(job, 0, sizeof(job));
}

static void set_up(void)
{
    set_up_with(unit_small_drive(DISK_MAP_CYLINDER));
}

static void tear_down(void)
{
    disk_port_pull(port);
    disk_port_free(port);
    disk_free(disk);
    disk_media_close(media);
    disk_preset_free(preset);
    sim_free(sim);
}

START_TEST(a_port_knows_its_drive)
{
    ck_assert_uint_eq(disk_port_number(port), 3);
    ck_assert_ptr_eq(disk_port_disk(port), disk);
    ck_assert_ptr_eq(disk_port_pull(port), disk);
    ck_assert_ptr_null(disk_port_disk(port));
    ck_assert_ptr_null(disk_port_pull(port));
    ck_assert_str_eq(disk_serial(disk), "S1");
    ck_assert_uint_eq(disk_sectors(disk), preset->geometry.lbas);
}
END_TEST

START_TEST(only_a_medium_that_forgets_keeps_no_data)
{
    DiskMediaOps ops = *media->ops;
    const DiskMediaOps *own = media->ops;

    ck_assert(disk_port_keeps_data(port));
    ops.forgets = true;
    media->ops = &ops;
    ck_assert(!disk_port_keeps_data(port));
    disk_port_pull(port);
    ck_assert(disk_port_keeps_data(port));
    media->ops = own;
}
END_TEST

START_TEST(an_empty_port_answers_gone_later)
{
    disk_port_pull(port);
    submit(0, DISK_READ, 0, 1);
    submit(1, DISK_WRITE, 0, 1);
    submit(2, DISK_FLUSH, 0, 0);
    ck_assert_uint_eq(endings, 0);
    disk_port_cancel(&job[1].op, DISK_ABORTED);
    ck_assert_int_eq(job[1].op.status, DISK_ABORTED);
    disk_port_finish_now(&job[2].op);
    ck_assert_int_eq(job[2].op.status, DISK_GONE);
    ck_assert_uint_eq(endings, 2);
    run();
    ck_assert_uint_eq(endings, 3);
    ck_assert_int_eq(job[0].op.status, DISK_GONE);
    ck_assert_int_eq(job[0].done_at, 0);
}
END_TEST

START_TEST(a_pull_gives_everything_back)
{
    uint8_t data[DISK_SECTOR_BYTES];

    for (unsigned i = 0; i < 4; i++) {
        memset(job[i].data, 0x55, DISK_SECTOR_BYTES);
        submit(i, DISK_WRITE, 100 * i, 1);
    }
    sim_run_until(sim, SIM_US(10));
    again = true;               /* the first done() submits once more */
    ck_assert_ptr_eq(disk_port_pull(port), disk);
    ck_assert_uint_eq(endings, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(job[i].op.status, DISK_GONE);
        ck_assert_uint_eq(job[i].done_calls, 1);
        ck_assert_int_eq(media->ops->read(media, 100 * i, 1, data), 0);
        ck_assert_uint_eq(data[0], 0);
    }
    run();
    ck_assert_int_eq(job[OPS - 1].op.status, DISK_GONE);
    disk_port_plug(port, disk);
    submit(0, DISK_WRITE, 0, 1);
    run();
    ck_assert_int_eq(job[0].op.status, DISK_OK);
}
END_TEST

/* Two drives alike, one without a port: what remains is the cable. */
START_TEST(the_cable_costs_its_last_or_first_piece)
{
    static const uint32_t counts[] = { 1, 16, 128, 200 };
    uint32_t count = counts[_i / 2];
    bool write = _i % 2;
    Disk *bare = disk_new(sim, preset, media, "S2", 99);
    DiskOp op = { .verb = write ? DISK_WRITE : DISK_READ,
                  .span = { 50, count }, .buf = job[1].data,
                  .done = job_done, .opaque = &job[1] };
    SimTime cable = MIN(count, 128) * 5120;     /* 100 MB/s */
    MechTime *with = &job[0].op.time, *without = &op.time;

    submit(0, op.verb, 50, count);
    disk_submit(bare, &op);
    run();
    if (write) {
        ck_assert_int_eq(with->overhead_ns, without->overhead_ns + cable);
        ck_assert_int_eq(with->transfer_ns, without->transfer_ns);
    } else {
        ck_assert_int_eq(with->overhead_ns, without->overhead_ns);
        ck_assert_int_eq(with->transfer_ns, without->transfer_ns + cable);
        ck_assert_int_eq(job[0].done_at, job[1].done_at + cable);
    }
    disk_free(bare);
}
END_TEST

START_TEST(the_slower_end_sets_the_pace)
{
    DiskPort *slow = disk_port_new(sim, 4, 50000000);
    SimTime fast_ns;

    submit(0, DISK_READ, 0, 128);
    run();
    fast_ns = job[0].op.time.transfer_ns;
    disk_port_plug(slow, disk_port_pull(port));
    disk_port_submit(slow, &job[0].op);
    run();
    ck_assert_int_eq(job[0].op.time.transfer_ns, fast_ns + 128 * 5120);
    disk_port_pull(slow);
    disk_port_free(slow);
}
END_TEST

/* A random list of ops: the next may start only when the cable is free. */
START_TEST(ops_do_not_overlap_on_a_cable)
{
    SimTime last = 0;

    for (unsigned i = 0; i < OPS; i++) {
        submit(i, i % 2 ? DISK_READ : DISK_WRITE, 300 * i, 128);
    }
    run();
    for (unsigned i = 0; i < OPS; i++) {
        const MechTime *t = &job[i].op.time;

        ck_assert_int_eq(t->queue_ns, last);
        last = job[i].done_at;
        ck_assert_int_eq(last, t->queue_ns + t->overhead_ns + t->seek_ns +
                         t->rotate_ns + t->transfer_ns);
    }
}
END_TEST

static SimTraceRecord record[4];
static unsigned records;

static void keep_record(void *opaque, const SimTraceRecord *r)
{
    (void)opaque;
    record[records++ % 4] = *r;
}

START_TEST(plug_and_pull_are_traced)
{
    sim_trace_to(sim, keep_record, NULL);
    disk_port_pull(port);
    disk_port_plug(port, disk);
    ck_assert_uint_eq(records, 2);
    ck_assert_int_eq(record[0].kind, SIM_TRACE_DRIVE_PLUG);
    ck_assert_str_eq(record[0].word, "pull");
    ck_assert_str_eq(record[1].word, "plug");
    ck_assert_int_eq(record[1].value[0], 3);
    ck_assert_int_eq(record[1].value[1], preset->geometry.lbas);
}
END_TEST

/* --- the figure every drive is bought for ------------------------------ */

static const char *const ata_drives[] = {
    "dtla307045", "max6l080j4", "sr5400", "st380021a", "wd1200jb",
    "wd2500jb", "wd3000glfs", "wd360gd", "wd5000ys",
};

/* Passing of 8 KiB under the head, all sectors alike, and over the link. */
/* Mean time for so many sectors to pass, switches left out. */
static double passing_ms(const DiskPreset *drive, unsigned sectors)
{
    double turns = 0;

    for (unsigned z = 0; z < drive->geometry.zones; z++) {
        const DiskZone *zone = &drive->geometry.zone[z];

        turns += (double)zone->lbas / drive->geometry.lbas *
                 sectors / zone->sectors_per_track;
    }
    return turns * drive->turn_ns / 1e6;
}

static double transfer_ms(const DiskPreset *drive)
{
    return passing_ms(drive, READ_SECTORS) +
           READ_SECTORS * 512e3 / drive->link_bytes_per_s;
}

/* The least of reading ahead, while the next command is understood. */
static double ahead_ms(const DiskPreset *drive)
{
    return MAX(0, passing_ms(drive, drive->buffer.ahead_least) -
                  drive->overhead_ns / 1e6);
}

START_TEST(random_reads_take_what_the_data_sheet_adds_up_to)
{
    double seek = 0, rotate = 0, sum = 0, mean, expect;

    set_up_with(unit_preset(ata_drives[_i]));
    for (unsigned i = 0; i < READS; i++) {
        uint64_t slots = preset->geometry.lbas / READ_SECTORS;

        submit(0, DISK_READ, sim_random(sim, slots) * READ_SECTORS,
               READ_SECTORS);
        run();
        seek += job[0].op.time.seek_ns / 1e6 / READS;
        rotate += job[0].op.time.rotate_ns / 1e6 / READS;
    }
    sum = sim_now(sim) / 1e6;
    mean = sum / READS;
    expect = preset->seek_average_ms + preset->turn_ns / 2e6 +
             preset->overhead_ns / 1e6 + transfer_ms(preset) +
             ahead_ms(preset);
    printf("%-11s random 8 KiB read %7.3f ms (seek %6.3f, rotation %5.3f), "
           "data sheet %7.3f: %+.2f %%\n", ata_drives[_i], mean, seek,
           rotate, expect, (mean / expect - 1) * 100);
    ck_assert_double_le(fabs(mean / expect - 1), 0.02);
    ck_assert_double_le(fabs(rotate * 2e6 / preset->turn_ns - 1), 0.01);
    tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("port");
    TCase *tc = tcase_create("port");
    TCase *figures = tcase_create("figures");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, a_port_knows_its_drive);
    tcase_add_test(tc, only_a_medium_that_forgets_keeps_no_data);
    tcase_add_test(tc, an_empty_port_answers_gone_later);
    tcase_add_test(tc, a_pull_gives_everything_back);
    tcase_add_loop_test(tc, the_cable_costs_its_last_or_first_piece, 0, 8);
    tcase_add_test(tc, the_slower_end_sets_the_pace);
    tcase_add_test(tc, ops_do_not_overlap_on_a_cable);
    tcase_add_test(tc, plug_and_pull_are_traced);
    suite_add_tcase(suite, tc);

    tcase_set_timeout(figures, 60);
    tcase_add_loop_test(figures,
                        random_reads_take_what_the_data_sheet_adds_up_to, 0,
                        G_N_ELEMENTS(ata_drives));
    suite_add_tcase(suite, figures);
    return unit_run(suite);
}
