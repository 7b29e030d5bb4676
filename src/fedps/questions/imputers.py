"""What imputers may ask."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from fedps.questions.frequent import frequent_values
from fedps.questions.markers import (
    NAN_MARKER,
    is_na,
    knn_marker_of,
    marker_of,
    marks_nan,
    number_marker_of,
    other_than_nan,
)
from fedps.questions.order import order_questions
from fedps.questions.question import FitSetting, Question, Questions
from fedps.statistics import Changes, Completed, Donors, Incomplete, Missing, Moments, Patterns
from fedps.statistics.products.imputation import Imputation


def missing_of(imputer: Any) -> Missing:
    """Return what asks for the number of missing cells."""
    return Missing(marker_of(imputer), every=is_na(imputer.missing_values))


def indicated_of(indicator: Any) -> Missing:
    """Return what asks for missing cells as an indicator takes them: with NA as the marker, no NaN."""
    return Missing(None) if is_na(indicator.missing_values) else missing_of(indicator)


def missing_indicator_questions(indicator: Any, setting: FitSetting) -> Questions:
    """Ask how many cells of each column are missing."""
    return [Question(indicated_of(indicator))]


def means_of(imputer: Any) -> Moments:
    """Return what asks for the mean of each column's cells that are not missing."""
    return Moments(order=1, missing=other_than_nan(imputer.missing_values))


def median_marker_of(imputer: Any) -> float:
    """Return the marker of an imputer of medians as a number."""
    marker = other_than_nan(imputer.missing_values)
    return NAN_MARKER if marker is None else marker


def also_counted(imputer: Any) -> tuple[Any, ...]:
    """Return the marker, unless it is None or NaN: these are counted anyway."""
    marker = marker_of(imputer)
    return () if marker is None or marks_nan(marker) else (marker,)


def simple_imputer_questions(imputer: Any, setting: FitSetting) -> Questions:
    """Ask for what replaces the missing cells of each column, and which columns have any."""
    if imputer.strategy == "mean":
        return [Question(means_of(imputer))]
    if imputer.strategy == "median":
        return order_questions(setting, 2, targets=1, marker=median_marker_of(imputer))
    if imputer.strategy == "most_frequent":
        return frequent_values(setting, None, 1, also_counted(imputer))
    return [Question(missing_of(imputer))]


def patterns_of(imputer: Any) -> Patterns:
    """Return what an IterativeImputer asks first."""
    return Patterns(number_marker_of(imputer), imputer.tol > 0)


def means_near(imputer: Any) -> Moments:
    """Return what asks for means where missing cells start from a constant."""
    marker = number_marker_of(imputer)
    return Moments(1, None if np.isnan(marker) else marker)


def iterative_imputer_questions(imputer: Any, setting: FitSetting) -> Questions:
    """Ask for what missing cells start from, patterns of them, and sums of rows as imputed so far."""
    initial = SimpleNamespace(
        missing_values=imputer.missing_values, strategy=imputer.initial_strategy
    )
    found = list(simple_imputer_questions(initial, setting))
    if imputer.max_iter == 0:
        return found
    found.append(Question(patterns_of(imputer)))
    if imputer.initial_strategy == "constant":  # all others start near the means
        found.append(Question(means_near(imputer)))
    marker, sweeps = number_marker_of(imputer), int(imputer.max_iter)

    def of_this(asked: Any) -> bool:
        steps = asked.imputation
        in_sweep = getattr(asked, "sweep", steps.pivot.size)
        groups = getattr(asked, "groups", ())
        marked = steps.missing == marker or (np.isnan(steps.missing) and np.isnan(marker))
        few = steps.columns.size <= sweeps * in_sweep and len(set(groups)) == len(groups)
        return bool(marked and few and _has_bounds_of(imputer, steps))

    none = np.empty(0)
    nothing = Imputation(marker, none, none, none, none, none, none, none)
    often: dict[str, Any] = {"some": True, "times": sweeps + 1, "within": of_this}
    sums = Question(Completed(nothing, ()), ("imputation", "groups"), each=True, **often)
    change = Question(Changes(nothing, 1), ("imputation", "sweep", "skipped"), **often)
    return [*found, sums, change]


def _has_bounds_of(imputer: Any, steps: Imputation) -> bool:
    """Whether imputed cells are clipped as the imputer says, or not at all."""
    both = (steps.lower, imputer.min_value), (steps.upper, imputer.max_value)
    return all(np.isin(told, np.asarray(own, dtype=np.float64)).all() for told, own in both)


def gaps_of(marker: float) -> Missing:
    """Return what counts missing cells of numbers, among which None is NaN."""
    return Missing(marker, every=bool(np.isnan(marker)))


def knn_imputer_questions(imputer: Any, setting: FitSetting) -> Questions:
    """Ask for incomplete rows, and for what the rows hold that are most like them."""
    marker, most = knn_marker_of(imputer), int(imputer.n_neighbors)

    def few(asked: Donors) -> bool:
        return asked.k <= max(most, 1)

    donors = Donors(np.empty((0, 0)), 1, marker)
    found = [
        Question(gaps_of(marker)),
        Question(means_of(imputer)),
        Question(donors, ("queries", "k"), times=MOST_CHUNKS, within=few),
    ]
    if setting.outputs:  # what fills the gaps of the clients' own rows
        found.append(Question(Incomplete(marker), ("ignored",), times=2))
    return found


MOST_CHUNKS = 10_000  # of queries, each a round
