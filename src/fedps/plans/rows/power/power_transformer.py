"""PowerTransformer: one round where the server has value/count tables, about five where not.

Round 1 asks for tables. A column whose table was too large or kept back is searched for its best
lambda in shared rounds, two to four; one more round gives mean and variance of what comes out.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from fedps.errors import ClientError
from fedps.learned import Learned
from fedps.learned.scalers import PowerTransformerNumbers
from fedps.plans.rows.power.power_column import BOX_COX, PowerColumn
from fedps.plans.rows.power.power_table import is_constant
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import STILL_EXACT, Plan, Query, View, ask
from fedps.questions.scalers import tables_of
from fedps.statistics import Extremes, Moments, Positive, PowerSums
from fedps.statistics.base import Array
from fedps.statistics.order.spread import Marginal

_INTEGERS = re.compile(
    r"[<>|=]?[iu]\d|u?int", re.IGNORECASE
)  # dtypes, however a container names them
_FURTHER = "three to five more rounds for the best power of a column"


def power_transformer(transformer: Any, view: View) -> Plan[Learned]:
    """Learn the most likely lambda of each column, and mean and variance of the transformed."""
    marginals = yield from _marginals(transformer, view)
    dtype = _dtype(marginals, view)
    whole, scaled = _whole(len(marginals), view), transformer.standardize
    columns = [
        PowerColumn(j, marginal, transformer.method, dtype, whole[j], scaled)
        for j, marginal in enumerate(marginals)
    ]
    open_ = [column for column in columns if not column.marginal.exact]
    for position in view.limited("max_share", "budget", "level"):  # sums will do instead of values
        view.bound(position, STILL_EXACT)
    yield from _settle_constants(open_, view)
    for column in columns:
        column.begin(view)
    while searching := [column for column in open_ if column.search is not None]:
        trials = tuple(column.trial for column in searching)
        found = yield from ask(PowerSums(trials), _of(searching, view))
        for column, seen in zip(searching, found, strict=True):
            column.learn(seen)
    lambdas = np.array([column.exponent for column in columns])
    if not transformer.standardize:
        return learned(transformer, PowerTransformerNumbers(lambdas=lambdas))
    mean, variance = (np.empty(len(columns)) for _ in range(2))
    for j, column in enumerate(columns):
        if column.marginal.exact:
            mean[j], variance[j] = column.moments()
    yield from _moments(transformer, open_, lambdas, view, mean, variance)
    count = np.array([marginal.count for marginal in marginals], dtype=np.float64)
    numbers = PowerTransformerNumbers(lambdas=lambdas, count=count, mean=mean, variance=variance)
    return learned(transformer, numbers)


def _marginals(transformer: Any, view: View) -> Plan[list[Marginal]]:
    """Ask for tables or extremes; Box-Cox also for the word that all numbers are positive."""
    queries = [Query(tables_of(transformer), view, _FURTHER)]
    if transformer.method == BOX_COX:
        queries.append(Query(Positive(), view))
    marginals: list[Marginal]
    marginals, *_ = yield tuple(queries)
    if any(np.isinf(m.minimum) or np.isinf(m.maximum) for m in marginals):
        # someone keeps values back: who does will say so
        yield from ask(Extremes(), view)
        raise ClientError("PowerTransformer needs the extremes of each column.")
    return marginals


def _dtype(marginals: list[Marginal], view: View) -> Any:
    """Return the floats in which scikit-learn would compute: the lambdas that it tries depend on it."""
    if not view.is_transformed and view.pooled.table is not None:
        kinds = set(view.pooled.table.dtypes)
        if kinds and kinds <= {"<f2", "float16"}:
            return np.float16
    return np.float32 if all(marginal.narrow for marginal in marginals) else np.float64


def _whole(width: int, view: View) -> list[bool]:
    """Return which columns hold integers, as far as the clients' dtypes say so."""
    table = view.pooled.table
    if view.is_transformed or table is None:
        return [False] * width
    names = view.names
    if names is None or table.names is None:
        at: list[int] = list(range(width)) if view.is_table else []
    else:
        at = [table.names.index(name) for name in names]
    return [bool(_INTEGERS.match(table.dtype(i))) for i in at] or [False] * width


def _settle_constants(columns: list[PowerColumn], view: View) -> Plan[None]:
    """Find out which columns without a table scikit-learn takes for constant."""
    unclear = [column for column in columns if column.may_be_constant and not column.is_huge]
    if unclear:
        found = yield from ask(Moments(), _of(unclear, view))
        assert found.variance is not None
        for column, mean, variance in zip(unclear, found.mean, found.variance, strict=True):
            column.may_be_constant = is_constant(variance, mean, column.marginal.count)


def _moments(
    transformer: Any,
    columns: list[PowerColumn],
    lambdas: Array,
    view: View,
    mean: Array,
    variance: Array,
) -> Plan[None]:
    """Fill in mean and variance of the transformed columns that have no table."""
    tried = view.trial(learned(transformer, PowerTransformerNumbers(lambdas=lambdas)))
    queries, places = [], []
    for order in (1, 2):
        # some squares overflow, as scikit-learn's do; without them there is a mean at least
        some = [column for column in columns if (order == 1) == column.overflows()]
        if some:
            queries.append(Query(Moments(order=order), _of(some, tried)))
            places.append([column.position for column in some])
    if not queries:
        return
    answers = yield tuple(queries)
    for at, found in zip(places, answers, strict=True):
        mean[at] = found.mean
        variance[at] = np.inf if found.variance is None else found.variance


def _of(columns: list[PowerColumn], view: View) -> View:
    """Return a view of some columns."""
    return view.at(column.position for column in columns)
