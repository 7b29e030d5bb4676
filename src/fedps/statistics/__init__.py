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
    Limits,
    MergeConflict,
    Statistic,
    Summary,
    in_order,
    merge_all,
)
from fedps.statistics.by_category import ByCategory
from fedps.statistics.by_known import ByKnown
from fedps.statistics.categories import Categories
from fedps.statistics.cells import Missing, Stored
from fedps.statistics.clusters import Clusters
from fedps.statistics.extremes import Extremes
from fedps.statistics.farthest import Farthest
from fedps.statistics.finite import Finite
from fedps.statistics.frequent import FrequentItems, Heaviest
from fedps.statistics.kll import KLL
from fedps.statistics.known import Known
from fedps.statistics.labels import Turns
from fedps.statistics.moments import Moments
from fedps.statistics.positive import Positive
from fedps.statistics.power import PowerSums
from fedps.statistics.ranks import Ranks
from fedps.statistics.req import REQ
from fedps.statistics.schema import Schema
from fedps.statistics.sketched import Sketched
from fedps.statistics.spread import Marginal, Spread
from fedps.statistics.within import Within

AnyStatistic = (
    KLL
    | REQ
    | ByCategory
    | ByKnown
    | Categories
    | Clusters
    | Extremes
    | Farthest
    | Finite
    | FrequentItems
    | Heaviest
    | Known
    | Missing
    | Moments
    | Positive
    | PowerSums
    | Ranks
    | Spread
    | Stored
    | Turns
    | Within
)

__all__ = [
    "KLL",
    "REQ",
    "AnyStatistic",
    "BadCells",
    "Block",
    "ByCategory",
    "ByKnown",
    "Categories",
    "Clusters",
    "Disclosure",
    "Distinct",
    "Extremes",
    "Farthest",
    "Finite",
    "FrequentItems",
    "Heaviest",
    "Known",
    "Limits",
    "Marginal",
    "MergeConflict",
    "Missing",
    "Moments",
    "Positive",
    "PowerSums",
    "Ranks",
    "Schema",
    "Sketched",
    "Spread",
    "Statistic",
    "Stored",
    "Summary",
    "Turns",
    "Within",
    "in_order",
    "merge_all",
]
