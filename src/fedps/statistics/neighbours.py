"""Neighbours and Donors: what the rows nearest to some others hold, and how far away they are."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec import Meta, Struct

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Disclosure,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.closest import Euclidean, Ruler, closest, pieces
from fedps.statistics.incomplete import gapped

MOST_ANSWERED = 1 << 19  # values of an answer: a few bytes can ask for very many

Metric = Literal[
    "euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "canberra", "hamming"
]


class Nearest(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A line for each value that is looked for: what the nearest rows hold, and their distances.

    Nearest first. A line with fewer than others ends in infinite distances and zeros.
    """

    distances: Array
    values: Array


class NearestSummary(Summary, frozen=True, array_like=True, tag="nearest"):
    """The nearest rows so far."""

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
        """Return nothing to check: each value is that of a single row, as the level says."""
        return np.zeros(0, dtype=np.int64)


class _OfNearest(Statistic[NearestSummary, Nearest], frozen=True, array_like=True):
    """What both have in common: the queries, how many neighbours, and how answers merge.

    Of equally far rows those of the first client come first, and of its rows the first.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    positional: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = NearestSummary

    queries: Array
    k: Annotated[int, Meta(ge=1, le=2**31)]

    @property
    def columns(self) -> int | None:
        """How many columns the queries have, unless there are none: then any number will do."""
        return self.queries.shape[1] if self.queries.size else None

    @property
    def wanted(self) -> int:
        """How many values are looked for."""
        raise NotImplementedError

    def empty(self, width: int) -> NearestSummary:
        """Return no neighbours, or say that these are no queries to such a table."""
        queries = self.queries
        numbers = queries.dtype in (np.float64, np.float32) and queries.ndim == 2
        if not numbers or np.isinf(queries).any() or (len(queries) and queries.shape[1] != width):
            raise BadCells("queries")
        if self.wanted * self.k > MOST_ANSWERED:
            raise BadCells("too large")
        return _none(self.wanted)

    def merge(self, left: NearestSummary, right: NearestSummary) -> NearestSummary:
        """Keep the k nearest of both; the left one's come first where distances are equal."""
        pairs = zip(_arrays(left), _arrays(right), strict=True)
        distances, values = (np.concatenate(pair, axis=1) for pair in pairs)
        order = np.argsort(distances, axis=1, kind="stable")[:, : self.k]
        distances, values = (np.take_along_axis(a, order, axis=1) for a in (distances, values))
        kept = np.count_nonzero(np.isfinite(distances).any(axis=0))
        return NearestSummary(Nearest(distances[:, :kept].copy(), values[:, :kept].copy()))

    def check(self, summary: NearestSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each value, and no more neighbours than asked."""
        shape = summary.found.distances.shape
        demand(len(shape) == 2, "distances", f"has {len(shape)} dimensions")
        demand(shape[0] == self.wanted, "distances", f"has {shape[0]} lines, not {self.wanted}")
        demand(shape[1] <= self.k, "distances", f"has {shape[1]} neighbours, more than {self.k}")
        summary.check(width, rows)

    def result(self, summary: NearestSummary) -> Nearest:
        """Return distances and values."""
        return summary.found


class Neighbours(_OfNearest, frozen=True, array_like=True, tag="neighbours"):
    """The target of the ``k`` rows nearest to each query, and their distances.

    ``metric`` is a name that scipy knows, ``p`` and ``weights`` (one for each column, or none) are
    Minkowski's. Without queries it only sees to it that there are none but finite numbers. Shows the
    targets of single rows, and how far they are from rows that the server chooses. Costs two numbers
    for each query and neighbour.
    """

    of_target: ClassVar[bool] = True

    metric: Metric
    p: float
    weights: Array

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return (
            "for each row to be predicted, the target of the rows here that are most like it, and how "
            "far each is from it"
        )

    @property
    def wanted(self) -> int:
        """One value for each query."""
        return len(self.queries)

    def empty(self, width: int) -> NearestSummary:
        """Return no neighbours, or say that these are no queries to such a table."""
        weights = self.weights.dtype == np.float64 and self.weights.shape in ((0,), (width,))
        if not weights or not (self.weights >= 0).all() or not self.p > 0:
            raise BadCells("queries")
        nothing = super().empty(width)
        if np.isnan(self.queries).any() or not np.isfinite(self.weights).all():
            raise BadCells("queries")
        return nothing

    def update(self, summary: NearestSummary, block: Block) -> NearestSummary:
        """Fold in a block of rows."""
        cells = gapped(block)
        lost = np.flatnonzero(np.isnan(cells).any(axis=0))
        if lost.size:
            raise BadCells("missing", int(lost[0]))
        target = _numbers(block.target())
        if not self.wanted or not len(cells):
            return summary
        ruler: Ruler = _Measured(self, block)
        if self.metric == "euclidean":
            ruler = Euclidean(cells, self.queries)
        found = []
        for some in pieces(self.wanted, len(cells)):
            exact = partial(_exact, ruler, np.arange(self.wanted)[some], np.arange(len(cells)))
            found.append(closest(*ruler.bounds(some), self.k, exact))
        distances = np.concatenate([part.distances for part in found])
        rows = np.concatenate([part.rows for part in found])
        return self.merge(summary, NearestSummary(Nearest(distances, target[rows])))


class Donors(_OfNearest, frozen=True, array_like=True, tag="donors"):
    """For each gap of each query what the ``k`` nearest rows that have no gap there hold.

    And how far each is. Gaps of the queries are NaN; those of the table are ``marker``. Distances are
    Euclidean over the columns that both have, scaled up to all. Shows cells of single rows, and how
    far they are from rows of other clients. Costs two numbers for each gap and neighbour.
    """

    marker: float = float("nan")

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return (
            "for each missing cell of the incomplete rows of all clients, what stands there in the "
            "rows here that are most like them, and how far each is"
        )

    @property
    def wanted(self) -> int:
        """One value for each gap."""
        return int(np.count_nonzero(np.isnan(self.queries)))

    def update(self, summary: NearestSummary, block: Block) -> NearestSummary:
        """Fold in a block of rows."""
        cells = gapped(block, self.marker)
        gaps = np.isnan(self.queries)
        if not gaps.any() or not len(cells):
            return summary
        ruler = Euclidean(cells, self.queries)
        lines = (np.cumsum(gaps) - 1).reshape(gaps.shape)
        donors = [np.flatnonzero(~np.isnan(column)) for column in cells.T]
        k = min(self.k, len(cells))
        distances, values = np.full((self.wanted, k), np.inf), np.zeros((self.wanted, k))
        for some in pieces(len(gaps), len(cells)):
            bounds, slack = ruler.bounds(some)
            for j in np.flatnonzero(gaps[some].any(axis=0)):
                who, rows = np.flatnonzero(gaps[some, j]), donors[j]
                exact = partial(_exact, ruler, who + some.start, rows)
                near = bounds if len(who) == len(bounds) else bounds.take(who, axis=0)
                near = near if len(rows) == len(cells) else near.take(rows, axis=1)
                found = closest(near, slack[who], k, exact)
                if not found.rows.size:
                    continue
                at, width = lines[some][who, j], found.rows.shape[1]
                distances[at, :width] = found.distances
                held = cells[rows[found.rows], j]
                values[at, :width] = np.where(np.isfinite(found.distances), held, 0.0)
        return self.merge(summary, NearestSummary(Nearest(distances, values)))


class _Measured:
    """Distances by another metric, as the client measures them: they need no bounds."""

    def __init__(self, asked: Neighbours, block: Block) -> None:
        self._asked, self._block = asked, block
        self._start, self._distances = 0, np.empty((0, 0))

    def bounds(self, some: slice) -> tuple[Array, Array]:
        """Return the distances themselves."""
        asked = self._asked
        queries = np.asarray(asked.queries[some], dtype=np.float64)
        found = self._block.distances(queries, asked.metric, asked.p, asked.weights)
        if not np.isfinite(found).all():
            raise BadCells("range")
        self._start, self._distances = some.start, found
        return found, np.zeros(len(found))

    def exact(self, queries: Array, rows: Array) -> Array:
        """Return those of pairs of a query, among the last, and a row."""
        return np.asarray(self._distances[queries - self._start, rows])


def _exact(ruler: Ruler, queries: Array, rows: Array, who: Array, which: Array) -> Array:
    """Return distances of pairs that are counted among some queries and some rows."""
    return ruler.exact(queries[who], rows[which])


def _none(wanted: int) -> NearestSummary:
    return NearestSummary(Nearest(np.empty((wanted, 0)), np.empty((wanted, 0))))


def _arrays(summary: NearestSummary) -> tuple[Array, Array]:
    return summary.found.distances, summary.found.values


def _numbers(target: Array) -> Array:
    """Return a target as floats, or say that it is text."""
    if target.dtype.kind == "O" and any(isinstance(label, str) for label in target.tolist()):
        raise BadCells("not numbers", what="target")
    return target.astype(np.float64)


__all__: Any = ["Donors", "Metric", "Nearest", "Neighbours"]
