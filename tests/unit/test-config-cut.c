/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration under power cuts: whatever the last sector written was, the
 * unit assembles, with all the members nobody has given up, and says unclean
 * if its redundancy may not agree.
 *
 * A story runs again and again, each time with one sector more written; what
 * is on the media then is what the next power-on finds.
 */
#include <string.h>

#include "raid-model/control/controller-private.h"
#include "tests/lib/card-bench.h"
#include "tests/lib/unit.h"

#define SECTOR DISK_SECTOR_BYTES
#define UNIT_SECTORS 256

/* Which cuts are taken; PLATTER_ALL_CUTS in the environment takes them all. */
static unsigned stride(unsigned some)
{
    return g_getenv("PLATTER_ALL_CUTS") ? 1 : some;
}

static CardBench *bench;
static uint8_t data[UNIT_SECTORS][SECTOR], back[UNIT_SECTORS][SECTOR];

static const struct {
    const char *units;
    unsigned members, spare;    /* members it can do without */
} sets[] = {
    { "single:0", 1, 0 }, { "raid0:0-1:64k", 2, 0 }, { "raid1:0-1", 2, 1 },
    { "raid5:0-2:64k", 3, 1 }, { "raid10:0-3:64k", 4, 1 },
};

#define SETS (int)G_N_ELEMENTS(sets)

static void set_data(void)
{
    for (unsigned i = 0; i < sizeof(data); i++) {
        data[i / SECTOR][i % SECTOR] = i * 2654435761u >> 24;
    }
}

static void set_up(void)
{
    bench = card_bench_new(0);
    set_data();
}

static void tear_down(void)
{
    card_bench_free(bench);
}

static void plug_set(int set)
{
    for (unsigned i = 0; i < CARD_PORTS; i++) {
        bench->order[i] = i < sets[set].members ? (int)i : -1;
    }
}

static RaidUnit *unit(unsigned number)
{
    return raid_controller_unit(bench->ctl, number);
}

static void wipe(void)
{
    uint8_t zero[SECTOR] = { 0 };

    for (unsigned i = 0; i < CARD_PORTS; i++) {
        for (uint64_t at = 0; at < bench->preset->geometry.lbas; at++) {
            card_bench_poke(bench, i, at, zero, 1);
        }
    }
}

/* A unit that has been used and left in good order. */
static void make(int set)
{
    wipe();
    plug_set(set);
    card_bench_must_boot(bench, sets[set].units);
    ck_assert_int_eq(card_bench_io(bench, 0, UNIT_WRITE, 0, data,
                                   UNIT_SECTORS), UNIT_OK);
    card_bench_shut(bench);
}

/* Of what the media hold, read without the card's help. */
static bool says_unclean(void)
{
    g_autofree RaidAssembly *all = g_new(RaidAssembly, 1);
    RaidFound found[CARD_PORTS] = { 0 };

    for (unsigned i = 0; i < CARD_PORTS; i++) {
        uint8_t block[2][DCB_BYTES];

        for (unsigned copy = 0; copy < 2; copy++) {
            card_bench_peek(bench, i, card_bench_copy_at(bench, copy),
                            block[copy], 2);
        }
        raid_found_read(&found[i], bench->preset->geometry.lbas,
                        (const void *const []) { block[0], block[1] });
    }
    raid_assemble(found, CARD_PORTS, all);
    ck_assert_uint_eq(all->units, 1);
    return all->unit[0].dcb.flags & DCB_UNCLEAN;
}

/* --- the unit's flags ----------------------------------------------------- */

/* Nothing of a unit's data changes before it is marked; and it is whole. */
START_TEST(no_data_is_written_to_a_unit_that_says_clean)
{
    bool was_unclean = false, over = false;

    make(_i);
    for (uint64_t cut = 0; !over; cut++) {
        bool unclean;

        make(_i);
        bench->sectors_left = cut;
        card_bench_must_boot(bench, NULL);
        card_bench_io(bench, 0, UNIT_WRITE, 3, data, 9);
        card_bench_drain(bench);
        over = bench->sectors_left > 0;
        card_bench_cut(bench);
        bench->sectors_left = UINT64_MAX;
        unclean = says_unclean();
        unit_holds(!bench->data_written || unclean || !sets[_i].spare);
        was_unclean |= unclean;

        card_bench_must_boot(bench, NULL);
        unit_holds(raid_unit_state(unit(0)) == RAID_UNIT_OK);
        card_bench_cut(bench);
    }
    ck_assert(was_unclean == !!sets[_i].spare);
}
END_TEST

