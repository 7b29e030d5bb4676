"""``fedps transform``: transform a file with a fitted transformer, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from fedps.cli.options import DTYPE_OPTION, FILE, SOURCE_OPTIONS
from fedps.cli.progress_bars import ProgressBar
from fedps.cli.transform.apply_transformer import ChunkTransformer, transforms_target
from fedps.cli.transform.write_table import check_table_path, table_writer
from fedps.client import outputs
from fedps.client.tables import Table, names_of, open_table, positions_of, take
from fedps.client.tables.files.csv_options import CSV
from fedps.client.tables.files.paths import matching_files
from fedps.client.tables.named_source import named_source
from fedps.client.tables.output_tables import as_arrow, output_names
from fedps.client.tables.sources.uri import is_uri, shown_uri
from fedps.client.tables.table import no_such_column
from fedps.errors import ClientError, UsageError
from fedps.files.saved_fits import load_fitted
from fedps.report.rendering import count


@click.command("transform")
@click.argument("fitted", type=FILE)
@click.argument("source", metavar="IN")
@click.argument("out", type=FILE)
@click.option(
    "--keep", metavar="COLUMN", multiple=True, help="Copy this column of IN. Can be repeated."
)
@click.option("--target", metavar="COLUMN", help="The column that a label encoder transforms.")
@DTYPE_OPTION
@SOURCE_OPTIONS
@click.option(
    "--trust", metavar="NAME", multiple=True,
    help="A function or class in FITTED to import, such as prep.clip. Can be repeated.",
)  # fmt: skip
@click.option(
    "--raw-text", is_flag=True,
    help="Write texts to CSV as they are, also those that a spreadsheet would run.",
)  # fmt: skip
def transform_command(
    fitted: Path,
    source: str,
    out: Path,
    keep: Sequence[str],
    target: str | None,
    trust: Sequence[str],
    raw_text: bool,
    **given: Any,
) -> None:
    """Transform the rows of IN with FITTED, a file that fit wrote, and write them to OUT.

    IN is files, or a database with --query; OUT is Parquet or CSV. They are read and written some
    rows at a time, so they need not fit in memory. OUT is written completely or not at all.

    Text that begins with = + - @ a tab or a carriage return could be run by a spreadsheet that opens a
    CSV file: it gets an apostrophe in front, unless --raw-text is given.
    """
    check_table_path(out)
    named = named_source(source, given["query"], given["read"])
    if out.exists() and not is_uri(source) and out.resolve() in _files_of(named):
        raise UsageError(f"{str(out)!r} is the input: write to another file.")
    estimator = load_fitted(fitted, trust=trust)
    if not hasattr(estimator, "transform"):
        raise UsageError(
            f"{type(estimator).__name__} in {fitted.name} has no transform: it is a model. Use it in "
            "Python: fedps.load, then predict."
        )
    _check_target(estimator, target)
    table = open_table(named, target=target, dtypes=given["dtypes"])
    rows = table.schema().rows
    with (
        table_writer(out, raw_text=raw_text) as writer,
        ProgressBar("transforming", rows, "rows") as bar,
    ):
        done = columns = 0
        for made in _transformed(estimator, table, source, keep):
            writer.write(made)
            done, columns = done + made.num_rows, made.num_columns
            bar.show(done)
    click.echo(f"Written: {out} ({count(rows, 'row')}, {count(columns, 'column')})")
    if writer.escaped:
        click.echo(
            f"{count(writer.escaped, 'text cell')} got an apostrophe in front, so that no spreadsheet "
            "runs them; --raw-text leaves them as they are."
        )


def _files_of(named: Any) -> set[Path]:
    """Return the files of a table that is in files."""
    path, kind = getattr(named, "path", named), "CSV" if isinstance(named, CSV) else None
    return {file.resolve() for file in matching_files(path, kind)}


def _check_target(estimator: Any, target: str | None) -> None:
    """Demand the name of the target if, and only if, the target is transformed."""
    name = type(estimator).__name__
    if transforms_target(estimator) and target is None:
        raise UsageError(f"{name} transforms a target: name its column with --target.")
    if not transforms_target(estimator) and target is not None:
        raise UsageError(f"{name} transforms features, not a target: leave --target out.")


def _transformed(estimator: Any, table: Table, source: str, keep: Sequence[str]) -> Iterator[Any]:
    """Yield the output as Arrow tables, with the columns to keep in front."""
    names: list[str] | None = None
    transform_chunk = ChunkTransformer(
        estimator, shown_uri(source) if is_uri(source) else Path(source).name
    )
    for chunk in table.chunks():
        output = transform_chunk(chunk)
        if names is None:
            names = output_names(estimator, output, table.target_name)
            for name in keep:
                if name in names:
                    raise UsageError(f"--keep {name!r}: the output has a column of that name.")
        kept = _kept(chunk.source, keep)
        start = 0
        for piece in as_arrow(output, names):
            beside = kept.slice(start, piece.num_rows)
            start += piece.num_rows
            for position, name in enumerate(beside.column_names):
                piece = piece.add_column(position, name, beside[name])  # noqa: PLW2901
            yield piece
    if names is None:  # no rows at all: the file has the same columns
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
        output = outputs.transform(estimator, table, "")
    except ClientError:  # columns without cells may have a type that it does not accept
        output = np.empty((0, len(estimator.get_feature_names_out())))
    yield from as_arrow(output, output_names(estimator, output, table.target_name))
