"""Statistic and Summary: what to compute, and the small mergeable value that it yields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from msgspec import Struct, structs

from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.ragged import Ragged

Array = np.ndarray[Any, Any]


class Distinct(NamedTuple):
    """The distinct values of one column, sorted, and how often each occurs, if requested.

    ``none`` and ``nan`` are the numbers of cells that are None and NaN; neither is among the values.
    """

    values: Array
    counts: Array | None
    none: int
    nan: int


class DistinctLists(NamedTuple):
    """The distinct numbers of each column, sorted, how often each occurs, and how many cells are NaN."""

    values: Ragged
    counts: Ragged
    nan: Array


class Block(Protocol):
    """What a statistic can read: some rows of some columns, and what belongs to these rows."""

    rows: int
    width: int

    def numbers(self) -> Any:
        """Return the cells as a float array, or as a sparse matrix in CSC format."""

    def distinct(
        self, position: int, *, counts: bool, sets: bool = False, gap: float | None = None
    ) -> Distinct:
        """Return the distinct values of one column; ``gap`` marks missing cells, also beside text."""

    def tally(self, position: int, *, stored: bool = False) -> Distinct:
        """Return the distinct numbers of one column with counts; optionally of stored cells only."""

    def tables(self, *, stored: bool = False, again: bool = False) -> DistinctLists:
        """Return the distinct numbers of all columns with counts; ``again``: another round will ask for them."""

    def by_column(self, columns: slice) -> Array | None:
        """Return some columns' numbers with a line for each; None where they are not in one array."""

    def column(self, position: int, *, stored: bool = False) -> Array:
        """Return the numbers of one column without NaN; optionally of stored cells only."""

    def gaps(self, position: int) -> int:
        """Return how many cells of one column are NaN."""

    def narrow(self) -> bool:
        """Return whether the cells are 32-bit floats."""

    def missing(self, marker: Any) -> Array:
        """Return the number of cells per column that equal ``marker``: the missing ones."""

    def gaps_by_kind(self) -> Array:
        """Return two lines: how many cells of each column are None, and how many are NaN."""

    def weights(self, column: str) -> Array:
        """Return the row weights in a column of the client's table."""

    def present(self) -> Array:
        """Return the number of cells per column that are not missing."""

    def stored(self) -> int:
        """Return how many cells are stored: all but the implied zeros of a sparse table."""

    def codes(self, position: int) -> tuple[Distinct, Array]:
        """Return a column's distinct values, and each row's position among them; None, NaN last."""

    def target(self) -> Array:
        """Return the target of the rows: numbers without NaN, or text in an object array."""

    def target_kind(self) -> str:
        """Return the container and the dtype of the target, as in a schema, separated by a space."""

    def folds(self) -> Array:
        """Return the fold of each row."""

    def distances(
        self, queries: Array, rows: slice, metric: str, p: float, weights: Array
    ) -> Array:
        """Return the distance of each query to each of the given rows, by a metric of scipy."""

    def has_target(self) -> bool:
        """Return whether this client has the target."""

    def secret(self) -> bytes:
        """Return 32 random bytes that only this client knows, the same throughout the fit."""

    def masking(self) -> Any:
        """Return the client's keys in this fit, and a cipher: see ``masked/drawn_masks``."""

    def keys(self) -> Any:
        """Return the cells of the key column, in the order of the rows; None without a key column."""

    def matching(self) -> Any:
        """Return this owner's side of a match of keys (``client.matching.Matching``)."""

    def given(self) -> Array:
        """Return the array that the server sent to this client alone, to go with its rows."""

    def partial(self, start: int, stop: int) -> Array:
        """Return this client's part of the predictions for the rows from start to stop."""


class MergeConflict(Exception):  # noqa: N818 - it is raised and caught, never shown
    """Two summaries cannot be merged: a column, or ``what``, is text here and numbers there (``sorts``)."""

    def __init__(self, position: int, what: str | None = None, sorts: Sequence[str] = ()) -> None:
        self.position, self.what, self.sorts = position, what, sorts


