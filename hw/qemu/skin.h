/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skin - what the rooms of hw/qemu share: the card and its drives as QEMU
 * objects, and the three things QEMU lends the models (clock, storage,
 * trace).
 *
 * Life of a card: realize makes clock and controller; drives plug while the
 * command line is read; when the machine is complete the units of units=
 * are made, the card is powered on and `host` appears.  From then on a
 * drive that comes or goes is a hot plug.
 *
 * One rule runs through all of it: catch up before you listen.  Every way
 * in (register access, plug, unplug, reset, property) calls sim_catch_up()
 * before it does anything else.
 */
#ifndef HW_QEMU_SKIN_H
#define HW_QEMU_SKIN_H

#include "hw/block/block.h"
#include "hw/pci/pci_device.h"
#include "system/block-backend.h"

#include "hw/asic/host.h"

/* 10.1 made class data const; one name for both. */
#if QEMU_VERSION_MAJOR > 10 || \
    (QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR >= 1)
typedef const void *TwClassData;
typedef const InterfaceInfo TwInterfaces;
#else
typedef void *TwClassData;
typedef InterfaceInfo TwInterfaces;
#endif

#define TYPE_TW_CARD "3ware-raid"
OBJECT_DECLARE_TYPE(TwCard, TwCardClass, TW_CARD)

#define TYPE_TW_BUS "3ware-bus"
OBJECT_DECLARE_SIMPLE_TYPE(TwBus, TW_BUS)

#define TYPE_TW_DRIVE "3ware-drive"
OBJECT_DECLARE_SIMPLE_TYPE(TwDrive, TW_DRIVE)

#define TW_PORTS_MAX 16

typedef struct TwClock TwClock;

struct TwBus {
    BusState parent_obj;
};

struct TwCardClass {
    PCIDeviceClass parent_class;
    const BoardModel *board;
};

struct TwCard {
    PCIDevice parent_obj;

    /* Properties */
    char *units;
    uint64_t seed;
    uint32_t reset_delay_ms;

    const char *name;                   /* id, for messages and the trace */
    TwBus bus;
    MemoryRegion io, registers, sbuf;
    TwClock *clock;
    Sim *sim;
    RaidController *ctl;
    RaidHost *host;                     /* NULL until the card has power */
    uint32_t phase[TW_PORTS_MAX];       /* spindle angles, by port */
    Notifier machine_done;
};

struct TwDrive {
    DeviceState parent_obj;

    /* Properties */
    int32_t port;
    char *model;
    char *serial;
    BlockBackend *blk;

    DiskPreset *preset;
    DiskMedia *media;
    Disk *disk;                         /* NULL unless realized */
};

/* clock.c: a Sim that lives by QEMU_CLOCK_VIRTUAL. */
TwClock *tw_clock_new(uint64_t seed);
Sim *tw_clock_sim(TwClock *clock);
void tw_clock_free(TwClock *clock);     /* frees the Sim */

/*
 * media.c: an image of at least `sectors` sectors as a drive's platters.
 * Borrows `blk` and holds its write permission until closed.
 */
DiskMedia *tw_media_new(BlockBackend *blk, uint64_t sectors, Error **errp);

/* trace.c: a SimTraceSink; `opaque` is the card's name. */
void tw_trace_record(void *opaque, const SimTraceRecord *record);

#endif
