/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A drive on one of a card's ports, as a QEMU device.
 *
 *   -blockdev raw,node-name=d0,file.driver=file,file.filename=d0.img
 *   -device 3ware-7410,id=raid,units=...
 *   -device 3ware-drive,bus=raid.0,port=0,drive=d0,model=wd1200jb
 *
 * device_add plugs a drive into a running card, device_del pulls it: the
 * ops in flight there end, the unit degrades, the card tells its driver.
 * Everything the user can get wrong is found in realize, before the image
 * is touched, with one line.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/hotplug.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "migration/vmstate.h"
#include "monitor/monitor.h"

#include "hw/qemu/skin.h"

#define SERIAL_MAX 20                   /* ATA: words 10 to 19 */

static TwCard *drive_card(TwDrive *drive)
{
    return TW_CARD(qdev_get_parent_bus(DEVICE(drive))->parent);
}

static bool check_port(TwDrive *drive, TwCard *card, Error **errp)
{
    const BoardModel *board = raid_controller_board(card->ctl);

    if (drive->port < 0 || drive->port >= board->ports) {
        error_setg(errp, drive->port == -1 ?
                   "port= is missing: a %s has ports 0 to %d" :
                   "port: a %s has ports 0 to %d", board->name,
                   board->ports - 1);
        return false;
    }
    if (disk_port_disk(raid_controller_port(card->ctl, drive->port)) ||
        raid_controller_away(card->ctl, drive->port)) {
        error_setg(errp, "port %d: there is a drive already", drive->port);
        return false;
    }
    return true;
}

static bool load_preset(TwDrive *drive, Error **errp)
{
    GError *err = NULL;

    if (!drive->model) {
        g_auto(GStrv) names = disk_preset_list();
        g_autofree char *list = g_strjoinv(", ", names);

        error_setg(errp, "model= is missing: give one of %s, or a file",
                   list);
        return false;
    }
    drive->preset = disk_preset_load(drive->model, &err);
    if (!drive->preset) {
        error_setg(errp, "%s", err->message);
        g_error_free(err);
        return false;
    }
    return true;
}

/* Unlike drives of one machine must not share a number: the slot of the
 * card and the port are in it. */
static char *default_serial(TwDrive *drive, TwCard *card)
{
    bool wd = g_str_has_prefix(drive->preset->label, "WDC ");

    return g_strdup_printf("%s%03u%04d", wd ? "WD-WMA8C" : "3ET0",
                           PCI_DEVICE(card)->devfn, drive->port);
}

static bool check_serial(TwDrive *drive, Error **errp)
{
    size_t len = strlen(drive->serial);
    bool plain = len > 0 && len <= SERIAL_MAX;

    for (size_t i = 0; plain && i < len; i++) {
        plain = drive->serial[i] > ' ' && drive->serial[i] < 0x7f;
    }
    if (!plain) {
        error_setg(errp, "serial= takes 1 to %d printable ASCII characters "
                   "without blanks", SERIAL_MAX);
    }
    return plain;
}

static void drive_release(TwDrive *drive)
{
    g_clear_pointer(&drive->disk, disk_free);
    g_clear_pointer(&drive->media, disk_media_close);
    g_clear_pointer(&drive->preset, disk_preset_free);
}

/* Everything that can be wrong, in the order a user would look for it. */
static bool drive_open(TwDrive *drive, TwCard *card, Error **errp)
{
    if (!drive->blk) {
        error_setg(errp, "drive= is missing: name the block node that holds "
                   "its sectors");
        return false;
    }
    if (!load_preset(drive, errp)) {
        return false;
    }
    if (!drive->serial) {
        drive->serial = default_serial(drive, card);
    }
    if (!check_serial(drive, errp)) {
        return false;
    }
    drive->media = tw_media_new(drive->blk, drive->preset->geometry.lbas,
                                errp);
    return drive->media;
}

