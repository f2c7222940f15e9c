# SPDX-License-Identifier: GPL-2.0-or-later
"""A RAID's bad days: members leave, blank ones come, a spare takes over, a
bit turns, a drive stalls.  All ordered as a user would: by scripts/twcli,
device_del, a fault's rule.

The guest sees no more of it than the AENs in its kernel's log; it waits for
them at work, writing and verifying over and over (`until_aen`).
"""

import os
import re
import subprocess

from . import qmp
from .case import SMALL, SMALL_SECTORS, TREE, job
from .layout import SECTOR, Unit
from .resets import TWO_CPUS

TRACE = ["tw_drive_plug", "tw_unit_state", "tw_aen", "tw_aen_read",
         "tw_refusal", "tw_reset"]

# fio writes and verifies the first 3 MiB over and over; the 12 behind are
# random and stay: "same" tells whether they are what they were.
WORK = """\
dev=$(unit 0)
rest()
{
    dd if=$dev bs=1M skip=3 count=12 iflag=direct 2> /dev/null | md5sum
}
dd if=/dev/urandom of=$dev bs=1M seek=3 count=12 oflag=direct 2> /dev/null
before=$(rest)
pass()
{
    run_fio --name=v --filename=$dev --rw=randwrite --bsrange=4k-64k \\
        --iodepth=8 --direct=1 --ioengine=libaio --size=3m --verify=crc32c \\
        --verify_fatal=1 --thread=1 "$@"
}
# until_aen TEXT [COUNT]: work until the kernel has logged it so often
until_aen()
{
    passes=0
    until [ $(dmesg | grep -c "AEN.*$1") -ge ${2:-1} ]; do
        pass || { echo "fio failed"; exit 1; }
        usleep 300000
        passes=$((passes + 1))
        [ $passes -lt 300 ] || { echo "no AEN '$1'"; exit 1; }
    done
    echo "logged $1"
}
same() { [ "$(rest)" = "$before" ] && pass; echo "$1 $?"; }
echo working
"""


