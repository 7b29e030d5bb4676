"""Turns: the labels of a target in the order of their first appearance, as folds depend on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from msgspec import Struct

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    MergeConflict,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.categories.categories import one_zero
from fedps.statistics.cells.schema import Container
from fedps.statistics.demands import exact_total
from fedps.statistics.limits import OPEN, Disclosure, Limits


def is_numbers(y: Array, wanted: Literal["any", "labels", "numbers"]) -> bool:
    """Return whether to read a target as numbers: if it must be, or if some are not integers.

    The latter is scikit-learn's own rule (``type_of_target``).

    >>> is_numbers(np.array([1.0, 2.5]), "any"), is_numbers(np.array([1.0, 2.0]), "any")
    (True, False)
    """
    text = y.dtype.kind == "O" and bool(len(y)) and isinstance(y[0], str)
    if wanted == "numbers":
        if text or y.dtype.kind == "b":
            raise BadCells("not numbers", what="target")
        return True
    if wanted == "any" and y.dtype.kind == "O" and len(y) and not text:
        raise BadCells("target kind")
    return wanted == "any" and y.dtype.kind == "f" and not bool((y == np.rint(y)).all())


def coded(y: Array) -> tuple[Array, Array]:
    """Return the distinct labels, sorted, and the position of each row's label among them.

    >>> coded(np.array(["b", "a", "b"], dtype=object))[1]
    array([1, 0, 1])
    """
    if y.dtype.kind != "O":
        return np.unique(one_zero(y), return_inverse=True)
    items = y.tolist()
    # a hash set is about ten times as fast as np.unique on text
    labels = sorted(set(items))
    place = {label: i for i, label in enumerate(labels)}
    values = np.empty(len(labels), dtype=object)
    values[:] = labels
    return values, np.fromiter(map(place.__getitem__, items), np.intp, len(items))


def by_turn(y: Array) -> tuple[Array, Array]:
    """Return the distinct labels in the order of their first rows, and each row's position in it.

    >>> by_turn(np.array([7, 3, 7, 1]))
    (array([7, 3, 1]), array([0, 1, 0, 2]))
    """
    labels, codes = coded(y)
    first = np.full(len(labels), len(y))
    np.minimum.at(first, codes, np.arange(len(y)))
    order = np.argsort(first)
    turn = np.empty(len(labels), dtype=np.intp)
    turn[order] = np.arange(len(labels))
    return labels[order], turn[codes]


MOST_KINDS = 16  # far more containers and dtypes than the chunks of one target have
LONGEST_KIND = 256
CONTAINERS = get_args(Container)


def check_kinds(kinds: Sequence[str]) -> None:
    """Check the containers and dtypes of a client's target: few, short, with known containers."""
    demand(len(kinds) <= MOST_KINDS, "kinds", f"are {len(kinds)}")
    for kind in kinds:
        container, _, dtype = kind.partition(" ")
        fits = container in CONTAINERS and 0 < len(dtype) <= LONGEST_KIND
        demand(fits, "kinds", "must be a container and a dtype")


