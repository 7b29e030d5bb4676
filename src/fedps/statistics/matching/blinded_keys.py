"""BlindedKeys: an owner's keys as points that it has blinded, in a random order."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.aligned.aligned_base import LAST_ROW, Row, demand_one_client
from fedps.statistics.base import (
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    parts_of_both,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.matching.points import MARK_SIZE, SIZE, what_is_wrong


class BlindedKeysSummary(Summary, frozen=True, array_like=True, tag="blinded_keys"):
    """For each owner: how many keys it has, whether it has the target, what stands for it, and some keys as points."""

    width_field: ClassVar[str | None] = None

    rows: Array
    targets: Array
    marks: Array
    points: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one owner, and that these are points."""
        demand_one_client(self, "points")
        demand_array(self.rows, "rows", "int64", (1,))
        demand_array(self.targets, "targets", "int64", (1,))
        demand(int(self.rows[0]) == rows, "rows", f"is not {rows}")
        demand(int(self.targets[0]) in (0, 1), "targets", "is not 0 or 1")
        demand_array(self.marks, "marks", "uint8", (1, MARK_SIZE))
        demand_points(self.points[0])

    def support(self) -> Array:
        """Return the number of rows."""
        return self.rows


class OwnKeys(NamedTuple):
    """What is known of one owner's keys."""

    rows: int
    has_target: bool
    mark: bytes  # stands for it in this match
    points: Array  # of some of them


class BlindedKeys(
    Statistic[BlindedKeysSummary, tuple[OwnKeys, ...]],
    frozen=True,
    array_like=True,
    tag="blinded_keys",
):
    """Keys as points of a curve, blinded by a number that only their owner knows.

    Those from ``start`` to ``stop`` of a random order. Level AGGREGATE: shows how many keys there are.
    Without that number a point tells nothing about its key, and no two points can be compared. Costs 32
    bytes a key.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = BlindedKeysSummary

    start: Row = 0
    stop: Row = LAST_ROW

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "how many keys there are; the keys themselves are blinded"

    def empty(self, width: int) -> BlindedKeysSummary:
        """Return no owners."""
        none = np.zeros(0, dtype=np.int64)
        return BlindedKeysSummary(none, none, np.zeros((0, MARK_SIZE), dtype=np.uint8), ())

    def update(self, summary: BlindedKeysSummary, block: Block) -> BlindedKeysSummary:
        """Blind the keys."""
        matching = block.matching()
        points = matching.own_points(self.start, self.stop)
        mark = np.frombuffer(matching.mark, dtype=np.uint8)[None]
        rows, target = np.array([block.rows]), np.array([int(block.has_target())])
        return self.merge(summary, BlindedKeysSummary(rows, target, mark, (points,)))

    def merge(self, left: BlindedKeysSummary, right: BlindedKeysSummary) -> BlindedKeysSummary:
        """Return both, one owner after the other."""
        return parts_of_both(left, right)

    def check(self, summary: BlindedKeysSummary, width: int, rows: int) -> None:
        """Check also that there are as many points as requested."""
        summary.check(width, rows)
        wanted = len(range(rows)[self.start : self.stop])
        demand_array(summary.points[0], "points", "uint8", (wanted, SIZE))

    def result(self, summary: BlindedKeysSummary) -> tuple[OwnKeys, ...]:
        """Return what is known of each owner."""
        targets = summary.targets.astype(bool).tolist()
        marks = [mark.tobytes() for mark in summary.marks]
        return tuple(map(OwnKeys, summary.rows.tolist(), targets, marks, summary.points))


def demand_points(points: Array) -> None:
    """Raise ValueError unless these are different points."""
    wrong = what_is_wrong(points)
    demand(wrong is None, "points", wrong or "")
