# SPDX-License-Identifier: GPL-2.0-or-later
"""Sectors go bad under a guest: one is mended unseen where there is
redundancy, and is the only one that fails where there is none.
"""

import re

from . import qmp
from .case import SMALL, job

# The RAID 5 is unit 0, the single drive unit 3; its LBA 40 is sector 1064.
WORK = """\
five=$(unit 0) single=$(unit 3)
one() { dd if=$1 of=/dev/null bs=512 skip=$2 count=1 iflag=direct 2> /dev/null; }
dd if=/dev/urandom of=$five bs=64k count=40 oflag=direct 2> /dev/null
dd if=$five bs=64k count=40 iflag=direct 2> /dev/null | md5sum > /tmp/before
echo ready
i=0
while one $single 40 && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done
for lba in 38 39 40 41 42; do one $single $lba; echo "lba $lba $?"; done
dd if=$five bs=64k count=40 iflag=direct 2> /dev/null | md5sum > /tmp/after
cmp -s /tmp/before /tmp/after; echo "same $?"
dd if=/dev/zero of=$single bs=512 seek=40 count=1 oflag=direct 2> /dev/null
one $single 40; echo "written $?"
i=0
while ! dmesg | grep -q 'AEN.*ECC' && [ $i -lt 20 ]; do sleep 1; i=$((i + 1)); done
"""


@job("bad-sector", where="edge", order=20)
def bad_sector(ctx):
    one = ctx.start("bad", script=WORK, drives=f"4x{SMALL}",
                    units=["raid5:0-2:64k", "single:3"], qmp=True,
                    trace=["tw_unit_state", "tw_aen", "tw_refusal"])
    one.wait_for("ready")
    qemu = qmp.Qmp(ctx.dir, "bad.qmp")

    def fault(rule):
        qemu.ask("qom-set", path="/machine/peripheral/c0", property="fault",
                 value=rule)

    fault("port 1 bad at 1100-1107")
    fault("port 3 bad at 1064")
    try:
        fault("port 3 rotten")
        refused = ""
    except qmp.QmpError as error:
        refused = str(error)
    one.wait()
    qemu.close()
    ctx.finished(one, clean=False)
    ctx.check("wrong words are refused in one line",
              '"rotten": one of bad, ' in refused and "\n" not in refused,
              refused)
    for lba in (38, 39, 41, 42):
        ctx.check(f"LBA {lba} of the single drive reads",
                  one.value(f"lba {lba}") == "0", one.last_words())
    ctx.check("LBA 40 does not", one.value("lba 40") == "1", one.last_words())
    ctx.check("written again it reads", one.value("written") == "0",
              one.last_words())
    ctx.check("the RAID 5 reads as before", one.value("same") == "0",
              one.last_words())
    ctx.check("the kernel logs the repair", re.search(
        r"3w-xxxx: scsi\d+: AEN: \w+: Sector repair.*#1", one.log),
        " | ".join(one.bad_lines())[:300])
    ctx.check("and the sector nobody can mend", re.search(
        r"3w-xxxx: scsi\d+: AEN: \w+: Drive ECC error.*#3", one.log),
        " | ".join(one.bad_lines())[:300])
    ctx.check("the kernel tells a medium error", re.search(
        r"Medium Error|critical medium error", one.log),
        " | ".join(one.bad_lines())[:300])
