"""What may be computed: a Statistic says what, a Summary is the small mergeable value it yields.

May import: numpy and msgspec. Never scikit-learn, never anything else of fedps.
Its one rule: merge is associative and commutative, and ``empty`` is its identity.

- ``base``: Statistic, Summary and the Block of rows that a statistic reads; disclosure levels;
  checks of summaries that a client sent
- ``cells/``: schema, missing cells, whether numbers are finite or positive
- ``sums/``: mean and variance, sums under power transforms
- ``order/``: extremes and quantiles, exact, from slices or from a sketch
- ``categories/``: distinct values and how often they occur
- ``target/``: the target, and how it is distributed over categories
- ``products/``: inner products of columns, with and without missing cells
- ``clusters/``: values and rows by their nearest centre, for k-means
- ``neighbours/``: rows nearest to given ones
- ``masked/``: products of columns that several clients hold, under masks (``split="columns"``)
- ``aligned/``: whole rows, whose columns several clients hold (``split="columns"``)
- ``matching/``: which rows several owners of columns have, by keys that nobody shows
"""

from __future__ import annotations

from fedps.statistics.aligned.change_norms import ChangeNorms
from fedps.statistics.aligned.coarse_distances import CoarseDistances
from fedps.statistics.aligned.donor_means import DonorMeans
from fedps.statistics.aligned.gap_mask import GapMask
from fedps.statistics.aligned.incomplete_columns import IncompleteColumns
from fedps.statistics.aligned.pair_distances import PairDistances
from fedps.statistics.aligned.partial_predictions import Partial
from fedps.statistics.aligned.row_distances import RowDistances
from fedps.statistics.aligned.row_factor import RowFactor
from fedps.statistics.aligned.row_keys import Keys, RowKeys
from fedps.statistics.aligned.row_norms import RowNorms
from fedps.statistics.aligned.target_rows import TargetRows
from fedps.statistics.base import (
    BadCells,
    Block,
    Distinct,
    MergeConflict,
    Statistic,
    Summary,
    in_order,
)
from fedps.statistics.categories.categories import Categories
from fedps.statistics.categories.frequent_items import FrequentItems, Heaviest
from fedps.statistics.categories.given_categories import Known
from fedps.statistics.categories.pair_counts import PairCounts
from fedps.statistics.cells.cell_counts import Missing, Stored
from fedps.statistics.cells.finite import Finite
from fedps.statistics.cells.positive import Positive
from fedps.statistics.cells.schema import Schema
from fedps.statistics.clusters.farthest_rows import FarthestRows
from fedps.statistics.clusters.farthest_values import Farthest
from fedps.statistics.clusters.picked_rows import PickedRows
from fedps.statistics.clusters.potentials import Potentials
from fedps.statistics.clusters.row_clusters import RowClusters
from fedps.statistics.clusters.row_counts import RowCounts
from fedps.statistics.clusters.value_clusters import Clusters
from fedps.statistics.limits import Disclosure, Limits
from fedps.statistics.masked.mask_keys import MaskKeys
from fedps.statistics.masked.mask_seeds import MaskSeeds
from fedps.statistics.masked.masked_columns import MaskedColumns
from fedps.statistics.masked.masked_partial import MaskedPartial
from fedps.statistics.masked.masked_products import MaskedProducts
from fedps.statistics.masked.partial_keys import PartialKeys
from fedps.statistics.matching.blinded_again import BlindedAgain
from fedps.statistics.matching.blinded_keys import BlindedKeys
from fedps.statistics.matching.match_table import MatchTable
from fedps.statistics.matching.proven_keys import ProvenKeys
from fedps.statistics.neighbours.donors import Donors
from fedps.statistics.neighbours.incomplete_rows import Incomplete
from fedps.statistics.neighbours.neighbours import Neighbours
from fedps.statistics.order.extremes import Extremes
from fedps.statistics.order.kll import KLL
from fedps.statistics.order.req import REQ
from fedps.statistics.order.sketch_result import Sketched
from fedps.statistics.order.spread import Marginal, Spread
from fedps.statistics.order.values_within import Within
from fedps.statistics.products.co_moments import CoMoments
from fedps.statistics.products.gram import Gram
from fedps.statistics.products.imputation_change import Changes
from fedps.statistics.products.imputed_products import Completed
from fedps.statistics.products.missing_patterns import Patterns
from fedps.statistics.sums.cubes import Cubes
from fedps.statistics.sums.moments import Moments
from fedps.statistics.sums.power_sums import PowerSums
from fedps.statistics.target.labels import Turns
from fedps.statistics.target.target_by_category import ByCategory
from fedps.statistics.target.target_by_given_category import ByKnown

AnyStatistic = (
    KLL
    | REQ
    | BlindedAgain
    | BlindedKeys
    | ByCategory
    | ByKnown
    | Categories
    | ChangeNorms
    | Changes
    | Clusters
    | CoMoments
    | CoarseDistances
    | Completed
    | Cubes
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
    | MatchTable
    | MaskKeys
    | MaskSeeds
    | MaskedColumns
    | MaskedPartial
    | MaskedProducts
    | Missing
    | Moments
    | Neighbours
    | PairCounts
    | PairDistances
    | Partial
    | PartialKeys
    | Patterns
    | PickedRows
    | Positive
    | Potentials
    | PowerSums
    | ProvenKeys
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
    "BlindedAgain",
    "BlindedKeys",
    "Block",
    "ByCategory",
    "ByKnown",
    "Categories",
    "ChangeNorms",
    "Changes",
    "Clusters",
    "CoMoments",
    "CoarseDistances",
    "Completed",
    "Cubes",
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
    "MaskKeys",
    "MaskSeeds",
    "MaskedColumns",
    "MaskedPartial",
    "MaskedProducts",
    "MatchTable",
    "MergeConflict",
    "Missing",
    "Moments",
    "Neighbours",
    "PairCounts",
    "PairDistances",
    "Partial",
    "PartialKeys",
    "Patterns",
    "PickedRows",
    "Positive",
    "Potentials",
    "PowerSums",
    "ProvenKeys",
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
]
