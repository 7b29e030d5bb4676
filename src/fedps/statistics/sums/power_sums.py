"""PowerSums: how the likelihood of a power transform changes with its exponent."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.demands import demand_columns, demand_counts
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.sums.column_sums import Exact
from fedps.statistics.sums.power_sum_parts import Total, Trial, add_up, one_part, slopes

_SAMPLE = 1 << 10  # cells that decide whether to count equal ones: it does not pay where few repeat


class PowerSummary(Summary, frozen=True, array_like=True, tag="power"):
    """Sums of transformed cells; one line per part of the data.

    ``logs`` are sums of the logs of the cells. For each column ``sums`` has four lines with a number
    per exponent: the sum of the values, the sum of their derivatives, the sum of squared deviations of
    the values, and the sum of products of both deviations. Deviations are from the rounded mean, which
    follows from sum and count: so parts are put together exactly.
    """

    width_field: ClassVar[str | None] = "sums"
    told_fields: ClassVar[tuple[str, ...]] = ("logs", "sums")

    count: Array
    logs: Array
    sums: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check shapes, signs and that sums of no cells are 0."""
        demand_array(self.count, "count", "int64", (None, width))
        parts = len(self.count)
        demand(parts <= 1, "count", f"has {parts} parts, not one")  # see PowerSums.compact
        demand_counts(self.count, "count", (parts, width), rows)
        demand_array(self.logs, "logs", "float64", (parts, width))
        demand(np.isfinite(self.logs).all(), "logs", "must be finite")
        demand_columns(self, width, "sums")
        demand((self.logs[self.count == 0] == 0).all(), "logs", "must be 0 where count is 0")
        for j, sums in enumerate(self.sums):
            demand_array(sums, "sums", "float64", (parts, 4, None))
            demand(np.isfinite(sums).all(), "sums", "must be finite")
            demand((sums[:, 2] >= 0).all(), "sums", "must have no negative squares")
            demand((sums[self.count[:, j] == 0] == 0).all(), "sums", "must be 0 where count is 0")

    def support(self) -> Array:
        """Return the counts."""
        return np.asarray(self.count.sum(axis=0))


class PowerSums(
    Statistic[PowerSummary, list[Array]], frozen=True, array_like=True, tag="power-sums"
):
    """The slope of each column's negative log-likelihood, per row, at the given exponents.

    The slope is by ``t``, see :class:`~fedps.statistics.sums.power_curves.Curve`. It rises with the
    exponent and is zero at the best one. With each slope comes the standard deviation of the column's
    values under that exponent. Level SUMMARY: shows sums over all rows, but a sum of high
    powers is nearly the power of the largest cell. Costs 32 bytes per column and exponent.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = PowerSummary

    trials: Annotated[tuple[Trial, ...], Meta(max_length=100_000)]

    @property
    def columns(self) -> int:
        """One trial per column."""
        return len(self.trials)

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "sums, squares and products of the values under some power transforms"

    def empty(self, width: int) -> PowerSummary:
        """Return no parts at all."""
        if len(self.trials) != width:
            raise BadCells("width", None)
        sums = tuple(np.empty((0, 4, len(trial.ts))) for trial in self.trials)
        return PowerSummary(np.empty((0, width), dtype=np.int64), np.empty((0, width)), sums)

    def update(self, summary: PowerSummary, block: Block) -> PowerSummary:
        """Fold in a block of rows, as one more part."""
        count = np.zeros((1, block.width), dtype=np.int64)
        logs = np.zeros((1, block.width))
        sums = []
        for j, trial in enumerate(self.trials):
            values, counts = _counted(block, j)
            if values.size and not np.isfinite(values[[0, -1]]).all():
                raise BadCells("infinity", j)
            count[0, j] = counts.sum()
            logs[0, j], part = add_up(trial, values, counts)
            if not (np.isfinite(part).all() and np.isfinite(logs[0, j])):
                raise BadCells("range", j)
            sums.append(part[None])
        return self.merge(summary, PowerSummary(count, logs, tuple(sums)))

    def merge(self, left: PowerSummary, right: PowerSummary) -> PowerSummary:
        """Keep the parts of both: the result adds them up exactly."""
        return PowerSummary(
            np.concatenate([left.count, right.count]),
            np.concatenate([left.logs, right.logs]),
            tuple(np.concatenate([a, b]) for a, b in zip(left.sums, right.sums, strict=True)),
        )

    def compact(self, summary: PowerSummary, limits: Limits = OPEN) -> PowerSummary:
        """Return one part with the same totals, each rounded once."""
        if len(summary.count) < 2:
            return summary
        sums = tuple(
            one_part(summary.count[:, j], sums)[None] for j, sums in enumerate(summary.sums)
        )
        logs = Exact.of(summary.logs).sum().rounded()[None]
        return PowerSummary(summary.count.sum(axis=0)[None], logs, sums)

    def check(self, summary: PowerSummary, width: int, rows: int) -> None:
        """Check also that there are sums for each exponent."""
        demand(width == len(self.trials), "sums", f"has {width} columns")
        summary.check(width, rows)
        for trial, sums in zip(self.trials, summary.sums, strict=True):
            demand(sums.shape[2] == len(trial.ts), "sums", f"has {sums.shape[2]} exponents")

    def result(self, summary: PowerSummary) -> list[Array]:
        """Return for each column its slopes and standard deviations, one line each.

        Slopes are NaN where there is no variance.
        """
        found = []
        for j, (trial, sums) in enumerate(zip(self.trials, summary.sums, strict=True)):
            count = summary.count[:, [j]].astype(np.float64)
            if not count.any():
                found.append(np.full((2, len(trial.ts)), np.nan))
                continue
            total = Total.of(count, sums)
            logs = Exact.of(summary.logs[:, [j]]).sum().over(Exact.of(count).sum())
            variance = total.variance()
            slope = slopes(trial, total.covariance().over(variance), logs)
            spread = np.sqrt(variance.over(total.count * total.count).clip(min=0))
            found.append(np.stack([slope, spread]))
        return found


def _counted(block: Block, position: int) -> tuple[Array, Array]:
    """Return a column's sorted distinct values and their counts, or all its cells if few repeat."""
    if block.rows > _SAMPLE:
        cells = block.column(position)
        if np.unique(cells[:_SAMPLE]).size > _SAMPLE // 2:
            return np.sort(cells.astype(np.float64, copy=False)), np.ones(cells.size)
    found = block.tally(position)
    assert found.counts is not None
    return found.values, found.counts
