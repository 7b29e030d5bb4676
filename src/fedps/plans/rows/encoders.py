"""Encoders of categories: one round each, two or three where a column has very many."""

from __future__ import annotations

from bisect import bisect
from itertools import count
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from fedps.errors import NotFederated, UsageError
from fedps.learned import Learned
from fedps.learned.encoders import CategoryEncoderNumbers
from fedps.plans.shared.frequent import Items, WantedValues, frequent, shown_name
from fedps.plans.shared.parameters import learned
from fedps.plans.shared.rare_values import not_all_named, stop_if_none_named
from fedps.protocol.plan import Plan, View, ask
from fedps.questions.encoders import (
    categories_of,
    given_categories,
    known_of,
    only_frequent,
    plain,
    rare_is_unknown,
    wanted_categories,
)
from fedps.questions.markers import marks_nan
from fedps.statistics import Distinct
from fedps.statistics.base import Array
from fedps.statistics.categories.sent_cells import as_found

RARE = "infrequent_sklearn"  # what scikit-learn calls all infrequent categories together
_ADVICE = (
    "Use OneHotEncoder(handle_unknown='infrequent_if_exist') with a min_frequency= well above the "
    "number of clients, or a smaller max_categories=, or leave the column out."
)


def category_encoder(encoder: Any, view: View) -> Plan[Learned]:
    """Learn the categories of each column, and their counts where the parameters need them.

    A ``OneHotEncoder`` that groups infrequent categories, and takes unknown ones for infrequent,
    needs to know only the frequent ones. Where a column's table of categories, pooled, is too large
    for a message, ``categories_`` lists these, None and NaN, and a single stand-in for all others,
    which is in ``infrequent_categories_``: the text "infrequent_sklearn", or a number that is not a
    frequent one. In everything else it does as the pooled fit would: output columns and their names,
    transforms of any rows, and inverse transforms. (With ``drop``, scikit-learn warns of unknown
    categories: then of rare ones, too.) All other encoders need all categories.
    """
    given = given_categories(encoder)
    if given is not None:
        return (yield from _with_given_categories(encoder, given, view))
    if only_frequent(encoder, view.pooled.options):
        return (yield from _with_frequent_categories(encoder, view))
    wanted = categories_of(encoder)
    found = yield from ask(wanted, view)
    _stop_on_rare(encoder, view)
    categories = [listed(column) for column in found]
    stop_if_none_named(view, categories)
    numbers = CategoryEncoderNumbers(
        rows=view.rows,
        categories=categories,
        counts=[_counts(column) for column in found] if wanted.counts else None,
    )
    return learned(encoder, numbers)


def _with_given_categories(
    encoder: Any, given: tuple[tuple[Any, ...], ...], view: View
) -> Plan[Learned]:
    """Ask only how often the given categories occur, if even that is needed."""
    counts = unknown = None
    known = known_of(encoder)
    if known is not None:
        found = yield from ask(known, view)
        counts, unknown = found.counts, found.unknown
        for position in view.limited("min_count"):
            view.bound(position, "counts of rare categories are taken as 0: they may be infrequent")
    numbers = CategoryEncoderNumbers(
        rows=view.pooled.table.rows if view.pooled.table else 0,
        categories=[_as_objects(list(map(as_found, column))) for column in given],
        counts=counts,
        unknown=unknown,
    )
    return learned(encoder, numbers)


def _with_frequent_categories(encoder: Any, view: View) -> Plan[Learned]:
    """Learn all categories of small columns, and the frequent ones of large ones."""
    wanted = WantedValues(*wanted_categories(encoder), advice=_ADVICE)
    found = yield from frequent(view, wanted)
    columns = [_column(encoder, items, wanted, j, view) for j, items in enumerate(found)]
    stand_in = np.array([column.stand_in for column in columns], dtype=np.int64)
    numbers = CategoryEncoderNumbers(
        rows=view.rows,
        categories=[column.categories for column in columns],
        counts=[column.counts for column in columns],
        stand_in=stand_in if (stand_in >= 0).any() else None,
    )
    return learned(encoder, numbers)


def _stop_on_rare(encoder: Any, view: View) -> None:
    """Raise Refused where clients do not name all categories, unless the others can be unknown."""
    for position, kept_back in view.limited("min_count", "max_share").items():
        if encoder.handle_unknown != "error":
            view.bound(position, "rows of categories that are not named are encoded as unknown")
            continue
        name = type(encoder).__name__
        way = "OneHotEncoder(handle_unknown='infrequent_if_exist', min_frequency=...)"
        if name == "OrdinalEncoder":
            way = "OrdinalEncoder(handle_unknown='use_encoded_value', unknown_value=-1)"
        needed = f"{name}(handle_unknown='error') needs all of them. Use {way}"
        raise not_all_named(kept_back, shown_name(view, position), needed)


