/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packet - command packets of the 5000 to 8000 series as a driver builds
 * them.  Its own reading of the public drivers, byte by byte: it shares no
 * declaration with hw/asic, so the two check each other.
 */
#ifndef TESTS_GUEST_PACKET_H
#define TESTS_GUEST_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define PACKET_BYTES 512
#define PACKET_IO_SG_MAX 62
#define PACKET_ATA_SG_MAX 60

typedef struct Packet {
    uint8_t byte[PACKET_BYTES];
} Packet;

typedef struct PacketSg {
    uint32_t addr, bytes;
} PacketSg;

/* What an answer says: status << 8 | flags */
enum {
    ANSWER_OK = 0x0000,
    ANSWER_ATA_ABORTED = 0xc704,
    ANSWER_OUT_OF_RANGE = 0xc710,
    ANSWER_DRIVE_DEAD = 0xc761,
    ANSWER_NO_PORT = 0xc443,
    ANSWER_OFFLINE = 0xcb37,
    ANSWER_BAD_OPCODE = 0xd203,
    ANSWER_BAD_REQUEST = 0xdc03,
    ANSWER_BAD_TABLE = 0xdc15,
};

uint16_t le16(const uint8_t *p);
uint32_t le32(const uint8_t *p);
void set_le16(uint8_t *p, uint16_t value);
void set_le32(uint8_t *p, uint32_t value);

/* All: unused bytes are zero. */
Packet packet_read(unsigned unit, uint32_t lba, unsigned count,
                   const PacketSg *sg, unsigned entries);
Packet packet_write(unsigned unit, uint32_t lba, unsigned count,
                    const PacketSg *sg, unsigned entries);
Packet packet_init_connection(unsigned credits);
Packet packet_flush(unsigned unit, unsigned count);
Packet packet_nop(unsigned unit);
/* The block at `addr`, `bytes` long, is the caller's to fill. */
Packet packet_get_param(unsigned unit, uint32_t addr, uint32_t bytes);
Packet packet_set_param(unsigned unit, uint32_t addr, uint32_t bytes);

typedef struct PacketAta {
    uint16_t features, count, lba_low, lba_mid, lba_high;
    uint8_t device, command;
} PacketAta;

/* smartctl's three kinds: param 0x8, 0xd, 0xf */
Packet packet_ata(unsigned port, const PacketAta *regs);
Packet packet_ata_in(unsigned port, const PacketAta *regs, uint32_t addr);
Packet packet_ata_out(unsigned port, const PacketAta *regs, uint32_t addr);

unsigned packet_opcode(const Packet *packet);
unsigned packet_bytes(const Packet *packet);            /* as `size` says */
/* Entry i of the list where the header says it is. */
PacketSg packet_sg(const Packet *packet, unsigned i);
unsigned packet_sg_entries(const Packet *packet);
void packet_set_sg(Packet *packet, unsigned dword, const PacketSg *sg,
                   unsigned entries);

#endif
