"""What estimators may ask that need quantiles: by tables and narrow intervals, or by a sketch."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import structs

from fedps.questions.markers import NAN_MARKER
from fedps.questions.question import (
    INPUT,
    SAMPLE,
    AnyStat,
    FitSetting,
    Of,
    Question,
    Questions,
)
from fedps.statistics import (
    Clusters,
    Extremes,
    Farthest,
    Finite,
    Missing,
    Moments,
    Spread,
    Within,
)
from fedps.statistics.base import Array
from fedps.statistics.ragged import Ragged

INSTEAD_OF_ROUNDS = 1 << 14  # bytes that a table may cost: the alternative is a round per step
STEPS = 300  # of k-means on one column, as in scikit-learn
DRAWN = (INPUT, SAMPLE)  # how many rows there are is known only with the first answer


def order_questions(
    setting: FitSetting,
    most: int,
    *,
    targets: int,
    marker: float | None = NAN_MARKER,
    stored: bool = False,
    of: tuple[Of, ...] = (INPUT,),
) -> list[Question]:
    """Return the questions by which at most so many order statistics of each column are found.

    ``targets`` is about how many these are; ``marker`` and ``stored`` are as in ``Spread``.
    """
    if setting.quantiles is not None:
        sketch: Any = structs.replace(setting.quantiles, marker=marker, stored=stored)
        free = () if sketch.seed is not None else ("seed",)
        return [*Question(sketch, free).of_each(*of)]

    def few(asked: Any) -> bool:
        return all(pairs.ndim == 2 and pairs.shape[1] <= most for pairs in asked.intervals)

    # of some columns at a time, where those of all do not fit in a message
    spread = Question(Spread(targets=targets, marker=marker, stored=stored), some=True)
    within = Question(
        Within((), marker, stored), ("intervals",), some=True, within=few, after=Spread
    )
    return [question for each in (spread, within) for question in each.of_each(*of)]


def robust_scaler_questions(scaler: Any, setting: FitSetting) -> Questions:
    """Ask for the median and two percentiles of each column."""
    if not (scaler.with_centering or scaler.with_scaling):
        return [Question(Missing(every=True))]
    percents = 2 if scaler.with_scaling else 0
    return order_questions(setting, 2 + 2 * percents, targets=percents + 1)


def quantile_transformer_questions(transformer: Any, setting: FitSetting) -> Questions:
    """Ask for many percentiles of each column, of all rows or of those that are drawn."""
    number = int(transformer.n_quantiles)
    stored = bool(transformer.ignore_implicit_zeros)
    found = order_questions(setting, 2 * number, targets=number, stored=stored, of=DRAWN)
    return [*found, Question(Spread(price=0, stored=True), sparse=True)]


def knots_of(spline: Any, weight: str | None = None) -> AnyStat | None:
    """Return what a SplineTransformer asks; None where it asks for percentiles."""
    gaps = takes_gaps(spline)
    if not isinstance(spline.knots, str):
        return Missing(every=True) if gaps else Finite()
    return Extremes(gaps=gaps, weight=weight) if spline.knots == "uniform" else None


def takes_gaps(spline: Any) -> bool:
    """Whether a SplineTransformer takes missing values."""
    return bool(getattr(spline, "handle_missing", "error") != "error")


def spline_transformer_questions(spline: Any, setting: FitSetting) -> Questions:
    """Ask for the ends or the percentiles of each column."""
    simple = [asked for weight in setting.weights if (asked := knots_of(spline, weight))]
    if simple:
        return [Question(asked) for asked in simple]
    marker = NAN_MARKER if takes_gaps(spline) else None
    number = int(spline.n_knots)
    return order_questions(setting, 2 * number, targets=number, marker=marker)


def bins_of(binner: Any) -> Array:
    """Return the numbers of bins of a KBinsDiscretizer: one for all columns, or one for each."""
    return np.ravel(np.asarray(binner.n_bins))


def k_bins_discretizer_questions(binner: Any, setting: FitSetting) -> Questions:
    """Ask for the ends, the percentiles or the clusters of each column."""
    bins = bins_of(binner)
    if binner.strategy == "uniform":
        weighted = [Question(Extremes(gaps=False, weight=w)) for w in setting.weights if w]
        return [*Question(Extremes(gaps=False)).of_each(*DRAWN), *weighted]
    if binner.strategy == "quantile":
        most = 2 + sum(2 * (int(n) + 1) for n in set(bins.tolist()))
        return order_questions(setting, most, targets=int(bins.max()), marker=None, of=DRAWN)
    table = Spread(price=INSTEAD_OF_ROUNDS, marker=None)
    return [*Question(table).of_each(*DRAWN), *_of_clusters(int(bins.max()))]


def _of_clusters(bins: int) -> list[Question]:
    """Return the questions of k-means on one column."""

    def few(asked: Any) -> bool:
        return bool(asked.centres.size <= bins and asked.wanted <= bins)

    def few_each(asked: Any) -> bool:
        return all(centres.size <= bins for centres in asked.centres)

    nowhere = np.empty(0)
    clusters = Clusters(Ragged(), nowhere)
    each = [
        Question(Extremes(), some=True),
        Question(Moments(), some=True),
        # a column that waits for its farthest cells takes its steps later than others
        Question(clusters, ("centres", "means"), some=True, times=2 * STEPS, within=few_each),
        Question(
            Farthest(nowhere, 0.0, 1),
            ("centres", "mean", "wanted"),
            some=True,
            times=STEPS,
            within=few,
        ),
    ]
    return [question for one in each for question in one.of_each(*DRAWN)]
