# SPDX-License-Identifier: GPL-2.0-or-later
"""A static fio for the guest, built once from Debian's source.

Debian's own fio drags in storage-cluster libraries of many times its size.
It is built against Debian 12's static libraries, unpacked from packages into
a scratch directory, with the machine's gcc: the same recipe serves amd64 and
(with -m32) i386, and nothing is installed for it.
"""

import os
import shutil
import subprocess
import tarfile
import tempfile

from .cache import (GuestError, apt, cache_dir, debs, made_once, progress,
                    say, unpack)

SUITE = "bookworm"
_LIBRARIES = ("libc6-dev", "linux-libc-dev", "libcrypt-dev", "libaio-dev",
              "zlib1g-dev", "libgcc-12-dev")

# --disable-native: TCG has no AVX-512, whatever the build machine has.
_CONFIGURE = ("--build-static --disable-native --disable-numa --disable-rdma "
              "--disable-rados --disable-rbd --disable-http --disable-gfapi "
              "--disable-libnfs --disable-pmem").split()

_MACHINES = {"amd64": ("x86_64-linux-gnu", "x86_64-linux-gnu",
                       "-m64", "x86_64"),
             "i386": ("i386-linux-gnu", "i686-linux-gnu",
                      "-m32 -march=i686", "i386")}


def _compiler(path, root, arch):
    """Write a wrapper of gcc that sees only the libraries below root."""
    libs, gcclibs, flags, _ = _MACHINES[arch]
    own = subprocess.run(["gcc", "-print-file-name=include"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout.strip()
    with open(path, "w", encoding="ascii") as file:
        file.write(f"""#!/bin/sh
exec gcc -static {flags} -nostdinc -isystem {own} \
-isystem {root}/usr/include -isystem {root}/usr/include/{libs} \
-B{root}/usr/lib/gcc/{gcclibs}/12/ -B{root}/usr/lib/{libs}/ \
-L{root}/usr/lib/gcc/{gcclibs}/12 -L{root}/usr/lib/{libs} "$@"
""")
    os.chmod(path, 0o755)


def _run(call, where, log):
    with open(log, "ab") as out:
        done = subprocess.run(call, cwd=where, stdout=out, stderr=out,
                              stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        kept = os.path.join(cache_dir(), "fio-build.log")
        shutil.copy(log, kept)
        raise GuestError(f"building fio failed at `{' '.join(call[:2])}`, "
                         f"see {kept}")


def _build(arch, into):
    for tool in ("gcc", "make", "strip"):
        if not shutil.which(tool):
            raise GuestError(f"{tool} is needed to build fio for the guest "
                             "(packages gcc make binutils)")
    dsc = apt("apt_source", "fio", SUITE)
    tarball = next(os.path.join(os.path.dirname(dsc), f)
                   for f in sorted(os.listdir(os.path.dirname(dsc)))
                   if f.startswith("fio_") and ".orig.tar." in f
                   and not f.endswith(".asc"))
    work = tempfile.mkdtemp(prefix="platter-fio.")
    try:
        for path in debs(_LIBRARIES, SUITE, arch):
            unpack(path, os.path.join(work, "root"))
        with tarfile.open(tarball) as tar:
            tar.extractall(work, filter="tar") if hasattr(
                tarfile, "tar_filter") else tar.extractall(work)
        source = next(os.path.join(work, d) for d in sorted(os.listdir(work))
                      if d.startswith("fio-"))
        _compiler(os.path.join(work, "cc"), os.path.join(work, "root"), arch)
        log = os.path.join(work, "log")
        _run(["./configure", f"--cc={work}/cc",
              f"--cpu={_MACHINES[arch][3]}", *_CONFIGURE], source, log)
        _run(["make", "-j2", "fio"], source, log)
        _run(["strip", "fio"], source, log)
        shutil.copy(os.path.join(source, "fio"), os.path.join(into, "fio"))
    finally:
        shutil.rmtree(work, ignore_errors=True)


def fio_binary(arch):
    """The path of a static fio for a Debian architecture, or None.

    Without a compiler the guest goes without fio; a line says so.
    """
    try:
        with progress(f"building fio for {arch}, once"):
            place = made_once(os.path.join(cache_dir("tools"), f"fio-{arch}"),
                              lambda into: _build(arch, into))
    except GuestError as err:
        say(f"guest: no fio inside: {err}")
        return None
    return os.path.join(place, "fio")
