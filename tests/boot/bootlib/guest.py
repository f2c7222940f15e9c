# SPDX-License-Identifier: GPL-2.0-or-later
"""One scripts/guest that runs, and what became of it.

Everything it reads or writes lies in the job's directory under the guest's
name: NAME.sh (what runs inside), NAME.out, NAME.err, NAME.log (the kernel's
log), NAME.trace.  The tool is called as a user would call it.
"""

import os
import re
import subprocess
import time

from . import log

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__),
                                     "..", "..", ".."))
LIB = os.path.join(TREE, "tests", "boot", "guest-lib.sh")
PATIENCE = float(os.environ.get("BOOT_PATIENCE", "300"))


def kernel_options(kernel):
    """--kernel and --arch of a name like 6.1 or 6.1-686."""
    name, _, arch = kernel.partition("-")
    return ["--kernel", name] + (["--arch", arch] if arch else [])


class Guest:
    """A started guest.  Options, all by keyword:

    script      shell text to run inside, after guest-lib.sh
    board, drives, units (list), images, withhold (list), card=False
    cards       list of dicts of board, drives, units instead
    disks       images attached read-only; output: one attached writable
    files       put into the guest
    memory, kernel, reboots, clock, timeout, trace, qmp (True), more (list)
    """

    def __init__(self, directory, name, options):
        self.dir, self.name = directory, name
        self.options = options
        self.status, self.cpu = None, 0
        self.started = time.monotonic()
        args = self._arguments()
        with open(self.file("cmd"), "w", encoding="utf-8") as file:
            file.write(" ".join(args) + "\n")
        self._process = subprocess.Popen(
            args, cwd=directory, stdin=subprocess.DEVNULL,
            stdout=open(self.file("out"), "wb"),
            stderr=open(self.file("err"), "wb"))

    def file(self, kind):
        return os.path.join(self.dir, f"{self.name}.{kind}")

    def _arguments(self):
        get = self.options.get
        args = [os.path.join(TREE, "scripts", "guest"),
                *kernel_options(get("kernel")),
                "--timeout", str(get("timeout", PATIENCE)),
                "--log", self.file("log")]
        if get("card", True):
            for card in get("cards") or [self.options]:
                args += ["--board", card.get("board", "3ware-7410"),
                         "--drives", card["drives"]]
                for unit in card.get("units", []):
                    args += ["--unit", unit]
                for port in card.get("withhold", []):
                    args += ["--withhold", str(port)]
        else:
            args += ["--no-card"]
        for key in ("images", "memory", "clock", "reboots"):
            if get(key) is not None:
                args += [f"--{key}", str(get(key))]
        for path in get("disks", []):
            args += ["--disk", path]
        for path in get("files", []):
            args += ["--put", path]
        if get("output"):
            args += ["--qemu-arg", "-drive", "--qemu-arg",
                     f"if=none,id=out,format=raw,cache=unsafe,"
                     f"file={get('output')}", "--qemu-arg", "-device",
                     "--qemu-arg", "virtio-blk-pci,drive=out"]
        if get("trace"):
            args += ["--qemu-arg", "-D", "--qemu-arg", self.file("trace")]
            for event in get("trace"):
                args += ["--qemu-arg", "-trace", "--qemu-arg",
                         f"enable={event}"]
        if get("qmp"):
            args += ["--qmp", f"{self.name}.qmp"]
        with open(self.file("sh"), "w", encoding="utf-8") as file:
            with open(LIB, encoding="utf-8") as lib:
                file.write(lib.read())
            file.write(get("script"))
        return args + list(get("more", [])) + ["--script", self.file("sh")]

    # -- while it runs

    def _ended(self):
        """Whether it has ended; takes its status and its CPU time."""
        if self.status is None:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if not pid:
                return False
            self.status = os.waitstatus_to_exitcode(status)
            self._process.returncode = self.status
            self.cpu = usage.ru_utime + usage.ru_stime
        return True

    def wait_for(self, text, patience=PATIENCE):
        """Until its output has a line that begins with text; gives it."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            ended = self._ended()
            for line in self.out.splitlines(keepends=True):
                if line.startswith(text) and line.endswith("\n"):
                    return line.rstrip("\n")
            if ended:
                break
            time.sleep(0.02)
        raise TimeoutError(f"{self.name}: no line '{text}' in its output: "
                           + self.last_words())

    def wait(self):
        end = self.started + self.options.get("timeout", PATIENCE) + 60
        while not self._ended():
            if time.monotonic() > end:
                self.kill()
                break
            time.sleep(0.02)
        return self.status

    def kill(self):
        for signal in ("terminate", "kill"):
            end = time.monotonic() + 10
            if not self._ended():
                getattr(self._process, signal)()
            while not self._ended() and time.monotonic() < end:
                time.sleep(0.02)

    def busy(self):
        """CPU seconds QEMU has used so far."""
        place = f"/proc/{self._process.pid}/task/{self._process.pid}/children"
        total = 0
        with open(place, encoding="ascii") as children:
            for pid in children.read().split():
                with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    # -- what it left

    def _text(self, kind):
        try:
            with open(self.file(kind), encoding="utf-8",
                      errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    @property
    def out(self):
        return self._text("out")

    @property
    def log(self):
        return self._text("log")

    @property
    def trace(self):
        return log.read_trace(self.file("trace"))

    def value(self, key):
        """The rest of the output line 'key ...', or None."""
        found = re.search(rf"^{re.escape(key)} (.*)$", self.out, re.M)
        return found.group(1) if found else None

    def bad_lines(self):
        return log.bad_lines(self.log)

    def last_words(self):
        lines = (self._text("err") + self.out).strip().splitlines()
        return " | ".join(lines[-3:])[:400]
