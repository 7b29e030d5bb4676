"""Flower's command ``flwr``: with a SuperLink that it knows, and runs that are followed to their end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fedps.errors import TransportError, UsageError
from fedps.flower.flower_programs import environment, path_of

CONNECTION = "fedps"  # what a SuperLink is called in the config that connected() writes
_STARTED = re.compile(r"Successfully started run (\d+)")


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
    """A run did not start; what Flower printed says why, more or less."""


class RunStatus(NamedTuple):
    """How a run ended, as Flower says it."""

    status: str
    details: str


def run_and_follow(arguments: Sequence[str], env: Mapping[str, str]) -> RunStatus:
    """Start a run, pass its log on as it arrives, and return how it ended."""
    command = [path_of("flwr"), "run", *arguments, "--stream"]
    found = None
    with subprocess.Popen(  # noqa: S603
        command, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                found = found or _STARTED.search(line)
                sys.stdout.write(line)
                sys.stdout.flush()
        except KeyboardInterrupt:
            if found is None:
                raise
            raise TransportError(f"stopped following run {found[1]}, which goes on.") from None
    if found is None:
        raise NotStartedError("the run did not start: the lines above say why.")
    return _status(found[1], env)


def _status(run: str, env: Mapping[str, str]) -> RunStatus:
    command = [path_of("flwr"), "ls", CONNECTION, "--run-id", run, "--format", "json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        answer: Any = json.loads(done.stdout[done.stdout.index("{") :])
        (told,) = answer["runs"]
        return RunStatus(str(told["status"]), str(told["status-details"]))
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
        raise UsageError(f"{key} contains quotes of both kinds, or a new line: {value!r}.")
    return json.dumps(value)
