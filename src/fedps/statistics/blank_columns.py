"""blank_columns: a summary without anything about some columns, as if they had no cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import structs

from fedps.statistics.base import Statistic, Summary
from fedps.statistics.categories.given_categories import KnownSummary
from fedps.statistics.categories.pair_counts import PairCounts
from fedps.statistics.ragged import Ragged


def blank_columns(summary: Summary, columns: Sequence[int]) -> Summary:
    """Return a summary without anything about some columns; its statistic must be one by column."""
    if isinstance(summary, KnownSummary):  # all cells are among the others
        counts = tuple(0 * own if j in columns else own for j, own in enumerate(summary.counts))
        return KnownSummary(counts, summary.support() - [int(own.sum()) for own in counts])
    fields = {name: _blank(value, columns) for name, value in structs.asdict(summary).items()}
    return structs.replace(summary, **fields)


def is_by_column(statistic: Statistic[Any, Any]) -> bool:
    """Whether what a statistic tells of one column is apart from what it tells of others."""
    return not statistic.multiplies and not isinstance(statistic, PairCounts)


def _blank(value: Any, columns: Sequence[int]) -> Any:
    """Return a field of a summary with what no cells would give at some columns."""
    if isinstance(value, np.ndarray) and value.size:
        value = value.copy()
        value[..., list(columns)] = value.dtype == bool  # of no cells, all are anything
    elif isinstance(value, tuple | Ragged) and value:
        items = list(value)
        for j in columns:
            items[j] = np.empty(0) if items[j].dtype == object else items[j][:0]
        return type(value)(items)
    return value
