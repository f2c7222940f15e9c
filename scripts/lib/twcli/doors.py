# SPDX-License-Identifier: GPL-2.0-or-later
"""Doors: where reports come from and orders go.

A door has cards(), a list by controller number, and close().  A card has
report(), a dict as raid-model/control/manage.h describes it; order(line),
which raises Refused with the card's own words; and epoch(report), the calendar's second at which
the card's time was zero.  A door that is not there raises Unreachable.
"""

import json
import os
import socket
import subprocess
import time

CARD_TYPE = '3ware-raid'
EPOCH = 946684800           # 2000-01-01 UTC, where nothing says when (a guess)
QMP_SECONDS = 30            # a guest that is stopped still answers at once


class Refused(Exception):
    """An order the card does not take; nothing was changed."""


class Unreachable(Exception):
    """No card, or none that answers."""


# What every report has; more may be there.
SHAPE = {
    'controller': {'model': str, 'ports': int, 'rebuild_rate': int,
                   'verify_rate': int},
    'units': {'unit': int, 'type': str, 'status': str, 'sectors': int},
    'subunits': {'type': str, 'status': str},
    'ports': {'port': int, 'status': str},
    'events': {'at_ns': int, 'code': int, 'severity': str, 'text': str},
}


def is_shaped(thing, shape):
    return isinstance(thing, dict) and all(
        isinstance(thing.get(key), kind) for key, kind in shape.items())


def are_shaped(things, name):
    return isinstance(things, list) and all(
        is_shaped(thing, SHAPE[name]) and
        are_shaped(thing.get('subunits', []), 'subunits')
        for thing in things)


def harmless(thing):
    """Drives and people choose names: none may steer a terminal."""
    if isinstance(thing, str):
        return ''.join(c if c.isprintable() else '?' for c in thing)
    if isinstance(thing, list):
        return [harmless(item) for item in thing]
    if isinstance(thing, dict):
        return {key: harmless(item) for key, item in thing.items()}
    return thing


def read_report(text, where):
    """The report in a text, or one line on what is wrong with it."""
    try:
        report = harmless(json.loads(text))
    except (ValueError, TypeError) as error:
        raise Unreachable(f'{where}: not a report: {error}') from None
    right = isinstance(report, dict)
    if not right or not is_shaped(report.get('controller'),
                                  SHAPE['controller']):
        raise Unreachable(f'{where}: not a report; right is an object with a '
                          '"controller" that has '
                          + ', '.join(SHAPE['controller']))
    for name in ('units', 'ports', 'events'):
        if not are_shaped(report.setdefault(name, []), name):
            raise Unreachable(f'{where}: not a report; right are "{name}" '
                              'that have ' + ', '.join(SHAPE[name]))
    return report


# ------------------------------------------------------------------- files

class FileCard:
    def __init__(self, path):
        self.path = path

    def report(self):
        try:
            with open(self.path, encoding='utf-8') as file:
                return read_report(file.read(), self.path)
        except (OSError, UnicodeDecodeError) as error:
            raise Unreachable(f'{self.path}: {error}') from None

    def order(self, line):
        raise Refused(f'{self.path} is a report and takes no orders; '
                      'right is --qmp or --images')

    def epoch(self, report):
        return EPOCH


class Door:
    def close(self):
        """Nothing is held open."""


class FileDoor(Door):
    """Kept reports, a file for each controller."""

    def __init__(self, paths):
        self.paths = paths

    def cards(self):
        return [FileCard(path) for path in self.paths]


# ------------------------------------------------------------------ images

def images_in(paths):
    """A folder stands for the images in it, in the order of their names."""
    images = []
    for path in paths:
        if os.path.isdir(path):
            images += sorted(os.path.join(path, name)
                             for name in os.listdir(path)
                             if name.endswith(('.raw', '.img')))
        else:
            images.append(path)
    if not images:
        raise Unreachable(f'{paths[0]}: no images in it; right are files '
                          'that end in .raw or .img')
    return images


