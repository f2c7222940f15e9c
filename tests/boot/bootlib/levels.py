# SPDX-License-Identifier: GPL-2.0-or-later
"""Every level and stripe unit: what was written is there, whoever looks.

One guest with a 12-port card holds several units at once.  fio writes all of
each unit in random order and mixed sizes and verifies; then every unit is
copied out through the card.  The same bytes must come

  - from the member images by the independent reading in layout.py, with
    each member of a redundant unit left out in turn;
  - from device-mapper in a guest that has the images and no card, again
    with each member left out;
  - through the card with each member withheld.
"""

import hashlib
import os

from .case import SMALL, SMALL_SECTORS, job
from .layout import SECTOR, Unit

MIB = 1 << 20

# Two cards' worth of units: level and ports.  A set for every stripe unit.
SETS = {
    "plain": [("raid0", (0, 1)), ("raid0", (2, 3, 4)),
              ("raid0", (5, 6, 7, 8)), ("raid1", (9, 10)), ("single", (11,))],
    "parity": [("raid10", (0, 1, 2, 3)), ("raid5", (4, 5, 6)),
               ("raid5", (7, 8, 9, 10)), ("jbod", (11,))],
}
STRIPED = ("raid0", "raid10", "raid5")
STRIPES = {"64k": 128, "256k": 512, "1m": 2048}

FIO = """\
[global]
ioengine=libaio
direct=1
iodepth=8
thread=1
rw=randwrite
bssplit=512/8:1k/6:2k/6:4k/14:8k/14:16k/14:32k/12:64k/12:128k/14
verify=crc32c
do_verify=1
verify_fatal=1
"""


