"""Many made-up cells like one: positive numbers and words, years and numerals, and so on."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

FAR_CELL = 7  # the number of the cell that is far from all others
_FIRST = datetime(2020, 1, 1)  # noqa: DTZ001 - a dtype adds its own zone
_LETTERS = 26


class Flavour(IntEnum):
    """What cells are like where their dtype leaves that open."""

    WORDS = 0  # numbers: positive, one of them far away
    NUMERALS = 1  # numbers: years
    DATES = 2  # numbers: around zero, one of them far away
    SENTENCES = 3  # numbers: 0 and 1
    OBJECTS = 4  # in columns of objects, numbers instead of text


def many_cells(cell: Any, dtype: str, number: NDArray[np.int64], flavour: Flavour) -> NDArray[Any]:
    """Return a cell like the given one for each number; the same for the same number.

    >>> many_cells("x", "object", np.arange(3), Flavour.WORDS)
    array(['a', 'b', 'c'], dtype=object)
    """
    if isinstance(cell, bool | np.bool_):
        return np.asarray(number % 2 == 0)
    if isinstance(cell, np.datetime64 | np.timedelta64):  # the latter is an integer, too
        days: NDArray[Any] = number.astype("m8[D]")
        return np.array(days + cell, dtype=cell.dtype)
    if isinstance(cell, int | np.integer):
        return _integers(dtype, number, flavour)
    if isinstance(cell, float | np.floating):
        return _floats(number, flavour)
    if isinstance(cell, str) and flavour is Flavour.OBJECTS and dtype == "object":
        return number.astype(object)
    make = next((make for kind, make in _MAKE.items() if isinstance(cell, kind)), None)
    found = np.empty(len(number), dtype=object)
    for i, n in enumerate(number.tolist()):
        # of a list, say: there is no telling what else may stand there
        found[i] = cell if make is None else make(n, flavour)
    return found


def _integers(dtype: str, number: NDArray[np.int64], flavour: Flavour) -> NDArray[Any]:
    found, far = number + 1, 20 * len(number)
    if flavour is Flavour.NUMERALS:
        found = number + 1950
    elif flavour is Flavour.SENTENCES:
        found = number % 2
    elif flavour is Flavour.DATES and not dtype.lower().startswith("u"):
        found = number - len(number) // 2
    if flavour in (Flavour.WORDS, Flavour.DATES):
        found = np.where(number == FAR_CELL, far, found)
    bits = re.search(r"\d+", dtype)
    most = 2 ** (int(bits[0]) - 1) - 1 if bits else far
    return np.asarray(found if most >= far and most >= found.max(initial=0) else found % most)


def _floats(number: NDArray[np.int64], flavour: Flavour) -> NDArray[Any]:
    if flavour is Flavour.NUMERALS:
        return number + 1950.0
    if flavour is Flavour.SENTENCES:
        return number % 2 + 0.0
    size = max(len(number), 1)
    signed = flavour is Flavour.DATES
    found = (number - size // 2) / size if signed else (number + 1) * 1.37
    return np.where(number == FAR_CELL, 40.0 * size, found)


def _text(number: int, flavour: Flavour) -> str:
    if flavour is Flavour.NUMERALS:
        return str(7 * number)
    if flavour is Flavour.DATES:
        return (_FIRST + timedelta(days=number)).date().isoformat()
    if flavour is Flavour.SENTENCES:
        return f"Word {number} of a sentence, and more of it"
    more, letter = divmod(number, _LETTERS)
    return chr(ord("a") + letter) + (str(more) if more else "")


# a datetime is a date as well, so it comes before
_MAKE: dict[type, Callable[[int, Flavour], Any]] = {
    str: _text,
    bytes: lambda n, flavour: _text(n, flavour).encode(),
    datetime: lambda n, _: _FIRST + timedelta(hours=7 * n),
    date: lambda n, _: _FIRST.date() + timedelta(days=n),
    timedelta: lambda n, _: timedelta(hours=7 * n),
    time: lambda n, _: time(n % 24, n // 24 % 60),
    Decimal: lambda n, _: Decimal(n),
}
