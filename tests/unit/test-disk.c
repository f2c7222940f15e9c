/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: ops end once, in order of arrival, at the time their parts add up
 * to; data moves at the end and not before; cancel, finish and cancel-all
 * keep their promises, also when done() does more than look.
 *
 * Method: a small drive on memory media, op by op; then a random story with
 * an oracle that keeps the order and the data.
 */
#include <errno.h>
#include <string.h>

#include "disk-model/drive/ata.h"
#include "tests/lib/unit.h"

#define OPS 64

typedef struct Job {
    DiskOp op;
    unsigned done_calls;
    SimTime done_at;
    unsigned place;             /* in the order of endings */
    uint8_t data[4 * DISK_SECTOR_BYTES];
} Job;

static Sim *sim;
static DiskPreset *preset;
static DiskMedia *media;
static Disk *disk;
static Job job[OPS];
static unsigned endings;
static void (*also)(Job *job);  /* what done() does besides */

static void job_done(DiskOp *op)
{
    Job *j = op->opaque;

    j->done_calls++;
    j->done_at = sim_now(sim);
    j->place = endings++;
    if (also) {
        also(j);
    }
}

static void set_up(void)
{
    sim = sim_new(1);
    preset = unit_small_drive(DISK_MAP_CYLINDER);
    media = disk_media_memory_new(preset->geometry.lbas);
    disk = disk_new(sim, preset, media, "S1", 0x12345678);
    endings = 0;
    also = NULL;
    memset(job, 0, sizeof(job));
}

static void tear_down(void)
{
    disk_free(disk);
    disk_media_close(media);
    disk_preset_free(preset);
    sim_free(sim);
}

static Job *submit(unsigned n, DiskVerb verb, uint64_t sector,
                   uint32_t count)
{
    Job *j = &job[n];

    j->op.verb = verb;
    j->op.span = (DiskSpan) { sector, count };
    j->op.buf = j->data;
    j->op.done = job_done;
    j->op.opaque = j;
    disk_submit(disk, &j->op);
    return j;
}

static void run(void)
{
    while (sim_step(sim)) {
        continue;
    }
}

static SimTime total(const MechTime *t)
{
    return t->queue_ns + t->overhead_ns + t->seek_ns + t->rotate_ns +
           t->transfer_ns;
}

static uint8_t on_media(uint64_t sector)
{
    uint8_t data[DISK_SECTOR_BYTES];

    ck_assert_int_eq(media->ops->read(media, sector, 1, data), 0);
    return data[0];
}

/* --- order and time ---------------------------------------------------- */

START_TEST(done_comes_later_and_once)
{
    Job *j = submit(0, DISK_READ, 100, 4);

    ck_assert_uint_eq(j->done_calls, 0);
    run();
    ck_assert_uint_eq(j->done_calls, 1);
    ck_assert_int_eq(j->op.status, DISK_OK);
    ck_assert_ptr_null(j->op.disk);
    ck_assert_int_eq(j->done_at, total(&j->op.time));
}
END_TEST

START_TEST(an_op_takes_what_the_mechanics_say)
{
    MechArm arm = { .phase_ns = (UINT64_C(0x12345678) * SIM_MS(6)) >> 32 };
    MechTime t = mech_access(preset, &arm, SIM_MS(7),
                             (DiskSpan) { 2000, 4 }, true);
    Job *j;

    sim_run_until(sim, SIM_MS(7));
    j = submit(0, DISK_WRITE, 2000, 4);
    run();
    ck_assert_mem_eq(&j->op.time, &t, sizeof(t));
    ck_assert_uint_eq(j->op.from_cylinder, 0);
    ck_assert_uint_eq(j->op.to_cylinder, arm.cylinder);
}
END_TEST

