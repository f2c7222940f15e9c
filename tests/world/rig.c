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

static char *look_at(Rig *rig, const Oracle *oracle, uint32_t good,
                     uint64_t lba, bool torn, bool *agrees)
{
    uint8_t sum[SECTOR];
    const uint8_t *data;
    uint64_t sector;
    uint32_t column = rig_column(rig, lba, &sector), version;
    unsigned own = md_place(&rig->md, lba).device;
    bool there = good >> own & 1;

    data = image_at(rig, own, sector);
    if (!there) {
        sum_of(rig, column & ~(1u << own), sector, sum);
        data = sum;
    }
    *agrees = true;
    if (!oracle_version(data, lba, &version)) {
        *agrees = there || !torn;
        return *agrees ? say(rig, lba, "no version, rather like",
                             (int)version) : NULL;
    }
    if (!oracle_is_right(oracle, lba, version)) {
        *agrees = there || !torn;
        return *agrees ? say(rig, lba, "not version", (int)version) : NULL;
    }
    if (!rig->redundant || (column & ~good) || !is_first(rig, lba)) {
        return NULL;
    }
    sum_of(rig, column, sector, sum);
    *agrees = is_zero(sum);
    return *agrees || torn ? NULL
         : say(rig, lba, "redundancy does not agree, version", (int)version);
}

char *rig_look(Rig *rig, const Oracle *oracle,
               bool (*torn)(void *opaque, uint64_t lba), void *opaque,
               uint64_t *holes)
{
    uint32_t good = rig_good(rig);
    char *wrong = NULL;

    load_images(rig);
    for (uint64_t lba = 0; lba < rig->capacity && !wrong; lba++) {
        bool agrees;

        wrong = look_at(rig, oracle, good, lba,
                        torn && torn(opaque, lba), &agrees);
        if (holes) {
            *holes += !agrees;
        }
    }
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

static void plug_all(Rig *rig)
{
    rig->sim = sim_new(rig->plan.seed);
    rig->ctl = raid_controller_new(rig->sim,
                                   board_model_find(rig->plan.board));
    for (unsigned port = 0; port < RIG_PORTS; port++) {
        if (rig->medium[port].inner) {
            new_disk(rig, port);
            rig_plug(rig, port);
        }
    }
}

bool rig_power(Rig *rig, char **why)
{
    RaidSpec spec = spec_of(&rig->plan);
    GError *error = NULL;

    plug_all(rig);
    if (!raid_controller_create(rig->ctl, &spec, &error)) {
        *why = g_strdup(error->message);
        g_error_free(error);
        return false;
    }
    raid_controller_power_on(rig->ctl);
    rig->unit = raid_controller_unit(rig->ctl, rig->number);
    return true;
}

static void measure(Rig *rig)
{
    static const int md_levels[RAID_CODES] = {
        [RAID_JBOD] = -1, [RAID_SINGLE] = -1, [RAID_0] = 0, [RAID_1] = 1,
        [RAID_5] = 5, [RAID_10] = 10,
    };
    const RigPlan *plan = &rig->plan;
    int lowest = RIG_PORTS;

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
        lowest = MIN(lowest, plan->port[m]);
        rig->image[m] = g_malloc(image_bytes(rig));
    }
    rig->number = (unsigned)lowest;
}

Rig *rig_new(const RigPlan *plan)
{
    Rig *rig = g_new0(Rig, 1);
    char *why = NULL;

    rig->plan = *plan;
    rig->preset = raid_bench_drive(plan->data_sectors +
                                   (plan->code == RAID_JBOD ? 0 : 2048));
    rig->preset->buffer = buffers[plan->drive];
    measure(rig);
    for (unsigned m = 0; m < plan->members; m++) {
        new_media(rig, (unsigned)plan->port[m]);
    }
    format(rig);
    if (!rig_power(rig, &why)) {
        g_error("a new unit: %s", why);
    }
    g_assert(rig->unit && raid_capacity(raid_unit_shape(rig->unit)) ==
             rig->capacity);
    return rig;
}

/* What ends in the reset, and what drives still hold, writes nothing. */
void rig_cut(Rig *rig)
{
    for (unsigned port = 0; port < RIG_PORTS; port++) {
        if (rig->disk[port]) {
            disk_power_cut(rig->disk[port]);
        }
    }
    rig->dark = true;
    raid_controller_reset(rig->ctl);
    raid_controller_free(rig->ctl);
    for (unsigned port = 0; port < RIG_PORTS; port++) {
        if (rig->disk[port]) {
            disk_free(rig->disk[port]);
        }
        rig->disk[port] = NULL;
        rig->plugged[port] = false;
    }
    sim_free(rig->sim);
    rig->ctl = NULL;
    rig->unit = NULL;
    rig->sim = NULL;
    rig->dark = false;
}

void rig_free(Rig *rig)
{
    if (rig->ctl) {
        rig_cut(rig);
    }
    for (unsigned port = 0; port < RIG_PORTS; port++) {
        disk_media_close(rig->medium[port].inner);
    }
    for (unsigned m = 0; m < rig->plan.members; m++) {
        g_free(rig->image[m]);
    }
    disk_preset_free(rig->preset);
    g_free(rig);
}
