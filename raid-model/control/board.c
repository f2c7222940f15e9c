/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board - the table of card models.  Where each number comes from, and how
 * far to trust it: board-knob.c, or raidsim boards NAME.
 */
#include "raid-model/control/board.h"

#include <stddef.h>
#include <string.h>

#define MB_PER_S(n) ((uint64_t)((n) * 1e6))
#define MIB(n) ((uint64_t)(n) << 20)
#define MIB_PER_S(n) ((uint64_t)((n) * 1048576))
#define UDMA66   MB_PER_S(66.7)
#define UDMA100  MB_PER_S(100)
#define UDMA133  MB_PER_S(133.3)
#define SATA150  MB_PER_S(150)
#define PCI_32_33 MB_PER_S(107)
#define PCI_64_33 MB_PER_S(180)
#define PCI_64_66 MB_PER_S(203.5)
#define PCI_32_66 MB_PER_S(200)
#define HUB_LINK  MB_PER_S(133)
#define PORT_COMMAND_NS SIM_US(50)
#define I960_COMMAND_NS SIM_US(600)
#define OFFERS(code) (1u << (code))
#define ALL_LEVELS (OFFERS(RAID_CODES) - 1)
#define PLAIN_LEVELS (OFFERS(RAID_JBOD) | OFFERS(RAID_SINGLE))

/* What is not ours to imitate, only to compare with. */
#define OTHERS                                                          \
    .firmware = "", .bios = "", .monitor = "",                          \
    .pcb = "", .achip = "", .pchip = ""

#define PLAIN_PORTS OTHERS,                                             \
    .ports = 2, .levels = PLAIN_LEVELS,                                 \
    .command_ns = PORT_COMMAND_NS, .driver_commands = 1,                \
    .lane_order = RAID_LANE_FIFO, .lane_committed = 1

#define FASTTRAK OTHERS,                                                \
    .ports = 4, .sata = true,                                           \
    .link_bytes_per_s = SATA150, .bus_bytes_per_s = PCI_32_66,          \
    .bus_in_bytes_per_s = MB_PER_S(100),                                \
    .lane_order = RAID_LANE_CLOOK, .lane_committed = 1,                 \
    .drive_sectors_max = 256

#define FASTTRAK_SX4 FASTTRAK,                                          \
    .mirror_reads = RAID_MIRROR_SECTIONS,                               \
    .mirror10_reads = RAID_MIRROR_SECTIONS,                             \
    .mirror_section_sectors = 640,                                      \
    .levels = ALL_LEVELS,                                               \
    .gathers_rows = RAID_GATHERS_WRITES,                                \
    .xor_bytes_per_s = MB_PER_S(250), .xor_first = 2,                   \
    .xor_row_ns = SIM_US(2000),                                         \
    .command_ns = SIM_US(300), .driver_commands = 256

#define NEAREST_ARM                                                     \
    .mirror_reads = RAID_MIRROR_NEAREST, .mirror_outweighs = 2

#define TWINSTOR NEAREST_ARM,                                           \
    .mirror_section_sectors = 1024, .mirror_stream_waiting = 4

#define ESCALADE                                                        \
    .registers = true, TWINSTOR,                                        \
    .driver_commands = 64,                                              \
    .lane_order = RAID_LANE_CLOOK, .lane_committed = 2,                 \
    .lane_window = 32

#define DRIVER_OF_2001                                                  \
    .driver_polls_above = 32, .driver_poll_ns = SIM_US(400)

