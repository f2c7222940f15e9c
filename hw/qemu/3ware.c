/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 3ware Escalade card as a PCI function: one device type for each row of
 * board_model[].  Those of other makers are there to say that they cannot
 * be had.
 *
 *   -device 3ware-7410,id=raid,units=raid5:0-3:64k
 *
 * This room knows PCI and QEMU's life cycle and nothing of RAID or of
 * packets: it lends hw/asic memory, an interrupt line and a clock, and
 * passes register accesses on.
 *
 * DMA happens in the model's events only, and the interrupt changes in them
 * or in a register access.
 *
 * PCI identity: lspci logs of real cards, as collected from mailing lists;
 * what no log shows (prog-if, latency timer, power states) is a guess.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/system.h"

#include "disk-model/world/fault.h"
#include "hw/qemu/skin.h"
#include "raid-model/control/manage.h"
#include "trace.h"

#define VENDOR_3WARE            0x13c1
#define ASIC_7000               0x1001  /* 7000 and 8000 series */
#define SBUF_BYTES              (8 * MiB)
#define MIN_GNT_QUARTER_US      9
#define PM_CAPABILITY           0x40
#define RESET_DELAY_MAX_MS      1000

/* DMA, interrupt, abort: what hw/asic borrows */

static bool card_dma_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
    return pci_dma_read(PCI_DEVICE(opaque), addr, buf, len) == MEMTX_OK;
}

static bool card_dma_write(void *opaque, uint64_t addr, const void *buf,
                           size_t len)
{
    return pci_dma_write(PCI_DEVICE(opaque), addr, buf, len) == MEMTX_OK;
}

static void card_set_irq(void *opaque, bool level)
{
    pci_set_irq(PCI_DEVICE(opaque), level);
}

static void card_abort(void *opaque)
{
    PCIDevice *pci = PCI_DEVICE(opaque);

    pci_word_test_and_set_mask(pci->config + PCI_STATUS,
                               PCI_STATUS_REC_MASTER_ABORT);
}

static const HostPort card_port = {
    .dma_read = card_dma_read,
    .dma_write = card_dma_write,
    .set_irq = card_set_irq,
    .pci_abort = card_abort,
};

/* The register window, in I/O and in memory space */

static uint64_t card_read(void *opaque, hwaddr offset, unsigned size)
{
    TwCard *card = opaque;
    uint32_t value = UINT32_MAX;

    if (card->host) {
        sim_catch_up(card->sim);
        value = raid_host_read(card->host, offset, size);
    }
    trace_tw_reg_read(card->name, sim_now(card->sim), offset, size, value);
    return value;
}

static void card_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    TwCard *card = opaque;

    if (card->host) {
        sim_catch_up(card->sim);
        trace_tw_reg_write(card->name, sim_now(card->sim), offset, size,
                           value);
        raid_host_write(card->host, offset, value, size);
    }
}

static const MemoryRegionOps register_ops = {
    .read = card_read,
    .write = card_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* BAR2 of the 7000 series, a window to the card's buffer memory (guess):
 * no driver touches it. */
static uint64_t sbuf_read(void *opaque, hwaddr offset, unsigned size)
{
    return 0;
}

static void sbuf_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
}

static const MemoryRegionOps sbuf_ops = {
    .read = sbuf_read,
    .write = sbuf_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static void init_bars(TwCard *card, bool with_memory)
{
    PCIDevice *pci = PCI_DEVICE(card);

    memory_region_init_io(&card->io, OBJECT(card), &register_ops, card,
                          "3ware-io", RAID_HOST_WINDOW_BYTES);
    memory_region_init_io(&card->registers, OBJECT(card), &register_ops,
                          card, "3ware-registers", RAID_HOST_WINDOW_BYTES);
    memory_region_init_io(&card->sbuf, OBJECT(card), &sbuf_ops, card,
                          "3ware-sbuf", SBUF_BYTES);
    /* RaidHost refuses what its own DMA does to its registers, whether a
     * timer or a register access let the event fire; QEMU's guard knows the
     * second only, and tells the user's terminal. */
    card->io.disable_reentrancy_guard = true;
    card->registers.disable_reentrancy_guard = true;

    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_IO, &card->io);
    if (with_memory) {
        pci_register_bar(pci, 1, PCI_BASE_ADDRESS_SPACE_MEMORY,
                         &card->registers);
        pci_register_bar(pci, 2, PCI_BASE_ADDRESS_SPACE_MEMORY, &card->sbuf);
    }
}

