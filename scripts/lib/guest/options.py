# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of scripts/guest, checked before anything starts.

A wrong option gets one line - what, where, what would be right - and exit
status 2.  What only the device can judge (levels, stripe sizes, images that
are too small) is left to it; its own line is passed on.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field

from . import kernel
from .cache import GuestError, TREE

HELP = """\
usage: scripts/guest [OPTION]... [-- COMMAND [ARG]...]

Boots a Debian kernel in QEMU with a 3ware card, runs COMMAND inside and gives
its output and its exit status.  The same command line gives the same output,
byte for byte: time inside the guest is counted in instructions, and a wait
for a drive costs next to nothing outside.

  scripts/guest                          boot, show the card and what to try
  scripts/guest -- lsscsi                one command
  scripts/guest -- 'dd if=/dev/sda bs=64k count=100 | md5sum'
                                         one argument is shell text;
                                         several are taken word for word
  scripts/guest --shell                  a shell inside (Ctrl-A x: kill QEMU)
  scripts/guest --board 3ware-7410 --drives 4xwd1200jb \\
      --unit raid5:0-3:64k -- fio --name=t --filename=/dev/sda --rw=randread \\
      --bs=8k --direct=1 --ioengine=libaio --number_ios=1000

The card and its drives
  --board NAME[,PROP=VALUE]...  which card (3ware-7410); again for a second
                                card: drives and units that follow are its own
  --drives SPEC                 drives in port order: 4xwd1200jb, or a list
                                2xwd1200jb,none,wd360gd ('none' leaves a port
                                empty; a name with a '/' is your preset file)
  --unit LEVEL:PORTS[:STRIPE]   make a unit at power-on, again for more:
                                raid5:0-3:64k, raid10:0-1+4-5, single:2, jbod:3
  --withhold PORT               that drive is not there (again for more)
  --images DIR                  keep the members' images in DIR (c0p0.raw is
                                card 0, port 0), and use them when they are
                                there; otherwise they are gone at the end
  --no-card                     boot without a card

The guest
  --kernel NAME                 5.10, 6.1 (default), 6.12 or newest
  --arch NAME                   amd64 (default) or 686
  --memory SIZE                 512M by default
  --disk FILE                   attach a raw image read-only: /dev/vda and on
  --script FILE                 run this script inside, instead of a command
  --put FILE                    lay a file into the guest as /put/NAME
  --shell                       an interactive shell; the clock is then real
                                unless --clock says otherwise.  When standard
                                input is no terminal it is run as a script
  --append WORDS                more words for the kernel's command line
  --reboots N                   the guest may reboot N times; after each the
                                command runs again with $BOOT one higher

The run
  --clock virtual|real          count instructions (default), or follow the
                                host's clock
  --timeout SECONDS             kill QEMU after so much wall time
  --log FILE                    write the guest's kernel log to FILE
  --trace FILE                  write the card's trace events to FILE
  --qmp PATH                    a QMP socket at PATH
  --qemu-arg ARG                one more argument for QEMU (again for more)
  --quiet, --verbose            less or more on standard error

Kernels and programs come from Debian, are checked, and are kept below
${PLATTER_CACHE:-~/.cache/platter}; PLATTER_REFRESH=1 looks for newer ones.
PLATTER_QEMU names another QEMU than build/bin/qemu-system-x86_64.

Exit status: the command's own; 2 wrong option; 124 timeout; 125 the guest
died or rebooted; QEMU's own when it did not start.
"""

# Ports of each board, to say "too many drives" before QEMU starts.  A board
# that is not here is asked of QEMU itself.
PORTS = {"3ware-6400": 4, "3ware-6800": 8, "3ware-7410": 4, "3ware-7810": 8,
         "3ware-7500-4": 4, "3ware-7500-8": 8, "3ware-8006-2": 2,
         "3ware-8506-4": 4, "3ware-8506-8": 8, "3ware-8506-12": 12}
