"""The distinct values of arrays and of Python objects, found faster than by ``np.unique``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedps.client.tables.cells.missing_cells import is_nan_marker, nan_objects, none_objects
from fedps.client.tables.cells.native_table import pandas
from fedps.protocol.limits import MAX_INTEGER
from fedps.statistics.base import Distinct
from fedps.statistics.categories.cell_sorts import OBJECT_TYPES, is_plain, sort_of

FEW_CELLS = 1024  # below it a plain sort is as fast as anything else
LONGEST = 8 * MAX_INTEGER
MOST_EXACT = 2.0**52  # within the integers that doubles represent exactly, up to 2**53

Found = tuple[NDArray[Any], NDArray[np.int64] | None]


class Unsuited(Exception):  # noqa: N818 - never leaves this package
    """Cells that are not categories; becomes NotCategories once the position is known.

    ``rule`` says why: a key of ``RULES`` in ``protocol/problem_texts.py``.
    """

    def __init__(self, rule: str = "not categories") -> None:
        super().__init__(rule)
        self.rule = rule


def of_array(column: NDArray[Any], *, counts: bool) -> Distinct:
    """Return the distinct values of a 1-D array."""
    kind = column.dtype.kind
    if kind == "O" and not counts:
        return of_objects(column, counts=False)  # one walk over the objects, not two
    if kind in "OUS":
        return of_objects(column.tolist(), counts=counts)
    column = np.ascontiguousarray(column)  # a column of a wide array is read more than once
    if kind == "f":
        return _of_floats(column, counts=counts)
    if kind in "iub":
        return Distinct(*_of_integers(column, counts=counts), 0, 0)
    if kind in "mM":
        kept = column[~np.isnat(column)]
        values, found = _of_integers(kept.view(np.int64), counts=counts)
        return Distinct(values.view(column.dtype), found, 0, column.size - kept.size)
    raise Unsuited("objects")


def _of_floats(column: NDArray[Any], *, counts: bool) -> Distinct:
    kept = column
    if column.size and np.isnan(column.min()):  # NaN if any cell is, and faster than a mask
        kept = column[~np.isnan(column)]
    values, found = _of_ordered(kept, counts=counts)
    return Distinct(values, found, 0, column.size - kept.size)


def _of_integers(column: NDArray[Any], *, counts: bool) -> Found:
    if column.dtype.kind == "b":
        values, found = _of_integers(column.view(np.uint8), counts=counts)
        return values.astype(bool), found
    return _of_ordered(column, counts=counts)


def _of_ordered(column: NDArray[Any], *, counts: bool) -> Found:
    """Return the distinct values of numbers without NaN, in the fastest way for their range."""
    if column.size > FEW_CELLS:
        ends = np.array([column.min(), column.max()])
        if (found := _of_two(column, ends, counts=counts)) is not None:
            return found
        low, high = ends.tolist()
        if high - low < column.size and (codes := _whole(column)) is not None:
            values, weights = _of_narrow(codes, int(low), counts=counts)
            return values.astype(column.dtype), weights
    return _runs(np.sort(column), counts=counts)


def _of_two(column: NDArray[Any], ends: NDArray[Any], *, counts: bool) -> Found | None:
    """Count the smallest and the largest number, or return None if there are others."""
    if ends[0] == ends[1]:
        ends = ends[:1]
    for cells in (column[:FEW_CELLS], column):  # nearly all columns that have others show it early
        weights = np.array([np.count_nonzero(cells == end) for end in ends], dtype=np.int64)
        if weights.sum() < cells.size:
            return None
    return ends, weights if counts else None


def _whole(column: NDArray[Any]) -> NDArray[Any] | None:
    """Return numbers as integers, or None if some are not integers."""
    if column.dtype.kind != "f":
        return column
    head = column[:FEW_CELLS]
    if not (head == np.rint(head)).all() or abs(float(column[0])) > MOST_EXACT:
        return None
    codes = column.astype(np.int64)
    return codes if np.array_equal(codes, column) else None


def _of_narrow(column: NDArray[Any], low: int, *, counts: bool) -> Found:
    """Count integers whose range is smaller than their number."""
    # Differences can overflow a small dtype, and large uint64 overflow int64.
    wide = np.uint64 if column.dtype.kind == "u" else np.int64
    shifted = column.astype(wide, copy=False) - wide(low)
    tally = np.bincount(shifted.astype(np.int64, copy=False))
    present = np.flatnonzero(tally)
    values = (present.astype(wide) + wide(low)).astype(column.dtype)
    return values, tally[present].astype(np.int64, copy=False) if counts else None


def _runs(ordered: NDArray[Any], *, counts: bool) -> Found:
    """Return the values of a sorted array without repeats, and the lengths of its runs."""
    starts = np.empty(ordered.size, dtype=bool)
    starts[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    if starts.all():
        return ordered, np.ones(ordered.size, dtype=np.int64) if counts else None
    values = ordered[starts]
    if not counts:
        return values, None
    edges = np.append(np.flatnonzero(starts), ordered.size)
    return values, np.diff(edges).astype(np.int64, copy=False)


def of_objects(cells: Iterable[Any], *, counts: bool) -> Distinct:
    """Return the distinct values of some Python objects: all text, all numbers, all dates and so on.

    >>> of_objects(["b", "a", None, "b"], counts=True).values.tolist()
    ['a', 'b']
    """
    try:
        tally = _tally(cells, counts=counts)
    except TypeError:  # a cell that cannot be hashed, such as a list
        raise Unsuited from None
    none = tally.pop(None, 0)
    types = set(map(type, tally))
    for text in (str, bytes):
        own = [issubclass(kind, text) for kind in types]
        if all(own):
            return _of_text(text, tally, counts=counts, none=none, nan=0)
        if any(own):
            others = [value for value in tally if not isinstance(value, text)]
            nan = _pop_nans(tally, others)
            return _of_text(text, tally, counts=counts, none=none, nan=nan)
    if types & OBJECT_TYPES:
        _check_objects(tally)
    return _of_sorted(cells, tally, counts=counts, none=none)


def _check_objects(tally: dict[Any, int]) -> None:
    """Raise Unsuited if a date, a decimal or another such object cannot be sent as it is."""
    objects = (key for key in tally if type(key) in OBJECT_TYPES)
    if not all(map(is_plain, objects)):
        raise Unsuited("objects")


def _tally(cells: Iterable[Any], *, counts: bool) -> dict[Any, int]:
    # If no counts are needed, a set is three times as fast; each count is then "at least 1".
    return Counter(cells) if counts else dict.fromkeys(set(cells), 1)


def _pop_nans(tally: dict[Any, int], candidates: Iterable[Any]) -> int:
    """Remove the candidates, which must all be NaN or pd.NA, and return how many there were."""
    found = list(candidates)
    known_na = _known_gaps()
    for value in found:
        if type(value) not in known_na and not is_nan_marker(value):
            raise Unsuited
    return sum(map(tally.pop, found))


def _known_gaps() -> tuple[type, ...]:
    """Return the types of pandas' own missing values."""
    pd = pandas()
    return () if pd is None else (type(pd.NA), type(pd.NaT))


