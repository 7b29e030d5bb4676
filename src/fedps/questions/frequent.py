"""What may be asked to find the most frequent values of each column."""

from __future__ import annotations

from math import ceil
from numbers import Integral
from typing import Any

from fedps.questions.question import FitSetting, Question, Questions
from fedps.statistics import Heaviest, Known, Missing
from fedps.statistics.categories.table_sizes import MOST_UNFOLDED

# sizes of a column's table: up to the first it is sent whole, and never more than the second
WHOLE, LIMIT = MOST_UNFOLDED, MOST_UNFOLDED
SPARE, MORE = 16, 4  # sending some more than the top values usually saves a round


def top_of(top: int) -> Heaviest:
    """Return what to ask first for a number of frequent values, where clients may leave out some rows."""
    return Heaviest(top=MORE * top + SPARE, whole=WHOLE, limit=LIMIT, some_rows=True)


def first_of(least: float | None, top: int | None, clients: int) -> Heaviest:
    """Return what to ask first; a large column always shows one value, which tells its type.

    ``least`` is a number of cells, or as a float a share of them; ``top`` how many values at most.
    """
    if least is None:
        return Heaviest(top=MORE * (top or 0) + SPARE, whole=WHOLE, limit=LIMIT)
    whole = isinstance(least, Integral)
    part = part_of(least, clients) if whole else float(least)
    return Heaviest(at_least=part, top=1, whole=WHOLE, limit=LIMIT)


def part_of(goal: float, clients: int) -> int:
    """Return what some client has of a value with that many cells, at least. Asking for slightly less is safe."""
    return max(ceil(goal / clients - 1e-6), 1)


def frequent_values(
    setting: FitSetting, least: float | None, top: int | None, also: tuple[Any, ...] = ()
) -> Questions:
    """Return the questions by which the values that matter are found; ``also`` are always counted."""
    if setting.frequent is not None:
        return [Question(setting.frequent), *(Question(Missing(marker)) for marker in also)]
    more = Heaviest(at_least=1, whole=0, limit=LIMIT)
    return [
        Question(first_of(least, top, setting.clients)),
        Question(more, ("at_least",), some=True, within=lambda asked: asked.at_least >= 1),
        Question(Known(((),)), ("categories",), some=True),
    ]
