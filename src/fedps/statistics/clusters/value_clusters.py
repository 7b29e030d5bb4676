"""Clusters: how many numbers of each column are nearest to each of its centres, and their sums."""

from __future__ import annotations

import math
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
)
from fedps.statistics.clusters.assign_values import nearest_to_values
from fedps.statistics.demands import demand_columns, demand_counts, exact_total
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.ragged import Ragged
from fedps.statistics.sums.column_sums import Exact


class ClustersSummary(Summary, frozen=True, array_like=True, tag="clusters"):
    """For each column, counts per centre, and sums per part of the data and centre.

    The result adds up the sums of different parts exactly.
    """

    width_field: ClassVar[str | None] = "counts"
    told_fields: ClassVar[tuple[str, ...]] = ("counts", "sums")

    counts: Ragged
    sums: Ragged

    def check(self, width: int, rows: int) -> None:
        """Check shapes, signs and that sums of no cells are 0."""
        demand_columns(self, width, "counts", "sums")
        for counts, sums in zip(self.counts, self.sums, strict=True):
            demand_counts(counts, "counts", (None,), rows)
            cells = exact_total(counts)
            demand(cells <= rows, "counts", f"adds up to {cells} cells for {rows} rows")
            demand_array(sums, "sums", "float64", counts.shape)
            demand(np.isfinite(sums).all(), "sums", "must be finite")
            demand((sums[counts == 0] == 0).all(), "sums", "must be 0 where counts is 0")

    def support(self) -> Array:
        """Return the number of cells per column."""
        return np.array([counts.sum() for counts in self.counts], dtype=np.int64)


class ClusterSums(NamedTuple):
    """What a plan receives: for each column, a count and a sum per centre."""

    counts: Ragged
    sums: Ragged


# Of all columns together. A request of few bytes, deflated, can contain very many centres.
MOST_CLUSTERS = 1 << 19


class Clusters(
    Statistic[ClustersSummary, ClusterSums], frozen=True, array_like=True, tag="clusters"
):
    """How many numbers of each column are nearest to each of its centres, and their sums.

    Centres are given minus the column's mean, in the dtype in which distances are taken: 64 or 32 bits.
    Sums are of numbers minus that mean, so that no precision is lost far from zero. Nothing is computed
    of a column without centres, and it has no item in ``means``. Missing cells are left out. Level SUMMARY: shows these sums; that of a
    cluster of one cell is the cell. Costs two numbers per centre.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    additive: ClassVar[bool] = True
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = ClustersSummary

    centres: Ragged
    means: Array

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "count and sum of each cluster"

    @property
    def columns(self) -> int:
        """How many columns this is about."""
        return len(self.centres)

    def is_about(self, position: int) -> bool:
        """Whether a column has centres."""
        return bool(self.centres[position].size)

    def empty(self, width: int) -> ClustersSummary:
        """Return zeros in no parts."""
        asked = [centres for centres in self.centres if centres.size]
        if len(self.centres) != width or self.means.shape != (len(asked),):
            raise BadCells("width")
        if sum(centres.size for centres in asked) > MOST_CLUSTERS:
            raise BadCells("too large")
        for centres, mean in zip(asked, self.means, strict=True):
            checked_centres(centres, mean)
        zeros = (np.zeros(centres.size, dtype=np.int64) for centres in self.centres)
        return ClustersSummary(Ragged(zeros), Ragged([np.empty(0)] * width))

    def update(self, summary: ClustersSummary, block: Block) -> ClustersSummary:
        """Fold in a block of rows, as one more part."""
        counts: list[Array] = [np.empty(0, dtype=np.int64)] * block.width
        sums: list[Array] = [np.empty(0)] * block.width
        asked = (j for j in range(block.width) if self.is_about(j))
        for j, mean in zip(asked, self.means, strict=True):
            centres = self.centres[j]
            numbers = less_mean(checked_finite(block.column(j), j), mean, centres)
            labels = nearest_to_values(numbers, centres)
            counts[j] = np.bincount(labels, minlength=centres.size)
            sums[j] = np.bincount(labels, numbers, centres.size)
            if not np.isfinite(sums[j]).all():
                raise BadCells("range", j)
        return self.merge(summary, ClustersSummary(Ragged(counts), Ragged(sums)))

    def merge(self, left: ClustersSummary, right: ClustersSummary) -> ClustersSummary:
        """Add the counts; keep the sums of both: the result adds them up exactly."""
        counts = (a + b for a, b in zip(left.counts, right.counts, strict=True))
        sums = (np.concatenate(pair) for pair in zip(left.sums, right.sums, strict=True))
        return ClustersSummary(Ragged(counts), Ragged(sums))

    def compact(self, summary: ClustersSummary, limits: Limits = OPEN) -> ClustersSummary:
        """Return one part with the same totals, each rounded once."""
        pairs = zip(summary.counts, summary.sums, strict=True)
        if all(counts.size == sums.size for counts, sums in pairs):
            return summary
        return ClustersSummary(*self.result(summary))

    def check(self, summary: ClustersSummary, width: int, rows: int) -> None:
        """Check also that there is a count for each centre."""
        demand_columns(summary, len(self.centres), "counts")
        for counts, centres in zip(summary.counts, self.centres, strict=True):
            demand(counts.size == centres.size, "counts", f"has {counts.size} centres")
        summary.check(width, rows)

    def result(self, summary: ClustersSummary) -> ClusterSums:
        """Return counts and sums, rounded once from exact totals."""
        every = zip(summary.sums, self.centres, strict=True)
        parts = [sums.reshape(-1, max(centres.size, 1)) for sums, centres in every]
        some = [part for part in parts if part.size]
        if not some:
            return ClusterSums(summary.counts, Ragged(np.zeros(c.size) for c in self.centres))
        totals = total_of_parts(np.concatenate(some, axis=1))
        ends = np.cumsum([centres.size for centres in self.centres])
        return ClusterSums(summary.counts, Ragged(np.split(totals, ends[:-1])))


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
    flat = sums.reshape(len(sums), math.prod(sums.shape[1:]))
    return Exact.of(flat).sum().rounded().reshape(sums.shape[1:])