#define ESCALADE_6000 ESCALADE,                                         \
    .command_ns = SIM_US(50),                                           \
    .levels = ALL_LEVELS,                                               \
    .pci_device = 0x1000, .pci_revision = 0x12,                         \
    .pchip_major = 5, .pchip_minor = 7,                                 \
    .firmware = "FE6X 1.05.00.068", .bios = "BE6X 1.08.00.048",         \
    .monitor = "ME6X 1.01.00.040",                                      \
    .pcb = "Rev2", .achip = "2.20", .pchip = "5.70-33",                 \
    .link_bytes_per_s = UDMA66, .bus_bytes_per_s = PCI_32_33,           \
    DRIVER_OF_2001,                                                     \
    .mirror10_reads = RAID_MIRROR_NEAREST,                              \
    .write_bytes_per_s = MIB_PER_S(62),                                 \
    .row_writes_max = 1, .xor_bytes_per_s = MB_PER_S(250),              \
    .xor_first = 1,                                                     \
    .xor_row_ns = SIM_US(4700), .row_answer_ns = SIM_US(5200)

#define ESCALADE_7000 ESCALADE,                                         \
    .command_ns = SIM_US(90),                                           \
    .pci_device = 0x1001, .pci_revision = 0x01,                         \
    .pchip_major = 1, .pchip_minor = 3,                                 \
    .pcb = "Rev4", .achip = "3.20", .pchip = "1.30-66"

#define SERIES_7000                                                     \
    DRIVER_OF_2001,                                                     \
    .write_bytes_per_s = MIB_PER_S(66),                                 \
    .row_writes_max = 1, .gathers_rows = RAID_GATHERS_FULL_ROWS,        \
    .xor_bytes_per_s = MB_PER_S(65), .xor_first = 1,                    \
    .xor_piece_sectors = 100,                                           \
    .row_wait_ns = SIM_US(4000), .row_answer_ns = SIM_US(1750)

#define FUSION                                                          \
    .mirror10_reads = RAID_MIRROR_NEAREST,                              \
    .row_writes_max = 8, .gathers_rows = RAID_GATHERS_WRITES,           \
    .xor_bytes_per_s = MB_PER_S(88), .xor_first = 1

#define ESCALADE_7000_ATA ESCALADE_7000,                                \
    .levels = ALL_LEVELS,                                               \
    .firmware = "FE7X 1.05.00.068", .bios = "BE7X 1.08.00.048",         \
    .monitor = "ME7X 1.01.00.040"

#define ESCALADE_8006_SATA ESCALADE_7000,                               \
    .sata = true,                                                       \
    .firmware = "FE7S 1.05.00.068", .bios = "BE7S 1.08.00.048",         \
    .monitor = "ME7S 1.01.00.040",                                      \
    .link_bytes_per_s = SATA150, .bus_bytes_per_s = PCI_64_66,          \
    FUSION

