"""PowerTransformer: one round where the server has value/count tables, about five where not.

Round 1 asks for tables. A column whose table was too large or kept back is searched for its best
lambda in shared rounds, two to four; one more round gives mean and variance of what comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.errors import ClientError
from fedps.learned import Facts, Learned
from fedps.plans.parameters import learned
from fedps.plans.power_search import Search
from fedps.plans.power_table import (
    below_overflow,
    is_constant,
    lambda_of_constant,
    moments,
    search_for,
    slopes_of,
    transformed,
)
from fedps.protocol.messages import At, Named
from fedps.protocol.plan import Plan, Query, View, ask
from fedps.statistics import Extremes, Moments, Positive, PowerSums, Spread
from fedps.statistics.curves import Curve
from fedps.statistics.power import Trial
from fedps.statistics.spread import ROUND, Marginal

BOX_COX = "box-cox"
SAVED = 4  # rounds, by a table: two or three of search, and one for mean and variance


def power_transformer(transformer: Any, view: View) -> Plan[Learned]:
    """Learn the most likely lambda of each column, and mean and variance of the transformed."""
    marginals = yield from _marginals(transformer.method, view)
    narrow = all(marginal.narrow for marginal in marginals) and any(m.count for m in marginals)
    dtype = np.float32 if narrow else np.float64
    columns = [_Column(j, m, transformer.method, dtype) for j, m in enumerate(marginals)]
    open_ = [column for column in columns if not column.marginal.exact]
    yield from _settle_constants(open_, view)
    for column in columns:
        column.begin(view)
    while searching := [column for column in open_ if column.search is not None]:
        trials = tuple(column.trial for column in searching)
        found = yield from ask(PowerSums(trials), _of(searching, view))
        for column, slopes in zip(searching, found, strict=True):
            column.learn(slopes)
    lambdas = np.array([column.exponent for column in columns])
    if not transformer.standardize:
        return learned(transformer, lambdas=lambdas)
    mean, variance = (np.empty(len(columns)) for _ in range(2))
    for j, column in enumerate(columns):
        if column.marginal.exact:
            mean[j], variance[j] = column.moments()
    if open_:
        at = [column.position for column in open_]
        bare = Facts(method=transformer.method, standardize=False)
        change = Learned("PowerTransformer", bare, Facts(lambdas=lambdas[at]))
        rest = yield from ask(Moments(), _of(open_, view).apply(change))
        mean[at], variance[at] = rest.mean, rest.variance
    count = np.array([marginal.count for marginal in marginals], dtype=np.float64)
    return learned(transformer, lambdas=lambdas, count=count, mean=mean, variance=variance)


def _marginals(method: str, view: View) -> Plan[list[Marginal]]:
    """Ask for tables or extremes; Box-Cox also for the word that all numbers are positive."""
    queries = [Query(Spread(targets=0, price=SAVED * ROUND), view)]
    if method == BOX_COX:
        queries.append(Query(Positive(), view))
    marginals: list[Marginal]
    marginals, *_ = yield tuple(queries)
    if any(np.isinf(m.minimum) or np.isinf(m.maximum) for m in marginals):
        # someone keeps values back: who does will say so
        yield from ask(Extremes(), view)
        raise ClientError("PowerTransformer needs the extremes of each column.")
    return marginals


def _settle_constants(columns: list[_Column], view: View) -> Plan[None]:
    """Find out which columns without a table scikit-learn takes for constant."""
    unclear = [column for column in columns if column.may_be_constant and not column.is_huge]
    if unclear:
        found = yield from ask(Moments(), _of(unclear, view))
        assert found.variance is not None
        for column, mean, variance in zip(unclear, found.mean, found.variance, strict=True):
            column.may_be_constant = is_constant(variance, mean, column.marginal.count)


def _of(columns: list[_Column], view: View) -> View:
    """Return a view of some columns, by name where names are known: these hold at all clients."""
    at = [column.position for column in columns]
    if view.names is not None:
        return view.select(Named(tuple(view.names[j] for j in at)))
    return view.select(At(tuple(at)))


@dataclass
class _Column:
    """One column: its distribution and, in the end, its exponent."""

    position: int
    marginal: Marginal
    method: str
    dtype: Any
    exponent: float = 1.0
    search: Search | None = None

    def __post_init__(self) -> None:
        found, cells = self.marginal, self.marginal.count
        self.may_be_constant = self.is_huge = False
        if cells and self.method != BOX_COX and not found.nan:
            span = found.maximum - found.minimum
            largest = max(abs(found.maximum), abs(found.minimum))
            if found.exact:
                mean, variance = moments(found.values, found.counts)
                self.may_be_constant = is_constant(variance, mean, cells)
            else:  # no column has less variance than one with two cells off the middle
                with np.errstate(over="ignore"):
                    least = np.float64(span) ** 2 / 2 / cells
                self.may_be_constant = is_constant(float(least), largest, cells)
                self.is_huge = bool(np.isinf(least))  # then scikit-learn's variance is, too

    def begin(self, view: View) -> None:
        """Find the exponent where that is possible now; begin a search where not."""
        found, low, high = self.marginal, self.marginal.minimum, self.marginal.maximum
        name = repr(view.names[self.position]) if view.names else f"number {self.position}"
        if found.count == 0 and found.nan:
            raise ClientError(
                f"column {name} has nothing but missing values at all clients, so no power "
                "transform can be learned for it. Leave it out."
            )
        if found.count == 0 or self.may_be_constant:
            return
        if low == high:
            if self.method == BOX_COX:
                raise ClientError(
                    f"column {name} has the same number in all rows of all clients: Box-Cox needs "
                    "two at least. Leave it out."
                )
            self.exponent = lambda_of_constant(low, found.count, self.dtype)
            return
        self.curve = Curve.over(low, high, box_cox=self.method == BOX_COX)
        self.search = search_for(self.curve, low, high, self.dtype)
        if self.search is None:
            raise ClientError(
                f"column {name} has both positive and negative numbers that are too large for a "
                "Yeo-Johnson transform. Scale it first."
            )
        slopes = slopes_of(self.curve, found.values, found.counts) if found.exact else None
        self._stop_if_found()
        while slopes is not None and self.search is not None:
            self.learn(slopes(self.search.wanted))

    @property
    def trial(self) -> Trial:
        """What to ask next."""
        assert self.search is not None
        return Trial(self.curve, self.search.wanted)

    def learn(self, slopes: Any) -> None:
        """Take the slopes at the exponents of the trial."""
        assert self.search is not None
        self.search.learn(slopes)
        self._stop_if_found()

    def _stop_if_found(self) -> None:
        if self.search is None or self.search.best is None:
            return
        found = self.marginal
        self.exponent = self.curve.lambda_of(self.search.best)
        if self.method == BOX_COX:
            ends = (found.minimum, found.maximum)
            self.exponent = below_overflow(self.exponent, *ends, self.dtype)
        self.search = None

    def moments(self) -> tuple[float, float]:
        """Return mean and variance of the transformed cells of a table."""
        found, values = self.marginal, self.marginal.values
        if found.count == 0:
            return np.nan, np.nan
        if not self.may_be_constant:  # scikit-learn does not transform what it takes for constant
            exponent = float(self.dtype(self.exponent))
            values = transformed(values, exponent, self.method, self.dtype)
        return moments(values, found.counts)
