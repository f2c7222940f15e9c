/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assemble: whatever the ports, the unit is the one that was; what is not
 * of it, or not trusted any more, is told apart; an update cut anywhere
 * leaves the old or the new unit, with all of its members.
 *
 * Blocks lie on drives of two small arrays here, `disk`; an update is the
 * list of sectors it writes, applied up to some place.
 */
#include <string.h>

#include "raid-model/control/assemble.h"
#include "tests/lib/unit.h"

#define DRIVES 16
#define DRIVE_SECTORS (2048u + 2 * 128 + 5)

typedef struct TestDisk {
    uint64_t sectors;
    uint8_t copy[DCB_COPIES][DCB_BYTES];
} TestDisk;

static TestDisk disk[DRIVES];
static RaidAssembly all;

static const struct {
    RaidCode level;
    unsigned members;
} sets[] = {
    { RAID_SINGLE, 1 }, { RAID_0, 3 }, { RAID_1, 2 }, { RAID_5, 3 },
    { RAID_5, 4 }, { RAID_10, 4 }, { RAID_10, 6 },
};

static Dcb set_of(unsigned set, uint8_t id)
{
    const RaidLevel *level = &raid_level[sets[set].level];
    Dcb dcb = {
        .sequence = 10, .level = level, .members = sets[set].members,
        .stripe_sectors = level->striped ? 128 : 0, .member_sectors = 256,
        .drive_sectors = DRIVE_SECTORS, .rebuild_rate = 3, .verify_rate = 3,
    };

    memset(dcb.id, id, sizeof(dcb.id));
    for (unsigned m = 0; m < dcb.members; m++) {
        dcb.at[m] = (DcbMember) { DCB_PRESENT, 1, "" };
        g_snprintf(dcb.at[m].serial, sizeof(dcb.at[m].serial), "S%u", m);
    }
    return dcb;
}

static void lay(TestDisk *to, Dcb dcb, unsigned member)
{
    dcb.member = member;
    to->sectors = DRIVE_SECTORS;
    dcb_write(&dcb, to->copy[0]);
    dcb_write(&dcb, to->copy[1]);
}

/* Members on drives `first` and up. */
static void lay_all(const Dcb *dcb, unsigned first)
{
    for (unsigned m = 0; m < dcb->members; m++) {
        lay(&disk[first + m], *dcb, m);
    }
}

/* Port i has drive order[i]; negative: none. */
static void look(const int *order, unsigned ports)
{
    RaidFound found[DRIVES] = { 0 };

    for (unsigned port = 0; port < ports; port++) {
        if (order[port] >= 0) {
            const TestDisk *on = &disk[order[port]];

            raid_found_read(&found[port], on->sectors, (const void *const []) {
                on->copy[0], on->copy[1] });
        }
    }
    raid_assemble(found, ports, &all);
}

static void look_straight(unsigned ports)
{
    int order[DRIVES];

    for (unsigned i = 0; i < ports; i++) {
        order[i] = i;
    }
    look(order, ports);
}

static uint32_t everybody(const Dcb *dcb)
{
    return (1u << dcb->members) - 1;
}

static void set_up(void)
{
    memset(disk, 0, sizeof(disk));
    for (unsigned i = 0; i < DRIVES; i++) {
        disk[i].sectors = DRIVE_SECTORS;
    }
}

static void next_order(int *order, unsigned n)
{
    unsigned i = n - 1, j = n - 1;

    while (i && order[i - 1] >= order[i]) {
        i--;
    }
    if (i) {
        int swap = order[i - 1];

        while (order[j] <= order[i - 1]) {
            j--;
        }
        order[i - 1] = order[j];
        order[j] = swap;
    }
    for (unsigned k = i, l = n - 1; k < l; k++, l--) {
        int swap = order[k];

        order[k] = order[l];
        order[l] = swap;
    }
}

