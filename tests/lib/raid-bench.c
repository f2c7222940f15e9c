/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raid bench - builds a unit on small drives and looks at its media.
 */
#include "tests/lib/raid-bench.h"

#include <string.h>

#include "tests/lib/unit.h"

static const int md_levels[RAID_CODES] = {
    [RAID_JBOD] = -1, [RAID_SINGLE] = -1, [RAID_0] = 0, [RAID_1] = 1,
    [RAID_5] = 5, [RAID_10] = 10,
};

uint32_t raid_bench_random(RaidBench *bench, uint32_t bound)
{
    bench->noise ^= bench->noise << 13;
    bench->noise ^= bench->noise >> 17;
    bench->noise ^= bench->noise << 5;
    return bench->noise % bound;
}

void raid_bench_fill(RaidBench *bench, void *buf, size_t bytes)
{
    uint32_t word = raid_bench_random(bench, UINT32_MAX);

    for (size_t i = 0; i < bytes; i += sizeof(word)) {
        word = word * 1664525 + 1013904223;
        memcpy((uint8_t *)buf + i, &word, sizeof(word));
    }
}

/* One zone of the small drive's 24 cylinders and 4 heads, longer tracks. */
DiskPreset *raid_bench_drive(uint64_t sectors)
{
    DiskPreset *preset = unit_small_drive(DISK_MAP_CYLINDER);
    DiskGeometry *geometry = &preset->geometry;
    const char *why;
    int where;

    geometry->zones = 1;
    geometry->zone[0] = (DiskZone) {
        .last_cylinder = 23, .sectors_per_track = sectors / 96 + 1,
        .track_skew_sectors = 5, .cylinder_skew_sectors = 7,
    };
    geometry->lbas = sectors;
    g_assert(disk_geometry_finish(geometry, &why, &where));
    return preset;
}

static void add_drive(RaidBench *bench, unsigned member)
{
    char serial[] = "BENCH-00";

    serial[7] = (char)('0' + member % 10);
    bench->media[member] =
        disk_media_memory_new(bench->preset->geometry.lbas);
    bench->disk[member] = disk_new(bench->sim, bench->preset,
                                   bench->media[member], serial,
                                   member * 0x31415927u);
    if (!bench->port[member]) {
        bench->port[member] = disk_port_new(bench->sim, member, 0);
    }
    disk_port_plug(bench->port[member], bench->disk[member]);
}

/* Six chunk rows or three long ones, and a bit that is left over. */
RaidBench *raid_bench_new(RaidCode code, unsigned members,
                          uint32_t stripe_sectors, uint32_t missing,
                          uint32_t seed)
{
    unsigned rows = stripe_sectors > 512 ? 3 : 6;
    uint32_t data = stripe_sectors ? rows * stripe_sectors + 77 : 3000;

    return raid_bench_new_sized(code, members, stripe_sectors,
                                RAID_RESERVED_SECTORS + data, missing, seed);
}

RaidBench *raid_bench_new_sized(RaidCode code, unsigned members,
                                uint32_t stripe_sectors, uint64_t sectors,
                                uint32_t missing, uint32_t seed)
{
    const RaidLevel *level = &raid_level[code];
    RaidBench *bench = g_new0(RaidBench, 1);

    bench->sim = sim_new(seed);
    bench->noise = seed * 2654435761u + 1;
    bench->preset = raid_bench_drive(sectors);
    bench->lost = missing;
    bench->shape = (RaidShape) {
        .level = level, .members = members, .stripe_sectors = stripe_sectors,
        .member_sectors = raid_member_sectors(level, stripe_sectors, sectors),
    };
    bench->md = (MdArray) { md_levels[code], members, stripe_sectors };
    bench->capacity = raid_capacity(&bench->shape);
    bench->flat = g_malloc0(bench->capacity * DISK_SECTOR_BYTES);
    for (unsigned member = 0; member < members; member++) {
        if (!(missing >> member & 1)) {
            add_drive(bench, member);
        }
    }
    bench->unit = raid_unit_new(bench->sim, 0, &bench->shape, &bench->card,
                                bench->port, &bench->listener, bench);
    return bench;
}

void raid_bench_free(RaidBench *bench)
{
    raid_unit_free(bench->unit);
    for (unsigned member = 0; member < RAID_MEMBERS_MAX; member++) {
        if (bench->port[member]) {
            disk_port_pull(bench->port[member]);
            disk_port_free(bench->port[member]);
            disk_free(bench->disk[member]);
            disk_media_close(bench->media[member]);
        }
    }
    disk_preset_free(bench->preset);
    sim_free(bench->sim);
    g_free(bench->flat);
    g_free(bench);
}

void raid_bench_pull(RaidBench *bench, unsigned member)
{
    disk_port_pull(bench->port[member]);
    raid_unit_lose_member(bench->unit, member);
    bench->lost |= 1u << member;
}

void raid_bench_swap(RaidBench *bench, unsigned member)
{
    raid_bench_pull(bench, member);
    disk_free(bench->disk[member]);
    disk_media_close(bench->media[member]);
    add_drive(bench, member);
}

/* --- looking at the media ------------------------------------------------ */

static uint64_t data_start(const RaidBench *bench)
{
    return bench->shape.level->reserves ? 1024 : 0;
}

