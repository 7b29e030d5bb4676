"""KBinsDiscretizer and SplineTransformer: edges and knots of each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import UsageError
from fedps.learned import Learned
from fedps.learned.quantiles import KBinsDiscretizerNumbers, SplineTransformerNumbers
from fedps.plans.shared.lloyd import kmeans_edges
from fedps.plans.shared.parameters import learned
from fedps.plans.shared.percentiles import percentile_ranks, percentiles_of
from fedps.plans.shared.quantiles import order_statistics
from fedps.plans.shared.subsample import DrawRows, ask_of_sample, sampling
from fedps.protocol.plan import Plan, View, ask
from fedps.questions.markers import NAN_MARKER
from fedps.questions.order import INSTEAD_OF_ROUNDS, bins_of, knots_of, takes_gaps
from fedps.statistics import Extremes, Spread
from fedps.statistics.base import Array
from fedps.statistics.order.extremes import ExtremesSummary


def k_bins_discretizer(binner: Any, view: View, weight: str | None = None) -> Plan[Learned]:
    """Learn the edges of each column's bins; with row weights, of bins of equal width."""
    if weight is not None:
        return learned(binner, (yield from _uniform_with_weights(binner, view, weight)))
    draw = sampling(binner.subsample, binner.random_state, replace=True)
    return learned(binner, (yield from _EDGES[binner.strategy](binner, view, draw)))


def _uniform(binner: Any, view: View, draw: DrawRows) -> Plan[KBinsDiscretizerNumbers]:
    _, found = yield from ask_of_sample(Extremes(gaps=False), view, draw)
    binner._validate_n_bins(len(found.lower))  # noqa: SLF001 - as its fit would, but with all rows
    return KBinsDiscretizerNumbers(lower=found.lower, upper=found.upper)


def _uniform_with_weights(binner: Any, view: View, weight: str) -> Plan[KBinsDiscretizerNumbers]:
    found = yield from _weighted_ends(Extremes(gaps=False, weight=weight), view)
    if binner.subsample is not None and view.rows > binner.subsample:
        raise UsageError(
            f"KBinsDiscretizer(subsample={binner.subsample}) with sample_weight draws rows by the weights "
            f"of all {view.rows} rows, one after the other, and these stay with the clients. Set "
            "subsample=None."
        )
    binner._validate_n_bins(len(found.lower))  # noqa: SLF001 - as its fit would, but with all rows
    return KBinsDiscretizerNumbers(lower=found.lower, upper=found.upper)


def _weighted_ends(asked: Extremes, view: View) -> Plan[ExtremesSummary]:
    """Return the ends of each column, of the rows that count."""
    found = yield from ask(asked, view)
    if view.rows and found.count.size and not found.count.any():
        raise UsageError(f"no row with a value has a weight above 0 in {asked.weight!r}.")
    return found


def _quantile(binner: Any, view: View, draw: DrawRows) -> Plan[KBinsDiscretizerNumbers]:
    method = binner.quantile_method
    method = "linear" if method == "warn" else method  # scikit-learn 1.7 and 1.8
    bins = bins_of(binner)
    levels = {int(n): np.linspace(0, 100, int(n) + 1) for n in bins}

    def ranks(cells: int) -> Array:
        each = [percentile_ranks(cells, percents, method) for percents in levels.values()]
        return np.concatenate([[0, cells - 1], *each])

    columns = yield from order_statistics(
        view, ranks, marker=None, targets=int(bins.max()), draw=draw
    )
    n_bins = binner._validate_n_bins(len(columns))  # noqa: SLF001
    edges = [
        percentiles_of(column, levels[int(n)], method)
        for column, n in zip(columns, n_bins, strict=True)
    ]
    ends = np.array([column.values[[0, -1]] for column in columns]).reshape(-1, 2).T
    return KBinsDiscretizerNumbers(lower=ends[0], upper=ends[1], edges=edges)


def _kmeans(binner: Any, view: View, draw: DrawRows) -> Plan[KBinsDiscretizerNumbers]:
    further = "for columns of many values: a round for each step of k-means"
    spread = Spread(price=INSTEAD_OF_ROUNDS, marker=None)
    view, columns = yield from ask_of_sample(spread, view, draw, further=further)
    n_bins = binner._validate_n_bins(len(columns))  # noqa: SLF001
    edges = yield from kmeans_edges(view, columns, n_bins)
    ends = np.array([[column.minimum, column.maximum] for column in columns]).reshape(-1, 2).T
    return KBinsDiscretizerNumbers(lower=ends[0], upper=ends[1], edges=edges)


_EDGES = {"uniform": _uniform, "quantile": _quantile, "kmeans": _kmeans}


def spline_transformer(spline: Any, view: View, weight: str | None = None) -> Plan[Learned]:
    """Learn the knots of each column, unless they are given; with row weights, uniform ones."""
    found = yield from _knots(spline, view, weight)
    if view.rows == 1:
        raise UsageError("SplineTransformer needs two rows at least, and the clients have one.")
    return found


def _knots(spline: Any, view: View, weight: str | None) -> Plan[Learned]:
    simple = knots_of(spline, weight)
    if isinstance(simple, Extremes):
        ends = ask(simple, view) if weight is None else _weighted_ends(simple, view)
        found = yield from ends
        return learned(spline, SplineTransformerNumbers(lower=found.lower, upper=found.upper))
    if simple is not None:
        yield from ask(simple, view)
        return learned(spline, SplineTransformerNumbers())
    percents = 100 * np.linspace(0, 1, spline.n_knots, dtype=np.float64)
    columns = yield from order_statistics(
        view,
        lambda cells: percentile_ranks(cells, percents),
        marker=NAN_MARKER if takes_gaps(spline) else None,
        targets=spline.n_knots,
    )
    knots = np.array([percentiles_of(column, percents) for column in columns])
    return learned(spline, SplineTransformerNumbers(knots=knots.reshape(-1, spline.n_knots).T))
