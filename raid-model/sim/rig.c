/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rig: words become a board with drives and units.  The order is the one
 * controller.h asks for: new, plug, create, power on.
 */
#include <stdlib.h>
#include <string.h>

#include "raid-model/sim/forget.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/rig.h"

#define PAGE_BYTES ((size_t)4096)

static const DiskPreset *find_preset(Rig *rig, const char *name,
                                     GError **error)
{
    DiskPreset *preset = disk_preset_load(name, error);

    if (preset) {
        g_ptr_array_add(rig->presets, preset);
    }
    return preset;
}

/* "4xwd1200jb" is four; "sr5400" is one. */
static const char *split_count(const char *word, unsigned *count)
{
    size_t digits = strspn(word, "0123456789");

    *count = 1;
    if (digits && digits < 4 && word[digits] == 'x') {
        *count = atoi(word);
        return word + digits + 1;
    }
    return word;
}

static DiskMedia *new_media(const Rig *rig, const RigAsk *ask, unsigned index,
                            uint64_t lbas, GError **error)
{
    return rig->images ? disk_media_file_open(rig->images[index], lbas, error)
        : ask->data ? disk_media_memory_new(lbas) : forget_media_new(lbas);
}

static bool add_drive(Rig *rig, unsigned port, const DiskPreset *preset,
                      DiskMedia *media)
{
    g_autofree char *serial = g_strdup_printf("PLATTER-%04u", port);
    RigDrive *drive = &rig->drive[port];

    if (!media) {
        return false;
    }
    drive->preset = preset;
    drive->media = media;
    drive->disk = disk_new(rig->sim, preset, drive->media, serial,
                           sim_random(rig->sim, (uint64_t)1 << 32));
    raid_controller_plug(rig->ctl, port, drive->disk);
    return true;
}

static bool add_drives(Rig *rig, const RigAsk *ask, GError **error)
{
    g_auto(GStrv) words = g_strsplit(ask->drives, ",", -1);
    unsigned port = 0, index = 0;

    for (char **word = words; *word; word++) {
        unsigned count;
        const char *name = split_count(*word, &count);
        const DiskPreset *preset = NULL;

        if (!*name || !count) {
            return number_error(error, "--drives %s: '%s' is not a drive; "
                                "right would be [COUNTx]MODEL or none, as in "
                                "4xwd1200jb or 2xsr5400,none,wd360gd",
                                ask->drives, *word);
        }
        if (count > rig->ports - port) {
            return number_error(error, "--drives %s: more drives than the %u "
                                "ports of %s", ask->drives, rig->ports,
                                ask->board);
        }
        if (strcmp(name, "none")) {
            preset = find_preset(rig, name, error);
            if (!preset) {
                return false;
            }
        }
        for (; count; count--, port++) {
            if (preset && rig->images && !rig->images[index]) {
                return number_error(error, "--drives %s: more drives than "
                                    "images", ask->drives);
            }
            if (preset &&
                !add_drive(rig, port, preset,
                           new_media(rig, ask, index++,
                                     preset->geometry.lbas, error))) {
                return false;
            }
        }
    }
    return !rig->images || !rig->images[index] ||
           number_error(error, "--drives %s: fewer drives than images",
                        ask->drives);
}

static bool add_units(Rig *rig, const RigAsk *ask, GError **error)
{
    g_autoptr(GArray) specs = NULL;

    if (!*ask->units) {
        return true;
    }
    specs = raid_spec_parse(ask->units, error);
    if (!specs) {
        return false;
    }
    for (guint i = 0; i < specs->len; i++) {
        if (!raid_controller_create(rig->ctl,
                                    &g_array_index(specs, RaidSpec, i),
                                    error)) {
            return false;
        }
    }
    return true;
}

static bool board_error(const char *name, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);

    for (unsigned i = 0; i < board_models; i++) {
        g_string_append_printf(all, "%s%s", i ? " " : "",
                               board_model[i].name);
    }
    return number_error(error, "--board %s: no such board; there are %s",
                        name, all->str);
}

Rig *rig_new(const RigAsk *ask, GError **error)
{
    return rig_new_images(ask, NULL, error);
}