uint8_t *raid_bench_member(const RaidBench *bench, unsigned member)
{
    uint64_t sectors = bench->shape.member_sectors;
    uint8_t *image = g_malloc(sectors * DISK_SECTOR_BYTES);
    DiskMedia *media = bench->media[member];

    ck_assert_int_eq(media->ops->read(media, data_start(bench),
                                      (uint32_t)sectors, image), 0);
    return image;
}

static bool is_lost(const RaidBench *bench, unsigned member)
{
    return bench->lost >> member & 1;
}

static void xor_image(uint8_t *sum, const uint8_t *image, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t a, b;

        memcpy(&a, sum + i, sizeof(a));
        memcpy(&b, image + i, sizeof(b));
        a ^= b;
        memcpy(sum + i, &a, sizeof(a));
    }
}

static size_t member_bytes(const RaidBench *bench)
{
    return bench->shape.member_sectors * DISK_SECTOR_BYTES;
}

static void load_images(const RaidBench *bench, uint8_t **image)
{
    for (unsigned m = 0; m < bench->shape.members; m++) {
        image[m] = is_lost(bench, m) ? NULL : raid_bench_member(bench, m);
    }
}

/* What a lost member would hold, from the others. */
static void restore_images(const RaidBench *bench, uint8_t **image)
{
    unsigned n = bench->shape.members;

    for (unsigned m = 0; m < n; m++) {
        if (image[m]) {
            continue;
        }
        image[m] = g_malloc0(member_bytes(bench));
        if (bench->md.level == 5) {
            for (unsigned other = 0; other < n; other++) {
                if (other != m) {
                    xor_image(image[m], image[other], member_bytes(bench));
                }
            }
        } else {
            memcpy(image[m], image[m ^ 1], member_bytes(bench));
        }
    }
}

static void free_images(const RaidBench *bench, uint8_t **image)
{
    for (unsigned m = 0; m < bench->shape.members; m++) {
        g_free(image[m]);
    }
}

static void check_rows(const RaidBench *bench, uint8_t **image)
{
    size_t bytes = member_bytes(bench);
    unsigned n = bench->shape.members;

    if (bench->md.level == 5) {
        uint8_t *sum = g_malloc0(bytes);

        for (unsigned m = 0; m < n; m++) {
            xor_image(sum, image[m], bytes);
        }
        for (size_t i = 0; i < bytes; i++) {
            unit_holds(sum[i] == 0);
        }
        g_free(sum);
    } else if (bench->md.level == 1 || bench->md.level == 10) {
        for (unsigned m = 0; m < n; m += 2) {
            unit_holds(memcmp(image[m], image[m + 1], bytes) == 0);
        }
    }
}

void raid_bench_check_rows(const RaidBench *bench)
{
    uint8_t *image[RAID_MEMBERS_MAX];

    if (!bench->lost) {
        load_images(bench, image);
        check_rows(bench, image);
        free_images(bench, image);
    }
}

uint8_t *raid_bench_contents(const RaidBench *bench)
{
    uint8_t *contents = g_malloc(bench->capacity * DISK_SECTOR_BYTES);
    uint8_t *image[RAID_MEMBERS_MAX];

    load_images(bench, image);
    restore_images(bench, image);
    for (uint64_t lba = 0; lba < bench->capacity; lba++) {
        MdPlace place = md_place(&bench->md, lba);

        memcpy(contents + lba * DISK_SECTOR_BYTES,
               image[place.device] + place.sector * DISK_SECTOR_BYTES,
               DISK_SECTOR_BYTES);
    }
    free_images(bench, image);
    return contents;
}

void raid_bench_check(const RaidBench *bench)
{
    uint8_t *contents = raid_bench_contents(bench);

    for (uint64_t lba = 0; lba < bench->capacity; lba++) {
        if (memcmp(contents + lba * DISK_SECTOR_BYTES,
                   bench->flat + lba * DISK_SECTOR_BYTES,
                   DISK_SECTOR_BYTES)) {
            ck_abort_msg("sector %llu is not what was written",
                         (unsigned long long)lba);
        }
    }
    g_free(contents);
    raid_bench_check_rows(bench);
}

/* --- formatting ---------------------------------------------------------- */

static void put_sector(RaidBench *bench, uint8_t **image, uint64_t lba)
{
    MdPlace place = md_place(&bench->md, lba);
    uint8_t *sector = bench->flat + lba * DISK_SECTOR_BYTES;
    size_t at = place.sector * DISK_SECTOR_BYTES;

    memcpy(image[place.device] + at, sector, DISK_SECTOR_BYTES);
    if (bench->md.level == 5) {
        xor_image(image[place.twin] + at, sector, DISK_SECTOR_BYTES);
    } else if (bench->md.level == 1 || bench->md.level == 10) {
        memcpy(image[place.twin] + at, sector, DISK_SECTOR_BYTES);
    }
}

void raid_bench_format(RaidBench *bench)
{
    uint8_t *image[RAID_MEMBERS_MAX];

    raid_bench_fill(bench, bench->flat, bench->capacity * DISK_SECTOR_BYTES);
    for (unsigned m = 0; m < bench->shape.members; m++) {
        image[m] = g_malloc0(member_bytes(bench));
    }
    for (uint64_t lba = 0; lba < bench->capacity; lba++) {
        put_sector(bench, image, lba);
    }
    for (unsigned m = 0; m < bench->shape.members; m++) {
        DiskMedia *media = bench->media[m];

        if (media) {
            media->ops->write(media, data_start(bench),
                              (uint32_t)bench->shape.member_sectors,
                              image[m]);
        }
    }
    free_images(bench, image);
}
