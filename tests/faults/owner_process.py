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


class Processes:
    """A transport to owners in processes of their own; ``kill_at`` says which dies at which message."""

    def __init__(self, folder, kill_at=()):
        command = [sys.executable, "-m", "tests.faults.owner_process", str(folder)]
        self.children = {
            name: subprocess.Popen(
                [*command, name, str(dict(kill_at).get(name, 0))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for name in columns.CLIENTS
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children.values():
            child.kill()
            child.communicate()

    def clients(self):
        return tuple(self.children)

    def exchange(self, messages):
        for name, message in messages.items():
            stream = self.children[name].stdin
            stream.write(LENGTH.pack(len(message)) + message)
            stream.flush()
        for name in messages:
            header = self.children[name].stdout.read(LENGTH.size)
            if len(header) < LENGTH.size:
                yield name, Lost("is gone")
                continue
            yield name, self.children[name].stdout.read(*LENGTH.unpack(header))


if __name__ == "__main__":
    main()
