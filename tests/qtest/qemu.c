/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Qemu: process, qtest protocol and QMP.  The protocols are described in
 * QEMU's system/qtest.c and docs/interop/qmp-spec.
 */
#include <check.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/qtest/qemu.h"

#define QMP_FD 3
#define RUN_SECONDS "20"                /* for one that should end */
#define CHUNK_BYTES 32768               /* of memory in one line */

typedef struct Line {
    int fd;
    GString *in;                        /* what came and was not taken */
} Line;

struct Qemu {
    pid_t pid;
    Line qtest, qmp;
    GString *events;
    int64_t now;                        /* time moves only when we say so */
    uint32_t config;                    /* what the address port holds */
};

static const char *const fixed_args[] = {
    "-M", "pc", "-nodefaults", "-no-user-config", "-display", "none",
    "-accel", "qtest", NULL
};

static const char *const talk_args[] = {
    "-qtest", "stdio", "-qtest-log", "none",
    "-chardev", "socket,id=qmp,fd=" G_STRINGIFY(QMP_FD),
    "-mon", "chardev=qmp,mode=control", NULL
};

/* QTEST_QEMU: another one, or a script that runs it under a tool. */
static const char *binary(void)
{
    return g_getenv("QTEST_QEMU") ?: "build/bin/qemu-system-x86_64";
}

static void append_args(GPtrArray *argv, const char *const *args)
{
    for (; args && *args; args++) {
        g_ptr_array_add(argv, (gpointer)*args);
    }
}

/* In the child: become QEMU, and never outlive the test. */
static void G_GNUC_NORETURN become(char **argv, int talk, int qmp,
                                   const char *log)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(talk, STDIN_FILENO);
    dup2(talk, STDOUT_FILENO);
    dup2(qmp, QMP_FD);
    if (log && !freopen(log, "w", stderr)) {
        _exit(126);
    }
    for (int fd = QMP_FD + 1; fd < 64; fd++) {
        close(fd);
    }
    execv(argv[0], argv);
    _exit(127);
}

/* Answer lines */

/* Says how it ended, which is the first thing to know. */
static void G_GNUC_NORETURN gone(Qemu *qemu)
{
    int status = 0;

    for (int i = 0; i < 100; i++) {
        if (waitpid(qemu->pid, &status, WNOHANG) == qemu->pid) {
            break;
        }
        g_usleep(10000);
    }
    if (WIFSIGNALED(status)) {
        ck_abort_msg("QEMU died of signal %d", WTERMSIG(status));
    }
    ck_abort_msg("QEMU ended with status %d", WEXITSTATUS(status));
}

static char *read_line(Qemu *qemu, Line *line)
{
    char *end;

    while (!(end = memchr(line->in->str, '\n', line->in->len))) {
        char buf[4096];
        ssize_t got = read(line->fd, buf, sizeof(buf));

        if (got <= 0) {
            gone(qemu);
        }
        g_string_append_len(line->in, buf, got);
    }
    size_t len = end - line->in->str;
    char *text = g_strndup(line->in->str, len);

    g_string_erase(line->in, 0, len + 1);
    return text;
}

static void write_all(Qemu *qemu, Line *line, const char *text, size_t len)
{
    while (len) {
        ssize_t put = send(line->fd, text, len, MSG_NOSIGNAL);

        if (put <= 0) {
            gone(qemu);
        }
        text += put;
        len -= put;
    }
}

/* Sends one command; the words after OK.  NULL when QEMU says FAIL. */
static char *talk(Qemu *qemu, const char *format, ...) G_GNUC_PRINTF(2, 3);

static char *talk(Qemu *qemu, const char *format, ...)
{
    va_list args;
    char *answer;

    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);

    write_all(qemu, &qemu->qtest, text, strlen(text));
    for (;;) {
        answer = read_line(qemu, &qemu->qtest);
        if (g_str_has_prefix(answer, "OK")) {
            memmove(answer, answer + 2, strlen(answer + 2) + 1);
            return g_strstrip(answer);
        }
        if (g_str_has_prefix(answer, "FAIL")) {
            g_free(answer);
            return NULL;
        }
        ck_assert_msg(g_str_has_prefix(answer, "IRQ"), "qtest: %s", answer);
        g_free(answer);
    }
}

static uint64_t number(char *answer)
{
    ck_assert_ptr_nonnull(answer);
    uint64_t value = g_ascii_strtoull(answer, NULL, 0);

    g_free(answer);
    return value;
}

