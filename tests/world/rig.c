/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rig: the card, its drives, the power switch, and the look at the media.
 */
#include "tests/world/rig.h"

#include <string.h>

#include "tests/lib/raid-bench.h"
#include "tests/lib/unit.h"

#define SECTOR DISK_SECTOR_BYTES

/* --- media --------------------------------------------------------------- */

static int rig_media_read(DiskMedia *media, uint64_t sector, uint32_t count,
                          void *buf)
{
    DiskMedia *inner = ((RigMedia *)media)->inner;

    return inner->ops->read(inner, sector, count, buf);
}

static int rig_media_write(DiskMedia *media, uint64_t sector, uint32_t count,
                           const void *buf)
{
    RigMedia *m = (RigMedia *)media;

    return *m->dark ? 0 : m->inner->ops->write(m->inner, sector, count, buf);
}

static int rig_media_flush(DiskMedia *media G_GNUC_UNUSED)
{
    return 0;
}

static const DiskMediaOps rig_media_ops = {
    .read = rig_media_read, .write = rig_media_write,
    .flush = rig_media_flush,
};

static void new_media(Rig *rig, unsigned port)
{
    RigMedia *m = &rig->medium[port];

    disk_media_close(m->inner);
    m->inner = disk_media_memory_new(rig->preset->geometry.lbas);
    m->media = (DiskMedia) { &rig_media_ops, m->inner->sectors };
    m->dark = &rig->dark;
}

/* --- layout -------------------------------------------------------------- */

uint32_t rig_column(const Rig *rig, uint64_t lba, uint64_t *sector)
{
    MdPlace place = md_place(&rig->md, lba);

    *sector = rig->data_start + place.sector;
    switch (rig->md.level) {
    case 5:
        return (1u << rig->plan.members) - 1;
    case 1:
    case 10:
        return 1u << place.device | 1u << place.twin;
    default:
        return 1u << place.device;
    }
}

UnitState rig_state(const Rig *rig, uint32_t good)
{
    unsigned members = rig->plan.members;
    unsigned set = rig->md.level == 10 ? 2 : members;
    unsigned most = 0;

    for (unsigned first = 0; first < members; first += set) {
        uint32_t mask = ((1u << set) - 1) << first;

        most = MAX(most, (unsigned)__builtin_popcount(mask & ~good));
    }
    return most > rig->redundant ? RAID_UNIT_INOPERABLE
         : most ? RAID_UNIT_DEGRADED : RAID_UNIT_OK;
}

uint32_t rig_good(const Rig *rig)
{
    uint32_t good = 0;

    for (unsigned m = 0; m < rig->plan.members; m++) {
        if (raid_unit_member_present(rig->unit, m) &&
            !raid_unit_member_stale(rig->unit, m)) {
            good |= 1u << m;
        }
    }
    return good;
}

/* --- looking ------------------------------------------------------------- */

static DiskMedia *member_media(const Rig *rig, unsigned member)
{
    return rig->medium[rig->plan.port[member]].inner;
}

static size_t image_bytes(const Rig *rig)
{
    return rig->member_sectors * SECTOR;
}

static void load_images(Rig *rig)
{
    for (unsigned m = 0; m < rig->plan.members; m++) {
        DiskMedia *media = member_media(rig, m);

        media->ops->read(media, rig->data_start,
                         (uint32_t)rig->member_sectors, rig->image[m]);
    }
}

static void add_up(uint8_t *sum, const uint8_t *more)
{
    for (unsigned i = 0; i < SECTOR; i += sizeof(uint64_t)) {
        uint64_t a, b;

        memcpy(&a, sum + i, sizeof(a));
        memcpy(&b, more + i, sizeof(b));
        a ^= b;
        memcpy(sum + i, &a, sizeof(a));
    }
}

static const uint8_t *image_at(const Rig *rig, unsigned member,
                               uint64_t sector)
{
    return rig->image[member] + (sector - rig->data_start) * SECTOR;
}

/* What `members` say together: the one's that is left out. */
static void sum_of(const Rig *rig, uint32_t members, uint64_t sector,
                   uint8_t *sum)
{
    memset(sum, 0, SECTOR);
    for (unsigned m = 0; m < rig->plan.members; m++) {
        if (members >> m & 1) {
            add_up(sum, image_at(rig, m, sector));
        }
    }
}

static bool is_zero(const uint8_t *sector)
{
    return sector[0] == 0 && memcmp(sector, sector + 1, SECTOR - 1) == 0;
}

