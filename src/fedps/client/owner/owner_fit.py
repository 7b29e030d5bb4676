"""Fitting on a client's own columns, and its part of predictions, with ``split="columns"``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, MultiLabelBinarizer

from fedps.client.tables import shape
from fedps.learned import Learned
from fedps.statistics.base import Array

_READ_TARGET = ("LabelBinarizer", "LabelEncoder", "MultiLabelBinarizer", "TargetEncoder")


class KeptFit(NamedTuple):
    """What a client keeps of a fit: its fitted part, and, if requested, its transformed rows."""

    part: Any
    output: Any = None


def reads_target(learned: Learned) -> bool:
    """Return whether a fit reads the target at the client itself, which its policy must allow."""
    return learned.estimator in _READ_TARGET or any(map(reads_target, learned.steps))


def fit_own(estimator: Any, rows: Any, y: Any, *, outputs: bool) -> tuple[Any, Any]:
    """Return an estimator fitted on a client's own columns, and its output if requested.

    A client without columns has nothing to fit: returns None, and the rows without columns.
    """
    if isinstance(estimator, LabelBinarizer | LabelEncoder | MultiLabelBinarizer):
        return (None, None) if y is None else (estimator, estimator.fit_transform(y))
    if shape(rows)[1] == 0:
        return None, rows
    if isinstance(estimator, Pipeline):
        return estimator, _fit_steps(estimator, rows, y, outputs=outputs)
    if not outputs or not hasattr(estimator, "transform"):
        return estimator.fit(rows, y), None
    if not hasattr(estimator, "fit_transform"):  # a FrozenEstimator has none
        return estimator.fit(rows, y), estimator.transform(rows)
    return estimator, estimator.fit_transform(rows, y)


def _fit_steps(pipe: Pipeline, rows: Any, y: Any, *, outputs: bool) -> Any:
    """Fit the steps as the pipeline would, and return the output of the last if requested.

    A step may drop all of this client's columns. The steps after it have nothing to fit here, and
    become 'passthrough'.
    """
    for i, (name, step) in enumerate(pipe.steps):
        if shape(rows)[1] == 0:
            pipe.steps[i] = (name, "passthrough")
        elif step is not None and not isinstance(step, str):
            last = i == len(pipe.steps) - 1
            rows = fit_own(step, rows, y, outputs=outputs or not last)[1]
    return rows if outputs else None


def before_model(part: Any, rows: Any) -> Any:
    """Return a client's rows to predict, transformed by the steps before its model."""
    if not isinstance(part, Pipeline):
        return rows
    *before, (_, model) = part.steps
    for _, step in before:
        rows = rows if step in (None, "passthrough") else step.transform(rows)
    return before_model(model, rows)


def partial_of(part: Any, rows: Any) -> Array:
    """Return a client's part of the predictions, for rows as its model gets them."""
    if isinstance(part, Pipeline):
        return partial_of(part.steps[-1][1], rows)
    return np.asarray(part.partial(rows), dtype=np.float64)