class Placed:
    """A unit of a set: its model, its ports, its name in checks."""

    def __init__(self, level, ports, stripe):
        sectors = STRIPES[stripe] if level in STRIPED else 0
        self.unit = Unit(level, len(ports), SMALL_SECTORS, sectors)
        self.level, self.ports = level, ports
        self.name = f"{level}x{len(ports)}"
        self.spec = f"{level}:{ports[0]}"
        if len(ports) > 1:
            self.spec += f"-{ports[-1]}"
        if sectors:
            self.spec += f":{stripe}"
        self.at_mib = 0

    @property
    def mib(self):
        return -(-self.unit.sectors * SECTOR // MIB)


def placed(which, stripe):
    units = [Placed(level, ports, stripe) for level, ports in SETS[which]
             if stripe == "64k" or level in STRIPED]
    at = 0
    for one in units:
        one.at_mib = at
        at += one.mib
    return units, at


def same(chunks, path, at):
    """Where the chunks differ from path's bytes at `at`; None: nowhere."""
    with open(path, "rb") as file:
        file.seek(at)
        done = 0
        for chunk in chunks:
            other = file.read(len(chunk))
            if other != chunk:
                pairs = zip(chunk, other.ljust(len(chunk), b"\0"))
                byte = next(i for i, (a, b) in enumerate(pairs) if a != b)
                return f"differs at sector {(done + byte) // SECTOR}"
            done += len(chunk)
    return None


def pieces(path, at, size):
    with open(path, "rb") as file:
        file.seek(at)
        while size > 0:
            piece = file.read(min(size, MIB))
            if not piece:
                return
            size -= len(piece)
            yield piece


def images(ctx, one, folder="images"):
    return [open(ctx.path(folder, f"c0p{port}.raw"), "rb")
            for port in one.ports]


def fingerprint(ctx, ports, folder="images"):
    out = []
    for port in ports:
        with open(ctx.path(folder, f"c0p{port}.raw"), "rb") as file:
            out.append(hashlib.md5(file.read()).hexdigest())
    return out


def unit_id(one, missing=None):
    """The lowest port whose drive is there."""
    return min(p for k, p in enumerate(one.ports) if k != missing)


def sizes_script(units, missing=None):
    return "".join(f"size=$(sectors $(unit {unit_id(u, missing)}))\n"
                   f"[ \"$size\" = {u.unit.sectors} ] || echo \"bad-size "
                   f"{u.name} $size not {u.unit.sectors}\"\n" for u in units)


def copy_script(units, missing=None):
    """Copy every unit out to the writable disk."""
    return ("modprobe virtio_pci; modprobe virtio_blk\n"
            + "".join(f"copy_out $(unit {unit_id(u, missing)}) /dev/vda "
                      f"{u.at_mib} || echo bad-copy {u.name}\n"
                      for u in units))


def blank(path, mib):
    with open(path, "wb") as file:
        file.truncate(mib * MIB)
    return path


def write_phase(ctx, units, total):
    """fio writes and verifies every unit; the copies land in card.raw."""
    jobs = FIO + "".join(
        f"[{u.name}]\nfilename=UNIT{u.ports[0]}\nrandseed={100 + u.ports[0]}\n"
        for u in units)
    with open(ctx.path("verify.fio"), "w", encoding="ascii") as file:
        file.write(jobs)
    script = ("cp /put/verify.fio /tmp/verify.fio\n"
              + "".join(f"sed -i s#UNIT{u.ports[0]}'$'#$(unit {u.ports[0]})# "
                        "/tmp/verify.fio\n" for u in units)
              + sizes_script(units)
              + "run_fio /tmp/verify.fio && echo verified\n"
              + copy_script(units) + "echo done\n")
    card = blank(ctx.path("card.raw"), total)
    one = ctx.run("write", script=script, board="3ware-8506-12",
                  drives=f"{1 + units[-1].ports[-1]}x{SMALL}",
                  units=[u.spec for u in units], images="images",
                  files=[ctx.path("verify.fio")], output=card)
    ctx.check("fio writes and verifies", "verified\ndone" in one.out,
              one.last_words())
    ctx.check("sizes", "bad-size" not in one.out, one.last_words())
    return card


def host_phase(ctx, units, card):
    """The images by our own reading of the layout, any one left out."""
    for one in units:
        files = images(ctx, one)
        every = range(len(one.ports)) if one.unit.redundant else []
        for missing in [None, *every]:
            why = same(one.unit.join(files, missing), card, one.at_mib * MIB)
            ctx.check(f"{one.name}: images, member {missing} left out",
                      why is None, why)
        for file in files:
            file.close()
        size = one.unit.sectors * SECTOR
        zeros = sum(piece.count(0) for piece in
                    pieces(card, one.at_mib * MIB, size))
        ctx.check(f"{one.name}: was written all over", zeros < size // 2,
                  f"{zeros} of {size} bytes are zero")


ORACLE = """\
# oracle NAME MIB TABLE PART...: set the targets up and copy the unit out
oracle()
{
    name=$1 mib=$2 table=$3 i=0
    shift 3
    for part; do
        if [ -n "$part" ]; then
            echo "$part" | dmsetup create -r part$i || echo "bad-table $name"
            table=$(echo "$table" | sed "s#@$i\\b#/dev/mapper/part$i#")
        fi
        i=$((i + 1))
    done
    echo "$table" | dmsetup create -r whole || echo "bad-table $name"
    copy_out /dev/mapper/whole $OUT $mib || echo "bad-copy $name"
    dmsetup remove whole
    i=0
    for part; do
        [ -z "$part" ] || dmsetup remove part$i
        i=$((i + 1))
    done
}
export DM_DISABLE_UDEV=1
mkdir -p /dev/mapper
for module in crc32c_generic dm-mod dm-mirror dm-raid raid1 raid456; do
    modprobe $module
done
"""


def disk_name(number):
    """vda ... vdz, vdaa ..."""
    if number < 26:
        return "vd" + chr(97 + number)
    return "vd" + chr(96 + number // 26) + chr(97 + number % 26)


def oracle_script(units, numbers, out):
    """The script, and [(unit, missing, MiB in the output)]."""
    lines, order, at = [f"OUT=/dev/{out}\n", ORACLE], [], 0
    for one in units:
        devices = ["/dev/" + disk_name(numbers[p]) for p in one.ports]
        every = range(len(one.ports)) if one.unit.redundant else []
        for missing in [None, *every]:
            table = one.unit.table(devices, missing)
            words = " ".join(f'"{line or ""}"' for line in table)
            lines.append(f"oracle {one.name}-{missing} {at} {words}\n")
            order.append((one, missing, at))
            at += one.mib
    return "".join(lines) + "echo done\n", order, at


def oracle_phase(ctx, units, folder, card, name="oracle"):
    """device-mapper over the images; no card in that guest."""
    ports = [p for one in units for p in one.ports]
    disks = [ctx.path(folder, f"c0p{port}.raw") for port in ports]
    numbers = {port: i for i, port in enumerate(ports)}
    script, order, total = oracle_script(units, numbers,
                                         disk_name(len(disks)))
    out = blank(ctx.path("oracle.raw"), total)
    before = fingerprint(ctx, ports, folder)
    one = ctx.run(name, script=script, card=False, disks=disks,
                  output=out, memory="768M", clock="real")
    ctx.check("oracle: set up", "bad-" not in one.out
              and one.out.endswith("done\n"), one.last_words())
    for unit, missing, at in order:
        size = unit.unit.sectors * SECTOR
        why = same(pieces(card, unit.at_mib * MIB, size), out, at * MIB)
        ctx.check(f"{unit.name}: device-mapper, member {missing} left out",
                  why is None, why)
    ctx.check("oracle: images untouched",
              before == fingerprint(ctx, ports, folder))
    os.unlink(out)


def withhold_phase(ctx, units, total, card):
    """Through the card with the k-th member of every redundant unit gone."""
    units = [u for u in units if u.unit.redundant]
    ports = [p for u in units for p in u.ports]
    if not units:
        return
    before = fingerprint(ctx, ports)
    for k in range(max(len(u.ports) for u in units)):
        some = [u for u in units if k < len(u.ports)]
        out = blank(ctx.path(f"without{k}.raw"), total)
        one = ctx.run(f"without{k}", clock="real", clean=False,
                      script=sizes_script(some, k) + copy_script(some, k),
                      board="3ware-8506-12", images="images", output=out,
                      drives=f"{1 + units[-1].ports[-1]}x{SMALL}",
                      units=[u.spec for u in units],
                      withhold=[u.ports[k] for u in some])
        ctx.check(f"without{k}: sizes and copies", "bad-" not in one.out,
                  one.last_words())
        odd = [line for line in one.bad_lines()
               if "AEN: ERROR: Incomplete unit detected" not in line]
        ctx.check(f"without{k}: kernel log", not odd, " | ".join(odd[:3]))
        told = len(one.bad_lines()) - len(odd)
        ctx.check(f"without{k}: the driver is told of each unit",
                  told == len(some), f"{told}, not {len(some)}")
        for unit in some:
            size = unit.unit.sectors * SECTOR
            why = same(pieces(card, unit.at_mib * MIB, size), out,
                       unit.at_mib * MIB)
            ctx.check(f"{unit.name}: card, member {k} withheld",
                      why is None, why)
        os.unlink(out)
    ctx.check("withheld: images untouched", before == fingerprint(ctx, ports))


@job("levels-{which}-{stripe}", variants=[
    {"which": which, "stripe": stripe, "order": 90,
     "where": "edge" if (which, stripe) == ("parity", "64k") else "one"}
    for stripe in STRIPES for which in SETS])
def levels(ctx, which, stripe):
    units, total = placed(which, stripe)
    card = write_phase(ctx, units, total)
    host_phase(ctx, units, card)
    oracle_phase(ctx, units, "images", card)
    withhold_phase(ctx, units, total, card)


@job("oracle-itself", order=60)
def oracle_itself(ctx):
    """The oracle against images made here: it must not be the one to err."""
    import random
    for which in SETS:
        units, total = placed(which, "64k")
        folder = "by-hand-" + which
        os.makedirs(ctx.path(folder))
        card = blank(ctx.path("card.raw"), total)
        with open(card, "r+b") as file:
            for one in units:
                data = random.Random(one.ports[0]).randbytes(
                    one.unit.sectors * SECTOR)
                file.seek(one.at_mib * MIB)
                file.write(data)
                for port, image in zip(one.ports, one.unit.split(data)):
                    with open(ctx.path(folder, f"c0p{port}.raw"),
                              "wb") as out:
                        out.write(image)
        oracle_phase(ctx, units, folder, card, "oracle-" + which)