static char *say(const Rig *rig, uint64_t lba, const char *what, int version)
{
    MdPlace place = md_place(&rig->md, lba);

    return g_strdup_printf("sector %" G_GUINT64_FORMAT " (member %u, port %d, "
        "its sector %" G_GUINT64_FORMAT "): %s %d", lba, place.device,
        rig->plan.port[place.device], rig->data_start + place.sector, what,
        version);
}

/* Of those that are in one column: it is added up once. */
static bool is_first(const Rig *rig, uint64_t lba)
{
    MdPlace place = md_place(&rig->md, lba);

    return rig->md.level != 5 || place.device == (place.twin == 0);
}

/* Sectors that are one column have one key. */
static uint64_t key_of(const Rig *rig, uint64_t lba)
{
    return rig->md.level == 5 ? md_place(&rig->md, lba).sector : lba;
}

typedef struct Look {
    Rig *rig;
    const Oracle *oracle;
    uint32_t good;
    RigAfter *after;            /* or NULL */
    bool *open;                 /* by key: some write is half done */
} Look;

/* What one member, or all others of the column, say of a sector. */
static char *judge(const Look *look, uint64_t lba, const uint8_t *data,
                   bool anything, bool *dark)
{
    uint32_t version;
    bool known = oracle_version(data, lba, &version);

    *dark = false;
    if (known && oracle_is_right(look->oracle, lba, version)) {
        if (look->after) {
            look->after->found[lba] = version;
        }
        return NULL;
    }
    *dark = anything;
    return anything ? NULL
         : say(look->rig, lba, known ? "not version" : "nothing, rather like",
               (int)version);
}

/* The second copy, where there is one. */
static char *look_at_twin(const Look *look, uint64_t lba, bool torn_may_be,
                          bool *dark)
{
    MdPlace place = md_place(&look->rig->md, lba);
    bool twin_dark;
    char *wrong;

    if (look->rig->md.level == 5 || !look->rig->redundant ||
        !(look->good >> place.twin & 1)) {
        return NULL;
    }
    wrong = judge(look, lba, image_at(look->rig, place.twin,
                  look->rig->data_start + place.sector), torn_may_be,
                  &twin_dark);
    *dark = *dark && twin_dark;
    return wrong;
}

static char *look_at(const Look *look, uint64_t lba)
{
    Rig *rig = look->rig;
    RigAfter *after = look->after;
    bool open = after && look->open[key_of(rig, lba)], dark;
    bool torn_may_be = after && after->unsettled[lba];
    uint64_t sector;
    uint32_t column = rig_column(rig, lba, &sector);
    unsigned own = md_place(&rig->md, lba).device;
    bool there = look->good >> own & 1;
    uint8_t sum[SECTOR];
    char *wrong;

    if (there) {
        wrong = judge(look, lba, image_at(rig, own, sector), torn_may_be,
                      &dark);
        wrong = wrong ? wrong : look_at_twin(look, lba, torn_may_be, &dark);
    } else {
        sum_of(rig, column & ~(1u << own), sector, sum);
        wrong = judge(look, lba, sum, open, &dark);
    }
    if (after) {
        after->dark[lba] = dark;
        after->holes += dark && !there && rig->md.level == 5;
        after->torn += dark && (there || rig->md.level != 5);
    }
    if (wrong || !rig->redundant || (column & ~look->good) ||
        !is_first(rig, lba)) {
        return wrong;
    }
    sum_of(rig, column, sector, sum);
    if (is_zero(sum)) {
        return NULL;
    }
    if (after) {
        after->differ++;
    }
    return open ? NULL : say(rig, lba, "redundancy does not agree; port", rig->
                             plan.port[own]);
}

char *rig_look(Rig *rig, const Oracle *oracle, uint32_t good,
               RigAfter *after)
{
    Look look = { rig, oracle, good, after, NULL };
    char *wrong = NULL;

    load_images(rig);
    look.open = g_new0(bool, MAX(rig->capacity, rig->member_sectors));
    for (uint64_t lba = 0; after && lba < rig->capacity; lba++) {
        look.open[key_of(rig, lba)] |= after->unsettled[lba];
    }
    for (uint64_t lba = 0; lba < rig->capacity && !wrong; lba++) {
        wrong = look_at(&look, lba);
    }
    g_free(look.open);
    return wrong;
}

void rig_turn_bit(Rig *rig, uint64_t lba)
{
    MdPlace place = md_place(&rig->md, lba);
    DiskMedia *media = member_media(rig, place.device);
    uint8_t sector[SECTOR];

    media->ops->read(media, rig->data_start + place.sector, 1, sector);
    sector[lba % SECTOR] ^= 0x10;
    media->ops->write(media, rig->data_start + place.sector, 1, sector);
}

