"""KLL: a sketch of each column, for quantiles that are equally accurate everywhere."""

from __future__ import annotations

import numpy as np

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
SMALLEST_LEVEL = 8
SHRINK = 2 / 3  # a level has this share of the capacity of the one above it


class KLL(Sketch, frozen=True, array_like=True, tag="kll"):
    """Quantiles from a KLL sketch of each column: one round, a few hundred cells per client.

    Parameters
    ----------
    k : int, default=200
        How much is kept, in 8..65535. A client sends at most about 3 k cells of a column; up to k
        cells are sent as they are, and the quantiles are then exact.
    seed : int, default=None
        Makes the answer of every client reproducible to the bit. Default: random each time.

    Notes
    -----
    The rank of any one value is off by at most ``error`` of all rows with 99 % confidence, however
    the rows are distributed over clients and chunks: 2.296 / k**0.9723, which is 1.33 % for
    k = 200. For all values at once it is 2.446 / k**0.9433, or 1.65 %. For tables in memory it is
    never more than 1 / k, or 0.5 %, with certainty: a column is then sorted as a whole, so each level
    is halved only once. Smallest and largest values are exact.

    Level SUMMARY: shows at most about 3 k cells of each column, and the smallest and the largest one.

    Algorithm: Karnin, Lang and Liberty, "Optimal quantile approximation in streams", 2016, with
    the sizes of levels and the error constants of Apache DataSketches.

    Examples
    --------
    >>> import fedps
    >>> fedps.KLL(k=400).error
    0.00677...
    >>> fedps.KLL(k=4)
    Traceback (most recent call last):
    ValueError: k must be a whole number in 8..65535, not 4
    """

    k: int = 200
    seed: int | None = None

    def __post_init__(self) -> None:
        fits = type(self.k) is int and 8 <= self.k <= 65535
        demand_option(fits, "k", "a whole number in 8..65535", self.k)
        demand_seed(self.seed)

    @property
    def error(self) -> float:
        """How far the rank of a value may be off, as a share of all rows, at 99 % confidence."""
        return float(2.296 / self.k**0.9723)

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return (
            f"count, smallest and largest value, up to about {3 * self.k} of the cells themselves"
        )

    def most_items(self, levels: int) -> int:
        """Return how many items fit into a sketch of ``levels`` levels."""
        return int(_room(self.k, levels).sum())

    def squeeze(self, levels: list[Array], steps: list[int], facts: SketchFacts) -> None:
        """Halve the lowest full level until everything fits."""
        toss = coins(self.seed, facts)
        while True:
            room = facts.spare * _room(self.k, len(levels))
            sizes = np.array([len(items) for items in levels])
            if sizes.sum() <= room.sum():
                return
            h = int(np.flatnonzero(sizes >= room)[0])
            halve(levels, h, slice(int(sizes[h]) % 2, None), int(toss.integers(2)))


def _room(k: int, levels: int) -> Array:
    """Return the capacity of each level: k for the highest, and less and less below.

    >>> _room(200, 4)
    array([ 59,  89, 133, 200])
    """
    depth = np.arange(levels)[::-1]
    return np.asarray(np.maximum(SMALLEST_LEVEL, np.rint(k * SHRINK**depth)), dtype=np.int64)
