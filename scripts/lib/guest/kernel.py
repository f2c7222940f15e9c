# SPDX-License-Identifier: GPL-2.0-or-later
"""A Debian kernel to boot, fetched and unpacked, never installed.

A kernel is known by a short name (5.10, 6.1, 6.12, newest) and an
architecture (amd64, 686).  Its directory in the cache holds

    release       the kernel's own version, as `uname -r` gives it
    package       package and version it came from
    vmlinuz       as packaged
    vmlinux       unpacked on the host when it can be started through PVH;
                  that saves a guest half of its boot time
    modules/      the package's modules, as packed; without those trees that
                  no guest here can use (sound, network, graphics ...)

The release in a package's name changes with each update, so the name is
always taken from what the meta package linux-image-ARCH depends on.
"""

import lzma
import os
import re
import shutil
import struct
import subprocess

from .cache import (GuestError, apt, cache_dir, debs, locked, made_once,
                    progress, refresh, say, unpack)

KERNELS = ("5.10", "6.1", "6.12", "newest")
ARCHES = ("amd64", "686")

# Where a name is looked for: (suite, meta package, Debian architecture).
_PLACES = {
    ("5.10", "amd64"): [("bullseye", "linux-image-amd64", "amd64")],
    ("6.1", "amd64"): [("bookworm", "linux-image-amd64", "amd64")],
    ("6.12", "amd64"): [("trixie", "linux-image-amd64", "amd64"),
                        ("bookworm-backports", "linux-image-amd64", "amd64")],
    ("newest", "amd64"): [("forky", "linux-image-amd64", "amd64"),
                          ("trixie-backports", "linux-image-amd64", "amd64"),
                          ("trixie", "linux-image-amd64", "amd64")],
    ("5.10", "686"): [("bullseye", "linux-image-686-pae", "i386")],
    ("6.1", "686"): [("bookworm", "linux-image-686-pae", "i386")],
    ("newest", "686"): [("bookworm", "linux-image-686-pae", "i386")],
}

