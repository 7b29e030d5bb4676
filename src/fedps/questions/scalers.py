"""What scalers and transformers that learn nothing may ask."""

from __future__ import annotations

from typing import Any

from fedps.questions.question import TRIAL, FitSetting, Question, Questions
from fedps.statistics import Extremes, Finite, Missing, Moments, Positive, PowerSums, Spread
from fedps.statistics.order.spread import ROUND

SAVED = 4  # rounds, by a table: two or three of search, and one for mean and variance
MOST_TRIED = 11  # exponents of a column in a round
MOST_TRIES = 32  # rounds: an honest search takes six at most


def max_abs_scaler_questions(scaler: Any, setting: FitSetting) -> Questions:
    """Ask for the largest absolute number of each column."""
    return [Question(Extremes(absolute=True))]


def min_max_scaler_questions(scaler: Any, setting: FitSetting) -> Questions:
    """Ask for the smallest and the largest number of each column."""
    return [Question(Extremes())]


def moments_of(scaler: Any, weight: str | None) -> Moments | Missing:
    """Return what a StandardScaler needs: no more than its parameters say."""
    if not (scaler.with_mean or scaler.with_std):
        return Missing(every=True)  # scikit-learn then counts rows, whatever their weights
    return Moments(order=2 if scaler.with_std else 1, weight=weight)


def standard_scaler_questions(scaler: Any, setting: FitSetting) -> Questions:
    """Ask for mean and variance of each column."""
    return [Question(moments_of(scaler, weight)) for weight in setting.weights]


def finite_only_questions(transformer: Any, setting: FitSetting) -> Questions:
    """Ask whether all cells are finite numbers."""
    return [Question(Finite())]


def function_transformer_questions(transformer: Any, setting: FitSetting) -> Questions:
    """Ask whether all cells are finite numbers, if the transformer itself checks that."""
    return [Question(Finite())] if transformer.validate else []


def no_questions(estimator: Any, setting: FitSetting) -> Questions:
    """Ask nothing."""
    return []


def tables_of(transformer: Any) -> Spread:
    """Return what a PowerTransformer asks first: tables where these are worth the rounds they save."""
    return Spread(targets=0, price=SAVED * ROUND)


def power_transformer_questions(transformer: Any, setting: FitSetting) -> Questions:
    """Ask for tables of small columns; of others how likely some powers are, and what comes out."""
    questions = [
        Question(tables_of(transformer)),
        Question(Extremes()),
        Question(PowerSums(()), free=("trials",), some=True, times=MOST_TRIES, within=_few_trials),
        Question(Moments(order=1), of=TRIAL, some=True),
        Question(Moments(order=2), of=TRIAL, some=True),
    ]
    if transformer.method == "box-cox":
        return [*questions, Question(Positive())]
    return [*questions, Question(Moments(), some=True)]  # whether a column is as good as constant


def _few_trials(asked: PowerSums) -> bool:
    return all(len(trial.ts) <= MOST_TRIED for trial in asked.trials)
