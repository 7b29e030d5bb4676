"""KLL: a sketch of each column for quantiles that are equally good everywhere."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.order.sketch_base import (
    ColumnFacts,
    Sketch,
    coins,
    demand_option,
    demand_seed,
    halve,
)

SMALLEST_LEVEL = 8
SHRINK = 2 / 3  # a level has this much of the room of the one above it


class KLL(Sketch, frozen=True, array_like=True, tag="kll"):
    """Quantiles from a KLL sketch of each column: one round, a few hundred cells per client.

    Parameters
    ----------
    k : int, default=200
        How much is kept, in 8..65535. A client sends at most about 3 k cells of a column; up to k
        cells are sent as they are, and the quantiles are then exact.
    seed : int, optional
        Makes every client's answer the same to the bit whenever it is asked again. Without it,
        each answer is drawn afresh.

    Notes
    -----
    The rank of any one value is off by at most ``error`` of all rows with 99 % confidence, however
    the rows are distributed over clients and chunks: 2.296 / k**0.9723, which is 1.33 % for
    k = 200. For all values at once it is 2.446 / k**0.9433, or 1.65 %. Where clients hold their
    tables in memory it is never more than 1 / k, or 0.5 %, without any chance: a column is then
    sorted as a whole, so each level is halved only once. Smallest and largest values are exact.

    It shows cells: at most about 3 k of each column, and the smallest and the largest one.

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
        """Return the room in so many levels."""
        return int(_room(self.k, levels).sum())

    def squeeze(self, levels: list[Array], steps: list[int], facts: ColumnFacts) -> None:
        """Halve the lowest level that is full, until there is room for all."""
        toss = coins(self.seed, facts)
        while True:
            room = facts.spare * _room(self.k, len(levels))
            sizes = np.array([len(items) for items in levels])
            if sizes.sum() <= room.sum():
                return
            h = int(np.flatnonzero(sizes >= room)[0])
            halve(levels, h, slice(int(sizes[h]) % 2, None), int(toss.integers(2)))


def _room(k: int, levels: int) -> Array:
    """Return the room of each level: k in the highest, and less and less below.

    >>> _room(200, 4)
    array([ 59,  89, 133, 200])
    """
    depth = np.arange(levels)[::-1]
    return np.asarray(np.maximum(SMALLEST_LEVEL, np.rint(k * SHRINK**depth)), dtype=np.int64)