_MAGICS = ((b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"),
           (b"\x1f\x8b\x08", "gzip"))


_TREES = ("arch", "block", "crypto", "fs", "lib")
_DRIVERS = ("ata", "block", "cdrom", "char", "dax", "dca", "firmware", "hwmon",
            "md", "message", "misc", "nvdimm", "nvme", "nvmem", "scsi",
            "thermal", "virtio")


def check_name(name, arch):
    """Refuse a kernel that is not known, before anything is fetched."""
    if arch not in ARCHES:
        raise GuestError(f"--arch: unknown architecture '{arch}' "
                         f"(have {', '.join(ARCHES)})", 2)
    if name not in KERNELS:
        raise GuestError(f"--kernel: unknown kernel '{name}' "
                         f"(have {', '.join(KERNELS)})", 2)
    if (name, arch) not in _PLACES:
        have = [n for n, a in _PLACES if a == arch]
        raise GuestError(f"--kernel: Debian has no {arch} kernel {name} "
                         f"(have {', '.join(have)})", 2)


def _unzstd(data):
    done = subprocess.run(["zstd", "-dcq"], input=data, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout


def _unxz(data):
    try:
        return lzma.LZMADecompressor().decompress(data)
    except lzma.LZMAError:
        return b""


def _ungzip(data):
    import zlib
    try:
        return zlib.decompressobj(31).decompress(data)
    except zlib.error:
        return b""


def module_bytes(path):
    """A module's ELF file, whatever it is packed with."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".xz"):
        return lzma.decompress(data)
    if path.endswith(".zst"):
        return _unzstd(data)
    return data


def extract_vmlinux(vmlinuz):
    """The ELF image packed inside a bzImage, or None."""
    with open(vmlinuz, "rb") as file:
        data = file.read()
    for magic, kind in _MAGICS:
        at = data.find(magic)
        while at >= 0:
            try:
                image = {"xz": _unxz, "zstd": _unzstd,
                         "gzip": _ungzip}[kind](data[at:])
            except FileNotFoundError:       # no zstd here: boot the vmlinuz
                return None
            if image[:4] == b"\x7fELF":
                return image
            at = data.find(magic, at + 1)
    return None


def has_pvh(image):
    """Whether an ELF kernel carries Xen's PHYS32_ENTRY note (PVH boot)."""
    wide = image[4] == 2
    if wide:
        phoff, = struct.unpack_from("<Q", image, 32)
        size, count = struct.unpack_from("<HH", image, 54)
    else:
        phoff, = struct.unpack_from("<I", image, 28)
        size, count = struct.unpack_from("<HH", image, 42)
    for i in range(count):
        head = phoff + i * size
        if struct.unpack_from("<I", image, head)[0] != 4:      # PT_NOTE
            continue
        if wide:
            at, = struct.unpack_from("<Q", image, head + 8)
            length, = struct.unpack_from("<Q", image, head + 32)
        else:
            at, = struct.unpack_from("<I", image, head + 4)
            length, = struct.unpack_from("<I", image, head + 16)
        end = at + length
        while at + 12 <= end:
            names, descs, kind = struct.unpack_from("<III", image, at)
            if image[at + 12:at + 12 + names] == b"Xen\0" and kind == 18:
                return True
            at += 12 + (names + 3) // 4 * 4 + (descs + 3) // 4 * 4
    return False


def _packages(suite, meta, arch):
    """Names of the packages that make up the kernel the meta names."""
    depends = apt("apt_field", meta, suite, arch, "Depends", quiet=True)
    image = re.search(r"linux-image-[0-9][^ ,]*", depends)
    if not image:
        raise GuestError(f"{meta} of {suite} names no kernel: {depends}")
    more = apt("apt_field", image.group(), suite, arch, "Depends", quiet=True)
    split = re.findall(r"linux-(?:base|binary|modules)-[0-9][^ ,]*", more)
    return image.group(), split or [image.group()]


def _prune(modules):
    """Drop the module trees that no guest here can use."""
    top = os.path.join(modules, "kernel")
    for base, keep in ((top, _TREES + ("drivers",)),
                       (os.path.join(top, "drivers"), _DRIVERS)):
        for name in os.listdir(base):
            path = os.path.join(base, name)
            if name not in keep and os.path.isdir(path):
                shutil.rmtree(path)


def _fill(paths, note):
    def make(into):
        root = os.path.join(into, "root")
        for path in paths:
            unpack(path, root)
        base = next((os.path.join(root, d) for d in ("usr/lib/modules",
                                                     "lib/modules")
                     if os.path.isdir(os.path.join(root, d))), None)
        images = [f for f in os.listdir(os.path.join(root, "boot"))
                  if f.startswith("vmlinuz-")] if os.path.isdir(
                      os.path.join(root, "boot")) else []
        if base and not images:
            inside = os.path.join(base, os.listdir(base)[0], "vmlinuz")
            vmlinuz = inside if os.path.exists(inside) else None
        else:
            vmlinuz = os.path.join(root, "boot", images[0]) if images else None
        if not base or not vmlinuz:
            raise GuestError(f"no kernel inside {note}")
        release = os.listdir(base)[0]
        shutil.copy(vmlinuz, os.path.join(into, "vmlinuz"))
        os.rename(os.path.join(base, release), os.path.join(into, "modules"))
        shutil.rmtree(root)
        _prune(os.path.join(into, "modules"))
        image = extract_vmlinux(os.path.join(into, "vmlinuz"))
        if image and has_pvh(image):
            with open(os.path.join(into, "vmlinux"), "wb") as file:
                file.write(image)
        for name, text in (("release", release), ("package", note)):
            with open(os.path.join(into, name), "w",
                      encoding="ascii") as file:
                file.write(text + "\n")
    return make


def _fetch(name, arch):
    """Fetch and unpack; give the directory's name below kernels/."""
    reasons = []
    for suite, meta, debarch in _PLACES[name, arch]:
        try:
            image, parts = _packages(suite, meta, debarch)
            note = f"{image} ({suite})"
            target = os.path.join(cache_dir("kernels"),
                                  f"{image[len('linux-image-'):]}.{suite}")
            if not os.path.isdir(target):
                with progress(f"fetching kernel {image} of {suite}"):
                    paths = debs(parts, suite, debarch, quiet=True)
                with progress(f"unpacking {image}"):
                    made_once(target, _fill(paths, note))
            return os.path.basename(target), reasons
        except GuestError as err:
            reasons.append(f"{suite}: {err}")
    raise GuestError(f"kernel {name} ({arch}) is not to be had: "
                     + "; ".join(reasons))


def kernel_dir(name, arch):
    """The directory of a kernel, fetched when it is not in the cache.

    Once a name stands for a kernel it goes on doing so, so that figures
    stay comparable; PLATTER_REFRESH=1 looks for a newer one.
    """
    check_name(name, arch)
    link = os.path.join(cache_dir("kernels"), f"{name}-{arch}")
    if os.path.isdir(link) and not refresh():
        return os.path.realpath(link)
    with locked(f"kernel-{name}-{arch}"):
        if os.path.isdir(link) and not refresh():
            return os.path.realpath(link)
        target, reasons = _fetch(name, arch)
        if reasons:
            say(f"guest: kernel {name}: taking {target} "
                f"({'; '.join(reasons)})")
        fresh = f"{link}.{os.getpid()}"
        os.symlink(target, fresh)
        os.replace(fresh, link)
    return os.path.realpath(link)


def read_note(directory, name):
    with open(os.path.join(directory, name), encoding="ascii") as file:
        return file.read().strip()
