"""``fedps fit`` and ``fedps explain``: each client is a file, and all are in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fedps.cli.clients_here import CLIENTS_HERE, federation_here
from fedps.cli.options import (
    FAULT_OPTIONS,
    FULL_OPTION,
    METHOD_OPTIONS,
    REPORT_OPTION,
    all_of,
    out_option,
)
from fedps.cli.output import say_written, show
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.files.pipelines import load_pipeline
from fedps.files.reports import check_report_path, write_report
from fedps.files.saved_fits import check_can_be_saved, checked_path, save_fitted
from fedps.files.sketches import read_sketch

_SHARED = all_of(
    click.argument("pipeline"), CLIENTS_HERE, METHOD_OPTIONS, REPORT_OPTION, FULL_OPTION
)


@click.command("fit")
@_SHARED
@out_option(required=True)
@FAULT_OPTIONS
def fit_command(
    out: Path, checkpoint: Path | None, quorum: int | None, max_rows: int | None,
    report: Path | None, **given: Any,
) -> None:  # fmt: skip
    """Fit PIPELINE_OPTION across clients, and save the fitted scikit-learn estimator.

    PIPELINE_OPTION is an estimator in a Python file, prep.py:name, or in a module, package.module:name.
    Example:

    \b
    fedps fit prep.py:pipeline --client oslo=oslo.csv \\
        --client bergen=bergen.csv --out prep.skops
    """  # noqa: D301 - to click, \\b means that lines stay as they are
    checked_path(out)
    check_report_path(report)
    estimator = load_pipeline(given["pipeline"])
    check_can_be_saved(estimator, split=given["split"])
    federation = federation_here(given, quorum=quorum, max_rows=max_rows or MAX_ROWS)
    fitted = federation.fit(estimator, **_how(given), checkpoint=checkpoint)
    written = save_fitted(fitted, out)
    run = federation.run
    show(*run.sections())
    if report is not None:
        write_report(run, report)
        written.append(report)
    say_written(written)


@click.command("explain")
@_SHARED
def explain_command(report: Path | None, **given: Any) -> None:
    """Show what a fit of PIPELINE_OPTION would ask of the clients. Only their schemas are read.

    PIPELINE_OPTION and the options are those of fit.
    """
    check_report_path(report)
    estimator = load_pipeline(given["pipeline"])
    explanation = federation_here(given).explain(estimator, **_how(given))
    show(*explanation.sections())
    if report is not None:
        write_report(explanation, report)
        say_written([report])


def _how(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that both fit and explain take."""
    return {
        "sample_weight": given["sample_weight"],
        "quantiles": read_sketch("quantiles", given["quantiles"]),
        "frequent": read_sketch("frequent", given["frequent"]),
    }
