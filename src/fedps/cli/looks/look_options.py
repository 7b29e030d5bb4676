"""The options of looks: which columns, which groups, which quantiles, and where the result goes."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

import click

from fedps.cli.options import FILE, all_of
from fedps.errors import UsageError
from fedps.federation.looks.look import QUARTILES, Look


def _names(_: Any, __: Any, given: Sequence[str]) -> list[str] | None:
    """Return the names in texts such as ``age,sex``; one that holds a comma is in quotes."""
    names = [name.strip() for row in csv.reader(given, skipinitialspace=True) for name in row]
    if not all(names):
        raise click.BadParameter("give names of columns, such as age,sex.")
    return names or None


def _shares(_: Any, __: Any, given: str | None) -> tuple[float, ...]:
    if given is None:
        return QUARTILES
    try:
        return tuple(float(share) for share in given.split(","))
    except ValueError:
        raise click.BadParameter(
            f"give shares from 0 to 1, such as 0.1,0.5,0.9; got {given!r}."
        ) from None


_COLUMNS = click.option(
    "--columns", metavar="NAME,...", multiple=True, callback=_names,
    help="The columns to look at. Default: all.",
)  # fmt: skip
DESCRIBE_OPTIONS = all_of(
    _COLUMNS,
    click.option(
        "--by", metavar="COLUMN",
        help="Describe the rows of each category of this column, too. One more round.",
    ),
    click.option(
        "--percentiles", metavar="SHARE,...", callback=_shares,
        help="Which quantiles, as shares from 0 to 1. Default: 0.25,0.5,0.75.",
    ),
    click.option(
        "--correlation/--no-correlation", default=True,
        help="Whether columns of numbers are correlated, too. Default: yes.",
    ),
)  # fmt: skip
CROSSTAB_ARGUMENTS = all_of(click.argument("row"), click.argument("column"))
CORR_OPTIONS = all_of(_COLUMNS)

LOOK_RESULTS = all_of(
    click.option(
        "--out", type=FILE,
        help="The file for what is found: .html (a page), .json (all of it) or .csv (the table). "
        "Default: it is printed.",
    ),
    click.option(
        "--report", type=FILE,
        help="Write what it cost and what left each client to this file: .html, .json or .md.",
    ),
)  # fmt: skip


def described_look(given: dict[str, Any]) -> Look:
    """Take the options of ``describe`` out of all that are given; return its look."""
    names = ("columns", "by", "percentiles", "correlation")
    columns, by, percentiles, correlation = (given.pop(name) for name in names)
    return Look.describe(columns, by=by, percentiles=percentiles, correlation=correlation)


def crossed_look(given: dict[str, Any]) -> Look:
    """Take the two columns of ``crosstab`` out of all that is given; return its look."""
    return Look.crosstab(given.pop("row"), given.pop("column"))


def correlated_look(given: dict[str, Any]) -> Look:
    """Take the options of ``corr`` out of all that are given; return its look."""
    return Look.corr(given.pop("columns"))


def refuse_with_explain(**given: Any) -> None:
    """Refuse files that an explanation does not write."""
    for option, value in given.items():
        if value is not None:
            raise UsageError(f"--explain asks for nothing but schemas: leave out --{option}.")