static bool init_config(PCIDevice *pci, bool is_7000, Error **errp)
{
    uint16_t status = PCI_STATUS_DEVSEL_MEDIUM;
    uint8_t *pmc = pci->config + PM_CAPABILITY;

    pci_config_set_interrupt_pin(pci->config, 1);
    pci->config[PCI_MIN_GNT] = MIN_GNT_QUARTER_US;
    pci->wmask[PCI_LATENCY_TIMER] = 0xf8;
    if (is_7000) {
        if (pci_pm_init(pci, PM_CAPABILITY, errp) < 0) {
            return false;
        }
        pci_set_word(pmc + PCI_PM_PMC, 1 | PCI_PM_CAP_D1);
        pci_set_word(pci->wmask + PM_CAPABILITY + PCI_PM_CTRL,
                     PCI_PM_CTRL_STATE_MASK);
        status |= PCI_STATUS_FAST_BACK;
    }
    pci_word_test_and_set_mask(pci->config + PCI_STATUS, status);
    return true;
}

/* Power: when the machine is complete */

static bool create_units(TwCard *card, Error **errp)
{
    GError *err = NULL;
    g_autoptr(GArray) specs = NULL;
    bool ok = true;

    if (!card->units || !*card->units) {
        return true;
    }
    specs = raid_spec_parse(card->units, &err);
    for (guint i = 0; specs && ok && i < specs->len; i++) {
        ok = raid_controller_create(card->ctl,
                                    &g_array_index(specs, RaidSpec, i),
                                    &err);
    }
    if (err) {
        error_setg(errp, "%s", err->message);
        g_error_free(err);
        return false;
    }
    return true;
}

static void card_machine_done(Notifier *notifier, void *data)
{
    TwCard *card = container_of(notifier, TwCard, machine_done);
    Error *err = NULL;

    sim_catch_up(card->sim);
    if (!create_units(card, &err)) {
        error_prepend(&err, "%s: units=%s: ", card->name, card->units);
        error_report_err(err);
        exit(EXIT_FAILURE);
    }
    raid_controller_power_on(card->ctl);
    card->host = raid_host_new(card->sim, card->ctl, &card_port, card);
    raid_host_set_reset_delay(card->host, SIM_MS(card->reset_delay_ms));
}

static void card_reset_hold(Object *obj, ResetType type)
{
    TwCard *card = TW_CARD(obj);

    if (card->host) {
        sim_catch_up(card->sim);
        raid_host_bus_reset(card->host);
    }
}

/* Life */

/* Grammar now, where QEMU can name the option; drives when all are there. */
static bool check_properties(TwCard *card, Error **errp)
{
    const BoardModel *board = TW_CARD_GET_CLASS(card)->board;
    GError *err = NULL;

    if (!board->registers) {
        error_setg(errp, "%s has no register interface that a guest's driver "
                   "could use; it exists in raidsim only", board->name);
        return false;
    }
    if (card->reset_delay_ms > RESET_DELAY_MAX_MS) {
        error_setg(errp, "reset-delay: at most %d ms", RESET_DELAY_MAX_MS);
        return false;
    }
    if (card->units && *card->units) {
        GArray *specs = raid_spec_parse(card->units, &err);

        if (!specs) {
            error_setg(errp, "units: %s", err->message);
            g_error_free(err);
            return false;
        }
        g_array_unref(specs);
    }
    return true;
}

