# SPDX-License-Identifier: GPL-2.0-or-later
"""One run: the files it needs, QEMU's process, and how it ended.

QEMU writes the guest's console, output and state into files of a directory
of this run; they are read here as they grow.  Nothing here can change what
the guest sees: it does not wait for us.
"""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

from . import initramfs, machine, options
from .cache import GuestError, TREE, cpu_of_our_own, say

TIMEOUT, DIED = 124, 125
LOGMARK = "=== kernel log ==="

_REPORT = """\
dmesg | sed 's/^\\[ *\\([0-9.]*\\)\\] /\\1  /' |
    grep -iE '3w-|3ware| scsi |scsi host|sd [0-9]' | head -n 40
echo
lsscsi -s
"""

TRY = """
What to try next:
  scripts/guest -- fio --name=t --filename=/dev/sda --rw=randread --bs=8k \\
      --direct=1 --ioengine=libaio --number_ios=500
  scripts/guest --unit raid1:0-1 --unit single:2 -- lsscsi
  scripts/guest -- smartctl -i -H -A -d 3ware,0 /dev/twe0
  scripts/guest --withhold 1 -- 'dmesg | grep 3w-'
  scripts/guest --shell
  scripts/guest --help
"""


class Stopped(Exception):
    """A signal asked us to end."""


def _stop(signum, _frame):
    raise Stopped(signum)


def _die_with_us():
    """In QEMU's process, before it starts: it must not outlive us."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _work_dir():
    """A directory for this run, gone at its end; images may lie in it."""
    place = os.environ.get("TMPDIR")
    if not place and os.path.isdir(os.path.join(TREE, "build")):
        place = os.path.join(TREE, "build", "run")
        try:
            os.makedirs(place, exist_ok=True)
        except OSError:
            place = None
    return tempfile.mkdtemp(prefix="guest.", dir=place)


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


class Follower:
    """What a growing file has that was not seen before."""

    def __init__(self, path):
        self._path, self._file = path, None

    def more(self):
        if not self._file:
            try:
                self._file = open(self._path, "rb")
            except OSError:
                return b""
        return self._file.read()


def _config(opts):
    mode = "shell" if opts.shell else "script"
    size = ""
    if opts.shell:
        columns, rows = shutil.get_terminal_size()
        size = f"rows {rows} cols {columns}"
    values = {"DRIVERS": " ".join(machine.drivers(opts)),
              "EXPECT": str(machine.expected_disks(opts)), "MODE": mode,
              "SIZE": size, "LOGMARK": LOGMARK,
              "TERMINAL": os.environ.get("TERM", "") if opts.shell else ""}
    return "".join(f"{k}={shlex.quote(v)}\n" for k, v in values.items())


def _extra_files(opts):
    """{name: (bytes, mode)} that this run lays over the base archive."""
    files = {"run/guest.conf": (_config(opts).encode(), 0o644)}
    if opts.stdin is not None:
        files["run/script"] = (opts.stdin, 0o644)
    elif opts.script:
        files["run/script"] = (_read(opts.script), 0o644)
    elif opts.command:
        text = options.shell_text(opts.command) + "\n"
        files["run/script"] = (os.fsencode(text), 0o644)
    elif not opts.shell:
        files["run/script"] = (_REPORT.encode(), 0o644)
    for path in opts.put:
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        files["put/" + os.path.basename(path)] = (_read(path), mode)
    return files


class Run:
    """The running guest."""

    def __init__(self, opts, run):
        self.opts, self.run = opts, run
        self._output = Follower(os.path.join(run, "output"))
        self._console = Follower(os.path.join(run, "console"))
        self._tail = b""
        self._state = b""
        self._states = Follower(os.path.join(run, "state"))
        self._panic_seen = None
        self._cpu_lock = None
        self.problem = None                     # (status, line)

    def start(self, args):
        """Under the virtual clock QEMU's two threads only ever wait for each
        other: on one processor the hand-over costs a third less."""
        cpu = None
        if self.opts.clock == "virtual":
            cpu, self._cpu_lock = cpu_of_our_own()

        def before():
            _die_with_us()
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})

        with open(os.path.join(self.run, "stderr"), "wb") as errors:
            self.process = subprocess.Popen(
                args, stdin=None if self.opts.shell else subprocess.DEVNULL,
                stdout=None if self.opts.shell else subprocess.DEVNULL,
                stderr=errors, preexec_fn=before)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def _pass_on(self):
        """Hand over new output; look at what the guest tells of itself."""
        data = self._output.more()
        if data and not self.opts.shell:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        console = self._console.more()
        if console:
            if self.opts.verbose and not self.opts.shell:
                sys.stderr.buffer.write(console.replace(b"\r", b""))
                sys.stderr.buffer.flush()
            self._tail = (self._tail + console)[-65536:]
        self._state += self._states.more()

    @property
    def booted(self):
        return bool(self._state or self._tail)

    @property
    def status(self):
        """The command's exit status, or None as long as there is none."""
        at = self._state.rfind(b"X")
        if at < 0 or at + 1 >= len(self._state):
            return None
        return self._state[at + 1]

    def _look(self, started):
        now = time.monotonic()
        if b"Kernel panic" in self._tail:
            self._panic_seen = self._panic_seen or now
            if b"end Kernel panic" in self._tail or self._state.endswith(b"B")\
                    or now > self._panic_seen + 10:
                self.problem = (DIED, "the guest's kernel panicked")
        elif self._state.count(b"B") > self.opts.reboots + 1:
            self.problem = (DIED, "the guest rebooted more often than "
                            f"--reboots {self.opts.reboots} allows")
        elif self.opts.timeout and \
                now - started > self.opts.timeout:
            self.problem = (TIMEOUT, "no end after "
                            f"{self.opts.timeout:g} s of wall time, QEMU "
                            "was killed")

    def follow(self):
        """Until QEMU ends, or has to be ended."""
        started = time.monotonic()
        while self.process.poll() is None:
            self._pass_on()
            self._look(started)
            if self.problem:
                self.kill()
                break
            try:
                self.process.wait(0.02)
            except subprocess.TimeoutExpired:
                pass
        self._pass_on()

    def console_lines(self, count=15):
        """The last lines of the console, or those of a panic."""
        text = self._tail.decode("utf-8", "replace").replace("\r", "")
        lines = [line for line in text.splitlines() if line.strip()]
        for at, line in enumerate(lines):
            if "Kernel panic" in line:
                return lines[max(0, at - 2):at + 20]
        return lines[-count:]

    def end(self):
        """The tool's exit status, with a word where one is due."""
        errors = _read(os.path.join(self.run, "stderr"))
        if errors:
            sys.stderr.buffer.write(errors)
            sys.stderr.buffer.flush()
        code = self.process.returncode
        if not self.problem and self.status is not None:
            return self.status
        if not self.problem and not self.booted and code:
            return code if 0 < code < 124 else 1
        if b"Kernel panic" in self._tail and not self.problem:
            self.problem = (DIED, "the guest's kernel panicked")
        status, line = self.problem or (DIED, "")
        if not self.problem and code:
            line = f"QEMU died of signal {-code}" if code < 0 else \
                f"QEMU ended with status {code}"
        elif not self.problem and self.opts.reboots == 0:
            line = ("the guest rebooted or turned itself off before its "
                    "command ended (--reboots N lets it reboot)")
        elif not self.problem:
            line = "the guest turned itself off before its command ended"
        say(f"guest: {line}")
        if not self.opts.quiet:
            for text in self.console_lines():
                say(f"  | {text}")
        return status


