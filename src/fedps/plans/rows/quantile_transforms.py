"""RobustScaler and QuantileTransformer: percentiles of each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import ClientError, NotFederated, UsageError
from fedps.learned import Learned
from fedps.learned.quantiles import QuantileTransformerNumbers, RobustScalerNumbers
from fedps.plans.shared.parameters import learned
from fedps.plans.shared.percentiles import median_of, median_ranks, percentile_ranks, percentiles_of
from fedps.plans.shared.quantiles import Ordered, order_statistics
from fedps.plans.shared.subsample import sampling
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Missing, Spread
from fedps.statistics.base import Array


def robust_scaler(scaler: Any, view: View) -> Plan[Learned]:
    """Learn the median and two percentiles of each column, as far as the parameters need them."""
    try:
        low, high = scaler.quantile_range
        rises = bool(0 <= low <= high <= 100)
    except (TypeError, ValueError):
        rises = False
    if not rises:
        raise UsageError(
            f"quantile_range is {scaler.quantile_range}: it must be two percentages that rise within "
            "0..100, such as (25.0, 75.0)."
        )
    if not (scaler.with_centering or scaler.with_scaling):
        gaps = yield from ask(Missing(every=True), view)
        return learned(scaler, RobustScalerNumbers(width=len(gaps)))
    percents = np.array([low, high] if scaler.with_scaling else [], dtype=np.float64)

    def ranks(cells: int) -> Array:
        middle = median_ranks(cells) if scaler.with_centering else np.zeros(0, dtype=np.int64)
        return np.concatenate([middle, percentile_ranks(cells, percents)])

    columns = yield from order_statistics(view, ranks, targets=len(percents) + 1)
    center = spread = None
    if scaler.with_centering:
        center = np.array([median_of(column) for column in columns])
    if scaler.with_scaling:
        ends = np.array([percentiles_of(column, percents) for column in columns])
        nothing = all(column.narrow and column.count == 0 for column in columns)
        # NumPy keeps 32 bits only where no column has a cell to take a percentile of
        spread = ends.reshape(-1, 2).T.astype(np.float32 if nothing else np.float64)
    numbers = RobustScalerNumbers(width=len(columns), center=center, range_=spread)
    return learned(scaler, numbers)


def quantile_transformer(transformer: Any, view: View) -> Plan[Learned]:
    """Learn many percentiles of each column, of all rows or of those that ``subsample`` draws."""
    size = transformer.subsample
    if size is not None and transformer.n_quantiles > size:
        raise UsageError(
            f"n_quantiles={transformer.n_quantiles} is above subsample={size}: percentiles are taken "
            "of the rows that are drawn. Lower the one or raise the other."
        )
    draw = sampling(size, transformer.random_state, replace=False)
    columns = yield from order_statistics(
        view,
        lambda cells: percentile_ranks(cells, _percents(transformer, view)),
        stored=bool(transformer.ignore_implicit_zeros),
        targets=transformer.n_quantiles,
        draw=lambda all_rows: all_rows if _is_sparse(all_rows) else draw(all_rows),
    )
    is_sparse = _is_sparse(view)
    if is_sparse:
        yield from _check_sparse(transformer, view, columns)
    percents = _percents(transformer, view)
    found = np.array([percentiles_of(column, percents) for column in columns])
    if is_sparse and transformer.ignore_implicit_zeros:
        found[[column.count + column.nan == 0 for column in columns]] = 0.0
    quantiles = found.reshape(-1, len(percents)).T
    if not is_sparse and columns and columns[0].narrow and columns[0].count == 0:
        # NumPy then takes the first column's 32 bits for all
        quantiles = quantiles.astype(np.float32)
    return learned(transformer, QuantileTransformerNumbers(quantiles=quantiles, rows=view.rows))


def _percents(transformer: Any, view: View) -> Array:
    count = max(1, min(transformer.n_quantiles, view.rows))
    return np.linspace(0, 1, count, endpoint=True) * 100


def _is_sparse(view: View) -> bool:
    return view.pooled.table is not None and view.pooled.table.container == "sparse"


def _check_sparse(transformer: Any, view: View, columns: list[Ordered]) -> Plan[None]:
    """Refuse what scikit-learn refuses of sparse tables, and draws that depend on stored cells."""
    negative = [j for j, column in enumerate(columns) if column.count and column.values.min() < 0]
    if not transformer.ignore_implicit_zeros and negative:
        first = negative[0]
        raise ClientError(
            f"some client has negative numbers in sparse column {first}, which QuantileTransformer "
            "takes only with ignore_implicit_zeros=True."
        )
    if transformer.subsample is None or view.rows <= transformer.subsample:
        return
    stored = yield from ask(Spread(price=0, stored=True), view)
    if max(column.count + column.nan for column in stored) > transformer.subsample:
        raise NotFederated(
            f"a sparse column stores more than subsample={transformer.subsample} cells, of which "
            "scikit-learn would draw some column by column. Set subsample=None to use all rows."
        )