static void card_realize(PCIDevice *pci, Error **errp)
{
    TwCard *card = TW_CARD(pci);
    const BoardModel *board = TW_CARD_GET_CLASS(card)->board;
    bool is_7000 = board->pci_device == ASIC_7000;

    if (!check_properties(card, errp) || !init_config(pci, is_7000, errp)) {
        return;
    }
    init_bars(card, is_7000);

    card->name = DEVICE(card)->id ?: board->name;
    card->clock = tw_clock_new(card->seed);
    card->sim = tw_clock_sim(card->clock);
    sim_trace_to(card->sim, tw_trace_record, (void *)card->name);
    /* All at once, so that the order of plugging does not matter. */
    for (unsigned port = 0; port < board->ports; port++) {
        card->phase[port] = sim_random(card->sim, 1ull << 32);
    }
    card->ctl = raid_controller_new(card->sim, board);

    qbus_init(&card->bus, sizeof(card->bus), TYPE_TW_BUS, DEVICE(card), NULL);
    qbus_set_bus_hotplug_handler(BUS(&card->bus));

    card->machine_done.notify = card_machine_done;
    qemu_add_machine_init_done_notifier(&card->machine_done);
}

/* The drives are gone: a bus goes before its card. */
static void card_exit(PCIDevice *pci)
{
    TwCard *card = TW_CARD(pci);

    qemu_remove_machine_init_done_notifier(&card->machine_done);
    g_clear_pointer(&card->host, raid_host_free);
    raid_controller_free(card->ctl);
    tw_clock_free(card->clock);
    card->ctl = NULL;
    card->sim = NULL;
    card->clock = NULL;
}

static void card_get_outstanding(Object *obj, Visitor *v, const char *name,
                                 void *opaque, Error **errp)
{
    TwCard *card = TW_CARD(obj);
    uint32_t outstanding = 0;

    if (card->host) {
        sim_catch_up(card->sim);
        outstanding = raid_host_outstanding(card->host);
    }
    visit_type_uint32(v, name, &outstanding, errp);
}

/* One rule, or "clear". */
static void card_set_fault(Object *obj, const char *line, Error **errp)
{
    TwCard *card = TW_CARD(obj);
    GError *err = NULL;

    if (!card->sim) {
        error_setg(errp, "fault: the card is off");
        return;
    }
    sim_catch_up(card->sim);
    if (!strcmp(line, "clear")) {
        fault_clear(card->sim);
    } else if (!fault_order(card->sim, line, &err)) {
        error_setg(errp, "%s", err->message);
        g_error_free(err);
    }
}

static char *card_get_fault(Object *obj, Error **errp)
{
    TwCard *card = TW_CARD(obj);
    GString *rules = g_string_new(NULL);

    if (card->sim) {
        sim_catch_up(card->sim);
        fault_list(card->sim, rules);
    }
    return g_string_free(rules, FALSE);
}

static char *card_get_report(Object *obj, Error **errp)
{
    TwCard *card = TW_CARD(obj);

    if (!card->host) {
        return g_strdup("");
    }
    sim_catch_up(card->sim);
    return manage_report(card->ctl);
}

/* One of manage.h's, in tw_cli's words. */
static void card_set_order(Object *obj, const char *line, Error **errp)
{
    TwCard *card = TW_CARD(obj);
    GError *err = NULL;

    if (!card->host) {
        error_setg(errp, "order: the card is off");
        return;
    }
    sim_catch_up(card->sim);
    if (!manage_order(card->ctl, line, NULL, &err)) {
        error_setg(errp, "%s", err->message);
        g_error_free(err);
    }
}

static const Property card_properties[] = {
    DEFINE_PROP_STRING("units", TwCard, units),
    DEFINE_PROP_UINT64("seed", TwCard, seed, 1),
    DEFINE_PROP_UINT32("reset-delay", TwCard, reset_delay_ms, 0),
};

