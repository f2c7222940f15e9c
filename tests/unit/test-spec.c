/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Specs: what is right is read as it is meant, what is wrong gets one line
 * that names the unit and says what would be right.
 */
#include <string.h>

#include "raid-model/control/spec.h"
#include "tests/lib/unit.h"

static const struct {
    const char *text;
    RaidCode code;
    unsigned members;
    int port[RAID_MEMBERS_MAX];
    uint32_t stripe;
} right[] = {
    { "jbod:5", RAID_JBOD, 1, { 5 }, 0 },
    { "single:0", RAID_SINGLE, 1, { 0 }, 0 },
    { "raid0:0-1", RAID_0, 2, { 0, 1 }, 128 },
    { "raid0:3+1:1m", RAID_0, 2, { 3, 1 }, 2048 },
    { "raid0:0-2:1024K", RAID_0, 3, { 0, 1, 2 }, 2048 },
    { "raid1:2-3", RAID_1, 2, { 2, 3 }, 0 },
    { "raid1:missing+3", RAID_1, 2, { -1, 3 }, 0 },
    { "raid5:0-3:64k", RAID_5, 4, { 0, 1, 2, 3 }, 128 },
    { "raid5:0+missing+2+3:128k", RAID_5, 4, { 0, -1, 2, 3 }, 256 },
    { "raid5:0-1+7:256k", RAID_5, 3, { 0, 1, 7 }, 512 },
    { "raid10:0-1+4-5:512k", RAID_10, 4, { 0, 1, 4, 5 }, 1024 },
    { "raid10:missing+1+2+missing", RAID_10, 4, { -1, 1, 2, -1 }, 128 },
    { "raid0:0-15:64k", RAID_0, 16,
      { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }, 128 },
};

START_TEST(what_is_right_is_read_as_meant)
{
    GError *error = NULL;
    GArray *specs = raid_spec_parse(right[_i].text, &error);
    RaidSpec *spec;

    ck_assert_msg(specs != NULL, "%s", error ? error->message : "no reason");
    ck_assert_uint_eq(specs->len, 1);
    spec = &g_array_index(specs, RaidSpec, 0);
    ck_assert_int_eq(spec->level->code, right[_i].code);
    ck_assert_uint_eq(spec->members, right[_i].members);
    ck_assert_uint_eq(spec->stripe_sectors, right[_i].stripe);
    for (unsigned i = 0; i < spec->members; i++) {
        ck_assert_int_eq(spec->port[i], right[_i].port[i]);
    }
    ck_assert(raid_spec_check(spec, NULL));
    g_array_unref(specs);
}
END_TEST

START_TEST(units_are_joined_by_a_slash)
{
    GArray *specs = raid_spec_parse("raid5:0-3:64k/single:4/jbod:5", NULL);

    ck_assert_ptr_nonnull(specs);
    ck_assert_uint_eq(specs->len, 3);
    ck_assert_int_eq(g_array_index(specs, RaidSpec, 1).port[0], 4);
    ck_assert_int_eq(g_array_index(specs, RaidSpec, 2).level->code,
                     RAID_JBOD);
    g_array_unref(specs);
}
END_TEST

