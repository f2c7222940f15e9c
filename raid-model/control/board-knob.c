/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board knob: the table of sources.
 *
 * Reviews are named by their publisher and year: StorageReview 2001 is the
 * review of the Escalade 7410, with the 6400, the 2400A and plain ports
 * beside it; X-bit labs 2004 that of the FastTRAK S150 SX4.
 */
#include "raid-model/control/board-knob.h"

#include <fnmatch.h>
#include <glib.h>
#include <inttypes.h>
#include <stddef.h>

#define FIELD(field)                                                    \
    .name = #field, .offset = offsetof(BoardModel, field),              \
    .size = sizeof(((BoardModel *)NULL)->field)
#define MASK(level) (1u << (level))
#define MIRRORED (MASK(RAID_1) | MASK(RAID_10))
#define RATE .form = KNOB_RATE, .unit = "bytes/s"
#define TIME .form = KNOB_TIME, .unit = "ns"

static const char *const lane_orders[] = { "fifo", "c-look" };
static const char *const mirror_reads[] = {
    "by turns", "nearest arm", "first copy", "sections by turns"
};
static const char *const gathers[] = { "none", "full rows", "writes" };

const char *const board_knob_kind[] = {
    "measured", "data sheet", "fitted", "assumed", "guess"
};

#define LOG_OF_7000 "as a FreeBSD boot log of a 7000 series card prints it"
#define VERSION(what)                                                   \
    .form = KNOB_TEXT, .zero = "none", .about = what,                   \
    .from = {                                                           \
        { "3ware-7*", KNOB_MEASURED, LOG_OF_7000 },                     \
        { "3ware-8*", KNOB_GUESS, "after the names of firmware files" }, \
        { "3ware-6*", KNOB_GUESS, "of the form of the 7000's" },        \
        { "*", KNOB_ASSUMED, "not imitated: raidsim only" },            \
    }