/* In-flight commands, caches and arms are not saved yet. */
static const VMStateDescription card_vmstate = {
    .name = TYPE_TW_CARD,
    .unmigratable = 1,
};

static void card_class_init(ObjectClass *klass, TwClassData data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    pc->realize = card_realize;
    pc->exit = card_exit;
    pc->vendor_id = VENDOR_3WARE;
    pc->subsystem_vendor_id = VENDOR_3WARE;
    pc->class_id = PCI_CLASS_STORAGE_RAID;
    rc->phases.hold = card_reset_hold;
    dc->vmsd = &card_vmstate;
    /* Units are made from the drives that are there when the machine is
     * complete; a card that comes later would have none. */
    dc->hotpluggable = false;
    device_class_set_props(dc, card_properties);
    set_bit(DEVICE_CATEGORY_STORAGE, dc->categories);

    object_class_property_add(klass, "outstanding", "uint32",
                              card_get_outstanding, NULL, NULL, NULL);

    object_class_property_add_str(klass, "fault", card_get_fault,
                                  card_set_fault);

    object_class_property_add_str(klass, "report", card_get_report, NULL);

    object_class_property_add_str(klass, "order", NULL, card_set_order);

    object_class_property_set_description(klass, "order",
        "An order in tw_cli's words, such as \"u0 start rebuild disk=3\" "
        "(docs/twcli.md); write-only");
    object_class_property_set_description(klass, "report",
        "Units, ports and versions as JSON, for scripts/twcli (read-only)");
    object_class_property_set_description(klass, "fault",
        "Trouble: set it to a rule such as \"port 2 bad at 5000-5007\" "
        "(docs/faults.md) or to \"clear\"; reads as the rules there are");
    object_class_property_set_description(klass, "outstanding",
        "Commands the card holds now (read-only)");
    object_class_property_set_description(klass, "units",
        "Units made at power-on, LEVEL:PORTS[:STRIPE] joined by '/': "
        "raid5:0-3:64k, raid10:0-1+4-5:256k, raid1:0+missing, single:4; a "
        "drive in no unit comes up as a JBOD unit");
    object_class_property_set_description(klass, "seed",
        "Chance: the angles of the spindles at power-on");
    object_class_property_set_description(klass, "reset-delay",
        "Milliseconds a soft reset takes, up to 1000");
}

static const TypeInfo card_info = {
    .name = TYPE_TW_CARD,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(TwCard),
    .class_size = sizeof(TwCardClass),
    .class_init = card_class_init,
    .abstract = true,
    .interfaces = (TwInterfaces[]) {
        { INTERFACE_CONVENTIONAL_PCI_DEVICE },
        { }
    },
};

static void board_class_init(ObjectClass *klass, TwClassData data)
{
    const BoardModel *board = data;
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    TW_CARD_CLASS(klass)->board = board;
    DEVICE_CLASS(klass)->desc = board->title;
    if (!board->registers) {
        DEVICE_CLASS(klass)->desc = "in raidsim only";
        clear_bit(DEVICE_CATEGORY_STORAGE, DEVICE_CLASS(klass)->categories);
        set_bit(DEVICE_CATEGORY_MISC, DEVICE_CLASS(klass)->categories);
    }
    pc->device_id = board->pci_device;
    pc->subsystem_id = board->pci_device;
    pc->revision = board->pci_revision;
}

static void register_boards(void)
{
    type_register_static(&card_info);
    for (unsigned i = 0; i < board_models; i++) {
        TypeInfo info = {
            .name = board_model[i].name,
            .parent = TYPE_TW_CARD,
            .class_init = board_class_init,
            .class_data = (void *)&board_model[i],
        };

        g_assert(board_model[i].ports <= TW_PORTS_MAX);
        type_register_static(&info);       /* keeps a copy */
    }
}

type_init(register_boards)
