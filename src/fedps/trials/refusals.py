"""What is said of a function that does not work row by row, or that cannot be tried."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from fedps.assembly import dummy_table
from fedps.compounds import Part
from fedps.errors import NotFederated
from fedps.trials.function_trial import (
    IS_RANDOM,
    MADE_ROWS,
    OTHER_COUNT,
    TrialResult,
    quietly,
    try_function,
    try_kinds,
)
from fedps.trials.row_by_row import name_of, says_row_by_row

_LEARN = (
    "Let an estimator learn it from all clients, such as StandardScaler(with_std=False) for X - X.mean() "
    "or SimpleImputer for X.fillna(X.median()), or write the function so that it needs no other rows."
)
_WAYS = {
    IS_RANDOM: "Draw the numbers once, into a column of each client's table.",
    OTHER_COUNT: "What comes after it needs one row for each: do that in each client's table before the fit.",
}


def check_rows_function(part: Part, rows: Any, *, followed: bool) -> None:
    """Raise NotFederated unless the function of a FunctionTransformer works row by row.

    ``rows`` are made-up rows that reach it; None where those are not known. ``followed`` says that what it
    returns must be known, for what comes after it.
    """
    declared = says_row_by_row(part.estimator.func)
    tried = TrialResult(failed="no table") if rows is None else _tried(part.estimator, rows)
    if not tried.ran:
        _not_tried(part, "" if rows is None else tried.failed, declared=declared, followed=followed)
        return
    reason = tried.reason or (OTHER_COUNT if followed and not tried.keeps_rows else None)
    if reason is None:
        return
    if declared:
        warnings.warn(
            f"{_named(part)} is declared row by row and trusted; but tried on made-up rows, {reason}.",
            UserWarning,
            stacklevel=2,
        )
    else:
        raise NotFederated(
            f"{_named(part)} runs its function at each client, on its own rows only, and it does not work row "
            f"by row: tried on made-up rows, {reason}. {_WAYS.get(reason, _LEARN)} "
            f"If it does work row by row on the clients' cells, say so: {_declaration(part)}."
        )


def _not_tried(part: Part, error: str, *, declared: bool, followed: bool) -> None:
    """Raise NotFederated for a function that does not run on made-up rows, unless it is not needed there.

    ``error`` says what it fails with; it is empty where a step before it fails.
    """
    why = "a step before it does not run on made-up rows"
    if error:
        why = f"it {error} on all made-up rows with these columns and dtypes"
    if error and followed:
        raise NotFederated(
            f"{_named(part)}: FedPS cannot tell what its function returns, for what comes after it: {why}. "
            "Let it return missing values for cells that it cannot read, or run it on each client's table "
            "before the fit."
        )
    if not declared:
        raise NotFederated(
            f"{_named(part)} runs its function at each client, on its own rows only. FedPS cannot tell whether "
            f"it works row by row: {why}. If it does, say so: {_declaration(part)}."
        )


def _named(part: Part) -> str:
    name = name_of(part.estimator.func)
    return f"FunctionTransformer({name})" + (f" of {part.name!r}" if part.name else "")


def _declaration(part: Part) -> str:
    name = name_of(part.estimator.func)
    shown = "..." if name.startswith("<") else name  # a lambda
    return f"FunctionTransformer(fedps.row_by_row({shown}))"


def check_weights(neighbours: Any) -> None:
    """Raise NotFederated unless the function for weights= works on the neighbours of each row alone."""
    weights = neighbours.weights
    with quietly():
        tried = try_function(weights, _distances())
    if tried.reason is not None and not says_row_by_row(weights):
        raise NotFederated(
            f"{type(neighbours).__name__}(weights={name_of(weights)}) does not weigh the neighbours of each row "
            f"alone: tried on made-up distances, {tried.reason}. FedPS calls it for some rows at a time. Use "
            "weights='distance', or a function of each distance."
        )


def _distances() -> list[Any]:
    row = np.ones((1, 5))
    tables = (dummy_table(row, MADE_ROWS), dummy_table(row, MADE_ROWS, distinct=2))
    return [np.sort(table, axis=1) for table in tables]


def _tried(transformer: Any, rows: Any) -> TrialResult:
    """Run a FunctionTransformer, as it is, on what reaches it, and on tables like that."""
    own = clone(transformer).set_params(check_inverse=False)
    with quietly():
        return try_kinds(lambda table: own.fit(table).transform(table), rows)
