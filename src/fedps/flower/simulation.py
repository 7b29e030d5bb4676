"""simulation: a SuperLink that simulates its nodes, for the duration of a run."""

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
from fedps.flower import flower_programs

_SECONDS_TO_START = 60.0  # and to stop


@contextmanager
def simulation() -> Iterator[str]:
    """Give the address of a SuperLink that simulates its nodes: without TLS, on this machine only."""
    if find_spec("ray") is None:
        raise UsageError("Flower needs ray to simulate nodes: pip install 'flwr[simulation]'.")
    port = flower_programs.free_port()
    with TemporaryDirectory(prefix="fedps-") as home, Path(home, "log").open("wb") as log:
        words = ["--simulation", "--insecure", "--port", str(port)]
        process = subprocess.Popen(  # noqa: S603
            [
                flower_programs.path_of("flower-superlink"),
                *words,
                "--disable-runtime-dependency-installation",
            ],
            env=flower_programs.environment(Path(home)),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C first stops the command that follows the run
        )
        try:
            _wait(process, port)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(_SECONDS_TO_START)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until a port is open."""
    until = time.monotonic() + _SECONDS_TO_START
    while process.poll() is None and time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TransportError("Flower's simulation did not start: flower-superlink --simulation ended.")
