"""Fitted estimators that still ask the clients: for their own rows, and for rows of the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

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
        if not before.has_same_rows(now):
            raise UsageError(
                f"this {type(before).__name__} was fitted on other rows than the clients have now. Fit "
                "it again by federation.fit."
            )
    return outputs


def predict_by_asking(fitted: Any, transform: Callable[[Any], Any]) -> Any:
    """Return predictions for each client's rows, where only steps before the model ask the clients."""
    if not isinstance(fitted, Pipeline) or asking(fitted.steps[-1][1]):
        raise UsageError(
            f"{type(fitted).__name__} asks all clients about the rows to be predicted: give them, "
            "federation.predict(fitted, rows)."
        )
    model, outputs = fitted.steps[-1][1], transform(fitted[:-1])
    if isinstance(outputs, list):
        return [_predicted(model, rows) for rows in outputs]
    return {client: _predicted(model, rows) for client, rows in outputs.items()}


def _predicted(model: Any, rows: Any) -> Any:
    return model.predict(rows) if rows.shape[0] else np.empty(0)


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
