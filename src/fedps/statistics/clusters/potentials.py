"""Potentials: k-means++'s sums of squared distances, if one of some candidates became a centre."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    parts_of_all,
)
from fedps.statistics.clusters.assign_rows import (
    centred_batches,
    demand_centres,
    distances_to_centres,
    refuse_not_finite,
)
from fedps.statistics.demands import demand_sizes
from fedps.statistics.limits import OPEN, Disclosure, Limits


class PotentialsSummary(Summary, frozen=True, array_like=True, tag="potentials"):
    """For each client a line of potentials, and the number of its rows."""

    width_field: ClassVar[str | None] = None
    told_fields: ClassVar[tuple[str, ...]] = ("potentials",)

    potentials: Array
    rows: list[int]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, and signs."""
        demand(self.rows == [rows], "rows", f"is not {rows}, which the schema has")
        demand_sizes(self.potentials, "potentials", (1, None))
        demand(rows > 0 or not self.potentials.any(), "potentials", "must be 0 of no rows")

    def support(self) -> Array:
        """Return nothing to check here: each number is over all rows, which the client counts."""
        return NOTHING_TO_CHECK


class Potentials(
    Statistic[PotentialsSummary, Array], frozen=True, array_like=True, tag="potentials"
):
    """For each candidate the sum, over all rows, of squared distances to the nearest centre.

    The candidate counts as one more centre. The result has a line for each client, in their order:
    k-means++ draws rows from all rows in proportion to these distances, and chooses among candidates
    by their sums. Centres and candidates are given minus ``mean``, as in
    :class:`~fedps.statistics.clusters.row_clusters.RowClusters`. Level ROWS: shows sums over all rows
    of a client, which for candidates near a row differ by that row; it is asked where rows are shown
    anyway. Costs a number per candidate.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    positional: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = PotentialsSummary

    centres: Array
    candidates: Array
    mean: Array

    @property
    def tells_cells(self) -> bool:
        """Not here: the client counts its cells on its own."""
        return False

    @property
    def shows(self) -> str:
        """What of the columns an answer shows."""
        return "how far all rows together are from the centres"

    def empty(self, width: int) -> PotentialsSummary:
        """Return no clients."""
        demand_centres(self.centres, self.mean, width, least=0)
        demand_centres(self.candidates, self.mean, width)
        return PotentialsSummary(np.empty((0, len(self.candidates))), [])

    def update(self, summary: PotentialsSummary, block: Block) -> PotentialsSummary:
        """Fold in a block of rows of the same client."""
        potentials = np.zeros(len(self.candidates))
        across = len(self.candidates) + len(self.centres)
        for _, rows in centred_batches(block, self.mean, self.candidates.dtype, across):
            away = distances_to_centres(rows, self.candidates)
            if len(self.centres):
                closest = distances_to_centres(rows, self.centres).min(axis=1)
                np.minimum(away, closest[:, None], out=away)
            potentials += away.sum(axis=0)
        if not np.isfinite(potentials).all():
            refuse_not_finite(block)
        lines = np.concatenate([summary.potentials, potentials[None]])
        return PotentialsSummary(lines.sum(axis=0)[None], [sum(summary.rows) + block.rows])

    def merge(self, left: PotentialsSummary, right: PotentialsSummary) -> PotentialsSummary:
        """Keep the numbers of both, those of the left one first."""
        return parts_of_all(left, right)

    def compact(self, summary: PotentialsSummary, limits: Limits = OPEN) -> PotentialsSummary:
        """Return one line, also if there are no rows."""
        return PotentialsSummary(summary.potentials.sum(axis=0)[None], [sum(summary.rows)])

    def check(self, summary: PotentialsSummary, width: int, rows: int) -> None:
        """Check also that there is a number for each candidate."""
        summary.check(width, rows)
        have, want = summary.potentials.shape[1], len(self.candidates)
        demand(have == want, "potentials", f"has {have} candidates, not {want}")

    def result(self, summary: PotentialsSummary) -> Array:
        """Return a line per client and a number per candidate."""
        return summary.potentials
