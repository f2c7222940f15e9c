# SPDX-License-Identifier: GPL-2.0-or-later
"""The rooms behind scripts/guest.

cache      where downloads and built things live, locks, progress lines
kernel     a Debian kernel: fetched, unpacked, its image made bootable
initramfs  what is inside the guest, packed into one cpio archive
fio        a static fio, built once
options    the command line, checked before anything starts
machine    QEMU's command line
run        the process: output, console, exit status
"""