static void format(Rig *rig)
{
    for (unsigned m = 0; m < rig->plan.members; m++) {
        memset(rig->image[m], 0, image_bytes(rig));
    }
    for (uint64_t lba = 0; lba < rig->capacity; lba++) {
        MdPlace place = md_place(&rig->md, lba);
        uint8_t *at = rig->image[place.device] + place.sector * SECTOR;

        oracle_stamp(at, lba, 0);
        if (rig->redundant) {
            add_up(rig->image[place.twin] + place.sector * SECTOR, at);
        }
    }
    for (unsigned m = 0; m < rig->plan.members; m++) {
        DiskMedia *media = member_media(rig, m);

        media->ops->write(media, rig->data_start,
                          (uint32_t)rig->member_sectors, rig->image[m]);
    }
}

/* --- drives -------------------------------------------------------------- */

static const DiskBufferPlan buffers[RIG_DRIVES] = {
    [RIG_READS] = {
        .there = true, .segments = 4, .segment_sectors = 128,
        .ahead = DISK_AHEAD_SEGMENT, .ahead_sectors = 64, .depth = 1,
    },
    [RIG_WRITES] = {
        .there = true, .segments = 4, .segment_sectors = 128,
        .ahead = DISK_AHEAD_SEGMENT, .ahead_sectors = 64,
        .reads_written = true, .write_cache = true, .write_depth = 8,
        .destage = DISK_ORDER_CLOOK, .depth = 1,
    },
    [RIG_WRITES_LATE] = {
        .there = true, .segments = 6, .segment_sectors = 512,
        .write_cache = true, .write_depth = 64,
        .destage = DISK_ORDER_NEAREST, .destage_idle_ns = SIM_MS(200),
        .depth = 4, .order = DISK_ORDER_NEAREST,
    },
};

static void new_disk(Rig *rig, unsigned port)
{
    g_autofree char *serial = g_strdup_printf("WORLD-%02u", port);

    rig->disk[port] = disk_new(rig->sim, rig->preset,
                               &rig->medium[port].media, serial,
                               (port + 1) * 0x31415927u);
}

void rig_pull(Rig *rig, unsigned port)
{
    raid_controller_pull(rig->ctl, port);
    rig->plugged[port] = false;
}

void rig_plug(Rig *rig, unsigned port)
{
    raid_controller_plug(rig->ctl, port, rig->disk[port]);
    rig->plugged[port] = true;
}

void rig_swap(Rig *rig, unsigned port, bool noise)
{
    g_assert(!rig->plugged[port]);
    disk_free(rig->disk[port]);
    new_media(rig, port);
    if (noise) {
        DiskMedia *media = rig->medium[port].inner;
        uint8_t sector[SECTOR];

        for (uint64_t i = 0; i < rig->member_sectors; i++) {
            oracle_stamp(sector, i, 77);
            media->ops->write(media, rig->data_start + i, 1, sector);
        }
    }
    new_disk(rig, port);
}

/* --- life ---------------------------------------------------------------- */

static RaidSpec spec_of(const RigPlan *plan)
{
    RaidSpec spec = {
        .level = &raid_level[plan->code], .members = plan->members,
        .stripe_sectors = plan->stripe_sectors,
    };

    memcpy(spec.port, plan->port, sizeof(spec.port));
    return spec;
}

static void new_card(Rig *rig)
{
    rig->ctl = raid_controller_new(rig->sim,
                                   board_model_find(rig->plan.board));
    for (unsigned port = 0; port < RIG_PORTS; port++) {
        if (rig->plugged[port]) {
            rig_plug(rig, port);
        }
    }
}

static void new_unit(Rig *rig)
{
    RaidSpec spec = spec_of(&rig->plan);
    GError *error = NULL;

    if (!raid_controller_create(rig->ctl, &spec, &error)) {
        g_error("a new unit: %s", error->message);
    }
}

/* Its number is that of a port, which need not be the one it was. */
static bool find_unit(Rig *rig)
{
    for (unsigned i = 0; i < RIG_PORTS; i++) {
        rig->unit = raid_controller_unit(rig->ctl, i);
        rig->number = i;
        if (rig->unit &&
            raid_capacity(raid_unit_shape(rig->unit)) == rig->capacity &&
            raid_unit_shape(rig->unit)->level->code == rig->plan.code) {
            return true;
        }
    }
    rig->unit = NULL;
    return false;
}

bool rig_power(Rig *rig, char **why)
{
    new_card(rig);
    raid_controller_power_on(rig->ctl);
    if (!find_unit(rig)) {
        *why = manage_report(rig->ctl);
        return false;
    }
    return true;
}

