/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI: what configuration space says of each board, against a table typed
 * from logs of real cards and pci.ids, not from the device's own.
 */
#include <string.h>

#include "tests/qtest/cases.h"
#include "tests/qtest/rig.h"

typedef struct Identity {
    const char *board;
    uint16_t device;
    uint8_t revision, ports;
    uint32_t idle;                      /* STATUS at power-on, masked */
} Identity;

/* Status: READY, both queues empty, chip version (guess for the 6000s). */
static const Identity identities[] = {
    { "3ware-6400",    0x1000, 0x12,  4, 0x57007000 },
    { "3ware-6800",    0x1000, 0x12,  8, 0x57007000 },
    { "3ware-7410",    0x1001, 0x01,  4, 0x13007000 },
    { "3ware-7810",    0x1001, 0x01,  8, 0x13007000 },
    { "3ware-7500-4",  0x1001, 0x01,  4, 0x13007000 },
    { "3ware-7500-8",  0x1001, 0x01,  8, 0x13007000 },
    { "3ware-8006-2",  0x1001, 0x01,  2, 0x13007000 },
    { "3ware-8506-4",  0x1001, 0x01,  4, 0x13007000 },
    { "3ware-8506-8",  0x1001, 0x01,  8, 0x13007000 },
    { "3ware-8506-12", 0x1001, 0x01, 12, 0x13007000 },
};

static Rig *plain(const char *board)
{
    return rig_new(&(RigCard) { .board = board }, 1, NULL, NULL);
}

static uint32_t config(Rig *rig, unsigned offset, unsigned size)
{
    return qemu_config_in(rig->qemu, rig_devfn(0), offset, size);
}

/* Writes ones, reads back which bits are wired. */
static uint32_t bar_mask(Rig *rig, unsigned bar)
{
    unsigned offset = 0x10 + 4 * bar;
    uint32_t before = config(rig, offset, 4), mask;

    qemu_config_out(rig->qemu, rig_devfn(0), offset, 0xffffffff, 4);
    mask = config(rig, offset, 4);
    qemu_config_out(rig->qemu, rig_devfn(0), offset, before, 4);
    return mask;
}

START_TEST(every_board_has_the_identity_of_the_real_card)
{
    const Identity *want = &identities[_i];
    Rig *rig = plain(want->board);
    bool is_7000 = want->device == 0x1001;

    ck_assert_uint_eq(config(rig, 0x00, 2), 0x13c1);
    ck_assert_uint_eq(config(rig, 0x02, 2), want->device);
    ck_assert_uint_eq(config(rig, 0x08, 1), want->revision);
    ck_assert_uint_eq(config(rig, 0x09, 1), 0x00);
    ck_assert_uint_eq(config(rig, 0x0a, 2), 0x0104);
    ck_assert_uint_eq(config(rig, 0x0e, 1), 0x00);
    ck_assert_uint_eq(config(rig, 0x2c, 2), 0x13c1);
    ck_assert_uint_eq(config(rig, 0x2e, 2), want->device);
    ck_assert_uint_eq(config(rig, 0x3d, 1), 1);
    ck_assert_uint_eq(config(rig, 0x3e, 1), 9);
    ck_assert_uint_eq(config(rig, 0x3f, 1), 0);
    /* capability list, fast back-to-back, medium decode */
    ck_assert_uint_eq(config(rig, 0x06, 2), is_7000 ? 0x0290 : 0x0200);
    rig_free(rig);
}
END_TEST

START_TEST(every_board_has_the_windows_of_the_real_card)
{
    const Identity *want = &identities[_i];
    Rig *rig = plain(want->board);
    bool is_7000 = want->device == 0x1001;

    ck_assert_uint_eq(bar_mask(rig, 0), 0xfffffff1);
    ck_assert_uint_eq(bar_mask(rig, 1), is_7000 ? 0xfffffff0 : 0);
    ck_assert_uint_eq(bar_mask(rig, 2), is_7000 ? 0xff800000 : 0);
    for (unsigned bar = 3; bar < 6; bar++) {
        ck_assert_uint_eq(bar_mask(rig, bar), 0);
    }
    rig_free(rig);
}
END_TEST

START_TEST(power_management_is_version_1_without_pme)
{
    Rig *rig = plain("3ware-7410");

    ck_assert_uint_eq(config(rig, 0x34, 1), 0x40);
    ck_assert_uint_eq(config(rig, 0x40, 1), 0x01);
    ck_assert_uint_eq(config(rig, 0x41, 1), 0x00);
    ck_assert_uint_eq(config(rig, 0x42, 2), 0x0201);    /* v1, D1 */
    ck_assert_uint_eq(config(rig, 0x44, 2), 0x0000);
    rig_free(rig);
}
END_TEST

