"""Encoders from their categories and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.learned import Array, needed
from fedps.learned.encoders import CategoryEncoderNumbers


def assemble_category_encoder(encoder: Any, numbers: CategoryEncoderNumbers, table: Any) -> Any:
    """Fit on one row per category, with the true counts standing in for those of the rows."""
    rows = row_per_category(numbers.categories, table)
    if numbers.counts is not None:
        encoder._identify_infrequent = _with_counts(encoder, numbers, numbers.counts)
    try:
        encoder.fit(rows)
    finally:
        vars(encoder).pop("_identify_infrequent", None)
    return rows


def row_per_category(categories: list[Any], table: Any, least: int = 1) -> Any:
    """Return a table in which every category occurs; shorter columns are filled by repeating."""
    length = max(least, *(len(c) for c in categories)) if len(categories) else 1
    return like(table, [_repeated(np.asarray(column), length) for column in categories])


def _repeated(column: Array, length: int) -> Any:
    """Return so many cells of all categories; times stay in an array, which knows their unit."""
    if column.dtype.kind not in "mM":
        column = column.astype(object)
    cells = column[np.arange(length) % len(column)]
    return cells if cells.dtype.kind in "mM" else cells.tolist()


def _with_counts(encoder: Any, numbers: CategoryEncoderNumbers, known: list[Array]) -> Any:
    """Return scikit-learn's own rule for infrequent categories, applied to the true counts."""
    rule = type(encoder)._identify_infrequent

    def identify(shown: Any, _rows: int, position: int) -> Any:
        # scikit-learn has taken the missing value's count out where the lengths differ
        counts = known[position][: len(shown)]
        rare = -1 if numbers.stand_in is None else int(numbers.stand_in[position])
        if rare >= 0:
            counts = counts.copy()
            counts[rare] = 0  # it stands for many, each of them infrequent
        return rule(encoder, counts, int(numbers.rows), position)

    return identify


def stored_cells(encoder: Any, numbers: CategoryEncoderNumbers) -> int:
    """Return how many ones a fitted OneHotEncoder writes for all rows of all clients."""
    stored = 0
    for position, dropped in enumerate(_dropped(encoder)):
        lost = 0 if numbers.unknown is None else int(numbers.unknown[position])
        if dropped is not None:
            counts = needed(numbers.counts)[position]
            lost += _rows_of_output(encoder, counts, position, dropped)
        stored += int(numbers.rows) - lost
    return stored


def _dropped(encoder: Any) -> list[int | None]:
    """Return the dropped output column of each feature."""
    dropped = getattr(encoder, "_drop_idx_after_grouping", None)
    if dropped is None:
        return [None] * encoder.n_features_in_
    return list(dropped)


def _rows_of_output(encoder: Any, counts: Any, position: int, output: int) -> int:
    """Return how many rows fall into one output column, infrequent categories grouped."""
    mappings = getattr(encoder, "_default_to_infrequent_mappings", None)
    mapping = None if mappings is None else mappings[position]
    if mapping is None:
        return int(counts[output])
    return int(counts[: len(mapping)][mapping == output].sum())
