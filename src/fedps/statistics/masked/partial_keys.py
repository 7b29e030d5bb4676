"""PartialKeys: a public key of each client, and a mark of its parts of some predictions."""

from __future__ import annotations

from hashlib import blake2b
from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    parts_of_all,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.masked.drawn_masks import SEED


class PartialKeysSummary(Summary, frozen=True, array_like=True, tag="partial_keys"):
    """For each client a line: its public key and its mark; and its number of rows to predict."""

    width_field: ClassVar[str | None] = None

    keys: Array
    rows: Array

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client."""
        demand_array(self.keys, "keys", "uint8", (1, 2 * SEED))
        demand_array(self.rows, "rows", "int64", (1,))
        demand(int(self.rows[0]) >= 0, "rows", "must not be negative")

    def support(self) -> Array:
        """Return nothing to check: it is about no cell."""
        return NOTHING_TO_CHECK


class PartKeys(NamedTuple):
    """The public keys and marks of all clients, a line each, and the number of rows to predict."""

    keys: Array
    rows: int


class PartialKeys(
    Statistic[PartialKeysSummary, PartKeys], frozen=True, array_like=True, tag="partial_keys"
):
    """A public key of each client, and a mark that differs for other rows to predict.

    Level AGGREGATE: shows the number of rows to predict. Costs 64 bytes.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    summary: ClassVar[type[Summary]] = PartialKeysSummary

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "a public key made for this model, and the number of rows to predict"

    def empty(self, width: int) -> PartialKeysSummary:
        """Return no clients."""
        return PartialKeysSummary(
            np.zeros((0, 2 * SEED), dtype=np.uint8), np.zeros(0, dtype=np.int64)
        )

    def update(self, summary: PartialKeysSummary, block: Block) -> PartialKeysSummary:
        """Make the key and the mark."""
        line = block.masking().public + mark_of_parts(block, own_parts(block))
        key = np.frombuffer(line, dtype=np.uint8)[None]
        return self.merge(summary, PartialKeysSummary(key, np.array([block.rows])))

    def merge(self, left: PartialKeysSummary, right: PartialKeysSummary) -> PartialKeysSummary:
        """Return both, one client after the other. ValueError if they are not about the same rows."""
        if left.rows.size and right.rows.size and left.rows[0] != right.rows[0]:
            raise ValueError("has other rows than another client's")
        return parts_of_all(left, right)

    def result(self, summary: PartialKeysSummary) -> PartKeys:
        """Return all keys."""
        return PartKeys(summary.keys, int(summary.rows.max(initial=0)))


def own_parts(block: Block) -> Array:
    """Return what a client's columns add to each prediction: nothing, if it has none."""
    if block.width == 0 or block.rows == 0:
        return np.zeros(block.rows)
    parts = block.partial(0, block.rows)
    if parts.shape != (block.rows, 1):
        raise BadCells("aligned")
    if not np.isfinite(parts).all():
        raise BadCells("range")
    return parts[:, 0]


def mark_of_parts(block: Block, parts: Array) -> bytes:
    """Return what differs for other parts, and says nothing about them to who does not know the secret."""
    digest = blake2b(key=block.secret(), digest_size=SEED, person=b"fedps part mark")
    digest.update((parts + 0.0).tobytes())
    return digest.digest()
