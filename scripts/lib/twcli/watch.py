# SPDX-License-Identifier: GPL-2.0-or-later
"""What the daemon of 3DM did: looks at the cards now and then, runs a command
or writes mail for each new event, keeps a status file, shows a page.

The door is opened for each look and closed after it, since a QEMU's socket
serves one client at a time.  An event is new when it is not among those of
the look before; after a restart those in the status file count as seen.
Without a status file what has happened before the first look is old.
"""

import html
import http.server
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from . import text
from .doors import Unreachable

COMMAND_SECONDS = 60        # a command or sendmail that takes longer is ended
PAGE_SECONDS = 2            # the same for a browser

GOOD, BUSY, BAD = 'good', 'busy', 'bad'


class Stop(BaseException):
    """SIGTERM or Ctrl-C came while nothing was under way."""


def fresh(old, new):
    """The events of `new` that came after those of `old`.

    A log forgets its oldest entries, so an end of the old one is the
    beginning of the new one; the longest that fits is taken.
    """
    for length in range(min(len(old), len(new)), 0, -1):
        if old[-length:] == new[:length]:
            return new[length:]
    return new


def look(opener):
    """One look: ([report, ...], [epoch, ...])."""
    door = None
    try:
        door = opener()
        cards = door.cards()
        reports = [card.report() for card in cards]
        return reports, [card.epoch(report) for card, report in
                         zip(cards, reports)]
    finally:
        if door:
            door.close()


# ------------------------------------------------------------------ telling

def complain(words):
    print(f'twcli watch: {words}', file=sys.stderr, flush=True)


def tell(command, shell, **how):
    """Run what tells of an event; its failure is told, not followed."""
    name = command if shell else command[0]
    try:
        done = subprocess.run(command, shell=shell, check=False,
                              timeout=COMMAND_SECONDS, **how)
    except (OSError, subprocess.TimeoutExpired) as error:
        complain(f'{name}: {error}')
        return
    if done.returncode:
        complain(f'{name}: exit status {done.returncode}')


def on_event(options, controller, date, event):
    words = f"{controller} {event['severity']}: {event['text']}"
    print(f'{date} {words}', flush=True)
    if options.on_event:
        tell(options.on_event, True, stdin=subprocess.DEVNULL, env={
            **os.environ, 'TWCLI_CONTROLLER': controller,
            'TWCLI_SEVERITY': event['severity'],
            'TWCLI_CODE': f"0x{event['code']:02x}",
            'TWCLI_TEXT': event['text'], 'TWCLI_DATE': date,
            'TWCLI_AT_NS': str(event['at_ns'])})
    if options.mail:
        subject = ' '.join(f'3ware {words}'.split())
        tell([options.sendmail, '-oi', options.mail], False, text=True,
             input=f'To: {options.mail}\nSubject: {subject}\n\n'
             f'{date}\n{words}\nAEN 0x{event["code"]:02x}\n')


# ------------------------------------------------------------- status, page

def grade(status):
    if status in ('OK', 'VERIFYING'):
        return GOOD
    busy = status.startswith(('INIT', 'REBUILD', 'VERIFY'))
    return BUSY if busy else BAD


def worst(reports):
    grades = [grade(thing['status']) for report in reports
              for thing in report['units'] + report['ports']
              if thing['status'] != 'NOT-PRESENT']
    return next((g for g in (BAD, BUSY) if g in grades), GOOD)


def write_whole(path, words):
    """All of it or nothing: a reader never sees half."""
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path) or '.',
                                      prefix=os.path.basename(path) + '.')
    try:
        with os.fdopen(handle, 'w', encoding='utf-8') as file:
            file.write(words)
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except OSError:
        os.unlink(beside)
        raise


STYLE = """body{font:14px sans-serif;margin:2em;max-width:60em}
table{border-collapse:collapse;margin-bottom:1.5em}
td,th{text-align:left;padding:.2em 1em .2em 0;border-bottom:1px solid #ddd}
.good{color:#060}.busy{color:#a60}.bad{color:#b00;font-weight:bold}"""


def cells(tag, row):
    return '<tr>' + ''.join(
        f'<{tag} class="{grade(c)}">{html.escape(str(c))}</{tag}>'
        if mark else f'<{tag}>{html.escape(str(c))}</{tag}>'
        for c, mark in row) + '</tr>'


def table(head, rows, status):
    """status: the column that is coloured."""
    return '<table>' + cells('th', [(h, False) for h in head]) + ''.join(
        cells('td', [(c, n == status) for n, c in enumerate(row)])
        for row in rows) + '</table>'


def card_html(number, report, epoch):
    def done(unit):
        return '' if unit.get('percent') is None else \
            f"{int(unit['percent'])} %"

    units = [(f"u{u['unit']}", u['type'], u['status'], done(u),
              text.unit_size(u['sectors']) + ' GB', u.get('name') or '')
             for u in report['units']]
    ports = [(f"p{p['port']}", p['status'],
              '-' if p.get('unit') is None else f"u{p['unit']}",
              text.drive_size(p.get('sectors')), p.get('model') or '',
              p.get('serial') or '') for p in report['ports']]
    events = [(text.date(epoch, e['at_ns'], '9.5.1'), e['severity'],
               e['text']) for e in reversed(report.get('events', ()))]
    model = html.escape(str(report['controller']['model']))
    return (f'<h2>c{number}: {model}</h2>' + table(
        ('Unit', 'Type', 'Status', 'Done', 'Size', 'Name'), units, 2)
        + table(('Port', 'Status', 'Unit', 'Size', 'Model', 'Serial'),
                ports, 1)
        + table(('Date', 'Severity', 'Event'), events, None))


