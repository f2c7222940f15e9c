# SPDX-License-Identifier: GPL-2.0-or-later
"""The user's cache, and words to the user.

Everything that is fetched or built once lives below one directory
($PLATTER_CACHE, else ${XDG_CACHE_HOME:-~/.cache}/platter).  A finished thing
is a directory that appeared by rename, so whoever sees it sees all of it;
whoever makes one holds its lock.  Debian packages come through
scripts/lib/apt.sh, which checks them against the archive's signed lists.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

LIB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TREE = os.path.dirname(os.path.dirname(LIB))


class GuestError(Exception):
    """One line for the user, and the exit status that goes with it."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def say(text):
    print(text, file=sys.stderr, flush=True)


def cache_dir(*below):
    """The cache directory, or one below it; made if needed."""
    base = os.environ.get("PLATTER_CACHE")
    if not base:
        home = os.environ.get("XDG_CACHE_HOME")
        if not home:
            home = os.path.join(os.path.expanduser("~"), ".cache")
        base = os.path.join(home, "platter")
    path = os.path.join(os.path.abspath(base), *below)
    os.makedirs(path, exist_ok=True)
    return path


def refresh():
    return bool(os.environ.get("PLATTER_REFRESH"))


@contextlib.contextmanager
def progress(text):
    """Say `text` when what is done inside takes over two seconds."""
    start = time.monotonic()
    timer = threading.Timer(2.0, say, [f"guest: {text} ..."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        spent = time.monotonic() - start
        if spent > 5:
            say(f"guest: {text}: {spent:.0f} s")


@contextlib.contextmanager
def locked(name):
    """Hold the cache's lock of that name."""
    path = os.path.join(cache_dir("locks"), name.replace("/", "_"))
    with open(path, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def cpu_of_our_own():
    """(CPU, open lock file), a processor no other guest has; or (None, None).

    The lock lasts as long as the file is open.
    """
    for cpu in sorted(os.sched_getaffinity(0)):
        lock = open(os.path.join(cache_dir("locks"), f"cpu{cpu}"), "w",
                    encoding="ascii")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return cpu, lock
        except OSError:
            lock.close()
    return None, None


def made_once(path, make):
    """Give directory `path`; when it is not there, make(scratch) fills it.

    Concurrent callers wait for the one that makes it.  A half-made
    directory is never seen under its name.
    """
    if os.path.isdir(path):
        return path
    name = os.path.relpath(path, cache_dir())
    with locked(name):
        if os.path.isdir(path):
            return path
        parent = os.path.dirname(path)
        os.makedirs(parent, exist_ok=True)
        scratch = tempfile.mkdtemp(prefix=".making.", dir=parent)
        try:
            os.chmod(scratch, 0o755)
            make(scratch)
            os.rename(scratch, path)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
    return path


def apt(function, *args, quiet=False):
    """Call a function of scripts/lib/apt.sh; give what it printed.

    With quiet, its words on standard error are kept for the exception.
    """
    call = ["bash", "-euc", '. "$0"; "$@"', os.path.join(LIB, "apt.sh"),
            function, *args]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=False,
                          stderr=subprocess.PIPE if quiet else None)
    if done.returncode:
        why = (done.stderr or "").strip().splitlines()
        raise GuestError(why[-1].strip() if why else
                         f"{function} {' '.join(args)} failed")
    return done.stdout.strip()


def debs(packages, suite, arch, quiet=False):
    """The paths of packages' .debs, fetched when not in the cache."""
    return apt("apt_debs", suite, arch, *packages, quiet=quiet).splitlines()


def unpack(path, into):
    try:
        subprocess.run(["dpkg-deb", "-x", path, into], check=True)
    except FileNotFoundError:
        raise GuestError("dpkg-deb is needed to unpack Debian packages "
                         "(package dpkg)") from None
    except subprocess.CalledProcessError as err:
        raise GuestError(f"{path} does not unpack: {err}") from None