DEFAULT_BOARD = "3ware-7410"
DEFAULT_DRIVE = "wd1200jb"
MEMORY_MIN = 192        # MiB; with less the newest kernel has no room to unpack
STAND_INS = ("megasas", "virtio-scsi")


@dataclass
class Drive:
    """One drive: the preset's name or path as given, and its sectors."""
    model: str
    sectors: int


@dataclass
class Card:
    """One --board with what was given after it."""
    board: str
    props: str = ""
    drives: list = field(default_factory=list)      # Drive or None, by port
    units: list = field(default_factory=list)
    withheld: set = field(default_factory=set)
    drives_given: bool = False


def presets_dir():
    own = os.environ.get("PLATTER_PRESETS")
    places = [own] if own else [
        os.path.join(TREE, "disk-model", "presets"),
        os.path.join(TREE, "presets")]
    return next((p for p in places if os.path.isdir(p)), places[0])


def preset_names():
    try:
        return sorted(f[:-6] for f in os.listdir(presets_dir())
                      if f.endswith(".drive"))
    except OSError:
        return []


def read_preset(model, where):
    """The Drive of a preset's name, or of a user's file (it has a '/')."""
    own = "/" in model
    path = model if own else os.path.join(presets_dir(), model + ".drive")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as err:
        if own:
            raise GuestError(f"{where}: cannot read preset file {model}: "
                             f"{getattr(err, 'strerror', err)}", 2) from None
        have = ", ".join(preset_names()) or f"none in {presets_dir()}"
        raise GuestError(f"{where}: unknown drive '{model}' (have {have}; a "
                         "file of your own needs a '/' in its name)",
                         2) from None
    group = ""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            group = line
        match = re.match(r"lba\s*=\s*(\d+)\s*$", line)
        if group == "[drive]" and match:
            return Drive(os.path.abspath(model) if own else model,
                         int(match.group(1)))
    raise GuestError(f"{where}: {path} has no line 'lba=SECTORS' in its "
                     "group [drive]", 2)


def parse_drives(text, where="--drives"):
    drives = []
    for part in text.split(","):
        match = re.match(r"(?:(\d+)x)?(.+)$", part)
        if not match or match.group(1) == "0":
            raise GuestError(f"{where}: '{part}' is not COUNTxMODEL "
                             "(like 4xwd1200jb, wd1200jb, none)", 2)
        count, model = int(match.group(1) or 1), match.group(2)
        if count > 64:
            raise GuestError(f"{where}: {count} drives are too many", 2)
        one = None if model == "none" else read_preset(model, where)
        drives += [one] * count
    return drives


def expand_ports(text):
    """The ports of a unit's PORTS, or None when it is not ours to judge."""
    ports = []
    for part in text.split("+"):
        match = re.match(r"(\d+)(?:-(\d+))?$", part)
        if part == "missing":
            ports.append("missing")
        elif match:
            first, last = int(match.group(1)), int(match.group(2)
                                                   or match.group(1))
            if last - first > 64:
                return None
            ports += list(range(first, last + 1))
        else:
            return None
    return ports


def unit_without(unit, withheld):
    """The unit's text with withheld ports written `missing`."""
    words = unit.split(":")
    ports = expand_ports(words[1]) if len(words) > 1 else None
    if not ports or not withheld.intersection(ports):
        return unit
    words[1] = "+".join("missing" if p in withheld else str(p) for p in ports)
    return ":".join(words)


