"""REQ: a sketch of each column, for quantiles that are most accurate towards one end."""

from __future__ import annotations

from math import sqrt

from fedps.statistics.base import Array
from fedps.statistics.order.sketch_base import (
    Sketch,
    SketchFacts,
    coins,
    demand_option,
    demand_seed,
    halve,
)

# As in Apache DataSketches, whose measured error constants are for these sizes of levels.
FIRST_SECTIONS = 3
SMALLEST_SECTION = 4


class REQ(Sketch, frozen=True, array_like=True, tag="req"):
    """Quantiles from a REQ sketch of each column: one round, most accurate towards one end.

    Parameters
    ----------
    k : int, default=12
        How much is kept: an even number in 4..1024. A client sends about 5 k cells of a column for
        each doubling of its rows; fewer than 6 k cells are sent as they are, and the quantiles are
        then exact.
    high_rank_accuracy : bool, default=True
        Whether the largest values are the accurate end; otherwise the smallest are.
    seed : int, default=None
        Makes the answer of every client reproducible to the bit. Default: random each time.

    Notes
    -----
    The error shrinks towards the accurate end: the rank of any one value is off by at most
    ``error(rank)`` of all rows with 99.7 % confidence (three standard deviations), however the
    rows are distributed over clients and chunks. That is 0.392 / k of the share of rows between
    the value and the accurate end, and never more than 0.252 / k of all rows: for k = 12, 3.3 % of
    the one and 2.1 % of the other. So a 0.999 quantile has a rank in 0.99897..0.99903. For tables
    in memory it is never more than 0.24 / k of that share, or 2 %, with certainty: a column is then
    sorted as a whole, so each level is halved only twice. Smallest and largest values are exact.

    Level SUMMARY: shows about 5 k cells of each column for each doubling of the rows, among them the
    most extreme ones at the accurate end.

    Algorithm: Cormode, Karnin, Liberty, Thaler and Veselý, "Relative error streaming quantiles",
    2021, with the sizes of levels and the error constants of Apache DataSketches.

    Examples
    --------
    >>> import fedps
    >>> fedps.REQ(k=12).error(0.99)
    0.000326...
    >>> fedps.REQ(k=7)
    Traceback (most recent call last):
    ValueError: k must be an even number in 4..1024, not 7
    """

    k: int = 12
    high_rank_accuracy: bool = True
    seed: int | None = None

    def __post_init__(self) -> None:
        fits = type(self.k) is int and 4 <= self.k <= 1024 and self.k % 2 == 0
        demand_option(fits, "k", "an even number in 4..1024", self.k)
        is_bool = type(self.high_rank_accuracy) is bool
        demand_option(is_bool, "high_rank_accuracy", "True or False", self.high_rank_accuracy)
        demand_seed(self.seed)

    def error(self, rank: float) -> float:
        """Return how far a rank may be off, as a share of all rows, at 99.7 % confidence."""
        distance = 1 - rank if self.high_rank_accuracy else rank
        return 3 / self.k * min(sqrt(0.0512 / FIRST_SECTIONS) * distance, 0.084)

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        end = "largest" if self.high_rank_accuracy else "smallest"
        return (
            f"count, smallest and largest value, about {5 * self.k} of the cells themselves for each "
            f"doubling of the rows, among them the {end}"
        )

    def most_items(self, levels: int) -> int:
        """Return how many items fit into a sketch of ``levels`` levels."""
        return levels * 2 * FIRST_SECTIONS * self.k

    def squeeze(self, levels: list[Array], steps: list[int], facts: SketchFacts) -> None:
        """Halve the inaccurate end of each full level, from the lowest level on.

        At least half of the capacity is never halved. Of the other half some sections are: one, or two
        in every second halving, three in every fourth, and so on, so that the nearer an item is to the
        accurate end, the more rarely its rank is changed.
        """
        toss = coins(self.seed, facts)
        if facts.spare == 1:
            # the last time each level is halved at most once, however often it was before
            steps.clear()
        h = 0
        while h < len(levels):
            steps.extend([0] * (h + 1 - len(steps)))
            size, sections = _sections(facts.spare * self.k, steps[h])
            have = len(levels[h])
            if have >= 2 * size * sections:
                halved = min(_trailing_ones(steps[h]) + 1, sections)
                kept = (2 * sections - halved) * size
                kept += (have - kept) % 2
                part = slice(0, have - kept) if self.high_rank_accuracy else slice(kept, have)
                halve(levels, h, part, int(toss.integers(2)))
                steps[h] += 1
            h += 1


def _trailing_ones(number: int) -> int:
    """Return how many ones a number ends with in binary.

    >>> [_trailing_ones(number) for number in (0, 1, 2, 3, 7)]
    [0, 1, 0, 2, 3]
    """
    return (~number & (number + 1)).bit_length() - 1


def _sections(k: int, taken: int) -> tuple[int, int]:
    """Return the size and the number of sections of a level after ``taken`` halvings.

    >>> _sections(12, 0), _sections(12, 4), _sections(12, 32)
    ((12, 3), (8, 6), (6, 12))
    """
    size, exact, sections = k, float(k), FIRST_SECTIONS
    while taken >= 1 << (sections - 1):
        exact /= sqrt(2)
        even = 2 * round(exact / 2)
        if even < SMALLEST_SECTION:
            break
        size, sections = even, 2 * sections
    return size, sections
