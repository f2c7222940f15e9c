/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raidsim members: what images are members of, and the unit's data from
 * them.  Nothing is written but the file of --export.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "disk-model/drive/preset.h"
#include "raid-model/control/json.h"
#include "raid-model/sim/command.h"
#include "raid-model/sim/members.h"
#include "raid-model/sim/number.h"
#include "raid-model/sim/out-file.h"
#include "raid-model/sim/progress.h"

static const char more[] =
    "Reads the blocks that members carry (docs/on-disk-format.md) and says\n"
    "which units they make, in which order, what is missing, stale or\n"
    "damaged, and the table with which device-mapper shows the same. The\n"
    "order of the images does not matter. They are opened for reading only.\n"
    "\n"
    "--export writes the unit's data as a raw image, zeroes as holes; with\n"
    "several units --unit says which by its number. What a member lacks comes\n"
    "from the others, as far as the level allows. --unit LEVEL:PORTS[:STRIPE]\n"
    "states a unit by hand, whatever the blocks say; the first image is port\n"
    "0. So images without blocks are read, or with damaged ones.\n"
    "\n"
    "Examples\n"
    "  raidsim members d0.raw d1.raw d2.raw d3.raw\n"
    "  raidsim members d0.raw d3.raw d2.raw --export unit.raw\n"
    "  raidsim members d*.raw --unit raid5:0-3:64k --export unit.raw\n"
    "  raidsim members d0.raw d1.raw --unit raid5:0+1+missing --export u.raw\n"
    "\n"
    "Exit status: 0 done, 1 something could not be read or written, 2 wrong\n"
    "usage: nothing was done.\n";

typedef struct Ask {
    gboolean json;
    char *export, *unit, *drive;
} Ask;

static const char *const copy_words[] = {
    [DCB_NONE] = "none", [DCB_GOOD] = "good", [DCB_DAMAGED] = "damaged",
    [DCB_NEWER] = "newer",
};

static const char *const task_words[] = {
    "none", "rebuild", "verify", "initialize",
};

/* --- words ---------------------------------------------------------------- */

static const char *unit_state(const RaidAssembled *unit)
{
    uint32_t all = (1u << unit->dcb.members) - 1;

    return !unit->operable ? "inoperable"
         : unit->good == all ? "ok" : "degraded";
}

static const char *member_state(const MemberSet *set,
                                const RaidAssembled *unit, unsigned member)
{
    return unit->port[member] == RAID_NOBODY ? "missing"
         : unit->good >> member & 1 ? "good"
         : raid_claim_word(set->all.claim[unit->port[member]]);
}

static char *id_text(const Dcb *dcb)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < DCB_ID_BYTES; i++) {
        g_string_append_printf(text, "%02x", dcb->id[i]);
    }
    return g_string_free(text, FALSE);
}

static bool is_stated(const RaidAssembled *unit)
{
    return !unit->dcb.sequence;         /* by hand: no block has this */
}

/* "both copies", "copy 1 damaged" */
static char *copies_text(const RaidFound *found)
{
    if (found->copy[0] == found->copy[1]) {
        return found->copy[0] == DCB_GOOD ? g_strdup("both copies")
            : g_strdup_printf("copies: %s", copy_words[found->copy[0]]);
    }
    for (unsigned copy = 0; copy < DCB_COPIES; copy++) {
        if (found->copy[copy] != DCB_GOOD) {
            return g_strdup_printf("copy %u: %s", copy,
                                   copy_words[found->copy[copy]]);
        }
    }
    return NULL;
}

/* --- text ----------------------------------------------------------------- */

static void print_members(const MemberSet *set, const RaidAssembled *unit)
{
    for (unsigned m = 0; m < unit->dcb.members; m++) {
        int port = unit->port[m];
        g_autofree char *copies = port == RAID_NOBODY
            ? NULL : copies_text(&set->found[port]);

        printf("  member %-2u %-10s %s%s%s%s%s\n", m,
               member_state(set, unit, m),
               port == RAID_NOBODY ? "-" : set->path[port],
               is_stated(unit) || !copies ? "" : ", ",
               is_stated(unit) || !copies ? "" : copies,
               *unit->dcb.at[m].serial ? ", serial " : "",
               unit->dcb.at[m].serial);
    }
}