Rig *rig_new_images(const RigAsk *ask, char *const *images, GError **error)
{
    const BoardModel *board = board_model_find(ask->board);
    Rig *rig;

    if (!board) {
        board_error(ask->board, error);
        return NULL;
    }
    rig = g_new0(Rig, 1);
    rig->sim = sim_new(ask->seed);
    rig->ctl = raid_controller_new(rig->sim, board);
    if (images) {
        raid_controller_without_jbods(rig->ctl);
    } else {
        raid_controller_without_blocks(rig->ctl);
    }
    rig->ports = board->ports;
    rig->images = images;
    rig->drive = g_new0(RigDrive, board->ports);
    rig->presets =
        g_ptr_array_new_with_free_func((GDestroyNotify)disk_preset_free);

    if (!add_drives(rig, ask, error) || !add_units(rig, ask, error)) {
        rig_free(rig);
        return NULL;
    }
    raid_controller_power_on(rig->ctl);
    return rig;
}

Rig *rig_new_alike(const char *board, const char *drive, const char *level,
                   unsigned members, uint32_t stripe_bytes, uint64_t seed,
                   GError **error)
{
    const RaidLevel *found = raid_level_find(level);
    g_autofree char *stripe =
        number_print_bytes(stripe_bytes ? stripe_bytes : 65536);
    g_autofree char *drives = g_strdup_printf("%ux%s", members, drive);
    g_autofree char *ports = members > 1
        ? g_strdup_printf("0-%u", members - 1) : g_strdup("0");
    g_autofree char *unit = found && found->striped
        ? g_strdup_printf("%s:%s:%s", level, ports, stripe)
        : g_strdup_printf("%s:%s", level, ports);
    RigAsk ask = { .board = board, .drives = drives, .units = unit,
                   .seed = seed };

    return rig_new(&ask, error);
}

bool rig_unit_words(const char *level, int given, const char *stripe_word,
                    unsigned *members, uint32_t *stripe_bytes,
                    GError **error)
{
    const RaidLevel *found = raid_level_find(level);
    uint64_t stripe = 0;

    if (!found) {
        return number_error(error, "--level %s: single, jbod, raid0, raid1, "
                            "raid5 or raid10 would be right", level);
    }
    if (given != RIG_NOT_GIVEN && (given < 1 || given > RAID_MEMBERS_MAX)) {
        return number_error(error, "--members %d: 1 to %d would be right",
                            given, RAID_MEMBERS_MAX);
    }
    *members = given != RIG_NOT_GIVEN ? (unsigned)given
        : CLAMP(*members, found->members_min, found->members_max);
    if (stripe_word && !found->striped) {
        return number_error(error, "--stripe: %s has no stripe", level);
    }
    if (stripe_word &&
        !number_bytes("--stripe", stripe_word, &stripe, error)) {
        return false;
    }
    *stripe_bytes = MIN(stripe, UINT32_MAX);
    return true;
}

void rig_free(Rig *rig)
{
    for (unsigned i = 0; i < rig->ports && !rig->images; i++) {
        if (rig->drive[i].disk) {
            raid_controller_pull(rig->ctl, i);
        }
    }
    raid_controller_free(rig->ctl);
    for (unsigned i = 0; i < rig->ports; i++) {
        if (rig->drive[i].disk) {
            disk_free(rig->drive[i].disk);
            disk_media_close(rig->drive[i].media);
        }
    }
    g_ptr_array_unref(rig->presets);
    sim_free(rig->sim);
    g_free(rig->drive);
    g_free(rig);
}

void *rig_memory(size_t bytes)
{
    size_t room = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    void *memory = aligned_alloc(PAGE_BYTES, room);

    if (!memory) {
        g_error("out of memory: %zu bytes", room);
    }
    return memset(memory, 0, room);
}

int rig_first_unit(const Rig *rig)
{
    for (unsigned i = 0; i < RAID_UNITS_MAX; i++) {
        if (raid_controller_unit(rig->ctl, i)) {
            return i;
        }
    }
    return -1;
}
