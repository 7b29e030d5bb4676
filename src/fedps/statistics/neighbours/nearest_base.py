"""What Donors and Neighbours share: values and distances of the nearest rows, and their merging."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta, Struct

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.neighbours.closest_rows import Ruler

# Of the queries, and of an answer. A request of few bytes, deflated, can contain very many queries,
# and an answer has k numbers for each.
_MOST_NUMBERS = 1 << 19


class Nearest(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A line for each value that is searched: the values in the nearest rows, and their distances.

    Nearest first. A line with fewer neighbours than others ends with infinite distances and zeros.
    """

    distances: Array
    values: Array


class NearestSummary(Summary, frozen=True, array_like=True, tag="nearest"):
    """The nearest rows so far."""

    width_field: ClassVar[str | None] = None

    found: Nearest

    def check(self, width: int, rows: int) -> None:
        """Check shapes, and that distances are in order and values are numbers."""
        distances, values = self.found.distances, self.found.values
        demand_array(distances, "distances", "float64", (None, None))
        demand_array(values, "values", "float64", distances.shape)
        wide = distances.shape[1] <= rows
        demand(wide, "distances", f"has more than {rows} rows")
        demand((distances >= 0).all(), "distances", "must not be negative")
        in_order = (distances[:, 1:] >= distances[:, :-1]).all()
        demand(in_order, "distances", "must be sorted")
        demand(np.isfinite(values).all(), "values", "must be finite")
        demand((values[np.isinf(distances)] == 0).all(), "values", "must be 0 where no row is")

    def support(self) -> Array:
        """Return nothing to check: cells of single rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class OfNearest(Statistic[NearestSummary, Nearest], frozen=True, array_like=True):
    """The ``k`` rows nearest to each of the queries. Subclasses say what is sent of these rows.

    Of equally distant rows, those of the first client come first, and of its rows the first.
    scikit-learn breaks ties by ``argpartition`` over all rows, which no client can reproduce.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    positional: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    gives_cells: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = NearestSummary

    queries: Array
    k: Annotated[int, Meta(ge=1, le=2**31)]

    @property
    def columns(self) -> int | None:
        """How many columns the queries have; None, which is any number, without queries."""
        return self.queries.shape[1] if self.queries.size else None

    @property
    def wanted(self) -> int:
        """How many values are searched."""
        raise NotImplementedError

    def empty(self, width: int) -> NearestSummary:
        """Return no neighbours, or refuse queries that do not fit the table."""
        queries = self.queries
        numbers = queries.dtype in (np.float64, np.float32) and queries.ndim == 2
        if not numbers or np.isinf(queries).any() or (len(queries) and queries.shape[1] != width):
            raise BadCells("queries")
        if max(self.wanted * self.k, queries.size) > _MOST_NUMBERS:
            raise BadCells("too large")
        return _none(self.wanted)

    def merge(self, left: NearestSummary, right: NearestSummary) -> NearestSummary:
        """Keep the k nearest of both; of equal distances, those of the left one come first."""
        pairs = zip(_arrays(left), _arrays(right), strict=True)
        distances, values = (np.concatenate(pair, axis=1) for pair in pairs)
        order = np.argsort(distances, axis=1, kind="stable")[:, : self.k]
        distances, values = (np.take_along_axis(a, order, axis=1) for a in (distances, values))
        kept = np.count_nonzero(np.isfinite(distances).any(axis=0))
        return NearestSummary(Nearest(distances[:, :kept].copy(), values[:, :kept].copy()))

    def check(self, summary: NearestSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each value, and no more neighbours than requested."""
        shape = summary.found.distances.shape
        demand(len(shape) == 2, "distances", f"has {len(shape)} dimensions")
        demand(shape[0] == self.wanted, "distances", f"has {shape[0]} lines, not {self.wanted}")
        demand(shape[1] <= self.k, "distances", f"has {shape[1]} neighbours, more than {self.k}")
        summary.check(width, rows)

    def result(self, summary: NearestSummary) -> Nearest:
        """Return distances and values."""
        return summary.found


def of_pairs(ruler: Ruler, queries: Array, rows: Array, who: Array, which: Array) -> Array:
    """Return the distances of pairs, given by positions among some queries and some rows."""
    return ruler.exact(queries[who], rows[which])


def _none(wanted: int) -> NearestSummary:
    return NearestSummary(Nearest(np.empty((wanted, 0)), np.empty((wanted, 0))))


def _arrays(summary: NearestSummary) -> tuple[Array, Array]:
    return summary.found.distances, summary.found.values