/* Said clean: all that was acknowledged is there, and rows agree. */
START_TEST(a_shutdown_says_clean_last)
{
    bool over = false;

    for (uint64_t cut = 0; !over; cut++) {
        make(_i);
        card_bench_must_boot(bench, NULL);
        card_bench_io(bench, 0, UNIT_WRITE, 3, data, 9);
        bench->sectors_left = cut;
        card_bench_shut(bench);
        over = bench->sectors_left > 0;
        bench->sectors_left = UINT64_MAX;
        unit_holds(cut || !sets[_i].spare || says_unclean());
        unit_holds(!over || !says_unclean());
        card_bench_must_boot(bench, NULL);
        unit_holds(raid_unit_state(unit(0)) == RAID_UNIT_OK);
        unit_holds(card_bench_io(bench, 0, UNIT_READ, 3, back, 9) == UNIT_OK);
        unit_holds(!memcmp(back, data, 9 * SECTOR));
        card_bench_cut(bench);
    }
}
END_TEST

/* C15: any change, cut anywhere, leaves the old one or the new one. */
START_TEST(c15_a_change_is_there_or_not_and_the_unit_whole)
{
    bool over = false, renamed = false;

    for (uint64_t cut = 0; !over; cut++) {
        bool now;

        make(_i);
        card_bench_must_boot(bench, NULL);
        bench->sectors_left = cut;
        strcpy(bench->ctl->unit[0].dcb.name, "renamed");
        raid_config_changed(bench->ctl, 0);
        card_bench_drain(bench);
        over = bench->sectors_left > 0;
        card_bench_cut(bench);
        bench->sectors_left = UINT64_MAX;
        card_bench_must_boot(bench, NULL);
        unit_holds(raid_unit_state(unit(0)) == RAID_UNIT_OK);
        now = !strcmp(bench->ctl->unit[0].dcb.name, "renamed");
        unit_holds(now || !renamed);
        renamed = now;
        card_bench_cut(bench);
    }
    ck_assert(renamed);
}
END_TEST

/* --- units that come and go while the card runs --------------------------- */

START_TEST(a_unit_made_by_order_is_there_whole_or_not_at_all)
{
    g_autoptr(GArray) specs = raid_spec_parse(sets[_i].units, NULL);
    bool over = false, there = false;

    for (uint64_t cut = 0; !over; cut++) {
        wipe();
        plug_set(_i);
        card_bench_must_boot(bench, NULL);
        for (unsigned u = 0; u < sets[_i].members; u++) {
            formation_delete(bench->ctl, u);
        }
        bench->sectors_left = cut;
        ck_assert(raid_controller_create(bench->ctl,
                                         &g_array_index(specs, RaidSpec, 0),
                                         NULL));
        card_bench_drain(bench);
        over = bench->sectors_left > 0;
        card_bench_cut(bench);
        bench->sectors_left = UINT64_MAX;
        card_bench_must_boot(bench, NULL);
        for (unsigned u = 0; u < sets[_i].members; u++) {
            bool jbod = unit(u) && raid_unit_shape(unit(u))->level->code ==
                                   RAID_JBOD;

            there |= !u && !jbod;
            unit_holds(u ? !unit(u) == there : !jbod == there);
        }
        unit_holds(raid_unit_state(unit(0)) == RAID_UNIT_OK);
        card_bench_cut(bench);
    }
    ck_assert(there);
}
END_TEST

