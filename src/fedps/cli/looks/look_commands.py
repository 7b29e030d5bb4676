"""``fedps describe``, ``crosstab`` and ``corr``: each client is a file, and all are in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fedps.cli.clients_here import CLIENTS_HERE, federation_here
from fedps.cli.looks.look_options import (
    CORR_OPTIONS,
    CROSSTAB_ARGUMENTS,
    DESCRIBE_OPTIONS,
    LOOK_RESULTS,
    correlated_look,
    crossed_look,
    described_look,
    refuse_with_explain,
)
from fedps.cli.options import FAULT_OPTIONS, all_of
from fedps.cli.output import say_written, show
from fedps.engines.looks import look_at
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.federation.looks.look import Look
from fedps.files.looks import check_look_path, look_sections, write_look
from fedps.files.reports import check_report_path, write_report

_HERE = all_of(
    CLIENTS_HERE,
    LOOK_RESULTS,
    click.option(
        "--explain", is_flag=True, help="Only show what would be asked. Only schemas are read."
    ),
    FAULT_OPTIONS,
)


@click.command("describe")
@DESCRIBE_OPTIONS
@_HERE
def describe_command(**given: Any) -> None:
    """Show what the columns of all clients hold, as if their rows were in one place.

    Counts, missing cells, means, quantiles, the most frequent categories, correlations; with --by
    for each group. Example:

    \b
    fedps describe --client oslo=oslo.csv --client bergen=bergen.parquet \\
        --by sex --out report.html
    """  # noqa: D301 - to click, \\b means that lines stay as they are
    _look(described_look(given), given)


@click.command("crosstab")
@CROSSTAB_ARGUMENTS
@_HERE
def crosstab_command(**given: Any) -> None:
    """Count the rows of all clients that have each pair of categories of two columns.

    ROW and COLUMN are their names. The options are those of describe. Example:

    \b
    fedps crosstab sex smokes --client oslo=oslo.csv --client bergen=bergen.parquet
    """  # noqa: D301 - to click, \\b means that lines stay as they are
    _look(crossed_look(given), given)


@click.command("corr")
@CORR_OPTIONS
@_HERE
def corr_command(**given: Any) -> None:
    """Show the correlation of each two columns of numbers, over the rows of all clients.

    Over the rows that have both cells, with the variance inflation factor of each column. The
    options are those of describe.
    """
    _look(correlated_look(given), given)


def _look(look: Look, given: dict[str, Any]) -> None:
    """Look, or only show what that would ask; print what was found, or write it."""
    out, report, checkpoint = (given.pop(name) for name in ("out", "report", "checkpoint"))
    check_look_path(out)
    check_report_path(report)
    faults = {"quorum": given["quorum"], "max_rows": given["max_rows"] or MAX_ROWS}
    if given["explain"]:
        refuse_with_explain(out=out, checkpoint=checkpoint)
        explanation = federation_here(given).explain(look)
        show(*explanation.sections())
        _report(explanation, report, [])
        return
    federation = federation_here(given, **faults)
    found = look_at(federation, look, checkpoint)
    written: list[Path] = []
    if out is not None:
        write_look(found, out)
        written.append(out)
    tables = [] if out else look_sections(found)
    show(*tables, *(one for one in federation.run.sections() if one not in tables))  # notes: once
    _report(federation.run, report, written)


def _report(rendered: Any, report: Path | None, written: list[Path]) -> None:
    """Write the report, if one is wanted, and say which files were written."""
    if report is not None:
        write_report(rendered, report)
        written.append(report)
    if written:
        say_written(written)
