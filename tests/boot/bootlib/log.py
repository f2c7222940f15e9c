# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel log may say of a card, and a card's trace.

Every line of the driver that is not known to be good is bad; so is any sign
of trouble from the kernel around it.
"""

import re

_DRIVER = re.compile(r"3w-xxxx|3ware", re.I)
_GOOD = re.compile("|".join((
    r"3ware Storage Controller device driver for Linux",
    r"3w-xxxx: scsi\d+: Found a 3ware Storage Controller at",
    r"scsi host\d+: 3ware Storage Controller",
    r"scsi \d+:0:\d+:0: Direct-Access     3ware    Logical Disk",
    r"\[.*\] pci .*13c1:100",
    r"ACPI: .*Enabled at IRQ",
    r"loading out-of-tree|module verification",
    # the kernel's disk driver asks, 3w-xxxx answers; the card never sees it
    r"3w-xxxx: scsi\d+: Unknown scsi opcode: 0x5a",
    r"3w-xxxx: Shut(ting down host \d+|down complete)")))
_TROUBLE = re.compile("|".join((
    r"WARNING:", r"BUG:", r"Oops", r"Call Trace", r"\bpanic\b(?!=)",
    r"I/O error", r"lost interrupt", r"nobody cared", r"timing out",
    r"timed out", r"rejecting I/O", r"hung_task|blocked for more than",
    r"soft lockup", r"Unhandled", r"Sense Key", r"hostbyte=",
    r"Buffer I/O", r"general protection", r"page fault",
    r"DMA-API|swiotlb buffer is full")))
_HARMLESS = re.compile(r"Command line:|Kernel command line|page_fault|"
                       r"Spectre|Speculative|MDS|TAA|MMIO Stale")


def is_bad(line):
    if _HARMLESS.search(line):
        return False
    if _DRIVER.search(line) and not _GOOD.search(line):
        return True
    return bool(_TROUBLE.search(line))


def bad_lines(text):
    return [line.strip() for line in text.splitlines() if is_bad(line)]


class Record:
    """One trace line: event name, card, time (ns), word and values."""

    __slots__ = ("event", "card", "at", "word", "values", "line")

    def __init__(self, event, card, at, text, line):
        self.event, self.card, self.at, self.line = event, card, at, line
        words, self.values = [], {}
        for part in text.split():
            key, equals, value = part.partition("=")
            try:
                self.values[key] = int(value, 0) if equals else None
            except ValueError:
                self.values[key] = value
            if not equals:
                words.append(part)
                del self.values[key]
        self.word = " ".join(words)


_LINE = re.compile(r"(?:\d+@[\d.]+:)?(tw_\w+) (\S+) @(-?\d+) (.*)$")


def read_trace(path):
    """All records of a trace file."""
    records = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = _LINE.match(line)
            if match:
                records.append(Record(match.group(1), match.group(2),
                                      int(match.group(3)), match.group(4),
                                      line.rstrip("\n")))
    return records
