/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gen1 packets as they lie in the guest's memory: 5000 to 8000 series.
 *
 * Little-endian throughout; numbers are read with wire.h, never in place.
 * Sources: the public Linux 3w-xxxx and BSD twe drivers, which agree on
 * every offset declared here.
 */
#ifndef HW_ASIC_GEN1_PACKET_H
#define HW_ASIC_GEN1_PACKET_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define GEN1_PACKED __attribute__((packed))

#define GEN1_DWORDS_MIN 2
#define GEN1_DWORDS_MAX 128

/* Every packet begins so. */
typedef struct Gen1Header {
    uint8_t opcode_sgl;         /* 4:0 opcode, 7:5 dword of first SG entry */
    uint8_t dwords;             /* of the whole packet, SG entries included */
    uint8_t id;
    uint8_t unit_host;          /* 3:0 unit or port, 7:4 host */
    uint8_t status;             /* out */
    uint8_t flags;              /* in for some commands; out */
    uint8_t count[2];           /* blocks, parameters or credits */
} GEN1_PACKED Gen1Header;
static_assert(sizeof(Gen1Header) == 8, "gen1 header");
static_assert(offsetof(Gen1Header, status) == 4, "status, then flags");

#define GEN1_OPCODE(header)     ((header)->opcode_sgl & 0x1f)
#define GEN1_SGL_DWORD(header)  ((header)->opcode_sgl >> 5)
#define GEN1_UNIT(header)       ((header)->unit_host & 0x0f)

typedef struct Gen1SgEntry {
    uint8_t address[4];
    uint8_t bytes[4];
} GEN1_PACKED Gen1SgEntry;
static_assert(sizeof(Gen1SgEntry) == 8, "gen1 SG entry");

/* READ, WRITE; SG list from dword 3 */
typedef struct Gen1Io {
    Gen1Header header;
    uint8_t lba[4];
} GEN1_PACKED Gen1Io;
static_assert(sizeof(Gen1Io) == 12, "gen1 I/O");

#define GEN1_IO_SGL_DWORD 3
#define GEN1_IO_SG_MAX 62
#define GEN1_IO_FLAG_FORCE_MEDIA 0x01   /* WRITE: not into the cache */

/* GET_PARAM, SET_PARAM; SG list from dword 2 holds one of these */
typedef struct Gen1Parameter {
    uint8_t table[2];
    uint8_t parameter;
    uint8_t bytes;
    /* data follow */
} GEN1_PACKED Gen1Parameter;
static_assert(sizeof(Gen1Parameter) == 4, "gen1 parameter block");

#define GEN1_PARAM_SGL_DWORD 2
#define GEN1_PARAM_SG_MAX 62

/* ATA_PASSTHROUGH; SG list from dword 5 */
typedef struct Gen1Ata {
    Gen1Header header;          /* count: which way data goes */
    uint8_t feature[2];         /* out: ATA error in the low byte */
    uint8_t sector_count[2];
    uint8_t sector_number[2];
    uint8_t cylinder_low[2];
    uint8_t cylinder_high[2];
    uint8_t drive_head;
    uint8_t command;            /* out: ATA status */
} GEN1_PACKED Gen1Ata;
static_assert(sizeof(Gen1Ata) == 20, "gen1 pass-through");
static_assert(offsetof(Gen1Ata, feature) == 8, "task file begins");
static_assert(offsetof(Gen1Ata, command) == 19, "task file ends");

#define GEN1_ATA_SGL_DWORD 5
#define GEN1_ATA_SG_MAX 60

enum {
    GEN1_ATA_NO_DATA = 0x0,
    GEN1_ATA_NO_DATA_READ_BACK = 0x8,
    GEN1_ATA_TO_HOST = 0xd,
    GEN1_ATA_FROM_HOST = 0xf,
};

enum {
    GEN1_NOP = 0x00,
    GEN1_INIT_CONNECTION = 0x01,
    GEN1_READ = 0x02,
    GEN1_WRITE = 0x03,
    GEN1_FLUSH = 0x0e,
    GEN1_ATA_PASSTHROUGH = 0x11,
    GEN1_GET_PARAM = 0x12,
    GEN1_SET_PARAM = 0x13,
    GEN1_OPCODES = 0x20,
};

#define GEN1_CREDITS_SHUTDOWN 1         /* INIT_CONNECTION: the last one */

/*
 * Answers: status << 8 | flags.  The values are known from drivers' tables
 * and from field logs; which error gives which is partly a guess, and so
 * chosen that Linux 3w-xxxx makes the right sense data of it.
 */
typedef enum Gen1Result {
    GEN1_OK              = 0x0000,
    GEN1_ABORTED         = 0xc111,
    GEN1_PORT_ABSENT     = 0xc443,      /* port number beyond the card's */
    GEN1_ATA_ABORTED     = 0xc704,
    GEN1_OUT_OF_RANGE    = 0xc710,
    GEN1_MEDIUM_ERROR    = 0xc740,
    GEN1_DRIVE_DEAD      = 0xc761,
    GEN1_UNIT_OFFLINE    = 0xcb37,
    GEN1_BAD_OPCODE      = 0xd203,
    GEN1_BAD_REQUEST     = 0xdc03,
    GEN1_BAD_TABLE       = 0xdc15,      /* Linux: "no such table" */
} Gen1Result;

#endif
