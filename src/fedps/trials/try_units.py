"""Whether it matters in which unit a client counts times: the same times in several units are tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, TargetEncoder

from fedps.assembly import dummy_table, like
from fedps.compounds import is_compound, is_estimator, parts_of
from fedps.trials.function_trial import MADE_ROWS, quietly
from fedps.trials.same_output import NoTable, Output, output_of, same_cells
from fedps.trials.through_steps import inside, plainer

_OF_ANY_UNIT = (OneHotEncoder, OrdinalEncoder, TargetEncoder, MissingIndicator)
_FIRST = np.datetime64("2020-01-01", "us")


class Effect(IntEnum):
    """What the units make of the same times: nothing, times in these units, or other cells."""

    NONE = 0
    TIMES = 1
    CELLS = 2  # or it is not known, as on made-up cells something fails


class UnitMatters(Exception):  # noqa: N818 - it is raised and caught, never shown
    """An estimator learns from what depends on units.

    ``columns`` are the names of columns from which that comes; arrays have none.
    """

    def __init__(self, estimator: str, columns: Sequence[str]) -> None:
        super().__init__(estimator)
        self.estimator = estimator
        self.columns = columns


def same_times(
    pooled: Any, rows: Sequence[Any], columns: Mapping[int, bool], *, days: bool
) -> list[Any]:
    """Return tables of the same made-up cells: like the pooled row, and then like each client's.

    ``columns`` are those of times in several units, and whether they are lengths of time; ``days`` says
    that one of the units is a day.
    """
    made = output_of(dummy_table(pooled, MADE_ROWS), MADE_ROWS).columns
    steps = (np.arange(MADE_ROWS) * (24 if days else 7)).astype("m8[h]").astype("m8[us]")
    for j, lengths in columns.items():
        made[j] = steps if lengths else _FIRST + steps
    return [
        np.stack(made, axis=1).astype(row.dtype) if isinstance(row, np.ndarray) else like(row, made)
        for row in (pooled, *rows)
    ]


def effect_of_units(estimator: Any, tables: Sequence[Any]) -> Effect:
    """Return what units make of an estimator's output; UnitMatters where it learns from what they change.

    ``tables`` are those of :func:`same_times`. What learns from the tables themselves is left out: what it
    asks says whether it reads numbers.
    """
    with quietly():
        return _visit(estimator, tables, tables, made=False)


def _visit(estimator: Any, tables: Any, own: Any, *, made: bool) -> Effect:
    """Return what units make of a part's output; ``tables`` is None where what it gets is not known.

    ``own`` are the clients' columns from which it was ``made``.
    """
    found = _effect(tables)
    if found == Effect.NONE or estimator == "drop":
        return Effect.NONE
    if not is_estimator(estimator):
        return found
    own = own if made else tables
    if isinstance(estimator, Pipeline):
        for step in parts_of(estimator):
            found = _visit(step.estimator, tables, own, made=made)
            if found == Effect.NONE:
                break
            tables, made = _outputs(step.estimator, tables), True
        return found
    if is_compound(estimator):
        each = inside(estimator, *(tables or [None]))
        effects = [_visit(part.estimator, rows, own, made=made) for part, *rows in each]
        return max(effects, default=Effect.NONE)
    if made and _reads_units(estimator, found):
        raise UnitMatters(type(estimator).__name__, _of_other_units(own))
    if tables is not None and _fitted(estimator, tables[0]) is None and _learns(estimator):
        return Effect.NONE  # what it has against such cells, it says itself
    return _effect(_outputs(estimator, tables))


def _reads_units(estimator: Any, found: Effect) -> bool:
    """Whether an estimator learns something else where units differ; times are also categories."""
    if not _learns(estimator):
        return False
    return found == Effect.CELLS or not isinstance(estimator, _OF_ANY_UNIT)


def _learns(estimator: Any) -> bool:
    return not isinstance(estimator, FunctionTransformer | FrozenEstimator)


def _fitted(estimator: Any, table: Any) -> Any:
    """Return an estimator fitted on made-up cells; None where it fails on them."""
    with suppress(Exception):  # whatever it raises
        return plainer(estimator).fit(table, np.arange(MADE_ROWS) % 2)
    return None


def _outputs(estimator: Any, tables: Any) -> Any:
    """Return what an estimator makes of each table, fitted on the first; None where it fails."""
    if tables is None or not is_estimator(estimator):
        return tables
    with suppress(Exception):  # whatever it raises on made-up cells
        fitted = _fitted(estimator, tables[0])
        made = fitted.transform if hasattr(fitted, "transform") else fitted.predict
        return [made(table) for table in tables]
    return None


def _effect(tables: Any) -> Effect:
    """Return how tables differ of which units are the only reason."""
    if tables is None:
        return Effect.CELLS
    try:
        first, *others = [output_of(table, MADE_ROWS) for table in tables]
    except NoTable:
        return Effect.CELLS
    if any(len(each.columns) != len(first.columns) for each in others):
        return Effect.CELLS
    if not all(same_cells(_in_one_unit(first), _in_one_unit(each)) for each in others):
        return Effect.CELLS
    same = all(_units(first) == _units(each) for each in others)
    return Effect.NONE if same else Effect.TIMES


def _in_one_unit(table: Output) -> Output:
    """Return times in microseconds, as NumPy compares those of nanoseconds as numbers."""
    columns = [
        cells.astype(f"{cells.dtype.kind}8[us]") if cells.dtype.kind in "mM" else cells
        for cells in table.columns
    ]
    return table._replace(columns=columns)


def _of_other_units(tables: Any) -> list[str]:
    """Return the names of the columns with times in several units."""
    each = [output_of(table, MADE_ROWS) for table in tables or ()]
    if not each or each[0].names is None:
        return []
    units = zip(*map(_units, each), strict=True)
    return [name for name, own in zip(each[0].names, units, strict=True) if len(set(own)) > 1]


def _units(table: Output) -> list[str | None]:
    """Return the unit of each column's times, and None for what is something else."""
    return [
        np.datetime_data(cells.dtype)[0]
        if cells.dtype.kind in "mM"
        else getattr(cells[0], "unit", None)
        for cells in table.columns
    ]
