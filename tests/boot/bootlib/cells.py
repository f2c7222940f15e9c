# SPDX-License-Identifier: GPL-2.0-or-later
"""raidsim and a guest say the same of the same load.

One job file for each cell, in fio's words.  A guest with the real driver
runs it under fio; raidsim runs it on the same cards, drives and units.
"""

import json
import os
import subprocess

from .case import TREE, job
from .kernels import fio_json

WITHIN = 7                      # percent, of raidsim's figure

# Cards in the order of the guest's hosts; a unit is (card, number).
CARDS = [
    {"board": "3ware-7410", "drives": "4xsr5400",
     "units": ["raid0:0-1:64k", "raid1:2-3"]},
    {"board": "3ware-7410", "drives": "3xsr5400,wd1200jb",
     "units": ["raid5:0-2:64k", "single:3"]},
    {"board": "3ware-7410", "drives": "sr5400", "units": ["single:0"]},
]
RAID0, RAID1, RAID5 = (0, 0), (0, 2), (1, 0)
SINGLE, JB = (2, 0), (1, 3)

# A drive's buffer is full of held writes long before the ramp ends.
GLOBAL = """\
[global]
filename={device}
ioengine=libaio
direct=1
norandommap
time_based
ramp_time=5s
runtime=20s

[{name}]
iodepth={depth}
"""

FILE_SERVER = """\
rw=randrw
rwmixread=80
bssplit=512/10:1k/5:2k/5:4k/60:8k/2:16k/4:32k/4:64k/10
ba=512
"""
DATABASE = "rw=randrw\nrwmixread=67\nbs=8k\nba=512\n"
RANDOM_WRITE = "rw=randwrite\nbs=8k\nba=512\n"
SEQUENTIAL_WRITE = "rw=write\nbs=64k\n"

# name: unit, depth, load
CELLS = {
    "single-file-1": (SINGLE, 1, FILE_SERVER),
    "single-file-16": (SINGLE, 16, FILE_SERVER),
    "raid0-file-16": (RAID0, 16, FILE_SERVER),
    "raid1-file-4": (RAID1, 4, FILE_SERVER),
    "raid5-file-1": (RAID5, 1, FILE_SERVER),
    "raid5-write-16": (RAID5, 16, RANDOM_WRITE),
    "jb-database-4": (JB, 4, DATABASE),
    "jb-stream-1": (JB, 1, SEQUENTIAL_WRITE),
}

SCRIPT = """\
hosts=$(dmesg | sed -n 's/.*3w-xxxx: scsi\\([0-9]*\\): Found.*/\\1/p')
for queue in /sys/block/sd*/queue; do
    echo none > $queue/scheduler && echo 2 > $queue/nomerges || exit 1
done
# cell NAME CARD UNIT
cell()
{
    set -- $1 $(unit $3 $(echo $hosts | cut -d' ' -f$(($2 + 1))))
    sed "s#^filename=.*#filename=$2#" /put/$1.fio > /tmp/$1.fio
    run_fio --output-format=json /tmp/$1.fio || exit 1
    echo "cell $1" && echo json && cat /tmp/fio.out
}
"""


def per_second(report):
    """I/Os a second of fio's JSON, or of raidsim's."""
    only, = report["jobs"]
    return only["read"]["iops"] + only["write"]["iops"]


def in_raidsim(path, card, unit):
    done = subprocess.run(
        [os.path.join(TREE, "build", "bin", "raidsim"), "fio", path,
         "--board", card["board"], "--drives", card["drives"],
         "--unit", "/".join(card["units"]), "--target", str(unit), "--json"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True)
    return per_second(json.loads(done.stdout))


@job("figures", order=90)
def figures(ctx):
    files, script = {}, SCRIPT
    for name, ((card, unit), depth, load) in CELLS.items():
        files[name] = ctx.path(name + ".fio")
        with open(files[name], "w", encoding="ascii") as file:
            file.write(GLOBAL.format(device="unit", name=name, depth=depth)
                       + load)
        script += f"cell {name} {card} {unit}\n"
    one = ctx.run("cells", script=script, cards=CARDS,
                  files=list(files.values()))
    parts = dict(part.split("\n", 1)
                 for part in ("\n" + one.out).split("\ncell ")[1:])
    for name, ((card, unit), _, _) in CELLS.items():
        if not ctx.check(f"{name}: ran", name in parts):
            continue
        inside = per_second(fio_json(parts[name]))
        outside = in_raidsim(files[name], CARDS[card], unit)
        off = 100 * (inside / outside - 1)
        line = f"guest {inside:7.1f}/s, raidsim {outside:7.1f}/s, {off:+.1f} %"
        ctx.note(f"{name:16} {line}")
        ctx.check(f"{name}: within {WITHIN} % of raidsim",
                  abs(off) < WITHIN, line)
