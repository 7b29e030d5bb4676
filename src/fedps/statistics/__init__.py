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
from fedps.statistics.change_norms import ChangeNorms
from fedps.statistics.changes import Changes
from fedps.statistics.clusters import Clusters
from fedps.statistics.coarse_distances import CoarseDistances
from fedps.statistics.completed import Completed
from fedps.statistics.donor_means import DonorMeans
from fedps.statistics.donors import Donors
from fedps.statistics.extremes import Extremes
from fedps.statistics.farthest import Farthest
from fedps.statistics.farthest_rows import FarthestRows
from fedps.statistics.finite import Finite
from fedps.statistics.frequent import FrequentItems, Heaviest
from fedps.statistics.gap_mask import GapMask
from fedps.statistics.gram import Gram
from fedps.statistics.incomplete import Incomplete
from fedps.statistics.incomplete_columns import IncompleteColumns
from fedps.statistics.kll import KLL
from fedps.statistics.known import Known
from fedps.statistics.labels import Turns
from fedps.statistics.moments import Moments
from fedps.statistics.neighbours import Neighbours
from fedps.statistics.pair_distances import PairDistances
from fedps.statistics.partial import Partial
from fedps.statistics.patterns import Patterns
from fedps.statistics.picked_rows import PickedRows
from fedps.statistics.positive import Positive
from fedps.statistics.potentials import Potentials
from fedps.statistics.power import PowerSums
from fedps.statistics.ranks import Ranks
from fedps.statistics.req import REQ
from fedps.statistics.row_clusters import RowClusters
from fedps.statistics.row_counts import RowCounts
from fedps.statistics.row_distances import RowDistances
from fedps.statistics.row_factor import RowFactor
from fedps.statistics.row_keys import Keys, RowKeys
from fedps.statistics.row_norms import RowNorms
from fedps.statistics.schema import Schema
from fedps.statistics.sketched import Sketched
from fedps.statistics.spread import Marginal, Spread
from fedps.statistics.target_rows import TargetRows
from fedps.statistics.within import Within

AnyStatistic = (
    KLL
    | REQ
    | ByCategory
    | ByKnown
    | Categories
    | ChangeNorms
    | Changes
    | Clusters
    | CoarseDistances
    | Completed
    | DonorMeans
    | Donors
    | Extremes
    | Farthest
    | FarthestRows
    | Finite
    | FrequentItems
    | GapMask
    | Gram
    | Heaviest
    | Incomplete
    | IncompleteColumns
    | Known
    | Missing
    | Moments
    | Neighbours
    | PairDistances
    | Partial
    | Patterns
    | PickedRows
    | Positive
    | Potentials
    | PowerSums
    | Ranks
    | RowClusters
    | RowCounts
    | RowDistances
    | RowFactor
    | RowKeys
    | RowNorms
    | Spread
    | Stored
    | TargetRows
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
    "ChangeNorms",
    "Changes",
    "Clusters",
    "CoarseDistances",
    "Completed",
    "Disclosure",
    "Distinct",
    "DonorMeans",
    "Donors",
    "Extremes",
    "Farthest",
    "FarthestRows",
    "Finite",
    "FrequentItems",
    "GapMask",
    "Gram",
    "Heaviest",
    "Incomplete",
    "IncompleteColumns",
    "Keys",
    "Known",
    "Limits",
    "Marginal",
    "MergeConflict",
    "Missing",
    "Moments",
    "Neighbours",
    "PairDistances",
    "Partial",
    "Patterns",
    "PickedRows",
    "Positive",
    "Potentials",
    "PowerSums",
    "Ranks",
    "RowClusters",
    "RowCounts",
    "RowDistances",
    "RowFactor",
    "RowKeys",
    "RowNorms",
    "Schema",
    "Sketched",
    "Spread",
    "Statistic",
    "Stored",
    "Summary",
    "TargetRows",
    "Turns",
    "Within",
    "in_order",
    "merge_all",
]