static void fine(char *answer)
{
    ck_assert_ptr_nonnull(answer);
    g_free(answer);
}

/* Life */

Qemu *qemu_start(const char *const *args, const char *log)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    Qemu *qemu = g_new0(Qemu, 1);
    int talk_pair[2], qmp_pair[2];

    g_ptr_array_add(argv, (gpointer)binary());
    append_args(argv, fixed_args);
    append_args(argv, talk_args);
    append_args(argv, args);
    g_ptr_array_add(argv, NULL);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, talk_pair), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, qmp_pair), 0);

    qemu->pid = fork();
    ck_assert_int_ge(qemu->pid, 0);
    if (!qemu->pid) {
        become((char **)argv->pdata, talk_pair[1], qmp_pair[1], log);
    }
    close(talk_pair[1]);
    close(qmp_pair[1]);
    qemu->qtest = (Line) { talk_pair[0], g_string_new(NULL) };
    qemu->qmp = (Line) { qmp_pair[0], g_string_new(NULL) };
    qemu->events = g_string_new(NULL);

    g_free(read_line(qemu, &qemu->qmp));       /* the greeting */
    qemu_qmp_ok(qemu, "{'execute': 'qmp_capabilities'}");
    return qemu;
}

void qemu_stop(Qemu *qemu)
{
    if (!qemu) {
        return;
    }
    if (qemu->pid > 0) {
        kill(qemu->pid, SIGKILL);
        waitpid(qemu->pid, NULL, 0);
    }
    close(qemu->qtest.fd);
    close(qemu->qmp.fd);
    g_string_free(qemu->qtest.in, true);
    g_string_free(qemu->qmp.in, true);
    g_string_free(qemu->events, true);
    g_free(qemu);
}

bool qemu_alive(Qemu *qemu)
{
    return waitpid(qemu->pid, NULL, WNOHANG) == 0;
}

int qemu_quit(Qemu *qemu)
{
    static const char command[] = "{'execute': 'quit'}\n";
    int status;

    /* It may be gone before it has answered. */
    write_all(qemu, &qemu->qmp, command, strlen(command));
    ck_assert_int_eq(waitpid(qemu->pid, &status, 0), qemu->pid);
    qemu->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

uint64_t qemu_rss_kib(const Qemu *qemu)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/statm", qemu->pid);
    g_autofree char *text = NULL;
    uint64_t total, pages = 0;

    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    ck_assert_int_eq(sscanf(text, "%" SCNu64 " %" SCNu64, &total, &pages), 2);
    return pages * (getpagesize() / 1024);
}

int qemu_run(const char *const *args, char **out, char **err)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    int status;

    append_args(argv, (const char *[]) {
        "timeout", "-s", "KILL", RUN_SECONDS, binary(), NULL });
    append_args(argv, fixed_args);
    append_args(argv, args);
    g_ptr_array_add(argv, NULL);
    g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL,
                 NULL, out, err, &status, &error);
    ck_assert_msg(!error, "%s", error ? error->message : "");
    return WIFEXITED(status) && WEXITSTATUS(status) < 124 ?
           WEXITSTATUS(status) : -1;
}

/* Accesses */

static char letter(unsigned size)
{
    return size == 1 ? 'b' : size == 2 ? 'w' : 'l';
}

uint32_t qemu_in(Qemu *qemu, uint16_t port, unsigned size)
{
    return number(talk(qemu, "in%c 0x%x\n", letter(size), port));
}

void qemu_out(Qemu *qemu, uint16_t port, uint32_t value, unsigned size)
{
    fine(talk(qemu, "out%c 0x%x 0x%x\n", letter(size), port, value));
}

uint32_t qemu_readl(Qemu *qemu, uint64_t addr)
{
    return number(talk(qemu, "readl 0x%" PRIx64 "\n", addr));
}

void qemu_writel(Qemu *qemu, uint64_t addr, uint32_t value)
{
    fine(talk(qemu, "writel 0x%" PRIx64 " 0x%x\n", addr, value));
}

void qemu_read(Qemu *qemu, uint64_t addr, void *buf, size_t len)
{
    for (size_t done = 0; done < len; ) {
        size_t part = MIN(len - done, CHUNK_BYTES), got;
        char *text = talk(qemu, "b64read 0x%" PRIx64 " 0x%zx\n",
                          addr + done, part);

        ck_assert_ptr_nonnull(text);
        g_autofree guchar *data = g_base64_decode(text, &got);
        ck_assert_uint_eq(got, part);
        memcpy((char *)buf + done, data, part);
        g_free(text);
        done += part;
    }
}