def page(state, interval):
    body = ''.join(card_html(n, r, e) for n, (r, e) in
                   enumerate(zip(state['reports'], state['epochs'])))
    if state['trouble']:
        body = f'<p class="bad">{html.escape(state["trouble"])}</p>' + body
    return ('<!DOCTYPE html><html><head><meta charset="utf-8">'
            f'<meta http-equiv="refresh" content="{max(1, int(interval))}">'
            f'<title>3ware: {state["state"]}</title><style>{STYLE}</style>'
            f'</head><body><h1>3ware cards: <span class="{state["state"]}">'
            f'{state["state"]}</span></h1>{body}</body></html>\n')


def server(port, watcher):
    """The page, for this machine alone."""
    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = PAGE_SECONDS

        def do_GET(self):
            kinds = {'/': ('text/html; charset=utf-8', watcher.page),
                     '/status.json': ('application/json', watcher.status)}
            if self.path not in kinds:
                self.send_error(404, 'here are / and /status.json')
                return
            kind, words = kinds[self.path]
            body = words().encode()
            self.send_response(200)
            self.send_header('Content-Type', kind)
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    return http.server.HTTPServer(('127.0.0.1', port), Handler)


# ---------------------------------------------------------------- the watch

class Watcher:
    def __init__(self, opener, options, epoch):
        self.opener = opener
        self.options = options
        self.epoch = epoch
        self.state = {'state': BAD, 'trouble': 'not looked yet',
                      'reports': [], 'epochs': []}
        self.seen = None            # events by controller; None: not looked
        if options.status and os.path.exists(options.status):
            self.remember(options.status)

    def remember(self, path):
        try:
            with open(path, encoding='utf-8') as file:
                self.seen = [r['events'] for r in json.load(file)['reports']]
        except (OSError, ValueError, KeyError, TypeError):
            complain(f'{path} is not a status file; written anew')

    def page(self):
        return page(self.state, self.options.interval)

    def status(self):
        return json.dumps(self.state, indent=1) + '\n'

    def look(self):
        try:
            reports, epochs = look(self.opener)
        except Unreachable as error:
            if self.state['trouble'] != str(error):
                complain(error)
            self.state.update(state=BAD, trouble=str(error))
        else:
            if self.epoch is not None:
                epochs = [self.epoch] * len(reports)
            self.state = {'state': worst(reports), 'trouble': None,
                          'reports': reports, 'epochs': epochs}
            self.tell_new()
        if self.options.status:
            try:
                write_whole(self.options.status, self.status())
            except OSError as error:
                complain(f'{self.options.status}: {error.strerror}')

    def tell_new(self):
        logs = [r.get('events', []) for r in self.state['reports']]
        if self.seen is None:
            self.seen = logs
        self.seen += [[] for _ in logs[len(self.seen):]]
        for number, log in enumerate(logs):
            new = fresh(self.seen[number], log)
            self.seen[number] = log
            for event in new:
                on_event(self.options, f'/c{number}', text.date(
                    self.state['epochs'][number], event['at_ns'], '9.5.1'),
                    event)


def options_of(words, parser):
    p = parser(prog='scripts/twcli watch', allow_abbrev=False,
               description='Looks at the cards until SIGTERM or Ctrl-C.')
    p.add_argument('--interval', metavar='S', type=float, default=5,
                   help='seconds between looks (default 5)')
    p.add_argument('--on-event', metavar='CMD',
                   help='run by sh for each new event, with TWCLI_CONTROLLER,'
                        ' _SEVERITY, _CODE, _TEXT, _DATE, _AT_NS')
    p.add_argument('--mail', metavar='ADDR', help='mail for each new event')
    p.add_argument('--sendmail', metavar='PATH',
                   default='/usr/sbin/sendmail', help='default %(default)s')
    p.add_argument('--status', metavar='FILE',
                   help='kept up to date, JSON; also what was told already')
    p.add_argument('--port', metavar='N', type=int,
                   help='a page at 127.0.0.1:N; 0 takes a free one')
    options = p.parse_args(words)
    if not 0.05 <= options.interval <= 86400:
        p.error(f'--interval {options.interval}: right is 0.05 to 86400')
    if options.mail and (options.mail.startswith('-') or
                         any(c.isspace() for c in options.mail)):
        p.error(f'--mail {options.mail!r}: right is one address')
    if options.port is not None and not 0 <= options.port <= 65535:
        p.error(f'--port {options.port}: right is 0 to 65535')
    return options


class Signals:
    """An end that waits for what is under way, but not for the next look."""

    def __init__(self):
        self.stopped = self.waiting = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.came)

    def came(self, number, frame):
        self.stopped = True
        if self.waiting:
            raise Stop

    def wait(self, seconds, pages):
        end = time.monotonic() + seconds
        try:
            self.waiting = True
            while not self.stopped and time.monotonic() < end:
                if pages:
                    pages.timeout = max(0, end - time.monotonic())
                    pages.handle_request()
                else:
                    time.sleep(max(0, end - time.monotonic()))
        except Stop:
            pass
        self.waiting = False


def main(opener, words, epoch, parser):
    options = options_of(words, parser)
    signals = Signals()
    watcher = Watcher(opener, options, epoch)
    pages = None
    if options.port is not None:
        pages = server(options.port, watcher)
        print(f'twcli watch: http://127.0.0.1:{pages.server_port}/',
              flush=True)
    while not signals.stopped:
        watcher.look()
        signals.wait(options.interval, pages)
    if pages:
        pages.server_close()
    return 0
