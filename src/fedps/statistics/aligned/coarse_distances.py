"""CoarseDistances: about how far given rows are from all rows, in a byte each."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.aligned.aligned_base import (
    OfEachOwner,
    all_numbers,
    demand_one_client,
    demand_positions,
    gaps_in,
)
from fedps.statistics.aligned.row_distances import distance_batches
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.limits import Disclosure

MOST_CODES = 1 << 21  # in one answer

# A code is the exponent of a 32-bit float and the first three bits of its fraction: an eighth of
# relative precision at any size, which a code with equal steps would not have for near rows. Of a
# number between 0 and 1 it is at most LAST; the lowest of 256 codes is for everything smaller.
SHIFT, LAST = 20, 0x3F8
FIRST = LAST - 255
STRETCH = 9 / 8  # from the smallest number of a code to the largest
_ROUNDING = 1e-5  # more than the rounding error of 32-bit floats, and of their sums over clients


class CoarseDistancesSummary(Summary, frozen=True, array_like=True, tag="coarse_distances"):
    """For each client the largest possible squared distance, and codes of shares of it."""

    width_field: ClassVar[str | None] = None

    tops: Array
    codes: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, with a code for each row."""
        demand_array(self.tops, "tops", "float64", (1,))
        sound = np.isfinite(self.tops).all() and (self.tops >= 0).all()
        demand(bool(sound), "tops", "must be finite and not negative")
        demand_one_client(self, "codes")
        demand_array(self.codes[0], "codes", "uint8", (None, rows))

    def support(self) -> Array:
        """Return nothing to check: single rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class Rough(NamedTuple):
    """Lower bounds on squared distances, in a unit of their own: a line for each of the given rows.

    Upper bounds are ``low * stretch + extra``.
    """

    low: Array
    stretch: float
    extra: float


class CoarseDistances(
    OfEachOwner[CoarseDistancesSummary, Rough],
    frozen=True,
    array_like=True,
    tag="coarse_distances",
):
    """Squared distances of given ``rows`` from all rows, to an eighth: enough to find the near ones.

    As in :class:`~fedps.statistics.aligned.row_distances.RowDistances`, of which it shows the first
    bits: level ROWS. Costs less than a byte for each pair of rows, where exact distances cost eight.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    summary: ClassVar[type[Summary]] = CoarseDistancesSummary

    rows: Array
    marker: float = float("nan")

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return (
            "for some single rows, about how far each is from each other row, in the columns here"
        )

    def empty(self, width: int) -> CoarseDistancesSummary:
        """Return no clients."""
        demand_positions(self.rows)
        return CoarseDistancesSummary(np.zeros(0), ())

    def update(self, summary: CoarseDistancesSummary, block: Block) -> CoarseDistancesSummary:
        """Measure in the columns of the whole table."""
        demand_positions(self.rows, block.rows)
        if len(self.rows) > 1 and len(self.rows) * block.rows > MOST_CODES:
            raise BadCells("too large")
        cells = all_numbers(block)
        gaps = gaps_in(cells, self.marker)
        with np.errstate(over="ignore"):  # refused below
            top = _most(cells, gaps)
        if not np.isfinite(top):
            raise BadCells("range")
        codes = np.empty((len(self.rows), block.rows), dtype=np.uint8)
        for some, squares in distance_batches(cells, gaps, self.rows):
            codes[some] = byte_codes(squares, top)
        return self.merge(summary, CoarseDistancesSummary(np.array([top]), (codes,)))

    def check(self, summary: CoarseDistancesSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each given row."""
        summary.check(width, rows)
        demand_array(summary.codes[0], "codes", "uint8", (len(self.rows), rows))

    def result(self, summary: CoarseDistancesSummary) -> Rough:
        """Return bounds on the squared distances over the columns of all clients."""
        ends, unit = _ends(), summary.tops.sum()
        low = np.zeros(summary.codes[0].shape if summary.codes else (0, 0), dtype=np.float32)
        for top, codes in zip(summary.tops, summary.codes, strict=True):
            starts = ends[:-1] * (top / unit if unit > 0 else 0.0)
            low += np.take(starts.astype(np.float32), codes)
        return Rough(low, STRETCH + _ROUNDING, 2 * float(ends[1]))


def byte_codes(squares: Array, top: float) -> Array:
    """Return codes of numbers between 0 and ``top``.

    >>> ends = 8.0 * _ends()
    >>> (code,) = byte_codes(np.array([3.3]), 8.0).tolist()
    >>> ends[code], ends[code + 1]
    (np.float64(3.25), np.float64(3.5))
    """
    shares = (squares / top if top > 0 else squares).astype(np.float32)
    found = (shares.view(np.int32) >> SHIFT) - FIRST
    return np.asarray(np.clip(found, 0, 255), dtype=np.uint8)


def _ends() -> Array:
    """Return the smallest number of each code, and the end of the last one."""
    starts = (np.arange(FIRST, LAST + 2, dtype=np.int32) << SHIFT).view(np.float32)
    starts[0] = 0.0
    return np.asarray(starts, dtype=np.float64)


def _most(cells: Array, gaps: Array) -> float:
    """Return a squared distance that no two rows exceed."""
    if cells.size == 0:
        return 0.0
    low = np.min(cells, axis=0, where=~gaps, initial=np.inf)
    high = np.max(cells, axis=0, where=~gaps, initial=-np.inf)
    return float((np.maximum(high - low, 0.0) ** 2).sum() * (1 + _ROUNDING))
