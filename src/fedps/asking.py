"""Fitted estimators that still ask the clients: for their own rows, and for rows of the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fedps.assembly import asking, only_asking
from fedps.client.tables import names_of, positions_of, take
from fedps.errors import UsageError, did_you_mean

FitTransform = Callable[[Any], tuple[Any, Any]]


def transform_by_asking(fitted: Any, federation: Any, fit_transform: FitTransform) -> Any:
    """Return each client's rows as a fitted estimator transforms them, by asking all clients.

    They are filled in as while it was fitted: what else is in it stays as it is.
    """
    for part in asking(fitted):
        if part.owner not in (None, federation):
            raise UsageError(
                f"this {type(part).__name__} was fitted by another federation, and its rows are there. "
                "Use that federation, or fitted.transform on rows that you have."
            )
    again, outputs = fit_transform(only_asking(fitted))
    for before, now in zip(asking(fitted), asking(again), strict=True):
        same = np.array_equal(before.known["missing"], now.known["missing"])
        if not same or before.known["rows"] != now.known["rows"]:
            raise UsageError(
                f"this {type(before).__name__} was fitted on other rows than the clients have now. Fit "
                "it again by federation.fit."
            )
    return outputs


def in_fitted_order(fitted: Any, rows: Any) -> Any:
    """Return rows with the columns that an estimator was fitted on, in its order, by their names."""
    wanted = getattr(fitted, "feature_names_in_", None)
    if wanted is None or not hasattr(rows, "columns"):
        return rows
    have = names_of(rows) or ()
    for name in wanted:
        if name not in have:
            raise UsageError(f"the rows have no column {name!r}.{did_you_mean(name, have)}")
    return take(rows, positions_of(rows, wanted))
