# SPDX-License-Identifier: GPL-2.0-or-later
"""The same command gives the same figures: three times alone, three at once.

Guest output (fio's JSON), the kernel log with its microseconds and the
card's whole trace are compared byte for byte.  And waiting for drives costs
next to nothing outside.
"""

import re

from .case import SMALL, job

SCRIPT = """\
for id in 0 2 4; do
    fio --name=unit$id --filename=$(unit $id) --rw=randrw --rwmixread=60 \\
        --bssplit=4k/40:8k/30:64k/30 --iodepth=8 --direct=1 --thread=1 \\
        --ioengine=libaio --number_ios=250 --randrepeat=1 \\
        --output-format=json || exit 1
done
dmesg
cat /proc/interrupts
"""

LEVELS = ["raid0:0-1:64k", "raid1:2-3", "raid5:4-7:64k"]


def three(ctx, name):
    """Start three of the same."""
    return [ctx.start(f"{name}{i}", script=SCRIPT, board="3ware-8506-8",
                      drives="8xwd1200jb", units=LEVELS, trace=["tw_*"])
            for i in range(3)]


def content(one, kind):
    with open(one.file(kind), "rb") as file:
        return file.read()


@job("same-figures", order=80)
def same_figures(ctx):
    alone = []
    for i in range(3):
        alone.append(ctx.run(f"alone{i}", script=SCRIPT,
                             board="3ware-8506-8", drives="8xwd1200jb",
                             units=LEVELS, trace=["tw_*"]))
    crowd = three(ctx, "crowd")
    for one in crowd:
        one.wait()
        ctx.finished(one)
    for kind, what in (("out", "output"), ("log", "kernel log"),
                       ("trace", "trace")):
        first = content(alone[0], kind)
        ctx.check(f"{what}: there is one", len(first) > 1000, len(first))
        for one in alone[1:] + crowd:
            other = content(one, kind)
            ctx.check(f"{one.name}: same {what}", other == first,
                      difference(first, other))


def difference(first, other):
    pairs = zip(first.splitlines(), other.splitlines())
    for number, (a, b) in enumerate(pairs, 1):
        if a != b:
            return f"line {number}: {a[:90]!r}, {b[:90]!r}"
    return f"{len(first)} bytes, {len(other)} bytes"


WAIT = """\
echo "start $(cut -d' ' -f1 /proc/uptime)"
dd if=$(unit 0) of=/dev/null bs=4k count=10400 iflag=direct 2>&1
echo "end $(cut -d' ' -f1 /proc/uptime)"
sleep 5
"""


@job("idle-time", order=20)
def idle_time(ctx):
    """Printed, not judged: what a minute of waiting for drives costs outside.

    dd waits a turn for each read, as these drives do not read ahead, and does
    nothing else; fio's first process wakes 100 times a second by itself."""
    import time
    one = ctx.start("wait", script=WAIT, drives=f"4x{SMALL}",
                    units=["raid5:0-3:64k"])
    one.wait_for("start")
    begin, busy = time.monotonic(), one.busy()
    one.wait_for("end")
    wall, busy = time.monotonic() - begin, one.busy() - busy
    one.wait()
    ctx.finished(one)
    inside = (float(re.search(r"^end (\S+)", one.out, re.M).group(1))
              - float(re.search(r"^start (\S+)", one.out, re.M).group(1)))
    ctx.check("a minute passed inside", 59 < inside < 70, inside)
    ctx.note(f"{inside:.1f} s of guest time took {wall:.1f} s outside, "
             f"{busy:.1f} s of them CPU")