START_TEST(a_deleted_unit_is_there_whole_or_gone)
{
    bool over = false, gone = false;

    for (uint64_t cut = 0; !over; cut++) {
        bool jbod;

        make(_i);
        card_bench_must_boot(bench, NULL);
        bench->sectors_left = cut;
        formation_delete(bench->ctl, 0);
        card_bench_drain(bench);
        over = bench->sectors_left > 0;
        card_bench_cut(bench);
        bench->sectors_left = UINT64_MAX;
        card_bench_must_boot(bench, NULL);
        jbod = raid_unit_shape(unit(0))->level->code == RAID_JBOD;
        unit_holds(jbod || !gone);
        gone = jbod;
        for (unsigned u = 0; u < sets[_i].members; u++) {
            unit_holds(u == 0 || !unit(u) != gone);
            unit_holds(!unit(u) ||
                       raid_unit_state(unit(u)) == RAID_UNIT_OK);
        }
        card_bench_cut(bench);
    }
    ck_assert(gone);
}
END_TEST

/* --- a member that goes -------------------------------------------------- */

static const struct {
    uint64_t lba;
    uint32_t count;
} writes[] = { { 0, 4 }, { 130, 9 }, { 60, 100 }, { 2, 1 }, { 200, 3 } };

#define WRITES G_N_ELEMENTS(writes)

typedef struct Story {
    UnitOp op[WRITES];
    uint8_t buf[WRITES][100][SECTOR];
    bool acknowledged[WRITES];          /* before the cut */
} Story;

static Story story;

/* The power was still there when its end was told. */
static void write_done(UnitOp *op)
{
    *(bool *)op->opaque = op->status == UNIT_OK && !bench->dark;
}

static void ask(unsigned i)
{
    memset(story.buf[i], 0x11 * (i + 1), sizeof(story.buf[i]));
    story.op[i] = (UnitOp) {
        .verb = UNIT_WRITE, .lba = writes[i].lba, .count = writes[i].count,
        .buf = story.buf[i], .done = write_done,
        .opaque = &story.acknowledged[i],
    };
    raid_controller_submit(bench->ctl, 0, &story.op[i]);
}

static bool is_pending(uint64_t lba)
{
    for (unsigned i = 0; i < WRITES; i++) {
        if (!story.acknowledged[i] && lba >= writes[i].lba &&
            lba < writes[i].lba + writes[i].count) {
            return true;
        }
    }
    return false;
}

/*
 * The write hole, C02: of a RAID 5 of three, row 0 has its parity on member
 * 0, chunk 0 on member 1 and chunk 1 on member 2.  While one of the two is
 * missing its sectors hang on parity and on the other one's, which a write
 * that the power cut short may have left apart.
 */
static bool is_in_the_hole(int set, unsigned lost, uint64_t lba)
{
    return strstr(sets[set].units, "raid5") && lost == 1 + lba / 128 &&
           is_pending((lba + 128) % 256);
}

/* The drive that was pulled had its head over it: new, then old.  Its medium
 * comes back in another drive, which does not know that it is unreadable. */
static bool is_torn(unsigned i, unsigned lba)
{
    unsigned at = 0;

    while (at < SECTOR && back[lba][at] == story.buf[i][0][at]) {
        at++;
    }
    return !story.acknowledged[i] &&
           !memcmp(&back[lba][at], &data[lba][at], SECTOR - at);
}

/* Sector by sector: the last acknowledged write, or a later one. */
static void check_acknowledged(int set, unsigned stale)
{
    unit_holds(card_bench_io(bench, 0, UNIT_READ, 0, back, UNIT_SECTORS) ==
               UNIT_OK);
    for (unsigned lba = 0; lba < UNIT_SECTORS; lba++) {
        bool fine = !memcmp(back[lba], data[lba], SECTOR);

        for (unsigned i = 0; i < WRITES; i++) {
            if (lba >= writes[i].lba &&
                lba < writes[i].lba + writes[i].count) {
                bool is_it = !memcmp(back[lba], story.buf[i], SECTOR);

                fine = is_it || is_torn(i, lba) ||
                       (fine && !story.acknowledged[i]);
            }
        }
        unit_holds(fine || is_in_the_hole(set, stale, lba));
    }
}

