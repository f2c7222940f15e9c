# SPDX-License-Identifier: GPL-2.0-or-later
"""A line of tw_cli's words made an answer or an order.

Names are checked against the card's report before anything is sent, and what
destroys asks first; the card itself checks the rest and refuses in its own
words.  Every complaint is one line: what is wrong and what would be right.
"""

import re

from . import text
from .doors import Refused
from .help import help_for

# Numbers and wording of tw_cli's complaints are guesses from memory.
NO_CARD, NO_UNIT, NO_PORT, WRONG_WORD, WRONG_VALUE, REFUSED = \
    3, 4, 5, 6, 8, 9

OBJECT = re.compile(r'(?://[^/ ]+)?/c(\d+)(?:/(u|p)(\d+))?/?', re.I)
LEVELS = ('raid0', 'raid1', 'raid5', 'raid10', 'single', 'jbod', 'spare')
# On the older forms 1 gives a task the most; codeset 10 turned it round.
RATES = ('fastest {0}', 'faster {0}', 'balanced', 'faster I/O', 'fastest I/O')
SYNONYMS = {'ver': 'version', 'events': 'alarms', 'aens': 'alarms',
            'rebuild': 'rebuildrate', 'verify': 'verifyrate',
            'bootloader': 'monitor', 'delete': 'del', 'export': 'remove'}


class CliError(Exception):
    """One line, as tw_cli would word it."""

    def __init__(self, code, words, status=1):
        super().__init__(f'Error: (CLI:{code:03d}) {words}')
        self.status = status


def wrong_word(word, right):
    return CliError(WRONG_WORD, f'Invalid command or attribute: {word} '
                    f'(right: {right}).', 2)


def wrong_value(word, right):
    return CliError(WRONG_VALUE, f'Invalid attribute value: {word} '
                    f'(right: {right}).', 2)


def plain(word):
    word = word.lower()
    return SYNONYMS.get(word, word)


def numbers(word):
    """0:1:2, 0-3, p0:p1 and mixtures; None when it is none of them."""
    found = []
    for part in re.split('[:,]', word):
        match = re.fullmatch(r'p?(\d{1,3})(?:-p?(\d{1,3}))?', part)
        if not match:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        found += range(first, last + 1) or [None]
    return None if None in found or len(set(found)) < len(found) else found


def disks(ports):
    """As an order has it: a range when it is one."""
    if len(ports) > 1 and ports == list(range(ports[0], ports[-1] + 1)):
        return f'{ports[0]}-{ports[-1]}'
    return ':'.join(map(str, ports))


def named(items, key, number):
    for item in items:
        if item[key] == number:
            return item
    return None


def attributes(words, known):
    """A dict of name=value words and flags (no '='); known: names, lower."""
    found = {}
    for word in words:
        name, equals, value = word.partition('=')
        if name.lower() not in known:
            raise wrong_word(word, ', '.join(known))
        if name.lower() in found:
            raise wrong_word(word, f'{name} once')
        found[name.lower()] = value if equals else None
    return found


def one_of(name, value, allowed):
    if value is None or value.lower() not in allowed:
        raise wrong_value(f'{name}={value or ""}',
                          f'{name}={"|".join(allowed)}')
    return value.lower()


