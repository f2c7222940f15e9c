/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members: images by their blocks, sectors by the layout, and the same as
 * device-mapper says it.
 */
#include "raid-model/sim/members.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "raid-model/array/parity.h"
#include "raid-model/sim/number.h"

#define SECTOR 512u
#define PIECE_SECTORS 2048u             /* of a level without chunks */

/* --- images --------------------------------------------------------------- */

static bool complain(GError **error, const char *path, const char *why)
{
    return number_error(error, "%s: %s", path, why);
}

static bool is_given_twice(const MemberSet *set, const struct stat *st)
{
    for (unsigned i = 0; i < set->images; i++) {
        struct stat other;

        if (!fstat(set->fd[i], &other) && other.st_dev == st->st_dev &&
            other.st_ino == st->st_ino) {
            return true;
        }
    }
    return false;
}

static bool open_image(MemberSet *set, const char *path, GError **error)
{
    /* Not to hang on a pipe's other end. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    off_t bytes;

    if (fd < 0 || fstat(fd, &st)) {
        complain(error, path, g_strerror(errno));
    } else if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
        complain(error, path, "an image or a block device would be right");
    } else if (is_given_twice(set, &st)) {
        complain(error, path, "given twice");
    } else if ((bytes = lseek(fd, 0, SEEK_END)) < 0) {
        complain(error, path, g_strerror(errno));
    } else {
        set->path[set->images] = path;
        set->sectors[set->images] = (uint64_t)bytes / SECTOR;
        set->fd[set->images++] = fd;
        return true;
    }
    if (fd >= 0) {
        close(fd);
    }
    return false;
}

static bool read_image(const MemberSet *set, unsigned image, uint64_t sector,
                       uint32_t count, void *buf)
{
    size_t left = (size_t)count * SECTOR;
    off_t at = (off_t)(sector * SECTOR);

    if (sector + count > set->sectors[image]) {
        return false;
    }
    while (left) {
        ssize_t got = pread(set->fd[image], buf, left, at);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        buf = (uint8_t *)buf + got;
        at += got;
        left -= (size_t)got;
    }
    return true;
}

/*
 * An image may be longer than the drive it was: copy 0 tells how long that
 * was, and so where copy 1 is.
 */
static void look(MemberSet *set, unsigned image)
{
    RaidFound *found = &set->found[image];
    uint8_t block[DCB_COPIES][DCB_BYTES] = { { 0 } };
    uint64_t sectors = MAX(set->sectors[image], RAID_RESERVED_SECTORS);

    for (unsigned copy = 0; copy < DCB_COPIES; copy++) {
        if (copy && dcb_read(block[0], &found->dcb[0]) == DCB_GOOD) {
            sectors = MIN(sectors, found->dcb[0].drive_sectors);
        }
        if (!read_image(set, image, dcb_sector(copy, sectors), DCB_SECTORS,
                        block[copy])) {
            memset(block[copy], 0, DCB_BYTES);
        }
    }
    raid_found_read(found, set->sectors[image],
                    (const void *const []) { block[0], block[1] });
}

MemberSet *members_open(char **paths, GError **error)
{
    MemberSet *set = g_new0(MemberSet, 1);
    unsigned images = g_strv_length(paths);
    bool good = images <= RAID_FOUND_MAX ||
                number_error(error, "%u images; %d at most", images,
                             RAID_FOUND_MAX);

    for (unsigned i = 0; good && i < images; i++) {
        good = open_image(set, paths[i], error);
    }
    if (!good) {
        members_close(set);
        return NULL;
    }
    for (unsigned i = 0; i < images; i++) {
        look(set, i);
    }
    raid_assemble(set->found, images, &set->all);
    return set;
}

void members_close(MemberSet *set)
{
    for (unsigned i = 0; set && i < set->images; i++) {
        close(set->fd[i]);
    }
    g_free(set);
}

/* --- a unit by hand ------------------------------------------------------- */

static bool image_of_port(const MemberSet *set, int port, uint64_t *sectors,
                          GError **error)
{
    if (port >= (int)set->images) {
        return number_error(error, "port %d: there %s only %u image%s; the "
                            "first is port 0", port,
                            set->images == 1 ? "is" : "are", set->images,
                            set->images == 1 ? "" : "s");
    }
    if (*sectors && set->sectors[port] < *sectors) {
        return number_error(error, "%s: %" PRIu64 " sectors; the unit's "
                            "drives have %" PRIu64, set->path[port],
                            set->sectors[port], *sectors);
    }
    return true;
}

/* Of a size, or told. */
static bool find_size(const MemberSet *set, const RaidSpec *spec,
                      uint64_t *sectors, GError **error)
{
    bool told = *sectors;
    int first = -1;

    for (unsigned m = 0; m < spec->members; m++) {
        int port = spec->port[m];

        if (port == RAID_PORT_MISSING) {
            continue;
        }
        if (!image_of_port(set, port, sectors, error)) {
            return false;
        }
        if (!told && first >= 0 && set->sectors[port] != *sectors) {
            return number_error(error, "%s and %s differ in size; name the "
                                "drives' model by --drive", set->path[first],
                                set->path[port]);
        }
        if (first < 0) {
            first = port;
            *sectors = told ? *sectors : set->sectors[port];
        }
    }
    return true;
}

bool members_state(const MemberSet *set, const RaidSpec *spec,
                   uint64_t drive_sectors, RaidAssembled *unit,
                   GError **error)
{
    *unit = (RaidAssembled) {
        .dcb = { .level = spec->level, .members = spec->members,
                 .stripe_sectors = spec->stripe_sectors },
    };
    if (!find_size(set, spec, &drive_sectors, error)) {
        return false;
    }
    unit->dcb.member_sectors = raid_member_sectors(
        spec->level, spec->stripe_sectors, drive_sectors);
    if (!unit->dcb.member_sectors) {
        return number_error(error, "%" PRIu64 " sectors are too few for a "
                            "member", drive_sectors);
    }
    for (unsigned m = 0; m < RAID_MEMBERS_MAX; m++) {
        unit->port[m] = RAID_NOBODY;
        if (m < spec->members && spec->port[m] != RAID_PORT_MISSING) {
            unit->port[m] = spec->port[m];
            unit->good |= 1u << m;
        }
    }
    unit->operable = dcb_operable(&unit->dcb, unit->good);
    return true;
}

/* --- sectors -------------------------------------------------------------- */

uint64_t members_capacity(const RaidAssembled *unit)
{
    RaidShape shape = dcb_shape(&unit->dcb);

    return raid_capacity(&shape);
}

uint32_t members_piece(const RaidAssembled *unit)
{
    return unit->dcb.stripe_sectors ? unit->dcb.stripe_sectors
                                    : PIECE_SECTORS;
}

/* A task's rows are pieces where there are no chunks. */
static bool has_it(const RaidAssembled *unit, unsigned member, uint64_t row,
                   uint64_t last_lba)
{
    uint64_t done = unit->dcb.stripe_sectors
        ? row : last_lba / RAID_STRIPE_SECTORS_MIN;

    return unit->good >> member & 1 ||
           (unit->rebuilding >> member & 1 && done < unit->dcb.task_row &&
            member == unit->dcb.task_member);
}

static bool read_slot(const MemberSet *set, const RaidAssembled *unit,
                      const RaidPlace *at, unsigned slot, uint64_t last_lba,
                      uint32_t count, void *buf)
{
    RaidShape shape = dcb_shape(&unit->dcb);
    unsigned member = raid_member(&shape, at->row, slot);

    return has_it(unit, member, at->row, last_lba) &&
           read_image(set, (unsigned)unit->port[member],
                      raid_row_sector(&shape, at->row) + at->offset, count,
                      buf);
}

/* The XOR of all other slots of the row. */
static bool derive(const MemberSet *set, const RaidAssembled *unit,
                   const RaidPlace *at, uint64_t last_lba, uint32_t count,
                   void *buf)
{
    RaidShape shape = dcb_shape(&unit->dcb);
    size_t bytes = (size_t)count * SECTOR;
    unsigned slots = raid_row_slots(&shape), sources = 0;
    g_autofree uint8_t *rest = g_malloc(bytes * slots);
    void *source[RAID_MEMBERS_MAX];

    if (!unit->dcb.level->row_redundant) {
        return false;
    }
    for (unsigned slot = 0; slot < slots; slot++) {
        source[sources] = rest + bytes * slot;
        if (slot != at->slot &&
            !read_slot(set, unit, at, slot, last_lba, count,
                       source[sources++])) {
            return false;
        }
    }
    raid_parity_make(buf, source, sources, bytes);
    return true;
}

bool members_read(const MemberSet *set, const RaidAssembled *unit,
                  uint64_t lba, uint32_t count, void *buf, GError **error)
{
    RaidShape shape = dcb_shape(&unit->dcb);
    RaidPlace at = raid_place(&shape, lba);
    uint64_t last = lba + count - 1;

    return read_slot(set, unit, &at, at.slot, last, count, buf) ||
           derive(set, unit, &at, last, count, buf) ||
           number_error(error, "sectors %" PRIu64 " to %" PRIu64 " of the "
                        "unit cannot be read from any member", lba, last);
}

/* --- device-mapper -------------------------------------------------------- */

static const char *image(const MemberSet *set, const RaidAssembled *unit,
                         unsigned member)
{
    return unit->good >> member & 1 ? set->path[unit->port[member]] : NULL;
}

static void put_mirror(const MemberSet *set, const RaidAssembled *unit,
                       unsigned first, GString *out)
{
    const char *a = image(set, unit, first), *b = image(set, unit, first + 1);
    uint64_t sectors = unit->dcb.member_sectors;

    if (a && b) {
        g_string_append_printf(out, "0 %" PRIu64 " mirror core 2 64 nosync 2 "
                               "%s %d %s %d\n", sectors, a,
                               RAID_DATA_OFFSET_SECTORS, b,
                               RAID_DATA_OFFSET_SECTORS);
    } else {
        g_string_append_printf(out, "0 %" PRIu64 " linear %s %d\n", sectors,
                               a ? a : b, RAID_DATA_OFFSET_SECTORS);
    }
}

static void put_raid10(const MemberSet *set, const RaidAssembled *unit,
                       GString *out)
{
    unsigned pairs = unit->dcb.members / 2;

    for (unsigned pair = 0; pair < pairs; pair++) {
        g_string_append_printf(out, "p%u: ", pair);
        put_mirror(set, unit, 2 * pair, out);
    }
    g_string_append_printf(out, "unit: 0 %" PRIu64 " striped %u %u",
                           members_capacity(unit), pairs,
                           unit->dcb.stripe_sectors);
    for (unsigned pair = 0; pair < pairs; pair++) {
        g_string_append_printf(out, " /dev/mapper/p%u 0", pair);
    }
    g_string_append_c(out, '\n');
}

static void put_raid5(const MemberSet *set, const RaidAssembled *unit,
                      GString *out)
{
    const Dcb *dcb = &unit->dcb;

    for (unsigned m = 0; m < dcb->members; m++) {
        if (image(set, unit, m)) {
            g_string_append_printf(out, "m%u: 0 %" PRIu64 " linear %s %d\n",
                                   m, dcb->member_sectors,
                                   image(set, unit, m),
                                   RAID_DATA_OFFSET_SECTORS);
        }
    }
    g_string_append_printf(out, "unit: 0 %" PRIu64 " raid raid5_ra 2 %u "
                           "nosync %u", members_capacity(unit),
                           dcb->stripe_sectors, dcb->members);
    for (unsigned m = 0; m < dcb->members; m++) {
        if (image(set, unit, m)) {
            g_string_append_printf(out, " - /dev/mapper/m%u", m);
        } else {
            g_string_append(out, " - -");
        }
    }
    g_string_append_c(out, '\n');
}

static void put_raid0(const MemberSet *set, const RaidAssembled *unit,
                      GString *out)
{
    g_string_append_printf(out, "unit: 0 %" PRIu64 " striped %u %u",
                           members_capacity(unit), unit->dcb.members,
                           unit->dcb.stripe_sectors);
    for (unsigned m = 0; m < unit->dcb.members; m++) {
        g_string_append_printf(out, " %s %d", image(set, unit, m),
                               RAID_DATA_OFFSET_SECTORS);
    }
    g_string_append_c(out, '\n');
}

void members_table(const MemberSet *set, const RaidAssembled *unit,
                   GString *out)
{
    RaidCode code = unit->dcb.level->code;

    if (!unit->operable) {
        return;
    }
    if (code == RAID_10) {
        put_raid10(set, unit, out);
    } else if (code == RAID_5) {
        put_raid5(set, unit, out);
    } else if (code == RAID_0) {
        put_raid0(set, unit, out);
    } else if (code == RAID_1) {
        g_string_append(out, "unit: ");
        put_mirror(set, unit, 0, out);
    } else {
        g_string_append_printf(out, "unit: 0 %" PRIu64 " linear %s %d\n",
                               unit->dcb.member_sectors, image(set, unit, 0),
                               unit->dcb.level->reserves
                                   ? RAID_DATA_OFFSET_SECTORS : 0);
    }
}
