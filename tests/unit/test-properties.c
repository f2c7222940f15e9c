/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goal: whatever is asked of any drive that ships, the time it takes is
 * possible: not less than the sectors need to pass, not more than the arm,
 * the platter and the switches account for; streams run at the media's rate
 * where the real drive's would.
 *
 * Method: draws by the hundred thousand over each preset, against bounds
 * from its figures; streams against the makers' formula for the sustained
 * rate, or the host's pace where that is slower.
 */
#include <string.h>

#include "disk-model/drive/port.h"
#include "tests/lib/unit.h"

#define DRAWS 100000
#define COUNT_MAX 2048

static const char *const presets[] = {
    "dtla307045", "max6l080j4", "sr5400", "st380021a", "wd1200jb",
    "wd2500jb", "wd3000glfs", "wd360gd", "wd5000ys",    /* ATA_DRIVES */
    "atlas10k", "atlas_III", "barracuda", "cheetah4LP", "cheetah9LP",
    "dec_rz26", "hp_c2247a", "hp_c2490a", "hp_c3323a", "ibm18es", "st41601n",
};
#define ATA_DRIVES 9

/* --- one access --------------------------------------------------------- */

typedef struct Bounds {
    SimTime seek_max, switch_max, sector_min, sector_max;
    uint32_t spt_min;
} Bounds;

static Bounds bounds_of(const DiskPreset *drive)
{
    const DiskGeometry *geometry = &drive->geometry;
    Bounds b = { .spt_min = UINT32_MAX };
    uint32_t spt_max = 0;

    for (uint32_t d = 0; d < geometry->cylinders; d++) {
        b.seek_max = MAX(b.seek_max, drive->seek_ns[d]);
    }
    b.switch_max = MAX(drive->head_switch_ns, drive->cylinder_switch_ns);
    b.seek_max = MAX(MAX(b.seek_max, b.switch_max), drive->settle_ns) +
                 MAX(drive->write_settle_ns, 0);
    for (unsigned z = 0; z < geometry->zones; z++) {
        b.spt_min = MIN(b.spt_min, geometry->zone[z].sectors_per_track);
        spt_max = MAX(spt_max, geometry->zone[z].sectors_per_track);
    }
    b.sector_min = drive->turn_ns / spt_max;
    b.sector_max = drive->turn_ns / b.spt_min + 1;
    return b;
}

/*
 * Between tracks an ATA drive's skews cover the switch and no more than two
 * sectors; a traced drive may lose a turn, as the real one does, and jump
 * over slips.
 */
START_TEST(no_access_takes_too_little_or_too_long)
{
    DiskPreset *drive = unit_preset(presets[_i]);
    Sim *sim = sim_new(1 + _i);
    Bounds b = bounds_of(drive);
    bool ata = _i < ATA_DRIVES;
    MechArm arm = { .phase_ns = 12345 };
    SimTime now = 0;

    for (unsigned i = 0; i < DRAWS; i++) {
        uint32_t count = 1 + sim_random(sim, sim_random(sim, 8) ? 128
                                                                : COUNT_MAX);
        uint64_t sector = sim_random(sim, drive->geometry.lbas - count + 1);
        uint32_t tracks = count / b.spt_min + 2 + (ata ? 0 : 16);
        SimTime each = b.switch_max + (ata ? 2 * b.sector_max
                                           : drive->turn_ns);
        MechTime t = mech_access(drive, &arm, now, (DiskSpan) {
            sector, count }, sim_random(sim, 2));

        unit_holds(t.overhead_ns == drive->overhead_ns);
        unit_holds(t.seek_ns >= 0 && t.seek_ns <= b.seek_max);
        unit_holds(t.rotate_ns >= 0 && t.rotate_ns < drive->turn_ns);
        unit_holds(t.transfer_ns > 0);
        unit_holds(drive->zero_latency ||
                   t.transfer_ns >= count * b.sector_min - 8 * tracks);
        unit_holds(t.transfer_ns <= count * b.sector_max + tracks * each);
        unit_holds(arm.cylinder < drive->geometry.cylinders &&
                   arm.head < drive->geometry.heads);
        now += sim_random(sim, SIM_S(1000));
    }
    sim_free(sim);
    disk_preset_free(drive);
}
END_TEST

/* --- the same through a drive ------------------------------------------- */

static Sim *sim;
static DiskPreset *preset;
static Disk *disk;

/* A medium that keeps nothing. */
static int nothing_read(DiskMedia *from, uint64_t sector, uint32_t count,
                        void *buf)
{
    (void)from, (void)sector, (void)count, (void)buf;
    return 0;
}

static int nothing_written(DiskMedia *to, uint64_t sector, uint32_t count,
                           const void *buf)
{
    (void)to, (void)sector, (void)count, (void)buf;
    return 0;
}

