/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board - what makes one card model differ from another: ports, levels, link
 * and bus ceilings, cost of a command, how it works inside, what it says of
 * itself.  Data only.
 *
 * Costs are what one command or byte costs on the card itself, apart from
 * the drives.  Where each number comes from: board-knob.c.  Only 3ware
 * boards have registers a driver could talk to; the others were measured
 * beside them and exist in raidsim alone.
 */
#ifndef RAID_CONTROL_BOARD_H
#define RAID_CONTROL_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "raid-model/array/card.h"
#include "raid-model/array/layout.h"

typedef struct BoardModel {
    const char *name;           /* "3ware-7410", also QEMU's device name */
    const char *title;          /* one line for people */
    uint8_t ports;
    bool sata;
    bool registers;             /* a 3ware board, to be had in QEMU */
    uint32_t levels;            /* offered: mask of 1 << RaidCode */
    uint16_t pci_device;        /* 0x1000 or 0x1001, vendor 0x13c1 */
    uint8_t pci_revision;
    uint8_t pchip_major, pchip_minor;   /* status register, top byte */
    const char *firmware, *bios, *monitor;      /* 16 characters */
    const char *pcb, *achip, *pchip;            /* up to 8 */
    uint64_t link_bytes_per_s;  /* per port */
    uint64_t bus_bytes_per_s;   /* host bus, after protocol */
    uint64_t bus_in_bytes_per_s;        /* data fetched from the host, if
                                         * slower; 0: the same */
    SimTime command_ns;         /* firmware's time for one command */
    unsigned driver_commands;   /* its driver keeps on the card; the host
                                 * queues the rest */
    unsigned driver_polls_above;        /* commands there: it asks the card */
    SimTime driver_poll_ns;     /* without pause, which holds its memory so
                                 * long for each command; 0: never */
    /* See raid-model/array/card.h: */
    RaidLaneOrder lane_order;
    unsigned lane_committed, lane_window;
    uint32_t drive_sectors_max;
    uint64_t write_bytes_per_s, read_bytes_per_s;   /* card to drives and
                                 * back, every copy counts; 0: the bus is
                                 * the narrower place */
    RaidMirrorReads mirror_reads, mirror10_reads;
    unsigned mirror_outweighs;
    uint32_t mirror_section_sectors;
    unsigned mirror_stream_waiting;
    unsigned row_writes_max;
    RaidGathers gathers_rows;
    uint64_t xor_bytes_per_s;
    unsigned xor_first;
    uint32_t xor_piece_sectors;
    SimTime xor_row_ns, row_wait_ns, row_answer_ns;
    /* See raid-model/control/cache.h; 0 bytes: none, or written through. */
    uint64_t cache_bytes, cache_dirty_bytes;
    unsigned cache_destage_max, cache_urgent_percent;
} BoardModel;

extern const BoardModel board_model[];
extern const unsigned board_models;
const BoardModel *board_model_find(const char *name);   /* or NULL */

/* Of the cache, what may hold writes. */
static inline uint64_t board_cache_dirty(const BoardModel *board)
{
    return board->cache_dirty_bytes ? board->cache_dirty_bytes
                                    : board->cache_bytes;
}

static inline bool board_offers(const BoardModel *board, RaidCode level)
{
    return board->levels >> level & 1;
}

#endif
