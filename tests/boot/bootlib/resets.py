# SPDX-License-Identifier: GPL-2.0-or-later
"""Loading again and again, resets under load, reboots in mid-I/O.

The guest must come back by itself, what was acknowledged must be there, and
no command from before a reset may write after it.  The last is judged twice:
the members' bytes right after the reset equal those at the end of a boot
that only read, and the card's own trace shows no write of a drive between a
reset and the first write command after it.
"""

import hashlib
import re

from . import qmp
from .case import SMALL, SMALL_SECTORS, job
from .layout import DATA_OFFSET, RESERVED, SECTOR, Unit

BLOCK = 64 << 10
EVENTS = ["tw_command", "tw_completion", "tw_drive_op", "tw_reset",
          "tw_aen", "tw_refusal"]

RELOAD = """\
dev=$(unit 0)
dd if=/dev/urandom of=/tmp/pattern bs=64k count=4 2>/dev/null
dd if=/tmp/pattern of=$dev bs=64k oflag=direct 2>/dev/null
i=1
while [ $i -le 20 ]; do
    modprobe -r 3w-xxxx         # tries its dependencies too, and says no
    [ ! -d /sys/module/3w_xxxx ] || { echo "no unload $i"; exit 1; }
    [ $(units) = 0 ] || { echo "still $(units) units"; exit 1; }
    modprobe 3w-xxxx || { echo "no load $i"; exit 1; }
    wait_units 1 || exit 1
    dd if=$(unit 0) bs=64k count=4 iflag=direct 2>/dev/null |
        cmp - /tmp/pattern || { echo "other bytes $i"; exit 1; }
    i=$((i + 1))
done
echo reloaded
"""


@job("reload", where="edge", order=30)
def reload(ctx):
    one = ctx.run("reload", script=RELOAD, drives=f"4x{SMALL}",
                  units=["raid5:0-3:64k"])
    ctx.check("20 times", "reloaded" in one.out, one.last_words())
    found = len(re.findall("Found a 3ware Storage Controller", one.log))
    ctx.check("driver attached 21 times", found == 21, found)


HOST_RESET = """\
dev=$(unit 0)
fio --name=v --filename=$dev --rw=randwrite --bsrange=4k-64k --iodepth=8 \\
    --direct=1 --ioengine=libaio --size=100% --verify=crc32c --loops=2 \\
    --verify_fatal=1 --thread=1 --output=/tmp/fio.out > /tmp/fio.err 2>&1 &
job=$!
i=1
while [ $i -le 10 ]; do
    usleep 700000
    kill -0 $job 2>/dev/null || { echo "fio ended before reset $i"; break; }
    sg_reset --host $dev || echo "sg_reset failed"
    i=$((i + 1))
done
echo "resets $((i - 1))"
wait $job
status=$?
[ $status = 0 ] || cat /tmp/fio.err /tmp/fio.out
echo "fio $status"
exit $status
"""


def is_data(sector):
    return DATA_OFFSET <= sector < SMALL_SECTORS - (RESERVED - DATA_OFFSET)


def no_stale_writes(ctx, name, trace):
    """No drive writes between a reset and the next write command."""
    writes_open = True
    resets = stale = 0
    for record in trace:
        if record.event == "tw_reset":
            writes_open = False
            reset_at = record.at        # what is half done ends in the reset
            resets += 1
        elif record.event == "tw_command" and record.values["opcode"] == 3:
            writes_open = True
        elif record.event == "tw_drive_op" and not writes_open \
                and record.word == "write" and record.at > reset_at \
                and is_data(record.values["sector"]):
            stale += 1
            first = record.line
    ctx.check(f"{name}: resets are in the trace", resets > 0)
    ctx.check(f"{name}: no write after a reset by an older command",
              not stale, f"{stale} of them" + (f", {first}" if stale else ""))
    return resets


def expected_reset_lines(one):
    """Bad lines but the one with which the driver begins a reset."""
    return [line for line in one.bad_lines() if not re.search(
        r"WARNING: Command \(0x0\) timed out, resetting card", line)]


# Two processors: from Linux 6.1 on a machine with one completes a request at
# once, in the middle of whoever ends it, and 3w-xxxx ends the commands of a
# reset with the host's lock held, which the completion wants too.  A real
# machine with one processor stands still there as well.
TWO_CPUS = ["--qemu-arg", "-smp", "--qemu-arg", "2"]


@job("host-reset", where="edge", order=30)
def host_reset(ctx):
    one = ctx.run("reset", script=HOST_RESET, drives=f"4x{SMALL}",
                  units=["raid5:0-3:64k"], images="images", trace=EVENTS,
                  clean=False, more=TWO_CPUS)
    ctx.check("ten resets under load", one.value("resets") == "10",
              one.last_words())
    ctx.check("verify is clean", one.value("fio") == "0", one.last_words())
    bad = expected_reset_lines(one)
    ctx.check("kernel log", not bad, " | ".join(bad[:3]))
    resets = no_stale_writes(ctx, "host reset", one.trace)
    ctx.check("the card saw ten more resets", resets >= 11, resets)
    parity_holds(ctx, "images")


