"""``fedps fit`` and ``fedps explain``: clients are files, all in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import click

from fedps.cli.progress import Rounds
from fedps.cli.reading import read_clients, read_policies, read_sketch
from fedps.cli.showing import report_path, show, write_report
from fedps.federation.federation import Federation
from fedps.files.pipelines import load_pipeline
from fedps.files.saved_fits import check_can_be_saved, checked_path, save_fitted

FILE = click.Path(path_type=Path, dir_okay=False)
COMMON = [
    click.argument("pipeline"),
    click.option(
        "--client", "clients", metavar="NAME=FILE", multiple=True, required=True,
        help="A client and its Parquet or CSV file, folder or quoted glob. Once for each client.",
    ),
    click.option(
        "--split", type=click.Choice(["rows", "columns"]), default="rows", show_default=True,
        help="Whether each client has some rows, or some columns of the same rows.",
    ),
    click.option("--target", metavar="COLUMN", help="The label column; it is no feature."),
    click.option(
        "--key", metavar="COLUMN",
        help="With --split columns: the column that tells which row is which.",
    ),
    click.option(
        "--policy", "policies", metavar="[NAME=]FILE", multiple=True,
        help="What clients reveal: a TOML file for all, or for one. By default everything.",
    ),
    click.option(
        "--quantiles", metavar="HOW", default="exact", show_default=True,
        help="How quantiles are found: exact, kll[:k] or req[:k].",
    ),
    click.option(
        "--frequent", metavar="HOW", default="exact", show_default=True,
        help="How frequent categories are found: exact or items[:k].",
    ),
    click.option("--sample-weight", metavar="COLUMN", help="A column of row weights."),
    click.option(
        "--report", type=FILE, help="Write the tables to this file too: .html, .json or .md.",
    ),
]  # fmt: skip


def common(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the arguments that fit and explain share."""
    return reduce(lambda made, add: add(made), reversed(COMMON), command)


@click.command()
@common
@click.option("--out", type=FILE, required=True, help="The skops file for the fitted estimator.")
@click.option("--checkpoint", type=FILE, help="Record rounds here; a fit that stopped goes on.")
@click.option("--quorum", type=click.IntRange(min=1), help="Go on with this many clients at least.")
def fit(
    out: Path, checkpoint: Path | None, quorum: int | None, report: Path | None, **given: Any
) -> None:
    """Fit PIPELINE across clients, and save the fitted scikit-learn estimator.

    PIPELINE is prep.py:name, an estimator in a Python file, or package.module:name. Example:
    fedps fit prep.py:pipeline --client oslo=oslo.csv --client bergen=bergen.csv --out prep.skops
    """
    checked_path(out)
    report_path(report)
    estimator = load_pipeline(given["pipeline"])
    check_can_be_saved(estimator, split=given["split"])
    more = {} if quorum is None else {"quorum": quorum}
    federation = _federation(given, **more)
    chosen: dict[str, Any] = {} if checkpoint is None else {"checkpoint": checkpoint}
    fitted = federation.fit(estimator, **_how(given), **chosen)
    written = save_fitted(fitted, out)
    run = federation.run
    assert run is not None
    show(*run.sections())
    if report is not None:
        write_report(run, report)
        written.append(report)
    _say_written(written)


@click.command()
@common
def explain(report: Path | None, **given: Any) -> None:
    """Show what a fit of PIPELINE would ask of the clients. Only their schemas are read.

    Takes the same options as fit: what they change shows here.
    """
    report_path(report)
    estimator = load_pipeline(given["pipeline"])
    explanation = _federation(given).explain(estimator, **_how(given))
    show(*explanation.sections())
    if report is not None:
        write_report(explanation, report)
        _say_written([report])


def _federation(given: dict[str, Any], **more: Any) -> Federation:
    clients = read_clients(given["clients"])
    return Federation(
        clients,
        split=given["split"],
        target=given["target"],
        key=given["key"],
        policy=read_policies(given["policies"], clients),
        progress=Rounds,
        **more,
    )


def _how(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that fit and explain take."""
    return {
        "sample_weight": given["sample_weight"],
        "quantiles": read_sketch("quantiles", given["quantiles"]),
        "frequent": read_sketch("frequent", given["frequent"]),
    }


def _say_written(paths: Sequence[Path]) -> None:
    click.echo("\nWritten: " + ", ".join(map(str, paths)))
