"""What commands that run an app on Flower share: where the SuperLink is, settings, following the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fedps.cli.options import EXISTING_FILE
from fedps.errors import TransportError, UsageError
from fedps.flower import flwr_command
from fedps.flower.run_config import DEFAULTS
from fedps.flower.superlink_address import check_superlink, why_unreachable

SUPERLINK = click.option(
    "--superlink", metavar="HOST:PORT", required=True, help="The address of the SuperLink."
)
ROOT = click.option(
    "--root-certificates", type=EXISTING_FILE,
    help="The certificate of the authority that signed the server's.",
)  # fmt: skip
INSECURE = click.option(
    "--insecure", is_flag=True, help="Without TLS and node keys: only to try something out."
)
ABOVE = "the lines above say why."


def follow_run(
    arguments: list[str], superlink: str, root_certificates: Path | None, *, insecure: bool
) -> None:
    """Run an app and show its log until it ends; an error if it does not end well."""
    check_superlink(superlink, root_certificates)
    with flwr_command.connected(superlink, root_certificates, insecure=insecure) as env:
        try:
            ended = flwr_command.run_and_follow(arguments, env)
        except flwr_command.NotStartedError:
            cause = why_unreachable(superlink, root_certificates, insecure=insecure)
            raise TransportError(f"the run did not start: {cause or ABOVE}") from None
    if ended.status != "finished:completed":
        why = ended.details.partition("exception: ")[2] or "its log, above, says why."
        raise TransportError(f"the run ended as {ended.status}: {why}")


def run_settings(given: dict[str, Any]) -> dict[str, str | int | float]:
    """Return the settings of a run that were given, as a run config has them."""
    found = {key.replace("_", "-"): value for key, value in given.items() if value is not None}
    assert found.keys() <= DEFAULTS.keys()
    return {
        key: str(value.expanduser().absolute()) if isinstance(value, Path) else value
        for key, value in found.items()
    }


def check_security(secured: Path | None, insecure: bool) -> None:
    """Refuse certificates or keys together with ``--insecure``."""
    if insecure and secured is not None:
        raise UsageError(
            "--insecure goes without certificates and keys: leave out one or the other."
        )