/* What is written, and words the line must have. */
static const struct {
    const char *text, *says;
} wrong[] = {
    { "", "LEVEL:PORTS" },
    { "/", "LEVEL:PORTS" },
    { "raid5", "LEVEL:PORTS" },
    { "raid5:0-3:64k:9", "LEVEL:PORTS" },
    { "raid5:0-3/", "unit \"\"" },
    { "raid6:0-3", "jbod, single, raid0, raid1, raid5, raid10" },
    { "RAID5:0-3", "\"RAID5\" is not a level" },
    { ":0-3", "\"\" is not a level" },
    { "raid5:", "raid5 takes 3 to 16 members, but 0 given" },
    { "raid5:0-", "\"0-\" is not a range" },
    { "raid5:-3", "\"-3\" is not a port" },
    { "raid5:0-3-5", "not a range" },
    { "raid5:3-0", "runs backwards" },
    { "raid5:0,1,2", "not a range" },
    { "raid5:0+1+", "\"\" is not a port" },
    { "raid5:0 -2", "not a range" },
    { "raid5: 0-2", "not a port" },
    { "raid5:0+1+x", "\"x\" is not a port" },
    { "raid5:0+1+16", "\"16\" is not a port" },
    { "raid5:0-16", "0 to 15" },
    { "raid5:0-99999999999999999999", "0 to 15" },
    { "raid5:0+1+-1", "\"-1\" is not a port" },
    { "raid5:0-15+0", "too many members" },
    { "raid5:0-1", "raid5 takes 3 to 16 members, but 2 given" },
    { "raid0:0", "raid0 takes 2 to 16 members, but 1 given" },
    { "raid1:0", "raid1 has 2 members, but 1 given" },
    { "raid1:0-2", "raid1 has 2 members, but 3 given" },
    { "raid10:0-2", "an even number, but 3 given" },
    { "raid10:0-4", "an even number, but 5 given" },
    { "raid10:0-1", "raid10 takes 4 to 16 members" },
    { "single:0-1", "single has 1 member, but 2 given" },
    { "jbod:0+1", "jbod has 1 member" },
    { "raid5:0-3:63k", "64k, 128k, 256k, 512k, 1m" },
    { "raid5:0-3:32k", "\"32k\" is not a stripe size" },
    { "raid5:0-3:2m", "\"2m\" is not a stripe size" },
    { "raid5:0-3:96k", "\"96k\" is not a stripe size" },
    { "raid5:0-3:64", "\"64\" is not a stripe size" },
    { "raid5:0-3:", "\"\" is not a stripe size" },
    { "raid5:0-3:-64k", "not a stripe size" },
    { "raid5:0-3:64kk", "not a stripe size" },
    { "raid5:0-3:4294967360k", "not a stripe size" },
    { "raid1:0-1:64k", "raid1 has no stripe size; leave it out" },
    { "single:0:64k", "no stripe size" },
    { "single:0:", "no stripe size" },
    { "jbod:0:junk", "no stripe size" },
    { "raid5:0+1+1", "port 1 is named twice" },
    { "raid0:0-3+2", "port 2 is named twice" },
    { "raid5:0-2/single:1", "port 1 is already in a unit" },
    { "raid0:0+missing", "cannot do without a member, but 1 is missing" },
    { "single:missing", "all members are missing" },
    { "raid1:missing+missing", "all members are missing" },
    { "raid5:0+missing+missing",
      "can do without 1 of members 0 to 2, but 2 are missing" },
    { "raid10:0+1+missing+missing",
      "can do without 1 of members 2 to 3, but 2 are missing" },
    { "raid5:0-2/raid9:3", "unit \"raid9:3\": " },
};

START_TEST(what_is_wrong_gets_one_clear_line)
{
    GError *error = NULL;

    ck_assert_ptr_null(raid_spec_parse(wrong[_i].text, &error));
    ck_assert_ptr_nonnull(error);
    ck_assert(error->domain == RAID_SPEC_ERROR);
    ck_assert_msg(strstr(error->message, wrong[_i].says) != NULL,
                  "\"%s\" gives: %s", wrong[_i].text, error->message);
    ck_assert_ptr_null(strchr(error->message, '\n'));
    ck_assert_uint_lt(strlen(error->message), 140);
    g_error_free(error);
    ck_assert_ptr_null(raid_spec_parse(wrong[_i].text, NULL));
}
END_TEST

START_TEST(a_spec_made_by_hand_is_checked_too)
{
    RaidSpec spec = {
        .level = &raid_level[RAID_5], .members = 3, .port = { 0, 1, 2 },
        .stripe_sectors = 128,
    };

    ck_assert(raid_spec_check(&spec, NULL));
    spec.stripe_sectors = 0;
    ck_assert(!raid_spec_check(&spec, NULL));
    spec.stripe_sectors = 128;
    spec.port[1] = 77;
    ck_assert(!raid_spec_check(&spec, NULL));
    spec.port[1] = -2;
    ck_assert(!raid_spec_check(&spec, NULL));
    spec.port[1] = 1;
    spec.members = 2;
    ck_assert(!raid_spec_check(&spec, NULL));
}
END_TEST

/* Any text is either read or refused with a line; never both or neither. */
START_TEST(noise_never_gets_through_without_a_word)
{
    static const char letters[] = "raid510sngle:-+/missing0123456789kmK \n";
    static const char start[] = "raid5:0-3:64k/single:4";
    uint32_t noise = 99;

    for (unsigned n = 0; n < 20000; n++) {
        char text[24];
        unsigned length = n % (sizeof(text) - 1);
        GError *error = NULL;
        GArray *specs;

        memcpy(text, start, sizeof(start));
        for (unsigned i = 0; i < 3; i++) {
            noise = noise * 1664525 + 1013904223;
            text[(noise >> 8) % 22] = letters[(noise >> 16) %
                                              (sizeof(letters) - 1)];
        }
        text[length] = 0;
        specs = raid_spec_parse(text, &error);
        unit_holds(!specs == !!error);
        if (specs) {
            g_array_unref(specs);
        } else {
            unit_holds(*error->message && !strchr(error->message, '\n'));
            g_error_free(error);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spec");
    TCase *tc = tcase_create("spec");

    tcase_add_loop_test(tc, what_is_right_is_read_as_meant, 0,
                        G_N_ELEMENTS(right));
    tcase_add_test(tc, units_are_joined_by_a_slash);
    tcase_add_loop_test(tc, what_is_wrong_gets_one_clear_line, 0,
                        G_N_ELEMENTS(wrong));
    tcase_add_test(tc, a_spec_made_by_hand_is_checked_too);
    tcase_add_test(tc, noise_never_gets_through_without_a_word);
    suite_add_tcase(suite, tc);
    return unit_run(suite);
}