def twcli(ctx, one, *words):
    """tw_cli's words to the guest's card; what it printed."""
    done = subprocess.run(
        [os.path.join(TREE, "scripts", "twcli"), "--qmp", f"{one.name}.qmp",
         *words], cwd=ctx.dir, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, timeout=120)
    ctx.check(f"twcli {' '.join(words)}", done.returncode == 0,
              f"{done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Monitor:
    """A word by QMP, whose socket is then free for twcli."""

    def __init__(self, ctx, one):
        self._ctx, self._one = ctx, one

    def __enter__(self):
        self._qmp = qmp.Qmp(self._ctx.dir, f"{self._one.name}.qmp")
        return self._qmp

    def __exit__(self, *_):
        self._qmp.close()


def pull(ctx, one, port):
    with Monitor(ctx, one) as qemu:
        qemu.ask("device_del", id=f"c0p{port}")
        while qemu.wait_event("DEVICE_DELETED")["data"].get("device") \
                != f"c0p{port}":
            pass


def put_blank(ctx, one, port):
    """A blank drive into an empty port."""
    path = ctx.path(f"blank{port}.raw")
    with open(path, "wb") as file:
        file.truncate(SMALL_SECTORS * SECTOR)
    with Monitor(ctx, one) as qemu:
        qemu.ask("blockdev-add", driver="raw", node_name=f"blank{port}",
                 file={"driver": "file", "filename": path})
        qemu.ask("device_add", driver="3ware-drive", bus="c0.0", port=port,
                 drive=f"blank{port}", model=SMALL, id=f"c0p{port}",
                 serial=f"BLANK-{port}")


def fault(ctx, one, rule):
    with Monitor(ctx, one) as qemu:
        qemu.ask("qom-set", path="/machine/peripheral/c0", property="fault",
                 value=rule)


def unit_status(table, unit=0):
    """The status of a unit in the table of /c0 show."""
    found = re.search(rf"^u{unit} +\S+ +(\S+)", table, re.M)
    return found.group(1) if found else None


def aens(one):
    """What the kernel logged of the card's events, in order."""
    return re.findall(r"3w-xxxx: scsi\d+: AEN: \w+: (.+?)\.?\s*$", one.log,
                      re.M)


def in_order(ctx, one, *wanted):
    """The kernel logged these, and in this order."""
    said = aens(one)
    at = 0
    for text in wanted:
        while at < len(said) and not said[at].startswith(text):
            at += 1
        at += 1
    ctx.check("the kernel logs " + ", ".join(wanted), at <= len(said),
              " | ".join(said))


def nothing_else(ctx, one, *known):
    odd = [line for line in one.bad_lines() if "AEN:" not in line and
           not any(re.search(text, line) for text in known)]
    ctx.check("nothing else in the log", not odd, " | ".join(odd[:3]))


REBUILD = WORK + """\
until_aen "Unit degraded"
until_aen "Rebuild started"
until_aen "Rebuild complete"
same rebuilt
until_aen "Unit degraded" 2
same second
"""


@job("rebuild", where="edge", order=35)
def rebuild(ctx):
    one = ctx.start("rebuild", script=REBUILD, drives=f"4x{SMALL}",
                    units=["raid5:0-3:64k"], qmp=True, trace=TRACE)
    one.wait_for("working")
    pull(ctx, one, 1)
    table = twcli(ctx, one, "/c0", "show")
    ctx.check("twcli shows it DEGRADED", unit_status(table) == "DEGRADED",
              table)
    one.wait_for("logged Unit degraded")
    put_blank(ctx, one, 1)
    twcli(ctx, one, "/c0", "set", "rebuild=5")
    twcli(ctx, one, "/c0/u0", "start", "rebuild", "disk=1")
    table = twcli(ctx, one, "/c0", "show")
    ctx.check("then REBUILDING", unit_status(table) == "REBUILDING", table)
    twcli(ctx, one, "/c0", "set", "rebuild=1")
    one.wait_for("rebuilt")
    table = twcli(ctx, one, "/c0", "show")
    ctx.check("then OK", unit_status(table) == "OK", table)
    twcli(ctx, one, "/c0/p2", "remove", "quiet")
    table = twcli(ctx, one, "/c0", "show")
    ctx.check("a removed drive makes it DEGRADED again",
              unit_status(table) == "DEGRADED", table)
    one.wait()
    ctx.finished(one, clean=False)
    in_order(ctx, one, "Unit degraded: Unit #0", "Rebuild started: Unit #0",
             "Rebuild complete: Unit #0", "Unit degraded: Unit #0")
    ctx.check("rebuilt, the data is there", one.value("rebuilt") == "0",
              one.last_words())
    ctx.check("and without another drive too", one.value("second") == "0",
              one.last_words())
    nothing_else(ctx, one)


SPARE = WORK + """\
until_aen "Unit degraded"
until_aen "Rebuild complete"
same spared
until_aen "Unit degraded" 2
same without
"""


@job("spare", where="edge", order=30)
def spare(ctx):
    one = ctx.start("spare", script=SPARE, drives=f"4x{SMALL}",
                    units=["raid5:0-2:64k"], withhold=[3], qmp=True,
                    trace=TRACE)
    one.wait_for("working")
    put_blank(ctx, one, 3)
    twcli(ctx, one, "/c0", "add", "type=spare", "disk=3")
    twcli(ctx, one, "/c0", "set", "rebuild=1")
    table = twcli(ctx, one, "/c0", "show")
    ctx.check("twcli shows the spare", re.search(r"^u\d+ +SPARE +OK", table,
                                                 re.M), table)
    pull(ctx, one, 0)
    one.wait_for("spared")
    table = twcli(ctx, one, "/c0", "show")
    twcli(ctx, one, "/c0/p1", "remove", "quiet")
    one.wait()
    ctx.finished(one, clean=False)
    in_order(ctx, one, "Unit degraded: Unit #0", "Rebuild started: Unit #0",
             "Rebuild complete: Unit #0", "Unit degraded: Unit #0")
    ctx.check("unit 0 is OK again, the spare in it",
              unit_status(table) == "OK" and
              re.search(r"^p3 +OK +u0 ", table, re.M) and
              "SPARE" not in table, table)
    ctx.check("the data is there", one.value("spared") == "0",
              one.last_words())
    ctx.check("and without another drive too", one.value("without") == "0",
              one.last_words())
    nothing_else(ctx, one)


FLIP = WORK + """\
until_aen "Initialization complete"
echo initialised
until_aen "Verify failed"
until_aen "Initialization complete" 2
same mended
until_aen "Verify complete"
"""

# A bit of parity turns: the data stays what it was, and initialising mends it.
ROW = 60                                # 7.5 MiB from the unit's start


def parity_place():
    """The member that holds the row's parity, and a sector there."""
    unit = Unit("raid5", 3, SMALL_SECTORS, 128)
    return unit.row(ROW)[1], unit.offset + ROW * unit.chunk() + 5


@job("flipped-bit", where="edge", order=30)
def flipped_bit(ctx):
    port, sector = parity_place()
    one = ctx.start("flip", script=FLIP, drives=f"3x{SMALL}",
                    units=["raid5:0-2:64k"], qmp=True, trace=TRACE)
    one.wait_for("working")
    twcli(ctx, one, "/c0", "set", "verify=1")
    twcli(ctx, one, "/c0/u0", "start", "verify")
    one.wait_for("initialised")
    fault(ctx, one, f"port {port} flip at {sector}")
    twcli(ctx, one, "/c0/u0", "start", "verify")
    one.wait_for("mended")
    twcli(ctx, one, "/c0/u0", "start", "verify")
    one.wait()
    ctx.finished(one, clean=False)
    # a unit nobody ever initialised has that done before its first verify;
    # a row that does not agree has it done again
    in_order(ctx, one, "Verify error: Unit not previously initialized",
             "Initialization started", "Initialization complete",
             "Verify started", "Verify failed",
             "Initialization started", "Initialization complete",
             "Verify started", "Verify complete")
    ctx.check("the data is what it was", one.value("mended") == "0",
              one.last_words())
    nothing_else(ctx, one)


STALL = WORK + """\
i=0
until dmesg | grep -q "resetting card" || [ $i -ge 30 ]; do
    pass || { echo "fio failed"; exit 1; }
    i=$((i + 1))
done
same recovered
"""
TIMED_OUT = r"WARNING: Command \(0x\w+\) timed out, resetting card"


# Two processors: see host-reset.  A command of 3w-xxxx has 60 s.
@job("stall-{who}", where="edge", order=25, variants=[
    {"who": "card", "rule": "card stall 90s"},
    {"who": "drive", "rule": "port 1 slow 19s for 90s", "where": "one"}])
def stall(ctx, who, rule):
    one = ctx.start("stall", script=STALL, drives=f"3x{SMALL}",
                    units=["raid5:0-2:64k"], qmp=True, trace=TRACE,
                    more=TWO_CPUS)
    one.wait_for("working")
    fault(ctx, one, rule)
    one.wait()
    ctx.finished(one, clean=False)
    ctx.check("the driver timed out and reset the card",
              len(re.findall(TIMED_OUT, one.log)) == 1,
              " | ".join(one.bad_lines())[:300])
    ctx.check("the card saw it", [r.event for r in one.trace].count("tw_reset")
              == 3, one.last_words())
    ctx.check("I/O goes on and the data is there",
              one.value("recovered") == "0", one.last_words())
    nothing_else(ctx, one, TIMED_OUT)


FIRST_BOOT = """\
dd if=/dev/urandom of=$(unit 0) bs=1M count=8 oflag=direct 2> /dev/null
dd if=$(unit 0) bs=1M count=8 iflag=direct 2> /dev/null | md5sum
"""
NEXT_BOOT = """\
dd if=$(unit 0) bs=1M count=8 iflag=direct 2> /dev/null | md5sum
"""


# The first boot has its unit made; later ones are told of drives alone.
@job("found-again", where="one", order=20)
def found_again(ctx):
    first = ctx.run("first", script=FIRST_BOOT, drives=f"4x{SMALL}",
                    units=["raid5:0-3:64k"], images="images", trace=TRACE)
    for name, gone in (("next", []), ("less", [2])):
        again = ctx.run(name, script=NEXT_BOOT, drives=f"4x{SMALL}",
                        images="images", withhold=gone, trace=TRACE,
                        clean=not gone)
        ctx.check(f"{name}: the unit is there, and its data",
                  len(first.out.split()) >= 2 and first.out == again.out,
                  again.last_words())