START_TEST(ops_are_served_in_order_of_arrival)
{
    SimTime before = 0;

    for (unsigned i = 0; i < OPS; i++) {
        submit(i, i % 3 ? DISK_READ : DISK_WRITE,
               sim_random(sim, preset->geometry.lbas - 4), 4);
    }
    run();
    for (unsigned i = 0; i < OPS; i++) {
        const MechTime *t = &job[i].op.time;

        ck_assert_uint_eq(job[i].place, i);
        ck_assert_int_eq(t->queue_ns, before);  /* asked for at 0 */
        ck_assert_int_eq(job[i].done_at, total(t));
        before = job[i].done_at;
    }
}
END_TEST

START_TEST(data_reaches_the_medium_at_the_end)
{
    Job *j = &job[0];

    memset(j->data, 0xab, sizeof(j->data));
    submit(0, DISK_WRITE, 10, 4);
    sim_run_until(sim, total(&j->op.time) - 1);
    ck_assert_uint_eq(on_media(10), 0);
    sim_run_until(sim, total(&j->op.time));
    ck_assert_uint_eq(on_media(10), 0xab);
    ck_assert_uint_eq(on_media(13), 0xab);
    submit(1, DISK_READ, 10, 4);
    run();
    ck_assert_mem_eq(job[1].data, j->data, sizeof(j->data));
}
END_TEST

START_TEST(a_flush_costs_the_overhead)
{
    Job *j = submit(0, DISK_FLUSH, 0, 0);

    run();
    ck_assert_int_eq(j->op.status, DISK_OK);
    ck_assert_int_eq(j->done_at, preset->overhead_ns);
}
END_TEST

/* --- what goes wrong --------------------------------------------------- */

START_TEST(beyond_the_end_is_refused_later)
{
    uint64_t end = preset->geometry.lbas;

    submit(0, DISK_READ, end - 3, 4);
    submit(1, DISK_WRITE, end, 1);
    submit(2, DISK_WRITE, UINT64_MAX, 2);
    submit(3, DISK_READ, 0, 0);
    submit(4, DISK_READ, end - 4, 4);
    ck_assert_uint_eq(endings, 0);
    run();
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(job[i].op.status, DISK_OUT_OF_RANGE);
    }
    ck_assert_int_eq(job[4].op.status, DISK_OK);
}
END_TEST

static int no_media(DiskMedia *m, uint64_t sector, uint32_t count, void *buf)
{
    (void)m;
    (void)sector;
    (void)count;
    (void)buf;
    return -EIO;
}

START_TEST(a_media_error_fails_the_op)
{
    DiskMediaOps ops = *media->ops;
    const DiskMediaOps *real = media->ops;

    ops.read = no_media;
    media->ops = &ops;
    submit(0, DISK_READ, 0, 4);
    submit(1, DISK_WRITE, 0, 4);
    run();
    ck_assert_int_eq(job[0].op.status, DISK_FAILED);
    ck_assert_int_eq(job[1].op.status, DISK_OK);
    media->ops = real;
}
END_TEST

/* --- taking back ------------------------------------------------------- */

START_TEST(a_cancelled_op_writes_nothing)
{
    for (unsigned i = 0; i < 3; i++) {
        memset(job[i].data, 0x10 + i, sizeof(job[i].data));
        submit(i, DISK_WRITE, 100 * i, 4);
    }
    sim_run_until(sim, SIM_US(50));
    disk_cancel(&job[0].op, DISK_ABORTED);      /* in service */
    ck_assert_uint_eq(job[0].done_calls, 1);
    ck_assert_int_eq(job[0].op.status, DISK_ABORTED);
    disk_cancel(&job[2].op, DISK_GONE);         /* waiting */
    ck_assert_int_eq(job[2].op.status, DISK_GONE);
    run();
    ck_assert_uint_eq(on_media(0), 0);
    ck_assert_uint_eq(on_media(100), 0x11);
    ck_assert_uint_eq(on_media(200), 0);
    ck_assert_int_eq(job[1].op.time.queue_ns, SIM_US(50));
    ck_assert_uint_eq(endings, 3);
}
END_TEST

