"""A SuperLink that simulates its nodes, for as long as a run takes."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from fedps.errors import TransportError, UsageError
from fedps.flower import programs

PATIENCE = 60.0  # seconds for it to start, and to stop


@contextmanager
def simulation() -> Iterator[str]:
    """Give the address of a SuperLink that simulates its nodes, without TLS, on this machine only."""
    if find_spec("ray") is None:
        raise UsageError("Flower simulates nodes by ray: pip install 'flwr[simulation]'.")
    port = programs.free_port()
    with TemporaryDirectory(prefix="fedps-") as home, Path(home, "log").open("wb") as log:
        words = ["--simulation", "--insecure", "--port", str(port)]
        process = subprocess.Popen(  # noqa: S603
            [
                programs.path_of("flower-superlink"),
                *words,
                "--disable-runtime-dependency-installation",
            ],
            env=programs.environment(Path(home)),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C stops what looks at it first
        )
        try:
            _wait(process, port)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until a port is open."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TransportError("Flower's simulation did not start: flower-superlink --simulation ended.")
