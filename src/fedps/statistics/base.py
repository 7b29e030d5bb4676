"""Statistic and Summary: what to compute, and the small mergeable value it yields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from msgspec import Struct, structs

Array = np.ndarray[Any, Any]


class Disclosure(IntEnum):
    """How much of a table a statistic shows.

    AGGREGATE: numbers to which every row contributes, such as sums. SUMMARY: values taken from
    cells, such as extremes and categories. ROWS: something about single rows.
    """

    AGGREGATE = 1
    SUMMARY = 2
    ROWS = 3


class Ragged(Sequence[Array]):
    """Lists of numbers, one per column, each as long as it likes. They travel as one array."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Iterable[Array] = ()) -> None:
        self._parts = tuple(parts)

    def __getitem__(self, position: Any) -> Any:
        return self._parts[position]

    def __iter__(self) -> Iterator[Array]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class Limits(NamedTuple):
    """What a client's policy lets an answer show, for statistics that can show less.

    ``level`` is the highest level; ``share`` is how many single values a column may show, as a share
    of its cells; ``rows`` is the fewest rows that a number may stand for.
    """

    level: Disclosure
    share: float
    rows: int = 0


OPEN = Limits(Disclosure.ROWS, 1.0)


class Distinct(NamedTuple):
    """The distinct cells of one column, sorted, and how often each occurs where that was asked."""

    values: Array
    counts: Array | None
    none: int
    nan: int


class Block(Protocol):
    """The part of a table that a statistic reads: some rows of some columns."""

    rows: int
    width: int

    def numbers(self) -> Any:
        """Return the cells as a float array, or as a sparse matrix in CSC format."""

    def distinct(self, position: int, *, counts: bool, sets: bool = False) -> Distinct:
        """Return the distinct cells of one column, or what is in them where cells are sets."""

    def tally(self, position: int, *, stored: bool = False) -> Distinct:
        """Return the distinct numbers of one column, counted; of stored cells only, if so asked."""

    def column(self, position: int, *, stored: bool = False) -> Array:
        """Return the numbers of one column, NaN left out; of stored cells only, if so asked."""

    def gaps(self, position: int) -> int:
        """Return how many cells of one column are NaN."""

    def narrow(self) -> bool:
        """Return whether the cells are 32-bit floats."""

    def missing(self, marker: Any) -> Array:
        """Return the number of cells per column that equal the marker of a missing value."""

    def weights(self, column: str) -> Array:
        """Return the row weights that stand in a column of the client's table."""

    def present(self) -> Array:
        """Return the number of cells per column that are not missing."""

    def stored(self) -> int:
        """Return how many cells are stored: not the implied zeros of a sparse table."""

    def codes(self, position: int) -> tuple[Distinct, Array]:
        """Return a column's distinct cells, and where each row's is among them; None, NaN last."""

    def target(self) -> Array:
        """Return the target of the rows: numbers without NaN, or text in an object array."""

    def target_kind(self) -> str:
        """Return the container and the dtype of the target, as in a schema, with a space between."""

    def folds(self) -> Array:
        """Return the fold that each row is in."""

    def distances(
        self, queries: Array, rows: slice, metric: str, p: float, weights: Array
    ) -> Array:
        """Return how far each query is from each of some rows, by a metric that scipy knows."""

    def has_target(self) -> bool:
        """Return whether this client has the target."""

    def keys(self) -> Any:
        """Return the cells of the key column, in the order of the rows; None where there is none."""

    def given(self) -> Array:
        """Return what the server gave this client alone, beside the rows."""

    def partial(self, start: int, stop: int) -> Array:
        """Return this client's part of a prediction for some of the rows."""


class MergeConflict(Exception):  # noqa: N818 - it is raised and caught, never shown
    """Two summaries of a column do not go together: text here and numbers there.

    ``what`` names what is not a column: the target.
    """

    def __init__(self, position: int, what: str | None = None) -> None:
        self.position = position
        self.what = what


class BadCells(Exception):  # noqa: N818 - it is raised and caught, never shown
    """What was asked cannot be done with these cells. Never carries one of them.

    ``rule`` says why; ``position`` is the column, or ``what`` a name that the asker used.
    """

    def __init__(self, rule: str, position: int | None = None, what: str | None = None) -> None:
        super().__init__(rule)
        self.rule = rule
        self.position = position
        self.what = what


