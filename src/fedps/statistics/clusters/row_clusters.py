"""RowClusters: how many rows are nearest to each of some centres, and their sums."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import (
    OPEN,
    Array,
    Block,
    Disclosure,
    Limits,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.clusters.assign_rows import complain, demand_centres, in_turn, nearest_to_rows
from fedps.statistics.clusters.value_clusters import total_of_parts


class RowClustersSummary(Summary, frozen=True, array_like=True, tag="row_clusters"):
    """Rows per centre; per part of the rows the squared distances added up, and the sums.

    ``sums`` has a line per centre and a number per column. Different parts are put together exactly
    when the result is taken.
    """

    width_field: ClassVar[str | None] = "sums"

    group: ClassVar[str] = "cluster"

    counts: Array
    inertia: Array
    sums: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes and signs, that each row is in a cluster, and that no sum is of no rows."""
        demand_array(self.counts, "counts", "int64", (None,))
        demand_array(self.sums, "sums", "float64", (None, len(self.counts), width))
        demand(len(self.sums) <= 1, "sums", f"has {len(self.sums)} parts, not one")
        demand_array(self.inertia, "inertia", "float64", (len(self.sums),))
        demand((self.counts >= 0).all(), "counts", "must not be negative")
        total = sum(self.counts.tolist())  # one by one: the sum of hostile counts could wrap
        demand(total == rows, "counts", f"adds up to {total} rows, not {rows}")
        demand(rows == 0 or len(self.sums) == 1, "sums", "is lacking")
        demand(np.isfinite(self.inertia).all(), "inertia", "must be finite")
        demand((self.inertia >= 0).all(), "inertia", "must not be negative")
        demand(np.isfinite(self.sums).all(), "sums", "must be finite")
        demand((self.sums[:, self.counts == 0] == 0).all(), "sums", "must be 0 where counts is 0")

    def support(self) -> Array:
        """Return the number of rows."""
        return np.full(self.sums.shape[-1], self.counts.sum())

    def groups(self) -> Array:
        """Return the rows of the smallest cluster that has any."""
        filled = self.counts[self.counts > 0]
        return np.full(self.sums.shape[-1] if filled.size else 0, filled.min(initial=2**62))


_FEW = 32  # clusters, up to which a product is the fastest way to add up rows
CANCELLED = 1e-3  # of the squares of rows: a smaller rest of them has lost digits


class RowSums(NamedTuple):
    """What a plan receives: rows per centre, their sums, and all squared distances added up."""

    counts: Array
    sums: Array
    inertia: float


class RowClusters(
    Statistic[RowClustersSummary, RowSums], frozen=True, array_like=True, tag="row_clusters"
):
    """How many rows are nearest to each centre, the sums of those, and how far all are from theirs.

    Centres are given less ``mean``, in the precision in which distances are taken: 64 or 32 bits.
    Sums are of the rows less ``mean``, so that far from zero nothing is lost. Discloses sums; the
    sum of a cluster of one row is that row, so a policy's ``min_rows`` holds for each cluster that
    has rows at the client. Costs a number per centre and column, one per centre, and one.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    additive: ClassVar[bool] = True
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = RowClustersSummary

    centres: Array
    mean: Array

    @property
    def shows(self) -> str:
        """What of the columns an answer shows."""
        return "how many rows each cluster has, their sums, how far all rows are from their centres"

    def empty(self, width: int) -> RowClustersSummary:
        """Return zeros in no parts."""
        demand_centres(self.centres, self.mean, width)
        size = len(self.centres)
        return RowClustersSummary(np.zeros(size, np.int64), np.empty(0), np.empty((0, size, width)))

    def update(self, summary: RowClustersSummary, block: Block) -> RowClustersSummary:
        """Fold in a block as one more part."""
        size = len(self.centres)
        counts, sums, inertia = np.zeros(size, dtype=np.int64), np.zeros(self.centres.shape), 0.0
        for _, rows in in_turn(block, self.mean, self.centres.dtype, size):
            labels, best = nearest_to_rows(rows, self.centres)
            counts += np.bincount(labels, minlength=size)
            with np.errstate(over="ignore", invalid="ignore"):  # refused below
                sums += _sums(rows, labels, size)
                inertia += _inertia(rows, labels, best, self.centres)
        if not (math.isfinite(inertia) and np.isfinite(sums).all()):
            complain(block)
        return self.merge(summary, RowClustersSummary(counts, np.array([inertia]), sums[None]))

    def merge(self, left: RowClustersSummary, right: RowClustersSummary) -> RowClustersSummary:
        """Add the counts; keep the sums of both: they are added up, exactly, in the result."""
        return RowClustersSummary(
            left.counts + right.counts,
            np.concatenate([left.inertia, right.inertia]),
            np.concatenate([left.sums, right.sums]),
        )

    def compact(self, summary: RowClustersSummary, limits: Limits = OPEN) -> RowClustersSummary:
        """Return one part with the same totals, each rounded once."""
        if len(summary.sums) < 2:
            return summary
        found = self.result(summary)
        return RowClustersSummary(found.counts, np.array([found.inertia]), found.sums[None])

    def check(self, summary: RowClustersSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each centre."""
        demand_array(summary.counts, "counts", "int64", (None,))
        lines = len(summary.counts)
        demand(lines == len(self.centres), "counts", f"has {lines} centres")
        summary.check(width, rows)

    def result(self, summary: RowClustersSummary) -> RowSums:
        """Return counts, sums and inertia, rounded once from exact totals."""
        inertia = math.fsum(summary.inertia.tolist())
        return RowSums(summary.counts, total_of_parts(summary.sums), inertia)


def _sums(rows: Array, labels: Array, size: int) -> Array:
    """Return the sum of the rows of each cluster, in 64 bits."""
    if size <= _FEW:
        members = labels == np.arange(size)[:, None]
        return np.asarray(members.astype(np.float64) @ rows.astype(np.float64, copy=False))
    width = rows.shape[1]
    cells = (labels[:, None] * width + np.arange(width)).ravel()
    return np.bincount(cells, rows.ravel(), size * width).reshape(size, width)


def _inertia(rows: Array, labels: Array, best: Array, centres: Array) -> float:
    """Return the squared distances of all rows from their centres, added up.

    ``best`` is what they are less the squares of the rows.
    """
    squares = float(np.einsum("ij,ij->", rows, rows, dtype=np.float64))
    rest = squares + float(best.sum(dtype=np.float64))
    if rows.dtype == np.float64 and rest > CANCELLED * squares:
        return rest
    apart = rows - centres[labels]
    return float(np.einsum("ij,ij->", apart, apart, dtype=np.float64))
