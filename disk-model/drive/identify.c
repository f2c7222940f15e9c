/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identify: one table of words per drive, filled in one pass.
 *
 * Only what the model does is claimed: no queueing, no security, no host
 * protected area.  Words not named here are zero.
 */
#include <string.h>

#include "disk-model/drive/identify.h"

#define LBA28_MAX 0x0fffffff

unsigned ata_udma_max(const DiskPreset *preset)
{
    static const struct {
        const char *interface;
        unsigned mode;
    } modes[] = {
        { "UDMA33", 2 }, { "UDMA66", 4 }, { "UDMA100", 5 },
        { "UDMA133", 6 }, { "SATA150", 5 }, { "SATA300", 6 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(modes); i++) {
        if (!strcmp(preset->interface, modes[i].interface)) {
            return modes[i].mode;
        }
    }
    return 5;                   /* a SCSI drive behind an ATA port */
}

bool ata_is_sata(const DiskPreset *preset)
{
    return g_str_has_prefix(preset->interface, "SATA");
}

bool ata_has_write_cache(const DiskPreset *preset)
{
    return preset->buffer.there && preset->buffer.write_cache;
}

bool ata_has_look_ahead(const DiskPreset *preset)
{
    return preset->buffer.there && preset->buffer.ahead != DISK_AHEAD_NONE;
}

bool ata_has_lba48(const DiskPreset *preset)
{
    return ata_is_sata(preset) || preset->geometry.lbas > LBA28_MAX ||
           !strcmp(preset->interface, "UDMA133");
}

/* The first character is the high byte of the first word; blanks follow. */
static void put_text(uint16_t *word, unsigned words, const char *text)
{
    size_t length = strlen(text);

    for (unsigned i = 0; i < words; i++) {
        uint8_t high = 2 * i < length ? text[2 * i] : ' ';
        uint8_t low = 2 * i + 1 < length ? text[2 * i + 1] : ' ';

        word[i] = high << 8 | low;
    }
}

static void put_chs(uint16_t *word, uint64_t lbas)
{
    unsigned cylinders = MIN(lbas / (16 * 63), 16383);
    uint32_t sectors = cylinders * 16 * 63;

    word[1] = word[54] = cylinders;
    word[3] = word[55] = 16;
    word[6] = word[56] = 63;
    word[57] = sectors;
    word[58] = sectors >> 16;
}

static void put_capacity(uint16_t *word, const DiskPreset *preset)
{
    uint64_t lbas = preset->geometry.lbas;
    uint32_t small = MIN(lbas, LBA28_MAX);

    word[60] = small;
    word[61] = small >> 16;
    if (ata_has_lba48(preset)) {
        word[100] = lbas;
        word[101] = lbas >> 16;
        word[102] = lbas >> 32;
        word[103] = lbas >> 48;
    }
}

/* Word 63 and 88: modes supported below, the chosen one above. */
static void put_modes(uint16_t *word, const DiskPreset *preset, uint8_t mode)
{
    word[63] = 0x0007;
    word[64] = 0x0003;                  /* PIO 3 and 4 */
    word[65] = word[66] = word[67] = word[68] = 120;    /* cycle times, ns */
    word[88] = (2u << ata_udma_max(preset)) - 1;
    if ((mode & 0xf8) == 0x40) {
        word[88] |= 0x100 << (mode & 7);
    } else if ((mode & 0xf8) == 0x20) {
        word[63] |= 0x100 << (mode & 7);
    }
}

static void put_features(uint16_t *word, const DiskPreset *preset,
                         const AtaSwitches *switches)
{
    bool lba48 = ata_has_lba48(preset);

    word[82] = 0x0009;                  /* power, SMART */
    word[82] |= ata_has_write_cache(preset) ? 0x0020 : 0;
    word[82] |= ata_has_look_ahead(preset) ? 0x0040 : 0;
    word[83] = 0x4000 | 0x1000 | (lba48 ? 0x2400 : 0);  /* flushes, 48 bit */
    word[84] = 0x4003 | (lba48 ? 0x0020 : 0);   /* SMART logs, self-test,
                                                   READ LOG EXT */
    word[85] = 0x0008 | (switches->smart ? 0x0001 : 0) |
               (switches->write_cache ? 0x0020 & word[82] : 0) |
               (switches->look_ahead ? 0x0040 & word[82] : 0);
    word[86] = word[83] & 0x3fff;
    word[87] = word[84];
}

static void put_version(uint16_t *word, const DiskPreset *preset)
{
    if (ata_is_sata(preset)) {
        word[80] = 0x00fe;              /* ATA-1 to ATA/ATAPI-7 */
        word[81] = 0x0021;              /* T13/1532D revision 4a */
        word[76] = strcmp(preset->interface, "SATA300") ? 0x0002 : 0x0006;
    } else {
        word[80] = 0x007e;              /* ATA-1 to ATA/ATAPI-6 */
        word[81] = 0x0019;              /* T13/1410D revision 3a */
        word[93] = 0x600b;              /* device 0, 80-wire cable */
    }
}

/* Word 255: a signature, and a byte that makes the sum of all 512 zero. */
static void put_checksum(uint8_t *page)
{
    uint8_t sum = 0;

    page[510] = 0xa5;
    for (unsigned i = 0; i < 511; i++) {
        sum += page[i];
    }
    page[511] = -sum;
}

void ata_identify(const DiskPreset *preset, const char *serial,
                  const AtaSwitches *switches, uint8_t *page)
{
    uint16_t word[256] = { 0 };

    word[0] = 0x0040;                   /* a fixed ATA device */
    put_text(&word[10], 10, serial);
    word[20] = 3;                       /* dual-ported buffer with cache */
    word[21] = MIN(preset->buffer_kib * 2, 0xffff);
    word[22] = 4;
    put_text(&word[23], 4, preset->firmware);
    put_text(&word[27], 20, preset->label);
    word[47] = 0x8010;                  /* 16 sectors per interrupt */
    word[49] = 0x2f00;                  /* DMA, LBA, IORDY, standby timer */
    word[50] = 0x4000;
    word[51] = 0x0200;
    word[53] = 0x0007;                  /* 54-58, 64-70 and 88 are valid */
    word[59] = 0x0110;
    put_chs(word, preset->geometry.lbas);
    put_capacity(word, preset);
    put_modes(word, preset, switches->mode);
    put_features(word, preset, switches);
    put_version(word, preset);
    for (unsigned i = 0; i < 256; i++) {
        page[2 * i] = word[i];
        page[2 * i + 1] = word[i] >> 8;
    }
    put_checksum(page);
}
