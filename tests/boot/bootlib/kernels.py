# SPDX-License-Identifier: GPL-2.0-or-later
"""Every kernel: boot, attach, a minute of mixed I/O, nothing in the log.

And the one figure a guest can check with a pencil: the mean time of a small
random read over a whole drive.
"""

import configparser
import json
import os

from .case import TREE, job

# A minute of the guest's time; write and read back, then mixed sizes.
MIXED = """\
dev=$(unit 0)
echo "size $(sectors $dev)"
cat > /tmp/mixed.fio <<'END'
[global]
ioengine=libaio
direct=1
time_based=1
runtime=60
thread=1
[mixed]
filename=DEV
rw=randrw
bssplit=512/5:4k/35:8k/25:16k/15:64k/15:128k/5
iodepth=8
[stream]
filename=DEV
rw=rw
bs=64k
iodepth=2
[sync]
filename=DEV
rw=randwrite
bs=4k
fsync=4
iodepth=1
END
sed -i "s#DEV#$dev#" /tmp/mixed.fio
run_fio --output-format=json /tmp/mixed.fio || exit 1
cp /tmp/fio.out /tmp/mixed.json
run_fio --name=v --filename=$dev --rw=randwrite --bs=8k --iodepth=4 --direct=1 \\
    --ioengine=libaio --size=4m --offset=1g --verify=crc32c --verify_fatal=1 \\
    || exit 1
lspci -n 2>/dev/null | grep 13c1
grep -i 3w-xxxx /proc/interrupts
echo json
cat /tmp/mixed.json
"""


def fio_json(text):
    """The JSON that begins after the line 'json'."""
    tail = ("\n" + text).split("\njson\n", 1)[1]
    return json.loads(tail[tail.index("{"):])


@job("kernel", where="all", order=40)
def kernel(ctx):
    one = ctx.run("mixed", script=MIXED, board="3ware-7410",
                  drives="4xwd1200jb", units=["raid5:0-3:64k"])
    # 3 x (234441648 - 2048, rounded down to the 64 KiB stripe)
    ctx.check("capacity", one.value("size") == str(3 * 234439552),
              one.value("size"))
    ctx.check("driver attached", "Found a 3ware Storage Controller" in one.log)
    jobs = fio_json(one.out)["jobs"]
    for each in jobs:
        done = each["read"]["total_ios"] + each["write"]["total_ios"]
        ctx.check(f"{each['jobname']}: no errors", each["error"] == 0)
        ctx.check(f"{each['jobname']}: did something", done > 100, done)
    total = sum(j["read"]["total_ios"] + j["write"]["total_ios"]
                for j in jobs)
    ctx.note(f"{total} I/Os in 60 s of guest time")


def preset(name):
    file = configparser.ConfigParser()
    file.read(os.path.join(TREE, "disk-model", "presets", name + ".drive"))
    drive = file["drive"]
    zones = []
    for text in file["zones"].values():
        first, last, spt = (int(w) for w in text.split()[:3])
        zones.append((last - first + 1, spt))
    return drive, zones


def expected_read_ms(name, sectors):
    """Seek average, half a turn, overhead, transfer: by the preset alone."""
    drive, zones = preset(name)
    turn = 60e3 / drive.getfloat("rpm")
    tracks = sum(cylinders for cylinders, _ in zones)
    held = sum(cylinders * spt for cylinders, spt in zones)
    transfer = turn * sectors * tracks / held
    return (drive.getfloat("seek-average-ms") + turn / 2
            + drive.getfloat("overhead-ms") + transfer)


LATENCY = """\
run_fio --output-format=json --name=t --filename=$(unit 0) --rw=randread \\
    --bs=8k --direct=1 --ioengine=libaio --iodepth=1 --number_ios=4000 \\
    --randrepeat=1 --norandommap || exit 1
echo json
cat /tmp/fio.out
"""


@job("latency-{model}", order=30, variants=[
    {"model": "wd1200jb", "board": "3ware-7410"},
    {"model": "wd360gd", "board": "3ware-8506-4"}])
def latency(ctx, model, board):
    one = ctx.run("latency", script=LATENCY, board=board, drives=model,
                  units=["jbod:0"])
    mean = fio_json(one.out)["jobs"][0]["read"]["clat_ns"]["mean"] / 1e6
    want = expected_read_ms(model, 16)
    ctx.note(f"mean {mean:.3f} ms, preset says {want:.3f} ms "
             f"({100 * (mean / want - 1):+.1f} %)")
    ctx.check("mean random read within 5 %", abs(mean / want - 1) < 0.05,
              f"{mean:.3f} ms, preset says {want:.3f} ms")
