"""FarthestRows: the rows that lie farthest from their nearest centre."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Disclosure,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.clusters.assign_rows import complain, demand_centres, in_turn, nearest_to_rows


class FarthestRowsSummary(Summary, frozen=True, array_like=True, tag="farthest_rows"):
    """Some rows, the farthest first: the centre nearest to each, how far it is, and the row."""

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
        """Return nothing to check: there may be many rows behind the few that are shown."""
        return NOTHING_TO_CHECK


class FarRows(NamedTuple):
    """What a plan receives: rows less the mean, the farthest first, and where each is from."""

    labels: Array
    away: Array
    rows: Array


class FarthestRows(
    Statistic[FarthestRowsSummary, FarRows], frozen=True, array_like=True, tag="farthest_rows"
):
    """The ``wanted`` rows that lie farthest from the centre nearest to them.

    Centres and ``mean`` are as in :class:`~fedps.statistics.clusters.row_clusters.RowClusters`. This is how
    k-means finds a new place for a centre that no row is nearest to. Of rows that are equally far
    the first comes first, clients in their order. Discloses those rows, whole.
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
        """Only some rows are shown."""
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
        for _, rows in in_turn(block, self.mean, self.centres.dtype, len(self.centres)):
            labels, _ = nearest_to_rows(rows, self.centres)
            with np.errstate(over="ignore", invalid="ignore"):
                apart = rows - self.centres[labels]
                away = np.einsum("ij,ij->i", apart, apart, dtype=np.float64)
            if not np.isfinite(away).all():
                complain(block)
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
        """Check also that no more is told than was asked."""
        demand_array(summary.rows, "rows", None, (None, width))
        size, wanted = len(summary.rows), min(self.wanted, rows)
        demand(size == wanted, "rows", f"holds {size} rows, not {wanted}")
        summary.check(width, rows)
        demand(summary.rows.dtype == self.centres.dtype, "rows", f"has dtype {summary.rows.dtype}")
        demand((summary.labels < len(self.centres)).all(), "labels", "names no centre")

    def result(self, summary: FarthestRowsSummary) -> FarRows:
        """Return the rows."""
        return FarRows(summary.labels, summary.away, summary.rows)
