# SPDX-License-Identifier: GPL-2.0-or-later
"""A drive of a RAID 5 is pulled and put back while fio writes and verifies.

I/O goes on, the guest's kernel logs the card's own words, nothing crashes,
and what was written is there without the drive.
"""

import json
import re
import time

from . import qmp
from .case import SMALL, job

WORK = """\
dev=$(unit 0)
fio --name=v --filename=$dev --rw=randwrite --bsrange=4k-64k --iodepth=8 \\
    --direct=1 --ioengine=libaio --size=100% --verify=crc32c --loops=2 \\
    --verify_fatal=1 --thread=1 --output=/tmp/fio.out > /tmp/fio.err 2>&1 &
job=$!
sleep 1
echo working
wait $job
status=$?
[ $status = 0 ] || cat /tmp/fio.err /tmp/fio.out
echo "fio $status"
i=0
while ! dmesg | grep -q 'AEN' && [ $i -lt 20 ]; do sleep 1; i=$((i + 1)); done
smartctl -i -d 3ware,1 /dev/twe0 | grep -E 'Serial|Model'
exit $status
"""


@job("hotplug", where="edge", order=30)
def hotplug(ctx):
    one = ctx.start("plug", script=WORK, drives=f"4x{SMALL}",
                    units=["raid5:0-3:64k"], images="images", qmp=True,
                    trace=["tw_drive_plug", "tw_unit_state", "tw_aen",
                           "tw_aen_read", "tw_refusal"])
    one.wait_for("working")
    qemu = qmp.Qmp(ctx.dir, "plug.qmp")
    qemu.ask("device_del", id="c0p1")
    event = qemu.wait_event("DEVICE_DELETED")
    while event["data"].get("device") != "c0p1":
        event = qemu.wait_event("DEVICE_DELETED")
    report = json.loads(qemu.ask("qom-get", path="/machine/peripheral/c0",
                                 property="report"))
    time.sleep(0.5)
    qemu.ask("device_add", driver="3ware-drive", bus="c0.0", port=1,
             drive="c0p1d", model=SMALL, id="c0p1", serial="AGAIN-1")
    one.wait()
    qemu.close()
    ctx.finished(one, clean=False)
    ctx.check("I/O went on, verify is clean", one.value("fio") == "0",
              one.last_words())
    ctx.check("the kernel logs the card's event", re.search(
        r"3w-xxxx: scsi\d+: AEN: \w+: Unit degraded: Unit #0", one.log),
        " | ".join(l for l in one.bad_lines() if "AEN" in l)[:300])
    ctx.check("the card's report tells it",
              report["units"][0]["status"] == "DEGRADED" and
              report["ports"][1]["status"] == "DRIVE-REMOVED", report)
    odd = [line for line in one.bad_lines() if "AEN:" not in line]
    ctx.check("nothing else in the log", not odd, " | ".join(odd[:3]))
    kinds = [r.event for r in one.trace]
    ctx.check("pull and plug are traced",
              kinds.count("tw_drive_plug") >= 6, kinds)
    ctx.check("the drive that was put back answers", "AGAIN-1" in one.out,
              one.last_words())