START_TEST(the_order_of_ports_does_not_matter)
{
    Dcb dcb = set_of(_i, 1);
    int order[DRIVES], rounds = 1;

    lay_all(&dcb, 0);
    for (unsigned i = 0; i < dcb.members; i++) {
        order[i] = i;
        rounds *= i + 1;
    }
    while (rounds--) {
        look(order, dcb.members);
        unit_holds(all.units == 1 && all.unit[0].good == everybody(&dcb) &&
                   all.unit[0].operable);
        for (unsigned port = 0; port < dcb.members; port++) {
            unit_holds(all.unit[0].port[order[port]] == (int)port);
            unit_holds(all.member_of[port] == order[port]);
            unit_holds(all.claim[port] == RAID_CLAIM_MEMBER);
        }
        next_order(order, dcb.members);
    }
}
END_TEST

/* What a level can do without, counted from its definition. */
static bool can_do_with(RaidCode level, unsigned members, uint32_t there)
{
    unsigned lost = 0;

    for (unsigned m = 0; m < members; m++) {
        lost += !(there >> m & 1);
        if (level == RAID_10 && m % 2 && !(there >> (m - 1) & 3)) {
            return false;
        }
    }
    return level == RAID_10 || lost <= (level == RAID_1 || level == RAID_5);
}

START_TEST(every_subset_is_operable_or_not_as_its_level_has_it)
{
    Dcb dcb = set_of(_i, 1);

    lay_all(&dcb, 0);
    for (uint32_t there = 1; there <= everybody(&dcb); there++) {
        int order[DRIVES];

        for (unsigned i = 0; i < dcb.members; i++) {
            order[i] = there >> i & 1 ? (int)i : -1;
        }
        look(order, dcb.members);
        unit_holds(all.units == 1 && all.unit[0].good == there);
        unit_holds(all.unit[0].operable ==
                   can_do_with(sets[_i].level, dcb.members, there));
    }
}
END_TEST

/* --- updates ------------------------------------------------------------- */

typedef struct Write {
    unsigned drive, copy, sector;
} Write;

/* Both copies of each, one drive after the other or all at once. */
static unsigned plan_writes(Write *write, unsigned members, uint32_t without,
                            bool all_at_once)
{
    unsigned n = 0;

    for (unsigned k = 0; k < members * 4; k++) {
        unsigned m = all_at_once ? k % members : k / 4;
        unsigned step = all_at_once ? k / members : k % 4;

        if (!(without >> m & 1)) {
            write[n++] = (Write) { m, step / 2, step % 2 };
        }
    }
    return n;
}

static void apply(const Write *write, unsigned writes, const Dcb *dcb)
{
    for (unsigned n = 0; n < writes; n++) {
        uint8_t block[DCB_BYTES];
        Dcb own = *dcb;

        own.member = write[n].drive;
        dcb_write(&own, block);
        memcpy(disk[write[n].drive].copy[write[n].copy] +
               write[n].sector * 512, block + write[n].sector * 512, 512);
    }
}

/* C15: old or new, never incomplete. */
START_TEST(an_update_cut_at_any_sector_leaves_old_or_new)
{
    Dcb old = set_of(_i, 1), now = old;
    Write write[4 * DRIVES];
    bool seen_new = false;

    now.sequence++;
    now.flags = DCB_UNCLEAN;
    for (unsigned once = 0; once < 2; once++) {
        unsigned writes = plan_writes(write, old.members, 0, once);

        for (unsigned cut = 0; cut <= writes; cut++) {
            lay_all(&old, 0);
            apply(write, cut, &now);
            look_straight(old.members);
            unit_holds(all.units == 1 &&
                       all.unit[0].good == everybody(&old));
            unit_holds(all.unit[0].dcb.sequence == 10 ||
                       all.unit[0].dcb.flags == DCB_UNCLEAN);
            seen_new |= all.unit[0].dcb.sequence == 11;
            unit_holds(cut != 0 || !seen_new || once);
        }
        unit_holds(seen_new);
    }
}
END_TEST

/* A lost member, recorded on those that are left; then it is back. */
START_TEST(a_lost_member_is_stale_once_anybody_has_recorded_it)
{
    Dcb old = set_of(_i, 1), now = old;
    Write write[4 * DRIVES];

    for (unsigned lost = 0; lost < old.members; lost++) {
        unsigned writes = plan_writes(write, old.members, 1u << lost, _i & 1);

        now = old;
        now.sequence++;
        now.at[lost].state = DCB_MISSING;
        for (unsigned cut = 0; cut <= writes; cut++) {
            lay_all(&old, 0);
            apply(write, cut, &now);
            look_straight(old.members);
            if (all.unit[0].dcb.sequence == 10) {
                unit_holds(all.unit[0].good == everybody(&old));
            } else {
                unit_holds(all.unit[0].stale == 1u << lost);
                unit_holds(all.claim[lost] == RAID_CLAIM_STALE);
            }
        }
        unit_holds(!writes || all.unit[0].dcb.sequence == 11);
    }
}
END_TEST