class ImagesCard:
    def __init__(self, raidsim, options, images):
        self.raidsim = raidsim
        self.command = [raidsim, 'manage', *options]
        self.images = images

    def run(self, words):
        try:
            done = subprocess.run(
                [*self.command, '--images', *self.images, *words],
                capture_output=True, encoding='utf-8', errors='replace',
                check=False, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise Unreachable(f'{self.raidsim}: {error.strerror}') from None
        said = done.stderr.strip() or f'exit status {done.returncode}'
        return done.returncode, done.stdout, said.splitlines()[-1]

    def report(self):
        status, out, said = self.run(['--report'])
        if status:
            raise Unreachable(said)
        return read_report(out, f'{self.raidsim} manage --report')

    def order(self, line):
        status, _, said = self.run([line])
        if status:
            raise Refused(said)

    def epoch(self, report):
        return EPOCH


class ImagesDoor(Door):
    """Members' images, with no card running: raidsim manage."""

    def __init__(self, raidsim, options, paths):
        self.card = ImagesCard(raidsim, options, images_in(paths))

    def cards(self):
        return [self.card]


# --------------------------------------------------------------------- QMP

class Qmp:
    """One conversation with a QEMU; it serves one client at a time."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(QMP_SECONDS)
        try:
            self.socket.connect(path)
            self.file = self.socket.makefile('rb')
            self.message('QMP')
            self.ask('qmp_capabilities')
        except OSError as error:
            self.close()
            raise Unreachable(f'{path}: {error.strerror or error}') from None
        except Unreachable:
            self.close()
            raise

    def close(self):
        self.socket.close()

    def message(self, *keys):
        """The next message that has one of these keys; events go by."""
        while True:
            try:
                line = self.file.readline()
                message = json.loads(line) if line else None
            except OSError as error:
                raise Unreachable(f'{self.path}: no answer: '
                                  f'{error.strerror or error}') from None
            except ValueError:
                raise Unreachable(f'{self.path}: not QMP') from None
            if message is None:
                raise Unreachable(f'{self.path}: closed by the other side')
            if isinstance(message, dict) and any(k in message for k in keys):
                return message

    def ask(self, command, **arguments):
        """Returns the answer; raises Refused with QEMU's own words."""
        words = {'execute': command}
        if arguments:
            words['arguments'] = arguments
        try:
            self.socket.sendall(json.dumps(words).encode() + b'\n')
        except OSError as error:
            raise Unreachable(f'{self.path}: {error.strerror or error}') \
                from None
        answer = self.message('return', 'error')
        if 'error' in answer:
            raise Refused(str(answer['error'].get('desc', 'refused')))
        return answer['return']


class QmpCard:
    def __init__(self, qmp, path):
        self.qmp = qmp
        self.path = path

    def report(self):
        try:
            text = self.qmp.ask('qom-get', path=self.path, property='report')
        except Refused as error:
            raise Unreachable(f'{self.path}: {error}') from None
        return read_report(text, self.path)

    def order(self, line):
        self.qmp.ask('qom-set', path=self.path, property='order', value=line)

    def epoch(self, report):
        """Model time runs to now."""
        return int(time.time()) - \
            report['controller'].get('time_ns', 0) // 10**9


class QmpDoor:
    """The cards of a running QEMU, in PCI order."""

    def __init__(self, path):
        self.qmp = Qmp(path)

    def close(self):
        self.qmp.close()

    def place(self, path):
        """Bus, then device and function, for the order of controllers."""
        return (str(self.qmp.ask('qom-get', path=path,
                                 property='parent_bus')),
                int(self.qmp.ask('qom-get', path=path, property='addr')))

    def cards(self):
        try:
            return self.find()
        except Refused as error:
            raise Unreachable(f'{self.qmp.path}: {error}') from None

    def find(self):
        kinds = {f"child<{kind['name']}>" for kind in
                 self.qmp.ask('qom-list-types', implements=CARD_TYPE)}
        found = []
        for parent in ('/machine/peripheral', '/machine/peripheral-anon'):
            try:
                children = self.qmp.ask('qom-list', path=parent)
            except Refused:
                continue            # no device of that sort
            for child in children:
                if child['type'] in kinds:
                    path = f"{parent}/{child['name']}"
                    found.append((self.place(path), path))
        return [QmpCard(self.qmp, path) for _, path in sorted(found)]
