"""An owner of columns in a process of its own, which may kill itself; and what talks to such processes.

``python -m tests.faults.owner_process FOLDER NAME KILL_AT``: answers messages from standard input, and dies
after it has answered as many as KILL_AT, before the answer is sent.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

from fedps.transports import Lost
from tests.conformance import columns
from tests.faults.owners_there import OpenedAnew

LENGTH = struct.Struct("<q")


def main():
    folder, name, kill_at = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    opened = columns.settings_of(folder, name).open(name, "test")
    number = 0
    while header := sys.stdin.buffer.read(LENGTH.size):
        reply = opened.answer(sys.stdin.buffer.read(*LENGTH.unpack(header)))
        number += 1
        if number == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        sys.stdout.buffer.write(LENGTH.pack(len(reply)) + reply)
        sys.stdout.buffer.flush()


class OneProcess(OpenedAnew):
    """A transport on which one owner is a process of its own, which dies at a message."""

    def __init__(self, folder, name, kill_at):
        super().__init__(folder)
        command = [sys.executable, "-m", "tests.faults.owner_process"]
        self._name = name
        self._child = subprocess.Popen(
            [*command, str(folder), name, str(kill_at)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._child.kill()
        self._child.communicate()

    def answer(self, name, message):
        """Let an owner answer; Lost if its process is gone."""
        if name != self._name:
            return super().answer(name, message)
        self._child.stdin.write(LENGTH.pack(len(message)) + message)
        self._child.stdin.flush()
        header = self._child.stdout.read(LENGTH.size)
        if len(header) < LENGTH.size:
            return Lost("is gone")
        return self._child.stdout.read(*LENGTH.unpack(header))


if __name__ == "__main__":
    main()