START_TEST(a_rebuilt_drive_is_the_member_and_the_old_one_is_not)
{
    Dcb old = set_of(4, 1), now = old;

    now.sequence = 14;
    now.at[1] = (DcbMember) { DCB_PRESENT, 12, "NEW" };
    lay_all(&now, 0);
    old.sequence = 11;
    lay(&disk[4], old, 1);
    look_straight(5);
    ck_assert_uint_eq(all.unit[0].good, 15);
    ck_assert_int_eq(all.claim[1], RAID_CLAIM_MEMBER);
    ck_assert_int_eq(all.claim[4], RAID_CLAIM_DUPLICATE);

    look((int []) { 4, 0, 2, 3 }, 4);
    ck_assert_uint_eq(all.unit[0].good, 13);
    ck_assert_uint_eq(all.unit[0].stale, 2);
    ck_assert_int_eq(all.claim[0], RAID_CLAIM_STALE);
    ck_assert(all.unit[0].operable);
}
END_TEST

START_TEST(a_rebuild_goes_on_from_where_it_was)
{
    Dcb dcb = set_of(4, 1);

    dcb.at[2] = (DcbMember) { DCB_REBUILDING, 9, "NEW" };
    dcb.task = DCB_TASK_REBUILD;
    dcb.task_member = 2;
    dcb.task_row = 1;
    lay_all(&dcb, 0);
    look_straight(4);
    ck_assert_uint_eq(all.unit[0].good, 11);
    ck_assert_uint_eq(all.unit[0].rebuilding, 4);
    ck_assert_int_eq(all.claim[2], RAID_CLAIM_REBUILDING);
    ck_assert_uint_eq(all.unit[0].dcb.task_row, 1);

    /* Alone with it nothing can be done. */
    look((int []) { 0, 2, -1, 3 }, 4);
    ck_assert(!all.unit[0].operable);
}
END_TEST

/* The two halves of a mirror, each used alone, then put together. */
START_TEST(of_two_halves_that_went_apart_the_later_one_is_it)
{
    Dcb one = set_of(2, 1), other = one;

    one.sequence = 12;
    one.at[1].state = DCB_MISSING;
    other.sequence = 15;
    other.at[0].state = DCB_MISSING;
    lay(&disk[0], one, 0);
    lay(&disk[1], other, 1);
    look_straight(2);
    ck_assert_uint_eq(all.unit[0].good, 2);
    ck_assert_uint_eq(all.unit[0].stale, 1);
    other.sequence = 12;
    lay(&disk[1], other, 1);
    look_straight(2);
    ck_assert_uint_eq(all.unit[0].good, 1);
    look((int []) { 1, 0 }, 2);
    ck_assert_uint_eq(all.unit[0].good, 1);
}
END_TEST

/* --- what does not belong ------------------------------------------------ */

START_TEST(drives_of_two_units_are_told_apart)
{
    Dcb one = set_of(4, 1), two = set_of(3, 2);

    lay_all(&one, 0);
    lay_all(&two, 4);
    look((int []) { 5, 0, 6, 3, 2, 4, 1 }, 7);
    ck_assert_uint_eq(all.units, 2);
    ck_assert_uint_eq(all.unit[0].dcb.id[0], 2);
    ck_assert_uint_eq(all.unit[0].good, 7);
    ck_assert_uint_eq(all.unit[1].good, 15);
    ck_assert_int_eq(all.unit[1].port[1], 6);
    ck_assert_int_eq(all.unit_of[5], 0);
    ck_assert_int_eq(all.unit_of[3], 1);
}
END_TEST

