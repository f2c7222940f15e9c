# SPDX-License-Identifier: GPL-2.0-or-later
"""What is inside the guest: one cpio archive per kernel, and a small one
per run that is appended to it.

The programs come from Debian 12's packages of the guest's architecture,
with the libraries they name; nothing of the host's own gets in, so the same
cache gives the same guest.  Archives are written here, byte for byte
reproducible: no times, no inode numbers of the host.  They stay uncompressed,
for the guest would pay for unpacking them.
"""

import hashlib
import os
import re
import shutil
import stat
import struct
import tempfile
import time

from . import fio, kernel
from .cache import GuestError, LIB, cache_dir, debs, made_once, progress, unpack

SUITE = "bookworm"

_PACKAGES = ("busybox-static", "dash", "bash", "libtinfo6", "smartmontools",
             "sg3-utils", "libsgutils2-1.46-2", "mdadm", "dmsetup", "lsscsi",
             "e2fsprogs",
             "libc6", "libgcc-s1", "libstdc++6", "libcap-ng0", "libselinux1",
             "libpcre2-8-0", "libsystemd0", "liblzma5", "libzstd1",
             "liblz4-1", "libcap2", "libgcrypt20", "libgpg-error0",
             "libudev1", "libdevmapper1.02.1", "libext2fs2", "libblkid1",
             "libuuid1", "libcom-err2", "libss2")

_PROGRAMS = ("dash", "bash", "smartctl", "mdadm", "dmsetup", "lsscsi",
             "mke2fs", "e2fsck", "dumpe2fs",
             "sg_reset", "sg_inq", "sg_raw", "sg_readcap", "sg_turs",
             "sg_logs", "sg_modes", "sg_luns", "sg_vpd", "sg_sync", "sg_dd",
             "sg_requests", "sg_start", "sg_verify", "sg_read", "sginfo",
             "sg_map", "sg_scan")

# Also what the kernel asks for by an alias while something else runs.
MODULES = ("3w-xxxx 3w-9xxx 3w-sas sd_mod sg scsi_mod virtio_blk virtio_pci "
           "virtio_scsi megaraid_sas mptsas dm-mod dm-raid dm-mirror "
           "dm-snapshot dm-crypt dm-delay dm-flakey raid456 raid10 raid1 "
           "raid0 linear md-linear ext4 jbd2 loop crc32c crc32c_generic "
           "crc32c-intel libcrc32c crc32c-cryptoapi crc32-pclmul xor "
           "nls_ascii nvram pvpanic").split()

_DEBIAN = {"amd64": "amd64", "686": "i386"}


# -- cpio, the newc format -------------------------------------------------