const BoardModel board_model[] = {
    {
        .name = "3ware-6400", .ports = 4,
        .title = "3ware Escalade 6400: 4 ATA/66 ports, PCI 32/33",
        ESCALADE_6000,
    }, {
        .name = "3ware-6800", .ports = 8,
        .title = "3ware Escalade 6800: 8 ATA/66 ports, PCI 32/33",
        ESCALADE_6000,
    }, {
        .name = "3ware-7410", .ports = 4,
        .title = "3ware Escalade 7410: 4 ATA/100 ports, PCI 32/33",
        ESCALADE_7000_ATA,
        .link_bytes_per_s = UDMA100, .bus_bytes_per_s = PCI_32_33,
        SERIES_7000,
    }, {
        .name = "3ware-7810", .ports = 8,
        .title = "3ware Escalade 7810: 8 ATA/100 ports, PCI 32/33",
        ESCALADE_7000_ATA,
        .link_bytes_per_s = UDMA100, .bus_bytes_per_s = PCI_32_33,
        SERIES_7000,
    }, {
        .name = "3ware-7500-4", .ports = 4,
        .title = "3ware Escalade 7500-4: 4 ATA/133 ports, PCI 64/33",
        ESCALADE_7000_ATA,
        .link_bytes_per_s = UDMA133, .bus_bytes_per_s = PCI_64_33,
        FUSION,
    }, {
        .name = "3ware-7500-8", .ports = 8,
        .title = "3ware Escalade 7500-8: 8 ATA/133 ports, PCI 64/33",
        ESCALADE_7000_ATA,
        .link_bytes_per_s = UDMA133, .bus_bytes_per_s = PCI_64_33,
        FUSION,
    }, {
        .name = "3ware-8006-2", .ports = 2,
        .title = "3ware Escalade 8006-2: 2 SATA ports, PCI 64/66, no RAID 5",
        ESCALADE_8006_SATA, .levels = ALL_LEVELS & ~OFFERS(RAID_5),
    }, {
        .name = "3ware-8506-4", .ports = 4,
        .title = "3ware Escalade 8506-4: 4 SATA ports, PCI 64/66",
        ESCALADE_8006_SATA, .levels = ALL_LEVELS,
    }, {
        .name = "3ware-8506-8", .ports = 8,
        .title = "3ware Escalade 8506-8: 8 SATA ports, PCI 64/66",
        ESCALADE_8006_SATA, .levels = ALL_LEVELS,
    }, {
        .name = "3ware-8506-12", .ports = 12,
        .title = "3ware Escalade 8506-12: 12 SATA ports, PCI 64/66",
        ESCALADE_8006_SATA, .levels = ALL_LEVELS,
    }, {
        .name = "ata-onboard",
        .title = "Abit SL6 on-board ports: 2 ATA/100 ports, no arrays",
        PLAIN_PORTS,
        .link_bytes_per_s = UDMA100, .bus_bytes_per_s = HUB_LINK,
    }, {
        .name = "promise-ultra66",
        .title = "Promise Ultra66: 2 ATA/66 ports, PCI 32/33, no arrays",
        PLAIN_PORTS,
        .link_bytes_per_s = UDMA66, .bus_bytes_per_s = PCI_32_33,
    }, {
        .name = "adaptec-2400a", .ports = 4,
        .title = "Adaptec ATA RAID 2400A: 4 ATA/100 ports, PCI 32/33, cache",
        OTHERS, .levels = ALL_LEVELS,
        .link_bytes_per_s = UDMA100, .bus_bytes_per_s = PCI_32_33,
        .command_ns = I960_COMMAND_NS, .driver_commands = 256,
        .lane_order = RAID_LANE_CLOOK, .lane_committed = 2,
        .write_bytes_per_s = MIB_PER_S(53),
        .gathers_rows = RAID_GATHERS_WRITES,
        .xor_bytes_per_s = MIB_PER_S(42), .xor_first = 3,
        .cache_bytes = MIB(32), .cache_destage_max = 8,
        .cache_urgent_percent = 50,
    }, {
        .name = "fasttrak-s150-sx4",
        .title = "Promise FastTRAK S150 SX4: 4 SATA ports, PCI 32/66, cache",
        FASTTRAK_SX4,
        .cache_bytes = MIB(256), .cache_dirty_bytes = MIB(3),
        .cache_destage_max = 32, .cache_urgent_percent = 50,
    }, {
        .name = "fasttrak-s150-sx4-wt",
        .title = "Promise FastTRAK S150 SX4, its cache written through",
        FASTTRAK_SX4,
    }, {
        .name = "fasttrak-s150-tx4",
        .title = "Promise FastTRAK S150 TX4: 4 SATA ports, PCI 32/66",
        FASTTRAK, .levels = ALL_LEVELS & ~OFFERS(RAID_5),
        .mirror_reads = RAID_MIRROR_FIRST, .mirror10_reads = RAID_MIRROR_FIRST,
        .command_ns = PORT_COMMAND_NS, .driver_commands = 256,
    },
};

const unsigned board_models = sizeof(board_model) / sizeof(board_model[0]);

const BoardModel *board_model_find(const char *name)
{
    for (unsigned i = 0; i < board_models; i++) {
        if (strcmp(board_model[i].name, name) == 0) {
            return &board_model[i];
        }
    }
    return NULL;
}
