# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong input: one clear line, a status that is not 0, nothing touched.

Runs the table in bad-input.txt against QEMU, scripts/guest and raidsim.
"""

import fcntl
import os
import re
import shlex
import struct
import subprocess

from .case import SMALL, SMALL_SECTORS, TREE, job

TABLE = os.path.join(TREE, "tests", "boot", "bad-input.txt")
QEMU = os.path.join(TREE, "build", "bin", "qemu-system-x86_64")
TOOLS = {"guest": [os.path.join(TREE, "scripts", "guest")],
         "raidsim": [os.path.join(TREE, "build", "bin", "raidsim")],
         "qemu": [QEMU, "-nodefaults", "-display", "none", "-monitor", "none",
                  "-S", "-M", "pc", "-accel", "tcg", "-m", "64"]}
UGLY = re.compile(r"[Aa]ssert|[Uu]sage:|Traceback|core dumped|GLib|"
                  r"CRITICAL|Segmentation|AddressSanitizer")


def table():
    with open(TABLE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            tool, rest = line.strip().split(" | ", 1)
            say, args = rest.rsplit(" | ", 1)
            yield number, tool, say, args


def fixtures(ctx):
    size = SMALL_SECTORS * 512
    sizes = {f"good{i}": size for i in range(4)}
    sizes.update(other=2 * size, short=1 << 20, empty=0, ro=size,
                 locked=size)
    for folder in (".", "short", "locked"):
        os.makedirs(ctx.path(folder), exist_ok=True)
    for name in sizes:
        with open(ctx.path(name + ".raw"), "wb") as file:
            file.write(b"\xa5" * min(sizes[name], 4096))
            file.truncate(sizes[name])
    for folder in ("short", "locked"):
        for port in (0, 1):
            with open(ctx.path(folder, f"c0p{port}.raw"), "wb") as file:
                file.truncate(1 << 20 if folder == "short" and port
                              else size)
    with open(SMALL, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("lba=34000", "lba=68000") \
        .replace("cylinders=68", "cylinders=136") \
        .replace("0=0 33 ", "0=0 67 ").replace("1=34 67 ", "1=68 135 ")
    with open(ctx.path("big.drive"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(ctx.path("empty.drive"), "w", encoding="utf-8") as file:
        file.write("[drive]\n")


def hold(path):
    """Hold the lock with which QEMU keeps others from writing an image."""
    file = open(path, "rb")
    # struct flock: read lock on "nobody else may write" (byte 201)
    fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 201, 1, 0))
    return file


def drive_words(ctx, word):
    parts = word.split(":")[1:]
    port = parts[0]
    image = parts[1] if len(parts) > 1 else f"good{port}"
    model = parts[2] if len(parts) > 2 else "SMALL"
    node = f"n{port}{image}"
    read_only = ",read-only=on" if image == "ro" else ""
    return ["-blockdev", f"driver=raw,node-name={node}{read_only},"
            f"file.driver=file,file.filename={ctx.path(image + '.raw')}",
            "-device", f"3ware-drive,bus=c0.0,port={port},drive={node},"
            f"model={model}"]


def command(ctx, tool, text):
    words = []
    for word in shlex.split(text):
        words += drive_words(ctx, word) if word.startswith("drive:") \
            else [word]
    names = {"EMPTYPRESET": ctx.path("empty.drive"), "SMALL": SMALL,
             "BIG": ctx.path("big.drive"), "SHORTDIR": ctx.path("short"),
             "LOCKEDDIR": ctx.path("locked")}
    for name, path in names.items():
        words = [re.sub(rf"(?<![A-Z]){name}(?![A-Z])", path, w)
                 for w in words]
    return TOOLS[tool] + words


def state(ctx):
    """Bytes and times of everything that must not be touched."""
    paths = [ctx.path(f) for f in sorted(os.listdir(ctx.dir))
             if f.endswith(".raw")]
    paths += [ctx.path(d, f) for d in ("short", "locked")
              for f in sorted(os.listdir(ctx.path(d)))]
    out = {}
    for path in paths:
        with open(path, "rb") as file:
            out[path] = (hash(file.read()), os.stat(path).st_mtime_ns)
    return out


@job("bad-input", where="none", order=35)
def bad_input(ctx):
    fixtures(ctx)
    locks = [hold(ctx.path("locked.raw")),
             hold(ctx.path("locked", "c0p0.raw"))]
    before = state(ctx)
    for number, tool, say, text in table():
        name = f"line {number}, {tool} {text[:60]}"
        try:
            done = subprocess.run(
                command(ctx, tool, text), cwd=ctx.dir, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            ctx.check(name, False, "was accepted: no end after 60 s")
            continue
        lines = done.stderr.strip().splitlines()
        why = None
        if done.returncode <= 0:
            why = f"exit status {done.returncode}"
        elif len(lines) != 1:
            why = f"{len(lines)} lines: " + " / ".join(lines[:3])
        elif UGLY.search(done.stderr) or not re.search(say, lines[0]):
            why = f"says '{lines[0]}', not '{say}'"
        elif done.stdout:
            why = f"and yet output: {done.stdout[:60]}"
        elif len(lines[0]) > 400:
            why = f"a line of {len(lines[0])} characters"
        ctx.check(name, why is None, why)
        after = state(ctx)
        if after != before:
            changed = sorted(set(after.items()) ^ set(before.items()))
            ctx.check(f"line {number}: nothing touched", False,
                      os.path.basename(changed[0][0]))
            before = after
    ctx.check("nothing touched", state(ctx) == before)
    ctx.check("no images laid down", not os.path.exists(ctx.path("fresh")))
    for lock in locks:
        lock.close()
