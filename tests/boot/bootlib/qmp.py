# SPDX-License-Identifier: GPL-2.0-or-later
"""A word with QEMU over its QMP socket."""

import json
import os
import socket
import time


class QmpError(Exception):
    pass


class Qmp:
    """A connection; the socket's path may be longer than sockets allow."""

    def __init__(self, directory, name, patience=30):
        where = os.open(directory, os.O_PATH | os.O_DIRECTORY)
        try:
            end = time.monotonic() + patience
            while True:
                self._socket = socket.socket(socket.AF_UNIX)
                self._socket.settimeout(120)
                try:
                    self._socket.connect(f"/proc/self/fd/{where}/{name}")
                    break
                except OSError:
                    self._socket.close()
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.05)
        finally:
            os.close(where)
        self._file = self._socket.makefile("rwb")
        self.events = []
        self._read()
        self.ask("qmp_capabilities")

    def _read(self):
        line = self._file.readline()
        if not line:
            raise QmpError("QEMU hung up")
        return json.loads(line)

    def ask(self, command, **arguments):
        """The command's return value; QmpError with QEMU's words."""
        words = {"execute": command}
        if arguments:
            words["arguments"] = {k.replace("_", "-"): v
                                  for k, v in arguments.items()}
        self._file.write(json.dumps(words).encode() + b"\n")
        self._file.flush()
        while True:
            answer = self._read()
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise QmpError(answer["error"]["desc"])
            else:
                return answer["return"]

    def wait_event(self, name):
        while True:
            for at, event in enumerate(self.events):
                if event["event"] == name:
                    return self.events.pop(at)
            self.events.append(self._read())

    def close(self):
        self._file.close()
        self._socket.close()
