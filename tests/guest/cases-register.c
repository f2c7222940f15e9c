/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases: registers, bit by bit, and the interrupt line.
 */
#include <check.h>

#include "tests/guest/cases.h"

#define IDLE (STATUS_COMMAND_EMPTY | STATUS_READY | STATUS_RESPONSE_EMPTY)

static uint32_t idle_status(const GuestBus *bus)
{
    return (uint32_t)bus->pchip << 24 | IDLE;
}

static void power_on_is_idle(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
        ck_assert(!bus->irq(bus));
        driver_expect_silence(d, GUEST_S(1));
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
    }
}

static void write_only_registers_read_zero(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        ck_assert_uint_eq(bus->in(bus, REG_CONTROL, 4), 0);
        ck_assert_uint_eq(bus->in(bus, REG_COMMAND, 4), 0);
        bus->out(bus, REG_STATUS, 0xffffffff, 4);
        bus->out(bus, REG_RESPONSE, 0xffffffff, 4);
        driver_expect_silence(d, GUEST_MS(10));
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
    }
}

static void empty_response_queue_stays_empty(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        for (i = 0; i < 300; i++) {
            ck_assert_uint_eq(bus->in(bus, REG_RESPONSE, 4), 0);
            ck_assert(driver_status(d) & STATUS_RESPONSE_EMPTY);
        }
        driver_expect_alive(d);
    }
}

/* Parts of STATUS fit together; parts of CONTROL act; nothing else does. */
static void narrow_accesses_are_served(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        uint32_t s = driver_status(d), parts = 0;
        unsigned i;

        for (i = 0; i < 4; i++) {
            parts |= bus->in(bus, REG_STATUS + i, 1) << 8 * i;
        }
        ck_assert_uint_eq(parts, s);
        ck_assert_uint_eq(bus->in(bus, REG_STATUS, 2), s & 0xffff);
        ck_assert_uint_eq(bus->in(bus, REG_STATUS + 2, 2), s >> 16);

        bus->out(bus, REG_CONTROL, CONTROL_ISSUE_HOST, 1);
        ck_assert(driver_status(d) & STATUS_HOST);
        bus->out(bus, REG_CONTROL + 2, CONTROL_ACK_HOST >> 16, 1);
        ck_assert(!(driver_status(d) & STATUS_HOST));
        bus->out(bus, REG_CONTROL, CONTROL_UNMASK_COMMAND, 2);
        ck_assert(driver_status(d) & STATUS_COMMAND_INT);
        bus->out(bus, REG_CONTROL + 2, CONTROL_MASK_COMMAND >> 16, 2);
        ck_assert(!(driver_status(d) & STATUS_COMMAND_INT));

        bus->out(bus, REG_COMMAND, d->packets & 0xffff, 2);
        bus->out(bus, REG_COMMAND, d->packets & 0xff, 1);
        driver_expect_silence(d, GUEST_MS(10));
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
    }
}

/* A response popped by a narrow read is popped once. */
static void narrow_pop_pops_once(GuestBus *bus)
{
    Packet p = packet_nop(15);

    WITH_DRIVER(d, bus) {
        driver_post(d, 3, &p);
        bus->run(bus, GUEST_MS(10));
        ck_assert_uint_eq(bus->in(bus, REG_RESPONSE + 1, 1), 0);
        ck_assert(!(driver_status(d) & STATUS_RESPONSE_EMPTY));
        ck_assert_uint_eq(bus->in(bus, REG_RESPONSE, 2) >> 4 & 0xff, 3);
        ck_assert(driver_status(d) & STATUS_RESPONSE_EMPTY);
        driver_forget(d);
    }
}

/* Every bit alone, reset apart: STATUS stays legal, the card usable. */
static void every_control_bit_is_harmless(GuestBus *bus)
{
    unsigned bit;

    WITH_DRIVER(d, bus) {
        for (bit = 0; bit < 32; bit++) {
            if (bit != 8) {
                driver_control(d, 1u << bit);
                driver_status(d);
            }
        }
        driver_control(d, CONTROL_DISABLE | CONTROL_MASK_COMMAND |
                       CONTROL_MASK_RESPONSE | CONTROL_ACK_HOST);
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
        driver_expect_alive(d);
    }
}

static void host_interrupt_is_latched(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        driver_control(d, CONTROL_ISSUE_HOST);
        ck_assert(driver_status(d) & STATUS_HOST);
        ck_assert(!bus->irq(bus));
        driver_control(d, CONTROL_ENABLE);
        ck_assert(bus->irq(bus));
        driver_control(d, CONTROL_ACK_ATTENTION | CONTROL_CLEAR_ERRORS);
        ck_assert(bus->irq(bus));
        driver_control(d, CONTROL_ACK_HOST);
        ck_assert(!bus->irq(bus));
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
    }
}

