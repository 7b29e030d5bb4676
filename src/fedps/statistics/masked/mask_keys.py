"""MaskKeys: a public key of each client, made for one fit."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    parts_of_both,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.masked.drawn_masks import SEED


class MaskKeysSummary(Summary, frozen=True, array_like=True, tag="mask_keys"):
    """For each client a line: its public key, and its number of columns, and whether it has the target."""

    width_field: ClassVar[str | None] = None

    keys: Array
    sizes: Array

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client."""
        demand_array(self.keys, "keys", "uint8", (1, SEED))
        demand_array(self.sizes, "sizes", "int64", (1, 2))
        columns, target = self.sizes[0].tolist()
        demand(columns >= 0, "sizes", "must not be negative")
        demand(target in (0, 1), "sizes", "must say 0 or 1 of the target")

    def support(self) -> Array:
        """Return nothing to check: it is about no cell."""
        return NOTHING_TO_CHECK


class OwnerKey(NamedTuple):
    """One client's public key, how many columns it has, and whether it has the target."""

    public: bytes
    columns: int
    has_target: bool

    @property
    def width(self) -> int:
        """How many columns it masks, with the target."""
        return self.columns + self.has_target


class MaskKeys(
    Statistic[MaskKeysSummary, tuple[OwnerKey, ...]], frozen=True, array_like=True, tag="mask_keys"
):
    """A public key of each client for this fit, by which the others can seal what only it may read.

    Level AGGREGATE: shows the number of columns. Costs 32 bytes.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    summary: ClassVar[type[Summary]] = MaskKeysSummary

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "a public key made for this fit, and the number of columns"

    def empty(self, width: int) -> MaskKeysSummary:
        """Return no clients."""
        return MaskKeysSummary(
            np.zeros((0, SEED), dtype=np.uint8), np.zeros((0, 2), dtype=np.int64)
        )

    def update(self, summary: MaskKeysSummary, block: Block) -> MaskKeysSummary:
        """Make the key."""
        key = np.frombuffer(block.masking().public, dtype=np.uint8)[None]
        own = MaskKeysSummary(key, np.array([[block.width, block.has_target()]], dtype=np.int64))
        return self.merge(summary, own)

    def merge(self, left: MaskKeysSummary, right: MaskKeysSummary) -> MaskKeysSummary:
        """Return both, one client after the other."""
        return parts_of_both(left, right)

    def result(self, summary: MaskKeysSummary) -> tuple[OwnerKey, ...]:
        """Return each client's key."""
        pairs = zip(summary.keys, summary.sizes.tolist(), strict=True)
        return tuple(OwnerKey(key.tobytes(), size, bool(target)) for key, (size, target) in pairs)
