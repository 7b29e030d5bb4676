"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import click

from fedps.client.tables.cast_columns import read_dtypes

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
FOLDER = click.Path(path_type=Path, file_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


def all_of(*options: _Decorator) -> _Decorator:
    """Return a decorator that adds several options to a command, in this order."""

    def with_options(command: Any) -> Any:
        """Add the options to a command."""
        return reduce(lambda made, add: add(made), reversed(options), command)

    return with_options


# What is fitted, on what.
PIPELINE_OPTION = click.option(
    "--pipeline", required=True, metavar="FILE:NAME",
    help="The estimator to fit, such as prep.py:pipeline.",
)  # fmt: skip
CLIENT_OPTION = click.option(
    "--client", "clients", metavar="NAME=FILE", multiple=True, required=True,
    help="A client and its Parquet, CSV, Feather or Excel file, folder or quoted glob, or the address of its "
    "database. Once for each client.",
)  # fmt: skip
CLIENT_SOURCE_OPTIONS = all_of(
    click.option(
        "--query", "queries", metavar="[NAME=]SQL", multiple=True,
        help="What to read from all databases, or from one client's: a query, or a .sql file with it.",
    ),
    click.option(
        "--read", "reads", metavar="[NAME:]KEY=VALUE", multiple=True,
        help="How to read all files, or one client's: sep, decimal, encoding, na_values, ... of CSV. Can be repeated.",
    ),
)  # fmt: skip
TARGET_OPTION = click.option(
    "--target", metavar="COLUMN", help="The label column; it is not a feature."
)


def _read_dtypes(_: Any, __: Any, given: Sequence[str]) -> dict[str, str] | None:
    """Return what columns are read as; BadParameter for what is not COLUMN=DTYPE."""
    pairs = [text.rpartition("=") for text in given]
    if not all(name and dtype for name, _, dtype in pairs):
        raise click.BadParameter("give COLUMN=DTYPE, such as zip=str.")
    return read_dtypes({name: dtype for name, _, dtype in pairs}) or None


def _read_pairs(_: Any, __: Any, given: Sequence[str]) -> dict[str, str] | None:
    """Return how a table is read; BadParameter for what is not KEY=VALUE."""
    pairs = [text.partition("=") for text in given]
    if not all(name and value for name, _, value in pairs):
        raise click.BadParameter("give KEY=VALUE, such as sep=';'.")
    return {name: value for name, _, value in pairs} or None


# How one table is read.
SOURCE_OPTIONS = all_of(
    click.option(
        "--query", metavar="SQL", help="What to read from a database: a query, or a .sql file with it."
    ),
    click.option(
        "--read", metavar="KEY=VALUE", multiple=True, callback=_read_pairs,
        help="How to read CSV (sep, decimal, encoding, na_values, ...), Excel (sheet) or SQL (timeout). Can be repeated.",
    ),
)  # fmt: skip

DTYPE_OPTION = click.option(
    "--dtype", "dtypes", metavar="COLUMN=DTYPE", multiple=True, callback=_read_dtypes,
    help="Read a column as str, category, float, int, bool or datetime. Once for each column.",
)  # fmt: skip

# How it is fitted. None has a default here: an app of Flower may set its own.
METHOD_OPTIONS = all_of(
    click.option(
        "--quantiles", metavar="HOW",
        help="How quantiles are found: exact (the default), kll[:k] or req[:k].",
    ),
    click.option(
        "--frequent", metavar="HOW",
        help="How frequent categories are found: exact (the default) or items[:k].",
    ),
    click.option("--sample-weight", metavar="COLUMN", help="A column of row weights."),
)  # fmt: skip
FAULT_OPTIONS = all_of(
    click.option(
        "--quorum", metavar="N", type=click.IntRange(min=1),
        help="The fewest clients to go on with if some are lost. Default: all.",
    ),
    click.option(
        "--max-rows", metavar="N", type=click.IntRange(min=1),
        help="The most rows that a client may claim to have. Default: 2147483648.",
    ),
    click.option(
        "--checkpoint", type=FILE,
        help="Record rounds in this file, so that what stopped goes on.",
    ),
)  # fmt: skip

# A fit or a look on an engine.
COHORT_OPTIONS = all_of(
    click.option(
        "--clients", metavar="N", type=click.IntRange(min=1), help="How many clients take part."
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=float,
        help="How long clients have to answer a round. Default: 600.",
    ),
)
JOB_OPTIONS = all_of(COHORT_OPTIONS, METHOD_OPTIONS, FAULT_OPTIONS)
LOOK_JOB_OPTIONS = all_of(COHORT_OPTIONS, FAULT_OPTIONS)

# What is shown of it.
FULL = "fedps.full"  # where click keeps whether long lists are shown whole


def _remember_full(context: click.Context, _: Any, wanted: bool) -> None:
    context.meta[FULL] = wanted


FULL_OPTION = click.option(
    "--full", is_flag=True, expose_value=False, callback=_remember_full,
    help="Show long lists whole.",
)  # fmt: skip

# What comes of it.
REPORT_OPTION = click.option(
    "--report", type=FILE, help="Write what is printed to this file, too: .html, .json or .md."
)


def out_option(**more: Any) -> _Decorator:
    """Return the option for the file of the fitted estimator."""
    return click.option(
        "--out", **{"type": FILE, "help": "The skops file for the fitted estimator.", **more}
    )


# The settings of one client.
POLICY_OPTION = click.option(
    "--policy", type=FILE, help="A TOML file with what may leave. Default: the default policy."
)


def client_options(*, data_required: bool) -> _Decorator:
    """Return the options for the settings of a client of an engine."""
    return all_of(
        click.option(
            "--data", required=data_required, metavar="FILES",
            help="Parquet, CSV, Feather or Excel files: a path or a quoted glob. Or the address of a database.",
        ),
        SOURCE_OPTIONS,
        TARGET_OPTION,
        DTYPE_OPTION,
        POLICY_OPTION,
        click.option(
            "--ledger", type=FILE,
            help="A file that gets a line for everything that leaves, and counts it over time.",
        ),
    )  # fmt: skip