def known_boards(qemu):
    """Names of the boards this QEMU has; empty when it cannot be asked."""
    try:
        done = subprocess.run([qemu, "-device", "help"], check=False,
                              capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return []
    names = re.findall(r'name "(3ware-[^"]+)"', done.stdout)
    return [n for n in names if n != "3ware-drive"]


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        message = re.sub(r"argument (--?[\w-]+)(/\S+)?: ", r"\1: ", message)
        stray = re.match(r"unrecognized arguments: ([^-].*)", message)
        if stray:
            message = (f"'{stray.group(1)}': a command to run inside goes "
                       "after --")
        message = message.replace("unrecognized arguments", "unknown option")
        raise GuestError(f"{message} (scripts/guest --help tells all)", 2)


class _CardAction(argparse.Action):
    """An option that belongs to the --board before it."""

    def __call__(self, parser, namespace, value, option_string=None):
        cards = namespace.cards
        if option_string == "--board":
            name, _, props = value.partition(",")
            cards.append(Card(name, props))
            return
        if not cards:
            namespace.implied = True
            cards.append(Card(DEFAULT_BOARD))
        card = cards[-1]
        if option_string == "--drives":
            card.drives += parse_drives(value)
            card.drives_given = True
        elif option_string == "--unit":
            if not value:
                raise GuestError("--unit: empty; LEVEL:PORTS[:STRIPE] is "
                                 "right, like raid5:0-3:64k", 2)
            card.units += [u for u in value.split("/") if u]
        else:
            ports = expand_ports(value.replace(",", "+"))
            if not ports or "missing" in ports:
                raise GuestError(f"--withhold: '{value}' is not a port "
                                 "(like 2, or 1+3)", 2)
            card.withheld.update(ports)


def _positive(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not value > 0:
        raise argparse.ArgumentTypeError(
            f"a number of seconds above 0 is needed, not '{text}'")
    return value


def _parser():
    parser = _Parser(add_help=False, allow_abbrev=False)
    add = parser.add_argument
    for name in ("--board", "--drives", "--unit", "--withhold"):
        add(name, action=_CardAction)
    for name in ("--images", "--qmp", "--trace", "--script", "--log"):
        add(name)
    for name in ("--disk", "--put", "--qemu-arg", "--append"):
        add(name, action="append", default=[])
    for name in ("--no-card", "--shell", "--quiet", "--verbose"):
        add(name, action="store_true")
    add("--kernel", default="6.1")
    add("--arch", default="amd64")
    add("--memory", default="512M")
    add("--clock", choices=("virtual", "real"))
    add("--timeout", type=_positive)
    add("--reboots", type=int, default=0)
    add("--stand-in", choices=STAND_INS)        # another HBA, for comparison
    add("-h", "--help", action="store_true")
    parser.set_defaults(cards=[], implied=False)
    return parser


def _readable(path, option):
    if not os.path.isfile(path):
        raise GuestError(f"{option}: there is no file {path}", 2)
    if not os.access(path, os.R_OK):
        raise GuestError(f"{option}: {path} cannot be read", 2)


def _megabytes(memory):
    """What --memory asks for; QEMU takes a bare number for megabytes."""
    found = re.fullmatch(r"([0-9]+)([MmGg]?)", memory)
    if not found:
        raise GuestError(f"--memory: '{memory}' is not a size "
                         "(like 512M or 6G)", 2)
    return int(found[1]) * (1024 if found[2] in ("G", "g") else 1)


def _writable(path, option):
    where = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(where):
        raise GuestError(f"{option}: there is no directory {where}", 2)
    if os.path.isdir(path):
        raise GuestError(f"{option}: {path} is a directory, not a file", 2)
    if not os.access(path if os.path.exists(path) else where, os.W_OK):
        raise GuestError(f"{option}: {path} cannot be written", 2)


def _fit_card(card, qemu):
    """Fill in what was not said about a card, and check what was."""
    ports = PORTS.get(card.board)
    if ports is None:
        boards = known_boards(qemu)
        if card.board not in boards:
            have = ", ".join(boards or sorted(PORTS))
            raise GuestError(f"--board: unknown board '{card.board}' "
                             f"(have {have})", 2)
    if not card.drives_given:
        wanted = 4
        for unit in card.units:
            numbers = [p for p in expand_ports((unit.split(":") + [""])[1])
                       or [] if p != "missing"]
            wanted = max([wanted] + [p + 1 for p in numbers])
        wanted = min(wanted, ports or wanted)
        card.drives = parse_drives(f"{wanted}x{DEFAULT_DRIVE}")
        if not card.units:
            card.units = ["raid5:0-3:64k" if wanted == 4 else "raid1:0-1"]
    if ports and len(card.drives) > ports:
        raise GuestError(f"--drives: {len(card.drives)} drives for "
                         f"{card.board}, which has {ports} ports", 2)
    for port in sorted(card.withheld):
        if port >= len(card.drives) or not card.drives[port]:
            raise GuestError(f"--withhold: there is no drive at port {port} "
                             f"of {card.board}", 2)
    card.units = [unit_without(u, card.withheld) for u in card.units]


def find_qemu():
    own = os.environ.get("PLATTER_QEMU")
    if own:
        path = shutil.which(own)
        if not path:
            raise GuestError(f"PLATTER_QEMU: there is no program {own}", 2)
        return path
    for path in (os.path.join(TREE, "build", "bin", "qemu-system-x86_64"),
                 os.path.join(TREE, "..", "..", "bin", "qemu-system-x86_64")):
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise GuestError("there is no build/bin/qemu-system-x86_64 yet; "
                     "`make` builds it")


def _check_rest(opts):
    if opts.no_card and opts.cards:
        raise GuestError("--no-card: and yet a card, drives or units are "
                         "given; leave out one of the two", 2)
    if _megabytes(opts.memory) < MEMORY_MIN:
        raise GuestError(f"--memory: {opts.memory} is too little to boot in; "
                         f"{MEMORY_MIN}M or more is right", 2)
    if opts.reboots < 0 or opts.reboots > 200:
        raise GuestError("--reboots: a number from 0 to 200 is needed", 2)
    modes = [w for w, given in (("--shell", opts.shell),
                                ("--script", opts.script),
                                ("a command", opts.command)) if given]
    if len(modes) > 1:
        raise GuestError(f"{modes[0]}: not together with {modes[1]}", 2)
    for option in ("images", "script", "log", "trace", "qmp"):
        if getattr(opts, option) == "":     # a shell variable that was not set
            raise GuestError(f"--{option}: a name is missing", 2)
    if opts.images is not None and os.path.exists(opts.images) \
            and not os.path.isdir(opts.images):
        raise GuestError(f"--images: {opts.images} is not a directory", 2)
    for option, paths in (("--script", [opts.script] if opts.script else []),
                          ("--put", opts.put), ("--disk", opts.disk)):
        for path in paths:
            _readable(path, option)
    for option, path in (("--log", opts.log), ("--trace", opts.trace),
                         ("--qmp", opts.qmp)):
        if path:
            _writable(path, option)


def _glue(argv):
    """Make `--qemu-arg -x` one word, or argparse would take -x for its own."""
    out = []
    words = iter(argv)
    for word in words:
        if word in ("--qemu-arg", "--append"):
            value = next(words, None)
            out.append(word if value is None else f"{word}={value}")
        else:
            out.append(word)
    return out


def parse(argv):
    """The options of a command line, with .command (list) and .qemu."""
    command = []
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
        if not command:
            raise GuestError("--: a command must follow", 2)
    opts = _parser().parse_args(_glue(argv))
    opts.command = command
    opts.clock_given = opts.clock is not None
    opts.clock = opts.clock or ("real" if opts.shell else "virtual")
    if opts.help:
        return opts
    kernel.check_name(opts.kernel, opts.arch)
    _check_rest(opts)
    opts.qemu = find_qemu()
    if not opts.cards and not opts.no_card:
        opts.cards = [Card(DEFAULT_BOARD)]
    for card in opts.cards:
        _fit_card(card, opts.qemu)
    return opts


def shell_text(command):
    """One argument is shell text; several are words to keep as they are."""
    return command[0] if len(command) == 1 else shlex.join(command)