static void print_unit(const MemberSet *set, const RaidAssembled *unit,
                       unsigned number)
{
    const Dcb *dcb = &unit->dcb;
    g_autofree char *id = id_text(dcb);
    g_autoptr(GString) table = g_string_new(NULL);

    printf("unit %u: %s, %u member%s", number, dcb->level->title,
           dcb->members, dcb->members == 1 ? "" : "s");
    if (dcb->stripe_sectors) {
        printf(", %u KiB stripes", dcb->stripe_sectors / 2);
    }
    printf(", %" PRIu64 " sectors, %s\n", members_capacity(unit),
           unit_state(unit));
    if (is_stated(unit)) {
        printf("  as stated\n");
    } else {
        printf("  id %s, sequence %" PRIu64 "%s%s%s%s\n", id, dcb->sequence,
               *dcb->name ? ", name " : "", dcb->name,
               dcb->flags & DCB_UNCLEAN ? ", unclean" : "",
               dcb->flags & DCB_INITIALISED ? ", initialised" : "");
    }
    if (dcb->task != DCB_TASK_NONE) {
        printf("  %s under way, rows below %" PRIu64 " are done\n",
               task_words[dcb->task], dcb->task_row);
    }
    print_members(set, unit);
    members_table(set, unit, table);
    if (table->len) {
        printf("  device-mapper (read-only devices for the images' names):\n");
        g_strdelimit(table->str, "\n", '\1');
        for (char *line = strtok(table->str, "\1"); line;
             line = strtok(NULL, "\1")) {
            printf("    %s\n", line);
        }
    }
}

static bool is_in_a_unit(const MemberSet *set, unsigned image)
{
    RaidClaim claim = set->all.claim[image];

    return claim == RAID_CLAIM_MEMBER || claim == RAID_CLAIM_REBUILDING ||
           claim == RAID_CLAIM_STALE;
}

static void print_text(const MemberSet *set, const RaidAssembled *units,
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        print_unit(set, &units[i], i);
    }
    if (count && is_stated(units)) {
        return;
    }
    for (unsigned i = 0; i < set->images; i++) {
        if (!is_in_a_unit(set, i)) {
            printf("%s: %s, %s\n", set->path[i],
                   raid_claim_word(set->all.claim[i]),
                   raid_claim_line(set->all.claim[i]));
        }
    }
}

/* --- JSON ----------------------------------------------------------------- */

static void json_copies(Json *json, const RaidFound *found)
{
    json_list(json, "copies");
    for (unsigned copy = 0; copy < DCB_COPIES; copy++) {
        json_string(json, NULL, copy_words[found->copy[copy]]);
    }
    json_close_list(json);
}

static void json_members(Json *json, const MemberSet *set,
                         const RaidAssembled *unit)
{
    json_list(json, "members");
    for (unsigned m = 0; m < unit->dcb.members; m++) {
        json_object(json, NULL);
        json_integer(json, "member", m);
        json_string(json, "image", unit->port[m] == RAID_NOBODY
                    ? "" : set->path[unit->port[m]]);
        json_string(json, "state", member_state(set, unit, m));
        json_string(json, "serial", unit->dcb.at[m].serial);
        json_close_object(json);
    }
    json_close_list(json);
}

