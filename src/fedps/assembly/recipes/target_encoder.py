"""TargetEncoder from its categories and encodings."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import dummy_row, like, pooled_dtypes
from fedps.assembly.recipes.encoders import row_per_category
from fedps.assembly.recipes.labels import as_labels
from fedps.learned import Facts


def target_encoder(encoder: Any, learned: Facts, table: Any) -> Any:
    """Fit on rows in which every category and every class occurs, then put the numbers in."""
    classes = learned["classes"]
    # thrice as many rows as classes, or scikit-learn takes them for numbers and warns
    least = 1 if classes is None else 3 * len(classes)
    rows = row_per_category(learned["categories"], table, least)
    encoder.fit(rows, _surrogate(learned, rows.shape[0]))
    mean = encoder.target_mean_
    if isinstance(mean, np.ndarray):
        encoder.target_mean_ = np.asarray(learned["mean"], dtype=mean.dtype)
    else:
        encoder.target_mean_ = type(mean)(learned["mean"])
    encoder.encodings_ = [np.array(encoding) for encoding in learned["encodings"]]
    return rows


def _surrogate(learned: Facts, rows: int) -> Any:
    """Return a target of the clients' dtype that holds all classes, or numbers."""
    kinds = [kind.split(" ", 1) for kind in learned["target"]]
    container = "pandas" if any(kind[0] == "pandas" for kind in kinds) else "numpy"
    dtypes = pooled_dtypes([[dtype] for _, dtype in kinds], container)
    like_it = dummy_row(container, ("target",) if container == "pandas" else None, 1, dtypes)
    if learned["classes"] is not None:
        labels = as_labels(learned["classes"], like_it)
        places = np.arange(rows) % len(labels)
        return labels.iloc[places] if hasattr(labels, "iloc") else labels[places]
    numbers = np.arange(rows) + 0.5
    if hasattr(like_it, "iloc"):
        return like(like_it, [numbers]).iloc[:, 0]
    return numbers.astype(like_it.dtype)