/* A drive is pulled among writes; the power goes; the drive is back. */
START_TEST(a_drive_that_was_lost_never_brings_old_data_back)
{
    unsigned lost = _i % 4, set = 2 + _i / 4 % 3, steps = 2 + 5 * (_i / 12);
    unsigned stales = 0;
    bool over = false;

    if (lost >= sets[set].members) {
        return;
    }
    for (uint64_t cut = _i % stride(5); !over; cut += stride(5)) {
        bool stale;

        memset(&story, 0, sizeof(story));
        make(set);
        card_bench_must_boot(bench, NULL);
        card_bench_io(bench, 0, UNIT_WRITE, 0, data, 1);
        bench->sectors_left = cut;
        for (unsigned i = 0; i < WRITES; i++) {
            if (i == 2) {
                for (unsigned n = 0; n < steps; n++) {
                    sim_step(bench->sim);
                }
                raid_controller_pull(bench->ctl, lost);
            }
            ask(i);
        }
        card_bench_drain(bench);
        over = bench->sectors_left > 0;
        card_bench_cut(bench);
        bench->sectors_left = UINT64_MAX;
        card_bench_must_boot(bench, NULL);
        unit_holds(raid_unit_state(unit(0)) != RAID_UNIT_INOPERABLE);
        stale = raid_controller_claim(bench->ctl, lost) == RAID_CLAIM_STALE;
        stales += stale;
        check_acknowledged(set, stale ? lost : CARD_PORTS);
        card_bench_drain(bench);        /* initialised again */
        check_acknowledged(set, stale ? lost : CARD_PORTS);
        card_bench_cut(bench);
    }
    ck_assert_uint_gt(stales, 0);
}
END_TEST

/* --- tasks --------------------------------------------------------------- */

static void must_hold(void)
{
    unit_holds(card_bench_io(bench, 0, UNIT_READ, 0, back, UNIT_SECTORS) ==
               UNIT_OK);
    unit_holds(!memcmp(back, data, sizeof(data)));
}

/* Whoever goes, the rest has it. */
static void must_hold_without(int set, unsigned away)
{
    plug_set(set);
    bench->order[away] = -1;
    card_bench_must_boot(bench, NULL);
    for (unsigned u = 0; u < 2; u++) {
        if (unit(u)) {
            unit_holds(card_bench_io(bench, u, UNIT_READ, 0, back,
                                     UNIT_SECTORS) == UNIT_OK);
            unit_holds(!memcmp(back, data, sizeof(data)));
            break;
        }
    }
    card_bench_cut(bench);
    plug_set(set);
}

/* A stale member is rebuilt; the power goes again and again. */
START_TEST(a_rebuild_goes_on_from_its_checkpoint_after_any_cut)
{
    int set = 2 + _i;
    bool over = false, resumed = false;

    for (uint64_t cut = 0; !over; cut += stride(7)) {
        set_data();
        make(set);
        card_bench_must_boot(bench, NULL);
        raid_controller_pull(bench->ctl, 1);
        for (unsigned i = 0; i < sizeof(data); i++) {
            data[i / SECTOR][i % SECTOR] ^= 0xff;
        }
        card_bench_io(bench, 0, UNIT_WRITE, 0, data, UNIT_SECTORS);
        card_bench_shut(bench);
        card_bench_must_boot(bench, NULL);
        bench->sectors_left = cut;
        ck_assert(raid_unit_join_member(unit(0), 1,
                                        raid_controller_port(bench->ctl, 1)));
        ck_assert(raid_unit_task_start(unit(0), RAID_TASK_REBUILD, 1, 0));
        card_bench_drain(bench);
        over = bench->sectors_left > 0;
        card_bench_cut(bench);
        bench->sectors_left = UINT64_MAX;

        card_bench_must_boot(bench, NULL);
        must_hold();
        if (raid_controller_claim(bench->ctl, 1) == RAID_CLAIM_REBUILDING) {
            unit_holds(raid_unit_task(unit(0))->kind == RAID_TASK_REBUILD);
            resumed |= bench->ctl->unit[0].dcb.task_row > 0;
            card_bench_drain(bench);
            unit_holds(raid_unit_state(unit(0)) == RAID_UNIT_OK);
        }
        card_bench_drain(bench);
        if (raid_unit_state(unit(0)) == RAID_UNIT_OK) {
            card_bench_cut(bench);
            must_hold_without(set, 0);
        } else {
            unit_holds(raid_controller_claim(bench->ctl, 1) ==
                       RAID_CLAIM_STALE);
            card_bench_cut(bench);
        }
    }
    ck_assert(resumed);
}
END_TEST

