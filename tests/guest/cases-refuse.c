/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: what a guest may not do.  Each is answered as the page of refusals
 * in hw/README.md says, and the card goes on.
 */
#include <check.h>
#include <string.h>

#include "tests/guest/cases.h"

#define SECTOR 512

static void expect(Driver *d, Packet p, uint16_t answer)
{
    ck_assert_uint_eq(driver_call(d, &p), answer);
}

static Packet good_read(Driver *d)
{
    PacketSg sg = { guest_alloc(d->bus, SECTOR, SECTOR), SECTOR };

    return packet_read(0, 3, 1, &sg, 1);
}

static void bad_opcodes(GuestBus *bus)
{
    static const uint8_t taken[] = { 0, 1, 2, 3, 0xe, 0x11, 0x12, 0x13 };
    unsigned opcode, sgl;

    WITH_DRIVER(d, bus) {
        for (opcode = 0; opcode < 0x20; opcode++) {
            if (memchr(taken, opcode, sizeof(taken))) {
                continue;
            }
            for (sgl = 0; sgl < 8; sgl++) {
                Packet p = packet_nop(0);

                p.byte[0] = opcode | sgl << 5;
                expect(d, p, ANSWER_BAD_OPCODE);
            }
        }
        driver_expect_alive(d);
    }
}

static void sizes_that_cannot_be(GuestBus *bus)
{
    static const uint8_t size[] = { 0, 1, 129, 200, 255 };
    unsigned i;

    WITH_DRIVER(d, bus) {
        for (i = 0; i < sizeof(size); i++) {
            Packet p = good_read(d);

            p.byte[1] = size[i];
            expect(d, p, ANSWER_BAD_REQUEST);
        }
        for (i = 0; i < 5; i++) {
            Packet ata = packet_ata(0, &(PacketAta) { .command = 0xe5 });

            ata.byte[1] = i;
            expect(d, ata, ANSWER_BAD_REQUEST);
        }
        Packet init = packet_init_connection(0x100);

        init.byte[1] = 2;
        expect(d, init, ANSWER_BAD_REQUEST);
        driver_expect_alive(d);
    }
}

/* No list, none where it says, less than the data need, more than fits. */
static void lists_that_cannot_be(GuestBus *bus)
{
    uint8_t block[4] = { 0x01, 0x04, 2, 2 };
    unsigned i;

    WITH_DRIVER(d, bus) {
        uint64_t addr = guest_alloc(bus, 4096, SECTOR);
        PacketAta identify = { .command = 0xec, .count = 1 };
        PacketSg sg[63];
        Packet p;

        for (i = 0; i < 63; i++) {
            sg[i] = (PacketSg) { addr, SECTOR };
        }
        bus->write(bus, addr, block, sizeof(block));
        for (i = 0; i < 8; i++) {
            if (i != 3) {               /* the list starts elsewhere */
                p = good_read(d);
                p.byte[0] = 0x02 | i << 5;
                expect(d, p, ANSWER_BAD_REQUEST);
            }
        }
        p = good_read(d);
        p.byte[1] = 3;                  /* no entry */
        expect(d, p, ANSWER_BAD_REQUEST);
        p.byte[1] = 4;                  /* half an entry */
        expect(d, p, ANSWER_BAD_REQUEST);

        packet_set_sg(&p, 3, sg, 1);
        p.byte[6] = 2;                  /* two sectors, list of one */
        expect(d, p, ANSWER_BAD_REQUEST);
        sg[0].bytes = 511;
        p.byte[6] = 1;
        packet_set_sg(&p, 3, sg, 1);
        expect(d, p, ANSWER_BAD_REQUEST);
        p.byte[6] = 0;                  /* and less than one by the list */
        expect(d, p, ANSWER_BAD_REQUEST);
        sg[0].bytes = SECTOR;

        p = packet_get_param(0, addr, 512);
        packet_set_sg(&p, 2, sg, 63);   /* 62 are allowed */
        expect(d, p, ANSWER_BAD_REQUEST);
        packet_set_sg(&p, 2, sg, 62);
        expect(d, p, ANSWER_OK);
        p = packet_ata_in(0, &identify, addr);
        packet_set_sg(&p, 5, sg, 61);   /* 60 are */
        expect(d, p, ANSWER_BAD_REQUEST);
        packet_set_sg(&p, 5, sg, 60);
        expect(d, p, ANSWER_OK);
        p = packet_get_param(0, addr, 3);
        expect(d, p, ANSWER_BAD_REQUEST);
        p = packet_get_param(0, addr, 5);
        bus->write(bus, addr, block, sizeof(block));
        expect(d, p, ANSWER_BAD_REQUEST);
        driver_expect_alive(d);
    }
}

