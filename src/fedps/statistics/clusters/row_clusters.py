"""RowClusters: how many rows are nearest to each centre, and their sums."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import (
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.clusters.assign_rows import (
    centred_batches,
    demand_centres,
    nearest_to_rows,
    refuse_not_finite,
    spare_array,
)
from fedps.statistics.clusters.value_clusters import total_of_parts
from fedps.statistics.demands import exact_total
from fedps.statistics.limits import OPEN, Disclosure, Limits


class RowClustersSummary(Summary, frozen=True, array_like=True, tag="row_clusters"):
    """Counts per centre; and, for each part of the rows, the inertia and the sums per centre.

    ``sums`` has a line per centre and a number per column. The result adds up parts exactly. ``held`` says
    that rows stayed in a cluster although they are nearer to another centre.
    """

    width_field: ClassVar[str | None] = "sums"
    told_fields: ClassVar[tuple[str, ...]] = ("counts", "sums")

    group: ClassVar[str] = "cluster"

    counts: Array
    inertia: Array
    sums: Array
    held: bool

    def check(self, width: int, rows: int) -> None:
        """Check shapes and signs, that each row is in a cluster, and that sums of no rows are 0."""
        demand_array(self.counts, "counts", "int64", (None,))
        demand_array(self.sums, "sums", "float64", (None, len(self.counts), width))
        demand(len(self.sums) <= 1, "sums", f"has {len(self.sums)} parts, not one")
        demand_array(self.inertia, "inertia", "float64", (len(self.sums),))
        demand((self.counts >= 0).all(), "counts", "must not be negative")
        total = exact_total(self.counts)
        demand(total == rows, "counts", f"adds up to {total} rows, not {rows}")
        demand(rows == 0 or len(self.sums) == 1, "sums", "is missing")
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


_FEW = 32  # clusters, up to which a matrix product is the fastest way to add up rows
CANCELLED = 1e-3  # share of the squared norms: a smaller inertia has lost digits to cancellation


class RowSums(NamedTuple):
    """What a plan receives: the number of rows per centre, their sums, and the inertia.

    ``held`` says that some client keeps rows in their clusters, as its policy demands.
    """

    counts: Array
    sums: Array
    inertia: float
    held: bool = False


class RowClusters(
    Statistic[RowClustersSummary, RowSums], frozen=True, array_like=True, tag="row_clusters"
):
    """How many rows are nearest to each centre, their sums, and the inertia.

    Centres are given minus ``mean``, in the dtype in which distances are taken: 64 or 32 bits. Sums
    are of rows minus ``mean``, so that no precision is lost far from zero. Level SUMMARY: shows these
    sums; that of a cluster of one row is the row, so a policy's ``min_rows`` applies to each cluster
    that has rows at the client, and to the rows by which clusters of two answers differ. Costs a number per centre and column, one per centre, and one.
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
        sums = np.empty((0, size, width))
        return RowClustersSummary(np.zeros(size, np.int64), np.empty(0), sums, held=False)

    def update(self, summary: RowClustersSummary, block: Block) -> RowClustersSummary:
        """Fold in a block of rows, as one more part."""
        return self.update_held(summary, block, None)

    def labels(self, block: Block) -> Array:
        """Return the position of the centre nearest to each row."""
        batches = centred_batches(block, self.mean, self.centres.dtype, len(self.centres))
        found = [nearest_to_rows(rows, self.centres)[0] for _, rows in batches]
        return np.concatenate([np.empty(0, dtype=np.intp), *found])

    def update_held(
        self, summary: RowClustersSummary, block: Block, held: Array | None
    ) -> RowClustersSummary:
        """Fold in a block of rows; ``held`` are the clusters that they are in, if not the nearest."""
        size = len(self.centres)
        counts, sums, inertia = np.zeros(size, dtype=np.int64), np.zeros(self.centres.shape), 0.0
        for start, rows in centred_batches(block, self.mean, self.centres.dtype, size):
            if held is None:
                labels, best = nearest_to_rows(rows, self.centres)
            else:
                labels, best = held[start : start + len(rows)], None
            counts += np.bincount(labels, minlength=size)
            with np.errstate(over="ignore", invalid="ignore"):  # refused below
                sums += _sums(rows, labels, size)
                inertia += _inertia(rows, labels, best, self.centres)
        if not (math.isfinite(inertia) and np.isfinite(sums).all()):
            refuse_not_finite(block)
        part = RowClustersSummary(counts, np.array([inertia]), sums[None], held is not None)
        return self.merge(summary, part)

    def merge(self, left: RowClustersSummary, right: RowClustersSummary) -> RowClustersSummary:
        """Add the counts; keep the sums of both: the result adds them up exactly."""
        return RowClustersSummary(
            left.counts + right.counts,
            np.concatenate([left.inertia, right.inertia]),
            np.concatenate([left.sums, right.sums]),
            left.held or right.held,
        )

    def compact(self, summary: RowClustersSummary, limits: Limits = OPEN) -> RowClustersSummary:
        """Return one part with the same totals, each rounded once."""
        if len(summary.sums) < 2:
            return summary
        found = self.result(summary)
        inertia = np.array([found.inertia])
        return RowClustersSummary(found.counts, inertia, found.sums[None], found.held)

    def check(self, summary: RowClustersSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each centre."""
        demand_array(summary.counts, "counts", "int64", (None,))
        lines = len(summary.counts)
        demand(lines == len(self.centres), "counts", f"has {lines} centres")
        summary.check(width, rows)

    def result(self, summary: RowClustersSummary) -> RowSums:
        """Return counts, sums and inertia, rounded once from exact totals."""
        inertia = math.fsum(summary.inertia.tolist())
        return RowSums(summary.counts, total_of_parts(summary.sums), inertia, summary.held)


def _sums(rows: Array, labels: Array, size: int) -> Array:
    """Return the sum of the rows of each cluster, as 64-bit floats."""
    if size <= _FEW:
        with spare_array((size, len(rows)), np.dtype(np.float64)) as members:
            np.equal(labels, np.arange(size, dtype=labels.dtype)[:, None], out=members)
            return np.asarray(members @ rows.astype(np.float64, copy=False))
    width = rows.shape[1]
    cells = (labels[:, None] * width + np.arange(width)).ravel()
    return np.bincount(cells, rows.ravel(), size * width).reshape(size, width)


def _inertia(rows: Array, labels: Array, best: Array | None, centres: Array) -> float:
    """Return the sum of the squared distances of all rows from their centres.

    ``best`` are these distances minus the squared norms of the rows, so that adding the norms is enough
    unless the result is so small that both cancel, or ``best`` has only 32 bits.
    """
    if best is not None and rows.dtype == np.float64:
        squares = float(np.einsum("ij,ij->", rows, rows))
        rest = squares + float(best.sum())
        if rest > CANCELLED * squares:
            return rest
    apart = rows - centres[labels]
    return float(np.einsum("ij,ij->", apart, apart, dtype=np.float64))