/* Cut among writes: redundancy agrees again, with what is read. */
START_TEST(after_an_unclean_end_redundancy_is_made_to_agree)
{
    bool over = false;

    for (uint64_t cut = 0; !over; cut += stride(3)) {
        uint8_t now[UNIT_SECTORS][SECTOR];

        make(_i + 2);
        card_bench_must_boot(bench, NULL);
        bench->sectors_left = cut;
        memset(back, 0x77, sizeof(back));
        card_bench_io(bench, 0, UNIT_WRITE, 1, back, 170);
        card_bench_drain(bench);
        over = bench->sectors_left > 0;
        card_bench_cut(bench);
        bench->sectors_left = UINT64_MAX;
        card_bench_must_boot(bench, NULL);
        card_bench_drain(bench);
        unit_holds(card_bench_io(bench, 0, UNIT_READ, 0, now, UNIT_SECTORS)
                   == UNIT_OK);
        card_bench_shut(bench);
        memcpy(data, now, sizeof(now));
        for (unsigned m = 0; m < sets[_i + 2].members; m++) {
            must_hold_without(_i + 2, m);
        }
        set_data();
    }
}
END_TEST

static void spoil(unsigned drive, unsigned copy, unsigned byte)
{
    uint64_t at = card_bench_copy_at(bench, copy) + byte / SECTOR;

    card_bench_peek(bench, drive, at, back, 1);
    back[0][byte % SECTOR] ^= 0x40;
    card_bench_poke(bench, drive, at, back, 1);
}

/* --- noise --------------------------------------------------------------- */

START_TEST(noise_in_the_blocks_never_hurts_the_card)
{
    uint32_t noise = 5;

    plug_set(4);
    for (unsigned round = 0; round < 300; round++) {
        card_bench_must_boot(bench, NULL);
        for (unsigned u = 0; u < 4; u++) {
            if (unit(u)) {
                card_bench_io(bench, u, UNIT_WRITE, 0, data, 3);
            }
        }
        card_bench_cut(bench);
        if (round % 20 == 0) {
            memset(back, 0, sizeof(back));
            for (unsigned i = 0; i < 4; i++) {
                card_bench_poke(bench, i, 8, back, 2);
                card_bench_poke(bench, i, card_bench_copy_at(bench, 1), back,
                                2);
            }
            card_bench_must_boot(bench, round % 40 ? "raid10:0-3:64k"
                                                   : "raid5:0-3:64k");
            card_bench_cut(bench);
        }
        for (unsigned hits = 0; hits < 3; hits++) {
            noise = noise * 1664525u + 1013904223u;
            spoil(noise >> 30, noise >> 29 & 1, noise >> 8 & 1023);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("config-cut");
    TCase *tc = tcase_create("config-cut");

    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, no_data_is_written_to_a_unit_that_says_clean, 0,
                        SETS);
    tcase_add_loop_test(tc, a_shutdown_says_clean_last, 0, SETS);
    tcase_add_loop_test(tc, c15_a_change_is_there_or_not_and_the_unit_whole,
                        0, SETS);
    tcase_add_loop_test(tc,
        a_unit_made_by_order_is_there_whole_or_not_at_all, 0, SETS);
    tcase_add_loop_test(tc, a_deleted_unit_is_there_whole_or_gone, 0, SETS);
    tcase_add_loop_test(tc,
        a_drive_that_was_lost_never_brings_old_data_back, 0, 4 * 3 * 4);
    tcase_add_loop_test(tc,
        a_rebuild_goes_on_from_its_checkpoint_after_any_cut, 0, 3);
    tcase_add_loop_test(tc, after_an_unclean_end_redundancy_is_made_to_agree,
                        0, 3);
    tcase_add_test(tc, noise_in_the_blocks_never_hurts_the_card);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