class Cpio:
    """An archive in the form the kernel unpacks, times and ids all zero."""

    def __init__(self, path):
        self._file = open(path, "wb")
        self._inode = 0
        self._made = set()

    def _entry(self, name, mode, data=b"", device=(0, 0)):
        self._inode += 1
        raw = name.encode() + b"\0"
        head = "070701" + "".join(f"{v:08x}" for v in (
            self._inode, mode, 0, 0, 1, 0, len(data), 0, 0,
            device[0], device[1], len(raw), 0))
        block = head.encode() + raw
        block += b"\0" * (-len(block) % 4)
        self._file.write(block + data + b"\0" * (-len(data) % 4))

    def _parents(self, name):
        at = os.path.dirname(name)
        if at and at not in self._made:
            self._parents(at)
            self._made.add(at)
            self._entry(at, stat.S_IFDIR | 0o755)

    def directory(self, name):
        self._parents(name + "/.")

    def file(self, name, data, mode=0o644):
        self._parents(name)
        self._entry(name, stat.S_IFREG | mode, data)

    def link(self, name, target):
        self._parents(name)
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def device(self, name, major, minor):
        self._parents(name)
        self._entry(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def close(self):
        self._entry("TRAILER!!!", 0)
        self._file.write(b"\0" * (-self._file.tell() % 512))
        self._file.close()


# -- programs and their libraries ------------------------------------------

def elf_needs(data):
    """(interpreter or None, needed libraries) of an ELF file's bytes."""
    wide = data[4] == 2
    phoff, = struct.unpack_from("<Q" if wide else "<I", data,
                                32 if wide else 28)
    size, count = struct.unpack_from("<HH", data, 54 if wide else 42)
    interpreter, dynamic, loads = None, None, []
    for i in range(count):
        head = phoff + i * size
        kind, = struct.unpack_from("<I", data, head)
        if wide:
            off, addr, _, length = struct.unpack_from("<QQQQ", data, head + 8)
        else:
            off, addr, _, length = struct.unpack_from("<IIII", data, head + 4)
        if kind == 3:
            interpreter = data[off:off + length].rstrip(b"\0").decode()
        elif kind == 2:
            dynamic = (off, length)
        elif kind == 1:
            loads.append((addr, off, length))
    if not dynamic:
        return interpreter, []
    form = "<qQ" if wide else "<iI"
    step = struct.calcsize(form)
    tags = [struct.unpack_from(form, data, at) for at in
            range(dynamic[0], dynamic[0] + dynamic[1] - step + 1, step)]
    strings = next(value for tag, value in tags if tag == 5)
    strings = next(off + strings - addr for addr, off, length in loads
                   if addr <= strings < addr + length)
    names = []
    for tag, value in tags:
        if tag == 0:
            break
        if tag == 1:
            start = strings + value
            names.append(data[start:data.index(b"\0", start)].decode())
    return interpreter, names


def _find(root, name, places):
    for place in places:
        path = os.path.join(root, place, name)
        if os.path.lexists(path):
            return path
    return None


def _fill_tools(arch):
    """Make the tools directory of a Debian architecture: bin, lib, list."""
    triple = {"amd64": "x86_64-linux-gnu", "i386": "i386-linux-gnu"}[arch]
    libraries = [f"lib/{triple}", f"usr/lib/{triple}", "lib", "usr/lib"]
    programs = ["bin", "sbin", "usr/bin", "usr/sbin"]

    def take(root, path, into):
        """Copy a program and what it needs; follow links inside root."""
        while os.path.islink(path):
            path = os.path.normpath(os.path.join(os.path.dirname(path),
                                                 os.readlink(path)))
        with open(path, "rb") as file:
            data = file.read()
        with open(into, "wb") as file:
            file.write(data)
        os.chmod(into, 0o755)
        if data[:4] != b"\x7fELF":
            return
        interpreter, needs = elf_needs(data)
        if interpreter:
            needs = needs + [os.path.basename(interpreter)]
        for name in needs:
            target = os.path.join(os.path.dirname(os.path.dirname(into)),
                                  "lib", name)
            if os.path.exists(target):
                continue
            found = _find(root, name, libraries)
            if not found:
                raise GuestError(f"{os.path.basename(into)} needs {name}, "
                                 "which no package in the list has")
            take(root, found, target)

    def make(into):
        work = tempfile.mkdtemp(prefix="platter-tools.")
        try:
            for path in debs(_PACKAGES, SUITE, arch):
                unpack(path, work)
            for sub in ("bin", "lib"):
                os.mkdir(os.path.join(into, sub))
            for name in ("busybox",) + _PROGRAMS:
                found = _find(work, name, programs)
                if not found:
                    raise GuestError(f"no package in the list has {name}")
                take(work, found, os.path.join(into, "bin", name))
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return make


def _stamp(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]


def tools_dir(arch):
    stamp = _stamp(arch, *_PACKAGES, *_PROGRAMS)
    with progress(f"fetching the guest's programs for {arch}"):
        return made_once(os.path.join(cache_dir("tools"),
                                      f"guest-{arch}.{stamp}"),
                         _fill_tools(arch))


# Applets of busybox that get a name in the guest; those whose name another
# program above has are left to it.  sh is dash: busybox's own would run its
# applets rather than the programs of the same name.
_APPLETS = """[ [[ arch ash awk base64 basename blockdev busybox cat chgrp
chmod chown chroot chrt cksum clear cmp comm cp cpio cut date dd depmod
devmem df diff dirname dmesg dd du echo ed egrep env expand expr factor false
fdisk fgrep find flock fold free fsync getopt grep groups gunzip gzip halt
head hexdump hostname id insmod install ionice kill killall less ln losetup
ls lsmod lspci lzcat md5sum mkdir mkfifo mknod mkswap mktemp modinfo modprobe
more mount mv nice nohup nproc od partprobe paste patch pidof ping pivot_root
poweroff printenv printf ps pwd readlink realpath reboot renice reset rev rm
rmdir rmmod sed seq setsid sha1sum sha256sum sha512sum shred shuf sleep
sort split stat strings stty sum swapoff swapon sync sysctl tac tail tar
taskset tee test time timeout top touch tr true truncate tty umount uname
uniq unlink unxz unzip uptime usleep vi watch wc which xargs xxd xz xzcat yes
zcat""".split()


# -- modules ---------------------------------------------------------------

def _wanted_modules(directory):
    """{name: (file, bytes)} of the wanted modules and what they need,
    and the order-preserving list of pairs (name, dependencies)."""
    files = {}
    for base, _, names in sorted(os.walk(directory)):
        for name in names:
            match = re.match(r"(.+)\.ko(?:\.xz|\.zst)?$", name)
            if match:
                files[match.group(1).replace("-", "_")] = os.path.join(base,
                                                                       name)
    with open(os.path.join(directory, "modules.builtin"),
              encoding="ascii") as file:
        builtin = {os.path.basename(line.strip())[:-3].replace("-", "_")
                   for line in file}
    taken = {}

    def info(data, key):
        found = re.findall(rb"(?:^|\0)" + key + rb"=([^\0]*)", data)
        return [f.decode() for f in found]

    def take(name):
        name = name.replace("-", "_")
        if name in taken or name not in files:
            return
        data = kernel.module_bytes(files[name])
        depends = [d.replace("-", "_") for line in info(data, b"depends")
                   for d in line.split(",") if d]
        soft = [d.replace("-", "_") for line in info(data, b"softdep")
                for d in line.split() if not d.endswith(":")]
        taken[name] = (os.path.basename(files[name]).split(".ko")[0],
                       data, depends, info(data, b"alias"))
        for other in depends:
            if other not in files and other not in builtin:
                raise GuestError(f"module {name} needs {other}, which was "
                                 "not kept with its kernel")
        for other in depends + soft:
            take(other)

    for name in MODULES:
        take(name)
    return taken


def _add_modules(cpio, directory, release):
    taken = _wanted_modules(directory)

    def closure(name, seen):
        """What name needs, each after all that it needs itself."""
        for other in taken[name][2]:
            if other in taken and other not in seen:
                closure(other, seen)
                seen.append(other)
        return seen

    base = f"lib/modules/{release}"
    depends, aliases = "", ""
    for name in sorted(taken):
        stem, data, _, names = taken[name]
        cpio.file(f"{base}/{stem}.ko", data)
        needs = " ".join(f"{taken[n][0]}.ko"        # loaded last to first
                         for n in reversed(closure(name, [])))
        depends += f"{stem}.ko:{' ' + needs if needs else ''}\n"
        for alias in names:
            if not alias.startswith(("pci:", "of:", "acpi")) \
                    or stem.startswith("virtio"):
                aliases += f"alias {alias} {name}\n"
    cpio.file(f"{base}/modules.dep", depends.encode())
    cpio.file(f"{base}/modules.alias", aliases.encode())
    cpio.file(f"{base}/modules.symbols", b"")
    with open(os.path.join(directory, "modules.builtin"), "rb") as file:
        cpio.file(f"{base}/modules.builtin", file.read())


# -- the archives ----------------------------------------------------------

def _fill_base(tools, fio_path, directory, release):
    def make(into):
        cpio = Cpio(os.path.join(into, "base.cpio"))
        for name in ("dev", "proc", "sys", "tmp", "run", "put", "root", "mnt",
                     "etc", "var/lib"):
            cpio.directory(name)
        cpio.device("dev/console", 5, 1)
        cpio.file("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
        cpio.file("etc/group", b"root:x:0:\n")
        cpio.link("etc/mtab", "/proc/mounts")
        for sub in ("bin", "lib"):
            for name in sorted(os.listdir(os.path.join(tools, sub))):
                with open(os.path.join(tools, sub, name), "rb") as file:
                    cpio.file(f"{sub}/{name}", file.read(), 0o755)
        if fio_path:
            with open(fio_path, "rb") as file:
                cpio.file("bin/fio", file.read(), 0o755)
        for name in sorted(set(_APPLETS)):
            if not os.path.exists(os.path.join(tools, "bin", name)) \
                    and name != "busybox":
                cpio.link(f"bin/{name}", "busybox")
        cpio.link("bin/sh", "dash")
        cpio.link("bin/mkfs.ext4", "mke2fs")
        cpio.link("bin/mkfs.ext2", "mke2fs")
        cpio.link("lib64", "lib")
        cpio.link("sbin", "bin")
        cpio.link("usr", ".")
        _add_modules(cpio, directory, release)
        cpio.close()
    return make


def _drop_old(folder, name):
    """Remove archives of that kernel that no run can be reading any more."""
    for entry in os.listdir(folder):
        path = os.path.join(folder, entry)
        if entry.startswith(name + ".") and \
                os.path.getmtime(path) < time.time() - 24 * 3600:
            shutil.rmtree(path, ignore_errors=True)


def base_archive(kernel_name, arch):
    """(kernel directory, path of its base archive), made when needed."""
    where = kernel.kernel_dir(kernel_name, arch)
    release = kernel.read_note(where, "release")
    debarch = _DEBIAN[arch]
    tools = tools_dir(debarch)
    fio_path = fio.fio_binary(debarch)
    with open(os.path.realpath(__file__), encoding="utf-8") as file:
        recipe = file.read()
    stamp = _stamp(os.path.basename(where), os.path.basename(tools),
                   str(fio_path), recipe)
    place = os.path.join(cache_dir("initramfs"),
                         f"{os.path.basename(where)}.{stamp}")
    if not os.path.isdir(place):
        _drop_old(cache_dir("initramfs"), os.path.basename(where))
    with progress(f"packing the guest for {os.path.basename(where)}"):
        made_once(place, _fill_base(tools, fio_path,
                                    os.path.join(where, "modules"),
                                    release))
    return where, os.path.join(place, "base.cpio")


def join_archive(path, base, files):
    """Write base, then a cpio of /init and {name: (bytes, mode)}, to path."""
    extra = path + ".extra"
    cpio = Cpio(extra)
    with open(os.path.join(LIB, "guest-init.sh"), "rb") as file:
        cpio.file("init", file.read(), 0o755)
    for name, (data, mode) in files.items():
        cpio.file(name, data, mode)
    cpio.close()
    with open(path, "wb") as out:
        for part in (base, extra):
            with open(part, "rb") as file:
                shutil.copyfileobj(file, out, 1 << 20)
    os.unlink(extra)
