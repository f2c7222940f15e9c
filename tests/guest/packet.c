/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packet: one function per command, bytes by their offsets.
 */
#include <string.h>

#include "tests/guest/packet.h"

uint16_t le16(const uint8_t *p)
{
    return (uint16_t)(p[1] << 8 | p[0]);
}

uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | le16(p);
}

void set_le16(uint8_t *p, uint16_t value)
{
    p[0] = value & 0xff;
    p[1] = value >> 8;
}

void set_le32(uint8_t *p, uint32_t value)
{
    set_le16(p, value & 0xffff);
    set_le16(p + 2, value >> 16);
}

static Packet plain(unsigned opcode, unsigned dwords, unsigned unit,
                    unsigned count)
{
    Packet p = { { opcode, dwords, 0, unit } };

    set_le16(&p.byte[6], count);
    return p;
}

void packet_set_sg(Packet *packet, unsigned dword, const PacketSg *sg,
                   unsigned entries)
{
    uint8_t *at = &packet->byte[dword * 4];
    unsigned i;

    packet->byte[0] = (packet->byte[0] & 0x1f) | dword << 5;
    packet->byte[1] = dword + 2 * entries;
    for (i = 0; i < entries && at + 8 <= packet->byte + PACKET_BYTES; i++) {
        set_le32(at, sg[i].addr);
        set_le32(at + 4, sg[i].bytes);
        at += 8;
    }
}

static Packet io(unsigned opcode, unsigned unit, uint32_t lba,
                 unsigned count, const PacketSg *sg, unsigned entries)
{
    Packet p = plain(opcode, 3, unit, count);

    set_le32(&p.byte[8], lba);
    packet_set_sg(&p, 3, sg, entries);
    return p;
}

Packet packet_read(unsigned unit, uint32_t lba, unsigned count,
                   const PacketSg *sg, unsigned entries)
{
    return io(0x02, unit, lba, count, sg, entries);
}

Packet packet_write(unsigned unit, uint32_t lba, unsigned count,
                    const PacketSg *sg, unsigned entries)
{
    return io(0x03, unit, lba, count, sg, entries);
}

Packet packet_init_connection(unsigned credits)
{
    return plain(0x01, 3, 0, credits);
}

Packet packet_flush(unsigned unit, unsigned count)
{
    return plain(0x0e, 2, unit, count);
}

Packet packet_nop(unsigned unit)
{
    return plain(0x00, 2, unit, 0);
}

static Packet param(unsigned opcode, unsigned unit, uint32_t addr,
                    uint32_t bytes)
{
    Packet p = plain(opcode, 2, unit, 1);

    packet_set_sg(&p, 2, &(PacketSg) { addr, bytes }, 1);
    return p;
}

Packet packet_get_param(unsigned unit, uint32_t addr, uint32_t bytes)
{
    return param(0x12, unit, addr, bytes);
}

Packet packet_set_param(unsigned unit, uint32_t addr, uint32_t bytes)
{
    return param(0x13, unit, addr, bytes);
}

Packet packet_ata(unsigned port, const PacketAta *regs)
{
    Packet p = plain(0x11, 5, port, 0x8);

    p.byte[5] = 1;
    set_le16(&p.byte[8], regs->features);
    set_le16(&p.byte[10], regs->count);
    set_le16(&p.byte[12], regs->lba_low);
    set_le16(&p.byte[14], regs->lba_mid);
    set_le16(&p.byte[16], regs->lba_high);
    p.byte[18] = regs->device;
    p.byte[19] = regs->command;
    return p;
}

Packet packet_ata_in(unsigned port, const PacketAta *regs, uint32_t addr)
{
    Packet p = packet_ata(port, regs);

    set_le16(&p.byte[6], 0xd);
    packet_set_sg(&p, 5, &(PacketSg) { addr, 512 }, 1);
    return p;
}

Packet packet_ata_out(unsigned port, const PacketAta *regs, uint32_t addr)
{
    Packet p = packet_ata_in(port, regs, addr);

    set_le16(&p.byte[6], 0xf);
    return p;
}

unsigned packet_opcode(const Packet *packet)
{
    return packet->byte[0] & 0x1f;
}

unsigned packet_bytes(const Packet *packet)
{
    return packet->byte[1] * 4;
}

unsigned packet_sg_entries(const Packet *packet)
{
    unsigned dword = packet->byte[0] >> 5, size = packet->byte[1];

    return dword && size > dword && size <= 128 ? (size - dword) / 2 : 0;
}

PacketSg packet_sg(const Packet *packet, unsigned i)
{
    const uint8_t *at = &packet->byte[(packet->byte[0] >> 5) * 4 + i * 8];

    return (PacketSg) { le32(at), le32(at + 4) };
}