class Session:
    """One door, one focus; run() takes lines."""

    def __init__(self, door, codeset, say, ask, quiet=False, epoch=None):
        self.cards = door.cards()
        self.codeset = codeset
        self.say = say              # say(text) prints
        self.ask = ask              # ask(text) returns a line or ''
        self.quiet = quiet
        self.epoch = epoch          # seconds; None: the door's
        self.focus = ''
        self.reports = {}           # of this line

    # ------------------------------------------------------------- objects

    def report(self, number):
        if number not in self.reports:
            if number >= len(self.cards):
                raise CliError(
                    NO_CARD, f'Specified controller does not exist: '
                    f'/c{number} (there '
                    + (f'{"is" if len(self.cards) == 1 else "are"} '
                       + ', '.join(f'/c{n}' for n in range(len(self.cards)))
                       if self.cards else 'is none') + ').')
            self.reports[number] = self.cards[number].report()
        return self.reports[number]

    def unit(self, card, number):
        units = self.report(card)['units']
        unit = named(units, 'unit', number)
        if unit is None:
            there = ', '.join(f"u{u['unit']}" for u in units) or 'no unit'
            raise CliError(NO_UNIT, f'Specified unit does not exist: '
                           f'/c{card}/u{number} (/c{card} has {there}).')
        return unit

    def port(self, card, number):
        ports = self.report(card)['ports']
        port = named(ports, 'port', number)
        if port is None:
            raise CliError(NO_PORT, f'Specified port does not exist: '
                           f'/c{card}/p{number} (/c{card} has p0 to '
                           f'p{len(ports) - 1}).')
        return port

    def ports(self, card, found, right):
        """Those that disk= names, all of which there are."""
        word = found.get('disk') or ''
        ports = numbers(word)
        if not ports:
            raise wrong_value(f'disk={word}', right)
        for port in ports:
            self.port(card, port)
        return ports

    def order(self, card, line):
        try:
            self.cards[card].order(line)
        except Refused as error:
            raise CliError(REFUSED, f'/c{card} {line}: {error}') from None
        self.reports.pop(card, None)

    def confirm(self, warning):
        """tw_cli's question; anything but y is no."""
        if self.quiet:
            return
        self.say(warning + '\nDo you want to continue ? Y|N [N]: ')
        if self.ask().strip().lower() not in ('y', 'yes'):
            raise CliError(REFUSED, 'Nothing was done (answer Y, or say '
                           'quiet).')

    # --------------------------------------------------------------- lines

    def run(self, line):
        """One line; returns False when it was a farewell."""
        words = [] if line.lstrip().startswith('#') else line.split()
        self.reports = {}
        was_quiet = self.quiet
        if len(words) > 1 and 'quiet' in map(str.lower, words):
            words = [w for w in words if w.lower() != 'quiet']
            self.quiet = True
        try:
            return self.dispatch(words)
        finally:
            if len(words) != 1 or words[0].lower() != 'quiet':
                self.quiet = was_quiet

    def dispatch(self, words):
        if not words:
            return True
        first = plain(words[0])
        if first in ('exit', 'quit', 'q'):
            return False
        if not words[0].startswith('/') and self.focus and \
                first not in ('focus', 'help', '?', 'quiet', 'info'):
            words = [self.focus, *words]
        match = OBJECT.fullmatch(words[0])
        if match:
            kind = match[2].lower() if match[2] else 'c'
            card, number = int(match[1]), int(match[3] or 0)
            return self.on_object(kind, card, number, words[1:])
        if words[0].startswith('/'):
            raise wrong_word(words[0], '/cX, /cX/uY or /cX/pY')
        return self.on_shell(first, words[1:])

    def on_shell(self, first, rest):
        done = {
            'show': self.shell_show, 'info': self.info,
            'alarms': lambda words: self.shell_show(['alarms', *words]),
            'rescan': self.shell_rescan, 'focus': self.set_focus,
            'help': lambda words: self.say(help_for(words)),
            '?': lambda words: self.say(help_for(words)),
            'commit': self.commit, 'quiet': self.set_quiet,
        }.get(first)
        if done is None:
            raise wrong_word(first, 'show, info, alarms, rescan, focus, '
                             'commit, quiet, help, or an object such as /c0')
        done(rest)
        return True

    def on_object(self, kind, card, number, words):
        message = plain(words[0]) if words else 'show'
        report = self.report(card)
        here = {'c': lambda: report, 'u': lambda: self.unit(card, number),
                'p': lambda: self.port(card, number)}[kind]()
        if message in ('help', '?'):
            self.say(help_for([kind]))
            return True
        known = {
            'c': {'show': self.card_show, 'add': self.add,
                  'set': self.card_set, 'rescan': self.rescan,
                  'commit': self.card_commit, 'alarms': self.card_alarms},
            'u': {'show': self.unit_show, 'del': self.delete,
                  'start': self.task, 'stop': self.task, 'pause': self.task,
                  'resume': self.task, 'set': self.unit_set,
                  'remove': self.remove},
            'p': {'show': self.port_show, 'remove': self.remove},
        }[kind]
        if message not in known:
            raise wrong_word(words[0], ', '.join(known))
        if kind == 'c':
            known[message](card, words[1:])
        elif message in ('start', 'stop', 'pause', 'resume'):
            self.task(card, here, [message, *words[1:]])
        else:
            known[message](card, here, words[1:])
        return True

    def set_focus(self, words):
        if words and words[0] in ('/', '..'):
            self.focus = ''
            return
        match = OBJECT.fullmatch(words[0]) if len(words) == 1 else None
        if not match:
            raise wrong_word(' '.join(words) or 'focus', 'focus /c0/u0')
        number = int(match[3] or 0)
        self.report(int(match[1]))
        if match[2]:
            (self.unit if match[2] == 'u' else self.port)(int(match[1]),
                                                          number)
        self.focus = words[0].rstrip('/')

    def set_quiet(self, words):
        if words:
            raise wrong_word(words[0], 'quiet alone')
        self.quiet = True

    def commit(self, words):
        """Nothing to do: the models write when they are told."""
        if words:
            raise wrong_word(words[0], 'commit alone')

    def card_commit(self, card, words):
        self.commit(words)

    # ---------------------------------------------------------------- show

    def all_reports(self):
        return [self.report(number) for number in range(len(self.cards))]

    def alarms(self, only, words):
        reverse = [w.lower() for w in words] == ['reverse']
        if words and not reverse:
            raise wrong_word(' '.join(words), 'alarms [reverse]')
        cards = []
        for number in range(len(self.cards)) if only is None else [only]:
            report = self.report(number)
            epoch = self.cards[number].epoch(report) \
                if self.epoch is None else self.epoch
            cards.append((number, epoch, report))
        self.say(text.alarms(cards, self.codeset, reverse))

    def shell_show(self, words):
        what = plain(words[0]) if words else ''
        if what == 'alarms':
            self.alarms(None, words[1:])
        elif what == 'version' and len(words) == 1:
            self.say(f'CLI Version = twcli, forms of {self.codeset}\n')
        elif words:
            raise wrong_word(words[0], 'show [version|alarms [reverse]]')
        elif not self.cards:
            self.say('\nNo controller found.\n\n')
        else:
            self.say(text.controllers(self.all_reports(), self.codeset))

    def card_show(self, card, words):
        report, place = self.report(card), f'/c{card}'
        if not words:
            self.say(text.units(report, self.codeset)[:-1]
                     + text.ports(report, self.codeset))
        for position, word in enumerate(words):
            what = plain(word)
            if what == 'alarms':
                self.alarms(card, words[position + 1:])
                return
            if what == 'all':
                self.say(text.card_lines(place, report, text.CARD_ALL)
                         + text.all_unit_status(place, report))
                self.card_show(card, [])
            elif what == 'unitstatus':
                self.say(text.units(report, self.codeset))
            elif what == 'drivestatus':
                self.say(text.ports(report, self.codeset))
            elif what == 'allunitstatus':
                self.say(text.all_unit_status(place, report))
            elif what in text.CARD_ATTRIBUTES:
                self.say(text.card_lines(place, report, [what]))
            elif what in ('bbu', 'bbustatus'):
                raise CliError(REFUSED, f'{place} has no battery.')
            elif what == 'diag':
                raise CliError(REFUSED, f'{place} keeps no diagnostic log.')
            else:
                raise wrong_word(word, 'all, unitstatus, drivestatus, '
                                 'allunitstatus, alarms, '
                                 + ', '.join(text.CARD_ATTRIBUTES))

    def unit_show(self, card, unit, words):
        self.thing_show(f"/c{card}/u{unit['unit']}", unit, words,
                        text.UNIT_ALL, text.unit_lines,
                        text.unit_detail(unit, self.codeset))

    def port_show(self, card, port, words):
        self.thing_show(f"/c{card}/p{port['port']}", port, words,
                        tuple(text.PORT_ATTRIBUTES), text.port_lines,
                        text.ports(self.report(card), self.codeset,
                                   port['port']))

    def thing_show(self, place, thing, words, known, lines, table):
        if not words:
            self.say(table)
        for word in words:
            if word.lower() == 'all':
                self.say(lines(place, thing, known))
                if table and 'volumes' in known:
                    self.say(table)
            elif word.lower() in known:
                self.say(lines(place, thing, [word.lower()]))
            else:
                raise wrong_word(word, 'all, ' + ', '.join(known))

    def info(self, words):
        """The old way to say show: info c0 u0 status."""
        if not words:
            self.shell_show([])
            return
        match = re.fullmatch(r'/?c(\d+)', words[0])
        if not match:
            raise wrong_word(words[0], 'info [cX [uY|pY] [attribute]]')
        rest = words[1:]
        thing = re.fullmatch(r'([up])(\d+)', rest[0]) if rest else None
        if thing:
            self.on_object(thing[1], int(match[1]), int(thing[2]),
                           ['show', *rest[1:]])
        else:
            self.on_object('c', int(match[1]), 0, ['show', *rest])

    # -------------------------------------------------------------- orders

    def card_alarms(self, card, words):
        if [w.lower() for w in words] == ['clear']:
            self.order(card, 'alarms clear')
        else:
            self.alarms(card, words)

    def add(self, card, words):
        known = ('type', 'disk', 'stripe', 'name', 'noinit', 'nocache',
                 'noscan', 'autoverify', 'ignoreecc')
        found = attributes(words, known)
        level = one_of('type', found.get('type'), LEVELS)
        ports = self.ports(card, found, 'disk=0:1:2 or disk=0-2, each once')
        line = f'add type={level} disk={disks(ports)}'
        if 'stripe' in found:
            size = (found['stripe'] or '').lower().removesuffix('k')
            if not re.fullmatch(r'\d{1,4}', size):
                raise wrong_value(f'stripe={found["stripe"] or ""}',
                                  'stripe=64, in KiB')
            line += f' stripe={size}'
        if found.get('name'):
            line += f' name={found["name"]}'
        if 'noinit' in found:
            line += ' noinit'
        before = {u['unit'] for u in self.report(card)['units']}
        self.order(card, line)
        new = [u for u in self.report(card)['units']
               if u['unit'] not in before]
        for unit in new:
            self.created(card, unit, found)

    def created(self, card, unit, found):
        number = unit['unit']
        self.say(f'Creating new unit on controller /c{card} ...  Done. '
                 f'The new unit is /c{card}/u{number}.\n')
        for flag, order, words in (
                ('autoverify', 'autoverify=on', 'AutoVerify=ON'),
                ('ignoreecc', 'ignoreECC=on', 'IgnoreECC=ON'),
                ('nocache', 'cache=off', 'write cache = OFF')):
            if flag in found:
                self.order(card, f'u{number} set {order}')
                self.say(f'Setting {words} for the new unit ... Done.\n')
        if 'nocache' not in found and unit.get('cache'):
            self.say('Setting write cache = ON for the new unit ... Done.\n')

    def no_more(self, words, right):
        if words:
            raise wrong_word(' '.join(words), right)

    def delete(self, card, unit, words):
        self.no_more(words, 'del [quiet]')
        name = f"u{unit['unit']}"
        self.confirm(f'Deleting /c{card}/{name} will cause the data on the '
                     'unit to be permanently lost.')
        self.order(card, f'{name} del')
        self.say(f'Deleting unit c{card}/{name} ...Done.\n')

    def remove(self, card, thing, words):
        self.no_more(words, 'remove [quiet]')
        kind = 'unit' if 'unit' in thing and 'type' in thing else 'port'
        name = f'{kind[0]}{thing[kind]}'
        self.confirm(f'Removing {kind} /c{card}/{name} will take the '
                     f'{"unit" if kind == "unit" else "drive"} offline.')
        self.order(card, f'{name} remove')
        verb = 'Exporting' if self.codeset == '9.3' else 'Removing'
        self.say(f'{verb} {kind} /c{card}/{name} ... Done.\n')

    def task(self, card, unit, words):
        verb, what = words[0].lower(), plain(' '.join(words[1:2]))
        name = f"u{unit['unit']}"
        allowed = {'start': ('rebuild', 'verify'), 'stop': ('verify',),
                   'pause': ('rebuild',), 'resume': ('rebuild',)}[verb]
        kind = what.removesuffix('rate')
        if kind not in allowed:
            raise wrong_word(' '.join(words), f'{verb} '
                             + '|'.join(allowed))
        if (verb, kind) == ('start', 'rebuild'):
            found = attributes(words[2:], ('disk', 'ignoreecc'))
            ports = self.ports(card, found, 'disk=3, a port')
            # In this order: a rebuild that is refused leaves the policy.
            self.order(card, f'{name} start rebuild disk={disks(ports)}')
            if 'ignoreecc' in found:
                self.order(card, f'{name} set ignoreECC=on')
            self.say(f'Sending rebuild start request to /c{card}/{name} on '
                     f'{len(ports)} disk(s) '
                     f'[{" ".join(map(str, ports))}] ... Done.\n')
            return
        self.no_more(words[2:], f'{verb} {kind}')
        self.order(card, f'{name} {verb} {kind}')
        self.say(f'Sending {verb} {kind} message to /c{card}/{name} ... '
                 'Done.\n')

    def unit_set(self, card, unit, words):
        known = ('cache', 'autoverify', 'ignoreecc', 'name')
        found = attributes(words, known)
        if len(found) != 1:
            raise wrong_word(' '.join(['set', *words]),
                             'set cache|autoverify|ignoreECC=on|off, or set '
                             'name=WORD')
        (what, value), = found.items()
        name = f"u{unit['unit']}"
        place = f'/c{card}/{name}'
        if what == 'name':
            if not value or len(value) > 21:
                raise wrong_value(f'name={value or ""}',
                                  'a name of 1 to 21 letters')
            self.order(card, f'{name} set name={value}')
            self.say(f'Setting unit name on {place} to [{value}] ... Done.\n')
            return
        value = one_of(what, value, ('on', 'off'))
        key, title = {'cache': ('cache', 'Write Cache'),
                      'autoverify': ('autoverify', 'Auto Verify'),
                      'ignoreecc': ('ignoreECC', 'Ignore ECC')}[what]
        self.order(card, f'{name} set {key}={value}')
        self.say(f'Setting {title} Policy on {place} to [{value}] ... '
                 'Done.\n')

    def card_set(self, card, words):
        known = ('rebuild', 'rebuildrate', 'verify', 'verifyrate')
        found = attributes(words, known)
        if len(found) != 1:
            raise wrong_word(' '.join(['set', *words]),
                             'set rebuild=1..5 or set verify=1..5')
        (what, value), = found.items()
        task = what.removesuffix('rate')
        if value not in ('1', '2', '3', '4', '5'):
            raise wrong_value(f'{what}={value or ""}',
                              f'{what}=1 (fastest {task}) to 5 (fastest I/O)')
        self.order(card, f'set {task}={value}')
        self.say(f'Setting {task.capitalize()} background task rate on '
                 f'/c{card} to [{value}] '
                 f'({RATES[int(value) - 1].format(task)}) ... Done.\n')

    def shell_rescan(self, words):
        self.no_more(words, 'rescan')
        if not self.cards:
            self.report(0)
        for card in range(len(self.cards)):
            self.rescan(card, [])

    def rescan(self, card, words):
        self.no_more([w for w in words if w.lower() != 'noscan'], 'rescan')
        before = self.report(card)
        self.order(card, 'rescan')
        after = self.report(card)

        def fresh(key, name, there):
            old = {x[name] for x in before[key] if there(x)}
            new = [f'/c{card}/{name[0]}{x[name]}' for x in after[key]
                   if there(x) and x[name] not in old]
            return ', '.join(new) or 'none'

        found = 'Found following' if text.is_newer(self.codeset) else \
            'Found the following'
        self.say(f'Rescanning controller /c{card} for units and drives '
                 f'...Done.\n{found} unit(s): '
                 f'[{fresh("units", "unit", bool)}].\n{found} drive(s): '
                 f'[{fresh("ports", "port", text.is_present)}].\n')