START_TEST(of_one_member_twice_one_is_used)
{
    Dcb dcb = set_of(4, 1);

    lay_all(&dcb, 0);
    lay(&disk[4], dcb, 2);
    look_straight(5);
    ck_assert_uint_eq(all.units, 1);
    ck_assert_uint_eq(all.unit[0].good, 15);
    ck_assert_int_eq(all.claim[4], RAID_CLAIM_DUPLICATE);
    dcb.sequence++;
    lay(&disk[4], dcb, 2);
    look_straight(5);
    ck_assert_int_eq(all.claim[2], RAID_CLAIM_DUPLICATE);
    ck_assert_int_eq(all.unit[0].port[2], 4);
}
END_TEST

START_TEST(a_drive_that_shrank_is_left_alone)
{
    Dcb dcb = set_of(4, 1);

    lay_all(&dcb, 0);
    disk[1].sectors--;
    disk[2].sectors++;
    look_straight(4);
    ck_assert_int_eq(all.claim[1], RAID_CLAIM_SHRUNK);
    ck_assert_uint_eq(all.unit[0].good, 13);
    for (unsigned i = 0; i < 4; i++) {
        disk[i].sectors = DRIVE_SECTORS - 1;
    }
    look_straight(4);
    ck_assert_uint_eq(all.units, 0);
}
END_TEST

/* F02 and C14: a damaged or later block takes its drive out, no more. */
START_TEST(damaged_and_newer_blocks_leave_the_rest_a_unit)
{
    Dcb dcb = set_of(4, 1);

    lay_all(&dcb, 0);
    disk[0].copy[0][300]++;
    look_straight(4);
    ck_assert_uint_eq(all.unit[0].good, 15);
    disk[0].copy[1][1000]++;
    look_straight(4);
    ck_assert_int_eq(all.claim[0], RAID_CLAIM_DAMAGED);
    ck_assert_uint_eq(all.unit[0].good, 14);
    memset(disk[0].copy, 0, sizeof(disk[0].copy));
    look_straight(4);
    ck_assert_int_eq(all.claim[0], RAID_CLAIM_BLANK);
    ck_assert_uint_eq(all.unit[0].good, 14);
}
END_TEST

START_TEST(same_id_and_another_shape_is_foreign)
{
    Dcb dcb = set_of(4, 1), other = set_of(3, 1);

    lay_all(&dcb, 0);
    other.sequence = 9;
    lay(&disk[4], other, 1);
    look_straight(5);
    ck_assert_uint_eq(all.units, 1);
    ck_assert_uint_eq(all.unit[0].good, 15);
    ck_assert_int_eq(all.claim[4], RAID_CLAIM_FOREIGN);
}
END_TEST

/* Made in two rounds: FORMING everywhere, then without. */
START_TEST(a_unit_being_made_is_there_or_not)
{
    Dcb dcb = set_of(_i, 1);
    Write write[4 * DRIVES];
    unsigned writes = plan_writes(write, dcb.members, 0, _i & 1);
    bool there = false;

    for (unsigned cut = 0; cut <= 2 * writes; cut++) {
        set_up();
        dcb.sequence = 1;
        dcb.flags = DCB_FORMING;
        apply(write, MIN(cut, writes), &dcb);
        dcb.sequence = 2;
        dcb.flags = 0;
        apply(write, cut > writes ? cut - writes : 0, &dcb);
        look_straight(dcb.members);
        unit_holds(all.units == 0 ? !there
                                  : all.unit[0].good == everybody(&dcb));
        there |= all.units == 1;
        unit_holds(!there || cut > writes);
    }
    unit_holds(there);
}
END_TEST

START_TEST(a_deleted_unit_is_gone_and_its_drives_are_free)
{
    Dcb dcb = set_of(_i, 1), gone = dcb;
    Write write[4 * DRIVES];
    unsigned writes = plan_writes(write, dcb.members, 0, _i & 1);

    gone.sequence++;
    gone.flags = DCB_DELETED;
    for (unsigned cut = 0; cut <= writes; cut++) {
        lay_all(&dcb, 0);
        apply(write, cut, &gone);
        look_straight(dcb.members);
        unit_holds(all.units == 0 || all.unit[0].good == everybody(&dcb));
        unit_holds(all.units == 0 || all.unit[0].dcb.sequence == 10);
    }
    unit_holds(all.units == 0 && all.claim[0] == RAID_CLAIM_BLANK);
}
END_TEST