/* Nothing but zero-length entries; and four gigabytes of list. */
static void lists_of_odd_totals(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        uint64_t addr = guest_alloc(bus, 4096, SECTOR);
        PacketSg sg[62];

        for (i = 0; i < 62; i++) {
            sg[i] = (PacketSg) { addr, 0 };
        }
        expect(d, packet_read(0, 3, 1, sg, 62), ANSWER_BAD_REQUEST);
        expect(d, packet_read(0, 3, 0, sg, 62), ANSWER_BAD_REQUEST);
        sg[61] = (PacketSg) { addr, SECTOR };
        expect(d, packet_read(0, 3, 1, sg, 62), ANSWER_OK);
        for (i = 0; i < 62; i++) {
            sg[i] = (PacketSg) { addr, 0xffffffff };
        }
        expect(d, packet_read(0, 3, 0, sg, 62), ANSWER_BAD_REQUEST);
        /* The first entry alone holds it; it runs out of memory only
         * past what is moved. */
        expect(d, packet_read(0, 3, 1, sg, 62), ANSWER_OK);
        driver_expect_alive(d);
    }
}

static void lba_past_the_end(GuestBus *bus)
{
    uint8_t four[4];
    uint32_t end;

    WITH_DRIVER(d, bus) {
        PacketSg sg = { guest_alloc(bus, 4096, SECTOR), 4096 };

        ck_assert_uint_eq(driver_get_param(d, 0x300, 4, four, 4), ANSWER_OK);
        end = le32(four);
        expect(d, packet_read(0, end - 8, 8, &sg, 1), ANSWER_OK);
        expect(d, packet_read(0, end - 7, 8, &sg, 1), ANSWER_OUT_OF_RANGE);
        expect(d, packet_write(0, end - 1, 2, &sg, 1), ANSWER_OUT_OF_RANGE);
        expect(d, packet_write(0, end, 1, &sg, 1), ANSWER_OUT_OF_RANGE);
        expect(d, packet_read(0, 0xffffffff, 8, &sg, 1),
               ANSWER_OUT_OF_RANGE);
        driver_expect_alive(d);
    }
}

static void units_that_are_not_there(GuestBus *bus)
{
    unsigned unit;

    WITH_DRIVER(d, bus) {
        for (unit = 1; unit < 16; unit++) {
            Packet r = good_read(d);

            r.byte[3] = unit;
            expect(d, r, ANSWER_OFFLINE);
            r.byte[0]++;
            expect(d, r, ANSWER_OFFLINE);
            expect(d, packet_flush(unit, 1), ANSWER_OFFLINE);
        }
        driver_expect_alive(d);
    }
}

/* --- addresses ---------------------------------------------------------- */

/* An abort is latched; the driver clears it with the bit for it. */
static void expect_abort(Driver *d)
{
    ck_assert(driver_status(d) & STATUS_PCI_ABORT);
    driver_control(d, CONTROL_CLEAR_ABORT);
    ck_assert(!(driver_status(d) & STATUS_PCI_ABORT));
}

/* There is no id to answer to. */
static void packets_outside_memory(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        uint64_t where[] = {
            bus->hole, bus->memory_bytes, bus->memory_bytes + 4096,
        };

        d->errors_expected = STATUS_PCI_ABORT;
        for (i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
            bus->out(bus, REG_COMMAND, where[i], 4);
            driver_expect_silence(d, GUEST_MS(100));
            expect_abort(d);
        }
        driver_expect_alive(d);
    }
}

/* The head is in memory, the rest would not be. */
static void packet_runs_past_memory(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        Packet p = good_read(d);

        d->errors_expected = STATUS_PCI_ABORT;
        bus->write(bus, bus->memory_bytes - 8, &p, 8);
        bus->out(bus, REG_COMMAND, bus->memory_bytes - 8, 4);
        driver_expect_silence(d, GUEST_MS(100));
        expect_abort(d);
        driver_expect_alive(d);
    }
}

static void data_outside_memory(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint32_t good = guest_alloc(bus, 4096, SECTOR);
        PacketSg sg[][2] = {
            { { bus->hole, 1024 }, { 0, 0 } },
            { { good, 512 }, { bus->hole, 512 } },
            { { bus->memory_bytes - 512, 1024 }, { 0, 0 } },
            { { bus->memory_bytes, 1024 }, { 0, 0 } },
            { { 0xfffffe00, 1024 }, { 0, 0 } },     /* past 4 GiB */
        };
        unsigned i;

        d->errors_expected = STATUS_PCI_ABORT;
        for (i = 0; i < sizeof(sg) / sizeof(sg[0]); i++) {
            expect(d, packet_read(0, 3, 2, sg[i], 2), ANSWER_BAD_REQUEST);
            expect_abort(d);
            expect(d, packet_write(0, 3, 2, sg[i], 2), ANSWER_BAD_REQUEST);
            expect_abort(d);
        }
        expect(d, packet_get_param(0, bus->hole, 512), ANSWER_BAD_REQUEST);
        expect_abort(d);
        expect(d, packet_set_param(0, bus->hole, 512), ANSWER_BAD_REQUEST);
        expect_abort(d);
        driver_expect_alive(d);
    }
}

