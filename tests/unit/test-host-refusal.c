/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refusals: each word of the table in hw/README.md, provoked by a guest, is
 * in the trace, and the card goes on.
 */
#include <check.h>
#include <glib.h>
#include <stdlib.h>

#include "tests/guest/bench.h"

static void post_raw(Bench b, uint64_t address)
{
    b.d->errors_expected = STATUS_PCI_ABORT | STATUS_QUEUE_ERROR;
    b.bus->out(b.bus, REG_COMMAND, address, 4);
    b.bus->run(b.bus, GUEST_MS(10));
    while (!(driver_status(b.d) & STATUS_RESPONSE_EMPTY)) {
        b.bus->in(b.bus, REG_RESPONSE, 4);
    }
}

static void call(Bench b, Packet p)
{
    driver_call(b.d, &p);
}

static void do_queue_full(Bench b)
{
    Packet p = packet_nop(15);
    unsigned id;

    for (id = 0; id < DRIVER_IDS; id++) {
        driver_post(b.d, id, &p);
    }
    b.d->errors_expected = STATUS_QUEUE_ERROR;
    b.bus->out(b.bus, REG_COMMAND, b.d->packets, 4);
    driver_wait_all(b.d);
}

static void do_not_ready(Bench b)
{
    raid_host_set_reset_delay(direct_host(b.bus), SIM_MS(100));
    driver_control(b.d, CONTROL_SOFT_RESET);
    b.bus->out(b.bus, REG_COMMAND, b.d->packets, 4);
    b.bus->run(b.bus, GUEST_MS(200));
}

static void do_narrow(Bench b)
{
    b.bus->out(b.bus, REG_COMMAND, 0x1000, 2);
}

static void do_registers(Bench b)
{
    PacketSg sg = { b.bus->registers, SECTOR };

    call(b, packet_read(0, 0, 1, &sg, 1));
}

/* The request is ours until the transfer is over, and gone after it. */
static void do_bridge(Bench b)
{
    PacketSg sg = { DIRECT_BRIDGE, SECTOR };
    Packet p = packet_read(0, 0, 1, &sg, 1);

    driver_post(b.d, 0, &p);
    b.bus->run(b.bus, GUEST_MS(100));
    ck_assert_uint_eq(direct_traced(b.bus, SIM_TRACE_RESET, "bus"), 1);
    ck_assert_uint_eq(raid_host_outstanding(direct_host(b.bus)), 0);
    driver_attach(b.d, LINUX_6);
}

static void do_packet_address(Bench b)
{
    post_raw(b, b.bus->hole);
}

static void do_packet_past_memory(Bench b)
{
    Packet p = read_packet(b, 0, 0, 1);

    b.bus->write(b.bus, b.bus->memory_bytes - 4, &p, 4);
    post_raw(b, b.bus->memory_bytes - 4);
}

static void do_too_small(Bench b)
{
    Packet p = packet_nop(0);

    p.byte[1] = 1;
    call(b, p);
}

static void do_too_large(Bench b)
{
    Packet p = packet_nop(0);

    p.byte[1] = 129;
    call(b, p);
}

static void do_unknown_opcode(Bench b)
{
    Packet p = packet_nop(0);

    p.byte[0] = 0x1f;
    call(b, p);
}

static void do_known_opcode(Bench b)
{
    Packet p = packet_nop(0);

    p.byte[0] = 0x14;
    call(b, p);
}

static void do_sg_missing(Bench b)
{
    Packet p = read_packet(b, 0, 0, 1);

    p.byte[0] = 0x02;
    call(b, p);
}

static void do_sg_past_size(Bench b)
{
    Packet p = read_packet(b, 0, 0, 1);

    p.byte[0] = 0xe2;
    call(b, p);
}

static void do_sg_zero(Bench b)
{
    Packet p = read_packet(b, 0, 0, 1);

    p.byte[1] = 3;
    call(b, p);
}

static void do_sg_over(Bench b)
{
    Packet p = packet_get_param(0, 0, 0);

    p.byte[1] = 128;
    call(b, p);
}

static void do_sg_short(Bench b)
{
    Packet p = read_packet(b, 0, 0, 1);

    p.byte[6] = 2;
    call(b, p);
}

static void do_sg_address(Bench b)
{
    PacketSg sg = { b.bus->hole, SECTOR };

    b.d->errors_expected = STATUS_PCI_ABORT;
    call(b, packet_write(0, 0, 1, &sg, 1));
}

