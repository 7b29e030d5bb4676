"""Lloyd's algorithm on one column, step by step as scikit-learn's ``KMeans`` takes it.

The start is the middles of bins of equal width. The mean of all cells is subtracted. Then each cell
goes to its nearest centre (see :func:`fedps.statistics.clusters.assign_values.nearest` for ties) and each centre
to the mean of its cells; a centre without cells goes to the cell that is farthest from its own. It
ends when no cell changes its cluster, when the centres move by no more than a tolerance, or after
300 steps.

Five things of scikit-learn cannot be had from counts and sums. They depend on the order of its rows:

* Its sums are rounded in the order of rows and threads, so its centres differ from run to run by
  some 1e-16 of the range. Ours are rounded once. A cell exactly between two centres, frequent where
  values are whole numbers, goes to the side that such a difference chooses, and centres can then
  differ by what one such value moves them. In the first step there is no such difference where the
  mean is exact, as it is for whole numbers.
* For 32-bit columns it adds up in 32 bits, which is off by some 1e-7 of the range for hundreds of
  rows and 1e-4 for a million. Distances are taken in 32 bits here too; sums are rounded once.
* Which of several cells that are equally far moves to a centre without cells depends on the order
  of rows there, so that it is most often one of the value that most of them have. Here it is that,
  and the larger of two values that are equally frequent.
* Which of several centres without cells gets which cell depends on it, too. Here the first gets the
  farthest.
* With more bins than distinct values several centres end on one value, or outside of all, and its
  rounding decides where. Rows with equal values share a bin and others do not, here as there; the
  empty bins between them can differ, and with them the numbers of the bins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from fedps.errors import ClientError, UsageError
from fedps.plans.shared.warned import warn_of_few
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.statistics import Extremes, Moments
from fedps.statistics.base import Array
from fedps.statistics.clusters.assign_values import nearest_to_values
from fedps.statistics.clusters.farthest_values import Farthest, farthest_cells
from fedps.statistics.clusters.value_clusters import Clusters, less_mean
from fedps.statistics.order.spread import Marginal
from fedps.statistics.ragged import Ragged

MOST_LLOYD_STEPS = 300  # scikit-learn's max_iter and tol, which KBinsDiscretizer leaves as they are
TOLERANCE = 1e-4
SPLIT = 2.0**27 + 1  # Dekker's: times this, a double splits into two halves of its digits
ADDED_AT_ONCE = 1 << 16  # rows, so that memory stays small


class Lloyd:
    """The centres of one column, and whether they have come to rest."""

    def __init__(self, marginal: Marginal, bins: int, mean: float, variance: float) -> None:
        kind: Any = np.float32 if marginal.narrow else np.float64
        self.ends = kind(marginal.minimum), kind(marginal.maximum)
        self.mean = kind(mean)
        even = np.linspace(*self.ends, bins + 1)
        self.centres = ((even[1:] + even[:-1]) * 0.5).astype(kind) - self.mean
        self.done = False
        self._tolerance = kind(variance) * TOLERANCE
        self._before = np.empty((0, 0))
        self._steps = 0

    def step(self, counts: Array, sums: Array, far: Array) -> None:
        """Move the centres; ``far`` holds as many of the farthest cells as clusters are empty."""
        # cells lie on a line: as many cells with the same sum in each cluster are the same cells
        clusters = np.stack([counts, sums])
        same = np.array_equal(clusters, self._before)
        self._before = clusters
        weights, totals = counts.copy(), sums.copy()
        with np.errstate(over="ignore", invalid="ignore"):  # sums that no honest client sends
            self._fill(weights, totals, far)
            moved = averages(weights, totals.astype(self.centres.dtype))
            shift = ((moved - self.centres) ** 2).sum()
        self.centres = moved
        self._steps += 1
        self.done = same or bool(shift <= self._tolerance) or self._steps == MOST_LLOYD_STEPS

    def _fill(self, weights: Array, totals: Array, far: Array) -> None:
        """Give each cluster without cells one of the farthest cells of all."""
        numbers = less_mean(far, float(self.mean), self.centres)
        labels = nearest_to_values(numbers, self.centres)
        if not ((numbers - self.centres[labels]) ** 2 > 0).any():
            return  # every cell is a centre: there are more clusters than distinct values
        empty = np.flatnonzero(weights == 0)
        # those that gave a cell may be empty now, but have had their turn
        for new, old, number in zip(empty, labels, numbers.astype(np.float64), strict=False):
            totals[old] -= number
            weights[old] -= 1
            totals[new], weights[new] = number, 1

    def edges(self) -> Array:
        """Return the ends of the bins: the middles between centres, and the extremes."""
        warn_of_few(self._before[0])
        centres = np.sort(self.centres + self.mean)
        edges = np.r_[self.ends[0], (centres[1:] + centres[:-1]) * 0.5, self.ends[1]]
        return np.asarray(edges)


def averages(weights: Array, totals: Array) -> Array:
    """Return the means of clusters, numbers or rows; an empty one is put where the largest is.

    scikit-learn goes from cluster to cluster: one before the largest gets its total, not its mean.
    """
    centres = totals.copy()
    filled = weights > 0
    kind = totals.dtype.type
    shares = kind(1.0) / weights[filled].astype(kind)
    centres[filled] *= shares.reshape(-1, *(1,) * (totals.ndim - 1))
    largest = int(weights.argmax())
    place = np.arange(weights.size)
    centres[~filled & (place < largest)] = totals[largest]
    centres[~filled & (place > largest)] = centres[largest]
    return centres


def kmeans_edges(
    view: View, columns: Sequence[Marginal], n_bins: Sequence[int]
) -> Plan[list[Array]]:
    """Return the ends of each column's bins as ``KBinsDiscretizer(strategy="kmeans")`` finds them.

    Bins that are too narrow are still among them. A column of one value gets one bin without ends.
    Columns whose values and counts are known need no round. All others take their steps in the same
    rounds: one for their means, one per step and one per step that leaves a cluster empty. A column
    that has come to rest is not asked about any more.
    """
    edges: dict[int, Array] = {}
    for j, (column, bins) in enumerate(zip(columns, map(int, n_bins), strict=True)):
        if not column.minimum < column.maximum:
            edges[j] = np.array([-np.inf, np.inf])
            continue
        yield from _check(_some(view, [j], len(columns)), column, bins)
        if column.exact:
            edges[j] = edges_from_table(column, bins)
    others = [j for j in range(len(columns)) if j not in edges]
    if others:
        means = [ask(Moments(), _some(view, [j], len(columns))) for j in others]
        every = zip(others, (yield from gather(means)), strict=True)
        lloyds = {j: _start(columns[j], int(n_bins[j]), moments) for j, moments in every}
        yield from _rest(view, lloyds, len(columns))
        edges |= {j: lloyd.edges() for j, lloyd in lloyds.items()}
    return [edges[j] for j in range(len(columns))]


def _start(marginal: Marginal, bins: int, moments: Any) -> Lloyd:
    return Lloyd(marginal, bins, float(moments.mean[0]), float(moments.variance[0]))


def _some(view: View, positions: Sequence[int], width: int) -> View:
    """Return a view of some columns."""
    return view if len(positions) == width else view.at(positions)


def _check(view: View, marginal: Marginal, bins: int) -> Plan[None]:
    """Refuse a column that k-means cannot cut into bins."""
    if marginal.count < bins:
        raise UsageError(
            f"k-means cannot make {bins} bins of {marginal.count} values: choose n_bins="
            f"{marginal.count} or less, or another strategy."
        )
    if not np.isfinite([marginal.minimum, marginal.maximum]).all():
        # someone keeps values back: who does will say so
        yield from ask(Extremes(), view)
        raise ClientError("k-means needs the smallest and the largest value of each column.")
    if not _can_square(marginal):
        raise UsageError("k-means cannot square the distances in a column: rescale it first.")


def _rest(view: View, lloyds: dict[int, Lloyd], width: int) -> Plan[None]:
    """Let columns take their steps side by side, until each has come to rest."""
    waiting: dict[int, tuple[Array, Array]] = {}  # for the farthest cells: clusters, some empty
    while not all(lloyd.done for lloyd in lloyds.values()):
        steps = [j for j, lloyd in lloyds.items() if not lloyd.done and j not in waiting]
        every = steps if len(steps) == 1 else list(lloyds)
        centres = Ragged(lloyds[j].centres[: None if j in steps else 0] for j in every)
        means = np.array([lloyds[j].mean for j in steps], dtype=np.float64)
        clusters = ask(Clusters(centres, means), _some(view, every, width))
        plans: list[Plan[Any]] = [clusters] if steps else []
        for j, (counts, _) in waiting.items():
            wanted = int(np.count_nonzero(counts == 0))
            farthest = Farthest(lloyds[j].centres, float(lloyds[j].mean), wanted)
            plans.append(ask(farthest, _some(view, [j], width)))
        found = yield from gather(plans)
        pairs = zip(*found.pop(0), strict=True) if steps else ()
        for (j, own), (far,) in zip(waiting.items(), found, strict=True):
            lloyds[j].step(*own, far)
        waiting = {}
        for j, (counts, sums) in zip(every, pairs, strict=bool(steps)):
            if j in steps and counts.all():
                lloyds[j].step(counts, sums, np.empty(0))
            elif j in steps:
                waiting[j] = counts, sums


def _can_square(marginal: Marginal) -> bool:
    """Whether all that is squared stays finite; scikit-learn would compare infinities."""
    with np.errstate(over="ignore"):
        widest = np.float64(marginal.maximum) - np.float64(marginal.minimum)
        square = 4 * widest * widest
        return bool(np.isfinite(np.float32(square) if marginal.narrow else square))


def edges_from_table(marginal: Marginal, bins: int) -> Array:
    """Return the ends of a column's bins from its value/count table."""
    values, counts = marginal.values, marginal.counts
    lloyd = Lloyd(marginal, bins, *_mean_and_variance(values, counts))
    mean = float(lloyd.mean)
    numbers = less_mean(values, mean, lloyd.centres)
    sums = numbers.astype(np.float64) * counts
    if values.size < bins:
        pairs = zip(numbers, counts.tolist(), strict=True)
        sums = np.array([_one_by_one(*pair) for pair in pairs], dtype=np.float64)
    while not lloyd.done:
        labels = nearest_to_values(numbers, lloyd.centres)
        weights = np.bincount(labels, counts, bins).astype(np.int64)
        empty = int(np.count_nonzero(weights == 0))
        far = farthest_cells(values, counts, lloyd.centres, mean, empty) if empty else values[:0]
        lloyd.step(weights, np.bincount(labels, sums, bins), far)
    return lloyd.edges()


def _mean_and_variance(values: Array, counts: Array) -> tuple[float, float]:
    """Return mean and variance of a column from its value/count table.

    The sum is rounded once: ties in the first step depend on the last bit of the mean.
    """
    cells = int(counts.sum())
    high = values * SPLIT - (values * SPLIT - values)  # half of the digits: products are exact
    products = np.concatenate([high * counts, (values - high) * counts])
    mean = math.fsum(products.tolist()) / cells
    return mean, float(((values - mean) ** 2 * counts).sum() / cells)


def _one_by_one(number: np.floating[Any], times: int) -> Array:
    """Return a number added up a number of times, rounded each time.

    With more clusters than values some centres share a value, and what scikit-learn makes of them
    depends on how it rounds: it adds row after row.
    """
    total = np.zeros(1, dtype=number.dtype)
    for start in range(0, times, ADDED_AT_ONCE):
        some = np.full(min(ADDED_AT_ONCE, times - start), number)
        total = np.add.accumulate(np.concatenate([total, some]))[-1:]
    return total[0]  # type: ignore[no-any-return]