class BadCells(Exception):  # noqa: N818 - it is raised and caught, never shown
    """A statistic cannot be computed from these cells. The exception never carries a cell.

    ``rule`` is the reason, a key of ``RULES`` in ``protocol/problem_texts.py``; ``position`` is the column,
    or ``what`` a name that was in the request.
    """

    def __init__(self, rule: str, position: int | None = None, what: str | None = None) -> None:
        super().__init__(rule)
        self.rule = rule
        self.position = position
        self.what = what


class Summary(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A mergeable value: what a client sends of its rows.

    Arrays have the columns on their last axis, tuples and Ragged have one item per column, so that any
    summary can be put into another column order (see :func:`in_order`).

    :meth:`support`, :meth:`groups`, :meth:`retained`, :meth:`told` and :meth:`columns_per_row` are what the
    client's policy looks at before a summary leaves. An empty array means that there is nothing to check.
    """

    # The field that tells how many columns the summary describes; None where no field does. Each
    # summary names it: the server matches columns by it, and must not guess.
    width_field: ClassVar[str | None]
    group: ClassVar[str] = "category"  # what the rows of a group share: see groups()
    # The fields that tell numbers about columns, for the policy's budget; not numbers of cells, pivots,
    # or single values, which max_share counts.
    told_fields: ClassVar[tuple[str, ...]] = ()

    @property
    def width(self) -> int | None:
        """How many columns it describes; None where it does not tell."""
        if self.width_field is None:
            return None
        value: Any = getattr(self, self.width_field)
        if isinstance(value, np.ndarray):
            return int(value.shape[-1]) if value.ndim else 0
        return len(value)

    def check(self, width: int, rows: int) -> None:
        """Raise ValueError, naming the field, unless this can describe such a table."""

    def support(self) -> Array:
        """Return how many cells each column's numbers were computed from."""
        raise NotImplementedError

    def groups(self) -> Array:
        """Return per column the size of the smallest group of rows with a sum of its own."""
        return NOTHING_TO_CHECK

    def retained(self) -> Array:
        """Return how many single cells of each column it shows, where a policy limits that."""
        return NOTHING_TO_CHECK

    def told(self, width: int) -> Array:
        """Return how many numbers about each of ``width`` columns it tells."""
        total = np.zeros(width, dtype=np.int64)
        for name in self.told_fields:
            total += _sizes(getattr(self, name), width)
        return total

    def columns_per_row(self) -> float:
        """Return the number of columns whose products it shows, per row, at most 1.

        0 where it shows no products. Products of as many columns as rows determine the rows up to a
        rotation.
        """
        return 0.0


NOTHING_TO_CHECK = np.zeros(0, dtype=np.int64)


def _sizes(value: Any, width: int) -> Array | int:
    """Return how many numbers a field has for each column; a field without columns, for all of them."""
    if isinstance(value, np.ndarray) and value.ndim and value.shape[-1] == width:
        return value.size // max(width, 1)
    if isinstance(value, tuple | Ragged) and len(value) == width:
        each = (x.told(x.width or 0).sum() if isinstance(x, Summary) else x.size for x in value)
        return np.array(list(each), dtype=np.int64)
    return int(np.size(value))


S = TypeVar("S", bound=Summary)
Result = TypeVar("Result")


class Statistic(
    Struct,
    Generic[S, Result],
    frozen=True,
    array_like=True,
    forbid_unknown_fields=True,
    tag_field="type",
):
    """What to compute. Frozen and comparable: equal statistics on one view are asked once.

    A client folds its rows into a summary (``empty``, ``update`` for each block, ``compact``) and sends
    it; the server checks each client's summary (``check``), merges all of them and takes the ``result``.
    """

    disclosure: ClassVar[Disclosure]
    additive: ClassVar[bool] = False  # only the totals over all clients are used
    positional: ClassVar[bool] = False  # the request differs from column to column
    of_target: ClassVar[bool] = False  # reads the target in addition to the columns
    by_row_order: ClassVar[bool] = False  # the answer depends on the order of the rows
    ordered: ClassVar[bool] = False  # merge keeps the order of the clients: not commutative
    exact: ClassVar[bool] = True  # the same for any chunks of the rows, up to rounding
    multiplies: ClassVar[bool] = False  # each column with each other
    gives_cells: ClassVar[bool] = False  # of single rows, to other clients or to who predicts
    aligned: ClassVar[bool] = False  # about whole rows, whose columns several clients hold
    reads_numbers: ClassVar[bool] = True  # of columns: a policy looks at cells that stand out
    adds_up: ClassVar[bool] = True  # numbers, so that one may dominate a sum
    by_value: ClassVar[bool] = False  # it matters how many units have each value
    in_pieces: ClassVar[bool] = False  # plans can ask for some columns at a time
    summary: ClassVar[type[Summary]]

    @property
    def fills(self) -> Any:
        """The marker of missing cells that are filled in as a server says; None if none are.

        Sums over rows that differ in what was filled in tell of the rows with gaps alone.
        """
        return None

    @property
    def columns(self) -> int | None:
        """How many columns this is about, if the request differs from column to column."""
        return None

    def is_about(self, position: int) -> bool:
        """Whether an answer tells anything of the column there."""
        return True

    @property
    def tells_cells(self) -> bool:
        """Whether a summary's ``support`` counts the cells of each column that are not missing.

        If not, the client counts them on its own, since the policy's ``min_rows`` is about them.
        """
        return True

    @property
    def least(self) -> Disclosure:
        """The lowest level at which an answer is possible, perhaps one that shows less."""
        return self.disclosure

    @property
    def shows(self) -> str:
        """What an answer shows of each column, in words for a data owner."""
        raise NotImplementedError

    def under(self, limits: Limits) -> Any:
        """Return what a client with such limits computes: this, unless it must look at more to show less.

        It has ``empty``, ``update``, ``compact`` and ``tells_cells``.
        """
        return self

    def empty(self, width: int) -> S:
        """Return the summary of no rows: the identity of merge."""
        raise NotImplementedError

    def update(self, summary: S, block: Block) -> S:
        """Return the summary with a block of rows folded in."""
        raise NotImplementedError

    def merge(self, left: S, right: S) -> S:
        """Return the summary of both. Associative and commutative."""
        raise NotImplementedError

    def merge_all(self, summaries: Sequence[S]) -> S:
        """Return the summary of all; in pairs, so that each is copied log2(n) times and not up to n times."""
        items = list(summaries)
        while len(items) > 1:
            pairs = [self.merge(a, b) for a, b in zip(items[::2], items[1::2], strict=False)]
            items = pairs + items[len(pairs) * 2 :]
        return items[0]

    def compact(self, summary: S, limits: Limits = OPEN) -> S:
        """Return the summary as it is sent: in its smallest form, and within the policy's limits."""
        return summary

    def check(self, summary: S, width: int, rows: int) -> None:
        """Raise ValueError, naming the field, unless the summary can be of such a table."""
        summary.check(width, rows)

    def result(self, summary: S) -> Result:
        """Return what a plan receives."""
        raise NotImplementedError


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


def parts_of_all(*summaries: S) -> S:
    """Return a summary with the parts of all, those of the first one first, in every field.

    For summaries whose arrays have a line for each part, and whose tuples and lists an item.
    """
    fields = zip(*map(structs.astuple, summaries), strict=True)
    return type(summaries[0])(
        *(
            np.concatenate(each) if isinstance(each[0], np.ndarray) else sum(each[1:], each[0])
            for each in fields
        )
    )


# Squares of larger numbers, added up over many rows, could exceed the largest double (1.8e308): they
# are refused at the client, where the column can be named.
LARGEST_TO_SQUARE = 1e150


def refuse_columns(bad: Array, rule: str) -> None:
    """Raise BadCells that names the first column with a bad cell, if there is one.

    ``bad`` has an item per column, or rows of such items.
    """
    columns = np.flatnonzero(bad if bad.ndim == 1 else bad.any(axis=0))
    if columns.size:
        raise BadCells(rule, int(columns[0]))


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