# Numbered blocks, one after the other, each told of when it is written; a
# crowd of other writes keeps the card busy meanwhile.
WRITER = """\
dev=$(unit 0)
blocks=80
if [ "$BOOT" = 1 ]; then
    fio --name=crowd --filename=$dev --rw=randwrite --bsrange=4k-64k \\
        --iodepth=16 --direct=1 --ioengine=libaio --offset=32m \\
        --time_based=1 --runtime=600 --thread=1 > /dev/null 2>&1 &
    i=0
    while [ $i -lt $blocks ]; do
        yes "block $i" | head -c 65536 > /tmp/block
        dd if=/tmp/block of=$dev bs=64k seek=$i oflag=direct conv=notrunc \\
            2>/dev/null || { echo "write $i failed"; exit 1; }
        echo "acked $i"
        i=$((i + 1))
        [ "$i" = "${REBOOT_AT:-none}" ] && { echo going; reboot -f; sleep 99; }
    done
    sleep 600
    exit 1
fi
i=0
while [ $i -lt $blocks ]; do
    yes "block $i" | head -c 65536 > /tmp/block
    dd if=$dev bs=64k skip=$i count=1 iflag=direct 2>/dev/null |
        cmp -s - /tmp/block || break
    i=$((i + 1))
done
echo "found $i"
"""


def parity_holds(ctx, folder, level="raid5", members=4, stripe=128):
    """Every member of the unit can be left out: all rows are consistent."""
    unit = Unit(level, members, SMALL_SECTORS, stripe)
    files = [open(ctx.path(folder, f"c0p{p}.raw"), "rb")
             for p in range(members)]
    sums = {missing: digest(unit.join(files, missing))
            for missing in [None, *range(members)]}
    ctx.check("every row is consistent", len(set(sums.values())) == 1, sums)


def digest(chunks):
    total = hashlib.md5()
    for chunk in chunks:
        total.update(chunk)
    return total.hexdigest()


def members(ctx, count=4):
    sums = []
    for port in range(count):
        with open(ctx.path("images", f"c0p{port}.raw"), "rb") as file:
            file.seek(DATA_OFFSET * SECTOR)
            sums.append(digest([file.read((SMALL_SECTORS - RESERVED) *
                                          SECTOR)]))
    return sums


def acknowledged(ctx, one):
    acked = [int(n) for n in re.findall(r"^acked (\d+)$", one.out, re.M)]
    found = one.value("found")
    ctx.check("blocks were written", len(acked) > 10, len(acked))
    ctx.check("the guest came back", found is not None, one.last_words())
    ctx.check("every acknowledged block is there",
              int(found or 0) > max(acked, default=0),
              f"{found} of {len(acked)}")
    unit = Unit("raid5", 4, SMALL_SECTORS, 128)
    files = [open(ctx.path("images", f"c0p{p}.raw"), "rb") for p in range(4)]
    data = b"".join(unit.join(files))
    for number in acked:
        word = f"block {number}\n".encode()
        want = (word * (BLOCK // len(word) + 1))[:BLOCK]
        if data[number * BLOCK:(number + 1) * BLOCK] != want:
            ctx.check("acknowledged blocks on the members", False, number)
            break
    assert len(data) == unit.sectors * SECTOR


@job("reboot", where="edge", order=30)
def reboot(ctx):
    one = ctx.run("reboot", script="REBOOT_AT=30\n" + WRITER,
                  drives=f"4x{SMALL}", units=["raid5:0-3:64k"],
                  images="images", trace=EVENTS, reboots=1)
    acknowledged(ctx, one)
    parity_holds(ctx, "images")
    no_stale_writes(ctx, "reboot", one.trace)


@job("system-reset", where="edge", order=30)
def system_reset(ctx):
    one = ctx.start("reset", script=WRITER, drives=f"4x{SMALL}",
                    units=["raid5:0-3:64k"], images="images", trace=EVENTS,
                    reboots=1, qmp=True)
    one.wait_for("acked 25")
    qemu = qmp.Qmp(ctx.dir, "reset.qmp")
    qemu.ask("stop")
    qemu.ask("system_reset")
    right_after = members(ctx)
    qemu.ask("cont")
    one.wait()
    qemu.close()
    ctx.finished(one)
    ctx.check("nothing was written after the reset",
              members(ctx) == right_after)
    acknowledged(ctx, one)
    parity_holds(ctx, "images")
    no_stale_writes(ctx, "system_reset", one.trace)
