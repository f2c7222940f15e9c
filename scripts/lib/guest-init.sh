#!/bin/busybox ash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The guest's first and only process that is not the user's.
#
# It loads the card's driver, waits for the units, runs what scripts/guest
# put into /run, tells how that ended, prints the kernel log to the console
# and turns the machine off.  Three ways lead out of the guest:
#
#   ttyS0        the kernel's console; at the end a mark and the whole log
#   ttyS1        the command's output and nothing else
#   port 0xe9    one letter a step: B booted, R runs, X and a status byte
#
# /run/guest.conf has DRIVERS, EXPECT, MODE (script, shell), LOGMARK.

export PATH=/bin HOME=/root LC_ALL=C

mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
. /run/guest.conf

# byte PORT VALUE: write one byte to an I/O port
byte()
{
    printf "\\$(printf %03o "$2")" |
        dd of=/dev/port bs=1 seek="$1" count=1 conv=notrunc 2>/dev/null
}

# Which boot is this?  A byte of the clock chip's memory that the firmware
# leaves alone survives a reset, but not the machine's end.
byte 112 114
BOOT=$(dd if=/dev/port bs=1 skip=113 count=1 2>/dev/null | od -An -tu1)
BOOT=$((BOOT + 1))
byte 112 114
byte 113 $BOOT
export BOOT

byte 233 66
stty -F /dev/ttyS0 raw -echo -opost
stty -F /dev/ttyS1 raw -echo -opost

modprobe -a $DRIVERS > /dev/console 2>&1

# Disks are there when the driver is; a late one gets 30 s of guest time.
tries=0
while set -- /sys/block/sd*; [ -e "$1" ] || shift
      [ $# -lt "$EXPECT" ] && [ $tries -lt 3000 ]; do
    usleep 10000
    tries=$((tries + 1))
done
[ $# -ge "$EXPECT" ] ||
    echo "init: $# of $EXPECT disks came up" > /dev/console

cd /root || exit 1
byte 233 82
case $MODE in
    shell)
        export TERM="${TERMINAL:-vt102}" PS1='guest:\w\$ '
        exec 3<>/dev/ttyS1              # its size lasts while it is open
        stty -F /dev/ttyS1 sane $SIZE
        setsid -c bash < /dev/ttyS1 > /dev/ttyS1 2>&1
        ;;
    *)
        /bin/sh /run/script < /dev/null > /dev/ttyS1 2>&1
        ;;
esac
status=$?

byte 233 88
byte 233 $status
echo "$LOGMARK" > /dev/ttyS0
dmesg > /dev/ttyS0
poweroff -f