START_TEST(a_cancelled_op_leaves_the_arm_at_its_end)
{
    submit(0, DISK_READ, preset->geometry.lbas - 4, 4);
    sim_run_until(sim, SIM_US(50));
    disk_cancel(&job[0].op, DISK_ABORTED);
    submit(1, DISK_READ, 0, 1);
    run();
    ck_assert_uint_eq(job[1].op.from_cylinder, job[0].op.to_cylinder);
    ck_assert_int_gt(job[1].op.time.seek_ns, SIM_MS(2));
}
END_TEST

START_TEST(finish_now_does_the_work_out_of_turn)
{
    for (unsigned i = 0; i < 3; i++) {
        memset(job[i].data, 0x20 + i, sizeof(job[i].data));
        submit(i, DISK_WRITE, 100 * i, 4);
    }
    disk_finish_now(&job[2].op);                /* waiting */
    ck_assert_uint_eq(on_media(200), 0x22);
    ck_assert_int_eq(job[2].op.status, DISK_OK);
    ck_assert_int_eq(job[2].done_at, 0);
    disk_finish_now(&job[0].op);                /* in service */
    ck_assert_uint_eq(on_media(0), 0x20);
    ck_assert_uint_eq(on_media(100), 0);
    ck_assert_uint_eq(endings, 2);
    run();
    ck_assert_uint_eq(on_media(100), 0x21);
    ck_assert_uint_eq(endings, 3);
}
END_TEST

/* done() that submits itself again, twice in all. */
static void submit_again(Job *j)
{
    if (j->done_calls < 2) {
        disk_submit(disk, &j->op);
    }
}

START_TEST(cancel_all_leaves_what_done_submits)
{
    also = submit_again;
    for (unsigned i = 0; i < 5; i++) {
        submit(i, DISK_READ, 100 * i, 4);
    }
    disk_cancel_all(disk, DISK_GONE);
    ck_assert_uint_eq(endings, 5);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_uint_eq(job[i].place, i);     /* oldest first */
        ck_assert_int_eq(job[i].done_calls, 1);
    }
    run();
    ck_assert_uint_eq(endings, 10);
    ck_assert_int_eq(job[4].op.status, DISK_OK);
}
END_TEST

/* done() of the first takes the third back. */
static void cancel_the_third(Job *j)
{
    if (j == &job[0]) {
        disk_cancel(&job[2].op, DISK_ABORTED);
    }
}

START_TEST(done_may_cancel_others)
{
    also = cancel_the_third;
    for (unsigned i = 0; i < 4; i++) {
        submit(i, DISK_READ, 100 * i, 4);
    }
    disk_cancel_all(disk, DISK_GONE);
    ck_assert_int_eq(job[0].op.status, DISK_GONE);
    ck_assert_int_eq(job[2].op.status, DISK_ABORTED);
    ck_assert_int_eq(job[3].op.status, DISK_GONE);
    ck_assert_uint_eq(endings, 4);
}
END_TEST

static void free_the_disk(Job *j)
{
    (void)j;
    disk_free(disk);
    disk = NULL;
}

START_TEST(done_may_free_the_drive)
{
    also = free_the_disk;
    submit(0, DISK_READ, 0, 1);
    run();
    ck_assert_ptr_null(disk);
}
END_TEST

/* --- a story ----------------------------------------------------------- */

/*
 * Writes, reads and every way to end early, at random.  The oracle holds
 * each sector's last value that was acknowledged.
 */