START_TEST(a_card_is_ready_at_power_on)
{
    const Identity *want = &identities[_i];
    Rig *rig = plain(want->board);

    rig_enable(rig, 0);
    ck_assert_uint_eq(qemu_in(rig->qemu, rig_io(0) + 4, 4), want->idle);
    rig_free(rig);
}
END_TEST

START_TEST(memory_window_shows_the_same_registers)
{
    Rig *rig = plain("3ware-8506-8");
    uint32_t sbuf = rig_memory(0) + 0x01000000;

    rig_enable(rig, 0);
    ck_assert_uint_eq(qemu_readl(rig->qemu, rig_memory(0) + 4), 0x13007000);
    qemu_writel(rig->qemu, rig_memory(0), 0x20);        /* host interrupt */
    ck_assert_uint_eq(qemu_in(rig->qemu, rig_io(0) + 4, 4), 0x13087000);
    qemu_out(rig->qemu, rig_io(0), 0x80000, 4);
    ck_assert_uint_eq(qemu_readl(rig->qemu, rig_memory(0) + 4), 0x13007000);

    qemu_writel(rig->qemu, sbuf, 0x12345678);
    ck_assert_uint_eq(qemu_readl(rig->qemu, sbuf), 0);
    ck_assert_uint_eq(qemu_readl(rig->qemu, sbuf + 0x7ffffc), 0);
    rig_free(rig);
}
END_TEST

START_TEST(command_register_gates_the_window)
{
    Rig *rig = plain("3ware-7410");

    rig_enable(rig, 0);
    qemu_config_out(rig->qemu, rig_devfn(0), 0x04, 0x4, 2);
    ck_assert_uint_eq(qemu_in(rig->qemu, rig_io(0) + 4, 4), 0xffffffff);
    qemu_config_out(rig->qemu, rig_devfn(0), 0x04, 0x5, 2);
    ck_assert_uint_eq(qemu_in(rig->qemu, rig_io(0) + 4, 4), 0x13007000);
    rig_free(rig);
}
END_TEST

/* Drivers clear received master abort by writing one to it. */
START_TEST(master_abort_shows_in_pci_status_and_clears)
{
    Rig *rig = plain("3ware-7410");

    rig_enable(rig, 0);
    qemu_out(rig->qemu, rig_io(0) + 8, 0x70000000, 4);  /* nothing there */
    for (unsigned i = 0; i < 1000 && !(config(rig, 0x06, 2) & 0x2000); i++) {
        qemu_step(rig->qemu, 1000000);
    }
    ck_assert_uint_eq(config(rig, 0x06, 2), 0x2290);
    ck_assert_uint_eq(qemu_in(rig->qemu, rig_io(0) + 4, 4) & 0x100000,
                      0x100000);
    qemu_config_out(rig->qemu, rig_devfn(0), 0x06, 0x2000, 2);
    ck_assert_uint_eq(config(rig, 0x06, 2), 0x0290);
    qemu_out(rig->qemu, rig_io(0), 0x100000, 4);
    ck_assert_uint_eq(qemu_in(rig->qemu, rig_io(0) + 4, 4), 0x13007000);
    rig_free(rig);
}
END_TEST

/* With bus mastering off the card cannot even fetch a packet. */
START_TEST(no_bus_mastering_is_an_abort)
{
    Rig *rig = plain("3ware-7410");

    rig_enable(rig, 0);
    qemu_config_out(rig->qemu, rig_devfn(0), 0x04, 0x3, 2);
    qemu_out(rig->qemu, rig_io(0) + 8, 0x100000, 4);
    for (unsigned i = 0; i < 1000 && !(config(rig, 0x06, 2) & 0x2000); i++) {
        qemu_step(rig->qemu, 1000000);
    }
    ck_assert_uint_eq(config(rig, 0x06, 2), 0x2290);
    rig_free(rig);
}
END_TEST

Suite *qtest_pci_suite(void)
{
    Suite *suite = suite_create("pci");
    TCase *tc = tcase_create("pci");
    int boards = G_N_ELEMENTS(identities);

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_board_has_the_identity_of_the_real_card, 0,
                        boards);
    tcase_add_loop_test(tc, every_board_has_the_windows_of_the_real_card, 0,
                        boards);
    tcase_add_loop_test(tc, a_card_is_ready_at_power_on, 0, boards);
    tcase_add_test(tc, power_management_is_version_1_without_pme);
    tcase_add_test(tc, memory_window_shows_the_same_registers);
    tcase_add_test(tc, command_register_gates_the_window);
    tcase_add_test(tc, master_abort_shows_in_pci_status_and_clears);
    tcase_add_test(tc, no_bus_mastering_is_an_abort);
    suite_add_tcase(suite, tc);
    return suite;
}