/* Bits 6 and 7 gate the pin, never STATUS. */
static void global_enable_gates_only_the_pin(GuestBus *bus)
{
    unsigned i;

    WITH_DRIVER(d, bus) {
        driver_control(d, CONTROL_UNMASK_COMMAND);
        for (i = 0; i < 3; i++) {
            uint32_t s = driver_status(d);

            ck_assert(!bus->irq(bus));
            driver_control(d, CONTROL_ENABLE);
            ck_assert_uint_eq(driver_status(d), s);
            ck_assert(bus->irq(bus));
            driver_control(d, CONTROL_DISABLE);
        }
    }
}

/* OpenBSD of 2001 lives by this; Linux would claim every shared interrupt
 * if the masked bit showed. */
static void command_interrupt_is_a_level(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        driver_control(d, CONTROL_ENABLE);
        ck_assert(!(driver_status(d) & STATUS_COMMAND_INT));
        driver_control(d, CONTROL_UNMASK_COMMAND);
        ck_assert(driver_status(d) & STATUS_COMMAND_INT);
        ck_assert(bus->irq(bus));
        bus->run(bus, GUEST_MS(10));
        ck_assert(bus->irq(bus));
        driver_control(d, CONTROL_MASK_COMMAND);
        ck_assert(!bus->irq(bus));
        ck_assert(!(driver_status(d) & STATUS_COMMAND_INT));
    }
}

static void response_interrupt_is_a_level(GuestBus *bus)
{
    Packet p = packet_nop(15);

    WITH_DRIVER(d, bus) {
        driver_control(d, CONTROL_ENABLE);
        driver_post(d, 7, &p);
        driver_post(d, 9, &p);
        bus->run(bus, GUEST_MS(10));
        ck_assert(!(driver_status(d) &
                    (STATUS_RESPONSE_INT | STATUS_RESPONSE_EMPTY)));
        driver_control(d, CONTROL_UNMASK_RESPONSE);
        ck_assert(driver_status(d) & STATUS_RESPONSE_INT);
        ck_assert_uint_eq(driver_pop(d), 7);
        ck_assert(driver_status(d) & STATUS_RESPONSE_INT);
        driver_control(d, CONTROL_MASK_RESPONSE);
        ck_assert(!(driver_status(d) & STATUS_RESPONSE_INT));
        driver_control(d, CONTROL_UNMASK_RESPONSE);
        ck_assert_uint_eq(driver_pop(d), 9);
        ck_assert(!bus->irq(bus));
    }
}

/* Reset and "clear attention" come in one write; attention must survive. */
static void reset_write_ends_with_attention(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        driver_control(d, CONTROL_ENABLE | CONTROL_UNMASK_COMMAND |
                       CONTROL_UNMASK_RESPONSE);
        driver_control(d, CONTROL_SOFT_RESET);
        bus->run(bus, GUEST_S(1));
        ck_assert_uint_eq(driver_status(d),
                          idle_status(bus) | STATUS_ATTENTION);
        ck_assert(!bus->irq(bus));
        driver_control(d, CONTROL_ENABLE);
        ck_assert(bus->irq(bus));
        driver_control(d, CONTROL_ACK_ATTENTION);
        ck_assert(!bus->irq(bus));
    }
}

/* What Linux writes when it sees a microcontroller error. */
static void clear_everything_masks_both_queues(GuestBus *bus)
{
    WITH_DRIVER(d, bus) {
        driver_control(d, CONTROL_ENABLE | CONTROL_UNMASK_COMMAND |
                       CONTROL_UNMASK_RESPONSE | CONTROL_ISSUE_HOST);
        driver_control(d, 0x00df0008);
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
        driver_expect_alive(d);
    }
}

static void machine_reset_is_power_on(GuestBus *bus)
{
    Packet p = packet_nop(15);

    WITH_DRIVER(d, bus) {
        driver_control(d, CONTROL_ENABLE | CONTROL_UNMASK_COMMAND |
                       CONTROL_UNMASK_RESPONSE | CONTROL_ISSUE_HOST);
        driver_post(d, 1, &p);
        driver_post(d, 2, &p);
        bus->run(bus, GUEST_MS(10));
        driver_post(d, 4, &p);
        driver_bus_reset(d);
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
        driver_expect_silence(d, GUEST_S(1));
        ck_assert_uint_eq(driver_status(d), idle_status(bus));
        driver_expect_alive(d);
    }
}

#define CASE(name) { #name, name, "3ware-7410", NULL, 1 }

const GuestCase cases_register[] = {
    CASE(power_on_is_idle),
    { "power_on_is_idle_6800", power_on_is_idle, "3ware-6800", NULL, 1 },
    CASE(write_only_registers_read_zero),
    CASE(empty_response_queue_stays_empty),
    CASE(narrow_accesses_are_served),
    CASE(narrow_pop_pops_once),
    CASE(every_control_bit_is_harmless),
    CASE(host_interrupt_is_latched),
    CASE(global_enable_gates_only_the_pin),
    CASE(command_interrupt_is_a_level),
    CASE(response_interrupt_is_a_level),
    CASE(reset_write_ends_with_attention),
    CASE(clear_everything_masks_both_queues),
    CASE(machine_reset_is_power_on),
    { 0 }
};
