"""Whether a value that a peer sent is of the kind that a shape declares."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import numpy as np

# what a number of NumPy may stand for, besides Python's own; a truth value is not a number here
_SCALARS: dict[Any, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    float: (float, int, np.floating, np.integer),
    int: (int, np.integer),
    str: (str,),
}
_WORDS: dict[Any, str] = {
    bool: "a truth value",
    float: "a number",
    int: "a whole number",
    str: "text",
    np.ndarray: "an array",
    list: "a list",
    dict: "a map",
}


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a declared kind.

    >>> fits([1, 2], list[int]), fits(np.zeros(1), int), fits(None, int | None)
    (True, False, True)
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return fits(value, inner[0])
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if kind is NoneType:
        return value is None
    if origin is list:
        return isinstance(value, list) and all(fits(item, inner[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(item, inner[1]) for item in value.values())
    if origin is np.ndarray:
        return isinstance(value, np.ndarray)
    if isinstance(value, bool | np.bool_) and kind is not bool:
        return False
    # what is kept, or is for each of the clients, never comes from a peer
    return isinstance(value, _SCALARS.get(kind, ()))


def describe(kind: Any) -> str:
    """Return a declared kind in words.

    >>> describe(list[np.ndarray[Any, Any]] | None), describe(np.ndarray[Any, Any] | float)
    ('a list', 'an array or a number')
    """
    origins = [get_origin(one) or one for one in _alternatives(kind)]
    return " or ".join(dict.fromkeys(_WORDS[one] for one in origins if one in _WORDS))


def mentions(kind: Any, wanted: type) -> bool:
    """Whether a declared kind is, or may be, of some class."""
    return any((get_origin(one) or one) is wanted for one in _alternatives(kind))


def _alternatives(kind: Any) -> list[Any]:
    """Return the kinds that a value from a peer may have; None needs no words."""
    if get_origin(kind) is Annotated:
        return _alternatives(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [one for part in get_args(kind) for one in _alternatives(part)]
    return [] if kind is NoneType else [kind]