static void drive_realize(DeviceState *dev, Error **errp)
{
    ERRP_GUARD();
    TwDrive *drive = TW_DRIVE(dev);
    TwCard *card = drive_card(drive);

    if (!card->sim) {                   /* unrealized by qom-set */
        error_setg(errp, "the card is off");
        return;
    }
    sim_catch_up(card->sim);
    if (!check_port(drive, card, errp)) {
        return;
    }
    if (!drive_open(drive, card, errp)) {
        error_prepend(errp, "port %d: ", drive->port);
        drive_release(drive);
        return;
    }
    drive->disk = disk_new(card->sim, drive->preset, drive->media,
                           drive->serial, card->phase[drive->port]);
    raid_controller_plug(card->ctl, drive->port, drive->disk);
}

static void drive_unrealize(DeviceState *dev)
{
    TwDrive *drive = TW_DRIVE(dev);
    TwCard *card = drive_card(drive);
    Disk *pulled;

    sim_catch_up(card->sim);
    pulled = raid_controller_pull(card->ctl, drive->port);
    g_assert(pulled == drive->disk);
    drive_release(drive);
}

static const Property drive_properties[] = {
    DEFINE_PROP_INT32("port", TwDrive, port, -1),
    DEFINE_PROP_DRIVE("drive", TwDrive, blk),
    DEFINE_PROP_STRING("model", TwDrive, model),
    DEFINE_PROP_STRING("serial", TwDrive, serial),
};

/* Arm, spindle and counters are not saved yet; a drive says so rather than
 * lose them quietly. */
static const VMStateDescription drive_vmstate = {
    .name = TYPE_TW_DRIVE,
    .unmigratable = 1,
};

static void drive_class_init(ObjectClass *klass, TwClassData data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "mechanical drive on a port of a 3ware card";
    dc->bus_type = TYPE_TW_BUS;
    dc->realize = drive_realize;
    dc->unrealize = drive_unrealize;
    dc->vmsd = &drive_vmstate;
    device_class_set_props(dc, drive_properties);
    set_bit(DEVICE_CATEGORY_STORAGE, dc->categories);

    object_class_property_set_description(klass, "port",
        "Connector on the card, 0 to one less than it has (required)");
    object_class_property_set_description(klass, "drive",
        "Block node with the drive's sectors: writable, raw, at least as "
        "large as the drive (required)");
    object_class_property_set_description(klass, "model",
        "What drive it is: the name of a preset (wd1200jb, sr5400, ...) or "
        "a file NAME.drive of your own (required)");
    object_class_property_set_description(klass, "serial",
        "Serial number, up to 20 characters (default: made from slot and "
        "port)");
}

/* info qtree: what hangs here. */
static void bus_print_dev(Monitor *mon, DeviceState *dev, int indent)
{
    TwDrive *drive = TW_DRIVE(dev);

    if (drive->disk) {
        monitor_printf(mon, "%*sport %d: %s, serial %s, %" PRIu64
                       " sectors\n", indent, "", drive->port,
                       drive->preset->label, disk_serial(drive->disk),
                       disk_sectors(drive->disk));
    }
}

static void bus_class_init(ObjectClass *klass, TwClassData data)
{
    BUS_CLASS(klass)->print_dev = bus_print_dev;
    HOTPLUG_HANDLER_CLASS(klass)->unplug = qdev_simple_device_unplug_cb;
}

static const TypeInfo drive_types[] = {
    {
        .name = TYPE_TW_DRIVE,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(TwDrive),
        .class_init = drive_class_init,
    }, {
        .name = TYPE_TW_BUS,
        .parent = TYPE_BUS,
        .instance_size = sizeof(TwBus),
        .class_init = bus_class_init,
        .interfaces = (TwInterfaces[]) {
            { TYPE_HOTPLUG_HANDLER },
            { }
        },
    },
};

DEFINE_TYPES(drive_types)
