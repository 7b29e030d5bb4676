"""Encoders from their categories and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.learned import Facts


def encoder(encoder: Any, learned: Facts, table: Any) -> Any:
    """Fit on one row per category, with the true counts standing in for those of the rows."""
    rows = row_per_category(learned["categories"], table)
    if "counts" in learned:
        encoder._identify_infrequent = _with_counts(encoder, learned)
    try:
        encoder.fit(rows)
    finally:
        vars(encoder).pop("_identify_infrequent", None)
    return rows


def row_per_category(categories: list[Any], table: Any, least: int = 1) -> Any:
    """Return a table in which every category occurs; shorter columns are filled by repeating."""
    length = max(least, *(len(c) for c in categories)) if len(categories) else 1
    columns = [np.asarray(c, dtype=object)[np.arange(length) % len(c)] for c in categories]
    return like(table, [column.tolist() for column in columns])


def _with_counts(encoder: Any, learned: Facts) -> Any:
    """Return scikit-learn's own rule for infrequent categories, applied to the true counts."""
    rule = type(encoder)._identify_infrequent

    def identify(shown: Any, _rows: int, position: int) -> Any:
        # scikit-learn has taken the missing value's count out where the lengths differ
        counts = learned["counts"][position][: len(shown)]
        if "stand_in" in learned and (rare := int(learned["stand_in"][position])) >= 0:
            counts = counts.copy()
            counts[rare] = 0  # it stands for many, each of them infrequent
        return rule(encoder, counts, int(learned["rows"]), position)

    return identify


def stored_cells(encoder: Any, learned: Facts) -> int:
    """Return how many ones a fitted OneHotEncoder writes for all rows of all clients."""
    rows, stored = int(learned["rows"]), 0
    for position, dropped in enumerate(_dropped(encoder)):
        lost = learned["unknown"][position] if "unknown" in learned else 0
        if dropped is not None:
            lost += _rows_of_output(encoder, learned["counts"][position], position, dropped)
        stored += rows - int(lost)
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
