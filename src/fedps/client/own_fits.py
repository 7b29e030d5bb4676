"""Fits on a client's own columns, and its part of predictions, where others have other columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, MultiLabelBinarizer

from fedps.client.tables import shape
from fedps.statistics.base import Array


class Lent(NamedTuple):
    """A client's part of a model, and the rows of its own to predict with it."""

    part: Any
    rows: Any


def fit_own(estimator: Any, rows: Any, y: Any, *, outputs: bool) -> tuple[Any, Any]:
    """Return an estimator fitted on a client's own rows, and what it makes of them where wanted.

    A client without a column has nothing to fit: None and no columns.
    """
    if isinstance(estimator, LabelBinarizer | LabelEncoder | MultiLabelBinarizer):
        return (None, None) if y is None else (estimator, estimator.fit_transform(y))
    if shape(rows)[1] == 0:
        return None, rows
    if not outputs or not hasattr(estimator, "transform"):
        return estimator.fit(rows, y), None
    return estimator, estimator.fit_transform(rows, y)


def partial_of(part: Any, rows: Any) -> Array:
    """Return a client's part of a prediction: that of its model, after the steps before it."""
    if isinstance(part, Pipeline):
        for _, step in part.steps[:-1]:
            rows = rows if step in (None, "passthrough") else step.transform(rows)
        part = part.steps[-1][1]
    return np.asarray(part.partial(rows), dtype=np.float64)