/* A write whose data cannot be fetched leaves the sectors as they were. */
static void write_without_data_writes_nothing(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint64_t addr = guest_alloc(bus, 2048, SECTOR);
        PacketSg sg[2] = { { addr, 1024 }, { bus->hole, 1024 } };

        guest_fill(bus, addr, 2048, 1);
        ck_assert_uint_eq(driver_write(d, 0, 20, 4, addr), ANSWER_OK);
        guest_fill(bus, addr, 2048, 2);
        d->errors_expected = STATUS_PCI_ABORT;
        expect(d, packet_write(0, 20, 4, sg, 2), ANSWER_BAD_REQUEST);
        ck_assert_uint_eq(driver_read(d, 0, 20, 4, addr), ANSWER_OK);
        ck_assert(guest_holds(bus, addr, 2048, 1));
    }
}

/* The error drives the pin until it is cleared. */
static void abort_interrupts(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        driver_control(d, CONTROL_ENABLE);
        d->errors_expected = STATUS_PCI_ABORT;
        bus->out(bus, REG_COMMAND, bus->hole, 4);
        ck_assert(guest_run_until_irq(bus, GUEST_S(1)));
        ck_assert(driver_status(d) & STATUS_PCI_ABORT);
        driver_control(d, CONTROL_CLEAR_ERRORS);
        ck_assert(!bus->irq(bus));
        driver_expect_alive(d);
    }
}

/*
 * Data, packets and status aimed at our own registers.  Whether the machine
 * lets such DMA through or not: no command starts by it, nothing recurses.
 */
static void dma_to_our_own_registers(GuestBus *bus)
{
    unsigned reg;

    if (!bus->registers) {
        return;
    }
    WITH_DRIVER(d, bus) {
        uint64_t out = guest_alloc(bus, SECTOR, SECTOR);

        d->errors_expected = STATUS_PCI_ABORT;
        guest_fill(bus, out, SECTOR, 6);
        ck_assert_uint_eq(driver_write(d, 0, 3, 1, out), ANSWER_OK);
        for (reg = 0; reg < 16; reg += 4) {
            PacketSg sg[2] = { { bus->registers + reg, 4 },
                               { out, SECTOR - 4 } };
            Packet r = packet_read(0, 3, 1, sg, 2);
            Packet w = packet_write(0, 5, 1, sg, 2);

            driver_call(d, &r);
            driver_call(d, &w);
            bus->out(bus, REG_COMMAND, bus->registers + reg, 4);
            driver_control(d, CONTROL_CLEAR_ABORT);
            bus->run(bus, GUEST_MS(100));
            /* Registers read as a packet may have an id to answer to. */
            while (!(driver_status(d) & STATUS_RESPONSE_EMPTY)) {
                bus->in(bus, REG_RESPONSE, 4);
            }
        }
        driver_control(d, CONTROL_CLEAR_ABORT);
        driver_expect_alive(d);
    }
}

/* Refused 10,000 times: the card is as it was. */
static void refusals_do_not_wear_out(GuestBus *bus)
{
    unsigned i, k;

    WITH_DRIVER(d, bus) {
        Packet bad[4] = {
            good_read(d), good_read(d), good_read(d), packet_nop(0),
        };

        bad[0].byte[1] = 3;
        bad[1].byte[3] = 9;
        bad[2].byte[11] = 0xff;
        bad[3].byte[0] = 0x1f;
        for (i = 0; i < 10000; i += 200) {
            for (k = 0; k < 200; k++) {
                driver_post(d, k, &bad[k % 4]);
            }
            driver_wait_all(d);
        }
        driver_expect_alive(d);
    }
}

#define CASE(name) { #name, name, "3ware-7410", "raid5:0-2:64k", 3 }

const GuestCase cases_refuse[] = {
    CASE(bad_opcodes),
    CASE(sizes_that_cannot_be),
    CASE(lists_that_cannot_be),
    CASE(lists_of_odd_totals),
    CASE(lba_past_the_end),
    CASE(units_that_are_not_there),
    CASE(packets_outside_memory),
    CASE(packet_runs_past_memory),
    CASE(data_outside_memory),
    CASE(write_without_data_writes_nothing),
    CASE(abort_interrupts),
    CASE(dma_to_our_own_registers),
    CASE(refusals_do_not_wear_out),
    { 0 }
};
