"""FarthestRows: the rows farthest from their nearest centre."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
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
)
from fedps.statistics.limits import Disclosure


class FarthestRowsSummary(Summary, frozen=True, array_like=True, tag="farthest_rows"):
    """Some rows, the farthest first: the centre nearest to each, its squared distance, and the row."""

    width_field: ClassVar[str | None] = "rows"

    labels: Array
    away: Array
    rows: Array

    def check(self, width: int, rows: int) -> None:
        """Check types, signs, order and that there are no more rows than the client has."""
        demand_array(self.rows, "rows", None, (None, width))
        demand(self.rows.dtype.kind == "f", "rows", f"has dtype {self.rows.dtype}")
        size = len(self.rows)
        demand_array(self.labels, "labels", "int64", (size,))
        demand_array(self.away, "away", "float64", (size,))
        demand((self.labels >= 0).all(), "labels", "must not be negative")
        demand(np.isfinite(self.away).all(), "away", "must be finite")
        demand((self.away >= 0).all(), "away", "must not be negative")
        demand((self.away[1:] <= self.away[:-1]).all(), "away", "must not rise")
        demand(np.isfinite(self.rows).all(), "rows", "must be finite")

    def support(self) -> Array:
        """Return nothing to check here: the client counts its cells, of which few are shown."""
        return NOTHING_TO_CHECK


class FarRows(NamedTuple):
    """What a plan receives: rows minus the mean, the farthest first, with label and distance."""

    labels: Array
    away: Array
    rows: Array


class FarthestRows(
    Statistic[FarthestRowsSummary, FarRows], frozen=True, array_like=True, tag="farthest_rows"
):
    """The ``wanted`` rows that are farthest from the centre nearest to them.

    Centres and ``mean`` are as in :class:`~fedps.statistics.clusters.row_clusters.RowClusters`. k-means
    moves a centre to which no row is nearest to such a row. Of equally distant rows the first comes
    first, and clients in their order. Level ROWS: shows these rows. Costs their cells.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    positional: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = FarthestRowsSummary

    centres: Array
    mean: Array
    wanted: Annotated[int, Meta(ge=1, le=2**31)]

    @property
    def tells_cells(self) -> bool:
        """Not here: only a few rows are in the summary."""
        return False

    @property
    def shows(self) -> str:
        """What of the columns an answer shows."""
        return "the few whole rows farthest from all centres, if a cluster is left without rows"

    def empty(self, width: int) -> FarthestRowsSummary:
        """Return no rows."""
        demand_centres(self.centres, self.mean, width)
        if self.wanted > len(self.centres):
            raise BadCells("too large")
        nothing = np.empty(0, dtype=np.int64)
        return FarthestRowsSummary(nothing, np.empty(0), np.empty((0, width), self.centres.dtype))

    def update(self, summary: FarthestRowsSummary, block: Block) -> FarthestRowsSummary:
        """Fold in a block of rows."""
        for _, rows in centred_batches(block, self.mean, self.centres.dtype, len(self.centres)):
            labels, _ = nearest_to_rows(rows, self.centres)
            with np.errstate(over="ignore", invalid="ignore"):
                apart = rows - self.centres[labels]
                away = np.einsum("ij,ij->i", apart, apart, dtype=np.float64)
            if not np.isfinite(away).all():
                refuse_not_finite(block)
            summary = self.merge(summary, FarthestRowsSummary(labels, away, rows))
        return summary

    def merge(self, left: FarthestRowsSummary, right: FarthestRowsSummary) -> FarthestRowsSummary:
        """Return the farthest of both."""
        away = np.concatenate([left.away, right.away])
        first = np.argsort(-away, kind="stable")[: self.wanted]
        return FarthestRowsSummary(
            np.concatenate([left.labels, right.labels])[first],
            away[first],
            np.concatenate([left.rows, right.rows])[first],
        )

    def check(self, summary: FarthestRowsSummary, width: int, rows: int) -> None:
        """Check also that there are as many rows as requested."""
        demand_array(summary.rows, "rows", None, (None, width))
        size, wanted = len(summary.rows), min(self.wanted, rows)
        demand(size == wanted, "rows", f"holds {size} rows, not {wanted}")
        summary.check(width, rows)
        demand(summary.rows.dtype == self.centres.dtype, "rows", f"has dtype {summary.rows.dtype}")
        demand((summary.labels < len(self.centres)).all(), "labels", "names no centre")

    def result(self, summary: FarthestRowsSummary) -> FarRows:
        """Return the rows."""
        return FarRows(summary.labels, summary.away, summary.rows)