START_TEST(a_random_story_ends_every_op_once)
{
    static uint8_t kept[4000];
    unsigned submitted = 0;

    for (unsigned step = 0; step < 5000; step++) {
        unsigned n = sim_random(sim, OPS);
        Job *j = &job[n];
        unsigned before = endings;

        if (!j->op.disk) {
            DiskVerb verb = sim_random(sim, 2) ? DISK_WRITE : DISK_READ;
            uint64_t sector = n * 16 + sim_random(sim, 12);

            memset(j->data, step, sizeof(j->data));
            submit(n, verb, sector, 4);
            submitted++;
        } else {
            switch (sim_random(sim, 12)) {
            case 0:
                disk_cancel(&j->op, DISK_ABORTED);
                break;
            case 1:
                disk_finish_now(&j->op);
                break;
            case 2:
                if (!sim_random(sim, 20)) {
                    disk_cancel_all(disk, DISK_GONE);
                }
                break;
            default:
                sim_step(sim);
                break;
            }
        }
        for (unsigned i = 0; before != endings && i < OPS; i++) {
            const DiskOp *op = &job[i].op;

            if (op->disk || !job[i].done_calls || op->status != DISK_OK) {
                continue;
            }
            if (job[i].place >= before) {
                uint8_t *old = &kept[op->span.sector];

                for (unsigned s = 0; s < 4; s++) {
                    uint8_t is = job[i].data[s * DISK_SECTOR_BYTES];

                    unit_holds(op->verb == DISK_WRITE || is == old[s]);
                    old[s] = is;
                }
            }
        }
    }
    run();
    ck_assert_uint_eq(endings, submitted);
}
END_TEST

/* --- trace ------------------------------------------------------------- */

static SimTraceRecord record[4];
static unsigned records;

static void keep_record(void *opaque, const SimTraceRecord *r)
{
    (void)opaque;
    record[records++ % 4] = *r;
}

START_TEST(each_end_is_traced_with_its_times)
{
    const DiskOp *op = &job[1].op;

    sim_trace_to(sim, keep_record, NULL);
    disk_set_port(disk, 7);
    submit(0, DISK_READ, 0, 4);
    submit(1, DISK_WRITE, 3000, 4);
    run();
    ck_assert_uint_eq(records, 2);
    ck_assert_int_eq(record[1].kind, SIM_TRACE_DRIVE_OP);
    ck_assert_int_eq(record[1].at, job[1].done_at);
    ck_assert_str_eq(record[1].word, "write");
    ck_assert_int_eq(record[1].value[0], 7);
    ck_assert_int_eq(record[1].value[1], DISK_WRITE);
    ck_assert_int_eq(record[1].value[2], 3000);
    ck_assert_int_eq(record[1].value[3], 4);
    ck_assert_int_eq(record[1].value[4], job[0].op.to_cylinder);
    ck_assert_int_eq(record[1].value[5], op->to_cylinder);
    ck_assert_int_eq(record[1].value[6], op->time.queue_ns);
    ck_assert_int_eq(record[1].value[7], op->time.overhead_ns);
    ck_assert_int_eq(record[1].value[8], op->time.seek_ns);
    ck_assert_int_eq(record[1].value[9], op->time.rotate_ns);
    ck_assert_int_eq(record[1].value[10], op->time.transfer_ns);
    ck_assert_int_eq(record[1].value[11], DISK_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("disk");
    TCase *tc = tcase_create("disk");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, done_comes_later_and_once);
    tcase_add_test(tc, an_op_takes_what_the_mechanics_say);
    tcase_add_test(tc, ops_are_served_in_order_of_arrival);
    tcase_add_test(tc, data_reaches_the_medium_at_the_end);
    tcase_add_test(tc, a_flush_costs_the_overhead);
    tcase_add_test(tc, beyond_the_end_is_refused_later);
    tcase_add_test(tc, a_media_error_fails_the_op);
    tcase_add_test(tc, a_cancelled_op_writes_nothing);
    tcase_add_test(tc, a_cancelled_op_leaves_the_arm_at_its_end);
    tcase_add_test(tc, finish_now_does_the_work_out_of_turn);
    tcase_add_test(tc, cancel_all_leaves_what_done_submits);
    tcase_add_test(tc, done_may_cancel_others);
    tcase_add_test(tc, done_may_free_the_drive);
    tcase_add_test(tc, a_random_story_ends_every_op_once);
    tcase_add_test(tc, each_end_is_traced_with_its_times);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
