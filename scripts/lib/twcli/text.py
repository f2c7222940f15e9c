# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables and lines as tw_cli prints them.  Pure: a report in, text out.

Columns are given by where their header words start; scripts count on them.
Sources: captures of tw_cli on 7506-8, 8006-2LP, an FE7X 1.05.00.068 and 9000
series cards in public issue trackers and plugins' test data; docs/twcli.md
says which form is from where and what is a guess.
"""

import time

CODESETS = ('9.3', '9.5.1', '9.5.2')
SECTORS_PER_GIB = 1 << 21


class Table:
    """Header words with their starts, a rule, rows of cells."""

    def __init__(self, rule, last, *columns, bare_dash=False):
        self.rule = rule            # dashes
        self.last = last            # the width a last cell is padded to
        self.columns = columns      # (word, start), ...
        self.bare_dash = bare_dash  # a dash in the last cell is not padded

    def head(self):
        line = ''
        for word, start in self.columns:
            line = line.ljust(start) + word
        return [line, '-' * self.rule]

    def row(self, cells):
        """One blank at least between cells, however long one is."""
        line = ''
        for number, cell in enumerate(cells):
            if number + 1 < len(self.columns):
                width = self.columns[number + 1][1] - \
                    self.columns[number][1]
                line += cell.ljust(width - 1) + ' '
            elif not self.bare_dash or cell != '-':
                line += cell.ljust(self.last)
            else:
                line += cell
        return line

    def text(self, rows):
        return ''.join(line + '\n' for line in
                       ['', *self.head(), *map(self.row, rows), ''])


CONTROLLERS = {
    'ports': Table(72, 9, ('Ctl', 0), ('Model', 6), ('Ports', 19),
                   ('Drives', 27), ('Units', 36), ('NotOpt', 44),
                   ('RRate', 53), ('VRate', 61), ('BBU', 69)),
    'vports': Table(72, 9, ('Ctl', 0), ('Model', 6), ('(V)Ports', 19),
                    ('Drives', 29), ('Units', 38), ('NotOpt', 46),
                    ('RRate', 54), ('VRate', 62), ('BBU', 69)),
}
UNITS = {
    '9.3': Table(78, 9, ('Unit', 0), ('UnitType', 6), ('Status', 16),
                 ('%Cmpl', 31), ('Stripe', 38), ('Size(GB)', 46),
                 ('Cache', 56), ('AVerify', 63), ('IgnECC', 72)),
    '9.5': Table(78, 7, ('Unit', 0), ('UnitType', 6), ('Status', 16),
                 ('%RCmpl', 31), ('%V/I/M', 39), ('Stripe', 47),
                 ('Size(GB)', 55), ('Cache', 65), ('AVrfy', 72)),
}
SUBUNITS = {
    'Port': Table(72, 10, ('Unit', 0), ('UnitType', 9), ('Status', 19),
                  ('%RCmpl', 34), ('%V/I/M', 42), ('Port', 50),
                  ('Stripe', 56), ('Size(GB)', 64)),
    'VPort': Table(72, 10, ('Unit', 0), ('UnitType', 9), ('Status', 19),
                   ('%RCmpl', 34), ('%V/I/M', 42), ('VPort', 50),
                   ('Stripe', 56), ('Size(GB)', 64)),
}
PORTS = {
    'Port': Table(63, 20, ('Port', 0), ('Status', 7), ('Unit', 24),
                  ('Size', 31), ('Blocks', 43), ('Serial', 57),
                  bare_dash=True),
    'VPort': Table(78, 20, ('VPort', 0), ('Status', 6), ('Unit', 21),
                   ('Size', 26), ('Type', 36), ('Phy', 42),
                   ('Encl-Slot', 46), ('Model', 59)),
}
ALARMS = {
    'Alarm': Table(78, 0, ('Ctl', 0), ('Date', 5), ('Severity', 33),
                   ('Alarm Message', 43)),
    'AEN': Table(78, 0, ('Ctl', 0), ('Date', 5), ('Severity', 33),
                 ('AEN Message', 43)),
}


# ------------------------------------------------------------- small words

def is_newer(codeset):
    """The forms of codesets 9.5.2 and later."""
    return codeset == '9.5.2'


def is_first_generation(report):
    """5000 to 8000 series: what such a card has not is shown as a dash."""
    card = report['controller']
    name = (card.get('device') or '').removeprefix('3ware-') or card['model']
    return name.startswith(('5', '6', '7', '8'))


def is_optimal(unit):
    return unit['status'] in ('OK', 'VERIFYING')


def on_off(value):
    return 'on' if value else 'off'


def unit_size(sectors):
    """GiB, called GB, six digits; a tiny one stays within its column."""
    return '%.6g' % round(sectors / SECTORS_PER_GIB, 6) if sectors else '-'


def drive_size(sectors):
    """GB cut to two digits, TB rounded: so the captures have it."""
    if not sectors:
        return '-'
    if sectors < 1024 * SECTORS_PER_GIB:
        return '%d.%02d GB' % divmod(sectors * 100 // SECTORS_PER_GIB, 100)
    return '%.2f TB' % (sectors / SECTORS_PER_GIB / 1024)


def stripe(unit):
    return f"{unit['stripe_kb']}K" if unit.get('stripe_kb') else '-'


def percents(thing, task=None):
    """The cells %RCmpl and %V/I/M."""
    if thing.get('percent') is None:
        return '-', '-'
    done = f"{int(thing['percent'])}%"
    rebuilds = task == 'rebuild' or thing['status'].startswith('REBUILD')
    return (done, '-') if rebuilds else ('-', done)


def is_present(port):
    return port['status'] != 'NOT-PRESENT' and bool(port.get('sectors'))


def policy(report, value):
    """ON, OFF, or a dash for what the first generation never has."""
    if value:
        return 'ON'
    return '-' if is_first_generation(report) or value is None else 'OFF'


# ------------------------------------------------------------------ tables

def controllers(reports, codeset):
    """`show`: reports by number."""
    rows = []
    for number, report in enumerate(reports):
        card = report['controller']
        units = report['units']
        first = is_first_generation(report)
        rows.append([
            f'c{number}', card['model'] or '-', str(card['ports']),
            str(sum(map(is_present, report['ports']))), str(len(units)),
            str(sum(not is_optimal(u) for u in units)),
            str(card['rebuild_rate']),
            '-' if first else str(card['verify_rate']), '-'])
    return CONTROLLERS['vports' if is_newer(codeset) else 'ports'].text(rows)


def cache(unit, codeset):
    if unit['type'] == 'SPARE':
        return '-'
    if not unit.get('cache'):
        return 'OFF'
    return 'W' if is_newer(codeset) else 'ON'


def unit_row(report, unit, codeset):
    head = [f"u{unit['unit']}", unit['type'], unit['status']]
    size = [stripe(unit), unit_size(unit['sectors']), cache(unit, codeset),
            policy(report, unit.get('autoverify'))]
    if codeset == '9.3':
        done = unit.get('percent')
        return head + ['-' if done is None else str(int(done))] + size + \
            [policy(report, unit.get('ignore_ecc'))]
    return head + [*percents(unit, unit.get('task'))] + size


def units(report, codeset):
    table = UNITS['9.3' if codeset == '9.3' else '9.5']
    return table.text([unit_row(report, u, codeset)
                       for u in report['units']])


def port_row(port, codeset):
    name = f"p{port['port']}"
    # A place without a drive names no unit, even where one misses a member.
    unit = '-' if port.get('unit') is None or \
        port['status'] == 'NOT-PRESENT' else f"u{port['unit']}"
    size = drive_size(port.get('sectors'))
    if is_newer(codeset):
        kind = 'SATA' if port.get('link', '').startswith('SATA') else 'PATA'
        return [name, port['status'], unit, size, kind, str(port['port']),
                '-', (port.get('model') or '-')[:19]]
    if not is_present(port):
        return [name, port['status'], unit, '-', '-', '-']
    return [name, port['status'], unit, size, str(port['sectors']),
            port.get('serial') or '']


def ports(report, codeset, only=None):
    """The port table; the newer form leaves out what is not there."""
    rows = [port_row(p, codeset) for p in report['ports']
            if (only is None or p['port'] == only) and
            (not is_newer(codeset) or is_present(p))]
    return PORTS['VPort' if is_newer(codeset) else 'Port'].text(rows)


def subunit_rows(name, subunits):
    for number, sub in enumerate(subunits):
        mine = f'{name}-{number}'
        port = '-' if sub.get('port') is None else f"p{sub['port']}"
        below = sub.get('subunits', ())
        yield [mine, sub['type'], sub['status'], *percents(sub), port, '-',
               '-' if below else unit_size(sub.get('sectors'))]
        yield from subunit_rows(mine, below)


def unit_detail(unit, codeset):
    """`/cX/uY show`."""
    name = f"u{unit['unit']}"
    subs = unit.get('subunits', ())
    # A unit of one drive is that drive's row: captures of JBOD have no other.
    alone = unit['type'] in ('JBOD', 'SINGLE', 'SPARE') and len(subs) == 1
    port = f"p{subs[0]['port']}" if alone and \
        subs[0].get('port') is not None else '-'
    rows = [[name, unit['type'], unit['status'],
             *percents(unit, unit.get('task')), port, stripe(unit),
             unit_size(unit['sectors'])]]
    if not alone:
        rows += subunit_rows(name, subs)
    return SUBUNITS['VPort' if is_newer(codeset) else 'Port'].text(rows)


def date(epoch, at_ns, codeset):
    form = '[%a %b %d %Y %H:%M:%S]' if is_newer(codeset) else None
    when = time.localtime(epoch + at_ns // 10**9)
    return time.strftime(form, when) if form else f'[{time.asctime(when)}]'


def alarms(cards, codeset, reverse=False):
    """`show alarms`: cards as (number, epoch, report); oldest first."""
    rows = []
    for number, epoch, report in cards:
        for event in report.get('events', ()):
            rows.append((epoch * 10**9 + event['at_ns'], [
                f'c{number}', date(epoch, event['at_ns'], codeset),
                event['severity'], event['text']]))
    rows.sort(key=lambda row: row[0])
    if reverse:
        rows.reverse()
    table = ALARMS['AEN' if is_newer(codeset) else 'Alarm']
    return table.text([cells for _, cells in rows])


# ------------------------------------------------------------------- lines

def lines(place, pairs):
    return ''.join(f'{place} {name} = {value}\n' for name, value in pairs)


CARD_ATTRIBUTES = {
    'driver': 'Driver Version', 'model': 'Model',
    'memory': 'Available Memory', 'firmware': 'Firmware Version',
    'bios': 'Bios Version', 'monitor': 'Boot Loader Version',
    'serial': 'Serial Number', 'pcb': 'PCB Version',
    'pchip': 'PCHIP Version', 'achip': 'ACHIP Version',
    'numports': 'Number of Ports', 'numdrives': 'Number of Drives',
    'numunits': 'Number of Units', 'rebuildrate': 'Rebuild Rate',
    'verifyrate': 'Verify Rate',
}
# What `show all` lists for a card of the first generation, in this order.
CARD_ALL = ('driver', 'model', 'memory', 'firmware', 'bios', 'monitor',
            'serial', 'pcb', 'pchip', 'achip')


def card_value(report, attribute):
    card = report['controller']
    if attribute == 'memory':
        return f"{card['memory_mb']}MB" if card.get('memory_mb') else ''
    return {
        'numports': card['ports'],
        'numdrives': sum(map(is_present, report['ports'])),
        'numunits': len(report['units']),
        'rebuildrate': card['rebuild_rate'],
        'verifyrate': card['verify_rate'],
        'driver': card.get('driver') or 'N/A',
    }.get(attribute, card.get(attribute) or '')


def card_lines(place, report, attributes):
    return lines(place, [(CARD_ATTRIBUTES[a], card_value(report, a))
                         for a in attributes])


def all_unit_status(place, report):
    good = sum(map(is_optimal, report['units']))
    return lines(place, [('Total Optimal Units', good),
                         ('Not Optimal Units', len(report['units']) - good)])


TASKS = {
    'rebuildstatus': ('rebuild', 'rebuilding'),
    'verifystatus': ('verify', 'verifying'),
    'initializestatus': ('initialize', 'initializing'),
}


def task_line(place, unit, attribute):
    task, word = TASKS[attribute]
    if unit.get('task') == task:
        return f'{place} is {word} with percent completion = ' \
            f"{int(unit.get('percent') or 0)}%\n"
    return f"{place} is not {word}, its current state is {unit['status']}\n"


UNIT_ATTRIBUTES = {
    'status': ('status', lambda u: u['status']),
    'volumes': ('volume(s)', lambda u: 1),
    'name': ('name', lambda u: u.get('name') or ''),
    'serial': ('serial number', lambda u: u.get('serial') or ''),
    'ignoreecc': ('Ignore ECC policy', lambda u: on_off(u.get('ignore_ecc'))),
    'autoverify': ('Auto Verify Policy',
                   lambda u: on_off(u.get('autoverify'))),
    'cache': ('Write Cache', lambda u: on_off(u.get('cache'))),
}
UNIT_ALL = ('status', *TASKS, 'volumes', 'name', 'serial', 'ignoreecc',
            'autoverify', 'cache')


def unit_lines(place, unit, attributes):
    text = ''
    for attribute in attributes:
        if attribute in TASKS:
            text += task_line(place, unit, attribute)
        else:
            name, value = UNIT_ATTRIBUTES[attribute]
            text += lines(place, [(name, value(unit))])
    return text


PORT_ATTRIBUTES = {
    'status': ('Status', lambda p: p['status']),
    'model': ('Model', lambda p: p.get('model') or '-'),
    'firmware': ('Firmware Version', lambda p: p.get('firmware') or '-'),
    'serial': ('Serial', lambda p: p.get('serial') or '-'),
    'capacity': ('Capacity', lambda p:
                 f"{drive_size(p['sectors'])} ({p['sectors']} Blocks)"
                 if is_present(p) else '-'),
}


def port_lines(place, port, attributes):
    return lines(place, [(PORT_ATTRIBUTES[a][0], PORT_ATTRIBUTES[a][1](port))
                         for a in attributes])
