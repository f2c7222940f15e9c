# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of scripts/twcli share: a count, twcli in this process or in one
of its own, kept reports, waiting.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import time

KEPT = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(KEPT)))
TWCLI = os.path.join(ROOT, 'scripts/twcli')

os.environ.update(TZ='UTC', LC_ALL='C')
time.tzset()
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, 'scripts/lib'))
from twcli.main import main as twcli_main       # noqa: E402

counted = {'passed': 0, 'failed': 0}


def check(right, *words):
    counted['passed' if right else 'failed'] += 1
    if not right:
        print(f'{os.path.basename(sys.argv[0])}:', *words)


def result():
    """The last line of a test, and its exit status."""
    print(f"{counted['passed']} passed, {counted['failed']} failed")
    return 1 if counted['failed'] else 0


def twcli(*words, answer='', door=None):
    """Returns (status, stdout, stderr); in this process, for speed."""
    out, err, stdin = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(answer)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = twcli_main([*(door or ()), *words])
    except SystemExit as end:
        status = end.code
    finally:
        sys.stdin = stdin
    return status, out.getvalue(), err.getvalue()


def twcli_process(*words, answer='', door=None):
    """The same, as a person starts it."""
    done = subprocess.run([TWCLI, *(door or ()), *words], input=answer,
                          capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def kept_path(name):
    return os.path.join(KEPT, name + '.json')


def report_door(name):
    return ['--report', kept_path(name)]


def kept(name):
    with open(kept_path(name), encoding='utf-8') as file:
        return json.load(file)


def until(true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
