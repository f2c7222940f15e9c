# SPDX-License-Identifier: GPL-2.0-or-later
"""smartctl through the card: a full report for each port that has a drive,
smartctl's own words for a port that has none."""

import re

from .case import job

SCRIPT = """\
for port in 0 1 2 3; do
    echo "== $port"
    smartctl -i -H -A -l error -l selftest -d 3ware,$port /dev/twe0
    echo "== status $?"
done
echo "== capabilities"
smartctl -c -d 3ware,0 /dev/twe0
echo "== status $?"
echo "== short"
smartctl -t short -d 3ware,1 /dev/twe0
echo "== status $?"
sleep 130
echo "== log"
smartctl -l selftest -d 3ware,1 /dev/twe0
echo "== status $?"
echo "== hours"
smartctl -A -d 3ware,0 /dev/twe0
echo "== status $?"
run_fio --name=v --filename=$(unit 0) --rw=randwrite --bs=8k --iodepth=8 \\
    --direct=1 --ioengine=libaio --time_based --runtime=20 --thread=1 &
for i in 1 2 3 4 5 6 7 8 9 10; do
    smartctl -H -d 3ware,$((i % 2)) /dev/twe0 > /tmp/h || echo "bad-health $i"
    sleep 1
done
wait $! && echo "== io-done"
"""

ATTRIBUTES = (1, 3, 4, 5, 7, 9, 10, 12, 194, 197, 198, 199)


def section(text, name):
    """(lines, status) of what follows '== name'."""
    match = re.search(rf"^== {name}\n(.*?)^== status (\d+)$", text,
                      re.M | re.S)
    return (match.group(1), int(match.group(2))) if match else ("", -1)


def attributes(text):
    """{id: (value, worst, threshold, raw)} of an attribute table."""
    rows = re.findall(r"^ *(\d+) \S+ +0x[0-9a-f]+ +(\d+) +(\d+) +(\S+) +\S+ "
                      r"+\S+ +(\S+) +(.*)$", text, re.M)
    return {int(i): (int(v), int(w), int(t) if t.isdigit() else 0, raw)
            for i, v, w, t, _, raw in rows}


def check_report(ctx, name, text, status, model, gigabytes):
    for what, pattern in (
            ("model", r"^Device Model: +" + re.escape(model) + "$"),
            ("serial", r"^Serial Number: +WD-WMAC8\S+$"),
            ("firmware", r"^Firmware Version: +\S+"),
            ("capacity", r"^User Capacity: .*\[" + gigabytes + r" GB\]$"),
            ("ATA version", r"^ATA Version is: +ATA"),
            ("SMART available", r"^SMART support is: +Available"),
            ("SMART enabled", r"^SMART support is: +Enabled$"),
            ("health", r"self-assessment test result: PASSED$"),
            ("error log", r"^No Errors Logged$"),
            ("self-test log", r"^No self-tests have been logged")):
        ctx.check(f"{name}: {what}", re.search(pattern, text, re.M),
                  "not in the report")
    rows = attributes(text)
    for number in ATTRIBUTES:
        ctx.check(f"{name}: attribute {number}", number in rows)
    for number, (value, worst, threshold, _) in rows.items():
        ctx.check(f"{name}: attribute {number} is sane",
                  0 < worst <= value <= 253 and value > threshold,
                  f"{value} {worst} {threshold}")
    heat = rows.get(194, (0, 0, 0, "0"))[3].split()[0]
    ctx.check(f"{name}: temperature", 15 < int(heat) < 60, heat)
    odd = [line for line in text.splitlines() if re.search(
        r"[Ee]rror:|failed|invalid|[Cc]hecksum|Warning|not support|Unknown",
        line) and "No Errors" not in line]
    ctx.check(f"{name}: nothing odd", not odd, " | ".join(odd[:3]))
    ctx.check(f"{name}: exit status", status == 0, status)


@job("smart", where="edge", order=30)
def smart(ctx):
    one = ctx.run("smart", script=SCRIPT, board="3ware-7410", clean=False,
                  drives="2xwd1200jb,none,wd360gd",
                  units=["raid1:0-1", "jbod:3"])
    # the driver tells of each refusal, and an empty port refuses
    odd = [line for line in one.bad_lines() if not re.search(
        r"3w-xxxx: scsi\d+: Command failed: status = 0xc7, .*unit #2\.", line)]
    ctx.check("kernel log", not odd, " | ".join(odd[:3]))
    for port, model, gigabytes in ((0, "WDC WD1200JB-00CRA1", "120"),
                                   (1, "WDC WD1200JB-00CRA1", "120"),
                                   (3, "WDC WD360GD-00FNA0", "37.0")):
        check_report(ctx, f"port {port}", *section(one.out, port), model,
                     gigabytes)
    text, status = section(one.out, 2)
    ctx.check("empty port: no such device", status == 2 and
              "Read Device Identity failed: No drive on port 2" in text,
              f"status {status}: " + " ".join(text.split())[:200])
    text, status = section(one.out, "capabilities")
    ctx.check("capabilities", status == 0 and "recommended polling" in text,
              status)
    text, status = section(one.out, "short")
    ctx.check("short self-test starts", status == 0 and
              "Testing has begun" in text, f"status {status}")
    text, status = section(one.out, "log")
    ctx.check("short self-test is logged", status == 0 and re.search(
        r"^# 1  Short offline +Completed without error", text, re.M),
        f"status {status}: " + " ".join(text.split())[-200:])
    ctx.check("health while the drives work", "bad-health" not in one.out
              and "== io-done" in one.out, one.last_words())