const BoardKnob board_knob[] = {
    {
        FIELD(ports), .about = "drives it takes",
        .from = {
            { "3ware-*", KNOB_DATA_SHEET, "its name" },
            { "ata-onboard", KNOB_ASSUMED, "one drive a cable" },
            { "promise-*", KNOB_ASSUMED, "one drive a cable" },
            { "*", KNOB_DATA_SHEET, "its review" },
        },
    }, {
        FIELD(sata), .form = KNOB_YES_NO, .about = "SATA, not ATA",
        .from = { { "*", KNOB_DATA_SHEET, "its product sheet or review" } },
    }, {
        FIELD(registers), .form = KNOB_YES_NO,
        .about = "to be had in QEMU too",
        .from = { { "*", KNOB_ASSUMED, "what is built here" } },
    }, {
        FIELD(levels), .form = KNOB_LEVELS, .about = "arrays it makes",
        .from = { { "*", KNOB_DATA_SHEET, "its product sheet or review" } },
    }, {
        FIELD(pci_device), .form = KNOB_HEX, .zero = "none",
        .about = "PCI device of vendor 13c1",
        .from = {
            { "3ware-*", KNOB_MEASURED, "lspci in public logs; twe(4)" },
            { "*", KNOB_ASSUMED, "not imitated: raidsim only" },
        },
    }, {
        FIELD(pci_revision), .form = KNOB_HEX, .zero = "none",
        .about = "PCI revision",
        .from = {
            { "3ware-*", KNOB_MEASURED, "lspci in public logs" },
            { "*", KNOB_ASSUMED, "not imitated: raidsim only" },
        },
    }, {
        FIELD(pchip_major), .about = "P-chip in the status register",
        .zero = "none",
        .from = {
            { "3ware-6*", KNOB_GUESS, "no log of such a card was found" },
            { "3ware-*", KNOB_MEASURED, LOG_OF_7000 },
            { "*", KNOB_ASSUMED, "not imitated: raidsim only" },
        },
    }, {
        FIELD(pchip_minor), .about = "the same, after the point",
        .zero = "none",
        .from = {
            { "3ware-6*", KNOB_GUESS, "no log of such a card was found" },
            { "3ware-*", KNOB_MEASURED, LOG_OF_7000 },
            { "*", KNOB_ASSUMED, "not imitated: raidsim only" },
        },
    },
    { FIELD(firmware), VERSION("firmware, as it calls itself") },
    { FIELD(bios), VERSION("BIOS, as it calls itself") },
    { FIELD(monitor), VERSION("monitor, as it calls itself") },
    { FIELD(pcb), VERSION("revision of the board") },
    { FIELD(achip), VERSION("revision of the A-chip") },
    { FIELD(pchip), VERSION("revision of the P-chip") },
    {
        FIELD(link_bytes_per_s), RATE, .about = "a drive's cable",
        .from = {
            { "*", KNOB_DATA_SHEET, "the ATA or SATA mode of the product" },
        },
    }, {
        FIELD(bus_bytes_per_s), RATE,
        .about = "the host's bus, after protocol",
        .from = {
            { "3ware-7410", KNOB_MEASURED, "PCI 32/33 filled by reads of "
              "four drives (StorageReview 2001)" },
            { "3ware-8506-8", KNOB_MEASURED, "PCI 64/66 filled by eight "
              "drives (X-bit labs 2004)" },
            { "3ware-7500-*", KNOB_MEASURED, "PCI 64/33 filled behind "
              "another card of that slot, the 8500 (X-bit labs 2004)" },
            { "3ware-8006-2", KNOB_GUESS, "as the 8506; that it is a 64/66 "
              "card too is a guess" },
            { "fasttrak-*", KNOB_ASSUMED, "PCI 32/66" },
            { "*", KNOB_ASSUMED, "as measured on others of its width and "
              "clock; a hub link for ports on board" },
        },
    }, {
        FIELD(bus_in_bytes_per_s), RATE, .zero = "as the bus",
        .about = "data the card fetches from the host",
        .from = {
            { "fasttrak-*", KNOB_FITTED, "sequential writes of RAID 0 of two, "
              "three and four drives stop at one rate, reads do not (X-bit "
              "labs 2004)" },
            { "*", KNOB_ASSUMED, "no more than the bus is seen in reviews" },
        },
    }, {
        FIELD(command_ns), TIME, .about = "a processor's time for a command",
        .from = {
            { "3ware-*", KNOB_FITTED, "sequential writes of RAID 0 at depth "
              "1; the 7410 a little slower than the 6400 (StorageReview "
              "2001)" },
            { "adaptec-*", KNOB_GUESS, "a slow processor, an i960RS" },
            { "fasttrak-s150-sx4*", KNOB_FITTED, "a mirror streams small "
              "blocks no faster than one drive (X-bit labs 2004); the "
              "computer's driver leads every step of a command" },
            { "*", KNOB_GUESS, "the computer's own" },
        },
    }, {
        FIELD(driver_commands),
        .about = "commands its driver keeps there; the rest waits in the "
                 "computer",
        .from = {
            { "3ware-*", KNOB_FITTED, "the Windows driver's, to the step from "
              "64 to 256 requests (StorageReview 2001); Linux 3w-xxxx has "
              "254" },
            { "ata-onboard", KNOB_MEASURED, "1: the port driver of Windows "
              "2000" },
            { "promise-*", KNOB_MEASURED, "1: the port driver of Windows "
              "2000" },
            { "*", KNOB_GUESS, "more than any load here keeps going" },
        },
    }, {
        FIELD(driver_polls_above),
        .about = "commands there above which its driver asks the card "
                 "without pause",
        .from = {
            { "3ware-[67][48]*", KNOB_FITTED, "the Windows driver's: the "
              "computer is idle half the time with 16 requests and never "
              "with 64 (StorageReview 2001)" },
            { "*", KNOB_ASSUMED, "no driver does" },
        },
    }, {
        FIELD(driver_poll_ns), TIME, .zero = "none",
        .about = "that takes from the memory for parity, for each command",
        .from = {
            { "3ware-[67][48]*", KNOB_FITTED, "RAID 5 sequential writes of "
              "the 7410, slower by a seventh where the computer is never "
              "idle; how the two hang together is a guess (StorageReview "
              "2001)" },
            { "*", KNOB_ASSUMED, "no driver does" },
        },
    }, {
        FIELD(lane_order), .form = KNOB_CHOICE, .words = lane_orders,
        .about = "which drive op waiting on the card goes next",
        .from = {
            { "ata-onboard", KNOB_ASSUMED, "there is no card" },
            { "promise-*", KNOB_ASSUMED, "there is no card" },
            { "3ware-*", KNOB_GUESS, "\"elevator seeking\" in the maker's "
              "list of features; the gain with depth (StorageReview 2001)" },
            { "*", KNOB_GUESS, "the gain with depth (reviews)" },
        },
    }, {
        FIELD(lane_committed), .zero = "no limit",
        .about = "drive ops no longer to be chosen among",
        .from = {
            { "*", KNOB_GUESS, "a drive works on one, the next is chosen by "
              "then: so two requests gain nothing (Chung, Gray, Worthington, "
              "Horst 2000)" },
        },
    }, {
        FIELD(lane_window), .zero = "all",
        .about = "the oldest so many are chosen among",
        .from = {
            { "3ware-*", KNOB_FITTED, "single drives at 64 requests "
              "(StorageReview 2001)" },
            { "*", KNOB_GUESS, "no bound is seen in the reviews" },
        },
    }, {
        FIELD(drive_sectors_max), .unit = "sectors", .zero = "no limit",
        .about = "of one drive command, where a row is one chunk of data",
        .from = {
            { "fasttrak-*", KNOB_ASSUMED, "what an ATA command of 28 bits "
              "takes" },
            { "*", KNOB_ASSUMED, "no request of the reviews is longer" },
        },
    }, {
        FIELD(write_bytes_per_s), RATE, .zero = "as the bus",
        .about = "data to all drives; that both copies of a mirror count is a "
                 "guess",
        .from = {
            { "3ware-6400", KNOB_MEASURED, "RAID 0 of three and four drives "
              "stops there (StorageReview 2001)" },
            { "3ware-7410", KNOB_MEASURED, "RAID 0 of three and four drives "
              "stops there (StorageReview 2001)" },
            { "adaptec-*", KNOB_MEASURED, "RAID 0 of two drives stops there "
              "(StorageReview 2001)" },
            { "3ware-[67]8*", KNOB_ASSUMED, "as its smaller sister" },
            { "*", KNOB_ASSUMED, "the bus is the narrower place" },
        },
    }, {
        FIELD(read_bytes_per_s), RATE, .zero = "as the bus",
        .about = "data from all drives",
        .from = {
            { "*", KNOB_ASSUMED, "the bus is the narrower place" },
        },
    }, {
        FIELD(mirror_reads), .form = KNOB_CHOICE, .words = mirror_reads,
        .levels = MASK(RAID_1), .about = "which copy of a RAID 1 is read",
        .from = {
            { "3ware-*", KNOB_DATA_SHEET, "TwinStor, as the maker's papers "
              "tell it" },
            { "fasttrak-s150-tx4", KNOB_MEASURED, "its mirrors read no "
              "faster than one drive (X-bit labs 2004)" },
            { "fasttrak-*", KNOB_FITTED, "reads of its mirrors gain little "
              "with one request, a copy's worth with many, and nothing in "
              "streams (X-bit labs 2004)" },
            { "*", KNOB_GUESS, "reads of its mirrors gain with depth" },
        },
    }, {
        FIELD(mirror10_reads), .form = KNOB_CHOICE, .words = mirror_reads,
        .levels = MASK(RAID_10), .about = "which copy of a RAID 10 is read",
        .from = {
            { "3ware-6400", KNOB_MEASURED, "gains as its RAID 1 does "
              "(StorageReview 2001)" },
            { "3ware-7410", KNOB_MEASURED, "gains nothing as its RAID 1 does "
              "(StorageReview 2001)" },
            { "3ware-*", KNOB_GUESS, "as the next of its series" },
            { "fasttrak-s150-tx4", KNOB_MEASURED, "its mirrors read no "
              "faster than one drive (X-bit labs 2004)" },
            { "fasttrak-*", KNOB_FITTED, "as its RAID 1" },
            { "*", KNOB_GUESS, "as its RAID 1" },
        },
    }, {
        FIELD(mirror_outweighs), .zero = "never", .levels = MIRRORED,
        .about = "so many more waiting: the copy whose arm is farther",
        .from = { { "*", KNOB_GUESS, "not told by the makers" } },
    }, {
        FIELD(mirror_section_sectors), .unit = "sectors", .zero = "none",
        .levels = MIRRORED, .about = "of a stream, from the copies by turns",
        .from = {
            { "fasttrak-s150-sx4*", KNOB_FITTED, "mirrors stream a little "
              "more slowly than without copies (X-bit labs 2004); here of "
              "all reads" },
            { "3ware-*", KNOB_GUESS, "TwinStor does so; the length is not "
              "told" },
            { "*", KNOB_GUESS, "not told by the makers" },
        },
    }, {
        FIELD(mirror_stream_waiting), .levels = MIRRORED,
        .about = "drive ops outstanding that make a stream",
        .from = { { "*", KNOB_GUESS, "not told by the makers" } },
    }, {
        FIELD(row_writes_max), .zero = "no limit", .levels = MASK(RAID_5),
        .about = "RAID 5 rows in its memory at once, of a unit, until the "
                 "drives have been sent their parts",
        .from = {
            { "3ware-6*", KNOB_FITTED, "RAID 5 random writes, which gain "
              "little with depth (StorageReview 2001)" },
            { "3ware-7[48]*", KNOB_FITTED, "RAID 5 random writes, which gain "
              "little with depth (StorageReview 2001)" },
            { "3ware-*", KNOB_GUESS, "more than cards with less memory" },
            { "*", KNOB_GUESS, "no bound is seen in the reviews" },
        },
    }, {
        FIELD(gathers_rows), .form = KNOB_CHOICE, .words = gathers,
        .levels = MASK(RAID_5),
        .about = "writes waiting for a row of a RAID 5 that become one",
        .from = {
            { "3ware-6*", KNOB_MEASURED, "RAID 5 sequential writes at every "
              "depth are small writes (StorageReview 2001)" },
            { "3ware-7[48]*", KNOB_FITTED, "RAID 5 sequential writes grow "
              "with depth (StorageReview 2001)" },
            { "3ware-*", KNOB_GUESS, "what \"R5 Fusion\" may mean" },
            { "*", KNOB_GUESS, "it has a cache to do so" },
        },
    }, {
        FIELD(xor_bytes_per_s), RATE, .zero = "no limit",
        .levels = MASK(RAID_5),
        .about = "bytes that pass its memory in RAID 5: one vector added to "
                 "another 3, one read 1",
        .from = {
            { "3ware-[67][48]*", KNOB_FITTED, "RAID 5 sequential writes of "
              "three and four drives (StorageReview 2001)" },
            { "3ware-*", KNOB_FITTED, "bonnie++'s writes on a 7500-4 "
              "(Nebula 2005)" },
            { "adaptec-*", KNOB_MEASURED, "RAID 5 sequential writes of 13.7 "
              "MiB/s whatever the drives (StorageReview 2001)" },
            { "*", KNOB_GUESS, "to be fitted to RAID 5 sequential writes" },
        },
    }, {
        FIELD(xor_first), .levels = MASK(RAID_5),
        .about = "of these for a sum's first vector",
        .from = {
            { "3ware-[67][48]*", KNOB_FITTED, "RAID 5 sequential writes of "
              "three and four drives at depth 16: as if written there and "
              "no more (StorageReview 2001)" },
            { "3ware-*", KNOB_ASSUMED, "as the 7410" },
            { "adaptec-*", KNOB_FITTED, "RAID 5 sequential writes, as fast "
              "on three and four drives: as if added to zeroes "
              "(StorageReview 2001)" },
            { "*", KNOB_GUESS, "copied" },
        },
    }, {
        FIELD(xor_piece_sectors), .unit = "sectors", .zero = "as it is",
        .levels = MASK(RAID_5),
        .about = "no stretch of a row counts for less",
        .from = {
            { "3ware-7[48]*", KNOB_FITTED, "RAID 5 random writes at depth "
              "1 (StorageReview 2001)" },
            { "*", KNOB_GUESS, "nothing is seen in the reviews" },
        },
    }, {
        FIELD(xor_row_ns), TIME, .zero = "none", .levels = MASK(RAID_5),
        .about = "and so much for each row",
        .from = {
            { "3ware-6*", KNOB_FITTED, "RAID 5 writes, which cost much the "
              "same for 8 and 64 KiB, three and four drives: a processor's "
              "work (StorageReview 2001)" },
            { "fasttrak-s150-sx4*", KNOB_FITTED, "what RAID 5 of four gains "
              "from writing back, 183 % at the most (X-bit labs 2004): the "
              "computer's driver goes from step to step of a row" },
            { "*", KNOB_GUESS, "nothing is seen in the reviews" },
        },
    }, {
        FIELD(row_wait_ns), TIME, .zero = "none", .levels = MASK(RAID_5),
        .about = "what goes on behind a row written whole waits so long "
                 "for the rest of its row",
        .from = {
            { "3ware-7[48]*", KNOB_FITTED, "RAID 5 sequential writes of four "
              "drives at depth 4, which just cover the next row; any time "
              "above 2 ms does (StorageReview 2001)" },
            { "*", KNOB_GUESS, "nothing is seen in the reviews" },
        },
    }, {
        FIELD(row_answer_ns), TIME, .zero = "none", .levels = MASK(RAID_5),
        .about = "from a RAID 5 write with its drives to the computer told",
        .from = {
            { "3ware-[67][48]*", KNOB_FITTED, "RAID 5 writes, random and "
              "sequential, which take so much longer one at a time than in "
              "a queue (StorageReview 2001)" },
            { "*", KNOB_GUESS, "nothing is seen in the reviews" },
        },
    }, {
        FIELD(cache_bytes), .unit = "bytes", .zero = "none",
        .about = "its own memory, written back; none: or written through",
        .from = {
            { "3ware-*", KNOB_DATA_SHEET, "its switch is for the drives' "
              "caches" },
            { "adaptec-*", KNOB_GUESS, "tens of MB, by its random writes "
              "(StorageReview 2001)" },
            { "fasttrak-s150-sx4", KNOB_MEASURED, "as fitted in the review "
              "(X-bit labs 2004)" },
            { "*", KNOB_DATA_SHEET, "its product sheet or review" },
        },
    }, {
        FIELD(cache_dirty_bytes), .unit = "bytes", .zero = "all",
        .about = "of it that may wait to be written",
        .from = {
            { "fasttrak-s150-sx4", KNOB_FITTED, "what writing back gains: a "
              "third for one drive with one request outstanding, nothing "
              "with 256 (X-bit labs 2004). Its log of transactions lies in "
              "a little ferroelectric memory, which may be the bound" },
            { "*", KNOB_GUESS, "no bound is seen in the reviews" },
        },
    }, {
        FIELD(cache_destage_max), .zero = "none",
        .about = "writes from it under way at once",
        .from = {
            { "fasttrak-s150-sx4", KNOB_FITTED, "writing back loses little "
              "to writing through with 256 requests outstanding (X-bit labs "
              "2004)" },
            { "*", KNOB_GUESS, "enough for all drives" },
        },
    }, {
        FIELD(cache_urgent_percent), .unit = "%", .zero = "none",
        .about = "of it dirty: from here on reads no longer go first",
        .from = {
            { "*", KNOB_GUESS, "no board gains in mixed loads (reviews)" },
        },
    },
};