static void do_count(Bench b)
{
    PacketSg sg = { sectors(b, 1), 100 };

    call(b, packet_read(0, 0, 0, &sg, 1));
}

static void do_past_end(Bench b)
{
    call(b, read_packet(b, 0, 2 * TEST_MEMBER_SECTORS, 1));
}

static void do_no_unit(Bench b)
{
    call(b, read_packet(b, 9, 0, 1));
}

static void do_table(Bench b)
{
    driver_get_param(b.d, 0x123, 2, NULL, 1);
}

static void do_parameter(Bench b)
{
    driver_get_param(b.d, 0x403, 99, NULL, 1);
}

static void do_read_only(Bench b)
{
    driver_set_param(b.d, 0x403, 3, "", 1);
}

static void do_ata_code(Bench b)
{
    Packet p = packet_ata(0, &(PacketAta) { .command = 0xe5 });

    p.byte[6] = 1;
    call(b, p);
}

static void do_ata_direction(Bench b)
{
    call(b, packet_ata(0, &(PacketAta) { .command = 0xec }));
}

static void do_no_drive(Bench b)
{
    call(b, packet_ata(3, &(PacketAta) { .command = 0xe5 }));
}

static void do_no_port(Bench b)
{
    call(b, packet_ata(4, &(PacketAta) { .command = 0xe5 }));
}

/* Two bytes of the packet are in memory: the size is not. */
static void do_status_address(Bench b)
{
    Packet p = packet_nop(0);

    p.byte[1] = 1;
    b.bus->write(b.bus, b.bus->memory_bytes - 4, &p, 4);
    post_raw(b, b.bus->memory_bytes - 4);
}

static const struct {
    const char *word;
    void (*provoke)(Bench b);
} refusal[] = {
    { "post-queue-full", do_queue_full },
    { "post-not-ready", do_not_ready },
    { "post-narrow", do_narrow },
    { "dma-to-registers", do_registers },
    { "dma-to-reset", do_bridge },
    { "packet-address", do_packet_address },
    { "packet-past-memory", do_packet_past_memory },
    { "packet-too-small", do_too_small },
    { "packet-too-large", do_too_large },
    { "opcode-unknown", do_unknown_opcode },
    { "opcode-not-offered", do_known_opcode },
    { "sg-missing", do_sg_missing },
    { "sg-past-size", do_sg_past_size },
    { "sg-count-zero", do_sg_zero },
    { "sg-count-over", do_sg_over },
    { "sg-too-short", do_sg_short },
    { "sg-address", do_sg_address },
    { "count-unfit", do_count },
    { "lba-past-end", do_past_end },
    { "unit-absent", do_no_unit },
    { "table-unknown", do_table },
    { "parameter-unknown", do_parameter },
    { "parameter-read-only", do_read_only },
    { "ata-direction-unknown", do_ata_code },
    { "ata-direction", do_ata_direction },
    { "drive-absent", do_no_drive },
    { "port-absent", do_no_port },
    { "status-address", do_status_address },
};

START_TEST(each_refusal_is_traced_by_its_word)
{
    Bench b = bench_new("raid5:0-2:64k", 3);

    refusal[_i].provoke(b);
    ck_assert_msg(direct_traced(b.bus, SIM_TRACE_REFUSAL, refusal[_i].word),
                  "no \"%s\"", refusal[_i].word);
    driver_control(b.d, CONTROL_CLEAR_ERRORS);
    b.d->errors_expected = 0;
    driver_expect_alive(b.d);
    ck_assert_uint_eq(raid_host_outstanding(direct_host(b.bus)), 0);
    bench_free(b);
}
END_TEST

/* The abort reaches PCI STATUS too. */
START_TEST(bad_addresses_abort_on_the_bus)
{
    Bench b = bench_new(NULL, 1);

    ck_assert(!direct_pci_abort_seen(b.bus));
    post_raw(b, b.bus->hole);
    ck_assert(direct_pci_abort_seen(b.bus));
    bench_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host-refusal");
    TCase *tcase = tcase_create("all");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(tcase, each_refusal_is_traced_by_its_word, 0,
                        G_N_ELEMENTS(refusal));
    tcase_add_test(tcase, bad_addresses_abort_on_the_bus);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
