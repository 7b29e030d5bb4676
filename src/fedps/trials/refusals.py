"""What is said of a function that does not work row by row, or that cannot be tried."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from fedps.assembly import dummy_table
from fedps.compounds import Part
from fedps.errors import NotFederated
from fedps.trials.function_trial import RANDOM, ROWS, Tried, made_up_tables, try_function
from fedps.trials.row_by_row import is_declared, name_of

_DECLARE = (
    "If each row of its output depends on that row alone, say so: "
    "FunctionTransformer(fedps.row_by_row({name}))."
)
_LEARN = (
    "Let an estimator learn it from all clients, such as StandardScaler(with_std=False) for X - X.mean() "
    "or SimpleImputer for X.fillna(X.median()), or write the function so that it needs no other rows."
)
_DRAW = "Draw the numbers once, into a column of each client's table."


def check_rows_function(part: Part, rows: Any, *, followed: bool) -> None:
    """Raise NotFederated unless the function of a FunctionTransformer works row by row.

    ``rows`` are made-up rows that reach it; None where those are not known.
    """
    transformer, function = part.estimator, part.estimator.func
    name, declared = name_of(function), is_declared(function)
    what = f"FunctionTransformer({name})" + (f" of {part.name!r}" if part.name else "")
    tried = Tried(failed="an unknown table") if rows is None else _tried(transformer, rows)
    if tried.ran:
        if tried.reason is not None and not declared:
            way = _DRAW if tried.reason == RANDOM else _LEARN
            raise NotFederated(
                f"{what} runs its function at each client, on its own rows only, and the function does not "
                f"work row by row: tried on made-up rows, {tried.reason}. {way} "
                f"{_DECLARE.format(name=name)}"
            )
        return
    if rows is None:
        why = "a step before it does not run on made-up rows"
    else:
        why = f"it fails with {tried.failed} on all made-up rows with these columns and dtypes"
    if not declared:
        raise NotFederated(
            f"{what} runs its function at each client, on its own rows only. FedPS cannot tell whether that "
            f"works row by row: {why}. {_DECLARE.format(name=name)}"
        )
    if followed and rows is not None:
        raise NotFederated(
            f"{what}: {why}, so that FedPS cannot tell which columns come after it. Let the function return "
            "missing values for cells that it cannot read, or run it on each client's table before."
        )


def check_weights(neighbours: Any) -> None:
    """Raise NotFederated unless the function for weights= works on the neighbours of each row alone."""
    weights = neighbours.weights
    tried = try_function(weights, _distances())
    if tried.reason is not None and not is_declared(weights):
        raise NotFederated(
            f"{type(neighbours).__name__}(weights={name_of(weights)}) does not weigh the neighbours of each row "
            f"alone: tried on made-up distances, {tried.reason}. FedPS calls it for some rows at a time. Use "
            "weights='distance', or a function of each distance."
        )


def _distances() -> list[Any]:
    row = np.ones((1, 5))
    tables = (dummy_table(row, ROWS), dummy_table(row, ROWS, distinct=2))
    return [np.sort(table, axis=1) for table in tables]


def _tried(transformer: Any, rows: Any) -> Tried:
    """Run a FunctionTransformer, as it is, on what reaches it, and on tables like that."""
    own = clone(transformer).set_params(check_inverse=False)

    def run(table: Any) -> Any:
        return own.fit(table).transform(table)

    return try_function(run, [rows, *made_up_tables(rows[:1])])
