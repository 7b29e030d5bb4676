"""most_told: how much a pipeline may tell about each column at most, before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fedps.client.requests.in_words import RequestOnTable
from fedps.learned import BY_COLUMNS, PIPELINE, Described, Place, branches_of
from fedps.questions import TARGET, Question
from fedps.statistics import (
    Categories,
    CoMoments,
    Disclosure,
    Extremes,
    Finite,
    Gram,
    MaskedColumns,
    MaskedProducts,
    MaskKeys,
    MaskSeeds,
    Missing,
    Moments,
    PartialKeys,
    RowCounts,
    Stored,
)

_KEEP_COLUMNS = (
    "Binarizer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "Normalizer",
    "OrdinalEncoder",
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "StandardScaler",
)
_IMPUTERS = ("IterativeImputer", "KNNImputer", "SimpleImputer")


class Most(NamedTuple):
    """The most single values that are shown of a column, and numbers that are told about it.

    None: it depends on the cells, or on what a search finds.
    """

    values: int | None = 0
    numbers: int | None = 0

    def plus(self, other: Most) -> Most:
        """Return both together.

        >>> Most(2, 3).plus(Most(None, 1))
        Most(values=None, numbers=4)
        """
        return Most(_sum(self.values, other.values), _sum(self.numbers, other.numbers))

    def often(self, times: int) -> Most:
        """Return so many times as much."""
        return Most(*(None if one is None else times * one for one in self))


def most_told(on: RequestOnTable) -> dict[str, Most]:
    """Return the most that a request's pipeline tells about each of a client's own columns."""
    found: dict[str, Most] = {}
    for place, question in on.questions():
        columns, also = on.read_for(place, question)
        width = len(columns.names)
        times = question.times * (max(width, 1) if question.each else 1)
        known = not question.free and (question.of == TARGET or _keeps(on, place, question))
        for name in (*columns.names, *also):
            each = _of_answer(question.statistic, width, text=_is_text(on, name))
            each = each if known else Most(*(None if one != 0 else 0 for one in each))
            # of each column that is asked about, a number is about the target and weights, too
            each = each.often(times * (width if name in also else 1))
            found[name] = found.get(name, Most()).plus(each)
    return found


def _of_answer(statistic: Any, width: int, *, text: bool) -> Most:
    """Return what one answer tells about a column at most; that it fails is a number, too."""
    if statistic.disclosure == Disclosure.ROWS:
        return Most(0, 1)
    count = _TOLD.get(type(statistic))
    return Most(None, None) if count is None else count(statistic, width, text)


_TOLD: dict[type[Any], Callable[[Any, int, bool], Most]] = {
    Categories: lambda one, _, text: Most(0 if text else None, None if one.counts else 1),
    # of complete rows and, where cells are missing, of each pair of columns
    CoMoments: lambda _, width, __: Most(0, 4 * width + 1),
    Extremes: lambda one, _, __: Most(1 if one.absolute else 2, 1),
    Finite: lambda *_: Most(0, 1),
    Gram: lambda _, width, __: Most(0, width + 1),
    MaskKeys: lambda *_: Most(0, 1),
    MaskSeeds: lambda *_: Most(0, 1),
    MaskedColumns: lambda *_: Most(0, 1),
    MaskedProducts: lambda *_: Most(0, None),  # with each column of all clients, however many
    Missing: lambda *_: Most(0, 1),
    Moments: lambda one, *_: Most(0, max(one.order, 1)),
    PartialKeys: lambda *_: Most(0, 1),
    RowCounts: lambda *_: Most(0, 1),
    Stored: lambda *_: Most(0, 1),
}


def _keeps(on: RequestOnTable, place: Place, question: Question) -> bool:
    """Return whether a question is about one column for each of the client's own."""
    if question.of.kind == "branch":
        every = [kept for _, kept, _ in branches_of(place.described)]
        if every[question.of.branch] is not None:
            return _as_they_were(on, place)
        index = every[: question.of.branch].count(None)
        inner = [one for one in on.places if one.parent == place.number]
        return _as_they_were(on, place) and _one_to_one(inner[index].described)
    same = question.of.kind in ("input", "sample", "folds")
    return _as_they_were(on, place) and (same or _one_to_one(place.described))


def _as_they_were(on: RequestOnTable, place: Place) -> bool:
    """Return whether what comes into a place has one column for each of the client's own."""
    if place.parent is None:
        return True
    around = on.places[place.parent]
    if not _as_they_were(on, around):
        return False
    if around.described.estimator != PIPELINE:
        return True
    return all(_one_to_one(step) for step in around.described.inner[: place.index])


def _one_to_one(described: Described) -> bool:
    """Return whether an estimator makes one column of each."""
    if described.estimator == PIPELINE:
        return all(map(_one_to_one, described.inner))
    if described.estimator == BY_COLUMNS:
        return False
    if described.estimator in _IMPUTERS:
        return not described.params.get("add_indicator", False)
    return described.estimator in _KEEP_COLUMNS


def _is_text(on: RequestOnTable, name: str) -> bool:
    names = list(on.schema.names or ())
    if name not in names:
        return False
    dtype = on.schema.dtype(names.index(name)).lower()
    # texts are objects with older versions of pandas
    return dtype in ("object", "str", "string") or dtype.startswith(("category:|o", "category:<u"))


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
