"""Flower's own programs: where they are, and the environment that FedPS starts them in."""

from __future__ import annotations

import os
import socket
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from fedps.errors import UsageError

# No telemetry and no search for updates, unless the user's environment says otherwise; and the process
# that starts ClientApps looks for work more often than once a second, which rounds would wait for.
_ENVIRONMENT = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.2",
}


def environment(home: Path | None = None) -> dict[str, str]:
    """Return the environment for a program of Flower; ``home`` is where it keeps its files."""
    scripts = sysconfig.get_path("scripts")  # Flower's programs start each other by name
    own = {"PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    if home is not None:
        home.mkdir(parents=True, exist_ok=True)
        own["FLWR_HOME"] = str(home)
    return {**_ENVIRONMENT, **os.environ, **own}


def home_of(client: str) -> Path:
    """Return a folder for a client's node: two nodes that share one get in each other's way."""
    common = os.environ.get("FLWR_HOME") or "~/.flwr"
    return Path(common).expanduser() / "fedps" / quote(client, safe=" ")


def become(program: str, arguments: Sequence[str], home: Path | None = None) -> NoReturn:
    """Replace this process by a program of Flower."""
    path = path_of(program)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(path, [program, *arguments], environment(home))  # noqa: S606 - no shell is meant


def path_of(program: str) -> str:
    """Return where a program of Flower is."""
    path = Path(sysconfig.get_path("scripts"), program)
    if not path.is_file():
        raise UsageError(f"{program} is not installed here: pip install 'fedps[flower]'.")
    return str(path)


def free_port() -> int:
    """Return a port of this machine that is not in use."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
