"""Find the functions in an estimator, and try each on made-up tables like those that reach it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from fedps.assembly import dummy_table
from fedps.compounds import Part, is_compound, is_estimator, parts_of, walk
from fedps.trials.function_trial import MADE_ROWS, made_up_tables, quietly
from fedps.trials.refusals import check_rows_function, check_weights
from fedps.trials.row_by_row import works_by_cell
from fedps.trials.selector_trial import check_selector
from fedps.trials.through_steps import inside, plainer


def must_be_tried(estimator: Any) -> bool:
    """Whether an estimator has functions that have to be tried on tables like the clients'."""
    return any(_of_rows(each) or _selectors(each) for each in _every(estimator))


def try_weights(estimator: Any) -> None:
    """Raise NotFederated where neighbours are weighed by a function that looks at several rows."""
    for each in walk(estimator):
        if isinstance(each, KNNImputer | KNeighborsRegressor) and callable(each.weights):
            check_weights(each)


def try_functions(estimator: Any, row: Any) -> None:
    """Raise NotFederated where a function depends on more than it may.

    That is a function that chooses columns on cells, and one of a FunctionTransformer on other rows.
    ``row`` is a made-up row of the clients' tables; scikit-learn itself takes a table of such rows through
    the steps that come before a function.
    """
    _visit(Part("", estimator), dummy_table(row, MADE_ROWS), followed=False)


def try_selectors(estimator: Any, row: Any) -> None:
    """Raise NotFederated where columns are chosen by a function that looks at cells, and nothing else."""
    for part in _selectors(estimator):
        check_selector(part.columns, row, part.name)
    for part, own in inside(estimator, row):
        if own is not None and is_compound(part.estimator):
            try_selectors(part.estimator, own)


def _visit(part: Part, rows: Any, *, followed: bool) -> None:
    """Try all functions of a part, which gets made-up rows: None where these are not known.

    ``followed`` says that what it makes of them must be known: something comes after it.
    """
    estimator = part.estimator
    if not is_estimator(estimator) or not must_be_tried(estimator):
        return
    if rows is not None and 0 in rows.shape:  # scikit-learn does not call it, either
        return
    if isinstance(estimator, FrozenEstimator):
        _visit(Part(part.name, estimator.estimator), rows, followed=followed)
    elif isinstance(estimator, FunctionTransformer):
        check_rows_function(part, rows, followed=followed)
    elif isinstance(estimator, Pipeline):
        _visit_steps(parts_of(estimator), rows, followed=followed)
    else:
        for branch in _selectors(estimator) if rows is not None else ():
            check_selector(branch.columns, rows[:1], branch.name)
        for branch, own in inside(estimator, rows):
            _visit(branch, own, followed=followed or isinstance(estimator, ColumnTransformer))


def _visit_steps(steps: list[Part], rows: Any, *, followed: bool) -> None:
    """Try the functions of a Pipeline, each on what the steps before it make of made-up rows."""
    for i, step in enumerate(steps):
        later = steps[i + 1 :]
        _visit(step, rows, followed=followed or bool(later))
        if not any(must_be_tried(each.estimator) for each in later):
            return
        rows = _output(step.estimator, rows)


def _output(estimator: Any, rows: Any) -> Any:
    """Return what an estimator makes of made-up rows, fitted on them; None where it fails."""
    if rows is None or not is_estimator(estimator):
        return rows
    labels = np.arange(rows.shape[0]) % 2
    # other cells only for a function, which may take numerals, say, and no other text
    kinds = made_up_tables(rows) if isinstance(estimator, FunctionTransformer) else [[rows]]
    for table in chain.from_iterable(kinds):
        with suppress(Exception):  # whatever it raises on made-up cells
            with quietly():
                found = plainer(estimator).fit(table, labels[: table.shape[0]]).transform(table)
            found = found.tocsr() if hasattr(found, "tocsr") else found
            return found if getattr(found, "ndim", 2) > 1 and found.shape[0] else None
    return None


def _of_rows(estimator: Any) -> bool:
    """Whether this is a FunctionTransformer with a function that FedPS does not know."""
    if not isinstance(estimator, FunctionTransformer):
        return False
    return not works_by_cell(estimator.func, estimator.kw_args)


def _selectors(estimator: Any) -> list[Part]:
    """Return the branches of a ColumnTransformer whose columns a function of the user chooses."""
    if not isinstance(estimator, ColumnTransformer):
        return []
    found = [part for part in parts_of(estimator) if callable(part.columns)]
    return [part for part in found if type(part.columns) is not make_column_selector]


def _every(estimator: Any) -> Iterator[Any]:
    """Yield all estimators inside, also of those that were fitted before."""
    for each in walk(estimator):
        yield each
        if isinstance(each, FrozenEstimator):
            yield from _every(each.estimator)