class _Categories(NamedTuple):
    """A column's categories, their counts, and which of them stands for all that are not listed."""

    categories: Array
    counts: Array
    stand_in: int = -1


def _column(
    encoder: Any, items: Items, wanted: WantedValues, position: int, view: View
) -> _Categories:
    """Return all categories of a column, or the frequent ones and one for the others."""
    complete = items.rest == 0
    if items.whole or (complete and not rare_is_unknown(encoder)):
        return _Categories(listed(items.found), _counts(items.found))
    if not rare_is_unknown(encoder) and encoder.handle_unknown != "use_encoded_value":
        raise NotFederated(
            f"column {shown_name(view, position)} has more categories than the sketch keeps, and "
            f"{type(encoder).__name__}(handle_unknown={encoder.handle_unknown!r}) needs all of them. "
            "Set handle_unknown='infrequent_if_exist' (for an OrdinalEncoder 'use_encoded_value', "
            "which is then what rare categories become), or a larger k."
        )
    if items.found.values.dtype.kind in "mM":
        raise NotFederated(
            f"column {shown_name(view, position)} has more different times than are sent. Round them "
            "there, or leave the column out."
        )
    assert items.found.counts is not None
    kept = _frequent(encoder, items.found, wanted, view.rows)[: len(items.found.values)]
    values, counts = items.found.values[kept].tolist(), items.found.counts[kept]
    _check_dropped(encoder, values, position, view)
    missing = items.found.none + items.found.nan
    rest = view.rows - int(counts.sum()) - missing
    place = -1
    if rest:
        stand_in = _stand_in(values, text=items.text)
        place = bisect(values, stand_in)
        values.insert(place, stand_in)
        counts = np.insert(counts, place, rest)
    table = Distinct(_as_objects(values), counts, items.found.none, items.found.nan)
    return _Categories(listed(table), _counts(table), place)


def _check_dropped(encoder: Any, values: list[Any], position: int, view: View) -> None:
    """Raise UsageError where a category that is to be dropped is not a frequent one."""
    drop = getattr(encoder, "drop", None)
    if drop is None or isinstance(drop, str) or position >= len(drop):
        return
    dropped = plain(drop[position])
    if dropped is not None and not marks_nan(dropped) and dropped not in values:
        raise UsageError(
            f"drop= names a category of column {shown_name(view, position)} that is infrequent, or that no "
            "client has: only a frequent one can be dropped."
        )


def _frequent(encoder: Any, found: Distinct, wanted: WantedValues, rows: int) -> Array:
    """Return which categories are frequent by scikit-learn's rule, missing ones last."""
    counts = _counts(found)
    if found.nan and not hasattr(encoder, "drop"):
        counts = counts[:-1]  # an OrdinalEncoder has a code of its own for NaN
    mask = np.ones(len(counts), dtype=bool)
    if wanted.least is not None:
        whole = isinstance(wanted.least, Integral)
        mask = counts >= (wanted.least if whole else rows * wanted.least)
    if wanted.top is not None:
        ordered = np.argsort(counts, kind="stable")
        mask[ordered[: max(len(ordered) - wanted.top, 0)]] = False
    return np.asarray(mask)


def _stand_in(values: list[Any], *, text: bool) -> Any:
    """Return a category that is not among the listed ones."""
    taken = set(values)
    if text:
        return next(name for i in count() if (name := RARE + "_" * i) not in taken)
    # of the same type as the others, and small enough for any dtype with very many values
    kind = type(values[0]) if values else int
    return next(kind(i) for i in count() if i not in taken)


def listed(column: Distinct) -> Array:
    """Return the values as scikit-learn lists them: None and NaN last."""
    if column.values.dtype.kind in "mM":
        gap = np.full(1 if column.nan else 0, "NaT", dtype=column.values.dtype)
        return np.concatenate([column.values, gap])
    missing = [None] * (column.none > 0) + [float("nan")] * (column.nan > 0)
    return _as_objects(column.values.tolist() + missing)


def _counts(column: Distinct) -> Array:
    missing = [n for n in (column.none, column.nan) if n > 0]
    known = np.zeros(0, dtype=np.int64) if column.counts is None else column.counts
    return np.concatenate([known, np.array(missing, dtype=np.int64)])


def _as_objects(values: list[Any]) -> Array:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