class Summary(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A mergeable value.

    Arrays have the columns on their last axis, tuples and Ragged have one item per column, so that any
    summary can be put into another column order (see :func:`in_order`).
    """

    group: ClassVar[str] = "category"  # what sums over groups of rows are about: see groups()

    def check(self, width: int, rows: int) -> None:
        """Raise ValueError, naming the field, unless this can describe such a table."""

    def support(self) -> Array:
        """Return how many cells stand behind each column's numbers."""
        raise NotImplementedError

    def groups(self) -> Array:
        """Return the smallest group of rows that a sum of each column is over, where there are any."""
        return np.zeros(0, dtype=np.int64)

    def retained(self) -> Array:
        """Return how many single cells of each column it shows, where that is to be limited."""
        return np.zeros(0, dtype=np.int64)

    def columns_per_row(self) -> float:
        """Return of how many columns it has products for each row, 1 at most; 0 where it has none.

        From products of as many columns as rows, the rows can be told but for a rotation.
        """
        return 0.0


S = TypeVar("S", bound=Summary)
R = TypeVar("R")


class Statistic(
    Struct,
    Generic[S, R],
    frozen=True,
    array_like=True,
    forbid_unknown_fields=True,
    tag_field="type",
):
    """What to compute. Frozen and comparable: equal statistics on one view are asked once."""

    disclosure: ClassVar[Disclosure]
    additive: ClassVar[bool] = False
    positional: ClassVar[bool] = False  # what is asked of a column depends on where it stands
    of_target: ClassVar[bool] = False  # reads the target beside the columns
    ordered: ClassVar[bool] = False  # merge keeps the order of the clients: not commutative
    exact: ClassVar[bool] = True  # rows in other chunks give the same, but for rounding
    aligned: ClassVar[bool] = False  # about the rows of clients that have other columns of the same
    summary: ClassVar[type[Summary]]

    @property
    def columns(self) -> int | None:
        """How many columns this is about, where what is asked differs from column to column."""
        return None

    @property
    def tells_cells(self) -> bool:
        """Whether a summary's support tells how many cells stand behind each column."""
        return True

    @property
    def least(self) -> Disclosure:
        """The level at which an answer can still be given, perhaps one that shows less."""
        return self.disclosure

    @property
    def shows(self) -> str:
        """What of each column an answer shows, as a data owner reads it."""
        raise NotImplementedError

    def empty(self, width: int) -> S:
        """Return the summary of no rows: the identity of merge."""
        raise NotImplementedError

    def update(self, summary: S, block: Block) -> S:
        """Return the summary with a block of rows folded in."""
        raise NotImplementedError

    def merge(self, left: S, right: S) -> S:
        """Return the summary of both. Associative and commutative."""
        raise NotImplementedError

    def compact(self, summary: S, limits: Limits = OPEN) -> S:
        """Return the same summary in its smallest form, for the way to the server.

        ``limits`` is what the client's policy lets it show.
        """
        return summary

    def check(self, summary: S, width: int, rows: int) -> None:
        """Raise ValueError, naming the field, unless the summary can be of such a table."""
        summary.check(width, rows)

    def result(self, summary: S) -> R:
        """Return what a plan receives."""
        raise NotImplementedError


def merge_all(statistic: Statistic[S, Any], summaries: Sequence[S]) -> S:
    """Merge many summaries pairwise, so that none is copied more than a few times."""
    items = list(summaries)
    while len(items) > 1:
        pairs = [statistic.merge(a, b) for a, b in zip(items[::2], items[1::2], strict=False)]
        items = pairs + items[len(pairs) * 2 :]
    return items[0]


def in_order(summary: S, order: Sequence[int]) -> S:
    """Return the summary with its columns in another order."""

    def reorder(value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.size:
            return value[..., list(order)]
        if isinstance(value, tuple | Ragged) and value:
            return type(value)(value[i] for i in order)
        return value

    fields = structs.asdict(summary)
    return structs.replace(summary, **{name: reorder(value) for name, value in fields.items()})


def demand(holds: bool | np.bool_, field: str, rule: str) -> None:
    """Raise ValueError that names a field unless a rule about it holds."""
    if not holds:
        raise ValueError(f"{field} {rule}")


def demand_array(
    value: Array, field: str, dtype: str | None, shape: tuple[int | None, ...]
) -> None:
    """Check the dtype and the shape of an array; None is any dtype, or any length."""
    if dtype is not None and value.dtype != dtype:
        raise ValueError(f"{field} has dtype {value.dtype}, not {dtype}")
    fits = value.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, value.shape, strict=True)
    )
    if not fits:
        wanted = str(shape).replace("None", "any")
        raise ValueError(f"{field} has shape {value.shape}, not {wanted}")


def demand_sizes(value: Array, field: str, shape: tuple[int | None, ...]) -> None:
    """Check that an array of doubles has a shape, and no number that is negative or not finite."""
    demand_array(value, field, "float64", shape)
    demand(np.isfinite(value).all(), field, "must be finite")
    demand((value >= 0).all(), field, "must not be negative")
