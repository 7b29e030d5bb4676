"""Label transformers from their classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.learned import Facts


def label_encoder(encoder: Any, learned: Facts, target: Any) -> Any:
    """Fit on the classes themselves."""
    labels = _labels(learned, target)
    encoder.fit(labels)
    return labels


def label_binarizer(binarizer: Any, learned: Facts, target: Any) -> Any:
    """Fit on the classes, or on an indicator matrix of as many columns."""
    if target.shape[1] > 1:
        labels = np.eye(target.shape[1], dtype=target.dtype)
        labels = type(target)(labels) if hasattr(target, "indptr") else labels
    else:
        labels = _labels(learned, target)
    binarizer.fit(labels)
    return labels


def multi_label_binarizer(binarizer: Any, learned: Facts, target: Any) -> Any:
    """Fit on one row that has all classes."""
    labels = [tuple(learned["classes"].tolist())]
    binarizer.fit(labels)
    return labels


def _labels(learned: Facts, target: Any) -> Any:
    """Return the classes as a target of the clients' dtype."""
    classes = learned["classes"].tolist()
    kind = target.dtype.kind
    if kind == "U":
        return np.array(classes, dtype=target.dtype)
    if kind == "O":
        labels = np.empty(len(classes), dtype=object)
        labels[:] = classes
        return labels
    return np.array(classes).astype(target.dtype, copy=False)
