"""``fedps nvflare predict``: make a job that predicts by parts that the sites of a federation keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fedps.cli.columns.column_options import PREDICT_OPTIONS
from fedps.cli.nvflare_sites import SITES, who_takes_part
from fedps.cli.options import COHORT_OPTIONS, EXISTING_FILE, FOLDER
from fedps.nvflare.job_folder import make_predict_job


@click.command("predict")
@click.argument("folder", type=FOLDER)
@click.argument("parts", type=EXISTING_FILE)
@SITES
@COHORT_OPTIONS
@PREDICT_OPTIONS
def nvflare_predict(
    folder: Path, parts: Path, sites: tuple[str, ...], clients: int | None, rows: str, to: str,
    **options: Any,
) -> None:  # fmt: skip
    """Make a job in FOLDER that predicts by PARTS, the file of a fit with --split columns.

    Each site contributes by the part that it keeps, from its own columns. Example:

    \b
    fedps nvflare predict july risk.parts --site bank --site shop --to target
    fedps nvflare run july --admin kit/lead@study.org
    """  # noqa: D301 - to click, \\b means that lines stay as they are
    who = who_takes_part(sites, clients)
    for path in make_predict_job(folder, parts, who, rows, to, **options):
        click.echo(f"wrote {path}")
