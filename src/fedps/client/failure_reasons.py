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
from sklearn.pipeline import FeatureUnion, Pipeline
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
    return None if _is_compound(estimator) else _in_cells(estimator, rows, labels)


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


def _is_compound(estimator: Any) -> bool:
    return isinstance(estimator, ColumnTransformer | FeatureUnion | Pipeline)


def _parts(estimator: Any, rows: Any) -> list[tuple[Any, list[int]]]:
    """Return the estimators inside a compound that get these rows, and which columns of them."""
    every = list(range(rows.shape[1]))
    found: list[tuple[Any, list[int]]] = []
    if isinstance(estimator, Pipeline):
        found = [(step, every) for _, step in estimator.steps if _fits(step)][:1]
    if isinstance(estimator, FeatureUnion):
        found = [(part, every) for _, part in estimator.transformer_list]
    if isinstance(estimator, ColumnTransformer):
        for _, part, columns in estimator.transformers:
            named = bool(columns) and isinstance(columns[0], str)
            found.append((part, positions_of(rows, columns) if named else list(columns)))
        taken = {i for _, own in found for i in own}
        found.append((estimator.remainder, [i for i in every if i not in taken]))
    return [(part, own) for part, own in found if _fits(part) and own]


def _fits(part: Any) -> bool:
    return part is not None and not isinstance(part, str)


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
