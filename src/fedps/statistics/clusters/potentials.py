"""Potentials: how far all rows would be from the nearest centre, with one more centre or another."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    OPEN,
    Array,
    Block,
    Disclosure,
    Limits,
    Statistic,
    Summary,
    demand,
    demand_sizes,
)
from fedps.statistics.clusters.assign_rows import (
    complain,
    demand_centres,
    distances_to_centres,
    in_turn,
)


class PotentialsSummary(Summary, frozen=True, array_like=True, tag="potentials"):
    """For each client a line of potentials, and the number of its rows."""

    width_field: ClassVar[str | None] = None

    potentials: Array
    rows: list[int]

    def check(self, width: int, rows: int) -> None:
        """Check that a client tells of itself, and signs."""
        demand(self.rows == [rows], "rows", f"is not {rows}, which the schema has")
        demand_sizes(self.potentials, "potentials", (1, None))
        demand(rows > 0 or not self.potentials.any(), "potentials", "must be 0 of no rows")

    def support(self) -> Array:
        """Return nothing to check: all rows stand behind each number."""
        return NOTHING_TO_CHECK


class Potentials(
    Statistic[PotentialsSummary, Array], frozen=True, array_like=True, tag="potentials"
):
    """For each candidate the sum, over the rows, of the squared distance to the nearest centre.

    The candidate is then one centre more. The answer keeps the clients apart, in their order: it is
    how k-means++ draws a row out of all rows, and chooses among some. Centres and candidates are
    given less ``mean``, as in :class:`~fedps.statistics.clusters.row_clusters.RowClusters`. Discloses sums
    over all rows of a client; costs a number per candidate.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    positional: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = PotentialsSummary

    centres: Array
    candidates: Array
    mean: Array

    @property
    def tells_cells(self) -> bool:
        """Not the summary: its numbers are over all rows."""
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
        for _, rows in in_turn(block, self.mean, self.candidates.dtype, across):
            away = distances_to_centres(rows, self.candidates)
            if len(self.centres):
                closest = distances_to_centres(rows, self.centres).min(axis=1)
                np.minimum(away, closest[:, None], out=away)
            potentials += away.sum(axis=0)
        if not np.isfinite(potentials).all():
            complain(block)
        lines = np.concatenate([summary.potentials, potentials[None]])
        return PotentialsSummary(lines.sum(axis=0)[None], [sum(summary.rows) + block.rows])

    def merge(self, left: PotentialsSummary, right: PotentialsSummary) -> PotentialsSummary:
        """Keep the numbers of both, the left one's first."""
        lines = np.concatenate([left.potentials, right.potentials])
        return PotentialsSummary(lines, left.rows + right.rows)

    def compact(self, summary: PotentialsSummary, limits: Limits = OPEN) -> PotentialsSummary:
        """Return one line, also where there are no rows."""
        return PotentialsSummary(summary.potentials.sum(axis=0)[None], [sum(summary.rows)])

    def check(self, summary: PotentialsSummary, width: int, rows: int) -> None:
        """Check also that there is a number for each candidate."""
        summary.check(width, rows)
        have, want = summary.potentials.shape[1], len(self.candidates)
        demand(have == want, "potentials", f"has {have} candidates, not {want}")

    def result(self, summary: PotentialsSummary) -> Array:
        """Return a line per client and a number per candidate."""
        return summary.potentials
