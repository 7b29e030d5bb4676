"""Flower's own programs, started as FedPS would have them: quiet, quick, and found."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, NoReturn
from urllib.parse import quote

from fedps.errors import TransportError, UsageError

CONNECTION = "fedps"  # what a SuperLink is called in a config of ours
STARTED = re.compile(r"Successfully started run (\d+)")

# Who starts a node for FedPS gets no telemetry and no look for updates, unless asked for; and the
# process that starts ClientApps looks for work more often than once a second.
SETTINGS = {
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
    return {**SETTINGS, **os.environ, **own}


def home_of(client: str) -> Path:
    """Return a folder for a client's node: two nodes that share one get in each other's way."""
    common = os.environ.get("FLWR_HOME") or "~/.flwr"
    return Path(common).expanduser() / "fedps" / quote(client, safe=" ")


def become(program: str, arguments: Sequence[str], home: Path | None = None) -> NoReturn:
    """Turn this process into a program of Flower."""
    path = path_of(program)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(path, [program, *arguments], environment(home))  # noqa: S606 - no shell is meant


@contextmanager
def connected(
    superlink: str, root_certificates: Path | None, *, insecure: bool
) -> Iterator[dict[str, str]]:
    """Give an environment in which ``flwr`` knows a SuperLink as CONNECTION, and nothing else."""
    lines = [f"[superlink.{CONNECTION}]", f"address = {json.dumps(superlink)}"]
    if root_certificates is not None:
        lines.append(f"root-certificates = {json.dumps(str(root_certificates.absolute()))}")
    if insecure:
        lines.append("insecure = true")
    with TemporaryDirectory(prefix="fedps-") as home:
        Path(home, "config.toml").write_text("\n".join(lines) + "\n", "utf-8")
        yield environment(Path(home))


def flwr(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Run ``flwr`` and return its exit code."""
    return subprocess.run([path_of("flwr"), *arguments], env=env, check=False).returncode  # noqa: S603


class NotStartedError(TransportError):
    """A run did not start; Flower has said why, more or less."""


class Ended(NamedTuple):
    """How a run ended, as Flower says it."""

    status: str
    details: str


def run_and_follow(arguments: Sequence[str], env: Mapping[str, str]) -> Ended:
    """Start a run, pass its log on as it comes, and return how it ended."""
    command = [path_of("flwr"), "run", *arguments, "--stream"]
    found = None
    with subprocess.Popen(  # noqa: S603
        command, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                found = found or STARTED.search(line)
                sys.stdout.write(line)
                sys.stdout.flush()
        except KeyboardInterrupt:
            if found is None:
                raise
            raise TransportError(f"stopped looking at run {found[1]}, which goes on.") from None
    if found is None:
        raise NotStartedError("the run did not start: the lines above say why.")
    return _ended(found[1], env)


def _ended(run: str, env: Mapping[str, str]) -> Ended:
    command = [path_of("flwr"), "ls", CONNECTION, "--run-id", run, "--format", "json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        answer: Any = json.loads(done.stdout[done.stdout.index("{") :])
        (told,) = answer["runs"]
        return Ended(str(told["status"]), str(told["status-details"]))
    except (ValueError, LookupError):
        raise TransportError(f"the SuperLink does not tell how run {run} ended.") from None


def config_text(settings: Mapping[str, str | int | float]) -> str:
    """Return settings as Flower's options take them.

    >>> print(config_text({"name": "oslo", "clients": 3}))
    name='oslo' clients=3
    """
    return " ".join(f"{key}={_value(key, value)}" for key, value in settings.items())


def _value(key: str, value: str | float) -> str:
    if not isinstance(value, str):
        return repr(value)
    if "'" not in value and "\n" not in value:
        return f"'{value}'"
    if '"' in value or "\n" in value:
        raise UsageError(f"{key} has quotes of both kinds in it, or a new line: {value!r}.")
    return json.dumps(value)


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def path_of(program: str) -> str:
    """Return where a program of Flower is."""
    path = Path(sysconfig.get_path("scripts"), program)
    if not path.is_file():
        raise UsageError(f"{program} is not installed here: pip install 'fedps[flower]'.")
    return str(path)
