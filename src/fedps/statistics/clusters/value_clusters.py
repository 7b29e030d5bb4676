"""Clusters: how many numbers of a column are nearest to each centre, and their sums."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    refuse_columns,
)
from fedps.statistics.clusters.assign_values import nearest_to_values
from fedps.statistics.demands import demand_counts, exact_total
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.sums.column_sums import Exact


class ClustersSummary(Summary, frozen=True, array_like=True, tag="clusters"):
    """Counts per centre and column, and sums per part of the data, centre and column.

    The result adds up the sums of different parts exactly.
    """

    width_field: ClassVar[str | None] = "sums"
    told_fields: ClassVar[tuple[str, ...]] = ("counts", "sums")

    counts: Array
    sums: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes, signs and that sums of no cells are 0."""
        demand_array(self.counts, "counts", "int64", (None, width))
        demand_array(self.sums, "sums", "float64", (None, len(self.counts), width))
        demand(len(self.sums) <= 1, "sums", f"has {len(self.sums)} parts, not one")
        demand_counts(self.counts, "counts", (None, width), rows)
        for column in self.counts.T:
            demand(exact_total(column) <= rows, "counts", f"adds up to more cells than {rows} rows")
        demand(np.isfinite(self.sums).all(), "sums", "must be finite")
        demand((self.sums[:, self.counts == 0] == 0).all(), "sums", "must be 0 where counts is 0")

    def support(self) -> Array:
        """Return the number of cells per column."""
        return np.asarray(self.counts.sum(axis=0))


class ClusterSums(NamedTuple):
    """What a plan receives: counts and sums, a line per centre."""

    counts: Array
    sums: Array


# Of all columns together. A request of few bytes, deflated, can contain very many centres.
MOST_CLUSTERS = 1 << 19


class Clusters(
    Statistic[ClustersSummary, ClusterSums], frozen=True, array_like=True, tag="clusters"
):
    """How many numbers of each column are nearest to each centre, and their sums.

    Centres are given minus ``mean``, in the dtype in which distances are taken: 64 or 32 bits. Sums
    are of numbers minus ``mean``, so that no precision is lost far from zero. Missing cells are left
    out. Level SUMMARY: shows these sums; that of a cluster of one cell is the cell. Costs two numbers
    per centre and column.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    additive: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = ClustersSummary

    centres: Array
    mean: float

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "count and sum of each cluster"

    def empty(self, width: int) -> ClustersSummary:
        """Return zeros in no parts."""
        size = checked_centres(self.centres, self.mean).size
        if size * width > MOST_CLUSTERS:
            raise BadCells("too large")
        return ClustersSummary(np.zeros((size, width), np.int64), np.empty((0, size, width)))

    def update(self, summary: ClustersSummary, block: Block) -> ClustersSummary:
        """Fold in a block of rows, as one more part."""
        counts = np.zeros((self.centres.size, block.width), dtype=np.int64)
        sums = np.zeros((1, *counts.shape))
        for j in range(block.width):
            cells = checked_finite(block.column(j), j)
            numbers = less_mean(cells, self.mean, self.centres)
            labels = nearest_to_values(numbers, self.centres)
            counts[:, j] = np.bincount(labels, minlength=self.centres.size)
            sums[0, :, j] = np.bincount(labels, numbers, self.centres.size)
        refuse_columns(~np.isfinite(sums[0]), "range")
        return self.merge(summary, ClustersSummary(counts, sums))

    def merge(self, left: ClustersSummary, right: ClustersSummary) -> ClustersSummary:
        """Add the counts; keep the sums of both: the result adds them up exactly."""
        sums = np.concatenate([left.sums, right.sums])
        return ClustersSummary(left.counts + right.counts, sums)

    def compact(self, summary: ClustersSummary, limits: Limits = OPEN) -> ClustersSummary:
        """Return one part with the same totals, each rounded once."""
        if len(summary.sums) < 2:
            return summary
        return ClustersSummary(summary.counts, total_of_parts(summary.sums)[None])

    def check(self, summary: ClustersSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each centre."""
        demand_array(summary.counts, "counts", "int64", (None, width))
        lines = len(summary.counts)
        demand(lines == self.centres.size, "counts", f"has {lines} centres")
        summary.check(width, rows)

    def result(self, summary: ClustersSummary) -> ClusterSums:
        """Return counts and sums, rounded once from exact totals."""
        return ClusterSums(summary.counts, total_of_parts(summary.sums))


def checked_centres(centres: Array, mean: float) -> Array:
    """Return centres from a server, or refuse what are not centres."""
    known = centres.dtype in (np.float64, np.float32) and centres.ndim == 1 and centres.size
    if not known or not np.isfinite(np.append(centres, mean)).all():
        raise BadCells("width")
    return centres


def checked_finite(cells: Array, position: int) -> Array:
    """Return a column's numbers, or refuse one that is infinite."""
    if cells.size and not np.isfinite([cells.min(), cells.max()]).all():
        raise BadCells("infinity", position)
    return cells


def less_mean(numbers: Array, mean: float, centres: Array) -> Array:
    """Return the numbers minus their mean, in the dtype of the centres."""
    kind = centres.dtype
    return np.asarray(np.subtract(numbers, kind.type(mean), dtype=kind, casting="same_kind"))


def total_of_parts(sums: Array) -> Array:
    """Return the sum over the parts, rounded once: it does not depend on the order of clients."""
    _, centres, width = sums.shape
    flat = sums.reshape(-1, centres * width)
    return Exact.of(flat).sum().rounded().reshape(sums.shape[1:])
