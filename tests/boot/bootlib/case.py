# SPDX-License-Identifier: GPL-2.0-or-later
"""A job: a named story over one or more guests that makes checks.

A job is a function of a Context.  The context gives it a directory of its
own, guests to run and check(), which counts and goes on; an exception ends
the job and counts as one failed check.  Jobs are declared with @job and say
on which kernels they are worth running.
"""

import os
import shutil
import time
import traceback

from . import guest

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__),
                                     "..", "..", ".."))
SMALL = os.path.join(TREE, "tests", "boot", "small.drive")
SMALL_SECTORS = 34000

JOBS = []


class Gone(Exception):
    """Why a job cannot go on, in one line."""


class Job:
    def __init__(self, name, where, order, story, args):
        self.name, self.where, self.order = name, where, order
        self.story, self.args = story, args


def job(name, where="one", order=50, variants=({},)):
    """Declare a job.  name may use the variants' words: 'levels-{stripe}'.

    where: `all` kernels, the `edge` (oldest default and newest), or `one`.
    order: jobs with a higher order are started earlier.
    """
    def declare(story):
        for args in variants:
            args = dict(args)
            JOBS.append(Job(name.format(**args), args.pop("where", where),
                            args.pop("order", order), story, args))
        return story
    return declare


class Context:
    """What a running job has."""

    def __init__(self, job_, kernel, place):
        self.job, self.kernel = job_, kernel
        self.title = f"{job_.name}@{kernel}" if kernel else job_.name
        self.dir = os.path.join(place, self.title)
        self.passed, self.failed, self.notes = 0, [], []
        self._guests = []

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def check(self, name, good, why=""):
        """Count one check; give whether it held."""
        if good:
            self.passed += 1
        else:
            self.failed.append(f"{name}: {why}" if why else name)
        return bool(good)

    def need(self, name, good, why=""):
        if not self.check(name, good, why):
            raise Gone("")

    def note(self, text):
        self.notes.append(text)

    def start(self, name, **options):
        """A guest that runs; see guest.Guest for the options."""
        options.setdefault("kernel", self.kernel)
        one = guest.Guest(self.dir, name, options)
        self._guests.append(one)
        return one

    def run(self, name, **options):
        """Run a guest to its end; check its status and its kernel log."""
        want = options.pop("want", 0)
        quiet_log = options.pop("clean", True)
        one = self.start(name, **options)
        one.wait()
        self.finished(one, want, quiet_log)
        return one

    def finished(self, one, want=0, clean=True):
        self.check(f"{one.name}: exit status", one.status == want,
                   f"{one.status}, not {want}: {one.last_words()}")
        if clean:
            bad = one.bad_lines()
            self.check(f"{one.name}: kernel log", not bad, " | ".join(bad[:3]))

    @property
    def cpu(self):
        """CPU seconds of its guests."""
        return sum(one.cpu for one in self._guests)

    def close(self):
        for one in self._guests:
            one.kill()


def run_job(job_, kernel, place, keep):
    """Run it; give (context, seconds).  The directory of a clean job goes."""
    ctx = Context(job_, kernel, place)
    shutil.rmtree(ctx.dir, ignore_errors=True)
    os.makedirs(ctx.dir)
    start = time.monotonic()
    try:
        job_.story(ctx, **job_.args)
    except Gone as gone:
        if str(gone):
            ctx.failed.append(str(gone))
    except Exception as err:                    # a bug of the test counts too
        ctx.failed.append(f"{type(err).__name__}: {err}")
        with open(ctx.path("exception"), "w", encoding="utf-8") as file:
            traceback.print_exc(file=file)
    finally:
        ctx.close()
    spent = time.monotonic() - start
    if not ctx.failed and not keep:
        shutil.rmtree(ctx.dir, ignore_errors=True)
    return ctx, spent