static int nothing_flushed(DiskMedia *to)
{
    (void)to;
    return 0;
}

static const DiskMediaOps nothing = {
    .read = nothing_read, .write = nothing_written, .flush = nothing_flushed,
    .forgets = true,
};
static DiskMedia nowhere = { .ops = &nothing };

static void open_drive(const char *name, bool buffer)
{
    sim = sim_new(1);
    preset = unit_preset(name);
    preset->buffer.there &= buffer;
    nowhere.sectors = preset->geometry.lbas;
    disk = disk_new(sim, preset, &nowhere, "P", 99);
}

static void close_drive(void)
{
    while (sim_step(sim)) {
    }
    disk_free(disk);
    disk_preset_free(preset);
    sim_free(sim);
}

#define OPS 40
#define SMALL 64                /* sectors of an op */

static uint8_t memory[256 * DISK_SECTOR_BYTES];

typedef struct Load {
    DiskOp op[OPS];
    unsigned left;
    SimTime worst;              /* of the time in service */
} Load;

static void next_at_random(Load *load, DiskOp *op)
{
    op->verb = sim_random(sim, 3) ? DISK_READ : DISK_WRITE;
    op->span.count = 1 + sim_random(sim, SMALL);
    op->span.sector = sim_random(sim, preset->geometry.lbas - SMALL);
    disk_submit(disk, op);
    load->left--;
}

static void one_done(DiskOp *op)
{
    Load *load = op->opaque;
    const MechTime *t = &op->time;

    unit_holds(op->status == DISK_OK);
    unit_holds(t->queue_ns >= 0 && t->overhead_ns > 0 && t->seek_ns >= 0);
    unit_holds(t->rotate_ns >= 0 && t->rotate_ns < preset->turn_ns);
    unit_holds(t->transfer_ns >= 0);
    load->worst = MAX(load->worst, t->overhead_ns + t->seek_ns +
                      t->rotate_ns + t->transfer_ns);
    if (load->left) {
        next_at_random(load, op);
    }
}

/* An op in front waits for one write under way, and then does its own. */
START_TEST(no_op_is_in_service_for_longer_than_two_accesses)
{
    Load load = { .left = 20000 };
    Bounds b;

    open_drive(presets[_i % ATA_DRIVES], true);
    b = bounds_of(preset);
    for (unsigned i = 0; i < (_i < ATA_DRIVES ? 1 : OPS); i++) {
        load.op[i].buf = memory;
        load.op[i].done = one_done;
        load.op[i].opaque = &load;
        next_at_random(&load, &load.op[i]);
    }
    while (sim_step(sim)) {
    }
    ck_assert_int_lt(load.worst, SIM_MS(1) + 2 *
                     (b.seek_max + preset->turn_ns + 3 * b.switch_max +
                      (SMALL + preset->buffer.ahead_least) * b.sector_max));
    close_drive();
}
END_TEST

/* --- without a buffer --------------------------------------------------- */

static void ended(DiskOp *op)
{
    *(SimTime *)op->opaque = sim_now(sim);
}

static SimTime do_op(DiskVerb verb, uint64_t sector, uint32_t count)
{
    SimTime at = -1;
    DiskOp op = { .verb = verb, .span = { sector, count }, .buf = memory,
                  .done = ended, .opaque = &at };

    disk_submit(disk, &op);
    while (at < 0) {
        ck_assert(sim_step(sim));
    }
    return at;
}

START_TEST(a_sector_read_again_takes_a_turn)
{
    open_drive(presets[_i], false);
    for (unsigned i = 0; i < 200; i++) {
        uint64_t sector = sim_random(sim, preset->geometry.lbas);
        SimTime first = do_op(DISK_READ, sector, 1);

        for (unsigned again = 1; again <= 3; again++) {
            SimTime due = first + again * preset->turn_ns;
            SimTime late = do_op(DISK_READ, sector, 1) - due;

            unit_holds(ABS(late) <= 1);     /* angles are rounded */
        }
    }
    close_drive();
}
END_TEST

/* The next piece of the same track has just gone by. */
START_TEST(without_a_buffer_each_piece_of_a_track_costs_a_turn_more)
{
    uint32_t spt;

    open_drive(presets[_i], false);
    spt = preset->geometry.zone[0].sectors_per_track;
    for (uint64_t at = 0; at + 64 <= spt; at += 32) {
        SimTime last = do_op(DISK_WRITE, at, 32);
        SimTime took = do_op(DISK_WRITE, at + 32, 32) - last;
        SimTime due = preset->turn_ns + 32 * preset->turn_ns / spt;

        ck_assert_int_le(ABS(took - due), 8);
    }
    close_drive();
}
END_TEST