bool rig_order(Rig *rig, const char *format, ...)
{
    g_autofree char *words = NULL, *line = NULL;
    va_list args;

    va_start(args, format);
    words = g_strdup_vprintf(format, args);
    va_end(args);
    line = g_strdup_printf("u%u %s", rig->number, words);
    return manage_order(rig->ctl, line, NULL, NULL);
}

bool rig_rebuild(Rig *rig, unsigned port)
{
    int *at = rig->plan.port;
    unsigned was = 0, is = 0;

    if (!rig_order(rig, "start rebuild disk=%u", port)) {
        return false;
    }
    for (unsigned m = 0; m < rig->plan.members; m++) {
        was = at[m] == (int)port ? m : was;
        is = raid_unit_member_present(rig->unit, m) &&
             disk_port_number(raid_unit_port(rig->unit, m)) == port ? m : is;
    }
    at[was] = at[is];
    at[is] = (int)port;
    rig->rebuilt[port] = true;
    return true;
}

void rig_rate(Rig *rig, unsigned rate)
{
    g_autofree char *rebuild = g_strdup_printf("set rebuild=%u", rate);
    g_autofree char *verify = g_strdup_printf("set verify=%u", rate);

    manage_order(rig->ctl, rebuild, NULL, NULL);
    manage_order(rig->ctl, verify, NULL, NULL);
}

static void measure(Rig *rig)
{
    static const int md_levels[RAID_CODES] = {
        [RAID_JBOD] = -1, [RAID_SINGLE] = -1, [RAID_0] = 0, [RAID_1] = 1,
        [RAID_5] = 5, [RAID_10] = 10,
    };
    const RigPlan *plan = &rig->plan;

    rig->md = (MdArray) { md_levels[plan->code], plan->members,
                          plan->stripe_sectors };
    rig->redundant = rig->md.level > 0;
    rig->member_sectors = plan->data_sectors;
    if (plan->stripe_sectors) {
        rig->member_sectors -= plan->data_sectors % plan->stripe_sectors;
    }
    rig->data_start = plan->code == RAID_JBOD ? 0 : 1024;
    rig->capacity = rig->member_sectors *
        (rig->md.level == 0 ? plan->members : rig->md.level == 5
         ? plan->members - 1 : rig->md.level == 10 ? plan->members / 2 : 1);
    for (unsigned m = 0; m < plan->members; m++) {
        rig->image[m] = g_malloc(image_bytes(rig));
    }
}

Rig *rig_new(const RigPlan *plan)
{
    Rig *rig = g_new0(Rig, 1);

    rig->plan = *plan;
    rig->preset = raid_bench_drive(plan->data_sectors +
                                   (plan->code == RAID_JBOD ? 0 : 2048));
    rig->preset->buffer = buffers[plan->drive];
    measure(rig);
    for (unsigned m = 0; m < plan->members; m++) {
        new_media(rig, (unsigned)plan->port[m]);
    }
    format(rig);
    rig->sim = sim_new(plan->seed);
    for (unsigned m = 0; m < plan->members; m++) {
        new_disk(rig, (unsigned)plan->port[m]);
        rig->plugged[plan->port[m]] = true;
    }
    new_card(rig);
    new_unit(rig);
    raid_controller_power_on(rig->ctl);
    if (!find_unit(rig)) {
        g_error("no new unit");
    }
    while (sim_step(rig->sim)) {
        /* its blocks are written */
    }
    return rig;
}

/*
 * The drives go first, from under the card: what it does about that reaches
 * nobody.
 */
void rig_cut(Rig *rig)
{
    for (unsigned port = 0; port < RIG_PORTS; port++) {
        if (rig->plugged[port]) {
            disk_port_pull(raid_controller_port(rig->ctl, port));
        }
    }
    rig->dark = true;
    raid_controller_reset(rig->ctl);
    raid_controller_free(rig->ctl);
    rig->ctl = NULL;
    rig->unit = NULL;
    rig->dark = false;
}

void rig_free(Rig *rig)
{
    if (rig->ctl) {
        rig_cut(rig);
    }
    for (unsigned port = 0; port < RIG_PORTS; port++) {
        if (rig->disk[port]) {
            disk_free(rig->disk[port]);
        }
        disk_media_close(rig->medium[port].inner);
    }
    sim_free(rig->sim);
    for (unsigned m = 0; m < rig->plan.members; m++) {
        g_free(rig->image[m]);
    }
    disk_preset_free(rig->preset);
    g_free(rig);
}
