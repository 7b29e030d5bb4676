"""Processes that tests start: found and ended by a mark in their environment, orphans too."""

import os
import random
import signal
import socket
import time
from contextlib import suppress
from itertools import product
from pathlib import Path

MARK = "FEDPS_TEST_PROCESS"
PORTS = range(20_000, 32_768)  # below those that Linux hands out by itself
PATIENCE = 300.0  # seconds for what takes a few: only what never comes is to fail


def free_port():
    """Return a port for a server that is started later.

    No other test gets it while this process lives, not even one that runs at the same time: a name
    that only one process of a machine can have goes with it.
    """
    for port in random.sample(PORTS, len(PORTS)):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0fedps test port {port}")
            with socket.socket() as probe:
                probe.bind(("", port))
        except OSError:
            name.close()
        else:
            name.detach()  # it stays open
            return port
    raise AssertionError(f"all ports from {PORTS.start} to {PORTS.stop - 1} are taken")


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


def end(mark, *, patience=60.0):
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


def wait_for(condition, what, seconds=PATIENCE):
    """Wait until a condition holds, and return what it gave."""
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, f"waited {seconds} s for {what}"
        time.sleep(0.1)
    return found
