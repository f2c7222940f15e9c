# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives that say a write is done while they only hold it.

The kernel is told (write cache: write back).  What it flushed is on the
medium when the power goes; what it did not may be lost; the orderly end of
a guest loses nothing.
"""

from .case import job

BLOCKS = 40
BYTES = 4096
APART = 1000003                 # blocks of 4 KiB from one to the next
DATA_AT = 1024 * 512            # docs/layout.md: where a unit begins

WRITE = f"""\
dev=$(unit 0)
echo "cache $(cat /sys/block/${{dev##*/}}/queue/write_cache)"
i=0
while [ $i -lt {BLOCKS} ]; do
    yes "block $i" | head -c {BYTES} > /tmp/block$i
    i=$((i + 1))
done
i=0
while [ $i -lt {BLOCKS} ]; do
    dd if=/tmp/block$i of=$dev bs={BYTES} seek=$((i * {APART} % 25000000)) \\
        oflag=direct conv=notrunc 2>/dev/null || exit 1
    i=$((i + 1))
done
"""
FLUSH = "dd if=/dev/zero of=$dev bs=512 count=1 seek=8 conv=notrunc,fsync\n"
PULL = "echo b > /proc/sysrq-trigger; sleep 9\n"        # no orderly end


def there(ctx, name):
    """How many blocks the drive's image has."""
    found = 0
    with open(ctx.path(name, "c0p0.raw"), "rb") as image:
        for i in range(BLOCKS):
            word = f"block {i}\n".encode()
            image.seek(DATA_AT + i * APART % 25000000 * BYTES)
            found += image.read(BYTES) == (word * BYTES)[:BYTES]
    return found


@job("held-writes", order=40)
def held_writes(ctx):
    for name, after, want in (("orderly", "", 0),
                              ("flushed", FLUSH + PULL, 125),
                              ("pulled", PULL, 125)):
        one = ctx.run(name, script=WRITE + after, drives="wd1200jb",
                      units=["single:0"], images=name, want=want)
        ctx.check(f"{name}: the kernel knows", one.value("cache")
                  == "write back", one.value("cache"))
        found = there(ctx, name)
        if name == "pulled":
            ctx.check("pulled: held writes are lost", found < BLOCKS)
            ctx.note(f"{BLOCKS - found} of {BLOCKS} writes were held")
        else:
            ctx.check(f"{name}: all is on the medium", found == BLOCKS,
                      f"{found} of {BLOCKS}")
