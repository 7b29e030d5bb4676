"""MatchTable: what an owner has made of its keys, in which only keys of all owners show."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta

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
from fedps.statistics.matching.xor_table import TAG_WORDS, WORDS, size_for

CANDIDATE_WORDS = TAG_WORDS + WORDS
Marks = Annotated[bytes, Meta(max_length=2**20)]
LINES_AT_ONCE = 1 << 18  # of a table in one message: 10 MB


class MatchTableSummary(Summary, frozen=True, array_like=True, tag="match_table"):
    """For each owner: its number of keys, the seed of its table, and lines of it.

    The first owner has candidates in place of a table: tags, and proofs under a cover.
    """

    width_field: ClassVar[str | None] = None

    rows: Array
    seeds: Array
    lines: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one owner, and has lines of words."""
        demand_one_client(self, "lines")
        demand_array(self.rows, "rows", "int64", (1,))
        demand(int(self.rows[0]) == rows, "rows", f"is not {rows}")
        demand_array(self.seeds, "seeds", "int64", (1,))
        demand(int(self.seeds[0]) >= 0, "seeds", "must not be negative")
        demand_array(self.lines[0], "lines", "uint64", (None, None))

    def support(self) -> Array:
        """Return the number of rows."""
        return self.rows


class OwnerTable(NamedTuple):
    """One owner's table, or some lines of it."""

    seed: int
    lines: Array


class MatchTable(
    Statistic[MatchTableSummary, tuple[OwnerTable, ...]],
    frozen=True,
    array_like=True,
    tag="match_table",
):
    """Lines ``start`` to ``stop`` of an owner's table. It is given its keys as all others have blinded them.

    ``at`` is the position of the first of these keys. There may be none: it had them before. ``marks`` are those
    of all owners that take part, one after the other. Level
    AGGREGATE: with the tables of all owners, it shows how many keys all of them have, and nothing about
    any other key. Costs 40 bytes a key of the first owner, 30 of each other.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = MatchTableSummary

    at: Row = 0
    start: Row = 0
    stop: Row = LAST_ROW
    marks: Marks = b""

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "with those of all others: how many keys all have. Nothing about other keys"

    def empty(self, width: int) -> MatchTableSummary:
        """Return no owners."""
        none = np.zeros(0, dtype=np.int64)
        return MatchTableSummary(none, none, ())

    def update(self, summary: MatchTableSummary, block: Block) -> MatchTableSummary:
        """Take the keys as all have blinded them, and make the table once all are there."""
        matching = block.matching()
        matching.agree(self.marks)
        matching.meet(self.at, block.given())
        found = OwnerTable(0, np.zeros((0, WORDS), dtype=np.uint64))
        if self.start < self.stop:
            found = OwnerTable(*matching.lines(self.start, self.stop))
        rows, seeds = np.array([block.rows]), np.array([found.seed])
        return self.merge(summary, MatchTableSummary(rows, seeds, (found.lines,)))

    def merge(self, left: MatchTableSummary, right: MatchTableSummary) -> MatchTableSummary:
        """Return both, one owner after the other."""
        return parts_of_both(left, right)

    def check(self, summary: MatchTableSummary, width: int, rows: int) -> None:
        """Check also that there are as many lines as requested: candidates, or of a table."""
        summary.check(width, rows)
        have = summary.lines[0].shape
        wanted = [
            (len(range(rows)[self.start : self.stop]), CANDIDATE_WORDS),
            (len(range(size_for(rows))[self.start : self.stop]), WORDS),
        ]
        demand(have in wanted, "lines", f"has the shape {have}, not {wanted[0]} or {wanted[1]}")

    def result(self, summary: MatchTableSummary) -> tuple[OwnerTable, ...]:
        """Return each owner's lines."""
        return tuple(map(OwnerTable, summary.seeds.tolist(), summary.lines))
