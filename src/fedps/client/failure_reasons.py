"""Why an estimator failed on a client's rows: the rule and the column, and never a cell.

The text of scikit-learn's own exception can quote cells, so it must not leave the client.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from fedps.client.tables import (
    ColumnReader,
    NotCategories,
    NotNumbers,
    distinct,
    infinite,
    missing,
    numbers,
    positions_of,
    take,
)
from fedps.compounds import REMAINDER, is_compound, is_estimator, parts_of
from fedps.errors import UsageError
from fedps.statistics import BadCells

log = logging.getLogger("fedps.client")


def reason(estimator: Any, rows: Any, labels: Sequence[str] = ()) -> BadCells | None:
    """Return what in these rows an estimator does not accept, or None if that cannot be told.

    ``labels`` are the names of the client's own columns. There are none for columns that a transformer
    made: their names can quote categories. Of a pipeline only the first step is looked at, since the
    others got different rows.
    """
    for part, positions in _parts(estimator, rows):
        own = [labels[i] for i in positions] if labels else ()
        if (found := reason(part, take(rows, positions), own)) is not None:
            return found
    return None if is_compound(estimator) else _in_cells(estimator, rows, labels)


@contextmanager
def no_text_leaves(
    estimator: Any, rows: Any, labels: Sequence[str] = (), *, rule: str = "transform"
) -> Iterator[None]:
    """Raise BadCells with the reason instead of what an estimator raises, which can quote cells.

    ``rule`` is the one that it breaks where the reason cannot be told.
    """
    name = type(estimator).__name__.removeprefix("Part")
    try:
        yield
    except BadCells:  # it is the reason already
        raise
    except UsageError:  # of a stand-in, that knows the rows that it was fitted on
        raise BadCells("other rows", what=name) from None
    except Exception:
        log.debug("%s failed on the rows", name, exc_info=True)
        raise reason(estimator, rows, labels) or BadCells(rule, what=name) from None


def _parts(estimator: Any, rows: Any) -> list[tuple[Any, list[int]]]:
    """Return the estimators inside a compound that get these rows, and which columns of them."""
    every = list(range(rows.shape[1]))
    inner = parts_of(estimator)
    if isinstance(estimator, Pipeline):  # the others see what the first one makes of the rows
        inner = [part for part in inner if is_estimator(part.estimator)][:1]
    found, taken = [], set()
    for part in inner:
        own = every
        if part.name == REMAINDER and isinstance(estimator, ColumnTransformer):
            own = [i for i in every if i not in taken]
        elif part.columns is not None:
            named = bool(part.columns) and isinstance(part.columns[0], str)
            own = positions_of(rows, part.columns) if named else list(part.columns)
            taken |= set(own)
        found.append((part.estimator, own))
    return [(part, own) for part, own in found if is_estimator(part) and own]


def _in_cells(estimator: Any, rows: Any, labels: Sequence[str]) -> BadCells | None:
    """Return what in these rows a single estimator does not accept."""
    tags = get_tags(estimator)
    takes = tags.input_tags
    found: tuple[str, int] | None = None
    if sparse.issparse(rows) and not takes.sparse:
        return BadCells("sparse")
    if takes.categorical:
        found = _of_categories(estimator, rows)
    elif not (takes.string or tags.no_validation):
        found = _of_numbers(estimator, rows, allow_nan=takes.allow_nan)
    if found is None:
        return None
    rule, position = found
    return BadCells(rule, what=labels[position] if labels else None)


def _of_categories(encoder: Any, rows: Any) -> tuple[str, int] | None:
    """Return the rule that a column of categories breaks, and its position."""
    columns = ColumnReader(rows)
    given = None if isinstance(encoder.categories, str) else encoder.categories
    strict = getattr(encoder, "handle_unknown", None) == "error"
    for position in range(rows.shape[1]):
        try:
            cells = distinct(columns, position, counts=False).values
        except NotCategories:
            return "not categories", position
        if given is not None and strict and not set(cells.tolist()) <= set(given[position]):
            return "unknown category", position
    return None


def _of_numbers(estimator: Any, rows: Any, *, allow_nan: bool) -> tuple[str, int] | None:
    """Return the rule that a column of numbers breaks, and its position."""
    try:
        cells = numbers(rows)
    except NotNumbers as error:
        return "not numbers", error.position
    lost = np.flatnonzero(missing(cells, float("nan")))
    if lost.size and not allow_nan:
        return "missing", int(lost[0])
    if (at := infinite(cells)) is not None:
        return "infinity", at
    if getattr(estimator, "method", None) == "box-cox":
        low = np.flatnonzero((cells <= 0).any(axis=0))
        return ("not positive", int(low[0])) if low.size else None
    return None
