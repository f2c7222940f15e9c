# SPDX-License-Identifier: GPL-2.0-or-later
"""Options, and where lines come from: arguments, a file, a person.

Exit status: 0 done; 1 refused, or no card answers; 2 wrong words.
"""

import argparse
import calendar
import os
import sys
import time

from . import watch
from .commands import CliError, Session
from .doors import FileDoor, ImagesDoor, QmpDoor, Unreachable
from .text import CODESETS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__)))))

USAGE = """scripts/twcli DOOR [OPTION...] [LINE]
       scripts/twcli DOOR [OPTION...] -f FILE
       scripts/twcli DOOR watch [OPTION...]"""

EPILOG = """LINE is tw_cli's; without one, lines are read from the terminal:

  scripts/twcli --qmp build/qmp.sock show
  scripts/twcli --qmp build/qmp.sock /c0/u0 start rebuild disk=3
  scripts/twcli --images build/images /c0 show all
  scripts/twcli --qmp build/qmp.sock help
  scripts/twcli --qmp build/qmp.sock watch --on-event 'logger "$TWCLI_TEXT"'

docs/twcli.md has all of it."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f'scripts/twcli: {message} (scripts/twcli --help)',
              file=sys.stderr)
        sys.exit(2)


def epoch_of(word):
    try:
        return calendar.timegm(time.strptime(word, '%Y-%m-%dT%H:%M:%S'))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f'{word!r}: right is 2004-06-01T12:00:00, in UTC') from None


def parser():
    p = Parser(prog='scripts/twcli', usage=USAGE, epilog=EPILOG,
               formatter_class=argparse.RawDescriptionHelpFormatter,
               allow_abbrev=False)
    doors = p.add_argument_group('door, one of')
    doors.add_argument('--qmp', metavar='SOCKET',
                       help='cards of a running QEMU (its -qmp unix:SOCKET)')
    doors.add_argument('--images', metavar='DIR|IMG', action='append',
                       help='drives of a card that is off, in port order; '
                            'again for each')
    doors.add_argument('--report', metavar='FILE', action='append',
                       help='a kept report; again for the next controller')
    p.add_argument('--codeset', choices=CODESETS, default='9.5.1',
                   help='whose forms are printed (default 9.5.1)')
    p.add_argument('--epoch', metavar='TIME', type=epoch_of,
                   help='the calendar when model time was zero, in UTC: '
                        '2004-06-01T12:00:00')
    p.add_argument('--quiet', action='store_true',
                   help='do not ask before harm')
    p.add_argument('-f', dest='file', metavar='FILE',
                   help='lines from FILE, to the first that fails')
    offline = p.add_argument_group('with --images')
    offline.add_argument('--board', help='the board they hang on')
    offline.add_argument('--drives', help='their models, as raidsim has it')
    offline.add_argument('--raidsim', metavar='PATH',
                         help='default: the one built here, or in PATH')
    p.add_argument('line', nargs=argparse.REMAINDER, metavar='LINE',
                   help='what to do; "help" tells more')
    return p


def open_door(options):
    """Returns a function that opens it; watch opens it each time."""
    if options.qmp:
        return lambda: QmpDoor(options.qmp)
    if options.report:
        return lambda: FileDoor(options.report)
    near = [os.path.join(ROOT, place, 'bin/raidsim')
            for place in ('build', '../..')]    # built here; installed
    raidsim = options.raidsim or \
        next((path for path in near if os.path.exists(path)), 'raidsim')
    words = []
    for option in ('board', 'drives'):
        if getattr(options, option):
            words += [f'--{option}', getattr(options, option)]
    return lambda: ImagesDoor(raidsim, words, options.images)


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def complain(words):
    print(words, file=sys.stderr)


def run_lines(session, lines):
    """Lines of a file, to the first that fails."""
    for line in lines:
        try:
            if not session.run(line.rstrip('\n')):
                break
        except CliError as error:
            complain(error)
            return error.status
    return 0


def interactive(session):
    """A person: complaints do not end it."""
    host = os.uname().nodename
    while True:
        try:
            line = input(f'//{host}{session.focus}> ')
        except EOFError:
            print()
            return 0
        try:
            if not session.run(line):
                return 0
        except CliError as error:
            complain(error)


def main(words):
    p = parser()
    options = p.parse_args(words)
    if sum(map(bool, (options.qmp, options.images, options.report))) != 1:
        p.error('no card to speak to; right is one of --qmp SOCKET, '
                '--images DIR, --report FILE'
                if not (options.qmp or options.images or options.report)
                else 'more than one door; right is one of --qmp, --images, '
                     '--report')
    opener = open_door(options)
    try:
        if options.line[:1] == ['watch']:
            return watch.main(opener, options.line[1:], options.epoch,
                              Parser)
        session = Session(opener(), options.codeset, say,
                          lambda: sys.stdin.readline(), options.quiet,
                          options.epoch)
        if options.line:
            return run_lines(session, [' '.join(options.line)])
        if options.file:
            with open(options.file, encoding='utf-8') as file:
                return run_lines(session, file)
        if sys.stdin.isatty():
            return interactive(session)
        return run_lines(session, sys.stdin)
    except Unreachable as error:
        complain(f'scripts/twcli: {error}')
        return 1
    except (OSError, UnicodeDecodeError) as error:
        complain(f'scripts/twcli: {error}')
        return 2
    except KeyboardInterrupt:
        return 130