static void json_unit(Json *json, const MemberSet *set,
                      const RaidAssembled *unit)
{
    const Dcb *dcb = &unit->dcb;
    g_autofree char *id = id_text(dcb);
    g_autoptr(GString) table = g_string_new(NULL);
    g_auto(GStrv) lines = NULL;

    json_object(json, NULL);
    json_string(json, "level", dcb->level->name);
    json_integer(json, "stripe_kb", dcb->stripe_sectors / 2);
    json_integer(json, "sectors", members_capacity(unit));
    json_string(json, "state", unit_state(unit));
    json_string(json, "name", dcb->name);
    json_string(json, "id", id);
    json_integer(json, "sequence", dcb->sequence);
    json_integer(json, "unclean", !!(dcb->flags & DCB_UNCLEAN));
    json_integer(json, "initialised", !!(dcb->flags & DCB_INITIALISED));
    json_string(json, "task", task_words[dcb->task]);
    json_integer(json, "task_row", dcb->task_row);
    json_members(json, set, unit);
    json_list(json, "device_mapper");
    members_table(set, unit, table);
    lines = g_strsplit(table->str, "\n", -1);
    for (char **line = lines; *line && **line; line++) {
        json_string(json, NULL, *line);
    }
    json_close_list(json);
    json_close_object(json);
}

static void print_json(const MemberSet *set, const RaidAssembled *units,
                       unsigned count)
{
    g_autofree char *text = NULL;
    Json json;

    json_begin(&json);
    json_list(&json, "units");
    for (unsigned i = 0; i < count; i++) {
        json_unit(&json, set, &units[i]);
    }
    json_close_list(&json);
    json_list(&json, "images");
    for (unsigned i = 0; i < set->images; i++) {
        json_object(&json, NULL);
        json_string(&json, "image", set->path[i]);
        json_integer(&json, "sectors", set->sectors[i]);
        json_string(&json, "claim", raid_claim_word(set->all.claim[i]));
        json_copies(&json, &set->found[i]);
        json_close_object(&json);
    }
    json_close_list(&json);
    text = json_end(&json);
    fputs(text, stdout);
}

/* --- export --------------------------------------------------------------- */

static bool is_an_image(const MemberSet *set, const char *path)
{
    struct stat out, in;

    for (unsigned i = 0; i < set->images; i++) {
        if (!stat(path, &out) && !stat(set->path[i], &in) &&
            out.st_dev == in.st_dev && out.st_ino == in.st_ino) {
            return true;
        }
    }
    return false;
}

static bool is_zero(const uint8_t *buf, size_t bytes)
{
    return !*buf && !memcmp(buf, buf + 1, bytes - 1);
}

/* False: said why, or reading or writing stopped for good. */
static bool copy_unit(const MemberSet *set, const RaidAssembled *unit,
                      FILE *out, GError **error)
{
    uint64_t sectors = members_capacity(unit);
    uint32_t piece = members_piece(unit);
    g_autofree uint8_t *buf = g_malloc((size_t)piece * 512);

    for (uint64_t lba = 0; lba < sectors && !progress_interrupted();) {
        uint32_t count = (uint32_t)MIN(piece, sectors - lba);
        size_t bytes = (size_t)count * 512;
        bool last = lba + count == sectors;

        if (!members_read(set, unit, lba, count, buf, error)) {
            return false;
        }
        if ((!is_zero(buf, bytes) || last) &&
            (fseeko(out, (off_t)(lba * 512), SEEK_SET) ||
             fwrite(buf, 1, bytes, out) != bytes)) {
            return true;                /* out_files_close() says it */
        }
        lba += count;
        progress_show("raidsim members", (double)lba / sectors);
    }
    return !progress_interrupted() || number_error(error, "interrupted");
}

static int export_unit(const MemberSet *set, const RaidAssembled *unit,
                       const char *path, GError **error)
{
    OutFile file = { .option = "--export", .path = path };
    bool good;

    if (!unit->operable) {
        number_error(error, "--export: too many members are missing");
        return COMMAND_USAGE;
    }
    if (is_an_image(set, path)) {
        number_error(error, "--export=%s: one of the images; a file of its "
                     "own would be right", path);
        return COMMAND_USAGE;
    }
    if (!out_files_open(&file, 1, error)) {
        return COMMAND_USAGE;
    }
    progress_begin();
    good = copy_unit(set, unit, file.stream, error);
    progress_end();
    return !out_files_close(&file, 1, "members") || !good;
}