void qemu_write(Qemu *qemu, uint64_t addr, const void *buf, size_t len)
{
    for (size_t done = 0; done < len; ) {
        size_t part = MIN(len - done, CHUNK_BYTES);
        g_autofree char *text =
            g_base64_encode((const guchar *)buf + done, part);

        fine(talk(qemu, "b64write 0x%" PRIx64 " 0x%zx %s\n", addr + done,
                  part, text));
        done += part;
    }
}

void qemu_step(Qemu *qemu, int64_t ns)
{
    if (ns > 0) {
        qemu->now = number(talk(qemu, "clock_step %" PRId64 "\n", ns));
    }
}

bool qemu_step_next(Qemu *qemu)
{
    char *answer = talk(qemu, "clock_step\n");

    if (answer) {
        qemu->now = number(answer);
    }
    return answer;
}

int64_t qemu_now(const Qemu *qemu)
{
    return qemu->now;
}

#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA 0xcfc

static void config_address(Qemu *qemu, unsigned devfn, unsigned offset)
{
    uint32_t address = 0x80000000u | devfn << 8 | (offset & ~3u);

    if (address != qemu->config) {
        qemu_out(qemu, CONFIG_ADDRESS, address, 4);
        qemu->config = address;
    }
}

uint32_t qemu_config_in(Qemu *qemu, unsigned devfn, unsigned offset,
                        unsigned size)
{
    config_address(qemu, devfn, offset);
    return qemu_in(qemu, CONFIG_DATA + (offset & 3), size);
}

void qemu_config_out(Qemu *qemu, unsigned devfn, unsigned offset,
                     uint32_t value, unsigned size)
{
    config_address(qemu, devfn, offset);
    qemu_out(qemu, CONFIG_DATA + (offset & 3), value, size);
}

/* QMP */

static char *qmp_talk(Qemu *qemu, const char *format, va_list args)
{
    g_autofree char *text = g_strdup_vprintf(format, args);

    write_all(qemu, &qemu->qmp, text, strlen(text));
    write_all(qemu, &qemu->qmp, "\n", 1);
    for (;;) {
        char *line = read_line(qemu, &qemu->qmp);

        if (!strstr(line, "\"event\":")) {
            return line;
        }
        g_string_append(qemu->events, line);
        g_string_append_c(qemu->events, '\n');
        g_free(line);
    }
}

char *qemu_qmp(Qemu *qemu, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    char *answer = qmp_talk(qemu, format, args);
    va_end(args);
    return answer;
}

void qemu_qmp_ok(Qemu *qemu, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_autofree char *answer = qmp_talk(qemu, format, args);
    va_end(args);
    ck_assert_msg(g_str_has_prefix(answer, "{\"return\""), "QMP: %s", answer);
}

static unsigned count_events(const Qemu *qemu, const char *name)
{
    g_autofree char *mark = g_strdup_printf("\"event\": \"%s\"", name);
    unsigned count = 0;

    for (const char *at = qemu->events->str; (at = strstr(at, mark)); at++) {
        count++;
    }
    return count;
}

unsigned qemu_events(Qemu *qemu, const char *name)
{
    /* Events come in front of the answer to whatever was asked. */
    qemu_qmp_ok(qemu, "{'execute': 'query-status'}");
    return count_events(qemu, name);
}

void qemu_reset(Qemu *qemu)
{
    unsigned before = qemu_events(qemu, "RESET");

    qemu_qmp_ok(qemu, "{'execute': 'system_reset'}");
    while (qemu_events(qemu, "RESET") == before) {
        g_usleep(200);
    }
    qemu->config = 0;
}

char *qemu_hmp(Qemu *qemu, const char *command)
{
    g_autofree char *answer = qemu_qmp(qemu,
        "{'execute': 'human-monitor-command', "
        "'arguments': {'command-line': '%s'}}", command);
    const char *text = strstr(answer, "\"return\": \"");

    ck_assert_msg(text, "HMP: %s", answer);
    char *plain = g_strcompress(text + strlen("\"return\": \""));

    if (strlen(plain) >= 2) {
        plain[strlen(plain) - 2] = '\0';
    }
    return plain;
}
