"""SimpleImputer and MissingIndicator: one round each."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import ClientError, NotFederated
from fedps.learned import Learned
from fedps.learned.imputers import MissingIndicatorNumbers, SimpleImputerNumbers
from fedps.plans.shared.frequent import WantedValues, frequent
from fedps.plans.shared.parameters import learned
from fedps.plans.shared.percentiles import median_of, median_ranks
from fedps.plans.shared.quantiles import order_statistics
from fedps.plans.shared.rare_values import stop_if_none_named
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions.imputers import indicated_of, means_of, median_marker_of, missing_of
from fedps.questions.markers import NAN_MARKER, is_na, marker_of, marks_nan
from fedps.statistics import Distinct
from fedps.statistics.base import Array

_ADVICE = (
    "No value stands out enough for the most frequent one to be found without sending all: use "
    "another strategy=, or fit(..., frequent=fedps.FrequentItems()) for one that nearly is."
)


def simple_imputer(imputer: Any, view: View) -> Plan[Learned]:
    """Learn what each column's missing cells are replaced by, and which columns have any."""
    return learned(imputer, (yield from simple_imputer_numbers(imputer, view)))


def simple_imputer_numbers(imputer: Any, view: View) -> Plan[SimpleImputerNumbers]:
    """Learn the same, for an imputer that may be inside another."""
    plan = _STRATEGIES.get(imputer.strategy) if isinstance(imputer.strategy, str) else None
    if plan is None:
        raise NotFederated(
            f"SimpleImputer(strategy=...) with a function needs all cells of a column at one place, "
            f"and they stay with the clients. Use one of {', '.join(_STRATEGIES)}."
        )
    return (yield from plan(imputer, view))


def missing_indicator(indicator: Any, view: View) -> Plan[Learned]:
    """Learn which columns have missing cells."""
    gaps = yield from ask(indicated_of(indicator), view)
    kinds = view.missing_kinds(len(gaps))
    return learned(indicator, MissingIndicatorNumbers(missing=gaps, rows=view.rows, kinds=kinds))


def _mean(imputer: Any, view: View) -> Plan[SimpleImputerNumbers]:
    found = yield from ask(means_of(imputer), view)
    gaps = view.rows - found.count.astype(np.int64)
    nothing = 0.0 if imputer.keep_empty_features else NAN_MARKER
    statistics = np.where(found.count > 0, found.mean, nothing)
    return SimpleImputerNumbers(statistics=statistics, missing=gaps, rows=view.rows)


def _median(imputer: Any, view: View) -> Plan[SimpleImputerNumbers]:
    marker = median_marker_of(imputer)
    columns = yield from order_statistics(view, median_ranks, marker=marker, targets=1)
    nothing = 0.0 if imputer.keep_empty_features else NAN_MARKER
    statistics = np.array([median_of(column) if column.count else nothing for column in columns])
    gaps = np.array([column.nan for column in columns], dtype=np.int64)
    return SimpleImputerNumbers(statistics=statistics, missing=gaps, rows=view.rows)


def _constant(imputer: Any, view: View) -> Plan[SimpleImputerNumbers]:
    gaps = yield from ask(missing_of(imputer), view)
    kinds = view.missing_kinds(len(gaps))
    return SimpleImputerNumbers(missing=gaps, rows=view.rows, kinds=kinds)


def _most_frequent(imputer: Any, view: View) -> Plan[SimpleImputerNumbers]:
    marker = marker_of(imputer)
    wanted = WantedValues(top=1, marker=marker, exact=False, advice=_ADVICE)
    plan = _beside_numbers if wanted.gap is not None else _all_found
    found, marked = yield from plan(imputer, view, wanted)
    if any(column.values.dtype.kind in "mM" for column in found):
        raise ClientError(
            "some clients have times in the columns of a SimpleImputer, and scikit-learn's imputers take "
            "numbers and text. Leave them out, or convert them there: column.astype(str) for text."
        )
    if is_na(imputer.missing_values):
        found = [column._replace(none=0, nan=column.none + column.nan) for column in found]
    nothing = 0 if imputer.keep_empty_features else NAN_MARKER
    if not marks_nan(marker) and any(column.nan for column in found):
        raise ClientError(
            "some clients have NaN in the columns of a SimpleImputer whose missing_values is "
            f"{marker!r}. scikit-learn takes NaN only where it is the marker: impute it first."
        )
    stop_if_none_named(view, [_values(column, marker)[0] for column in found])
    columns = [_mode(column, marker, nothing) for column in found]
    statistics = np.empty(len(columns), dtype=object)
    statistics[:] = [mode for mode, _ in columns]
    gaps = np.array([gaps for _, gaps in columns], dtype=np.int64) if marked is None else marked
    kinds = view.missing_kinds(len(columns))
    return SimpleImputerNumbers(statistics=statistics, missing=gaps, rows=view.rows, kinds=kinds)


def _all_found(_: Any, view: View, wanted: WantedValues) -> Plan[tuple[list[Distinct], None]]:
    """Return the values of each column that matter."""
    return [items.found for items in (yield from frequent(view, wanted))], None


def _beside_numbers(
    imputer: Any, view: View, wanted: WantedValues
) -> Plan[tuple[list[Distinct], Array]]:
    """Return them where a number is the marker, and how many cells of each column equal it.

    Beside text it is not among the values, but counted as None.
    """
    plans: list[Plan[Any]] = [frequent(view, wanted), ask(missing_of(imputer), view)]
    items, marked = yield from gather(plans)
    found = [column.found for column in items]
    named = np.array([_values(column, wanted.marker)[2] for column in found], dtype=np.int64)
    unnamed = (marked - named).clip(min=0).tolist()
    pairs = zip(found, unnamed, strict=True)
    return [c._replace(none=max(c.none - gaps, 0)) for c, gaps in pairs], marked


_STRATEGIES = {
    "mean": _mean,
    "median": _median,
    "most_frequent": _most_frequent,
    "constant": _constant,
}


def _mode(column: Distinct, marker: Any, nothing: Any) -> tuple[Any, int]:
    """Return the most frequent value that is not missing, the smallest of equals, and the gaps."""
    values, counts, gaps = _values(column, marker)
    if marker is not None and 0 < column.none >= counts.max(initial=0):
        return None, gaps  # None comes before text and numbers where counts are equal
    return (values.tolist()[counts.argmax()] if len(values) else nothing), gaps


def _values(column: Distinct, marker: Any) -> tuple[Array, Array, int]:
    """Return the values that are not missing, their counts, and the number of gaps."""
    values, counts = column.values, column.counts
    assert counts is not None
    if marks_nan(marker):
        return values, counts, column.nan
    if marker is None:
        return values, counts, column.none
    gone = _equal(values, marker)
    return values[~gone], counts[~gone], int(counts[gone].sum())


def _equal(values: Array, marker: Any) -> Array:
    """Return where values equal a marker; text never equals a number."""
    if len(values) == 0 or isinstance(values[0], str) != isinstance(marker, str):
        return np.zeros(len(values), dtype=bool)
    return np.asarray(values == marker)
