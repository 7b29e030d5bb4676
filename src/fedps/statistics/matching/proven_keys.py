"""ProvenKeys: tells owners which of their keys all others have, where one message is not enough."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.base import Array, Block, Statistic, Summary, demand, demand_array
from fedps.statistics.limits import Disclosure

MOST_PROOFS = 1 << 19  # in one message: 8 MB


class ProvenKeysSummary(Summary, frozen=True, array_like=True, tag="proven_keys"):
    """The number of rows that were found so far, at each owner."""

    width_field: ClassVar[str | None] = None

    found: Array

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one owner, which has not found more rows than it has."""
        demand_array(self.found, "found", "int64", (1,))
        demand(0 <= int(self.found[0]) <= rows, "found", f"is not from 0 to {rows}")

    def support(self) -> Array:
        """Return the number of rows."""
        return self.found


class ProvenKeys(
    Statistic[ProvenKeysSummary, Array], frozen=True, array_like=True, tag="proven_keys"
):
    """How many rows an owner has found by the proofs that it is given.

    Level AGGREGATE: shows nothing that is not known, the number of keys that all owners have.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = ProvenKeysSummary

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "how many keys all owners have"

    def empty(self, width: int) -> ProvenKeysSummary:
        """Return no owners."""
        return ProvenKeysSummary(np.zeros(0, dtype=np.int64))

    def update(self, summary: ProvenKeysSummary, block: Block) -> ProvenKeysSummary:
        """Find the rows of keys that are proven."""
        matching = block.matching()
        matching.find(block.given())
        return self.merge(summary, ProvenKeysSummary(np.array([len(matching.found)])))

    def merge(self, left: ProvenKeysSummary, right: ProvenKeysSummary) -> ProvenKeysSummary:
        """Return both, one owner after the other."""
        return ProvenKeysSummary(np.concatenate([left.found, right.found]))

    def result(self, summary: ProvenKeysSummary) -> Array:
        """Return how many rows each owner has found."""
        return summary.found
