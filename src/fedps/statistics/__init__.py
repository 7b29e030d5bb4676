"""What may be computed: one idea per file.

For: saying what leaves a client. A Statistic is a specification, a Summary the small mergeable
value it yields; both are frozen.
May import: numpy and msgspec. Never scikit-learn, never anything else of fedps.
Its one rule: merge is associative and commutative, and ``empty`` is its identity.
"""

from __future__ import annotations

from fedps.statistics.base import (
    BadCells,
    Block,
    Disclosure,
    Distinct,
    MergeConflict,
    Statistic,
    Summary,
    in_order,
    merge_all,
)
from fedps.statistics.categories import Categories
from fedps.statistics.cells import Missing, Stored
from fedps.statistics.extremes import Extremes
from fedps.statistics.finite import Finite
from fedps.statistics.known import Known
from fedps.statistics.moments import Moments
from fedps.statistics.schema import Schema

AnyStatistic = Categories | Extremes | Finite | Known | Missing | Moments | Stored

__all__ = [
    "AnyStatistic",
    "BadCells",
    "Block",
    "Categories",
    "Disclosure",
    "Distinct",
    "Extremes",
    "Finite",
    "Known",
    "MergeConflict",
    "Missing",
    "Moments",
    "Schema",
    "Statistic",
    "Stored",
    "Summary",
    "in_order",
    "merge_all",
]
