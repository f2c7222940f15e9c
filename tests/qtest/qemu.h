/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Qemu - one QEMU process under a test: no CPU runs, the test is the CPU.
 *
 * Speaks QEMU's qtest text protocol (accesses, memory, the virtual clock)
 * and QMP over socket pairs.  The process dies with the test that started
 * it.  Anything that goes wrong in the talk itself fails the test.
 */
#ifndef TESTS_QTEST_QEMU_H
#define TESTS_QTEST_QEMU_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Qemu Qemu;

/* `args`: NULL-terminated, after the fixed ones (machine pc, no defaults).
 * Standard error goes to `log`, a file, or to the test's own if NULL. */
Qemu *qemu_start(const char *const *args, const char *log);
void qemu_stop(Qemu *qemu);             /* NULL is fine */
bool qemu_alive(Qemu *qemu);
int qemu_quit(Qemu *qemu);              /* ask it to end; its exit status */
uint64_t qemu_rss_kib(const Qemu *qemu);        /* memory it really has */

/*
 * Run to the end: returns the exit status; -1 when it did not end by itself
 * soon.  `out` and `err` (may be NULL) are the caller's.
 */
int qemu_run(const char *const *args, char **out, char **err);

/* Ports; size 1, 2 or 4 */
uint32_t qemu_in(Qemu *qemu, uint16_t port, unsigned size);
void qemu_out(Qemu *qemu, uint16_t port, uint32_t value, unsigned size);

/* Physical memory, and registers in it */
void qemu_read(Qemu *qemu, uint64_t addr, void *buf, size_t len);
void qemu_write(Qemu *qemu, uint64_t addr, const void *buf, size_t len);
uint32_t qemu_readl(Qemu *qemu, uint64_t addr);
void qemu_writel(Qemu *qemu, uint64_t addr, uint32_t value);

/* Virtual time, nanoseconds: it stands still but for these.  The second
 * goes to the next timer of any device; false when there is none. */
void qemu_step(Qemu *qemu, int64_t ns);
bool qemu_step_next(Qemu *qemu);
int64_t qemu_now(const Qemu *qemu);

/* PCI configuration space, bus 0 */
uint32_t qemu_config_in(Qemu *qemu, unsigned devfn, unsigned offset,
                        unsigned size);
void qemu_config_out(Qemu *qemu, unsigned devfn, unsigned offset,
                     uint32_t value, unsigned size);

/* QMP: one command, its whole answer line; the caller frees.  Events that
 * come in between are kept. */
char *qemu_qmp(Qemu *qemu, const char *format, ...) G_GNUC_PRINTF(2, 3);
void qemu_qmp_ok(Qemu *qemu, const char *format, ...) G_GNUC_PRINTF(2, 3);
unsigned qemu_events(Qemu *qemu, const char *name);     /* seen so far */
/* The machine's reset, waited for. */
void qemu_reset(Qemu *qemu);
/* Human monitor command, its text. */
char *qemu_hmp(Qemu *qemu, const char *command);

#endif