/* --- which unit ----------------------------------------------------------- */

static bool drive_size(const char *model, uint64_t *sectors, GError **error)
{
    DiskPreset *preset = model ? disk_preset_load(model, error) : NULL;

    *sectors = preset ? preset->geometry.lbas : 0;
    if (preset) {
        disk_preset_free(preset);
    }
    return preset || !model;
}

static bool state_unit(const MemberSet *set, const Ask *ask,
                       RaidAssembled *unit, GError **error)
{
    g_autoptr(GArray) specs = raid_spec_parse(ask->unit, error);
    uint64_t sectors;

    if (!specs) {
        g_prefix_error(error, "--unit: ");
        return false;
    }
    return (specs->len == 1 ||
            number_error(error, "--unit: one unit would be right")) &&
           drive_size(ask->drive, &sectors, error) &&
           members_state(set, &g_array_index(specs, RaidSpec, 0), sectors,
                         unit, error);
}

/* `stated` has room for one; *count of *units are to be shown. */
static bool choose(const MemberSet *set, const Ask *ask,
                   RaidAssembled *stated, const RaidAssembled **units,
                   unsigned *count, GError **error)
{
    uint64_t number;

    *units = set->all.unit;
    *count = set->all.units;
    if (!ask->unit) {
        return !ask->drive || number_error(error, "--drive: only with --unit "
                                           "LEVEL:PORTS[:STRIPE]");
    }
    if (!g_ascii_string_to_unsigned(ask->unit, 10, 0, UINT32_MAX, &number,
                                    NULL)) {
        *units = stated;
        *count = 1;
        return state_unit(set, ask, stated, error);
    }
    *units += number;
    *count = 1;
    return number < set->all.units ||
           number_error(error, "--unit=%s: no such unit; %u found",
                        ask->unit, set->all.units);
}

static int run(const Ask *ask, char **paths, GError **error)
{
    MemberSet *set = members_open(paths, error);
    g_autofree RaidAssembled *stated = g_new0(RaidAssembled, 1);
    const RaidAssembled *units;
    unsigned count;
    int status = COMMAND_USAGE;

    if (!set || !choose(set, ask, stated, &units, &count, error)) {
        members_close(set);
        return COMMAND_USAGE;
    }
    if (ask->export && count != 1) {
        number_error(error, count ? "--export: %u units; say which by --unit "
                     "NUMBER" : "--export: %u units; state one by --unit "
                     "LEVEL:PORTS[:STRIPE]", count);
    } else {
        status = ask->export ? export_unit(set, units, ask->export, error)
                             : 0;
    }
    if (!*error) {
        (ask->json ? print_json : print_text)(set, units, count);
    }
    members_close(set);
    return status;
}

int command_members(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    Ask ask = { 0 };
    int status = COMMAND_USAGE;
    const GOptionEntry entries[] = {
        { "export", 0, 0, G_OPTION_ARG_FILENAME, &ask.export,
          "Write the unit's data to FILE", "FILE" },
        { "unit", 0, 0, G_OPTION_ARG_STRING, &ask.unit,
          "Which of the units found, or one stated by hand",
          "NUMBER|LEVEL:PORTS[:STRIPE]" },
        { "drive", 0, 0, G_OPTION_ARG_STRING, &ask.drive,
          "The drives' model, where images are longer", "MODEL" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &ask.json, "Print JSON", NULL },
        { 0 }
    };

    if (command_options("members", &argc, &argv, entries, "IMG...", G_MAXINT,
                        more)) {
        if (argc < 2) {
            number_error(&error, "which IMG? (raidsim members --help)");
        } else {
            status = run(&ask, argv + 1, &error);
        }
        if (error) {
            command_refuse("members", error->message);
        }
    }
    g_free(ask.export);
    g_free(ask.unit);
    g_free(ask.drive);
    return status;
}