class LabelTurn(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One client's labels in the order of their first rows, and how often each occurs."""

    labels: Array
    counts: Array


class TurnsSummary(Summary, frozen=True, array_like=True, tag="turns"):
    """The labels of some clients, in the order of the clients; none if the target is numbers."""

    width_field: ClassVar[str | None] = None

    parts: list[LabelTurn]
    kinds: list[str]
    numbers: bool

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, and counts each row once."""
        check_kinds(self.kinds)
        demand(len(self.parts) <= 1, "parts", f"are {len(self.parts)}, not one")
        for part in self.parts:
            demand_array(part.counts, "counts", "int64", (None,))
            demand_array(part.labels, "labels", None, (len(part.counts),))
            demand(len(part.counts) > 0, "counts", "must not be empty")
            demand((part.counts > 0).all(), "counts", "must be positive")
            total = exact_total(part.counts)
            demand(total == rows, "counts", f"adds up to {total} cells for {rows} rows")
            labels = part.labels.tolist()
            text = all(type(label) is str for label in labels)
            plain = all(type(label) in (bool, int, float) for label in labels)
            demand(text or plain, "labels", "must be text only, or numbers only")
            demand(len(set(labels)) == len(labels), "labels", "must be distinct")

    def support(self) -> Array:
        """Return nothing to check: no cell of a target is missing, so that all rows are counted."""
        return NOTHING_TO_CHECK


class InTurn(NamedTuple):
    """What a plan receives: labels and counts of each client; None if the target is numbers.

    ``kinds`` are the containers and dtypes of the clients' targets.
    """

    clients: list[tuple[Array, Array]] | None
    kinds: list[str]


class Turns(
    Statistic[TurnsSummary, InTurn],
    frozen=True,
    array_like=True,
    tag="turns",
):
    """How many rows of each label each client has, the labels in the order of their first rows.

    Stratified folds of all rows depend on that, and on nothing else of the target. The result has an
    item for each client, in their order; None if the target is numbers. Level SUMMARY: shows every
    label of a client, how often it occurs, and which appears first. Costs the length of the labels,
    and about two bytes each for counts.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    ordered: ClassVar[bool] = True
    by_row_order: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = TurnsSummary
    reads_numbers: ClassVar[bool] = False

    target: Literal["any", "labels", "numbers"] = "any"

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "labels in the order of their first row, and counts"

    def empty(self, width: int) -> TurnsSummary:
        """Return no labels."""
        return TurnsSummary([], [], numbers=False)

    def update(self, summary: TurnsSummary, block: Block) -> TurnsSummary:
        """Fold in a block of rows of the same client."""
        y = block.target()
        kinds = sorted({*summary.kinds, block.target_kind()})
        if summary.numbers or is_numbers(y, self.target):
            return TurnsSummary([], kinds, numbers=True)
        labels, codes = by_turn(y)
        counts = np.bincount(codes, minlength=len(labels)).astype(np.int64)
        if summary.parts:
            labels, counts = _after(summary.parts[0], labels, counts)
        return TurnsSummary(
            [LabelTurn(labels, counts)] if len(labels) else [], kinds, numbers=False
        )

    def merge(self, left: TurnsSummary, right: TurnsSummary) -> TurnsSummary:
        """Keep the labels of both, those of the left one first."""
        kinds = sorted({*left.kinds, *right.kinds})
        if left.numbers or right.numbers:
            return TurnsSummary([], kinds, numbers=True)
        parts = left.parts + right.parts
        if len({isinstance(part.labels[0], str) for part in parts}) > 1:
            raise MergeConflict(0, "target")
        return TurnsSummary(parts, kinds, numbers=False)

    def compact(self, summary: TurnsSummary, limits: Limits = OPEN) -> TurnsSummary:
        """Return the summary as it is: folds need all labels, so that rare ones are refused."""
        if any((part.counts < limits.sure_count).any() for part in summary.parts):
            limits.refuse("min_count", f"needs {limits.count} rows of each label of the target")
        return summary

    def result(self, summary: TurnsSummary) -> InTurn:
        """Return labels and counts of each client that has rows; None if the target is numbers."""
        parts = [(part.labels, part.counts) for part in summary.parts]
        return InTurn(None if summary.numbers else parts, summary.kinds)


def _after(seen: LabelTurn, labels: Array, counts: Array) -> tuple[Array, Array]:
    """Return labels and counts of the rows seen before and of these, which follow them."""
    known: dict[Any, int] = dict(zip(seen.labels.tolist(), seen.counts.tolist(), strict=True))
    for label, count in zip(labels.tolist(), counts.tolist(), strict=True):
        known[label] = known.get(label, 0) + count
    fresh = np.array([label not in set(seen.labels.tolist()) for label in labels.tolist()], bool)
    both = np.concatenate([seen.labels, labels[fresh]])
    return both, np.fromiter(known.values(), np.int64, len(known))
