# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines of other shapes: two cards, twelve drives, memory above 4 GiB,
units of more than 1 TB, every board."""

import re

from .case import SMALL, SMALL_SECTORS, job
from .layout import Unit

VERIFY = """\
# verify NAME DEVICE WORDS...
verify()
{
    name=$1 device=$2
    shift 2
    run_fio --name=$name --filename=$device --rw=randwrite \\
        --bsrange=512-128k --iodepth=8 --direct=1 --ioengine=libaio \\
        --verify=crc32c --verify_fatal=1 --thread=1 "$@" || exit 1
    echo "verified $name"
}
"""


@job("two-cards", order=30)
def two_cards(ctx):
    """A 6800 with RAID 5, an 8506-4 with RAID 10: two drivers' hosts."""
    one = ctx.run("two", script=VERIFY + """\
ls -d /sys/class/scsi_host/host* | wc -l | sed 's/^/hosts /'
hosts=$(dmesg | sed -n 's/.*3w-xxxx: scsi\\([0-9]*\\): Found.*/\\1/p')
set -- $hosts
first=$(unit 0 $1) second=$(unit 0 $2)
echo "sizes $(sectors $first) $(sectors $second)"
(verify first $first --size=100%) &
verify second $second --size=100%
wait $! || exit 1
smartctl -i -d 3ware,1 /dev/twe0 | grep Serial
smartctl -i -d 3ware,1 /dev/twe1 | grep Serial
""", cards=[
        {"board": "3ware-6800", "drives": f"3x{SMALL}",
         "units": ["raid5:0-2:64k"]},
        {"board": "3ware-8506-4", "drives": f"4x{SMALL}",
         "units": ["raid10:0-3:64k"]}])
    sizes = {str(Unit("raid5", 3, SMALL_SECTORS, 128).sectors),
             str(Unit("raid10", 4, SMALL_SECTORS, 128).sectors)}
    ctx.check("both cards", one.log.count("Found a 3ware") == 2)
    ctx.check("sizes", set((one.value("sizes") or "").split()) <= sizes,
              one.value("sizes"))
    ctx.check("both verify", "verified first" in one.out
              and "verified second" in one.out, one.last_words())
    serials = re.findall(r"Serial Number: +(\S+)", one.out)
    ctx.check("drives of both cards answer", len(set(serials)) == 2, serials)


@job("twelve-drives", order=20)
def twelve_drives(ctx):
    one = ctx.run("twelve", script=VERIFY + """\
echo "size $(sectors $(unit 0))"
verify wide $(unit 0) --size=100%
for port in 0 1 2 3 4 5 6 7 8 9 10 11; do
    smartctl -i -H -d 3ware,$port /dev/twe0 > /tmp/s || echo "bad-port $port"
done
""", board="3ware-8506-12", drives=f"12x{SMALL}", units=["raid5:0-11:64k"])
    unit = Unit("raid5", 12, SMALL_SECTORS, 128)
    ctx.check("size", one.value("size") == str(unit.sectors),
              one.value("size"))
    ctx.check("verify over all of it", "verified wide" in one.out,
              one.last_words())
    ctx.check("twelve ports answer", "bad-port" not in one.out)


@job("six-gib", where="edge", order=20)
def six_gib(ctx):
    """Memory above 4 GiB: the driver bounces, the card never reaches there."""
    one = ctx.run("memory", memory="6G", drives=f"4x{SMALL}",
                  units=["raid5:0-3:64k"], trace=["tw_command",
                                                  "tw_refusal"],
                  script=VERIFY + """\
grep -E 'MemTotal' /proc/meminfo
mount -t debugfs d /sys/kernel/debug 2>/dev/null
verify high $(unit 0) --size=100% --iomem_align=4k
dmesg | grep -ciE 'swiotlb' | sed 's/^/swiotlb /'
for f in /sys/kernel/debug/swiotlb/*; do
    [ -f $f ] && echo "$f $(cat $f)"
done
true
""")
    ctx.check("verify", "verified high" in one.out, one.last_words())
    trace = one.trace
    packets = [r.values["packet"] for r in trace
               if r.event == "tw_command"]
    ctx.check("commands were traced", len(packets) > 100, len(packets))
    ctx.check("no packet above 4 GiB", max(packets, default=0) < 1 << 32)
    refused = [r.line for r in trace if r.event == "tw_refusal"]
    ctx.check("no refusal", not refused, refused[:1])


