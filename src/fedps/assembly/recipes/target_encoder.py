"""TargetEncoder from its categories and encodings."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import dummy_row, like, pooled_dtypes
from fedps.assembly.recipes.encoders import row_per_category
from fedps.assembly.recipes.labels import as_labels
from fedps.learned.encoders import TargetEncoderNumbers


def assemble_target_encoder(encoder: Any, numbers: TargetEncoderNumbers, table: Any) -> Any:
    """Fit on rows in which every category and every class occurs, then put the numbers in."""
    classes = numbers.classes
    # thrice as many rows as classes, or scikit-learn takes them for numbers and warns
    least = 1 if classes is None else 3 * len(classes)
    rows = row_per_category(numbers.categories, table, least)
    encoder.fit(rows, _made_up_target(numbers, rows.shape[0]))
    mean = encoder.target_mean_
    if isinstance(mean, np.ndarray):
        encoder.target_mean_ = np.asarray(numbers.mean, dtype=mean.dtype)
    else:
        encoder.target_mean_ = type(mean)(numbers.mean)
    encoder.encodings_ = [np.array(encoding) for encoding in numbers.encodings]
    return rows


def _made_up_target(numbers: TargetEncoderNumbers, rows: int) -> Any:
    """Return a target of the clients' dtype that holds all classes, or numbers."""
    kinds = [kind.split(" ", 1) for kind in numbers.target]
    container = "pandas" if any(kind[0] == "pandas" for kind in kinds) else "numpy"
    dtypes = pooled_dtypes([[dtype] for _, dtype in kinds], container)
    like_it = dummy_row(container, ("target",) if container == "pandas" else None, 1, dtypes)
    if numbers.classes is not None:
        labels = as_labels(numbers.classes, like_it)
        places = np.arange(rows) % len(labels)
        return labels.iloc[places] if hasattr(labels, "iloc") else labels[places]
    cells = np.arange(rows) + 0.5  # not whole, or scikit-learn takes them for classes
    if hasattr(like_it, "iloc"):
        return like(like_it, [cells]).iloc[:, 0]
    return cells.astype(like_it.dtype)
