"""``fedps flower describe``, ``crosstab`` and ``corr``: look at the data of a running federation's clients."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from fedps.cli.columns.column_options import SPLIT_OPTIONS
from fedps.cli.flower_runs import (
    INSECURE,
    ROOT,
    SUPERLINK,
    check_security,
    run_settings,
    run_to_its_end,
)
from fedps.cli.looks.look_options import (
    CORR_OPTIONS,
    CROSSTAB_ARGUMENTS,
    DESCRIBE_OPTIONS,
    LOOK_RESULTS,
    correlated_look,
    crossed_look,
    described_look,
)
from fedps.cli.options import LOOK_JOB_OPTIONS, all_of
from fedps.federation.looks.look import Look
from fedps.files.looks import check_look_ending
from fedps.flower import flwr_command
from fedps.flower.app_folder import make_look_app

_THERE = all_of(SUPERLINK, ROOT, INSECURE, LOOK_JOB_OPTIONS, SPLIT_OPTIONS, LOOK_RESULTS)


@click.command("describe")
@DESCRIBE_OPTIONS
@_THERE
def _describe(**given: Any) -> None:
    """Show what the columns of all clients hold, as if their rows were in one place.

    It is a run like a fit: the same clients, policies, ledgers and consent. --out and the other
    files are on the machine of the SuperLink; without --out the log shows what was found. Example:

    \b
    fedps flower describe --superlink localhost:8000 --root-certificates ca.crt \\
        --clients 3 --by sex --out report.html
    """  # noqa: D301 - to click, \\b means that lines stay as they are
    _run(described_look(given), given)


@click.command("crosstab")
@CROSSTAB_ARGUMENTS
@_THERE
def _crosstab(**given: Any) -> None:
    """Count the rows of all clients that have each pair of categories of two columns.

    ROW and COLUMN are the names of two columns. The options are those of describe.
    """
    _run(crossed_look(given), given)


@click.command("corr")
@CORR_OPTIONS
@_THERE
def _corr(**given: Any) -> None:
    """Show the correlation of each two columns of numbers, over the rows of all clients.

    The options are those of describe.
    """
    _run(correlated_look(given), given)


def _run(look: Look, given: dict[str, Any]) -> None:
    """Make an app for a look, run it, and show its log until it ends."""
    superlink, root, insecure = (
        given.pop(name) for name in ("superlink", "root_certificates", "insecure")
    )
    check_security(root, insecure)
    check_look_ending(given["out"])
    with TemporaryDirectory(prefix="fedps-") as folder:
        app = Path(folder, look.name)
        make_look_app(app, look, run_settings(given))
        run_to_its_end([str(app), flwr_command.CONNECTION], superlink, root, insecure=insecure)


FLOWER_LOOKS = (_describe, _crosstab, _corr)
