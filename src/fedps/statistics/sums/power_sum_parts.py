"""Sums of power-transformed cells: those of some cells, and parts put together exactly."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from fedps.statistics.base import Array
from fedps.statistics.sums.column_sums import Exact
from fedps.statistics.sums.power_curves import Curve, PowerForm

MOST_EXPONENTS = 64  # at once: sums at very many exponents would determine the cells


class Trial(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A column's curve, and the exponents to try, as values of its ``t``."""

    curve: Curve
    ts: Annotated[tuple[float, ...], Meta(max_length=MOST_EXPONENTS)]


def add_up(trial: Trial, values: Array, counts: Array) -> tuple[float, Array]:
    """Return the sum of the logs of a column, and its four sums per exponent.

    ``values`` are ascending, ``counts`` says how many cells have each.
    """
    sums = np.zeros((4, len(trial.ts)))
    cells = int(counts.sum())
    if cells == 0:
        return 0.0, sums
    with np.errstate(all="ignore"):  # what is not finite is refused
        if trial.curve.form == PowerForm.NEGATIVE:
            values, counts = values[::-1], counts[::-1]
        logs = trial.curve.logs(values)
        for i, t in enumerate(trial.ts):
            value, slope = trial.curve.values(logs, t)
            sums[:2, i] = (counts * value).sum(), (counts * slope).sum()
            # products of deviations from the means: raw ones would cancel in the variance
            value = value - sums[0, i] / cells
            weighted = counts * value
            sums[2:, i] = (weighted * value).sum(), (weighted * (slope - sums[1, i] / cells)).sum()
    return float((counts * logs).sum()), sums


def slopes(trial: Trial, ratio: Array, logs: Array) -> Array:
    """Return the slopes from ``ratio``, covariance over variance, and from the means of the logs."""
    ts = np.array(trial.ts)
    far = trial.curve.is_far(ts)
    return np.asarray(ratio - np.where(far, 1.0 / np.where(far, ts, 1.0), 0.0) - logs)


class Total(Struct, frozen=True):
    """Exact sums of values, derivatives, squares and products, and the number of cells."""

    count: Exact
    value: Exact
    slope: Exact
    square: Exact
    product: Exact

    @classmethod
    def of(cls, count: Array, sums: Array) -> Total:
        """Add up parts: counts of shape (parts, 1), sums of shape (parts, 4, exponents).

        The means that a client subtracted are not sent: they are sum / count in the same doubles, so
        that the same division gives them to the bit.
        """
        count = np.broadcast_to(count, (len(sums), sums.shape[2]))
        means = sums[:, :2] / np.maximum(count, 1.0)[:, None]
        n, (p, q) = Exact.of(count), (Exact.of(means[:, i]) for i in range(2))
        value, slope, square, product = (Exact.of(sums[:, i]) for i in range(4))
        squares = square.sum() + (p * value).sum().twice() + -(n * p * p).sum()
        products = product.sum() + (p * slope).sum() + (q * value).sum() + -(n * p * q).sum()
        return cls(n.sum(), value.sum(), slope.sum(), squares, products)

    def variance(self) -> Exact:
        """Return the variance times the count squared."""
        return self.square * self.count + -(self.value * self.value)

    def covariance(self) -> Exact:
        """Return the covariance of values and derivatives times the count squared."""
        return self.product * self.count + -(self.value * self.slope)


def one_part(count: Array, sums: Array) -> Array:
    """Return the parts of a column as one part with the same totals."""
    total = Total.of(count[:, None].astype(np.float64), sums)
    lines = np.zeros(sums.shape[1:])
    cells = float(count.sum())
    if cells == 0 or lines.shape[1] == 0:
        return lines
    lines[0], lines[1] = total.value.rounded(), total.slope.rounded()
    value, slope, p, q = map(Exact.of, (lines[0], lines[1], lines[0] / cells, lines[1] / cells))
    square = total.square + -(p * value).twice() + total.count * p * p
    product = total.product + -(p * slope) + -(q * value) + total.count * p * q
    lines[2], lines[3] = square.rounded().clip(min=0), product.rounded()
    return lines
