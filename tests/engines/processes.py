"""Processes that tests start: found and ended by a mark in their environment, orphans too."""

import os
import signal
import socket
import time
from contextlib import suppress
from itertools import product
from pathlib import Path

MARK = "FEDPS_TEST_PROCESS"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def marked(mark):
    """Return the pids of all processes that were started under a mark, or by one that was."""
    sought = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                variables = (entry / "environ").read_bytes().split(b"\0")
            except OSError:  # it has ended, or is another user's
                continue
            if any(variable.startswith(sought) for variable in variables):
                found.append(int(entry.name))
    return found


def end(mark, *, patience=10.0):
    """SIGKILL everything under a mark, and wait until it is gone.

    All of it is stopped first: none sees another die, as when a machine fails.
    """
    until = time.monotonic() + patience
    while pids := marked(mark):
        for blow, pid in product((signal.SIGSTOP, signal.SIGKILL), pids):
            with suppress(ProcessLookupError):
                os.kill(pid, blow)
        assert time.monotonic() < until, f"processes {pids} do not end"
        time.sleep(0.05)


def wait_for(condition, seconds, what):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, f"waited {seconds} s for {what}"
        time.sleep(0.1)
    return found
