"""``fedps nvflare describe``, ``crosstab`` and ``corr``: make jobs that look at the data of a federation's sites."""

from __future__ import annotations

from typing import Any

import click

from fedps.cli.columns.column_options import SPLIT_OPTIONS
from fedps.cli.looks.look_options import (
    CORR_OPTIONS,
    CROSSTAB_ARGUMENTS,
    DESCRIBE_OPTIONS,
    correlated_look,
    crossed_look,
    described_look,
)
from fedps.cli.nvflare_sites import SITES, who_takes_part
from fedps.cli.options import FOLDER, LOOK_JOB_OPTIONS, all_of
from fedps.federation.looks.look import Look
from fedps.nvflare.job_folder import make_look_job

_JOB = all_of(click.argument("folder", type=FOLDER), SITES, LOOK_JOB_OPTIONS, SPLIT_OPTIONS)


@click.command("describe")
@DESCRIBE_OPTIONS
@_JOB
def _describe(**given: Any) -> None:
    """Make a job in FOLDER that shows what the columns of all sites hold, as if pooled.

    It has no code, and runs as a fit does: the same sites, policies, ledgers and consent. Example:

    \b
    fedps nvflare describe look --site oslo --site bergen --by sex
    fedps nvflare run look --admin kit/lead@study.org --out report.html
    """  # noqa: D301 - to click, \\b means that lines stay as they are
    _make(described_look(given), given)


@click.command("crosstab")
@_JOB
@CROSSTAB_ARGUMENTS
def _crosstab(**given: Any) -> None:
    """Make a job in FOLDER that counts the rows of all sites with each pair of categories.

    ROW and COLUMN are the names of two columns. The options are those of describe.
    """
    _make(crossed_look(given), given)


@click.command("corr")
@CORR_OPTIONS
@_JOB
def _corr(**given: Any) -> None:
    """Make a job in FOLDER that correlates each two columns of numbers over the rows of all sites.

    The options are those of describe.
    """
    _make(correlated_look(given), given)


def _make(look: Look, given: dict[str, Any]) -> None:
    folder, sites, clients = (given.pop(name) for name in ("folder", "sites", "clients"))
    checkpoint = given.pop("checkpoint")
    given["checkpoint"] = None if checkpoint is None else str(checkpoint)
    for path in make_look_job(folder, look, who_takes_part(sites, clients), **given):
        click.echo(f"wrote {path}")


NVFLARE_LOOKS = (_describe, _crosstab, _corr)