def _of_text(text: type, tally: dict[Any, int], *, counts: bool, none: int, nan: int) -> Distinct:
    ordered = sorted(tally)
    values = np.fromiter(map(text, ordered), dtype=object, count=len(ordered))
    found = np.fromiter(map(tally.__getitem__, ordered), np.int64, len(ordered)) if counts else None
    return Distinct(values, found, none, nan)


def _of_sorted(cells: Iterable[Any], tally: dict[Any, int], *, counts: bool, none: int) -> Distinct:
    """Return Python objects, each with its type: scikit-learn keeps 1, 2.5 and dates as they are."""
    _check_types(_types_of(cells))
    nan = _pop_nans(tally, _nan_keys(tally))
    found = {k.item() if isinstance(k, np.generic) else k: n for k, n in tally.items()}
    if any(type(key) is int and key.bit_length() >= LONGEST for key in found):
        raise Unsuited("large integers")  # no message has an integer as long as that
    values = np.empty(len(found), dtype=object)
    values[:] = sorted(found)
    weights = np.array([found[key] for key in values], dtype=np.int64) if counts else None
    return Distinct(values, weights, none, nan)


def _nan_keys(tally: dict[Any, int]) -> list[Any]:
    keys = np.fromiter(tally, dtype=object, count=len(tally))
    return list(keys[nan_objects(keys)])


def _types_of(cells: Iterable[Any]) -> set[type]:
    """Return the types of the cells that are not missing.

    Equal keys of a set collapse (True == 1 == 1.0), so only the cells themselves tell their types.
    """
    types = set(map(type, cells)) - {type(None)}
    if len(types) <= 1:
        return types
    objects = np.fromiter(cells, dtype=object)
    gaps = nan_objects(objects) | none_objects(objects)
    return set(map(type, objects[~gaps]))


def _check_types(types: set[type]) -> None:
    """Raise Unsuited unless all are booleans, all are other numbers, or all are objects of one type."""
    if types <= set(_known_gaps()) or (types <= OBJECT_TYPES and sort_of(types)):
        return
    truths = [issubclass(kind, (bool, np.bool_)) for kind in types]
    numbers = (int, np.integer, float, np.floating, Decimal)
    if all(truths) or (not any(truths) and all(issubclass(kind, numbers) for kind in types)):
        return
    plain = any(truths) or any(issubclass(kind, numbers) for kind in types)
    raise Unsuited("not categories" if plain else "objects")


def merge_equal(
    values: NDArray[Any], weights: NDArray[np.int64] | None, *, none: int = 0, nan: int = 0
) -> Distinct:
    """Return sorted values with equal neighbours merged, their weights added."""
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: values.size])
    if starts.size == values.size:
        return Distinct(values, weights, none, nan)
    found = None if weights is None else np.add.reduceat(weights, starts)
    return Distinct(values[starts], found, none, nan)
