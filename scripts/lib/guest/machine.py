# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's command line, and the image files behind the drives.

With the virtual clock everything that could differ from one run to the next
is tied down: instructions are counted and idle time is skipped (-icount), the
clock chip follows the virtual clock from a fixed date, random numbers have a
seed, and no device of the machine talks to the outside but the serial ports,
which go to plain files.  What still matters is where the firmware lies, which
the guest cannot see.
"""

import json
import os
import shlex

from .cache import GuestError, TREE


def serial_number(card, port):
    """A serial number that is the same every time: in WD's style."""
    return f"WD-WMAC8{card}{port:02d}0001"


def image_name(card, port):
    return f"c{card}p{port}.raw"


def make_images(opts, folder):
    """Lay sparse images for all drives that have none in folder yet.

    Gives what was made, the folder first when it is new.
    """
    made = []
    try:
        if not os.path.isdir(folder):
            os.makedirs(folder)
            made.append(folder)
        for number, card in enumerate(opts.cards):
            for port, drive in enumerate(card.drives):
                path = os.path.join(folder, image_name(number, port))
                if not drive or port in card.withheld \
                        or os.path.lexists(path):
                    continue
                with open(path, "xb") as file:
                    made.append(path)
                    file.truncate(drive.sectors * 512)
    except OSError as err:
        remove(made)
        raise GuestError(f"cannot make images in {folder}: "
                         f"{err.strerror}") from None
    return made


def remove(made):
    """Take back what make_images made."""
    for path in reversed(made):
        if os.path.isdir(path):
            os.rmdir(path)
        else:
            os.unlink(path)


def _block(node, path, read_only=False):
    # Flushes to the host's disk cost wall time and change nothing that a
    # guest, or whoever reads the image afterwards, can see.
    file = {"driver": "file", "filename": os.path.abspath(path),
            "cache": {"no-flush": True}}
    if read_only:
        file["locking"] = "off"             # several guests may read it
    return ["-blockdev", json.dumps({
        "driver": "raw", "node-name": node, "read-only": read_only,
        "cache": {"no-flush": True}, "file": file})]


def _quoted(value):
    return value.replace(",", ",,")


def _card_args(number, card, folder):
    name = f"c{number}"
    device = f"{card.board},id={name}"
    if card.units:
        device += ",units=" + _quoted("/".join(card.units))
    if card.props:
        device += "," + card.props
    args = ["-device", device]
    for port, drive in enumerate(card.drives):
        if not drive or port in card.withheld:
            continue
        node = f"{name}p{port}d"
        args += _block(node, os.path.join(folder, image_name(number, port)))
        device = (f"3ware-drive,bus={name}.0,port={port},drive={node},"
                  f"model={_quoted(drive.model)},id={name}p{port}")
        if drive.model.startswith("wd"):        # others: the device's own
            device += f",serial={serial_number(number, port)}"
        args += ["-device", device]
    return args


def _stand_in_args(kind, number, card, folder):
    name = f"c{number}"
    board = {"megasas": "megasas",
             "virtio-scsi": "virtio-scsi-pci,ioeventfd=off"}[kind]
    args = ["-device", f"{board},id={name}"]
    for port, drive in enumerate(card.drives):
        if drive and port not in card.withheld:
            node = f"{name}p{port}d"
            args += _block(node, os.path.join(folder,
                                              image_name(number, port)))
            args += ["-device", f"scsi-hd,bus={name}.0,drive={node},"
                     f"scsi-id={port},serial={serial_number(number, port)}"]
    return args


def expected_disks(opts):
    """How many disks the guest must see before its command runs."""
    total = 0
    for card in opts.cards:
        if opts.stand_in:
            total += sum(1 for p, d in enumerate(card.drives)
                         if d and p not in card.withheld)
            continue
        total += len(card.units)
    return total


def drivers(opts):
    """Modules that the guest loads, in order."""
    names = []
    if opts.disk:
        names += ["virtio_pci", "virtio_blk"]
    names += ["sg", "sd_mod"]
    if opts.stand_in:
        names += {"megasas": ["megaraid_sas"],
                  "virtio-scsi": ["virtio_pci", "virtio_scsi"]}[opts.stand_in]
    elif opts.cards:
        names += ["3w-xxxx"]
    return names


def firmware_args():
    place = os.path.join(TREE, "build", "share", "qemu")
    if os.environ.get("PLATTER_QEMU") or not os.path.isdir(place):
        return []
    return ["-L", place]


def _machine_args(opts):
    args = ["-nodefaults", "-no-user-config", "-display", "none",
            "-monitor", "none", "-M", "pc", "-cpu", "max", "-accel", "tcg",
            "-m", opts.memory]
    if opts.clock == "virtual":
        args += ["-icount", "shift=1,sleep=off",
                 "-rtc", "base=2024-01-01,clock=vm", "-seed", "1"]
    if not opts.reboots:
        args += ["-action", "reboot=shutdown"]
    return args


def command_line(opts, where, initrd, run, images):
    """The whole call.  where: the kernel's directory; run: this run's own."""
    vmlinux = os.path.join(where, "vmlinux")
    if not os.path.exists(vmlinux):
        vmlinux = os.path.join(where, "vmlinuz")
    # The kernel's tests of its own ciphers are a third of a boot.
    words = "console=ttyS0 panic=-1 loglevel=5 cryptomgr.notests"
    if opts.append:
        words += " " + " ".join(opts.append)

    args = [opts.qemu, *firmware_args(), *_machine_args(opts),
            "-kernel", vmlinux, "-initrd", initrd, "-append", words]
    for node in ("console", "output", "state"):
        path = os.path.join(run, node)
        kind = f"file,id={node},path={_quoted(path)}"
        if node == "output" and opts.shell:
            kind = f"stdio,id={node},mux=on,signal=off"
        args += ["-chardev", kind]
    args += ["-device", "isa-serial,chardev=console,index=0",
             "-device", "isa-serial,chardev=output,index=1",
             "-device", "isa-debugcon,iobase=0xe9,chardev=state"]
    for number, card in enumerate(opts.cards):
        args += (_stand_in_args(opts.stand_in, number, card, images)
                 if opts.stand_in else _card_args(number, card, images))
    for number, path in enumerate(opts.disk):
        args += _block(f"disk{number}", path, read_only=True)
        args += ["-device", f"virtio-blk-pci,drive=disk{number}"]
    if opts.qmp:
        args += ["-qmp", f"unix:{_quoted(opts.qmp)},server=on,wait=off"]
    if opts.trace:
        args += ["-D", opts.trace, "-trace", "enable=tw_*"]
    return args + opts.qemu_arg


def show(args):
    return shlex.join(args)
