"""Label transformers from their classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.learned.encoders import LabelNumbers


def assemble_label_encoder(encoder: Any, numbers: LabelNumbers, target: Any) -> Any:
    """Fit on the classes themselves."""
    labels = as_labels(numbers.classes, target)
    encoder.fit(labels if target.shape[1] == 1 else _matrix(labels, target))
    return labels


def assemble_label_binarizer(binarizer: Any, numbers: LabelNumbers, target: Any) -> Any:
    """Fit on the classes, or on a matrix of as many columns that holds them."""
    labels = as_labels(numbers.classes, target)
    if target.shape[1] > 1 or hasattr(target, "indptr"):
        labels = _matrix(labels, target)
    binarizer.fit(labels)
    return labels


def assemble_multi_label_binarizer(binarizer: Any, numbers: LabelNumbers, target: Any) -> Any:
    """Fit on one row that has all classes."""
    labels = [tuple(numbers.classes.tolist())]
    binarizer.fit(labels)
    return labels


def _matrix(labels: Any, target: Any) -> Any:
    """Return a target of several columns that holds all labels."""
    rows = np.repeat(labels[:, None], target.shape[1], axis=1)
    return type(target)(rows) if hasattr(target, "indptr") else rows


def as_labels(found: Any, target: Any) -> Any:
    """Return the classes as a target of the clients' dtype."""
    classes = found.tolist()
    if hasattr(target, "iloc"):
        return like(target, [classes]).iloc[:, 0]
    kind = target.dtype.kind
    if kind == "U":
        return np.array(classes, dtype=np.str_)
    if kind == "O":
        labels = np.empty(len(classes), dtype=object)
        labels[:] = classes
        return labels
    return np.array(classes).astype(target.dtype, copy=False)