BIG = """\
dev=$(unit 0)
size=$(sectors $dev)
echo "size $size"
verify spread $dev --size=100% --number_ios=600 --norandommap=1 \\
    --randrepeat=1 --bsrange=4k-64k --verify_backlog=64
for at in 0 $((size / 2)) 2147483640 2147483648 $((size - 8)); do
    [ $at -lt $size ] || continue
    yes "mark $at" | head -c 4096 > /tmp/mark
    dd if=/tmp/mark of=$dev bs=512 seek=$at oflag=direct conv=notrunc \\
        2>/dev/null || echo "bad-write $at"
done
echo 3 > /proc/sys/vm/drop_caches
for at in 0 $((size / 2)) 2147483640 2147483648 $((size - 8)); do
    [ $at -lt $size ] || continue
    yes "mark $at" | head -c 4096 > /tmp/mark
    dd if=$dev bs=512 skip=$at count=8 iflag=direct 2>/dev/null |
        cmp -s - /tmp/mark || echo "bad-mark $at"
done
dd if=$dev of=/dev/null bs=512 skip=$size count=1 iflag=direct 2>&1 |
    grep -q '0+0 records in' || echo "bad-end"
"""


@job("terabyte-{level}", order=20, variants=[
    {"level": "raid0", "data": 4}, {"level": "raid5", "data": 3}])
def terabyte(ctx, level, data):
    """Sparse images: 4 x 500 GB, over 2^31 sectors in one unit."""
    one = ctx.run("big", script=VERIFY + BIG, board="3ware-8506-4",
                  drives="4xwd5000ys", units=[f"{level}:0-3:64k"])
    want = data * ((976773168 - 2048) // 128 * 128)
    ctx.check("size", one.value("size") == str(want), one.value("size"))
    ctx.check("more than 1 TB", want * 512 > 10 ** 12)
    ctx.check("verify over the whole range", "verified spread" in one.out,
              one.last_words())
    ctx.check("marks at the corners", "bad-" not in one.out,
              one.last_words())


BOARDS = {"3ware-6400": 4, "3ware-6800": 8, "3ware-7410": 4, "3ware-7810": 8,
          "3ware-7500-4": 4, "3ware-7500-8": 8, "3ware-8006-2": 2,
          "3ware-8506-4": 4, "3ware-8506-8": 8}


@job("all-boards", order=30)
def all_boards(ctx):
    """Nine boards in one machine, all ports filled, all hold what they get."""
    cards, script = [], VERIFY + """\
hosts=$(dmesg | sed -n 's/.*3w-xxxx: scsi\\([0-9]*\\): Found.*/\\1/p')
set -- $hosts
"""
    for number, (board, ports) in enumerate(BOARDS.items()):
        unit = f"raid5:0-{ports - 1}:64k" if ports > 2 else "raid1:0-1"
        cards.append({"board": board, "drives": f"{ports}x{SMALL}",
                      "units": [unit]})
        every = " ".join(str(port) for port in range(ports))
        script += f"""\
verify {board} $(unit 0 ${number + 1}) --size=1m
for port in {every}; do
    smartctl -i -H -d 3ware,$port /dev/twe{number} > /tmp/s ||
        echo "bad-port {board} $port"
done
"""
    one = ctx.run("boards", script=script, cards=cards, memory="768M")
    ctx.check("nine cards", one.log.count("Found a 3ware") == len(BOARDS))
    for board in BOARDS:
        ctx.check(f"{board}: verify", f"verified {board}\n" in one.out,
                  one.last_words())
    ctx.check("every port answers", "bad-port" not in one.out,
              one.last_words())