START_TEST(a_spare_is_a_spare)
{
    Dcb dcb = {
        .sequence = 1, .members = 1, .drive_sectors = DRIVE_SECTORS,
        .at[0] = { DCB_PRESENT, 1, "S" }, .rebuild_rate = 1, .verify_rate = 1,
    };

    lay(&disk[0], dcb, 0);
    dcb.flags = DCB_DELETED;
    lay(&disk[1], dcb, 0);
    look_straight(2);
    ck_assert_uint_eq(all.units, 0);
    ck_assert_int_eq(all.claim[0], RAID_CLAIM_SPARE);
    ck_assert_int_eq(all.claim[1], RAID_CLAIM_BLANK);
}
END_TEST

/* Sixteen drives of anything that passes for a block. */
START_TEST(blocks_of_noise_do_no_harm)
{
    uint32_t noise = 7;

    for (unsigned round = 0; round < 20000; round++) {
        RaidFound found[DRIVES] = { 0 };

        for (unsigned port = 0; port < DRIVES; port++) {
            for (unsigned copy = 0; copy < DCB_COPIES; copy++) {
                Dcb *dcb = &found[port].dcb[copy];

                noise = noise * 1664525u + 1013904223u;
                *dcb = set_of((noise >> 8) % G_N_ELEMENTS(sets),
                              noise >> 30);
                dcb->sequence = 10 + (noise >> 27 & 3);
                dcb->member = (noise >> 16) % dcb->members;
                dcb->flags = noise >> 12 & noise >> 20 & DCB_FLAGS_ALL;
                dcb->at[(noise >> 4) % dcb->members].state = noise >> 24 & 1;
                found[port].copy[copy] = noise >> 7 & 3;
            }
            found[port].drive = noise >> 28;
            found[port].sectors = DRIVE_SECTORS - (noise >> 11 & 7) / 7;
        }
        raid_assemble(found, DRIVES, &all);
        for (unsigned u = 0; u < all.units; u++) {
            const RaidAssembled *unit = &all.unit[u];
            uint32_t sum = unit->good | unit->rebuilding | unit->stale;

            unit_holds(sum && !(unit->good & unit->rebuilding) &&
                       !(unit->good & unit->stale));
            for (unsigned m = 0; m < RAID_MEMBERS_MAX; m++) {
                int port = unit->port[m];

                unit_holds((port != RAID_NOBODY) == (sum >> m & 1));
                unit_holds(port == RAID_NOBODY ||
                           (all.unit_of[port] == (int)u &&
                            all.member_of[port] == (int)m));
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("assemble");
    TCase *tc = tcase_create("assemble");
    int n = G_N_ELEMENTS(sets);

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, set_up, NULL);
    tcase_add_loop_test(tc, the_order_of_ports_does_not_matter, 0, n);
    tcase_add_loop_test(tc,
        every_subset_is_operable_or_not_as_its_level_has_it, 0, n);
    tcase_add_loop_test(tc, an_update_cut_at_any_sector_leaves_old_or_new, 0,
                        n);
    tcase_add_loop_test(tc,
        a_lost_member_is_stale_once_anybody_has_recorded_it, 0, n);
    tcase_add_test(tc, a_rebuilt_drive_is_the_member_and_the_old_one_is_not);
    tcase_add_test(tc, a_rebuild_goes_on_from_where_it_was);
    tcase_add_test(tc, of_two_halves_that_went_apart_the_later_one_is_it);
    tcase_add_test(tc, drives_of_two_units_are_told_apart);
    tcase_add_test(tc, of_one_member_twice_one_is_used);
    tcase_add_test(tc, a_drive_that_shrank_is_left_alone);
    tcase_add_test(tc, damaged_and_newer_blocks_leave_the_rest_a_unit);
    tcase_add_test(tc, same_id_and_another_shape_is_foreign);
    tcase_add_loop_test(tc, a_unit_being_made_is_there_or_not, 0, n);
    tcase_add_loop_test(tc, a_deleted_unit_is_gone_and_its_drives_are_free,
                        0, n);
    tcase_add_test(tc, a_spare_is_a_spare);
    tcase_add_test(tc, blocks_of_noise_do_no_harm);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
