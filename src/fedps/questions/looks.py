"""What a look at the data may ask: distributions of columns, pairs of categories, products of columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fedps.questions.frequent import top_of
from fedps.questions.order import order_questions
from fedps.questions.question import INPUT, MICROSECONDS, FitSetting, Of, Question, Questions
from fedps.statistics import CoMoments, Cubes, Known, Moments, PairCounts, Spread


def _numbers(look: Any, setting: FitSetting, of: Of) -> Questions:
    wanted = len(look.percentiles)
    order = order_questions(setting, 2 * wanted, targets=wanted, of=(of,))
    cubes = Question(Cubes(np.zeros(0)), ("pivots",), of=of, some=True, after=Spread)
    return [replace(each, look=True) for each in (Question(Moments(), of=of), *order, cubes)]


def describe_numbers_questions(look: Any, setting: FitSetting) -> Questions:
    """Ask how the numbers of each column are distributed, and for their sums where tables are too large."""
    return _numbers(look, setting, INPUT)


def describe_dates_questions(look: Any, setting: FitSetting) -> Questions:
    """Ask the same of dates, as numbers of microseconds."""
    return _numbers(look, setting, MICROSECONDS)


def describe_categories_questions(look: Any, _: FitSetting) -> Questions:
    """Ask for the categories of each column, and how often the most frequent ones occur."""
    most = int(look.top)

    def few(asked: Known) -> bool:
        return all(len(values) <= most for values in asked.categories)

    first = Question(top_of(most), look=True)
    return [first, Question(Known(((),)), ("categories",), some=True, within=few, look=True)]


def correlate_numbers_questions(_: Any, __: FitSetting) -> Questions:
    """Ask for the products of any two columns."""
    return [Question(CoMoments(), look=True)]


def cross_categories_questions(_: Any, __: FitSetting) -> Questions:
    """Ask for the pairs of categories of two columns."""
    return [Question(PairCounts(), look=True)]


LOOK_FAMILIES = {
    "CorrelateNumbers": correlate_numbers_questions,
    "CrossCategories": cross_categories_questions,
    "DescribeCategories": describe_categories_questions,
    "DescribeDates": describe_dates_questions,
    "DescribeNumbers": describe_numbers_questions,
}
