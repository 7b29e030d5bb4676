"""The base of all shapes of learned numbers: named fields, checked when they come from a peer.

A shape lists its names as a dataclass does::

    class StandardScalerNumbers(Numbers):
        count: Array
        mean: Array | None = None

It is not a dataclass, because msgspec would then write it as a struct of its own. On the wire a shape
is the map of its names to values; what is None by default is left out. The order of the fields is the
order on the wire.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    Self,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from fedps.learned.per_client import Kept, PerClient, PerRow, Stand

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


def in_kind_words(kind: Any) -> str:
    """Return a declared kind in words.

    >>> in_kind_words(list[np.ndarray[Any, Any]] | None), in_kind_words(np.ndarray[Any, Any] | float)
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


_T = TypeVar("_T")

# marks a field that is about the very rows that an estimator was fitted on, and not about new ones
OF_FITTED_ROWS = "of fitted rows"


class Field(NamedTuple):
    """One declared name of a shape."""

    name: str
    wire_name: str
    kind: Any
    required: bool
    default: Any
    is_kept: bool  # for the server only: never on the wire
    of_fitted_rows: bool


def _declared(shape: type[Numbers]) -> Iterator[Field]:
    """Yield the declared names of a shape, in their order."""
    for name, kind in get_type_hints(shape, include_extras=True).items():
        if get_origin(kind) is ClassVar:
            continue
        yield Field(
            name,
            name.rstrip("_"),  # lambda_ and range_ have words of Python for a name
            kind,
            not hasattr(shape, name),
            getattr(shape, name, None),
            mentions(kind, Kept),
            get_origin(kind) is Annotated and OF_FITTED_ROWS in get_args(kind),
        )


@dataclass_transform(eq_default=False, kw_only_default=True, frozen_default=True)
class Numbers:
    """What was learned for one estimator. Subclasses declare the names; instances are read-only."""

    _fields: ClassVar[tuple[Field, ...]] = ()
    derived: ClassVar[tuple[str, ...]] = ()  # names of what each client finds out on its own

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(_declared(cls))

    def __init__(self, **values: Any) -> None:
        for field in self._fields:
            if field.required and field.name not in values:
                raise TypeError(f"{type(self).__name__} needs {field.name!r}")
            object.__setattr__(self, field.name, values.pop(field.name, field.default))
        if values:
            raise TypeError(f"{type(self).__name__} has no {next(iter(values))!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(name for name, _ in self.items())})"

    @classmethod
    def read(cls, values: Mapping[str, Any], estimator: str) -> Self:
        """Return the numbers that a peer sent; ValueError, which quotes no value, if they are bad."""
        told = (field for field in cls._fields if field.name not in cls.derived)
        declared = {field.wire_name: field for field in told if not field.is_kept}
        for name, field in declared.items():
            if field.required and name not in values:
                raise ValueError(f"has no {name!r} among the numbers of {estimator}")
            if name in values and not fits(values[name], field.kind):
                kind = in_kind_words(field.kind)
                raise ValueError(f"must have {kind} as {name!r} among the numbers of {estimator}")
        if not values.keys() <= declared.keys():
            raise ValueError(f"has an unknown name among the numbers of {estimator}")
        return cls(**{declared[name].name: value for name, value in values.items()})

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield names, as they are on the wire, and values of what is there."""
        for field in self._fields:
            value = getattr(self, field.name)
            if value is not None or field.required:
                yield field.wire_name, value

    def replace(self, **changes: Any) -> Self:
        """Return the same numbers but for some."""
        values = {field.name: getattr(self, field.name) for field in self._fields}
        return type(self)(**{**values, **changes})

    @property
    def is_private(self) -> bool:
        """Whether each client is told something else."""
        return any(isinstance(value, PerRow | PerClient) for _, value in self.items())

    @property
    def is_folded(self) -> bool:
        """Whether some of them are about the very rows that they were learned from."""
        about = [field.name for field in self._fields if field.of_fitted_rows]
        return any(getattr(self, name) is not None for name in about)

    @property
    def told(self) -> Self:
        """The same without what only the server needs."""
        hidden = [field.name for field in self._fields if field.is_kept]
        return self._without(iter((*hidden, *self.derived)))

    @property
    def settled(self) -> Self:
        """The same without what is about the rows that they were learned from."""
        return self._without(field.name for field in self._fields if field.of_fitted_rows)

    def part(self, place: Stand) -> Self:
        """Return the same as the client at a place is told it."""
        values = {field.name: getattr(self, field.name) for field in self._fields}
        own = {n: v.at(place) for n, v in values.items() if isinstance(v, PerRow | PerClient)}
        return self.replace(**own) if own else self

    def _without(self, names: Iterator[str]) -> Self:
        gone = {name: None for name in names if getattr(self, name) is not None}
        return self.replace(**gone) if gone else self


class Nothing(Numbers):
    """Of an estimator that learns nothing, or that a client can fit alone."""


class FrozenState(Numbers):
    """The attributes of a fitted object, whatever they are: scikit-learn does not declare them.

    Also what was decoded, until the message that carries it reads it by the shape of its estimator.
    """

    attributes: Mapping[str, Any]

    def __init__(self, attributes: Mapping[str, Any]) -> None:
        object.__setattr__(self, "attributes", dict(attributes))

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield names and values of all attributes."""
        yield from self.attributes.items()


def needed(value: _T | None) -> _T:
    """Return a number that the parameters of an estimator ask for; ValueError if it was not learned."""
    if value is None:
        raise ValueError("has no number that the estimator needs")
    return value