def write_log(run, path):
    """The kernel log the guest printed at its end, or else its console."""
    console = _read(os.path.join(run, "console")).replace(b"\r", b"")
    mark = LOGMARK.encode() + b"\n"
    at = console.rfind(mark)
    log = console[at + len(mark):] if at >= 0 else console
    last = log.rfind(b"reboot: Power down")
    if at >= 0 and last >= 0:                   # comes after the log's dump
        log = log[:log.rfind(b"\n", 0, last) + 1]
    try:
        with open(path, "wb") as file:
            file.write(log)
    except OSError as err:
        raise GuestError(f"--log: {path} cannot be written: "
                         f"{err.strerror}") from None


def run(opts):
    """Do it all; gives the exit status."""
    where, base = initramfs.base_archive(opts.kernel, opts.arch)
    opts.stdin = None
    if opts.shell and not sys.stdin.isatty():   # what is piped in is a script
        opts.stdin, opts.shell = sys.stdin.buffer.read(), False
    if opts.shell and not opts.quiet:
        say("guest: `exit` leaves; Ctrl-A x kills QEMU; the clock is "
            + ("the host's (--clock virtual counts instructions)"
               if opts.clock == "real" else "virtual"))
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _stop)
    folder = _work_dir()
    terminal = None
    if opts.shell:
        terminal = termios.tcgetattr(sys.stdin)
    guest = Run(opts, folder)
    guest.process = None
    try:
        images = os.path.abspath(opts.images) if opts.images else folder
        made = machine.make_images(opts, images)
        initrd = os.path.join(folder, "initrd")
        initramfs.join_archive(initrd, base, _extra_files(opts))
        args = machine.command_line(opts, where, initrd, folder, images)
        if opts.verbose:
            say("guest: " + machine.show(args))
        guest.start(args)
        guest.follow()
        status = guest.end()
        if not guest.booted:                    # refused: leave no trace
            machine.remove(made)
        if opts.log:
            write_log(folder, opts.log)
        if not status and not (opts.command or opts.script or opts.shell
                               or opts.stdin is not None or opts.quiet):
            print(TRY, end="", flush=True)
        return status
    except Stopped as stop:
        return 128 + stop.args[0]
    except BrokenPipeError:
        sys.stdout = None
        return 141
    finally:
        if guest.process:
            guest.kill()
        if terminal:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, terminal)
        shutil.rmtree(folder, ignore_errors=True)


def main(argv):
    try:
        opts = options.parse(argv)
        if opts.help:
            print(options.HELP, end="")
            return 0
        return run(opts)
    except GuestError as err:
        say("guest: " + "".join(c if c.isprintable() else "?"
                                for c in str(err)))
        return err.status
    except OSError as err:                  # a full disk, more often than not
        name = f"{err.filename}: " if err.filename else ""
        say(f"guest: {name}{err.strerror or err}")
        return 1