const unsigned board_knobs = G_N_ELEMENTS(board_knob);

bool board_knob_applies(const BoardKnob *knob, const BoardModel *board)
{
    return !knob->levels || (knob->levels & board->levels);
}

static const void *field(const BoardKnob *knob, const BoardModel *board)
{
    return (const char *)board + knob->offset;
}

uint64_t board_knob_number(const BoardKnob *knob, const BoardModel *board)
{
    const void *at = field(knob, board);

    if (knob->form == KNOB_TEXT) {
        return 0;
    }
    switch (knob->size) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const uint16_t *)at;
    case 4:
        return *(const uint32_t *)at;
    default:
        return *(const uint64_t *)at;
    }
}

static char *levels_text(uint32_t levels)
{
    GString *text = g_string_new(NULL);

    for (unsigned code = 0; code < RAID_CODES; code++) {
        if (levels & MASK(code)) {
            g_string_append_printf(text, "%s%s", text->len ? " " : "",
                                   raid_level[code].name);
        }
    }
    return g_string_free(text, FALSE);
}

char *board_knob_text(const BoardKnob *knob, const BoardModel *board)
{
    uint64_t value = board_knob_number(knob, board);

    if (knob->form == KNOB_TEXT) {
        const char *text = *(const char *const *)field(knob, board);

        return g_strdup(*text ? text : knob->zero);
    }
    if (!value && knob->zero) {
        return g_strdup(knob->zero);
    }
    switch (knob->form) {
    case KNOB_HEX:
        return g_strdup_printf("0x%" PRIx64, value);
    case KNOB_RATE:
        return g_strdup_printf("%.4g MB/s", value / 1e6);
    case KNOB_TIME:
        return g_strdup_printf("%.4g us", value / 1e3);
    case KNOB_YES_NO:
        return g_strdup(value ? "yes" : "no");
    case KNOB_CHOICE:
        return g_strdup(knob->words[value]);
    case KNOB_LEVELS:
        return levels_text(value);
    default:
        return g_strdup_printf("%" PRIu64 "%s%s", value,
                               knob->unit ? " " : "",
                               knob->unit ? knob->unit : "");
    }
}

const KnobSource *board_knob_source(const BoardKnob *knob,
                                    const BoardModel *board)
{
    for (unsigned i = 0; i < KNOB_SOURCES_MAX && knob->from[i].boards; i++) {
        if (!fnmatch(knob->from[i].boards, board->name, 0)) {
            return &knob->from[i];
        }
    }
    return NULL;
}
