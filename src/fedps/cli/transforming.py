"""``fedps transform``: a file through a fitted transformer, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from fedps.cli.applying import Applied, is_of_target
from fedps.cli.pieces import as_arrow, output_names
from fedps.cli.progress import Bar
from fedps.cli.writing import writable, writing
from fedps.client.outputs import transform as transform_table
from fedps.client.tables import Table, names_of, open_table, positions_of, take
from fedps.client.tables.files.paths import matching_files
from fedps.client.tables.table import no_such_column
from fedps.errors import ClientError, UsageError
from fedps.files.saved_fits import load_fitted
from fedps.report.rendering import count


@click.command()
@click.argument("fitted", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("source", metavar="IN")
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--keep", metavar="COLUMN", multiple=True, help="Copy this column of IN as it is.")
@click.option("--target", metavar="COLUMN", help="The column that a label transformer transforms.")
@click.option(
    "--trust", metavar="NAME", multiple=True, help="A function or class that FITTED needs."
)
def transform(
    fitted: Path,
    source: str,
    out: Path,
    keep: Sequence[str],
    target: str | None,
    trust: Sequence[str],
) -> None:
    """Transform the rows of IN by FITTED, a file that fit wrote, and write them to OUT.

    IN and OUT are Parquet or CSV. They are read and written some rows at a time, so they need not fit
    in memory. OUT is there when all of it is.
    """
    writable(out)
    if out.exists() and any(out.samefile(file) for file in matching_files(source)):
        raise UsageError(f"{str(out)!r} is read: write to another file.")
    estimator = load_fitted(fitted, trust=trust)
    if not hasattr(estimator, "transform"):
        raise UsageError(
            f"{type(estimator).__name__} in {fitted.name} has no transform: it is a model. Use it in "
            "Python: fedps.files.saved_fits.load_fitted, then predict."
        )
    _check_target(estimator, target)
    table = open_table(source, target=target)
    rows = table.schema().rows
    with writing(out) as writer, Bar("transforming", rows, "rows") as bar:
        done = columns = 0
        for made in _transformed(estimator, table, source, keep):
            writer.write(made)
            done, columns = done + made.num_rows, made.num_columns
            bar.show(done)
    click.echo(f"Written: {out} ({count(rows, 'row')}, {count(columns, 'column')})")


def _check_target(estimator: Any, target: str | None) -> None:
    """Demand the name of the target where, and only where, it is what is transformed."""
    name = type(estimator).__name__
    if is_of_target(estimator) and target is None:
        raise UsageError(f"{name} transforms a target: name its column with --target.")
    if not is_of_target(estimator) and target is not None:
        raise UsageError(f"{name} transforms features, not a target: leave --target out.")


def _transformed(estimator: Any, table: Table, source: str, keep: Sequence[str]) -> Iterator[Any]:
    """Yield the output as Arrow tables, with the columns to keep in front."""
    names: list[str] | None = None
    apply = Applied(estimator, Path(source).name)
    for chunk in table.chunks():
        output = apply(chunk)
        if names is None:
            names = output_names(estimator, output, table.target_name)
            for name in keep:
                if name in names:
                    raise UsageError(f"--keep {name!r}: the output has a column of that name, too.")
        kept = _kept(chunk.source, keep)
        start = 0
        for piece in as_arrow(output, names):
            beside = kept.slice(start, piece.num_rows)
            start += piece.num_rows
            for position, name in enumerate(beside.column_names):
                piece = piece.add_column(position, name, beside[name])  # noqa: PLW2901
            yield piece
    if names is None:  # no rows at all: a file of the same columns
        yield from _of_no_rows(estimator, table)


def _kept(frame: Any, keep: Sequence[str]) -> Any:
    known = names_of(frame) or ()
    for name in keep:
        if name not in known:
            raise UsageError("--keep: " + no_such_column(name, list(known)))
    chosen = take(frame, positions_of(frame, keep))
    (table,) = as_arrow(chosen, list(keep))
    return table


def _of_no_rows(estimator: Any, table: Table) -> Iterator[Any]:
    try:
        output = transform_table(estimator, table, "")
    except ClientError:  # columns without cells may be of another type than it knows
        output = np.empty((0, len(estimator.get_feature_names_out())))
    yield from as_arrow(output, output_names(estimator, output, table.target_name))