/* --- streams ------------------------------------------------------------ */

typedef struct Stream {
    DiskOp op[4];
    SimEvent pause[4];
    SimTime delay;
    uint64_t next;
    uint32_t count, ended;
} Stream;

static Stream stream;

static void submit_next(unsigned n)
{
    DiskOp *op = &stream.op[n];

    op->span = (DiskSpan) { stream.next, stream.count };
    stream.next += stream.count;
    disk_submit(disk, op);
}

static void pause_ends(SimEvent *ev)
{
    submit_next(ev - stream.pause);
}

static void piece_ends(DiskOp *op)
{
    unsigned n = op - stream.op;

    stream.ended++;
    sim_after(sim, &stream.pause[n], stream.delay);
}

/* Runs until so many have ended; when that was. */
static SimTime run_to(uint32_t pieces)
{
    while (stream.ended < pieces) {
        ck_assert(sim_step(sim));
    }
    return sim_now(sim);
}

/* IBM's: a cylinder's sectors over its turns and switches; ns a sector. */
static double sustained_ns(unsigned zone)
{
    double turns = (double)preset->geometry.heads * preset->turn_ns;
    double switches = (preset->geometry.heads - 1.0) * preset->head_switch_ns +
                      preset->cylinder_switch_ns;

    return (turns + switches) / preset->geometry.heads /
           preset->geometry.zone[zone].sectors_per_track;
}

#define PACES 8                 /* 32 or 64 KiB, depth 1 or 4, host slow */
#define WARM 300
#define PIECES 1000

/* At the media's rate, or as fast as one op after the other goes. */
static void stream_runs(DiskVerb verb, const DiskCost *hit, unsigned pace,
                        bool hub)
{
    unsigned depth = pace & 2 ? 4 : 1;
    unsigned zone = hub ? preset->geometry.zones - 1 : 0;
    double link, host, due, took, held = 0;
    SimTime start;

    stream = (Stream) { .count = pace & 1 ? 128 : 64,
                        .delay = pace & 4 ? SIM_US(200) : 0,
                        .next = preset->geometry.zone[zone].first_lba };
    for (unsigned i = 0; i < depth; i++) {
        stream.op[i] = (DiskOp) { .verb = verb, .buf = memory,
                                  .done = piece_ends };
        stream.pause[i].fire = pause_ends;
        submit_next(i);
    }
    start = run_to(WARM);
    took = (double)(run_to(WARM + PIECES) - start) / PIECES;
    link = stream.count * 512e9 / preset->link_bytes_per_s;
    host = link + hit->after_ns[verb == DISK_WRITE] +
           (depth == 1 ? stream.delay : 0);
    due = MAX(host, stream.count * sustained_ns(zone));
    ck_assert_double_le(took, due / 0.97);
    if (verb == DISK_WRITE) {   /* the buffer may still be filling */
        held = (double)preset->buffer.segments *
               preset->buffer.segment_sectors * sustained_ns(zone) / PIECES;
    }
    ck_assert_double_ge(took + held, due / 1.03);
    ck_assert_double_ge(took, host / 1.001);
    for (unsigned i = 0; i < depth; i++) {
        sim_cancel(sim, &stream.pause[i]);
        stream.pause[i].fire = NULL;
    }
}

static void no_more(DiskOp *op)
{
    (void)op;
}

START_TEST(streams_run_at_the_rate_of_the_media_or_the_host)
{
    bool hub = _i % 2;
    unsigned drive = _i / 2 % ATA_DRIVES;
    DiskVerb verb = _i / 2 / ATA_DRIVES ? DISK_WRITE : DISK_READ;

    for (unsigned pace = 0; pace < PACES; pace++) {
        open_drive(presets[drive], true);
        stream_runs(verb, verb == DISK_WRITE ? &preset->buffer.write_hit
                                             : &preset->buffer.read_hit,
                    pace, hub);
        for (unsigned i = 0; i < 4; i++) {
            stream.op[i].done = no_more;
        }
        close_drive();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("properties");
    TCase *tc = tcase_create("properties");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, no_access_takes_too_little_or_too_long, 0,
                        G_N_ELEMENTS(presets));
    tcase_add_loop_test(tc, no_op_is_in_service_for_longer_than_two_accesses,
                        0, 2 * ATA_DRIVES);
    tcase_add_loop_test(tc, a_sector_read_again_takes_a_turn,
                        0, ATA_DRIVES);
    tcase_add_loop_test(tc,
        without_a_buffer_each_piece_of_a_track_costs_a_turn_more, 0,
        ATA_DRIVES);
    tcase_add_loop_test(tc, streams_run_at_the_rate_of_the_media_or_the_host,
                        0, 4 * ATA_DRIVES);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
