# SPDX-License-Identifier: GPL-2.0-or-later
# What the scripts of the boot tests share.  Runs in the guest's busybox sh.
set -u

# unit ID [HOST]: the block device of a unit, as /dev/sdX
unit()
{
    for at in /sys/bus/scsi/devices/${2:-*}:0:$1:0/block/*; do
        [ -e "$at" ] && echo "/dev/${at##*/}" && return 0
    done
    echo "no unit $1" >&2
    return 1
}

# units: how many disks there are
units() { ls -d /sys/block/sd* 2>/dev/null | wc -l; }

# sectors DEVICE
sectors() { blockdev --getsz "$1"; }

# copy_out DEVICE OUTPUT MIB: the whole device to OUTPUT, MIB from its start
copy_out()
{
    dd if="$1" of="$2" bs=1M seek="$3" iflag=direct oflag=direct \
        2> /tmp/dd.err || { cat /tmp/dd.err; return 1; }
}

# wait_gone NAME...: until no such module is loaded / wait_units COUNT
wait_units()
{
    tries=0
    while [ "$(units)" -lt "$1" ] && [ $tries -lt 3000 ]; do
        usleep 10000
        tries=$((tries + 1))
    done
    [ "$(units)" -ge "$1" ] || { echo "$(units) of $1 units"; return 1; }
}

# run_fio WORDS...: quiet when all is well
run_fio()
{
    fio --output=/tmp/fio.out "$@" > /tmp/fio.err 2>&1 && return 0
    status=$?
    echo "fio: status $status"
    cat /tmp/fio.err /tmp/fio.out
    return $status
}

